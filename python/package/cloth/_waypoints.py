"""Where what moves is within a step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ._arrays import coordinates, floats, numbers
from ._describe import pose
from ._errors import InputError

if TYPE_CHECKING:
    from ._simulation import Simulation


class Waypoints:
    """Where pins, bodies, colliders and attachments are at evenly spaced times within a step, for motion that
    is not linear over a frame, such as that of an arm that swings.

    A step with `count` waypoints has `count + 1` equal parts; waypoint k is the place at the end of part k, and
    the target, set by `Simulation.move_pins` and the like, that at the end of the last. In between everything
    moves linearly; what has no waypoints moves as without. With one less than the `substeps` of the settings,
    each substep ends on the path.
    """

    def __init__(self, count: int) -> None:
        """Makes waypoints for one step.

        Raises:
            InputError: the number is not an integer from 1 to 65536.
        """
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or not 1 <= count <= 65536:
            raise InputError(f"`count` is {count!r}; it must be an integer from 1 to 65536")
        self.count = int(count)
        self._pins: list[tuple[Any, Any]] = []
        self._bodies: list[tuple[int, npt.NDArray[np.float32]]] = []
        self._colliders: list[tuple[int, list[list[float]]]] = []
        self._attachments: list[tuple[Any, Any]] = []

    def move_pins(self, vertices: npt.ArrayLike, path: npt.ArrayLike, cloth: int | str = 0) -> None:
        """Moves (k,) pinned vertices of a cloth along (count, k, 3) places (m)."""
        which = numbers("vertices", vertices, np.uint32)
        self._pins.append((cloth, (which, coordinates("path", path, (self.count, len(which), 3)))))

    def move_body(self, path: npt.ArrayLike, body: int = 0) -> None:
        """Moves the vertices of a mesh body along (count, n, 3) positions (m)."""
        shape = np.shape(path)
        count = shape[1] if len(shape) == 3 else 1
        self._bodies.append((body, coordinates("path", path, (self.count, count, 3))))

    def move_collider(self, collider: int, positions: npt.ArrayLike, rotations: npt.ArrayLike) -> None:
        """Moves a collider along (count, 3) positions (m) and (count, 4) quaternions x, y, z, w."""
        places = floats("positions", positions, (self.count, 3))
        turns = floats("rotations", rotations, (self.count, 4))
        self._colliders.append((collider, [pose(*pair) for pair in zip(places, turns)]))

    def move_attachments(self, attachments: npt.ArrayLike, path: npt.ArrayLike) -> None:
        """Moves targets of (k,) attachments along (count, k, 3) places (m)."""
        which = numbers("attachments", attachments, np.uint32)
        self._attachments.append((which, coordinates("path", path, (self.count, len(which), 3))))

    def _of(self, simulation: Simulation) -> Waypoints:
        """The same with the numbers of the cloths of a simulation."""
        resolved = Waypoints(self.count)
        resolved._pins = [(simulation._cloth(cloth), path) for cloth, path in self._pins]
        resolved._bodies, resolved._colliders = self._bodies, self._colliders
        resolved._attachments = self._attachments
        return resolved
