"""What can be changed between two steps: atomic, in every bit as in Rust, and kept by pickle."""

from __future__ import annotations

import pickle
from typing import Any, Callable

import numpy as np
import pytest

import cloth
import scenes


def crossed(simulation: cloth.Simulation) -> np.ndarray:
    """The state of `pair`, with the second sheet upright in the first."""
    state = simulation.positions.copy()
    part = simulation.vertices(1)
    state[part] = state[part][:, [0, 2, 1]] * [0.5, 0.5, 0.5] + [0.013, 0.293, -0.133]
    return state


def pair() -> cloth.Simulation:
    """Two sheets above each other, and a box below as a mesh body."""
    cloths = [
        cloth.Cloth(*scenes.sheet(height=height), name=name) for name, height in (("low", 0.3), ("high", 0.4))
    ]
    return cloth.Simulation(cloths, [cloth.Body(*scenes.box((0.0, 0.1, 0.0), 0.2))], preset="game")


def unchanged(simulation: cloth.Simulation, act: Callable[[], Any], error: type[Exception], text: str) -> Any:
    """Does what is refused, and changes no bit; returns the exception."""
    before = simulation.snapshot()
    with pytest.raises(error, match=text) as raised:
        act()
    assert simulation.snapshot() == before
    return raised.value


def test_a_state_is_set_and_continues_as_a_start_does() -> None:
    started, other = pair(), pair()
    other.step(count=10)
    other.set_state(started.positions, started.velocities)
    np.testing.assert_array_equal(other.positions, started.positions)
    for _ in range(10):
        started.step()
        other.step()
        assert started.state_hash() == other.state_hash()
    view = other.positions
    other.set_state(np.asarray(started.positions, np.float64) + [0.0, 0.1, 0.0], admit="clean")
    assert np.shares_memory(view, other.positions)
    np.testing.assert_allclose(view, started.positions + np.float32([0, 0.1, 0]), atol=1e-6)
    assert not other.velocities.any()


def test_a_state_that_intersects_is_refused_with_witnesses_or_admitted() -> None:
    simulation = pair()
    simulation.step()
    state = crossed(simulation)
    error = unchanged(
        simulation, lambda: simulation.set_state(state), cloth.TangledError, "vertex .* of cloth 0.*untangle it"
    )
    assert len(error.witnesses) > 0 and error.witnesses.dtype == cloth.WITNESS
    simulation.set_state(state, admit="tangles")
    assert simulation.count_intersections() == (error.witnesses["kind"] < 3).sum()
    assert bool(simulation.step()["certified"]) is False and simulation.tangles()


@pytest.mark.parametrize(
    ("positions", "velocities", "admit", "text"),
    [
        (np.zeros((3, 3)), None, "clean", "has shape"),
        (None, np.zeros(3), "clean", "has shape"),
        (None, None, "dirty", "'clean' or 'tangles'"),
        (np.nan, None, "tangles", "within 1e7 m"),
        (1e8, None, "tangles", "within 1e7 m"),
        (None, np.inf, "tangles", "must be finite"),
        ("state", None, "clean", "dtype"),
    ],
)
def test_what_is_no_state_is_refused(positions: Any, velocities: Any, admit: Any, text: str) -> None:
    simulation = pair()
    given = []
    for value in (positions, velocities):
        state = np.array(simulation.positions)
        if isinstance(value, float):
            state[17, 1] = value
            value = state
        given.append(value)
    places = simulation.positions if given[0] is None else given[0]
    unchanged(
        simulation, lambda: simulation.set_state(places, given[1], admit=admit), cloth.InputError, text
    )


def test_velocities_and_masses_are_set_of_all_or_some() -> None:
    simulation = scenes.flag()
    simulation.set_velocities([0.0, 1.0, 0.0])
    assert (simulation.velocities == np.float32([0, 1, 0])).all()
    simulation.set_velocities([[1, 0, 0], [2, 0, 0]], [9, 10])
    np.testing.assert_array_equal(simulation.velocities[[9, 10], 0], [1, 2])
    unchanged(
        simulation, lambda: simulation.set_velocities([0, 0, 1], [3, 64]), cloth.SimulationError, "vertex 64"
    )
    unchanged(simulation, lambda: simulation.set_velocities([0, np.nan, 0]), cloth.InputError, "finite")
    simulation.set_masses(0.01)
    simulation.set_masses([np.inf, 0.5], [20, 21])
    before = simulation.positions[20].copy()
    simulation.step()
    np.testing.assert_array_equal(simulation.positions[20], before)
    unchanged(simulation, lambda: simulation.set_masses([1.0, -1.0], [2, 3]), cloth.SimulationError, "mass is -1")


