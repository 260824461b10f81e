"""Random stages for the reader, made with OpenUSD, and what OpenUSD says of them."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from pxr import Gf, Sdf, Usd, UsdGeom, Vt

Random = np.random.Generator
Op = UsdGeom.XformOp
TYPES = {
    "translate": Op.TypeTranslate,
    "translateX": Op.TypeTranslateX,
    "translateY": Op.TypeTranslateY,
    "translateZ": Op.TypeTranslateZ,
    "scale": Op.TypeScale,
    "scaleX": Op.TypeScaleX,
    "scaleY": Op.TypeScaleY,
    "scaleZ": Op.TypeScaleZ,
    "rotateX": Op.TypeRotateX,
    "rotateY": Op.TypeRotateY,
    "rotateZ": Op.TypeRotateZ,
    "rotateXYZ": Op.TypeRotateXYZ,
    "rotateXZY": Op.TypeRotateXZY,
    "rotateYXZ": Op.TypeRotateYXZ,
    "rotateYZX": Op.TypeRotateYZX,
    "rotateZXY": Op.TypeRotateZXY,
    "rotateZYX": Op.TypeRotateZYX,
    "orient": Op.TypeOrient,
    "transform": Op.TypeTransform,
}


@dataclasses.dataclass
class Kind:
    """What a stage has."""

    unit: float | None = 1.0
    axis: str | None = "Y"
    rate: float | None = 60.0
    ops: tuple[str, ...] = ()
    """Operations to choose from; none for no transformation."""
    depth: int = 0
    sampled_ops: bool = False
    frames: int = 1
    aligned: bool = True
    """Whether all samples of operations are at times at which the points have one."""
    single: bool = False
    """Whether operations may be of single precision."""
    meshes: int = 1
    doubles: bool = False
    sides: tuple[int, ...] = (3,)
    left: bool = False
    noise: bool = False


def make(path: Path, kind: Kind, random: Random) -> None:
    """Writes a stage of a kind."""
    stage = Usd.Stage.CreateInMemory()
    if kind.unit is not None:
        UsdGeom.SetStageMetersPerUnit(stage, kind.unit)
    if kind.axis is not None:
        UsdGeom.SetStageUpAxis(stage, kind.axis)
    if kind.rate is not None:
        stage.SetTimeCodesPerSecond(kind.rate)
    parents = [UsdGeom.Xform.Define(stage, "/World")]
    stage.SetDefaultPrim(parents[0].GetPrim())
    for level in range(kind.depth):
        above = parents[random.integers(len(parents))].GetPath()
        parents.append(UsdGeom.Xform.Define(stage, above.AppendChild(f"group_{level}")))
    for parent in parents:
        transform(parent, kind, random)
    for number in range(kind.meshes):
        above = parents[random.integers(len(parents))].GetPath()
        mesh = UsdGeom.Mesh.Define(stage, above.AppendChild(f"mesh_{number}"))
        transform(mesh, kind, random)
        fill(mesh, kind, random)
    if kind.noise:
        add_noise(stage)
    text = stage.GetRootLayer().ExportToString()
    path.write_text(with_comments(text, random) if kind.noise else text)


def fill(mesh: UsdGeom.Mesh, kind: Kind, random: Random) -> None:
    """Polygons that are rings of their own, of random numbers of sides, and their points by frame."""
    sides = random.choice(kind.sides, size=random.integers(1, 5))
    starts = np.cumsum([0, *sides[:-1]])
    indices = np.concatenate([start + np.arange(n) for start, n in zip(starts, sides, strict=True)])
    mesh.CreateFaceVertexCountsAttr(Vt.IntArray([int(n) for n in sides]))
    mesh.CreateFaceVertexIndicesAttr(Vt.IntArray([int(i) for i in indices]))
    angles = np.concatenate([np.linspace(0.0, 2.0 * np.pi, n, endpoint=False) for n in sides])
    ring = np.stack([np.cos(angles), np.sin(angles), np.zeros(len(angles))], axis=1)
    ring += np.repeat(random.normal(scale=3.0, size=(len(sides), 3)), sides, axis=0)
    if kind.doubles:
        attribute = mesh.GetPrim().CreateAttribute("points", Sdf.ValueTypeNames.Point3dArray, custom=False)
        values = Vt.Vec3dArray.FromNumpy
        dtype: type = np.float64
    else:
        attribute, values, dtype = mesh.CreatePointsAttr(), Vt.Vec3fArray.FromNumpy, np.float32
    for frame in range(kind.frames):
        points = (ring + random.normal(scale=0.1, size=ring.shape)).astype(dtype)
        if kind.frames == 1:
            attribute.Set(values(points))
        else:
            attribute.Set(values(points), float(frame))
    if kind.left and random.integers(2):
        mesh.CreateOrientationAttr(UsdGeom.Tokens.leftHanded)


def transform(prim: UsdGeom.Xformable, kind: Kind, random: Random) -> None:
    """A few operations on a prim."""
    if not kind.ops:
        return
    order = []
    for number in range(random.integers(0, 4)):
        name = str(random.choice(kind.ops))
        op = add_op(prim, name, f"n{number}", kind, random)
        set_op(op, name, kind, random)
        order.append(op)
        # OpenUSD 26.11 takes the inverse of a scale along one axis for its negative: `test_text.py` has it.
        if random.integers(4) == 0 and name not in ("scaleX", "scaleY", "scaleZ"):
            # As pivots are: an operation and, behind others, its inverse.
            order.append(Op(op.GetAttr(), True))
    random.shuffle(order)
    prim.SetXformOpOrder(order, resetXformStack=bool(random.integers(6) == 0))


def add_op(prim: UsdGeom.Xformable, name: str, suffix: str, kind: Kind, random: Random) -> UsdGeom.XformOp:
    """An operation without a value."""
    precisions = (
        [Op.PrecisionDouble, Op.PrecisionFloat] if kind.single and name != "transform" else [Op.PrecisionDouble]
    )
    return prim.AddXformOp(TYPES[name], precisions[random.integers(len(precisions))], suffix)


def set_op(op: UsdGeom.XformOp, name: str, kind: Kind, random: Random) -> None:
    """A value of an operation, or samples of it."""
    if not kind.sampled_ops or random.integers(3) == 0:
        op.Set(value(op, name, random))
        return
    last = max(kind.frames - 1, 3)
    times = random.choice(last + 1, size=random.integers(1, last + 2), replace=False).astype(float)
    if kind.aligned:
        times = np.arange(max(kind.frames, 4), dtype=float)
    elif random.integers(2):
        times += 0.25
    for time in times:
        op.Set(value(op, name, random), float(time))


def value(op: UsdGeom.XformOp, name: str, random: Random) -> Any:
    """A value that is no extreme one."""
    kinds = {
        "float": float,
        "double": float,
        "float3": Gf.Vec3f,
        "double3": Gf.Vec3d,
        "quatf": Gf.Quatf,
        "quatd": Gf.Quatd,
        "matrix4d": Gf.Matrix4d,
    }
    kind = kinds[str(op.GetTypeName())]
    if name == "orient":
        numbers = random.normal(size=4)
        return kind(*(float(x) for x in numbers / np.linalg.norm(numbers)))
    if name == "transform":
        upper = np.eye(3) * random.uniform(0.7, 1.5, size=3) + random.uniform(-0.2, 0.2, size=(3, 3))
        rows = np.eye(4)
        rows[:3, :3], rows[3, :3] = upper, random.normal(size=3)
        return Gf.Matrix4d(*(float(x) for x in rows.ravel()))
    if name.startswith("scale"):
        numbers = random.uniform(0.5, 2.0, size=3) * random.choice([1.0, 1.0, -1.0], size=3)
    elif name.startswith("rotate"):
        numbers = random.uniform(-400.0, 400.0, size=3)
    else:
        numbers = random.normal(scale=5.0, size=3)
    return kind(float(numbers[0])) if kind is float else kind(*(float(x) for x in numbers))


def add_noise(stage: Usd.Stage) -> None:
    """What other programs write and what is no mesh: metadata, scopes, cameras, materials, subsets, overs, classes."""
    layer = stage.GetRootLayer()
    layer.documentation = 'Says """nothing""" of { meshes [ ( and\nhas \'two\' lines'
    layer.comment = 'with "quotes" and a \\ backslash'
    layer.customLayerData = {
        "a": {"b": Vt.IntArray([1, 2]), "c": '} def Mesh "x" {'},
        "asset": Sdf.AssetPath("a#b.png"),
    }
    root = stage.GetPrimAtPath("/World")
    root.SetDocumentation("# no comment, { no body")
    root.SetCustomDataByKey("list", Vt.StringArray(["]", "(", '"', "'"]))
    root.SetAssetInfoByKey("name", "x")
    Usd.ModelAPI(root).SetKind("component")
    root.CreateAttribute("userProperties:words", Sdf.ValueTypeNames.StringArray).Set(["}", "{", "'", '"', "\\"])
    root.CreateAttribute("userProperties:odd.name".replace(".", ":"), Sdf.ValueTypeNames.Token).Set("points")
    root.CreateAttribute("userProperties:file", Sdf.ValueTypeNames.Asset).Set("textures/a.png")
    root.CreateRelationship("userProperties:link").SetTargets(["/World", "/World/group_0"])
    stage.DefinePrim("/World/camera", "Camera").GetAttribute("focalLength").Set(35.0)
    material = stage.DefinePrim("/World/looks/cotton", "Material")
    shader = stage.DefinePrim("/World/looks/cotton/shader", "Shader")
    output = shader.CreateAttribute("outputs:surface", Sdf.ValueTypeNames.Token)
    material.CreateAttribute("outputs:surface", Sdf.ValueTypeNames.Token).AddConnection(output.GetPath())
    for prim in [prim for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)]:
        prim.AddAppliedSchema("MaterialBindingAPI")
        prim.CreateRelationship("material:binding").SetTargets([material.GetPath()])
        prim.CreateAttribute("primvars:displayColor", Sdf.ValueTypeNames.Color3fArray).Set([(1, 0, 0)])
        subset = UsdGeom.Subset.Define(stage, prim.GetPath().AppendChild("collar"))
        subset.CreateIndicesAttr([0])
        UsdGeom.Mesh(prim).CreateSubdivisionSchemeAttr("none")
        UsdGeom.Mesh(prim).CreateExtentAttr([(-9, -9, -9), (9, 9, 9)])
    for path, specifier in [("/World/unknown", Sdf.SpecifierOver), ("/World/pattern", Sdf.SpecifierClass)]:
        Sdf.CreatePrimInLayer(layer, path).specifier = specifier
        hidden(stage, path)
    off = UsdGeom.Mesh.Define(stage, "/World/off").GetPrim()
    hidden(stage, "/World/off")
    off.SetActive(False)
    stage.SetMetadata("comment", "end")


def hidden(stage: Usd.Stage, path: str) -> None:
    """Points of a prim that is not on the stage."""
    spec = stage.GetRootLayer().GetPrimAtPath(path)
    spec.typeName = "Mesh"
    points = Sdf.AttributeSpec(spec, "points", Sdf.ValueTypeNames.Point3fArray)
    points.default = Vt.Vec3fArray([(7, 7, 7)] * 3)
    for name, numbers in (("faceVertexCounts", [3]), ("faceVertexIndices", [0, 1, 2])):
        Sdf.AttributeSpec(spec, name, Sdf.ValueTypeNames.IntArray).default = Vt.IntArray(numbers)


def with_comments(text: str, random: Random) -> str:
    """Comments of all three kinds and blank lines, between lines that are not within a string or a list."""
    comments = ['# def Mesh "x" { [ (', '// } "', '/* one\n } two " */', "", "    \t"]
    lines, is_string = [], False
    for number, line in enumerate(text.split("\n")):
        if number > 0 and not is_string and random.integers(3) == 0:
            lines.append(str(random.choice(comments)))
        if line.count('"""') % 2 or line.count("'''") % 2:
            is_string = not is_string
        lines.append(line + (" # behind" if not is_string and number and line.endswith(("{", "]")) else ""))
    return "\n".join(lines)


