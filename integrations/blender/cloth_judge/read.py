# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's objects as arrays: what modifiers and animation make of them, in a frame."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

import bpy
import numpy as np

DEFORM = frozenset(
    "ARMATURE CAST CORRECTIVE_SMOOTH CURVE DATA_TRANSFER DISPLACE HOOK LAPLACIANDEFORM LAPLACIANSMOOTH LATTICE "
    "MESH_CACHE MESH_DEFORM NORMAL_EDIT SHRINKWRAP SIMPLE_DEFORM SMOOTH SOFT_BODY SURFACE_DEFORM UV_PROJECT UV_WARP "
    "VERTEX_WEIGHT_EDIT VERTEX_WEIGHT_MIX VERTEX_WEIGHT_PROXIMITY WARP WAVE WEIGHTED_NORMAL".split()
)
"""Types of modifiers that keep the vertices and faces of a mesh, and their numbers."""

ORIGIN = "cloth_judge_origin"
"""Attribute of faces: the face of the mesh that a face of the evaluated mesh comes from."""


class Fault(Exception):
    """What a user can put right: one sentence, which names the object."""


REMEDIES = (
    ("weld them", "merge them (Mesh, Merge, By Distance), or delete one side of what lies on itself"),
    ("drop such faces", "remove such faces (Mesh, Clean Up, Degenerate Dissolve)"),
)
"""What the solver says to programmers, and what users of Blender do."""


def in_words(error: Exception, garments: list[str], worn: list[str]) -> str:
    """An error of the solver with the names of objects."""
    text = str(error)
    for kind, names in ((r"\bcloth (\d+)\b|`?garments\[(\d+)\]`?", garments), (r"\bbody (\d+)\b|`?bodies\[(\d+)\]`?", worn)):
        text = re.sub(kind, lambda found: dict(enumerate(names)).get(int(found[1] or found[2]), found[0]), text)
    for said, remedy in REMEDIES:
        if said in text:
            text = text[: text.index(said)] + remedy
    return text


class Surface(NamedTuple):
    """An evaluated mesh in a frame."""

    name: str
    positions: Any
    """(n, 3) float32, before the transformation of the object."""
    matrix: Any
    """(4, 4) float64: that transformation."""
    triangles: Any
    """(m, 3) int32."""
    origin: Any
    """(m,) int32: the face of the object's own mesh that each triangle is of."""
    corners: Any
    """(c,) int32: the vertices of the faces, corner by corner, however they are cut into triangles."""

    def seen_from(self, matrix: Any) -> Any:
        """(n, 3) float32 positions in the space of a transformation."""
        return moved(self.positions, between(self.matrix, matrix))


def between(matrix: Any, other: Any) -> Any:
    """The transformation from the space of one to that of another. None within one space, so nothing is rounded
    there."""
    return np.eye(4) if np.array_equal(matrix, other) else np.linalg.inv(other) @ matrix


def moved(positions: Any, matrix: Any) -> Any:
    """Positions under a transformation: computed in double precision and rounded once; under the identity as they
    are."""
    if np.array_equal(matrix, np.eye(4)):
        return positions.astype(np.float32)
    return (positions.astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]).astype(np.float32)


def y_up(positions: Any) -> Any:
    """Blender's z up as y up. No bit is lost."""
    return np.ascontiguousarray(positions[:, [0, 2, 1]] * np.array([1, 1, -1], positions.dtype))


def z_up(positions: Any) -> Any:
    """The inverse of `y_up`."""
    return np.ascontiguousarray(positions[:, [0, 2, 1]] * np.array([1, -1, 1], positions.dtype))


def chosen(context: Any) -> list[Any]:
    """The selected mesh objects that are no bodies, the active one first."""
    worn = set(bodies(context))
    found = [o for o in context.selected_objects if o.type == "MESH" and o not in worn]
    if not found:
        raise Fault("No cloth is selected: select mesh objects that are not in the collision collection")
    if len({o.name for o in found}) < len(found):
        raise Fault("Two selected objects have one name, one of them linked from another file: rename or leave out one")
    found.sort(key=lambda o: (o != context.view_layer.objects.active, o.name))
    return found


def by_name(name: str) -> Any:
    """An object that was read before, and that a user may have removed since."""
    thing = bpy.data.objects.get((name, None))
    if thing is None:
        raise Fault(f"{name} is gone: what was done for it is lost")
    return thing


def bodies(context: Any) -> list[Any]:
    """The objects of the collision collection that have a surface."""
    collection = context.scene.cloth_judge.bodies
    if collection is None:
        return []
    kinds = {"MESH", "CURVE", "SURFACE", "FONT", "META"}
    return sorted((o for o in collection.all_objects if o.type in kinds), key=lambda o: o.name)


