"""What a simulation is asked between two steps."""

from __future__ import annotations

import json
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _cloth
from ._arrays import floats
from ._errors import InputError
from ._records import ATTACHMENT, CONTACT, INTERSECTION, Between


class RigidBody(NamedTuple):
    """A rigid body after a step."""

    collider: int
    """The number of its collider."""
    position: npt.NDArray[np.float32]
    """Where its origin is (m)."""
    rotation: npt.NDArray[np.float32]
    """A quaternion x, y, z, w."""
    velocity: npt.NDArray[np.float32]
    """Of its centre (m/s)."""
    angular_velocity: npt.NDArray[np.float32]
    """(rad/s)."""
    impulse: npt.NDArray[np.float32]
    """Of the cloth on it in the last step (N s)."""
    angular_impulse: npt.NDArray[np.float32]
    """Of the cloth about its centre in the last step (N m s)."""


class Released(NamedTuple):
    """A pair of cloth and body that the gate could not keep apart."""

    vertex: int
    """A vertex of the cloth, a row of `positions`."""
    position: tuple[float, float, float]
    """Where it was (m)."""
    depth: float
    """How far the body went through the cloth in that substep (m)."""


class Reads:
    """The methods of a `Simulation` that read it."""

    _native: _cloth.Simulation

    def _cloth(self, cloth: int | str) -> int:
        raise NotImplementedError

    @property
    def settings(self) -> dict[str, Any]:
        """The settings, by the names of scene files; infinity is None."""
        found: dict[str, Any] = json.loads(_cloth.settings(self._native))
        return found

    def contacts(self) -> npt.NDArray[Any]:
        """(k,) records of `CONTACT`: those of the last substep, without those of colliders."""
        return _cloth.contacts(self._native).view(CONTACT)

    def pins(self, cloth: int | str = 0) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.float32]]:
        """(k,) pinned vertices of a cloth, and (k, 3) their targets (m) in the next step."""
        return _cloth.pins(self._native, self._cloth(cloth))

    @property
    def user_data(self) -> npt.NDArray[np.float64]:
        """(k,) finite numbers that a program keeps with the state, such as what an episode has come to: a
        snapshot has them, `restore` brings them back, `reset` those of the start. A copy; set it anew."""
        return np.array(_cloth.user_data(self._native))

    @user_data.setter
    def user_data(self, data: npt.ArrayLike) -> None:
        array = floats("user_data", data, (-1,))
        if not np.isfinite(array).all():
            raise InputError(f"`user_data` has numbers that are not finite: {array.tolist()}")
        _cloth.set_user_data(self._native, array.tolist())

    def attachments(self) -> npt.NDArray[Any]:
        """(k,) records of `ATTACHMENT`: those of all cloths, in the order of their numbers."""
        return _cloth.attachments(self._native).view(ATTACHMENT)

    def particle_contacts(self) -> npt.NDArray[np.uint32]:
        """(k, 2) pairs of vertices whose particles were in contact at the last detection."""
        return _cloth.particle_contacts(self._native)

    def intersections(self) -> npt.NDArray[Any]:
        """(k,) records of `INTERSECTION`: everything that meets, those of bodies too, decided exactly."""
        return _cloth.intersections(self._native).view(INTERSECTION)

    def count_by_kind(self) -> dict[Between, int]:
        """How many edges and faces meet, by what they belong to; `BODY_SELF` counts all that bodies do among
        themselves."""
        found = self.intersections()
        counts = np.bincount(found["between"][found["kind"] < 3], minlength=4)
        return {Between(kind): int(count) for kind, count in enumerate(counts)}

    def edges(self) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.float64]]:
        """(e, 2) edges of all cloths, by rows of `positions`, and (e,) their lengths at rest (m)."""
        return _cloth.edges(self._native)

    def stretch(self) -> npt.NDArray[np.float64]:
        """(e,) stretch of each edge of `edges`: 0.1 is a tenth longer than at rest, -0.1 shorter."""
        edges, rest = self.edges()
        ends = self._native.positions.astype(np.float64)[edges]
        lengths: npt.NDArray[np.float64] = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
        return lengths / rest - 1.0

    def tangles(self) -> list[tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]]:
        """The vertices on the two sides of each tangle, rows of `positions`."""
        return [(np.array(a, np.uint32), np.array(b, np.uint32)) for a, b in _cloth.tangles(self._native)]

    def released(self) -> list[Released]:
        """The pairs of cloth and body that the gate released in the last step."""
        return [Released(*pair) for pair in _cloth.released(self._native)]

    def is_guarded(self) -> bool:
        """Whether the gate guards all that collides: it is on, there is no tangle, and nothing has come past
        it. False at the start and after a jump or an edit, until a step has checked the state."""
        return _cloth.is_guarded(self._native)

    def is_asleep(self, cloth: int | str = 0) -> bool:
        """Whether a cloth is at rest, and left out of steps until something disturbs it."""
        return _cloth.is_asleep(self._native, self._cloth(cloth))

    def kinetic_energy(self) -> float:
        """The kinetic energy (J) of all cloths, without pins."""
        return _cloth.kinetic_energy(self._native)

    def normals(self, weights: Literal["area", "angle"] = "area") -> npt.NDArray[np.float32]:
        """(n, 3) unit normals of all vertices, of the faces around each by their area or by their angle there;
        zero where no face has an area."""
        if weights not in ("area", "angle"):
            raise InputError(f"`weights` is {weights!r}; pass 'area' or 'angle'")
        return _cloth.normals(self._native, weights == "angle")

    def rigid_bodies(self) -> list[RigidBody]:
        """The rigid bodies, by the numbers of their colliders."""
        found = _cloth.rigid_bodies(self._native)
        rows = [(i, np.split(np.array(place, np.float32), [3]), np.array(rest, np.float32)) for i, place, rest in found]
        return [RigidBody(i, place[0], place[1], *rest) for i, place, rest in rows]
