"""Pins that are driven into what cannot yield: the upper edge of a flag is moved through a screen, all vertices of
which are pinned, then 10 cm deep into a block of stone, and back."""

import bpy

import make

NAME = "pins into what cannot yield"
EXPECTED = make.Expected(releases=True)


def build() -> None:
    make.new_scene(120)
    bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, 0.15))
    stone = bpy.context.object
    stone.name, stone.scale = "Stone", (0.5, 0.5, 0.3)
    make.body(stone)
    screen = make.grid("Screen", 21, 21, lambda u, v: (0.4 * (2 * u - 1), -0.45, 1.2 - 0.6 * v))
    make.cloth(screen, pin_group=make.group(screen, "frame", range(21 * 21)))
    flag = make.grid("Flag", 41, 41, lambda u, v: (0.3 * (2 * u - 1), -0.6, 1.1 - 0.6 * v))
    pins = make.group(flag, "pole", range(41))
    make.cloth(flag, pin_group=pins)
    at = lambda y, z: (0, y, z)
    pole = make.hook(flag, pins, at(-0.6, 1.1))
    over, inside = at(0, 1.1), at(0, 0.2)
    way = {1: at(-0.6, 1.1), 6: at(-0.6, 1.1), 18: at(-0.3, 1.1), 30: at(-0.6, 1.1), 42: at(-0.6, 1.5)}
    make.keys(pole, "location", way | {54: at(0, 1.5), 66: over, 84: inside, 90: inside, 105: over})
