"""The examples, run as a user would."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PYTHON = Path(__file__).parent.parent
CORPUS = Path(os.environ.get("CLOTH_CORPUS", PYTHON.parent / "../shared/data"))
SHIRT = CORPUS / "garments/diffcloth/tshirt1900-folding-biFolded.obj"


@pytest.mark.parametrize("mesh", [None, SHIRT], ids=["generated", "shirt"])
def test_the_tour(mesh: Path | None, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    if mesh is not None and not mesh.exists():
        pytest.skip(f"there is no {mesh}: set CLOTH_CORPUS")
    arguments = ["--frames", "15", "--out", str(tmp_path)]
    if mesh is not None:
        # A power of two, so that the shirt is the same to the last bit: a unit is about a decimetre.
        arguments += [str(mesh), "--scale", "0.125"]
    program = [sys.executable, str(PYTHON / "examples/tour.py"), *arguments]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    untangled = next(line for line in lines if line.startswith("untangled: "))
    before, _, after = untangled.split()[1:4]
    assert int(before) > 0 and after == "0,"
    assert lines[-1] == "certified: 0 intersections in 0 frames"
    assert not lines[-2].startswith("plain: 0 "), "without the certifier the scene intersects"
    for name in ("untangled.png", "audited.png"):
        assert (tmp_path / name).stat().st_size > 10_000


def test_the_gripper_lifts_by_friction_alone() -> None:
    program = [sys.executable, str(PYTHON / "examples/gripper.py")]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    *variants, slips, without = [[float(n) for n in re.findall(r"-?\d+\.\d+", line)] for line in lines]
    assert len(variants) == 4
    for friction, least, most, mean in variants:
        assert friction > 0 and 0.199 <= least <= most <= 0.201 and 0.198 <= mean <= 0.202
    # The controls: with less friction it slips, without any it stays on the floor.
    assert slips[0] == 0.05 and 0.18 < slips[1] <= slips[2] < 0.199
    assert without[0] == 0 and max(map(abs, without)) < 0.01
    assert done.stdout.count("clean: True") == 6


def test_the_commands_of_the_guide_to_robot_learning() -> None:
    pytest.importorskip("gymnasium", "1.1", reason="there is no gymnasium 1.1: pip install gymnasium")
    text = (PYTHON.parent / "docs/guide/robot-learning.md").read_text()
    lines = "".join(block.split("```")[0] for block in text.split("```sh\n")[1:]).splitlines()
    commands = [line for line in lines if not line.startswith("pip install ./python ")]
    assert len(commands) == len(lines) - 1 > 1
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for command in commands:
        done = subprocess.run(
            ["bash", "-c", command],
            capture_output=True,
            text=True,
            check=False,
            cwd=PYTHON.parent,
            env=os.environ | {"PATH": path},
        )
        assert done.returncode == 0, done.stderr


GUIDES = [f"../docs/guide/{name}.md" for name in ("python", "batch", "robot-learning")]


@pytest.mark.parametrize("page", ["README.md", *GUIDES])
def test_the_lines_of_pages(page: str, tmp_path: Path) -> None:
    text = (PYTHON / page).read_text()
    blocks: list[str] = []
    for block in text.split("```python\n")[1:]:
        # One that imports nothing goes on from the one before.
        before = "" if block.startswith("import ") else blocks.pop()
        blocks.append(before + block.split("```")[0])
    assert blocks
    for block in blocks:
        done = subprocess.run(
            [sys.executable, "-c", block], capture_output=True, text=True, check=False, cwd=tmp_path
        )
        assert done.returncode == 0, done.stderr
        promised = block.split("print(report)\n# ")[1:]
        for text in promised:
            assert done.stdout == text.split("\n\n")[0].replace("\n# ", "\n") + "\n"
