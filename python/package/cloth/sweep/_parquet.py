"""Manifests as tables of Parquet."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ._drive import PathLike, extra


def to_parquet(manifest: PathLike, out: PathLike) -> int:
    """Writes the rows of a manifest as a table with nested columns, and returns their number.

    Values of one key that are of several types (a parameter that is a number in one run, a word in another)
    become their JSON text. The rows are in memory at a time. Needs `pyarrow`.

    Raises:
        ClothError: `pyarrow` is missing.
        OSError: a file cannot be read or written.
    """
    arrow, parquet = extra("pyarrow"), extra("pyarrow.parquet")
    with open(manifest, encoding="utf-8") as file:
        table = [json.loads(line) for line in file]
    keys = _keys(table)
    columns = [_column(arrow, [row.get(key) for row in table]) for key in keys]
    parquet.write_table(arrow.table(columns, names=keys), out)
    return len(table)


def _keys(values: Sequence[Any]) -> list[str]:
    return list(dict.fromkeys(key for value in values if value is not None for key in value))


def _column(arrow: Any, values: Sequence[Any]) -> Any:
    known = [value for value in values if value is not None]
    if known and all(isinstance(value, dict) and value for value in known):
        keys = _keys(known)
        columns = [_column(arrow, [value and value.get(key) for value in values]) for key in keys]
        absent = arrow.array([value is None for value in values])
        return arrow.StructArray.from_arrays(columns, keys, mask=absent)
    try:
        array = arrow.array(values)
        # Parquet has no structures without fields.
        if "struct<>" not in str(array.type):
            return array
    except (arrow.ArrowException, OverflowError):
        pass
    return arrow.array([None if value is None else json.dumps(value) for value in values])
