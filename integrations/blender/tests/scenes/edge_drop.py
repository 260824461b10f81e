"""A sheet that is dropped on its edge: Blender's own cloth at two qualities beside a bake, each frame judged exactly.

    BLENDER_PYTHON edge_drop.py

All on one thread of one core, one after the other, in turns (`--repeat`); ms are those that the core has spent."""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

import run  # isort: skip, it chooses the core before Blender counts its threads

import bpy
import judge
import make

SIDE, FRAMES = 41, 150


SHEETS = {
    # Of a metre, leaning by 2 cm.
    "1": lambda u, v: (u - 0.5, 0.02 * (1 - v), 1.05 - v),
    # Of half a metre, upright and not quite plane: its edges are shorter than the distance that Blender's cloth keeps.
    "0.5": lambda u, v: (0.5 * u - 0.25, 0.001 * math.sin(9 * u + 7 * v), 0.55 - 0.5 * v),
}
metres = "1"


def build() -> None:
    """A sheet that stands on its edge, 5 cm above a floor, and falls."""
    make.new_scene(FRAMES)
    bpy.ops.mesh.primitive_plane_add(size=4)
    floor = make.body(bpy.context.object)
    floor.name = "Floor"
    make.cloth(make.grid("Sheet", SIDE, SIDE, SHEETS[metres]))


def blender(quality: int, collision_quality: int) -> tuple[float, list[judge.Frame]]:
    """Milliseconds a frame and the verdicts of Blender's own cloth."""
    build()
    sheet = bpy.context.object
    floor = bpy.data.objects["Floor"]
    floor.modifiers.new("Collision", "COLLISION")
    modifier = sheet.modifiers.new("Cloth", "CLOTH")
    modifier.settings.quality = quality
    modifier.collision_settings.collision_quality = collision_quality
    modifier.collision_settings.use_self_collision = True
    modifier.point_cache.frame_end = FRAMES
    scene = bpy.context.scene
    spent = []
    for frame in range(1, FRAMES + 1):
        began = time.process_time()
        scene.frame_set(frame)
        spent.append(time.process_time() - began)
    # The cache in memory plays what has been simulated.
    return 1e3 * sum(spent[1:]) / (FRAMES - 1), verdicts()


def ours() -> tuple[float, list[judge.Frame]]:
    """Milliseconds a frame and the verdicts of a bake."""
    with tempfile.TemporaryDirectory() as folder:
        seconds = run.bake(build, Path(folder))
        return 1e3 * seconds / (FRAMES - 1), verdicts()


def verdicts() -> list[judge.Frame]:
    sheet = bpy.context.view_layer.objects.active
    return list(judge.Judge([sheet], list(bpy.context.scene.cloth_judge.bodies.objects)).frames())


SIDES = {
    "Blender, quality 5, collisions 2 (default)": lambda: blender(5, 2),
    "Blender, quality 12, collisions 8": lambda: blender(12, 8),
    "Cloth Judge": ours,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3, help="how often each is run (3)")
    parser.add_argument("--metres", choices=SHEETS, default="1", help="side of the sheet (1)")
    options = parser.parse_args()
    global metres
    metres = options.metres
    run.prepare()
    runs = {name: [] for name in SIDES}
    for _ in range(options.repeat):
        for name, side in SIDES.items():
            print(f"{name}: run {len(runs[name]) + 1}", file=sys.stderr, flush=True)
            runs[name].append(side())
            print(f"{runs[name][-1][0]:.0f} ms a frame", file=sys.stderr, flush=True)
    print(f"bpy {bpy.app.version_string}\n| | frames with intersections | worst | with the floor | ms a frame |\n|---|---|---|---|---|")
    for name, results in runs.items():
        frames, spent = results[0][1], [ms for ms, _ in results]
        dirty = sum(frame.with_cloth > 0 for frame in frames)
        worst, floor = max(frame.with_cloth for frame in frames), sum(frame.with_body > 0 for frame in frames)
        row = f"| {name} | {dirty} of {len(frames)} | {worst} | {floor} | {statistics.median(spent):.0f}"
        print(f"{row} ({min(spent):.0f} to {max(spent):.0f}) |")


if __name__ == "__main__":
    main()
