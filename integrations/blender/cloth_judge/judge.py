# SPDX-License-Identifier: GPL-3.0-or-later
"""What intersects in a frame, as rows that name objects. Knows nothing of Blender but its arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

import cloth
from cloth import Between, IntersectionKind

from .read import Surface

Found = list[dict[str, Any]]
Faces = dict[str, Any]


def together(surfaces: list[Surface]) -> list[Any]:
    """Positions of surfaces in the space of the first. Nothing is rounded of those that share it."""
    return [surface.seen_from(surfaces[0].matrix) for surface in surfaces]


def check(frame: int, garments: list[Surface], bodies: list[Surface]) -> tuple[Found, Faces]:
    """Rows of what meets a garment in a frame, and the faces of each garment that meet something."""
    surfaces = [*garments, *bodies]
    places = together(surfaces)
    meshes = [(places[i], surface.triangles) for i, surface in enumerate(surfaces)]
    report = cloth.check(meshes[: len(garments)], meshes[len(garments) :])
    witnesses = report.witnesses[report.witnesses["between"] <= Between.CLOTH_BODY]
    rows = rows_of(frame, witnesses, surfaces)
    for i, (garment, inside) in enumerate(zip(garments, report.vertices_inside)):
        if len(inside):
            deepest = report.deepest_vertex
            within = bodies[deepest.body].name if deepest is not None and deepest.garment == i else bodies[0].name if len(bodies) == 1 else ""
            rows.append(row(frame, len(inside), INSIDE, garment.name, within, _in_world(garment.positions[inside[0]], garment)))
    return rows, _faces(witnesses, garments)


def rows_of(frame: int, witnesses: Any, surfaces: list[Surface]) -> Found:
    """A row for each pair of surfaces that meet, and how; places are in the space of the first surface."""
    rows: Found = []
    kinds = np.maximum(witnesses["kind"], IntersectionKind.POINT_FACE)
    keys = np.column_stack([np.sort(witnesses["meshes"], axis=1), kinds])
    for first, second, kind in np.unique(keys, axis=0).tolist():
        places = witnesses["position"][(keys == (first, second, kind)).all(axis=1)]
        # One of the places, not a mean that may lie anywhere.
        place = places[np.argmin(np.linalg.norm(places - places.mean(axis=0), axis=1))]
        place = _in_world(place, surfaces[0])
        rows.append(row(frame, len(places), _KINDS.get(IntersectionKind(kind), INTERSECTION), surfaces[first].name, surfaces[second].name, place))
    return rows


def _in_world(place: Any, surface: Surface) -> Any:
    """A place in the space of a surface, in that of the world."""
    return surface.matrix[:3, :3] @ place + surface.matrix[:3, 3]


def check_mesh(frame: int, surfaces: list[Surface], garments: int, mesh: cloth.Mesh) -> tuple[Found, Faces]:
    """As `check`, of surfaces in one space that a mesh was made of, and without what is inside of bodies."""
    found = cloth.intersections(np.concatenate([surface.positions for surface in surfaces]), mesh)
    if len(found) == 0:
        return [], {}
    vertex_starts = np.cumsum([0, *(len(surface.positions) for surface in surfaces)])
    face_starts = np.cumsum([0, *(len(surface.triangles) for surface in surfaces)])
    witnesses = np.zeros(len(found), cloth.CHECK_WITNESS)
    witnesses["position"], witnesses["kind"] = found["position"], found["kind"]
    of_vertices = np.searchsorted(vertex_starts, found["vertices"], "right") - 1
    of_faces = np.searchsorted(face_starts, found["faces"], "right") - 1
    witnesses["vertices"] = np.where(found["vertices"] < 0, -1, found["vertices"] - vertex_starts[of_vertices])
    witnesses["faces"] = np.where(found["faces"] < 0, -1, found["faces"] - face_starts[of_faces])
    has_two = found["faces"][:, 1] >= 0
    witnesses["meshes"][:, 0] = np.where(has_two, of_faces[:, 0], of_vertices[:, 0])
    witnesses["meshes"][:, 1] = np.where(has_two, of_faces[:, 1], of_faces[:, 0])
    return rows_of(frame, witnesses, surfaces), _faces(witnesses, surfaces[:garments])


INTERSECTION, FOLD, DOUBLED, INSIDE, CROSSING, UNKNOWN = range(6)
NOUNS = (
    ("intersection", "intersections"),
    ("flat fold", "flat folds"),
    ("face that lies on another", "faces that lie on others"),
    ("vertex inside a body", "vertices inside a body"),
    ("crossing between frames", "crossings between frames"),
    ("frame with other faces than the one before", "frames with other faces than the one before"),
)
_KINDS = {IntersectionKind.FLAT_FOLD: FOLD, IntersectionKind.DOUBLED_FACE: DOUBLED}


def row(frame: int, count: int, kind: int, first: str, second: str, place: Any) -> dict[str, Any]:
    """A row of the list."""
    place = [float(x) for x in place]
    return {"frame": frame, "count": count, "kind": kind, "text": _words(count, kind), "first": first, "second": second, "place": place}


def _words(count: int, kind: int) -> str:
    return f"{count:,} {NOUNS[kind][count != 1]}"


def in_words(rows: Found) -> str:
    """How many there are of what, in all rows."""
    counts: dict[int, int] = {INTERSECTION: 0} if not rows else {}
    for found in rows:
        counts[found["kind"]] = counts.get(found["kind"], 0) + found["count"]
    return ", ".join(_words(count, kind) for kind, count in sorted(counts.items()))


def in_frames(unclean: int, frames: int) -> str:
    """In how many frames, for the end of a sentence."""
    return f" in {unclean} of {frames} frames" if unclean else f" in {frames} frames"


def seams(garments: list[Surface]) -> str:
    """What merging vertices at one place would leave of intersections, where it leaves fewer; else nothing."""
    said = ""
    for garment in garments:
        places, number = np.unique(garment.positions, axis=0, return_inverse=True)
        merged = number.reshape(-1)[garment.triangles]
        if len(places) == len(garment.positions):
            continue
        merged = merged[(merged != np.roll(merged, 1, axis=1)).all(axis=1)]
        before, after = len(cloth.intersections(garment.positions, garment.triangles)), len(cloth.intersections(places, merged))
        if after < before:
            vertices = len(garment.positions) - len(places)
            said += f"; {garment.name} has {vertices:,} vertices that lie on others: merging them (Mesh, Merge, By Distance) leaves {after:,} of {before:,}"
    return said


def _faces(witnesses: Any, garments: list[Surface]) -> Faces:
    """The faces of each garment's own mesh that meet something."""
    found: Faces = {}
    for i, garment in enumerate(garments):
        in_first, in_second = witnesses["meshes"].T == i
        # Of an edge and a face, the face stands first and is of the second mesh.
        is_edge = witnesses["faces"][:, 1] < 0
        named = [witnesses["faces"][~is_edge & in_first, 0], witnesses["faces"][~is_edge & in_second, 1], witnesses["faces"][is_edge & in_second, 0]]
        ends = witnesses["vertices"][is_edge & in_first & (witnesses["vertices"][:, 1] >= 0)]
        triangles = np.concatenate([*named, _at_edges(ends, garment.triangles)])
        found[garment.name] = np.unique(garment.origin[triangles[triangles >= 0]])
    return found


