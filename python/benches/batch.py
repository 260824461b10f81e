"""Environment frames a second of `cloth.Batch`, and of `mujoco.batch` where MuJoCo 4 is installed.

    python benches/batch.py [--seconds S] [--longest S] [--rounds N] [--vertices N ...] [--environments N ...]

An environment is a square sheet above a ball; two corners are pinned and swing, in each environment in its own
way. A frame is 1/60 s. All kinds of a case run in turn, N rounds of about S seconds each after a start of 20
frames, in which the sheet comes to the ball; a figure is the best of the rounds. A case in which one call would
take longer than `--longest` is left out ("-"), and the start ends after that time. The first line is what an
environment takes in memory.

MuJoCo has the same mesh, ball, pins, mass and frame, float64, elasticity by finite elements and its integrator
`discrete` with steps of 1/240 s, with the flag `ipc` and without it. What is not equal: the material is not
fitted to that of `cloth`, pins of MuJoCo do not swing (a pinned vertex of a flex has no degrees of freedom),
and only `cloth` proves every substep free of crossings; `ipc` keeps a barrier, and without it cloth may pass
through itself.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import cloth

DT = 1 / 60
SIZE = 0.5
START = 20
MUJOCO_STEPS = 4
"""Steps of MuJoCo in a frame."""

SHEET = """
<mujoco>
  <option timestep="{dt}" integrator="discrete"><flag ipc="{ipc}"/></option>
  <worldbody>
    <geom type="sphere" size="0.15" pos="0 0 0.15"/>
    <flexcomp name="sheet" type="grid" dim="2" count="{side} {side} 1" spacing="{spacing} {spacing} {spacing}"
      pos="0 0 0.35" radius="0.004" mass="{mass}">
      <elasticity young="1e5" poisson="0.2" thickness="1e-3" elastic2d="both"/>
      <contact selfcollide="auto"/>
      <pin id="0 {corner}"/>
    </flexcomp>
  </worldbody>
