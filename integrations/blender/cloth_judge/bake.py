# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake: cloth that falls, hangs and is worn, as a point cache."""

from __future__ import annotations

import hashlib
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
from .recipe import MODIFIER, TRIANGLES, Cloth, Recipe, own_modifier, place_of_modifier
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
    # What stands behind the last two underscores is the object, and the file before it cannot be taken for another.
    safe = re.sub(r'[%/\\:*?"<>|\x00-\x1f]|^_|(?<=_)_', lambda found: f"%{ord(found[0]):02x}", name)
    return base.with_name(f"{base.name}__{safe}.pc2")


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
        for name, path in self.paths.items():
            for other in bpy.data.objects:
                if other.type != "MESH" or other.name == name:
                    continue
                # Some systems take names for one that differ in the case of letters.
                if other.name.lower() == name.lower():
                    raise Fault(f"{name} and {other.name} would have one file for their caches: rename one of them")
                if path in _played([other]):
                    raise Fault(f"{other.name} plays {path.name}, which the bake of {name} would replace: delete the bake of {other.name}, or rename {name}")
        self.snapshot = snapshot_path()
        self.format = context.scene.cloth_judge.format
        self.facts: dict[str, Any] = {"frame": self.recipe.first, "rows": [], "released": 0, "certified": 0, "by_diagonals": [], "cuts": [], "names": list(self.paths)}
        self.state: bytes | None = None
        if resume:
            self.facts, self.state = cache.read_snapshot(self.snapshot)
            if self.done > self.recipe.last:
                raise Fault(f"The bake has come to frame {self.done}, and is to end at {self.recipe.last}: set its end behind that, or bake from the start")
        self.caches: list[cache.PointCache] = []
        self.faces: dict[int, judge.Faces] = {}
        self.meshes: dict[bytes, cloth.Mesh] = {}
        self.failure = ""

    @property
    def done(self) -> int:
        """The last frame that is baked."""
        return int(self.facts["frame"])

    def read(self, context: Any) -> Iterator[None]:
        for frame, name in self.recipe.read(context):
            self.text = f"reading frame {frame}, {name}"
            self.progress = 0.2 * (frame - self.recipe.first) / (self.recipe.last - self.recipe.first + 1)
            yield

    def work(self) -> None:
        recipe = self.recipe
        self.text = "preparing"
        for frame in range(recipe.first + 1, self.done + 1):
            recipe.pass_frame(frame)
        if self.state is not None and self.facts["print"] != recipe.hash.hexdigest():
            raise Fault("The scene has changed since the bake was interrupted: bake from the start")
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
        """The simulation, at the start or as it was interrupted."""
        recipe = self.recipe
        bodies = [cloth.Body(body.places[0], body.triangles[0]) for body in recipe.bodies]
        wind = {"velocity": recipe.wind[0].tolist(), "drag": 1.2, "lift": 0.0, "gusts": None}
        pieces = [piece.described() for piece in recipe.cloths]
        self.simulation = cloth.Simulation(pieces, bodies, settings={**recipe.settings, "wind": wind})
        if self.state is not None:
            try:
                self.simulation.restore(self.state)
            except cloth.SimulationError as error:
                raise Fault(f"{self.snapshot}: {error}: bake from the start") from None
            self.simulation.set_wind(recipe.wind[self.done - recipe.first])
        self.starts = np.cumsum([0, *(piece.count for piece in recipe.cloths)])

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
        index = frame - recipe.first
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
        recipe.pass_frame(frame)
        self.facts["certified"] += int(step["certified"])
        self.facts["released"] += int(step["released"])
        if step["teleported"]:
            self.facts["cuts"].append(frame - recipe.first)

    def _write(self, frame: int) -> None:
        """Writes a frame, and judges it as Blender will show it."""
        recipe = self.recipe
        index = frame - recipe.first
        shown, closed = [], []
        for number, (piece, file) in enumerate(zip(recipe.cloths, self.caches)):
            local = piece.local(index, self.simulation.positions[self.simulation.vertices(number)])
            file.push(local)
            places = moved(local, between(piece.matrices[index], recipe.space))
            shown.append(piece.surface._replace(positions=places, matrix=recipe.space, triangles=piece.shown(local)))
            gaps = np.linalg.norm(places[piece.seams[:, 0]] - places[piece.seams[:, 1]], axis=1)
            closed.append(piece.seams[gaps <= piece.seam_distance] + self.starts[number])
        bodies = [self._body(number, index) for number in range(len(recipe.bodies))]
        seams = np.concatenate(closed)
        rows, faces = judge.check_mesh(frame, [*shown, *bodies], len(shown), self._mesh([*shown, *bodies], seams))
        # A quad that folds back is shown by its other diagonal, unless it is cut as it was simulated.
        cut = [surface._replace(triangles=piece.surface.triangles) for surface, piece in zip(shown, recipe.cloths)]
        if any(not np.array_equal(one.triangles, other.triangles) for one, other in zip(cut, shown)):
            as_cut = judge.check_mesh(frame, [*cut, *bodies], len(shown), self._mesh([*cut, *bodies], seams))[0]
            if as_cut != rows:
                self.facts["by_diagonals"].append([frame, rows])
                rows = as_cut
        if recipe.bodies and (frame == recipe.last or (frame - recipe.first) % EVERY == 0):
            # Cloth within a body meets nothing.
            rows += [row for row in judge.check(frame, shown, bodies)[0] if row["kind"] == judge.INSIDE]
        self.facts["rows"] += rows
        self.faces[frame] = faces
        self.facts["frame"] = frame

    def _mesh(self, surfaces: list[Surface], seams: Any) -> cloth.Mesh:
        """What surfaces are judged by, closed seams left out; most frames have that of the frame before."""
        key = hashlib.sha256(seams.tobytes() + b"".join(surface.triangles.tobytes() for surface in surfaces)).digest()
        if key not in self.meshes:
            # Those of this frame, as shown and as cut.
            self.meshes = dict([*self.meshes.items()][-1:])
            self.meshes[key] = judge.joined(surfaces, len(self.recipe.cloths), seams)
        return self.meshes[key]

    def _keep(self) -> None:
        """Keeps what there is, so that a bake that ends here can go on."""
        self.facts["print"] = self.recipe.hash.hexdigest()
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
        rows, folded = facts["rows"], dict(facts["by_diagonals"])
        shown = [row for row in rows if row["frame"] not in folded or row["kind"] == judge.INSIDE]
        shown = sorted([*shown, *(row for each in folded.values() for row in each)], key=lambda row: row["frame"])
        is_better = sum(row["count"] for row in rows) < sum(row["count"] for row in shown)
        is_cut = is_better and context.scene.cloth_judge.cut_quads and all(piece.is_fixed for piece in recipe.cloths)
        for piece in recipe.cloths:
            if len(by_name(piece.name).data.vertices) != piece.count:
                raise Fault(f"{piece.name}: its mesh has been edited meanwhile: bake it again")
            _play(by_name(piece.name), self.paths[piece.name], recipe.first, is_cut)
        FOUND.clear()
        rows = rows if is_cut else shown
        FOUND.update({row["frame"]: self.faces[row["frame"]] for row in rows if row["frame"] in self.faces})
        frames = self.done - recipe.first + 1
        unclean = len({row["frame"] for row in rows})
        headline = judge.in_words(rows) + judge.in_frames(unclean, frames)
        headline += f" at {recipe.rate:g} a second, {facts['certified']} certified"
        if facts["released"]:
            headline += f", {facts['released']:,} pairs with bodies released"
        if facts["cuts"]:
            headline += f", cut at frame {', '.join(str(recipe.first + cut) for cut in facts['cuts'])}"
        if self.done < recipe.last and not self.failure:
            headline += f"; cancelled after frame {self.done}, Resume goes on"
        if folded:
            headline += f"; {len(folded)} frames intersect otherwise as Blender cuts folded quads than as simulated"
            headline += f", which the modifier {TRIANGLES} shows" if is_cut else ""
        headline += recipe.doubts()
        results = show(context, judge.in_words(rows), headline, rows)
        results.certified, results.released, results.frames_unclean = facts["certified"], facts["released"], unclean
        mark(context, [piece.name for piece in recipe.cloths], context.scene.frame_current)
        if self.failure:
            raise Fault(f"{self.failure}; what is baked can be played")
        return {"FINISHED"}, headline


