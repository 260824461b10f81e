"""What can be changed in a simulation between two steps."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from . import _cloth
from ._arrays import coordinates, floats, indices, numbers
from ._describe import Body, Cloth, Collider, Material, pose
from ._errors import InputError, TangledError
from ._judge import Mesh, intersections
from ._scene import suggestions, to_json

T = TypeVar("T")
Part = tuple[Literal["cloth", "body", "collider"], int | str]
Admit = Literal["clean", "tangles"]


class Edit(NamedTuple):
    """A change of the scene, as the native half takes it."""

    cloths: list[tuple[str, npt.NDArray[np.float64], npt.NDArray[np.uint32]]]
    bodies: list[tuple[str, npt.NDArray[np.float64], npt.NDArray[np.uint32]]]
    remove_cloths: list[int]
    remove_bodies: list[int]
    changes: list[tuple[int, str]]
    interactions: str


class Changes:
    """The methods of a `Simulation` that change it."""

    _native: _cloth.Simulation
    _names: list[str | None]
    _parts: list[list[int]]
    _made: list[tuple[str, tuple[Any, ...]]]
    """What the scene has come to since it was built, for pickle: names of native functions, and arguments."""

    def set_state(
        self,
        positions: npt.ArrayLike,
        velocities: npt.ArrayLike | None = None,
        *,
        admit: Admit = "clean",
    ) -> None:
        """Replaces positions and velocities, by a state of a data set or of another program. It is judged
        exactly, like a start, and nothing is swept. The time, masses and pins are kept; contacts and tangles
        of before are forgotten, so a snapshot, not this, continues bit for bit.

        Args:
            positions: (n, 3) positions (m) of all cloths, then of all bodies, as `positions` has them.
            velocities: (n, 3) velocities (m/s); at rest by default.
            admit: "clean" refuses a state in which cloth that collides intersects anything, or its faces lie
                on others; of "tangles" the next step makes tangles, and the gate guards everything else.

        Raises:
            InputError: a shape or type is wrong, or a number is not finite or beyond 1e7 m.
            TangledError: what `admit` refuses; `witnesses` are all of it. Nothing has changed then.
        """
        count = self._native.vertex_count
        places = coordinates("positions", positions, (count, 3))
        speeds = np.zeros_like(places) if velocities is None else vectors("velocities", velocities, count)
        try:
            _cloth.set_state(self._native, places, speeds, is_tangles(admit))
        except TangledError as error:
            mesh = state_mesh(self._native.faces, self._parts, self._native.bodies)
            raise TangledError(str(error), intersections(places, mesh).view(np.uint8)) from None

    def set_velocities(
        self, velocities: npt.ArrayLike, vertices: npt.ArrayLike | None = None, cloth: int | str = 0
    ) -> None:
        """Sets velocities (m/s) of vertices of a cloth, by default of all; one for all of them is repeated.

        Raises:
            InputError, SimulationError: as `move_pins`. Nothing has changed then.
        """
        number, which = self._vertices(vertices, cloth)
        each = vectors("velocities", repeated("velocities", velocities, (len(which), 3)), len(which))
        _cloth.set_velocities(self._native, number, which, each)

    def set_masses(
        self, masses: npt.ArrayLike, vertices: npt.ArrayLike | None = None, cloth: int | str = 0
    ) -> None:
        """Sets masses (kg) of vertices of a cloth, by default of all; inf pins a vertex where it is.

        Raises:
            InputError, SimulationError: a mass is not above 0, and as `move_pins`. Nothing has changed then.
        """
        number, which = self._vertices(vertices, cloth)
        each = np.ascontiguousarray(repeated("masses", masses, (len(which),)), np.float32)
        _cloth.set_masses(self._native, number, which, each)

    def set_settings(self, settings: Mapping[str, Any]) -> None:
        """Replaces some settings from the next step on. Those of physics, limits, substeps and iterations are
        cheap; `model`, `self_collision`, `contacts`, `layer_order`, `layer_depth` and `particles` rebuild the
        simulation, as `edit` does.

        Raises:
            InputError: an unknown name or a number that does not fit; the text names the nearest.
        """
        with suggestions():
            self._change("set_settings", to_json("settings", settings))

    def set_gravity(self, gravity: npt.ArrayLike) -> None:
        """Sets gravity (m/s2)."""
        self.set_settings({"gravity": floats("gravity", gravity, (3,))})

    def set_wind(self, velocity: npt.ArrayLike, **more: Any) -> None:
        """Sets the mean velocity of the air (m/s), and of `drag`, `lift` and `gusts` what is given."""
        wind = json.loads(_cloth.settings(self._native))["wind"]
        self.set_settings({"wind": wind | {"velocity": floats("velocity", velocity, (3,))} | more})

    def set_friction(self, coefficient: float, part: Part, other: Part | None = None) -> None:
        """Sets the friction coefficient of a part, or of a pair of parts, such as `("cloth", "shirt")`,
        `("body", 0)` and `("collider", 2)`.

        Raises:
            InputError: there is no such part.
            SimulationError: the coefficient is negative or not finite. Nothing has changed then.
        """
        parts = [self._part(part)] + ([] if other is None else [self._part(other)])
        self._change("set_friction", parts, float(coefficient))

    def set_material(self, material: Material, cloth: int | str = 0) -> None:
        """Replaces the material of a cloth, at the cost of `edit`."""
        self.edit(change={cloth: {"material": material}})

    def add_collider(self, collider: Collider) -> int:
        """Adds a collider or rigid body; returns its number. Cheap, if it has no mass and is not guarded."""
        with suggestions():
            self._change("add_collider", described("collider", collider, Collider)._json)
        return len(self._native.collider_poses) - 1

    def remove_collider(self, collider: int) -> None:
        """Removes a collider or rigid body; those behind it move up by one number."""
        self._change("remove_collider", check_index("collider", collider, len(self._native.collider_poses)))

    def set_rigid_velocity(
        self, collider: int, velocity: npt.ArrayLike, angular_velocity: npt.ArrayLike = (0.0, 0.0, 0.0)
    ) -> None:
        """Sets the velocity (m/s) of a rigid body's centre and its angular velocity (rad/s).

        Raises:
            SimulationError: the collider is no rigid body.
        """
        self._push(collider, velocity, angular_velocity, False)

    def apply_rigid_impulse(
        self, collider: int, impulse: npt.ArrayLike, angular_impulse: npt.ArrayLike = (0.0, 0.0, 0.0)
    ) -> None:
        """Applies an impulse (N s) at the centre of a rigid body, and an angular impulse (N m s).

        Raises:
            SimulationError: the collider is no rigid body.
        """
        self._push(collider, impulse, angular_impulse, True)

    def set_attachments(self, attachments: npt.ArrayLike, hold: bool) -> None:
        """Lets attachments hold their vertices where they are now, or hold them no longer.

        Raises:
            SimulationError: there is no such attachment; nothing has changed then.
        """
        _cloth.set_attachments(self._native, numbers("attachments", attachments, np.uint32), bool(hold))

    def move_attachments(self, attachments: npt.ArrayLike, targets: npt.ArrayLike) -> None:
        """Moves targets of attachments, linearly in the next step.

        Args:
            attachments: (k,) numbers, counted over the `attachments` of all cloths.
            targets: (k, 3) where their targets are to be (m).

        Raises:
            InputError, SimulationError: as `move_pins`. Nothing has changed then.
        """
        which = numbers("attachments", attachments, np.uint32)
        _cloth.move_attachments(self._native, which, coordinates("targets", targets, (len(which), 3)))

    def move_drive(self, targets: npt.ArrayLike, cloth: int | str = 0) -> None:
        """Moves the pose of a cloth's `drive`, linearly in the next step, to (n, 3) places (m) of its vertices.

        Raises:
            InputError, SimulationError: as `move_pins`, and if the cloth has no drive.
        """
        number, which = self._vertices(None, cloth)
        _cloth.move_drive(self._native, number, coordinates("targets", targets, (len(which), 3)))

    def move_local_frame(
        self,
        position: npt.ArrayLike,
        rotation: npt.ArrayLike = (0.0, 0.0, 0.0, 1.0),
        cloth: int | str = 0,
    ) -> None:
        """Moves the `local_frame` of a cloth, linearly in the next step, to a pose as of `move_collider`.

        Raises:
            InputError, SimulationError: as there, and if the cloth has no local frame.
        """
        _cloth.move_local_frame(self._native, self._cloth(cloth), pose(position, rotation))

    def wake(self, cloth: int | str | None = None) -> None:
        """Wakes a cloth that sleeps, or all of them."""
        _cloth.wake(self._native, None if cloth is None else self._cloth(cloth))

    def edit(
        self,
        *,
        add: Cloth | Iterable[Cloth] = (),
        add_bodies: Iterable[Body] = (),
        remove: Iterable[int | str] = (),
        remove_bodies: Iterable[int] = (),
        change: Mapping[int | str, Mapping[str, Any]] | None = None,
        interactions: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Changes the scene between two steps, all of it or nothing, at the cost of building it. What stays
        keeps positions, velocities, pins, masses, targets and contacts; new parts start as described, and what
        intersects them becomes tangles. `positions` is another array then, snapshots of before do not fit, and
        `reset` returns to the scene as it is described now.

        Args:
            add: cloths, behind those that there are.
            add_bodies: mesh bodies, behind those that there are.
            remove: cloths, by number or name; those behind move up. Not of a scene file, as `remove_bodies`.
            remove_bodies: mesh bodies, by number.
            change: for a cloth the keys of `Cloth` that it is to have: `exclusions`, `regions`, `material`,
                `friction`, `attachments`, `drive`, `tethers`, ...; not its mesh.
            interactions: as of `Simulation`: what regions do about each other from now on.

        Raises:
            InputError: an unknown name, or a number that does not fit.
            SimulationError: the solver refuses the scene.
        """
        cloths = [add] if isinstance(add, Cloth) else [described("add", c, Cloth) for c in add]
        gone = sorted({self._cloth(cloth) for cloth in remove})
        edit = Edit(
            [cloth._native() for cloth in cloths],
            [described("add_bodies", body, Body)._native() for body in add_bodies],
            gone,
            sorted({check_index("body", body, len(self._native.bodies)) for body in remove_bodies}),
            [(self._cloth(cloth), to_json("cloth", keys)) for cloth, keys in (change or {}).items()],
            to_json("interactions", interactions),
        )
        with suggestions():
            self._change("edit", *edit)
        kept = [name for i, name in enumerate(self._names) if i not in gone]
        self._names = kept + [cloth.name for cloth in cloths]

    def _change(self, name: str, *arguments: Any) -> None:
        getattr(_cloth, name)(self._native, *arguments)
        if self._made and self._made[-1][0] == name == "set_settings":
            # Only what they are in the end matters.
            self._made.pop()
            arguments = (_cloth.settings(self._native),)
        self._made.append((name, arguments))
        self._parts = self._native.cloths

    def _push(
        self, collider: int, linear: npt.ArrayLike, angular: npt.ArrayLike, is_impulse: bool
    ) -> None:
        number = check_index("collider", collider, len(self._native.collider_poses))
        by = [floats(name, value, (3,)).tolist() for name, value in (("linear", linear), ("angular", angular))]
        _cloth.push_rigid_body(self._native, number, by, is_impulse)

    def _cloth(self, cloth: int | str) -> int:
        return cloth_number(cloth, self._names)

    def _part(self, part: Part) -> tuple[str, int]:
        kind, number = part if isinstance(part, tuple) and len(part) == 2 else (None, None)
        if kind == "cloth" and isinstance(number, (int, str)):
            return kind, self._cloth(number)
        counts = {"body": len(self._native.bodies), "collider": len(self._native.collider_poses)}
        if kind not in counts or not isinstance(number, (int, np.integer)):
            raise InputError(f"{part!r} is no part; pass ('cloth', number or name), ('body', number) or ('collider', number)")
        return kind, check_index(kind, number, counts[kind])

    def _vertices(
        self, vertices: npt.ArrayLike | None, cloth: int | str
    ) -> tuple[int, npt.NDArray[np.uint32]]:
        """The number of a cloth, and vertices of it; all without any."""
        number = self._cloth(cloth)
        begin, end, _, _ = self._parts[number]
        every = np.arange(end - begin, dtype=np.uint32)
        return number, every if vertices is None else numbers("vertices", vertices, np.uint32)


