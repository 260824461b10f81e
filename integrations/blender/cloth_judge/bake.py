# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake: cloth that falls, hangs and is worn, as a point cache."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
import numpy as np

import cloth

from . import cache, judge
from .check import FOUND, mark
from .properties import show
from .read import Fault, Surface, between, by_name, chosen, in_words, moved, y_up, z_up
from .recipe import MODIFIER, Cloth, Recipe, place_of_modifier
from .spool import Frames
from .work import Job, JobOperator

EVERY = 10
"""Frames from a snapshot to the next."""


def base_path() -> Path:
    """The path of the .blend file, without its ending."""
    if not bpy.data.filepath:
        raise Fault("The file has no name yet: save it, since the cache is written beside it")
    return Path(bpy.data.filepath).with_suffix("")


def cache_path(name: str) -> Path:
    """The point cache of an object, another one for each name."""
    base = base_path()
    safe = re.sub(r'[%/\\:*?"<>|\x00-\x1f]', lambda found: f"%{ord(found[0]):02x}", name)
    return base.with_name(f"{base.name}_{safe}.pc2")


def snapshot_path() -> Path:
    base = base_path()
    return base.with_name(f"{base.name}_cloth.snapshot")


class BakeJob(Job):
    title = "Bake"

    def __init__(self, context: Any, resume: bool) -> None:
        super().__init__()
        self.recipe = Recipe(context)
        self.names = [piece.name for piece in self.recipe.cloths], [body.name for body in self.recipe.bodies]
        self.paths = {piece.name: cache_path(piece.name) for piece in self.recipe.cloths}
        for name in self.paths:
            for other in bpy.data.objects:
                # Some systems take the two for one.
                if other.name != name and other.name.lower() == name.lower():
                    raise Fault(f"{name} and {other.name} would have one file for their caches: rename one of them")
        self.snapshot = snapshot_path()
        self.format = context.scene.cloth_judge.format
        self.facts: dict[str, Any] = {"frame": self.recipe.first, "rows": [], "released": 0, "certified": 0, "by_diagonals": 0, "cuts": [], "names": list(self.paths)}
        self.state: bytes | None = None
        if resume:
            self.facts, self.state = cache.read_snapshot(self.snapshot)
        self.caches: list[cache.PointCache] = []
        self.faces: dict[int, judge.Faces] = {}
        self.failure = ""

    @property
    def done(self) -> int:
        """The last frame that is baked."""
        return int(self.facts["frame"])

    def read(self, context: Any) -> Iterator[None]:
        frames = self.recipe.last - self.recipe.first + 1
        # A stage has all frames.
        since = self.recipe.first if self.format == "USD" else self.done
        for frame, name in self.recipe.read(context, since):
            self.text = f"reading frame {frame}, {name}"
            self.progress = 0.2 * (frame - self.recipe.first) / frames
            yield
        found = self.recipe.fingerprint()
        if self.state is not None and self.facts["print"] != found:
            raise Fault("The scene has changed since the bake was interrupted: bake from the start")
        self.facts["print"] = found

    def work(self) -> None:
        recipe = self.recipe
        self.text = "preparing"
        self._build()
        kept = 0 if self.state is None else self.done - recipe.first + 1
        try:
            for piece in recipe.cloths:
                self.caches.append(cache.PointCache(self.paths[piece.name], piece.count, recipe.first, kept))
            if not kept:
                self._write(recipe.first)
            self._simulate()
        finally:
            for file in self.caches:
                file.close()
        if self.format == "USD" and self.done == recipe.last:
            self._write_stage()

    def _build(self) -> None:
        """The simulation, at the start or as it was interrupted, and the mesh that frames are judged by."""
        recipe = self.recipe
        bodies = [cloth.Body(body.places[0], body.triangles[0]) for body in recipe.bodies]
        wind = {"velocity": recipe.wind[0].tolist(), "drag": 1.2, "lift": 0.0, "gusts": None}
        pieces = [piece.described() for piece in recipe.cloths]
        self.simulation = cloth.Simulation(pieces, bodies, settings={**recipe.settings, "wind": wind})
        if self.state is not None:
            self.simulation.restore(self.state)
            self.simulation.set_wind(recipe.wind[recipe.index[self.done]])
        starts = np.cumsum([0, *(piece.count for piece in recipe.cloths)])
        self.seams = np.concatenate([piece.seams + start for piece, start in zip(recipe.cloths, starts)])
        surfaces = [piece.surface for piece in recipe.cloths]
        self.mesh = judge.joined([*surfaces, *map(self._body, range(len(recipe.bodies)))], len(surfaces), self.seams)

    def _body(self, number: int, index: int = 0) -> Surface:
        """A body in the space of the simulation, in a frame."""
        body = self.recipe.bodies[number]
        triangles = body.triangles[index]
        return Surface(body.name, z_up(body.places[index]), self.recipe.space, triangles, triangles[:, 0], body.corners)

    def _simulate(self) -> None:
        recipe = self.recipe
        for frame in range(self.done + 1, recipe.last + 1):
            if self.cancelled.is_set():
                break
            unclean = len({row["frame"] for row in self.facts["rows"]})
            self.text = f"frame {frame} of {recipe.last}, {unclean} with intersections"
            self.progress = 0.2 + 0.8 * (frame - recipe.first) / (recipe.last - recipe.first)
            try:
                self._step(frame)
            except cloth.SimulationError as error:
                self.failure = f"Frame {frame} cannot be simulated: {in_words(error, *self.names)}"
                break
            self._write(frame)
            if (frame - recipe.first) % EVERY == 0:
                self._keep()
        self._keep()

    def _step(self, frame: int) -> None:
        """Moves everything to its place in a frame, in a step of its duration."""
        recipe, simulation = self.recipe, self.simulation
        index = recipe.index[frame]
        springs = 0
        for number, piece in enumerate(recipe.cloths):
            if piece.targets.moves(index):
                targets = piece.targets[index]
                simulation.move_pins(piece.pinned[: piece.exact], targets[: piece.exact], number)
                simulation.move_attachments(springs + np.arange(len(piece.stiffness)), targets[piece.exact :])
            springs += len(piece.stiffness)
        for number, body in enumerate(recipe.bodies):
            if body.places.moves(index):
                simulation.move_body(body.places[index], number)
        if recipe.wind.moves(index):
            simulation.set_wind(recipe.wind[index])
        step = simulation.step(1.0 / recipe.rate)
        self.facts["certified"] += int(step["certified"])
        self.facts["released"] += int(step["released"])
        if step["teleported"]:
            self.facts["cuts"].append(frame - recipe.first)

    def _write(self, frame: int) -> None:
        """Writes a frame, and judges it as Blender will show it."""
        recipe = self.recipe
        index = recipe.index[frame]
        shown = []
        is_cut_anew = any(not np.array_equal(body.triangles[index], body.triangles[0]) for body in recipe.bodies)
        for number, (piece, file) in enumerate(zip(recipe.cloths, self.caches)):
            local = piece.local(index, self.simulation.positions[self.simulation.vertices(number)])
            file.push(local)
            triangles = piece.shown(local)
            is_cut_anew |= not np.array_equal(triangles, piece.surface.triangles)
            places = moved(local, between(piece.matrices[index], recipe.space))
            shown.append(piece.surface._replace(positions=places, matrix=recipe.space, triangles=triangles))
        surfaces = [*shown, *(self._body(i, index) for i in range(len(recipe.bodies)))]
        # A quad that folds back is shown by its other diagonal.
        mesh = judge.joined(surfaces, len(shown), self.seams) if is_cut_anew else self.mesh
        rows, faces = judge.check_mesh(frame, surfaces, len(shown), mesh)
        if rows and is_cut_anew and cloth.is_clean(np.concatenate([surface.positions for surface in surfaces]), self.mesh):
            self.facts["by_diagonals"] += 1
        if recipe.bodies and (frame == recipe.last or (frame - recipe.first) % EVERY == 0):
            # Cloth within a body meets nothing.
            garments, worn = surfaces[: len(shown)], surfaces[len(shown) :]
            rows += [row for row in judge.check(frame, garments, worn)[0] if row["kind"] == judge.INSIDE]
        self.facts["rows"] += rows
        if rows:
            self.faces[frame] = faces
        self.facts["frame"] = frame

    def _keep(self) -> None:
        """Keeps what there is, so that a bake that ends here can go on."""
        for file in self.caches:
            file.flush()
        cache.write_snapshot(self.snapshot, self.facts, self.simulation.snapshot())

    def _write_stage(self) -> None:
        """Cloth and bodies for other programs, in metres and y up."""
        recipe = self.recipe
        self.text = "writing USD"

        def frames(piece: Cloth) -> Iterator[Any]:
            for index, local in enumerate(cache.frames(self.paths[piece.name])):
                yield y_up(moved(local, piece.matrices[index]))

        def worn(places: Frames) -> Iterator[Any]:
            for index in range(len(places)):
                yield y_up(moved(z_up(places[index]), recipe.space))

        garments = {piece.name: (frames(piece), piece.surface.triangles) for piece in recipe.cloths}
        bodies = {body.name: (worn(body.places), body.triangles[0]) for body in recipe.bodies}
        path = self.snapshot.with_suffix(".usda")
        cloth.write_usd(path, garments, rate=recipe.rate, bodies=bodies, cuts=self.facts["cuts"])

    def finish(self, context: Any) -> tuple[set[str], str]:
        recipe, facts = self.recipe, self.facts
        for piece in recipe.cloths:
            _play(by_name(piece.name), self.paths[piece.name], recipe.first)
        FOUND.clear()
        FOUND.update(self.faces)
        frames = self.done - recipe.first + 1
        unclean = len({row["frame"] for row in facts["rows"]})
        headline = judge.in_words(facts["rows"]) + judge.in_frames(unclean, frames)
        headline += f" at {recipe.rate:g} a second, {facts['certified']} certified"
        if facts["released"]:
            headline += f", {facts['released']:,} pairs with bodies released"
        if facts["cuts"]:
            headline += f", cut at frame {', '.join(str(recipe.first + cut) for cut in facts['cuts'])}"
        if self.done < recipe.last and not self.failure:
            headline += f"; cancelled after frame {self.done}, Resume goes on"
        if facts["by_diagonals"]:
            headline += f"; {facts['by_diagonals']} of them only as Blender cuts folded quads"
            if all(piece.is_fixed for piece in recipe.cloths):
                headline += f": a Triangulate modifier below {MODIFIER}, Quad Method Fixed, shows what was simulated"
        headline += recipe.doubts()
        results = show(context, judge.in_words(facts["rows"]), headline, facts["rows"])
        results.certified, results.released, results.frames_unclean = facts["certified"], facts["released"], unclean
        mark(context, [piece.name for piece in recipe.cloths], context.scene.frame_current)
        if self.failure:
            raise Fault(f"{self.failure}; what is baked can be played")
        return {"FINISHED"}, headline


