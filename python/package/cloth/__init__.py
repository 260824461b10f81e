"""Cloth that never passes through itself: an exact judge, a gate for anybody's motions, and a simulation.

Anything may propose a motion; exact arithmetic decides whether it is accepted. Lengths are metres, y is up.

* `intersections`, `is_clean`: does a state intersect itself, and where?
* `crossings`, `first_crossing`, `is_motion_clean`, `max_step`, `safe_distances`: does a motion, when, how
  far?
* `Certifier`: corrects motions until they are proved to be free of crossings.
* `untangle`, `untangle_outfit`: work a mesh, or garments worn together, free of intersections.
* `check`: does a garment cut its body, and what of it is inside?
* `audit`: judges an animation, frame by frame, alone or with its bodies.
* `read_mesh`, `write_usd`: meshes and stages of files.
* `ccd`, `broad_phase`: single pairs and boxes, in batches.
* `Simulation`: cloth that is certified substep by substep; `Batch`: many of them on all threads.
* `python -m cloth`: the command `cloth`.
* `cloth.sweep`, to be imported by itself: a scene with varied parameters, on one machine or many.
"""

from . import _distribution as _distribution
from ._audit import AUDIT, BODY_AUDIT, audit
from ._batch import Batch, BatchError, BatchTangledError
from ._certify import Certificate, Certifier, Tangle
from ._check import BodySurface, CheckReport, Deepest, KindCounts, check
from ._describe import Body, Cloth, Collider
from ._errors import ClothError, FileError, InputError, MeshError, SimulationError, TangledError
from ._judge import (
    MaxStep,
    Mesh,
    crossings,
    first_crossing,
    intersections,
    is_clean,
    is_motion_clean,
    max_step,
    safe_distances,
)
from ._meshes import read_mesh
from ._queries import broad_phase, ccd
from ._reads import Released, RigidBody
from ._records import (
    ATTACHMENT,
    CHECK_WITNESS,
    COLLISION,
    CONTACT,
    IMPACT,
    INTERSECTION,
    RELEASED,
    WITNESS,
    Between,
    IntersectionKind,
    PairKind,
)
from ._simulation import Simulation
from ._steps import STEP, Cut, PinEvent
from ._threads import set_thread_count, thread_count, threads
from ._untangle import (
    Contour,
    EdgeStrain,
    LayerSides,
    UntangleAttempt,
    Untangled,
    UntangledOutfit,
    untangle,
    untangle_outfit,
)
from ._usd import write_usd
from ._waypoints import Waypoints

__all__ = [
    "ATTACHMENT",
    "AUDIT",
    "BODY_AUDIT",
    "Batch",
    "BatchError",
    "BatchTangledError",
    "Between",
    "Body",
    "BodySurface",
    "CHECK_WITNESS",
    "COLLISION",
    "CONTACT",
    "Certificate",
    "Certifier",
    "CheckReport",
    "Cloth",
    "ClothError",
    "Collider",
    "Contour",
    "Cut",
    "Deepest",
    "EdgeStrain",
    "FileError",
    "IMPACT",
    "INTERSECTION",
    "InputError",
    "IntersectionKind",
    "KindCounts",
    "LayerSides",
    "MaxStep",
    "Mesh",
    "MeshError",
    "PairKind",
    "PinEvent",
    "RELEASED",
    "Released",
    "RigidBody",
    "STEP",
    "Simulation",
    "SimulationError",
    "Tangle",
    "TangledError",
    "UntangleAttempt",
    "Untangled",
    "UntangledOutfit",
    "WITNESS",
    "Waypoints",
    "audit",
    "broad_phase",
    "ccd",
    "check",
    "crossings",
    "first_crossing",
    "intersections",
    "is_clean",
    "is_motion_clean",
    "max_step",
    "read_mesh",
    "safe_distances",
    "set_thread_count",
    "thread_count",
    "threads",
    "untangle",
    "untangle_outfit",
    "write_usd",
]
