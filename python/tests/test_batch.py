"""A batch: each environment is in every bit a simulation of its own."""

from __future__ import annotations

import gc
import os
import pathlib
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import cloth
import scenes
from cloth import _arrays


def all_targets(n_env: int, step: int) -> np.ndarray:
    """Those of `scenes.swing_targets`, with a phase for each environment."""
    return np.stack([scenes.swing_targets(step, 0.37 * i) for i in range(n_env)])


def test_64_environments_equal_64_simulations_in_any_order() -> None:
    singles = []
    for i in range(64):
        single = scenes.flag()
        for step in range(12):
            scenes.swing(single, step, 0.37 * i)
            row = single.step()
        singles.append((single.state_hash(), single.time, single.snapshot(), row))
    assert len({digest for digest, *_ in singles}) == 64
    for threads, seed in ((1, 0), (2, 1), (3, 2)):
        order = list(range(64))
        random.Random(seed).shuffle(order)
        with cloth.threads(threads):
            batch = cloth.Batch(scenes.flag(), 64)
            for step in range(12):
                batch.move_pins([0, 7], all_targets(64, step)[order])
                rows = batch.step()
            for place, i in enumerate(order):
                digest, time, snapshot, row = singles[i]
                # The snapshot has contacts, tangles, sleep and targets as well as positions and velocities.
                assert batch.snapshot(place) == snapshot
                assert rows[place] == row
            np.testing.assert_array_equal(batch.state_hashes(), [singles[i][0] for i in order])
            assert (batch.times == singles[0][1]).all()


def test_tangled_and_sleeping_environments_keep_their_history() -> None:
    for make in (scenes.tangled, lambda: scenes.flag(settings=SLEEPY)):
        simulation = make()
        batch = cloth.Batch(simulation, 3)
        late = simulation.snapshot()
        for _ in range(6):
            rows = batch.step(count=10)
            row = simulation.step(count=10)
            assert all(rows[:2] == row)
            assert batch.snapshot(1) == simulation.snapshot()
            # The others are made to differ, so that a worker goes from one state to another.
            batch.restore(2, late)
    assert row["sleeping"] == 1


SLEEPY = {"sleep": {"after": 0.1, "speed": 10.0}}


def test_positions_are_one_view_that_follows_and_that_dlpack_exports() -> None:
    simulation = scenes.flag()
    batch = cloth.Batch(simulation, 5)
    positions = batch.positions
    assert positions.shape == (5, 64, 3) and positions.dtype == np.float32
    batch.move_pins([0, 7], all_targets(5, 3))
    batch.step(count=2)
    for i in range(5):
        single = scenes.flag()
        scenes.swing(single, 3, 0.37 * i)
        single.step(count=2)
        np.testing.assert_array_equal(positions[i], single.positions)
        np.testing.assert_array_equal(batch.velocities[i], single.velocities)
    with pytest.raises(ValueError, match="read-only"):
        positions[0, 0] = 0
    assert np.shares_memory(positions, batch.positions)
    exported = np.from_dlpack(positions)
    assert np.shares_memory(exported, positions) and not exported.flags.writeable


def test_torch_reads_the_positions_and_gives_targets() -> None:
    torch = pytest.importorskip("torch")
    batch = cloth.Batch(scenes.flag(), 2)
    read = torch.from_dlpack(batch.bind("positions", writable=True))
    targets = torch.from_numpy(all_targets(2, 3))
    batch.move_pins(torch.tensor([0, 7]), targets, mask=torch.tensor([True, True]))
    batch.step()
    np.testing.assert_array_equal(read[:, [0, 7]].numpy(), targets.numpy().astype(np.float32))


class Foreign:
    """An array of another library, which offers DLPack alone."""

    def __init__(self, array: np.ndarray, device: int = 1) -> None:
        self.array = array
        self.device = device

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device, 0

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)


