# SPDX-License-Identifier: GPL-3.0-or-later
"""The tab Cloth Judge of the sidebar of the 3D view, and the count over the view."""

from __future__ import annotations

from typing import Any

import blf
import bpy

from .bake import snapshot_path
from .read import Fault
from .work import JobOperator


class CLOTH_JUDGE_UL_found(bpy.types.UIList):
    """Frames and pairs that intersect; a click goes there."""

    def draw_item(self, context: Any, layout: Any, data: Any, item: Any, icon: Any, active_data: Any, active_property: Any, index: int = 0, flags: int = 0) -> None:
        row = layout.row()
        row.label(text=f"{item.frame}")
        pair = item.first if item.second in ("", item.first) else f"{item.first} / {item.second}"
        row.label(text=pair)
        row.label(text=item.text)


class Tab:
    """Where all panels are."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Cloth Judge"


class CLOTH_JUDGE_PT_main(Tab, bpy.types.Panel):
    bl_label = "Cloth Judge"

    def draw(self, context: Any) -> None:
        layout, settings = self.layout, context.scene.cloth_judge
        running = JobOperator.running
        if running is not None:
            layout.label(text=f"{running.job.title}: {running.job.text}", icon="TIME")
            layout.label(text="Esc cancels")
        buttons = layout.column()
        buttons.enabled = running is None
        buttons.scale_y = 1.4
        buttons.operator("cloth_judge.check", text="Check", icon="VIEWZOOM")
        buttons.operator("cloth_judge.untangle", text="Untangle", icon="MOD_SMOOTH")
        buttons.operator("cloth_judge.bake", text="Bake", icon="MOD_CLOTH").resume = False
        layout.prop(settings, "bodies")
        results = context.window_manager.cloth_judge
        if results.headline:
            box = layout.box()
            box.label(text=results.headline, icon="CHECKMARK" if results.is_clean else "ERROR")
            if len(results.rows):
                box.template_list("CLOTH_JUDGE_UL_found", "", results, "rows", results, "row", rows=4)
            box.prop(settings, "show_count")


class CLOTH_JUDGE_PT_check(Tab, bpy.types.Panel):
    bl_label = "Check"
    bl_parent_id = "CLOTH_JUDGE_PT_main"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Any) -> None:
        layout, settings = self.layout, context.scene.cloth_judge
        layout.use_property_split = True
        layout.prop(settings, "check_frames", expand=True)
        row = layout.row()
        row.enabled = settings.check_frames == "RANGE"
        row.prop(settings, "between_frames")
        layout.prop(settings, "untangle_seconds", text="Untangle Effort")


class CLOTH_JUDGE_PT_cloth(Tab, bpy.types.Panel):
    bl_label = "Cloth"
    bl_parent_id = "CLOTH_JUDGE_PT_main"

    @classmethod
    def poll(cls, context: Any) -> bool:
        return context.object is not None and context.object.type == "MESH"

    def draw(self, context: Any) -> None:
        layout, thing = self.layout, context.object
        settings = thing.cloth_judge
        layout.use_property_split = True
        layout.prop(settings, "fabric")
        if thing.active_material is not None:
            layout.prop(thing.active_material.cloth_judge, "fabric", text=f"In {thing.active_material.name}")
        layout.prop_search(settings, "pin_group", thing, "vertex_groups")
        layout.prop(settings, "pin_stiffness")
        layout.prop(settings, "use_sewing")
        if thing.data.shape_keys is not None:
            layout.prop_search(settings, "rest_shape_key", thing.data.shape_keys, "key_blocks")
        layout.prop(settings, "thickness")
        layout.prop(settings, "friction")
        layout.prop(settings, "layer")


class CLOTH_JUDGE_PT_bake(Tab, bpy.types.Panel):
    bl_label = "Bake"
    bl_parent_id = "CLOTH_JUDGE_PT_main"

    def draw(self, context: Any) -> None:
        layout, settings = self.layout, context.scene.cloth_judge
        layout.use_property_split = True
        column = layout.column(align=True)
        column.prop(settings, "frame_start")
        column.prop(settings, "frame_end")
        layout.prop(settings, "quality")
        layout.prop(settings, "format")
        layout.prop(settings, "cut_quads")
        row = layout.row()
        row.enabled = JobOperator.running is None and _has_snapshot()
        row.operator("cloth_judge.bake", text="Resume").resume = True
        row.operator("cloth_judge.free", text="Delete Bake")


def _has_snapshot() -> bool:
    try:
        return snapshot_path().exists()
    except Fault:
        return False


def draw_count() -> None:
    """The count, in large letters in the lower left of a 3D view."""
    context = bpy.context
    results = context.window_manager.cloth_judge
    if not results.headline or not context.scene.cloth_judge.show_count:
        return
    scale = context.preferences.system.ui_scale
    blf.size(0, 36 * scale)
    blf.color(0, *((0.3, 0.9, 0.4, 1.0) if results.is_clean else (1.0, 0.35, 0.25, 1.0)))
    blf.position(0, 20 * scale, 20 * scale, 0)
    blf.draw(0, results.count)


CLASSES = (CLOTH_JUDGE_UL_found, CLOTH_JUDGE_PT_main, CLOTH_JUDGE_PT_check, CLOTH_JUDGE_PT_cloth, CLOTH_JUDGE_PT_bake)
