"""Bake: what is written and played, what settings and bodies do, how it goes on, and what is refused."""

from __future__ import annotations

import math
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import blend
import bpy
import numpy as np
import pytest

FEW = {"frame_start": 1, "frame_end": 8, "quality": 6}


def edge_row(n: int = 9) -> dict[int, float]:
    """The vertices of one side of a sheet, held exactly."""
    return {vertex: 1.0 for vertex in range(n)}


def frames(thing: blend.Object, first: int = 1, last: int = 8) -> np.ndarray:
    """The positions that Blender plays, (frames, n, 3), in the world."""
    return np.stack([blend.played(thing, frame) for frame in range(first, last + 1)])


def modifier(thing: blend.Object) -> bpy.types.Modifier:
    return thing.modifiers["Cloth Judge"]


# --- what is written and played ---


def test_a_bake_is_a_point_cache_that_blender_plays(saved: Path) -> None:
    thing = blend.sheet(at=(0, 0, 0.5))
    start = blend.played(thing)
    blend.bake(thing, **FEW)
    path = blend.cache(saved, thing)
    written, first, rate = blend.pc2(path)
    assert written.shape == (8, 81, 3) and (first, rate) == (1.0, 1.0)
    used = modifier(thing)
    assert used.type == "MESH_CACHE" and Path(bpy.path.abspath(used.filepath)) == path
    shown = frames(thing)
    assert (shown[0] == start).all(), "the first frame is the mesh as it is"
    assert (np.diff(shown[:, :, 2].mean(axis=1)) < 0).all(), "it falls"
    # Free fall of 7 frames of 1/24 s, under the drag of still air.
    assert 0.3 < (start - shown[-1])[:, 2].mean() / (0.5 * 9.81 * (7 / 24) ** 2) <= 1.01
    assert blend.played(thing, 0).tobytes() == start.tobytes(), "before the first frame it is still"
    assert blend.played(thing, 20).tobytes() == shown[-1].tobytes(), "after the last one, too"
    results = blend.results()
    assert results.is_clean and results.certified == 7 and results.released == 0 == results.frames_unclean


@pytest.mark.parametrize("first", [-3, 0, 37, 1001])
def test_a_bake_may_start_at_any_frame(saved: Path, first: int) -> None:
    early, late = blend.sheet("early"), blend.sheet("late")
    blend.bake(early, **FEW)
    blend.bake(late, frame_start=first, frame_end=first + 7)
    assert frames(early).tobytes() == frames(late, first, first + 7).tobytes()


def test_a_second_bake_replaces_the_first(saved: Path) -> None:
    thing = blend.sheet()
    blend.bake(thing, **FEW)
    once = frames(thing)
    blend.bake(thing)
    assert len([m for m in thing.modifiers if m.type == "MESH_CACHE"]) == 1
    assert frames(thing).tobytes() == once.tobytes(), "a bake starts from the mesh, not from what was baked"


def test_free_deletes_the_bake(saved: Path) -> None:
    thing = blend.sheet()
    blend.bake(thing, frame_start=1, frame_end=12, quality=4)
    assert blend.cache(saved, thing).exists() and (saved / "cape_cloth.snapshot").exists()
    assert bpy.ops.cloth_judge.free() == {"FINISHED"}
    assert "Cloth Judge" not in thing.modifiers
    assert [path.name for path in saved.iterdir() if path.suffix in (".pc2", ".snapshot")] == []
    assert blend.played(thing, 5).tobytes() == blend.played(thing, 1).tobytes()


def test_undo_takes_the_modifier_away(saved: Path) -> None:
    blend.select(blend.sheet())
    blend.settings(**FEW)
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.cloth_judge.bake("EXEC_DEFAULT", True)
    assert "Cloth Judge" in bpy.data.objects["sheet"].modifiers
    bpy.ops.ed.undo()
    assert "Cloth Judge" not in bpy.data.objects["sheet"].modifiers


def test_the_file_opens_with_its_bake(saved: Path) -> None:
    thing = blend.sheet()
    blend.bake(thing, **FEW)
    shown = frames(thing)
    with blend.quiet():
        bpy.ops.wm.save_mainfile()
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        bpy.ops.wm.open_mainfile(filepath=str(saved / "cape.blend"))
    assert frames(bpy.data.objects["sheet"]).tobytes() == shown.tobytes()


def test_an_object_elsewhere_and_turned_is_baked_where_it_is(saved: Path) -> None:
    here, there = blend.sheet("here"), blend.sheet("there")
    there.location = (8, -4, 2)
    there.rotation_euler = (0, 0, math.radians(90))
    blend.bake(here, there, **FEW)
    a, b = frames(here), frames(there)
    turned = np.stack([-a[..., 1], a[..., 0], a[..., 2]], axis=-1) + np.float32([8, -4, 2])
    assert np.abs(turned - b).max() < 1e-4, "the same motion, elsewhere: positions near 8 are rounded to 5e-7"


