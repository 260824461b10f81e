"""A curtain with sewing to pinned vertices: loose edges draw every fourth vertex of its upper edge to the clips of a
rail, which are pinned, and which a shape key moves together."""

import math

import make

NAME = "curtain sewn to pinned vertices"
EXPECTED = make.Expected()
COLUMNS, ROWS, EVERY, WIDTH = 57, 33, 4, 1.4


def at(u: float, v: float) -> make.Point:
    # A period of two clips, so that the folds have a side to go to.
    return WIDTH * (u - 0.5), 0.015 * math.sin(14 * math.pi * u), 1.2 - 0.8 * v


def build() -> None:
    make.new_scene(96)
    points, faces = make.quads(COLUMNS, ROWS, at)
    hung = range(0, COLUMNS, EVERY)
    # A clip is a triangle that hangs by its point over the vertex that it holds.
    clips = [len(points) + 3 * k for k in range(len(hung))]
    for i in hung:
        x, y, z = points[i]
        points += [(x, y, z + 0.03), (x + 0.01, y, z + 0.05), (x - 0.01, y, z + 0.05)]
    faces += [(clip, clip + 1, clip + 2) for clip in clips]
    curtain = make.mesh_object("Curtain", points, faces, zip(hung, clips))
    curtain.shape_key_add(name="Basis")
    drawn = curtain.shape_key_add(name="Drawn")
    pinned = range(clips[0], len(points))
    for vertex in pinned:
        x, y, z = points[vertex]
        middle = points[clips[(vertex - clips[0]) // 3]][0]
        drawn.data[vertex].co = (0.25 * middle - 0.5 + x - middle, y, z)
    make.keys(drawn, "value", {1: 0.0, 24: 0.0, 72: 1.0})
    make.cloth(curtain, pin_group=make.group(curtain, "clips", pinned), use_sewing=True)
