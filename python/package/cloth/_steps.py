"""What steps have done."""

from __future__ import annotations

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
        ("pin_lag", "f4"),
        ("certified", "?"),
    ]
)
"""Steps of one call: the time (s) after them and how many were taken; cloths that sleep, contacts of cloth
and contacts with colliders, tangles and the intersections in them, all after the last step; over all steps,
the pairs of cloth and body that the gate released (sum), the vertices whose motion it changed and those it
froze (of the substep with most), and the greatest distance (m) of a pin from its target. `certified`: the
gate guarded every pair in every substep of every step, so nothing went through anything; never without gate,
and not if a step began or ended with a tangle or released a pair."""