def test_modifiers_are_applied_below_and_stay_on_top(saved: Path) -> None:
    thing = blend.sheet(n=5)
    thing.modifiers.new("warp", "CAST").factor = 0.5
    finer = thing.modifiers.new("finer", "SUBSURF")
    finer.levels = 1
    bent = blend.sheet("bent", n=5)
    bent.modifiers.new("warp", "CAST").factor = 0.5
    start = blend.played(bent)
    blend.bake(thing, **FEW)
    assert [m.name for m in thing.modifiers] == ["warp", "Cloth Judge", "finer"]
    finer.show_viewport = False
    assert (blend.played(thing, 1) == start).all()
    assert blend.played(thing, 8)[:, 2].mean() < start[:, 2].mean() - 0.1
    finer.show_viewport = True
    assert len(blend.played(thing, 8)) > 25


def test_names_become_names_of_files(saved: Path) -> None:
    names = ["Tücher/1:2", "a b", "x" * 63]
    things = [blend.sheet(name, n=3, at=(2 * i, 0, 0)) for i, name in enumerate(names)]
    blend.bake(*things, **FEW)
    for thing in things:
        path = Path(bpy.path.abspath(modifier(thing).filepath))
        assert path.parent == saved and path.exists(), path
        assert blend.played(thing, 8)[:, 2].mean() < -0.1
    assert len(list(saved.glob("*.pc2"))) == 3
    blend.bake(blend.sheet("a:b", n=3), blend.sheet("a/b", n=3, at=(2, 0, 0)), **FEW)
    assert len(list(saved.glob("*.pc2"))) == 5
    blend.select(blend.sheet("A B", n=3))
    assert "one file" in blend.said(bpy.ops.cloth_judge.bake), "some systems do not tell these names apart"


def test_the_frame_rate_may_be_a_fraction(saved: Path) -> None:
    """29.97 a second: 30 / 1.001, of which a frame is longer than one of 30."""
    bpy.context.scene.render.fps = 30
    whole, slow = blend.sheet("whole"), blend.sheet("slow")
    blend.bake(whole, **FEW)
    bpy.context.scene.render.fps_base = 1.001
    blend.bake(slow)
    fallen = [-float(blend.played(thing, 8)[:, 2].mean()) for thing in (whole, slow)]
    assert 1.001 < fallen[1] / fallen[0] < 1.003, fallen


def test_frames_are_judged_as_blender_shows_quads(saved: Path) -> None:
    """A quad that folds back is shown by its other diagonal; the count is that of what is shown."""
    import test_untangle

    source = test_untangle.pierced("source", n=9)
    cells = [(9 * row + column, 9 * row + column + 1) for row in range(8) for column in range(8)]
    quads = [(a, b, b + 9, a + 9) for a, b in cells]
    thing = blend.mesh("quads", blend.played(source), quads)
    blend.select(thing)
    blend.settings(frame_start=1, frame_end=20, quality=10)
    bpy.ops.cloth_judge.bake()
    counted = {row.frame: row.count for row in blend.results().rows}
    shown = {frame: blend.meets(thing, frame=frame) for frame in range(1, 21)}
    assert counted == {frame: count for frame, count in shown.items() if count} and counted


def test_two_cloths_that_meet_do_not_pass_through_each_other(saved: Path) -> None:
    low, high = (
        blend.pinned(blend.sheet("low"), edge_row() | {80 - v: 1.0 for v in range(9)}),
        blend.sheet("high", side=0.3, at=(0, 0, 0.1)),
    )
    blend.bake(low, high, frame_start=1, frame_end=14, quality=10)
    assert blend.results().is_clean
    for frame in range(1, 15):
        assert blend.meets(low, high, frame=frame) == 0
    gap = blend.played(high, 14)[:, 2].mean() - blend.played(low, 14)[:, 2].mean()
    assert gap > 0, "it lies on the other"


def test_the_format_usd_writes_a_stage_too(saved: Path) -> None:
    import cloth

    thing = blend.sheet()
    blend.bodies(blend.ball(at=(0, 0, -1)))
    blend.bake(thing, **FEW, format="USD")
    (stage,) = [path for path in saved.iterdir() if path.suffix in (".usd", ".usda", ".usdc")]
    assert blend.cache(saved, thing).exists()
    with blend.quiet():
        bpy.ops.wm.usd_import(filepath=str(stage))
    meshes = [o for o in bpy.data.objects if o.type == "MESH" and o.name not in ("sheet", "ball")]
    assert {len(o.data.vertices) for o in meshes} == {81, len(bpy.data.objects["ball"].data.vertices)}
    assert cloth.read_mesh(stage)


# --- what is set ---


