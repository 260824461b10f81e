"""Texts that are unusual and valid: they are read as OpenUSD reads them. Others are refused in one line."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import cloth
import reading
import stages

HEAD = '#usda 1.0\n(\n    metersPerUnit = 1\n    timeCodesPerSecond = 60\n    upAxis = "Y"\n)\n'
FACES = "int[] faceVertexCounts = [3]\nint[] faceVertexIndices = [0, 1, 2]\n"
POINTS = "point3f[] points = [(0.1, 0, 0), (1, 0.25, 0), (0, 1, 0.7)]\n"
OTHER = "point3f[] points = [(5, 0, 0), (6, 0, 0), (5, 1, 0)]\n"
SAMPLES = """point3f[] points.timeSamples = {
    0: [(0.1, 0, 0), (1, 0.25, 0), (0, 1, 0.7)],
    1: [(0.2, 0, 0), (1, 0.5, 0), (0, 2, 0.7)],
}
"""


def mesh(*lines: str, name: str = "m", kind: str = "def Mesh") -> str:
    return f'{kind} "{name}"\n{{\n' + "\n".join(lines) + "\n}\n"


def group(head: str, *inside: str) -> str:
    return f"{head}\n{{\n" + "\n".join(inside) + "\n}\n"


TRANSLATED = 'double3 xformOp:translate = (1, 2, 3)\nuniform token[] xformOpOrder = ["xformOp:translate"]\n'
VALID = {
    "numbers of all forms": mesh(FACES, "point3f[] points = [(.5, 5., -0), (1e-3, 1.5E+2, -.25e1), (0, 1, 16777217)]"),
    "numbers that are rounded twice": mesh(
        FACES, "point3f[] points = [(7.038531e-26, 0.1, 1e-45), (3.4028235e38, 1, 0), (1, 1.17549435e-38, 2)]"
    ),
    "a comma behind the last element": mesh(FACES, "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0),]"),
    "lists over many lines": mesh(FACES, "point3f[] points = [\n(0,\n0, 0), # one\n(1, 0, 0),\n\n(0, 1, 0)\n]"),
    "few blanks": 'def Mesh "m"{int[] faceVertexCounts=[3];int[] faceVertexIndices=[0,1,2];'
    "point3f[] points=[(0,0,0),(1,0,0),(0,1,0)];}",
    "semicolons": mesh("int[] faceVertexCounts = [3]; int[] faceVertexIndices = [0, 1, 2];", POINTS),
    "line ends of Windows": mesh(FACES, SAMPLES).replace("\n", "\r\n"),
    "no line end at the end": mesh(FACES, SAMPLES).rstrip(),
    "single quotes": "def Mesh 'm'\n{\n" + FACES + POINTS + "}\n",
    "a name of other letters": mesh(FACES, POINTS, name="Überwurf_布"),
    "samples out of order": mesh(
        FACES,
        "point3f[] points.timeSamples = {",
        "3: [(3, 0, 0), (1, 0, 0), (0, 1, 0)],",
        "-1.5: [(1, 0, 0), (1, 0, 0), (0, 1, 0)],",
        "1e0: [(2, 0, 0), (1, 0, 0), (0, 1, 0)]",
        "}",
    ),
    "a default besides samples": mesh(FACES, OTHER, SAMPLES),
    "a default behind samples": mesh(FACES, SAMPLES, OTHER),
    "no samples in the list of samples": mesh(FACES, POINTS, "point3f[] points.timeSamples = {\n}"),
    "metadata of an attribute": mesh(
        FACES, POINTS.rstrip() + ' (\n    doc = "of [ points"\n    interpolation = "vertex"\n)'
    ),
    "other vectors": mesh(FACES, POINTS.replace("point3f", "float3")),
    "normals of meshes": mesh(FACES, POINTS.replace("point3f", "vector3f")),
    "custom points": mesh(FACES, "custom " + POINTS),
    "an uncommon root": group('def "untyped"', mesh(FACES, POINTS)),
    "a scope with a transformation moves nothing": group('def Scope "s"', TRANSLATED, mesh(FACES, POINTS)),
    "an untyped prim with a transformation moves nothing": group('def "s"', TRANSLATED, mesh(FACES, POINTS)),
    "a material with a transformation moves nothing": group('def Material "s"', TRANSLATED, mesh(FACES, POINTS)),
    "a type of another program moves nothing": group('def Garment "s"', TRANSLATED, mesh(FACES, POINTS)),
    "a camera moves what is below it": group('def Camera "s"', TRANSLATED, mesh(FACES, POINTS)),
    "a skeleton's root moves what is below it": group('def SkelRoot "s"', TRANSLATED, mesh(FACES, POINTS)),
    "operations without an order": group('def Xform "x"', "double3 xformOp:translate = (1, 2, 3)", mesh(FACES, POINTS)),
    "an order of nothing": group('def Xform "x"', "uniform token[] xformOpOrder = []", mesh(FACES, POINTS)),
    "an order of another type": group(
        'def Xform "x"',
        "double3 xformOp:translate = (1, 2, 3)",
        'uniform string[] xformOpOrder = ["xformOp:translate"]',
        mesh(FACES, POINTS),
    ),
    "an operation twice": group(
        'def Xform "x"',
        "double3 xformOp:translate = (1, 2, 3)",
        'uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:translate"]',
        mesh(FACES, POINTS),
    ),
    "a reset in the middle": group(
        'def Xform "above"',
        TRANSLATED,
        group(
            'def Xform "x"',
            "double3 xformOp:translate = (1, 2, 3)",
            'uniform token[] xformOpOrder = ["xformOp:translate", "!resetXformStack!", "xformOp:translate"]',
            mesh(FACES, POINTS),
        ),
    ),
    "a quaternion that turns by samples": group(
        'def Xform "x"',
        "quatd xformOp:orient.timeSamples = {\n0: (1, 0, 0, 0),\n2: (-0.5, 0.5, 0.5, 0.5),\n}",
        'uniform token[] xformOpOrder = ["xformOp:orient"]',
        mesh(FACES, SAMPLES),
    ),
    "a moving inverse": group(
        'def Xform "x"',
        "double3 xformOp:translate:pivot.timeSamples = {\n0: (1, 0, 0),\n1: (2, 0, 0),\n}",
        "double xformOp:rotateZ = 30",
        'uniform token[] xformOpOrder = ["xformOp:translate:pivot", "xformOp:rotateZ", "!invert!xformOp:translate:pivot"]',
        mesh(FACES, SAMPLES),
    ),
    "an inactive mesh": mesh(FACES, POINTS) + 'def Mesh "off" (\n    active = false\n)\n{\n' + FACES + OTHER + "}\n",
    "an inactive group": mesh(FACES, POINTS) + group('def Xform "off" (\n    active = false\n)', mesh(FACES, OTHER)),
    "an over": mesh(FACES, POINTS) + mesh(FACES, OTHER, name="o", kind="over Mesh"),
    "a mesh below an over": mesh(FACES, POINTS) + group('over "o"', mesh(FACES, OTHER)),
    "a class": mesh(FACES, POINTS) + mesh(FACES, OTHER, name="o", kind="class Mesh"),
    "a mesh below a class": mesh(FACES, POINTS) + group('class "o"', mesh(FACES, OTHER)),
    "an invisible mesh": mesh(FACES, POINTS) + mesh(FACES, OTHER, 'token visibility = "invisible"', name="o"),
    "a mesh below what is invisible": mesh(FACES, POINTS)
    + group('def Xform "o"', 'token visibility = "invisible"', mesh(FACES, OTHER)),
    "a guide": mesh(FACES, POINTS) + mesh(FACES, OTHER, 'uniform token purpose = "guide"', name="o"),
    "a mesh below a proxy": mesh(FACES, POINTS)
    + group('def Xform "o"', 'uniform token purpose = "proxy"', mesh(FACES, OTHER)),
    "a mesh to be rendered below a proxy": mesh(FACES, POINTS)
    + group('def Xform "o"', 'uniform token purpose = "proxy"', mesh(FACES, OTHER, 'uniform token purpose = "render"')),
    "a mesh below a mesh": group('def Mesh "m"', FACES, POINTS, mesh(FACES, OTHER, name="inner")),
    "other shapes": mesh(FACES, POINTS) + 'def Sphere "ball"\n{\n    double radius = 2\n}\n',
    "an instanceable prim that has no arc": group('def Xform "x" (\n    instanceable = true\n)', mesh(FACES, POINTS)),
    "empty arcs": group('def Xform "x" (\n    references = None\n    inherits = []\n)', mesh(FACES, POINTS)),
    "a variant that is selected and not there": group(
        'def Xform "x" (\n    variants = {\n        string size = "large"\n    }\n)', mesh(FACES, POINTS)
    ),
    "an order of properties": mesh(FACES, POINTS, 'reorder properties = ["points", "extent"]'),
    "a relationship": mesh(
        FACES, POINTS, "rel material:binding = </looks/a>", "prepend rel x = [</a>, </b.c>]", "rel y"
    ),
    "a connection": mesh(FACES, POINTS, "token outputs:a.connect = </looks/a.outputs:b>"),
    "a property without a value": mesh(
        FACES, POINTS, "float3[] extent", 'custom string userProperties:s (\ndoc = "x"\n)'
    ),
    "a value of nothing": mesh(FACES, POINTS, "float3[] extent = None", "normal3f[] normals = None"),
    "dictionaries": group(
        'def Xform "x" (\n    customData = {\n        dictionary a = {\n            string "b c" = "} def Mesh"\n'
        "            double[] d = [1, 2]\n        }\n    }\n)",
        mesh(FACES, POINTS),
    ),
    "holes that are none": mesh(FACES, POINTS, "int[] holeIndices = []"),
    "velocities": mesh(FACES, SAMPLES, "vector3f[] velocities = [(1, 0, 0), (1, 0, 0), (1, 0, 0)]"),
    "a topology of one sample": mesh(
        "int[] faceVertexCounts.timeSamples = {\n0: [3],\n}",
        "int[] faceVertexIndices.timeSamples = {\n0: [0, 1, 2],\n}",
        SAMPLES,
    ),
    "points of a mesh that no face has": mesh(FACES, POINTS.replace(")]", "), (9, 9, 9)]")),
    "no rate but that of playing": mesh(FACES, SAMPLES),
    "a spline of a property that is not read": mesh(
        FACES, POINTS, "double userProperties:x.spline = {\n0: 1; post held,\n}"
    ),
}
"""Below a head."""
OWN_HEADS = {
    "no rate but that of playing": HEAD.replace("timeCodesPerSecond", "framesPerSecond"),
}
INVALID = {
    "no text": ("", "usdcat --flatten"),
    "a file of another kind": ("PXR-USDC\0\0", "usdcat --flatten"),
    "no mesh": (HEAD + 'def Xform "x"\n{\n}\n', "no mesh"),
    "cut short": (HEAD + mesh(FACES, SAMPLES)[:-60], "cut short"),
    "an index out of range": (HEAD + mesh(FACES.replace("2]", "3]"), POINTS), "`/m`"),
    "a negative index": (HEAD + mesh(FACES.replace("0, 1", "-1, 1"), POINTS), "`/m`"),
    "counts that are not those of the indices": (HEAD + mesh(FACES.replace("[3]", "[4]"), POINTS), "`/m`"),
    "holes": (HEAD + mesh(FACES, POINTS, "int[] holeIndices = [0]"), "`/m`"),
    "points that are not finite": (HEAD + mesh(FACES, POINTS.replace("0.25", "nan")), "/m"),
    "points that are infinite": (HEAD + mesh(FACES, POINTS.replace("0.25", "-inf")), "/m"),
    "a sample that is not finite": (HEAD + mesh(FACES, SAMPLES.replace("0.5", "inf")), "/m"),
    "a sample of fewer points": (HEAD + mesh(FACES, SAMPLES.replace("(0.2, 0, 0), ", "")), "/m"),
    "a sample without a value": (
        HEAD + mesh(FACES, SAMPLES.replace("1: [(0.2, 0, 0), (1, 0.5, 0), (0, 2, 0.7)]", "1: None")),
        "/m",
    ),
    "a topology that changes": (
        HEAD
        + mesh(
            FACES.splitlines()[0], "int[] faceVertexIndices.timeSamples = {\n0: [0, 1, 2],\n1: [0, 2, 1],\n}", SAMPLES
        ),
        "topology",
    ),
    "an operation that is a spline": (
        HEAD
        + group(
            'def Xform "x"',
            "double xformOp:rotateX = 3",
            "double xformOp:rotateX.spline = {\n0: 1; post linear,\n2: 5,\n}",
            'uniform token[] xformOpOrder = ["xformOp:rotateX"]',
            mesh(FACES, POINTS),
        ),
        "xformOp:rotateX",
    ),
    "an operation without a value": (
        HEAD + group('def Xform "x"', 'uniform token[] xformOpOrder = ["xformOp:rotateX"]', mesh(FACES, POINTS)),
        "xformOp:rotateX",
    ),
    "a quaternion that is not of length 1": (
        HEAD
        + group(
            'def Xform "x"',
            "quatd xformOp:orient = (2, 1, 0.5, 0.25)",
            'uniform token[] xformOpOrder = ["xformOp:orient"]',
            mesh(FACES, POINTS),
        ),
        "quaternion",
    ),
    # 1 / s; OpenUSD 26.11 computes -s.
    "an inverse of a scale along an axis": (
        HEAD
        + group(
            'def Xform "x"',
            "double xformOp:scaleX = 2",
            'uniform token[] xformOpOrder = ["!invert!xformOp:scaleX"]',
            mesh(FACES, POINTS),
        ),
        "xformOp:scaleX",
    ),
    "an inverse of what has none": (
        HEAD
        + group(
            'def Xform "x"',
            "double3 xformOp:scale = (1, 0, 1)",
            'uniform token[] xformOpOrder = ["!invert!xformOp:scale"]',
            mesh(FACES, POINTS),
        ),
        "invers",
    ),
    "no unit that is one": (
        HEAD.replace("metersPerUnit = 1", "metersPerUnit = -1") + mesh(FACES, POINTS),
        "metersPerUnit",
    ),
    "an axis that is none": (HEAD.replace('"Y"', '"X"') + mesh(FACES, POINTS), "upAxis"),
    "a skin": (HEAD + mesh(FACES, POINTS, "int[] primvars:skel:jointIndices = [0, 0, 0]"), "`/m`"),
    "instances by points": (
        HEAD
        + group('def PointInstancer "p"', "rel prototypes = </p/m>", "int[] protoIndices = [0]", mesh(FACES, POINTS)),
        "`/p`",
    ),
}


@pytest.mark.parametrize("name", VALID)
def test_an_unusual_text_is_read_as_openusd_reads_it(name: str, tmp_path: Path) -> None:
    path = tmp_path / "text.usda"
    path.write_bytes((OWN_HEADS.get(name, HEAD) + VALID[name]).encode())
    reading.compare(path)


@pytest.mark.parametrize("name", INVALID)
def test_what_cannot_be_read_is_refused_in_one_line(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pxr", None)
    text, needle = INVALID[name]
    path = tmp_path / "text.usda"
    path.write_bytes(text.encode())
    with pytest.raises(cloth.FileError) as refused:
        cloth.read_mesh(path)
        list(reading.frames(path))
    message = str(refused.value)
    assert "\n" not in message
    assert str(path) in message
    assert needle in message, message


def test_meshes_have_the_order_of_the_text(tmp_path: Path) -> None:
    """OpenUSD lists them as `reorder` says."""
    path = tmp_path / "text.usda"
    order = 'reorder nameChildren = ["b", "a"]'
    inside = group('def Xform "x"', order, mesh(FACES, POINTS, name="a"), mesh(FACES, OTHER, name="b"))
    path.write_text(HEAD + 'reorder rootPrims = ["x"]\n' + inside)
    a, b = (stages.said(path, f"/x/{name}").frames[0] for name in "ab")
    positions, _ = cloth.read_mesh(path)
    assert (positions == np.concatenate([a, b])).all()


def test_texts_of_this_list_are_valid_for_openusd(tmp_path: Path) -> None:
    """Otherwise a comparison would compare nothing."""
    for name, text in VALID.items():
        path = tmp_path / f"{list(VALID).index(name)}.usda"
        path.write_bytes((OWN_HEADS.get(name, HEAD) + text).encode())
        assert stages.said(path).frames, name
