from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runs
import table


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> runs.Run:
    """Three garments and two bodies of 24 frames with a cut, as a stage and as caches."""
    return runs.simulate(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="session")
def blender(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., dict[str, Any]]:
    """Runs a command of `blender.py`; returns its arrays."""
    python = os.environ.get("BLENDER_PYTHON")
    if python is None:
        pytest.skip("there is no bpy")
    folder = tmp_path_factory.mktemp("blender")

    def call(command: str, *arguments: object, out: Path | None = None) -> dict[str, Any]:
        to = out or folder / f"{len(list(folder.iterdir()))}.npz"
        script = Path(__file__).with_name("blender.py")
        done = subprocess.run(
            [python, script, command, *map(str, arguments), to],
            capture_output=True,
            text=True,
            check=False,
            timeout=540,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        if to.suffix != ".npz":
            return {}
        with np.load(to) as arrays:
            return {name: arrays[name] for name in arrays.files}

    return call


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for line in table.lines():
        terminalreporter.write_line(line)
