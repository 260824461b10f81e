# SPDX-License-Identifier: GPL-3.0-or-later
"""What users set, and what was found. Names are those of Blender's cloth where they mean the same."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

FABRICS = [
    ("COTTON", "Cotton", "Shirts and dresses"),
    ("SILK", "Silk", "Light, and bends easily"),
    ("DENIM", "Denim", "Heavy and stiff"),
]


class ClothSettings(bpy.types.PropertyGroup):
    """Of an object that is baked as cloth."""

    fabric: EnumProperty(name="Fabric", items=FABRICS, description="What the cloth is made of; materials may name others for their faces")
    pin_group: StringProperty(
        name="Pin Group",
        description="Vertices that move with the object and its modifiers: weight 1 holds them exactly, a weight between 0 and 1 by a spring",
    )
    pin_stiffness: FloatProperty(
        name="Pin Stiffness", default=100.0, min=1e-3, max=1e9, description="Of the spring of a pin (N/m), times its weight; weight 1 is no spring"
    )
    rest_shape_key: StringProperty(name="Rest Shape Key", description="Shape in which the cloth is free of stress; by default that of the first frame")
    use_sewing: BoolProperty(name="Sewing", description="Edges without faces draw their ends together")
    thickness: FloatProperty(
        name="Distance", default=0.0, min=0.0, max=1.0, precision=4, subtype="DISTANCE",
        description="Distance that parts of the cloth keep from each other and from bodies; 0 is what fits the mesh",
    )
    friction: FloatProperty(name="Friction", default=0.3, min=0.0, max=10.0, description="Coulomb coefficient of the cloth against everything")
    layer: IntProperty(name="Layer", default=0, min=0, max=1000, description="Its place among cloths worn over each other, higher is outside; its faces point outward. 0 is no order")


class FabricSettings(bpy.types.PropertyGroup):
    """Of a material."""

    fabric: EnumProperty(
        name="Fabric", items=[("OBJECT", "As the object", "The fabric of the object"), *FABRICS], description="What faces with this material are made of"
    )


class SceneSettings(bpy.types.PropertyGroup):
    """Of a scene."""

    bodies: PointerProperty(name="Collision Collection", type=bpy.types.Collection, description="Objects that cloth touches, animated by anything")
    check_frames: EnumProperty(
        name="Frames",
        items=[("CURRENT", "This frame", "The frame that is shown"), ("RANGE", "Frame range", "All frames of the scene")],
        description="Which frames are checked",
    )
    between_frames: BoolProperty(name="Between Frames", description="Whether something crosses on the straight motion from a frame to the next, too")
    untangle_seconds: FloatProperty(name="Effort", default=3.0, min=0.1, max=60.0, subtype="TIME_ABSOLUTE", description="Simulated time that untangling takes at most")
    frame_start: IntProperty(name="Frame Start", default=1, description="The frame in which the cloth is as its mesh and modifiers have it")
    frame_end: IntProperty(name="End", default=250, description="The last frame that is baked")
    quality: IntProperty(name="Quality Steps", default=0, min=0, max=1000, description="Steps a frame; 0 is 960 a second. No number of steps lets cloth pass through cloth")
    format: EnumProperty(
        name="Format",
        items=[("PC2", "PC2", "A point cache beside the file, played by a Mesh Cache modifier"), ("USD", "PC2 and USD", "The same, and a stage of cloth and bodies for other programs")],
        description="What is written",
    )
    show_count: BoolProperty(name="Show Count", default=True, description="The count in large letters over the 3D view")


class Row(bpy.types.PropertyGroup):
    """Something that was found, and where."""

    frame: IntProperty()
    text: StringProperty()
    first: StringProperty()
    second: StringProperty()
    count: IntProperty()
    kind: IntProperty()
    place: FloatVectorProperty(size=3)


def _jump(results: Any, context: Any) -> None:
    from .check import show_row

    show_row(context, results.row)


class Results(bpy.types.PropertyGroup):
    """What the last operator found. Not saved with the file."""

    headline: StringProperty()
    count: StringProperty()
    is_clean: BoolProperty()
    rows: CollectionProperty(type=Row)
    row: IntProperty(name="Found", description="Goes to the frame and the place", update=_jump)
    certified: IntProperty()
    released: IntProperty()
    frames_unclean: IntProperty()


CLASSES = (ClothSettings, FabricSettings, SceneSettings, Row, Results)
OWNERS = (
    (bpy.types.Object, ClothSettings),
    (bpy.types.Material, FabricSettings),
    (bpy.types.Scene, SceneSettings),
    (bpy.types.WindowManager, Results),
)


MANY = 2000
"""Most rows of the list; the count is that of all."""


def show(context: Any, count: str, headline: str, rows: list[dict[str, Any]]) -> Any:
    """Replaces the results."""
    results = context.window_manager.cloth_judge
    results.rows.clear()
    # Before there are rows, to go nowhere.
    results.row = 0
    for found in rows[:MANY]:
        row = results.rows.add()
        for name, value in found.items():
            setattr(row, name, value)
    results.count, results.headline, results.is_clean = count, headline, not rows
    results.certified = results.released = 0
    results.frames_unclean = len({found["frame"] for found in rows})
    return results
