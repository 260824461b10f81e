"""The auditor (`auditor/exact_audit.py`) against published answers, and the package against the auditor."""

from __future__ import annotations

import csv
import importlib.util
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

HERE = Path(__file__).parent
AUDITOR = HERE.parent / "auditor" / "exact_audit.py"


def load_auditor() -> ModuleType:
    """The auditor is a program, not a part of the package."""
    spec = importlib.util.spec_from_file_location("exact_audit", AUDITOR)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["exact_audit"] = module
    spec.loader.exec_module(module)
    return module


audit = load_auditor()

# ---- What the auditor is: short, and with nothing to trust.


def test_it_is_short_and_imports_the_standard_library_alone() -> None:
    text = AUDITOR.read_text()
    assert len(text.splitlines()) <= 300
    words = [
        line.split()[1].split(".")[0] for line in text.splitlines() if line.startswith(("import ", "from "))
    ]
    assert set(words) <= set(sys.stdlib_module_names)


# ---- Answers that are known.

FACE = [(0, 0, 0), (4, 0, 0), (0, 4, 0)]


def on_face(start: tuple[float, ...], end: tuple[float, ...], face: list[tuple[int, ...]] = FACE) -> object:
    """When a point that moves first touches a triangle at rest: the middle of the enclosure."""
    time = audit.first_contact("point-triangle", [start, *face, end, *face])
    if time is None:
        return None
    low, high = time
    assert 0 <= low <= high <= 1 and high - low <= Fraction(1, 2**60)
    return float(high)


def on_edge(start: list[tuple[float, ...]], end: list[tuple[float, ...]]) -> object:
    """The same for an edge, and one at rest along x from -1 to 1."""
    rest = [(-1, 0, 0), (1, 0, 0)]
    time = audit.first_contact("edge-edge", [*rest, *start, *rest, *end])
    return None if time is None else float(time[1])


TINY = 5e-324  # the smallest number above 0


@pytest.mark.parametrize(
    ("start", "end", "time"),
    [
        ((1, 1, 1), (1, 1, -3), 0.25),  # through the face
        ((5, 5, 1), (5, 5, -3), None),
        ((-0.1, 1, 1), (-0.1, 1, -3), None),
        ((1, 1, 0), (1, 1, 1), 0.0),  # a touch at the start, at the end, and none
        ((1, 1, 1), (1, 1, 0), 1.0),
        ((1, 1, 1), (1, 1, TINY), None),
        ((2, 2, 1), (2, 2, -1), 0.5),  # on the edge, at a corner, and beside it
        ((4, 0, 1), (4, 0, -1), 0.5),
        ((4, -TINY, 1), (4, -TINY, -1), None),
        ((-1, 1, 0), (1, 1, 0), 0.5),  # in its plane: onto an edge, a corner, and past
        ((-1, -1, 0), (1, 1, 0), 0.5),
        ((-1, -1, 0), (-1, 3, 0), None),
        ((-1, 0, 0), (1, 0, 0), 0.5),  # in its plane and along an edge, so always in one line with it
        ((0, -2, 0), (0, 2, 0), 0.5),
        ((-2, 0, 0), (-1, 0, 0), None),
        ((-1, 2, 0), (3, -2, 0), 0.25),  # in its plane: in by one edge, out by another
    ],
)
def test_a_point_and_a_face(start: tuple[float, ...], end: tuple[float, ...], time: float | None) -> None:
    assert on_face(start, end) == time


def test_a_face_without_area_is_an_edge_or_a_point() -> None:
    down = ((1, 0, 1), (1, 0, -1))
    assert on_face(*down, [(0, 0, 0), (2, 0, 0), (1, 0, 0)]) == 0.5
    assert on_face(*down, [(1, 0, 0)] * 3) == 0.5
    assert on_face(*down, [(2, 0, 0), (3, 0, 0), (4, 0, 0)]) is None
    assert on_face(*down, [(0, 0, 0)] * 3) is None
    assert on_face((1, 0, 0), (1, 0, 0), [(1, 0, 0)] * 3) == 0.0


