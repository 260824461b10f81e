"""Stages of USD, written."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _cloth
from ._arrays import floats
from ._errors import InputError
from ._frames import open_frames
from ._meshes import checked_faces, finite, read_mesh


def write_usd(
    path: str | os.PathLike[str],
    cloth: Mapping[str, Any],
    *,
    rate: float,
    bodies: Mapping[str, Any] | None = None,
    cuts: npt.ArrayLike = (),
) -> None:
    """Writes an animation as a stage of USD (`.usda`): metres, y up, the very bits of float32.

    `/World/cloth` has a mesh of triangles for each garment, `/World/bodies` one for each body. Subdivision is off,
    so that the mesh that is shown is the one that was judged.

    Args:
        path: the file to write; it appears whole or not at all.
        cloth: by name, (frames, faces) or (frames, faces, uv). Frames are those of `audit`, or (n, 3) positions
            (m) of what stands still; faces (m, 3) integers, or the path of a mesh; uv (m, 3, 2) texture
            coordinates of their corners.
        rate: frames a second (Hz).
        bodies: the same, of what the cloth touches.
        cuts: (c,) integers from 1, frames that come after a cut: the frame before is held until them.

    Raises:
        InputError: an array has another shape, a position that is not finite, or one of float64 that float32
            does not hold.
        FileError: the file cannot be written, or one that is named cannot be read.
    """
    name = os.fspath(path)
    if not name.lower().endswith((".usda", ".usd")):
        raise InputError(f"`path` is {name!r}: a text layer of USD has the extension .usda")
    after_cut = {int(frame) for frame in np.asarray(cuts).ravel()}
    writer = _cloth.UsdWriter(name, float(rate))
    for is_body, meshes in ((False, cloth), (True, bodies or {})):
        for label, mesh in meshes.items():
            _add(writer, label, mesh, is_body, after_cut)
    writer.finish()


def _add(writer: _cloth.UsdWriter, name: str, mesh: Any, is_body: bool, after_cut: set[int]) -> None:
    if not isinstance(mesh, (tuple, list)) or len(mesh) not in (2, 3):
        raise InputError(f"`{name}` is {type(mesh).__name__}: pass (frames, faces) or (frames, faces, uv)")
    frames, faces, *uv = mesh
    if hasattr(frames, "ndim") and frames.ndim == 2:
        frames = [frames]
    source, _ = open_frames(name, frames)
    prim = None
    for number, frame in enumerate(source):
        array = finite(f"{name} frame {number}", floats(f"{name} frame {number}", frame, (-1, 3)))
        with np.errstate(over="ignore"):
            single = array.astype(np.float32)
        if array.dtype != np.float32 and not np.array_equal(single, array):
            raise InputError(f"`{name}` frame {number} has float64 positions that float32, which USD stores, does not hold: round them before they are judged")
        if prim is None:
            is_file = isinstance(faces, (str, os.PathLike))
            checked = checked_faces(name, read_mesh(faces)[1] if is_file else faces, len(array))
            corners = floats(f"{name} uv", np.reshape(uv[0], (-1, 2)), (3 * len(checked), 2)).astype(np.float64) if uv else None
            prim = writer.add(name, len(array), checked, corners, is_body)
        writer.push(prim, single, number in after_cut)
    if prim is None:
        raise InputError(f"`{name}` has no frames")
