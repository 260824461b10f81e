"""Audits of arrays, iterators and files."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import cloth
import numpy as np
import pytest
from scenes import sheet
from test_check import ball
from test_judge import APART, BELOW, FACES, THROUGH

FRAMES = np.stack([APART, THROUGH, BELOW, BELOW])


def check(table: np.ndarray) -> None:
    assert table.dtype == cloth.AUDIT and table["frame"].tolist() == [0, 1, 2, 3]
    assert table["intersections"].tolist() == [0, 2, 0, 0]
    assert table["crossings"][0] == -1 and (table["crossings"][1:3] > 0).all() and table["crossings"][3] == 0
    assert abs(table["first_time"][1] - 2 / 3) < 1e-9 and np.isnan(table["first_time"][[0, 3]]).all()
    assert table["max_move"].tolist() == [0.0, 1.5, 2.5, 0.0]


def test_arrays_lists_and_iterators() -> None:
    check(cloth.audit(FRAMES, FACES))
    check(cloth.audit(FRAMES.astype(np.float32), cloth.Mesh(6, FACES)))
    check(cloth.audit(list(FRAMES), FACES))
    check(cloth.audit((frame for frame in FRAMES), FACES, progress=False))


def test_long_iterators_are_judged_in_groups() -> None:
    many = np.concatenate([FRAMES] * 20)
    table = cloth.audit(iter(many), FACES)
    assert len(table) == 80
    for start in range(0, 80, 4):
        assert table["intersections"][start : start + 4].tolist() == [0, 2, 0, 0]
    # From the last frame of a repetition, below, to the first of the next one, above.
    assert (table["crossings"][4::4] == table["crossings"][4]).all() and table["crossings"][4] > 0
    with cloth.threads(1):
        assert cloth.audit(many, FACES).tobytes() == table.tobytes()


def test_a_cut_is_no_motion() -> None:
    table = cloth.audit(FRAMES, FACES, cuts=[2])
    whole = cloth.audit(FRAMES, FACES)
    assert table["cut"].tolist() == [False, False, True, False] and not whole["cut"].any()
    assert (table["crossings"][2], table["max_move"][2]) == (-1, 0.0) and np.isnan(table["first_time"][2])
    # The frame after it is judged as before, and so is everything else.
    assert (table["intersections"] == whole["intersections"]).all()
    others = [0, 1, 3]
    assert table[others].tobytes() == whole[others].tobytes()
    everywhere = cloth.audit(iter(FRAMES), FACES, cuts=np.arange(1, 4))
    assert everywhere["crossings"].tolist() == [-1] * 4 and everywhere["intersections"].tolist() == [0, 2, 0, 0]
    many = np.concatenate([FRAMES] * 20)
    table = cloth.audit(many, FACES, cuts=range(4, 80, 4))
    assert (table["crossings"].reshape(20, 4) == whole["crossings"]).all()


def test_cuts_that_are_at_no_frame_are_refused() -> None:
    for cuts in ([0], [4], [1, 99]):
        for frames in (FRAMES, iter(FRAMES)):
            with pytest.raises(cloth.InputError, match="`cuts` has frame"):
                cloth.audit(frames, FACES, cuts=cuts)
    for cuts in ([-1], [0.5], 2, [[1]], ["a"]):
        with pytest.raises(cloth.MeshError, match="`cuts`"):
            cloth.audit(FRAMES, FACES, cuts=cuts)  # type: ignore[arg-type]
    broken = FRAMES.copy()
    broken[2, 5] = np.nan
    with pytest.raises(cloth.InputError, match="frame 2: .* vertex 5"):
        cloth.audit(broken, FACES, cuts=[2])


def test_files(tmp_path: Path) -> None:
    np.save(tmp_path / "run.npy", FRAMES)
    np.savez(tmp_path / "run.npz", frames=FRAMES)
    for name in ("run.npy", "run.npz"):
        check(cloth.audit(tmp_path / name, FACES))
        check(cloth.audit(str(tmp_path / name), FACES, progress=True))
    header = b"POINTCACHE2\0" + np.array([1, 6], "<i4").tobytes() + np.array([0, 1], "<f4").tobytes()
    pc2 = header + np.array([4], "<i4").tobytes() + FRAMES.astype("<f4").tobytes()
    (tmp_path / "run.pc2").write_bytes(pc2)
    (tmp_path / "run.pc16").write_bytes(header + np.array([4], "<i4").tobytes() + FRAMES.astype("<f2").tobytes())
    times = np.arange(4, dtype=">f4") / 24
    mdd = np.array([4, 6], ">i4").tobytes() + times.astype(">f4").tobytes() + FRAMES.astype(">f4").tobytes()
    (tmp_path / "run.MDD").write_bytes(mdd)
    for name in ("run.pc2", "run.pc16", "run.MDD"):
        check(cloth.audit(tmp_path / name, FACES))
    (tmp_path / "objs").mkdir()
    for i, frame in enumerate(FRAMES):
        lines = [f"v {x} {y} {z}" for x, y, z in frame.tolist()] + ["f 1 2 3", "f 4 5 6"]
        (tmp_path / "objs" / f"run_{i:02}.obj").write_text("\n".join(lines) + "\n")
    check(cloth.audit(tmp_path / "objs"))
    check(cloth.audit(tmp_path / "objs" / "run_*.obj"))
    check(cloth.audit(tmp_path / "objs" / "run_00.obj", FACES))
    x, faces = cloth.read_mesh(tmp_path / "objs" / "run_00.obj")
    assert (x == APART).all() and (faces == FACES).all()


def test_files_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "bad.pc2").write_bytes(b"POINTCACHE2\0" + b"\xff" * 20)
    (tmp_path / "bad.mdd").write_bytes(b"\xff" * 20)
    (tmp_path / "bad.npz").write_bytes(b"PK\3\4 nothing")
    (tmp_path / "bad.npy").write_bytes(b"\x93NUMPY\1\0")
    np.save(tmp_path / "objects.npy", np.array([{}], object), allow_pickle=True)
    np.savez(tmp_path / "two.npz", a=FRAMES, b=FRAMES)
    (tmp_path / "bad.obj").write_text("v 0 0\n")
    (tmp_path / "bad_1.obj").write_text("v 0 0 x\nf 1 2 3\n")
    names = ["bad.pc2", "bad.mdd", "bad.npz", "bad.npy", "objects.npy", "two.npz", "bad_1.obj", "none.pc2", "none.npy", "none.obj"]
    for name in names:
        with pytest.raises(cloth.FileError, match=name.split(".")[0]):
            cloth.audit(tmp_path / name, FACES)
    with pytest.raises(cloth.FileError, match="bad.obj:1: `v` needs three"):
        cloth.read_mesh(tmp_path / "bad.obj")
    with pytest.raises(cloth.InputError, match="`faces` is missing"):
        cloth.audit(FRAMES)
    with pytest.raises(cloth.InputError, match="neither"):
        cloth.audit(5, FACES)  # type: ignore[arg-type]
    with pytest.raises(cloth.InputError, match=r"shape \(4, 18\)"):
        cloth.audit(FRAMES.reshape(4, 18), FACES)


LONG = """
import cloth, numpy as np, time
rng = np.random.default_rng(6)
x = rng.normal(size=(1500, 3))
faces = np.arange(1500).reshape(-1, 3)
def frames():
    for i in range(100000):
        if i == 20: print("ready", flush=True)
        yield x + 0.01 * i
{call}
"""
CALLS = {
    "audit": "cloth.audit(frames(), faces)",
    "untangle": "print('ready', flush=True); cloth.untangle(np.round(x, 1) + 1e-3 * x, faces, seconds=1e4)",
}


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("call", CALLS)
def test_control_c_ends_it(call: str) -> None:
    program = [sys.executable, "-c", LONG.format(call=CALLS[call])]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        assert process.poll() is None, "it is at work, for hours"
        process.send_signal(signal.SIGINT)
        assert "KeyboardInterrupt" in process.stderr.read()
        assert process.wait() != 0


STOPPED = """
import cloth, numpy as np, sys
x = np.random.default_rng(6).normal(size=(1500, 3))
def ready(step, now, fewest):
    if step == 0: print("ready", flush=True)
