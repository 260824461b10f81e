"""Steps a second of `cloth.Batch`, for 1, 8, 64 and 256 environments on one thread and two.

    python benches/batch.py [--steps N] [--rounds N]

An environment is a sheet of 16 x 16 vertices on a ball; two corners are pinned and swing, in each environment
in its own way. The runs of a round follow each other, one thread and two in turn; a figure is the best of the
rounds. The last lines are what an environment takes in memory, and how long 64 single simulations take for
the same steps.
"""

from __future__ import annotations

import argparse
import os
import time

import numpy as np

import cloth

VERTICES = 16
DT = 1 / 60


def scene() -> cloth.Simulation:
    """The sheet on the ball."""
    line = np.linspace(-0.25, 0.25, VERTICES)
    x, z = np.meshgrid(line, line)
    positions = np.stack([x.ravel(), np.full(x.size, 0.35), z.ravel()], axis=1)
    i = np.arange(x.size).reshape(VERTICES, VERTICES)
    a, b, c, d = (part.ravel() for part in (i[:-1, :-1], i[:-1, 1:], i[1:, :-1], i[1:, 1:]))
    faces = np.concatenate([np.stack([a, c, b], axis=1), np.stack([b, c, d], axis=1)])
    ball = cloth.Collider("sphere", radius=0.15, position=(0.0, 0.15, 0.0))
    sheet = cloth.Cloth(positions, faces, pins=[0, VERTICES - 1])
    return cloth.Simulation(sheet, colliders=[ball], settings={"sleep": None})


def targets(start: np.ndarray, n_env: int, step: int) -> np.ndarray:
    """Where the two pins of each environment are to be at a step."""
    swing = 0.1 * np.sin(0.05 * step + np.arange(n_env))
    return start[None] + swing[:, None, None] * np.array([1.0, 0.0, 1.0])


def resident() -> int:
    """Memory of this process (bytes)."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def run(simulation: cloth.Simulation, n_env: int, steps: int) -> float:
    """Seconds of so many steps of so many environments."""
    batch = cloth.Batch(simulation, n_env)
    pins = [0, VERTICES - 1]
    start = simulation.positions[pins].copy()
    assert batch.positions.shape == (n_env, VERTICES**2, 3)
    begin = time.perf_counter()
    for step in range(steps):
        batch.move_pins(pins, targets(start, n_env, step))
        batch.step(DT)
    return time.perf_counter() - begin


def run_single(simulation: cloth.Simulation, n_env: int, steps: int) -> float:
    """Seconds of the same steps of single simulations."""
    singles = [cloth.Simulation(*simulation._arguments, **simulation._keywords) for _ in range(n_env)]
    pins = [0, VERTICES - 1]
    start = simulation.positions[pins].copy()
    begin = time.perf_counter()
    for step in range(steps):
        for single, target in zip(singles, targets(start, n_env, step)):
            single.move_pins(pins, target)
            single.step(DT)
    return time.perf_counter() - begin


def main() -> None:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    simulation = scene()
    print(f"{VERTICES} x {VERTICES} vertices, {arguments.steps} steps, best of {arguments.rounds} rounds")
    print("environments | steps/s, 1 thread | steps/s, 2 threads | ratio")
    for n_env in (1, 8, 64, 256):
        steps = arguments.steps
        best = {1: np.inf, 2: np.inf}
        for _ in range(arguments.rounds):
            for count in best:
                with cloth.threads(count):
                    best[count] = min(best[count], run(simulation, n_env, steps))
        one, two = (n_env * steps / best[count] for count in (1, 2))
        print(f"{n_env:12d} | {one:17.0f} | {two:18.0f} | {two / one:5.2f}", flush=True)
    with cloth.threads(1):
        single = run_single(simulation, 64, arguments.steps)
    print(f"64 single simulations, 1 thread: {64 * arguments.steps / single:.0f} steps/s")
    batch = cloth.Batch(simulation, 1)
    batch.step(DT, arguments.steps)
    state = len(batch.snapshot(0))
    simulation.restore(batch.snapshot(0))
    before = resident()
    full = cloth.Batch(simulation, 16384)
    per = (resident() - before) / full.n_env
    print(f"memory: {per:.0f} bytes an environment, its state is {state} bytes as a snapshot; "
          f"`positions` adds {12 * full.n_vertices}")


if __name__ == "__main__":
    main()
