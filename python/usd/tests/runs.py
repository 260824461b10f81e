"""Runs of `cloth simulate`: their stages, and the same run as point caches, which say what the stage has to have."""

from __future__ import annotations

import dataclasses
import shutil
import struct
import subprocess
from pathlib import Path

import numpy as np
import numpy.typing as npt

from oracle import Expected, Prim

FRAMES = 24
RATE = 60.0
CUT = 14


@dataclasses.dataclass
class Run:
    """A stage, and what it was written from."""

    stage: Path
    expected: Expected
    caches: list[Path]
    """Of its garments."""
    log: str


def cloth(*arguments: object, folder: Path, statuses: tuple[int, ...] = (0,)) -> str:
    """Runs the command; returns what it says."""
    program = shutil.which("cloth")
    assert program is not None, "there is no `cloth` on the path"
    done = subprocess.run(
        [program, *map(str, arguments)], capture_output=True, text=True, check=False, cwd=folder, timeout=540
    )
    assert done.returncode in statuses, done.stdout + done.stderr
    return done.stdout + done.stderr


def sheet(path: Path, n: int, size: float, height: float, quads: bool = True) -> list[list[int]]:
    """Writes a level sheet of n x n vertices with texture coordinates; returns its polygons."""
    span = np.linspace(-size / 2, size / 2, n)
    lines = [f"v {x:.6f} {height} {z:.6f}" for z in span for x in span]
    lines += [f"vt {u:.6f} {v:.6f}" for v in np.linspace(0, 1, n) for u in np.linspace(0, 1, n)]
    faces = []
    for row in range(n - 1):
        for column in range(n - 1):
            a = row * n + column
            quad = [a, a + n, a + n + 1, a + 1]
            faces += [quad] if quads else [quad[:3], [quad[0], *quad[2:]]]
    lines += ["f " + " ".join(f"{v + 1}/{v + 1}" for v in face) for face in faces]
    path.write_text("\n".join(lines) + "\n")
    return faces