def test_pins_of_weight_one_hold_exactly_and_follow_their_object(saved: Path) -> None:
    thing = blend.pinned(blend.sheet(), edge_row())
    blend.moves(thing, (1, (0, 0, 0)), (8, (0.2, 0, 0.1)))
    bpy.context.scene.frame_set(1)
    twin = blend.sheet("twin")
    blend.moves(twin, (1, (0, 0, 0)), (8, (0.2, 0, 0.1)))
    blend.bake(thing, **FEW)
    shown, moved = frames(thing), frames(twin)
    assert np.abs(shown[:, :9] - moved[:, :9]).max() < 1e-6
    assert (moved[-1, 9:, 2] - shown[-1, 9:, 2]).max() > 0.02, "the rest hangs"
    assert blend.results().is_clean


def test_pins_follow_an_armature(saved: Path) -> None:
    thing = blend.pinned(blend.sheet(), edge_row())
    thing.vertex_groups.new(name="bone").add(list(range(81)), 1.0, "REPLACE")
    rig = armature("rig", {"bone": ((0, 0, 0), (0, 0, 0.3))})
    thing.modifiers.new("rig", "ARMATURE").object = rig
    twin = blend.sheet("twin")
    twin.vertex_groups.new(name="bone").add(list(range(81)), 1.0, "REPLACE")
    twin.modifiers.new("rig", "ARMATURE").object = rig
    swing(rig, "bone", (1, 0), (8, 40))
    blend.bake(thing, **FEW)
    shown, moved = frames(thing), frames(twin)
    assert np.ptp(moved[:, :9], axis=0).max() > 0.05, "the armature moves"
    assert np.abs(shown[:, :9] - moved[:, :9]).max() < 1e-6
    assert np.abs(shown[-1, 40:] - moved[-1, 40:]).max() > 1e-3, "and the cloth is no longer skinned"


