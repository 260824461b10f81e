"""Times of this package compared with ipctk: whole meshes, the same questions, one thread and two.

    CLOTH_CORPUS=FOLDER python benches/compare_ipctk.py [--repeat N]

Meshes are clean garments. A motion is random, of each vertex by at most half of its safe distance, so that it
is clean too: all pairs have to be decided. Meshes are prepared before (`CollisionMesh`, `cloth.Mesh`). Time
is the least of N calls, taken in turns; the ratio is that of ipctk over ours. Both give the same verdict, or
the program ends.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import ipctk
import numpy as np

import cloth

MESHES = ["codim-ipc/square41", "codim-ipc/skirt4K", "codim-ipc/cylinder7K", "diffcloth/tshirt1900"]
MESHES += ["diffcloth/skirt2011"]


def least(calls: list[Callable[[], object]], repeat: int) -> list[float]:
    """The least time (s) of each call, all called in turns."""
    times = [float("inf")] * len(calls)
    for _ in range(repeat):
        for k, call in enumerate(calls):
            begin = time.perf_counter()
            call()
            times[k] = min(times[k], time.perf_counter() - begin)
    return times


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeat", type=int, default=10, metavar="N", help="calls of each (default: 10)")
    repeat = parser.parse_args().repeat
    root = Path(os.environ.get("CLOTH_CORPUS", "")) / "garments"
    if not root.exists():
        sys.exit("set CLOTH_CORPUS to the folder of the test data")
    print(f"ipctk {ipctk.__version__}, load {os.getloadavg()[0]:.1f}")
    print("| mesh | triangles | threads | question | cloth (ms) | ipctk (ms) | ratio |\n" + "|---" * 7 + "|")
    for name in MESHES:
        x0, faces = cloth.read_mesh(root / f"{name}.obj")
        mesh = cloth.Mesh(len(x0), faces)
        theirs = ipctk.CollisionMesh(x0, mesh.edges.astype(np.int32), faces.astype(np.int32))
        way = np.random.default_rng(38).standard_normal(x0.shape)
        way *= (0.5 * cloth.safe_distances(x0, mesh) / np.linalg.norm(way, axis=1))[:, None]
        x1 = x0 + way
        for threads in (1, 2):
            cloth.set_thread_count(threads)
            ipctk.set_num_threads(threads)
            questions: dict[str, list[Callable[[], object]]] = {
                "state": [lambda: cloth.is_clean(x0, mesh), lambda: not ipctk.has_intersections(theirs, x0)],
                "motion": [
                    lambda: cloth.is_motion_clean(x0, x1, mesh),
                    lambda: ipctk.is_step_collision_free(theirs, x0, x1),
                ],
                "step size": [
                    lambda: cloth.max_step(x0, x1, mesh).step,
                    lambda: ipctk.compute_collision_free_stepsize(theirs, x0, x1),
                ],
            }
            for question, calls in questions.items():
                verdicts = [call() for call in calls]
                if verdicts[0] != verdicts[1]:
                    sys.exit(f"{name}, {question}: {verdicts[0]} and, of ipctk, {verdicts[1]}")
                ours, other = (1e3 * t for t in least(calls, repeat))
                row = [
                    name,
                    len(faces),
                    threads,
                    question,
                    f"{ours:.2f}",
                    f"{other:.2f}",
                    f"{other / ours:.2f}",
                ]
                print("|", " | ".join(map(str, row)), "|", flush=True)


if __name__ == "__main__":
    main()
