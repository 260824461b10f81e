"""What all engines have in common: shards are submitted, again after failures, and merged at the end."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from .. import _cloth
from .._errors import ClothError, InputError
from .._threads import thread_count

PathLike = str | os.PathLike[str]
Report = Callable[[str], None]


class Counts(NamedTuple):
    """Numbers of runs of a shard: committed by it, or present before; of these not clean, and failed (by an
    error of the scene); and undone (by an error of the machine, which the logs have)."""

    committed: int
    present: int
    not_clean: int
    failed: int
    undone: int


Result = Counts | ClothError | str
"""How a shard ended: with counts, with an error of the sweep, or lost, with a text that says how."""

Engine = Callable[[Sequence[int]], Iterable[tuple[int, Result]]]
"""Begins shards, which may be none, waits until some have ended, and says how."""


class Manifest(NamedTuple):
    """A manifest, and its numbers of rows by outcome: "clean", "not-clean", "failed", ..."""

    path: Path
    outcomes: dict[str, int]

    @property
    def is_clean(self) -> bool:
        return self.outcomes.keys() <= {"clean"}

    def __str__(self) -> str:
        counts = ", ".join(f"{count} {outcome}" for outcome, count in self.outcomes.items())
        return f"{self.path}: {sum(self.outcomes.values())} rows ({counts})"


class Job(NamedTuple):
    """A sweep in shards, with absolute paths, and how many runs of a shard are done at a time."""

    sweep: str
    out: str
    at_a_time: int
    runs: int
    shards: int = 1

    def split(self, shards: int) -> Job:
        return self._replace(shards=max(1, min(shards, self.runs)))

    def shard(self, index: int) -> Result:
        """Does the runs of a shard that are not there yet."""
        try:
            return Counts(*_cloth.sweep_shard(self.sweep, self.out, index, self.shards, self.at_a_time))
        except ClothError as error:
            return error
        except OSError as error:
            return str(error)

    def command(self) -> str:
        """The command that does in one process what is left, and merges."""
        return shlex.join(["python", "-m", "cloth.sweep", self.sweep, "--out", self.out])


def describe(
    sweep: PathLike, out: PathLike, jobs: int, shards: int = 1, retries: int = 0, minutes: int = 5
) -> Job:
    """Checks numbers and the sweep."""
    numbers = {"jobs": (jobs, 1), "shards": (shards, 1), "retries": (retries, 0), "minutes": (minutes, 5)}
    for name, (value, least) in numbers.items():
        if value < least:
            raise InputError(f"`{name}` is {value}; it must be at least {least}")
    path = os.path.abspath(sweep)
    job = Job(path, os.path.abspath(out), jobs, _cloth.sweep_runs(path))
    return job.split(shards)


def drive(job: Job, engine: Engine, retries: int, report: Report) -> Manifest:
    """Does all shards, each up to `retries` times again, and merges."""
    tries = dict.fromkeys(range(job.shards), 0)
    waiting = list(tries)
    undone: list[str] = []
    while tries:
        begun, waiting = waiting, []
        for index, result in engine(begun):
            if isinstance(result, ClothError):
                raise result
            name = f"shard {index + 1} of {job.shards}"
            if isinstance(result, Counts) and not result.undone:
                report(f"{name}: {result.committed} runs committed, {result.present} were there")
                del tries[index]
                continue
            if isinstance(result, Counts):
                result = f"{result.undone} runs are undone, and {os.path.join(job.out, 'log')} says why"
            tries[index] += 1
            if tries[index] <= retries:
                report(f"{name}: {result}; it is submitted again")
                waiting.append(index)
            else:
                undone.append(f"{name}: {result}")
                del tries[index]
    if undone:
        raise ClothError(
            f"{len(undone)} of {job.shards} shards are undone after {retries + 1} tries ({undone[0]}); this "
            f"does what is left: {job.command()}"
        )
    return merge([job.out])


def run(sweep: PathLike, out: PathLike, *, jobs: int | None = None, report: Report = print) -> Manifest:
    """Does in this process what is left of a sweep, and merges.

    Args:
        sweep: the file of the sweep.
        out: the folder of its runs; one that was begun is continued.
        jobs: how many runs are done at a time; by default `cloth.thread_count()`.
        report: is given a line once the runs are done.

    Raises:
        InputError, FileError: the sweep is refused, or `out` belongs to another one.
        ClothError: runs are undone; the text says where the errors are, and which command does what is left.
    """
    job = describe(sweep, out, thread_count() if jobs is None else jobs)
    return drive(job, lambda shards: ((index, job.shard(index)) for index in shards), 0, report)


def merge(inputs: Iterable[PathLike], out: PathLike | None = None, *, partial: bool = False) -> Manifest:
    """Merges folders of sweeps and files of rows into one manifest, a file of JSON lines.

    Args:
        inputs: folders of sweeps, rows of `cloth check --jsonl` and `cloth-verify --jsonl`, manifests.
        out: the manifest; by default `manifest.jsonl` in the folder, if a folder is the only input.
        partial: whether rows may be missing.

    Raises:
        FileError: an input cannot be read, a run is damaged, rows are missing, or two of one run differ.
    """
    native = None if out is None else os.fspath(out)
    return Manifest(*_cloth.sweep_merge([os.fspath(path) for path in inputs], native, partial))


def extra(module: str) -> Any:
    """A module of a package that only some need."""
    try:
        return import_module(module)
    except ImportError:
        name = module.split(".")[0]
        raise ClothError(f"this needs {name}, which is not installed: pip install {name}") from None