@pytest.mark.parametrize(
    ("start", "end", "time"),
    [
        ([(0, -1, 1), (0, 1, 1)], [(0, -1, -1), (0, 1, -1)], 0.5),  # across, beside an end, at an end
        ([(1.5, -1, 1), (1.5, 1, 1)], [(1.5, -1, -1), (1.5, 1, -1)], None),
        ([(0, 2, 1), (3, -1, 1)], [(0, 2, -1), (3, -1, -1)], None),
        ([(1, 0, 1), (1, 1, 1)], [(1, 0, -1), (1, 1, -1)], 0.5),
        ([(0.5, 0, 1), (2, 0, 1)], [(0.5, 0, -1), (2, 0, -1)], 0.5),  # parallel
        ([(2, 0, 0), (3, 0, 0)], [(0, 0, 0), (1, 0, 0)], 0.5),  # in one line
        ([(3, 0, 0), (2, 0, 0)], [(1, 0, 0), (0, 0, 0)], 0.5),
        ([(-2, 0, 0), (-3, 0, 0)], [(0, 0, 0), (-1, 0, 0)], 0.5),
        ([(2, 0, 0), (3, 0, 0)], [(1.5, 0, 0), (3, 0, 0)], None),
        ([(0, 2, 0), (0, 3, 0)], [(0, -2, 0), (0, -1, 0)], 0.5),  # in one plane: an end first
        ([(2, -2, 0), (2, 2, 0)], [(0, -2, 0), (0, 2, 0)], 0.5),
        ([(-2, 2, 0), (2, 2, 0)], [(-2, -2, 0), (2, -2, 0)], 0.5),  # parallel in one plane
        ([(0, 0, 1), (0, 0, 1)], [(0, 0, -1), (0, 0, -1)], 0.5),  # a point
    ],
)
def test_two_edges(start: list[tuple[float, ...]], end: list[tuple[float, ...]], time: float | None) -> None:
    assert on_edge(start, end) == time


def test_the_later_root_counts_where_only_that_one_is_a_contact() -> None:
    # The point is -4 (t - 1/4) (t - 3/4) above the plane that tilts; x0, x1 are beside the face or above it.
    def swing(x0: float, x1: float) -> object:
        start = [(x0, 0, -0.75), (0, 0, 0), (4, 0, 0), (0, 4, 0)]
        end = [(x1, 4, 3.25), (0, 0, 0), (4, 0, 0), (0, 4, 4)]
        time = audit.first_contact("point-triangle", start + end)
        return None if time is None else float(time[1])

    assert (swing(-1, 1), swing(1, -1), swing(-1, 0.25)) == (0.75, 0.25, None)


def test_a_touch_and_go_at_a_double_root() -> None:
    # The height of the point above the edge that turns is (2 t - 1)^2.
    edge = [[(-1, -1, 0), (1, -1, 0)], [(-1, 1, 0), (1, 1, 0)]]
    points = [[(0, 0, 1), *edge[0], edge[0][1]], [(0, 0, -1), *edge[1], edge[1][1]]]
    assert audit.collides("point-triangle", points[0] + points[1])
    late = [(-1, 1.5, 0), (1, 1.5, 0), (1, 1.5, 0)]
    assert not audit.collides("point-triangle", points[0] + [(0, 0, -1), *late])


def test_a_double_root_where_an_interval_ends() -> None:
    # The volume is a multiple of (2 t - 1)^2 (4 t - 3): at 1/2 the triangle is a point.
    start, end = [(0.5, 0.5, 3), (0, 0, 0), (-4, 0, 0), (0, -4, 0)], [
        (0.5, 0.5, -1),
        (0, 0, 0),
        (4, 0, 0),
        (0, 4, 0),
    ]
    time = audit.first_contact("point-triangle", start + end)
    assert time is not None and float(time[1]) == 0.75


