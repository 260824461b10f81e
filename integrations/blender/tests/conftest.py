"""Installs the extension from its zip, as a user does, and gives every test an empty file.

Run by `integrations/blender/test`, which names the zip and an empty user folder.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

if not os.environ.get("CLOTH_JUDGE_ZIP") or not os.environ.get("BLENDER_USER_RESOURCES"):
    pytest.exit("run integrations/blender/test, which builds the zip and an empty user folder", returncode=2)

import blend
import bpy

blend.install(os.environ["CLOTH_JUDGE_ZIP"])


@pytest.fixture(autouse=True)
def empty_file() -> None:
    """An empty scene of 24 frames a second, with the extension enabled and no results."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    blend.enable()


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """The folder of the .blend file, which is saved as cape.blend."""
    with blend.quiet():
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "cape.blend"))
    return tmp_path