def test_arrays_of_other_libraries_are_taken_without_a_copy() -> None:
    batch = cloth.Batch(scenes.flag(), 3)
    other = cloth.Batch(scenes.flag(), 3)
    targets = all_targets(3, 4).astype(np.float32)
    taken = _arrays.plain("targets", Foreign(targets))
    assert np.shares_memory(taken, targets)
    which = Foreign(np.array([0, 2]))
    batch.move_pins(Foreign(np.array([0, 7])), Foreign(targets[[0, 2]]), which=which)
    other.move_pins([0, 7], targets, mask=[True, False, True])
    batch.step(ids=which)
    other.step(ids=[0, 2])
    np.testing.assert_array_equal(batch.state_hashes(), other.state_hashes())
    with pytest.raises(cloth.InputError, match="`targets`, a Foreign, is on another device; copy it"):
        batch.move_pins([0, 7], Foreign(targets, device=2))
    with pytest.raises(cloth.InputError, match="`targets`, a Foreign, cannot be read by DLPack: "):
        batch.move_pins([0, 7], Foreign(targets.astype(object)))


def test_consumers_without_read_only_arrays_get_writable_copies() -> None:
    batch = cloth.Batch(scenes.flag(), 2)
    positions = batch.positions
    # As consumers of the first version of DLPack ask for it.
    with pytest.raises(BufferError):
        positions.__dlpack__()
    writable = batch.bind("positions", writable=True)
    assert writable.__dlpack__() is not None and np.shares_memory(writable, positions)
    scribbled = np.from_dlpack(writable)
    before = [batch.snapshot(i) for i in range(2)]
    # It is a copy: what is written to it is no state, and is gone after the next step.
    writable[...] = np.nan
    assert np.isnan(scribbled).all()
    assert [batch.snapshot(i) for i in range(2)] == before
    batch.step()
    single = scenes.flag()
    single.step()
    assert (batch.state_hashes() == single.state_hash()).all()
    np.testing.assert_array_equal(positions[1], single.positions)


def test_bound_arrays_follow_chosen_vertices_without_the_rest() -> None:
    batch = cloth.Batch(scenes.tangled(), 3)
    corners = batch.bind("positions", [7, 0, 7], "upright")
    speeds = batch.bind("velocities", np.array([3], np.uint8))
    assert corners.shape == (3, 3, 3) and speeds.shape == (3, 1, 3)
    assert np.shares_memory(corners, batch.bind("positions", [7, 0, 7], 1))
    first = batch.bind("positions", [1], 1)[:, 0]
    batch.step(ids=[2, 0])
    batch.step()
    np.testing.assert_array_equal(corners, batch.positions[:, [71, 64, 71]])
    np.testing.assert_array_equal(speeds, batch.velocities[:, [3]])
    # A slice keeps its array, which follows on.
    np.testing.assert_array_equal(first, batch.positions[:, 65])
    batch.reset([1])
    np.testing.assert_array_equal(first, batch.positions[:, 65])
    assert np.abs(speeds[0]).max() > 0 == np.abs(speeds[1]).max()
    with pytest.raises(ValueError, match="read-only"):
        corners[0] = 0
    for call in (
        lambda: batch.bind("positions", [64]),
        lambda: batch.bind("positions", [-1]),
        lambda: batch.bind("positions", [[0]]),
        lambda: batch.bind("positions", [0], 2),
        lambda: batch.bind("masses"),  # type: ignore[arg-type]
    ):
        with pytest.raises(cloth.ClothError):
            call()


def test_reset_returns_the_chosen_environments_alone() -> None:
    simulation = scenes.flag()
    simulation.step(count=5)
    start = simulation.snapshot()
    batch = cloth.Batch(simulation, 4)
    positions = batch.positions
    batch.move_pins([0, 7], all_targets(4, 3))
    batch.step(count=3)
    moved = [batch.snapshot(i) for i in range(4)]
    mask = np.array([True, False, False, True])
    # Targets that are still to be used go too.
    batch.move_pins([0, 7], all_targets(4, 9), mask=mask)
    batch.reset(mask)
    assert [batch.snapshot(i) for i in range(4)] == [start, moved[1], moved[2], start]
    np.testing.assert_array_equal(positions[0], simulation.positions)
    assert not np.array_equal(positions[1], simulation.positions)
    batch.step()
    simulation.step()
    np.testing.assert_array_equal(positions[3], simulation.positions)
    simulation.restore(start)
    batch.reset()
    assert {batch.snapshot(i) for i in range(4)} == {start}
    np.testing.assert_array_equal(positions[2], simulation.positions)


