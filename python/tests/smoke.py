"""What the installed package computes, as one hash. It is the same in every interpreter and on every system.

    python smoke.py [bpy | ray]

With `bpy` in Blender's Python module, with meshes that went through Blender; with `ray` in a worker of Ray. Prints
a line, the hash and the versions. Exit status 69: what it is to run in is installed, and does not start here.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

SCENE = """
settings = { duration = 0.2, thickness = 0.008 }
garment = [{ name = "sheet", mesh = "sheet.obj", material = "silk" }]
body = [{ kind = "sphere", center = [0.0, 0.0, 0.0], radius = 0.15 }]
"""


def digest(passed_on: Any = None) -> str:
    """Judges, certifies, simulates and calls the command; `passed_on` takes a mesh through another program."""
    import numpy as np

    import cloth

    assert "site-packages" in cloth.__file__, f"{cloth.__file__} is not what was installed"
    needs = importlib.metadata.requires("cloth-judge") or []
    assert [need for need in needs if "extra ==" not in need] == ["numpy>=1.23"], needs
    said = hashlib.sha256()

    def add(*results: Any) -> None:
        for result in results:
            said.update(result if isinstance(result, bytes) else np.asarray(result).tobytes())

    # Of binary fractions, so that no rounding of numpy's is part of the hash.
    i, j = np.divmod(np.arange(81), 9)
    sheet = np.stack([i / 16 - 0.25, np.full(81, 0.15625), j / 16 - 0.25], axis=1)
    a = np.arange(81).reshape(9, 9)[:-1, :-1].reshape(-1, 1)
    faces = np.concatenate([a + [0, 1, 9], a + [1, 10, 9]])
    box = np.array([[x, y, z] for x in (-0.125, 0.125) for y in (-0.125, 0.125) for z in (-0.125, 0.125)])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    body = np.array([f for a, b, c, d in quads for f in ((a, b, c), (a, c, d))])
    if passed_on is not None:
        sheet, faces = passed_on(sheet, faces)

    assert cloth.check((sheet, faces), (box, body)).clean
    through = sheet - [0, 0.125, 0]
    report = cloth.check((through, faces), (box, body))
    assert not report.clean and len(report.witnesses) > 0
    add(report.witnesses, *report.vertices_inside, report.share_inside)

    mesh = cloth.Mesh(89, np.concatenate([faces, body + 81]), parts=np.repeat([0, 1], [81, 8]))
    x0, x1 = np.concatenate([sheet, box]), np.concatenate([through - [0, 0.5, 0], box])
    hit = cloth.first_crossing(x0, x1, mesh)
    assert hit is not None and 0 < hit["time"] < 1
    safe, certificate = cloth.Certifier(x0, mesh, inv_mass=np.repeat([1.0, 0.0], [81, 8])).correct(x0, x1)
    assert certificate.is_unconditional and cloth.is_clean(safe, mesh)
    add(hit["time"], safe, cloth.crossings(x0, x1, mesh))

    ball = cloth.Collider("sphere", radius=0.140625)
    simulation = cloth.Simulation(cloth.Cloth(sheet, faces, material="silk"), colliders=[ball])
    assert simulation.step(count=30)["certified"]
    batch = cloth.Batch(simulation, 3)
    batch.step()
    add(simulation.positions, batch.positions)
    frames = np.stack([sheet, simulation.positions.astype(float), through])
    add(cloth.audit(frames, faces))

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = [f"v {x} {y} {z}" for x, y, z in sheet.tolist()] + [f"f {a} {b} {c}" for a, b, c in (faces + 1).tolist()]
        (folder / "sheet.obj").write_text("\n".join(lines) + "\n")
        (folder / "scene.toml").write_text(SCENE)
        (folder / "twice.obj").write_text("\n".join(lines + lines[-1:]) + "\n")

        def command(status: int, *arguments: str) -> bytes:
            line = [sys.executable, "-m", "cloth", *arguments]
            done = subprocess.run(line, cwd=folder, capture_output=True, check=False, timeout=60)
            assert done.returncode == status, (done.args, done.returncode, done.stderr)
            return done.stdout.replace(b"\r\n", b"\n")

        add(command(0, "check", "sheet.obj"), command(1, "check", "twice.obj"))
        assert b"Usage: python -m cloth check" in command(0, "check", "--help")
        command(2, "chek")
        command(0, "simulate", "scene.toml", "--out", "sheet.pc2")
        add((folder / "sheet.pc2").read_bytes())
    version = importlib.metadata.version
    python = ".".join(map(str, sys.version_info[:3]))
    return f"{said.hexdigest()} cloth {version('cloth-judge')}, CPython {python}, numpy {np.__version__}"


def in_blender() -> str:
    try:
        import bpy
    except ImportError as error:
        print(f"bpy: {error}")
        sys.exit(69)
    import numpy as np

    def passed_on(positions: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        mesh = bpy.data.meshes.new("sheet")
        mesh.from_pydata(positions.tolist(), [], faces.tolist())
        mesh.calc_loop_triangles()
        x = np.empty(3 * len(mesh.vertices), np.float32)
        triangles = np.empty(3 * len(mesh.loop_triangles), np.int32)
        mesh.vertices.foreach_get("co", x)
        mesh.loop_triangles.foreach_get("vertices", triangles)
        return x.reshape(-1, 3).astype(float), triangles.reshape(-1, 3)

    return f"{digest(passed_on)}, bpy {bpy.app.version_string}"


def in_worker() -> str:
    try:
        import ray

        ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    except (ImportError, OSError, RuntimeError) as error:
        print(f"ray: {error}")
        sys.exit(69)

    @ray.remote
    def work() -> tuple[int, str]:
        return os.getpid(), digest()

    process, found = ray.get(work.remote())
    ray.shutdown()
    assert process != os.getpid()
    return f"{found}, ray {ray.__version__}"


if __name__ == "__main__":
    places = {"bpy": in_blender, "ray": in_worker}
    print(places[sys.argv[1]]() if len(sys.argv) > 1 else digest())
