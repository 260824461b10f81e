"""The threads on which the package works."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from . import _cloth


def thread_count() -> int:
    """The number of threads: one a core, or `RAYON_NUM_THREADS`, until it is set."""
    return _cloth.thread_count()


def set_thread_count(count: int) -> None:
    """Sets the number of threads of this process; 0: one a core. No result depends on it.

    Raises:
        ValueError: a negative number.
    """
    if count < 0:
        raise ValueError(f"`count` is {count}; it must be at least 0")
    _cloth.set_thread_count(count)


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Sets the number of threads while a block runs: `with cloth.threads(1): ...`."""
    before = thread_count()
    set_thread_count(count)
    try:
        yield
    finally:
        set_thread_count(before)
