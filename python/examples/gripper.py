"""Two boxes close on the upper edge of a sheet, and lift it by friction alone.

    python examples/gripper.py

Each variant prints how far the vertices between the jaws, and all on average, have risen when the sheet hangs
still: the jaws rise by 0.2 m. With little friction the sheet slips, without any it falls out of them.
"""

from __future__ import annotations

import cloth
import numpy as np

N, SIZE = 13, 0.24  # vertices a side; length of a side (m)
JAW = np.array([0.03, 0.02, 0.02])  # half extents of a jaw (m)
OPEN, CLOSED = 0.03, 0.001  # from the plane of the sheet to a jaw (m); a closed jaw presses on the thickness
LIFT = 0.2  # (m)


def lift(material: str, friction: float) -> tuple[np.ndarray, bool]:
    """How far each vertex between the jaws, and then all on average, have risen (m); whether the end is clean."""
    line = np.linspace(0, SIZE, N)
    x, y = np.meshgrid(line - SIZE / 2, line + 0.05)
    positions = np.stack([x.ravel(), y.ravel(), np.zeros(N * N)], axis=1)
    corner = np.arange(N * N).reshape(N, N)[:-1, :-1].reshape(-1, 1)
    faces = np.concatenate([corner + [0, 1, N], corner + [1, N + 1, N]])
    edge = np.arange(N * N - N, N * N)
    middle = np.array([0, positions[-1, 1] - JAW[1], 0])
    between = (abs(positions - middle) <= JAW + 1e-9).all(axis=1)

    def place(gap: float, height: float) -> list[np.ndarray]:
        """The centres of both jaws (m)."""
        return [middle + [0, height, side * (JAW[2] + gap)] for side in (-1, 1)]

    def move(begin: tuple[float, float], end: tuple[float, float], steps: int) -> None:
        """Moves the jaws from one gap and height to another."""
        for t in np.arange(1, steps + 1) / steps:
            for number, position in enumerate(place(*(1 - t) * np.array(begin) + t * np.array(end)), 1):
                simulation.move_collider(number, position)
            simulation.step()

    sheet = cloth.Cloth(positions, faces, material=material, pins=edge, friction=friction)
    boxes = [cloth.Collider("box", half_extents=JAW, position=p, friction=friction) for p in place(OPEN, 0)]
    simulation = cloth.Simulation(sheet, colliders=[cloth.Collider("plane"), *boxes])
    move((OPEN, 0), (CLOSED, 0), 30)
    simulation.unpin(edge)  # from here on nothing but friction holds it
    simulation.step(count=90)
    before = simulation.positions.copy()
    move((CLOSED, 0), (CLOSED, LIFT), 60)
    simulation.step(count=90)
    risen = (simulation.positions - before)[:, 1]
    return np.append(risen[between], risen.mean()), simulation.is_clean()


def main() -> None:
    cotton = [("cotton", friction) for friction in (0.6, 0.3, 0.05, 0.0)]
    for material, friction in [("silk", 0.3), ("denim", 0.3), *cotton]:
        (*held, mean), is_clean = lift(material, friction)
        between = f"{min(held):.4f} to {max(held):.4f} m between the jaws"
        print(f"{material}, friction {friction}: {between}, {mean:.4f} m on average, clean: {is_clean}")


if __name__ == "__main__":
    main()
