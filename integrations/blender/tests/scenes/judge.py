"""Judges the frames of a scene as Blender plays them: evaluated meshes in the world, whatever a bake says of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import bpy
import cloth
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


CLOSED = 1e-3
"""How near (m) the ends of a closed seam are."""


@dataclass(frozen=True)
class Frame:
    """How many places of a frame intersect."""

    number: int
    with_cloth: int
    """Of one cloth or of two."""
    with_body: int
    """Of a cloth and a body."""
    as_simulated: int
    """Of cloth, where all quads are the triangles of the first frame."""


def surface(made: bpy.types.Object) -> tuple[Array, npt.NDArray[np.int32]]:
    """What Blender shows of an object in the present frame: (n, 3) vertices in the world (m), and (m, 3) triangles."""
    evaluated = made.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    mesh.calc_loop_triangles()
    found = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", found)
    triangles = np.empty(3 * len(mesh.loop_triangles), np.int32)
    mesh.loop_triangles.foreach_get("vertices", triangles)
    evaluated.to_mesh_clear()
    matrix = np.array(evaluated.matrix_world)
    return found.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3], triangles.reshape(-1, 3)


def loose_edges(made: bpy.types.Object) -> list[tuple[int, int]]:
    """The edges of an object that no face has."""
    return [tuple(edge.vertices) for edge in made.data.edges if edge.is_loose]


def counts(positions: Array, mesh: cloth.Mesh, first_body: int) -> tuple[int, int]:
    """How many places intersect: of cloth, and of cloth with bodies, whose vertices come last."""
    found = cloth.intersections(positions, mesh)
    corners = np.where(found["faces"][..., None] >= 0, mesh.faces.astype(int)[found["faces"]], -1)
    last = np.maximum(corners.max(axis=(1, 2), initial=-1), found["vertices"].max(axis=1, initial=-1))
    return int(np.sum(last < first_body)), int(np.sum(last >= first_body))


class Judge:
    """Cloths and bodies as one mesh, of the triangles that Blender shows: a quad that folds back is cut along its other
    diagonal. Ends of sewing edges are taken as one where they are closed."""

    def __init__(self, cloths: Sequence[bpy.types.Object], bodies: Sequence[bpy.types.Object]) -> None:
        self._objects, self._cloths = [*cloths, *bodies], len(cloths)
        self._first: npt.NDArray[np.int64] | None = None
        self._mesh: tuple[tuple[bytes, bytes], cloth.Mesh] | None = None

    def frame(self, number: int) -> Frame:
        """Judges a frame of the scene."""
        bpy.context.scene.frame_set(number)
        parts = [surface(made) for made in self._objects]
        starts = np.cumsum([0, *(len(places) for places, _ in parts)])
        faces = np.concatenate([triangles + start for (_, triangles), start in zip(parts, starts)])
        positions = np.concatenate([places for places, _ in parts])
        if self._first is None:
            self._first = faces
        seams = self._closed(positions, starts)
        first_body = starts[self._cloths]
        simulated = shown = counts(positions, self._prepared(self._first, starts, seams), first_body)
        if not np.array_equal(faces, self._first):
            shown = counts(positions, self._prepared(faces, starts, seams), first_body)
        return Frame(number, *shown, simulated[0])

    def _closed(self, positions: Array, starts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The ends of sewing edges that are shorter than `CLOSED`."""
        pairs = [
            (a + start, b + start)
            for made, start in zip(self._objects[: self._cloths], starts)
            if made.cloth_judge.use_sewing
            for a, b in loose_edges(made)
        ]
        seams = np.array(pairs, np.int64).reshape(-1, 2)
        return seams[np.linalg.norm(positions[seams[:, 0]] - positions[seams[:, 1]], axis=1) < CLOSED]

    def _prepared(
        self, faces: npt.NDArray[np.int64], starts: npt.NDArray[np.int64], seams: npt.NDArray[np.int64]
    ) -> cloth.Mesh:
        key = faces.tobytes(), seams.tobytes()
        if self._mesh is None or self._mesh[0] != key:
            parts = np.repeat(np.arange(len(self._objects)), np.diff(starts))
            kinematic = np.arange(len(self._objects)) >= self._cloths
            exclusions = seams if len(seams) else None
            mesh = cloth.Mesh(int(starts[-1]), faces, parts=parts, kinematic=kinematic, exclusions=exclusions)
            self._mesh = key, mesh
        return self._mesh[1]

    def frames(self) -> Iterator[Frame]:
        """Judges every frame of the scene's range."""
        scene = bpy.context.scene
        return map(self.frame, range(scene.frame_start, scene.frame_end + 1))
