"""Many simulations of one scene, stepped on all threads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _cloth
from ._arrays import FARTHEST, check_shape, contiguous, floats, numbers, plain
from ._changes import Admit, check_index, cloth_number, is_tangles, state_mesh
from ._errors import InputError, MeshError, SimulationError, TangledError
from ._judge import intersections
from ._simulation import Simulation, check_bytes, check_steps
from ._steps import STEP

MOST = 1 << 24
"""The greatest number of environments."""

Record = Literal["positions", "velocities", "times", "steps"]
RECORDS = ("positions", "velocities", "times", "steps")
"""What `Batch.rollout` can record."""

Kinds = Mapping[str, tuple[tuple[int, ...], np.dtype[Any]]]
"""Shapes and types of arrays by name."""

Bindable = Literal["positions", "velocities"]


class BatchError(SimulationError):
    """Some environments of a call failed. After `step` and `rollout` they are as before the step that failed,
    and all others have taken all their steps; after any other call nothing has changed in any."""

    ids: npt.NDArray[np.intp]
    """Their numbers."""
    errors: dict[int, str]
    """Why, by the number of the environment."""
    steps: npt.NDArray[Any]
    """Records of `STEP`, as `Batch.step` returns them; after other calls empty."""
    results: dict[str, npt.NDArray[Any]]
    """What `Batch.rollout` returns, with nan and a count of 0 for steps that were not taken; after other
    calls empty."""

    def __init__(
        self,
        errors: Mapping[int, str],
        count: int,
        steps: npt.NDArray[Any] | None = None,
        results: Mapping[str, npt.NDArray[Any]] | None = None,
    ) -> None:
        first, why = next(iter(errors.items()))
        super().__init__(f"{len(errors)} of {count} environments failed; environment {first}: {why}")
        self.ids = np.array(list(errors), np.intp)
        self.errors = dict(errors)
        self.steps = np.empty(0, STEP) if steps is None else steps
        self.results = dict(results or {})


class BatchTangledError(BatchError, TangledError):
    """States of some environments have intersections. `witnesses` are those of the first."""

    def __init__(self, errors: Mapping[int, str], count: int, witnesses: npt.NDArray[Any]) -> None:
        BatchError.__init__(self, errors, count)
        self.witnesses = witnesses


class _Chosen(NamedTuple):
    """Environments of a call, and where their rows are in its arrays."""

    ids: npt.NDArray[np.intp]
    rows: npt.NDArray[np.intp]
    n_rows: int
    """Number of rows that the arrays have."""


class Batch:
    """Environments that start alike and go their own ways, each in every bit as a `Simulation` would.

        batch = cloth.Batch(simulation, 64)
        corners = batch.bind("positions", [0, 15])  # (64, 2, 3), follows the environments
        batch.pin(grasped[:, None])  # (64, 1): a vertex in each
        while True:
            batch.move_pins(grasped[:, None], policy(corners)[:, None])
            steps = batch.step()
            batch.reset(steps["time"] > 2.0)

    **Which environments** a call is about is a mask, (n_env,) booleans, or a list of their numbers; all by
    default. Arrays of a call have a row for each number that is listed, in that order, and otherwise n_env
    rows, of which those outside of the mask are not used.

    **Vertices** are counted in their cloth: (k,) vertices are the same in each environment, (rows, k) are
    vertices of its own, and -1 is none there.

    **Failures**: where the solver refuses something, `BatchError` says why in which environments (`ids`,
    `errors`). Steps of the others are taken; other calls change nothing then.

    An environment takes about 25 bytes a vertex, 40 a contact and 16 for each target of a pin; everything
    else is shared. Calls from several threads wait for each other, and a process that is forked during one
    has no state, as of `Simulation`. Each is stepped by one thread, so no result depends on their number or
    order.
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
        self._surface = simulation._native.faces, simulation._native.cloths, simulation._native.bodies
        self._names = list(simulation._names)
        self._native = _cloth.Batch(simulation._native, self.n_env)

    @property
    def positions(self) -> npt.NDArray[np.float32]:
        """(n_env, n_vertices, 3) positions (m) of all cloths, then of all bodies, as `bind` returns them."""
        return self.bind("positions")

    @property
    def velocities(self) -> npt.NDArray[np.float32]:
        """(n_env, n_vertices, 3) velocities (m/s), a copy."""
        return self.bind("velocities").copy()

    def bind(
        self,
        name: Bindable,
        vertices: npt.ArrayLike | None = None,
        cloth: int | str = 0,
        *,
        writable: bool = False,
    ) -> npt.NDArray[np.float32]:
        """An array that follows the environments: after each call it has their positions or velocities.

        There is one for equal vertices, as long as it or a view of it is referenced: 12 bytes for each vertex
        of each environment. Slices of it are views as well, and consumers of DLPack read it in place
        (`torch.from_dlpack(array)`). Copy what is to stay, and before another thread takes a step.

        Args:
            name: "positions" (m) or "velocities" (m/s).
            vertices: (k,) vertices; all of all cloths, then of all bodies, by default.
            cloth: of which cloth the vertices are, by number or name.
            writable: for consumers of DLPack before 1.0, which knows no arrays that cannot be written. What
                is written is lost at the next call; it is never the state of an environment.

        Returns:
            (n_env, k, 3) array.
        """
        if name not in RECORDS[:2]:
            raise InputError(f"there is no array {name!r}; known are 'positions' and 'velocities'")
        view = self._native.bind(name == "velocities", self._rows_of(vertices, cloth)).view()
        view.flags.writeable = writable
        return view

    @property
    def times(self) -> npt.NDArray[np.float64]:
        """(n_env,) simulated time (s)."""
        return np.array([time for time, _ in self._native.states()])

    def state_hashes(self) -> npt.NDArray[np.uint64]:
        """(n_env,) hashes as of `Simulation.state_hash`."""
        return np.array([digest for _, digest in self._native.states()], np.uint64)

    def step(
        self, dt: float | None = None, count: int = 1, ids: npt.ArrayLike | None = None
    ) -> npt.NDArray[Any]:
        """Takes steps in environments, as `Simulation.step`. Ctrl-C ends the call when all have taken equally
        many.

        Args:
            dt: duration of a step (s).
            count: number of steps.
            ids: which environments: their numbers, or a mask.

        Returns:
            (n,) records of `STEP`, one for each of these environments in their order.

        Raises:
            BatchError: an environment failed; it is as before the step that failed, and takes no other in
                this call. All others have taken all their steps.
        """
        duration, count = check_steps(self.dt if dt is None else dt, count)
        chosen = self._chosen(ids).ids.tolist()
        records, failed = self._native.step(chosen, duration, count)
        steps = records.view(STEP)
        if failed:
            raise BatchError(dict(failed), len(chosen), steps)
        return steps

    def rollout(
        self,
        nstep: int,
        controls: npt.ArrayLike | None = None,
        record: Sequence[Record] = ("positions",),
        *,
        vertices: npt.ArrayLike = (),
        pinned: npt.ArrayLike | None = None,
        cloth: int | str = 0,
        record_vertices: npt.ArrayLike | None = None,
        dt: float | None = None,
        ids: npt.ArrayLike | None = None,
        out: Mapping[str, npt.NDArray[Any]] | None = None,
    ) -> dict[str, npt.NDArray[Any]]:
        """Takes steps in environments and records each, without a return to Python in between: in every bit
        as the loop of `pin`, `unpin`, `move_pins` and `step`.

        Each environment takes all its steps on one thread. After Ctrl-C all are as before the call.

        Args:
            nstep: number of steps.
            controls: (rows, nstep, k, 3) where the vertices are to be at the end of each step (m); what is
                not pinned then has no target. Nothing is moved by default.
            record: of "positions" (m), "velocities" (m/s), "times" (s) and "steps", the records of `STEP`.
            vertices: (k,) vertices of the controls, or (rows, k) in each environment, -1 for none.
            pinned: (rows, nstep, k) booleans: whether a vertex is pinned in a step, or left to itself; it is
                pinned and unpinned at the start of the step. As it was by default, which is pinned if there
                are `controls`.
            cloth: whose vertices they are, by number or name, recorded ones too.
            record_vertices: (m,) vertices; all of all cloths, then of all bodies, by default.
            dt: duration of a step (s).
            ids: which environments: their numbers, or a mask.
            out: arrays to write to, by their names in `record`; others are made.

        Returns:
            Arrays by name, for each environment of the call in its order and each step: (n, nstep, m, 3)
            float32 positions and velocities, (n, nstep) float64 times and records.

        Raises:
            BatchError: an environment failed, as of `step`; `results` has everything before that.
            InputError: a shape or type is wrong, or a target of a pin is not finite or beyond 1e7 m.
            MemoryError: there is no room for the records.
        """
        duration, nstep = check_steps(self.dt if dt is None else dt, nstep)
        chosen = self._chosen(ids)
        names = [record] if isinstance(record, str) else list(record)
        for name in names:
            if name not in RECORDS:
                raise InputError(f"`record` has {name!r}; known are {', '.join(map(repr, RECORDS))}")
        held, recorded = self._vertices(vertices, chosen), self._rows_of(record_vertices, cloth)
        shape = (len(chosen.ids), nstep)
        vectors = (*shape, len(recorded), 3), np.dtype(np.float32)
        times = shape, np.dtype(np.float64)
        kinds: Kinds = dict(zip(RECORDS, (vectors, vectors, times, (shape, STEP))))
        given = _writable(out or {}, {name: kinds[name] for name in names})
        flags = np.empty(0, np.bool_)
        used = np.broadcast_to((held >= 0)[:, None], (*shape, held.shape[1]))
        if pinned is not None:
            flags = plain("pinned", pinned)
            check_shape(InputError, "pinned", flags, (chosen.n_rows, *used.shape[1:]))
            if flags.dtype != np.bool_:
                raise InputError(f"`pinned` has dtype {flags.dtype}; pass booleans")
            flags = flags[chosen.rows]
            used = used & flags
        targets = np.empty(0, np.float32)
        if controls is not None:
            targets = _places("controls", controls, chosen, used)
        records, values, failed = self._native.rollout(
            chosen.ids.tolist(), nstep, duration, self._cloth(cloth), held, targets.ravel(),
            flags.ravel(), recorded.tolist(), [name in names for name in RECORDS[:2]],
        )  # fmt: skip
        steps = records.view(STEP).reshape(shape)
        steps["time"][steps["steps"] == 0] = np.nan
        results: dict[str, npt.NDArray[Any]] = {}
        for name, found in zip(RECORDS, (*values, np.ascontiguousarray(steps["time"]), steps)):
            if name in given:
                given[name][...] = found.reshape(kinds[name][0])
            if name in names:
                results[name] = given[name] if name in given else found.reshape(kinds[name][0])
        if failed:
            raise BatchError(dict(failed), len(chosen.ids), results=results)
        return results

    def move_pins(
        self,
        vertices: npt.ArrayLike,
        targets: npt.ArrayLike,
        cloth: int | str = 0,
        *,
        which: npt.ArrayLike | None = None,
        mask: npt.ArrayLike | None = None,
    ) -> None:
        """Moves pinned vertices of a cloth, linearly in the next step, in each environment to targets of its
        own.

        Args:
            vertices: (k,) vertices, or (rows, k) in each environment, -1 for none.
            targets: (rows, k, 3) where they are to be (m).
            cloth: its number or name.
            which: which environments: a mask, or their numbers.
            mask: the same, for booleans alone.

        Raises:
            InputError: a shape or type is wrong, or a target is not finite or beyond 1e7 m.
            BatchError: there is no such vertex, or it is not pinned in an environment. Nothing has changed
                then.
        """
        chosen = self._chosen(which, mask)
        held = self._vertices(vertices, chosen)
        places = _places("targets", targets, chosen, held >= 0).ravel()
        ids = chosen.ids.tolist()
        self._check(chosen, self._native.move_pins(ids, self._cloth(cloth), held, places))

    def pin(
        self,
        vertices: npt.ArrayLike,
        cloth: int | str = 0,
        *,
        which: npt.ArrayLike | None = None,
        mask: npt.ArrayLike | None = None,
    ) -> None:
        """Pins vertices of a cloth where they are; the arguments are those of `move_pins`.

        Raises:
            BatchError: there is no such vertex in an environment. Nothing has changed then.
        """
        self._set_pinned(vertices, cloth, self._chosen(which, mask), True)

    def unpin(
        self,
        vertices: npt.ArrayLike,
        cloth: int | str = 0,
        *,
        which: npt.ArrayLike | None = None,
        mask: npt.ArrayLike | None = None,
    ) -> None:
        """Unpins vertices of a cloth, and leaves others as they are; the arguments are those of `move_pins`.

        Raises:
            BatchError: there is no such vertex, or its description gives it no finite mass. Nothing has
                changed then.
        """
        self._set_pinned(vertices, cloth, self._chosen(which, mask), False)

    def set_state(
        self,
        positions: npt.ArrayLike,
        velocities: npt.ArrayLike | None = None,
        *,
        which: npt.ArrayLike | None = None,
        mask: npt.ArrayLike | None = None,
        admit: Admit = "clean",
    ) -> None:
        """Replaces positions and velocities, in each environment as `Simulation.set_state`.

        Args:
            positions: (rows, n_vertices, 3) positions (m) of all cloths, then of all bodies.
            velocities: (rows, n_vertices, 3) velocities (m/s); at rest by default.
            which: which environments: a mask, or their numbers.
            mask: the same, for booleans alone.
            admit: "clean" refuses states with intersections, "tangles" makes tangles of them.

        Raises:
            InputError: a shape or type is wrong, or a number is not finite or beyond 1e7 m.
            BatchTangledError: what `admit` refuses in some environments, a `TangledError` too. Nothing has
                changed then.
        """
        chosen, admits_tangles = self._chosen(which, mask), is_tangles(admit)
        used = np.ones((len(chosen.ids), self.n_vertices), np.bool_)
        places = _places("positions", positions, chosen, used)
        speeds = np.zeros_like(places)
        if velocities is not None:
            speeds = _places("velocities", velocities, chosen, used, float(np.finfo(np.float32).max))
        ids = chosen.ids.tolist()
        failed, is_tangled = self._native.set_state(ids, places, speeds, admits_tangles)
        if failed and is_tangled:
            witnesses = intersections(places[ids.index(failed[0][0])], state_mesh(*self._surface))
            raise BatchTangledError(dict(failed), len(ids), witnesses)
        self._check(chosen, failed)

    def reset(self, which: npt.ArrayLike | None = None, *, mask: npt.ArrayLike | None = None) -> None:
        """Returns environments to the state in which all were made, pins and targets too.

        Args:
            which: which: a mask, or their numbers.
            mask: the same, for booleans alone.
        """
        self._native.reset(self._chosen(which, mask).ids.tolist())

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

    def _cloth(self, cloth: int | str) -> int:
        return cloth_number(cloth, self._names)

    def _set_pinned(
        self, vertices: npt.ArrayLike, cloth: int | str, chosen: _Chosen, is_pinned: bool
    ) -> None:
        held, part = self._vertices(vertices, chosen), self._cloth(cloth)
        self._check(chosen, self._native.set_pinned(chosen.ids.tolist(), part, held, is_pinned))

    def _check(self, chosen: _Chosen, failed: list[tuple[int, str]]) -> None:
        if failed:
            raise BatchError(dict(failed), len(chosen.ids))

    def _chosen(self, which: npt.ArrayLike | None, mask: npt.ArrayLike | None = None) -> _Chosen:
        """The environments of a mask or of numbers."""
        every = np.arange(self.n_env)
        if which is None and mask is None:
            return _Chosen(every, every, self.n_env)
        if which is not None and mask is not None:
            raise InputError("both `which` and `mask` say which environments; pass one")
        given = which if mask is None else mask
        name = "mask" if mask is not None or getattr(which, "dtype", None) == np.bool_ else "which"
        array = plain(name, given)
        if array.dtype == np.bool_ and array.shape == (self.n_env,):
            return _Chosen(every[array], every[array], self.n_env)
        is_empty = array.ndim == 1 and array.size == 0
        if mask is not None or array.ndim != 1 or array.dtype.kind not in "iu" and not is_empty:
            wanted = f"booleans of shape ({self.n_env},)" + ("" if name == "mask" else ", or a list of numbers")
            raise InputError(f"`{name}` is {array.dtype} of shape {array.shape}; pass {wanted}")
        for i in array[(array < 0) | (array >= self.n_env)][:1]:
            check_index("environment", int(i), self.n_env)
        distinct, counts = np.unique(array, return_counts=True)
        if (counts > 1).any():
            raise InputError(f"environment {distinct[counts > 1][0]} is named twice; name each once")
        return _Chosen(array.astype(np.intp), np.arange(array.size), array.size)

    def _vertices(self, vertices: npt.ArrayLike, chosen: _Chosen) -> npt.NDArray[np.int64]:
        """(n, k) vertices of each of these environments."""
        array = plain("vertices", vertices, MeshError)
        if array.ndim != 2:
            array = np.broadcast_to(numbers("vertices", array, np.uint32), (chosen.n_rows, array.size))
        if array.dtype.kind not in "iu":
            raise MeshError(f"`vertices` has dtype {array.dtype}; pass integers")
        check_shape(MeshError, "vertices", array, (chosen.n_rows, -1))
        if array.size and (array.min() < -1 or array.max() >= 1 << 32):
            raise MeshError(f"`vertices` has values from {array.min()} to {array.max()}; -1 is none")
        return np.ascontiguousarray(array[chosen.rows], np.int64)

    def _rows_of(self, vertices: npt.ArrayLike | None, cloth: int | str) -> npt.NDArray[np.uint32]:
        """The rows of vertices in an array of all; all by default."""
        if vertices is None:
            return np.arange(self.n_vertices, dtype=np.uint32)
        begin, end, _, _ = self._surface[1][self._cloth(cloth)]
        chosen = numbers("vertices", vertices, np.uint32)
        for v in chosen[chosen >= end - begin][:1]:
            raise InputError(f"there is no vertex {v} in cloth {cloth!r}, which has {end - begin}")
        return chosen + np.uint32(begin)