</mujoco>
"""


def scene(side: int) -> cloth.Simulation:
    """The sheet above the ball."""
    line = np.linspace(-SIZE / 2, SIZE / 2, side)
    x, z = np.meshgrid(line, line)
    positions = np.stack([x.ravel(), np.full(x.size, 0.35), z.ravel()], axis=1)
    i = np.arange(x.size).reshape(side, side)
    a, b, c, d = (part.ravel() for part in (i[:-1, :-1], i[:-1, 1:], i[1:, :-1], i[1:, 1:]))
    faces = np.concatenate([np.stack([a, c, b], axis=1), np.stack([b, c, d], axis=1)])
    ball = cloth.Collider("sphere", radius=0.15, position=(0.0, 0.15, 0.0))
    sheet = cloth.Cloth(positions, faces, pins=[0, side - 1])
    return cloth.Simulation(sheet, colliders=[ball], settings={"sleep": None})


def targets(start: np.ndarray, n_env: int, step: int) -> np.ndarray:
    """Where the two pins of each environment are to be at a step."""
    swing = 0.1 * np.sin(0.05 * step + np.arange(n_env))
    return start[None] + swing[:, None, None] * np.array([1.0, 0.0, 1.0])


def cloth_frames(side: int, n_env: int, threads: int) -> Callable[[], None]:
    """Steps all environments by a frame; positions are read by nobody, as of a learner that binds corners."""
    simulation = scene(side)
    batch = cloth.Batch(simulation, n_env)
    pins = [0, side - 1]
    start = simulation.positions[pins].copy()
    corners = batch.bind("positions", pins)
    done = 0

    def frame() -> None:
        nonlocal done
        with cloth.threads(threads):
            batch.move_pins(pins, targets(start, n_env, done))
            batch.step(DT)
        done += 1
        assert np.isfinite(corners).all()

    return frame


def mujoco_frames(side: int, n_env: int, threads: int, ipc: bool) -> Callable[[], None]:
    """The same of MuJoCo."""
    import mujoco
    from mujoco.batch import Batch

    described = SHEET.format(
        dt=DT / MUJOCO_STEPS, ipc="enable" if ipc else "disable", side=side, spacing=SIZE / (side - 1),
        corner=side - 1, mass=cloth_mass(side),
    )  # fmt: skip
    batch = Batch(mujoco.MjModel.from_xml_string(described), n_env, threads, persistent=ipc)
    heights = batch.bind("qpos")

    def frame() -> None:
        batch.step(nstep=MUJOCO_STEPS)
        assert np.isfinite(heights).all()

    return frame


def cloth_mass(side: int) -> float:
    """The mass (kg) of the sheet of `scene`: its area times the density of cotton."""
    return SIZE**2 * 0.15


def kinds() -> dict[str, Callable[[int, int, int], Callable[[], None]]]:
    """What is measured, by name."""
    found: dict[str, Callable[[int, int, int], Callable[[], None]]] = {"cloth": cloth_frames}
    try:
        import mujoco
        import mujoco.batch  # noqa: F401
    except ImportError:
        print("MuJoCo 4 is not installed: `cloth` alone")
        return found
    found[f"mujoco {mujoco.__version__}"] = lambda side, n, threads: mujoco_frames(side, n, threads, False)
    found[f"mujoco {mujoco.__version__}, ipc"] = lambda side, n, threads: mujoco_frames(side, n, threads, True)
    return found


def measure(frame: Callable[[], None], seconds: float) -> float:
    """Calls a second."""
    count, begin = 0, time.perf_counter()
    while (taken := time.perf_counter() - begin) < seconds or count == 0:
        frame()
        count += 1
    return count / taken if taken > 0 else 0.0


def resident() -> int:
    """Memory of this process (bytes)."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def table(arguments: argparse.Namespace) -> None:
    """The figures of all cases."""
    columns = [(name, make, threads) for name, make in kinds().items() for threads in (1, 2)]
    heads = [f"{name}, {threads} thread{'s'[: threads - 1]}" for name, _, threads in columns]
    print("environment frames a second\nvertices | environments | " + " | ".join(heads))
    for vertices in arguments.vertices:
        side = round(vertices**0.5)
        single: dict[str, float] = {}
        for n_env in arguments.environments:
            frames: list[Callable[[], None] | None] = []
            for name, make, threads in columns:
                too_long = n_env * single.get(name, 0.0) / threads > arguments.longest
                frames.append(None if too_long else make(side, n_env, threads))
            best = [0.0] * len(columns)
            for frame in frames:
                # The start may be cut short where it takes long.
                begin = time.perf_counter()
                for _ in range(START):
                    if frame is not None and time.perf_counter() - begin < arguments.longest:
                        frame()
            for _ in range(arguments.rounds):
                for k, frame in enumerate(frames):
                    if frame is not None:
                        best[k] = max(best[k], n_env * measure(frame, arguments.seconds))
            for (name, _, threads), rate in zip(columns, best):
                if rate > 0 and threads == 1:
                    single[name] = 1 / rate
            cells = [f"{rate:{len(head)}.1f}" if rate else "-".rjust(len(head)) for head, rate in zip(heads, best)]
            print(f"{vertices:8d} | {n_env:12d} | " + " | ".join(cells), flush=True)


def memory(side: int) -> None:
    """What an environment in contact takes, with the array of positions."""
    simulation = scene(side)
    row = simulation.step(DT, 30)
    count = 1024 * 1024 // side**2
    before = resident()
    batch = cloth.Batch(simulation, count)
    alone = (resident() - before) / count
    positions: Any = batch.positions
    batch.step(DT)
    both = (resident() - before) / count
    contacts = 40 * int(row["contacts"])
    ratio = (both - contacts) / (56 * side**2)
    print(
        f"memory, {side**2} vertices: {alone:.0f} bytes an environment, {both:.0f} after a step with `positions`, "
        f"{contacts} of them contacts; the rest is {ratio:.2f} times 56 bytes a vertex ({len(positions)} environments)"
    )


def main() -> None:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--longest", type=float, default=10.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--vertices", type=int, nargs="+", default=[16, 256, 1024])
    parser.add_argument("--environments", type=int, nargs="+", default=[1, 8, 64, 256])
    arguments = parser.parse_args()
    # First, while no memory is there that was freed.
    for vertices in arguments.vertices[1:][:1]:
        memory(round(vertices**0.5))
    table(arguments)


if __name__ == "__main__":
    main()
