"""What the scenes are built of: meshes, vertex groups, keyframes and armatures, as an artist makes them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import bpy
from mathutils import Vector

Point = Sequence[float]


@dataclass(frozen=True)
class Expected:
    """What the frames of a scene have to be; a row of the table that is not so fails the run."""

    clean_from: int = 1
    """From this frame on no cloth intersects itself or another."""
    clear_at_end: bool = True
    """Whether the last frame has no intersection of cloth with a body either."""
    releases: bool | None = False
    """Whether pairs of cloth and body are released: never, surely, or, with None, as it comes."""


def new_scene(frames: int, fps: int = 24) -> None:
    """An empty scene with a Collision Collection, at frame 1."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = fps
    scene.frame_start, scene.frame_end = 1, frames
    scene.cloth_judge.frame_start, scene.cloth_judge.frame_end = 1, frames
    scene.cloth_judge.bodies = bpy.data.collections.new("Bodies")
    scene.collection.children.link(scene.cloth_judge.bodies)
    scene.frame_set(1)


def mesh_object(name: str, points: Iterable[Point], faces: Iterable[Sequence[int]], edges: Iterable = ()) -> bpy.types.Object:
    """An object of a mesh, linked to the scene."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([tuple(point) for point in points], list(edges), list(faces))
    made = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(made)
    return made


def quads(
    columns: int, rows: int, place: Callable[[float, float], Point], *, is_tube: bool = False
) -> tuple[list[Point], list[Sequence[int]]]:
    """Points and faces of `columns` by `rows` vertices at `place(u, v)`, u and v from 0 to 1; the vertex of a column
    and a row is `row * columns + column`. A tube is closed along u."""
    last = columns if is_tube else columns - 1
    points = [place(i / last, j / (rows - 1)) for j in range(rows) for i in range(columns)]
    corners = [(j * columns + i, j * columns + (i + 1) % columns) for j in range(rows - 1) for i in range(last)]
    return points, [(a, b, b + columns, a + columns) for a, b in corners]


def grid(name: str, *shape: object, **options: bool) -> bpy.types.Object:
    """An object of `quads`."""
    return mesh_object(name, *quads(*shape, **options))


def capsule(name: str, start: Point, end: Point, radius: float, around: int = 32, rings: int = 24) -> bpy.types.Object:
    """A closed tube with round ends, as a limb is; faces look outward."""
    start, axis = Vector(start), Vector(end) - Vector(start)
    turn = Vector((0, 0, 1)).rotation_difference(axis)
    cap = around // 4
    below = [(-radius * math.cos(a), radius * math.sin(a)) for a in (math.pi / 2 * k / cap for k in range(1, cap))]
    side = [(axis.length * k / rings, radius) for k in range(rings + 1)]
    profile = below + side + [(axis.length - h, r) for h, r in reversed(below)]
    round_ = [(math.cos(a), math.sin(a)) for a in (2 * math.pi * k / around for k in range(around))]
    points = [(r * c, r * s, h) for h, r in profile for c, s in round_]
    points += [(0, 0, -radius), (0, 0, axis.length + radius)]
    faces = [
        (j * around + i, j * around + (i + 1) % around, (j + 1) * around + (i + 1) % around, (j + 1) * around + i)
        for j in range(len(profile) - 1)
        for i in range(around)
    ]
    top, bottom, last = len(points) - 1, len(points) - 2, (len(profile) - 1) * around
    faces += [((i + 1) % around, i, bottom) for i in range(around)]
    faces += [(last + i, last + (i + 1) % around, top) for i in range(around)]
    return mesh_object(name, [start + turn @ Vector(point) for point in points], faces)


def ball(name: str, centre: Point, radius: float, around: int, rings: int) -> bpy.types.Object:
    """A sphere of meridians and `rings` parallels, faces outward. Blender's own is numbered anew in each process."""
    turns = [2 * math.pi * k / around for k in range(around)]
    tilts = [math.pi * k / (rings + 1) for k in range(1, rings + 1)]
    points = [(math.sin(t) * math.cos(a), math.sin(t) * math.sin(a), math.cos(t)) for t in tilts for a in turns]
    points += [(0, 0, 1), (0, 0, -1)]
    around_ = [(i, (i + 1) % around) for i in range(around)]
    faces = [(j + a, j + around + a, j + around + b, j + b) for j in range(0, around * (rings - 1), around) for a, b in around_]
    top, last = len(points) - 2, around * (rings - 1)
    faces += [(top, a, b) for a, b in around_] + [(top + 1, last + b, last + a) for a, b in around_]
    places = [tuple(c + radius * x for c, x in zip(centre, point)) for point in points]
    return mesh_object(name, places, faces)


def cloth(made: bpy.types.Object, **properties: object) -> bpy.types.Object:
    """Selects an object to be baked, with properties of `Object.cloth_judge`."""
    for name, value in properties.items():
        setattr(made.cloth_judge, name, value)
    made.select_set(True)
    bpy.context.view_layer.objects.active = made
    return made


def body(made: bpy.types.Object) -> bpy.types.Object:
    """Moves an object to the Collision Collection."""
    for collection in list(made.users_collection):
        collection.objects.unlink(made)
    bpy.context.scene.cloth_judge.bodies.objects.link(made)
    made.select_set(False)
    return made


def group(made: bpy.types.Object, name: str, vertices: Iterable[int], weight: float = 1.0) -> str:
    """Adds vertices to a vertex group, and returns its name."""
    found = made.vertex_groups.get(name) or made.vertex_groups.new(name=name)
    found.add(list(vertices), weight, "REPLACE")
    return name


def armature(bones: dict[str, tuple[Point, Point]]) -> bpy.types.Object:
    """An armature of separate bones, from head to tail."""
    rig = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    bpy.context.scene.collection.objects.link(rig)
    selected = list(bpy.context.selected_objects)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for name, (head, tail) in bones.items():
        bone = rig.data.edit_bones.new(name)
        bone.head, bone.tail = head, tail
    bpy.ops.object.mode_set(mode="OBJECT")
    for pose in rig.pose.bones:
        pose.rotation_mode = "XYZ"
    rig.select_set(False)
    for made in selected:
        made.select_set(True)
        bpy.context.view_layer.objects.active = made
    return rig


def skin(made: bpy.types.Object, rig: bpy.types.Object) -> None:
    """Deforms an object by an armature, by its vertex groups."""
    made.modifiers.new("Armature", "ARMATURE").object = rig


def keys(target: bpy.types.ID | bpy.types.PoseBone, path: str, values: dict[int, float | Point]) -> None:
    """Sets keyframes of a property, by frame."""
    for frame, value in values.items():
        setattr(target, path, value)
        target.keyframe_insert(path, frame=frame)


def hook(made: bpy.types.Object, vertices: str, place: Point) -> bpy.types.Object:
    """An empty that moves the vertices of a group."""
    empty = bpy.data.objects.new("Grip", None)
    empty.location = place
    bpy.context.scene.collection.objects.link(empty)
    bpy.context.view_layer.update()
    modifier = made.modifiers.new("Hook", "HOOK")
    modifier.object, modifier.vertex_group = empty, vertices
    modifier.matrix_inverse = empty.matrix_world.inverted() @ made.matrix_world
    return empty
