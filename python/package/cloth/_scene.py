"""Descriptions of scenes as text for the native half."""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ._arrays import MOST, plain
from ._errors import InputError


def to_json(name: str, value: Any) -> str:
    """A description as JSON. Infinity is null, which stands for it there.

    Raises:
        InputError: something in it is not a number, text, list or table, or is NaN; the text names the place.
    """
    return json.dumps(_plain(name, value), allow_nan=False)


def to_toml(scene: Mapping[str, Any]) -> str:
    """A scene as the text of a scene file.

    Raises:
        InputError: as `to_json`; infinity and None have no form in a scene file.
    """
    return "".join(f"{_key(key)} = {_inline(str(key), value)}\n" for key, value in scene.items())


@contextmanager
def suggestions() -> Iterator[None]:
    """Adds the nearest known name to an error about an unknown one."""
    try:
        yield
    except InputError as error:
        raise InputError(_suggest(str(error))) from None


def _suggest(text: str) -> str:
    found = re.fullmatch(r"(.*)unknown (field|variant) `(.*?)`, expected (?:one of )?(.*)", text, re.DOTALL)
    if found is None:
        return text
    place, kind, name, rest = found.groups()
    known = re.findall(r"`(.*?)`", rest)
    near = difflib.get_close_matches(name, known, 1)
    hint = f"did you mean `{near[0]}`?" if near else f"known are {', '.join(f'`{k}`' for k in known)}"
    return f"{place}unknown {'key' if kind == 'field' else 'word'} `{name}`; {hint}"


def _plain(name: str, value: Any) -> Any:
    """A value in the types of JSON."""
    if isinstance(value, np.ndarray):
        if value.size > MOST:
            raise InputError(f"`{name}` has {value.size} numbers, more than the limit of {MOST}")
        value = plain(name, value).tolist()
    elif isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        if math.isnan(value) or value == -math.inf:
            raise InputError(f"`{name}` is {value}; pass a number")
        return None if value == math.inf else value
    if isinstance(value, Mapping):
        return {str(key): _plain(f"{name}.{key}", item) for key, item in value.items()}
    if isinstance(value, (Sequence, set, frozenset, range)):
        return [_plain(f"{name}[{i}]", item) for i, item in enumerate(value)]
    raise InputError(f"`{name}` is a {type(value).__name__}; pass numbers, texts, lists or dicts")


def _inline(name: str, value: Any) -> str:
    """A value in the form of TOML."""
    value = _plain(name, value)
    if value is None:
        raise InputError(f"`{name}` is None or infinite; leave it out")
    if isinstance(value, dict):
        pairs = (f"{_key(key)} = {_inline(f'{name}.{key}', item)}" for key, item in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_inline(f"{name}[{i}]", item) for i, item in enumerate(value)) + "]"
    # Texts of JSON are texts of TOML, but for one character.
    return json.dumps(value).replace("\x7f", "\\u007f")


def _key(key: Any) -> str:
    return json.dumps(str(key)).replace("\x7f", "\\u007f")


