"""Untangle: a shape key without intersections, judged as Blender shows it, and taken back by undo."""

from __future__ import annotations

import math
from pathlib import Path

import blend
import bpy
import numpy as np


def untangle(*things: blend.Object) -> None:
    blend.select(*things)
    assert bpy.ops.cloth_judge.untangle() == {"FINISHED"}


def pierced(name: str = "pierced", n: int = 15) -> blend.Object:
    """A strip that goes up, over and down through itself: a part of a circle between straight ends."""
    points, faces = blend.grid(n, 0.4)
    s = np.linspace(-0.2, 0.2, 2001)
    angle = np.clip((s + 0.08) / 0.18, 0, 1) * math.radians(270)
    step = s[1] - s[0]
    x, z = (np.interp(points[:, 0], s, np.cumsum(part(angle)) * step) for part in (np.cos, np.sin))
    # Slightly askew, so that no edge lies in a face.
    return blend.mesh(
        name, np.stack([x - 0.1, points[:, 1] + 0.3 * z, z + 0.01 * points[:, 1]], axis=1), faces
    )


def basis(thing: blend.Object) -> np.ndarray:
    flat = np.empty(3 * len(thing.data.vertices), np.float32)
    thing.data.vertices.foreach_get("co", flat)
    return flat.reshape(-1, 3)


def test_a_tangled_sheet_becomes_clean_by_a_shape_key() -> None:
    thing = pierced()
    before, positions = blend.meets(thing), basis(thing)
    assert before > 0
    untangle(thing)
    assert blend.meets(thing) == 0 and blend.results().is_clean
    keys = thing.data.shape_keys.key_blocks
    assert len(keys) == 2 and keys[-1].value == 1.0
    assert (basis(thing) == positions).all(), "the mesh itself is as it was"
    keys[-1].value = 0.0
    assert blend.meets(thing) == before
    assert str(before) in blend.results().headline.replace(",", "")


def test_undo_and_redo() -> None:
    blend.select(pierced())
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.cloth_judge.untangle("EXEC_DEFAULT", True)
    assert bpy.data.objects["pierced"].data.shape_keys
    bpy.ops.ed.undo()
    thing = bpy.data.objects["pierced"]
    assert thing.data.shape_keys is None and blend.meets(thing) > 0
    bpy.ops.ed.redo()
    assert blend.meets(bpy.data.objects["pierced"]) == 0


def test_the_same_mesh_becomes_the_same_bits() -> None:
    one, other = pierced("one"), pierced("other")
    untangle(one)
    untangle(other)
    assert blend.played(one).tobytes() == blend.played(other).tobytes()


def test_a_garment_leaves_its_body() -> None:
    thing, ball = blend.sheet(n=13, at=(0, 0, 0.12)), blend.ball(radius=0.15)
    blend.bodies(ball)
    still = blend.played(ball)
    assert blend.meets(thing, ball) > 0
    untangle(thing)
    assert blend.meets(thing, ball) == 0
    assert (blend.played(ball) == still).all()


def test_two_garments_are_untangled_together_by_layer() -> None:
    inner, outer = blend.sheet("inner", n=11), blend.sheet("outer", n=11, side=0.42)
    # Its faces point outward: up. It lies through the other, on the wrong side by a corner.
    outer.rotation_euler = (math.radians(3), 0, 0)
    inner.cloth_judge.layer, outer.cloth_judge.layer = 1, 2
    assert blend.meets(inner, outer) > 0
    untangle(inner, outer)
    assert blend.meets(inner, outer) == 0
    assert blend.played(outer)[:, 2].mean() > blend.played(inner)[:, 2].mean()


def test_an_object_elsewhere_and_turned() -> None:
    thing = pierced()
    thing.location, thing.rotation_euler = (4, -3, 2), (0.3, 0.7, -1.1)
    ball = blend.ball(at=(9, 9, 9))
    blend.bodies(ball)
    assert blend.meets(thing) > 0
    untangle(thing)
    assert blend.meets(thing) == 0 and blend.results().is_clean
    assert blend.distance(blend.played(thing).mean(axis=0), (4, -3, 2)) < 0.2


