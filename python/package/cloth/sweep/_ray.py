"""Sweeps on a cluster of Ray: a task for each shard."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence
from typing import Any

from .._errors import ClothError
from ._drive import Job, Manifest, PathLike, Report, Result, describe, drive, extra


def run_on_ray(
    sweep: PathLike,
    out: PathLike,
    *,
    address: str = "local",
    shards: int | None = None,
    jobs: int = 1,
    retries: int = 3,
    report: Report = print,
) -> Manifest:
    """Does what is left of a sweep by tasks of Ray, and merges.

    Needs `ray`, and this package on every node. `out` has to be on a file system that all nodes share. A task
    that ends with its worker or node is submitted again, and does what is left of its shard.

    Args:
        sweep: the file of the sweep, on that file system too.
        out: the folder of its runs; one that was begun is continued.
        address: of the cluster, as for `ray.init`; "local" starts one on this machine for this call. A
            process that is connected to a cluster uses that one.
        shards: number of tasks; by default four for each that the cluster can run at a time.
        jobs: how many runs a task does at a time, and the CPUs that it takes.
        retries: how often a shard is submitted again.
        report: is given a line for each shard that has ended.

    Raises:
        InputError, FileError: the sweep is refused, or `out` belongs to another one.
        ClothError: `ray` is missing, there is no cluster, a node cannot load this package, or shards are
            undone; the text says which command does what is left.
    """
    job = describe(sweep, out, jobs, 1 if shards is None else shards, retries)
    ray = extra("ray")
    is_own = not ray.is_initialized()
    if is_own:
        host, _, port = address.rpartition(":")
        try:
            if port.isdigit() and "/" not in host:
                # Ray would ask for an hour.
                socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
            ray.init(address=address, log_to_driver=False, logging_level="error")
        except (OSError, ValueError, RuntimeError) as error:
            raise ClothError(f"cannot connect to Ray at `{address}`: {error}") from None
    tasks = _Tasks(ray, job)
    try:
        cpus = int(ray.cluster_resources().get("CPU", 1))
        if is_own and address == "local" and jobs > cpus:
            raise ClothError(f"`jobs` is {jobs}, and this machine has {cpus} CPUs: no task could begin")
        if shards is None:
            tasks.job = job.split(4 * (cpus // jobs))
        return drive(tasks.job, tasks, retries, report)
    finally:
        if is_own:  # Tasks end with their connection.
            ray.shutdown()
        else:
            for task in tasks.running:
                ray.cancel(task)


class _Tasks:
    def __init__(self, ray: Any, job: Job) -> None:
        self._ray = ray
        # `drive` counts the retries: Ray's own would multiply them.
        self._task = ray.remote(num_cpus=job.at_a_time, max_retries=0)(Job.shard)
        self.job = job
        self.running: dict[Any, int] = {}

    def __call__(self, shards: Sequence[int]) -> Iterator[tuple[int, Result]]:
        self.running |= {self._task.remote(self.job, index): index for index in shards}
        ended, _ = self._ray.wait(list(self.running))
        for task in ended:
            index = self.running.pop(task)
            try:
                yield index, self._ray.get(task)
            except self._ray.exceptions.RayTaskError as error:
                raise ClothError(f"a node cannot do shard {index + 1}: {error.cause}") from None
            except self._ray.exceptions.RayError as error:
                yield index, f"its worker is lost ({type(error).__name__})"
