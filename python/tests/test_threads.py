"""Several threads on one object, and processes that are forked meanwhile."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import threading
from collections.abc import Callable

import numpy as np
import pytest

import cloth
import scenes


def on_threads(count: int, work: Callable[[], object]) -> None:
    """Does work on so many threads at a time, and raises the first exception of any."""
    raised: list[BaseException] = []

    def guarded() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001
            raised.append(error)

    threads = [threading.Thread(target=guarded) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if raised:
        raise raised[0]


def test_threads_step_a_simulation_whose_positions_are_seen() -> None:
    simulation = scenes.flag()
    seen, faces = simulation.positions, simulation.faces

    def work() -> None:
        for _ in range(20):
            simulation.step()
            cloth.is_clean(simulation.positions, faces)

    on_threads(4, work)
    twin = scenes.flag()
    twin.step(count=80)
    assert simulation.state_hash() == twin.state_hash(), "each call has taken its step, once"
    np.testing.assert_array_equal(seen, twin.positions)


def test_threads_step_and_reset_a_batch_whose_positions_are_seen() -> None:
    batch = cloth.Batch(scenes.flag(), 4)
    seen = batch.positions
    on_threads(4, lambda: [batch.step() for _ in range(10)])
    twin = scenes.flag()
    twin.step(count=40)
    assert (batch.state_hashes() == twin.state_hash()).all()
    np.testing.assert_array_equal(seen[3], twin.positions)

    def work() -> None:
        for _ in range(5):
            batch.step()
            batch.reset(np.array([True, True, False, False]))
            assert batch.velocities.shape == batch.positions.shape

    on_threads(4, work)
    assert batch.positions.base is seen.base
    for i in range(4):
        single = scenes.flag()
        single.restore(batch.snapshot(i))
        np.testing.assert_array_equal(seen[i], single.positions)


def test_all_threads_that_ask_first_get_positions_that_follow() -> None:
    simulation = scenes.flag()
    views: list[np.ndarray] = []

    def work() -> None:
        views.append(simulation.positions)
        simulation.step()

    on_threads(8, work)
    for view in views:
        np.testing.assert_array_equal(view, simulation.positions)


def correct_while_the_arrays_are_written(certifier: cloth.Certifier) -> None:
    """Corrects a motion whose arrays get NaN when the call has begun, or before it, which it refuses then."""
    x0, x1 = certifier.end, certifier.end + [0.0, 0.01, 0.0]
    wanted, begins = x1.copy(), threading.Event()

    def correct() -> None:
        begins.set()
        try:
            end, certificate = certifier.correct(x0, x1)
        except cloth.InputError as error:
            assert "which is not finite" in str(error), error
        else:
            assert certificate.is_unconditional
            np.testing.assert_array_equal(end, wanted)

    def write() -> None:
        begins.wait()
        x0[-1] = x1[-1] = np.nan

    works = iter([correct, write])
    on_threads(2, lambda: next(works)())
    assert np.isfinite(certifier.end).all()


def test_a_motion_is_that_of_the_call_whatever_is_written_meanwhile() -> None:
    certifier = cloth.Certifier(*scenes.sheet(120))
    # Until a few calls had begun when their arrays were written.
    while certifier.motions < 5:
        correct_while_the_arrays_are_written(certifier)


FORKS = """
import os, signal, sys, threading
import numpy as np
import cloth, scenes

def outcome(call):
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # ends a call that hangs
        status = 2
        try:
            scenes.flag().step()
            call()
            status = 0
        except cloth.ClothError as error:
            status = 1 if "forked" in str(error) else 3
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

def on_thread(work):
    threading.Thread(target=work, daemon=True).start()

def until_it_is_busy(call):
    while (status := outcome(call)) == 0:
        pass
    return status

simulation = cloth.Simulation.from_scene(scenes.moving_scene(folder), folder)
batch = cloth.Batch(simulation, 4)
on_thread(lambda: batch.step(count=1 << 40))
assert until_it_is_busy(batch.step) == 1
assert until_it_is_busy(lambda: batch.positions) == 1
# What moves in the scene of both may be with the batch.
assert {outcome(simulation.step) for _ in range(10)} <= {0, 1}
on_thread(lambda: simulation.step(count=1 << 40))
assert until_it_is_busy(simulation.step) == 1
assert until_it_is_busy(lambda: simulation.time) == 1
positions, faces = scenes.sheet(60)
certifier = cloth.Certifier(positions, faces)

def correct():
    while True:
        certifier.correct(positions, positions + [0.0, 0.01, 0.0])

on_thread(correct)
assert until_it_is_busy(lambda: certifier.end) == 1
os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_fork_during_a_call_says_what_is_lost(tmp_path: pathlib.Path) -> None:
    text = f"import pathlib; folder = pathlib.Path({str(tmp_path)!r})\n{FORKS}"
    environment = os.environ | {"PYTHONPATH": str(pathlib.Path(__file__).parent)}
    command = [sys.executable, "-W", "ignore", "-c", text]
    ran = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert ran.returncode == 0, ran.stderr.decode()
