"""`cloth.ipctk` compared with ipctk: equal verdicts on garments, and where they differ the auditor
decides."""

from __future__ import annotations

import os
import random
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from test_auditor import audit, corpus, draw

cloth = pytest.importorskip("cloth")
ours = pytest.importorskip("cloth.ipctk")


@pytest.fixture(scope="module")
def theirs() -> ModuleType:
    module: ModuleType = pytest.importorskip("ipctk", reason="needs ipctk: pip install ipctk==1.6.1")
    module.set_logger_level(module.LoggerLevel.off)
    return module


GARMENTS = ["codim-ipc/square41", "codim-ipc/ribbon1.6K", "diffcloth/tshirt1900", "diffcloth/skirt2011"]
GARMENTS += ["diffcloth/tshirt1900-folding-biFolded"]  # this one starts with intersections


def meshes(theirs: ModuleType, x: np.ndarray, faces: np.ndarray) -> tuple[Any, Any]:
    """A mesh of either library."""
    edges = ours.edges(faces)
    same = theirs.edges(np.asarray(faces, np.int32))
    assert sorted(map(tuple, np.sort(edges).tolist())) == sorted(map(tuple, np.sort(same).tolist()))
    return ours.CollisionMesh(x, edges, faces), theirs.CollisionMesh(x, edges, np.asarray(faces, np.int32))


@pytest.mark.parametrize("name", GARMENTS)
def test_garments(theirs: ModuleType, name: str) -> None:
    x, faces = cloth.read_mesh(corpus(f"garments/{name}.obj"))
    mine, other = meshes(theirs, x, faces)
    edge = np.linalg.norm(x[mine.edges[:, 0]] - x[mine.edges[:, 1]], axis=1).mean()
    dice = np.random.default_rng(38)
    starts_clean = not theirs.has_intersections(other, x)
    assert starts_clean == ("biFolded" not in name)
    verdicts = set()
    ends = [
        x,
        x + 0.02 * edge * dice.standard_normal(x.shape),
        x + 0.3 * edge * dice.standard_normal(x.shape),
    ]
    ends += [x * [1.0, 1.0, 0.5], x + [0.1, 0.2, 0.3]]
    for end in ends:
        assert ours.has_intersections(mine, end) == theirs.has_intersections(other, end)
        is_free = ours.is_step_collision_free(mine, x, end)
        assert is_free == theirs.is_step_collision_free(other, x, end)
        verdicts.add(is_free)
        step = ours.compute_collision_free_stepsize(mine, x, end)
        if not starts_clean:
            assert step == 0.0
            continue
        assert (step == 1.0) == is_free
        assert ours.is_step_collision_free(mine, x, x + step * (end - x))
        # ipctk keeps a part of the way, and never goes farther than where something touches.
        assert theirs.compute_collision_free_stepsize(other, x, end) <= step * (1.0 + 1e-8)
    assert verdicts == {False, True}


def exact_state(x: np.ndarray, faces: np.ndarray) -> bool:
    return bool(audit.intersections(x.tolist(), faces.tolist()))


def exact_motion(x0: np.ndarray, x1: np.ndarray, faces: np.ndarray) -> bool:
    return not audit.collisions(x0.tolist(), x1.tolist(), faces.tolist())


TWO_FACES = np.array([[0, 1, 2], [3, 4, 5]])


def test_where_states_differ_the_auditor_is_on_our_side(theirs: ModuleType) -> None:
    """Two triangles on and near a lattice: ipctk misses some that touch, and reports some that do not."""
    missed, invented = [], []
    for seed in range(int(os.environ.get("CLOTH_AUDITS", "250"))):
        x = draw(random.Random(seed), ["a lattice", "near a lattice", "anywhere"][seed % 3], 6)
        mine, other = meshes(theirs, x, TWO_FACES)
        exact = exact_state(x, TWO_FACES)
        assert ours.has_intersections(mine, x) == exact, x.tolist()
        if theirs.has_intersections(other, x) != exact:
            (missed if exact else invented).append(x)
    assert missed and invented


@pytest.mark.parametrize("gap", [1e-7, 1e-9, 1e-12])
def test_a_near_miss_is_a_collision_for_ipctk_alone(theirs: ModuleType, gap: float) -> None:
    """A vertex passes beside the longest side of a face."""
    face, aside = [(0.0, 0.0, 0.0), (4.0, 0.0, 0.0), (0.0, 4.0, 0.0)], [(9.0, 8.0, 0.0), (8.0, 9.0, 0.0)]
    x0, x1 = (np.array([*face, (2.0 + gap, 2.0, z), *aside]) for z in (1.0, -1.0))
    mine, other = meshes(theirs, x0, TWO_FACES)
    assert exact_motion(x0, x1, TWO_FACES)
    assert ours.is_step_collision_free(mine, x0, x1)
    assert not theirs.is_step_collision_free(other, x0, x1)
    assert ours.compute_collision_free_stepsize(mine, x0, x1) == 1.0


