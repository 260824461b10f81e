"""A far rigid body that changes no bit of the cloth: a sheet falls on a ball, once alone, once while a crate of
Blender's rigid bodies tumbles onto a floor 40 m away."""

import bpy

import make

NAME = "far rigid body"
EXPECTED = make.Expected()


def build(with_crate: bool = True) -> None:
    make.new_scene(48)
    if with_crate:
        crate()
    make.body(make.ball("Ball", (0, 0, 0.3), 0.2, around=48, rings=23))
    make.cloth(make.grid("Sheet", 41, 41, lambda u, v: (0.4 * (2 * u - 1), 0.4 * (2 * v - 1), 0.53)))


def crate() -> None:
    bpy.ops.mesh.primitive_plane_add(size=10, location=(40, 0, 0))
    bpy.context.object.name = "Yard"
    bpy.ops.rigidbody.object_add(type="PASSIVE")
    make.body(bpy.context.object)
    bpy.ops.mesh.primitive_cube_add(size=0.5, location=(40, 0, 2), rotation=(0.4, 0.3, 0.1))
    bpy.context.object.name = "Crate"
    bpy.ops.rigidbody.object_add(type="ACTIVE")
    make.body(bpy.context.object)


def build_without() -> None:
    build(with_crate=False)
