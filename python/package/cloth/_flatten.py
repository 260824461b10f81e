"""USD: flat text is read by itself, anything else by way of usd-core."""

from __future__ import annotations

import os
import pathlib
import tempfile
from collections.abc import Callable
from typing import TypeVar

from ._errors import FileError

T = TypeVar("T")


def is_usd(path: str | os.PathLike[str]) -> bool:
    """Whether a path is that of a stage, or of a prim in one."""
    return os.fspath(path).partition("#")[0].lower().endswith((".usd", ".usda", ".usdc", ".usdz"))


def read_flat(path: str, reader: Callable[[str], T]) -> T:
    """What a reader of flat text makes of a file; of another layer of USD, by way of usd-core if it is installed."""
    try:
        return reader(path)
    except FileError as error:
        if "usdcat --flatten" not in str(error):
            raise
        try:
            from pxr import Tf, Usd
        except ImportError:
            raise error from None
        reason = error
    file, mark, prim = path.partition("#")
    with tempfile.TemporaryDirectory() as folder:
        flat = os.path.join(folder, pathlib.Path(file).stem + ".usda")
        try:
            stage = Usd.Stage.Open(file)
            # Not in the layers of the file, which others may have open.
            stage.SetEditTarget(stage.GetSessionLayer())
            while instances := [prim for prim in stage.TraverseAll() if prim.IsInstance()]:
                for instance in instances:
                    instance.SetInstanceable(False)
            stage.Flatten().Export(flat)
        except (Tf.ErrorException, RuntimeError) as failure:
            raise FileError(f"{file}: usd-core cannot read it: {_in_words(failure)}") from reason
        try:
            return reader(flat + mark + prim)
        except FileError as failure:
            raise FileError(str(failure).replace(flat, file)) from None


def _in_words(failure: Exception) -> str:
    """Its text on one line."""
    try:
        return " ".join(str(failure).split())
    except UnicodeDecodeError:
        return "it has bytes that are no UTF-8"
