"""Stages that the project writes pass every check of the oracle."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from pxr import Usd, UsdGeom

import cloth
import handmade
import oracle
import reading
import runs
import table
from oracle import Expected, Prim


def check(path: Path, expected: Expected, name: str) -> None:
    assert oracle.complaints(path, expected) == []
    for each in oracle.CHECKS:
        table.POSITIVE[each].add(name)


def test_a_run_of_three_garments_and_two_bodies(run: runs.Run) -> None:
    check(run.stage, run.expected, "run")
    size = sum(cache.stat().st_size for cache in run.caches)
    table.SIZES.append(("a run of three garments and two bodies, one of which moves", run.stage.stat().st_size, size))


def test_a_run_is_read_as_it_was_written(run: runs.Run) -> None:
    garments = [prim.points for prim in run.expected.prims if prim.path.startswith("/World/cloth/")]
    assert (np.array(reading.frames(f"{run.stage}#/World/cloth")) == np.concatenate(garments, axis=1)).all()
    for prim in run.expected.prims:
        positions, faces = cloth.read_mesh(f"{run.stage}#{prim.path}")
        assert np.abs(positions - prim.points[0]).max() <= prim.tolerance
        assert faces.tolist() == prim.faces


def test_without_bodies_a_stage_is_hardly_larger_than_its_points(run: runs.Run, tmp_path: Path) -> None:
    prims = [prim for prim in run.expected.prims if prim.path.startswith("/World/cloth/")]
    meshes = {prim.path.rsplit("/", 1)[-1]: (prim.points, prim.faces) for prim in prims}
    cloth.write_usd(tmp_path / "cloth.usda", meshes, rate=60.0)
    size = sum(cache.stat().st_size for cache in run.caches)
    table.SIZES.append(("its garments alone", (tmp_path / "cloth.usda").stat().st_size, size))
    assert (tmp_path / "cloth.usda").stat().st_size < 4 * size


def test_arrays_of_python(tmp_path: Path) -> None:
    """The example that was written by hand, in triangles."""
    expected = handmade.example()
    for prim in expected.prims:
        prim.faces = runs.triangulated(prim.faces)
        if prim.uv is not None:
            prim.uv = prim.uv.astype(np.float32).astype(np.float64)[: 3 * len(prim.faces)]
            prim.uv = np.resize(prim.uv, (3 * len(prim.faces), 2))
    write(tmp_path / "stage.usda", expected)
    check(tmp_path / "stage.usda", expected, "write_usd")


@pytest.mark.parametrize("seed", range(8))
def test_random_bits_of_single_precision(seed: int, tmp_path: Path) -> None:
    random = np.random.default_rng(seed)
    points = random.integers(0, 2**32, size=(6, 60, 3), dtype=np.uint32).view(np.float32)
    points[~np.isfinite(points)] = 0.0
    odd = np.array(
        [0x15AE43FD, 0x95AE43FD, 0x80000000, 1, 0x80000001, 0x7F7FFFFF, 0x00800000, 0x007FFFFF], dtype=np.uint32
    )
    points.reshape(6, -1)[:, : len(odd)] = odd.view(np.float32)
    cuts = tuple(np.flatnonzero(random.integers(2, size=5)) + 1)
    expected = Expected([Prim("/World/cloth/a", points, [[0, 1, 2], [3, 4, 5]], cuts=cuts)], 23.976, 6)
    write(tmp_path / "stage.usda", expected)
    # One number needs the digits of a double: OpenUSD rounds its shortest decimal, 7.038531e-26, to its neighbour.
    found = [
        complaint for complaint in oracle.complaints(tmp_path / "stage.usda", expected) if complaint[0] != "digits"
    ]
    assert found == []
    table.POSITIVE["bits"].add(f"random {seed}")


def test_a_single_frame_has_no_times(tmp_path: Path) -> None:
    points = np.random.default_rng(3).normal(size=(1, 6, 3)).astype(np.float32)
    expected = Expected([Prim("/World/cloth/a", points, [[0, 1, 2], [3, 4, 5]])], 24.0, 1)
    write(tmp_path / "stage.usda", expected)
    check(tmp_path / "stage.usda", expected, "one frame")


def test_names_become_names_of_prims(tmp_path: Path) -> None:
    frames = np.eye(3, dtype=np.float32)
    names = ["a b", "a_b", "a.b", "1st", "", "Überwurf", "cloth/shirt", '"x"\n']
    cloth.write_usd(tmp_path / "stage.usda", {name: (frames, [[0, 1, 2]]) for name in names}, rate=24.0)
    stage = Usd.Stage.Open(str(tmp_path / "stage.usda"))
    assert oracle.validators_alone(stage) == []
    assert len([prim for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)]) == len(names)


def test_a_cut_is_read_as_a_cut_again(run: runs.Run, tmp_path: Path) -> None:
    prims = {prim.path.rsplit("/", 1)[-1]: (prim.points, prim.faces) for prim in run.expected.prims}
    cloth.write_usd(tmp_path / "a.usda", prims, rate=60.0, cuts=[3, 9])
    opened = reading.opened(tmp_path / "a.usda")
    assert opened.cuts == [3, 9]
    assert len(opened) == runs.FRAMES
    again = reading.opened(run.stage)
    assert again.cuts == list(run.expected.prims[0].cuts)


def test_an_untangled_mesh_keeps_its_points_and_texture(tmp_path: Path) -> None:
    faces = runs.sheet(tmp_path / "in.obj", 7, 0.4, 0.3)
    runs.cloth("untangle", "in.obj", "out.usda", folder=tmp_path)
    triangles = runs.triangulated(faces)
    points = runs.vertices(tmp_path / "in.obj").astype(np.float32)[None]
    uv = runs.corner_uv(tmp_path / "in.obj", triangles)
    expected = Expected([Prim("/World/cloth/out", points, triangles, uv)], 24.0, 1)
    check(tmp_path / "out.usda", expected, "untangle")


def write(path: Path, expected: Expected) -> None:
    """Writes arrays with the package; its cuts are those of the first mesh."""
    meshes: dict[str, dict[str, object]] = {"cloth": {}, "bodies": {}}
    for prim in expected.prims:
        _, _, scope, name = prim.path.split("/")
        points = prim.points if len(prim.points) > 1 else prim.points[0]
        corners = () if prim.uv is None else (prim.uv.reshape(-1, 3, 2),)
        meshes[scope][name] = (points, prim.faces, *corners)
    cloth.write_usd(path, meshes["cloth"], rate=expected.rate, bodies=meshes["bodies"], cuts=expected.prims[0].cuts)


def test_a_run_of_the_harness(tmp_path: Path) -> None:
    """What it simulated is in no other file; all but the bits is checked, and that they are read as OpenUSD does."""
    program = shutil.which("cloth-verify")
    if program is None:
        pytest.skip("there is no `cloth-verify` on the path")
    command = [program, "--scenario", "hang", "--size", "small", "--usd", tmp_path]
    subprocess.run(command, check=True, capture_output=True, timeout=540)
    path = tmp_path / "hang.usda"
    stage = Usd.Stage.Open(str(path))
    prims = []
    for mesh in [UsdGeom.Mesh(prim) for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)]:
        times = mesh.GetPointsAttr().GetTimeSamples() or [Usd.TimeCode.EarliestTime()]
        points = np.array([np.array(mesh.GetPointsAttr().Get(time)) for time in times])
        faces = np.array(mesh.GetFaceVertexIndicesAttr().Get()).reshape(-1, 3).tolist()
        prims.append(Prim(str(mesh.GetPath()), points, faces))
    assert len(prims[0].points) > 60
    expected = Expected(prims, stage.GetTimeCodesPerSecond(), max(len(prim.points) for prim in prims))
    check(path, expected, "harness")
    reading.compare(path)
