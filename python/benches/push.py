"""Gates of ipctk in the pushes of `cloth-bench push`: rows for its table, judged exactly by this package.

    cloth-bench push --cases cases.json
    python benches/push.py cases.json rows.json [--steps N]
    cloth-bench push --add rows.json

A caller proposes to push one sheet through another, step by step, without a contact force; a gate decides how
far each motion goes. Cases and proposals are those of `cloth-certify/examples/pushes`; they arrive as a JSON
list of {case, direction, push, is_f32, vertices, faces, fixed, upper}. Gates compute in float64, and the end
of a case of float32 is rounded to that. Whether an accepted motion crosses is `cloth.is_motion_clean`.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import ipctk
import numpy as np
import numpy.typing as npt

import cloth

Floats = npt.NDArray[np.float64]
Gate = Callable[[Any, Floats, Floats], Floats]

DHAT = 1e-3
"""Offset distance of contact (m): a quarter of the distance of the sheets."""
SHARE = 0.8
"""Share of the free step that is taken."""


def line_search(mesh: Any, x0: Floats, x1: Floats) -> Floats:
    """With additive CCD: a step of the default, tight inclusion, takes seconds once the sheets are in
    contact."""
    step = ipctk.compute_collision_free_stepsize(mesh, x0, x1, narrow_phase_ccd=ipctk.AdditiveCCD())
    return x0 + SHARE * step * (x1 - x0)


def trust_region(filter_step: Callable[[Any, Any, Floats, Floats], None]) -> Gate:
    """A trust region around the start of each step, as wide as its longest motion, as `warm_start_time_step`
    makes it."""

    def gate(mesh: Any, x0: Floats, x1: Floats) -> Floats:
        start, way = np.asfortranarray(x0), np.asfortranarray(x1 - x0)
        region = ipctk.ogc.TrustRegion(DHAT)
        region.trust_region_inflation_radius = max(2.0 * DHAT, float(np.linalg.norm(way, axis=1).max()))
        region.update(mesh, start, ipctk.NormalCollisions())
        filter_step(region, mesh, start, way)
        return x0 + way

    return gate


CONTENDERS: list[tuple[str, str, Gate]] = [
    (
        "ipctk filter_step",
        "ogc.TrustRegion.filter_step, updated in every step, dhat 1 mm: spheres around vertices",
        trust_region(lambda region, *arguments: region.filter_step(*arguments)),
    ),
    (
        "ipctk planar_filter_step",
        "ogc.TrustRegion.planar_filter_step, updated in every step, dhat 1 mm: planes between pairs",
        trust_region(lambda region, *arguments: region.planar_filter_step(*arguments)),
    ),
    (
        "ipctk step size",
        "all vertices go 0.8 of compute_collision_free_stepsize, with its AdditiveCCD",
        line_search,
    ),
]


def dice(seed: int) -> Iterator[float]:
    """Numbers in [-1, 1] of the generator of the cases, PCG64 MCG XSL-RR : the lower halves."""
    state = seed | 3
    while True:
        state = state * 0x2360ED051FC65DA44385DF649FCCF645 % 2**128
        word, turn = (state >> 64 ^ state) % 2**64, state >> 122
        low = (word >> turn | word << (64 - turn)) % 2**32
        yield low / (2**32 - 1) * 2.0 - 1.0


def propose(case: dict[str, Any], x0: Floats, step: int, unit: Iterator[float]) -> Floats:
    """Where the upper sheet is to go in a step (m)."""
    x1, push = x0.copy(), case["push"]
    upper = x1[case["upper"] :]
    mean = np.cumsum(upper, axis=0)[-1] / len(upper)
    for p in upper:
        match case["direction"]:
            case "constant":
                by = [0.0, -push, 0.0]
            case "noisy":
                by = [next(unit) * push, (next(unit) - 1.0) * push, next(unit) * push]
            case "alternating":
                by = [0.0, -push if step % 2 == 0 else 0.5 * push, 0.0]
            case "tangential":
                by = [0.95 * (1.0 if step // 20 % 2 == 0 else -1.0) * push, -0.31 * push, 0.0]
            case "rotating":
                off, turn = p - mean, push / 0.5
                by = [-off[2] * turn, -push, off[0] * turn]
            case other:
                raise ValueError(f"the direction {other} is unknown: this program is older than the cases")
        p += by
    return rounded(case, x1)


def rounded(case: dict[str, Any], x: Floats) -> Floats:
    return x.astype(np.float32).astype(np.float64) if case["is_f32"] else x


def run(case: dict[str, Any], steps: int, gate: Gate) -> dict[str, Any]:
    """What a gate makes of a case."""
    x0 = np.array(case["vertices"])
    parts = (
        (np.arange(len(x0)) >= case["fixed"]).astype(np.uint16) if case["fixed"] else np.zeros(len(x0), int)
    )
    mesh = cloth.Mesh(len(x0), case["faces"], parts=parts, kinematic=[case["fixed"] > 0, False])
    theirs = ipctk.CollisionMesh(x0, mesh.edges.astype(np.int32), np.array(case["faces"], np.int32))
    upper, unit = slice(case["upper"], None), dice(36)
    crossings, seconds, first = 0, 0.0, None
    proposed, kept = [0.0, 0.0], [0.0, 0.0]  # sideways, apart and at contact
    for step in range(steps):
        x1 = propose(case, x0, step, unit)
        begin = time.perf_counter()
        end = gate(theirs, x0, x1)
        seconds += time.perf_counter() - begin
        end = rounded(case, end)
        if not cloth.is_motion_clean(x0, end, mesh):
            crossings += 1
            first = first or step + 1
        if case["direction"] == "tangential":
            is_near = bool(2.0 * cloth.safe_distances(x0, mesh)[upper].min() <= 1e-3)
            wanted = float(x1[upper, 0].mean() - x0[upper, 0].mean())
            proposed[is_near] += abs(wanted)
            kept[is_near] += float(end[upper, 0].mean() - x0[upper, 0].mean()) * np.sign(wanted)
        x0 = end
    shares = [k / p if p > 0.0 else None for k, p in zip(kept, proposed)]
    return {
        "case": case["case"],
        "steps": steps,
        "first_crossing": first,
        "crossings": crossings,
        "kept_apart": shares[0],
        "kept_at_contact": shares[1],
        "ms_per_step": 1e3 * seconds / steps,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", help="JSON of `cloth-bench push --cases`")
    parser.add_argument("rows", help="JSON to be written")
    parser.add_argument(
        "--steps", type=int, default=1000, metavar="N", help="steps of a case (default: 1000)"
    )
    parser.add_argument("--only", default="", metavar="WORDS", help="only cases whose name contains this")
    parser.add_argument(
        "--contender", default="", metavar="WORDS", help="only contenders with this in the name"
    )
    arguments = parser.parse_args()
    if arguments.steps < 1:
        parser.error("the number of steps must be at least 1")
    cloth.set_thread_count(1)
    ipctk.set_num_threads(1)
    ipctk.set_logger_level(ipctk.LoggerLevel.off)
    with open(arguments.cases, encoding="utf-8") as file:
        cases = [case for case in json.load(file) if arguments.only in case["case"]]
    rows = []
    for name, method, gate in (contender for contender in CONTENDERS if arguments.contender in contender[0]):
        head = {"contender": name, "version": ipctk.__version__, "own": False, "method": method}
        found = [{**head, **run(case, arguments.steps, gate)} for case in cases]
        rows += found
        clean = sum(row["crossings"] == 0 for row in found)
        mean = sum(row["ms_per_step"] for row in found) / max(len(found), 1)
        print(f"{name}: {clean} of {len(found)} cases without a crossing, {mean:.2f} ms a step", flush=True)
        with open(arguments.rows, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
