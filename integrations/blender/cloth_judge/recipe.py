# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake simulates: cloths, pins, bodies and wind of a scene, frame by frame."""

from __future__ import annotations

import hashlib
import json
from contextlib import ExitStack
from collections.abc import Iterator
from typing import Any

import numpy as np

import cloth

from .read import DEFORM, Fault, Surface, between, bodies, chosen, each_frame, hidden, local, moved, numbers, object_mode, read, unscaled, y_up, z_up
from .spool import Frames

MODIFIER = "Cloth Judge"
STEPS_A_SECOND = 960
"""Of the solver, where the user wants no other number: 16 in a frame of 1/60 s."""
SHORT, LONG = 0.05, 10.0
"""Cloth that is shorter or longer (m) likely has another unit."""
FOLLOWS = frozenset("ARMATURE CURVE HOOK LATTICE MESH_DEFORM SURFACE_DEFORM".split())
"""Types of modifiers that bring a mesh elsewhere, which must not happen to baked cloth again."""
EXACT = 0.999
"""The weight from which on a pin holds exactly; weights are painted, and stored in single precision."""


def own_modifier(thing: Any) -> Any:
    """The modifier that plays the bake of an object; None without one."""
    modifier = thing.modifiers.get(MODIFIER)
    if modifier is not None and modifier.type != "MESH_CACHE":
        raise Fault(f"{thing.name} has another modifier named {MODIFIER}: rename it")
    return modifier


def place_of_modifier(thing: Any) -> int:
    """Where in the stack of an object its baked motion stands: behind what moves the mesh, before what makes
    faces."""
    for index, modifier in enumerate(thing.modifiers):
        if modifier.name == MODIFIER or modifier.type not in DEFORM:
            return index
    return len(thing.modifiers)


