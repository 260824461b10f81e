"""Stages of USD: written with the bits of float32, read as meshes and frames. Without usd-core: the way is named."""

import importlib.util
import pathlib

import numpy as np
import pytest

import cloth

FACES = np.array([[0, 1, 2], [0, 2, 3]], np.uint32)


def frames(count: int = 4) -> np.ndarray:
    """A square that moves by steps which no decimal of a few digits holds."""
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1]], np.float32)
    steps = np.float32(1) / np.arange(3, 3 + count, dtype=np.float32)
    return square + steps[:, None, None]


def test_frames_read_back_in_bits(tmp_path: pathlib.Path) -> None:
    path, moving, uv = tmp_path / "a.usda", frames(), np.arange(12, dtype=float).reshape(2, 3, 2)
    still = moving[0] - np.float32(2)
    cloth.write_usd(path, {"a shirt": (moving, FACES, uv)}, rate=24, bodies={"floor": (still, FACES)}, cuts=[2])
    text = path.read_text()
    for said in ("timeCodesPerSecond = 24", 'subdivisionScheme = "none"', "1.999: [", "primvars:st = [(0.0, 1.0), (2.0, 3.0)"):
        assert said in text
    positions, faces = cloth.read_mesh(f"{path}#/World/cloth")
    assert np.array_equal(positions, moving[0]) and np.array_equal(faces, FACES)
    assert np.array_equal(cloth.read_mesh(f"{path}#floor")[0], still)
    opened = cloth._cloth.CacheFrames(f"{path}#a_shirt")
    assert (len(opened), opened.cuts) == (4, [2])
    for wanted, found in zip(moving, opened, strict=True):
        assert np.array_equal(wanted.astype(np.float64), found)


def test_an_audit_takes_faces_and_cuts_of_the_stage(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.usda"
    cloth.write_usd(path, {"shirt": (frames(), FACES)}, rate=60, cuts=[3])
    table = cloth.audit(f"{path}#shirt")
    assert list(table["cut"]) == [False, False, False, True]
    assert cloth.audit(frames(), FACES)["cut"].sum() == 0


def test_a_body_moves_by_a_stage(tmp_path: pathlib.Path) -> None:
    path, moving = tmp_path / "a.usda", frames()
    cloth.write_usd(path, {"shirt": (moving, FACES)}, rate=60, bodies={"body": (moving - np.float32([0, 3, 0]), FACES)})
    table = cloth.audit(f"{path}#cloth", bodies=[f"{path}#bodies"])
    assert len(table) == 4 and not table["intersections"].any()


@pytest.mark.parametrize(
    ("cloths", "said"),
    [
        ({"x": frames()}, "pass \\(frames, faces\\)"),
        ({"x": (frames().astype(np.float64) + 1e-12, FACES)}, "float32, which USD stores"),
        ({"x": (frames() * np.nan, FACES)}, "not finite"),
        ({"x": (frames()[:0], FACES)}, "no frames"),
        ({"x": (frames(), FACES + 9)}, "there are 4 vertices"),
        ({"x": (frames(), FACES, np.zeros((1, 3, 2)))}, "uv"),
    ],
)
def test_what_cannot_be_written_is_named(tmp_path: pathlib.Path, cloths: dict, said: str) -> None:
    with pytest.raises(cloth.ClothError, match=said):
        cloth.write_usd(tmp_path / "a.usda", cloths, rate=60)
    assert list(tmp_path.iterdir()) == []


def test_rates_and_extensions_are_checked(tmp_path: pathlib.Path) -> None:
    with pytest.raises(cloth.InputError, match="extension .usda"):
        cloth.write_usd(tmp_path / "a.obj", {}, rate=60)
    for rate in (0, -1, float("nan")):
        with pytest.raises(cloth.FileError, match="must be positive"):
            cloth.write_usd(tmp_path / "a.usda", {"x": (frames(), FACES)}, rate=rate)


@pytest.mark.skipif(importlib.util.find_spec("pxr") is not None, reason="usd-core is installed: it is read")
def test_what_is_no_flat_text_names_the_way(tmp_path: pathlib.Path) -> None:
    for name, content in (("a.usda", '#usda 1.0\ndef "x" (references = @b.usda@) {}'), ("a.usdc", "PXR-USDC"), ("a.usdz", "PK")):
        path = tmp_path / name
        path.write_text(content)
        for read in (cloth.read_mesh, cloth.audit):
            with pytest.raises(cloth.FileError, match="usdcat --flatten"):
                read(path)
