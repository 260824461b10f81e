"""A simulation: what it is built of, steps, pins, snapshots, and what it refuses."""

from __future__ import annotations

import copy
import os
import pathlib
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import cloth
import scenes

OTHER_PROCESS = """
import sys
import scenes
simulation = scenes.{scene}()
simulation.restore(sys.stdin.buffer.read())
for step in range(5, 12):
    {move}
    simulation.step()
print(simulation.state_hash(), simulation.time)
"""


@pytest.mark.parametrize(
    ("scene", "move"), [("flag", "scenes.swing(simulation, step, 0.5)"), ("tangled", "pass")]
)
def test_a_snapshot_continues_bit_for_bit_in_another_process(scene: str, move: str) -> None:
    simulation = getattr(scenes, scene)()
    names = {"simulation": simulation, "scenes": scenes}
    for step in range(5):
        exec(move, {**names, "step": step})
        simulation.step()
    snapshot = simulation.snapshot()
    for step in range(5, 12):
        exec(move, {**names, "step": step})
        simulation.step()
    text = OTHER_PROCESS.format(scene=scene, move=move)
    environment = os.environ | {"PYTHONPATH": str(pathlib.Path(__file__).parent)}
    ran = subprocess.run(
        [sys.executable, "-c", text], input=snapshot, capture_output=True, env=environment, check=True
    )
    assert ran.stdout.decode().split() == [str(simulation.state_hash()), str(simulation.time)]


def test_positions_follow_the_steps_and_cannot_be_written() -> None:
    simulation = scenes.flag()
    positions = simulation.positions
    before = positions.copy()
    np.testing.assert_array_equal(before, scenes.sheet()[0].astype(np.float32))
    simulation.step(count=3)
    assert not np.array_equal(before, positions)
    assert np.shares_memory(positions, simulation.positions)
    with pytest.raises(ValueError, match="read-only"):
        positions[0] = 0
    simulation.reset()
    np.testing.assert_array_equal(before, positions)
    assert simulation.time == 0.0
    assert np.from_dlpack(positions).base is not None


