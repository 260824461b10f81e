"""Verdicts, witnesses and types of the judge. `test_auditor.py` compares verdicts with an independent
program."""

from __future__ import annotations

import threading
from fractions import Fraction

import cloth
import numpy as np
import pytest
from scenes import sheet

FACES = np.array([[0, 1, 2], [3, 4, 5]])
APART = np.array([[0, 0, 0], [4, 0, 0], [0, 0, 4], [1, 1, 1], [1, 2, 1], [2, 2, 1]], float)
"""One triangle lies on the ground, another stands above it on its tip."""
THROUGH = APART - np.array([[0, 0, 0]] * 3 + [[0, 1.5, 0]] * 3)
BELOW = APART - np.array([[0, 0, 0]] * 3 + [[0, 4.0, 0]] * 3)


def test_intersections_name_features_and_places() -> None:
    found = cloth.intersections(THROUGH, FACES)
    assert found.dtype == cloth.WITNESS and len(found) == 2 and not cloth.is_clean(THROUGH, FACES)
    edges = cloth.Mesh(6, FACES).edges
    for witness in found:
        assert witness["kind"] == cloth.IntersectionKind.PROPER
        assert edges[witness["edge"]].tolist() == witness["vertices"].tolist()
        assert witness["faces"].tolist() == [0, -1] and abs(witness["position"][1]) < 1e-15


def test_each_kind_of_intersection() -> None:
    # A tip on the face, then the whole triangle in its plane.
    touching = APART - np.array([[0, 0, 0]] * 3 + [[0, 1, 0]] * 3)
    assert set(cloth.intersections(touching, FACES)["kind"]) == {cloth.IntersectionKind.TOUCHING}
    flat = APART.copy()
    flat[3:, 1] = 0
    flat[3:] += [0, 0, 0.5]
    assert cloth.IntersectionKind.COPLANAR in cloth.intersections(flat, FACES)["kind"]
    point = cloth.intersections([*APART[:3], [1, 0, 1]], [[0, 1, 2]])
    assert point["kind"].tolist() == [cloth.IntersectionKind.POINT_FACE]
    assert point["edge"].tolist() == [-1] and point["vertices"].tolist() == [[3, -1]]
    fold = cloth.intersections([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.1, 1, 0]], [[0, 1, 2], [1, 0, 3]])
    assert fold[-1]["kind"] == cloth.IntersectionKind.FLAT_FOLD and fold[-1]["faces"].tolist() == [0, 1]


def test_a_face_on_another_is_not_clean_whatever_vertices_it_shares() -> None:
    twice = np.tile([[0.0, 0, 0], [1, 0, 0], [0.3, 1, 0.25]], (2, 1))
    for other in ([2, 1, 0], [1, 0, 5], [4, 3, 2], [5, 3, 4]):
        faces = [[0, 1, 2], other]
        found = cloth.intersections(twice, faces)
        doubled = found[found["kind"] == cloth.IntersectionKind.DOUBLED_FACE]
        assert doubled["faces"].tolist() == [[0, 1]] and doubled["edge"].tolist() == [-1], other
        assert not cloth.is_clean(twice, faces)
        assert cloth.audit([twice, twice], faces)["intersections"].tolist() == [len(found)] * 2


def test_a_touch_counts_and_the_next_number_does_not() -> None:
    x = APART.copy()
    x[3, 1] = 0.0
    assert not cloth.is_clean(x, FACES)
    x[3, 1] = 5e-324
    assert cloth.is_clean(x, FACES)


def test_the_first_crossing_encloses_the_exact_time() -> None:
    first = cloth.first_crossing(APART, BELOW, FACES)
    assert first is not None and first.dtype == cloth.COLLISION
    low = Fraction(float(first["time"]))
    assert low <= Fraction(1, 4) <= low + Fraction(float(first["gap"])) and first["gap"] < 1e-11
    assert first["kind"] == cloth.PairKind.POINT_TRIANGLE and first["features"].tolist() == [3, 0]
    assert first["vertices"].tolist() == [3, 0, 1, 2]
    every = cloth.crossings(APART, BELOW, FACES)
    assert every[0] == first and (np.diff(every["time"]) >= 0).all() and len(every) > 1
    assert not cloth.is_motion_clean(APART, BELOW, FACES)
    assert cloth.first_crossing(APART, APART + 1, FACES) is None
    assert len(cloth.crossings(APART, APART + 1, FACES)) == 0 and cloth.is_motion_clean(APART, APART + 1, FACES)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_max_step_is_certified_and_nearly_the_longest(dtype: type) -> None:
    x0, x1 = APART.astype(dtype), BELOW.astype(dtype)
    found = cloth.max_step(x0, x1, FACES)
    assert found.limit == "collision" and 0.25 * (1 - 1e-6) < float(found) < 0.25
    assert found.witness is not None and found.witness["features"].tolist() == [[3, 0]]
    assert found.end.dtype == dtype and cloth.is_motion_clean(x0, found.end, FACES)
    if dtype is np.float64:
        assert (found.end == x0 + found.step * (x1 - x0)).all()
    free = cloth.max_step(x0, x0 + dtype(1), FACES)
    assert free.step == 1 and free.limit == "none" and free.witness is None
    tangled = cloth.max_step(THROUGH.astype(dtype), x1, FACES)
    assert tangled.step == 0 and tangled.limit == "tangled" and tangled.witness.dtype == cloth.WITNESS
    near = cloth.max_step(x0, x1, FACES, min_distance=2.0)
    assert near.step == 0 and near.limit == "too_near" and near.pair[0] == cloth.PairKind.POINT_TRIANGLE