def test_shape_keys_that_are_there_are_kept() -> None:
    thing = pierced()
    thing.shape_key_add(name="Basis")
    wide = thing.shape_key_add(name="wide")
    for vertex, point in enumerate(wide.data):
        point.co.x = basis(thing)[vertex, 0] * 1.1
    wide.value = 0.5
    assert blend.meets(thing) > 0
    untangle(thing)
    names = [key.name for key in thing.data.shape_keys.key_blocks]
    assert names[:2] == ["Basis", "wide"] and len(names) == 3 and wide.value == 0.5
    assert blend.meets(thing) == 0
    untangle(thing)
    assert len(thing.data.shape_keys.key_blocks) == 3, "there was nothing left to untangle"


def test_a_clean_mesh_is_left_as_it_is() -> None:
    thing = blend.sheet()
    untangle(thing)
    assert thing.data.shape_keys is None and blend.results().is_clean


def test_faces_that_lie_on_others_are_named_and_remain() -> None:
    """A patch in the middle of a sheet, as duplicating faces in place leaves it."""
    points, faces = blend.grid(9)
    low = [8 * row + column for row in range(2, 6) for column in range(2, 6)]
    patch = [faces[i] for i in [*low, *(64 + i for i in low)]]
    corners = np.unique(patch)
    copied = (np.searchsorted(corners, patch) + len(points)).tolist()
    thing = blend.mesh("doubled", np.concatenate([points, points[corners]]), [*faces, *copied])
    blend.settings(untangle_seconds=0.2)
    untangle(thing)
    results = blend.results()
    assert not results.is_clean and "lie" in results.headline, results.headline


def test_a_sheet_that_was_duplicated_in_place_is_refused() -> None:
    points, faces = blend.grid(5)
    thing = blend.mesh("twice", np.concatenate([points, points]), [*faces, *(np.array(faces) + 25).tolist()])
    blend.select(thing)
    text = blend.said(bpy.ops.cloth_judge.untangle)
    assert "twice" in text and "Merge" in text and "::" not in text, text


def test_modifiers_act_on_the_untangled_mesh() -> None:
    thing = pierced()
    thing.modifiers.new("finer", "SUBSURF").subdivision_type = "SIMPLE"
    thing.modifiers["finer"].levels = 1
    untangle(thing)
    assert blend.meets(thing) == 0
    assert thing.modifiers["finer"].show_viewport


def test_what_cannot_be_untangled_is_refused_in_one_sentence(tmp_path: Path) -> None:
    blend.select()
    blend.said(bpy.ops.cloth_judge.untangle)
    scaled = pierced("scaled")
    scaled.scale = (2, 2, 2)
    blend.select(scaled)
    text = blend.said(bpy.ops.cloth_judge.untangle)
    assert "scaled" in text and "apply" in text.lower()
    empty = blend.mesh("empty", [(0, 0, 0)], [])
    blend.select(empty)
    assert "empty" in blend.said(bpy.ops.cloth_judge.untangle)
    absolute = pierced("absolute")
    absolute.shape_key_add(name="Basis")
    absolute.data.shape_keys.use_relative = False
    blend.select(absolute)
    assert "absolute" in blend.said(bpy.ops.cloth_judge.untangle)
    assert len(absolute.data.shape_keys.key_blocks) == 1


def test_a_linked_mesh_is_refused(tmp_path: Path) -> None:
    pierced()
    path = str(tmp_path / "library.blend")
    with blend.quiet():
        bpy.ops.wm.save_as_mainfile(filepath=path)
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        with bpy.data.libraries.load(path, link=True) as (there, here):
            here.objects = ["pierced"]
    thing = here.objects[0]
    bpy.context.scene.collection.objects.link(thing)
    blend.select(thing)
    bpy.ops.cloth_judge.check()
    assert not blend.results().is_clean
    assert "pierced" in blend.said(bpy.ops.cloth_judge.untangle)