def _places(
    name: str, values: npt.ArrayLike, chosen: _Chosen, used: npt.NDArray[np.bool_], most: float = FARTHEST
) -> npt.NDArray[np.float32]:
    """Vectors of the environments of a call; of those that are used no number is beyond the greatest."""
    array = floats(name, values, (chosen.n_rows, *used.shape[1:], 3))
    is_used = np.zeros(array.shape, np.bool_)
    is_used[chosen.rows] = used[..., None]
    wrong = is_used & ~(np.abs(array) <= most)
    if wrong.any():
        place = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise InputError(f"`{name}`[{', '.join(map(str, place))}] is {array[place]}; it must be within {most:.4g}")
    with np.errstate(over="ignore"):
        return contiguous(array[chosen.rows], np.float32)


def _writable(
    out: Mapping[str, npt.NDArray[Any]], kinds: Kinds
) -> Mapping[str, npt.NDArray[Any]]:
    """Arrays for results, if each is of the kind of its name."""
    for name, array in out.items():
        shape, dtype = kinds.get(name, ((), None))
        if dtype is None:
            raise InputError(f"`out` has {name!r}, which is not recorded")
        fits = isinstance(array, np.ndarray) and array.shape == shape and array.dtype == dtype
        if not fits or not array.flags.writeable:
            raise InputError(f"`out[{name!r}]` must be an array of shape {shape} and {dtype} that can be written")
    return out
