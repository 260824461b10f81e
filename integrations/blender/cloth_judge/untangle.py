# SPDX-License-Identifier: GPL-3.0-or-later
"""Untangle: a shape key without intersections, or with fewer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import bpy
import numpy as np

import cloth

from . import judge
from .check import FOUND, mark
from .properties import show
from .read import Fault, Surface, between, bodies, by_name, chosen, each_frame, hidden, local, moved, numbers, object_mode, read, unscaled
from .work import Job, JobOperator

KEY = "Untangled"


class UntangleJob(Job):
    title = "Untangle"

    def __init__(self, context: Any) -> None:
        super().__init__()
        self.things = local(chosen(context))
        self.worn = bodies(context)
        self.names = [thing.name for thing in self.things], [thing.name for thing in self.worn]
        self.seconds = context.scene.cloth_judge.untangle_seconds
        self.frame = context.scene.frame_current
        self.layers = {thing.name: thing.cloth_judge.layer for thing in self.things}
        self.garments: list[Surface] = []
        self.bodies: list[Surface] = []
        self.result: Any = None

    def read(self, context: Any) -> Iterator[None]:
        with object_mode(context), ExitStack() as stack:
            # Of cloth the mesh with its shape keys, which modifiers act on; of bodies what is seen.
            for thing in self.things:
                stack.enter_context(hidden(list(thing.modifiers)))
            for _ in each_frame(context, [self.frame], self.things):
                for things, surfaces in ((self.things, self.garments), (self.worn, self.bodies)):
                    for thing in things:
                        surfaces.append(unscaled(read(thing)) if surfaces is self.garments else read(thing))
                        yield

    def work(self) -> None:
        self.before = judge.check(self.frame, self.garments, self.bodies)[0]
        places = [p.astype(np.float64) for p in judge.together([*self.garments, *self.bodies])]
        count = len(self.garments)
        meshes = [(p, s.triangles) for p, s in zip(places, [*self.garments, *self.bodies])]

        def on_step(step: int, now: int, best: int) -> bool:
            self.text = f"step {step}, {now:,} intersections, {best:,} at best"
            self.progress = min(step / (60.0 * self.seconds), 1.0)
            return self.cancelled.is_set()

        named = {garment.name: mesh for garment, mesh in zip(self.garments, meshes)}
        layers = sorted((name for name, layer in self.layers.items() if layer > 0), key=lambda name: self.layers[name])
        self.result = cloth.untangle_outfit(
            named, layers=layers if len(layers) > 1 else (), bodies=meshes[count:], seconds=self.seconds, on_step=on_step
        )

    def finish(self, context: Any) -> tuple[set[str], str]:
        self.things = [by_name(garment.name) for garment in self.garments]
        self.worn = [by_name(body.name) for body in self.bodies]
        keys = []
        if self.result.after < self.result.before:
            with object_mode(context):
                for thing, garment in zip(self.things, self.garments):
                    keys.append(_add_key(thing, garment, self.result.positions[garment.name], self.garments[0].matrix))
        # What is shown is judged, not what was computed: shape keys are rounded.
        rows, faces = self._shown(context)
        if keys and sum(row["count"] for row in rows) >= sum(row["count"] for row in self.before):
            for thing, key in zip(self.things, keys):
                thing.shape_key_remove(key)
            rows, faces = self._shown(context)
        FOUND.clear()
        FOUND[self.frame] = faces
        headline = f"{judge.in_words(rows)} left of {judge.in_words(self.before)}" if self.before else "0 intersections, as before"
        if any(row["kind"] in (judge.FOLD, judge.DOUBLED) for row in rows):
            headline += "; no motion parts faces that lie on others: delete one side"
        show(context, judge.in_words(rows), headline, rows)
        mark(context, [garment.name for garment in self.garments], self.frame)
        return {"FINISHED"}, headline

    def _shown(self, context: Any) -> tuple[judge.Found, judge.Faces]:
        """What intersects now."""
        self.garments, self.bodies = [], []
        for _ in self.read(context):
            pass
        return judge.check(self.frame, self.garments, self.bodies)


def _add_key(thing: Any, garment: Surface, positions: Any, space: Any) -> Any:
    """Adds a shape key that brings the mesh with its present shape to positions in a space."""
    if len(thing.data.vertices) != len(garment.positions):
        raise Fault(f"{garment.name}: its mesh has been edited meanwhile: untangle it again")
    positions = moved(positions, between(space, garment.matrix))
    if thing.data.shape_keys is None:
        thing.shape_key_add(name="Basis", from_mix=False)
    elif not thing.data.shape_keys.use_relative:
        raise Fault(f"{thing.name} has absolute shape keys, beside which no other can be: make them relative")
    basis = numbers(thing.data.shape_keys.reference_key.data, "co", np.float32, 3)
    key = thing.shape_key_add(name=KEY, from_mix=False)
    # As it is where the present shape is the basis, or where one key is shown alone: nothing is rounded but by Blender.
    is_alone = thing.show_only_shape_key | (basis == garment.positions)
    places = np.where(is_alone, positions, basis + (positions - garment.positions))
    key.data.foreach_set("co", places.ravel())
    key.value = 1.0
    thing.active_shape_key_index = len(thing.data.shape_keys.key_blocks) - 1
    thing.data.update()
    return key


class CLOTH_JUDGE_OT_untangle(JobOperator, bpy.types.Operator):
    """Resolve intersections of selected meshes with themselves, each other and bodies, as a shape key"""

    bl_idname = "cloth_judge.untangle"
    bl_label = "Untangle Mesh"
    bl_options = {"REGISTER", "UNDO"}

    def make(self, context: Any) -> Job:
        return UntangleJob(context)


CLASSES = (CLOTH_JUDGE_OT_untangle,)