def test_safe_distances_are_safe_in_any_direction() -> None:
    rng = np.random.default_rng(1)
    distances = cloth.safe_distances(APART, FACES)
    assert distances.shape == (6,) and distances.dtype == np.float64 and 0.49 < distances[3] <= 0.5
    for _ in range(200):
        way = rng.normal(size=(6, 3))
        way *= (distances / np.linalg.norm(way, axis=1) * (1 - 1e-12))[:, None]
        assert cloth.is_motion_clean(APART, APART + way, FACES)
    assert cloth.safe_distances(APART.astype(np.float32), FACES).dtype == np.float32


def test_what_is_contiguous_is_not_copied() -> None:
    for dtype in (np.float32, np.float64):
        x = APART.astype(dtype)
        assert cloth._arrays.floats("x", x, (-1, 3)) is x
        assert np.shares_memory(cloth._arrays.floats("x", x[1:], (-1, 3)), x)
    faces = FACES.astype(np.uint32)
    assert cloth._arrays.indices("faces", faces, 3) is faces


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint64, np.float16, np.float32, ">f8", ">f4"])
def test_other_numbers_give_the_same_verdict(dtype: str) -> None:
    x0, x1 = (2 * APART).astype(dtype), (2 * np.maximum(BELOW, 0)).astype(dtype)
    assert cloth.is_clean(x0, FACES) and not cloth.is_clean(x1, FACES)
    reversed_twice = np.asfortranarray(x1)[::-1][::-1]
    assert len(cloth.intersections(reversed_twice, FACES)) == len(cloth.intersections(x1, FACES))


def test_integers_beyond_2_53_are_judged_as_the_numbers_that_numpy_makes_of_them() -> None:
    big = 2**53
    x = APART.astype(np.int64)
    x[:, 1] += big
    assert cloth.is_clean(x.astype(np.float64), FACES) == cloth.is_clean(x, FACES)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int32, np.int64, np.uint64, ">i4"])
def test_faces_of_any_integer_type(dtype: str) -> None:
    assert len(cloth.intersections(THROUGH, FACES.astype(dtype)[::-1])) == 2


def test_a_description_says_what_collides() -> None:
    parts = [0, 0, 0, 1, 1, 1]
    assert not cloth.is_clean(THROUGH, FACES, parts=parts)
    assert cloth.is_clean(THROUGH, FACES, parts=parts, kinematic=[True, True])
    assert cloth.is_clean(THROUGH, FACES, parts=parts, masks=[[1, 1], [2, 2]])
    asked = []

    def apart(a: int, b: int) -> bool:
        asked.append((a, b))
        return a == b

    assert cloth.is_clean(THROUGH, FACES, parts=parts, can_collide=apart)
    assert asked == [(0, 0), (0, 1), (1, 1)]
    seam = [[3, 0], [4, 0], [5, 0]]
    assert cloth.is_clean(THROUGH, FACES, exclusions=seam)
    wire = cloth.intersections([*APART[:3], [1, 1, 1], [1, -1, 1]], [[0, 1, 2]], edges=[[3, 4]])
    assert wire["vertices"].tolist() == [[3, 4]]


def test_a_mesh_is_described_once() -> None:
    mesh = cloth.Mesh(6, FACES, parts=[0, 0, 0, 1, 1, 1])
    assert mesh.vertex_count == 6 and (mesh.faces == FACES).all() and len(mesh.edges) == 6
    assert "6 vertices and 2 faces" in repr(mesh)
    assert len(cloth.intersections(THROUGH, mesh)) == 2
    with pytest.raises(cloth.MeshError, match="`parts` belongs to the mesh"):
        cloth.intersections(THROUGH, mesh, parts=[0] * 6)


