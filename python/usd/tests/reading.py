"""What the project reads of a stage, compared with what OpenUSD says of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import cloth
import stages
from cloth._frames import open_frames

DOUBLE = 1e-12
"""Of the size of the coordinates: operations of double precision round each by some parts in 1e16, and are
composed of at most five prims with four operations each, none of which enlarges by more than 4."""
SINGLE = 1e-6
"""Where OpenUSD interpolates in single precision: some roundings of 6e-8, of angles (degrees) and points."""


def read(path: Path | str) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.uint32]]:
    return cloth.read_mesh(path)


def opened(path: Path | str) -> Any:
    """The states of a stage, as `cloth.audit` opens them."""
    return open_frames("frames", path)[0]


def frames(path: Path | str) -> list[npt.NDArray[Any]]:
    """All states of a stage."""
    opened, count = open_frames("frames", path)
    found = [np.array(frame) for frame in opened]
    assert count == len(found)
    return found


def compare(path: Path, root: str | None = None, single: bool = False) -> float:
    """Compares mesh and states with what OpenUSD says; the largest difference, relative to the size."""
    said = stages.said(path, root)
    asked = f"{path}#{root}" if root else path
    positions, triangles = read(asked)
    worst = difference(positions, said.frames[0], said.exact, single)
    check_triangles(said.frames[0], said.polygons, triangles)
    if said.times:
        found = frames(asked)
        assert len(found) == len(said.times)
        for frame, wanted in zip(found, said.frames, strict=True):
            worst = max(worst, difference(frame, wanted, said.exact, single))
    return worst


def difference(found: npt.NDArray[Any], wanted: npt.NDArray[np.float64], exact: bool, single: bool) -> float:
    """How far positions are from each other, relative to the size; raises beyond the tolerance."""
    assert found.shape == wanted.shape
    if exact and not single:
        assert (found == wanted).all()
        return 0.0
    size = float(np.abs(wanted).max())
    worst = float(np.abs(found - wanted).max()) / size if size else 0.0
    assert worst <= (SINGLE if single else DOUBLE), f"{worst:.2e} of the size"
    return worst


def check_triangles(
    points: npt.NDArray[np.float64], polygons: list[list[int]], triangles: npt.NDArray[np.uint32]
) -> None:
    """Each polygon is cut into triangles of its corners, which together have its area vector."""
    assert len(triangles) == sum(len(polygon) - 2 for polygon in polygons)
    at = 0
    for polygon in polygons:
        own = triangles[at : at + len(polygon) - 2]
        at += len(own)
        assert set(own.ravel().tolist()) == set(polygon)
        ring = points[polygon]
        area = np.cross(ring, np.roll(ring, -1, axis=0)).sum(axis=0)
        a, b, c = points[own].transpose(1, 0, 2)
        sum_of_triangles = np.cross(b - a, c - a).sum(axis=0)
        assert np.allclose(sum_of_triangles, area, rtol=0.0, atol=1e-9 * np.abs(ring).max() ** 2)
