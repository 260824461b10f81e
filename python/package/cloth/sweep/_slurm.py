"""Sweeps on a cluster of Slurm, by submitit: a job array with a task for each shard."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from .._errors import ClothError
from ._drive import Job, Manifest, PathLike, Report, Result, describe, drive, extra

_GONE = 3
"""A job without a result is lost once it is not in the queue so many times in a row: a shared file system may
show a file some seconds late."""


def run_on_slurm(
    sweep: PathLike,
    out: PathLike,
    *,
    executor: str = "slurm",
    shards: int = 64,
    jobs: int = 1,
    retries: int = 3,
    partition: str | None = None,
    minutes: int = 60,
    memory_gb: float | None = None,
    sbatch: Mapping[str, str] | None = None,
    wait: bool = True,
    report: Report = print,
) -> Manifest | None:
    """Does what is left of a sweep by a job array of Slurm, and merges.

    Needs `submitit`, `sbatch` and `squeue`, and `out` on a file system that all nodes share. A task that is
    preempted or comes to its time limit is requeued, and goes on with its shard; one that is killed is
    submitted again. An exception, Ctrl-C included, cancels what is left.

    Args:
        sweep: the file of the sweep, on that file system too.
        out: the folder of its runs; one that was begun is continued. submitit's files are in its folder
            `slurm` until all shards are done.
        executor: "slurm", or "local", which is submitit's imitation by processes of this machine.
        shards: number of tasks; a cluster has a limit for it (`MaxArraySize`, often 1001).
        jobs: how many runs a task does at a time, and the CPUs that it takes.
        retries: how often a shard is submitted again, and a task is requeued at its time limit.
        partition, minutes, memory_gb: of each task; minutes are at least 5, for it is told 90 s before the end.
        sbatch: more options of `sbatch`: {"account": "cloth", "qos": "long"}.
        wait: whether to wait and to merge. Without, this returns None once the jobs are submitted.
        report: is given a line for each shard that has ended.

    Raises:
        InputError, FileError: the sweep is refused, or `out` belongs to another one.
        ClothError: `submitit` or Slurm is missing, Slurm refuses the jobs, or shards are undone; the text
            says which command does what is left.
    """
    job = describe(sweep, out, jobs, shards, retries, minutes)
    submitit = extra("submitit")
    parent = os.path.join(job.out, "slurm")
    folder = os.path.join(parent, secrets.token_hex(4))
    try:
        auto = submitit.AutoExecutor(folder=folder, cluster=executor, slurm_max_num_timeout=retries)
    except RuntimeError as error:
        raise ClothError(f"there is no Slurm: {error}") from None
    auto.update_parameters(
        name="cloth-sweep",
        timeout_min=minutes,
        cpus_per_task=jobs,
        mem_gb=memory_gb,
        slurm_partition=partition,
        slurm_array_parallelism=job.shards,
        slurm_additional_parameters=dict(sbatch or {}),
    )
    array = _Array(auto, job, is_slurm=executor == "slurm")
    if not wait:
        array.submit(range(job.shards))
        names = ", ".join(sorted({name.split("_")[0] for name in array.running}))
        report(f"submitted: {names}; once that has ended, this does what is left and merges: {job.command()}")
        return None
    try:
        manifest = drive(job, array, retries, report)
    finally:
        array.cancel()
    shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):  # Another call has jobs.
        os.rmdir(parent)
    return manifest


@dataclass(frozen=True)
class _Shard:
    """What a job does. submitit asks for a checkpoint before it requeues: what is committed is one."""

    job: Job
    index: int

    def __call__(self) -> Result:
        return self.job.shard(self.index)

    def checkpoint(self) -> Any:
        return extra("submitit.helpers").DelayedSubmission(self)


class _Array:
    def __init__(self, executor: Any, job: Job, is_slurm: bool) -> None:
        self._executor = executor
        self._job = job
        self._is_slurm = is_slurm
        # Jobs by name: the shard, the job, and how often in a row it was not in the queue.
        self.running: dict[str, tuple[int, Any, int]] = {}

    def submit(self, shards: Sequence[int]) -> None:
        try:
            jobs = self._executor.submit_array([_Shard(self._job, index) for index in shards])
        except (RuntimeError, OSError) as error:
            if not self.running:
                shutil.rmtree(self._executor.folder, ignore_errors=True)
            last = str(error).strip().splitlines()[-1]
            raise ClothError(f"the jobs cannot be submitted: {last}") from None
        self.running |= {job.job_id: (index, job, 0) for index, job in zip(shards, jobs, strict=True)}

    def __call__(self, shards: Sequence[int]) -> Iterator[tuple[int, Result]]:
        if shards:
            self.submit(shards)
        time.sleep(5 if self._is_slurm else 0.2)
        queue = self._queue()
        for name, (index, job, gone) in list(self.running.items()):
            gone = 0 if name in queue else gone + 1
            self.running[name] = (index, job, gone)
            if job.paths.result_pickle.exists():
                del self.running[name]
                try:
                    yield index, job.result()
                except Exception:  # Whatever it was that a job raised: it is in its log.
                    # A job whose request to be requeued was killed with it fails, and is requeued too.
                    job.cancel(check=False)
                    yield index, f"job {name} failed, see {job.paths.stderr}"
            elif gone == _GONE:
                del self.running[name]
                yield index, f"job {name} ended without a result"

    def _queue(self) -> set[str]:
        """Names of the jobs that have not ended. submitit asks the accounting of Slurm, which many clusters
        do not have, and would wait there for a killed job without end."""
        if not self._is_slurm:
            return {name for name, (_, job, _) in self.running.items() if not job.done()}
        squeue = ["squeue", "--noheader", "--array", "--format=%i", f"--user={os.getuid()}"]
        asked = subprocess.run(squeue, capture_output=True, text=True, check=False)
        # A controller that does not answer has lost nothing.
        return set(asked.stdout.split() if asked.returncode == 0 else self.running)

    def cancel(self) -> None:
        for _, job, _ in self.running.values():
            job.cancel(check=False)
