"""What Blender makes of a file, run by a Python that has bpy (pip install bpy==5.0.1, Python 3.11).

usage: python blender.py stage STAGE.usda OUT.npz        imports a stage, every frame of its range
       python blender.py cache MESH.obj CACHE OUT.npz    plays a cache with the Mesh Cache modifier
       python blender.py picture STAGE.usda OUT.png FRAME...

Arrays of the result: for each mesh its evaluated positions by frame, before the transformation of its object
(`NAME`), that transformation by frame (`NAME/world`), and the range and rate of the scene (`scene`).
"""

from __future__ import annotations

import os
import sys
from typing import Any

import bpy
import numpy as np


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


def cache(mesh: str, path: str, frames: str, out: str) -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.obj_import(filepath=os.path.abspath(mesh))
    modifier = bpy.context.selected_objects[0].modifiers.new("cache", "MESH_CACHE")
    modifier.cache_format = os.path.splitext(path)[1][1:].upper()
    modifier.filepath = os.path.abspath(path)
    np.savez(out, **play(range(int(frames))))


if __name__ == "__main__":
    {"stage": stage, "cache": cache}[sys.argv[1]](*sys.argv[2:])
