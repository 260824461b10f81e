"""Garments against the bodies that wear them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _cloth
from ._arrays import MOST
from ._errors import InputError, MeshError
from ._meshes import Meshes, Part, as_parts
from ._records import CHECK_WITNESS, WITNESS, Between


class KindCounts(NamedTuple):
    """How many pairs there are, by what they belong to."""

    cloth_self: int
    """Of one garment."""
    cloth_cloth: int
    """Of two garments."""
    cloth_body: int
    """Of a garment and a body."""
    body_self: int
    """Of one body."""
    body_body: int
    """Of two bodies."""

    @property
    def with_cloth(self) -> int:
        """Those that a garment is in."""
        return self.cloth_self + self.cloth_cloth + self.cloth_body

    @property
    def total(self) -> int:
        """All of them."""
        return sum(self)


@dataclass(frozen=True)
class Deepest:
    """The deepest point of a garment inside of a body."""

    garment: int
    """The garment, by its place in the list."""
    index: int
    """The vertex, or the face, of that garment."""
    body: int
    """The body, by its place in the list."""
    depth: float
    """Its distance (m) from the surface of the body."""
    position: tuple[float, float, float]
    """Where (m)."""


class BodySurface(NamedTuple):
    """A body as something to be inside of."""

    is_closed: bool
    """Whether it is closed, vertices at one place taken as one. In an open one, inside means what the winding
    number says: near a hole, as far as the hole covers less than half of the view."""
    is_turned: bool
    """Whether its faces point inward; inside is inside all the same."""
    self_intersections: int
    """In how many places it intersects itself, flat folds and doubled faces included."""


@dataclass(frozen=True, eq=False)
class CheckReport:
    """What was found of garments and bodies; `str` describes it in a few lines."""

    clean: bool
    """Whether nothing meets a garment, no face of one lies on another, and no vertex of one is inside of a
    body. What bodies do among themselves does not count."""
    intersections: KindCounts
    """Edges and faces that meet."""
    folds: KindCounts
    """Flat folds, and faces that lie on others."""
    vertices_inside: list[npt.NDArray[np.uint32]]
    """For each garment the vertices that are inside of a body, ascending, numbered as in that garment. One
    that lies on the surface is not inside."""
    deepest_vertex: Deepest | None
    """The vertex that is deepest; None if none is inside."""
    deepest_face: Deepest | None
    """The face with the deepest point: a body may stand out in the middle of a coarse one. No other is more
    than 1 % and 1e-5 of the size of the body deeper. None if nothing is inside."""
    share_inside: float
    """The share of the area of all garments that is inside, from 0 to 1."""
    area_inside: float
    """That area (m²)."""
    area: float
    """The area (m²) of all garments."""
    bodies: list[BodySurface]
    """The bodies."""
    witnesses: npt.NDArray[Any]
    """(k,) records of `CHECK_WITNESS`: everything that meets, and between what."""
    vertex_counts: list[int]
    """The number of vertices of each garment."""

    def __str__(self) -> str:
        garments, bodies = len(self.vertex_counts), len(self.bodies)
        count = f"{garments} garment{'s' * (garments != 1)} and {bodies} bod{'y' if bodies == 1 else 'ies'}"
        lines = [f"{count}: {'clean' if self.clean else 'not clean'}"]
        for what, counts in (("intersections", self.intersections), ("folds and doubled faces", self.folds)):
            found = [f"{counts[kind]} {kind.in_words}" for kind in Between if counts[kind]]
            if found:
                lines.append(f"{what}: {', '.join(found)}")
        inside = sum(map(len, self.vertices_inside))
        deepest = self.deepest_face
        if inside or deepest:
            lines.append(f"inside: {inside} of {sum(self.vertex_counts)} vertices, {self.share_inside:.2%} of the area")
        if deepest:
            lines.append(f"deepest: {deepest.depth:.3g} m, face {deepest.index} of garment {deepest.garment} in body {deepest.body}")
        for i, body in enumerate(self.bodies):
            found = [text for is_so, text in ((not body.is_closed, "open"), (body.is_turned, "turned inside out")) if is_so]
            if body.self_intersections:
                found.append(f"intersects itself in {body.self_intersections} places")
            if found:
                lines.append(f"body {i}: {', '.join(found)}")
        return "\n".join(lines)


def check(garments: Meshes, bodies: Meshes = ()) -> CheckReport:
    """Judges garments and the bodies that wear them together: does the garment cut its body?

    What meets is decided by exact arithmetic on the numbers as given, without a tolerance; what is inside by
    winding numbers. A body is a surface that is looked at from outside; garments need not be closed. Vertices
    at one place, as on the seams of a texture, are different vertices: merge them before, or the seams touch.

    Args:
        garments: a tuple (positions, faces) of (n, 3) positions (m), float32 or float64, and (m, 3) integers;
            the path of a mesh file; an object with `vertices` and `faces`, as of trimesh; or a list of these.
        bodies: in the same forms; none by default.

    Raises:
        InputError: there is no garment, or a mesh is of another form or shape, or has a position that is not
            finite; the text names the mesh and the vertex.
        MeshError: an index is out of range, or a face has equal corners; the text names the mesh and the face.
        FileError: a file cannot be read or is damaged.
    """
    worn, bare = as_parts("garments", garments), as_parts("bodies", bodies)
    if not worn:
        raise InputError("`garments` is empty: pass at least one mesh")
    _check_count(len(worn) + len(bare))
    parts = [*worn, *bare]
    faces, of_vertex = _joined([(len(part.positions), part.faces) for part in worn])
    outfit = as_outfit(faces, of_vertex, len(worn), [(len(part.positions), part.faces) for part in bare])
    positions = np.concatenate([part.positions for part in parts])
    return _report(_cloth.check_outfit(outfit, positions), parts, len(worn))


def as_outfit(
    faces: npt.NDArray[np.uint32],
    parts: npt.NDArray[np.uint16],
    garment_count: int,
    bodies: Sequence[tuple[int, npt.NDArray[np.uint32]]],
) -> _cloth.Outfit:
    """Faces of garments, the garment of each vertex, and the vertex counts and faces of bodies."""
    count = garment_count + len(bodies)
    _check_count(count)
    vertex_count = len(parts) + sum(vertices for vertices, _ in bodies)
    if vertex_count > MOST:
        raise MeshError(f"there are {vertex_count} vertices, more than the limit of {MOST}; judge parts separately")
    faces, of_vertex = _joined([(len(parts), faces), *bodies])
    # All garments are the first mesh here, and the bodies follow.
    of_vertex += np.uint16(garment_count - 1)
    of_vertex[: len(parts)] = parts
    return _cloth.Outfit(vertex_count, faces, of_vertex, np.arange(count) >= garment_count)


def _check_count(meshes: int) -> None:
    if meshes > 1 << 16:
        raise InputError(f"there are {meshes} meshes; at most 65536 are judged together")


def _joined(
    meshes: Sequence[tuple[int, npt.NDArray[np.uint32]]],
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint16]]:
    """Vertex counts and faces of meshes, as the faces of one mesh, and the mesh of each of its vertices."""
    counts = [vertices for vertices, _ in meshes]
    starts = np.cumsum([0, *counts]).tolist()
    faces = np.concatenate([faces + np.uint32(start) for (_, faces), start in zip(meshes, starts)])
    return faces, np.repeat(np.arange(len(meshes), dtype=np.uint16), counts)


def _report(said: dict[str, Any], parts: list[Part], garment_count: int) -> CheckReport:
    """What the native half says, in the numbers of each mesh."""
    vertex_starts = np.cumsum([0, *(len(part.positions) for part in parts)])
    face_starts = np.cumsum([0, *(len(part.faces) for part in parts)])
    inside = np.split(said["vertices_inside"], np.searchsorted(said["vertices_inside"], vertex_starts[1:garment_count]))

    def deepest(name: str, starts: npt.NDArray[np.int64]) -> Deepest | None:
        if said[name] is None:
            return None
        index, body, depth, position = said[name]
        garment = int(np.searchsorted(starts, index, "right")) - 1
        return Deepest(garment, index - int(starts[garment]), body - garment_count, depth, tuple(position))

    witnesses = _witnesses(said, vertex_starts, face_starts)
    of_bodies = witnesses["meshes"][witnesses["between"] == Between.BODY_SELF, 0]
    among = np.bincount(of_bodies, minlength=len(parts)).tolist()
    surfaces = {part: (closed, turned) for part, closed, turned in said["bodies"]}
    area_inside, area, share = said["areas"]
    return CheckReport(
        clean=said["row"][0],
        intersections=KindCounts(*said["counts"]),
        folds=KindCounts(*said["folds"]),
        vertices_inside=[(v - start).astype(np.uint32) for v, start in zip(inside, vertex_starts)],
        deepest_vertex=deepest("deepest_vertex", vertex_starts),
        deepest_face=deepest("deepest_face", face_starts),
        share_inside=share,
        area_inside=area_inside,
        area=area,
        bodies=[BodySurface(*surfaces.get(i, (False, False)), among[i]) for i in range(garment_count, len(parts))],
        witnesses=witnesses,
        vertex_counts=np.diff(vertex_starts)[:garment_count].tolist(),
    )


def _witnesses(
    said: dict[str, Any], vertex_starts: npt.NDArray[np.int64], face_starts: npt.NDArray[np.int64]
) -> npt.NDArray[Any]:
    found = said["witnesses"].view(WITNESS)
    records = np.zeros(len(found), CHECK_WITNESS)
    records["position"], records["kind"], records["between"] = found["position"], found["kind"], said["between"]

    def owned(ids: npt.NDArray[Any], starts: npt.NDArray[np.int64]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """The mesh of each primitive, and its number there; -1 where there is none."""
        meshes = np.searchsorted(starts, ids, "right") - 1
        return meshes, np.where(ids >= 0, ids - starts[meshes], -1)

    vertex_meshes, records["vertices"] = owned(found["vertices"], vertex_starts)
    face_meshes, records["faces"] = owned(found["faces"], face_starts)
    # An edge or a vertex and a face, or two faces.
    has_two = found["faces"][:, 1] >= 0
    records["meshes"][:, 0] = np.where(has_two, face_meshes[:, 0], vertex_meshes[:, 0])
    records["meshes"][:, 1] = np.where(has_two, face_meshes[:, 1], face_meshes[:, 0])
    return records