def falling(end: float) -> tuple[np.ndarray, np.ndarray]:
    """A triangle that falls, all of it, from a height of 1 m to another, above a large one."""
    low = [(-4.0, -4.0, 0.0), (4.0, -4.0, 0.0), (0.0, 4.0, 0.0)]
    x0, x1 = (np.array([*low, *((x, y, z) for x, y in ((0, 0), (1, 0), (0, 1)))]) for z in (1.0, end))
    return x0, x1


def test_filters_say_which_vertices_collide() -> None:
    x0, x1 = falling(-1.0)
    mesh = ours.CollisionMesh(x0, ours.edges(TWO_FACES), TWO_FACES)
    filters = {
        True: [ours.make_connected_components_filter(TWO_FACES), ours.make_static_obstacle_filter(4)],
        False: [
            ours.make_static_obstacle_filter(0),
            ours.make_vertex_patches_filter([0] * 6),
            lambda i, j: False,
        ],
    }
    for collides, accepted in filters.items():
        for can_collide in accepted:
            mesh.can_collide = can_collide
            assert ours.is_step_collision_free(mesh, x0, x1) != collides
            step = ours.compute_collision_free_stepsize(mesh, x0, x1)
            assert 0.3 < step < 0.5 if collides else step == 1.0
            assert ours.is_step_collision_free(mesh, x0, x0 + step * (x1 - x0))


def test_a_distance_is_kept() -> None:
    x0, x1 = falling(0.25)
    mesh = ours.CollisionMesh(x0, ours.edges(TWO_FACES), TWO_FACES)
    assert ours.is_step_collision_free(mesh, x0, x1)
    assert ours.is_step_collision_free(mesh, x0, x1, min_distance=0.2)
    assert not ours.is_step_collision_free(mesh, x0, x1, min_distance=0.3)
    step = ours.compute_collision_free_stepsize(mesh, x0, x1, min_distance=0.3)
    assert 0.69 / 0.75 < step < 0.7 / 0.75


def test_candidates() -> None:
    x0, x1 = falling(-1.0)
    mesh = ours.CollisionMesh(x0, ours.edges(TWO_FACES), TWO_FACES)
    for phase in (
        None,
        ours.BruteForce(),
        ours.HashGrid(),
        ours.SpatialHash(),
        ours.LBVH(),
        ours.SweepAndPrune(),
    ):
        found = ours.Candidates()
        found.build(mesh, x0, x1, broad_phase=phase)
        named = {(c.face_id, c.vertex_id) for c in found.fv_candidates}
        assert {(0, 3), (0, 4), (0, 5)} <= named and len(found) >= 3
        assert not found.is_step_collision_free(mesh, x0, x1)
        step = found.compute_collision_free_stepsize(mesh, x0, x1)
        assert 0.3 < step < 0.5
        assert found.is_step_collision_free(mesh, x0, x0 + step * (x1 - x0))
    still = ours.Candidates()
    still.build(mesh, x0)
    assert len(still) == 0
    assert ours.EdgeVertexCandidate(0, 1) == ours.EdgeVertexCandidate(0, 1)


def test_segments_in_a_plane() -> None:
    def meet(*ends: tuple[float, float]) -> bool:
        return bool(ours.segment_segment_intersect(*(np.array(end, float) for end in ends)))

    assert meet((-1, 0), (1, 0), (0, -1), (0, 1))
    assert meet((0, 0), (1, 0), (1, 0), (2, 5))
    assert meet((0, 0), (2, 0), (1, 0), (3, 0))
    assert not meet((0, 0), (1, 0), (1 + 2**-52, 0), (2, 0))
    assert not meet((0, 0), (1, 0), (0, 5e-324), (1, 5e-324))


def test_bad_input_is_refused() -> None:
    x0, _ = falling(1.0)
    mesh = ours.CollisionMesh(x0, ours.edges(TWO_FACES), TWO_FACES)
    with pytest.raises(cloth.ClothError):
        ours.has_intersections(mesh, x0[:5])
    with pytest.raises(cloth.ClothError):
        ours.is_step_collision_free(mesh, x0, x0 * np.nan)
    with pytest.raises(RuntimeError, match="Unable to find edge!"):
        ours.CollisionMesh(x0, [[0, 1]], TWO_FACES)
