"""A tour of the package, in cells: judge a garment, untangle it, certify a solver of 20 lines, audit what it
made.

    python examples/tour.py [MESH.obj] [--scale METRES_PER_UNIT] [--frames N] [--out FOLDER]

Needs matplotlib. Without a mesh it takes a sheet that was rolled through itself. Pictures and the animation
go to the folder.
"""

# %% The garment, and where to put the pictures
import argparse
import pathlib
import time

import cloth
import matplotlib
import numpy as np

matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("mesh", nargs="?", type=pathlib.Path)
parser.add_argument("--scale", type=float, default=1.0)
parser.add_argument("--frames", type=int, default=60)
parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("tour"))
args = parser.parse_args()
args.out.mkdir(parents=True, exist_ok=True)


def sheet(n, size):
    """A square of n x n vertices in the plane y = 0, and its faces."""
    i, j = np.meshgrid(range(n), range(n), indexing="ij")
    x = np.stack([i, 0 * i, j], axis=2).reshape(-1, 3) * size / (n - 1) - [size / 2, 0, size / 2]
    corner = (i[:-1, :-1] * n + j[:-1, :-1]).reshape(-1, 1)
    return x, np.concatenate([corner + [0, 1, n], corner + [1, n + 1, n]])


if args.mesh:
    V, F = cloth.read_mesh(args.mesh)
    V = V * args.scale
    rest = V
else:
    rest, F = sheet(36, 0.6)
    # Rolled by one turn and a quarter, with waves through which the inner layer meets the outer one.
    turn = 2.5 * np.pi * (rest[:, 0] / 0.6 + 0.5)
    radius = 0.6 / (2.5 * np.pi) + 0.002 * np.sin(30 * rest[:, 2] + 1.5 * turn)
    V = np.stack([radius * np.cos(turn), radius * np.sin(turn), rest[:, 2]], axis=1)

# %% Does it intersect itself? Where?
found = cloth.intersections(V, F)
print(f"{len(V)} vertices, {len(F)} faces: {len(found)} intersections")
for witness in found[:3]:
    print(f"  edge {witness['vertices']} meets face {witness['faces'][0]} at {witness['position'].round(4)} m")

# %% Untangle it
start = time.perf_counter()
untangled = cloth.untangle(V, F, rest=rest)
print(f"untangled: {untangled.before} -> {untangled.after}, {time.perf_counter() - start:.1f} s")


def draw(axes, x, groups, title, marks=(), box=None):
    """Groups of (faces, colour) at x, and marks, seen within the bounds of a box."""
    for group, colour in groups:
        axes.plot_trisurf(
            x[:, 0], x[:, 2], x[:, 1], triangles=group, linewidth=0.1, edgecolor="0.4", color=colour, alpha=0.4
        )
    if len(marks):
        axes.scatter(marks[:, 0], marks[:, 2], marks[:, 1], color="red", s=5, depthshade=False)
    low, high = (x if box is None else box).min(axis=0), (x if box is None else box).max(axis=0)
    axes.set(xlim=(low[0], high[0]), ylim=(low[2], high[2]), zlim=(low[1], high[1]), title=title)
    axes.set_aspect("equal")
    axes.set_axis_off()


garment_alone = [(F, "tab:blue")]
figure = plt.figure(figsize=(10, 5))
draw(figure.add_subplot(121, projection="3d"), V, garment_alone, f"{len(found)} intersections", found["position"])
draw(figure.add_subplot(122, projection="3d"), untangled.positions, garment_alone, f"{untangled.after} intersections")
figure.savefig(args.out / "untangled.png", dpi=120)

# %% A body below it, in one mesh with the garment
garment = untangled.positions
size = np.ptp(garment, axis=0).max()
body, body_faces = sheet(24, 0.8 * size)
body[:, 1] = -0.25 * size + 0.15 * size * np.cos(8 / size * body[:, 0]) * np.cos(8 / size * body[:, 2])
body += [*(garment.mean(axis=0) * [1, 0, 1])]
body[:, 1] += garment[:, 1].min()
x0 = np.concatenate([garment, body])
faces = np.concatenate([F, body_faces + len(garment)])
part = np.repeat([0, 1], [len(garment), len(body)])
mesh = cloth.Mesh(len(x0), faces, parts=part, kinematic=[False, True])
inv_mass = np.where(part == 0, 1.0, 0.0)

# %% A solver of 20 lines: gravity, and edges that keep their length. It knows nothing of contact.
edges = mesh.edges[part[mesh.edges[:, 0]] == 0]
lengths = np.linalg.norm(x0[edges[:, 0]] - x0[edges[:, 1]], axis=1)
degree = np.bincount(edges.ravel(), minlength=len(x0)).clip(1)[:, None]


def propose(x, v, dt):
    """Where everything would go, and the velocities of that."""
    x1 = x + dt * (v + np.outer(inv_mass, [0, -9.81 * dt, 0])) * (1 - 0.5 * dt)
    for _ in range(20):
        way = x1[edges[:, 1]] - x1[edges[:, 0]]
        now = np.linalg.norm(way, axis=1)
        move = (0.5 * (now - lengths) / now)[:, None] * way
        push = np.zeros_like(x1)
        np.add.at(push, edges[:, 0], move)
        np.add.at(push, edges[:, 1], -move)
        x1 += inv_mass[:, None] * push / degree * 1.5
    return x1, (x1 - x) / dt


def simulate(certifier, dt=1 / 120):
    """The frames; with a certifier it corrects every step."""
    x, v, frames = x0, np.zeros_like(x0), [x0]
    for _ in range(args.frames):
        for _ in range(2):
            x1, v = propose(x, v, dt)
            if certifier is not None:
                x1, certificate = certifier.correct(x, x1)
                assert certificate.is_unconditional  # exact: nothing touched anything
                v = certificate.update_velocities(dt, v)
            x = x1
        frames.append(x)
    return np.stack(frames)


# %% The same solver, without and with the certifier
plain = simulate(None)
start = time.perf_counter()
certified = simulate(cloth.Certifier(x0, mesh, inv_mass=inv_mass))
print(f"certified {2 * args.frames} steps in {time.perf_counter() - start:.1f} s")

# %% Audit both as if they came from somebody else
np.savez(args.out / "plain.npz", plain)
np.savez(args.out / "certified.npz", certified)
tables = {name: cloth.audit(args.out / f"{name}.npz", mesh) for name in ("plain", "certified")}
for name, table in tables.items():
    print(f"{name}: {table['intersections'].sum()} intersections in {(table['intersections'] > 0).sum()} frames")

# %% What it looks like
figure = plt.figure(figsize=(14, 5))
worst = tables["plain"]["intersections"].argmax()
groups = [(F, "tab:blue"), (body_faces + len(garment), "0.7")]
for place, (name, frames) in enumerate([("plain", plain), ("certified", certified)], 1):
    marks = cloth.intersections(frames[worst], mesh)["position"]
    title = f"{name}, frame {worst}"
    draw(figure.add_subplot(130 + place, projection="3d"), frames[worst], groups, title, marks, certified[worst])
axes = figure.add_subplot(133)
for name, table in tables.items():
    axes.plot(table["frame"], table["intersections"], label=name)
axes.set(xlabel="frame", ylabel="intersections")
axes.legend()
figure.savefig(args.out / "audited.png", dpi=120)