def test_settings_act_from_the_next_step_on() -> None:
    still, blown = scenes.flag(), scenes.flag()
    blown.set_wind([0.0, 8.0, 0.0], drag=1.3)
    assert blown.settings["wind"]["velocity"] == [0.0, 8.0, 0.0]
    still.step(count=5)
    blown.step(count=5)
    assert blown.positions[:, 1].mean() > still.positions[:, 1].mean() + 0.01
    still.set_gravity([0.0, 9.81, 0.0])
    before = still.velocities[:, 1].mean()
    still.step()
    assert still.velocities[:, 1].mean() > before
    unchanged(still, lambda: still.set_settings({"gravty": 1}), cloth.InputError, "did you mean `gravity`")
    unchanged(still, lambda: still.set_settings({"substeps": 0}), cloth.ClothError, "substeps")


def test_switching_the_gate_is_seen_in_the_record_and_reset_still_works() -> None:
    simulation = scenes.flag()
    assert simulation.step()["certified"]
    simulation.set_settings({"gate": False})
    assert not simulation.step()["certified"]
    simulation.reset()
    assert simulation.time == 0.0
    np.testing.assert_array_equal(simulation.positions, scenes.flag().positions)


def test_friction_is_of_parts_and_of_pairs() -> None:
    simulation = scenes.flag()
    simulation.set_friction(0.9, ("collider", 0))
    simulation.set_friction(0.1, ("cloth", "flag"), ("collider", 0))
    unchanged(simulation, lambda: simulation.set_friction(0.1, ("body", 0)), cloth.InputError, "no body 0")
    part: Any = ("ball", 0)
    unchanged(simulation, lambda: simulation.set_friction(0.1, part), cloth.InputError, "is no part")
    unchanged(simulation, lambda: simulation.set_friction(-1, ("cloth", 0)), cloth.SimulationError, "friction")


def test_colliders_come_and_go() -> None:
    simulation = scenes.flag()
    number = simulation.add_collider(cloth.Collider("plane", position=(0, -0.5, 0)))
    assert number == 1 and len(simulation.collider_poses) == 2
    ball = simulation.add_collider(cloth.Collider("sphere", radius=0.05, mass=0.3, position=(1.0, 0.5, 0)))
    simulation.set_rigid_velocity(ball, [0, 2, 0], [0, 0, 1])
    simulation.apply_rigid_impulse(ball, [0.3, 0, 0])
    (body,) = simulation.rigid_bodies()
    assert body.collider == ball
    np.testing.assert_allclose(body.velocity, [1, 2, 0], atol=1e-6)
    np.testing.assert_allclose(body.angular_velocity, [0, 0, 1], atol=1e-6)
    unchanged(simulation, lambda: simulation.set_rigid_velocity(0, [0, 0, 0]), cloth.SimulationError, "rigid body")
    simulation.remove_collider(number)
    assert simulation.rigid_bodies()[0].collider == ball - 1
    simulation.step(count=3)
    unchanged(simulation, lambda: simulation.remove_collider(7), cloth.InputError, "no collider 7")


def test_cloths_are_added_and_removed_while_others_go_on() -> None:
    simulation, alone = scenes.flag(), scenes.flag()
    simulation.step(count=5)
    alone.step(count=5)
    far = np.array([0.0, 3.0, 0.0])
    positions, faces = scenes.sheet()
    simulation.edit(
        add=cloth.Cloth(positions + far, faces, name="cape", friction=0.2),
        add_bodies=[cloth.Body(*scenes.box((5.0, 0.0, 0.0), 0.2))],
    )
    assert simulation.cloth_names == ["flag", "cape"] and simulation.vertex_count == 64 + 64 + 8
    assert simulation.body_vertices() == slice(128, 136)
    for _ in range(3):
        simulation.step()
        alone.step()
        np.testing.assert_array_equal(simulation.positions[:64], alone.positions)
    simulation.edit(remove=["flag"], remove_bodies=[0])
    assert simulation.cloth_names == ["cape"] and simulation.vertices("cape") == slice(0, 64)
    simulation.reset()
    np.testing.assert_allclose(simulation.positions, positions + far, atol=1e-6)
    error = unchanged(simulation, lambda: simulation.edit(remove=["flag"]), cloth.InputError, "'cape'")
    assert "flag" in str(error)


