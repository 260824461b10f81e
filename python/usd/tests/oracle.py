"""What a written stage is checked for, each check with OpenUSD's own functions where it has one.

`complaints` compares a file with the arrays that it was written from. OpenUSD's validators are one check of many:
they see neither a wrong extent, nor a missing point, nor an index out of range (`test_controls.py` shows it).
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from pxr import Sdf, Tf, Usd, UsdGeom, UsdValidation, Vt

HELD = 0.001
"""How long before a cut its held sample lies (frames)."""


@dataclasses.dataclass
class Prim:
    """A mesh as it was written."""

    path: str
    points: npt.NDArray[np.float32]
    """(f, n, 3); with one frame, a default value."""
    faces: list[list[int]]
    uv: npt.NDArray[np.float64] | None = None
    """(c, 2), one for each corner of a face."""
    cuts: tuple[int, ...] = ()
    """Frames at which it is elsewhere than the straight way from the frame before leads to."""
    tolerance: float = 0.0
    """Of its points (m), where they are not known to the bit: bodies that move are interpolated in double precision."""

    def samples(self) -> list[tuple[float, npt.NDArray[np.float32]]]:
        """Times and points; none if there is one frame."""
        found: list[tuple[float, npt.NDArray[np.float32]]] = []
        for frame, points in enumerate(self.points):
            if frame in self.cuts:
                found.append((frame - HELD, self.points[frame - 1]))
            found.append((float(frame), points))
        return found if len(self.points) > 1 else []


@dataclasses.dataclass
class Expected:
    """A whole stage."""

    prims: list[Prim]
    rate: float
    frames: int


Complaint = tuple[str, str]
"""Name of the check, and what it says."""


def complaints(path: Path, expected: Expected) -> list[Complaint]:
    """All complaints of all checks; a file that does not open has one."""
    try:
        stage = Usd.Stage.Open(str(path))
    except Tf.ErrorException as error:
        return [("opens", str(error).strip().splitlines()[-1])]
    found = [("validators", text) for text in validators_alone(stage)]
    for name, check in STAGE_CHECKS.items():
        found += [(name, text) for text in check(stage, expected)]
    for prim in expected.prims:
        mesh = UsdGeom.Mesh(stage.GetPrimAtPath(prim.path))
        if mesh:
            for name, check in MESH_CHECKS.items():
                found += [(name, f"{prim.path}: {text}") for text in check(mesh, prim)]
    found += [("digits", text) for text in digits(path.read_text())]
    return found


def validators_alone(stage: Usd.Stage) -> list[str]:
    """What OpenUSD's validators say, all that are installed, at every time."""
    registry = UsdValidation.ValidationRegistry()
    context = UsdValidation.ValidationContext(registry.GetOrLoadAllValidators())
    return [error.GetErrorAsString() for error in context.Validate(stage) if not error.HasNoError()]


def metadata(stage: Usd.Stage, expected: Expected) -> Iterator[str]:
    """Unit, axis, rate, range and root of the stage, all authored."""
    last = float(expected.frames - 1)
    wanted = {
        "metersPerUnit": 1.0,
        "upAxis": "Y",
        "timeCodesPerSecond": expected.rate,
        "framesPerSecond": expected.rate,
        "startTimeCode": 0.0,
        "endTimeCode": last,
        "defaultPrim": "World",
    }
    if expected.frames == 1:
        del wanted["startTimeCode"], wanted["endTimeCode"]
    for key, value in wanted.items():
        if not stage.HasAuthoredMetadata(key):
            yield f"{key} is not authored"
        elif stage.GetMetadata(key) != value:
            yield f"{key} is {stage.GetMetadata(key)} instead of {value}"


def layout(stage: Usd.Stage, expected: Expected) -> Iterator[str]:
    """The meshes, and what is above them: an Xform and scopes that move nothing."""
    meshes = {str(prim.GetPath()) for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)}
    wanted = {prim.path for prim in expected.prims}
    if meshes != wanted:
        yield f"meshes are {sorted(meshes)} instead of {sorted(wanted)}"
    for prim in stage.Traverse():
        kind = str(prim.GetTypeName())
        if kind != (
            "Xform" if prim == stage.GetDefaultPrim() else "Mesh" if str(prim.GetPath()) in wanted else "Scope"
        ):
            yield f"{prim.GetPath()} is {kind or 'untyped'}"
        if UsdGeom.Xformable(prim) and UsdGeom.Xformable(prim).GetOrderedXformOps():
            yield f"{prim.GetPath()} has a transformation"


