"""Exceptions. Their texts say what is wrong, where, and how to fix it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._records import WITNESS


class ClothError(Exception):
    """Base of all exceptions of this package."""


class InputError(ClothError, ValueError):
    """An array has the wrong shape or type, or a number in it is not finite or out of range."""


class MeshError(ClothError, ValueError):
    """The description of a mesh is refused: an index out of range, a face with equal corners, ..."""


class FileError(ClothError, OSError):
    """A file cannot be read or is damaged; the text names it and the place."""


class SimulationError(ClothError):
    """The solver refuses a scene, a step or a snapshot."""


class TangledError(ClothError):
    """A start has intersections. `witnesses` are all of them, as `intersections` returns them."""

    witnesses: npt.NDArray[Any]

    def __init__(self, text: str, witnesses: npt.NDArray[np.uint8] | None = None) -> None:
        super().__init__(text)
        self.witnesses = np.empty(0, WITNESS) if witnesses is None else witnesses.view(WITNESS)