def test_what_a_cloth_is_changes_without_its_motion() -> None:
    simulation = scenes.flag()
    simulation.step(count=5)
    before = simulation.positions.copy()
    region = {"name": "hem", "extent": {"faces": [0, 1]}}
    simulation.edit(
        change={"flag": {"exclusions": [[0, 1]], "regions": [region], "friction": 0.7}},
        interactions=[{"between": ["hem", "rest"], "kind": "none"}],
    )
    simulation.set_material("denim", "flag")
    np.testing.assert_array_equal(simulation.positions, before)
    simulation.step()
    unchanged(
        simulation, lambda: simulation.edit(change={0: {"exclusion": []}}), cloth.InputError, "`exclusions`"
    )
    bad: Any = {0: {"exclusions": [[0, 640]]}}
    unchanged(simulation, lambda: simulation.edit(change=bad), cloth.SimulationError, "640")


def test_a_simulation_with_changes_survives_pickle() -> None:
    simulation = scenes.flag()
    simulation.step(count=3)
    simulation.edit(add=cloth.Cloth(*scenes.sheet(height=0.6), name="cape"))
    simulation.set_gravity([0, -3, 0])
    simulation.set_gravity([0, -4, 0])
    simulation.set_friction(0.9, ("cloth", "cape"))
    simulation.add_collider(cloth.Collider("plane"))
    simulation.step(count=3)
    other = pickle.loads(pickle.dumps(simulation))
    assert other.cloth_names == simulation.cloth_names and other.settings == simulation.settings
    for _ in range(5):
        simulation.step()
        other.step()
        assert simulation.state_hash() == other.state_hash()


def test_attachments_drives_and_frames_move() -> None:
    positions, faces = scenes.sheet()
    held = cloth.Cloth(
        positions,
        faces,
        attachments=[{"vertex": v, "target": positions[v], "compliance": 1e-3} for v in (0, 7)],
        drive={"stiffness": 400.0, "damping": 5.0},
        local_frame={"pose": {"translation": [0, 0, 0], "rotation": [0, 0, 0, 1]}, "inertia_scale": 0.5},
    )
    simulation, still = (cloth.Simulation(held, preset="game") for _ in range(2))
    up = positions + [0, 0.2, 0]
    for _ in range(20):
        simulation.move_attachments([0, 1], up[[0, 7]])
        simulation.move_drive(up)
        simulation.move_local_frame([0, 0.2, 0])
        simulation.step()
        still.step()
    assert simulation.positions[:, 1].mean() > still.positions[:, 1].mean() + 0.1
    unchanged(
        simulation, lambda: simulation.move_attachments([0, 2], up[:2]), cloth.SimulationError, "attachment 2"
    )
    flag = scenes.flag()
    unchanged(flag, lambda: flag.move_drive(up), cloth.SimulationError, "drive")
    unchanged(flag, lambda: flag.move_local_frame([0, 0, 0]), cloth.SimulationError, "local frame")