def _play(thing: Any, path: Path, first: int) -> None:
    """Lets an object play its cache."""
    place = place_of_modifier(thing)
    modifier = thing.modifiers.get(MODIFIER) or thing.modifiers.new(MODIFIER, "MESH_CACHE")
    thing.modifiers.move(thing.modifiers.find(modifier.name), place)
    modifier.cache_format = "PC2"
    modifier.filepath = bpy.path.relpath(str(path))
    modifier.frame_start = float(first)
    modifier.frame_scale = 1.0
    modifier.play_mode, modifier.time_mode, modifier.deform_mode = "SCENE", "FRAME", "OVERWRITE"
    modifier.forward_axis, modifier.up_axis = "POS_Y", "POS_Z"


class CLOTH_JUDGE_OT_bake(JobOperator, bpy.types.Operator):
    """Simulate selected meshes as cloth and play the result: certified step by step, from any start, at any frame"""

    bl_idname = "cloth_judge.bake"
    bl_label = "Bake Certified Cloth"
    bl_options = {"REGISTER", "UNDO"}

    resume: bpy.props.BoolProperty(name="Resume", description="Go on where a bake was interrupted", options={"SKIP_SAVE"})

    def make(self, context: Any) -> Job:
        return BakeJob(context, self.resume)


class CLOTH_JUDGE_OT_free(bpy.types.Operator):
    """Delete the baked motion of selected meshes, with its cache and snapshot"""

    bl_idname = "cloth_judge.free"
    bl_label = "Delete Certified Bake"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: Any) -> set[str]:
        try:
            for thing in chosen(context):
                modifier = thing.modifiers.get(MODIFIER)
                if modifier is not None and modifier.type == "MESH_CACHE":
                    Path(bpy.path.abspath(modifier.filepath)).unlink(missing_ok=True)
                    thing.modifiers.remove(modifier)
                if thing.name in cache.owners(snapshot_path()):
                    snapshot_path().unlink()
        except (Fault, OSError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


CLASSES = (CLOTH_JUDGE_OT_bake, CLOTH_JUDGE_OT_free)
