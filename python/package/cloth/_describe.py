"""What a simulation is built of: cloths, mesh bodies and colliders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ._arrays import floats, indices, numbers, plain
from ._errors import InputError
from ._scene import to_json

Material = str | Mapping[str, Any]


class Cloth:
    """A cloth of a simulation: a mesh, and what it is made of. Names and numbers are those of scene files."""

    def __init__(
        self,
        positions: npt.ArrayLike,
        faces: npt.ArrayLike,
        *,
        name: str | None = None,
        material: Material = "cotton",
        thickness: float | Mapping[str, float] | None = None,
        rest: npt.ArrayLike | None = None,
        pins: npt.ArrayLike = (),
        masses: npt.ArrayLike | None = None,
        friction: float | None = None,
        layer: int | None = None,
        **more: Any,
    ) -> None:
        """Describes a cloth; nothing is simulated yet.

        Args:
            positions: (n, 3) positions at the start (m); copied.
            faces: (m, 3) integers, counter-clockwise seen from outside.
            name: by which `Simulation` finds it.
            material: a preset ("cotton", "silk", "denim"), or a dict of density (kg/m2), stretch, shear,
                bend, ...
            thickness: the distance that cloth keeps from cloth (m), or a dict of radius and scr; fits the
                mesh by default.
            rest: (n, 3) positions (m) in which it has no elastic energy, or (m, 3, 2) places (m) of the
                corners of each face in a flat pattern; the start by default.
            pins: vertices that only the caller moves.
            masses: (n,) masses (kg), inf for a pin; area times density by default.
            friction: Coulomb coefficient against everything.
            layer: its number among layers, higher outside; faces point outward.
            **more: `face_materials`, `attachments`, `stitches`, `exclusions`, `regions`, `particles`,
                `tethers`, `drive`, `local_frame`, `damping`, `coincident_borders`, as in the Rust type
                `ClothDesc`.

        Raises:
            InputError: an array has the wrong shape or type, or a number is NaN. What else is wrong is found
                when a simulation is built.
            MeshError: faces or pins are not integers of at least 0.
        """
        self.name = name
        self.positions = _frozen(floats("positions", positions, (-1, 3)).astype(np.float64))
        self.faces = _frozen(indices("faces", faces, 3).copy())
        keys: dict[str, Any] = {"material": material, **more}
        keys["pins"] = numbers("pins", pins, np.uint32)
        optional = {"thickness": thickness, "masses": masses, "friction": friction, "layer": layer}
        keys |= {key: value for key, value in optional.items() if value is not None}
        if rest is not None:
            shape = plain("rest", rest)
            count = len(self.positions if shape.ndim == 2 else self.faces)
            if shape.ndim == 3:
                keys["rest"] = {"pattern": floats("rest", shape, (count, 3, 2))}
            else:
                keys["rest"] = {"positions": floats("rest", shape, (count, 3))}
        self._json = to_json("cloth", keys)

    def _native(self) -> tuple[str, npt.NDArray[np.float64], npt.NDArray[np.uint32]]:
        return self._json, self.positions, self.faces


class Body:
    """A mesh that cloth collides with and that only the caller moves."""

    def __init__(
        self,
        positions: npt.ArrayLike,
        faces: npt.ArrayLike,
        *,
        thickness: float | Mapping[str, float] | None = None,
        friction: float | None = None,
    ) -> None:
        """Describes a body.

        Args:
            positions: (n, 3) positions at the start (m); copied.
            faces: (m, 3) integers, counter-clockwise seen from outside.
            thickness: as for `Cloth`; that of the thinnest cloth by default.
            friction: Coulomb coefficient.

        Raises:
            InputError, MeshError: as `Cloth`.
        """
        self.positions = _frozen(floats("positions", positions, (-1, 3)).astype(np.float64))
        self.faces = _frozen(indices("faces", faces, 3).copy())
        self._json = to_json("body", {"thickness": thickness, "friction": friction})

    def _native(self) -> tuple[str, npt.NDArray[np.float64], npt.NDArray[np.uint32]]:
        return self._json, self.positions, self.faces


class Collider:
    """A solid shape that pushes cloth out; with a mass, a rigid body that cloth pushes back."""

    def __init__(
        self,
        kind: Literal["plane", "sphere", "capsule", "tapered-capsule", "cylinder", "cone", "box"],
        *,
        position: npt.ArrayLike = (0.0, 0.0, 0.0),
        rotation: npt.ArrayLike = (0.0, 0.0, 0.0, 1.0),
        friction: float = 0.3,
        guarded: bool = False,
        mass: float | None = None,
        velocity: npt.ArrayLike | None = None,
        angular_velocity: npt.ArrayLike | None = None,
        **dimensions: Any,
    ) -> None:
        """Describes a collider.

        Args:
            kind: the shape. A plane is y = 0, solid below; the axis of the others is y.
            position: where its origin is (m).
            rotation: a quaternion x, y, z, w.
            friction: Coulomb coefficient.
            guarded: whether the gate keeps its axis out of cloth (sphere, capsule, box).
            mass: (kg) of a rigid body (sphere, capsule, box).
            velocity: of a rigid body at the start (m/s).
            angular_velocity: of a rigid body at the start (rad/s).
            **dimensions: (m) `radius`, `half_length`, `bottom_radius` and `top_radius`, `half_extents`.

        Raises:
            InputError: as `Cloth`.
        """
        place = pose(position, rotation)
        keys: dict[str, Any] = {"kind": kind, "pose": place, "friction": friction, "guarded": guarded}
        optional = {"mass": mass, "velocity": velocity, "angular_velocity": angular_velocity}
        self._json = to_json("collider", keys | optional | dimensions)


def pose(position: npt.ArrayLike, rotation: npt.ArrayLike) -> list[float]:
    place = floats("position", position, (3,))
    turn = floats("rotation", rotation, (4,))
    if not np.isfinite(turn).all() or not np.isfinite(place).all():
        raise InputError(f"a pose is not finite: {place.tolist()}, {turn.tolist()}")
    return [*place.tolist(), *turn.tolist()]


def _frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    array.flags.writeable = False
    return array
