# SPDX-License-Identifier: GPL-3.0-or-later
"""Check: what intersects, in the frame that is shown or in all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np

import cloth

from . import judge
from .properties import show
from .read import Fault, Surface, bodies, chosen, each_frame, numbers, object_mode, origins, read
from .spool import Frames
from .work import Job, JobOperator

MARK = "cloth_intersections"
"""Attribute of faces: whether they intersect something."""

FOUND: dict[int, judge.Faces] = {}
"""By frame, the faces that the last check found."""


class Recorded:
    """The surfaces of an object, frame by frame."""

    def __init__(self, thing: Any) -> None:
        self.thing, self.name = thing, thing.name
        self._matrices: list[Any] = []
        self._arrays = [Frames() for _ in range(4)]

    def push(self) -> None:
        """Reads the frame that is shown."""
        surface = read(self.thing)
        self._matrices.append(surface.matrix)
        for frames, array in zip(self._arrays, (surface.positions, surface.triangles, surface.origin, surface.corners)):
            frames.push(array)

    def __getitem__(self, frame: int) -> Surface:
        positions, triangles, origin, corners = (frames[frame] for frames in self._arrays)
        return Surface(self.name, positions, self._matrices[frame], triangles, origin, corners)


class CheckJob(Job):
    title = "Check"

    def __init__(self, context: Any, frames: range, between: bool) -> None:
        super().__init__()
        self.frames, self.between = frames, between
        self.garments = [Recorded(thing) for thing in chosen(context)]
        self.bodies = [Recorded(thing) for thing in bodies(context)]
        self.names = [garment.name for garment in self.garments], [body.name for body in self.bodies]
        self.rows: judge.Found = []
        self.faces: dict[int, judge.Faces] = {}
        self.hint = ""
        self.done = 0

    def read(self, context: Any) -> Iterator[None]:
        things = [*self.garments, *self.bodies]
        own = [garment.thing for garment in self.garments]
        with object_mode(context), origins(own):
            for number, frame in enumerate(each_frame(context, self.frames, own)):
                for thing in things:
                    thing.push()
                    self.text = f"reading frame {frame}, {thing.name}"
                    self.progress = 0.3 * number / len(self.frames)
                    yield

    def work(self) -> None:
        before: list[Surface] = []
        for number, frame in enumerate(self.frames):
            if self.cancelled.is_set():
                return
            self.text = f"frame {frame} of {self.frames[-1]}, {judge.in_words(self.rows)}"
            self.progress = 0.3 + 0.7 * number / len(self.frames)
            garments = [garment[number] for garment in self.garments]
            worn = [body[number] for body in self.bodies]
            rows, faces = judge.check(frame, garments, worn)
            if self.between and before:
                rows += judge.crossings(frame, before, [*garments, *worn], len(garments))
            self.rows += rows
            if rows:
                self.faces[frame] = faces
                self.hint = self.hint or judge.seams(garments)
            before = [*garments, *worn]
            self.done += 1

    def finish(self, context: Any) -> tuple[set[str], str]:
        if not self.done:
            return {"CANCELLED"}, "Check was cancelled"
        FOUND.clear()
        FOUND.update(self.faces)
        unclean = len({row["frame"] for row in self.rows})
        headline = judge.in_words(self.rows)
        if len(self.frames) > 1:
            headline += judge.in_frames(unclean, self.done)
        if self.done < len(self.frames):
            headline += f", cancelled after {self.done} of {len(self.frames)}"
        show(context, judge.in_words(self.rows), headline + self.hint, self.rows)
        mark(context, [garment.name for garment in self.garments], context.scene.frame_current)
        return {"FINISHED"}, headline


def mark(context: Any, names: list[str], frame: int) -> None:
    """Marks the faces that intersect in a frame by an attribute, and selects them."""
    found = FOUND.get(frame, {})
    marked: dict[Any, Any] = {}
    with object_mode(context):
        for name in names:
            thing = bpy.data.objects.get((name, None))
            if thing is None or thing.data is None or thing.data.library is not None:
                continue
            # Objects may share a mesh.
            faces = marked.setdefault(thing.data, np.zeros(len(thing.data.polygons), bool))
            of_thing = found.get(name, np.empty(0, np.int32))
            faces[of_thing[of_thing < len(faces)]] = True
        for data, faces in marked.items():
            attribute = data.attributes.get(MARK) or data.attributes.new(MARK, "BOOLEAN", "FACE")
            # Another one of this name is the user's.
            if (attribute.domain, attribute.data_type) != ("FACE", "BOOLEAN"):
                continue
            before = numbers(attribute.data, "value", bool)
            attribute.data.foreach_set("value", faces)
            if faces.any() or before.any():
                data.polygons.foreach_set("select", faces)
            data.update()
    if found:
        # Of faces alone: another mode of selection would drop them on entering edit mode.
        context.tool_settings.mesh_select_mode = (False, False, True)


def show_row(context: Any, index: int) -> None:
    """Shows the frame of a row, marks its faces, and puts the cursor where it is."""
    rows = context.window_manager.cloth_judge.rows
    if not 0 <= index < len(rows):
        return
    row = rows[index]
    if context.scene.frame_current != row.frame:
        context.scene.frame_set(row.frame)
    mark(context, sorted({name for faces in FOUND.values() for name in faces}), row.frame)
    context.scene.cursor.location = row.place
    thing = bpy.data.objects.get((row.first, None))
    if thing is not None and thing.name in context.view_layer.objects and context.mode == "OBJECT":
        context.view_layer.objects.active = thing


class CLOTH_JUDGE_OT_check(JobOperator, bpy.types.Operator):
    """Find what intersects: selected meshes with themselves, each other and the collision collection, exactly"""

    bl_idname = "cloth_judge.check"
    bl_label = "Check Intersections"
    bl_options = {"REGISTER", "UNDO"}

    def make(self, context: Any) -> Job:
        scene, settings = context.scene, context.scene.cloth_judge
        if settings.check_frames == "CURRENT":
            return CheckJob(context, range(scene.frame_current, scene.frame_current + 1), False)
        if scene.frame_end < scene.frame_start:
            raise Fault(f"The scene ends at frame {scene.frame_end}, before its start at {scene.frame_start}: set its range")
        return CheckJob(context, range(scene.frame_start, scene.frame_end + 1), settings.between_frames)


class CLOTH_JUDGE_OT_jump(bpy.types.Operator):
    """Go to the frame and the place of something that was found"""

    bl_idname = "cloth_judge.jump"
    bl_label = "Go to Intersection"
    bl_options = {"REGISTER", "UNDO"}

    row: bpy.props.IntProperty(name="Row", min=0)

    def execute(self, context: Any) -> set[str]:
        results = context.window_manager.cloth_judge
        if self.row >= len(results.rows):
            self.report({"ERROR"}, f"There is no row {self.row}: the list has {len(results.rows)}")
            return {"CANCELLED"}
        results.row = self.row
        return {"FINISHED"}


CLASSES = (CLOTH_JUDGE_OT_check, CLOTH_JUDGE_OT_jump)