def described(name: str, value: Any, kind: type[T]) -> T:
    if not isinstance(value, kind):
        raise InputError(f"`{name}` has a {type(value).__name__}; pass what is a {kind.__name__}")
    return value


def is_tangles(admit: Admit) -> bool:
    if admit not in ("clean", "tangles"):
        raise InputError(f"`admit` is {admit!r}; pass 'clean' or 'tangles'")
    return admit == "tangles"


def repeated(name: str, values: npt.ArrayLike, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """Numbers as an array of this shape; fewer axes are those of every row."""
    array = floats(name, values, np.shape(values))
    if array.shape != shape[len(shape) - array.ndim :]:
        raise InputError(f"`{name}` has shape {array.shape} instead of {shape}")
    return np.broadcast_to(array, shape)


def vectors(name: str, values: npt.ArrayLike, count: int) -> npt.NDArray[np.float32]:
    """(count, 3) finite numbers as float32."""
    array = floats(name, values, (count, 3))
    wrong = ~np.isfinite(array)
    if wrong.any():
        place = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise InputError(f"`{name}`[{', '.join(map(str, place))}] is {array[place]}; it must be finite")
    return np.ascontiguousarray(array, np.float32)


def state_mesh(
    faces: npt.NDArray[np.uint32], cloths: Sequence[Sequence[int]], bodies: Sequence[tuple[int, int]]
) -> Mesh:
    """The surface that states of a simulation are judged by."""
    sizes = [end - begin for begin, end, *_ in (*cloths, *bodies)]
    kinds = np.arange(len(sizes))
    return Mesh(sum(sizes), faces, parts=np.repeat(kinds, sizes), kinematic=kinds >= len(cloths))


def cloth_number(cloth: int | str, names: list[str | None]) -> int:
    """The number of a cloth, by number or name."""
    if not isinstance(cloth, str):
        return check_index("cloth", cloth, len(names))
    if cloth not in names:
        known = ", ".join(repr(name) for name in names if name is not None)
        raise InputError(f"there is no cloth {cloth!r}; known are {known or 'none by name'}")
    return names.index(cloth)


def check_index(name: str, value: int, count: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 0 <= value < count:
        raise InputError(f"there is no {name} {value!r}; there are {count}, counted from 0")
    return int(value)