def test_targets_are_those_of_the_chosen_environments() -> None:
    batch = cloth.Batch(scenes.flag(), 3)
    targets = all_targets(3, 2)
    targets[1] = np.nextafter(np.float64(1e7), 0)
    batch.move_pins([0, 7], targets, "flag", mask=[True, False, True])
    batch.step()
    pins = batch.positions[:, [0, 7]]
    np.testing.assert_array_equal(pins[[0, 2]], targets[[0, 2]].astype(np.float32))
    np.testing.assert_array_equal(pins[1], scenes.sheet()[0][[0, 7]].astype(np.float32))


def singles(count: int, **options: Any) -> list[cloth.Simulation]:
    return [scenes.flag(**options) for _ in range(count)]


def assert_equal(batch: cloth.Batch, plain: Sequence[cloth.Simulation]) -> None:
    assert [batch.snapshot(i) for i in range(len(batch))] == [single.snapshot() for single in plain]


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_each_environment_grasps_and_releases_its_own_vertex(threads: int) -> None:
    """As `Simulation` does, at times of its own; the first steps are in contact with the ball."""
    plain = singles(6)
    rng = np.random.default_rng(3)
    with cloth.threads(threads):
        batch = cloth.Batch(scenes.flag(), 6)
        positions = batch.positions
        held = np.full((6, 2), -1)
        for step in range(16):
            grasping = (held == -1) & (rng.random((6, 2)) < 0.3)
            releasing = (held != -1) & (rng.random((6, 2)) < 0.2)
            released = np.where(releasing, held, -1)
            grasped = np.where(grasping, rng.integers(8, 64, (6, 2)), -1)
            batch.unpin(released)
            batch.pin(grasped)
            held = np.where(releasing, -1, np.where(grasping, grasped, held))
            targets = rng.normal(0.0, 0.01, (6, 2, 3)) + positions[np.arange(6)[:, None], held]
            targets[held == -1] = np.nan
            batch.move_pins(held, targets, which=np.ones(6, bool))
            batch.step()
            for i, single in enumerate(plain):
                for call, row in ((single.unpin, released[i]), (single.pin, grasped[i])):
                    if (row >= 0).any():
                        call(row[row >= 0])
                single.move_pins(held[i][held[i] >= 0], targets[i][held[i] >= 0])
                single.step()
            assert_equal(batch, plain)
            np.testing.assert_array_equal(positions, [single.positions for single in plain])
    assert len(set(batch.state_hashes().tolist())) == 6


def test_vertices_for_all_are_pinned_in_the_chosen_environments() -> None:
    plain = singles(4)
    batch = cloth.Batch(scenes.flag(), 4)
    batch.step(count=8)
    batch.pin([20, 21], mask=[True, False, True, False])
    batch.pin([30], "flag", which=[3])
    batch.unpin([0, 21, 5], which=[2, 0])
    batch.step(count=4)
    for i, single in enumerate(plain):
        single.step(count=8)
        if i in (0, 2):
            single.pin([20, 21])
            single.unpin([0, 21, 5])
        if i == 3:
            single.pin([30])
        single.step(count=4)
    assert_equal(batch, plain)


def test_steps_of_chosen_environments_are_in_their_order() -> None:
    plain = singles(4)
    batch = cloth.Batch(scenes.flag(), 4)
    positions = batch.positions
    for ids in ([2, 0], np.array([False, True, False, True]), [], [3, 2, 1, 0], np.array([1], ">i2")):
        rows = batch.step(1 / 90, 2, ids)
        numbers = np.flatnonzero(ids) if np.asarray(ids).dtype == bool else np.asarray(ids, int)
        assert len(rows) == len(numbers)
        for i, row in zip(numbers, rows):
            assert plain[i].step(1 / 90, 2) == row
    assert_equal(batch, plain)
    np.testing.assert_array_equal(positions, [single.positions for single in plain])
    # Rows of arrays are in the order of numbers, and with a mask in that of environments.
    targets = all_targets(4, 2)
    batch.move_pins([0, 7], targets[[3, 1]], which=[3, 1])
    batch.step()
    np.testing.assert_array_equal(positions[[3, 1]][:, [0, 7]], targets[[3, 1]].astype(np.float32))
    batch.reset([3, 0])
    assert (batch.times == 0).tolist() == [True, False, False, True]
    batch.reset(which=np.array([False, True, False, False]))
    batch.reset(mask=[False, False, True, False])
    assert (batch.times == 0).all()