@dataclasses.dataclass
class Said:
    """What OpenUSD says of the meshes at and below a prim, in metres, y up."""

    times: list[float]
    """Time codes of the states; none if nothing is sampled."""
    frames: list[npt.NDArray[np.float64]]
    polygons: list[list[int]]
    """Counter-clockwise seen from outside, in the first state."""
    exact: bool
    """Whether positions are those of the file, to the bit."""
    rate: float


def said(path: Path, root: str | None = None) -> Said:
    """Asks OpenUSD."""
    stage = Usd.Stage.Open(str(path))
    start = stage.GetPrimAtPath(root) if root else stage.GetPseudoRoot()
    meshes = [UsdGeom.Mesh(prim) for prim in Usd.PrimRange(start, Usd.TraverseInstanceProxies()) if is_rendered(prim)]
    times = sorted({time for mesh in meshes for time in sample_times(mesh)})
    unit, z_up = UsdGeom.GetStageMetersPerUnit(stage), UsdGeom.GetStageUpAxis(stage) == UsdGeom.Tokens.z
    frames, polygons, exact, start_at = [], [], unit == 1.0, 0
    for time in [Usd.TimeCode(t) for t in times] or [Usd.TimeCode.Default()]:
        cache = UsdGeom.XformCache(time)
        rows = []
        for mesh in meshes:
            matrix = np.array(cache.GetLocalToWorldTransform(mesh.GetPrim()))
            points = np.array(mesh.GetPointsAttr().Get(time), dtype=np.float64)
            if operations(mesh):
                points, exact = points @ matrix[:3, :3] + matrix[3, :3], False
            rows.append(points)
        x, y, z = np.concatenate(rows).T
        frames.append((np.stack([x, z, -y], axis=1) if z_up else np.stack([x, y, z], axis=1)) * unit)
    first = UsdGeom.XformCache(Usd.TimeCode(times[0]) if times else Usd.TimeCode.Default())
    for mesh in meshes:
        mirrored = np.linalg.det(np.array(first.GetLocalToWorldTransform(mesh.GetPrim()))[:3, :3]) < 0
        left = mesh.GetOrientationAttr().Get() == UsdGeom.Tokens.leftHanded
        indices = iter(mesh.GetFaceVertexIndicesAttr().Get(Usd.TimeCode.EarliestTime()))
        for count in mesh.GetFaceVertexCountsAttr().Get(Usd.TimeCode.EarliestTime()):
            polygon = [start_at + next(indices) for _ in range(count)]
            polygons.append(polygon[::-1] if mirrored != left else polygon)
        start_at += len(mesh.GetPointsAttr().Get(Usd.TimeCode.EarliestTime()))
    return Said(times, frames, polygons, exact, stage.GetTimeCodesPerSecond())


