# SPDX-License-Identifier: GPL-3.0-or-later
"""Renders the pictures of docs/guide/blender.md by what the guide describes: python manual.py WARDROBE OUT.

WARDROBE is what `cloth sample` writes. The Python is one with bpy in which the extension is enabled, or that finds
`cloth_judge` and `cloth`.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

SIZE = 300, 400


def begin() -> Any:
    """An empty, saved file with the extension."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if not hasattr(bpy.types.Scene, "cloth_judge"):
        import cloth_judge

        cloth_judge.register()
    bpy.ops.wm.save_as_mainfile(filepath=str(Path(tempfile.mkdtemp()) / "dance.blend"))
    return bpy.context.scene


def imported(path: Path, name: str) -> Any:
    bpy.ops.wm.obj_import(filepath=str(path))
    thing = bpy.context.selected_objects[0]
    thing.name = name
    return thing


def as_body(thing: Any) -> None:
    collection = bpy.data.collections.new("Bodies")
    bpy.context.scene.collection.children.link(collection)
    collection.objects.link(thing)
    bpy.context.scene.cloth_judge.bodies = collection


def select(thing: Any) -> None:
    for other in bpy.context.scene.objects:
        other.select_set(other == thing)
    bpy.context.view_layer.objects.active = thing


def paint(thing: Any, colour: tuple[float, float, float], marks: bool = False) -> None:
    """A colour, and red where the check has marked faces."""
    material = bpy.data.materials.new(thing.name)
    nodes, links = material.node_tree.nodes, material.node_tree.links
    surface = nodes["Principled BSDF"]
    surface.inputs["Roughness"].default_value = 0.7
    surface.inputs["Base Color"].default_value = (*colour, 1.0)
    if marks:
        mark, mix = nodes.new("ShaderNodeAttribute"), nodes.new("ShaderNodeMix")
        mark.attribute_name = "cloth_intersections"
        mix.data_type = "RGBA"
        mix.inputs["A"].default_value, mix.inputs["B"].default_value = (*colour, 1.0), (0.9, 0.02, 0.02, 1.0)
        links.new(mark.outputs["Fac"], mix.inputs["Factor"])
        links.new(mix.outputs["Result"], surface.inputs["Base Color"])
    thing.data.materials.clear()
    thing.data.materials.append(material)


def light(centre: Any, size: float, from_above: float = 0.25) -> None:
    """A camera before the middle of things, a sun and a bright sky."""
    scene = bpy.context.scene
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.data.lens = 60
    camera.location = Vector(centre) + Vector((0.55, -1.5, from_above)).normalized() * size * 1.45
    camera.rotation_euler = (Vector(centre) - camera.location).to_track_quat("-Z", "Y").to_euler()
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy, sun.data.angle, sun.rotation_euler = 1.8, 0.3, (0.7, 0.25, 0.4)
    world = bpy.data.worlds.new("world")
    world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.42, 0.44, 0.47, 1.0)
    for thing in (camera, sun):
        scene.collection.objects.link(thing)
    scene.camera, scene.world = camera, world
    scene.render.engine, scene.cycles.device, scene.cycles.samples = "CYCLES", "CPU", 64
    scene.cycles.use_denoising, scene.render.dither_intensity = True, 0.0
    scene.render.resolution_x, scene.render.resolution_y = SIZE
    scene.view_settings.view_transform = "Standard"


def picture() -> Any:
    """(h, w, 4) what the camera sees, the top row first."""
    scene = bpy.context.scene
    path = Path(tempfile.mkdtemp()) / "one.png"
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(str(path))
    pixels = np.empty(len(image.pixels), np.float32)
    image.pixels.foreach_get(pixels)
    bpy.data.images.remove(image)
    return pixels.reshape(SIZE[1], SIZE[0], 4)[::-1]


def side_by_side(pictures: list[Any], out: Path) -> None:
    row = np.concatenate(pictures, axis=1)
    image = bpy.data.images.new("row", row.shape[1], row.shape[0])
    image.pixels.foreach_set(np.ascontiguousarray(row[::-1], np.float32).ravel())
    image.filepath_raw, image.file_format = str(out), "PNG"
    image.save()
    bpy.data.images.remove(image)


def checked_and_untangled(wardrobe: Path, out: Path) -> None:
    begin()
    body, shirt = imported(wardrobe / "mannequin.obj", "Mannequin"), imported(wardrobe / "tangled.obj", "Shirt")
    as_body(body)
    select(shirt)
    paint(body, (0.55, 0.5, 0.47))
    paint(shirt, (0.6, 0.62, 0.6), marks=True)
    light((0.0, 0.0, 1.22), 0.85)
    pictures = []
    for act in (bpy.ops.cloth_judge.check, bpy.ops.cloth_judge.untangle):
        act()
        print(bpy.context.window_manager.cloth_judge.headline)
        pictures.append(picture())
    side_by_side(pictures, out / "blender-untangle.png")


def danced(wardrobe: Path, out: Path) -> None:
    scene = begin()
    scene.render.fps = 30
    scene.frame_start, scene.frame_end = 1, 121
    body, dress = imported(wardrobe / "mannequin.obj", "Mannequin"), imported(wardrobe / "dress.obj", "Dress")
    as_body(body)
    motion = body.modifiers.new("dance", "MESH_CACHE")
    motion.cache_format, motion.filepath, motion.frame_start = "PC2", str(wardrobe / "dancer.pc2"), 1.0
    scene.frame_set(1)
    waist = dress.vertex_groups.new(name="Waist")
    height = np.array([vertex.co.y for vertex in dress.data.vertices])
    waist.add(np.flatnonzero(height > 1.264).tolist(), 1.0, "REPLACE")
    dress.cloth_judge.pin_group, dress.cloth_judge.thickness = "Waist", 0.006
    select(dress)
    follow = dress.modifiers.new("follow", "SURFACE_DEFORM")
    follow.target = body
    bpy.ops.object.surfacedeform_bind(modifier="follow")
    scene.cloth_judge.frame_start, scene.cloth_judge.frame_end = scene.frame_start, scene.frame_end
    bpy.ops.cloth_judge.bake()
    print(bpy.context.window_manager.cloth_judge.headline)
    paint(body, (0.55, 0.5, 0.47))
    paint(dress, (0.12, 0.25, 0.55))
    light((0.0, 0.0, 0.92), 1.75)
    pictures = []
    for frame in (1, 31, 66, 100):
        scene.frame_set(frame)
        pictures.append(picture())
    side_by_side(pictures, out / "blender-dance.png")


if __name__ == "__main__":
    wardrobe, out = map(Path, sys.argv[-2:])
    checked_and_untangled(wardrobe, out)
    danced(wardrobe, out)
