"""An asset that is tangled at the start: a pleated skirt whose every pleat goes through itself down to the hem, in
968 places."""

import math

import make

NAME = "tangled at the start"
# The first frame intersects by construction.
EXPECTED = make.Expected(clean_from=24, releases=None)
PLEATS, COLUMNS = 12, 14 * 12


def skirt_at(u: float, v: float) -> make.Point:
    # A prolate cycloid has a loop in each period where the factor of the sine is above 1.
    t = 2.0 * math.pi * PLEATS * u
    angle = (t + 1.9 * v * math.sin(t)) / PLEATS
    radius = 0.165 + 0.13 * v + 0.035 * math.sqrt(v) * math.cos(t)
    return radius * math.cos(angle), radius * math.sin(angle), 1.0 - 0.5 * v


def build() -> None:
    make.new_scene(72)
    make.body(make.capsule("Hips", (0, 0, 0.62), (0, 0, 1.1), 0.16))
    for side in (-1, 1):
        make.body(make.capsule(f"Leg {side}", (0.09 * side, 0, 0.1), (0.09 * side, 0, 0.62), 0.075))
    skirt = make.grid("Skirt", COLUMNS, 26, skirt_at, is_tube=True)
    waist = make.group(skirt, "waist", range(COLUMNS))
    make.cloth(skirt, pin_group=waist, thickness=0.004)
