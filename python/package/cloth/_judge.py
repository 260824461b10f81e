"""Whether a state or a motion intersects: exact, with witnesses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import numpy as np
import numpy.typing as npt

from . import _cloth
from ._arrays import MOST, floats, indices, numbers, optional_indices, same_floats
from ._errors import MeshError
from ._records import COLLISION, WITNESS, PairKind

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Description(TypedDict, total=False):
    """What a mesh has apart from its faces: the keywords of `Mesh`, and of all functions that take faces."""

    edges: npt.ArrayLike | None
    parts: npt.ArrayLike | None
    kinematic: npt.ArrayLike | None
    masks: npt.ArrayLike | None
    exclusions: npt.ArrayLike | None
    can_collide: Callable[[int, int], bool] | None


class Mesh:
    """What collides: faces, edges without faces and lone points, in parts of which some may be kinematic.

    Every vertex and face, and every two edges, that share no vertex may collide, except where the description
    says otherwise. A mesh never changes; functions take it in place of faces, which saves its preparation,
    and it may be used by several threads.

    Args:
        vertex_count: number of vertices.
        faces: (m, 3) integers. Any orientation; they need not be manifold.
        edges: (k, 2) integers, edges without faces: wires, hair.
        parts: (n,) integers from 0, the part of each vertex; everything is part 0 without.
        kinematic: (parts,) booleans: parts whose motion is never corrected. Two of them do not collide.
        masks: (parts, 2) integers, bits of the groups that a part is in, and of those that it collides with.
            Two parts collide if each is in a group that the other collides with.
        exclusions: (k, 2) integers, pairs of vertices whose primitives do not collide, as if the two were
            one.
        can_collide: is called with two parts, the smaller one first, and says whether they collide; with a
            part twice whether it collides with itself. Called once for each pair, now.

    Raises:
        MeshError: an index is out of range, a face has equal corners or joins two parts, an array has the
            wrong shape, or there is too much of something.
    """

    def __init__(
        self,
        vertex_count: int,
        faces: npt.ArrayLike,
        *,
        edges: npt.ArrayLike | None = None,
        parts: npt.ArrayLike | None = None,
        kinematic: npt.ArrayLike | None = None,
        masks: npt.ArrayLike | None = None,
        exclusions: npt.ArrayLike | None = None,
        can_collide: Callable[[int, int], bool] | None = None,
    ) -> None:
        if not 0 <= vertex_count <= MOST:
            raise MeshError(f"`vertex_count` is {vertex_count}; it must be in 0 to {MOST}")
        self._parts = numbers("parts", parts, np.uint16)
        others = {"edges": edges, "kinematic": kinematic, "masks": masks, "exclusions": exclusions, "can_collide": can_collide}
        self._others = [name for name, value in others.items() if value is not None]
        self._native = _cloth.Mesh(
            vertex_count,
            indices("faces", faces, 3),
            optional_indices("edges", edges, 2),
            self._parts,
            numbers("kinematic", kinematic, np.bool_),
            optional_indices("masks", masks, 2),
            optional_indices("exclusions", exclusions, 2),
            can_collide,
        )

    @property
    def vertex_count(self) -> int:
        """Number of vertices."""
        return self._native.vertex_count

    @property
    def faces(self) -> npt.NDArray[np.uint32]:
        """(m, 3) uint32."""
        return self._native.faces

    @property
    def edges(self) -> npt.NDArray[np.uint32]:
        """(e, 2) uint32: all edges, of faces and without. Witnesses name their rows."""
        return self._native.edges

    def __repr__(self) -> str:
        return f"<cloth.Mesh of {self.vertex_count} vertices and {len(self.faces)} faces>"


Faces = npt.ArrayLike | Mesh
"""Faces, (m, 3) integers, or a `Mesh`."""


def as_mesh(faces: Faces, vertex_count: int, description: Description) -> Mesh:
    """The mesh that faces and keywords describe."""
    if not isinstance(faces, Mesh):
        return Mesh(vertex_count, faces, **description)
    if description:
        raise MeshError(f"`{next(iter(description))}` belongs to the mesh: pass it to cloth.Mesh")
    return faces


def intersections(
    x: npt.ArrayLike, faces: Faces, **description: Unpack[Description]
) -> npt.NDArray[Any]:
    """Finds everything that intersects in a state.

    The verdict is that of exact arithmetic on the numbers as given: there is no tolerance, and a touch
    counts.

    Args:
        x: (n, 3) positions (m), float32 or float64.
        faces: (m, 3) integers, or a `Mesh`.
        **description: as for `Mesh`.

    Returns:
        (k,) records of `WITNESS`: edges with faces first, then points on faces, flat folds, and faces that
        lie on others; each by ids. Faces that lie on others with vertices of their own also have edges that
        meet.

    Raises:
        InputError: not one finite position a vertex.
        MeshError: as `Mesh`.
    """
    positions = floats("x", x, (-1, 3))
    mesh = as_mesh(faces, len(positions), description)
    return _cloth.check_state(mesh._native, positions).view(WITNESS)


def is_clean(x: npt.ArrayLike, faces: Faces, **description: Unpack[Description]) -> bool:
    """Whether nothing intersects in a state, and no face lies on another or is folded flat on its neighbour.

    Arguments and exceptions as for `intersections`.
    """
    return len(intersections(x, faces, **description)) == 0


def crossings(
    x0: npt.ArrayLike, x1: npt.ArrayLike, faces: Faces, **description: Unpack[Description]
) -> npt.NDArray[Any]:
    """Finds all collisions while every vertex moves on a straight line, both ends of the motion included.

    Exact for the numbers as given. What has been inside each other from the start, and touches nothing new,
    is no collision: whether a start is clean is for `intersections`.

    Args:
        x0: (n, 3) positions (m) at the start, float32 or float64.
        x1: (n, 3) positions (m) at the end.
        faces: (m, 3) integers, or a `Mesh`.
        **description: as for `Mesh`.

    Returns:
        (k,) records of `COLLISION`, by time.

    Raises:
        InputError: not one finite position a vertex.
        MeshError: as `Mesh`.
    """
    return _motion(x0, x1, faces, description, "all")


def first_crossing(
    x0: npt.ArrayLike, x1: npt.ArrayLike, faces: Faces, **description: Unpack[Description]
) -> np.void | None:
    """The collision of a motion that happens first, a record of `COLLISION`; None if the motion is clean.

    Faster than `crossings`. Arguments and exceptions as there.
    """
    found = _motion(x0, x1, faces, description, "earliest")
    return found[0] if len(found) else None


def is_motion_clean(
    x0: npt.ArrayLike, x1: npt.ArrayLike, faces: Faces, **description: Unpack[Description]
) -> bool:
    """Whether nothing collides in a motion: the fastest question. Arguments and exceptions as for
    `crossings`."""
    return len(_motion(x0, x1, faces, description, "first")) == 0


def _motion(
    x0: npt.ArrayLike, x1: npt.ArrayLike, faces: Faces, description: Description, search: str
) -> npt.NDArray[Any]:
    start, end = same_floats({"x0": x0, "x1": x1}, (-1, 3))
    mesh = as_mesh(faces, len(start), description)
    return _cloth.check_motion(mesh._native, start, end, search).view(COLLISION)


@dataclass(frozen=True, eq=False)
class MaxStep:
    """How far one may go along a motion; `float(it)` is the step."""

    step: float
    """Share of the motion, in [0, 1]."""
    limit: Literal["none", "collision", "tangled", "too_near"]
    """What limits it: nothing, a pair that collides, a start that intersects, or a pair that is too near
    there."""
    witness: npt.NDArray[Any] | None
    """What limits it: one record of `COLLISION`, or those of `WITNESS` for a tangled start; else None."""
    pair: tuple[PairKind, int, int] | None
    """The pair that is too near at the start."""
    end: npt.NDArray[Any]
    """(n, 3) positions (m) at the end of the step, as they are certified: in float64 `x0 + step * (x1 - x0)`,
    or `(1 - step) * x0 + step * x1` where the difference overflows."""

    def __float__(self) -> float:
        return self.step


def max_step(
    x0: npt.ArrayLike,
    x1: npt.ArrayLike,
    faces: Faces,
    min_distance: float = 0.0,
    **description: Unpack[Description],
) -> MaxStep:
    """The largest share of a motion that is certified to keep all pairs farther apart than a distance (m).

    0 m: not to touch. Never too long; it falls short of the exact share by about 1e-9 of it, for a distance
    above 0 by 1e-3 of the distance more. For line searches.

    Args:
        x0: (n, 3) positions (m) at the start, float32 or float64.
        x1: (n, 3) positions (m) at the end.
        faces: (m, 3) integers, or a `Mesh`.
        min_distance: the distance (m).
        **description: as for `Mesh`.

    Raises:
        InputError: not one finite position a vertex, a distance that is negative or beyond 1e9 m, or one
            above 0 and a coordinate beyond 1e9 m.
        MeshError: as `Mesh`.
    """
    start, end = same_floats({"x0": x0, "x1": x1}, (-1, 3))
    mesh = as_mesh(faces, len(start), description)
    step, limit, records, pair, reached = _cloth.max_step(mesh._native, start, end, float(min_distance))
    witness = None if records is None else records.view(WITNESS if limit == "tangled" else COLLISION)
    return MaxStep(step, limit, witness, pair and (PairKind(pair[0]), pair[1], pair[2]), reached)


def safe_distances(
    x: npt.ArrayLike, faces: Faces, **description: Unpack[Description]
) -> npt.NDArray[Any]:
    """For each vertex a distance (m): while every vertex moves on a straight line by at most its own, in any
    direction, nothing touches. 0 for vertices of pairs that touch, and at most the size of the mesh.

    Args:
        x: (n, 3) positions (m), float32 or float64.
        faces: (m, 3) integers, or a `Mesh`.
        **description: as for `Mesh`.

    Returns:
        (n,) distances (m) of the type of `x`.

    Raises:
        InputError: not one finite position a vertex, or one beyond 1e9 m.
        MeshError: as `Mesh`.
    """
    positions = floats("x", x, (-1, 3))
    mesh = as_mesh(faces, len(positions), description)
    return _cloth.safe_distances(mesh._native, positions)