STAGE_CHECKS = {"metadata": metadata, "layout": layout}


def topology(mesh: UsdGeom.Mesh, prim: Prim) -> Iterator[str]:
    """OpenUSD's own check: counts, indices in range, at the default time and at the first sample."""
    points = at_first(mesh.GetPointsAttr()) or []
    indices = mesh.GetFaceVertexIndicesAttr().Get() or Vt.IntArray()
    counts = mesh.GetFaceVertexCountsAttr().Get() or Vt.IntArray()
    valid, reason = UsdGeom.Mesh.ValidateTopology(indices, counts, len(points))
    if not valid:
        yield reason


def faces(mesh: UsdGeom.Mesh, prim: Prim) -> Iterator[str]:
    """The same polygons, corner by corner."""
    counts = list(mesh.GetFaceVertexCountsAttr().Get() or [])
    indices = list(mesh.GetFaceVertexIndicesAttr().Get() or [])
    if counts != [len(face) for face in prim.faces]:
        yield f"faceVertexCounts are not those of {len(prim.faces)} faces"
    if indices != [vertex for face in prim.faces for vertex in face]:
        yield "faceVertexIndices differ"
    if mesh.GetHoleIndicesAttr().HasAuthoredValue():
        yield "there are holes"


def times(mesh: UsdGeom.Mesh, prim: Prim) -> Iterator[str]:
    """A sample of the points and of the extent at every frame, one before each cut, and no other."""
    wanted = [time for time, _ in prim.samples()]
    for attribute in (mesh.GetPointsAttr(), mesh.GetExtentAttr()):
        found = attribute.GetTimeSamples()
        if found != wanted:
            differing = sorted(set(found) ^ set(wanted))
            yield f"{attribute.GetName()} has {len(found)} samples instead of {len(wanted)}, differing at {differing[:5]}"
        if wanted and attribute.Get(Usd.TimeCode.Default()) is not None:
            yield f"{attribute.GetName()} has a default value besides its samples"


def count(mesh: UsdGeom.Mesh, prim: Prim) -> Iterator[str]:
    """The number of points in every sample."""
    for time in mesh.GetPointsAttr().GetTimeSamples() or [Usd.TimeCode.Default()]:
        found = len(mesh.GetPointsAttr().Get(time) or [])
        if found != prim.points.shape[1]:
            yield f"{found} points at {time} instead of {prim.points.shape[1]}"


def extent(mesh: UsdGeom.Mesh, prim: Prim) -> Iterator[str]:
    """The extent is `ComputeExtent` of the points, at every sample of either."""
    points, own = mesh.GetPointsAttr(), mesh.GetExtentAttr()
    for time in sorted({*points.GetTimeSamples(), *own.GetTimeSamples()}) or [Usd.TimeCode.Default()]:
        value = points.Get(time) or Vt.Vec3fArray()
        if not isinstance(value, Vt.Vec3fArray):
            yield f"no extent can be computed of {type(value).__name__}"
            return
        computed = UsdGeom.PointBased.ComputeExtent(value)
        found = own.Get(time)
        if found is None or array(found).tobytes() != array(computed).tobytes():
            yield f"extent at {time} is {found} instead of {computed}"


def bits(mesh: UsdGeom.Mesh, prim: Prim) -> Iterator[str]:
    """The points that were written, to the bit."""
    attribute = mesh.GetPointsAttr()
    for time, wanted in prim.samples() or [(Usd.TimeCode.Default(), prim.points[0])]:
        found = array(attribute.Get(time))
        if found.dtype != np.float32:
            yield f"points at {time} are {found.dtype}"
        elif found.shape != wanted.shape:
            yield f"points at {time} have the shape {found.shape} instead of {wanted.shape}"
        elif prim.tolerance and np.abs(found - wanted).max() <= prim.tolerance:
            continue
        elif found.tobytes() != wanted.tobytes():
            rows = np.flatnonzero((found.view(np.uint32) != wanted.view(np.uint32)).any(axis=1))
            row = int(rows[0])
            yield f"points at {time}: {len(rows)} differ, first {row}: {found[row]} instead of {wanted[row]}"


