"""Stages of OpenUSD, read: positions of every state and triangles are those that OpenUSD has."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import reading
import stages
import table
from stages import Kind

SEEDS = range(12)
ALL = tuple(stages.TYPES)
KINDS: dict[str, Kind] = {
    "plain": Kind(),
    "plain frames": Kind(frames=3, meshes=2),
    "no unit, axis and rate": Kind(unit=None, axis=None, rate=None, frames=2),
    "centimetres": Kind(unit=0.01, meshes=2),
    "z up, inches": Kind(unit=0.0254, axis="Z", frames=2),
    "one group": Kind(ops=ALL, depth=1),
    "deep groups": Kind(ops=ALL, depth=4, meshes=3),
    "moving groups": Kind(ops=ALL, depth=2, sampled_ops=True),
    "moving groups and points": Kind(ops=ALL, depth=2, sampled_ops=True, frames=4, meshes=2),
    "polygons": Kind(sides=(3, 4, 5, 7), ops=ALL, meshes=2),
    "left-handed": Kind(sides=(3, 4, 5), left=True, meshes=3),
    "left-handed and mirrored": Kind(sides=(3, 4), left=True, meshes=3, ops=("scale", "scaleX"), depth=2),
    "double points": Kind(doubles=True, frames=2),
    "what else is there": Kind(noise=True, frames=2, meshes=2, sides=(3, 4)),
    "everything": Kind(
        unit=0.01,
        axis="Z",
        rate=24.0,
        ops=ALL,
        depth=3,
        sampled_ops=True,
        frames=4,
        meshes=3,
        sides=(3, 4, 5, 6),
        left=True,
        noise=True,
    ),
}
BETWEEN: dict[str, Kind] = {
    "operations between samples of points": Kind(ops=ALL, depth=2, sampled_ops=True, frames=4, aligned=False),
    "single precision": Kind(ops=ALL, depth=2, sampled_ops=True, single=True, frames=3, meshes=2),
    "single precision between samples": Kind(
        unit=0.01, axis="Z", ops=ALL, depth=2, sampled_ops=True, single=True, frames=3, aligned=False, meshes=2
    ),
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_positions_are_those_of_openusd(kind: str, seed: int, tmp_path: Path) -> None:
    path = tmp_path / "stage.usda"
    stages.make(path, KINDS[kind], np.random.default_rng([seed, len(kind)]))
    table.READ[kind].append(reading.compare(path))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", BETWEEN)
def test_positions_are_nearly_those_where_openusd_rounds(kind: str, seed: int, tmp_path: Path) -> None:
    path = tmp_path / "stage.usda"
    stages.make(path, BETWEEN[kind], np.random.default_rng([seed, len(kind)]))
    table.READ[kind].append(reading.compare(path, single=True))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_prim_selects_the_meshes_below_it(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "stage.usda"
    kind = Kind(ops=ALL, depth=3, sampled_ops=True, frames=3, meshes=4, sides=(3, 4))
    stages.make(path, kind, np.random.default_rng(seed))
    for prim in stages.paths_with_meshes(path):
        table.READ["selected prims"].append(reading.compare(path, prim))
