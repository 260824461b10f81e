"""Garments against bodies: verdicts, numbers of each mesh, and what is refused."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cloth
import numpy as np
import pytest
from scenes import box, sheet

BOX = box((0.0, 0.0, 0.0), 0.2)
Mesh = tuple[np.ndarray, np.ndarray]


def level(height: float, count: int = 9, size: float = 0.5) -> Mesh:
    return sheet(count, size, height)


def moved(mesh: Mesh, way: tuple[float, float, float]) -> Mesh:
    return mesh[0] + np.array(way), mesh[1]


def turned(mesh: Mesh) -> Mesh:
    return mesh[0], mesh[1][:, ::-1]


def ball(radius: float = 1.0, count: int = 12) -> Mesh:
    """A closed sphere of rings, whose faces look outward."""
    angles = np.linspace(0, np.pi, count + 1)[1:-1]
    around = np.linspace(0, 2 * np.pi, 2 * count, endpoint=False)
    rings = np.stack(
        [np.outer(np.sin(angles), np.cos(around)), np.outer(np.cos(angles), np.ones(2 * count)), np.outer(np.sin(angles), np.sin(around))],
        axis=-1,
    ).reshape(-1, 3)
    n = 2 * count
    faces = []
    for j in range(n):
        k = (j + 1) % n
        faces.append((len(rings), k, j))
        faces.append((len(rings) + 1, (count - 2) * n + j, (count - 2) * n + k))
        for i in range(count - 2):
            a, b, c, d = i * n + j, i * n + k, i * n + n + j, i * n + n + k
            faces += [(a, b, c), (b, d, c)]
    return radius * np.concatenate([rings, [[0, 1, 0], [0, -1, 0]]]), np.array(faces)


def winding_numbers(points: np.ndarray, body: Mesh) -> np.ndarray:
    """The sum of the solid angles of all faces, from each point (van Oosterom and Strackee 1983)."""
    a, b, c = (body[0][body[1][:, k]][None] - points[:, None] for k in range(3))
    la, lb, lc = (np.linalg.norm(v, axis=2) for v in (a, b, c))
    volume = np.einsum("ijk,ijk->ij", a, np.cross(b, c))
    rest = la * lb * lc + (a * b).sum(2) * lc + (b * c).sum(2) * la + (c * a).sum(2) * lb
    return np.arctan2(volume, rest).sum(axis=1) / (2 * np.pi)


def test_a_garment_through_a_body_is_described_in_its_own_numbers() -> None:
    report = cloth.check([level(1.0), level(0.05)], BOX)
    assert not report.clean and report.intersections == (0, 0, 38, 0, 0) and report.folds.total == 0
    assert [v.tolist() for v in report.vertices_inside] == [[], [30, 31, 32, 39, 40, 41, 48, 49, 50]]
    assert all(v.dtype == np.uint32 for v in report.vertices_inside)
    deepest = report.deepest_vertex
    assert deepest is not None and (deepest.garment, deepest.index, deepest.body) == (1, 40, 0)
    assert abs(deepest.depth - 0.05) < 1e-12 and deepest.position == (0.0, 0.05, 0.0)
    face = report.deepest_face
    assert face is not None and face.garment == 1 and 40 in level(0.05)[1][face.index]
    assert abs(report.share_inside - 0.04 / 0.5) < 4e-3 and abs(report.area - 0.5) < 1e-12
    assert abs(report.area_inside - report.share_inside * report.area) < 1e-15
    assert report.bodies == [cloth.BodySurface(is_closed=True, is_turned=False, self_intersections=0)]


def test_witnesses_name_meshes_and_their_primitives() -> None:
    parts = [level(1.0), level(0.05), BOX]
    report = cloth.check(parts[:2], parts[2])
    assert report.witnesses.dtype == cloth.CHECK_WITNESS and len(report.witnesses) == 38
    assert set(report.witnesses["between"]) == {cloth.Between.CLOTH_BODY}
    for witness in report.witnesses:
        edge_of, face_of = witness["meshes"]
        assert sorted([edge_of, face_of]) == [1, 2] and witness["faces"][1] == -1
        ends, face = parts[edge_of][0][witness["vertices"]], parts[face_of][1][witness["faces"][0]]
        assert any({*witness["vertices"]} <= {*corners} for corners in parts[edge_of][1].tolist())
        low, high = ends.min(0) - 1e-12, ends.max(0) + 1e-12
        assert (low <= witness["position"]).all() and (witness["position"] <= high).all()
        assert face.max() < len(parts[face_of][0])
    doubled = cloth.check([level(1.0), level(1.0)])
    found = doubled.witnesses[doubled.witnesses["kind"] == cloth.IntersectionKind.DOUBLED_FACE]
    assert len(found) == doubled.folds.cloth_cloth == 128 and (found["meshes"] == [0, 1]).all()
    assert (found["faces"][:, 0] == found["faces"][:, 1]).all() and not doubled.clean


def test_a_garment_inside_altogether_meets_nothing_and_is_not_clean() -> None:
    small = moved(level(0.0, 4, 0.05), (0.0, 0.01, 0.0))
    for body in (BOX, turned(BOX)):
        report = cloth.check(small, body)
        assert report.intersections.total == len(report.witnesses) == 0 and not report.clean
        assert len(report.vertices_inside[0]) == 16 and report.share_inside == 1.0
        assert report.bodies[0].is_turned == (body is not BOX) and report.bodies[0].is_closed


def test_bodies_among_themselves_never_change_the_verdict() -> None:
    twice = np.concatenate([BOX[0], BOX[0] + [0.05, 0.03, 0.02]]), np.concatenate([BOX[1], BOX[1] + 8])
    report = cloth.check(level(1.0), [moved(BOX, (3.0, 0.0, 0.0)), twice, moved(BOX, (0.1, 0.1, 0.1))])
    assert report.clean and report.intersections.with_cloth == 0
    assert report.intersections.body_self > 0 and report.intersections.body_body > 0
    among = [body.self_intersections for body in report.bodies]
    assert among[0] == among[2] == 0 and among[1] == report.intersections.body_self + report.folds.body_self
    assert {cloth.Between.BODY_SELF, cloth.Between.BODY_BODY} == set(report.witnesses["between"])


def test_an_open_body_is_named_and_judged_by_what_it_encloses() -> None:
    body = BOX[0], BOX[1][:-1]
    report = cloth.check(level(0.05), body)
    assert [tuple(b) for b in report.bodies] == [(False, False, 0)]
    assert report.vertices_inside[0].tolist() == cloth.check(level(0.05), BOX).vertices_inside[0].tolist()
    assert not cloth.check(level(0.05), (BOX[0], np.empty((0, 3), int))).bodies[0].is_closed


def test_two_bodies_each_have_their_depth() -> None:
    deep, shallow = box((0.5, 0.05, 0.0), 0.2), box((0.0, 0.0, 0.0), 0.2)
    garments = [level(0.09), moved(level(0.05), (0.5, 0.0, 0.0))]
    report = cloth.check(garments, [shallow, deep])
    found = report.deepest_vertex
    assert found is not None and (found.garment, found.body) == (1, 1) and abs(found.depth - 0.1) < 1e-12
    assert all(len(v) for v in report.vertices_inside)


def test_a_report_is_text() -> None:
    text = str(cloth.check([level(0.05), level(1.0)], [turned(BOX), (BOX[0] + 3, BOX[1][:-1])]))
    assert text.splitlines()[0] == "2 garments and 2 bodies: not clean"
    assert "intersections: 38 cloth with body" in text and "inside: 9 of 162 vertices" in text
    assert "deepest: 0.05 m, face" in text and "body 0: turned inside out" in text and "body 1: open" in text
    assert str(cloth.check(level(1.0))) == "1 garment and 0 bodies: clean"
    assert [kind.in_words for kind in cloth.Between][:3] == ["cloth with itself", "cloth with cloth", "cloth with body"]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_vertices_inside_are_those_of_winding_numbers(dtype: type) -> None:
    rng = np.random.default_rng(3)
    body = ball()
    for _ in range(6):
        way = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        x, faces = sheet(24, 2.6, rng.uniform(-0.6, 0.6))
        x = (x @ way).astype(dtype)
        report = cloth.check((x, faces), [(body[0].astype(dtype), body[1])])
        exact = x.astype(np.float64), (body[0].astype(dtype).astype(np.float64), body[1])
        assert report.vertices_inside[0].tolist() == np.flatnonzero(winding_numbers(*exact) > 0.5).tolist()
        deepest = report.deepest_vertex
        assert deepest is not None and deepest.depth == pytest.approx(distance(exact[0][deepest.index], exact[1]), rel=1e-7)


def distance(p: np.ndarray, body: Mesh) -> float:
    """Of a point inside of a convex body from its nearest plane."""
    a, b, c = (body[0][body[1][:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    return float(np.min(((a - p) * normal).sum(1) / np.linalg.norm(normal, axis=1)))


def test_what_meets_is_what_a_mesh_of_all_parts_has() -> None:
    garments, bodies = [level(0.05, 17), moved(level(0.0, 9), (0.0, 0.0, 0.0))], [BOX, ball(0.15)]
    garments[1] = garments[1][0][:, [1, 0, 2]] + [0.01, 0.02, 0.0], garments[1][1]
    parts = [*garments, *bodies]
    starts = np.cumsum([0] + [len(x) for x, _ in parts])
    x = np.concatenate([x for x, _ in parts])
    faces = np.concatenate([f + start for (_, f), start in zip(parts, starts)])
    of_vertex = np.repeat(np.arange(4), np.diff(starts))
    mesh = cloth.Mesh(len(x), faces, parts=of_vertex)
    expected, report = cloth.intersections(x, mesh), cloth.check(garments, bodies)
    assert len(expected) > 100 and (report.witnesses["position"] == expected["position"]).all()
    assert (report.witnesses["kind"] == expected["kind"]).all()
    first = of_vertex[expected["vertices"][:, 0]]
    assert (report.witnesses["vertices"] == expected["vertices"] - starts[first][:, None]).all()
    assert (report.witnesses["meshes"][:, 0] == first).all()
    both = (first < 2).astype(int) + (report.witnesses["meshes"][:, 1] < 2)
    assert ((both == 1) == (report.witnesses["between"] == cloth.Between.CLOTH_BODY)).all()
    assert report.intersections.total + report.folds.total == len(expected)
    with cloth.threads(1):
        assert str(cloth.check(garments, bodies)) == str(report)


def test_meshes_come_as_files_and_objects(tmp_path: Path) -> None:
    garment = level(0.05)
    for name, (x, faces) in (("shirt.obj", garment), ("body.obj", BOX)):
        lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in x.tolist()] + [f"f {a} {b} {c}" for a, b, c in (faces + 1).tolist()]
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    objects = [SimpleNamespace(vertices=x, faces=faces) for x, faces in (garment, BOX)]
    wanted = str(cloth.check(garment, BOX))
    ways: list[tuple[Any, Any]] = [
        (tmp_path / "shirt.obj", str(tmp_path / "body.obj")),
        ([tmp_path / "shirt.obj"], [BOX]),
        (objects[0], objects[1:]),
        (cloth.read_mesh(tmp_path / "shirt.obj"), iter([objects[1]])),
        ([[garment[0].tolist(), garment[1].tolist()]], (BOX[0].astype(np.float32).astype(np.float64).tolist(), BOX[1])),
    ]
    for garments, bodies in ways[:-1]:
        assert str(cloth.check(garments, bodies)) == wanted
    assert not cloth.check(*ways[-1]).clean
    assert str(cloth.check(tuple(objects))) == str(cloth.check([garment, BOX]))
    with pytest.raises(cloth.FileError, match="none.obj"):
        cloth.check(tmp_path / "none.obj")


def test_what_is_no_mesh_is_refused_by_name() -> None:
    x, faces = level(0.05)
    broken = x.copy()
    broken[7, 1] = np.nan
    infinite = BOX[0].copy()
    infinite[3, 0] = -np.inf
    cases: list[tuple[Any, Any, type, str]] = [
        ([], BOX, cloth.InputError, "`garments` is empty"),
        (x, BOX, cloth.InputError, "`garments` is an array: pass a tuple"),
        ([x, faces], BOX, cloth.InputError, r"`garments\[0\]` is ndarray"),
        (5, BOX, cloth.InputError, "`garments` is int"),
        (None, BOX, cloth.InputError, "`garments` is NoneType"),
        ((x, faces, faces), BOX, cloth.InputError, r"`garments\[0\]` is ndarray"),
        ((x, faces), [BOX, BOX[0]], cloth.InputError, r"`bodies\[1\]` is ndarray"),
        ((broken, faces), BOX, cloth.InputError, "`garments`: the position of vertex 7 is .*nan"),
        ([(x, faces)], [BOX, (infinite, BOX[1])], cloth.InputError, r"`bodies\[1\]`: the position of vertex 3"),
        ((x.ravel(), faces), BOX, cloth.InputError, r"`garments positions` has shape \(243,\)"),
        ((x[:, :2], faces), BOX, cloth.InputError, "shape"),
        ((x.astype(complex), faces), BOX, cloth.InputError, "complex128"),
        ((x, faces.astype(float)), BOX, cloth.MeshError, "`garments faces` has dtype float64"),
        ((x, faces.ravel()), BOX, cloth.MeshError, "shape"),
        ((x, faces - 1), BOX, cloth.MeshError, "indices count from 0"),
        ((x, faces + 1), BOX, cloth.MeshError, "`garments`: face .* but there are 81 vertices"),
        ((x, faces), (BOX[0], [[0, 1, 1]]), cloth.MeshError, "`bodies`: face 0 is .* one vertex twice"),
        (["none.obj"], (), cloth.FileError, "none.obj"),
        ([""], (), cloth.FileError, "mesh|file|No such"),
        ([(x, faces)] * 3, [BOX] * 65534, cloth.InputError, "65537 meshes"),
    ]
    for garments, bodies, error, text in cases:
        with pytest.raises(error, match=text):
            cloth.check(garments, bodies)


def test_empty_meshes_and_lone_vertices_are_meshes() -> None:
    nothing = np.empty((0, 3)), np.empty((0, 3), int)
    report = cloth.check([nothing, level(0.05), nothing], [nothing, BOX])
    assert [len(v) for v in report.vertices_inside] == [0, 9, 0] and report.deepest_vertex is not None
    assert report.deepest_vertex.garment == 1 and report.deepest_vertex.body == 1 and len(report.bodies) == 2
    assert (report.witnesses["meshes"] != 0).all()
    assert cloth.check(nothing).clean and cloth.check(nothing).share_inside == 0.0
    assert not cloth.check(level(0.05, 2), ([[0.0, 0.05, 0.0]], np.empty((0, 3), int))).clean, "a point on a face"


def test_data_of_garments_on_bodies() -> None:
    corpus = Path(os.environ.get("CLOTH_CORPUS", Path(__file__).parent.parent.parent / "../shared/data"))
    shirt, body = corpus / "garments/garmentcode/shirt_mean_boxmesh.GENERATED.obj", corpus / "garments/garmentcode/mean_all.obj"
    if not (shirt.exists() and body.exists()):
        pytest.skip("set CLOTH_CORPUS")
    report = cloth.check(shirt, body)
    # Many and few are inside: a sample of the vertices is decided again.
    x, _ = cloth.read_mesh(shirt)
    sample = np.random.default_rng(5).choice(len(x), 60, replace=False)
    inside = winding_numbers(x[sample], cloth.read_mesh(body)) > 0.5
    assert (np.isin(sample, report.vertices_inside[0]) == inside).all()
