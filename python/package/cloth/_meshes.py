"""Garments and bodies as callers have them: arrays, files, objects of other packages."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from . import _cloth
from ._arrays import floats, indices
from ._errors import InputError, MeshError
from ._flatten import read_flat


@runtime_checkable
class MeshLike(Protocol):
    """An object of another package, as a `trimesh.Trimesh`."""

    @property
    def vertices(self) -> Any:
        """(n, 3) positions (m)."""

    @property
    def faces(self) -> Any:
        """(m, 3) integers."""


OneMesh = tuple[Any, Any] | str | os.PathLike[str] | MeshLike
"""A tuple (positions, faces), the path of a mesh file, or an object with `vertices` and `faces`."""
Meshes = OneMesh | Iterable[OneMesh]
"""One mesh, or several."""


class Part(NamedTuple):
    """A mesh under the name that messages have for it."""

    name: str
    positions: npt.NDArray[Any]
    """(n, 3) float32 or float64."""
    faces: npt.NDArray[np.uint32]
    """(m, 3)."""


def read_mesh(path: str | os.PathLike[str]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.uint32]]:
    """Reads a mesh file: OBJ, PLY, STL, OFF, NPZ or USD.

    A path such as `run.usda#/World/cloth` names a prim: the meshes at or below it are read. USD that is no flat
    text (`.usdc`, `.usdz`, references, variants, instances) is read by way of usd-core, if it is installed.

    Returns:
        (n, 3) positions in the file's unit and axes (of USD in metres, y up), and (m, 3) triangles.

    Raises:
        FileError: the file cannot be read or is damaged; the text names the line.
    """
    return read_flat(os.fspath(path), _cloth.read_mesh)


def listed(name: str, values: Any) -> list[tuple[str, Any]]:
    """One mesh or several, each with its name. A tuple of two is one mesh, unless it begins with a mesh."""
    is_one = isinstance(values, tuple) and len(values) == 2 and not _is_described(values[0])
    if is_one or isinstance(values, (str, os.PathLike, MeshLike)):
        return [(name, values)]
    if isinstance(values, np.ndarray):
        raise InputError(f"`{name}` is an array: pass a tuple (positions, faces), or a list of such tuples")
    try:
        return [(f"{name}[{i}]", value) for i, value in enumerate(values)]
    except TypeError:
        text = f"`{name}` is {type(values).__name__}: pass (positions, faces), a path, or an object with `vertices` and `faces`"
        raise InputError(f"{text}, or a list of these") from None


def _is_described(value: Any) -> bool:
    return isinstance(value, (tuple, MeshLike))


def as_parts(name: str, values: Any) -> list[Part]:
    """One mesh or several, read and checked."""
    return [as_part(each, value) for each, value in listed(name, values)]


def as_part(name: str, value: Any) -> Part:
    """A mesh, read and checked."""
    if isinstance(value, (str, os.PathLike)):
        positions, faces = read_mesh(value)
    else:
        positions, faces = pair(name, value)
    array = finite(name, floats(f"{name} positions", positions, (-1, 3)))
    return Part(name, array, checked_faces(name, faces, len(array)))


def pair(name: str, value: Any) -> tuple[Any, Any]:
    """Positions and faces of what is no path."""
    if isinstance(value, MeshLike):
        return value.vertices, value.faces
    if isinstance(value, (tuple, list)) and len(value) == 2:
        return value[0], value[1]
    kind = type(value).__name__
    what = f"a {kind} of {len(value)}" if isinstance(value, (tuple, list)) else kind
    raise InputError(f"`{name}` is {what}: pass (positions, faces), a path, or an object with `vertices` and `faces`")


def finite(name: str, positions: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The same positions; raises if one is not finite, with its vertex."""
    good = np.isfinite(positions)
    if not good.all():
        vertex = int(np.argmin(good.all(axis=1)))
        raise InputError(f"`{name}`: the position of vertex {vertex} is {positions[vertex].tolist()}, which is not finite")
    return positions


def checked_faces(name: str, faces: Any, vertex_count: int) -> npt.NDArray[np.uint32]:
    """Faces of a mesh with so many vertices; raises with the number of the face in this mesh."""
    array = indices(f"{name} faces", faces, 3)
    beyond = (array >= vertex_count).any(axis=1)
    if beyond.any():
        row = int(np.argmax(beyond))
        raise MeshError(f"`{name}`: face {row} is {array[row].tolist()}, but there are {vertex_count} vertices; indices count from 0")
    a, b, c = array.T
    equal = (a == b) | (b == c) | (c == a)
    if equal.any():
        row = int(np.argmax(equal))
        raise MeshError(f"`{name}`: face {row} is {array[row].tolist()}, with one vertex twice: leave it out")
    return array
