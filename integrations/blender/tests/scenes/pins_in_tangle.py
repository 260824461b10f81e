"""Pins that are captured from an intersecting pose: the arms of a rig are folded at the first frame, so that the two
fronts of a cape go through each other, pinned edge included; then the arms open."""

import math

import make

NAME = "pins from an intersecting pose"
# The pose opens from frame 12 to 36.
EXPECTED = make.Expected(clean_from=40, releases=None)
COLUMNS, ROWS, HALF = 49, 37, 0.6


def build() -> None:
    make.new_scene(72)
    make.body(make.capsule("Back", (0, -0.14, 0.5), (0, -0.14, 1.2), 0.1))
    cape = make.grid("Cape", COLUMNS, ROWS, lambda u, v: (HALF * (2 * u - 1), 0.0, 1.25 - 0.8 * v))
    # Cut flat: the pose of the first frame is no rest shape.
    cape.shape_key_add(name="Flat")
    rig = make.armature(
        {
            "spine": ((0, 0, 1.25), (0, 0, 1.45)),
            "arm_l": ((-0.2, 0, 1.25), (-0.2, 0, 1.45)),
            "arm_r": ((0.2, 0, 1.25), (0.2, 0, 1.45)),
        }
    )
    for i in range(COLUMNS):
        x = HALF * (2 * i / (COLUMNS - 1) - 1)
        bone = "spine" if abs(x) < 0.2 else "arm_r" if x > 0 else "arm_l"
        make.group(cape, bone, [j * COLUMNS + i for j in range(ROWS)])
    make.skin(cape, rig)
    # Bones point up, so that their y is the vertical.
    for bone, side in (("arm_l", -1), ("arm_r", 1)):
        folded, open_ = (0, side * math.radians(150), 0), (0, 0, 0)
        make.keys(rig.pose.bones[bone], "rotation_euler", {1: folded, 12: folded, 36: open_})
    pins = make.group(cape, "neck", range(COLUMNS))
    make.cloth(cape, pin_group=pins, rest_shape_key="Flat")
