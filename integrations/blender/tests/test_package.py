"""The zip: Blender's command line builds it, Blender installs it, and the wheel in it is unchanged."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import blend
import bpy
import pytest
from blend import addon_utils

HERE = Path(__file__).resolve().parents[1]
WHEEL = Path(os.environ["CLOTH_JUDGE_WHEEL"])
RELEASED = [
    "manylinux_2_17_x86_64.manylinux2014_x86_64",
    "manylinux_2_17_aarch64.manylinux2014_aarch64",
    "macosx_10_12_x86_64",
    "macosx_11_0_arm64",
    "win_amd64",
    "win_arm64",
]


def blender_ext(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Blender's command line for extensions, as it ships."""
    program = Path(bpy.utils.system_resource("SCRIPTS")) / "addons_core" / "bl_pkg" / "cli" / "blender_ext.py"
    return subprocess.run([sys.executable, program, *arguments], capture_output=True, text=True)


def build(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "BLENDER_PYTHON": sys.executable}
    return subprocess.run([HERE / "build", *arguments], capture_output=True, text=True, env=environment)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """The folder of the extension, with a wheel in its manifest that is not there."""
    folder = tmp_path / "source"
    shutil.copytree(HERE / "cloth_judge", folder, ignore=shutil.ignore_patterns("__pycache__"))
    manifest = folder / "blender_manifest.toml"
    wheels = f'platforms = ["linux-x64"]\nwheels = ["./wheels/{WHEEL.name}"]\n'
    manifest.write_text(wheels + manifest.read_text())
    return folder


