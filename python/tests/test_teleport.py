"""Cloth that is elsewhere without a way: cuts of what it is fixed to, and teleports by the caller."""

from __future__ import annotations

import pathlib
from typing import Any

import cloth
import numpy as np
import pytest
import scenes

HALF_TURN = np.float32([-1.0, 1.0, -1.0])
TO = np.float32([20.0, 0.0, 0.0])


def cape(settings: dict[str, Any] | None = None) -> tuple[cloth.Simulation, np.ndarray, np.ndarray]:
    """A hanging sheet of 112 vertices behind a box, its pins and its edges."""
    across, down = np.meshgrid(np.linspace(-0.22, 0.22, 8), np.linspace(1.42, 0.52, 14))
    positions = np.stack([across.ravel(), down.ravel(), np.full(112, -0.15)], axis=1)
    a = np.arange(112).reshape(14, 8)[:-1, :-1].reshape(-1, 1)
    faces = np.concatenate([a + [0, 8, 9], a + [0, 9, 1]])
    pins = np.arange(8)
    body = cloth.Body(*scenes.box((0.0, 1.0, 0.0), 0.24))
    sheet = cloth.Cloth(positions, faces, name="cape", pins=pins)
    simulation = cloth.Simulation(sheet, [body], settings=settings)
    return simulation, pins, np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]]])


def lengths(simulation: cloth.Simulation, edges: np.ndarray) -> np.ndarray:
    a, b = simulation.positions[edges.T]
    return np.linalg.norm(a - b, axis=1)


def jump(simulation: cloth.Simulation, pins: np.ndarray) -> None:
    """Half turned and 20 m away in the next step."""
    simulation.move_pins(pins, simulation.positions[pins] * HALF_TURN + TO)
    simulation.move_body(simulation.positions[simulation.body_vertices()] * HALF_TURN + TO)


def test_pins_half_turned_and_20_metres_away_take_their_cape_along() -> None:
    simulation, pins, edges = cape({"teleport": True})
    rest = lengths(simulation, edges)
    assert simulation.step(count=20)["certified"]
    jump(simulation, pins)
    row = simulation.step()
    assert (row["teleported"], bool(row["certified"])) == (1, False)
    [cut] = simulation.cuts
    assert cut.cloth == 0 and cut.metres > 19.0 and cut.degrees == pytest.approx(180.0, abs=0.1)
    assert simulation.report["cuts"] == 1 and not simulation.report["gate"]["certified_chord"]
    for _ in range(5):
        assert simulation.is_clean()
        assert np.percentile(lengths(simulation, edges) / rest, 99) < 1.1
        row = simulation.step()
        assert (row["teleported"], bool(row["certified"])) == (0, True)
    assert simulation.cuts == []


def test_steps_of_one_call_count_their_cuts_together() -> None:
    simulation, pins, _ = cape({"teleport": True})
    simulation.step(count=2)
    batch = cloth.Batch(simulation, 2)
    targets = simulation.positions[pins] * HALF_TURN + TO
    batch.move_pins(pins, np.stack([targets, targets]), mask=np.array([False, True]))
    rows = batch.step(count=3)
    assert rows["teleported"].tolist() == [0, 1] and rows["certified"].tolist() == [True, False]
    jump(simulation, pins)
    row = simulation.step(count=3)
    assert (row["teleported"], bool(row["certified"]), simulation.cuts) == (1, False, [])


@pytest.mark.parametrize(
    ("setting", "cuts"),
    [
        (True, 1),
        ({}, 1),
        ({"metres": 19}, 1),
        ({"metres": 30, "degrees": 180}, 0),
        ({"speed": 2000, "degrees": 170}, 1),
        (False, 0),
        (None, 0),
    ],
)
def test_the_setting_says_from_when_on_a_motion_is_a_cut(setting: object, cuts: int) -> None:
    # Pinned everywhere and without collisions, so that a step is cheap where there is no cut.
    positions, faces = scenes.sheet(4)
    sheet = cloth.Cloth(positions, faces, pins=range(16))
    simulation = cloth.Simulation(sheet, settings={"teleport": setting, "self_collision": False})
    simulation.move_pins(range(16), positions * HALF_TURN + TO)
    row = simulation.step(1 / 30)
    assert (row["teleported"], len(simulation.cuts)) == (cuts, cuts)


@pytest.mark.parametrize(
    ("setting", "text"),
    [
        ({"meters": 3}, "settings: `teleport`: unknown key `meters`; did you mean `metres`?"),
        ({"metres": -1}, "`teleport`"),
        ({"angle": 3}, "unknown key `angle`; known are `metres`, `sides`, `speed`, `degrees`"),
        (5, "`teleport`: invalid type: .*expected true, false, or a table"),
        ("on", "`teleport`"),
    ],
)
def test_a_wrong_setting_is_refused_by_name(setting: object, text: str) -> None:
    with pytest.raises(cloth.InputError, match=text):
        cape({"teleport": setting})