def test_numbers_from_the_smallest_to_the_greatest() -> None:
    for unit in (5e-324, 1e-300, 1.0, 1e150, 1e307):
        points = [(0, 0, 0), (4 * unit, 0, 0), (4 * unit, 0, 0), (4 * unit, 0, 0)]
        assert audit.collides("point-triangle", [*points, (4 * unit, 0, 0), *[(0, 0, 0)] * 3])
        assert not audit.collides("point-triangle", [*points, (4 * unit, 0, 0), *[(0, TINY, 0)] * 3])


def test_states() -> None:
    face, tip = [(0, 0, 0), (4, 0, 0), (0, 0, 4)], [(1, 2, 1), (2, 2, 1)]
    faces = [(0, 1, 2), (3, 4, 5)]
    for y, found in ((-1, 2), (0, 2), (TINY, 0), (1, 0)):
        assert len(audit.intersections([*face, (1, y, 1), *tip], faces)) == found
    assert audit.intersections([*face, (1, 0, 1)], faces[:1]) == [("point-face", 3, 0)]
    assert audit.intersections([*face, (1, TINY, 1)], faces[:1]) == []
    # An edge in the plane of a face: across it without an end in it, and past a corner.
    assert audit.intersections([*face, (-1, 0, 1), (5, 0, 1)], faces[:1], [(3, 4)]) == [
        ("edge-face", (3, 4), 0)
    ]
    assert audit.intersections([*face, (5, 0, 0), (5, 0, 5)], faces[:1], [(3, 4)]) == []
    # Two faces on an edge: flat on each other, open, and without an area.
    square = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
    two = [(0, 1, 2), (1, 0, 3)]
    assert audit.intersections([*square, (1, 2, 0)], two) == [("flat-fold", (0, 1), (0, 1))]
    for apex in ((1, -2, 0), (1, 2, TINY), (3, 0, 0)):
        assert audit.intersections([*square, apex], two) == []
    # A face on another, which shares three vertices, or two; and without an area.
    assert audit.intersections(square, [(0, 1, 2), (2, 1, 0)]) == [("doubled-face", (0, 1))]
    assert audit.intersections([*square, (0, 1, 0)], two) == [("doubled-face", (0, 1))]
    assert audit.intersections([(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(0, 1, 2), (2, 1, 0)]) == []


def test_what_is_inside_from_the_start_collides_when_something_new_touches() -> None:
    face = [(0, 0, 0), (4, 0, 0), (0, 0, 4)]
    needle = [(1, -1, 1), (1, 1, 1), (1, 1, 1.5)]
    faces = [(0, 1, 2), (3, 4, 5)]
    moved = [(x + 0.25, y, z) for x, y, z in needle]
    assert audit.intersections([*face, *needle], faces)
    assert audit.collisions([*face, *needle], [*face, *moved], faces) == []
    pulled = [(x, y + 2, z) for x, y, z in needle]
    found = audit.collisions([*face, *needle], [*face, *pulled], faces)
    assert [hit[:3] for hit in found] == [("point-triangle", 3, 0)]


def test_every_pair_of_edges_is_named_once() -> None:
    wires = [(-1, 0, 0), (1, 0, 0), (0, -1, 1), (0, 1, 1)]
    moved = [*wires[:2], *((x, y, -1) for x, y, _ in wires[2:])]
    found = audit.collisions(wires, moved, [], [(1, 0), (2, 3)])
    assert [hit[:3] for hit in found] == [("edge-edge", (0, 1), (2, 3))]


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="not finite"):
        audit.intersections([(0, 0, float("nan"))] * 3, [(0, 1, 2)])
    with pytest.raises(ValueError, match="face 0"):
        audit.intersections([(0, 0, 0)] * 3, [(0, 1, 3)])
    with pytest.raises(ValueError, match="3 vertices at the start, 2 at the end"):
        audit.collisions([(0, 0, 0)] * 3, [(0, 0, 0)] * 2, [])


