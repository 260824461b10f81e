"""Arrays as the native half takes them: checked, contiguous, of its types. What fits is not converted."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.ma import MaskedArray, is_masked

from ._errors import InputError, MeshError

MOST = (1 << 30) - 1
"""Greatest number of vertices, edges or faces."""

DLPACK_CPU = 1
"""The number of the CPU among the devices of DLPack."""

FARTHEST = 1e7
"""The greatest coordinate (m) of a place."""


def plain(name: str, values: Any, error: type[InputError] | type[MeshError] = InputError) -> npt.NDArray[Any]:
    """An array of numpy. What a mask covers is no number, and numpy would drop the mask: it is refused."""
    rows = values if isinstance(values, (list, tuple)) else [values]
    if any(is_masked(row) for row in rows if isinstance(row, MaskedArray)):
        raise error(f"`{name}` has masked entries: fill them, or leave out what they belong to")
    if hasattr(values, "__dlpack_device__") and not isinstance(values, (np.ndarray, np.generic)):
        return _imported(name, values, error)
    return np.asarray(values)


def _imported(name: str, values: Any, error: type[InputError] | type[MeshError]) -> npt.NDArray[Any]:
    """The array of another library, by DLPack: without a copy."""
    kind = type(values).__name__
    try:
        if values.__dlpack_device__()[0] == DLPACK_CPU:
            return np.from_dlpack(values)
    except Exception as reason:
        raise error(f"`{name}`, a {kind}, cannot be read by DLPack: {reason}") from reason
    raise error(f"`{name}`, a {kind}, is on another device; copy it to the memory of the CPU first")


def floats(name: str, values: npt.ArrayLike, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """An array of float32 or float64, of this shape (-1: any length, the first at most `MOST`).

    Integers and float16 become a wider kind that holds them; nothing else is converted.
    """
    array = plain(name, values)
    kind, size = array.dtype.kind, array.dtype.itemsize
    if kind == "f" and size <= 8:
        wanted = np.dtype(np.float64 if size == 8 else np.float32)
    elif kind in "iu":
        wanted = np.dtype(np.float64)
    else:
        raise InputError(f"`{name}` has dtype {array.dtype}; pass float32 or float64")
    check_shape(InputError, name, array, shape)
    return contiguous(array, wanted)


def contiguous(array: npt.NDArray[Any], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """An array of this type in one piece, aligned and in the byte order of the machine."""
    # A signalling NaN is refused later, with its place.
    with np.errstate(invalid="ignore"):
        return np.require(array, dtype, ["C", "ALIGNED"])


def same_floats(
    arrays: dict[str, npt.ArrayLike], shape: tuple[int, ...], dtype: np.dtype[Any] | None = None
) -> list[npt.NDArray[Any]]:
    """As `floats`, all of one type: the widest, or this one, which must hold them exactly."""
    checked = [floats(name, values, shape) for name, values in arrays.items()]
    common = np.result_type(*checked) if dtype is None else dtype
    for name, array in zip(arrays, checked):
        if array.dtype.itemsize > common.itemsize:
            raise InputError(f"`{name}` is {array.dtype}, but everything else is {common}: convert it to that")
    return [contiguous(array, common) for array in checked]


def optional_indices(name: str, values: npt.ArrayLike | None, columns: int) -> npt.NDArray[np.uint32]:
    """As `indices`; None is an empty array."""
    return np.empty((0, columns), np.uint32) if values is None else indices(name, values, columns)


def indices(name: str, values: npt.ArrayLike, columns: int) -> npt.NDArray[np.uint32]:
    """An array of indices of shape (n, `columns`)."""
    array = plain(name, values, MeshError)
    if array.size == 0 and array.ndim <= 2 and array.shape[-1] in (0, columns):
        return np.empty((0, columns), np.uint32)
    if array.dtype.kind not in "iu":
        raise MeshError(f"`{name}` has dtype {array.dtype}; pass integers")
    check_shape(MeshError, name, array, (-1, columns))
    if array.dtype == np.uint32:
        return contiguous(array, np.uint32)
    low, high = array.min(), array.max()
    if low < 0 or high > np.iinfo(np.uint32).max:
        row = int(np.argmax(((array < 0) | (array > np.iinfo(np.uint32).max)).any(axis=1)))
        raise MeshError(f"row {row} of `{name}` is {array[row].tolist()}; indices count from 0")
    return contiguous(array, np.uint32)


def numbers(name: str, values: npt.ArrayLike | None, dtype: Any) -> npt.NDArray[Any]:
    """A one-dimensional array of integers or booleans that fit a type; None is an empty one."""
    if values is None:
        return np.empty(0, dtype)
    array = plain(name, values, MeshError)
    if array.size == 0 and array.ndim == 1:
        return np.empty(0, dtype)
    if array.dtype.kind not in ("b" if dtype is np.bool_ else "iu"):
        kind = "booleans" if dtype is np.bool_ else "integers"
        raise MeshError(f"`{name}` has dtype {array.dtype}; pass {kind}")
    check_shape(MeshError, name, array, (-1,))
    if dtype is not np.bool_ and (array.min() < 0 or array.max() > np.iinfo(dtype).max):
        raise MeshError(f"`{name}` has values from {array.min()} to {array.max()}; they must be in 0 to {np.iinfo(dtype).max}")
    return contiguous(array, dtype)


def check_shape(
    error: type[InputError] | type[MeshError], name: str, array: npt.NDArray[Any], shape: tuple[int, ...]
) -> None:
    """Raises unless an array has this shape; -1 is any length up to `MOST`."""
    fits = array.ndim == len(shape) and all(w in (-1, n) for n, w in zip(array.shape, shape))
    if not fits:
        wanted = ", ".join("n" if w == -1 else str(w) for w in shape) + ("," if len(shape) == 1 else "")
        raise error(f"`{name}` has shape {array.shape} instead of ({wanted})")
    if any(w == -1 and n > MOST for n, w in zip(array.shape, shape)):
        raise error(f"`{name}` has {max(array.shape)} rows, more than the limit of {MOST}; judge parts separately")


def coordinates(name: str, values: npt.ArrayLike, shape: tuple[int, ...]) -> npt.NDArray[np.float32]:
    """Places (m) as float32, finite and not beyond `FARTHEST`."""
    array = floats(name, values, shape)
    wrong = ~(np.abs(array) <= FARTHEST)
    if wrong.any():
        place = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise InputError(f"`{name}`[{', '.join(map(str, place))}] is {array[place]}; it must be within 1e7 m")
    return np.ascontiguousarray(array, dtype=np.float32)