def read(thing: Any) -> Surface:
    """The surface of an object in the present frame, as its modifiers show it in the viewport."""
    evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    if not evaluated.is_evaluated:
        raise Fault(f"{thing.name} is hidden in viewports, so Blender does not compute it: show it, or leave it out")
    mesh = evaluated.to_mesh()
    if mesh is None:
        raise Fault(f"{thing.name} has no surface")
    try:
        mesh.calc_loop_triangles()
        positions = numbers(mesh.vertices, "co", np.float32, 3)
        triangles = numbers(mesh.loop_triangles, "vertices", np.int32, 3)
        origin = numbers(mesh.loop_triangles, "polygon_index", np.int32)
        corners = numbers(mesh.loops, "vertex_index", np.int32)
        if ORIGIN in mesh.attributes:
            origin = numbers(mesh.attributes[ORIGIN].data, "value", np.int32)[origin]
    finally:
        evaluated.to_mesh_clear()
    if len(triangles) == 0:
        raise Fault(f"{thing.name} has no faces")
    if (triangles == np.roll(triangles, 1, axis=1)).any():
        raise Fault(f"{thing.name} has a face with one corner twice: remove such faces (Mesh, Clean Up, Degenerate Dissolve)")
    if not np.isfinite(positions).all():
        vertex = int(np.argmin(np.isfinite(positions).all(axis=1)))
        raise Fault(f"{thing.name}: vertex {vertex} is at {positions[vertex].tolist()}, which is not finite")
    matrix = np.array(evaluated.matrix_world, np.float64)
    if not np.isfinite(matrix).all() or np.linalg.matrix_rank(matrix[:3, :3]) < 3:
        raise Fault(f"{thing.name} is scaled to nothing, or not at a finite place: give it a size and a place")
    if np.linalg.det(matrix[:3, :3]) < 0:
        # Blender shows the outside of what is mirrored outside.
        triangles = np.ascontiguousarray(triangles[:, ::-1])
    return Surface(thing.name, positions, matrix, triangles, origin, corners)


def numbers(collection: Any, name: str, kind: Any, width: int = 1) -> Any:
    """An attribute of all items of a collection as an array."""
    array = np.empty(len(collection) * width, kind)
    collection.foreach_get(name, array)
    return array.reshape(-1, width) if width > 1 else array


def unscaled(surface: Surface) -> Surface:
    """Refuses an object that is scaled, sheared or mirrored: its cloth would not have the size of its mesh."""
    turn = surface.matrix[:3, :3]
    if np.abs(turn @ turn.T - np.eye(3)).max() > 1e-5 or np.linalg.det(turn) < 0:
        raise Fault(f"{surface.name} is scaled: apply its scale (Object, Apply, Scale), so that a unit of its mesh is a metre")
    return surface


NONE = 2**31 - 1
"""What Blender has in place of the number of an instance on a level that there is not."""


def without_instances(context: Any, things: list[Any]) -> None:
    """Refuses objects, and those of the collision collection, whose instances are seen and would not be read."""
    collection = context.scene.cloth_judge.bodies
    names = {thing.name for thing in (*things, *(collection.all_objects if collection else ()))}
    for instance in bpy.context.evaluated_depsgraph_get().object_instances:
        if not instance.is_instance or instance.parent is None or instance.parent.name not in names:
            continue
        # The own surface of a curve or text is an instance of the first level, what its nodes make one of the second.
        is_own = instance.parent.type not in ("MESH", "EMPTY") and instance.persistent_id[1] == NONE
        if not is_own:
            raise Fault(f"{instance.parent.name} shows instances, which are not read: make them real (Object, Apply, Make Instances Real; or Realize Instances in its nodes)")


def local(things: list[Any]) -> list[Any]:
    """Refuses objects that cannot be changed."""
    for thing in things:
        if thing.library is not None or thing.data.library is not None:
            raise Fault(f"{thing.name} is linked from another file, where it cannot be changed: make it local")
    return things


@contextmanager
def hidden(modifiers: list[Any]) -> Iterator[Callable[[], None]]:
    """Modifiers switched off in viewports, and what switches them off again, where an animation has not."""
    shown = [modifier for modifier in modifiers if modifier.show_viewport]

    def hide() -> None:
        for modifier in modifiers:
            if modifier.show_viewport:
                modifier.show_viewport = False

    hide()
    try:
        yield hide
    finally:
        for modifier in shown:
            modifier.show_viewport = True


@contextmanager
def object_mode(context: Any) -> Iterator[None]:
    """Object mode, in which meshes can be read and marked; the mode of before afterwards."""
    mode = context.object.mode if context.object else "OBJECT"
    if mode == "OBJECT":
        yield
        return
    bpy.ops.object.mode_set(mode="OBJECT")
    try:
        yield
    finally:
        bpy.ops.object.mode_set(mode=mode)


@contextmanager
def origins(things: list[Any]) -> Iterator[None]:
    """The numbers of faces as an attribute, which modifiers that make faces pass on."""
    with ExitStack() as stack:
        for thing in things:
            makes = any(m.show_viewport and m.type not in DEFORM for m in thing.modifiers)
            if makes and thing.type == "MESH" and thing.data.library is None and ORIGIN not in thing.data.attributes:
                data = thing.data
                faces = data.attributes.new(ORIGIN, "INT", "FACE")
                faces.data.foreach_set("value", np.arange(len(data.polygons), dtype=np.int32))
                stack.callback(lambda data=data: data.attributes.remove(data.attributes[ORIGIN]))
        yield


def each_frame(context: Any, frames: Sequence[int], things: list[Any]) -> Iterator[int]:
    """Shows one frame after the other; that of before at the end. The frame that is shown, if it is the only one, is
    taken as it is seen, with what is not keyed yet. Instances of things and in the collision collection are
    refused."""
    scene = context.scene
    before = scene.frame_current, scene.frame_subframe
    try:
        for frame in frames:
            if len(frames) > 1 or frame != scene.frame_current:
                scene.frame_set(frame)
            without_instances(context, things)
            yield frame
    finally:
        if (scene.frame_current, scene.frame_subframe) != before:
            scene.frame_set(before[0], subframe=before[1])
