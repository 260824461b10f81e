"""An asset that is tangled at the start: a pleated skirt whose every pleat goes through itself, through the hips
and through the peplum that is worn over it."""

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


def peplum_at(u: float, v: float) -> make.Point:
    angle = 2.0 * math.pi * u
    radius = 0.175 + 0.03 * v
    return radius * math.cos(angle), radius * math.sin(angle), 1.04 - 0.22 * v


def build() -> None:
    make.new_scene(72)
    make.body(make.capsule("Hips", (0, 0, 0.62), (0, 0, 1.1), 0.16))
    for side in (-1, 1):
        make.body(make.capsule(f"Leg {side}", (0.09 * side, 0, 0.1), (0.09 * side, 0, 0.62), 0.075))
    skirt = make.grid("Skirt", COLUMNS, 26, skirt_at, is_tube=True)
    waist = make.group(skirt, "waist", range(COLUMNS))
    make.cloth(skirt, pin_group=waist, layer=1, thickness=0.004)
    peplum = make.grid("Peplum", 96, 14, peplum_at, is_tube=True)
    belt = make.group(peplum, "belt", range(96))
    make.cloth(peplum, pin_group=belt, layer=2, thickness=0.004)
