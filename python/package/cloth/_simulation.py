"""Simulation of cloth, certified substep by substep."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _cloth
from ._arrays import coordinates, floats, numbers
from ._changes import Changes, Edit, check_index
from ._describe import Body, Cloth, Collider, pose
from ._errors import InputError, SimulationError
from ._reads import Reads
from ._scene import suggestions, to_json, to_toml
from ._steps import STEP, Cut, PinEvent
from ._waypoints import Waypoints

Preset = Literal["game", "default", "film"]
Settings = Mapping[str, Any]
Motion = npt.ArrayLike | tuple[npt.ArrayLike, npt.ArrayLike]


class Simulation(Changes, Reads):
    """Cloths, bodies and colliders that move together. Equal calls give equal bits, on any number of
    threads. Calls from several threads wait for each other. A process that is forked while another thread is
    in a call of a simulation has none of its state: calls raise `ClothError` there."""

    def __init__(
        self,
        cloths: Cloth | Iterable[Cloth],
        bodies: Iterable[Body] = (),
        colliders: Iterable[Collider] = (),
        *,
        preset: Preset = "default",
        settings: Settings | None = None,
        interactions: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Builds a simulation at its start, time 0.

        Args:
            cloths: at least one.
            bodies: meshes that the caller moves.
            colliders: shapes that the caller moves, and rigid bodies.
            preset: settings to begin with: "game" is fast, "film" stretches least.
            settings: replaces some of them; the names are those of scene files and of the Rust type
                `Settings`. Threads are those of the package, see `threads`. `teleport` is True, False or a
                dict of `metres`, `sides`, `speed` (m/s) and `degrees`: from when on a motion of pins or
                bodies in one step is a cut, which takes the cloth along.
            interactions: what regions of cloths do about each other: dicts of `between` and `kind`.

        Raises:
            InputError: an unknown name or a number that does not fit; the text names the nearest.
            SimulationError: the solver refuses the scene, such as a face with equal corners.
        """
        self._cloths = [cloths] if isinstance(cloths, Cloth) else list(cloths)
        if not self._cloths:
            raise InputError("`cloths` is empty; a simulation needs one")
        self._arguments: tuple[Any, ...] = (self._cloths, list(bodies), list(colliders))
        self._keywords = {"preset": preset, "settings": settings, "interactions": interactions}
        texts = [preset, to_json("settings", settings or {}), to_json("interactions", interactions)]
        with suggestions():
            native = _cloth.Simulation(
                [cloth._native() for cloth in self._cloths],
                [body._native() for body in self._arguments[1]],
                [collider._json for collider in self._arguments[2]],
                texts,
            )
        self._start(native, [cloth.name for cloth in self._cloths])

    @classmethod
    def from_scene(
        cls, scene: str | os.PathLike[str] | Mapping[str, Any], folder: str | os.PathLike[str] | None = None
    ) -> Simulation:
        """Builds the simulation of a scene file, with the bodies, characters and pins that move in it.

        Args:
            scene: a scene file, or its content as a dict with the same tables (`garment`, `body`, ...).
            folder: of a dict: where the files lie that it names; the present one by default.

        Raises:
            FileError: a file cannot be read, or a key or value in it is wrong; the text names it.
            InputError: something in a dict is None, NaN or of no type that scene files have.
        """
        if isinstance(scene, Mapping):
            path, text = pathlib.Path(folder or ".").absolute() / "scene", to_toml(scene)
        else:
            path, text = pathlib.Path(scene).absolute(), None
        return cls._from_text(str(path), text)

    @classmethod
    def _from_text(cls, path: str, text: str | None) -> Simulation:
        simulation = cls.__new__(cls)
        native = _cloth.Simulation.from_scene(path, text)
        simulation._arguments, simulation._keywords = (path, text), {}
        simulation._start(native, native.names)
        return simulation

    def _start(self, native: _cloth.Simulation, names: Sequence[str | None]) -> None:
        self._native = native
        self._names = list(names)
        self._parts = native.cloths
        self._made = []

    @property
    def positions(self) -> npt.NDArray[np.float32]:
        """(n, 3) positions (m) of all cloths, then of all bodies: a view that cannot be written and that
        follows the simulation. Copy it to keep it, and before another thread takes a step."""
        view = self._native.positions.view()
        view.flags.writeable = False
        return view

    @property
    def velocities(self) -> npt.NDArray[np.float32]:
        """(n, 3) velocities (m/s), a copy."""
        return self._native.velocities

    @property
    def faces(self) -> npt.NDArray[np.uint32]:
        """(m, 3) faces of all cloths, then of all bodies, a copy."""
        return self._native.faces

    @property
    def vertex_count(self) -> int:
        """Number of vertices of all cloths and bodies."""
        return self._native.vertex_count

    @property
    def cloth_names(self) -> list[str | None]:
        """The names of the cloths, in their order."""
        return list(self._names)

    def vertices(self, cloth: int | str = 0) -> slice:
        """The rows of `positions` of a cloth, by number or name."""
        begin, end, _, _ = self._parts[self._cloth(cloth)]
        return slice(begin, end)

    def cloth_faces(self, cloth: int | str = 0) -> slice:
        """The rows of `faces` of a cloth, by number or name."""
        _, _, begin, end = self._parts[self._cloth(cloth)]
        return slice(begin, end)

    def body_vertices(self, body: int = 0) -> slice:
        """The rows of `positions` of a mesh body."""
        bodies = self._native.bodies
        return slice(*bodies[check_index("body", body, len(bodies))])

    @property
    def collider_poses(self) -> npt.NDArray[np.float32]:
        """(k, 7) position (m) and rotation (a quaternion x, y, z, w) of each collider, a copy."""
        return self._native.collider_poses

    @property
    def time(self) -> float:
        """Simulated time (s)."""
        return self._native.time

    @property
    def dt(self) -> float:
        """Duration of a step (s) that a call of `step` has by default: that of the scene file, or 1/60."""
        return self._native.dt

    def step(
        self, dt: float | None = None, count: int = 1, *, waypoints: Waypoints | None = None
    ) -> np.void:
        """Takes steps. Pins, bodies and colliders move to their targets in the first of them, and what moves
        in a scene file in each; over a cut they are there at once, with their cloth (`cuts`). Ctrl-C ends the
        call after a step.

        Args:
            dt: duration of a step (s).
            count: number of steps.
            waypoints: where what moves is within the step; of one step, and not of a scene with a character.

        Returns:
            A record of `STEP`.

        Raises:
            SimulationError: `dt` is not finite and above 0, or the solver diverges. The simulation is then as
                before the step that failed; steps before it count.
        """
        duration, count = check_steps(self.dt if dt is None else dt, count)
        if waypoints is not None and count != 1:
            raise InputError("waypoints are those of one step; pass `count=1`")
        resolved = None if waypoints is None else waypoints._of(self)
        record, failed = self._native.step(duration, count, resolved)
        if failed is not None:
            raise SimulationError(failed)
        row: np.void = np.frombuffer(record, STEP)[0]
        return row

    @property
    def report(self) -> dict[str, Any]:
        """Everything that the solver reports of the last step."""
        report: dict[str, Any] = json.loads(self._native.report())
        return report

    @property
    def cuts(self) -> list[Cut]:
        """The cloths that were teleported at the start of the last step, because what they are fixed to went
        farther, faster or through a larger angle than the setting `teleport` allows. Nothing is swept between
        the two places; the state after a cut is judged like a start."""
        return [Cut(*cut) for cut in self._native.cuts]

    @property
    def pin_events(self) -> list[PinEvent]:
        """What happened to timed pins of the scene file (`from`, `until`, `release`) in the last call of
        `step`, in the order of its steps."""
        return [PinEvent(*event) for event in self._native.pin_events]

    def is_clean(self) -> bool:
        """Whether no cloth intersects itself, another one or a body, no face of cloth lies on another, and
        none is folded flat on its neighbour, decided exactly."""
        return self._native.is_clean()

    def count_intersections(self) -> int:
        """Number of intersections of cloths with themselves, each other and bodies, decided exactly."""
        return self._native.count_intersections()

    def state_hash(self) -> int:
        """A hash of all bits of positions and velocities, equal on every machine."""
        return self._native.state_hash()

    def move_pin(self, vertex: int, target: npt.ArrayLike, cloth: int | str = 0) -> None:
        """Moves a pinned vertex to a target (m) in the next step; see `move_pins`."""
        self.move_pins([vertex], floats("target", target, (3,))[None], cloth)

    def move_pins(self, vertices: npt.ArrayLike, targets: npt.ArrayLike, cloth: int | str = 0) -> None:
        """Moves pinned vertices of a cloth, linearly in the next step.

        Args:
            vertices: (k,) vertices, counted in their cloth.
            targets: (k, 3) where they are to be (m).
            cloth: its number or name.

        Raises:
            InputError: a shape or type is wrong, or a target is not finite or beyond 1e7 m.
            MeshError: vertices are not integers of at least 0.
            SimulationError: there is no such vertex, or it is not pinned; nothing has changed then.
        """
        which = numbers("vertices", vertices, np.uint32)
        places = coordinates("targets", targets, (len(which), 3))
        self._native.move_pins(self._cloth(cloth), which, places)

    def pin(self, vertices: npt.ArrayLike, cloth: int | str = 0, *, compliance: float = 0.0) -> None:
        """Pins vertices of a cloth where they are.

        Args:
            vertices: (k,) vertices, counted in their cloth.
            cloth: its number or name.
            compliance: (m/N) of springs that hold them; 0 holds them exactly. A spring that the cloth does not
                have yet costs an `edit` of its `attachments`, where `attachments()` has its force.

        Raises:
            SimulationError: there is no such vertex; nothing has changed then.
        """
        number, which = self._cloth(cloth), numbers("vertices", vertices, np.uint32)
        if not 0.0 <= compliance < np.inf:
            raise InputError(f"`compliance` is {compliance}; it must be finite and not negative")
        if compliance == 0.0:
            self._native.set_pinned(number, which, True)
        else:
            made = _cloth.pin_softly(self._native, number, which, float(compliance))
            if made is not None:
                change = [(number, f'{{"attachments": {made}}}')]
                self._made.append(("edit", tuple(Edit([], [], [], [], change, "[]"))))

    def unpin(self, vertices: npt.ArrayLike, cloth: int | str = 0) -> None:
        """Unpins vertices of a cloth, and switches off springs that hold them; others are left as they are.

        Raises:
            SimulationError: there is no such vertex, or its description gives it no finite mass; nothing has
                changed then.
        """
        self._native.set_pinned(self._cloth(cloth), numbers("vertices", vertices, np.uint32), False)

    def move_body(self, positions: npt.ArrayLike, body: int = 0, *, at_once: bool = False) -> None:
        """Moves the vertices of a mesh body, linearly in the next step.

        Args:
            positions: (n, 3) positions (m).
            body: its number.
            at_once: it is there without a way: nothing is swept, intersections become tangles.

        Raises:
            InputError: a shape or type is wrong, or a position is not finite or beyond 1e7 m.
        """
        part = self.body_vertices(body)
        places = coordinates("positions", positions, (part.stop - part.start, 3))
        self._native.move_body(body, places, at_once)

    def move_collider(
        self,
        collider: int,
        position: npt.ArrayLike,
        rotation: npt.ArrayLike = (0.0, 0.0, 0.0, 1.0),
        *,
        at_once: bool = False,
    ) -> None:
        """Moves a collider, linearly in the next step; `at_once` as for `move_body`.

        Raises:
            InputError: a shape or type is wrong, or a number is not finite.
            SimulationError: there is no such collider, or it is a rigid body and not moved at once.
        """
        number = check_index("collider", collider, len(self.collider_poses))
        self._native.move_collider(number, pose(position, rotation), at_once)

    def teleport(self, cloth: int | str, motion: Motion) -> None:
        """Moves a cloth rigidly and at once, with its pins and their targets, attachments and drive;
        velocities turn with it. Nothing is swept, and intersections where it arrives become tangles.

        Args:
            cloth: its number or name.
            motion: a rigid motion, as a (4, 4) matrix `x -> R x + t`, or as a pair of a translation (m) and a
                quaternion x, y, z, w, by which everything is turned about the origin before it is translated.

        Raises:
            InputError: there is no such cloth, or the motion is not rigid or not finite.
            SimulationError: something would be beyond 1e7 m. Nothing has changed then.
        """
        self._native.teleport(self._cloth(cloth), _motion(motion))

    def teleport_all(self, motion: Motion) -> None:
        """Moves everything rigidly and at once: cloths, bodies and colliders, with all targets. Contacts and
        tangles stay what they are. For a floating origin, or a character that is elsewhere with all it wears.

        Args:
            motion: as of `teleport`.

        Raises:
            InputError, SimulationError: as `teleport`.
        """
        self._native.teleport(None, _motion(motion))

    def reset(self) -> None:
        """Returns everything to its start, pins and targets too; the time is 0."""
        self._native.reset()

    def snapshot(self) -> bytes:
        """The whole state, with a version: a simulation of the same scene that restores it continues bit for
        bit, in any process and on any machine."""
        return self._native.snapshot()

    def restore(self, snapshot: bytes) -> None:
        """Continues from a snapshot of this simulation or of one of the same scene.

        Raises:
            SimulationError: the bytes are damaged or altered, of another version or of another scene; the
                text says which. Nothing has changed then.
        """
        self._native.restore(check_bytes(snapshot))

    def __reduce__(self) -> tuple[Any, ...]:
        made = self._made, self._names
        return _rebuild, (self._arguments, self._keywords, *made), self.snapshot()

    def __setstate__(self, snapshot: bytes) -> None:
        self.restore(snapshot)

    def __repr__(self) -> str:
        size = f"{len(self._parts)} cloths, {self.vertex_count} vertices"
        return f"<cloth.Simulation: {size}, {self.time:.3f} s>"


