"""What Blender makes of a file, run by a Python that has bpy (pip install bpy==5.0.1, Python 3.11).

usage: python blender.py stage STAGE.usda OUT.npz        imports a stage, every frame of its range
       python blender.py between STAGE.usda FRAME OUT.npz    halfway to the next frame
       python blender.py cache MESH.obj CACHE MODE FRAMES OUT.npz    plays a cache with the Mesh Cache modifier, in
                                                                     the time mode FRAME or TIME
       python blender.py picture STAGE.usda FRAME OUT.png    renders a frame of a stage, without a GPU

Arrays of the result: for each mesh its evaluated positions by frame, before the transformation of its object
(`NAME`), that transformation by frame (`NAME/world`), and the range and rate of the scene (`scene`).
"""

from __future__ import annotations

import os
import sys
from typing import Any

import bpy
import numpy as np


COLOURS = [(0.8, 0.25, 0.1, 1.0), (0.1, 0.35, 0.75, 1.0), (0.15, 0.6, 0.25, 1.0), (0.8, 0.65, 0.1, 1.0)]


def local_positions(thing: Any) -> tuple[Any, Any]:
    """The vertices of an object after its modifiers, and its transformation."""
    evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    vertices = evaluated.data.vertices
    points = np.empty(len(vertices) * 3, np.float32)
    vertices.foreach_get("co", points)
    return points.reshape(-1, 3), np.array(evaluated.matrix_world)


def play(frames: range) -> dict[str, Any]:
    """The positions of all meshes, frame by frame."""
    scene = bpy.context.scene
    found: dict[str, list[Any]] = {}
    for frame in frames:
        scene.frame_set(frame)
        for thing in scene.objects:
            if thing.type == "MESH":
                points, world = local_positions(thing)
                found.setdefault(thing.name, []).append(points)
                found.setdefault(thing.name + "/world", []).append(world)
    rate = scene.render.fps / scene.render.fps_base
    return {**found, "scene": [scene.frame_start, scene.frame_end, rate]}


def import_stage(path: str) -> None:
    """An empty scene with a stage, imported with the defaults."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.usd_import(filepath=os.path.abspath(path))


def stage(path: str, out: str) -> None:
    import_stage(path)
    scene = bpy.context.scene
    np.savez(out, **play(range(scene.frame_start, scene.frame_end + 1)))


def between(path: str, frame: str, out: str) -> None:
    import_stage(path)
    bpy.context.scene.frame_set(int(frame), subframe=0.5)
    meshes = [thing for thing in bpy.context.scene.objects if thing.type == "MESH"]
    np.savez(out, **{thing.name: local_positions(thing)[0] for thing in meshes})


def cache(mesh: str, path: str, mode: str, frames: str, out: str) -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.obj_import(filepath=os.path.abspath(mesh))
    modifier = bpy.context.selected_objects[0].modifiers.new("cache", "MESH_CACHE")
    modifier.cache_format = os.path.splitext(path)[1][1:].upper()
    modifier.filepath = os.path.abspath(path)
    modifier.time_mode = mode
    np.savez(out, **play(range(int(frames))))


def picture(path: str, frame: str, out: str) -> None:
    import_stage(path)
    scene = bpy.context.scene
    scene.frame_set(int(frame))
    things = sorted((thing for thing in scene.objects if thing.type == "MESH"), key=lambda thing: thing.name)
    points = []
    for number, thing in enumerate(things):
        local, world = local_positions(thing)
        points.append(local @ world[:3, :3].T + world[:3, 3])
        paint = bpy.data.materials.new(thing.name)
        is_cloth = thing.parent is not None and thing.parent.name == "cloth"
        colour = COLOURS[number % len(COLOURS)] if is_cloth else (0.5, 0.5, 0.5, 1.0)
        paint.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = colour
        thing.data.materials.clear()
        thing.data.materials.append(paint)
    low, high = np.min(np.concatenate(points), axis=0), np.max(np.concatenate(points), axis=0)
    aim(scene, (low + high) / 2, float(np.linalg.norm(high - low)))
    scene.render.engine = "CYCLES"
    scene.cycles.device, scene.cycles.samples = "CPU", 16
    scene.render.resolution_x, scene.render.resolution_y = 480, 360
    scene.render.filepath = os.path.abspath(out)
    bpy.ops.render.render(write_still=True)


def aim(scene: Any, middle: Any, size: float) -> None:
    """A camera that sees all of it from above the front, a sun, and a grey world."""
    target = bpy.data.objects.new("target", None)
    target.location = middle
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.location = middle + size * np.array([0.6, -1.3, 0.7])
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy, sun.location = 3.0, middle + size * np.array([-1.0, -1.0, 2.0])
    for thing in (target, camera, sun):
        scene.collection.objects.link(thing)
    for thing in (camera, sun):
        look = thing.constraints.new("TRACK_TO")
        look.target, look.track_axis, look.up_axis = target, "TRACK_NEGATIVE_Z", "UP_Y"
    scene.camera = camera
    scene.world = bpy.data.worlds.new("world")
    scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.6, 0.6, 0.65, 1.0)


if __name__ == "__main__":
    {"stage": stage, "between": between, "cache": cache, "picture": picture}[sys.argv[1]](*sys.argv[2:])