def _at_edges(ends: Any, triangles: Any) -> Any:
    """The triangles at edges, which are given by their ends."""
    count = int(triangles.max()) + 1
    keys = np.concatenate([np.sort(triangles[:, pair], axis=1) @ [count, 1] for pair in ([0, 1], [1, 2], [2, 0])])
    return np.flatnonzero(np.isin(keys, np.sort(ends, axis=1) @ np.array([count, 1]))) % len(triangles)


def crossings(frame: int, before: list[Surface], now: list[Surface], garments: int) -> Found:
    """Rows of what crosses on the straight motion to a frame from the one before."""
    changed = [b.name for a, b in zip(before, now) if not np.array_equal(a.corners, b.corners)]
    if changed:
        return [row(frame, 1, UNKNOWN, changed[0], "", _in_world(now[0].positions[0], now[0]))]
    x0, x1 = ([surface.seen_from(before[0].matrix) for surface in surfaces] for surfaces in (before, now))
    mesh = joined(now, garments)
    found = cloth.crossings(np.concatenate(x0), np.concatenate(x1), mesh)
    starts = np.cumsum([0, *(len(s.positions) for s in now)])
    pairs = np.sort(np.searchsorted(starts, found["vertices"][:, [0, 3]], "right") - 1, axis=1)
    rows: Found = []
    for first, second in np.unique(pairs, axis=0).tolist():
        places = found["position"][(pairs == (first, second)).all(axis=1)]
        rows.append(row(frame, len(places), CROSSING, now[first].name, now[second].name, _in_world(places[0], before[0])))
    return rows


def joined(surfaces: list[Surface], garments: int, exclusions: Any = None) -> cloth.Mesh:
    """Surfaces as one mesh: the first are garments, the others bodies, which are not judged among themselves."""
    sizes = [len(surface.positions) for surface in surfaces]
    starts = np.cumsum([0, *sizes])
    faces = np.concatenate([surface.triangles + start for surface, start in zip(surfaces, starts)])
    parts = np.repeat(np.arange(len(sizes)), sizes)
    return cloth.Mesh(int(starts[-1]), faces, parts=parts, kinematic=np.arange(len(sizes)) >= garments, exclusions=exclusions)