def _rebuild(
    arguments: tuple[Any, ...], keywords: dict[str, Any], made: list[tuple[str, Any]], names: list[str | None]
) -> Simulation:
    simulation = Simulation(*arguments, **keywords) if keywords else Simulation._from_text(*arguments)
    for name, changed in made:
        simulation._change(name, *changed)
    simulation._names = list(names)
    return simulation


def check_steps(dt: float, count: int) -> tuple[float, int]:
    """Duration and number of steps, checked as far as the solver does not."""
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or not 1 <= count <= 1 << 40:
        raise InputError(f"`count` is {count!r}; it must be an integer of at least 1")
    try:
        return float(dt), int(count)
    except (TypeError, ValueError):
        raise InputError(f"`dt` is {dt!r}; pass a number of seconds") from None


def check_bytes(snapshot: bytes) -> bytes:
    if not isinstance(snapshot, (bytes, bytearray, memoryview)):
        raise InputError(f"a snapshot is bytes, not {type(snapshot).__name__}")
    return bytes(snapshot)


def _motion(motion: Motion) -> list[float]:
    """A translation (m) and a quaternion, or the numbers of a matrix."""
    if isinstance(motion, (tuple, list)) and len(motion) == 2:
        return pose(motion[0], motion[1])
    matrix = floats("motion", motion, (4, 4))
    if not np.isfinite(matrix).all():
        raise InputError(f"`motion` is not finite: {matrix.tolist()}")
    entries: list[float] = matrix.ravel().tolist()
    return entries
