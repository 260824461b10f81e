"""Check: what intersects, where it is in the world, in which frames, and what is refused."""

from __future__ import annotations

import math
from pathlib import Path

import blend
import bpy
import numpy as np
import pytest

MARK = "cloth_intersections"


def check(*things: blend.Object, **settings: object) -> list:
    blend.settings(**settings)
    blend.select(*things)
    assert bpy.ops.cloth_judge.check() == {"FINISHED"}
    results = blend.results()
    assert results.headline and results.is_clean == (len(results.rows) == 0)
    return list(results.rows)


def marked(thing: blend.Object) -> list[int]:
    attribute = thing.data.attributes[MARK]
    assert (attribute.domain, attribute.data_type) == ("FACE", "BOOLEAN")
    return [i for i, value in enumerate(attribute.data) if value.value]


def selected(thing: blend.Object) -> list[int]:
    return [face.index for face in thing.data.polygons if face.select]


def test_a_clean_mesh_is_clean() -> None:
    thing = blend.sheet()
    assert check(thing) == [] and blend.results().is_clean
    assert marked(thing) == []
    assert len(selected(thing)) == len(thing.data.polygons), "what a user has selected stays"


def test_a_crossing_is_a_row_with_its_place_in_the_world() -> None:
    thing = blend.crossed()
    thing.location = (3, -2, 5)
    thing.rotation_euler = (0, math.radians(90), 0)
    (row,) = check(thing)
    assert (row.frame, row.first, row.second) == (bpy.context.scene.frame_current, "crossed", "crossed")
    assert row.count == blend.meets(thing) > 0
    x, y, z = row.place
    # The segment on the axis of x, turned onto -z: at the place of the object and up to 0.8 below.
    assert abs(x - 3) < 1e-5 and abs(y + 2) < 1e-5 and 4.19999 <= z <= 5.00001, tuple(row.place)


def test_faces_that_meet_are_marked_and_selected() -> None:
    points, faces = blend.grid(5)
    away = len(points)
    points = np.concatenate(
        [points + [5, 0, 0], [(-1, -1, 0), (1, 0, 0), (-1, 1, 0), (0, 0, -1), (1, 0, 0.25), (0, 0, 1)]]
    )
    thing = blend.mesh("part", points, [*faces, (away, away + 1, away + 2), (away + 3, away + 4, away + 5)])
    check(thing)
    assert marked(thing) == [len(faces), len(faces) + 1] == selected(thing)
    thing.data.vertices[away + 3].co.z = 5
    thing.data.vertices[away + 4].co.z = 5.5
    thing.data.vertices[away + 5].co.z = 6
    assert check(thing) == [] and marked(thing) == [] == selected(thing)


def test_polygons_are_marked_and_not_their_triangles() -> None:
    quads = [(0, 1, 2, 3), (4, 5, 6, 7), (8, 9, 10, 11)]
    flat = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], float)
    upright = np.array([(0.6, 0.3, -1), (0.6, 0.9, -1), (0.6, 0.9, 1), (0.6, 0.3, 1)])
    thing = blend.mesh("quads", np.concatenate([flat - [9, 0, 0], flat, upright]), quads)
    check(thing)
    assert marked(thing) == [1, 2]


def test_two_garments_and_a_body() -> None:
    low, high = blend.sheet("low"), blend.sheet("high")
    high.rotation_euler = (math.radians(90), 0, 0)
    ball = blend.ball(radius=0.1)
    blend.bodies(ball)
    pairs = {(row.first, row.second) for row in check(low, high) if row.second}
    assert pairs == {("low", "high"), ("low", "ball"), ("high", "ball")}, pairs
    ball.location = (9, 0, 0)
    assert {(row.first, row.second) for row in check(low, high)} == {("low", "high")}
    assert check(low) == [], "what is not selected is not checked"


def test_vertices_inside_a_body_are_found_without_an_intersection() -> None:
    thing = blend.sheet(side=0.05)
    blend.bodies(blend.ball(radius=0.2))
    rows = check(thing)
    assert len(rows) == 1 and "inside" in rows[0].text and rows[0].count == 81


def test_bodies_are_not_judged_among_themselves() -> None:
    blend.bodies(blend.ball("a"), blend.ball("b", at=(0.1, 0, 0)))
    assert check(blend.sheet(at=(0, 0, 2))) == []


def test_modifiers_are_applied() -> None:
    thing = blend.mesh("tilted", [(-0.5, -0.5, -1), (1, 0, 0.3), (-0.5, 0.5, 1)], [(0, 1, 2)])
    assert check(thing) == []
    thing.modifiers.new("mirror", "MIRROR")
    rows = check(thing)
    assert rows and marked(thing) == [0], "the face of the mesh that the two faces come from"
    assert [a.name for a in thing.data.attributes if "judge" in a.name] == [], (
        "nothing else is left on the mesh"
    )


