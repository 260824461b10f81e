"""The commands and lines of the guide to many machines, as they are, one after the other."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import sweeps

GUIDE = Path(__file__).parents[3] / "docs/guide/many-machines.md"


def test_every_command_works(slurm: None, tmp_path: Path) -> None:
    for module in ("pandas", "pyarrow", "ray"):
        pytest.importorskip(module)
    if shutil.which("cloth") is None:
        pytest.skip("there is no `cloth` on the path")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    commands = []
    for block in GUIDE.read_text().split("```")[1::2]:
        kind, _, text = block.partition("\n")
        if kind == "sh":
            commands += [["bash", "-c", line] for line in text.splitlines()]
        elif kind == "python":
            commands.append([sys.executable, "-c", text])
    assert len(commands) > 12
    for command in commands:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=tmp_path, env=os.environ | {"PATH": path}
        )
        expected = int("exit status 1" in command[-1])
        assert done.returncode == expected, f"{command[-1]}: {done.stdout}{done.stderr}"
    # Whoever did the runs.
    plain = sweeps.manifest(tmp_path / "runs")
    for folder in ("runs", "shards", "array", "slurm", "ray"):
        sweeps.check_whole(tmp_path / folder, plain, 12)
