"""Scenes that the tests of simulations share, and that other processes of a test build again."""

from __future__ import annotations

import base64
import json
import os
import pathlib
import signal
import threading
import time
from typing import Any

import numpy as np

import cloth


def sheet(count: int = 8, size: float = 0.4, height: float = 0.3) -> tuple[np.ndarray, np.ndarray]:
    """A level sheet: (count^2, 3) positions (m) and faces."""
    line = np.linspace(-size / 2, size / 2, count)
    x, z = np.meshgrid(line, line)
    i = np.arange(count * count).reshape(count, count)
    a, b, c, d = (part.ravel() for part in (i[:-1, :-1], i[:-1, 1:], i[1:, :-1], i[1:, 1:]))
    faces = np.concatenate([np.stack([a, c, b], axis=1), np.stack([b, c, d], axis=1)])
    return np.stack([x.ravel(), np.full(x.size, height), z.ravel()], axis=1), faces


def box(center: tuple[float, float, float], size: float) -> tuple[np.ndarray, np.ndarray]:
    """A closed cube: 8 positions (m) and faces that look outward."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * size / 2 + center
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [f for a, b, c, d in quads for f in ((a, b, c), (a, c, d))]
    return corners, np.array(faces)


def flag(count: int = 8, settings: dict[str, Any] | None = None) -> cloth.Simulation:
    """A sheet with two pinned corners over a ball; it folds onto itself and the ball."""
    positions, faces = sheet(count)
    described = cloth.Cloth(positions, faces, name="flag", pins=[0, count - 1])
    ball = cloth.Collider("sphere", radius=0.1, position=(0.0, 0.15, 0.0))
    return cloth.Simulation(described, colliders=[ball], preset="game", settings=settings)


def tangled() -> cloth.Simulation:
    """Two sheets, one of which stands in the other, on a box that is a mesh body."""
    level, faces = sheet(8, 0.4, 0.3)
    upright = level[:, [0, 2, 1]] * [0.5, 0.5, 0.5] + [0.013, 0.293, -0.133]
    cloths = [
        cloth.Cloth(level, faces, name="level"),
        cloth.Cloth(upright, faces, name="upright", material="silk"),
    ]
    return cloth.Simulation(cloths, [cloth.Body(*box((0.0, 0.1, 0.0), 0.2))], preset="game")


def swing(simulation: cloth.Simulation, step: int, phase: float) -> None:
    """Moves the two pins of `flag`."""
    simulation.move_pins([0, 7], swing_targets(step, phase))


def swing_targets(step: int, phase: float) -> np.ndarray:
    """Where the two pins of `flag` are to be (m)."""
    positions, _ = sheet()
    return positions[[0, 7]] + 0.08 * np.sin(0.3 * step + phase) * np.array([1.0, 0.5, 1.0])


def write_obj(path: pathlib.Path, positions: np.ndarray, faces: np.ndarray) -> None:
    """Writes a mesh."""
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in positions.tolist()]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces.tolist()]
    path.write_text("\n".join(lines) + "\n")


def moving_scene(folder: pathlib.Path) -> dict[str, Any]:
    """A scene whose files are in a folder: a sheet that a moving box carries by two pins."""
    write_obj(folder / "sheet.obj", *sheet())
    write_obj(folder / "box.obj", *box((0.0, 0.1, 0.0), 0.2))
    motion = [
        {"time": 0.0, "translate": [0.0, 0.0, 0.0]},
        {"time": 0.5, "translate": [0.2, 0.0, 0.0], "rotate": {"axis": [0, 1, 0], "degrees": 40}},
    ]
    return {
        "settings": {"dt": 0.02, "substeps": 4},
        "garment": [{"name": "scarf", "mesh": "sheet.obj", "pins": [{"vertex": 0, "follow": "box"}]}],
        "body": [{"name": "box", "kind": "mesh", "path": "box.obj", "motion": motion}],
    }


def character_scene(folder: pathlib.Path) -> dict[str, Any]:
    """A scene whose files are in a folder: a sheet on a skinned post of two joints that nods."""
    write_obj(folder / "sheet.obj", *sheet(8, 0.4, 1.01))
    _write_post(folder / "post.gltf")
    return {
        "settings": {"substeps": 4},
        "garment": [{"mesh": "sheet.obj"}],
        "character": {"path": "post.gltf", "clips": ["Nod:0.5s"], "pre_roll": 0.1},
    }


def _write_post(path: pathlib.Path) -> None:
    """Writes a post of five rings of four vertices, whose upper half turns with the second joint."""
    heights = [0.0, 0.3, 0.5, 0.7, 1.0]
    ring = [(-0.1, -0.1), (-0.1, 0.1), (0.1, 0.1), (0.1, -0.1)]
    positions = np.array([(x, y, z) for y in heights for x, z in ring], "<f4")
    faces = [(0, 2, 1), (0, 3, 2), (16, 17, 18), (16, 18, 19)]
    for k in range(0, 16, 4):
        for i in range(4):
            a, b = k + i, k + (i + 1) % 4
            faces += [(a, b, b + 4), (a, b + 4, a + 4)]
    joints = np.array([(int(y > 0.4), 0, 0, 0) for y in heights for _ in ring], "u1")
    weights = np.tile(np.array([1, 0, 0, 0], "<f4"), (20, 1))
    binds = np.stack([np.eye(4, dtype="<f4")] * 2)
    binds[1, 3, 1] = -0.5
    times = np.array([0.0, 0.5, 1.0], "<f4")
    turns = np.array([(0, 0, 0, 1), (0, 0, 0.5, 0.8660254), (0, 0, 0, 1)], "<f4")
    indices = np.array(faces, "<u2").ravel()
    arrays = [
        (positions, 5126, "VEC3", {"min": [-0.1, 0, -0.1], "max": [0.1, 1, 0.1]}),
        (indices, 5123, "SCALAR", {}),
        (joints, 5121, "VEC4", {}),
        (weights, 5126, "VEC4", {}),
        (binds, 5126, "MAT4", {}),
        (times, 5126, "SCALAR", {"min": [0], "max": [1]}),
        (turns, 5126, "VEC4", {}),
    ]
    data, views, accessors = b"", [], []
    for number, (array, kind, shape, bounds) in enumerate(arrays):
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": array.nbytes})
        accessor = {"bufferView": number, "componentType": kind, "count": len(array), "type": shape}
        accessors.append(accessor | bounds)
        data += array.tobytes() + b"\0" * (-array.nbytes % 4)
    uri = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    attributes = {"POSITION": 0, "JOINTS_0": 2, "WEIGHTS_0": 3}
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0, 2]}],
        "nodes": [
            {"name": "root", "children": [1]},
            {"name": "tip", "translation": [0, 0.5, 0]},
            {"name": "post", "mesh": 0, "skin": 0},
        ],
        "meshes": [{"name": "post", "primitives": [{"attributes": attributes, "indices": 1}]}],
        "skins": [{"joints": [0, 1], "inverseBindMatrices": 4}],
        "animations": [
            {
                "name": "Nod",
                "channels": [{"sampler": 0, "target": {"node": 1, "path": "rotation"}}],
                "samplers": [{"input": 5, "output": 6, "interpolation": "LINEAR"}],
            }
        ],
        "buffers": [{"uri": uri, "byteLength": len(data)}],
        "bufferViews": views,
        "accessors": accessors,
    }
    path.write_text(json.dumps(document))


def interrupt_soon(seconds: float = 0.3) -> threading.Thread:
    """Sends Ctrl-C to this process once it has worked for so long (s of CPU time)."""
    start = time.process_time()

    def wait() -> None:
        while time.process_time() - start < seconds:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=wait)
    thread.start()
    return thread
