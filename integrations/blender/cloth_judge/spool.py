# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays of many frames in a temporary file."""

from __future__ import annotations

import tempfile
import threading
from typing import Any

import numpy as np


class Frames:
    """Arrays by frame; one that equals that of the frame before is kept once."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()
        self._lock = threading.Lock()
        self._places: list[tuple[int, Any, tuple[int, ...]]] = []
        self._last: Any = None

    def push(self, array: Any) -> None:
        """Appends the array of the next frame."""
        if self._last is not None and np.array_equal(array, self._last):
            self._places.append(self._places[-1])
            return
        with self._lock:
            place = self._file.seek(0, 2)
            self._file.write(np.ascontiguousarray(array).data)
        self._places.append((place, array.dtype, array.shape))
        self._last = array

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, frame: int) -> Any:
        place, kind, shape = self._places[frame]
        with self._lock:
            self._file.seek(place)
            data = self._file.read(int(np.prod(shape)) * kind.itemsize)
        return np.frombuffer(data, kind).reshape(shape)

    def moves(self, frame: int) -> bool:
        """Whether the array of a frame is another one than that of the frame before."""
        return frame == 0 or self._places[frame] != self._places[frame - 1]