def test_threads_and_counts_change_no_bit() -> None:
    hashes = set()
    for threads, count in ((1, 1), (2, 1), (2, 6)):
        with cloth.threads(threads):
            simulation = scenes.tangled()
            for _ in range(6 // count):
                simulation.step(count=count)
            hashes.add((simulation.state_hash(), simulation.time))
    assert len(hashes) == 1


def test_a_step_says_what_it_did_and_the_exact_judge_agrees() -> None:
    simulation = scenes.flag()
    row = simulation.step(1 / 60, 40)
    assert (row["steps"], bool(row["certified"])) == (40, True)
    assert row["time"] == simulation.time == pytest.approx(40 / 60)
    assert row["contacts"] == simulation.report["contacts"]
    assert simulation.is_clean() and cloth.is_clean(simulation.positions, simulation.faces)
    tangled = scenes.tangled()
    crossings = tangled.count_intersections()
    assert crossings > 0 and not tangled.is_clean()
    row = tangled.step()
    assert row["tangles"] > 0 and not row["certified"]
    assert tangled.report["gate"]["tangled_pairs"] == row["tangled_pairs"]
    while row["tangles"] > 0:
        row = tangled.step()
        # Not even the step that resolves the last one: it began with one.
        assert not row["certified"]
    assert tangled.step()["certified"] and tangled.count_intersections() == 0


def test_a_tangle_that_ends_within_its_step_is_not_certified() -> None:
    positions, faces = scenes.sheet(8, 0.4, 0.3)
    simulation = cloth.Simulation(
        cloth.Cloth(positions, faces, pins=range(len(positions))), [cloth.Body(*scenes.box((0.0, 0.15, 0.0), 0.2))]
    )
    assert simulation.step()["certified"]
    body = simulation.positions[simulation.body_vertices()].copy()
    simulation.move_body(body + np.float32([0.0, 0.1, 0.0]), at_once=True)
    assert simulation.count_intersections() > 0
    simulation.move_body(body)  # out of the sheet again, in the next step
    row = simulation.step()
    assert row["tangles"] == 0 and simulation.is_clean() and not row["certified"]
    assert simulation.step()["certified"]


def test_without_a_gate_nothing_is_certified() -> None:
    assert not scenes.flag(settings={"gate": False}).step()["certified"]


def test_pins_go_to_their_targets_and_unpinned_vertices_fall() -> None:
    simulation = scenes.flag()
    target = np.array([-0.15, 0.35, -0.2])
    simulation.move_pin(0, target, "flag")
    simulation.step()
    np.testing.assert_array_equal(simulation.positions[0], target.astype(np.float32))
    simulation.pin([9])
    simulation.unpin([0, 7])
    simulation.step(count=20)
    assert simulation.positions[0, 1] < 0.32
    with pytest.raises(cloth.SimulationError, match="not pinned"):
        simulation.move_pin(7, target)
    simulation.reset()
    simulation.move_pin(7, target)
    with pytest.raises(cloth.SimulationError, match="vertex 64"):
        simulation.pin([64])


def test_bodies_and_colliders_move() -> None:
    positions, faces = scenes.sheet()
    body = cloth.Body(*scenes.box((0.0, 0.1, 0.0), 0.2))
    colliders = [
        cloth.Collider("plane"),
        cloth.Collider("box", half_extents=(0.05, 0.05, 0.05), position=(0.0, 0.5, 0.0), mass=0.05),
    ]
    simulation = cloth.Simulation(cloth.Cloth(positions, faces), [body], colliders, preset="game")
    part = simulation.body_vertices(0)
    assert (part, simulation.vertices()) == (slice(64, 72), slice(0, 64))
    assert simulation.cloth_faces() == slice(0, len(faces))
    moved = simulation.positions[part] + np.float32([0.0, 0.1, 0.0])
    simulation.move_body(moved)
    assert not np.array_equal(simulation.positions[part], moved)
    simulation.step()
    np.testing.assert_array_equal(simulation.positions[part], moved)
    simulation.move_collider(0, (0.0, -0.2, 0.0))
    simulation.step(count=30)
    poses = simulation.collider_poses
    np.testing.assert_array_equal(poses[0], np.float32([0, -0.2, 0, 0, 0, 0, 1]))
    assert poses[1, 1] < 0.5
    with pytest.raises(cloth.SimulationError, match="rigid"):
        simulation.move_collider(1, (0.0, 0.0, 0.0))
    simulation.move_collider(1, (0.0, 1.0, 0.0), at_once=True)
    assert simulation.collider_poses[1, 1] == 1.0
    assert simulation.is_clean()
    simulation.move_body(moved + np.float32([1.0, 0.0, 0.0]), at_once=True)
    assert simulation.positions[part][:, 0].min() > 0.5


def test_cloths_have_names() -> None:
    simulation = scenes.tangled()
    assert simulation.cloth_names == ["level", "upright"]
    assert simulation.vertices("upright") == simulation.vertices(1) == slice(64, 128)
    simulation.pin([3], "upright")
    simulation.move_pin(3, simulation.positions[67] + 0.01, "upright")
    with pytest.raises(cloth.InputError, match="known are 'level', 'upright'"):
        simulation.vertices("level ")
    with pytest.raises(cloth.SimulationError, match="not pinned"):
        simulation.move_pin(3, (0.0, 0.0, 0.0), "level")


def test_rest_shapes_thicknesses_and_masses_are_used() -> None:
    positions, faces = scenes.sheet(4)
    still = {"gravity": [0, 0, 0], "wind": {"drag": 0}}

    def edge(**description: object) -> float:
        """Mean length (m) of an edge when the cloth has come to rest."""
        damped = {"damping": {"global": 20}} | description
        described = cloth.Cloth(positions, faces, **damped)  # type: ignore[arg-type]
        simulation = cloth.Simulation(described, settings=still, preset="game")
        simulation.step(count=60)
        a, b, _ = simulation.positions[faces.T]
        return float(np.linalg.norm(a - b, axis=1).mean())

    whole = edge()
    assert edge(rest=0.5 * positions) == pytest.approx(0.5 * whole, rel=0.05)
    pattern = 0.5 * positions[faces][:, :, [0, 2]]
    assert edge(rest=pattern) == pytest.approx(0.5 * whole, rel=0.05)
    assert edge(rest=0.5 * positions, masses=np.full(16, np.inf)) == pytest.approx(whole, rel=1e-3)

    def gap(**description: object) -> float:
        """Distance (m) of a sheet from a fixed one on which it has fallen."""
        fixed = cloth.Cloth(positions, faces, pins=range(16), **description)  # type: ignore[arg-type]
        falling = cloth.Cloth(positions + [0.0, 0.05, 0.0], faces, **description)  # type: ignore[arg-type]
        simulation = cloth.Simulation([fixed, falling], preset="game")
        simulation.step(count=60)
        return float((simulation.positions[16:, 1] - simulation.positions[:16, 1]).min())

    assert gap(thickness=0.01) == pytest.approx(0.01, rel=0.45)
    assert gap(thickness={"radius": 0.003, "scr": 0.004}) == pytest.approx(gap(thickness=0.01), rel=1e-3)
    assert gap(thickness=0.03) > 2 * gap(thickness=0.01)


def test_copies_and_pickles_continue_bit_for_bit() -> None:
    simulation = scenes.flag()
    simulation.step(count=4)
    twins = [copy.deepcopy(simulation), pickle.loads(pickle.dumps(simulation))]
    simulation.step(count=4)
    for twin in twins:
        twin.step(count=4)
        assert twin.state_hash() == simulation.state_hash()
        assert twin.cloth_names == ["flag"]


def test_a_scene_moves_its_bodies_and_what_follows_them(tmp_path: pathlib.Path) -> None:
    simulation = cloth.Simulation.from_scene(scenes.moving_scene(tmp_path), tmp_path)
    assert (simulation.dt, simulation.cloth_names) == (0.02, ["scarf"])
    simulation.step(count=5)
    snapshot = simulation.snapshot()
    simulation.step(count=20)
    part = simulation.positions[simulation.body_vertices(0)]
    assert part[:, 0].mean() == pytest.approx(0.2, abs=1e-6)
    assert simulation.positions[0, 0] > -0.1
    twin = pickle.loads(pickle.dumps(simulation))
    twin.restore(snapshot)
    twin.step(count=20)
    assert twin.state_hash() == simulation.state_hash()
    simulation.reset()
    simulation.step(count=25)
    assert twin.state_hash() == simulation.state_hash()


def test_a_file_and_a_dict_are_one_scene(tmp_path: pathlib.Path) -> None:
    scenes.moving_scene(tmp_path)
    (tmp_path / "scene.toml").write_text('[settings]\nsubsteps = 4\n[[garment]]\nmesh = "sheet.obj"\n')
    from_file = cloth.Simulation.from_scene(tmp_path / "scene.toml")
    described = {"settings": {"substeps": np.int64(4)}, "garment": [{"mesh": "sheet.obj"}]}
    from_dict = cloth.Simulation.from_scene(described, tmp_path)
    assert from_file.step(count=3) == from_dict.step(count=3)
    assert from_file.state_hash() == from_dict.state_hash()


def test_a_character_plays_its_clip(tmp_path: pathlib.Path) -> None:
    simulation = cloth.Simulation.from_scene(scenes.character_scene(tmp_path), tmp_path)
    skin = simulation.body_vertices(0)
    start = simulation.positions[skin].copy()
    row = simulation.step(count=36)
    way = np.linalg.norm(simulation.positions[skin] - start, axis=1)
    # The lower joint stands, the tip nods.
    assert way[:8].max() == 0.0 and way[8:].max() > 0.09
    assert row["certified"] and simulation.is_clean()


@pytest.mark.parametrize(
    ("scene", "text"),
    [
        ({"settings": {"substep": 3}, "garment": [{"mesh": "sheet.obj"}]}, "did you mean `substeps`"),
        ({"garment": [{"mesh": "none.obj"}]}, "none.obj"),
        ({"garment": []}, "garment"),
    ],
)
def test_a_wrong_scene_is_refused_by_name(
    tmp_path: pathlib.Path, scene: dict[str, object], text: str
) -> None:
    scenes.moving_scene(tmp_path)
    with pytest.raises(cloth.FileError, match=text):
        cloth.Simulation.from_scene(scene, tmp_path)


def test_a_missing_scene_file_is_a_file_error(tmp_path: pathlib.Path) -> None:
    with pytest.raises(cloth.FileError, match="none.toml"):
        cloth.Simulation.from_scene(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"substep": 3}, "settings: unknown key `substep`; did you mean `substeps`?"),
        ({"substeps": 0}, "settings: `substeps`: must be at least 1, found 0"),
        ({"substeps": 2.5}, "`substeps`"),
        ({"gravity": [0, float("nan"), 0]}, r"`settings.gravity\[1\]` is nan"),
        ({"wind": {"veloc": [1, 0, 0]}}, "`wind`: unknown key `veloc`; did you mean `velocity`?"),
        ({"model": "fme"}, "did you mean `fem`"),
        ({"sleep": object()}, "is a object"),
    ],
)
def test_wrong_settings_are_refused_by_name(settings: dict[str, object], text: str) -> None:
    with pytest.raises(cloth.InputError, match=text):
        scenes.flag(settings=settings)