def test_a_shape_key_counts_as_it_is_shown() -> None:
    thing = blend.crossed()
    thing.shape_key_add(name="Basis")
    apart = thing.shape_key_add(name="apart")
    apart.value = 0.0
    for vertex in (3, 4, 5):
        apart.data[vertex].co.x += 3
    assert check(thing)
    apart.value = 1.0
    assert check(thing) == []


def test_a_range_names_the_frames_that_meet() -> None:
    thing = blend.sheet()
    blade = blend.sheet("blade", n=4, side=0.1, at=(0, 0, 0))
    blade.rotation_euler = (math.radians(90), 0, 0)
    blend.moves(blade, (1, (0, 0, 0.9)), (10, (0, 0, -0.9)))
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 10
    bpy.context.scene.frame_set(2)
    assert check(thing, blade, check_frames="CURRENT") == []
    # It is at 0.9 - 0.2 k: nowhere nearer than 0.1 to 0, and 0.05 high to each side.
    assert check(thing, blade, check_frames="RANGE") == []
    rows = check(thing, blade, check_frames="RANGE", between_frames=True)
    assert [row.frame for row in rows] == [6], "from 5 to 6 it passes through"
    assert bpy.context.scene.frame_current == 2, "the frame that was shown"
    blade.animation_data_clear()
    blend.moves(blade, (1, (0, 0, 1)), (11, (0, 0, -1)))
    bpy.context.scene.frame_end = 11
    assert {row.frame for row in check(thing, blade, check_frames="RANGE", between_frames=False)} == {6}
    assert "1 of 11" in blend.results().headline


def test_jump_shows_the_frame_the_faces_and_the_place() -> None:
    thing = blend.crossed()
    blend.moves(thing, (1, (0, 0, 0)), (4, (3, 0, 0)))
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 4
    rows = check(thing, check_frames="RANGE")
    assert [row.frame for row in rows] == [1, 2, 3, 4]
    for number in (2, 0):
        row = rows[number]
        assert bpy.ops.cloth_judge.jump(row=number) == {"FINISHED"}
        assert bpy.context.scene.frame_current == row.frame
        assert blend.results().row == number and selected(thing) == [0, 1]
        assert blend.distance(bpy.context.scene.cursor.location, row.place) < 1e-6
        assert row.frame - 1 - 1e-5 <= row.place[0] <= row.frame - 0.2 + 1e-5
    assert "4" in blend.said(bpy.ops.cloth_judge.jump, row=4)


def test_jump_after_the_object_is_deleted_or_renamed() -> None:
    thing = blend.crossed()
    check(thing)
    thing.name = "other"
    bpy.ops.cloth_judge.jump(row=0)
    bpy.data.objects.remove(thing)
    bpy.ops.cloth_judge.jump(row=0)


def test_edit_mode_is_left_and_entered_again() -> None:
    thing = blend.crossed()
    blend.select(thing)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="DESELECT")
    bpy.ops.cloth_judge.check()
    assert thing.mode == "EDIT" and not blend.results().is_clean
    bpy.ops.object.mode_set(mode="OBJECT")
    assert selected(thing) == [0, 1]


def test_objects_that_share_a_mesh_are_both_marked() -> None:
    thing = blend.sheet("one")
    other = bpy.data.objects.new("two", thing.data)
    other.location = (9, 0, 0)
    bpy.context.scene.collection.objects.link(other)
    blade = blend.sheet("blade", n=2, side=0.1)
    blade.rotation_euler = (math.radians(90), 0, 0)
    check(thing, other, blade)
    assert marked(thing), "what one of them has is not taken away by the other"


def test_undo_takes_back_what_check_marked() -> None:
    thing = blend.crossed()
    blend.select(thing)
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.cloth_judge.check("EXEC_DEFAULT", True)
    assert MARK in bpy.data.objects["crossed"].data.attributes
    bpy.ops.ed.undo()
    assert MARK not in bpy.data.objects["crossed"].data.attributes


def test_results_do_not_go_into_another_file(tmp_path: Path) -> None:
    check(blend.crossed())
    with blend.quiet():
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "found.blend"))
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert len(blend.results().rows) == 0 and not blend.results().headline, "those of the file before"
    with blend.quiet():
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "found.blend"))
    for row in range(len(blend.results().rows)):
        bpy.ops.cloth_judge.jump(row=row)


def test_what_cannot_be_checked_is_refused_in_one_sentence() -> None:
    blend.select()
    assert "select" in blend.said(bpy.ops.cloth_judge.check).lower()
    points = blend.mesh("points", [(0, 0, 0), (1, 0, 0)], [], [(0, 1)])
    blend.select(points)
    assert "points" in blend.said(bpy.ops.cloth_judge.check)
    bad = blend.sheet("bad", n=3)
    bad.data.vertices[4].co.x = math.nan
    blend.select(bad)
    text = blend.said(bpy.ops.cloth_judge.check)
    assert "bad" in text and "4" in text
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    bpy.context.scene.collection.objects.link(camera)
    blend.select(camera)
    blend.said(bpy.ops.cloth_judge.check)
    ball = blend.ball()
    blend.bodies(ball)
    blend.select(ball)
    assert "collision" in blend.said(bpy.ops.cloth_judge.check).lower()
    fine = blend.sheet("fine")
    blend.select(fine)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 10, 11
    bpy.context.scene.frame_preview_start = 1
    blend.settings(check_frames="RANGE")
    bpy.ops.cloth_judge.check()