def armature(name: str, bones: dict[str, tuple]) -> blend.Object:
    rig = bpy.data.objects.new(name, bpy.data.armatures.new(name))
    bpy.context.scene.collection.objects.link(rig)
    blend.select(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    for bone, (head, tail) in bones.items():
        made = rig.data.edit_bones.new(bone)
        made.head, made.tail = head, tail
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def swing(rig: blend.Object, bone: str, *keys: tuple[int, float]) -> None:
    pose = rig.pose.bones[bone]
    pose.rotation_mode = "XYZ"
    for frame, degrees in keys:
        pose.rotation_euler = (math.radians(degrees), 0, 0)
        pose.keyframe_insert("rotation_euler", frame=frame)


def test_a_weight_between_is_a_spring_and_stiffness_counts(saved: Path) -> None:
    fallen = {}
    for name, weight, stiffness in (
        ("exact", 1.0, 50),
        ("firm", 0.9, 50),
        ("weak", 0.1, 50),
        ("stiff", 0.1, 5000),
        ("free", 0.0, 50),
    ):
        thing = blend.pinned(blend.sheet(name), {vertex: weight for vertex in edge_row()})
        thing.cloth_judge.pin_stiffness = stiffness
        blend.bake(thing, **FEW)
        fallen[name] = -float(blend.played(thing, 8)[:9, 2].mean())
    assert abs(fallen["exact"]) < 1e-6
    assert fallen["exact"] < fallen["firm"] < fallen["weak"] < fallen["free"], fallen
    assert fallen["stiff"] < fallen["weak"], fallen


def test_springs_follow_their_object_each_its_own(saved: Path) -> None:
    moved = {}
    things = [
        blend.pinned(blend.sheet(name, n=5, at=(at, 0, 0)), {0: 1.0, 4: 0.9})
        for name, at in (("a", 0), ("b", 3))
    ]
    for thing, way in zip(things, (0.3, -0.3)):
        thing.cloth_judge.pin_stiffness = 2000.0
        blend.moves(thing, (1, (0, 0, 0)), (8, (0, way, 0)))
        moved[thing] = way
    bpy.context.scene.frame_set(1)
    starts = {thing: blend.played(thing) for thing in things}
    blend.bake(*things, **FEW)
    for thing, way in moved.items():
        target = starts[thing][4] + (0, way, 0)
        assert blend.distance(blend.played(thing, 8)[4], target) < 0.05, thing.name


def test_fabrics_by_material_slot(saved: Path) -> None:
    def baked(name: str, fabric: str, slots: list[str], halves: bool = False) -> np.ndarray:
        thing = blend.pinned(blend.sheet(name), edge_row())
        thing.cloth_judge.fabric = fabric
        for slot in slots:
            material = bpy.data.materials.new(slot)
            material.cloth_judge.fabric = slot
            thing.data.materials.append(material)
        if halves:
            for face in thing.data.polygons:
                face.material_index = face.index % 2
        blend.bake(thing, frame_start=1, frame_end=12, quality=6)
        return frames(thing, 1, 12)

    cotton, denim = baked("a", "COTTON", []), baked("b", "DENIM", [])
    assert np.abs(cotton - denim).max() > 1e-4, "fabrics differ"
    assert np.abs(baked("c", "COTTON", ["DENIM"]) - denim).max() < 1e-5, "all faces are of it"
    assert baked("d", "DENIM", ["OBJECT"]).tobytes() == denim.tobytes()
    mixed = baked("e", "COTTON", ["OBJECT", "DENIM"], halves=True)
    assert all(np.abs(mixed - other).max() > 1e-5 for other in (cotton, denim))


def test_loose_edges_are_sewn(saved: Path) -> None:
    points, faces = blend.grid(7, 0.2)
    left, right = points - [0.13, 0, 0], points + [0.13, 0, 0]
    seam = [(7 * row + 6, 49 + 7 * row) for row in range(7)]
    both = [*faces, *(np.array(faces) + 49).tolist()]

    def width(name: str, sewing: bool) -> float:
        thing = blend.mesh(name, np.concatenate([left, right]), both, seam)
        thing.cloth_judge.use_sewing = sewing
        blend.bake(thing, frame_start=1, frame_end=24, quality=16)
        assert blend.results().is_clean
        end = blend.played(thing, 24)
        return max(blend.distance(end[a], end[b]) for a, b in seam)

    assert width("open", False) > 0.05
    assert width("sewn", True) < 0.01


def test_seams_may_lead_to_pinned_vertices_without_faces(saved: Path) -> None:
    """Hooks: a vertex above each of two corners, held and sewn to it, and one that belongs to nothing."""
    points, faces = blend.grid(9)
    hooks = points[[0, 8]] + [0, 0, 0.04]
    thing = blend.mesh("hung", np.concatenate([points, hooks, [(3, 3, 3)]]), faces, [(0, 81), (8, 82)])
    thing.cloth_judge.use_sewing = True
    blend.pinned(thing, {81: 1.0, 82: 1.0})
    blend.bake(thing, frame_start=1, frame_end=24, quality=12)
    end = blend.played(thing, 24)
    assert blend.distance(end[83], (3, 3, 3)) < 1e-6, "it stays where it is"
    for corner, hook in ((0, 81), (8, 82)):
        assert blend.distance(end[hook], hooks[hook - 81]) < 1e-6
        assert blend.distance(end[corner], end[hook]) < 0.005
    assert end[40, 2] < -0.1, "it hangs"


def test_sewing_is_not_judged_as_an_intersection(saved: Path) -> None:
    """Seams end at one place, and their faces share it."""
    points, faces = blend.grid(5, 0.2)
    seam = [(v, 25 + v) for v in range(5)]
    thing = blend.mesh(
        "sewn",
        np.concatenate([points, points + [0, 0, 0.02]]),
        [*faces, *(np.array(faces) + 25).tolist()],
        seam,
    )
    thing.cloth_judge.use_sewing = True
    blend.bake(thing, frame_start=1, frame_end=20, quality=16)
    assert blend.results().is_clean, blend.results().headline


def test_the_rest_shape_key_is_where_the_cloth_is_free_of_stress(saved: Path) -> None:
    def side(name: str, rest: bool) -> float:
        thing = blend.sheet(name)
        thing.shape_key_add(name="Basis")
        small = thing.shape_key_add(name="small")
        small.value = 0.0
        for vertex, point in enumerate(thing.data.vertices):
            small.data[vertex].co = point.co * 0.8
        thing.cloth_judge.rest_shape_key = "small" if rest else ""
        blend.bake(thing, frame_start=1, frame_end=12, quality=12)
        end = blend.played(thing, 12)
        return blend.distance(end[0], end[8])

    assert abs(side("as it is", False) - 0.4) < 0.02
    assert side("shrunk", True) < 0.36


def test_layers_are_told_which_is_outside(saved: Path) -> None:
    def baked(layers: tuple[int, int]) -> tuple[blend.Object, blend.Object]:
        low, high = blend.sheet(f"low {layers}", n=7), blend.sheet(f"high {layers}", n=7, at=(0, 0, 0.002))
        low.cloth_judge.layer, high.cloth_judge.layer = layers
        # Through each other at a corner: the outer one is to end above.
        high.rotation_euler = (math.radians(2), 0, 0)
        blend.settings(frame_start=1, frame_end=16, quality=12)
        blend.select(low, high)
        bpy.ops.cloth_judge.bake()
        return low, high

    low, high = baked((1, 2))
    assert blend.meets(low, high, frame=1) > 0
    assert blend.meets(low, high, frame=16) == 0
    assert (blend.played(high, 16)[:, 2] - blend.played(low, 16)[:, 2]).mean() > 0
    low, high = baked((2, 1))
    assert (blend.played(high, 16)[:, 2] - blend.played(low, 16)[:, 2]).mean() < 0, "the other way about"


def test_thickness_friction_gravity_and_frame_rate_count(saved: Path) -> None:
    def baked(name: str, change: Callable[[blend.Object], None]) -> np.ndarray:
        thing = blend.sheet(name, at=(0.06, 0, 0.16))
        change(thing)
        blend.bake(thing, frame_start=1, frame_end=16, quality=8)
        return blend.played(thing, 16)

    blend.bodies(blend.ball())
    plain = baked("plain", lambda thing: None)

    def thick(thing: blend.Object) -> None:
        thing.cloth_judge.thickness = 0.03

    def slippery(thing: blend.Object) -> None:
        thing.cloth_judge.friction = 0.0

    assert np.abs(baked("thick", thick) - plain).max() > 1e-3
    assert np.abs(baked("slippery", slippery) - plain).max() > 1e-3
    bpy.context.scene.render.fps = 48
    slow = baked("half the time", lambda thing: None)
    assert slow[:, 2].mean() > plain[:, 2].mean() + 0.01, "16 frames are half as long"
    bpy.context.scene.use_gravity = False
    still = baked("weightless", lambda thing: None)
    assert np.abs(still[:, 2] - 0.16).max() < 0.02


def test_quality_zero_is_960_steps_a_second(saved: Path) -> None:
    by_rate, by_number = blend.sheet("by rate"), blend.sheet("by number")
    blend.bake(by_rate, frame_start=1, frame_end=4, quality=0)
    blend.bake(by_number, quality=40)
    assert frames(by_rate, 1, 4).tobytes() == frames(by_number, 1, 4).tobytes()


def test_wind_carries_the_cloth(saved: Path) -> None:
    wind = bpy.data.objects.new("wind", None)
    bpy.context.scene.collection.objects.link(wind)
    blend.select(wind)
    bpy.ops.object.forcefield_toggle()
    wind.field.type, wind.field.strength = "WIND", 8.0
    wind.rotation_euler = (0, math.radians(90), 0)  # its z along the x of the world
    thing = blend.pinned(blend.sheet(at=(0, 0, 0)), edge_row())
    thing.rotation_euler = (0, math.radians(90), 0)
    blend.bake(thing, frame_start=1, frame_end=12, quality=8)
    blown = blend.played(thing, 12)[:, 0].mean()
    wind.field.strength = -8.0
    blend.bake(thing)
    assert blown > 0.01 and blend.played(thing, 12)[:, 0].mean() < -0.01


def test_wind_that_changes_turns_the_cloth_about(saved: Path) -> None:
    wind = bpy.data.objects.new("wind", None)
    bpy.context.scene.collection.objects.link(wind)
    blend.select(wind)
    bpy.ops.object.forcefield_toggle()
    wind.field.type = "WIND"
    wind.rotation_euler = (0, math.radians(90), 0)
    for frame, strength in ((1, 8.0), (10, 8.0), (11, -8.0)):
        wind.field.strength = strength
        wind.field.keyframe_insert("strength", frame=frame)
    bpy.context.scene.use_gravity = False
    thing = blend.pinned(blend.sheet(), edge_row())
    thing.rotation_euler = (0, math.radians(90), 0)
    bpy.context.scene.frame_set(1)
    blend.bake(thing, frame_start=1, frame_end=24, quality=8)
    mean = frames(thing, 1, 24)[:, :, 0].mean(axis=1)
    assert mean[9] > 0.01 and mean[23] < mean[10] - 0.01, mean


# --- bodies ---


def keyframes() -> blend.Object:
    return blend.moves(blend.ball(radius=0.12, at=(0, 0, -0.2)), (1, (0, 0, -0.2)), (16, (0, 0, 0.1)))


def skinned() -> blend.Object:
    thing = blend.ball(radius=0.12, at=(0, 0, -0.2))
    thing.vertex_groups.new(name="bone").add(list(range(len(thing.data.vertices))), 1.0, "REPLACE")
    rig = armature("rig", {"bone": ((0, 0, -0.5), (0, 0, 0))})
    thing.modifiers.new("rig", "ARMATURE").object = rig
    pose = rig.pose.bones["bone"]
    for frame, up in ((1, 0.0), (16, 0.3)):
        pose.location = (0, up, 0)
        pose.keyframe_insert("location", frame=frame)
    return thing


def nodes() -> blend.Object:
    thing = blend.ball(radius=0.12, at=(0, 0, -0.2))
    group = bpy.data.node_groups.new("rise", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    first, last = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    move, time, up = (
        group.nodes.new(f"{kind}")
        for kind in ("GeometryNodeTransform", "GeometryNodeInputSceneTime", "ShaderNodeCombineXYZ")
    )
    scale = group.nodes.new("ShaderNodeMath")
    scale.operation = "MULTIPLY"
    scale.inputs[1].default_value = 0.02
    for a, b in (
        (first.outputs[0], move.inputs["Geometry"]),
        (time.outputs["Frame"], scale.inputs[0]),
        (scale.outputs[0], up.inputs["Z"]),
        (up.outputs[0], move.inputs["Translation"]),
        (move.outputs[0], last.inputs[0]),
    ):
        group.links.new(a, b)
    thing.modifiers.new("rise", "NODES").node_group = group
    return thing


@pytest.mark.parametrize("body", [keyframes, skinned, nodes])
def test_a_body_that_moves_lifts_the_cloth_and_never_meets_it(
    saved: Path, body: Callable[[], blend.Object]
) -> None:
    thing, ball = blend.sheet(n=11), body()
    blend.bodies(ball)
    bpy.context.scene.frame_set(1)
    blend.bake(thing, frame_start=1, frame_end=16, quality=12)
    rises = np.ptp([blend.played(ball, frame)[:, 2].max() for frame in (1, 16)])
    assert rises > 0.2, "the body moves"
    assert blend.played(thing, 16)[:, 2].max() > blend.played(ball, 16)[:, 2].max() - 0.001
    for frame in range(1, 17):
        assert blend.meets(thing, ball, frame=frame) == 0, frame
    results = blend.results()
    assert results.is_clean and results.released == 0 and results.certified == 15


def test_bodies_that_meet_each_other_are_no_concern_of_the_cloth(saved: Path) -> None:
    """Arms and trunks of dressed bodies meet; cloth near neither of them is clean."""
    left, right = blend.ball("left", at=(-0.1, 0, -2)), blend.ball("right", at=(0.1, 0, -2))
    blend.moves(right, (1, (0.1, 0, -2)), (8, (-0.6, 0, -2)))
    blend.bodies(left, right)
    bpy.context.scene.frame_set(1)
    assert blend.meets(left, right) > 0
    blend.bake(blend.sheet(), **FEW)
    assert blend.results().is_clean and len(blend.results().rows) == 0
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 8
    blend.settings(check_frames="RANGE", between_frames=True)
    bpy.ops.cloth_judge.check()
    assert blend.results().is_clean


def test_bodies_in_collections_within_collide_and_others_do_not(saved: Path) -> None:
    below = blend.ball(radius=0.12, at=(0, 0, -0.2))
    inner = bpy.data.collections.new("inner")
    blend.bodies(below).children.link(inner)
    inner.objects.link(below)
    bpy.context.scene.cloth_judge.bodies.objects.unlink(below)
    blend.ball("other", radius=0.12, at=(0, 0, -0.1))
    thing = blend.sheet(n=9)
    blend.bake(thing, frame_start=1, frame_end=12, quality=8)
    assert blend.meets(thing, below, frame=12) == 0
    assert blend.played(thing, 12)[:, 2].max() > -0.09 - 0.02


def test_what_pins_drive_into_a_body_is_released_and_counted(saved: Path) -> None:
    thing = blend.pinned(
        blend.sheet(n=11), {vertex: 1.0 for vertex in range(121) if vertex // 11 in (0, 5, 10)}
    )
    ball = blend.ball(radius=0.12, at=(0, 0, -0.2))
    blend.moves(ball, (1, (0, 0, -0.2)), (12, (0, 0, 0.1)))
    blend.bodies(ball)
    bpy.context.scene.frame_set(1)
    blend.bake(thing, frame_start=1, frame_end=12, quality=8)
    results = blend.results()
    assert blend.meets(thing, ball, frame=12) > 0
    assert results.released > 0 and not results.is_clean
    assert f"{results.released:,}" in results.headline and "released" in results.headline
    assert all({row.first, row.second} <= {"sheet", "ball", ""} for row in results.rows)


def test_a_cut_takes_the_cloth_along(saved: Path) -> None:
    thing = blend.pinned(blend.sheet(), edge_row())
    blend.moves(thing, (1, (0, 0, 0)), (5, (0, 0, 0)), (6, (40, 0, 3)), (10, (40, 0, 3)))
    bpy.context.scene.frame_set(1)
    blend.bake(thing, frame_start=1, frame_end=10, quality=8)
    shown = frames(thing, 1, 10)
    assert (shown[4, :, 0] < 1).all() and (shown[5, :, 0] > 39).all()
    spread = np.linalg.norm(shown[5] - shown[5].mean(axis=0), axis=1).max()
    assert spread < 0.35, "it is not drawn along its way"
    assert "cut at frame 6" in blend.results().headline
    assert blend.results().is_clean


def test_a_start_that_intersects_is_said_and_worked_open(saved: Path) -> None:
    import test_untangle

    thing = test_untangle.pierced()
    blend.bake(thing, frame_start=1, frame_end=24, quality=24)
    results = blend.results()
    assert blend.meets(thing, frame=1) > 0 and not results.is_clean and results.frames_unclean >= 1
    met = [frame for frame in range(1, 25) if blend.meets(thing, frame=frame)]
    assert results.frames_unclean == len(met)
    assert [row.frame for row in results.rows] == met
    assert blend.meets(thing, frame=24) == 0


# --- going on ---


def test_resume_equals_an_uninterrupted_bake_bit_for_bit(saved: Path) -> None:
    blend.bodies(keyframes())
    bpy.context.scene.frame_set(1)
    thing = blend.pinned(blend.sheet("one"), {0: 1.0, 1: 0.5})
    settings = {"frame_start": 1, "quality": 8}
    blend.bake(thing, **settings, frame_end=24)
    path = blend.cache(saved, thing)
    whole = path.read_bytes()
    for part in (11, 15, 21):
        blend.bake(thing, **settings, frame_end=part)
        assert path.read_bytes() != whole
        blend.bake(thing, resume=True, frame_end=24)
        assert path.read_bytes() == whole, f"interrupted after frame {part}"
        results = blend.results()
        assert results.certified == 23 and results.is_clean


def test_resume_with_another_body_is_refused(saved: Path) -> None:
    ball = blend.ball(at=(0, 0, -0.5))
    blend.bodies(ball)
    thing = blend.sheet()
    blend.bake(thing, frame_start=1, frame_end=12, quality=4)
    blend.settings(frame_end=20)
    ball.location.z = -0.4
    assert "changed" in blend.said(bpy.ops.cloth_judge.bake, resume=True)
    ball.location.z = -0.5
    blend.bake(thing, resume=True)


def test_resume_of_a_bake_that_is_complete_changes_nothing(saved: Path) -> None:
    thing = blend.sheet()
    blend.bake(thing, frame_start=1, frame_end=11, quality=4)
    path = blend.cache(saved, thing)
    whole = path.read_bytes()
    blend.bake(thing, resume=True)
    assert path.read_bytes() == whole


def test_a_snapshot_of_another_scene_or_version_is_refused(saved: Path) -> None:
    thing = blend.sheet()
    blend.bake(thing, frame_start=1, frame_end=12, quality=4)
    path = blend.cache(saved, thing)
    whole = path.read_bytes()
    snapshot = saved / "cape_cloth.snapshot"
    kept = snapshot.read_bytes()
    blend.settings(frame_end=20)
    thing.data.vertices[3].co.z = 0.01
    blend.said(bpy.ops.cloth_judge.bake, resume=True)
    thing.data.vertices[3].co.z = 0.0
    for damaged in (
        b"",
        b"\0" * 100,
        kept[:-20],
        kept.replace(b"snapshot 1", b"snapshot 9"),
        kept[:200],
        kept[:-200] + b"\xff" * 200,
    ):
        snapshot.write_bytes(damaged)
        text = blend.said(bpy.ops.cloth_judge.bake, resume=True)
        assert "cape_cloth.snapshot" in text or "snapshot" in text, text
        assert path.read_bytes()[32:] == whole[32:], "what was baked is still there"
    snapshot.unlink()
    assert "snapshot" in blend.said(bpy.ops.cloth_judge.bake, resume=True)
    snapshot.write_bytes(kept)
    path.unlink()
    assert path.name in blend.said(bpy.ops.cloth_judge.bake, resume=True)


def test_a_bake_that_is_cancelled_keeps_what_it_has(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As Esc does: the job is told while it works."""
    work = sys.modules[f"{blend.MODULE}.work"]
    thing = blend.sheet(n=33)
    blend.bake(thing, frame_start=1, frame_end=40, quality=20)
    path = blend.cache(saved, thing)
    whole = path.read_bytes()
    advance = work.Runner.advance

    def until_half(runner: Any) -> bool:
        if runner.job.progress > 0.5:
            runner.job.cancelled.set()
        return advance(runner)

    monkeypatch.setattr(work.Runner, "advance", until_half)
    bpy.ops.cloth_judge.bake()
    monkeypatch.undo()
    written, _, _ = blend.pc2(path)
    assert 10 < len(written) < 40, "a part of it"
    assert path.read_bytes()[32:] == whole[32 : 32 + written.nbytes]
    assert str(len(written)) in blend.results().headline
    blend.bake(thing, resume=True)
    assert path.read_bytes() == whole


# --- what is refused ---


def refused(*things: blend.Object, resume: bool = False) -> str:
    blend.select(*things)
    blend.settings(**FEW)
    text = blend.said(bpy.ops.cloth_judge.bake, resume=resume)
    assert not any("Cloth Judge" in thing.modifiers for thing in things)
    return text


def test_a_file_without_a_name_is_refused() -> None:
    assert "save" in refused(blend.sheet()).lower()


def test_what_cannot_be_baked_is_refused_in_one_sentence(saved: Path) -> None:
    refused()
    assert "empty" in refused(blend.mesh("empty", [(0, 0, 0), (1, 0, 0)], [], [(0, 1)]))
    scaled = blend.sheet("scaled")
    scaled.scale = (1, 1, 2)
    text = refused(scaled)
    assert "scaled" in text and "apply" in text.lower()
    group = blend.sheet("group")
    group.cloth_judge.pin_group = "gone"
    assert "gone" in refused(group)
    shape = blend.sheet("shape")
    shape.cloth_judge.rest_shape_key = "gone"
    assert "gone" in refused(shape)
    bad = blend.sheet("bad")
    bad.data.vertices[7].co.y = math.inf
    text = refused(bad)
    assert "bad" in text and "7" in text
    late = blend.sheet("late")
    late.modifiers.new("finer", "SUBSURF")
    late.modifiers.new("rig", "ARMATURE")
    assert "rig" in refused(late)
    bpy.context.scene.render.frame_map_old = 50
    assert "time" in refused(blend.sheet("stretched"))
    bpy.context.scene.render.frame_map_old = 100
    both = blend.sheet("both")
    both.modifiers.new("Cloth", "CLOTH")
    assert "both" in refused(both)
    sliver = blend.mesh("sliver", [(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(0, 1, 2)])
    assert "sliver" in refused(sliver)
    assert [path.name for path in saved.iterdir()] == ["cape.blend"], "nothing was written"


def test_the_end_before_the_start_is_refused(saved: Path) -> None:
    blend.select(blend.sheet())
    blend.settings(frame_start=10, frame_end=4)
    text = blend.said(bpy.ops.cloth_judge.bake)
    assert "10" in text and "4" in text


def test_bodies_that_cannot_collide_are_refused(saved: Path) -> None:
    ball = blend.ball("gone bad", at=(0, 0, -1))
    ball.data.vertices[2].co.x = math.nan
    blend.bodies(ball)
    assert "gone bad" in refused(blend.sheet())
    ball.data.vertices[2].co.x = 0.0
    array = ball.modifiers.new("grows", "ARRAY")
    array.count = 1
    for frame, count in ((1, 1), (5, 3)):
        array.count = count
        array.keyframe_insert("count", frame=frame)
    bpy.context.scene.frame_set(1)
    assert "gone bad" in refused(bpy.data.objects["sheet"])


def test_a_read_only_folder_and_a_missing_one_are_refused(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    thing = blend.sheet()
    path = blend.cache(saved, thing)
    # A folder of this name: not even root can write the file.
    path.mkdir()
    assert path.name in refused(thing)
    path.rmdir()
    if os.geteuid():
        saved.chmod(stat.S_IRUSR | stat.S_IXUSR)
        try:
            assert str(saved) in refused(thing)
        finally:
            saved.chmod(stat.S_IRWXU)
    for file in saved.iterdir():
        file.unlink()
    saved.rmdir()
    text = refused(thing)
    assert str(saved) in text, text


def test_what_cannot_be_written_on_the_way_is_said(saved: Path) -> None:
    """A folder where the snapshot or the stage is to be; a disk that is full."""
    thing = blend.sheet()
    for name in ("cape_cloth.snapshot", "cape_cloth.usda"):
        (saved / name).mkdir()
        blend.select(thing)
        blend.settings(frame_start=1, frame_end=12, quality=4, format="USD")
        text = blend.said(bpy.ops.cloth_judge.bake)
        assert name in text and "Errno" not in text, text
        (saved / name).rmdir()
    (saved / "cape_full.pc2").symlink_to("/dev/full")
    full = blend.sheet("full")
    blend.select(full)
    text = blend.said(bpy.ops.cloth_judge.bake)
    assert "cape_full.pc2" in text and "Errno" not in text, text
    (saved / "cape_full.pc2").unlink()
    blend.bake(full)


def test_the_cache_is_gone_when_the_frame_is_shown(saved: Path) -> None:
    thing = blend.sheet()
    blend.bake(thing, **FEW)
    blend.cache(saved, thing).unlink()
    blend.played(thing, 3)
    blend.bake(thing)
    assert blend.cache(saved, thing).exists()


def test_a_cache_that_another_object_plays_is_not_replaced(saved: Path) -> None:
    first = blend.sheet("cape")
    blend.bake(first, **FEW)
    first.name = "worn"
    blend.select(blend.sheet("cape", at=(2, 0, 0)))
    assert "worn plays" in blend.said(bpy.ops.cloth_judge.bake)


def test_an_open_seam_hides_nothing(saved: Path) -> None:
    """Two sheets through each other, sewn along one edge that is far apart: what intersects is counted."""
    lower = np.array([(0.1 * x, 0.1 * y, 0.0) for y in range(6) for x in range(6)])
    upper = lower @ np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]]) + (0.25, 0.03, 0.0)
    cells = [(6 * row + column) for row in range(5) for column in range(5)]
    faces = [(a, a + 1, a + 7, a + 6) for a in cells] + [(a + 36, a + 37, a + 43, a + 42) for a in cells]
    seam = [(6 * row, 36 + 6 * row) for row in range(6)]
    thing = blend.mesh("panels", np.concatenate([lower, upper]), faces, seam)
    thing.cloth_judge.use_sewing = True
    blend.pinned(thing, dict.fromkeys(range(72), 1.0))
    blend.bake(thing, frame_start=1, frame_end=2, quality=1)
    assert not blend.results().is_clean
