"""A sheet folded between two closing planes: six layers of a sheet, and two planes that come together until
nothing is left between them, stay, and open again."""

import bpy

import make

NAME = "folded between closing planes"
# A plane has no inside: what was released to its other side hangs there when it has opened.
EXPECTED = make.Expected(releases=True, clear_at_end=False)
FOLDS, SIDE = 6, 0.9


def folded(u: float, v: float) -> make.Point:
    # A zigzag that stands on its folds: layers of 15 cm, 10 cm of height and 11 cm of width each.
    t = FOLDS * u
    k = int(t)
    height = t - k if k % 2 == 0 else 1 - (t - k)
    return 0.11 * (t - FOLDS / 2), SIDE / 2 * (2 * v - 1), 0.01 + 0.1 * height


def build() -> None:
    make.new_scene(108)
    for name, start, end in (("Lower", 0.0, 0.03), ("Upper", 0.16, 0.03)):
        bpy.ops.mesh.primitive_plane_add(size=1.4, location=(0, 0, start))
        plane = bpy.context.object
        plane.name = name
        if name == "Upper":
            plane.data.flip_normals()
            plane.hide_render = True
        make.keys(plane, "location", {1: (0, 0, start), 12: (0, 0, start), 48: (0, 0, end), 60: (0, 0, end), 84: (0, 0, start)})
        make.body(plane)
    make.cloth(make.grid("Sheet", 8 * FOLDS + 1, 49, folded))
