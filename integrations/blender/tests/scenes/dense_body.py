"""A sheet on a body of 500,000 triangles: a displaced sphere, as a sculpt is, that turns below it. The table has the
seconds of the first frame, with everything that is read and built before it."""

import math

import bpy

import make

NAME = "body of 500,000 triangles"
EXPECTED = make.Expected()
TIMES_FIRST_FRAME = True


def build() -> None:
    make.new_scene(36)
    bpy.ops.mesh.primitive_uv_sphere_add(segments=500, ring_count=501, radius=0.25, location=(0, 0, 0.3))
    bust = bpy.context.object
    bust.name = "Bust"
    rough = bust.modifiers.new("Rough", "DISPLACE")
    rough.texture = bpy.data.textures.new("Rough", "CLOUDS")
    rough.texture.noise_scale, rough.strength = 0.12, 0.06
    make.keys(bust, "rotation_euler", {1: (0, 0, 0), 36: (0, 0, math.radians(45))})
    make.body(bust)
    make.cloth(make.grid("Sheet", 61, 61, lambda u, v: (0.4 * (2 * u - 1), 0.4 * (2 * v - 1), 0.62)))
