"""A batch: each environment is in every bit a simulation of its own."""

from __future__ import annotations

import gc
import os
import pathlib
import random

import numpy as np
import pytest

import cloth
import scenes


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


def test_torch_reads_the_positions() -> None:
    torch = pytest.importorskip("torch")
    batch = cloth.Batch(scenes.flag(), 2)
    assert torch.from_dlpack(batch.positions).shape == (2, 64, 3)


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
    assert list(raised.value.errors) == [2] and "finite" in raised.value.errors[2]
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
    good = all_targets(3, 1)
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


def test_an_environment_takes_the_memory_of_its_state() -> None:
    def resident() -> int:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    if not os.path.exists("/proc/self/statm"):
        pytest.skip("measured on Linux alone")
    simulation = scenes.flag()
    simulation.step(count=10)
    state = len(simulation.snapshot())
    count = 20_000
    gc.collect()
    before = resident()
    batch = cloth.Batch(simulation, count)
    taken = (resident() - before) / count
    assert 0.8 * state < taken < 1.2 * state, (taken, state)
    del batch


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
