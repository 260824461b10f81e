"""Resolving intersections."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from . import _cloth
from ._arrays import floats, indices
from ._errors import InputError


class Contour(NamedTuple):
    """A connected intersection that remains."""

    intersections: int
    """Number of edges and faces that meet on it."""
    length: float
    """Its length (m), rounded."""
    center: tuple[float, float, float]
    """The mean of its places (m)."""
    with_body: bool
    """Whether one side of it is a body."""


@dataclass(frozen=True, eq=False)
class Untangled:
    """The result of `untangle`."""

    positions: npt.NDArray[np.float64]
    """(n, 3) positions (m) with the fewest intersections: those given, in every bit, if none has fewer."""
    before: int
    """Intersections of the positions as given."""
    after: int
    """Intersections of `positions`."""
    steps: int
    """Steps that were taken."""
    best_step: int | None
    """After which of them `positions` was reached; None for the positions as given."""
    contours: list[Contour]
    """What remains."""


def untangle(
    x: npt.ArrayLike,
    faces: npt.ArrayLike,
    *,
    rest: npt.ArrayLike | None = None,
    bodies: Sequence[tuple[npt.ArrayLike, npt.ArrayLike]] = (),
    seconds: float = 3.0,
    thickness: float | None = None,
    gate: bool = True,
    on_step: Callable[[int, int, int], bool | None] | None = None,
) -> Untangled:
    """Works a mesh free of intersections, with itself and with bodies, and says what remains.

    A heuristic, judged exactly after every step: the result never has more intersections than the input, and
    a clean input is returned as it is. It does not know which side of a part was meant to be outside. Ctrl-C
    ends it after the current step.

    Args:
        x: (n, 3) positions (m).
        faces: (m, 3) integers.
        rest: (n, 3) positions (m) whose edge lengths the cloth keeps as far as it can; `x` by default.
        bodies: meshes (positions, faces) that the cloth is to leave and that stay where they are.
        seconds: most simulated time (s), in steps of 1/60 s.
        thickness: the distance (m) that parts of the cloth keep; fits the mesh by default.
        gate: whether the motion of what does not intersect is certified, so that nothing new forms there.
        on_step: called with the step, its intersections and the fewest so far; True ends the work.

    Raises:
        InputError: a position is not finite, an index is out of range, or the mesh cannot be simulated.
    """
    positions = floats("x", x, (-1, 3)).astype(np.float64, copy=False)
    shape = positions if rest is None else floats("rest", rest, (len(positions), 3)).astype(np.float64, copy=False)
    if not np.isfinite(shape).all():
        raise InputError("`rest` has numbers that are not finite")
    meshes = [
        (floats(f"bodies[{i}][0]", p, (-1, 3)).astype(np.float64, copy=False), indices(f"bodies[{i}][1]", f, 3))
        for i, (p, f) in enumerate(bodies)
    ]
    said = _cloth.untangle(
        positions, shape, indices("faces", faces, 3), meshes, float(seconds), thickness, gate, on_step
    )
    contours = [Contour(*contour) for contour in said.pop("contours")]
    return Untangled(contours=contours, **said)
