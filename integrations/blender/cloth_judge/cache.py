# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of a bake: point caches, and the snapshot from which it goes on."""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from .read import Fault

HEADER = struct.Struct("<12siiffi")
"""Of PC2: its name, version, vertices, first frame, frames a sample, samples."""
SNAPSHOT = b"cloth-judge snapshot 1\n"


class PointCache:
    """A point cache (PC2) that grows by a frame at a time, and can be played at any moment."""

    def __init__(self, path: Path, vertices: int, first: int, kept: int = 0) -> None:
        """Begins a cache, or goes on behind `kept` frames of one that there is."""
        self.path, self._vertices, self._first, self._count = path, vertices, first, kept
        if kept:
            self._check_kept()
        with written(path):
            self._file = open(path, "r+b" if kept else "wb")
            self._file.truncate(HEADER.size + 12 * vertices * kept)

    def _check_kept(self) -> None:
        count, vertices = frame_count(self.path)
        if vertices != self._vertices or count < self._count:
            raise Fault(f"{self.path}: has {count} frames of {vertices} vertices, and the snapshot needs {self._count} of {self._vertices}: bake anew")

    def push(self, positions: Any) -> None:
        """Appends a frame of (n, 3) float32."""
        with written(self.path):
            self._file.seek(0, os.SEEK_END)
            self._file.seek(max(self._file.tell(), HEADER.size))
            self._file.write(np.ascontiguousarray(positions, "<f4").data)
            self._count += 1
            self._file.seek(0)
            self._file.write(HEADER.pack(b"POINTCACHE2\0", 1, self._vertices, float(self._first), 1.0, self._count))
            self._file.flush()

    def close(self) -> None:
        with written(self.path):
            self._file.close()


@contextmanager
def written(path: Path) -> Iterator[None]:
    """Says of an error in writing which file and what helps."""
    try:
        yield
    except OSError as error:
        raise Fault(f"{path}: cannot be written ({error.strerror}): make space, or save the file to another folder") from None


def frame_count(path: Path) -> tuple[int, int]:
    """How many whole frames a point cache has, and of how many vertices."""
    try:
        with open(path, "rb") as file:
            head = file.read(HEADER.size)
            size = file.seek(0, os.SEEK_END)
    except OSError as error:
        raise Fault(f"{path}: cannot be read ({error.strerror}): bake anew") from None
    if len(head) < HEADER.size or head[:11] != b"POINTCACHE2":
        raise Fault(f"{path}: is no point cache: bake anew")
    vertices = HEADER.unpack(head)[2]
    return (size - HEADER.size) // max(12 * vertices, 1), vertices


def frames(path: Path) -> Any:
    """(f, n, 3) float32, mapped into memory."""
    count, vertices = frame_count(path)
    return np.memmap(path, "<f4", "r", HEADER.size, (count, vertices, 3))


def write_snapshot(path: Path, facts: dict[str, Any], state: bytes) -> None:
    """Replaces the snapshot, all of it or nothing."""
    content = json.dumps(facts).encode() + b"\n" + state
    part = path.with_suffix(".part")
    with written(path):
        part.write_bytes(SNAPSHOT + hashlib.sha256(content).hexdigest().encode() + b"\n" + content)
        part.replace(path)


def read_snapshot(path: Path) -> tuple[dict[str, Any], bytes]:
    """What was written."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise Fault(f"{path}: there is no snapshot to resume from: bake from the start") from None
    if not data.startswith(SNAPSHOT):
        raise Fault(f"{path}: is not a snapshot of this version of Cloth Judge: bake from the start")
    digest, _, content = data[len(SNAPSHOT) :].partition(b"\n")
    if hashlib.sha256(content).hexdigest().encode() != digest:
        raise Fault(f"{path}: is damaged: bake from the start")
    facts, _, state = content.partition(b"\n")
    return json.loads(facts), state


def owners(path: Path) -> list[str]:
    """The objects of a snapshot; none if there is none that can be read."""
    try:
        return list(read_snapshot(path)[0]["names"])
    except Fault:
        return []
