"""Single pairs and boxes, in batches."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _cloth
from ._arrays import floats, plain
from ._errors import InputError
from ._records import IMPACT, PairKind

KINDS = {"point_triangle": PairKind.POINT_TRIANGLE, "edge_edge": PairKind.EDGE_EDGE}


def ccd(
    queries: npt.ArrayLike,
    kind: str | npt.ArrayLike,
    method: Literal["filtered", "tight", "reference", "additive", "inclusion"] = "filtered",
    distance: float = 0.0,
) -> npt.NDArray[Any]:
    """When pairs of primitives that move on straight lines first come within a distance.

    Args:
        queries: (n, 8, 3) positions (m): a point and the corners of a triangle, or the ends of an edge and of
            another, at the start; then the same at the end.
        kind: "point_triangle" or "edge_edge", or (n,) of `PairKind`.
        method: "filtered", exact verdicts by floating-point filters; "tight", the same with times as near as
            float64 can say; "reference", exact roots of integer polynomials, slow. "additive" and "inclusion"
            are the methods of other libraries, for comparison: they may report a collision where there is
            none.
        distance: the distance (m); 0 is to touch.

    Returns:
        (n,) records of `IMPACT`. A time that is NaN is a proof, with every method, that they stay apart.

    Raises:
        InputError: a shape or a kind is unknown, a number is not finite, or the distance is negative.
    """
    points = floats("queries", queries, (-1, 8, 3)).astype(np.float64, copy=False)
    if isinstance(kind, str):
        if kind not in KINDS:
            raise InputError(f"`kind` is {kind!r}; known are {', '.join(KINDS)}")
        kinds = np.full(len(points), KINDS[kind], np.uint8)
    else:
        kinds = plain("kind", kind)
        if kinds.shape != (len(points),) or kinds.dtype.kind not in "iu" or not np.isin(kinds, (0, 1)).all():
            raise InputError(f"`kind` must be a name or ({len(points)},) of PairKind")
        kinds = np.ascontiguousarray(kinds, np.uint8)
    return _cloth.ccd(points.reshape(-1, 24), kinds, _method(method, CCD), float(distance)).view(IMPACT)


CCD = ("filtered", "tight", "reference", "additive", "inclusion")
BROAD_PHASES = ("block_tree", "brute_force", "spatial_hash", "sweep_and_prune")


def broad_phase(
    boxes: npt.ArrayLike,
    method: Literal["block_tree", "brute_force", "spatial_hash", "sweep_and_prune"] = "block_tree",
) -> npt.NDArray[np.uint32]:
    """The pairs of boxes that overlap; closed boxes that touch do.

    Args:
        boxes: (n, 2, 3) least and greatest corners (m).
        method: all find the same pairs.

    Returns:
        (k, 2) uint32, the smaller index first, sorted.

    Raises:
        InputError: a bound is not finite, or a least corner is beyond the greatest.
    """
    corners = floats("boxes", boxes, (-1, 2, 3)).astype(np.float64, copy=False)
    return _cloth.broad_phase(corners.reshape(-1, 6), _method(method, BROAD_PHASES))


def _method(method: str, known: tuple[str, ...]) -> str:
    if method not in known:
        raise InputError(f"`method` is {method!r}; known are {', '.join(known)}")
    return method