def test_validate_does_not_see_a_missing_wheel_and_build_does(source: Path, tmp_path: Path) -> None:
    assert blender_ext("validate", source).returncode == 0
    without = blender_ext("build", "--split-platforms", "--source-dir", source, "--output-dir", tmp_path)
    assert without.returncode != 0 and "wheel" in without.stdout + without.stderr
    assert not list(tmp_path.glob("*.zip"))
    (source / "wheels").mkdir()
    shutil.copy(WHEEL, source / "wheels")
    done = blender_ext("build", "--split-platforms", "--source-dir", source, "--output-dir", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [archive.name for archive in tmp_path.glob("*.zip")] == ["cloth_judge-0.1.0-linux_x64.zip"]


def test_the_zip_passes_validate_and_holds_the_wheel_as_it_is() -> None:
    archive = Path(os.environ["CLOTH_JUDGE_ZIP"])
    assert blender_ext("validate", archive).returncode == 0
    with zipfile.ZipFile(archive) as file:
        names = set(file.namelist())
        written = {
            path.relative_to(HERE / "cloth_judge").as_posix() for path in (HERE / "cloth_judge").rglob("*")
        }
        written = {name for name in written if "__pycache__" not in name}
        assert names == written | {"LICENSE", f"wheels/{WHEEL.name}"}
        assert file.read(f"wheels/{WHEEL.name}") == WHEEL.read_bytes()
        assert file.read("LICENSE").startswith(b" " * 20 + b"GNU GENERAL PUBLIC LICENSE")
        manifest = tomllib.loads(file.read("blender_manifest.toml").decode())
    assert manifest["schema_version"] == "1.0.0" and manifest["license"] == ["SPDX:GPL-3.0-or-later"]
    assert manifest["version"] == WHEEL.name.split("-")[1]
    assert manifest["build"]["generated"]["wheels"] == [f"./wheels/{WHEEL.name}"]
    assert list(manifest["permissions"]) == ["files"]


def test_six_wheels_of_a_release_become_a_zip_each(tmp_path: Path) -> None:
    wheels = [tmp_path / f"cloth_judge-0.1.0-cp310-abi3-{tag}.whl" for tag in RELEASED]
    for number, wheel in enumerate(wheels):
        wheel.write_bytes(b"wheel %d" % number)
    done = build(*wheels, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    platforms = ["linux_x64", "linux_arm64", "macos_x64", "macos_arm64", "windows_x64", "windows_arm64"]
    archives = [tmp_path / "out" / f"cloth_judge-0.1.0-{platform}.zip" for platform in platforms]
    assert sorted(done.stdout.split()) == sorted(map(str, archives))
    for wheel, archive in zip(wheels, archives):
        with zipfile.ZipFile(archive) as file:
            assert [name for name in file.namelist() if name.endswith(".whl")] == [f"wheels/{wheel.name}"]
            assert file.read(f"wheels/{wheel.name}") == wheel.read_bytes()


def test_build_refuses_what_cannot_become_a_zip(tmp_path: Path) -> None:
    refused = [[], [WHEEL, "--quick"], [WHEEL, tmp_path / "none.whl"]]
    other = tmp_path / WHEEL.name.replace("linux_x86_64", "manylinux_2_28_x86_64")
    other.write_bytes(b"")
    for arguments in [*refused, [WHEEL, other]]:
        done = build(*arguments, "--out", tmp_path / "out")
        assert done.returncode != 0 and done.stderr.count("\n") == 1, done.stderr
    assert not list(tmp_path.rglob("*.zip"))


def test_the_module_cloth_is_that_of_the_extension() -> None:
    import cloth

    assert Path(cloth.__file__).is_relative_to(
        Path(os.environ["BLENDER_USER_RESOURCES"]) / "extensions" / ".local"
    )
    code = "import cloth"
    alone = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=HERE / "target")
    assert "ModuleNotFoundError" in alone.stderr, "cloth-judge is installed beside bpy: nothing is tested"


def registered() -> dict[str, object]:
    """What an extension can leave behind."""
    handlers = {
        name: [
            function for function in functions if blend.MODULE in (getattr(function, "__module__", "") or "")
        ]
        for name in dir(bpy.app.handlers)
        if isinstance(functions := getattr(bpy.app.handlers, name), list)
    }
    return {
        "operators": sorted(dir(bpy.ops.cloth_judge)),
        "properties": [hasattr(of, "cloth_judge") for of in owners()],
        "classes": sorted(n for n in dir(bpy.types) if "cloth_judge" in n.lower()),
        "handlers": {name: len(functions) for name, functions in handlers.items() if functions},
        "menus": [
            name
            for name in dir(bpy.types)
            if name.split("_")[1:2] in (["MT"], ["PT"], ["HT"])
            and any(blend.MODULE in f.__module__ for f in drawn(getattr(bpy.types, name)))
        ],
    }


def owners() -> list[type]:
    return [bpy.types.Scene, bpy.types.Object, bpy.types.Material, bpy.types.WindowManager]


def drawn(panel: type) -> list:
    return list(getattr(getattr(panel, "draw", None), "_draw_funcs", ()))


def test_enabling_and_disabling_twice_leaves_nothing_behind() -> None:
    enabled = registered()
    assert enabled["operators"] == ["bake", "check", "free", "jump", "untangle"], "see the contract"
    assert all(enabled["properties"]) and enabled["classes"]
    blend.enable()
    assert registered() == enabled
    for _ in range(2):
        addon_utils.disable(blend.MODULE, default_set=True)
        gone = registered()
        assert not any(gone["properties"])
        assert [gone[key] for key in ("operators", "classes", "handlers", "menus")] == [[], [], {}, []]
    blend.enable()
    assert registered() == enabled
    blend.select(blend.crossed())
    bpy.ops.cloth_judge.check()
    assert not blend.results().is_clean


def test_what_is_set_survives_the_file(tmp_path: Path) -> None:
    thing = blend.sheet()
    thing.cloth_judge.fabric = "DENIM"
    thing.cloth_judge.thickness = 0.004
    blend.bodies(blend.ball())
    blend.settings(quality=7, frame_start=3, frame_end=9)
    path = str(tmp_path / "kept.blend")
    with blend.quiet():
        bpy.ops.wm.save_as_mainfile(filepath=path)
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        bpy.ops.wm.open_mainfile(filepath=path)
    kept = bpy.data.objects["sheet"].cloth_judge
    assert kept.fabric == "DENIM" and abs(kept.thickness - 0.004) < 1e-9
    scene = bpy.context.scene.cloth_judge
    assert (scene.quality, scene.frame_start, scene.frame_end) == (7, 3, 9)
    assert scene.bodies.objects.keys() == ["ball"]
