"""Stages that are composed of several places: one for each way in which USD brings in what stands elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pxr import Sdf, Usd, UsdGeom, UsdUtils

Make = Callable[[Path], tuple[Path, str | None]]
"""Writes files to a folder; returns the one to read, and the prim that a refusal names."""


def part(folder: Path, name: str = "part.usda") -> Path:
    """A layer with two triangles that move below a transformation."""
    path = folder / name
    stage = Usd.Stage.CreateNew(str(path))
    stage.SetTimeCodesPerSecond(60)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdGeom.SetStageUpAxis(stage, "Y")
    root = UsdGeom.Xform.Define(stage, "/Part")
    root.AddTranslateOp().Set((1, 2, 3))
    stage.SetDefaultPrim(root.GetPrim())
    mesh = UsdGeom.Mesh.Define(stage, "/Part/shirt")
    mesh.CreateFaceVertexCountsAttr([3, 3])
    mesh.CreateFaceVertexIndicesAttr([0, 1, 2, 2, 1, 3])
    for frame in range(3):
        points = [(0, 0, frame), (1, 0, 0.1), (0, 1, 0.25), (1, 1, 0.5 * frame)]
        mesh.CreatePointsAttr().Set(points, float(frame))
    stage.Save()
    return path


def composed(folder: Path) -> tuple[Path, Usd.Stage]:
    """An empty stage in metres, y up."""
    path = folder / "composed.usda"
    stage = Usd.Stage.CreateNew(str(path))
    stage.SetTimeCodesPerSecond(60)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdGeom.SetStageUpAxis(stage, "Y")
    return path, stage


def garment(stage: Usd.Stage) -> Usd.Prim:
    return UsdGeom.Xform.Define(stage, "/World/garment").GetPrim()


def sublayers(folder: Path) -> tuple[Path, str | None]:
    part(folder)
    path, stage = composed(folder)
    stage.GetRootLayer().subLayerPaths.append("./part.usda")
    stage.Save()
    return path, None


def reference(folder: Path) -> tuple[Path, str | None]:
    part(folder)
    path, stage = composed(folder)
    garment(stage).GetReferences().AddReference("./part.usda")
    stage.Save()
    return path, "/World/garment"


def reference_with_offset(folder: Path) -> tuple[Path, str | None]:
    part(folder)
    path, stage = composed(folder)
    garment(stage).GetReferences().AddReference("./part.usda", "/Part", Sdf.LayerOffset(10.0, 2.0))
    stage.Save()
    return path, "/World/garment"


def reference_within(folder: Path) -> tuple[Path, str | None]:
    path, stage = composed(folder)
    stage.GetRootLayer().TransferContent(Sdf.Layer.FindOrOpen(str(part(folder))))
    copy = UsdGeom.Xform.Define(stage, "/World/copy")
    copy.GetPrim().GetReferences().AddInternalReference("/Part/shirt")
    copy.GetPrim().SetTypeName("")
    stage.Save()
    return path, "/World/copy"


def payload(folder: Path) -> tuple[Path, str | None]:
    part(folder)
    path, stage = composed(folder)
    garment(stage).GetPayloads().AddPayload("./part.usda")
    stage.Save()
    return path, "/World/garment"


def inherits(folder: Path) -> tuple[Path, str | None]:
    path, stage = composed(folder)
    stage.GetRootLayer().TransferContent(Sdf.Layer.FindOrOpen(str(part(folder))))
    stage.GetRootLayer().GetPrimAtPath("/Part").specifier = Sdf.SpecifierClass
    garment(stage).GetInherits().AddInherit("/Part")
    stage.Save()
    return path, "/World/garment"


def specializes(folder: Path) -> tuple[Path, str | None]:
    path, stage = composed(folder)
    stage.GetRootLayer().TransferContent(Sdf.Layer.FindOrOpen(str(part(folder))))
    garment(stage).GetSpecializes().AddSpecialize("/Part")
    stage.Save()
    return path, "/World/garment"


def variants(folder: Path) -> tuple[Path, str | None]:
    part(folder)
    path, stage = composed(folder)
    sets = garment(stage).GetVariantSets().AddVariantSet("size")
    for name in ("small", "large"):
        sets.AddVariant(name)
        sets.SetVariantSelection(name)
        with sets.GetVariantEditContext():
            mesh = UsdGeom.Mesh.Define(stage, f"/World/garment/{name}")
            mesh.CreatePointsAttr([(0, 0, 0), (1, 0, 0), (0, 1, 0)])
            mesh.CreateFaceVertexCountsAttr([3])
            mesh.CreateFaceVertexIndicesAttr([0, 1, 2])
    stage.Save()
    return path, "/World/garment"


def instances(folder: Path) -> tuple[Path, str | None]:
    part(folder)
    path, stage = composed(folder)
    for number in range(2):
        prim = UsdGeom.Xform.Define(stage, f"/World/copy_{number}").GetPrim()
        prim.GetReferences().AddReference("./part.usda")
        prim.SetInstanceable(True)
    stage.Save()
    return path, "/World/copy_0"


def relocates(folder: Path) -> tuple[Path, str | None]:
    part(folder)
    path, stage = composed(folder)
    garment(stage).GetReferences().AddReference("./part.usda")
    stage.GetRootLayer().relocates = [("/World/garment/shirt", "/World/garment/moved")]
    stage.Save()
    return path, None


def clips(folder: Path) -> tuple[Path, str | None]:
    part(folder)
    path, stage = composed(folder)
    mesh = UsdGeom.Mesh.Define(stage, "/World/shirt")
    mesh.CreateFaceVertexCountsAttr([3, 3])
    mesh.CreateFaceVertexIndicesAttr([0, 1, 2, 2, 1, 3])
    manifest = Sdf.Layer.CreateNew(str(folder / "manifest.usda"))
    manifest.ImportFromString('#usda 1.0\ndef "Part"\n{\ndef "shirt"\n{\npoint3f[] points\n}\n}\n')
    manifest.Save()
    api = Usd.ClipsAPI(mesh)
    api.SetClipAssetPaths([Sdf.AssetPath("./part.usda")])
    api.SetClipPrimPath("/Part/shirt")
    api.SetClipActive([(0, 0)])
    api.SetClipTimes([(0, 0), (2, 2)])
    api.SetClipManifestAssetPath(Sdf.AssetPath("./manifest.usda"))
    stage.Save()
    return path, "/World/shirt"


def binary(folder: Path) -> tuple[Path, str | None]:
    return part(folder, "part.usdc"), None


def either(folder: Path) -> tuple[Path, str | None]:
    """`.usd`, which may be binary or text; this one is binary."""
    return part(folder, "part.usd"), None


def package(folder: Path) -> tuple[Path, str | None]:
    path = folder / "part.usdz"
    UsdUtils.CreateNewUsdzPackage(str(part(folder)), str(path))
    return path, None


COMPOSED: dict[str, Make] = {
    "sublayers": sublayers,
    "a reference": reference,
    "a reference with an offset of time": reference_with_offset,
    "a reference within the file": reference_within,
    "a payload": payload,
    "inherits": inherits,
    "specializes": specializes,
    "variants": variants,
    "instances": instances,
    "relocates": relocates,
    "clips": clips,
}
OTHER_FILES: dict[str, Make] = {"usdc": binary, "usd": either, "usdz": package}


def flat(path: Path, to: Path) -> Path:
    """The stage as one layer, without instances."""
    stage = Usd.Stage.Open(str(path))
    while found := [prim for prim in stage.TraverseAll() if prim.IsInstance()]:
        for prim in found:
            prim.SetInstanceable(False)
    stage.Flatten().Export(str(to))
    return to