def test_an_exception_of_can_collide_is_passed_on() -> None:
    def fails(a: int, b: int) -> bool:
        raise KeyError((a, b))

    with pytest.raises(KeyError, match=r"\(0, 0\)"):
        cloth.Mesh(6, FACES, can_collide=fails)


def test_equal_bits_on_any_number_of_threads() -> None:
    rng = np.random.default_rng(2)
    x0 = rng.normal(size=(1500, 3))
    x1 = x0 + 0.2 * rng.normal(size=x0.shape)
    faces = np.arange(1500).reshape(-1, 3)
    results = []
    for count in (1, 2, 3):
        with cloth.threads(count):
            assert cloth.thread_count() == count
            results.append((cloth.intersections(x0, faces).tobytes(), cloth.crossings(x0, x1, faces).tobytes()))
    assert len(set(results)) == 1 and len(results[0][0]) > 1000


def test_the_interpreter_goes_on_meanwhile() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(6000, 3))
    faces = np.arange(6000).reshape(-1, 3)
    counted, stop = 0, threading.Event()

    def count() -> None:
        nonlocal counted
        while not stop.wait(0.001):
            counted += 1

    thread = threading.Thread(target=count)
    thread.start()
    during = 0
    # On a loaded machine the other thread may not run at all in one call.
    for _ in range(100):
        before = counted
        with cloth.threads(1):
            cloth.intersections(x, faces)
        during = max(during, counted - before)
        if during > 10:
            break
    stop.set()
    thread.join()
    assert during > 10


def test_ccd_answers_a_batch_of_both_kinds() -> None:
    face = APART[:3]
    falls = np.concatenate([[APART[3]], face, [BELOW[3]], face])
    stays = np.concatenate([[APART[3]], face, [APART[3]], face])
    for method in ("filtered", "tight", "reference", "inclusion", "additive"):
        found = cloth.ccd([falls, stays], "point_triangle", method)
        assert found.dtype == cloth.IMPACT and np.isnan(found["time"]).tolist() == [False, True]
        assert found["time"][0] <= 0.25 <= found["time"][0] + found["gap"][0]
    edges = np.array([[[-1, 0, 0], [1, 0, 0], [0, 1, -1], [0, 1, 1], [-1, 0, 0], [1, 0, 0], [0, -1, -1], [0, -1, 1]]])
    assert cloth.ccd(edges, "edge_edge", "reference")["time"].tolist() == [0.5]
    mixed = cloth.ccd([falls, edges[0]], [cloth.PairKind.POINT_TRIANGLE, cloth.PairKind.EDGE_EDGE])
    assert not np.isnan(mixed["time"]).any()
    assert cloth.ccd([stays], "point_triangle", distance=1.5)["time"].tolist() == [0.0]
    assert len(cloth.ccd(np.empty((0, 8, 3)), "edge_edge")) == 0


def test_every_broad_phase_finds_the_pairs_that_overlap() -> None:
    rng = np.random.default_rng(4)
    low = rng.integers(0, 30, size=(300, 3)) / 4  # many only touch
    boxes = np.stack([low, low + rng.integers(0, 8, size=(300, 3)) / 4], axis=1)
    overlap = ((low[:, None] <= boxes[None, :, 1]) & (low[None, :] <= boxes[:, None, 1])).all(axis=2)
    expected = np.argwhere(np.triu(overlap, 1))
    assert len(expected) > 100
    for method in ("block_tree", "brute_force", "spatial_hash", "sweep_and_prune"):
        assert (cloth.broad_phase(boxes, method) == expected).all()


