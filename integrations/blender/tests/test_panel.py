"""What the panels and lists draw, in every state that a user can bring about."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from pathlib import Path

import blend
import bpy
import layout
import pytest


def kinds(base: type) -> list[type]:
    return [kind for kind in base.__subclasses__() if kind.__module__.startswith(blend.MODULE)]


def drawn() -> list[str]:
    """What all panels draw now, and every row of the list."""
    said = []
    panels = kinds(bpy.types.Panel)
    assert panels, "the extension has no panel"
    for panel in panels:
        said += layout.draw(panel, bpy.context)
    results = blend.results()
    for kind in kinds(bpy.types.UIList):
        for row in results.rows:
            said += layout.draw_item(kind, bpy.context, results, row, "row")
    return said


def nothing(folder: Path) -> None:
    pass


def one_mesh(folder: Path) -> None:
    blend.select(blend.sheet())


def a_mesh_in_edit_mode(folder: Path) -> None:
    blend.select(blend.sheet())
    bpy.ops.object.mode_set(mode="EDIT")


def a_camera(folder: Path) -> None:
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    bpy.context.scene.collection.objects.link(camera)
    blend.select(camera)


def pins_materials_and_bodies(folder: Path) -> None:
    thing = blend.pinned(blend.sheet(), {0: 1.0})
    thing.data.materials.append(bpy.data.materials.new("denim"))
    thing.data.materials.append(None)
    thing.shape_key_add(name="Basis")
    thing.cloth_judge.rest_shape_key = "Basis"
    blend.bodies(blend.ball())
    blend.select(thing)


def names_that_are_gone(folder: Path) -> None:
    thing = blend.sheet()
    thing.cloth_judge.pin_group = "gone"
    thing.cloth_judge.rest_shape_key = "gone"
    blend.select(thing)


def checked_and_clean(folder: Path) -> None:
    blend.select(blend.sheet())
    bpy.ops.cloth_judge.check()


def checked_and_not_clean(folder: Path) -> None:
    blend.select(blend.crossed())
    bpy.ops.cloth_judge.check()


def untangled(folder: Path) -> None:
    blend.select(blend.crossed())
    bpy.ops.cloth_judge.untangle()


def baked(folder: Path) -> None:
    with blend.quiet():
        bpy.ops.wm.save_as_mainfile(filepath=str(folder / "cape.blend"))
    blend.bake(blend.sheet(), frame_start=1, frame_end=3, quality=4)


def found_and_deleted(folder: Path) -> None:
    checked_and_not_clean(folder)
    bpy.data.objects.remove(bpy.data.objects["crossed"])


STATES = [
    nothing,
    one_mesh,
    a_mesh_in_edit_mode,
    a_camera,
    pins_materials_and_bodies,
    names_that_are_gone,
    checked_and_clean,
    checked_and_not_clean,
    untangled,
    baked,
    found_and_deleted,
]


@pytest.mark.parametrize("state", STATES)
def test_everything_draws(state: Callable[[Path], None], tmp_path: Path) -> None:
    state(tmp_path)
    said = drawn()
    if state in (checked_and_not_clean, found_and_deleted):
        assert any("crossed" in text for text in said), "the row names the object"
    if state in (checked_and_clean, checked_and_not_clean, baked):
        assert any(blend.results().headline in text for text in said), said


def test_every_operator_and_property_has_its_place() -> None:
    """Over all states: nothing that the extension offers is out of a user's reach."""
    said = set()
    for state in (one_mesh, pins_materials_and_bodies, checked_and_not_clean):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        state(Path())
        said |= set(drawn())
    operators = {f"cloth_judge.{name}" for name in dir(bpy.ops.cloth_judge)} - {"cloth_judge.jump"}
    assert operators <= said, operators - said
    offered = set()
    for owner in (bpy.context.scene.cloth_judge, bpy.context.object.cloth_judge):
        offered |= {p.identifier for p in owner.bl_rna.properties} - {"rna_type", "name"}
    assert offered <= said, offered - said


def test_the_panel_of_a_material_draws() -> None:
    thing = blend.sheet()
    material = bpy.data.materials.new("denim")
    thing.data.materials.append(material)
    blend.select(thing)
    with bpy.context.temp_override(material=material, object=thing, active_object=thing):
        said = [text for panel in kinds(bpy.types.Panel) for text in layout.draw(panel, bpy.context)]
    assert "fabric" in said


def test_what_is_offered_has_a_name_and_a_description() -> None:
    owners = (bpy.context.scene, blend.sheet(), bpy.data.materials.new("m"))
    for owner in owners:
        for prop in owner.cloth_judge.bl_rna.properties:
            if prop.identifier not in ("rna_type", "name"):
                assert prop.name and len(prop.description) > 10, prop.identifier
                assert not prop.description.endswith("."), "Blender adds the full stop"
    for name in dir(bpy.ops.cloth_judge):
        kind = getattr(bpy.ops.cloth_judge, name).get_rna_type()
        assert kind.name and len(kind.description) > 10, name


def test_the_recording_layout_refuses_what_blender_refuses() -> None:
    refused = [
        lambda it: it.prop(bpy.context.scene, "no_such_property"),
        lambda it: it.label(text="a", icon="NO_SUCH_ICON"),
        lambda it: it.operator("cloth_judge.no_such_operator"),
        lambda it: setattr(it.operator("cloth_judge.bake"), "again", True),
        lambda it: it.lable(text="a"),
        lambda it: it.label(txt="a"),
        lambda it: it.prop(bpy.context.scene),
        lambda it: setattr(it.row(), "enable", True),
        lambda it: it.template_list("NO_SUCH_LIST", "", blend.results(), "rows", blend.results(), "row"),
    ]
    for call in refused:
        with pytest.raises((AssertionError, KeyError, AttributeError)):
            call(layout.Recorder())
    it = layout.Recorder()
    it.row(align=True).prop(bpy.context.scene, "frame_start", text="Start")
    it.operator("cloth_judge.bake", text="Resume", icon="PLAY").resume = True
    assert it.said == ["Start", "frame_start", "Resume", "cloth_judge.bake"]


def test_the_count_over_the_view_is_that_of_the_headline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blender draws it in its windows alone; here with a font that records."""
    panel = sys.modules[f"{blend.MODULE}.panel"]
    said: list[str] = []
    font = types.SimpleNamespace(draw=lambda _, text: said.append(text))
    font.size = font.color = font.position = lambda *values: None
    monkeypatch.setattr(panel, "blf", font)
    panel.draw_count()
    assert said == [], "nothing was checked"
    thing = blend.crossed()
    blend.select(thing)
    bpy.ops.cloth_judge.check()
    panel.draw_count()
    assert len(said) == 1 and str(blend.meets(thing)) in said[0]
    blend.settings(show_count=False)
    panel.draw_count()
    assert len(said) == 1