def held(mesh: UsdGeom.Mesh, prim: Prim) -> Iterator[str]:
    """Halfway to a cut, the points are still those before it."""
    for frame in prim.cuts:
        found = array(mesh.GetPointsAttr().Get(frame - 0.5))
        wanted = prim.points[frame - 1]
        # USD interpolates in f32, as (1 - t) a + t a: three roundings.
        roundings = 3 * np.spacing(np.abs(wanted)) + prim.tolerance
        if found.shape != wanted.shape or (np.abs(found - wanted) > roundings).any():
            yield f"frame {frame} is a cut, but half a frame before it the points have left frame {frame - 1}"


def attributes(mesh: UsdGeom.Mesh, prim: Prim) -> Iterator[str]:
    """How the mesh is to be shown, authored."""
    wanted = {"subdivisionScheme": "none", "doubleSided": True, "orientation": "rightHanded"}
    for name, value in wanted.items():
        attribute = mesh.GetPrim().GetAttribute(name)
        if not attribute.HasAuthoredValue():
            yield f"{name} is not authored"
        elif attribute.Get() != value:
            yield f"{name} is {attribute.Get()} instead of {value}"
    for name in ("velocities", "accelerations", "normals"):
        if mesh.GetPrim().GetAttribute(name).HasAuthoredValue():
            yield f"{name} was not asked for"


def uv(mesh: UsdGeom.Mesh, prim: Prim) -> Iterator[str]:
    """`primvars:st`, expanded to one value for each corner."""
    st = UsdGeom.PrimvarsAPI(mesh).GetPrimvar("st")
    if prim.uv is None:
        if st and st.HasAuthoredValue():
            yield "there is a primvars:st"
        return
    if not st or not st.HasAuthoredValue():
        yield "there is no primvars:st"
        return
    if st.GetTypeName() != Sdf.ValueTypeNames.TexCoord2fArray:
        yield f"primvars:st is {st.GetTypeName()}"
    values = array(st.ComputeFlattened())
    if st.GetInterpolation() == UsdGeom.Tokens.vertex:
        values = values[[vertex for face in prim.faces for vertex in face]]
    elif st.GetInterpolation() != UsdGeom.Tokens.faceVarying:
        yield f"primvars:st is {st.GetInterpolation()}"
    wanted = prim.uv.astype(np.float32)
    if values.tobytes() != wanted.tobytes():
        yield f"primvars:st has {len(values)} values that differ from {len(wanted)}"


MESH_CHECKS = {
    "topology": topology,
    "faces": faces,
    "times": times,
    "count": count,
    "extent": extent,
    "bits": bits,
    "held": held,
    "attributes": attributes,
    "uv": uv,
}
CHECKS = ["opens", "validators", *STAGE_CHECKS, *MESH_CHECKS, "digits"]

TRIPLES = re.compile(r"\(\s*([^\s,()]+),\s*([^\s,()]+),\s*([^\s,()]+)\)")


def digits(text: str) -> Iterable[str]:
    """Decimals of points and extents that have more digits than their bits need."""
    for match in TRIPLES.finditer(text):
        for number in match.groups():
            shortest = np.format_float_scientific(np.float32(number), unique=True)
            if len(significant(number)) > len(significant(shortest)):
                return [f"{number} can be written shorter"]
    return []


def significant(number: str) -> str:
    """The significant digits of a decimal number."""
    return number.lower().split("e")[0].replace(".", "").lstrip("+-0").rstrip("0")


def at_first(attribute: Usd.Attribute) -> Any:
    """The value at the first sample, or the default."""
    samples = attribute.GetTimeSamples()
    return attribute.Get(samples[0] if samples else Usd.TimeCode.Default())


def array(values: Any) -> npt.NDArray[Any]:
    return np.array(values if values is not None else [])