def test_a_body_that_is_not_a_mesh_or_has_no_faces() -> None:
    curve = bpy.data.curves.new("hoop", "CURVE")
    line = curve.splines.new("POLY")
    line.points.add(3)
    for point, place in zip(line.points, [(-1, 0, 0, 1), (0, 0, 0, 1), (1, 0, 0, 1), (2, 0.5, 0, 1)]):
        point.co = place
    curve.dimensions = "3D"
    curve.bevel_depth = 0.05
    hoop = bpy.data.objects.new("hoop", curve)
    bpy.context.scene.collection.objects.link(hoop)
    blend.bodies(hoop)
    assert {row.second for row in check(blend.sheet())} >= {"hoop"}
    curve.bevel_depth = 0.0
    assert "hoop" in blend.said(bpy.ops.cloth_judge.check)


def test_instances_that_are_seen_and_not_read_are_refused() -> None:
    """Of a collection, and of nodes: a check without them would say that nothing intersects."""
    thing, ball = blend.sheet("sheet"), blend.ball("shown")
    within = bpy.data.collections.new("within")
    within.objects.link(ball)
    bpy.context.scene.collection.objects.unlink(ball)
    empty = bpy.data.objects.new("instancer", None)
    empty.instance_type, empty.instance_collection = "COLLECTION", within
    bpy.context.scene.collection.objects.link(empty)
    blend.bodies(empty)
    blend.select(thing)
    text = blend.said(bpy.ops.cloth_judge.check)
    assert "instancer" in text and "real" in text
    bpy.context.scene.cloth_judge.bodies = None
    group = bpy.data.node_groups.new("instances", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    first, last = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    made = group.nodes.new("GeometryNodeGeometryToInstance")
    group.links.new(first.outputs[0], made.inputs[0])
    group.links.new(made.outputs[0], last.inputs[0])
    thing.modifiers.new("instances", "NODES").node_group = group
    assert "sheet" in blend.said(bpy.ops.cloth_judge.check)


def test_curves_texts_and_metaballs_are_bodies() -> None:
    scene = bpy.context.scene.collection.objects
    text = bpy.data.objects.new("text", bpy.data.curves.new("text", "FONT"))
    text.data.body, text.data.extrude = "cloth", 0.1
    text.location.x = -0.5
    scene.link(text)
    bpy.ops.object.metaball_add(radius=0.1)
    drop = bpy.context.object
    drop.location.x = 3
    blend.bodies(text, drop)
    thing, other = blend.sheet("on text", at=(0, 0.1, 0)), blend.sheet("on drop", at=(3, 0, 0))
    found = {(row.first, row.second) for row in check(thing, other)}
    assert {("on text", "text"), ("on drop", drop.name)} <= found, found


@pytest.mark.parametrize("scale", [(2, 2, 2), (1, 3, 1), (-1, 1, 1)])
def test_scale_is_part_of_what_is_checked(scale: tuple[float, float, float]) -> None:
    thing = blend.crossed()
    thing.scale = scale
    rows = check(thing)
    assert len(rows) == 1 and rows[0].count == blend.meets(thing)


def test_what_nodes_of_a_curve_instance_is_refused() -> None:
    """Instances are seen, and would not be read: of a curve, whose own surface is an instance too."""
    curve = bpy.data.curves.new("hoop", "CURVE")
    spline = curve.splines.new("POLY")
    spline.points.add(2)
    for point, place in zip(spline.points, ((0, 0, 0), (1, 0, 0), (1, 1, 0))):
        point.co = (*place, 1)
    curve.dimensions, curve.bevel_depth = "3D", 0.1
    hoop = bpy.data.objects.new("hoop", curve)
    bpy.context.scene.collection.objects.link(hoop)
    blend.bodies(hoop)
    thing = blend.sheet(at=(0, 0, 3))
    assert check(thing) == []
    tree = bpy.data.node_groups.new("cubes", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    cube, copies = tree.nodes.new("GeometryNodeMeshCube"), tree.nodes.new("GeometryNodeInstanceOnPoints")
    tree.links.new(cube.outputs[0], copies.inputs["Points"])
    tree.links.new(cube.outputs[0], copies.inputs["Instance"])
    tree.links.new(copies.outputs[0], tree.nodes.new("NodeGroupOutput").inputs[0])
    hoop.modifiers.new("cubes", "NODES").node_group = tree
    blend.select(thing)
    assert "instances" in blend.said(bpy.ops.cloth_judge.check)
