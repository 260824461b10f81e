"""What the tests gather for the table at the end of `test`."""

from __future__ import annotations

import collections
import dataclasses

POSITIVE: dict[str, set[str]] = collections.defaultdict(set)
"""Files that passed, by check."""


@dataclasses.dataclass
class Control:
    """A spoiled file."""

    check: str
    what: str
    found_by: list[str]
    alone: bool
    """Whether OpenUSD's validators, or its parser, find it."""


CONTROLS: list[Control] = []
READ: dict[str, list[float]] = collections.defaultdict(list)
"""Largest differences of states that were read, relative to their size, by kind of stage."""
REFUSED: dict[str, str] = {}
"""Messages, by what they refuse."""
FUZZED: list[tuple[int, int, int]] = []
"""Damaged texts that both read, that only the project reads, that only OpenUSD reads."""
SIZES: list[tuple[str, int, int]] = []
"""A run, bytes of its `.usda`, bytes of its `.pc2` files together."""
FIGURES: list[str] = []
"""Other lines."""


def lines() -> list[str]:
    """The table as text."""
    found = []
    if CONTROLS:
        found.append(f"{'check':<11} {'passed':>6}  control (found by the validators alone)")
        for check in dict.fromkeys(control.check for control in CONTROLS):
            own = [control for control in CONTROLS if control.check == check]
            files = str(len(POSITIVE[check]))
            for i, control in enumerate(own):
                head = f"{check:<11} {files:>6}" if i == 0 else " " * 18
                found.append(f"{head}  {control.what} ({'yes' if control.alone else 'no'})")
        alone = sum(control.alone for control in CONTROLS)
        found.append(f"{len(CONTROLS)} controls, all found by the check; {alone} by the validators alone")
    for kind, differences in READ.items():
        found.append(f"read, {kind}: {len(differences)} stages, difference {max(differences):.1e} of the size")
    if FUZZED:
        both, ours, theirs = (sum(numbers) for numbers in zip(*FUZZED, strict=True))
        found.append(f"damaged texts: {both} read alike, {ours} read by the project alone, {theirs} by OpenUSD alone")
    found += [f"refused, {name}: {message}" for name, message in REFUSED.items()]
    for name, usda, pc2 in SIZES:
        found.append(f"{name}: {usda:,} bytes of usda, {pc2:,} of pc2, {usda / pc2:.2f} times")
    return found + FIGURES