class Cloth:
    """A cloth and its motion as animated."""

    def __init__(self, thing: Any) -> None:
        self.thing, self.name, self.settings = thing, thing.name, thing.cloth_judge
        self.matrices: list[Any] = []
        self.targets = Frames()
        """Of each frame where pinned vertices are to be (m), y up."""
        own_modifier(thing)
        behind = [m for m in list(thing.modifiers)[place_of_modifier(thing) :] if m.show_viewport and m.name != MODIFIER]
        for modifier in behind:
            if modifier.type in FOLLOWS:
                raise Fault(f"{self.name}: its modifier {modifier.name} would move the baked cloth once more: move it above the modifiers that make faces")
        for modifier in thing.modifiers:
            if modifier.show_viewport and modifier.type == "CLOTH":
                raise Fault(f"{self.name} has Blender's own Cloth, too: switch one of them off")

    def _read_pins(self, thing: Any) -> None:
        """Vertices that are held, and how firmly."""
        weights = np.zeros(self.count)
        if self.settings.pin_group:
            group = thing.vertex_groups.get(self.settings.pin_group)
            if group is None:
                raise Fault(f"{self.name} has no vertex group {self.settings.pin_group}: choose another pin group")
            for vertex in thing.data.vertices:
                for entry in vertex.groups:
                    if entry.group == group.index:
                        weights[vertex.index] = entry.weight
        self._weights = weights

    def _read_seams(self, data: Any) -> None:
        """Edges without faces, which are sewn."""
        self._seams = np.empty((0, 2), np.int64)
        if self.settings.use_sewing:
            edges = numbers(data.edges, "vertices", np.int32, 2)
            of_faces = {key for face in data.polygons for key in face.edge_keys}
            loose = [tuple(sorted(edge)) not in of_faces for edge in edges.tolist()]
            self._seams = edges[np.array(loose, bool)].astype(np.int64).reshape(-1, 2)

    def push(self, space: Any) -> Any:
        """Reads the frame that is shown into a space, that of the cloth by default, and returns it."""
        surface = unscaled(read(self.thing))
        if not self.matrices:
            self.count = len(self.thing.data.vertices)
        if len(surface.positions) != self.count:
            raise Fault(f"{self.name}: its modifiers make {len(surface.positions)} vertices of {self.count}: move those that do below {MODIFIER}")
        if not self.matrices:
            self.space = surface.matrix if space is None else space
            self._begin(surface)
        self.matrices.append(surface.matrix)
        self.targets.push(y_up(surface.seen_from(self.space))[self.used[self.pinned]])
        return self.space

    def _begin(self, surface: Surface) -> None:
        self._read_pins(self.thing)
        self._read_seams(self.thing.data)
        # Quads, of which Blender shows the two triangles on the diagonal that does not fold back.
        sides = np.bincount(surface.origin)[surface.origin]
        self._firsts = np.flatnonzero((sides == 2) & (np.diff(surface.origin, prepend=-1) > 0))
        loops = numbers(self.thing.data.polygons, "loop_start", np.int32)[surface.origin[self._firsts]]
        self._quads = surface.corners[loops[:, None] + np.arange(4)]
        self.surface = surface
        self.is_fixed = not self._folded(surface.positions).any()
        """Whether quads are cut as a modifier Triangulate cuts them by its method Fixed."""
        # Other vertices of no face have no mass. They stay as they are in the mesh.
        sewn = np.unique(self._seams[np.isin(self._seams, surface.triangles).any(axis=1)])
        loose = sewn[~np.isin(sewn, surface.triangles) & (self._weights[sewn] < EXACT)]
        if len(loose):
            raise Fault(f"{self.name}: vertex {loose[0]} is sewn, but has no face and is not pinned with weight 1: do one of both")
        self.used = np.union1d(surface.triangles, sewn)
        number = np.full(self.count, -1, np.int64)
        number[self.used] = np.arange(len(self.used))
        self.faces = number[surface.triangles]
        held = self._weights[self.used]
        exact, springs = np.flatnonzero(held >= EXACT), np.flatnonzero((held > 0) & (held < EXACT))
        self.exact = len(exact)
        self.pinned = np.concatenate([exact, springs])
        """Those that are held exactly, then those that springs hold."""
        self.stiffness = self.settings.pin_stiffness * held[springs]
        self.seams = self._seams[np.isin(self._seams, self.used).all(axis=1)]
        self._sewn = number[self.seams]
        ends = surface.positions[surface.triangles].astype(np.float64)
        shortest = float(np.linalg.norm(ends - np.roll(ends, 1, axis=1), axis=2).min())
        self.seam_distance = 0.5 * (self.settings.thickness or 0.5 * shortest)
        """How near (m) the ends of a seam are where it is closed: half of the distance that cloth keeps."""
        self.keys = self._keys(surface)

    def shown(self, positions: Any) -> Any:
        """(m, 3) the triangles that Blender shows in a frame, of (n, 3) positions of the object's space."""
        triangles, folded = self.surface.triangles.copy(), self._folded(positions)[:, None]
        for side, (plain, other) in enumerate((([0, 1, 2], [0, 1, 3]), ([0, 2, 3], [1, 2, 3]))):
            triangles[self._firsts + side] = np.where(folded, self._quads[:, other], self._quads[:, plain])
        return triangles

    def _folded(self, positions: Any) -> Any:
        """For each quad, whether it folds back on its first diagonal, so that Blender cuts it by the other."""
        a, b, c, d = (positions[self._quads[:, i]] for i in range(4))
        folded: Any = (np.cross(b - a, c - a) * np.cross(d - a, c - a)).sum(axis=1) > 0
        return folded

    def local(self, index: int, places: Any) -> Any:
        """(n, 3) float32 positions in the space of the object, of (k, 3) places (m), y up."""
        positions = self.surface.positions.copy()
        positions[self.used] = moved(z_up(places), between(self.space, self.matrices[index]))
        return positions

    def _keys(self, surface: Any) -> dict[str, Any]:
        """What the simulation is told besides mesh and pins."""
        settings = self.settings
        keys: dict[str, Any] = {"name": self.name, "material": settings.fabric.lower(), "friction": settings.friction}
        fabrics = self._fabrics(surface)
        if fabrics:
            keys["face_materials"] = fabrics
        if settings.thickness > 0:
            keys["thickness"] = settings.thickness
        if settings.layer > 0:
            keys["layer"] = settings.layer
        if len(self._sewn):
            keys["stitches"] = [{"vertex": a, "edge": [b, b], "ratio": 0.0} for a, b in self._sewn.tolist()]
        if settings.rest_shape_key:
            shapes = self.thing.data.shape_keys
            shape = shapes.key_blocks.get(settings.rest_shape_key) if shapes else None
            if shape is None:
                raise Fault(f"{self.name} has no shape key {settings.rest_shape_key}: choose another rest shape key")
            keys["rest"] = y_up(numbers(shape.data, "co", np.float32, 3).astype(np.float64))[self.used]
        return keys

    def _fabrics(self, surface: Any) -> list[dict[str, Any]]:
        """Fabrics of faces whose material names one."""
        slots = self.thing.material_slots
        # A face beyond the slots has the last of them.
        of_face = np.minimum(numbers(self.thing.data.polygons, "material_index", np.int32)[surface.origin], len(slots) - 1)
        found = []
        for slot, material in enumerate(each.material for each in slots):
            fabric = material.cloth_judge.fabric if material else "OBJECT"
            faces = np.flatnonzero(of_face == slot)
            if fabric != "OBJECT" and len(faces):
                found.append({"faces": faces.tolist(), "material": fabric.lower()})
        return found

    def described(self) -> cloth.Cloth:
        """The cloth at the start."""
        held = zip(self.pinned[self.exact :].tolist(), self.targets[0][self.exact :].tolist(), self.stiffness.tolist())
        springs = [{"vertex": v, "target": target, "compliance": 1.0 / stiffness} for v, target, stiffness in held]
        start = y_up(self.surface.seen_from(self.space))[self.used]
        return cloth.Cloth(start, self.faces, pins=self.pinned[: self.exact], attachments=springs, **self.keys)