def is_rendered(prim: Usd.Prim) -> bool:
    """Whether a prim is a mesh that is visible, and neither a guide nor a proxy."""
    if not prim.IsA(UsdGeom.Mesh):
        return False
    seen = UsdGeom.Imageable(prim)
    hidden = seen.ComputeVisibility(Usd.TimeCode.EarliestTime()) == UsdGeom.Tokens.invisible
    return not hidden and seen.ComputePurpose() not in (UsdGeom.Tokens.guide, UsdGeom.Tokens.proxy)


def paths_with_meshes(path: Path) -> list[str]:
    """Prims that are a mesh or have one below."""
    stage = Usd.Stage.Open(str(path))
    meshes = [prim.GetPath() for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)]
    return sorted({str(path) for mesh in meshes for path in mesh.GetPrefixes()})


def operations(mesh: UsdGeom.Mesh) -> list[UsdGeom.XformOp]:
    """The operations on a mesh and above it."""
    found, prim = [], mesh.GetPrim()
    while prim and not prim.IsPseudoRoot():
        above = UsdGeom.Xformable(prim)
        found += above.GetOrderedXformOps() if above else []
        if above and above.GetResetXformStack():
            break
        prim = prim.GetParent()
    return found


def sample_times(mesh: UsdGeom.Mesh) -> list[float]:
    """Times of the points of a mesh, and of the operations on it and above it."""
    return sorted(
        {*mesh.GetPointsAttr().GetTimeSamples(), *(time for op in operations(mesh) for time in op.GetTimeSamples())}
    )
