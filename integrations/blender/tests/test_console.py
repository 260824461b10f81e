"""A script that uses everything prints nothing: what is found is in the results, not on the console."""

from __future__ import annotations

from pathlib import Path

import blend
import bpy
import pytest


def test_a_script_with_everything_prints_nothing(saved: Path) -> None:
    thing, tangled = blend.pinned(blend.sheet(n=7), {0: 1.0, 1: 0.5}), blend.crossed(at=(5, 0, 0))
    ball = blend.ball(at=(0, 0, -0.3))
    said = {}

    def run(name: str, **properties: object) -> None:
        with blend.console() as text:
            done = getattr(bpy.ops.cloth_judge, name)(**properties)
        assert done == {"FINISHED"}
        said[f"{name} {properties} {len(said)}"] = text[0]

    with blend.console() as text:
        blend.bodies(ball)
        blend.settings(check_frames="RANGE", between_frames=True, frame_start=1, frame_end=12, quality=4)
        thing.cloth_judge.fabric = "SILK"
        thing.cloth_judge.use_sewing = True
    said["settings"] = text[0]
    bpy.context.scene.frame_end = 3
    blend.select(tangled, thing)
    run("check")
    run("jump", row=1)
    blend.select(tangled)
    run("untangle")
    blend.select(thing)
    run("bake")
    blend.settings(frame_end=15)
    run("bake", resume=True)
    run("check")
    blend.settings(format="USD")
    run("bake")
    run("free")
    assert {name: text for name, text in said.items() if text} == {}


def test_an_error_prints_its_sentence_once_and_no_traceback() -> None:
    """Blender itself prints the report of an operator that failed."""
    blend.select()
    with blend.console() as text, pytest.raises(RuntimeError):
        bpy.ops.cloth_judge.check()
    assert text[0].count("\n") <= 1 and "Traceback" not in text[0], text[0]


def test_disabling_and_enabling_print_nothing() -> None:
    with blend.console() as text:
        blend.addon_utils.disable(blend.MODULE, default_set=True)
        blend.enable()
        blend.addon_utils.disable(blend.MODULE, default_set=True)
        blend.enable()
    assert text == [""]


def test_the_console_is_heard() -> None:
    """The recording itself: Blender's own report, and Python's print."""
    with blend.console() as text:
        bpy.ops.wm.save_as_mainfile(filepath=bpy.app.tempdir + "heard.blend")
        print("python", flush=True)
    assert "Info" in text[0] and "python" in text[0]
