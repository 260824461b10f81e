"""Pictures of scenes, drawn on the processor."""

from __future__ import annotations

import math
from pathlib import Path

import bpy
from mathutils import Vector

COLOURS = ((0.75, 0.2, 0.12), (0.12, 0.3, 0.7), (0.5, 0.5, 0.5))


def colour(made: bpy.types.Object, rgb: tuple[float, float, float]) -> None:
    """Paints an object in one colour."""
    material = bpy.data.materials.new(made.name)
    material.diffuse_color = (*rgb, 1)
    material.use_nodes = True
    material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (*rgb, 1)
    made.data.materials.clear()
    made.data.materials.append(material)


def render(frame: int, path: Path, towards: Vector | None = None) -> None:
    """Draws a frame, what is selected in colours and bodies in grey."""
    scene = bpy.context.scene
    scene.frame_set(frame)
    cloths = [made for made in bpy.context.selected_objects if made.type == "MESH"]
    for number, made in enumerate(cloths):
        colour(made, COLOURS[number % 2])
    for made in scene.cloth_judge.bodies.all_objects:
        colour(made, COLOURS[2])
    graph = bpy.context.evaluated_depsgraph_get()
    corners = [e.matrix_world @ Vector(c) for e in (made.evaluated_get(graph) for made in cloths) for c in e.bound_box]
    middle = sum(corners, Vector()) / len(corners)
    size = max((corner - middle).length for corner in corners)
    look_from(middle, (towards or Vector((0.7, -1.0, 0.6))).normalized(), 3.2 * size)
    scene.render.engine, scene.cycles.samples, scene.cycles.device = "CYCLES", 16, "CPU"
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = 640, 480, 100
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)


def look_from(middle: Vector, direction: Vector, distance: float) -> None:
    """A camera that looks at a place, a lamp beside it and a grey sky."""
    scene = bpy.context.scene
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location = middle + distance * direction
    camera.rotation_euler = (-direction).to_track_quat("-Z", "Y").to_euler()
    lamp = bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "SUN"))
    lamp.rotation_euler, lamp.data.energy = (math.radians(35), math.radians(20), 0), 3
    for made in (camera, lamp):
        scene.collection.objects.link(made)
    scene.camera = camera
    scene.world = bpy.data.worlds.new("World")
    scene.world.color = (0.5, 0.5, 0.5)
