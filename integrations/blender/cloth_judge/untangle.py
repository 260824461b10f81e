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
from .read import Fault, Surface, between, bodies, by_name, chosen, hidden, moved, numbers, object_mode, read, unscaled
from .work import Job, JobOperator

KEY = "Untangled"


class UntangleJob(Job):
    title = "Untangle"

    def __init__(self, context: Any) -> None:
        super().__init__()
        self.things = chosen(context)
        self.worn = bodies(context)
        self.names = [thing.name for thing in self.things], [thing.name for thing in self.worn]
        self.seconds = context.scene.cloth_judge.untangle_seconds
        self.frame = context.scene.frame_current
        self.layers = {thing.name: thing.cloth_judge.layer for thing in self.things}
        self.garments: list[Surface] = []
        self.bodies: list[Surface] = []
        self.result: Any = None

    def read(self, context: Any) -> Iterator[None]:
        for thing in self.things:
            if thing.data.library is not None:
                raise Fault(f"{thing.name} is linked from another file, which cannot be changed: make it local")
        with object_mode(context), ExitStack() as stack:
            # Of cloth the mesh with its shape keys, which modifiers act on; of bodies what is seen.
            for thing in self.things:
                stack.enter_context(hidden(list(thing.modifiers)))
            for thing in self.things:
                self.garments.append(unscaled(read(thing)))
                yield
            for thing in self.worn:
                self.bodies.append(read(thing))
                yield

    def work(self) -> None:
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
        result = self.result
        if result.after < result.before:
            with object_mode(context):
                for garment in self.garments:
                    _add_key(by_name(garment.name), garment, result.positions[garment.name], self.garments[0].matrix)
        # What is shown is judged, not what was computed: shape keys are rounded.
        shown = UntangleJob(context)
        for _ in shown.read(context):
            pass
        rows, faces = judge.check(self.frame, shown.garments, shown.bodies)
        FOUND.clear()
        FOUND[self.frame] = faces
        headline = f"{judge.in_words(rows)}, {result.before:,} before"
        if any(row["kind"] in (judge.FOLD, judge.DOUBLED) for row in rows):
            headline += "; no motion parts faces that lie on others: delete one side"
        show(context, judge.in_words(rows), headline, rows)
        mark(context, [garment.name for garment in self.garments], self.frame)
        return {"FINISHED"}, headline


def _add_key(thing: Any, garment: Surface, positions: Any, space: Any) -> None:
    """Adds a shape key that brings the mesh with its present shape to positions in a space."""
    positions = moved(positions, between(space, garment.matrix))
    if thing.data.shape_keys is None:
        thing.shape_key_add(name="Basis", from_mix=False)
    elif not thing.data.shape_keys.use_relative:
        raise Fault(f"{thing.name} has absolute shape keys, beside which no other can be: make them relative")
    basis = numbers(thing.data.shape_keys.reference_key.data, "co", np.float32, 3)
    key = thing.shape_key_add(name=KEY, from_mix=False)
    # As it is where the present shape is the basis: nothing is rounded but by Blender.
    places = np.where(basis == garment.positions, positions, basis + (positions - garment.positions))
    key.data.foreach_set("co", places.ravel())
    key.value = 1.0
    thing.active_shape_key_index = len(thing.data.shape_keys.key_blocks) - 1
    thing.data.update()


class CLOTH_JUDGE_OT_untangle(JobOperator, bpy.types.Operator):
    """Work selected meshes free of intersections with themselves, each other and bodies, as a shape key"""

    bl_idname = "cloth_judge.untangle"
    bl_label = "Untangle Mesh"
    bl_options = {"REGISTER", "UNDO"}

    def make(self, context: Any) -> Job:
        return UntangleJob(context)


CLASSES = (CLOTH_JUDGE_OT_untangle,)
