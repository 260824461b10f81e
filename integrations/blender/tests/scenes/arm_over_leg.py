"""An arm that drags skin over a leg: a skirt lies on a thigh, and the forearm of the same skin presses 3 cm into the
thigh, the skirt between the two, and is drawn along it for 30 cm."""

import bpy

import make

NAME = "arm drags skin over a leg"
EXPECTED = make.Expected(releases=True)


def build() -> None:
    make.new_scene(108)
    thigh = make.capsule("Body", (0, -0.4, 0), (0, 0.4, 0), 0.09, around=40, rings=40)
    make.group(thigh, "leg", range(len(thigh.data.vertices)))
    forearm = make.capsule("Forearm", (-0.2, -0.15, 0.4), (0.25, -0.15, 0.4), 0.04, around=24, rings=30)
    make.group(forearm, "arm", range(len(forearm.data.vertices)))
    rig = make.armature({"leg": ((0, -0.4, 0), (0, 0.4, 0)), "arm": ((-0.2, -0.15, 0.4), (-0.2, -0.15, 0.5))})
    # One skin, as that of a character is.
    forearm.select_set(True)
    thigh.select_set(True)
    bpy.context.view_layer.objects.active = thigh
    bpy.ops.object.join()
    make.skin(make.body(thigh), rig)
    # The bone points up: its y is the vertical, and its -z the y of the world. Skins meet at a height of 0.13 m.
    up, down = 0.0, 0.13 - 0.03 - 0.4
    away, pressed, dragged, lifted = (0, up, 0), (0, down, 0), (0, down, -0.3), (0, up, -0.3)
    arm = rig.pose.bones["arm"]
    make.keys(arm, "location", {1: away, 24: away, 36: pressed, 42: pressed, 72: dragged, 78: dragged, 88: lifted})
    skirt = make.grid("Skirt", 45, 45, lambda u, v: (0.35 * (2 * u - 1), 0.35 * (2 * v - 1), 0.12))
    # The hem that is towards the hip is held.
    make.cloth(skirt, pin_group=make.group(skirt, "hip", range(17, 28)))
