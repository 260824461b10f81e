"""Damaged texts: nothing panics, and what both accept has the same positions."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from pxr import Tf

import cloth
import reading
import stages
import table

MUTANTS = int(os.environ.get("MUTANTS", "300"))
TOKENS = [
    b"(",
    b")",
    b"[",
    b"]",
    b"{",
    b"}",
    b'"',
    b"'",
    b'"""',
    b",",
    b":",
    b";",
    b"=",
    b".",
    b"-",
    b"#",
    b"//",
    b"/*",
    b"@",
    b"<",
    b"\n",
    b" ",
    b"None",
    b"def",
    b"over",
    b"nan",
    b"inf",
    b"1e999",
    b"timeSamples",
    b"\0",
    b"\xff",
    b"99999999999",
    b"0",
]


def mutant(text: bytes, random: np.random.Generator) -> bytes:
    """A text with one to three changes: bytes left out, tokens put in, a part twice, the end left out."""
    for _ in range(random.integers(1, 4)):
        at, to = sorted(int(k) for k in random.integers(0, len(text) + 1, size=2))
        to = min(to, at + int(random.choice([1, 3, 40])))
        match random.integers(4):
            case 0:
                text = text[:at] + text[to:]
            case 1:
                text = text[:at] + TOKENS[random.integers(len(TOKENS))] + text[at:]
            case 2:
                text = text[:to] + text[at:]
            case _ if random.integers(8) == 0:
                text = text[:at]
            case _:
                text = text[:at] + TOKENS[random.integers(len(TOKENS))] + text[to:]
    return text


@pytest.mark.parametrize("seed", range(4))
def test_damaged_texts_are_refused_or_read_as_openusd_reads_them(seed: int, tmp_path: Path) -> None:
    random = np.random.default_rng(seed)
    path = tmp_path / "text.usda"
    # A quaternion of another length is refused, or one of almost 1 normalised, which OpenUSD does not.
    ops = tuple(op for op in stages.TYPES if op != "orient")
    kind = stages.Kind(
        ops=ops, depth=1, sampled_ops=True, frames=2, meshes=2, sides=(3, 4), left=True, noise=seed % 2 == 0
    )
    stages.make(path, kind, random)
    good = path.read_bytes()
    both = ours = theirs = 0
    for number in range(MUTANTS // 4):
        # OpenUSD keeps layers by their names.
        path = tmp_path / f"{number}.usda"
        path.write_bytes(mutant(good, random))
        try:
            cloth.read_mesh(path)
            frames = reading.frames(path)
            is_read = len(frames) > 0
        except cloth.FileError as error:
            assert "\n" not in str(error)
            is_read = False
        try:
            said = stages.said(path)
        except (Tf.ErrorException, ValueError, TypeError, IndexError, StopIteration, RuntimeError):
            ours += is_read
            continue
        if is_read:
            both += 1
            reading.compare(path, single=True)
        else:
            theirs += bool(said.frames)
    assert both > 0
    table.FUZZED.append((both, ours, theirs))
