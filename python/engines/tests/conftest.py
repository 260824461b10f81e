from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import sweeps

NODE = Path(__file__).parent.parent / "slurm-node"


@pytest.fixture(scope="session")
def long(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    """A sweep of 1000 runs, and its manifest from one process that nobody disturbs."""
    folder = tmp_path_factory.mktemp("long")
    file = sweeps.write(folder, 1000, duration=0.25)
    sweeps.sweep(file, "--out", folder / "plain")
    return file, sweeps.manifest(folder / "plain")


@pytest.fixture(scope="session")
def short(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    """The same of 120 runs."""
    folder = tmp_path_factory.mktemp("short")
    file = sweeps.write(folder, 120, duration=0.5)
    sweeps.sweep(file, "--out", folder / "plain")
    return file, sweeps.manifest(folder / "plain")


@pytest.fixture(scope="module")
def cluster() -> Iterator[object]:
    """A cluster of Ray with three nodes of this machine."""
    cluster_utils = pytest.importorskip("ray.cluster_utils")
    cluster = cluster_utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    for _ in range(2):
        cluster.add_node(num_cpus=1)
    yield cluster
    cluster.shutdown()


@pytest.fixture(scope="session")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder = tmp_path_factory.mktemp("slurm")
    started = subprocess.run([NODE, folder], capture_output=True, text=True, check=False)
    if started.returncode == 69:
        pytest.skip(started.stderr.strip())
    assert started.returncode == 0, started.stderr
    os.environ["SLURM_CONF"] = started.stdout.strip()
    try:
        yield
    finally:
        del os.environ["SLURM_CONF"]
        subprocess.run([NODE, folder, "stop"], check=True)