@pytest.mark.parametrize(
    ("description", "error", "text"),
    [
        ({"material": "coton"}, cloth.InputError, "did you mean `cotton`"),
        ({"pinz": [0]}, cloth.InputError, "did you mean `pins`"),
        ({"thickness": -1}, cloth.InputError, "`thickness` must not be negative"),
        ({"pins": [64]}, cloth.SimulationError, "vertex 64"),
        ({"pins": [-1]}, cloth.MeshError, "pins"),
        ({"pins": [0.5]}, cloth.MeshError, "pass integers"),
        ({"masses": [1.0]}, cloth.SimulationError, "mass"),
        ({"masses": [float("nan")] * 64}, cloth.InputError, "nan"),
        ({"rest": np.zeros((3, 3))}, cloth.InputError, r"instead of \(64, 3\)"),
        ({"friction": -0.1}, cloth.SimulationError, "friction"),
    ],
)
def test_a_wrong_cloth_is_refused(description: dict[str, object], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        cloth.Simulation(cloth.Cloth(*scenes.sheet(), **description))  # type: ignore[arg-type]


def test_wrong_meshes_are_refused() -> None:
    positions, faces = scenes.sheet()
    for wrong, error in [
        ((positions[:, :2], faces), cloth.InputError),
        ((positions.astype(complex), faces), cloth.InputError),
        ((positions, faces.astype(float)), cloth.MeshError),
        ((positions, faces - 1), cloth.MeshError),
    ]:
        with pytest.raises(error):
            cloth.Cloth(*wrong)
    for wrong in [(np.where(positions < -0.19, np.nan, positions), faces), (positions, faces + 1)]:
        with pytest.raises(cloth.SimulationError):
            cloth.Simulation(cloth.Cloth(*wrong))
    with pytest.raises(cloth.InputError, match="empty"):
        cloth.Simulation([])


def test_views_of_any_layout_are_taken() -> None:
    positions, faces = scenes.sheet()
    expected = cloth.Simulation(cloth.Cloth(positions, faces))
    layouts = [
        (np.asfortranarray(positions), faces.astype(np.uint8)),
        (np.repeat(positions, 2, axis=0)[::2], np.ascontiguousarray(faces[::-1])[::-1]),
        (positions.astype(np.float64), faces.astype(">i4")),
        (positions.tolist(), faces.tolist()),
    ]
    for layout in layouts:
        assert cloth.Simulation(cloth.Cloth(*layout)).state_hash() == expected.state_hash()
    simulation = scenes.flag()
    simulation.move_pins(np.array([0, 7])[::-1], scenes.swing_targets(1, 0.0)[::-1])
    other = scenes.flag()
    other.move_pins([0, 7], scenes.swing_targets(1, 0.0))
    assert simulation.step() == other.step() and simulation.state_hash() == other.state_hash()


@pytest.mark.parametrize(
    ("kind", "keys", "text"),
    [
        ("spher", {"radius": 1}, "did you mean `sphere`"),
        ("sphere", {"radus": 1}, "did you mean `radius`"),
        ("sphere", {"radius": -1}, "greater than zero"),
        ("sphere", {"radius": 1, "rotation": (0, 0, 0, 0)}, "quaternion"),
        ("sphere", {"radius": 1, "position": (0, float("inf"), 0)}, "not finite"),
        ("sphere", {"radius": 1, "velocity": (1, 0, 0)}, "mass"),
        ("plane", {"guarded": True}, "can be guarded"),
    ],
)
def test_a_wrong_collider_is_refused(kind: str, keys: dict[str, object], text: str) -> None:
    with pytest.raises(cloth.InputError, match=text):
        cloth.Simulation(
            cloth.Cloth(*scenes.sheet()),
            colliders=[cloth.Collider(kind, **keys)],  # type: ignore[arg-type]
        )


def test_wrong_calls_change_nothing() -> None:
    simulation = scenes.flag()
    simulation.step(count=2)
    before = simulation.snapshot()
    calls = [
        lambda: simulation.step(float("nan")),
        lambda: simulation.step(0.0),
        lambda: simulation.step(-1.0),
        lambda: simulation.step("fast"),
        lambda: simulation.step(count=0),
        lambda: simulation.step(count=1.5),
        lambda: simulation.step(1e-30),
        lambda: simulation.move_pin(0, (0, np.nan, 0)),
        lambda: simulation.move_pin(0, (0, 1e8, 0)),
        lambda: simulation.move_pin(0, (0, 0)),
        lambda: simulation.move_pin(1, (0, 0, 0)),
        lambda: simulation.move_pin(64, (0, 0, 0)),
        lambda: simulation.move_pin(0, (0, 0, 0), "sail"),
        lambda: simulation.move_pin(0, (0, 0, 0), 1),
        lambda: simulation.move_pins([0, 7], np.zeros((2, 3), complex)),
        lambda: simulation.move_body(np.zeros((8, 3))),
        lambda: simulation.move_collider(1, (0, 0, 0)),
        lambda: simulation.move_collider(0, (0, np.inf, 0)),
        lambda: simulation.restore(b""),
        lambda: simulation.restore("text"),
        lambda: simulation.restore(before[:-1]),
        lambda: simulation.restore(scenes.tangled().snapshot()),
        lambda: simulation.vertices(True),
    ]
    for number, call in enumerate(calls):
        with pytest.raises(cloth.ClothError):
            call()
        assert simulation.snapshot() == before, number


def test_a_forged_snapshot_is_refused() -> None:
    sheets = [cloth.Cloth(*scenes.sheet(5, 0.4, height), pins=list(range(25))) for height in (0.0, 0.2)]
    simulation = cloth.Simulation(sheets)
    simulation.step()
    snapshot, place = simulation.snapshot(), simulation.positions[37].copy()
    below = place - np.array([0, 0.4, 0], np.float32)
    forged = bytearray(snapshot.replace(place.tobytes(), below.tobytes()))
    value = 0xCBF29CE484222325
    for byte in forged[20:]:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    forged[12:20] = value.to_bytes(8, "little")
    with pytest.raises(cloth.SimulationError, match="altered"):
        simulation.restore(bytes(forged))
    assert simulation.snapshot() == snapshot


def test_a_snapshot_of_another_version_says_so() -> None:
    simulation = scenes.flag()
    snapshot = bytearray(simulation.snapshot())
    snapshot[8] += 1
    with pytest.raises(cloth.SimulationError, match="version"):
        simulation.restore(bytes(snapshot))


def test_ctrl_c_ends_a_call_between_two_steps() -> None:
    simulation = scenes.flag(settings={"sleep": None})
    timer = scenes.interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        simulation.step(count=1_000_000)
    timer.join()
    taken = round(simulation.time * 60)
    assert 0 < taken < 1_000_000
    twin = scenes.flag(settings={"sleep": None})
    twin.step(count=taken)
    assert twin.state_hash() == simulation.state_hash()
    np.testing.assert_array_equal(twin.positions, simulation.positions)


def test_threads_take_turns() -> None:
    simulation = scenes.flag()
    workers = [threading.Thread(target=lambda: simulation.step(count=5)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    twin = scenes.flag()
    twin.step(count=20)
    assert twin.state_hash() == simulation.state_hash()


def test_guarded_colliders_have_no_rows() -> None:
    positions, faces = scenes.sheet()
    corners, sides = scenes.box((0.0, 0.1, 0.0), 0.1)
    shapes = [
        cloth.Collider("sphere", radius=0.05, position=(0.5, 0.1, 0.0), guarded=True),
        cloth.Collider("capsule", radius=0.05, half_length=0.1, position=(0.7, 0.1, 0.0), guarded=True),
        cloth.Collider("box", half_extents=[0.05] * 3, position=(0.9, 0.1, 0.0), guarded=True),
    ]
    described = cloth.Cloth(positions, faces), [cloth.Body(corners, sides)]
    guarded, plain = cloth.Simulation(*described, shapes), cloth.Simulation(*described)
    for simulation in (guarded, plain):
        simulation.step(count=2)
        assert simulation.vertex_count == 64 + 8
        assert simulation.body_vertices() == slice(64, 72)
    batch = cloth.Batch(guarded, 2)
    assert batch.n_vertices == 72 and batch.positions.shape == batch.velocities.shape == (2, 72, 3)
    np.testing.assert_array_equal(guarded.faces, plain.faces)
    for name in ("positions", "velocities"):
        np.testing.assert_array_equal(getattr(guarded, name), getattr(plain, name))
        np.testing.assert_array_equal(getattr(batch, name)[1], getattr(plain, name))
    batch.step()
    plain.step()
    np.testing.assert_array_equal(batch.positions[0], plain.positions)


def test_pins_that_are_refused_leave_all_targets_as_they_were() -> None:
    moved, twin = scenes.flag(), scenes.flag()
    with pytest.raises(cloth.SimulationError, match="not pinned"):
        moved.move_pins([0, 3], moved.positions[[0, 3]] + [0.0, 0.1, 0.0])
    moved.step()
    twin.step()
    assert moved.state_hash() == twin.state_hash()
