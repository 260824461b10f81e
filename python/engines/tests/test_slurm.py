"""Sweeps on a Slurm of one node, and by submitit's local executor."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

import pytest

import sweeps

pytest.importorskip("submitit")


def slurm_says(*command: object) -> str:
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True).stdout


def jobs(state: str = "") -> list[str]:
    wanted = [f"--states={state}"] if state else []
    return slurm_says("squeue", "--noheader", "--array", "--format=%i", *wanted).split()


def begin(file: Path, out: Path, *options: object) -> subprocess.Popen[str]:
    command = [*sweeps.SWEEP, file, "--out", out, *options]
    driver = subprocess.Popen(list(map(str, command)), stderr=subprocess.PIPE, text=True)
    while not list(out.glob("runs/000/[0-9]*")):
        assert driver.poll() is None
        time.sleep(0.02)
    return driver


def test_a_job_array_does_the_sweep(slurm: None, short: tuple[Path, bytes], tmp_path: Path) -> None:
    (file, plain), out = short, tmp_path / "out"
    options = ["--slurm", "--shards", 3, "--jobs", 2, "--memory-gb", 0.5, "--minutes", 10]
    said = sweeps.sweep(file, "--out", out, *options, "--sbatch", "comment=cloth", "--partition", "main")
    assert said.count("runs committed") == 3
    sweeps.check_whole(out, plain, 120)
    assert not (out / "slurm").exists()


def test_jobs_are_cancelled_preempted_requeued_and_killed(
    slurm: None, long: tuple[Path, bytes], tmp_path: Path
) -> None:
    (file, plain), out = long, tmp_path / "out"
    driver = begin(file, out, "--slurm", "--shards", 4)
    while len(running := jobs("RUNNING")) < 4:
        time.sleep(0.1)
    cancelled, preempted, requeued, _ = running
    slurm_says("scancel", cancelled)
    slurm_says("scancel", "--signal=USR2", preempted)
    slurm_says("scontrol", "requeue", requeued)
    # Of the fourth the process itself.
    number = f"SLURM_ARRAY_TASK_ID={running[3].split('_')[1]}"
    tasks = sweeps.processes(lambda line: "submitit.core._submit" in line and str(out) in line)
    assert any([sweeps.kill(pid) for pid in tasks if number in sweeps.read(pid, "environ").split()])
    said = driver.communicate(timeout=300)[1]
    assert driver.returncode == 0, said
    # The cancelled and the killed. Slurm requeues the others, but submitit may call the preempted one failed.
    assert said.count("it is submitted again") in (2, 3), said
    sweeps.check_whole(out, plain, 1000)


def test_ctrl_c_cancels_the_array(slurm: None, short: tuple[Path, bytes], tmp_path: Path) -> None:
    (file, plain), out = short, tmp_path / "out"
    driver = begin(file, out, "--slurm", "--shards", 2)
    driver.send_signal(2)
    driver.communicate(timeout=30)
    assert driver.returncode == 130
    deadline = time.monotonic() + 30
    while jobs():
        assert time.monotonic() < deadline
        time.sleep(0.2)
    shutil.rmtree(out / "slurm")
    sweeps.sweep(file, "--out", out)
    sweeps.check_whole(out, plain, 120)


def test_jobs_are_only_submitted(slurm: None, short: tuple[Path, bytes], tmp_path: Path) -> None:
    (file, plain), out = short, tmp_path / "out"
    said = sweeps.sweep(file, "--out", out, "--slurm", "--shards", 2, "--no-wait")
    command = said.strip().rpartition(": ")[2]
    assert command == f"python -m cloth.sweep {file} --out {out}"
    while jobs():
        time.sleep(0.2)
    assert subprocess.run(command, shell=True, capture_output=True, text=True, check=True).stdout.endswith(
        "120 rows (120 clean)\n"
    )
    sweeps.check_whole(out, plain, 120)


def test_slurm_refuses_a_job(slurm: None, short: tuple[Path, bytes], tmp_path: Path) -> None:
    said = sweeps.sweep(short[0], "--out", tmp_path / "out", "--slurm", "--partition", "none", status=2)
    *_, last = said.splitlines()
    assert last.startswith("error: the jobs cannot be submitted: ") and "Invalid partition" in last
    assert not list(tmp_path.glob("out/slurm/*"))


def test_cloth_itself_takes_the_shard_of_its_task(
    slurm: None, short: tuple[Path, bytes], tmp_path: Path
) -> None:
    if shutil.which("cloth") is None:
        pytest.skip("there is no `cloth` on the path")
    (file, plain), out = short, tmp_path / "out"
    command = f"cloth sweep {file} --out {out} --shard auto --jobs 1"
    script = ["--wait", "--array=1-4", "--output=/dev/null", f"--wrap={command}"]
    slurm_says("sbatch", *script)
    slurm_says("cloth", "merge", out)
    sweeps.check_whole(out, plain, 120)


def test_a_task_of_the_local_executor_is_killed(short: tuple[Path, bytes], tmp_path: Path) -> None:
    (file, plain), out = short, tmp_path / "out"
    driver = begin(file, out, "--slurm", "local", "--shards", 2)
    tasks = sweeps.processes(lambda line: "submitit.core._submit" in line and str(out) in line)
    assert tasks and sweeps.kill(tasks[0])
    said = driver.communicate(timeout=120)[1]
    assert driver.returncode == 0 and said.count("ended without a result; it is submitted again") == 1, said
    sweeps.check_whole(out, plain, 120)
    assert not (out / "slurm").exists()


def test_a_task_is_lost_too_often(short: tuple[Path, bytes], tmp_path: Path) -> None:
    (file, plain), out = short, tmp_path / "out"
    driver = begin(file, out, "--slurm", "local", "--shards", 2, "--retries", 0)
    tasks = sweeps.processes(lambda line: "submitit.core._submit" in line and str(out) in line)
    assert tasks and sweeps.kill(tasks[0])
    said = driver.communicate(timeout=120)[1].splitlines()[-1]
    assert driver.returncode == 2 and said.startswith("error: 1 of 2 shards are undone after 1 tries (shard ")
    command = said.partition("does what is left: ")[2]
    subprocess.run(command, shell=True, capture_output=True, check=True)
    sweeps.check_whole(out, plain, 120)


def test_ctrl_c_in_one_process(short: tuple[Path, bytes], tmp_path: Path) -> None:
    (file, plain), out = short, tmp_path / "out"
    driver = begin(file, out)
    driver.send_signal(2)
    began = time.monotonic()
    assert driver.communicate(timeout=30)[1] == "interrupted: the same command does what is left\n"
    assert driver.returncode == 130 and time.monotonic() - began < 1.5
    assert not list(out.glob("runs/000/.*")), "what was begun is removed"
    sweeps.sweep(file, "--out", out)
    sweeps.check_whole(out, plain, 120)


