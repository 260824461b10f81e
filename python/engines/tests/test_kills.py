"""200 kills at random instants of sweeps of 1000 runs."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import sweeps

SHARD = "import sys; from cloth import _cloth; _cloth.sweep_shard(*sys.argv[1:3], *map(int, sys.argv[3:]))"


def start(*arguments: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def finish(file: Path, out: Path, plain: bytes, watch: sweeps.Watch) -> None:
    sweeps.sweep(file, "--out", out)
    watch.end(1000)
    sweeps.check_whole(out, plain, 1000)


def test_processes_of_this_machine(long: tuple[Path, bytes], tmp_path: Path, capsys: Any) -> None:
    (file, plain), out, draw = long, tmp_path / "out", random.Random(1)
    # Two that share the runs, and one that wants them all, and merges at the end.
    commands = [["-c", SHARD, file, out, k, 2, 1] for k in range(2)]
    commands.append(["-m", "cloth.sweep", file, "--out", out, "--jobs", 1])
    watch = sweeps.Watch(out)
    watch.start()
    workers, kills, began = [start(*command) for command in commands], 0, time.monotonic()
    while kills < 80:
        time.sleep(draw.uniform(0.05, 0.4))
        k = draw.randrange(3)
        assert not (out / "manifest.jsonl").exists(), f"the sweep was done after {kills} kills"
        if workers[k].poll() is None and sweeps.kill(workers[k].pid):
            kills += 1
        workers[k].wait()
        workers[k] = start(*commands[k])
    for worker in workers:
        worker.wait()
    finish(file, out, plain, watch)
    sweeps.say(capsys, "processes", kills, watch, began, out)


def test_tasks_of_ray(long: tuple[Path, bytes], cluster: Any, tmp_path: Path, capsys: Any) -> None:
    (file, plain), out, draw = long, tmp_path / "out", random.Random(2)
    raylets = {node.all_processes["raylet"][0].process.pid for node in cluster.list_all_nodes()}
    watch = sweeps.Watch(out)
    watch.start()
    began = time.monotonic()
    options = ["--ray", cluster.address, "--shards", 12, "--retries", 60]
    driver = start("-m", "cloth.sweep", file, "--out", out, *options)
    kills = 0
    while kills < 60:
        time.sleep(draw.uniform(0.05, 0.4))
        assert driver.poll() is None, f"the sweep was done after {kills} kills"
        tasks = sweeps.processes(lambda line: line.startswith("ray::") and "shard" in line)
        tasks = [pid for pid in tasks if sweeps.parent(pid) in raylets]
        if tasks and sweeps.kill(draw.choice(tasks)):
            kills += 1
    assert driver.wait() == 0, "the cluster goes on by itself"
    finish(file, out, plain, watch)
    sweeps.say(capsys, "Ray", kills, watch, began, out)


def test_tasks_of_submitit(long: tuple[Path, bytes], tmp_path: Path, capsys: Any) -> None:
    pytest.importorskip("submitit")
    (file, plain), out, draw = long, tmp_path / "out", random.Random(3)
    watch = sweeps.Watch(out)
    watch.start()
    began = time.monotonic()
    command = ["-m", "cloth.sweep", file, "--out", out, "--slurm", "local", "--shards", 3, "--retries", 1000]
    driver = start(*command)
    # The task itself, what starts it (then nobody knows of the task, which goes on), and the driver.
    names = ["submitit.core._submit", "submitit.local._local", "-m cloth.sweep"]
    kills = 0
    while kills < 60:
        time.sleep(draw.uniform(0.05, 0.4))
        assert not (out / "manifest.jsonl").exists(), f"the sweep was done after {kills} kills"
        name = draw.choices(names, [17, 2, 1])[0]
        victims = sweeps.processes(lambda line, name=name: name in line and str(out) in line)
        if victims and sweeps.kill(draw.choice(victims)):
            kills += 1
        if driver.poll() is not None:
            driver = start(*command)
    driver.wait()
    while sweeps.processes(lambda line: "submitit" in line and str(out) in line):
        time.sleep(0.1)
    finish(file, out, plain, watch)
    sweeps.say(capsys, "submitit", kills, watch, began, out)