class Body:
    """A body and its motion."""

    def __init__(self, thing: Any) -> None:
        self.thing, self.name = thing, thing.name
        self.places = Frames()
        self.triangles = Frames()
        """(m, 3) of each frame as Blender shows them; those of the first are simulated."""
        self.corners: Any = None

    def push(self, space: Any) -> Any:
        """Reads the frame that is shown into a space, and returns it."""
        surface = read(self.thing)
        if self.corners is None:
            self.corners = surface.corners
        elif not np.array_equal(surface.corners, self.corners):
            raise Fault(f"{self.name}: its faces change with the animation: a body needs one mesh")
        self.places.push(y_up(surface.seen_from(space)))
        self.triangles.push(surface.triangles)
        return space


class Recipe:
    """Everything that a bake needs of Blender."""

    def __init__(self, context: Any) -> None:
        scene = context.scene
        settings = scene.cloth_judge
        self.first, self.last = settings.frame_start, settings.frame_end
        if self.last < self.first:
            raise Fault(f"The bake ends at frame {self.last}, before its start at {self.first}")
        if scene.render.frame_map_old != scene.render.frame_map_new:
            raise Fault("The scene stretches time (Output, Frame Rate, Time Stretching), by which caches are played: set Old and New to one number")
        self.rate = scene.render.fps / scene.render.fps_base
        self.cloths = [Cloth(thing) for thing in local(chosen(context))]
        self.bodies = [Body(thing) for thing in bodies(context)]
        self.space: Any = None
        """That of the first cloth in the first frame, in which everything is simulated: bits of a cloth that does not
        move as a whole are those of its cache, however far it is from the origin."""
        self.winds = [thing for thing in scene.objects if thing.field is not None and thing.field.type == "WIND"]
        self.wind = Frames()
        self.gravity = np.array(scene.gravity, np.float64) if scene.use_gravity else np.zeros(3)
        steps = settings.quality or max(1, round(STEPS_A_SECOND / self.rate))
        self.settings: dict[str, Any] = {"substeps": steps, "teleport": True}

    def read(self, context: Any) -> Iterator[tuple[int, str]]:
        """Reads every frame."""
        with object_mode(context), ExitStack() as stack:
            hides = []
            for piece in self.cloths:
                own = list(piece.thing.modifiers)[place_of_modifier(piece.thing) :]
                hides.append(stack.enter_context(hidden(own)))
            things = [piece.thing for piece in self.cloths]
            for frame in each_frame(context, range(self.first, self.last + 1), things):
                for hide in hides:
                    hide()
                for piece in (*self.cloths, *self.bodies):
                    self.space = piece.push(self.space)
                    yield frame, piece.name
                self.wind.push(self.direction(self._wind()))
        self.settings["gravity"] = self.direction(self.gravity).tolist()
        self._begin_hash()

    def _wind(self) -> Any:
        """The velocity of the air (m/s): the strength of each wind is a speed along its axis z."""
        total = np.zeros(3)
        for thing in self.winds:
            axis = np.array(thing.matrix_world, np.float64)[:3, 2]
            total += thing.field.strength * axis / max(np.linalg.norm(axis), 1e-30)
        return total

    def direction(self, vector: Any) -> Any:
        """A direction of the world in the space of the simulation, y up."""
        return y_up((vector @ self.space[:3, :3] if not np.array_equal(self.space, np.eye(4)) else vector)[None])[0]

    def doubts(self) -> str:
        """What is odd about sizes, for the end of a sentence."""
        found = ""
        for piece in self.cloths:
            with np.errstate(over="ignore"):
                size = float(np.ptp(piece.surface.positions[piece.used], axis=0).max())
            if not SHORT <= size <= LONG:
                found += f"; {piece.name} is {size:.3g} m long: is that its size?"
        return found

    def _begin_hash(self) -> None:
        """A hash of what the bake begins with."""
        found = hashlib.sha256(json.dumps([self.first, self.rate, self.settings]).encode())
        for piece in self.cloths:
            rest = piece.keys.get("rest", np.empty(0))
            found.update(json.dumps({**piece.keys, "rest": None}).encode())
            begun = piece.surface
            for array in (begun.positions, begun.triangles, piece.pinned, piece.stiffness, rest):
                found.update(np.ascontiguousarray(array).tobytes())
        for body in self.bodies:
            found.update(body.places[0].tobytes() + body.triangles[0].tobytes())
        self.hash = found
        self.pass_frame(self.first)

    def pass_frame(self, frame: int) -> None:
        """Takes a frame into the hash, which is that of everything a bake has met up to it."""
        index = frame - self.first
        self.hash.update(self.wind[index].tobytes())
        for piece in self.cloths:
            self.hash.update(piece.matrices[index].tobytes() + piece.targets[index].tobytes())
        for body in self.bodies:
            if body.places.moves(index):
                self.hash.update(body.places[index].tobytes())
