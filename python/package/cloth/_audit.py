"""Frames and the motions between them, judged exactly."""

from __future__ import annotations

import os
import pathlib
import zipfile
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _cloth
from ._arrays import floats, numbers
from ._errors import FileError, InputError
from ._judge import Description, Faces, Mesh, as_mesh, intersections

if TYPE_CHECKING:
    from typing_extensions import Unpack

AUDIT = np.dtype(
    [
        ("frame", "i8"),
        ("intersections", "i8"),
        ("crossings", "i8"),
        ("first_time", "f8"),
        ("max_move", "f8"),
        ("cut", "?"),
    ]
)
"""A frame: its number from 0, its intersections (the witnesses of `intersections`, 0 if it is clean), the
collisions of the motion from the frame before (-1 where none is judged: for the first frame and after a cut),
when the earliest of them happens (a share of the motion; NaN if there is none), the longest way (m) of a
vertex (0 where no motion is judged), and whether the frame comes after a cut."""


def read_mesh(path: str | os.PathLike[str]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.uint32]]:
    """Reads a mesh file: OBJ, PLY, STL, OFF or NPZ.

    Returns:
        (n, 3) positions in the file's unit and axes, and (m, 3) triangles.

    Raises:
        FileError: the file cannot be read or is damaged; the text names the line.
    """
    return _cloth.read_mesh(os.fspath(path))


def audit(
    frames: npt.ArrayLike | Iterable[npt.ArrayLike] | str | os.PathLike[str],
    faces: Faces | None = None,
    *,
    cuts: npt.ArrayLike = (),
    progress: bool | None = None,
    **description: Unpack[Description],
) -> npt.NDArray[Any]:
    """Judges every frame of an animation, and every motion from a frame to the next.

    Works on all threads (`threads`); Ctrl-C ends it within the time of a frame. An iterator is read a few
    frames at a time.

    Args:
        frames: (f, n, 3) positions (m), an iterable of (n, 3), or a file: PC2, NPY, NPZ with one array, an
            OBJ file that begins a sequence, a folder or a pattern (`run/shirt_*.obj`) of such files.
        faces: (m, 3) integers, or a `Mesh`. A sequence of OBJ files has its own.
        cuts: (c,) integers from 1, frames that come after a cut: what is between such a frame and the one
            before is no motion of the cloth, and is not judged.
        progress: show a bar, if `tqdm` is installed; by default for files and arrays of at least 100 frames.
        **description: as for `Mesh`.

    Returns:
        (f,) records of `AUDIT`.

    Raises:
        InputError: a frame has another shape or a position that is not finite, or a cut is at no frame; the
            text names the frame.
        FileError: a file cannot be read or is damaged.
        MeshError: as `Mesh`, or cuts are not integers of at least 0.
    """
    source, count = _open(frames)
    where = _cut_frames(cuts, count)
    if faces is None:
        if not isinstance(source, _cloth.ObjFrames):
            raise InputError("`faces` is missing: only a sequence of OBJ files has its own")
        faces = source.faces
    table: list[tuple[int, int, int, float, float, bool]] = []
    group_size = 4 * _cloth.thread_count()
    # Frames whose motions are not judged yet, after the end of the last motion that is.
    pending: list[npt.NDArray[Any]] = []
    with _Bar(progress, count) as bar:

        def judge() -> None:
            """The motions to all frames that wait but the first, which is judged."""
            if len(pending) > 1:
                first = len(table)
                rows = _cloth.audit_motions(mesh._native, pending, first - 1)
                table.extend((first + i, *row, False) for i, row in enumerate(rows))
                bar.update(len(rows))
                del pending[:-1]

        for number, frame in enumerate(source):
            if number == 0:
                array = floats("frame 0", frame, (-1, 3))
                mesh = as_mesh(faces, len(array), description)
            else:
                array = _like(f"frame {number}", frame, pending[0])
            if number == 0 or number in where:
                judge()
                table.append((number, _count(number, array, mesh), -1, np.nan, 0.0, number > 0))
                bar.update(1)
                pending[:] = [array]
                continue
            pending.append(array)
            if len(pending) > group_size:
                judge()
        judge()
    _cut_frames(list(where), len(table))
    return np.array(table, AUDIT)


def _cut_frames(cuts: npt.ArrayLike, count: int | None) -> set[int]:
    """Frames after a cut: there is one before each, and they are below a count, where it is known."""
    where = numbers("cuts", cuts, np.uint32).tolist()
    for k in where:
        if k == 0 or (count is not None and k >= count):
            known = "" if count is None else f", and there are {count}"
            raise InputError(f"`cuts` has frame {k}: a cut has the number of the frame after it, from 1{known}")
    return set(where)


def _count(number: int, frame: npt.NDArray[Any], mesh: Mesh) -> int:
    """The intersections of a frame that no motion leads to."""
    try:
        return len(intersections(frame, mesh))
    except InputError as error:
        raise InputError(f"frame {number}: {error}") from None


def _like(name: str, frame: npt.ArrayLike, first: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A frame as an array of the shape and type of the first one."""
    array = floats(name, frame, first.shape)
    if first.dtype.itemsize < array.dtype.itemsize:
        raise InputError(f"{name} is {array.dtype}, but the first is {first.dtype}: convert them to one type")
    return array.astype(first.dtype, copy=False)


def _open(frames: Any) -> tuple[Any, int | None]:
    """An iterable of frames, and how many there are, if that is known."""
    if isinstance(frames, (str, os.PathLike)):
        frames = _open_file(pathlib.Path(frames))
    if isinstance(frames, np.ndarray) and frames.ndim != 3:
        raise InputError(f"`frames` has shape {frames.shape} instead of (f, n, 3)")
    try:
        iter(frames)
    except TypeError:
        raise InputError("`frames` is neither an array, nor iterable, nor a path") from None
    return frames, len(frames) if hasattr(frames, "__len__") else None


def _open_file(path: pathlib.Path) -> Any:
    kind = path.suffix.lower()
    if kind == ".pc2":
        return _cloth.Pc2Frames(str(path))
    if kind not in (".npy", ".npz"):
        return _cloth.ObjFrames(str(path))
    try:
        loaded = np.load(path, mmap_mode="r" if kind == ".npy" else None, allow_pickle=False)
        if kind == ".npy":
            return loaded
        with loaded:
            if len(loaded.files) != 1:
                raise FileError(f"{path}: has {len(loaded.files)} arrays ({', '.join(loaded.files)}); load it and pass one")
            return loaded[loaded.files[0]]
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{path}: {error}") from None


class _Bar:
    """A bar of `tqdm`, where it is installed."""

    def __init__(self, wanted: bool | None, count: int | None) -> None:
        self._bar: Any = None
        if wanted or (wanted is None and count is not None and count >= 100):
            try:
                from tqdm import tqdm
            except ImportError:
                return
            self._bar = tqdm(total=count, unit=" frames", desc="audit")

    def update(self, count: int) -> None:
        if self._bar is not None:
            self._bar.update(count)

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
