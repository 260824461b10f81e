"""Stages as text, written by hand in the layout that the project writes, to test the oracle itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from oracle import Expected, Prim


def example() -> Expected:
    """Two garments and two bodies of four frames: one with a cut, one that stands still, quads and a pentagon."""
    random = np.random.default_rng(1)
    quads = [[0, 1, 4, 3], [1, 2, 5, 4]]
    uv = random.uniform(size=(8, 2))
    pentagon = [[0, 1, 2, 3, 4], [0, 4, 5]]

    def points(frames: int) -> npt.NDArray[np.float32]:
        found = random.normal(size=(frames, 6, 3)).astype(np.float32)
        found[0, 0, 0] = 0.0
        return found

    return Expected(
        [
            Prim("/World/cloth/shirt", points(4), quads, uv, cuts=(2,)),
            Prim("/World/cloth/skirt", points(4), [[0, 1, 2], [3, 4, 5]], cuts=(2,)),
            Prim("/World/bodies/dancer", points(4), pentagon, cuts=(2,)),
            Prim("/World/bodies/ground", points(1), quads),
        ],
        rate=60.0,
        frames=4,
    )


def write(expected: Expected) -> str:
    """The stage as text."""
    text = f"""#usda 1.0
(
    defaultPrim = "World"
    endTimeCode = {expected.frames - 1}
    framesPerSecond = {number(expected.rate)}
    metersPerUnit = 1
    startTimeCode = 0
    timeCodesPerSecond = {number(expected.rate)}
    upAxis = "Y"
)

def Xform "World"
{{
"""
    for scope in ("cloth", "bodies"):
        text += f'    def Scope "{scope}"\n    {{\n'
        text += "\n".join(mesh(prim) for prim in expected.prims if prim.path.split("/")[2] == scope)
        text += "    }\n"
    return text + "}\n"


def mesh(prim: Prim) -> str:
    """A prim of a mesh."""
    counts = ", ".join(str(len(face)) for face in prim.faces)
    indices = ", ".join(str(vertex) for face in prim.faces for vertex in face)
    text = f"""        def Mesh "{prim.path.rsplit("/", 1)[-1]}"
        {{
            uniform bool doubleSided = 1
{values("float3[] extent", [(time, corners(points)) for time, points in states(prim)])}
            int[] faceVertexCounts = [{counts}]
            int[] faceVertexIndices = [{indices}]
            uniform token orientation = "rightHanded"
{values("point3f[] points", states(prim))}
            uniform token subdivisionScheme = "none"
"""
    if prim.uv is not None:
        st = tuples(prim.uv)
        text += f"            texCoord2f[] primvars:st = {st} (\n"
        text += '                interpolation = "faceVarying"\n'
        text += "            )\n"
    return text + "        }\n"


def states(prim: Prim) -> list[tuple[Any, npt.NDArray[Any]]]:
    """Times and points, no time for a default value."""
    return prim.samples() or [(None, prim.points[0])]


def values(name: str, states: list[tuple[Any, npt.NDArray[Any]]]) -> str:
    """The lines of an attribute."""
    if states[0][0] is None:
        return f"            {name} = {tuples(states[0][1])}"
    lines = "".join(f"                {number(time)}: {tuples(array)},\n" for time, array in states)
    return f"            {name}.timeSamples = {{\n{lines}            }}"


def corners(points: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return np.array([points.min(axis=0), points.max(axis=0)])


def tuples(array: npt.NDArray[Any]) -> str:
    return "[" + ", ".join("(" + ", ".join(map(number, row)) + ")" for row in array.astype(np.float32)) + "]"


def number(value: Any) -> str:
    """The shortest decimal that reads back as the same bits."""
    text = str(value if isinstance(value, np.float32) else float(value))
    return text.removesuffix(".0")
