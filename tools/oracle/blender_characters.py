"""Compares skinned vertices with those that Blender evaluates, at five key times of a clip; see README.md
next to this file."""

import json
import struct
import subprocess
import sys

import bpy
import numpy as np

TOLERANCE = 1e-4  # of the height


def document(path):
    """The JSON of a glTF file, and the bytes of its first buffer."""
    import base64

    data = open(path, "rb").read()
    if data[:4] == b"glTF":
        size = struct.unpack("<I", data[12:16])[0]
        return json.loads(data[20 : 20 + size]), data[28 + size :]
    root = json.loads(data)
    return root, base64.b64decode(root["buffers"][0]["uri"].split(",", 1)[1])


def key_times(path, clip):
    """Five key times of the densest channel of a clip."""
    root, data = document(path)
    animations = root["animations"]
    named = [a for i, a in enumerate(animations) if a.get("name", f"clip {i}") == clip]
    accessors = [root["accessors"][s["input"]] for s in named[0]["samplers"]]
    accessor = max(accessors, key=lambda a: a["count"])
    view = root["bufferViews"][accessor["bufferView"]]
    start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    times = np.frombuffer(data, "<f4", accessor["count"], start)
    return [float(times[i]) for i in np.linspace(0, len(times) - 1, 5).astype(int)]


def blender_vertices(path, clip, times):
    """Evaluated world positions at times, y up, all meshes in the order of the file."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=path, merge_vertices=False)
    root, _ = document(path)
    order = [n.get("name") for n in root["nodes"] if "mesh" in n]
    meshes = [o for o in bpy.data.objects if o.type == "MESH" and o.find_armature()]
    meshes.sort(key=lambda o: order.index(o.name) if o.name in order else 0)
    armature = meshes[0].find_armature()
    action = bpy.data.actions.get(clip) or bpy.data.actions.get(f"{clip}_{armature.name}") or bpy.data.actions[0]
    data = armature.animation_data
    for track in list(data.nla_tracks):
        data.nla_tracks.remove(track)
    data.action = action
    if data.action_slot is None:
        data.action_slot = action.slots[0]
    scene = bpy.context.scene
    frames = []
    for time in times:
        frame = time * scene.render.fps / scene.render.fps_base
        scene.frame_set(int(np.floor(frame)), subframe=float(frame - np.floor(frame)))
        depsgraph = bpy.context.evaluated_depsgraph_get()
        points = []
        for mesh in meshes:
            evaluated = mesh.evaluated_get(depsgraph)
            world = np.array(evaluated.matrix_world)
            local = np.array([v.co[:] for v in evaluated.data.vertices])
            points.append(local @ world[:3, :3].T + world[:3, 3])
        x, y, z = np.concatenate(points).T
        frames.append(np.stack([x, z, -y], axis=1))
    return frames, action.name


def our_vertices(program, path, clip, times):
    output = subprocess.run([program, path, clip, *map(repr, times)], check=True, capture_output=True, text=True).stdout
    blocks = output.split("time ")[1:]
    return [np.array([line.split() for line in block.splitlines()[1:]], dtype=float) for block in blocks]


def farthest(a, b):
    """The largest distance from a point of either set to the nearest of the other, for files whose vertices
    Blender reorders."""
    from mathutils import Vector, kdtree

    def one_way(points, others):
        tree = kdtree.KDTree(len(others))
        for i, p in enumerate(others):
            tree.insert(Vector(p), i)
        tree.balance()
        return max(tree.find(Vector(p))[2] for p in points)

    return max(one_way(a, b), one_way(b, a))


def main():
    program, pairs, worst = sys.argv[1], sys.argv[2:], 0.0
    for path, clip in zip(pairs[::2], pairs[1::2]):
        times = key_times(path, clip)
        theirs, action = blender_vertices(path, clip, times)
        ours = our_vertices(program, path, clip, times)
        height = np.ptp(ours[0][:, 1])
        for time, a, b in zip(times, ours, theirs):
            in_order = len(a) == len(b)
            error = np.linalg.norm(a - b, axis=1).max() if in_order else farthest(a, b)
            if in_order and error > TOLERANCE * height:
                in_order, error = False, farthest(a, b)
            worst = max(worst, error / height)
            how = "vertex by vertex" if in_order else "nearest vertex"
            print(f"{path.rsplit('/', 1)[-1]} {clip} ({action}) t={time:.4f} s: {len(a)} and {len(b)} vertices, {how}: {error / height:.2e} of the height")
    print(f"worst: {worst:.2e} of the height")
    sys.exit(int(worst > TOLERANCE))


if __name__ == "__main__":
    main()
