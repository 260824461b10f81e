"""Resolving intersections."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from . import _cloth
from ._arrays import floats, indices
from ._check import KindCounts
from ._errors import InputError


class Contour(NamedTuple):
    """A connected intersection that remains."""

    intersections: int
    """Number of edges and faces that meet on it."""
    length: float
    """Its length (m), rounded."""
    center: tuple[float, float, float]
    """The mean of its places (m)."""
    with_body: bool
    """Whether one side of it is a body."""


class EdgeStrain(NamedTuple):
    """Change of length of the edges, relative to their length at rest: 0.01 is 1 %."""

    p99: float
    """99th percentile."""
    max: float
    """The largest."""


class UntangleAttempt(NamedTuple):
    """An attempt with one thickness."""

    thickness: float
    """The distance (m) that parts of the cloth kept."""
    steps: int
    """Its steps."""


@dataclass(frozen=True, eq=False)
class _Result:
    before: int
    """Intersections of the positions as given."""
    after: int
    """Intersections of `positions`."""
    before_by_kind: KindCounts
    """`before` by kind; those of bodies with themselves and each other are not counted."""
    after_by_kind: KindCounts
    """`after` by kind."""
    steps: int
    """Steps that were taken, of all attempts."""
    best_step: int | None
    """After which of them `positions` was reached; None for the positions as given."""
    thickness: float | None
    """The distance (m) that parts of the cloth kept then; None for the positions as given."""
    attempts: list[UntangleAttempt]
    """The attempts that were begun; none for a clean input."""
    before_strain: EdgeStrain
    """The strain of the positions as given."""
    after_strain: EdgeStrain
    """The strain of `positions`."""
    contours: list[Contour]
    """What remains, the longest first."""


@dataclass(frozen=True, eq=False)
class Untangled(_Result):
    """The result of `untangle`."""

    positions: npt.NDArray[np.float64]
    """(n, 3) positions (m) with the fewest intersections: those given, in every bit, if none has fewer."""


class LayerSides(NamedTuple):
    """Where two garments of an order lay at the start: vertices of each that are near the other and face the same
    way."""

    inner: str
    """The garment that is to be inside."""
    outer: str
    """The garment that is to be outside."""
    right: int
    """Vertices on the side where their garment belongs."""
    wrong: int
    """Vertices on the other side."""
    is_reversed: bool
    """Whether two thirds are on the wrong side: the order is reversed, or the faces point inward."""


@dataclass(frozen=True, eq=False)
class UntangledOutfit(_Result):
    """The result of `untangle_outfit`."""

    positions: dict[str, npt.NDArray[np.float64]]
    """By garment, (n, 3) positions (m) with the fewest intersections of all: those given, in every bit, if none has
    fewer."""
    layer_sides: list[LayerSides]
    """Where garments of `layers` lay at the start; none for a clean input."""


def untangle(
    x: npt.ArrayLike,
    faces: npt.ArrayLike,
    *,
    rest: npt.ArrayLike | None = None,
    bodies: Sequence[tuple[npt.ArrayLike, npt.ArrayLike]] = (),
    seconds: float = 3.0,
    thickness: float | None = None,
    gate: bool = True,
    on_step: Callable[[int, int, int], bool | None] | None = None,
) -> Untangled:
    """Works a mesh free of intersections, with itself and with bodies, and says what remains.

    A heuristic, judged exactly after every step: the result never has more intersections than the input, and
    a clean input is returned as it is. It does not know which side of a part was meant to be outside. Ctrl-C
    ends it at once, also in the midst of a step; the exception has the best state so far:

        try:
            found = cloth.untangle(x, faces)
        except KeyboardInterrupt as stopped:
            found = stopped.untangled  # not there before the start was judged

    Args:
        x: (n, 3) positions (m).
        faces: (m, 3) integers.
        rest: (n, 3) positions (m) whose edge lengths the cloth keeps as far as it can; `x` by default.
        bodies: meshes (positions, faces) that the cloth is to leave and that stay where they are.
        seconds: most simulated time (s), in steps of 1/60 s, of all attempts together.
        thickness: the distance (m) that parts of the cloth keep. None begins with what fits the mesh; where 30
            steps find nothing better, a quarter of that is tried, then a sixteenth; then, again from `x`,
            sixteen times it and a quarter.
        gate: whether the motion of what does not intersect is certified, so that nothing new forms there.
        on_step: called with the step, its intersections and the fewest so far; True ends the work.

    Raises:
        InputError: a position is not finite, an index is out of range, or the mesh cannot be simulated.
    """

    def result(said: dict[str, Any]) -> Untangled:
        del said["layer_sides"]
        return Untangled(**{**said, "positions": said["positions"][0]})

    garment = _garment("", (x, faces) if rest is None else (x, faces, rest), None)
    return _run([garment], result, bodies, seconds, thickness, gate, on_step)


def untangle_outfit(
    garments: Mapping[str, tuple[npt.ArrayLike, ...]],
    *,
    layers: Sequence[str] = (),
    bodies: Sequence[tuple[npt.ArrayLike, npt.ArrayLike]] = (),
    seconds: float = 3.0,
    thickness: float | None = None,
    gate: bool = True,
    on_step: Callable[[int, int, int], bool | None] | None = None,
) -> UntangledOutfit:
    """Works several garments free of intersections, with themselves, each other and bodies.

    As `untangle` in all else.

    Args:
        garments: by name (positions, faces) or (positions, faces, rest positions) in one unit.
        layers: names of garments from inside to outside; their faces have to point outward. Of two named
            garments, each is brought to its side of the other.

    Raises:
        InputError: as for `untangle`; or a layer is no garment, is named twice, or is the only one.
    """
    for name in layers:
        if name not in garments:
            raise InputError(f"`layers` has {name!r}, which is none of {', '.join(map(repr, garments))}")
    if len(set(layers)) < len(layers):
        raise InputError("`layers` names a garment twice")
    if len(layers) == 1:
        raise InputError("`layers` has one garment; an order needs two or more")
    layer_of = {name: layer for layer, name in enumerate(layers)}
    names = list(garments)

    def result(said: dict[str, Any]) -> UntangledOutfit:
        sides = [LayerSides(names[inner], names[outer], *more) for inner, outer, *more in said["layer_sides"]]
        positions = dict(zip(names, said["positions"]))
        return UntangledOutfit(**{**said, "positions": positions, "layer_sides": sides})

    meshes = [_garment(f"garments[{name!r}]", mesh, layer_of.get(name)) for name, mesh in garments.items()]
    return _run(meshes, result, bodies, seconds, thickness, gate, on_step)


_Garment = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.uint32], "int | None"]
_R = TypeVar("_R")


def _garment(of: str, mesh: tuple[npt.ArrayLike, ...], layer: int | None) -> _Garment:
    """What the native half takes; errors name what is wrong of this garment."""
    if len(mesh) not in (2, 3):
        raise InputError(f"`{of}` has {len(mesh)} parts; pass (positions, faces) or (positions, faces, rest)")
    names = [f"{of}[{i}]" for i in range(3)] if of else ["x", "faces", "rest"]
    x = floats(names[0], mesh[0], (-1, 3)).astype(np.float64, copy=False)
    rest = floats(names[2], mesh[2], (len(x), 3)).astype(np.float64, copy=False) if len(mesh) == 3 else x
    if not np.isfinite(rest).all():
        raise InputError(f"`{names[2] if len(mesh) == 3 else names[0]}` has numbers that are not finite")
    return x, rest, indices(names[1], mesh[1], 3), layer


def _run(
    garments: list[_Garment],
    result: Callable[[dict[str, Any]], _R],
    bodies: Sequence[tuple[npt.ArrayLike, npt.ArrayLike]],
    seconds: float,
    thickness: float | None,
    gate: bool,
    on_step: Callable[[int, int, int], bool | None] | None,
) -> _R:
    meshes = [
        (floats(f"bodies[{i}][0]", p, (-1, 3)).astype(np.float64, copy=False), indices(f"bodies[{i}][1]", f, 3))
        for i, (p, f) in enumerate(bodies)
    ]

    def named(said: dict[str, Any]) -> _R:
        kinds = {name: KindCounts(*said[name]) for name in ("before_by_kind", "after_by_kind")}
        strains = {name: EdgeStrain(*said[name]) for name in ("before_strain", "after_strain")}
        attempts = [UntangleAttempt(*attempt) for attempt in said["attempts"]]
        contours = [Contour(*contour) for contour in said["contours"]]
        return result({**said, **kinds, **strains, "attempts": attempts, "contours": contours})

    try:
        return named(_cloth.untangle(garments, meshes, float(seconds), thickness, gate, on_step))
    except BaseException as stopped:
        said = getattr(stopped, "untangled", None)
        if isinstance(said, dict):
            stopped.untangled = named(said)  # type: ignore[attr-defined]
        raise
