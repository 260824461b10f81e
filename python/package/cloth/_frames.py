"""Frames of an animation as callers have them: arrays, iterables, files."""

from __future__ import annotations

import os
import pathlib
import zipfile
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _cloth
from ._arrays import floats
from ._errors import FileError, InputError
from ._flatten import is_usd, read_flat


def like_first(name: str, frame: npt.ArrayLike, first: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A frame as an array of the shape and type of the first one."""
    array = floats(name, frame, first.shape)
    if first.dtype.itemsize < array.dtype.itemsize:
        raise InputError(f"{name} is {array.dtype}, but the first is {first.dtype}: convert them to one type")
    return array.astype(first.dtype, copy=False)


def open_frames(name: str, frames: Any) -> tuple[Any, int | None]:
    """An iterable of frames, and how many there are, if that is known."""
    if isinstance(frames, (str, os.PathLike)):
        frames = _open_file(pathlib.Path(frames))
    if isinstance(frames, np.ndarray) and frames.ndim != 3:
        raise InputError(f"`{name}` has shape {frames.shape} instead of (f, n, 3)")
    try:
        iter(frames)
    except TypeError:
        raise InputError(f"`{name}` is neither an array, nor iterable, nor a path") from None
    return frames, len(frames) if hasattr(frames, "__len__") else None


def _open_file(path: pathlib.Path) -> Any:
    kind = path.suffix.lower()
    if kind in (".pc2", ".pc16", ".mdd"):
        return _cloth.CacheFrames(str(path))
    if is_usd(path):
        return read_flat(str(path), _cloth.CacheFrames)
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
