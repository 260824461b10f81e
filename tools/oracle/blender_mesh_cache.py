"""Plays a PC2 cache in Blender as the guide for artists says, and compares it with the simulation.

usage: python blender_mesh_cache.py MESH.obj CACHE.pc2        (pip install bpy==5.0.1, Python 3.11)

Imports the OBJ with default axes, adds a Mesh Cache modifier at its defaults (Forward Y, Up Z), and fails if
a world position of the first, a middle or the last frame differs by more than 1e-5 of the size of the mesh
from the frame of the cache turned to z up: (x, -z, y).
"""

import os
import struct
import sys

import bpy
import numpy as np


def read_pc2(path):
    """The frames of a cache: an array of frames, vertices, coordinates."""
    data = open(path, "rb").read()
    vertices, _start, _rate, frames = struct.unpack("<iffi", data[16:32])
    return np.frombuffer(data[32:], "<f4").reshape(frames, vertices, 3)


def world_positions(thing):
    """The vertices of an object after its modifiers, in the world."""
    evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    points = np.empty(len(evaluated.vertices) * 3, np.float32)
    evaluated.vertices.foreach_get("co", points)
    matrix = np.array(thing.matrix_world)
    return points.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]


def main():
    mesh, cache = (os.path.abspath(path) for path in sys.argv[1:3])
    frames = read_pc2(cache)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.obj_import(filepath=mesh)
    garment = bpy.context.selected_objects[0]
    modifier = garment.modifiers.new("cache", "MESH_CACHE")
    modifier.cache_format = "PC2"
    modifier.filepath = cache
    worst = 0.0
    for frame in (0, len(frames) // 2, len(frames) - 1):
        bpy.context.scene.frame_set(frame)
        x, y, z = frames[frame].T
        size = np.ptp(frames[frame], axis=0).max()
        difference = np.abs(world_positions(garment) - np.c_[x, -z, y]).max() / size
        print(f"frame {frame}: {difference:.1e} of the size")
        worst = max(worst, difference)
    sys.exit(0 if worst <= 1e-5 else f"{worst:.1e} is more than 1e-5")


main()
