"""Compares the GLB of `sway_glb` as Blender evaluates it with the positions that were written; see README.md
next to this file."""

import sys

import bpy
import numpy as np

from blender_characters import farthest

GARMENT_TOLERANCE = 1e-4  # m
SKIN_TOLERANCE = 1e-4  # of the height
RATE = 60


def read_pc2(path):
    """Frames of a PC2 cache, an array of (frames, points, 3)."""
    data = open(path, "rb").read()
    points = int.from_bytes(data[16:20], "little")
    return np.frombuffer(data[32:], "<f4").reshape(-1, points, 3)


def evaluate(objects, frame):
    """World positions of objects at a frame of 1/60 s, y up."""
    scene = bpy.context.scene
    at = frame / RATE * scene.render.fps / scene.render.fps_base
    scene.frame_set(int(np.floor(at)), subframe=float(at - np.floor(at)))
    depsgraph = bpy.context.evaluated_depsgraph_get()
    points = []
    for mesh in objects:
        evaluated = mesh.evaluated_get(depsgraph)
        world = np.array(evaluated.matrix_world)
        local = np.empty(3 * len(evaluated.data.vertices), dtype=np.float32)
        evaluated.data.vertices.foreach_get("co", local)
        points.append(local.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3])
    x, y, z = np.concatenate(points).T
    return np.stack([x, z, -y], axis=1)


def compare(prefix):
    """The largest errors of garment (m) and skin (share of the height) over five frames."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=prefix + ".glb", merge_vertices=False)
    garment = bpy.data.objects["garment"]
    rest = [o for o in bpy.data.objects if o.type == "MESH" and o is not garment and o.name in bpy.context.scene.objects]
    # Icospheres are what the importer draws bones with.
    rest = [o for o in rest if o.find_armature() or o.parent]
    written = read_pc2(prefix + ".garment.pc2")
    worst = [0.0, 0.0]
    for frame in np.linspace(0, len(written) - 1, 5).astype(int):
        shown = evaluate([garment], frame)
        worst[0] = max(worst[0], float(np.linalg.norm(shown - written[frame], axis=1).max()))
        try:
            expected = read_pc2(prefix + ".skin.pc2")[frame]
        except FileNotFoundError:
            continue
        shown = evaluate(rest, frame)
        height = np.ptp(expected[:, 1])
        error = np.linalg.norm(shown - expected, axis=1).max() if len(shown) == len(expected) else np.inf
        if error > SKIN_TOLERANCE * height:
            # Blender reorders the vertices of some files.
            error = farthest(shown, expected)
        worst[1] = max(worst[1], float(error / height))
    keys = garment.data.shape_keys
    actions = sorted(action.name for action in bpy.data.actions)
    count = len(keys.key_blocks) - 1 if keys else 0
    name = prefix.rsplit("/", 1)[-1]
    print(f"{name}: {count} shape keys, actions {actions}, garment {worst[0]:.1e} m, skin {worst[1]:.1e} of the height")
    return worst


def main():
    worst = np.max([compare(prefix) for prefix in sys.argv[1:]], axis=0)
    sys.exit(int(worst[0] > GARMENT_TOLERANCE or worst[1] > SKIN_TOLERANCE))


if __name__ == "__main__":
    main()
