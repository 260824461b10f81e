"""Sweeps on a cluster of Ray."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import sweeps

ray = pytest.importorskip("ray")


def committed(out: Path) -> int:
    return len(list(out.glob("runs/000/[0-9]*")))


def begin(file: Path, out: Path, *options: object) -> subprocess.Popen[str]:
    command = [*sweeps.SWEEP, file, "--out", out, *options]
    driver = subprocess.Popen(list(map(str, command)), stderr=subprocess.PIPE, text=True)
    while not 10 < committed(out) < 60:
        assert driver.poll() is None
        time.sleep(0.02)
    return driver


def test_a_node_is_killed_in_the_middle(short: tuple[Path, bytes], cluster: Any, tmp_path: Path) -> None:
    (file, plain), out = short, tmp_path / "out"
    node = cluster.add_node(num_cpus=1)
    driver = begin(file, out, "--ray", cluster.address, "--shards", 8)
    cluster.remove_node(node, allow_graceful=False)
    said = driver.communicate(timeout=120)[1]
    assert driver.returncode == 0, said
    sweeps.check_whole(out, plain, 120)


HOLDER = """
import ray, sys, time
ray.init(address=sys.argv[1], log_to_driver=False)

@ray.remote(num_cpus=1, resources={"held": 1})
class Holder:
    def hold(self):
        return True

holder = Holder.remote()
assert ray.get(holder.hold.remote())
print("held", flush=True)
time.sleep(600)
"""


def test_an_actor_holds_all_cpus_of_a_node(short: tuple[Path, bytes], cluster: Any, tmp_path: Path) -> None:
    (file, plain), out = short, tmp_path / "out"
    node = cluster.add_node(num_cpus=1, resources={"held": 1})
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, cluster.address], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
        sweeps.sweep(file, "--out", out, "--ray", cluster.address)
    finally:
        holder.kill()
        holder.wait()
        cluster.remove_node(node)
    sweeps.check_whole(out, plain, 120)


def test_a_cluster_of_this_call_and_its_interruption(short: tuple[Path, bytes], tmp_path: Path) -> None:
    (file, plain), out = short, tmp_path / "out"
    driver = begin(file, out, "--ray", "local")
    driver.send_signal(2)
    said = driver.communicate(timeout=60)[1]
    assert driver.returncode == 130 and said.endswith("the same command does what is left\n"), said
    before = committed(out)
    assert 0 < before < 120
    said = sweeps.sweep(file, "--out", out, "--ray", "local", "--shards", 3)
    assert said.count("runs committed") == 3 and said.endswith("120 rows (120 clean)\n")
    sweeps.check_whole(out, plain, 120)


def test_errors_are_one_line(short: tuple[Path, bytes], cluster: Any, tmp_path: Path) -> None:
    file, out = short[0], tmp_path / "out"
    said = sweeps.sweep(file, "--out", out, "--ray", "127.0.0.1:9", status=2)
    assert said == "error: cannot connect to Ray at `127.0.0.1:9`: [Errno 111] Connection refused\n"
    said = sweeps.sweep(file, "--out", out, "--ray", "local", "--jobs", "1000", status=2)
    assert said.startswith("error: `jobs` is 1000, and this machine has ") and said.count("\n") == 1
    # Found by the tasks, and not tried again: the folder is that of another sweep.
    other = sweeps.write(tmp_path / "other", 4)
    sweeps.sweep(other, "--out", out)
    said = sweeps.sweep(file, "--out", out, "--ray", cluster.address, status=2)
    assert said.startswith(f"error: {out}/sweep.json: is of a s") and said.count("\n") == 1, said


def test_functions_use_the_cluster_of_their_process(short: tuple[Path, bytes], tmp_path: Path) -> None:
    from cloth.sweep import run_on_ray

    (file, plain), out, lines = short, tmp_path / "out", list[str]()
    ray.init(address="local", log_to_driver=False)
    try:
        manifest = run_on_ray(file, out, shards=2, report=lines.append)
        assert ray.is_initialized()
    finally:
        ray.shutdown()
    assert manifest.is_clean and manifest.outcomes == {"clean": 120} and len(lines) == 2
    sweeps.check_whole(out, plain, 120)
