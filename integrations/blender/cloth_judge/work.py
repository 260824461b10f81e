# SPDX-License-Identifier: GPL-3.0-or-later
"""Work that leaves Blender usable: its scene is read in slices, a thread does the rest."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import bpy

import cloth

from .properties import show
from .read import Fault, in_words

SLICE = 0.05
"""How long (s) Blender may stand still while its scene is read."""


class Job:
    """What an operator does, in three parts."""

    title = ""

    def __init__(self) -> None:
        self.progress = 0.0
        """How much is done, from 0 to 1."""
        self.text = ""
        """What is done now."""
        self.cancelled = threading.Event()
        self.names: tuple[list[str], list[str]] = [], []
        """Of cloths and of bodies, by the numbers that errors have for them."""

    def read(self, context: Any) -> Iterator[None]:
        """Reads the scene, a slice between two steps. On Blender's own thread."""
        raise NotImplementedError

    def work(self) -> None:
        """Does the work, without Blender, and ends early if `cancelled` is set. On a thread."""
        raise NotImplementedError

    def finish(self, context: Any) -> tuple[set[str], str]:
        """Shows what was found, and says it in a sentence. On Blender's own thread."""
        raise NotImplementedError


class Runner:
    """A job that runs."""

    def __init__(self, job: Job, context: Any) -> None:
        self.job = job
        self._slices: Iterator[None] | None = job.read(context)
        self._thread = threading.Thread(target=self._work, name=job.title, daemon=True)
        self._error: BaseException | None = None

    def _work(self) -> None:
        try:
            self.job.work()
        except BaseException as error:  # raised again where Blender is
            self._error = error

    @property
    def is_reading(self) -> bool:
        """Whether it still needs Blender's scene as it is."""
        return self._slices is not None

    def advance(self) -> bool:
        """Goes on for a moment; whether that was all."""
        if self._slices is not None:
            until = time.perf_counter() + SLICE
            while time.perf_counter() < until:
                if self.job.cancelled.is_set():
                    self.close()
                    break
                if next(self._slices, self) is self:
                    self._slices = None
                    self._thread.start()
                    break
            return self.job.cancelled.is_set()
        if not self._thread.ident:
            return True
        self._thread.join(SLICE if bpy.app.background else 0.0)
        return not self._thread.is_alive()

    def close(self) -> None:
        """Ends it, and puts back what reading has changed."""
        self.job.cancelled.set()
        if self._slices is not None:
            self._slices.close()  # type: ignore[attr-defined]
            self._slices = None
        if self._thread.is_alive():
            self._thread.join()

    def finish(self, context: Any) -> tuple[set[str], str]:
        """The result of the job; none if it was cancelled before there was anything."""
        if isinstance(self._error, cloth.ClothError):
            raise Fault(in_words(self._error, *self.job.names)) from None
        if self._error is not None:
            raise self._error
        if not self._thread.ident:
            return {"CANCELLED"}, f"{self.job.title} was cancelled"
        return self.job.finish(context)


class JobOperator:
    """An operator that runs a job: to its end when a script calls it, beside everything else when a user does."""

    running: Runner | None = None
    """The job that runs, of all operators."""

    def make(self, context: Any) -> Job:
        """The job, from the properties of the operator."""
        raise NotImplementedError

    def execute(self, context: Any) -> set[str]:
        return self._guard(context, self._run)

    def invoke(self, context: Any, event: Any) -> set[str]:
        return self._guard(context, self._start)

    def modal(self, context: Any, event: Any) -> set[str]:
        runner = JobOperator.running
        if runner is None:
            return {"CANCELLED"}
        if event.type == "ESC" and event.value == "PRESS":
            runner.job.cancelled.set()
        if event.type != "TIMER":
            # What is read must not change meanwhile, nor be undone.
            return {"RUNNING_MODAL"} if runner.is_reading else {"PASS_THROUGH"}
        return self._guard(context, self._tick)

    def cancel(self, context: Any) -> None:
        """Ends what runs, as Blender does on leaving a file."""
        if JobOperator.running is not None:
            JobOperator.running.close()
            self._end(context)

    def _run(self, context: Any) -> set[str]:
        runner = JobOperator.running = Runner(self.make(context), context)
        while not runner.advance():
            pass
        return self._close(context)

    def _start(self, context: Any) -> set[str]:
        JobOperator.running = Runner(self.make(context), context)
        manager = context.window_manager
        self._timer = manager.event_timer_add(SLICE, window=context.window)
        manager.progress_begin(0, 100)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def _tick(self, context: Any) -> set[str]:
        runner = JobOperator.running
        is_over = runner.advance()
        context.window_manager.progress_update(100 * runner.job.progress)
        context.workspace.status_text_set(f"{runner.job.title}: {runner.job.text} (Esc cancels)")
        return self._close(context) if is_over else {"RUNNING_MODAL"}

    def _close(self, context: Any) -> set[str]:
        runner = JobOperator.running
        self._end(context)
        status, text = runner.finish(context)
        if not bpy.app.background:
            self.report({"INFO"}, text)
        return status

    def _end(self, context: Any) -> None:
        JobOperator.running = None
        timer = getattr(self, "_timer", None)
        if timer is not None:
            self._timer = None
            context.window_manager.event_timer_remove(timer)
            context.window_manager.progress_end()
            context.workspace.status_text_set(None)
        for area in context.screen.areas if context.screen else ():
            area.tag_redraw()

    def _guard(self, context: Any, act: Any) -> set[str]:
        """Acts; what a user can put right becomes a report."""
        if act != self._tick and JobOperator.running is not None:
            self.report({"ERROR"}, f"{JobOperator.running.job.title} is running: press Esc to cancel it")
            return {"CANCELLED"}
        try:
            if act != self._tick:
                show(context, "", "", [])
            return act(context)
        except (Fault, OSError, ReferenceError) as error:
            self.cancel(context)
            text = str(error)
            if isinstance(error, ReferenceError):
                text = "An object was removed while it was read"
            elif isinstance(error, OSError) and error.filename is None:
                text = f"The temporary folder cannot be written ({error.strerror}): make space"
            self.report({"ERROR"}, text)
            return {"CANCELLED"}
        except BaseException:
            self.cancel(context)
            raise