try:
    cloth.untangle(np.round(x, 1) + 1e-3 * x, np.arange(1500).reshape(-1, 3), seconds=1e4, on_step=ready)
except KeyboardInterrupt as stopped:
    best = stopped.untangled
    sys.exit(7 if best.after <= best.before and best.positions.shape == x.shape else 1)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_control_c_leaves_the_best_state_of_untangling() -> None:
    with subprocess.Popen([sys.executable, "-c", STOPPED], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        assert process.wait() == 7


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork")
def test_a_fork_has_threads_of_its_own() -> None:
    cloth.is_clean(APART, FACES)
    child = os.fork()
    if child == 0:
        os._exit(0 if cloth.is_clean(APART, FACES) and not cloth.is_clean(THROUGH, FACES) else 1)
    assert os.waitpid(child, 0)[1] == 0


BALL = ball(0.1, 8)
SHEET = sheet(9, 0.5, 0.0)


def falling(count: int = 6) -> np.ndarray:
    """Frames of a sheet that falls through the ball."""
    return np.stack([SHEET[0] + [0.0, 0.21 - 0.06 * i, 0.0] for i in range(count)])


def test_a_body_gives_further_fields_and_changes_no_other() -> None:
    frames, faces = falling(), SHEET[1]
    table = cloth.audit(frames, faces, bodies=BALL)
    assert table.dtype == cloth.BODY_AUDIT and table.dtype.names[:6] == cloth.AUDIT.names
    assert table["clean"].tolist() == [True, True, False, False, False, False]
    by_kind = table["intersections_by_kind"]
    assert (by_kind["cloth_body"] == table["intersections"]).all() and not by_kind["body_self"].any()
    assert table["crossings"][0] == -1 and table["crossings_by_kind"]["cloth_body"].tolist()[0] == -1
    assert (table["crossings_by_kind"]["cloth_body"] == table["crossings"]).all() and table["crossings"][2] > 0
    assert np.allclose(table["max_move"], [0.0, *[0.06] * 5]) and 0.0 < table["first_time"][2] < 1.0
    alone = cloth.audit(frames, faces)
    assert alone.dtype == cloth.AUDIT and not alone["intersections"].any()
    far = cloth.audit(frames, faces, bodies=[(BALL[0] + 9.0, BALL[1])])
    assert all(far[name].tobytes() == alone[name].tobytes() for name in cloth.AUDIT.names)


def test_each_frame_with_a_moving_body_is_that_of_check() -> None:
    faces = SHEET[1]
    frames = falling(13)
    bodies = np.stack([BALL[0] * (1.0 + 0.02 * i) + [0.01 * i, 0.0, 0.0] for i in range(13)])
    table = cloth.audit(iter(frames), faces, bodies=[(iter(bodies), BALL[1]), (BALL[0] - 0.25, BALL[1])], cuts=[5])
    for x, body, row in zip(frames, bodies, table):
        report = cloth.check((x, faces), [(body, BALL[1]), (BALL[0] - 0.25, BALL[1])])
        depth = 0.0 if report.deepest_face is None else report.deepest_face.depth
        assert (row["clean"], row["share_inside"], row["depth"]) == (report.clean, report.share_inside, depth)
        assert row["vertices_inside"] == len(report.vertices_inside[0])
        both = np.add(report.intersections, report.folds)
        assert row["intersections_by_kind"].tolist() == tuple(both) and row["intersections"] == sum(both[:3])
    assert table["cut"].tolist() == [i == 5 for i in range(13)] and table["crossings"][5] == -1
    assert set(table["crossings_by_kind"][5].tolist()) == {-1}
    with cloth.threads(1):
        again = cloth.audit(frames, faces, bodies=[(list(bodies), BALL[1]), (BALL[0] - 0.25, BALL[1])], cuts=[5])
    assert again.tobytes() == table.tobytes()
    # A body that passes through a garment at rest is a crossing, and only the garment's way counts.
    still = cloth.audit(np.stack([SHEET[0]] * 2), faces, bodies=(np.stack([BALL[0] + 0.5, BALL[0] - 0.5]), BALL[1]))
    assert still["crossings"][1] > 0 and still["max_move"][1] == 0.0 and still["clean"].all()


def test_bodies_of_files_and_several_garments(tmp_path: Path) -> None:
    frames, faces = falling(), SHEET[1]
    bodies = np.stack([BALL[0]] * 6)
    wanted = cloth.audit(frames, faces, bodies=BALL).tobytes()
    np.save(tmp_path / "body.npy", bodies)
    for i in range(6):
        lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in BALL[0].tolist()] + [f"f {a} {b} {c}" for a, b, c in (BALL[1] + 1).tolist()]
        (tmp_path / f"body_{i}.obj").write_text("\n".join(lines) + "\n")
    first = tmp_path / "body_0.obj"
    for body in (first, (tmp_path / "body.npy", BALL[1]), (str(tmp_path / "body.npy"), first), tmp_path / "body_*.obj", (bodies, BALL[1])):
        assert cloth.audit(frames, faces, bodies=body).tobytes() == wanted
    both = np.concatenate([frames, frames + [0.0, 0.01, 0.0]], axis=1)
    of_vertex = np.repeat([0, 1], 81)
    table = cloth.audit(both, np.concatenate([faces, faces + 81]), bodies=BALL, parts=of_vertex)
    assert not table["intersections_by_kind"]["cloth_cloth"].any() and table["vertices_inside"][3] == 18
    mesh = cloth.Mesh(162, np.concatenate([faces, faces + 81]), parts=of_vertex)
    assert cloth.audit(both, mesh, bodies=BALL).tobytes() == table.tobytes()


