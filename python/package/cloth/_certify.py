"""The gate for anybody's motions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _cloth
from ._arrays import floats, same_floats
from ._judge import Description, Faces, Mesh, as_mesh
from ._records import RELEASED

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Tangle(NamedTuple):
    """Pairs that may intersect until they have come apart: those with one primitive on each side."""

    vertices: tuple[int, int]
    """Number of vertices on either side."""
    since: int
    """Number of motions that had been certified when it was found."""


@dataclass(frozen=True, eq=False)
class Certificate:
    """What is certified of an accepted motion."""

    is_unconditional: bool
    """Whether no guarded pair was exempt, released or touching: nothing at all touched anything in this
    motion. If `near` is 0 as well, all pairs kept the thickness."""
    changed: npt.NDArray[np.uint32]
    """(k,) the vertices whose end is not the proposed one, ascending."""
    exempt: list[Tangle]
    """The tangles that are left after the motion."""
    resolved: int
    """Number of tangles that came apart in it."""
    released: npt.NDArray[Any]
    """(k,) records of `RELEASED`: pairs that could not be kept apart, because a kinematic part moved into
    cloth that cannot give way, and those at distance zero that do not move."""
    near: int
    """Number of guarded pairs that did not have to keep the thickness; they do not touch."""
    stats: dict[str, int]
    """Counts of tests and corrections."""
    _changes: npt.NDArray[np.float64]
    _inv_mass: npt.NDArray[Any]

    def impulse(self, dt: float) -> npt.NDArray[np.float64]:
        """(n, 3) the impulse (kg m/s) of each vertex that the correction amounts to, if the motion takes `dt`
        (s). Where corrected pairs join free vertices only, their impulses sum to zero."""
        weights = self._inv_mass.astype(np.float64)
        impulse = np.zeros_like(self._changes)
        movable = weights > 0.0
        impulse[movable] = self._changes[movable] / (weights[movable, None] * dt)
        return impulse

    def update_velocities(self, dt: float, v: npt.ArrayLike) -> npt.NDArray[Any]:
        """The velocities (m/s) of the accepted motion, which takes `dt` (s), from those with which it was
        proposed: a new (n, 3) array of the same type."""
        proposed = floats("v", v, (len(self._changes), 3))
        changed = (proposed.astype(np.float64) + self._changes / dt).astype(proposed.dtype)
        return np.where(self._changes != 0.0, changed, proposed)


class Certifier:
    """Makes motions free of crossings, one after another.

    It exists only for a start that has been checked. A motion is accepted as it is proposed, or corrected
    until exact arithmetic proves that no vertex and face, and no two edges, that share no vertex touch while
    every vertex moves on a straight line from its start to its end, for the positions as stored.

    Args:
        x0: (n, 3) positions (m), float32 or float64. All motions are of this type.
        faces: (m, 3) integers, or a `Mesh`.
        inv_mass: (n,) inverse masses (1/kg) for motions that bring none; 1 by default. Vertices with 0 are
            moved only where nothing else helps; those of kinematic parts never, whatever theirs.
        thickness: a distance (m) that is proved to be kept: a pair that starts a motion farther apart than
            1.01 of it stays farther apart than it. Less than half of the shortest edge.
        clearance: the distance (m), beyond the thickness, that corrected motions leave. By default a
            thousandth of the mean edge, or twice the distance of neighbouring numbers at the pair if that is
            more.
        admit_tangles: accept a start that intersects. What is tangled is exempt until it comes apart.
        **description: as for `Mesh`.

    Raises:
        TangledError: the start has intersections, which the exception names.
        InputError: not one finite position a vertex within 1e9 m, or a distance is out of range.
        MeshError: as `Mesh`.
    """

    def __init__(
        self,
        x0: npt.ArrayLike,
        faces: Faces,
        *,
        inv_mass: npt.ArrayLike | None = None,
        thickness: float = 0.0,
        clearance: float | None = None,
        admit_tangles: bool = False,
        **description: Unpack[Description],
    ) -> None:
        start = floats("x0", x0, (-1, 3))
        self._dtype = start.dtype
        self._mesh = as_mesh(faces, len(start), description)
        self._native = _cloth.Certifier(
            self._mesh._native, start, float(thickness), None if clearance is None else float(clearance), admit_tangles
        )
        masses = np.ones(len(start)) if inv_mass is None else inv_mass
        self._inv_mass = self._masses(masses)

    def _masses(self, inv_mass: npt.ArrayLike) -> npt.NDArray[Any]:
        return floats("inv_mass", inv_mass, (self._mesh.vertex_count,)).astype(self._dtype, copy=False)

    def correct(
        self, x0: npt.ArrayLike, x1: npt.ArrayLike, inv_mass: npt.ArrayLike | None = None
    ) -> tuple[npt.NDArray[Any], Certificate]:
        """Corrects the end of a motion until it is certified, and accepts it.

        A start that is not in every bit where the last motion ended is checked again.

        Args:
            x0: (n, 3) positions (m) at the start, of the type of the certifier.
            x1: (n, 3) positions (m) where they are to go; the array is not changed.
            inv_mass: (n,) inverse masses (1/kg) of this motion; those of the certifier by default. Each is 0,
                or has a finite inverse and a finite square.

        Returns:
            The end, a new (n, 3) array, and the certificate.

        Raises:
            TangledError: the motion starts elsewhere than the last one ended, in a tangled state.
            InputError: a number is not finite or out of range, or an array has another shape or type.
        """
        start, end = same_floats({"x0": x0, "x1": x1}, (self._mesh.vertex_count, 3), self._dtype)
        masses = self._inv_mass if inv_mass is None else self._masses(inv_mass)
        corrected, said = self._native.correct(start, end, masses)
        certificate = Certificate(
            is_unconditional=said["is_unconditional"],
            changed=said["changed"],
            exempt=[Tangle((a, b), since) for a, b, since in said["exempt"]],
            resolved=said["resolved"],
            released=said["released"].view(RELEASED),
            near=said["near"],
            stats=said["stats"],
            _changes=said["changes"],
            _inv_mass=masses,
        )
        return corrected, certificate

    @property
    def mesh(self) -> Mesh:
        """What collides."""
        return self._mesh

    @property
    def end(self) -> npt.NDArray[Any]:
        """(n, 3) the end (m) of the last accepted motion, or the start."""
        return self._native.end

    @property
    def motions(self) -> int:
        """Number of motions that were accepted."""
        return self._native.motions

    @property
    def exempt(self) -> list[Tangle]:
        """The tangles that are exempt now; empty for a clean start."""
        return [Tangle((a, b), since) for a, b, since in self._native.exempt]
