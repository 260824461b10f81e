"""What steps have done."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

STEP = np.dtype(
    [
        ("time", "f8"),
        ("steps", "i4"),
        ("sleeping", "i4"),
        ("contacts", "i4"),
        ("collider_contacts", "i4"),
        ("tangles", "i4"),
        ("tangled_pairs", "i4"),
        ("released", "i4"),
        ("changed", "i4"),
        ("frozen", "i4"),
        ("teleported", "i4"),
        ("pin_lag", "f4"),
        ("certified", "?"),
    ]
)
"""Steps of one call: the time (s) after them and how many were taken; cloths that sleep, contacts of cloth
and contacts with colliders, tangles and the intersections in them, all after the last step; over all steps,
the pairs of cloth and body that the gate released (sum), the vertices whose motion it changed and those it
froze (of the substep with most), the cloths that cuts teleported (sum), and the greatest distance (m) of a
pin from its target. `certified`: the gate guarded every pair in every substep of every step, so nothing went
through anything; never without gate, not if a step began or ended with a tangle or released a pair, and not
if `teleported` is above 0: what the gate certified in that step is the motion after the cut."""


class Cut(NamedTuple):
    """A cloth that was teleported at the start of a step, because what it is fixed to was cut."""

    cloth: int
    """Its number."""
    metres: float
    """How far the middle of what it is fixed to went (m)."""
    degrees: float
    """The angle of its turn, from 0 to 180."""


class PinEvent(NamedTuple):
    """What happened to a timed pin of a scene file, between two steps."""

    time: float
    """When (s)."""
    cloth: int
    """The number of its cloth."""
    pin: int
    """Its number among the `pins` of the garment."""
    vertices: list[int]
    """Its vertices, in the numbers of the garment's file."""
    kind: Literal["taken", "ended", "distance", "force"]
    """It took its vertices, its time ended, or it was released by the distance or the force of `release`."""
    measured: float | None
    """The distance (m) or the force (N) that released it."""
