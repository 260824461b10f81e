"""What is baked in Blender is what the command `cloth simulate` computes of the same scene, in all bits."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import blend
import bpy
import numpy as np
import pytest

FRAMES, STEPS = 18, 10
PLACE = (0.011, 0.007, 0.003)
"""Where sheets are: no coordinate is 0, of which the command loses the sign of -0 in the first frame."""


def command(scene: Path) -> None:
    """Runs the command of the extension's own wheel; intersections are no failure here."""
    import cloth

    environment = {**os.environ, "PYTHONPATH": str(Path(cloth.__file__).parents[1])}
    arguments = [
        sys.executable,
        "-m",
        "cloth",
        "simulate",
        scene.name,
        "--allow",
        "100000",
        "--allow-start",
        "100000",
    ]
    done = subprocess.run(arguments, cwd=scene.parent, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr


def obj(path: Path, points: np.ndarray, faces: np.ndarray) -> None:
    """An OBJ file that keeps every bit."""
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in points.astype(float).tolist()]
    path.write_text("\n".join([*lines, *(f"f {a} {b} {c}" for a, b, c in (faces + 1).tolist())]) + "\n")


def scene(
    folder: Path, cloths: dict[str, str], bodies: Sequence[str], more: str = ""
) -> dict[str, np.ndarray]:
    """What the command computes of cloths, each with its keys: (frames, n, 3), y up, by name."""
    text = f"[settings]\ndt = {1 / 24!r}\nsubsteps = {STEPS}\nduration = {(FRAMES - 1) / 24!r}\n{more}\n"
    # The order of a bake.
    for name, keys in sorted(cloths.items()):
        thing = bpy.data.objects[name]
        obj(folder / f"{name}.obj", blend.y_up(blend.played(thing, 1)), blend.triangles(thing))
        text += f'\n[[garment]]\nname = "{name}"\nmesh = "{name}.obj"\nfriction = 0.3\n{keys}\n'
    for name in bodies:
        thing = bpy.data.objects[name]
        obj(folder / f"{name}.obj", blend.y_up(blend.played(thing, 1)), blend.triangles(thing))
        moved = np.stack([blend.y_up(blend.played(thing, frame)) for frame in range(1, FRAMES + 1)])
        np.save(folder / f"{name}.npy", moved)
        text += f'\n[[body]]\nname = "{name}"\nkind = "mesh"\npath = "{name}.obj"\n'
        text += f'motion = "{name}.npy"\nmotion_fps = 24\n'
    text += "\n[wind]\nvelocity = [0, 0, 0]\ndrag = 1.2\nlift = 0.0\n"
    text += '\n[output]\ncache = "out.pc2"\nunits = "metres"\n'
    (folder / "scene.toml").write_text(text)
    command(folder / "scene.toml")
    written = sorted(folder.glob("out*.pc2"))
    return {
        name: blend.pc2(next(path for path in written if len(written) == 1 or name in path.name))[0]
        for name in cloths
    }


def assert_same_bits(
    folder: Path, saved: Path, cloths: dict[str, str], bodies: Sequence[str] = (), more: str = ""
) -> None:
    """Bakes, runs the command, and compares the cache and what Blender plays."""
    expected = scene(folder, cloths, bodies, more)
    bpy.context.scene.frame_set(1)
    blend.bake(*(bpy.data.objects[name] for name in cloths), frame_start=1, frame_end=FRAMES, quality=STEPS)
    for name in cloths:
        thing = bpy.data.objects[name]
        cached = blend.y_up(blend.pc2(blend.cache(saved, thing))[0])
        differ = [
            frame for frame in range(FRAMES) if cached[frame].tobytes() != expected[name][frame].tobytes()
        ]
        assert cached.shape == expected[name].shape and differ == [], (
            f"{name}: frames {differ} differ, by {np.abs(cached - expected[name]).max()}"
        )
        for frame in range(1, FRAMES + 1):
            assert blend.y_up(blend.played(thing, frame)).tobytes() == expected[name][frame - 1].tobytes(), (
                frame
            )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "command"
    made.mkdir()
    return made


def rising_ball() -> None:
    ball = blend.ball(radius=0.12, at=(0.03, 0.01, -0.2), fineness=3)
    blend.moves(ball, (1, (0.03, 0.01, -0.2)), (12, (0.03, 0.01, 0.05)), (FRAMES, (0.1, 0.01, 0.05)))
    blend.bodies(ball)


def test_a_sheet_on_a_body_that_moves_held_by_pins(saved: Path, folder: Path) -> None:
    blend.pinned(blend.sheet("cape", n=13, at=PLACE), {vertex: 1.0 for vertex in range(13)})
    rising_ball()
    assert_same_bits(folder, saved, {"cape": f"pins = {list(range(13))}"}, ["ball"])
    assert blend.results().is_clean


def test_a_sheet_that_falls_on_itself(saved: Path, folder: Path) -> None:
    import test_untangle

    test_untangle.pierced("tangled", n=12)
    assert_same_bits(folder, saved, {"tangled": ""})


@pytest.mark.parametrize("fabric", ["SILK", "DENIM"])
def test_fabric_and_thickness(saved: Path, folder: Path, fabric: str) -> None:
    thing = blend.pinned(blend.sheet("cape", at=PLACE), {0: 1.0, 8: 1.0})
    thing.cloth_judge.fabric = fabric
    thing.cloth_judge.thickness = 0.0078125
    keys = f'pins = [0, 8]\nmaterial = "{fabric.lower()}"\nthickness = 0.0078125'
    assert_same_bits(folder, saved, {"cape": keys})


def test_springs_and_fabrics_of_faces(saved: Path, folder: Path) -> None:
    thing = blend.pinned(blend.sheet("cape", n=7, at=PLACE), {0: 1.0, 6: 0.5})
    thing.cloth_judge.pin_stiffness = 200.0
    for fabric in ("OBJECT", "SILK"):
        material = bpy.data.materials.new(fabric)
        material.cloth_judge.fabric = fabric
        thing.data.materials.append(material)
    top = [face for face in thing.data.polygons if min(face.vertices) >= 28]
    for face in top:
        face.material_index = 1
    keys = "pins = [0, { vertex = 6, compliance = 0.01 }]\n"
    keys += f'face_materials = [{{ vertices = {list(range(28, 49))}, material = "silk" }}]'
    assert_same_bits(folder, saved, {"cape": keys})


def test_two_cloths_with_layers(saved: Path, folder: Path) -> None:
    for layer, name in ((1, "under"), (2, "over")):
        thing = blend.sheet(name, n=9, at=(0.011, 0.007, 0.05 * layer))
        thing.cloth_judge.layer = layer
    rising_ball()
    assert_same_bits(folder, saved, {"under": "layer = 1", "over": "layer = 2"}, ["ball"])


def test_threads_change_no_bit(saved: Path) -> None:
    import cloth

    rising_ball()
    thing = blend.sheet("cape", n=13, at=PLACE)
    baked: list[bytes] = []
    for count in (1, 2):
        with cloth.threads(count):
            blend.bake(thing, frame_start=1, frame_end=FRAMES, quality=STEPS)
        baked.append(blend.cache(saved, thing).read_bytes())
    assert baked[0] == baked[1]
