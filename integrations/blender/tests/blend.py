"""Scenes made in code, the operators of the extension, and what Blender plays afterwards."""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import re
import struct
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import bpy  # first: it brings the other two  # isort: skip
import addon_utils
import bmesh
import numpy as np

MODULE = "bl_ext.user_default.cloth_judge"
Object = Any


def install(archive: str) -> None:
    """Installs a zip into the user's own repository and enables it."""
    with quiet():
        done = bpy.ops.extensions.package_install_files(
            filepath=archive, repo="user_default", enable_on_install=True
        )
    assert done == {"FINISHED"}


def enable() -> None:
    assert addon_utils.enable(MODULE, default_set=True) is not None, "the extension cannot be enabled"


@contextlib.contextmanager
def console() -> Iterator[list[str]]:
    """What the process writes meanwhile, Blender's own C++ included: one text, there when the block ends."""
    said: list[str] = []
    flush = ctypes.CDLL(None).fflush
    with tempfile.TemporaryFile("w+", encoding="utf-8") as file:
        flush(None)
        kept = [os.dup(1), os.dup(2)]
        for stream in (1, 2):
            os.dup2(file.fileno(), stream)
        try:
            with contextlib.redirect_stdout(file), contextlib.redirect_stderr(file):
                yield said
        finally:
            flush(None)
            file.flush()
            for stream, copy in zip((1, 2), kept):
                os.dup2(copy, stream)
                os.close(copy)
            file.seek(0)
            said.append(file.read())


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Hides what Blender itself writes, of files that it saves."""
    with console():
        yield


# --- objects ---


def mesh(name: str, points: Any, faces: Any, edges: Sequence[tuple[int, int]] = ()) -> Object:
    """An object of the scene; Blender's axes, z up."""
    data = bpy.data.meshes.new(name)
    data.from_pydata(
        np.asarray(points, float).tolist(), list(edges), [tuple(map(int, face)) for face in faces]
    )
    thing = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(thing)
    return thing


def grid(
    n: int = 9, side: float = 0.4, at: Sequence[float] = (0, 0, 0)
) -> tuple[np.ndarray, list[list[int]]]:
    """A horizontal square of n x n vertices around a place, in triangles."""
    along = np.linspace(-side / 2, side / 2, n)
    x, y = np.meshgrid(along, along)
    a = np.arange(n * n).reshape(n, n)[:-1, :-1].reshape(-1, 1)
    faces = np.concatenate([a + [0, 1, n], a + [1, n + 1, n]])
    return np.stack([x.ravel(), y.ravel(), np.zeros(n * n)], axis=1) + at, faces.tolist()


def sheet(name: str = "sheet", n: int = 9, side: float = 0.4, at: Sequence[float] = (0, 0, 0)) -> Object:
    return mesh(name, *grid(n, side, at))


def ball(
    name: str = "ball", radius: float = 0.15, at: Sequence[float] = (0, 0, 0), fineness: int = 3
) -> Object:
    """A closed ball whose object lies at a place."""
    data, made = bpy.data.meshes.new(name), bmesh.new()
    bmesh.ops.create_icosphere(made, subdivisions=fineness, radius=radius)
    made.to_mesh(data)
    made.free()
    thing = bpy.data.objects.new(name, data)
    thing.location = at
    bpy.context.scene.collection.objects.link(thing)
    return thing


def crossed(name: str = "crossed", at: Sequence[float] = (0, 0, 0)) -> Object:
    """Two triangles of one mesh that share the segment from 0 to 0.8 on the axis of x through a place."""
    points = [(-1, -1, 0), (1, 0, 0), (-1, 1, 0), (0, 0, -1), (1, 0, 0.25), (0, 0, 1)]
    return mesh(name, np.asarray(points, float) + at, [(0, 1, 2), (3, 4, 5)])


def pinned(thing: Object, weights: dict[int, float], group: str = "pins") -> Object:
    """Names a vertex group as pins."""
    made = thing.vertex_groups.new(name=group)
    for vertex, weight in weights.items():
        made.add([vertex], weight, "REPLACE")
    thing.cloth_judge.pin_group = group
    return thing


def bodies(*things: Object) -> Any:
    """Moves objects into a collection of their own, with which cloth collides."""
    collection = bpy.data.collections.new("bodies")
    bpy.context.scene.collection.children.link(collection)
    for thing in things:
        for other in thing.users_collection:
            other.objects.unlink(thing)
        collection.objects.link(thing)
    bpy.context.scene.cloth_judge.bodies = collection
    return collection


