"""The bodies of an audit."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterator
from typing import Any, NoReturn

import numpy.typing as npt

from . import _cloth
from ._arrays import floats
from ._errors import InputError
from ._flatten import is_usd, read_flat
from ._frames import like_first, open_frames
from ._meshes import checked_faces, finite, pair, read_mesh


class Wearer:
    """A body at one place, or with a frame for each of the garment."""

    def __init__(self, name: str, body: Any, frame_count: int | None) -> None:
        self._name = name
        self._wanted = frame_count
        self._number = 0
        self._frames: Iterator[Any] | None = None
        self._count: int | None = None
        positions, faces = _opened(name, body)
        first: Any = positions
        if _moves(positions):
            source, self._count = open_frames(name, positions)
            if None not in (frame_count, self._count) and frame_count != self._count:
                self._refuse(frame_count, self._count)
            self._frames = iter(source)
            first = next(self._frames, None)
            if first is None:
                self._refuse(frame_count, 0)
        self._first = self._checked(first)
        self.faces = checked_faces(name, faces, len(self._first))

    @property
    def vertex_count(self) -> int:
        """Number of vertices."""
        return len(self._first)

    def frame(self, number: int) -> npt.NDArray[Any]:
        """(n, 3) positions (m) in a frame; the next one at each call."""
        if self._frames is None or number == 0:
            return self._first
        frame = next(self._frames, None)
        if frame is None:
            self._refuse(self._wanted, number)
        self._number = number
        return self._checked(frame)

    def check_end(self, frame_count: int) -> None:
        """Raises if there are frames left after so many."""
        if self._frames is not None and next(self._frames, None) is not None:
            self._refuse(frame_count, self._count)

    def _checked(self, frame: npt.ArrayLike) -> npt.NDArray[Any]:
        name = self._name if self._frames is None else f"{self._name} frame {self._number}"
        if self._number == 0:
            return finite(name, floats(name, frame, (-1, 3)))
        return finite(name, like_first(name, frame, self._first))

    def _refuse(self, wanted: int | None, count: int | None) -> NoReturn:
        """Raises for numbers of frames, of which one may not be known."""
        wanted_text = "more" if wanted is None else f"{wanted}"
        count_text = "more" if count is None else f"{count}"
        raise InputError(f"`frames` has {wanted_text} frames, but `{self._name}` has {count_text}: a body that moves has as many")


def _opened(name: str, body: Any) -> tuple[Any, Any]:
    """Positions or frames, and faces."""
    if not isinstance(body, (str, os.PathLike)):
        positions, faces = pair(name, body)
        is_file = isinstance(faces, (str, os.PathLike))
        return positions, read_mesh(faces)[1] if is_file else faces
    path = pathlib.Path(body)
    if path.suffix.lower() in (".pc2", ".pc16", ".mdd", ".npy", ".npz"):
        raise InputError(f"`{name}` is the file {path}, which has no faces: pass a tuple (path, faces)")
    if is_usd(path):
        opened = read_flat(str(path), _cloth.CacheFrames)
        return opened if len(opened) > 1 else next(opened), opened.faces
    if path.is_file():
        return read_mesh(path)
    sequence = _cloth.ObjFrames(str(path))
    return sequence, sequence.faces


def _moves(positions: Any) -> bool:
    """Whether they are frames, and not one array of positions."""
    if hasattr(positions, "ndim"):
        return bool(positions.ndim != 2)
    if isinstance(positions, (list, tuple)) and positions:
        first = positions[0]
        if hasattr(first, "ndim"):
            return bool(first.ndim != 1)
        return isinstance(first, (list, tuple)) and bool(first) and not isinstance(first[0], (int, float))
    return True
