"""The examples, run as a user would."""

from __future__ import annotations

import os
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


@pytest.mark.parametrize("page", ["README.md", "../docs/guide/python.md", "../docs/guide/batch.md"])
def test_the_lines_of_pages(page: str, tmp_path: Path) -> None:
    text = (PYTHON / page).read_text()
    blocks = [block.split("```")[0] for block in text.split("```python\n")[1:]]
    assert blocks
    for block in blocks:
        done = subprocess.run(
            [sys.executable, "-c", block], capture_output=True, text=True, check=False, cwd=tmp_path
        )
        assert done.returncode == 0, done.stderr
        promised = block.split("print(report)\n# ")[1:]
        for text in promised:
            assert done.stdout == text.split("\n\n")[0].replace("\n# ", "\n") + "\n"
