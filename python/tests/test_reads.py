"""What a simulation is asked: contacts, stretch, what meets and what of it is guarded."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

import cloth
import scenes
from test_changes import crossed, pair


def test_contacts_are_rows_that_can_be_recomputed() -> None:
    simulation = cloth.Simulation(
        [cloth.Cloth(*scenes.sheet(height=h)) for h in (0.31, 0.32)],
        [cloth.Body(*scenes.box((0.0, 0.2, 0.0), 0.2))],
        settings={"sleep": None, "substeps": 1},
    )
    simulation.step(count=30)
    before = simulation.positions.copy()
    count = simulation.step()["contacts"]
    contacts = simulation.contacts()
    assert contacts.dtype == cloth.CONTACT and len(contacts) == count > 0
    assert set(contacts["kind"]) <= set(cloth.PairKind) and (contacts["distance"] > 0).all()
    np.testing.assert_allclose(contacts["weights"].sum(axis=1), 0, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(contacts["normal"], axis=1), 1, atol=1e-5)
    apart = np.einsum("kv,kvc->kc", contacts["weights"], before[contacts["vertices"]])
    along = np.einsum("kc,kc->k", apart, contacts["normal"])
    np.testing.assert_allclose(along, contacts["gap"], atol=1e-6)
    of_body = contacts["vertices"] >= simulation.body_vertices().start
    assert set(contacts["kind"][of_body.any(axis=1)]) and not of_body.all(axis=1).any()
    assert simulation.particle_contacts().shape == (0, 2)


def test_stretch_is_of_lengths_at_rest() -> None:
    positions, faces = scenes.sheet()
    simulation = cloth.Simulation(cloth.Cloth(positions * [1.1, 1, 1.1], faces, rest=positions))
    edges, rest = simulation.edges()
    assert len(edges) == len(rest) == len(simulation.stretch()) == 161
    np.testing.assert_allclose(rest, np.linalg.norm(positions[edges[:, 0]] - positions[edges[:, 1]], axis=1))
    np.testing.assert_allclose(simulation.stretch(), 0.1, atol=1e-6)
    pattern = positions[faces][:, :, [0, 2]] * 2
    flat = cloth.Simulation(cloth.Cloth(positions, faces, rest=pattern))
    np.testing.assert_allclose(flat.stretch(), -0.5, atol=1e-6)


def test_what_meets_is_counted_by_kind() -> None:
    simulation = pair()
    assert simulation.count_by_kind() == dict.fromkeys(list(cloth.Between)[:4], 0)
    simulation.set_state(crossed(simulation), admit="tangles")
    found = simulation.intersections()
    counts = simulation.count_by_kind()
    assert counts[cloth.Between.CLOTH_CLOTH] > 0 and counts[cloth.Between.CLOTH_BODY] > 0
    assert sum(counts.values()) == len(found) == simulation.count_intersections()
    assert not found["tangled"].any() and not simulation.is_guarded()
    high, found = simulation.vertices("high"), found[found["between"] == cloth.Between.CLOTH_CLOTH]
    edge_in_high = (found["vertices"] >= high.start).all(axis=1)
    faces = simulation.faces[found["faces"][:, 0]]
    assert ((faces[:, 0] >= high.start) != edge_in_high).all() and (found["faces"][:, 1] == -1).all()
    simulation.step()
    (first, second), *_ = simulation.tangles()
    assert simulation.intersections()["tangled"].all() and len(first) and len(second)


def test_normals_energy_and_releases() -> None:
    simulation = scenes.flag()
    for weights in ("area", "angle"):
        np.testing.assert_allclose(np.abs(simulation.normals(weights)[:, 1]), 1, atol=1e-6)
    with pytest.raises(cloth.InputError, match="'area' or 'angle'"):
        simulation.normals("length")  # type: ignore[arg-type]
    assert simulation.kinetic_energy() == 0.0
    simulation.step()
    assert simulation.kinetic_energy() > 0.0 and simulation.released() == []
    assert simulation.is_guarded() and not simulation.is_asleep("flag")


def test_timed_pins_of_a_scene_say_what_happened(tmp_path: pathlib.Path) -> None:
    positions, faces = scenes.sheet()
    rows = [f"v {x} {y} {z}" for x, y, z in positions] + [f"f {a} {b} {c}" for a, b, c in faces + 1]
    (tmp_path / "towel.obj").write_text("\n".join(rows))
    pins = [{"vertex": 0, "until": 0.1}, {"vertex": 7, "from": 0.05, "release": {"force": 1e-3}}]
    scene = {"garment": [{"mesh": "towel.obj", "pins": pins}], "settings": {"dt": 0.02}}
    simulation = cloth.Simulation.from_scene(scene, tmp_path)
    simulation.step(count=4)
    (taken,) = [event for event in simulation.pin_events if event.kind == "taken"]
    assert (taken.cloth, taken.pin, taken.vertices) == (0, 1, [7]) and 0.03 < taken.time < 0.07
    (released,) = [event for event in simulation.pin_events if event.kind == "force"]
    assert released.measured is not None and released.measured > 1e-3
    held = simulation.positions[0].copy()
    snapshot, hashes = simulation.snapshot(), []
    for _ in range(3):
        simulation.step()
        hashes.append(simulation.state_hash())
    simulation.restore(snapshot)
    simulation.step(count=3)
    assert simulation.state_hash() == hashes[-1]
    assert [(event.kind, event.pin) for event in simulation.pin_events] == [("ended", 0)]
    assert simulation.positions[0, 1] < held[1] and len(simulation.pins()[0]) == 0
