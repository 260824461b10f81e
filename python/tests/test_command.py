"""`python -m cloth`: the command of the package, and what it is installed beside."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import cloth

APART = "v 0 0 0\nv 0 0 4\nv 4 0 0\nv 1 1 1\nv 1.2 2 1\nv 1 2 1.2\nf 1 2 3\nf 4 5 6\n"
THROUGH = APART.replace("v 1 1 1", "v 1 -1 1")
SCENE = """
settings = { duration = 0.2, thickness = 0.008 }
garment = [{ name = "sheet", mesh = "sheet.obj" }]
body = [{ kind = "sphere", center = [0.05, -0.22, 0.05], radius = 0.2 }]
"""
SHEET = "v 0 0 0\nv 0.1 0 0\nv 0.1 0 0.1\nv 0 0 0.1\nf 1 3 2\nf 1 4 3\n"
PROGRAM = [sys.executable, "-m", "cloth"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("apart.obj", APART), ("through.obj", THROUGH), ("sheet.obj", SHEET), ("scene.toml", SCENE)):
        (tmp_path / name).write_text(text)
    return tmp_path


def run(folder: Path, *arguments: str, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    env = os.environ | ({"PYTHONPATH": str(path)} if path else {})
    return subprocess.run([*PROGRAM, *arguments], capture_output=True, text=True, check=False, cwd=folder, env=env)


def test_statuses_are_those_of_the_command(folder: Path) -> None:
    clean, found = run(folder, "check", "apart.obj"), run(folder, "check", "through.obj", "--json", "through.json")
    assert (clean.returncode, clean.stderr, found.returncode, found.stderr) == (0, "", 1, "")
    assert clean.stdout.startswith("apart.obj: clean") and found.stdout.startswith("through.obj: ")
    assert "clean" not in found.stdout.splitlines()[0]
    assert json.loads((folder / "through.json").read_text())["meshes"][0]["clean"] is False
    for line, text in ((["chek"], "'chek'"), (["check", "none.obj"], "none.obj"), ([], "no command given")):
        refused = run(folder, *line)
        assert (refused.returncode, refused.stdout) == (2, "") and text in refused.stderr
        assert refused.stderr.startswith("cloth: ") and refused.stderr.count("\n") == 1


def test_help_names_how_it_was_called(folder: Path) -> None:
    for line in (["--help"], ["check", "-h"], ["--version"]):
        said = run(folder, *line)
        assert (said.returncode, said.stderr) == (0, "")
        assert ("Usage: python -m cloth" in said.stdout) == (line != ["--version"]), said.stdout
    assert said.stdout.startswith("cloth ")


def test_a_scene_is_simulated_to_a_cache_of_the_same_bytes(folder: Path) -> None:
    for threads in ("1", "2"):
        scene = (folder / "scene.toml").read_text().replace("duration", f"threads = {threads}, duration")
        (folder / f"{threads}.toml").write_text(scene)
        done = run(folder, "simulate", f"{threads}.toml", "--out", f"{threads}.pc2", "--json", f"{threads}.json")
        assert (done.returncode, done.stderr) == (0, ""), done
        assert json.loads((folder / f"{threads}.json").read_text())["pass"] is True
    assert (folder / "1.pc2").read_bytes() == (folder / "2.pc2").read_bytes()
    assert (folder / "1.pc2").stat().st_size > 6 * 4 * 12


@pytest.mark.skipif(os.name == "nt", reason="names of files that are no text")
def test_names_of_files_need_not_be_text(folder: Path) -> None:
    name = os.fsdecode(b"\xff.obj")
    (folder / name).write_text(THROUGH)
    assert run(folder, "check", name).returncode == 1


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_with_its_report(folder: Path, sent: int, status: int) -> None:
    scene = (folder / "scene.toml").read_text().replace("duration = 0.2", "duration = 10000.0")
    (folder / "long.toml").write_text(scene)
    line = [*PROGRAM, "simulate", "long.toml", "--out", "long.pc2", "--json", "long.json"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder) as process:
        # Its cache has a temporary name while it is at work, for hours.
        while process.poll() is None and not list(folder.glob("*.part")):
            time.sleep(0.02)
        process.send_signal(sent)
        _, said = process.communicate(timeout=20)
    assert process.returncode == status and "interrupted" in said and "Traceback" not in said
    assert json.loads((folder / "long.json").read_text())["interrupted"] is True


@pytest.mark.skipif(os.name == "nt", reason="pipes")
def test_a_reader_that_has_gone_away_is_no_failure(folder: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        line = [*PROGRAM, "check", "through.obj"]
        done = subprocess.run(line, stdout=writer, stderr=subprocess.PIPE, text=True, check=False, cwd=folder)
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (1, "")


def test_files_of_the_other_distribution_are_an_error(folder: Path) -> None:
    package = folder / "site" / "cloth"
    shutil.copytree(Path(cloth.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    ask = [sys.executable, "-c", "import cloth; print(cloth.__file__)"]
    env = os.environ | {"PYTHONPATH": str(package.parent)}
    found = subprocess.run(ask, capture_output=True, text=True, check=True, cwd=folder, env=env)
    assert found.stdout.strip() == str(package / "__init__.py")
    # What PyPI's `cloth` 0.3 installs: these two files, and an empty `__init__.py`.
    for name in ("tasks.py", "utils.py"):
        (package / name).write_text("import boto.ec2\n")
    remedy = "pip uninstall --yes cloth cloth-judge && pip install cloth-judge"
    refused = subprocess.run(ask, capture_output=True, text=True, check=False, cwd=folder, env=env)
    assert refused.returncode == 1 and remedy in refused.stderr.splitlines()[-1]
    (package / "__init__.py").write_text("")
    mixed = run(folder, "check", "apart.obj", path=package.parent)
    assert mixed.returncode == 1 and remedy in mixed.stderr.splitlines()[-1]