def rollout_controls(n_env: int, steps: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Own vertices, targets and flags of a grasp and a release in each environment."""
    rng = np.random.default_rng(seed)
    vertices = rng.permuted(np.tile(np.arange(8, 56), (n_env, 1)), axis=1)[:, :3]
    vertices[rng.random(vertices.shape) < 0.2] = -1
    begin = rng.integers(0, steps, (n_env, 1, 3))
    end = begin + rng.integers(1, steps, (n_env, 1, 3))
    step = np.arange(steps)[None, :, None]
    pinned = (begin <= step) & (step < end)
    places = scenes.sheet()[0][vertices][:, None] + rng.normal(0.0, 0.02, (n_env, steps, 3, 3))
    places[~pinned | (vertices == -1)[:, None]] = np.nan
    return vertices, places, pinned


def plain_rollout(
    single: cloth.Simulation, vertices: np.ndarray, places: np.ndarray, pinned: np.ndarray, dt: float
) -> list[tuple[np.ndarray, np.ndarray, np.void]]:
    """The loop that a rollout is."""
    records, was = [], np.zeros(len(vertices), bool)
    for targets, flags in zip(places, pinned):
        flags = flags & (vertices >= 0)
        for call, chosen in ((single.unpin, was & ~flags), (single.pin, flags & ~was)):
            if chosen.any():
                call(vertices[chosen])
        single.move_pins(vertices[flags], targets[flags])
        was = flags
        row = single.step(dt)
        records.append((single.positions.copy(), single.velocities, row))
    return records


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_rollout_equals_the_loop_in_every_bit(threads: int) -> None:
    steps, dt = 12, 1 / 80
    vertices, places, pinned = rollout_controls(5, steps, 7)
    plain = singles(5)
    expected = [plain_rollout(*row, dt) for row in zip(plain, vertices, places, pinned)]
    with cloth.threads(threads):
        batch = cloth.Batch(scenes.flag(), 5)
        positions = batch.positions
        record = ["steps", "velocities", "positions", "times"]
        found = batch.rollout(steps, places, record, vertices=vertices, pinned=pinned, dt=dt)
        assert list(found) == ["positions", "velocities", "times", "steps"]
        assert_equal(batch, plain)
    assert found["positions"].shape == found["velocities"].shape == (5, steps, 64, 3)
    for k, name in enumerate(("positions", "velocities", "steps")):
        np.testing.assert_array_equal(found[name], [[row[k] for row in rows] for rows in expected])
    np.testing.assert_array_equal(found["times"], found["steps"]["time"])
    np.testing.assert_array_equal(positions, found["positions"][:, -1])
    # The same in two parts, of some environments, in another order, into given arrays.
    batch.reset()
    out = {"positions": np.empty((2, 6, 2, 3), np.float32), "steps": np.empty((2, 6), cloth.STEP)}
    for part in (slice(0, 6), slice(6, 12)):
        again = batch.rollout(
            6, places[[4, 1], part], ["positions", "steps"], vertices=vertices[[4, 1]],
            pinned=pinned[[4, 1], part], record_vertices=[9, 63], dt=dt, ids=[4, 1], out=out,
        )  # fmt: skip
        assert again["positions"] is out["positions"] and again["steps"] is out["steps"]
        np.testing.assert_array_equal(out["positions"], found["positions"][[4, 1], part][:, :, [9, 63]])
        np.testing.assert_array_equal(out["steps"], found["steps"][[4, 1], part])
    assert [batch.snapshot(i) for i in (1, 4)] == [plain[i].snapshot() for i in (1, 4)]
    assert (batch.times[[0, 2, 3]] == 0).all()


def test_a_rollout_moves_pins_and_leaves_free_cloth_alone() -> None:
    targets = np.stack([all_targets(3, step) for step in range(5)], axis=1)
    batch = cloth.Batch(scenes.flag(), 3)
    other = cloth.Batch(scenes.flag(), 3)
    found = batch.rollout(5, targets, "times", vertices=[0, 7])
    for step in range(5):
        other.move_pins([0, 7], targets[:, step])
        other.step()
        np.testing.assert_array_equal(found["times"][:, step], other.times)
    found = batch.rollout(3, record=["positions"], ids=[1], record_vertices=[])
    assert found["positions"].shape == (1, 3, 0, 3)
    other.step(count=3, ids=[1])
    assert batch.rollout(2, ids=[])["positions"].shape == (0, 2, 64, 3)
    assert [batch.snapshot(i) for i in range(3)] == [other.snapshot(i) for i in range(3)]


def test_a_rollout_of_sleeping_and_tangled_cloth_keeps_its_history() -> None:
    for make in (scenes.tangled, lambda: scenes.flag(settings=SLEEPY)):
        simulation = make()
        batch = cloth.Batch(simulation, 2)
        for _ in range(6):
            rows = batch.rollout(10, record=["steps"])["steps"]
            for row in rows[1]:
                assert row == simulation.step()
            assert batch.snapshot(0) == batch.snapshot(1) == simulation.snapshot()
    assert row["sleeping"] == 1


def test_an_environment_that_fails_in_a_rollout_stops_and_says_so() -> None:
    plain = singles(3)
    batch = cloth.Batch(scenes.flag(), 3)
    batch.pin([9], which=[0, 2])
    for i in (0, 2):
        plain[i].pin([9])
    targets = np.stack([scenes.sheet()[0][[9]]] * 3)[:, None].repeat(4, axis=1)
    with pytest.raises(cloth.BatchError, match="1 of 3 environments failed; environment 1: .*pinned") as raised:
        batch.rollout(4, targets, ["positions", "steps", "times"], vertices=[9])
    assert raised.value.ids.tolist() == [1] and list(raised.value.errors) == [1]
    results = raised.value.results
    assert results["steps"]["steps"].tolist() == [[1] * 4, [0] * 4, [1] * 4]
    assert np.isnan(results["positions"][1]).all() and np.isnan(results["times"][1]).all()
    for i in (0, 2):
        for step in range(4):
            plain[i].move_pins([9], targets[i, step])
            plain[i].step()
        np.testing.assert_array_equal(results["positions"][i, -1], plain[i].positions)
    assert_equal(batch, plain)
    # In the midst: vertex 0 has no mass to be released with.
    positions, faces = scenes.sheet()
    masses = np.full(64, 0.001)
    masses[0] = np.inf
    batch = cloth.Batch(cloth.Simulation(cloth.Cloth(positions, faces, masses=masses)), 2)
    flags = np.ones((2, 5, 1), bool)
    flags[0, 3:] = False
    with pytest.raises(cloth.BatchError, match="environment 0: .*mass") as raised:
        batch.rollout(5, None, ["steps"], vertices=[0], pinned=flags)
    assert raised.value.results["steps"]["steps"].sum(axis=1).tolist() == [3, 5]
    np.testing.assert_allclose(batch.times, [3 / 60, 5 / 60])


def crumpled(count: int) -> tuple[np.ndarray, np.ndarray]:
    """States of a sheet, each on its own way from the start, and their velocities."""
    batch = cloth.Batch(scenes.flag(), count)
    for step in range(10):
        batch.move_pins([0, 7], all_targets(count, step))
        batch.step()
    return batch.positions.copy(), batch.velocities


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_states_of_a_data_set_continue_as_those_of_simulations(threads: int) -> None:
    places, speeds = crumpled(5)
    plain = singles(5)
    with cloth.threads(threads):
        batch = cloth.Batch(scenes.flag(), 5)
        seen = batch.positions
        batch.step(count=3)
        batch.set_state(places[[4, 1]], speeds[[4, 1]], which=[4, 1])
        batch.set_state(places, mask=[True, False, False, True, False])
        np.testing.assert_array_equal(seen[[0, 1, 3, 4]], places[[0, 1, 3, 4]])
        batch.step(count=4)
    for i, single in enumerate(plain):
        single.step(count=3)
        if i != 2:
            single.set_state(places[i], speeds[i] if i in (1, 4) else None)
        single.step(count=4)
    assert_equal(batch, plain)


def test_a_tangled_state_is_refused_by_number_or_admitted() -> None:
    batch, single = cloth.Batch(scenes.tangled(), 3), scenes.tangled()
    tangled = batch.positions.copy()
    clean = tangled.copy()
    clean[[0, 2], 64:128] += [0.0, 0.5, 0.0]
    before = [batch.snapshot(i) for i in range(3)]
    with pytest.raises(cloth.BatchTangledError, match="1 of 3 .* environment 1: .*untangle it") as raised:
        batch.set_state(clean)
    error = raised.value
    assert isinstance(error, cloth.BatchError) and isinstance(error, cloth.TangledError)
    assert error.ids.tolist() == [1] and len(error.witnesses) > 0 and error.witnesses.dtype == cloth.WITNESS
    assert [batch.snapshot(i) for i in range(3)] == before
    batch.set_state(clean[[2]], which=[2])
    batch.set_state(tangled, admit="tangles", mask=[True, True, False])
    single.set_state(tangled[0], admit="tangles")
    rows = batch.step()
    assert single.step() == rows[0] == rows[1] and (rows["tangles"] > 0).tolist() == [True, True, False]
    assert batch.snapshot(0) == batch.snapshot(1) == single.snapshot()


def test_a_refusal_in_one_environment_changes_none() -> None:
    batch = cloth.Batch(scenes.flag(), 4)
    batch.step()
    batch.pin([9], which=[0, 3])
    before = [batch.snapshot(i) for i in range(4)]
    own = np.array([[0], [64], [7], [99]])
    for call, ids in (
        (lambda: batch.move_pins([9], np.zeros((4, 1, 3))), [1, 2]),
        (lambda: batch.pin(own), [1, 3]),
        (lambda: batch.unpin(own, which=[0, 1, 2, 3]), [1, 3]),
        (lambda: batch.pin([64], which=[3, 2]), [3, 2]),
    ):
        with pytest.raises(cloth.BatchError, match=f"{len(ids)} of . environments failed; environment ") as raised:
            call()
        assert raised.value.ids.tolist() == ids == list(raised.value.errors)
        assert len(raised.value.steps) == 0 and raised.value.results == {}
        assert [batch.snapshot(i) for i in range(4)] == before


def test_ctrl_c_leaves_all_as_before_a_rollout() -> None:
    batch = cloth.Batch(scenes.flag(settings={"sleep": None}), 3)
    batch.step()
    before = [batch.snapshot(i) for i in range(3)]
    timer = scenes.interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        batch.rollout(1_000_000, record=["times"])
    timer.join()
    assert [batch.snapshot(i) for i in range(3)] == before
    assert (batch.rollout(2, record="times")["times"][:, 1] == batch.times).all()


def test_snapshots_go_between_batches_and_simulations() -> None:
    simulation = scenes.flag()
    simulation.step(count=7)
    batch = cloth.Batch(scenes.flag(), 3)
    positions = batch.positions
    batch.restore(1, simulation.snapshot())
    np.testing.assert_array_equal(positions[1], simulation.positions)
    batch.move_pins([0, 7], all_targets(3, 5))
    # A snapshot has the targets of the next step.
    other = scenes.flag()
    other.restore(batch.snapshot(1))
    batch.step(count=2)
    scenes.swing(simulation, 5, 0.37)
    simulation.step(count=2)
    other.step(count=2)
    assert batch.snapshot(1) == simulation.snapshot() == other.snapshot()
    np.testing.assert_array_equal(batch.positions[1], simulation.positions)


def test_an_environment_that_fails_says_so_and_the_others_step() -> None:
    # Its pins neither lag nor take it along.
    settings = {"velocity_limit": 3e38, "teleport": False}
    batch = cloth.Batch(scenes.flag(settings=settings), 4)
    positions = batch.positions
    targets = np.broadcast_to(scenes.sheet()[0][[0, 7]], (4, 2, 3)).copy()
    targets[2] += 9e6
    batch.move_pins([0, 7], targets)
    before = batch.snapshot(2)
    kept = positions[2].copy()
    # So short a step makes a speed of it that has no square in 32 bits.
    with pytest.raises(cloth.BatchError, match="1 of 4 environments failed; environment 2: vertex") as raised:
        batch.step(1e-13, 2)
    assert isinstance(raised.value, cloth.SimulationError)
    assert raised.value.ids.tolist() == list(raised.value.errors) == [2] and "finite" in raised.value.errors[2]
    assert raised.value.steps["steps"].tolist() == [2, 2, 0, 2]
    np.testing.assert_array_equal(positions[2], kept)
    assert batch.snapshot(2) == before
    single = scenes.flag(settings=settings)
    single.move_pins([0, 7], targets[0])
    single.step(1e-13, 2)
    assert [batch.snapshot(i) == single.snapshot() for i in range(4)] == [True, True, False, True]
    batch.reset(np.arange(4) == 2)
    assert (batch.step()["steps"] == 1).all()


def test_environments_of_a_scene_are_at_times_of_their_own(tmp_path: pathlib.Path) -> None:
    for described in (scenes.moving_scene(tmp_path), scenes.character_scene(tmp_path)):
        simulation = cloth.Simulation.from_scene(described, tmp_path)
        batch = cloth.Batch(simulation, 4)
        late = cloth.Simulation.from_scene(described, tmp_path)
        late.step(count=9)
        batch.restore(1, late.snapshot())
        batch.restore(3, late.snapshot())
        with cloth.threads(2):
            batch.step(count=12)
        simulation.step(count=12)
        late.step(count=12)
        expected = [simulation, late, simulation, late]
        assert [batch.snapshot(i) for i in range(4)] == [single.snapshot() for single in expected]


def test_wrong_calls_change_nothing() -> None:
    batch = cloth.Batch(scenes.flag(), 3)
    batch.step()
    before = [batch.snapshot(i) for i in range(3)]
    good, seen = all_targets(3, 1), batch.positions.copy()
    broken = good.copy()
    broken[2, 1, 0] = np.nan
    calls = [
        lambda: batch.move_pins([0, 7], good[:2]),
        lambda: batch.move_pins([0, 7], good[..., :2]),
        lambda: batch.move_pins([0, 7], good.astype(complex)),
        lambda: batch.move_pins([0, 7], broken),
        lambda: batch.move_pins([0, 7], good * 1e9),
        lambda: batch.move_pins([0, 8], good),
        lambda: batch.move_pins([0, 64], good),
        lambda: batch.move_pins([0, -7], good),
        lambda: batch.move_pins([0, 7], good, 1),
        lambda: batch.move_pins([0, 7], good, mask=[1, 0, 1]),
        lambda: batch.reset([True]),
        lambda: batch.reset([3]),
        lambda: batch.reset([-1]),
        lambda: batch.reset([1, 1]),
        lambda: batch.reset([[1]]),
        lambda: batch.reset([0.0]),
        lambda: batch.reset(1),
        lambda: batch.reset("all"),
        lambda: batch.reset([0], mask=[True, False, False]),
        lambda: batch.step(ids=[0, 2**63]),
        lambda: batch.pin([[0], [1]]),
        lambda: batch.pin([0.5]),
        lambda: batch.pin([True]),
        lambda: batch.pin([[0], [1], [-2]]),
        lambda: batch.pin([[0], [1], [2**32]]),
        lambda: batch.pin(np.array([[0], [1], [2**64 - 1]], np.uint64)),
        lambda: batch.pin(np.zeros((3, 1, 1), int)),
        lambda: batch.pin([-1]),
        lambda: batch.unpin(None),
        lambda: batch.pin([0], "curtain"),
        lambda: batch.move_pins([0, 7], good[:2], which=[0, 1, 2]),
        lambda: batch.move_pins([0, 7], good, which=[0, 1]),
        lambda: batch.set_state(seen[:2]),
        lambda: batch.set_state(seen[:, :63]),
        lambda: batch.set_state(seen, seen[:2]),
        lambda: batch.set_state(seen, np.full_like(seen, np.inf)),
        lambda: batch.set_state(seen * np.float32(1e9)),
        lambda: batch.set_state(np.where(np.arange(64)[:, None] == 9, np.nan, seen)),
        lambda: batch.set_state(seen, admit="all"),  # type: ignore[arg-type]
        lambda: batch.set_state(seen, which=[0, 1, 1]),
        lambda: batch.rollout(0),
        lambda: batch.rollout(2.5),  # type: ignore[arg-type]
        lambda: batch.rollout(1, dt=float("nan")),
        lambda: batch.rollout(1, record=["forces"]),  # type: ignore[list-item]
        lambda: batch.rollout(1, good[:, None], vertices=[0]),
        lambda: batch.rollout(2, good[:, None], vertices=[0, 7]),
        lambda: batch.rollout(1, broken[:, None], vertices=[0, 7]),
        lambda: batch.rollout(1, good[:, None], vertices=[0, 7], pinned=np.ones((3, 1, 2))),
        lambda: batch.rollout(1, good[:, None], vertices=[0, 7], pinned=np.ones((3, 2), bool)),
        lambda: batch.rollout(1, record_vertices=[64]),
        lambda: batch.rollout(1, out={"positions": np.empty((3, 1, 64, 3))}),
        lambda: batch.rollout(1, out={"times": np.empty((3, 1))}),
        lambda: batch.rollout(1, out={"positions": None}),  # type: ignore[dict-item]
        lambda: batch.step(-1),
        lambda: batch.step(count=0),
        lambda: batch.snapshot(3),
        lambda: batch.restore(-1, before[0]),
        lambda: batch.restore(0, before[0][:-1]),
        lambda: batch.restore(0, scenes.tangled().snapshot()),
        lambda: cloth.Batch(scenes.flag(), 0),
        lambda: cloth.Batch(scenes.flag(), 1.5),  # type: ignore[arg-type]
        lambda: cloth.Batch(None, 1),  # type: ignore[arg-type]
    ]
    for number, call in enumerate(calls):
        with pytest.raises(cloth.ClothError):
            call()
        assert [batch.snapshot(i) for i in range(3)] == before, number
    with pytest.raises(cloth.InputError, match=r"`targets`\[2, 1, 0\] is nan"):
        batch.move_pins([0, 7], broken)
    with pytest.raises(cloth.SimulationError, match="environment 0: .*not pinned"):
        batch.move_pins([0, 8], good)


def test_targets_of_any_layout_are_taken() -> None:
    batch = cloth.Batch(scenes.flag(), 3)
    other = cloth.Batch(scenes.flag(), 3)
    targets = all_targets(3, 4)
    batch.move_pins([0, 7], targets)
    other.move_pins(np.array([7, 0], ">i8")[::-1], np.asfortranarray(targets[::-1])[::-1])
    batch.step()
    other.step()
    np.testing.assert_array_equal(batch.state_hashes(), other.state_hashes())


def test_an_environment_takes_little_more_than_its_positions_and_velocities() -> None:
    """With the array of positions: 1.15 times 56 bytes a vertex, 40 a contact, 16 a pin of its own."""

    def resident() -> int:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    if not os.path.exists("/proc/self/statm"):
        pytest.skip("measured on Linux alone")
    simulation = scenes.flag()
    simulation.step(count=10)
    count, own = 4_000, 4
    pins = np.random.default_rng(1).permuted(np.tile(np.arange(64), (count, 1)), axis=1)[:, :own].copy()
    gc.collect()
    before = resident()
    batch = cloth.Batch(simulation, count)
    positions = batch.positions
    batch.pin(pins)
    rows = batch.step()
    taken = (resident() - before) / count
    limit = 1.15 * 56 * 64 + 40 * rows["contacts"].mean() + 16 * own
    assert (24 + 12) * 64 < taken < limit, (taken, limit)
    assert positions.nbytes == 12 * 64 * count


def test_ctrl_c_leaves_all_with_equally_many_steps() -> None:
    batch = cloth.Batch(scenes.flag(settings={"sleep": None}), 3)
    positions = batch.positions
    timer = scenes.interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        batch.step(count=1_000_000)
    timer.join()
    assert len(set(batch.times.tolist())) == 1
    taken = round(batch.times[0] * 60)
    assert 0 < taken < 1_000_000
    single = scenes.flag(settings={"sleep": None})
    single.step(count=taken)
    assert (batch.state_hashes() == single.state_hash()).all()
    np.testing.assert_array_equal(positions[2], single.positions)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_fork_steps_with_threads_of_its_own() -> None:
    batch = cloth.Batch(scenes.flag(), 4)
    batch.step()
    twin = cloth.Batch(scenes.flag(), 4)
    twin.step(count=2)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            batch.step()
            status = int((batch.state_hashes() != twin.state_hashes()).any())
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
