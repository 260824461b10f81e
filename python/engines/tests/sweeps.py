"""A sweep of short runs, and what is common to the tests that kill."""

from __future__ import annotations

import ctypes
import hashlib
import os
import signal
import struct
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

SWEEP = [sys.executable, "-m", "cloth.sweep"]
SCENE = """
[settings]
duration = {duration}
dt = 0.016666666666666666
substeps = 4
thickness = 0.008

[[garment]]
name = "sheet"
mesh = "sheet.obj"
translate = [0.0, 0.62, 0.0]

[[body]]
kind = "sphere"
center = [0.0, 0.4, 0.0]
radius = 0.2
"""
VARIED = """
scene = "scene.toml"
outputs = ["cloth.pc2"]

[[parameter]]
key = "garment.sheet.material"
values = ["cotton", "silk"]

[[parameter]]
key = "settings.friction"
from = 0.1
to = 0.9
count = {half}
"""


def write(folder: Path, runs: int, duration: float = 0.1) -> Path:
    """A sheet of 256 vertices that falls on a ball, with two materials and many frictions."""
    n = 16
    x, z = np.meshgrid(np.linspace(-0.25, 0.25, n), np.linspace(-0.25, 0.25, n))
    a = np.arange(n * n).reshape(n, n)[:-1, :-1].reshape(-1, 1) + 1
    faces = np.concatenate([a + [0, n, 1], a + [1, n, n + 1]])
    lines = [f"v {px} 0 {pz}" for px, pz in zip(x.ravel(), z.ravel(), strict=True)]
    lines += ["f " + " ".join(map(str, face)) for face in faces]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sheet.obj").write_text("\n".join(lines) + "\n")
    (folder / "scene.toml").write_text(SCENE.format(duration=duration))
    (folder / "sweep.toml").write_text(VARIED.format(half=runs // 2))
    return folder / "sweep.toml"


def sweep(*arguments: object, status: int = 0) -> str:
    """Runs the command, and returns what it says: the lines of shards, then the last one."""
    command = [*SWEEP, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == status, done.stderr + done.stdout
    return done.stderr + done.stdout


def manifest(out: Path) -> bytes:
    return (out / "manifest.jsonl").read_bytes()


def check_whole(out: Path, plain: bytes, runs: int) -> None:
    """The manifest is that of the undisturbed run, and nothing else is left in the folder."""
    assert manifest(out) == plain
    assert plain.count(b"\n") == runs
    assert {path.name for path in out.iterdir()} <= {"sweep.json", "runs", "log", "slurm", "manifest.jsonl"}
    left = [path for path in (out / "runs").rglob("*") if path.name.startswith(".")]
    assert not left
    temporary = [path for path in out.rglob("*") if path.name.endswith((".part", ".try", ".tmp"))]
    assert not temporary
    assert not (out / "damaged").exists()


class Watch(threading.Thread):
    """Sees all renamings to committed runs below 1000 (inotify), and that what is committed never changes."""

    def __init__(self, out: Path) -> None:
        super().__init__(daemon=True)
        self.folder = out / "runs" / "000"
        self.folder.mkdir(parents=True)
        self.commits: Counter[str] = Counter()
        self.parts: set[str] = set()
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._events = self._libc.inotify_init1(os.O_NONBLOCK)
        moved_to, created = 0x80, 0x100
        assert self._libc.inotify_add_watch(self._events, os.fsencode(self.folder), moved_to | created) > 0
        self._first: dict[str, tuple[int, int]] = {}
        self.changed: list[str] = []
        self._over = threading.Event()

    def run(self) -> None:
        while not self._over.wait(0.02):
            self._read()

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._events, 65536)
            except BlockingIOError:
                break
            while data:
                _, mask, _, length = struct.unpack_from("iIII", data)
                if mask & 0x4000:
                    self.changed.append("the queue of events has overflowed")
                name = data[16 : 16 + length].rstrip(b"\0").decode()
                data = data[16 + length :]
                if name.endswith(".part"):
                    self.parts.add(name)
                elif mask & 0x80 and not name.startswith("."):
                    self.commits[name] += 1
                elif not name.startswith("."):
                    self.changed.append(f"{name} was made in place")
        for name in self.commits:
            status = os.stat(self.folder / name / "row.json")
            seen = (status.st_ino, status.st_mtime_ns)
            if self._first.setdefault(name, seen) != seen:
                self.changed.append(name)

    def end(self, runs: int) -> None:
        """Checks that each run was committed once, and for good."""
        self._over.set()
        self.join()
        self._read()
        os.close(self._events)
        assert not self.changed
        assert self.commits == Counter(f"{number:06}" for number in range(runs))

    @property
    def cut_short(self) -> int:
        """Runs that were begun and not committed by the process that began them."""
        return len(self.parts) - sum(self.commits.values())


def read(pid: int, name: str) -> str:
    """A file of /proc; nothing of a process that has ended."""
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def processes(wanted: Callable[[str], bool]) -> list[int]:
    """Processes by their command lines."""
    numbers = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return sorted(pid for pid in numbers if wanted(read(pid, "cmdline")))


def parent(pid: int) -> int:
    return int((read(pid, "stat").rpartition(")")[2].split() or ["", "0"])[1])


def kill(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def say(capsys: Any, mode: str, kills: int, watch: Watch, began: float, out: Path) -> None:
    """The figures of a test that kills."""
    digest = hashlib.sha256(manifest(out)).hexdigest()[:16]
    seconds = time.monotonic() - began
    with capsys.disabled():
        print(
            f"\n{mode}: {kills} kills, {watch.cut_short} runs cut short or overtaken, {seconds:.0f} s, "
            f"manifest {digest}"
        )