def test_bodies_that_do_not_fit_the_frames_are_refused(tmp_path: Path) -> None:
    frames, faces = falling(), SHEET[1]
    five, broken = np.stack([BALL[0]] * 5), np.stack([BALL[0]] * 6)
    broken[4, 3, 1] = np.nan
    np.save(tmp_path / "body.npy", five)
    cases: list[tuple[object, object, type, str]] = [
        (frames, (five, BALL[1]), cloth.InputError, "`frames` has 6 frames, but `bodies` has 5"),
        (frames, [BALL, (tmp_path / "body.npy", BALL[1])], cloth.InputError, r"6 frames, but `bodies\[1\]` has 5"),
        (iter(frames), (iter(five), BALL[1]), cloth.InputError, "`frames` has more frames, but `bodies` has 5"),
        (iter(frames[:5]), (iter(broken[:4].repeat(2, 0)), BALL[1]), cloth.InputError, "has 5 frames, but `bodies` has more"),
        (frames, (iter(()), BALL[1]), cloth.InputError, "has 0"),
        (frames, (broken, BALL[1]), cloth.InputError, "`bodies frame 4`: the position of vertex 3"),
        (frames, (five.astype(int)[..., :2], BALL[1]), cloth.InputError, "`bodies"),
        (frames, (BALL[0], BALL[1] + 1), cloth.MeshError, "`bodies`: face"),
        (frames, tmp_path / "body.npy", cloth.InputError, "has no faces"),
        (frames, tmp_path / "none.obj", cloth.FileError, "none.obj"),
        (frames, BALL[0], cloth.InputError, "`bodies` is an array"),
        (frames, [5], cloth.InputError, r"`bodies\[0\]` is int"),
    ]
    for garment, bodies, error, text in cases:
        with pytest.raises(error, match=text):
            cloth.audit(garment, faces, bodies=bodies)
    with pytest.raises(cloth.MeshError, match="`exclusions` cannot be combined with `bodies`"):
        cloth.audit(frames, faces, bodies=BALL, exclusions=[[0, 1]])
