"""Blender, as bpy: what it imports of a stage and of a cache is what was simulated, with difference 0."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import handmade
import runs
import table
from oracle import Expected

Blender = Callable[..., dict[str, Any]]
Y_UP_TO_Z_UP = np.array([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])


def check(arrays: dict[str, Any], expected: Expected) -> None:
    """All positions are those that were written, to the bit, and each object turns y up to z up."""
    first, last, rate = arrays["scene"]
    assert (first, last) == (0, expected.frames - 1)
    # The importer keeps the rate of the scene; the guide says so.
    assert rate == 24
    for prim in expected.prims:
        name = prim.path.rsplit("/", 1)[-1]
        found = arrays[name]
        assert len(found) == expected.frames
        wanted = np.broadcast_to(prim.points, found.shape) if len(prim.points) == 1 else prim.points
        assert found.dtype == np.float32
        assert found.tobytes() == np.ascontiguousarray(wanted).tobytes(), name
        assert np.abs(arrays[f"{name}/world"] - Y_UP_TO_Z_UP).max() < 1e-6


def test_an_imported_stage_has_the_positions_of_the_run(run: runs.Run, blender: Blender) -> None:
    check(blender("stage", run.stage), run.expected)
    count = sum(len(prim.points) for prim in run.expected.prims)
    table.FIGURES.append(f"Blender: difference 0 in {count} frames of {len(run.expected.prims)} meshes of a run")


def test_a_stage_that_was_written_by_hand_is_imported_the_same(blender: Blender, tmp_path: Path) -> None:
    """The negative control: with one coordinate changed, `check` fails."""
    expected = handmade.example()
    path = tmp_path / "hand.usda"
    path.write_text(handmade.write(expected))
    arrays = blender("stage", path)
    check(arrays, expected)
    arrays["shirt"][2, 3, 1] = np.nextafter(arrays["shirt"][2, 3, 1], np.float32(9))
    with pytest.raises(AssertionError, match="shirt"):
        check(arrays, expected)


def test_a_cut_is_held_until_its_frame(run: runs.Run, blender: Blender) -> None:
    before = blender("between", run.stage, runs.CUT - 1)
    for prim in run.expected.prims:
        if len(prim.points) > 1:
            name = prim.path.rsplit("/", 1)[-1]
            moved = np.abs(before[name] - prim.points[runs.CUT - 1]).max()
            # What has no cut there is on its way.
            assert (moved <= prim.tolerance + 1e-7) == (len(prim.cuts) > 0), f"{name} moved {moved} m"


@pytest.mark.parametrize("kind", ["pc2", "mdd"])
def test_a_cache_plays_through_the_mesh_cache_modifier(kind: str, blender: Blender, tmp_path: Path) -> None:
    frames = runs.sheet_alone(tmp_path, kind)
    arrays = blender("cache", tmp_path / "shirt.obj", tmp_path / f"shirt.{kind}", "FRAME", len(frames))
    assert arrays["shirt"].shape == frames.shape
    assert arrays["shirt"].tobytes() == frames.tobytes()
    table.FIGURES.append(f"Blender: difference 0 in {len(frames)} frames of a cache, {kind}")


def test_an_mdd_plays_at_its_own_rate_in_a_scene_of_24(blender: Blender, tmp_path: Path) -> None:
    """48 frames a second: every other one is shown."""
    frames = runs.sheet_alone(tmp_path, "mdd")
    arrays = blender("cache", tmp_path / "shirt.obj", tmp_path / "shirt.mdd", "TIME", 6)
    assert np.abs(arrays["shirt"] - frames[: 2 * 6 : 2]).max() < 1e-6
    assert np.abs(arrays["shirt"][1:] - frames[1:6]).max() > 1e-4


def test_three_garments_on_a_body_are_rendered(run: runs.Run, blender: Blender, tmp_path: Path) -> None:
    out = tmp_path / "picture.png"
    blender("picture", run.stage, runs.CUT - 2, out=out)
    assert out.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert out.stat().st_size > 20_000
