"""Bakes the scenes of this folder on one core, judges every frame as Blender plays it, and prints a table.

    BLENDER_PYTHON run.py [SCENE...] [--pictures DIR]

BLENDER_PYTHON is a Python with `bpy` and `cloth`. A scene is the name of a file here; all by default. Exit status 1: a
scene is not as its file expects."""

from __future__ import annotations

import argparse
import hashlib
import importlib
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

CORES = {int(core) for core in os.environ.get("CORE", "0").split(",")}
if hasattr(os, "sched_setaffinity"):
    # Before Blender counts its threads.
    os.sched_setaffinity(0, CORES)

import bpy
import cloth
import cloth_judge
import judge
import make
import picture

SCENES = (
    "start_tangled",
    "pins_in_tangle",
    "arm_over_leg",
    "pins_into_solid",
    "closing_planes",
    "dense_body",
    "sewn_curtain",
    "far_body",
)
COLUMNS = (
    "scene",
    "frames",
    "cloth: frames",
    "worst",
    "clean from",
    "last",
    "body: frames",
    "worst",
    "last",
    "released",
    "s",
    "ms a frame",
)


class Failed(Exception):
    """A bake did not run to its end."""


def bake(build: Callable[[], None], folder: Path) -> float:
    """Builds a scene, saves it, bakes it, and returns the seconds of the bake: those that the core has spent on it, which
    other programs do not change."""
    build()
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "scene.blend"))
    began = time.process_time()
    try:
        bpy.ops.cloth_judge.bake()
    except RuntimeError as error:
        raise Failed(str(error).strip()) from None
    return time.process_time() - began


def first_frame(build: Callable[[], None], folder: Path) -> float:
    """The seconds of a bake that ends after one frame."""

    def shortened() -> None:
        build()
        bpy.context.scene.cloth_judge.frame_end = 2

    return bake(shortened, folder)


def digest(folder: Path) -> str:
    """A hash of the caches of a folder, which are removed."""
    hashed = hashlib.sha256()
    for cache in sorted(folder.glob("*.pc2")):
        hashed.update(cache.read_bytes())
        cache.unlink()
    return hashed.hexdigest()[:16]


def row(scene: ModuleType, seconds: float) -> tuple[list[str], list[str], list[str]]:
    """A row of the table for the scene that has been baked, notes, and what is not as it should be."""
    selected = [made for made in bpy.context.selected_objects if made.type == "MESH"]
    bodies = list(bpy.context.scene.cloth_judge.bodies.all_objects)
    frames = list(judge.Judge(selected, bodies).frames())
    with_cloth = [frame.with_cloth for frame in frames]
    with_body = [frame.with_body for frame in frames]
    dirty = [frame.number for frame in frames if frame.with_cloth]
    clean_from = dirty[-1] + 1 if dirty else frames[0].number
    released = bpy.context.window_manager.cloth_judge.released
    cells = [len(frames), len(dirty), max(with_cloth), clean_from, with_cloth[-1]]
    cells += [sum(map(bool, with_body)), max(with_body), with_body[-1], released]
    text = [*map(str, cells), f"{seconds:.1f}", f"{1e3 * seconds / (len(frames) - 1):.0f}"]
    diagonals = sum(frame.with_cloth > 0 and not frame.as_simulated for frame in frames)
    notes = [f"in {diagonals} of the frames only by the other diagonals of quads"] if diagonals else []
    return [scene.NAME, *text], notes, faults(scene.EXPECTED, clean_from, with_cloth[-1], with_body[-1], released)


def faults(expected: make.Expected, clean_from: int, with_cloth: int, with_body: int, released: int) -> list[str]:
    """What of a row is not as expected."""
    found = []
    if with_cloth or clean_from > expected.clean_from:
        found.append(f"cloth is clean from frame {clean_from} on, not from {expected.clean_from}")
    if expected.clear_at_end and with_body:
        found.append(f"the last frame has {with_body} intersections with bodies")
    if expected.releases is not None and bool(released) != expected.releases:
        found.append(f"{released} pairs of cloth and body were released")
    return found


def run(name: str, pictures: Path | None) -> list[str]:
    """Bakes and judges a scene, prints its row, and returns what is not as expected."""
    scene, notes = importlib.import_module(name), []
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        if hasattr(scene, "build_without"):
            bake(scene.build_without, folder)
            without = digest(folder)
        if getattr(scene, "TIMES_FIRST_FRAME", False):
            notes.append(f"first frame: {first_frame(scene.build, folder):.1f} s")
        seconds = bake(scene.build, folder)
        cells, found, wrong = row(scene, seconds)
        notes += found
        if pictures is not None:
            picture.render(bpy.context.scene.frame_end // 2, pictures / f"{name}.png")
        if hasattr(scene, "build_without"):
            with_it = digest(folder)
            notes.append(f"hashes {without} and {with_it}")
            wrong += ["hashes differ"] if with_it != without else []
    print("| " + " | ".join(cells) + " |", *notes, *(f"FAILS: {text}" for text in wrong), flush=True)
    return wrong


def is_wrong(name: str, pictures: Path | None) -> bool:
    """Runs a scene; whether it fails."""
    try:
        return bool(run(name, pictures))
    except Failed as error:
        print(f"| {importlib.import_module(name).NAME} | FAILS: {error}", flush=True)
        return True


def prepare() -> None:
    """One thread, and the extension, from beside this folder."""
    cloth.set_thread_count(1)
    cloth_judge.register()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help=f"one of {', '.join(SCENES)}; all by default")
    parser.add_argument("--pictures", type=Path, metavar="DIR", help="draws the middle frame of each scene")
    options = parser.parse_args()
    unknown = sorted(set(options.scenes) - set(SCENES))
    if unknown:
        parser.error(f"there is no scene {unknown[0]}; there are {', '.join(SCENES)}")
    prepare()
    print("| " + " | ".join(COLUMNS) + " |\n|" + "---|" * len(COLUMNS), flush=True)
    return int(any([is_wrong(name, options.pictures) for name in options.scenes or SCENES]))


if __name__ == "__main__":
    sys.exit(main())