def test_untangle_ends_clean_and_says_so() -> None:
    steps = []
    found = cloth.untangle(THROUGH, FACES, rest=APART, on_step=lambda *step: steps.append(step))
    assert found.before == 2 and found.after == 0 and cloth.is_clean(found.positions, FACES)
    assert found.contours == [] and steps[0][:2] == (0, 2) and steps[-1][1] == 0
    clean = cloth.untangle(APART, FACES)
    assert (clean.positions == APART).all() and clean.steps == 0
    stopped = cloth.untangle(THROUGH, FACES, on_step=lambda step, now, best: True)
    assert stopped.steps == 0 and stopped.after == 2 and stopped.contours[0].intersections == 2
    with pytest.raises(ZeroDivisionError):
        cloth.untangle(THROUGH, FACES, on_step=lambda *_: bool(1 // 0))
    body = (APART[:3], [[0, 1, 2]])
    left = cloth.untangle(THROUGH[3:], [[0, 1, 2]], bodies=[body])
    assert left.before == 2 and left.after == 0


def test_garments_are_untangled_together_and_counted_by_kind() -> None:
    one, face = APART[:3], [[0, 1, 2]]
    garments = {"lower": (one, face), "upper": (THROUGH[3:], face, APART[3:])}
    found = cloth.untangle_outfit(garments)
    assert found.before_by_kind == (0, 2, 0, 0, 0) and found.after_by_kind.total == found.after == 0
    assert list(found.positions) == ["lower", "upper"] and found.layer_sides == []
    assert cloth.is_clean(np.concatenate(list(found.positions.values())), FACES)
    assert found.thickness == found.attempts[-1].thickness and found.before_strain == (0.0, 0.0)
    ends = [(found.positions["lower"], one), (found.positions["upper"], APART[3:])]
    lengths = [np.linalg.norm(x - np.roll(x, 1, axis=0), axis=1) for pair in ends for x in pair]
    strain = max(np.abs(lengths[0] / lengths[1] - 1).max(), np.abs(lengths[2] / lengths[3] - 1).max())
    np.testing.assert_allclose(found.after_strain.max, strain, rtol=1e-12)
    alone = cloth.untangle(THROUGH, FACES, rest=APART)
    assert alone.before_by_kind == (2, 0, 0, 0, 0) and alone.attempts[0].steps == alone.steps
    with pytest.raises(cloth.MeshError, match="garments"):
        cloth.untangle_outfit({"lower": (one, [[0, 1, 2.5]])})
    with pytest.raises(cloth.InputError, match="1 parts"):
        cloth.untangle_outfit({"lower": (one,)})
    with pytest.raises(cloth.InputError):
        cloth.untangle_outfit({"lower": (one, [[0, 1, 3]]), "upper": (one + 1.0, face)})


def test_layers_name_garments_from_inside_to_outside() -> None:
    lower, faces = sheet(9, 0.3, 0.0)
    upper = lower + [0.002, 0.004, 0.001]
    upper[40, 1] = -0.01
    garments = {"in": (lower, faces), "out": (upper, faces)}
    for layers, is_reversed in ([["in", "out"], False], [["out", "in"], True]):
        found = cloth.untangle_outfit(garments, layers=layers, seconds=0.02)
        sides = found.layer_sides[0]
        assert (sides.inner, sides.outer, sides.is_reversed) == (*layers, is_reversed), sides
    for layers, match in ((["in", "hat"], "'hat'"), (["in", "in"], "twice"), (["in"], "two or more")):
        with pytest.raises(cloth.InputError, match=match):
            cloth.untangle_outfit(garments, layers=layers)


def test_clean_layers_move_on_until_they_are_less_stretched() -> None:
    lower, faces = sheet(9, 0.3, 0.0)
    upper = lower + [0.002, 0.004, 0.001]
    upper[40, 1] = -0.01
    garments = {"in": (lower, faces, 0.8 * lower), "out": (upper, faces)}
    for layers, moves_on in ((["in", "out"], True), ([], False)):
        first = cloth.untangle_outfit(garments, layers=layers, on_step=lambda _, found, fewest: fewest == 0)
        assert first.after == 0 and first.after_strain.p99 > 0.1
        found = cloth.untangle_outfit(garments, layers=layers)
        assert found.after == 0 and (found.steps > first.steps) == moves_on
        assert (found.after_strain.p99 <= 0.1) == moves_on


def test_an_exception_that_ends_it_has_the_best_state() -> None:
    with pytest.raises(ZeroDivisionError) as stopped:
        cloth.untangle(THROUGH, FACES, on_step=lambda *_: bool(1 // 0))
    best = stopped.value.untangled  # type: ignore[attr-defined]
    assert isinstance(best, cloth.Untangled) and best.before == best.after == 2 and best.steps == 0


@pytest.mark.parametrize("far", [1.7e308, float(np.finfo(np.float64).max)])
def test_the_largest_coordinates_are_judged_as_any_others(far: float) -> None:
    x0 = np.array([[-far, 0, 0], [0, 0, 4], [4, 0, 0], [1, 1, 1], [1.2, 2, 1], [1, 2, 1.2]])
    x1 = x0.copy()
    x1[0, 0], x1[3:, 1] = far, x0[3:, 1] - 2
    step = cloth.max_step(x0, x1, FACES)
    assert step.limit == "collision" and abs(step.step - 0.5) < 1e-6
    assert np.isfinite(step.end).all() and cloth.is_motion_clean(x0, step.end, FACES)
    first = cloth.first_crossing(x0, x1, FACES)
    assert first is not None and abs(first["time"] - 0.5) <= first["gap"]
    assert cloth.is_clean(x0, FACES) and not cloth.is_motion_clean(x0, x1, FACES)
    for call in (lambda: cloth.safe_distances(x0, FACES), lambda: cloth.max_step(x0, x1, FACES, 0.1)):
        with pytest.raises(cloth.InputError, match="`x0?` of vertex 0 .* beyond the limit"):
            call()
