"""Types of the records in which witnesses are returned, and what their `kind` means."""

from __future__ import annotations

from enum import IntEnum

import numpy as np


class IntersectionKind(IntEnum):
    """Why a state is not clean: the `kind` of `WITNESS`."""

    PROPER = 0
    """An edge crosses the inside of a face from one side to the other."""
    TOUCHING = 1
    """An edge and a face have one point in common, at an end or on the boundary; or the face has no area."""
    COPLANAR = 2
    """An edge and a face in one plane have a point in common."""
    POINT_FACE = 3
    """A vertex without faces and edges lies on a face."""
    FLAT_FOLD = 4
    """Two faces on one edge lie flat on each other, with their third corners in different places."""
    DOUBLED_FACE = 5
    """A face lies on another: both have the same three points, whether they share vertices or not."""


class PairKind(IntEnum):
    """Which primitives collide: the `kind` of `COLLISION` and `RELEASED`."""

    POINT_TRIANGLE = 0
    """A vertex and a face."""
    EDGE_EDGE = 1
    """Two edges."""


class Between(IntEnum):
    """What two primitives that meet belong to: the `between` of `CHECK_WITNESS`, in the order of
    `KindCounts`."""

    CLOTH_SELF = 0
    """One garment."""
    CLOTH_CLOTH = 1
    """Two garments."""
    CLOTH_BODY = 2
    """A garment and a body."""
    BODY_SELF = 3
    """One body."""
    BODY_BODY = 4
    """Two bodies."""

    @property
    def in_words(self) -> str:
        """As in "cloth with body"."""
        first, second = self.name.lower().split("_")
        return f"{first} with {'itself' if second == 'self' else second}"


WITNESS = np.dtype(
    [
        ("position", "f8", 3),
        ("kind", "i4"),
        ("edge", "i4"),
        ("vertices", "i4", 2),
        ("faces", "i4", 2),
    ]
)
"""One reason why a state is not clean: where (m, up to rounding), an `IntersectionKind`, the edge (a row of
`Mesh.edges`) and its ends, or the point, and the faces; -1 where there is none."""

CHECK_WITNESS = np.dtype(
    [
        ("position", "f8", 3),
        ("kind", "i4"),
        ("between", "i4"),
        ("meshes", "i4", 2),
        ("vertices", "i4", 2),
        ("faces", "i4", 2),
    ]
)
"""One place where garments and bodies meet: where (m, up to rounding), an `IntersectionKind`, a `Between`, the
two meshes (garments by their place in the list, then bodies), the ends of the edge, or the vertex, and the
faces; -1 where there is none. An edge or a vertex is of the first mesh, and its face of the second; of two
faces one is of each. Vertices and faces are numbered as in their mesh."""

COLLISION = np.dtype(
    [
        ("time", "f8"),
        ("gap", "f8"),
        ("position", "f8", 3),
        ("kind", "i4"),
        ("features", "i4", 2),
        ("vertices", "i4", 4),
    ]
)
"""A collision in a motion: it first touches in [`time`, `time` + `gap`] (shares of the motion), where (m, up
to rounding), a `PairKind`, the vertex and the face or the two edges (rows of `Mesh.edges`), and their
vertices."""

RELEASED = np.dtype([("kind", "i4"), ("vertices", "i4", 4)])
"""A pair that could not be kept apart: a `PairKind` and its vertices."""

IMPACT = np.dtype([("time", "f8"), ("gap", "f8")])
"""When a pair first touches: in [`time`, `time` + `gap`] (shares of the motion); NaN if it never does."""

CONTACT = np.dtype(
    [
        ("kind", "i4"),
        ("vertices", "i4", 4),
        ("weights", "f4", 4),
        ("normal", "f4", 3),
        ("gap", "f4"),
        ("distance", "f4"),
    ]
)
"""A contact of cloth with cloth or a mesh body: a `PairKind`, the vertex and the corners of the face, or the ends
of the two edges; the weights of their closest points, whose sum is 0: `weights @ x[vertices]` leads from the
second to the first; the unit normal that way, the signed distance (m) along it and the distance to keep (m), all
at the start of the last substep."""

INTERSECTION = np.dtype(
    [("between", "i4"), ("kind", "i4"), ("vertices", "i4", 2), ("faces", "i4", 2), ("tangled", "?")]
)
"""One place of a simulation where something meets: a `Between` (`BODY_SELF` for all that bodies do among
themselves), an `IntersectionKind`, the ends of the edge and the face, the edge of a flat fold and its faces, or
two faces that lie on each other; -1 where there is none. `tangled`: the gate exempts it; where cloth collides,
everything else that meets came before the gate."""

ATTACHMENT = np.dtype([("vertex", "i4"), ("target", "f4", 3), ("force", "f4", 3), ("holds", "?")])
"""A spring from a vertex, a row of `positions`, to its target (m) in the next step; the mean force (N) on the cloth
in the last step, against gravity where cloth hangs on it, and whether it holds."""