def test_a_scene_has_the_setting_as_well(tmp_path: pathlib.Path) -> None:
    scene = scenes.moving_scene(tmp_path)
    # Under one step, from 0 s to 0.02 s, the box goes 2 m.
    scene["body"][0]["motion"] = [
        {"time": 0.0, "translate": [0, 0, 0]},
        {"time": 0.02, "translate": [2.0, 0, 0]},
    ]
    assert cloth.Simulation.from_scene(scene, tmp_path).step()["teleported"] == 1
    for setting, cuts in ((False, 0), ({"metres": 3}, 0), ({"sides": 1, "speed": 99}, 1)):
        described = scene | {"settings": scene["settings"] | {"teleport": setting}}
        assert cloth.Simulation.from_scene(described, tmp_path).step()["teleported"] == cuts
    with pytest.raises(cloth.FileError, match="meters"):
        wrong = scene | {"settings": {"teleport": {"meters": 3}}}
        cloth.Simulation.from_scene(wrong, tmp_path)


def test_a_teleport_takes_the_cloth_its_pins_and_velocities() -> None:
    simulation, pins, _ = cape()
    simulation.step(count=10)
    part = simulation.vertices("cape")
    x, v = simulation.positions[part].copy(), simulation.velocities[part]
    body = simulation.positions[simulation.body_vertices()].copy()
    half = np.sqrt(0.5)
    turn = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    shift = np.array([3.0, -1.0, 5.0])
    matrix = np.eye(4, dtype=np.float32)
    matrix[:3, :3], matrix[:3, 3] = turn, shift
    twin = cape()[0]
    twin.restore(simulation.snapshot())
    simulation.teleport("cape", matrix)
    twin.teleport(0, (shift, (0.0, half, 0.0, half)))
    np.testing.assert_array_equal(simulation.positions, twin.positions)
    np.testing.assert_allclose(simulation.positions[part], x @ turn.T + shift, atol=2e-6)
    np.testing.assert_allclose(simulation.velocities[part], v @ turn.T, atol=1e-6)
    np.testing.assert_array_equal(simulation.positions[simulation.body_vertices()], body)
    held = simulation.positions[pins].copy()
    row = simulation.step()
    # Nothing was cut, and the step began where the teleport ended.
    assert (row["teleported"], bool(row["certified"])) == (0, True)
    np.testing.assert_allclose(simulation.positions[pins], held, atol=1e-6)


def test_everything_is_teleported_with_its_contacts() -> None:
    simulation = scenes.flag()
    simulation.step(count=30)
    contacts = simulation.step()["collider_contacts"]
    x, pose = simulation.positions.copy(), simulation.collider_poses[0]
    shift = np.float32([64.0, 0.0, -32.0])
    simulation.teleport_all((shift, (0, 0, 0, 1)))
    np.testing.assert_allclose(simulation.positions, x + shift, atol=1e-5)
    np.testing.assert_allclose(simulation.collider_poses[0, :3], pose[:3] + shift)
    row = simulation.step()
    assert row["certified"] and simulation.is_clean() and row["collider_contacts"] >= contacts // 2 > 0
    assert np.abs(simulation.positions - x - shift).max() < 0.02


def test_motions_that_are_not_rigid_change_nothing() -> None:
    simulation, _, _ = cape()
    before = simulation.snapshot()
    mirror = np.diag([1.0, 1.0, -1.0, 1.0])
    sheared, projected = np.eye(4), np.eye(4)
    sheared[0, 1], projected[3, 0] = 1e-4, 1e-4
    turn = (0, 0, 0, 1)
    calls = [lambda motion: simulation.teleport(0, motion), simulation.teleport_all]
    wrong: list[Any] = [
        mirror, 1.001 * np.eye(4), np.zeros((4, 4)), sheared, projected, np.full((4, 4), np.nan),
        np.eye(3), "up", None, (0, 0, 0), ((0, 0), turn), ((0, 0, 0), (0, 0, 0, 0)), ((0, np.inf, 0), turn),
    ]  # fmt: skip
    for motion in wrong:
        for call in calls:
            with pytest.raises(cloth.InputError):
                call(motion)
    for name in ("sail", 1, -1):
        with pytest.raises(cloth.InputError, match="there is no cloth"):
            simulation.teleport(name, (TO, turn))
    for call in calls:
        with pytest.raises(cloth.SimulationError, match="vertex 0"):
            call(((1e20, 0, 0), turn))
    assert simulation.snapshot() == before
