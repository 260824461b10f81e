"""Composed stages: the reader of text refuses each with the prim and the way, and a Python with OpenUSD reads it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import arcs
import cloth
import reading
import stages
import table

ALL = {**arcs.COMPOSED, **arcs.OTHER_FILES}
WITHOUT_OPENUSD = """
import sys
sys.modules["pxr"] = None
import cloth
try:
    cloth.read_mesh(sys.argv[1])
except cloth.FileError as error:
    print(error)
"""


@pytest.mark.parametrize("name", ALL)
def test_without_openusd_a_message_names_prim_and_way(name: str, tmp_path: Path) -> None:
    path, prim = ALL[name](tmp_path)
    command = [sys.executable, "-c", WITHOUT_OPENUSD, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    message = done.stdout.strip()
    assert message.count("\n") == 0, message
    assert path.name in message
    assert "usdcat --flatten" in message
    assert prim is None or f"`{prim}`" in message, message
    if name == "instances":
        # Flattening alone keeps them.
        assert "instanceable" in message
    table.REFUSED[name] = message.removeprefix(str(tmp_path) + "/")


@pytest.mark.parametrize("name", ALL)
def test_with_openusd_mesh_and_states_are_those_of_the_flat_file(name: str, tmp_path: Path) -> None:
    path, _ = ALL[name](tmp_path)
    flat = arcs.flat(path, tmp_path / "flat.usda")
    positions, faces = cloth.read_mesh(path)
    wanted, triangles = cloth.read_mesh(flat)
    assert (positions == wanted).all()
    assert (faces == triangles).all()
    said = stages.said(path)
    reading.check_triangles(said.frames[0], said.polygons, faces)
    for frame, own, other in zip(reading.frames(path), reading.frames(flat), said.frames, strict=True):
        assert (np.array(frame) == np.array(own)).all()
        reading.difference(frame, other, said.exact, single=False)


def test_a_prim_of_a_binary_file_is_selected(tmp_path: Path) -> None:
    path, _ = arcs.binary(tmp_path)
    positions, _ = cloth.read_mesh(f"{path}#/Part/shirt")
    assert (positions == stages.said(path, "/Part/shirt").frames[0]).all()


def test_opening_leaves_nothing_behind(tmp_path: Path) -> None:
    path, _ = arcs.reference(tmp_path)
    before = sorted(tmp_path.iterdir())
    cloth.read_mesh(path)
    list(reading.frames(path))
    assert sorted(tmp_path.iterdir()) == before
