"""No input may abort the interpreter: whatever is passed, an exception says what is wrong."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import cloth
import numpy as np
import pytest
from cloth import ipctk
import scenes
from test_judge import APART, BELOW, FACES

INTERPRETERS_OWN = (TypeError, ValueError, OverflowError, MemoryError, AttributeError)
"""What Python itself raises for an argument of a wrong kind; `cloth.ClothError` is everything else."""

POSITIONS: dict[str, Any] = {
    "nan": np.full((6, 3), np.nan),
    "one nan": np.where(np.arange(18).reshape(6, 3) == 17, np.nan, APART),
    "infinite": np.full((6, 3), -np.inf, np.float32),
    "huge": np.full((6, 3), 1e308),
    "subnormal": np.full((6, 3), 5e-324),
    "empty": np.empty((0, 3)),
    "no columns": np.empty((6, 0)),
    "two columns": np.zeros((6, 2)),
    "four columns": np.zeros((6, 4), np.float32),
    "flat": np.zeros(18),
    "deep": np.zeros((1, 6, 3)),
    "scalar": np.float64(1),
    "none": None,
    "text": "positions",
    "bytes": b"positions",
    "complex": APART.astype(complex),
    "booleans": np.ones((6, 3), bool),
    "objects": APART.astype(object),
    "strings": APART.astype(str),
    "dates": np.zeros((6, 3), "M8[s]"),
    "records": np.zeros((6, 3), [("a", "f8")]),
    "long double": APART.astype(np.longdouble) if np.dtype(np.longdouble).itemsize > 8 else APART.astype(complex),
    "ragged": [[0, 0, 0], [1, 1]],
    "too few": APART[:5],
    "too many": np.concatenate([APART, APART]),
    "fake rows": np.broadcast_to(np.zeros(3), (2**31, 3)),
    "a dictionary": {"x": 1},
    "an iterator": iter(APART),
    "masked": np.ma.masked_greater(APART, 1.5),
    "rows of which one is masked": [*APART[:5], np.ma.masked_array(APART[5], [False, True, False])],
}
GOOD: dict[str, Any] = {
    "negative strides": APART[::-1, ::-1],
    "fortran": np.asfortranarray(APART),
    "every other": np.repeat(APART, 2, axis=0)[::2],
    "read only": np.frombuffer(APART.tobytes()).reshape(6, 3),
    "unaligned": np.frombuffer(b"x" + APART.tobytes(), dtype="u1")[1:].view(np.float64).reshape(6, 3),
    "lists": APART.tolist(),
    "big endian": APART.astype(">f4"),
    "half": APART.astype(np.float16),
    "same row": np.broadcast_to(APART[0], (6, 3)),
    "a mask that covers nothing": np.ma.masked_greater(APART, 1e9),
}
INDICES: dict[str, Any] = {
    "out of range": [[0, 1, 6]],
    "far out of range": [[0, 1, 2**32 - 1]],
    "beyond 32 bits": [[0, 1, 2**32]],
    "beyond 63 bits": np.array([[0, 1, 2**63]], np.uint64),
    "negative": [[0, 1, -1]],
    "equal corners": [[0, 1, 1]],
    "quads": [[0, 1, 2, 3]],
    "flat": [0, 1, 2],
    "floats": [[0.0, 1.0, 2.0]],
    "nan": [[np.nan, 1.0, 2.0]],
    "booleans": [[True, False, True]],
    "objects": np.array([[0, 1, 2]], object),
    "text": "faces",
    "none": None,
    "ragged": [[0, 1, 2], [3]],
    "fake rows": np.broadcast_to(np.zeros(3, np.int32), (2**31, 3)),
    "fake rows of its own type": np.broadcast_to(np.zeros(3, np.uint32), (2**31, 3)),
    "a dictionary": {0: 1},
    "masked": np.ma.masked_array([[0, 1, 2]], [[False, False, True]]),
}

OF_STATES: dict[str, Callable[[Any, Any], Any]] = {
    "intersections": cloth.intersections,
    "is_clean": cloth.is_clean,
    "safe_distances": cloth.safe_distances,
    "Certifier": cloth.Certifier,
    "untangle": lambda x, f: cloth.untangle(x, f, seconds=0.1),
    "audit": lambda x, f: cloth.audit([x], f),
}
OF_MOTIONS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "crossings": cloth.crossings,
    "first_crossing": cloth.first_crossing,
    "is_motion_clean": cloth.is_motion_clean,
    "max_step": cloth.max_step,
    "correct": lambda a, b, f: cloth.Certifier(APART, f).correct(a, b),
    "audit": lambda a, b, f: cloth.audit([a, b], f),
    "rest": lambda a, b, f: cloth.untangle(a, f, rest=b, seconds=0.05),
}
MAY_PASS = {"huge", "subnormal", "empty", "too many"}
"""What some functions take: finite numbers, other vertices than faces, or nothing at all."""


@pytest.mark.parametrize("function", OF_STATES)
@pytest.mark.parametrize("kind", POSITIONS)
def test_positions_that_are_none(function: str, kind: str) -> None:
    call = lambda: OF_STATES[function](POSITIONS[kind], FACES)  # noqa: E731
    if kind in MAY_PASS:
        passes_or_raises(call)
    else:
        with pytest.raises((cloth.ClothError, *INTERPRETERS_OWN)) as caught:
            call()
        assert str(caught.value), "an exception says what is wrong"


@pytest.mark.parametrize("function", OF_MOTIONS)
@pytest.mark.parametrize("kind", POSITIONS)
def test_motions_that_are_none(function: str, kind: str) -> None:
    for ends in ((POSITIONS[kind], BELOW), (APART, POSITIONS[kind])):
        if function == "rest" and ends[1] is None:
            continue  # there is no other shape
        call = lambda: OF_MOTIONS[function](*ends, FACES)  # noqa: B023, E731
        if kind in MAY_PASS:
            passes_or_raises(call)
        else:
            with pytest.raises((cloth.ClothError, *INTERPRETERS_OWN)):
                call()


@pytest.mark.parametrize("function", [*OF_STATES, *OF_MOTIONS])
@pytest.mark.parametrize("kind", INDICES)
def test_faces_that_are_none(function: str, kind: str) -> None:
    with pytest.raises((cloth.ClothError, *INTERPRETERS_OWN)):
        if function in OF_STATES:
            OF_STATES[function](APART, INDICES[kind])
        else:
            OF_MOTIONS[function](APART, BELOW, INDICES[kind])


@pytest.mark.parametrize("kind", GOOD)
def test_any_layout_gives_the_verdict_of_a_copy(kind: str) -> None:
    x = GOOD[kind]
    copy = np.array(x, dtype=np.float64)
    assert (cloth.intersections(x, FACES) == cloth.intersections(copy, FACES)).all()
    moved = copy - [0, 1, 0]
    assert cloth.crossings(x, moved, FACES).tobytes() == cloth.crossings(copy, moved, FACES).tobytes()


@pytest.mark.parametrize("name", ["edges", "parts", "kinematic", "masks", "exclusions", "can_collide"])
@pytest.mark.parametrize("kind", INDICES)
def test_descriptions_that_are_none(name: str, kind: str) -> None:
    if INDICES[kind] is None:
        return
    if (name, kind) == ("masks", "equal corners"):
        return
    with pytest.raises((cloth.ClothError, *INTERPRETERS_OWN)):
        cloth.Mesh(6, FACES, **{name: INDICES[kind]})


@pytest.mark.parametrize(
    "description",
    [
        {"edges": [[0, 0]]},
        {"edges": [[0, 6]]},
        {"parts": [0, 0, 0, 1, 1]},
        {"parts": [0, 1, 0, 0, 0, 0]},
        {"parts": [0, 0, 0, -1, -1, -1]},
        {"parts": [0, 0, 0, 65536, 65536, 65536]},
        {"parts": [0, 0, 0, 1, 1, 1], "kinematic": [True]},
        {"parts": [0, 0, 0, 1, 1, 1], "masks": [[1, 1]]},
        {"masks": [[1, -1]]},
        {"exclusions": [[0, 6]]},
        {"kinematic": [0, 1]},
        {"can_collide": 5},
    ],
)
def test_descriptions_that_contradict_themselves(description: dict[str, Any]) -> None:
    with pytest.raises((cloth.MeshError, TypeError)) as caught:
        cloth.intersections(APART, FACES, **description)
    assert str(caught.value)


@pytest.mark.parametrize("count", [-1, 2**30, 2**64, 2**200, 1.5, None, "six"])
def test_numbers_of_vertices_that_are_none(count: Any) -> None:
    with pytest.raises((cloth.ClothError, *INTERPRETERS_OWN)):
        cloth.Mesh(count, FACES)


def test_errors_name_the_argument_and_the_index() -> None:
    for call, text in [
        (lambda: cloth.intersections(POSITIONS["one nan"], FACES), "`x` of vertex 5 is .*NaN.*not finite"),
        (lambda: cloth.crossings(APART, POSITIONS["one nan"], FACES), "`x1` of vertex 5"),
        (lambda: cloth.intersections(APART, [[0, 1, 2], [3, 4, -5]]), r"row 1 of `faces` is \[3, 4, -5\]"),
        (lambda: cloth.intersections(APART, [[0, 1, 6]]), "6"),
        (lambda: cloth.intersections(APART.astype(complex), FACES), "`x` has dtype complex128"),
        (lambda: cloth.intersections(APART[:, :2], FACES), r"`x` has shape \(6, 2\) instead of \(n, 3\)"),
        (lambda: cloth.audit([APART, POSITIONS["one nan"]], FACES), "frame 1: .* vertex 5"),
        (lambda: cloth.audit([APART, APART[:5]], FACES), r"`frame 1` has shape \(5, 3\)"),
        (lambda: cloth.Mesh(6, FACES, parts=[0] * 7), "`parts` has 7 entries instead of 6"),
        (lambda: cloth.ccd(np.full((2, 8, 3), np.nan), "edge_edge"), "query 0"),
        (lambda: cloth.broad_phase([[[0, 0, 0], [1, 1, 1]], [[1, 1, 1], [0, 0, 0]]]), "box 1"),
    ]:
        with pytest.raises(cloth.ClothError, match=text):
            call()


def test_what_a_mask_covers_is_refused_everywhere() -> None:
    masked = np.ma.masked_array(np.ones(6), [False] * 5 + [True])
    positions, faces = np.ma.masked_greater(APART, 1.5), np.ma.masked_array(FACES, [[0, 0, 1], [0, 0, 0]])
    simulation = cloth.Simulation(cloth.Cloth(APART, FACES, pins=[0]))
    for name, call in [
        ("x", lambda: cloth.intersections(positions, FACES)),
        ("x1", lambda: cloth.max_step(APART, positions, FACES)),
        ("faces", lambda: cloth.is_clean(APART, faces)),
        ("inv_mass", lambda: cloth.Certifier(APART, FACES, inv_mass=masked)),
        ("parts", lambda: cloth.Mesh(6, FACES, parts=masked.astype(int))),
        ("frame 1", lambda: cloth.audit([APART, positions], FACES)),
        ("masses", lambda: cloth.Cloth(APART, FACES, masses=masked)),
        ("rest", lambda: cloth.Cloth(APART, FACES, rest=positions)),
        ("pins", lambda: cloth.Cloth(APART, FACES, pins=masked.astype(int))),
        ("targets", lambda: simulation.move_pins([0], np.ma.masked_array(APART[:1], True))),
        ("kind", lambda: cloth.ccd(np.zeros((6, 8, 3)), masked.astype(int))),
        ("mask", lambda: cloth.Batch(simulation, 6).reset(masked.astype(bool))),
        ("vertices", lambda: ipctk.has_intersections(ipctk.CollisionMesh(APART, [], []), positions)),
    ]:
        with pytest.raises((cloth.InputError, cloth.MeshError), match=f"{name}.* has masked entries"):
            call()


def test_queries_and_boxes_that_are_none() -> None:
    for queries, kind, method, distance in [
        (np.zeros((2, 7, 3)), "edge_edge", "filtered", 0.0),
        (np.zeros((2, 8, 3)), "edge", "filtered", 0.0),
        (np.zeros((2, 8, 3)), [0, 2], "filtered", 0.0),
        (np.zeros((2, 8, 3)), [0], "filtered", 0.0),
        (np.zeros((2, 8, 3)), None, "filtered", 0.0),
        (np.zeros((2, 8, 3)), "edge_edge", "best", 0.0),
        (np.zeros((2, 8, 3)), "edge_edge", None, 0.0),
        (np.zeros((2, 8, 3)), "edge_edge", "filtered", -1.0),
        (np.zeros((2, 8, 3)), "edge_edge", "filtered", np.nan),
        (np.zeros((2, 8, 3)), "edge_edge", "filtered", "far"),
        (np.full((2, 8, 3), np.inf), "edge_edge", "reference", 0.0),
        (np.broadcast_to(np.zeros((8, 3)), (2**31, 8, 3)), "edge_edge", "filtered", 0.0),
    ]:
        with pytest.raises((cloth.ClothError, *INTERPRETERS_OWN)):
            cloth.ccd(queries, kind, method, distance)  # type: ignore[arg-type]
    for boxes in (np.zeros((2, 3)), np.full((2, 2, 3), np.nan), np.zeros((2, 2, 2)), None, "boxes"):
        with pytest.raises((cloth.ClothError, *INTERPRETERS_OWN)):
            cloth.broad_phase(boxes)  # type: ignore[arg-type]
    with pytest.raises(cloth.InputError, match="known are block_tree"):
        cloth.broad_phase(np.zeros((2, 2, 3)), "octree")  # type: ignore[arg-type]


def test_distances_that_are_none() -> None:
    for distance in (-1.0, np.nan, np.inf, 1e300, "far", None):
        with pytest.raises((cloth.ClothError, *INTERPRETERS_OWN)):
            cloth.max_step(APART, BELOW, FACES, distance)  # type: ignore[arg-type]
        with pytest.raises((cloth.ClothError, *INTERPRETERS_OWN)):
            cloth.Certifier(APART, FACES, thickness=distance)  # type: ignore[arg-type]
        if distance is not None:
            with pytest.raises((cloth.ClothError, *INTERPRETERS_OWN)):
                cloth.Certifier(APART, FACES, clearance=distance)  # type: ignore[arg-type]
            with pytest.raises((cloth.ClothError, *INTERPRETERS_OWN)):
                cloth.untangle(APART, FACES, seconds=-1.0 if distance == 1e300 else distance)  # type: ignore[arg-type]


@pytest.mark.parametrize("filtered", [False, True])
def test_distances_of_ipctk_that_are_none(filtered: bool) -> None:
    mesh = ipctk.CollisionMesh(APART, ipctk.edges(FACES), FACES)
    if filtered:
        mesh.can_collide = ipctk.make_vertex_patches_filter(np.repeat([0, 1], 3))
    for distance in (-1.0, np.nan, np.inf):
        for function in (ipctk.is_step_collision_free, ipctk.compute_collision_free_stepsize):
            with pytest.raises(cloth.InputError, match="distance"):
                function(mesh, APART, BELOW, distance)


def test_numbers_of_threads_that_are_none() -> None:
    before = cloth.thread_count()
    for count in (-1, 2**70, 1.5, None, "two"):
        with pytest.raises(INTERPRETERS_OWN):
            cloth.set_thread_count(count)  # type: ignore[arg-type]
    assert cloth.thread_count() == before


def test_nothing_is_a_mesh_too() -> None:
    nothing = np.empty((0, 3))
    faces = np.empty((0, 3), int)
    assert cloth.is_clean(nothing, faces) and cloth.is_clean(nothing, [])
    assert cloth.is_motion_clean(nothing, nothing, faces) and float(cloth.max_step(nothing, nothing, faces)) == 1
    assert cloth.safe_distances(nothing, faces).shape == (0,)
    end, certificate = cloth.Certifier(nothing, faces).correct(nothing, nothing)
    assert end.shape == (0, 3) and certificate.is_unconditional
    assert len(cloth.broad_phase(np.empty((0, 2, 3)))) == 0
    assert cloth.audit(np.empty((0, 6, 3)), FACES).shape == (0,)


def test_random_bytes_are_positions_or_an_exception() -> None:
    rng = np.random.default_rng(5)
    for dtype, _ in itertools.product((np.float32, np.float64), range(40)):
        raw = rng.integers(0, 256, size=36 * np.dtype(dtype).itemsize, dtype=np.uint8).view(dtype)
        x0, x1 = raw.reshape(2, 6, 3)
        for call in (cloth.crossings, cloth.max_step, OF_MOTIONS["correct"], OF_MOTIONS["audit"]):
            passes_or_raises(lambda: call(x0, x1, FACES))  # noqa: B023


def passes_or_raises(call: Callable[[], Any]) -> None:
    try:
        call()
    except cloth.ClothError as error:
        assert str(error)

CHANGES: dict[str, Callable[[cloth.Simulation, Any], Any]] = {
    "set_state": lambda s, v: s.set_state(v),
    "velocities of a state": lambda s, v: s.set_state(s.positions, v),
    "admit": lambda s, v: s.set_state(s.positions, admit=v),
    "set_velocities": lambda s, v: s.set_velocities(v),
    "vertices": lambda s, v: s.set_velocities([0, 0, 0], v),
    "set_masses": lambda s, v: s.set_masses(v),
    "set_settings": lambda s, v: s.set_settings(v),
    "a setting": lambda s, v: s.set_settings({"gravity": v}),
    "set_gravity": lambda s, v: s.set_gravity(v),
    "set_wind": lambda s, v: s.set_wind(v),
    "drag": lambda s, v: s.set_wind([0, 0, 0], drag=v),
    "set_friction": lambda s, v: s.set_friction(v, ("cloth", 0)),
    "a part": lambda s, v: s.set_friction(0.5, v),
    "the number of a part": lambda s, v: s.set_friction(0.5, ("collider", v)),
    "set_material": lambda s, v: s.set_material(v),
    "add_collider": lambda s, v: s.add_collider(v),
    "remove_collider": lambda s, v: s.remove_collider(v),
    "set_rigid_velocity": lambda s, v: s.set_rigid_velocity(1, v),
    "apply_rigid_impulse": lambda s, v: s.apply_rigid_impulse(1, [0, 0, 0], v),
    "move_attachments": lambda s, v: s.move_attachments(v, [[0, 0, 0]]),
    "targets": lambda s, v: s.move_attachments([0], v),
    "move_drive": lambda s, v: s.move_drive(v),
    "move_local_frame": lambda s, v: s.move_local_frame(v),
    "pin softly": lambda s, v: s.pin(v, compliance=0.1),
    "compliance": lambda s, v: s.pin([3], compliance=v),
    "set_attachments": lambda s, v: s.set_attachments(v, False),
    "user_data": lambda s, v: setattr(s, "user_data", v),
    "wake": lambda s, v: s.wake(v) if v is not None else None,
    "edit add": lambda s, v: s.edit(add=v),
    "edit remove": lambda s, v: s.edit(remove=v),
    "edit change": lambda s, v: s.edit(change=v),
    "edit a cloth": lambda s, v: s.edit(change={0: v}),
    "edit a key": lambda s, v: s.edit(change={0: {"exclusions": v}}),
    "edit interactions": lambda s, v: s.edit(interactions=v),
    "is_asleep": lambda s, v: s.is_asleep(v),
    "normals": lambda s, v: s.normals(v),
    "waypoints": lambda s, v: s.step(waypoints=v) if v is not None else None,
    "number of waypoints": lambda s, v: cloth.Waypoints(v),
    "a path": lambda s, v: cloth.Waypoints(2).move_pins([0], v),
    "poses": lambda s, v: cloth.Waypoints(2).move_collider(0, v, v),
}


def attached() -> cloth.Simulation:
    positions, faces = scenes.sheet(4)
    held = [{"vertex": 5, "target": positions[5], "compliance": 0.1}]
    ball = cloth.Collider("sphere", radius=0.1, mass=1.0, position=(0.0, 0.1, 0.0))
    colliders = [cloth.Collider("plane", position=(0.0, -1.0, 0.0)), ball]
    sheet = cloth.Cloth(positions, faces, attachments=held, drive={"stiffness": 1.0})
    return cloth.Simulation(sheet, colliders=colliders, preset="game")


@pytest.mark.parametrize("name", CHANGES)
def test_no_change_of_a_simulation_aborts_or_half_happens(name: str) -> None:
    simulation = attached()
    simulation.step()
    own = {"an object": object(), "minus one": -1, "much": 2**70, "a table": {"velocity": [np.nan]}, "far": 1e30}
    accepted = []
    for what, value in {**POSITIONS, **own}.items():
        before = simulation.snapshot()
        try:
            CHANGES[name](simulation, value)
        except (cloth.ClothError, *INTERPRETERS_OWN) as error:
            assert str(error), what
            assert simulation.snapshot() == before, what
        else:
            accepted.append(what)
            simulation = attached()
    assert not {"objects", "text", "ragged", "an object"} & set(accepted) - {"text"}, accepted
    simulation.step()
