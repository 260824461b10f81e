"""Sweeps: shards, manifests, and what is refused. The engines have tests of their own (python/engines/test)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import cloth
import cloth.sweep
from cloth import _cloth
from cloth.sweep.__main__ import main

MESH = "v 0 0 0\nv 0.1 0 0\nv 0.1 0 0.1\nv 0 0 0.1\nf 1 3 2\nf 1 4 3\n"
SCENE = """
settings = { duration = 0.05, thickness = 0.008 }
garment = [{ name = "sheet", mesh = "sheet.obj" }]
body = [{ kind = "sphere", center = [0.05, -0.22, 0.05], radius = 0.2 }]
"""
SWEEP = """
scene = "scene.toml"
outputs = ["last.obj"]
parameter = [
    { key = "garment.sheet.material", values = ["cotton", "silk", { density = 0.2, stretch = 900.0, shear = 50.0, bend = 1e-5 }] },
    { key = "settings.friction", from = 0.1, to = 0.9, count = 4 },
]
"""
FEW = 'scene = "scene.toml"\nparameter = [{ key = "garment.0.material", values = ["cotton", "silk"] }]'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    for name, text in (("sheet.obj", MESH), ("scene.toml", SCENE), ("sweep.toml", SWEEP)):
        (tmp_path / name).write_text(text)
    return tmp_path / "sweep.toml"


def test_shards_merge_to_the_whole_and_are_done_once(file: Path, tmp_path: Path) -> None:
    whole = cloth.sweep.run(file, tmp_path / "whole", report=lambda _: None)
    assert whole.is_clean and whole.outcomes == {"clean": 12}
    assert str(whole) == f"{tmp_path}/whole/manifest.jsonl: 12 rows (12 clean)"
    out = str(tmp_path / "parts")
    assert _cloth.sweep_shard(str(file), out, 1, 3, 2) == (4, 0, 0, 0, 0)
    with pytest.raises(cloth.FileError, match="8 of 12 rows of sweep .* are missing: 0, 2, 3, 5, 6, ..."):
        cloth.sweep.merge([out])
    assert cloth.sweep.merge([out], tmp_path / "some.jsonl", partial=True).outcomes == {"clean": 4}
    lines: list[str] = []
    parts = cloth.sweep.run(file, out, jobs=1, report=lines.append)
    assert lines == ["shard 1 of 1: 8 runs committed, 4 were there"]
    assert parts.path.read_bytes() == whole.path.read_bytes()
    rows = [json.loads(line) for line in parts.path.read_text().splitlines()]
    assert [row["number"] for row in rows] == list(range(12))
    assert rows[11]["parameters"]["garment.sheet.material"]["density"] == 0.2
    assert rows[11]["parameters"]["settings.friction"] == 0.9


def test_a_run_that_fails_is_no_error(file: Path, tmp_path: Path, capsys: Any) -> None:
    # Commits wait for the disk: two are enough.
    file.write_text(FEW.replace('"silk"', '"tin"'))
    assert main([str(file), "--out", str(tmp_path / "out")]) == 1
    said = capsys.readouterr()
    assert said.out == f"{tmp_path}/out/manifest.jsonl: 2 rows (1 clean, 1 failed)\n"
    assert said.err == "shard 1 of 1: 2 runs committed, 0 were there\n"


def test_bad_files_and_numbers_are_refused_on_one_line(file: Path, tmp_path: Path, capsys: Any) -> None:
    file.write_text(SWEEP.replace("friction", "fiction"))
    with pytest.raises(cloth.FileError, match="fiction"):
        cloth.sweep.run(file, tmp_path / "out")
    with pytest.raises(cloth.FileError, match="fiction"):
        cloth.sweep.run_on_ray(file, tmp_path / "out")
    with pytest.raises(cloth.FileError, match="fiction"):
        cloth.sweep.run_on_slurm(file, tmp_path / "out")
    file.write_text(SWEEP)
    with pytest.raises(cloth.InputError, match="`jobs` is 0; it must be at least 1"):
        cloth.sweep.run(file, tmp_path / "out", jobs=0)
    with pytest.raises(cloth.InputError, match="`retries` is -1; it must be at least 0"):
        cloth.sweep.run_on_ray(file, tmp_path / "out", retries=-1)
    with pytest.raises(cloth.InputError, match="`minutes` is 4; it must be at least 5"):
        cloth.sweep.run_on_slurm(file, tmp_path / "out", minutes=4)
    with pytest.raises(cloth.FileError, match="is not a single folder"):
        cloth.sweep.merge([file])
    assert not (tmp_path / "out").exists()
    (tmp_path / "out").write_text("")
    assert main([str(file), "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ") and f"{tmp_path}/out" in said and said.count("\n") == 1
    for options in (["--shards", "2"], ["--ray", "local", "--no-wait"], ["--slurm", "--sbatch", "x"]):
        with pytest.raises(SystemExit, match="2"):
            main([str(file), "--out", "out", *options])
    said = capsys.readouterr().err
    for text in ("--shards needs --ray or --slurm", "--no-wait needs --slurm", "`x` is not KEY=VALUE"):
        assert text in said


def test_a_missing_package_is_named(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ray", "submitit", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    out = tmp_path / "out"
    with pytest.raises(cloth.ClothError, match="needs ray, which is not installed: pip install ray"):
        cloth.sweep.run_on_ray(file, out)
    with pytest.raises(cloth.ClothError, match="pip install submitit"):
        cloth.sweep.run_on_slurm(file, out)
    with pytest.raises(cloth.ClothError, match="pip install pyarrow"):
        cloth.sweep.to_parquet(file, out)
    assert not out.exists()


def test_the_module_is_a_program(file: Path, tmp_path: Path) -> None:
    file.write_text(FEW)
    command = [sys.executable, "-m", "cloth.sweep", "sweep.toml", "--out", "out", "--jobs", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, f"{tmp_path}/out/manifest.jsonl: 2 rows (2 clean)\n")
