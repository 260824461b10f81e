"""Each check of the oracle finds what it is for: a good stage has no complaint, a spoiled one has that of the check."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from pxr import Usd

import handmade
import oracle
import table

EXAMPLE = handmade.example()
GOOD = handmade.write(EXAMPLE)


def sub(pattern: str, replacement: str) -> Callable[[str], str]:
    """Replaces what a pattern finds first, which has to be there."""

    def spoil(text: str) -> str:
        spoiled, count = re.subn(pattern, replacement, text, count=1)
        assert count == 1, pattern
        return spoiled

    return spoil


SPOILED: list[tuple[str, str, Callable[[str], str]]] = [
    ("opens", "a bracket is missing", sub(r"\)\n\ndef Xform", "\n\ndef Xform")),
    ("validators", "no defaultPrim", sub(r' *defaultPrim = "World"\n', "")),
    ("validators", "no upAxis", sub(r' *upAxis = "Y"\n', "")),
    ("validators", "a mesh below a mesh", sub(r"(uniform bool doubleSided = 1\n)", r'\1 def Mesh "inner" {}\n')),
    ("validators", "points of doubles", sub(r"point3f\[\] points", "point3d[] points")),
    ("metadata", "another unit", sub("metersPerUnit = 1", "metersPerUnit = 0.01")),
    ("metadata", "z up", sub('upAxis = "Y"', 'upAxis = "Z"')),
    ("metadata", "24 frames a second", sub("timeCodesPerSecond = 60", "timeCodesPerSecond = 24")),
    ("metadata", "no rate", sub(r" *timeCodesPerSecond = 60\n", "")),
    ("metadata", "no rate of playing", sub(r" *framesPerSecond = 60\n", "")),
    ("metadata", "ends a frame early", sub("endTimeCode = 3", "endTimeCode = 2")),
    ("metadata", "begins at 1", sub("startTimeCode = 0", "startTimeCode = 1")),
    ("layout", "a mesh under another name", sub('"skirt"', '"skirt_1"')),
    ("layout", "a mesh that is only an over", sub('def Mesh "skirt"', 'over "skirt"')),
    (
        "layout",
        "a root that is moved",
        sub(
            r'(def Xform "World"\n{\n)',
            r"\1    double3 xformOp:translate = (0, 1, 0)\n"
            r'    uniform token[] xformOpOrder = ["xformOp:translate"]\n',
        ),
    ),
    ("topology", "an index out of range", sub(r"(faceVertexIndices = \[0, 1, 4, 3, 1, 2, 5, )4", r"\g<1>6")),
    ("topology", "a negative index", sub(r"(faceVertexIndices = \[0, 1, 4, 3, 1, 2, 5, )4", r"\g<1>-1")),
    ("topology", "an index too many", sub(r"(faceVertexIndices = \[0, 1, 4, 3, 1, 2, 5, 4)", r"\1, 0")),
    ("faces", "two corners exchanged", sub(r"faceVertexIndices = \[0, 1, 4, 3", "faceVertexIndices = [0, 1, 3, 4")),
    ("faces", "a face that is a hole", sub(r"( *int\[\] faceVertexCounts)", r"int[] holeIndices = [0]\n\1")),
    ("times", "a frame without points", sub(r"(points\.timeSamples = {\n.*\n) *1: .*\n", r"\1")),
    ("times", "an extent without its frame", sub(r"(extent\.timeSamples = {\n.*\n) *1: .*\n", r"\1")),
    ("times", "frames counted from 1", sub(r"(points\.timeSamples = {\n *)0: ", r"\g<1>4: ")),
    ("times", "a cut that is not held", sub(r" *1\.999: .*\n", "")),
    ("times", "a body that stands is sampled", sub(r"(point3f\[\] points) = (\[.*)", r"\1.timeSamples = {0: \2}")),
    ("count", "a missing point", sub(r"(points\.timeSamples = {\n(.*\n){3} *2: \[)\([^)]*\), ", r"\1")),
    ("count", "a point too many", sub(r"(points\.timeSamples = {\n(.*\n){3} *2: \[)", r"\1(0, 0, 0), ")),
    ("count", "no points at all", sub(r"point3f\[\] points = .*", "")),
    ("extent", "a wrong extent", sub(r"(extent\.timeSamples = {\n(.*\n){3} *2: \[\()[^,]*", r"\1-9")),
    ("extent", "an extent of one bit less", lambda text: nudge(text, "extent")),
    ("extent", "no extent", sub(r"float3\[\] extent = .*", "")),
    ("bits", "one bit of a coordinate", lambda text: nudge(text, "points")),
    ("bits", "a zero of the other sign", sub(r"(points\.timeSamples = {\n *0: \[\()0, ", r"\1-0, ")),
    ("bits", "two points exchanged", sub(r"(points\.timeSamples = {\n *0: \[)(\([^)]*\)), (\([^)]*\))", r"\1\3, \2")),
    ("held", "the cut is a motion", sub(r"(points\.timeSamples = {\n(.*\n){2} *1)\.999", r"\1.001")),
    ("attributes", "a surface to be subdivided", sub(r' *uniform token subdivisionScheme = "none"\n', "")),
    ("attributes", "one-sided", sub(r" *uniform bool doubleSided = 1\n", "")),
    ("attributes", "left-handed", sub("rightHanded", "leftHanded")),
    ("attributes", "velocities", sub(r"( *int\[\] faceVertexCounts)", r"vector3f[] velocities = [(1, 2, 3)]\n\1")),
    ("uv", "no texture coordinates", sub(r" *texCoord2f\[\] primvars:st(.*\n){3}", "")),
    ("uv", "another texture coordinate", sub(r"(primvars:st = \[\()[^,]*", r"\g<1>0.25")),
    ("uv", "texture coordinates of points", sub('"faceVarying"', '"vertex"')),
    ("digits", "more digits than bits", sub(r"(points\.timeSamples = {\n *0: \[\(0, -?\d\.\d+)", r"\g<1>0001")),
]


def nudge(text: str, name: str) -> str:
    """The last decimal digit of the last coordinate of frame 1, one away."""
    match = re.search(name + r"\.timeSamples = {\n.*\n *1: .*?(\d)\)\]", text)
    assert match is not None
    digit = str((int(match[1]) + 5) % 10)
    return text[: match.start(1)] + digit + text[match.end(1) :]


def test_a_good_stage_has_no_complaint(tmp_path: Path) -> None:
    path = tmp_path / "good.usda"
    path.write_text(GOOD)
    assert oracle.complaints(path, EXAMPLE) == []
    for check in oracle.CHECKS:
        table.POSITIVE[check].add("handmade")


@pytest.mark.parametrize(("check", "what", "spoil"), SPOILED, ids=[f"{check}: {what}" for check, what, _ in SPOILED])
def test_a_spoiled_stage_is_found(check: str, what: str, spoil: Callable[[str], str], tmp_path: Path) -> None:
    spoiled = spoil(GOOD)
    assert spoiled != GOOD
    path = tmp_path / "spoiled.usda"
    path.write_text(spoiled)
    found = oracle.complaints(path, EXAMPLE)
    names = {name for name, _ in found}
    assert check in names, found
    alone = "opens" in names or bool(oracle.validators_alone(Usd.Stage.Open(str(path))))
    table.CONTROLS.append(table.Control(check, what, sorted(names), alone))


def test_every_check_has_a_control() -> None:
    assert {check for check, _, _ in SPOILED} == set(oracle.CHECKS)


@pytest.mark.parametrize("what", ["a wrong extent", "a missing point", "an index out of range"])
def test_validators_alone_pass_what_the_oracle_finds(what: str, tmp_path: Path) -> None:
    """If this fails, OpenUSD has become better, and the table of `test` says by which of its checks."""
    (spoil,) = [spoil for _, name, spoil in SPOILED if name == what]
    path = tmp_path / "spoiled.usda"
    path.write_text(spoil(GOOD))
    assert oracle.validators_alone(Usd.Stage.Open(str(path))) == []