def ball(path: Path, radius: float, height: float) -> tuple[npt.NDArray[np.float64], list[list[int]]]:
    """Writes an octahedron that was divided twice; returns its points and faces."""
    points = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]]
    faces = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]]
    for _ in range(2):
        middle: dict[tuple[int, int], int] = {}
        divided = []
        for face in faces:
            new = []
            for a, b in zip(face, face[1:] + face[:1], strict=True):
                key = (min(a, b), max(a, b))
                if key not in middle:
                    middle[key] = len(points)
                    points.append([(p + q) / 2 for p, q in zip(points[a], points[b], strict=True)])
                new.append(middle[key])
            (a, b, c), (ab, bc, ca) = face, new
            divided += [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        faces = divided
    unit = np.array(points, dtype=np.float64)
    unit *= radius / np.linalg.norm(unit, axis=1, keepdims=True)
    unit[:, 1] += height
    lines = [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in unit] + ["f " + " ".join(str(v + 1) for v in f) for f in faces]
    path.write_text("\n".join(lines) + "\n")
    return unit.round(6), faces


def write_pc2(path: Path, frames: npt.NDArray[np.float32]) -> None:
    head = struct.pack("<12siiffi", b"POINTCACHE2\0", 1, frames.shape[1], 0.0, 1.0, len(frames))
    path.write_bytes(head + frames.astype("<f4").tobytes())


def read_pc2(path: Path) -> npt.NDArray[np.float32]:
    data = path.read_bytes()
    points = int.from_bytes(data[16:20], "little")
    return np.frombuffer(data[32:], "<f4").reshape(-1, points, 3)


SCENE = """
[settings]
dt = 0.016666666666666666
substeps = 4
duration = {duration}
thickness = 0.006

[[garment]]
name = "shirt"
mesh = "shirt.obj"

[[garment]]
name = "skirt"
mesh = "skirt.obj"

[[garment]]
name = "scarf"
mesh = "scarf.obj"
pins = [0, 6]

[[body]]
name = "dancer"
kind = "mesh"
path = "dancer.obj"
motion = "dancer.pc2"
motion_fps = 60.0

[[body]]
name = "stone"
kind = "mesh"
path = "stone.obj"
"""


def simulate(folder: Path) -> Run:
    """The scene, simulated to a stage, and once more to point caches."""
    faces = inputs(folder)
    log = cloth("simulate", "scene.toml", "--allow", 9, "--out", "run.usda", folder=folder, statuses=(0, 1))
    cloth(
        "simulate",
        "scene.toml",
        "--allow",
        9,
        "--out",
        "run.pc2",
        "--out-units",
        "metres",
        folder=folder,
        statuses=(0, 1),
    )
    garments = ["shirt", "skirt", "scarf"]
    caches = [folder / f"run_{name}.pc2" for name in garments]
    prims = []
    for name, cache in zip(garments, caches, strict=True):
        triangles = triangulated(faces[name])
        uv = corner_uv(folder / f"{name}.obj", triangles)
        # What lies on the dancer is teleported with it; the scarf hangs from its pins.
        cuts = () if name == "scarf" else (CUT,)
        prims.append(Prim(f"/World/cloth/{name}", read_pc2(cache), triangles, uv, cuts))
    dancer = read_pc2(folder / "dancer.pc2")
    prims.append(Prim("/World/bodies/dancer", dancer, faces["dancer"], cuts=(CUT,), tolerance=1e-5))
    stone = vertices(folder / "stone.obj").astype(np.float32)[None]
    prims.append(Prim("/World/bodies/stone", stone, faces["stone"]))
    return Run(folder / "run.usda", Expected(prims, RATE, FRAMES), caches, log)


def sheet_alone(folder: Path, kind: str) -> npt.NDArray[np.float32]:
    """A sheet that hangs, `shirt.obj`, simulated to `shirt.KIND`; its frames as a PC2 has them."""
    sheet(folder / "shirt.obj", 9, 0.4, 1.0)
    for each in dict.fromkeys(["pc2", kind]):
        arguments = ["--garment", "shirt.obj", "--body", "none", "--pin", 0, "--pin", 8, "--seconds", 0.25, "--fps", 48]
        cloth("simulate", *arguments, "--out", f"shirt.{each}", folder=folder)
    return read_pc2(folder / "shirt.pc2")


def triangulated(polygons: list[list[int]]) -> list[list[int]]:
    """Polygons of at most four corners, cut from the first corner."""
    return [[polygon[0], polygon[k], polygon[k + 1]] for polygon in polygons for k in range(1, len(polygon) - 1)]


def vertices(path: Path) -> npt.NDArray[np.float64]:
    lines = [line.split()[1:] for line in path.read_text().splitlines() if line.startswith("v ")]
    return np.array(lines, dtype=np.float64)


def corner_uv(path: Path, triangles: list[list[int]]) -> npt.NDArray[np.float64]:
    """Texture coordinates of the corners: they have the numbers of the vertices."""
    lines = [line.split()[1:] for line in path.read_text().splitlines() if line.startswith("vt ")]
    return np.array(lines, dtype=np.float64)[np.ravel(triangles)]


def inputs(folder: Path) -> dict[str, list[list[int]]]:
    """Three garments, a body that moves and is elsewhere from the frame of the cut on, and one that stands."""
    faces = {
        "shirt": sheet(folder / "shirt.obj", 13, 0.5, 0.45),
        "skirt": sheet(folder / "skirt.obj", 11, 0.45, 0.48, quads=False),
        "scarf": sheet(folder / "scarf.obj", 7, 0.3, 0.51),
    }
    points, faces["dancer"] = ball(folder / "dancer.obj", 0.2, 0.2)
    _, faces["stone"] = ball(folder / "stone.obj", 0.1, 0.12)
    frames = np.repeat(points[None], FRAMES, axis=0)
    frames[:, :, 0] += 0.002 * np.arange(FRAMES)[:, None]
    frames[CUT:, :, 2] += 30.0
    write_pc2(folder / "dancer.pc2", frames.astype(np.float32))
    (folder / "scene.toml").write_text(SCENE.format(duration=(FRAMES - 1) / RATE))
    return faces
