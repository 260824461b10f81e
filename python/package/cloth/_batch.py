"""Many simulations of one scene, stepped on all threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from . import _cloth
from ._arrays import coordinates, numbers, plain
from ._changes import check_index
from ._errors import InputError, SimulationError
from ._simulation import Simulation, check_bytes, check_steps
from ._steps import STEP

MOST = 1 << 24
"""The greatest number of environments."""


class BatchError(SimulationError):
    """Steps of some environments failed; all others were taken."""

    errors: dict[int, str]
    """Why, by the number of the environment."""
    steps: npt.NDArray[Any]
    """(n_env,) records of `STEP`, as `Batch.step` returns them."""

    def __init__(self, errors: dict[int, str], steps: npt.NDArray[Any]) -> None:
        first, why = next(iter(errors.items()))
        super().__init__(f"{len(errors)} of {len(steps)} environments failed; environment {first}: {why}")
        self.errors = errors
        self.steps = steps


class Batch:
    """Environments that start alike and go their own ways, each in every bit as a `Simulation` would.

    An environment takes the memory of its state, about 60 bytes a vertex and 40 a contact; everything else is
    shared. Calls from several threads wait for each other, and a process that is forked during one has no
    state, as of `Simulation`. Each is stepped by one thread, so no result depends on their number or order.
    """

    def __init__(self, simulation: Simulation, n_env: int) -> None:
        """Makes environments in the present state of a simulation, which stays as it is.

        Args:
            simulation: what each is a copy of.
            n_env: their number.

        Raises:
            InputError: the number is not an integer from 1 to 2^24.
        """
        if not isinstance(simulation, Simulation):
            raise InputError(f"`simulation` is a {type(simulation).__name__}; pass a Simulation")
        if isinstance(n_env, bool) or not isinstance(n_env, (int, np.integer)) or not 1 <= n_env <= MOST:
            raise InputError(f"`n_env` is {n_env!r}; it must be an integer from 1 to {MOST}")
        self.n_env = int(n_env)
        self.n_vertices = simulation.vertex_count
        self.dt = simulation.dt
        self._simulation = simulation
        self._native = _cloth.Batch(simulation._native, self.n_env)

    @property
    def positions(self) -> npt.NDArray[np.float32]:
        """(n_env, n_vertices, 3) positions (m): a view that cannot be written and that follows the
        environments, for DLPack too (`torch.from_dlpack(batch.positions)`). Made when it is first asked for,
        12 bytes a vertex. Copy it before another thread takes a step."""
        view = self._native.positions.view()
        view.flags.writeable = False
        return view

    @property
    def velocities(self) -> npt.NDArray[np.float32]:
        """(n_env, n_vertices, 3) velocities (m/s), a copy."""
        return self._native.velocities

    @property
    def times(self) -> npt.NDArray[np.float64]:
        """(n_env,) simulated time (s)."""
        return np.array([time for time, _ in self._native.states()])

    def state_hashes(self) -> npt.NDArray[np.uint64]:
        """(n_env,) hashes as of `Simulation.state_hash`."""
        return np.array([digest for _, digest in self._native.states()], np.uint64)

    def step(self, dt: float | None = None, count: int = 1) -> npt.NDArray[Any]:
        """Takes steps in every environment, as `Simulation.step`. Ctrl-C ends the call when all have taken
        equally many.

        Args:
            dt: duration of a step (s).
            count: number of steps.

        Returns:
            (n_env,) records of `STEP`.

        Raises:
            BatchError: an environment failed; it is as before the step that failed, and takes no other in
                this call. All others have taken all their steps.
        """
        duration, count = check_steps(self.dt if dt is None else dt, count)
        records, failed = self._native.step(duration, count)
        steps = records.view(STEP)
        if failed:
            raise BatchError(dict(failed), steps)
        return steps

    def move_pins(
        self,
        vertices: npt.ArrayLike,
        targets: npt.ArrayLike,
        cloth: int | str = 0,
        *,
        mask: npt.ArrayLike | None = None,
    ) -> None:
        """Moves pinned vertices of a cloth, linearly in the next step, in each environment to targets of its
        own.

        Args:
            vertices: (k,) vertices, counted in their cloth.
            targets: (n_env, k, 3) where they are to be (m).
            cloth: its number or name.
            mask: (n_env,) booleans: in which environments; all by default. The targets of others are not
                used.

        Raises:
            InputError: a shape or type is wrong, or a target is not finite or beyond 1e7 m.
            SimulationError: there is no such vertex, or it is not pinned in an environment. Nothing has
                changed then.
        """
        which = numbers("vertices", vertices, np.uint32)
        chosen = self._which(mask)
        places = coordinates("targets", targets, (self.n_env, len(which), 3))
        self._native.move_pins(self._simulation._cloth(cloth), which, places, chosen)

    def reset(self, mask: npt.ArrayLike | None = None) -> None:
        """Returns environments to the state in which all were made, pins and targets too.

        Args:
            mask: (n_env,) booleans: which; all by default.
        """
        self._native.reset(self._which(mask))

    def snapshot(self, i: int) -> bytes:
        """The state of an environment, for `restore` of this class and of `Simulation`."""
        return self._native.snapshot(check_index("environment", i, self.n_env))

    def restore(self, i: int, snapshot: bytes) -> None:
        """Continues an environment from a snapshot of any simulation of the same scene.

        Raises:
            SimulationError: as `Simulation.restore`.
        """
        self._native.restore(check_index("environment", i, self.n_env), check_bytes(snapshot))

    def __len__(self) -> int:
        return self.n_env

    def __repr__(self) -> str:
        return f"<cloth.Batch: {self.n_env} environments of {self.n_vertices} vertices>"

    def _which(self, mask: npt.ArrayLike | None) -> list[int]:
        if mask is None:
            return list(range(self.n_env))
        chosen = plain("mask", mask)
        if chosen.shape != (self.n_env,) or chosen.dtype != np.bool_:
            found = f"{chosen.dtype} of shape {chosen.shape}"
            raise InputError(f"`mask` is {found}; pass booleans of shape ({self.n_env},)")
        return [int(i) for i in np.flatnonzero(chosen)]
