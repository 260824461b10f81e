"""Manifests as tables of Parquet."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import sweeps

parquet = pytest.importorskip("pyarrow.parquet")


def test_the_table_of_a_sweep_is_its_manifest(short: tuple[Path, bytes], tmp_path: Path) -> None:
    file, out = short[0], short[0].parent / "plain"
    sweeps.sweep(file, "--out", out, "--parquet", tmp_path / "runs.parquet")
    table = parquet.read_table(tmp_path / "runs.parquet")
    rows = [json.loads(line) for line in sweeps.manifest(out).splitlines()]
    assert table.num_rows == 120 and table.column_names == list(rows[0])
    for found, row in zip(table.to_pylist(), rows, strict=True):
        assert found["parameters"] == row["parameters"] and found["files"] == row["files"]
        assert found["verdict"] == row["verdict"] and found["number"] == row["number"]
        assert found["report"].keys() == row["report"].keys()


def test_values_of_many_types(tmp_path: Path) -> None:
    from cloth.sweep import to_parquet

    values: list[Any] = [1, 2.5, "silk", None, True, [1, 2], {"density": 0.2}, 2**64 - 1]
    rows = [{"number": k, "parameters": {"a": a}, "files": {}, "report": None} for k, a in enumerate(values)]
    rows[2]["report"] = {"depth": 1, "list": [{"x": 1}, {"y": "z"}], "none": {}}
    rows[3]["report"] = {"depth": 0.5, "list": [], "more": {"deep": {"er": 1}}}
    (tmp_path / "m.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert to_parquet(tmp_path / "m.jsonl", tmp_path / "m.parquet") == len(rows)
    found = parquet.read_table(tmp_path / "m.parquet").to_pylist()
    texts = [None if value is None else json.dumps(value) for value in values]
    assert [row["parameters"]["a"] for row in found] == texts
    assert [row["report"] and row["report"]["depth"] for row in found] == [None, None, 1, 0.5] + [None] * 4
    assert found[2]["report"]["list"] == [{"x": 1, "y": None}, {"x": None, "y": "z"}]
    assert found[3]["report"]["more"] == {"deep": {"er": 1}}
    (tmp_path / "m.jsonl").write_text("")
    assert to_parquet(tmp_path / "m.jsonl", tmp_path / "m.parquet") == 0
