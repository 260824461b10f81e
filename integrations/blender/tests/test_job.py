"""A job that a user starts: slices beside Blender's own work, cancelled by Esc, one at a time."""

from __future__ import annotations

import sys
import time
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import blend
import bpy
import layout
import pytest


class Manager:
    """The window manager, without windows."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name in (
            "event_timer_add",
            "event_timer_remove",
            "modal_handler_add",
            "progress_begin",
            "progress_update",
            "progress_end",
        ):
            return lambda *values, **named: self.calls.append(name) or name
        return getattr(bpy.context.window_manager, name)


class Context:
    """The context of a window: Blender's, but for what needs an event loop."""

    def __init__(self) -> None:
        self.window_manager, self.status = Manager(), []
        self.workspace = types.SimpleNamespace(status_text_set=self.status.append)
        self.screen, self.window, self.area = None, None, None

    def __getattr__(self, name: str) -> Any:
        return getattr(bpy.context, name)


class Started(layout.Drawn):
    """An operator on its way."""

    def __init__(self, name: str, **properties: Any) -> None:
        super().__init__(
            next(
                k
                for k in bpy.types.Operator.__subclasses__()
                if getattr(k, "bl_idname", "") == f"cloth_judge.{name}"
            )
        )
        self.context, self.said = Context(), []
        self.__dict__.update(properties)

    def report(self, kind: set[str], text: str) -> None:
        self.said.append((*kind, text))

    def start(self) -> set[str]:
        return self.invoke(self.context, None)

    def event(self, kind: str = "TIMER", value: str = "NOTHING") -> set[str]:
        return self.modal(self.context, types.SimpleNamespace(type=kind, value=value))

    def end(self, seconds: float = 60.0) -> set[str]:
        """Events of the timer until it is over."""
        until = time.monotonic() + seconds
        while (done := self.event()) <= {"PASS_THROUGH", "RUNNING_MODAL"}:
            assert time.monotonic() < until, "it does not end"
            time.sleep(0.002)
        return done


@pytest.fixture(autouse=True)
def nothing_runs() -> Iterator[None]:
    yield
    operators = sys.modules[f"{blend.MODULE}.work"].JobOperator
    left, operators.running = operators.running, None
    if left is not None:
        left.close()
        pytest.fail("a job is left")


NAMES = ["check", "untangle", "bake"]


def ready(name: str) -> Started:
    thing = blend.crossed()
    blend.select(thing if name != "bake" else blend.sheet(n=33))
    blend.settings(frame_start=1, frame_end=800, quality=16, check_frames="RANGE")
    bpy.context.scene.frame_end = 800
    return Started(name, resume=False)


@pytest.mark.parametrize("name", NAMES)
def test_a_job_runs_to_its_end_and_puts_everything_back(name: str, saved: Path) -> None:
    job = ready(name)
    blend.settings(frame_end=6)
    bpy.context.scene.frame_end = 6
    bpy.context.scene.frame_set(3)
    assert job.start() == {"RUNNING_MODAL"}
    assert job.end() == {"FINISHED"}
    calls = job.context.window_manager.calls
    assert calls.count("event_timer_add") == calls.count("event_timer_remove") == 1
    assert calls.count("progress_begin") == calls.count("progress_end") == 1
    assert job.context.status[-1] is None, "the status bar is Blender's again"
    assert blend.results().headline and not any(kind == "ERROR" for kind, _ in job.said)
    assert bpy.context.scene.frame_current == 3


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("events", [0, 1, 6])
def test_esc_cancels_it_soon(name: str, events: int, saved: Path) -> None:
    job = ready(name)
    bpy.context.scene.frame_set(3)
    job.start()
    for _ in range(events):
        if not job.event() <= {"PASS_THROUGH", "RUNNING_MODAL"}:
            return
    job.event("ESC", "PRESS")
    began = time.monotonic()
    assert job.end() in ({"CANCELLED"}, {"FINISHED"})
    assert time.monotonic() - began < 10
    assert bpy.context.scene.frame_current == 3 and job.context.status[-1] is None
    assert not any(kind == "ERROR" for kind, _ in job.said), job.said
    for thing in bpy.context.scene.objects:
        for used in thing.modifiers:
            assert used.type != "MESH_CACHE" or Path(bpy.path.abspath(used.filepath)).exists(), (
                "a cache that is not there"
            )


def test_blender_is_usable_meanwhile(saved: Path) -> None:
    job = ready("bake")
    job.start()
    assert job.event("Z", "PRESS") == {"RUNNING_MODAL"}, "what is read is not undone meanwhile"
    slices = 0
    while job.event("MOUSEMOVE") != {"PASS_THROUGH"}:
        assert job.event() <= {"PASS_THROUGH", "RUNNING_MODAL"}
        slices += 1
    assert slices > 3, "Blender stood still until all was read"
    frame, positions = bpy.context.scene.frame_current, blend.played(bpy.data.objects["sheet"])
    for _ in range(5):
        assert job.event() <= {"PASS_THROUGH", "RUNNING_MODAL"}, "it works on"
    assert bpy.context.scene.frame_current == frame == 1
    assert (blend.played(bpy.data.objects["sheet"]) == positions).all()
    job.event("ESC", "PRESS")
    job.end()


def test_a_second_job_is_refused_while_one_runs(saved: Path) -> None:
    job = ready("bake")
    job.start()
    text = blend.said(bpy.ops.cloth_judge.check)
    assert "Bake" in text and "Esc" in text
    job.event("ESC", "PRESS")
    job.end()
    bpy.ops.cloth_judge.free()
    bpy.context.scene.frame_end = 2
    bpy.ops.cloth_judge.check()


def begun() -> Started:
    """A bake that has read some slices."""
    job = ready("bake")
    job.start()
    for _ in range(8):
        job.event()
    return job


def test_disabling_while_a_job_runs_ends_it(saved: Path) -> None:
    begun()
    blend.addon_utils.disable(blend.MODULE, default_set=True)
    blend.enable()
    blend.select(bpy.data.objects["crossed"])
    bpy.context.scene.frame_end = 2
    bpy.ops.cloth_judge.check()


def test_another_file_while_a_job_runs_ends_it(saved: Path) -> None:
    job = begun()
    job.cancel(job.context)  # what Blender calls before it loads a file
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    blend.select(blend.crossed())
    bpy.ops.cloth_judge.check()
    assert not blend.results().is_clean


def test_an_object_that_is_deleted_meanwhile(saved: Path) -> None:
    job = ready("bake")
    blend.settings(frame_end=40)
    job.start()
    work = sys.modules[f"{blend.MODULE}.work"]
    while work.JobOperator.running._slices is not None:
        job.event()
    bpy.data.objects.remove(bpy.data.objects["sheet"])
    job.end()
    assert [text for kind, text in job.said if kind == "ERROR"] == ["sheet is gone: what was done for it is lost"]
