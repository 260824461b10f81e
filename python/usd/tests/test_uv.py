"""Texture coordinates of every interpolation are those of the corners, in the stage of a garment that was read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from pxr import Gf, Sdf, Usd, UsdGeom, Vt

import oracle
import runs

COUNTS = {"vertex": 25, "varying": 25, "faceVarying": 64, "uniform": 16}


def garment(path: Path, interpolation: str, is_indexed: bool, is_left: bool) -> tuple[list[list[int]], npt.NDArray[np.float32]]:
    """A level sheet of 16 quads; returns them and the coordinates of their corners, as OpenUSD expands them."""
    random = np.random.default_rng(5)
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdGeom.SetStageUpAxis(stage, "Y")
    mesh = UsdGeom.Mesh.Define(stage, "/sheet")
    mesh.CreatePointsAttr([Gf.Vec3f(0.1 * x, 1.0, 0.1 * z) for z in range(5) for x in range(5)])
    quads = [[5 * z + x, 5 * z + x + 5, 5 * z + x + 6, 5 * z + x + 1] for z in range(4) for x in range(4)]
    mesh.CreateFaceVertexCountsAttr(Vt.IntArray([4] * 16))
    mesh.CreateFaceVertexIndicesAttr(Vt.IntArray([vertex for quad in quads for vertex in quad]))
    if is_left:
        mesh.CreateOrientationAttr(UsdGeom.Tokens.leftHanded)
    count = COUNTS[interpolation]
    st = UsdGeom.PrimvarsAPI(mesh).CreatePrimvar("st", Sdf.ValueTypeNames.TexCoord2fArray, interpolation)
    values = random.uniform(size=(9 if is_indexed else count, 2)).astype(np.float32)
    st.Set(Vt.Vec2fArray.FromNumpy(values))
    if is_indexed:
        st.SetIndices(Vt.IntArray([int(k) for k in random.integers(0, 9, size=count)]))
    path.write_text(stage.GetRootLayer().ExportToString())
    flat = np.array(st.ComputeFlattened())
    corners = np.arange(64)
    which = {"faceVarying": corners, "uniform": corners // 4}.get(interpolation, np.ravel(quads))
    return quads, flat[which].reshape(16, 4, 2)


@pytest.mark.parametrize("is_left", [False, True], ids=["right", "left"])
@pytest.mark.parametrize("is_indexed", [False, True], ids=["plain", "indexed"])
@pytest.mark.parametrize("interpolation", COUNTS)
def test_a_run_keeps_the_texture_of_its_garment(
    interpolation: str, is_indexed: bool, is_left: bool, tmp_path: Path
) -> None:
    quads, wanted = garment(tmp_path / "sheet.usda", interpolation, is_indexed, is_left)
    options = ["--body", "none", "--seconds", 0.02, "--substeps", 1]
    runs.cloth("simulate", "--garment", "sheet.usda", *options, "--out", "out.usda", folder=tmp_path)
    stage = Usd.Stage.Open(str(tmp_path / "out.usda"))
    assert oracle.validators_alone(stage) == []
    mesh = UsdGeom.Mesh(stage.GetPrimAtPath("/World/cloth/sheet"))
    triangles = np.array(mesh.GetFaceVertexIndicesAttr().Get()).reshape(-1, 3)
    found = np.array(UsdGeom.PrimvarsAPI(mesh).GetPrimvar("st").ComputeFlattened()).reshape(-1, 3, 2)
    assert len(triangles) == 32
    for k, triangle in enumerate(triangles):
        quad = quads[k // 2]
        for vertex, uv in zip(triangle, found[k], strict=True):
            assert (uv == wanted[k // 2, quad.index(vertex)]).all()