def test_springs_hold_pull_and_let_go() -> None:
    positions, faces = scenes.sheet()
    simulation = cloth.Simulation(
        cloth.Cloth(positions, faces, name="sheet", masses=np.full(64, 0.01)), settings={"sleep": None}
    )
    simulation.pin([0, 7, 56, 63], compliance=1e-4)
    simulation.pin([0], compliance=1e-4)
    assert simulation.attachments()["vertex"].tolist() == [0, 7, 56, 63]
    for _ in range(40):
        simulation.step(count=10)
    springs = simulation.attachments()
    assert springs["holds"].all()
    # The weight of all, and of each a quarter.
    np.testing.assert_allclose(springs["force"].sum(axis=0), [0, 64 * 0.01 * 9.81, 0], atol=0.3)
    np.testing.assert_allclose(springs["force"][:, 1], 16 * 0.01 * 9.81, rtol=0.05)
    before = simulation.positions[[0, 7], 1]
    simulation.move_pins([0, 7], springs["target"][:2] + np.float32([0, 0.05, 0]))
    simulation.step(count=20)
    np.testing.assert_allclose(simulation.positions[[0, 7], 1], before + 0.05, atol=2e-3)
    other = pickle.loads(pickle.dumps(simulation))
    for each in (simulation, other):
        each.unpin([0, 7])
        each.step(count=10)
    assert simulation.state_hash() == other.state_hash()
    assert simulation.attachments()["holds"].tolist() == [False, False, True, True]
    assert not simulation.attachments()["force"][:2].any()
    simulation.set_attachments([0, 1], True)
    np.testing.assert_array_equal(simulation.attachments()["target"][:2], simulation.positions[[0, 7]])
    unchanged(simulation, lambda: simulation.pin([64], compliance=1.0), cloth.SimulationError, "vertex 64")
    unchanged(simulation, lambda: simulation.pin([5], compliance=-1.0), cloth.InputError, "compliance")
    unchanged(
        simulation, lambda: simulation.set_attachments([1, 4], False), cloth.SimulationError, "attachment 4"
    )
    free = lambda: simulation.move_pins([9], [[0, 0, 0]])  # noqa: E731
    unchanged(simulation, free, cloth.SimulationError, "pin it first")


def test_numbers_of_the_program_are_part_of_the_state() -> None:
    simulation = scenes.flag()
    simulation.user_data = [1.5, -2]
    snapshot = simulation.snapshot()
    simulation.user_data = []
    simulation.restore(snapshot)
    assert simulation.user_data.tolist() == [1.5, -2]
    for bad in ([np.nan], [[1.0]], "text"):
        with pytest.raises(cloth.InputError):
            simulation.user_data = bad
    simulation.reset()
    vertices, targets = simulation.pins("flag")
    assert vertices.tolist() == [0, 7] and simulation.user_data.size == 0
    simulation.move_pins([7], targets[1:] + np.float32([0, 0.01, 0]))
    np.testing.assert_array_equal(simulation.pins()[1][1], targets[1] + np.float32([0, 0.01, 0]))


def test_waypoints_bend_the_path_of_pins_and_colliders() -> None:
    def lifted(bend: float) -> cloth.Simulation:
        simulation = scenes.flag()
        start = simulation.positions[[0, 7]].copy()
        ends = start + np.float32([0, 0.02, 0])
        waypoints = cloth.Waypoints(3)
        share = np.linspace(0.25, 0.75, 3)[:, None, None]
        path = start + share * (ends - start) + [0, 0, bend] * np.sin(np.pi * share)
        waypoints.move_pins([0, 7], path, "flag")
        waypoints.move_collider(0, np.full((3, 3), [0, 0.15, 0]), np.full((3, 4), [0, 0, 0, 1]))
        simulation.move_pins([0, 7], ends)
        simulation.step(waypoints=waypoints)
        np.testing.assert_array_equal(simulation.positions[[0, 7]], ends)
        return simulation

    plain = scenes.flag()
    plain.move_pins([0, 7], plain.positions[[0, 7]] + np.float32([0, 0.02, 0]))
    plain.step()
    np.testing.assert_allclose(lifted(0.0).positions, plain.positions, atol=1e-5)
    assert np.abs(lifted(0.02).positions - plain.positions).max() > 1e-4
    waypoints = cloth.Waypoints(2)
    with pytest.raises(cloth.InputError, match="has shape"):
        waypoints.move_pins([0], np.zeros((3, 1, 3)))
    waypoints.move_body(np.zeros((2, 4, 3)), 1)
    unchanged(plain, lambda: plain.step(waypoints=waypoints), cloth.SimulationError, "mesh body 1")
    unchanged(plain, lambda: plain.step(count=2, waypoints=waypoints), cloth.InputError, "one step")


def test_a_cloth_that_sleeps_is_woken() -> None:
    positions, faces = scenes.sheet(height=0.01)
    simulation = cloth.Simulation(
        cloth.Cloth(positions, faces, name="mat"), colliders=[cloth.Collider("plane", friction=0.9)]
    )
    for _ in range(40):
        if simulation.is_asleep("mat"):
            break
        simulation.step(count=10)
    assert simulation.is_asleep() and simulation.kinetic_energy() == 0.0
    simulation.wake("mat")
    assert not simulation.is_asleep()
    simulation.wake()