def moves(thing: Object, *keys: tuple[int, Sequence[float]]) -> Object:
    """Keyframes of the location, straight between them."""
    for frame, place in keys:
        thing.location = place
        thing.keyframe_insert("location", frame=frame)
    for layer in thing.animation_data.action.layers:
        for strip in layer.strips:
            for bag in strip.channelbags:
                for curve in bag.fcurves:
                    for point in curve.keyframe_points:
                        point.interpolation = "LINEAR"
    return thing


def select(*things: Object) -> None:
    """Selects these alone; the first is the active one."""
    for other in bpy.context.view_layer.objects:
        other.select_set(False)
    for thing in things:
        thing.select_set(True)
    bpy.context.view_layer.objects.active = things[0] if things else None


def settings(**values: Any) -> Any:
    """Sets properties of the scene's `cloth_judge`."""
    for name, value in values.items():
        setattr(bpy.context.scene.cloth_judge, name, value)
    return bpy.context.scene.cloth_judge


def results() -> Any:
    return bpy.context.window_manager.cloth_judge


# --- operators ---


def said(call: Callable[..., Any], **properties: Any) -> str:
    """The one sentence with which an operator refuses; fails if it does not, or says more."""
    try:
        done = call(**properties)
    except RuntimeError as error:
        text = str(error).strip()
    else:
        raise AssertionError(f"{call.idname()} refuses nothing: {done}")
    assert text.startswith("Error: "), text
    text = text.removeprefix("Error: ")
    assert "\n" not in text and "Traceback" not in text, text
    assert re.match(r"[\"'A-Z0-9(]|[\w./-]+", text) and len(text) > 15, text
    return text


def bake(*things: Object, resume: bool = False, **properties: Any) -> None:
    """Bakes these objects; properties are those of the scene."""
    settings(**properties)
    if things:
        select(*things)
    assert bpy.ops.cloth_judge.bake(resume=resume) == {"FINISHED"}


# --- what Blender plays ---


def played(thing: Object, frame: int | None = None) -> np.ndarray:
    """The positions of an evaluated object in the world, z up, float32."""
    if frame is not None:
        bpy.context.scene.frame_set(frame)
    one = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    data = one.to_mesh()
    flat = np.empty(3 * len(data.vertices), np.float32)
    data.vertices.foreach_get("co", flat)
    one.to_mesh_clear()
    matrix = np.array(one.matrix_world, np.float32)
    points = flat.reshape(-1, 3)
    if (matrix == np.eye(4, dtype=np.float32)).all():
        return points
    return points @ matrix[:3, :3].T + matrix[:3, 3]


def triangles(thing: Object) -> np.ndarray:
    """The triangles of an evaluated object, as Blender cuts its polygons."""
    one = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    data = one.to_mesh()
    data.calc_loop_triangles()
    flat = np.empty(3 * len(data.loop_triangles), np.int32)
    data.loop_triangles.foreach_get("vertices", flat)
    one.to_mesh_clear()
    return flat.reshape(-1, 3)


def meets(*things: Object, frame: int | None = None) -> int:
    """How many intersections objects have with themselves and each other, as Blender plays them."""
    import cloth

    points, faces, parts, count = [], [], [], 0
    for part, thing in enumerate(things):
        points.append(played(thing, frame))
        faces.append(triangles(thing) + count)
        count += len(points[-1])
        parts += [part] * len(points[-1])
    return len(cloth.intersections(np.concatenate(points), np.concatenate(faces)))


def pc2(path: Path) -> tuple[np.ndarray, float, float]:
    """The frames of a point cache, its first frame and its frames a sample."""
    blob = path.read_bytes()
    assert blob[:12] == b"POINTCACHE2\0", "not a PC2"
    version, points, start, rate, samples = struct.unpack("<iiffi", blob[12:32])
    assert version == 1 and len(blob) == 32 + 12 * points * samples, "the size of a PC2"
    return np.frombuffer(blob, "<f4", offset=32).reshape(samples, points, 3), start, rate


def cache(folder: Path, thing: Object) -> Path:
    return folder / f"cape__{thing.name}.pc2"


def y_up(points: np.ndarray) -> np.ndarray:
    """From Blender's axes to those of the simulation: (x, y, z) to (x, z, -y)."""
    return np.stack([points[..., 0], points[..., 2], -points[..., 1]], axis=-1)


def distance(a: np.ndarray, b: np.ndarray) -> float:
    return float(math.sqrt(((np.asarray(a, float) - np.asarray(b, float)) ** 2).sum()))