def test_the_command_line(tmp_path: Path) -> None:
    def run(*names: str) -> tuple[int, str]:
        paths = [str(tmp_path / name) for name in names]
        done = subprocess.run(
            [sys.executable, str(AUDITOR.parent), *paths], capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout + done.stderr

    face = "v 0 0 0\nv 4 0 0\nv 0 0 4 # a corner\n"
    for name, y in (("above", 1), ("below", -3)):
        tip = f"v 1 {y} 1\nv 1 {y + 1} 1\nv 2 {y + 1} 1\n"
        (tmp_path / f"{name}.obj").write_text(face + tip + "f 1 2/1 3/1/1\nf -3 -2 -1\n")
    (tmp_path / "quad.obj").write_text(face + "v 4 0 4\nf 1 2 4 3\n")
    assert run("above.obj") == (0, "clean\n")
    code, text = run("above.obj", "below.obj")
    assert code == 1 and "point-triangle 3 0 t = 0.25\n" in text and text.endswith("3 found\n")
    code, text = run("quad.obj")
    assert code == 2 and "quad.obj:5" in text and "triangles" in text
    assert run("missing.obj")[0] == 2


# ---- Answers of others: a data set of degenerate queries, and an enclosure of the exact time of each.


def corpus(name: str) -> Path:
    root = os.environ.get("CLOTH_CORPUS", str(HERE.parents[2] / "shared" / "data"))
    path = Path(root) / name
    if not path.exists():
        pytest.skip(f"no {path}; set CLOTH_CORPUS to the folder of the test data")
    return path


def queries(path: Path) -> Iterator[tuple[list[tuple[Fraction, ...]], bool | None]]:
    """Queries, and labels where there are: eight rows of x, y, z, each as numerator and denominator."""
    with open(path, newline="") as file:
        rows = [[int(word) for word in row] for row in csv.reader(file) if row]
    for at in range(0, len(rows), 8):
        points = [tuple(Fraction(row[k], row[k + 1]) for k in (0, 2, 4)) for row in rows[at : at + 8]]
        yield points, bool(rows[at][6]) if len(rows[at]) > 6 else None


SCENES = ["erleben-cube-cliff-edges", "erleben-sliding-spike", "erleben-spike-crack", "erleben-spike-wedge"]
SCENES += ["erleben-wedges", "unit-tests", "cloth-funnel"]


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("kind", ["point-triangle", "edge-edge"])
def test_published_queries(scene: str, kind: str) -> None:
    short = {"point-triangle": "vf", "edge-edge": "ee"}[kind]
    if scene == "cloth-funnel":
        files, prefix = [corpus(f"ccd/scalable/{scene}/queries/227{short}.csv")], "sc"
    else:
        folder = {"point-triangle": "vertex-face", "edge-edge": "edge-edge"}[kind]
        files, prefix = sorted(corpus(f"ccd/sample-queries/{scene}/{folder}").glob("*.csv")), "sq"
    with open(corpus(f"ccd/exact-toi/{prefix}_{scene}_{short}_exact_toi.csv"), newline="") as file:
        answers = list(csv.DictReader(file))
    asked = [query for path in files for query in queries(path)]
    assert len(asked) == len(answers) > 0
    for (points, label), answer in zip(asked, answers):
        time = audit.first_contact(kind, points)
        assert (time is not None) == bool(int(answer["collides"])), answer
        assert label is None or label == bool(int(answer["collides"])), answer
        if time is not None:
            assert (
                time[0] <= Fraction(float(answer["toi_hi"])) and Fraction(float(answer["toi_lo"])) <= time[1]
            )


# ---- The package.


@pytest.fixture(scope="module")
def cloth() -> ModuleType:
    module: ModuleType = pytest.importorskip("cloth")
    return module


COUNT = int(os.environ.get("CLOTH_AUDITS", "60"))  # random meshes of each sort


def draw(dice: random.Random, sort: str, count: int) -> np.ndarray:
    """Positions (count, 3): on a small lattice (degenerate), on one with numbers next to it, or anywhere."""
    if sort == "anywhere":
        return np.array([[dice.uniform(-1, 1) for _ in range(3)] for _ in range(count)])
    x = np.array([[float(dice.randrange(-2, 3)) for _ in range(3)] for _ in range(count)])
    if sort == "near a lattice":
        steps = np.array([[dice.choice([-np.inf, 0, 0, np.inf]) for _ in range(3)] for _ in range(count)])
        x = np.where(steps == 0, x, np.nextafter(x, steps))
    return x


def draw_faces(dice: random.Random, vertices: int) -> list[tuple[int, ...]]:
    faces = {tuple(dice.sample(range(vertices), 3)) for _ in range(dice.randrange(1, 7))}
    return sorted(faces)


SORTS = ["a lattice", "near a lattice", "anywhere"]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("sort", SORTS)
def test_states_as_the_auditor_has_them(cloth: ModuleType, sort: str, dtype: str) -> None:
    dice = random.Random(f"states {sort} {dtype}")
    found_any = 0
    for _ in range(COUNT):
        vertices = dice.randrange(4, 13)
        x, faces = draw(dice, sort, vertices).astype(dtype), draw_faces(dice, vertices)
        exact = audit.intersections(x.tolist(), faces)
        rows = cloth.intersections(x, np.array(faces))
        assert cloth.is_clean(x, np.array(faces)) == (not exact)
        kinds = cloth.IntersectionKind
        ours = []
        for row in rows:
            v, f = row["vertices"].tolist(), row["faces"].tolist()
            if row["kind"] == kinds.POINT_FACE:
                ours.append(("point-face", v[0], f[0]))
            elif row["kind"] == kinds.FLAT_FOLD:
                ours.append(("flat-fold", tuple(v), tuple(f)))
            elif row["kind"] == kinds.DOUBLED_FACE:
                ours.append(("doubled-face", tuple(f)))
            else:
                ours.append(("edge-face", tuple(v), f[0]))
        assert ours == exact, (x.tolist(), faces)
        found_any += bool(exact)
    assert 0 < found_any


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("sort", SORTS)
def test_motions_as_the_auditor_has_them(cloth: ModuleType, sort: str, dtype: str) -> None:
    dice = random.Random(f"motions {sort} {dtype}")
    found_any = 0
    for _ in range(COUNT // 3):
        vertices = dice.randrange(4, 10)
        x0, x1 = (draw(dice, sort, vertices).astype(dtype) for _ in range(2))
        still = [dice.random() < 0.3 for _ in range(vertices)]
        x1[still] = x0[still]
        faces = draw_faces(dice, vertices)
        exact = audit.collisions(x0.tolist(), x1.tolist(), faces)
        edges = cloth.Mesh(vertices, np.array(faces)).edges.tolist()
        rows = cloth.crossings(x0, x1, np.array(faces))
        ours = {}
        for row in rows:
            a, b = row["features"].tolist()
            key = ("edge-edge", tuple(edges[a]), tuple(edges[b])) if row["kind"] else ("point-triangle", a, b)
            ours[key] = (
                Fraction(float(row["time"])),
                Fraction(float(row["time"])) + Fraction(float(row["gap"])),
            )
        assert set(ours) == {hit[:3] for hit in exact}, (x0.tolist(), x1.tolist(), faces)
        for *key, (low, high) in exact:  # both enclose the time
            assert ours[tuple(key)][0] <= high and low <= ours[tuple(key)][1]
        first = cloth.first_crossing(x0, x1, np.array(faces))
        assert (first is None) == (not exact)
        found_any += bool(exact)
    assert 0 < found_any


@pytest.mark.parametrize("method", ["reference", "filtered", "tight"])
@pytest.mark.parametrize("kind", ["point_triangle", "edge_edge"])
def test_single_queries_as_the_auditor_has_them(cloth: ModuleType, kind: str, method: str) -> None:
    dice = random.Random(f"queries {kind}")
    asked = np.array([draw(dice, SORTS[k % 3], 8) for k in range(3 * COUNT)])
    verdicts = cloth.ccd(asked, kind, method=method)
    for query, row in zip(asked, verdicts):
        time = audit.first_contact(kind.replace("_", "-"), query.tolist())
        assert np.isnan(row["time"]) == (time is None), query.tolist()
        if time is not None:
            low = Fraction(float(row["time"]))
            assert low <= time[1] and time[0] <= low + Fraction(float(row["gap"]))
    assert 0 < np.count_nonzero(np.isnan(verdicts["time"])) < len(asked)
