# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth Judge for Blender: finds intersections exactly, untangles meshes, and bakes cloth without them."""

from __future__ import annotations

import bpy

from . import bake, check, panel, properties, untangle, work

_CLASSES = (*properties.CLASSES, *check.CLASSES, *untangle.CLASSES, *bake.CLASSES, *panel.CLASSES)
_handles: list[object] = []


def register() -> None:
    for kind in _CLASSES:
        bpy.utils.register_class(kind)
    for owner, kind in properties.OWNERS:
        owner.cloth_judge = bpy.props.PointerProperty(type=kind)
    if not bpy.app.background:
        _handles.append(bpy.types.SpaceView3D.draw_handler_add(panel.draw_count, (), "WINDOW", "POST_PIXEL"))


def unregister() -> None:
    if work.JobOperator.running is not None:
        work.JobOperator.running.close()
        work.JobOperator.running = None
    while _handles:
        bpy.types.SpaceView3D.draw_handler_remove(_handles.pop(), "WINDOW")
    for owner, _ in properties.OWNERS:
        del owner.cloth_judge
    for kind in reversed(_CLASSES):
        bpy.utils.unregister_class(kind)