def _play(thing: Any, path: Path, first: int, is_cut: bool) -> None:
    """Lets an object play its cache, and shows its quads by the triangles that were simulated."""
    place = place_of_modifier(thing)
    # With whatever a user has set in them.
    _remove_modifiers(thing)
    if is_cut:
        triangles = thing.modifiers.new(TRIANGLES, "TRIANGULATE")
        triangles.quad_method = "FIXED"
        thing.modifiers.move(len(thing.modifiers) - 1, place)
    modifier = thing.modifiers.new(MODIFIER, "MESH_CACHE")
    thing.modifiers.move(len(thing.modifiers) - 1, place)
    modifier.cache_format = "PC2"
    modifier.filepath = bpy.path.relpath(str(path))
    modifier.frame_start = float(first)
    modifier.frame_scale = 1.0
    modifier.play_mode, modifier.time_mode, modifier.deform_mode = "SCENE", "FRAME", "OVERWRITE"
    modifier.forward_axis, modifier.up_axis = "POS_Y", "POS_Z"


def _remove_modifiers(thing: Any) -> None:
    for modifier in (own_modifier(thing), thing.modifiers.get(TRIANGLES)):
        if modifier is not None:
            thing.modifiers.remove(modifier)


class CLOTH_JUDGE_OT_bake(JobOperator, bpy.types.Operator):
    """Simulate selected meshes as cloth and play the result: certified step by step, from any start, at any frame"""

    bl_idname = "cloth_judge.bake"
    bl_label = "Bake Certified Cloth"
    bl_options = {"REGISTER", "UNDO"}

    resume: bpy.props.BoolProperty(name="Resume", description="Go on where a bake was interrupted", options={"SKIP_SAVE"})

    def make(self, context: Any) -> Job:
        return BakeJob(context, self.resume)


def _played(things: Any) -> set[Path]:
    """The caches that objects play; a copy plays that of its original."""
    modifiers = (modifier for thing in things for modifier in thing.modifiers if modifier.type == "MESH_CACHE")
    return {Path(bpy.path.abspath(modifier.filepath)) for modifier in modifiers}


class CLOTH_JUDGE_OT_free(bpy.types.Operator):
    """Delete the baked motion of selected meshes, with its cache and snapshot"""

    bl_idname = "cloth_judge.free"
    bl_label = "Delete Certified Bake"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: Any) -> set[str]:
        try:
            for thing in chosen(context):
                _remove_modifiers(thing)
                path = cache_path(thing.name)
                if path not in _played(bpy.data.objects):
                    path.unlink(missing_ok=True)
                if thing.name in cache.owners(snapshot_path()):
                    snapshot_path().unlink()
        except (Fault, OSError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


CLASSES = (CLOTH_JUDGE_OT_bake, CLOTH_JUDGE_OT_free)
