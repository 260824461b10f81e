"""Frames and the motions between them, judged exactly."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from . import _cloth
from ._arrays import floats, numbers
from ._check import KindCounts, as_outfit
from ._errors import InputError, MeshError
from ._frames import like_first, open_frames
from ._judge import Description, Faces, Mesh, as_mesh, intersections
from ._meshes import listed
from ._wearers import Wearer

if TYPE_CHECKING:
    from typing_extensions import Unpack

AUDIT = np.dtype(
    [
        ("frame", "i8"),
        ("intersections", "i8"),
        ("crossings", "i8"),
        ("first_time", "f8"),
        ("max_move", "f8"),
        ("cut", "?"),
    ]
)
"""A frame: its number from 0, its intersections (the witnesses of `intersections`, 0 if it is clean), the
collisions of the motion from the frame before (-1 where none is judged: for the first frame and after a cut),
when the earliest of them happens (a share of the motion; NaN if there is none), the longest way (m) of a
vertex (0 where no motion is judged), and whether the frame comes after a cut."""

KIND_COUNTS = np.dtype([(name, "i8") for name in KindCounts._fields])
"""Numbers of pairs by what they belong to, as `KindCounts`."""

BODY_AUDIT = np.dtype(
    [
        *((name, AUDIT[name]) for name in AUDIT.names or ()),
        ("clean", "?"),
        ("intersections_by_kind", KIND_COUNTS),
        ("crossings_by_kind", KIND_COUNTS),
        ("vertices_inside", "i8"),
        ("depth", "f8"),
        ("share_inside", "f8"),
    ]
)
"""A frame of garments with bodies. The fields of `AUDIT`, of what a garment is in; then whether the frame is
clean, as `CheckReport.clean`; the intersections (folds and doubled faces included) and the collisions by what
they belong to, bodies among themselves too (-1 where no motion is judged); the number of vertices inside of a
body, the depth (m) of the deepest point, and the share of the area that is inside."""


def audit(
    frames: npt.ArrayLike | Iterable[npt.ArrayLike] | str | os.PathLike[str],
    faces: Faces | None = None,
    *,
    bodies: Any = (),
    cuts: npt.ArrayLike = (),
    progress: bool | None = None,
    **description: Unpack[Description],
) -> npt.NDArray[Any]:
    """Judges every frame of an animation, and every motion from a frame to the next.

    Works on all threads (`threads`); Ctrl-C ends it within the time of a frame. An iterator is read a few
    frames at a time.

    Args:
        frames: (f, n, 3) positions (m), an iterable of (n, 3), or a file: PC2, MDD, NPY, NPZ with one array,
            an OBJ file that begins a sequence, a folder or a pattern (`run/shirt_*.obj`) of such files, or a stage
            of USD or a prim in it (`run.usda#/World/cloth`), which names its cuts itself.
        faces: (m, 3) integers, or a `Mesh`. A sequence of OBJ files and USD have their own.
        bodies: what wears the garment, in the forms of `check`; a body that moves is a tuple (frames, faces)
            with as many frames, in the forms of `frames`, or a folder or a pattern of OBJ files. `parts` then
            says of which garment each vertex is. Other descriptions of a mesh cannot be combined with bodies.
        cuts: (c,) integers from 1, frames that come after a cut: what is between such a frame and the one
            before is no motion of the cloth, and is not judged.
        progress: show a bar, if `tqdm` is installed; by default for files and arrays of at least 100 frames.
        **description: as for `Mesh`.

    Returns:
        (f,) records of `AUDIT`, or of `BODY_AUDIT` with bodies.

    Raises:
        InputError: a frame has another shape or a position that is not finite, a cut is at no frame, or a body
            has another number of frames; the text names the frame or the body.
        FileError: a file cannot be read or is damaged.
        MeshError: as `Mesh`, or cuts are not integers of at least 0.
    """
    source, count = open_frames("frames", frames)
    where = _cut_frames(cuts, count)
    if isinstance(source, _cloth.CacheFrames):
        where = where | set(source.cuts)
    if faces is None:
        faces = source.faces if isinstance(source, (_cloth.ObjFrames, _cloth.CacheFrames)) else None
        if faces is None:
            raise InputError("`faces` is missing: only a sequence of OBJ files and USD have their own")
    wearers = [Wearer(name, body, count) for name, body in listed("bodies", bodies)]
    table: list[tuple[Any, ...]] = []
    group_size = 4 * _cloth.thread_count()
    # Frames whose motions are not judged yet, after the end of the last motion that is.
    pending: list[npt.NDArray[Any]] = []
    with _Bar(progress, count) as bar:

        def judge_pending() -> None:
            """The motions to all frames that wait but the first, which is judged."""
            if len(pending) > 1:
                first = len(table)
                rows = judge.motions(pending, first - 1)
                table.extend((first + i, *row[:4], False, *row[4:]) for i, row in enumerate(rows))
                bar.update(len(rows))
                del pending[:-1]

        for number, frame in enumerate(source):
            if number == 0:
                like = array = floats("frame 0", frame, (-1, 3))
                judge = _judge(faces, len(array), wearers, description)
            else:
                array = like_first(f"frame {number}", frame, like)
            if wearers:
                array = np.concatenate([array, *(wearer.frame(number) for wearer in wearers)])
            if number == 0 or number in where:
                judge_pending()
                row = judge.state(number, array)
                table.append((number, *row[:4], number > 0, *row[4:]))
                bar.update(1)
                pending[:] = [array]
                continue
            pending.append(array)
            if len(pending) > group_size:
                judge_pending()
        judge_pending()
    _cut_frames(list(where), len(table))
    for wearer in wearers:
        wearer.check_end(len(table))
    return np.array(table, BODY_AUDIT if wearers else AUDIT)


class _Judge(Protocol):
    """Judges frames; a row has the fields of the records but `frame` and `cut`."""

    def state(self, number: int, frame: npt.NDArray[Any]) -> tuple[Any, ...]:
        """A frame that no motion leads to."""

    def motions(self, frames: list[npt.NDArray[Any]], first: int) -> list[tuple[Any, ...]]:
        """All frames but the first, of this number, and the motions to them."""


class _MeshJudge:
    def __init__(self, mesh: Mesh) -> None:
        self._mesh = mesh

    def state(self, number: int, frame: npt.NDArray[Any]) -> tuple[Any, ...]:
        try:
            return len(intersections(frame, self._mesh)), -1, np.nan, 0.0
        except InputError as error:
            raise InputError(f"frame {number}: {error}") from None

    def motions(self, frames: list[npt.NDArray[Any]], first: int) -> list[tuple[Any, ...]]:
        return list(_cloth.audit_motions(self._mesh._native, frames, first))


class _OutfitJudge:
    def __init__(self, outfit: _cloth.Outfit) -> None:
        self._outfit = outfit

    def state(self, number: int, frame: npt.NDArray[Any]) -> tuple[Any, ...]:
        try:
            state = _cloth.check_outfit(self._outfit, frame)["row"]
        except InputError as error:
            raise InputError(f"frame {number}: {error}") from None
        return self._row(state, ((-1,) * 5, np.nan, 0.0))

    def motions(self, frames: list[npt.NDArray[Any]], first: int) -> list[tuple[Any, ...]]:
        return [self._row(*row) for row in _cloth.audit_outfit(self._outfit, frames, first)]

    @staticmethod
    def _row(state: Any, motion: Any) -> tuple[Any, ...]:
        (clean, found, *inside), (crossings, first_time, max_move) = state, motion
        found, crossings = KindCounts(*found), KindCounts(*crossings)
        judged = (found.with_cloth, max(-1, crossings.with_cloth), first_time, max_move)
        return (*judged, clean, found, crossings, *inside)


def _judge(faces: Faces, vertex_count: int, wearers: list[Wearer], description: Description) -> _Judge:
    """The judge of frames of a garment with so many vertices, and of its wearers."""
    mesh = as_mesh(faces, vertex_count, description)
    if not wearers:
        return _MeshJudge(mesh)
    if mesh._others:
        raise MeshError(f"`{mesh._others[0]}` cannot be combined with `bodies`: leave it out")
    parts = mesh._parts if len(mesh._parts) else np.zeros(mesh.vertex_count, np.uint16)
    garments = int(parts.max(initial=0)) + 1
    return _OutfitJudge(as_outfit(mesh.faces, parts, garments, [(wearer.vertex_count, wearer.faces) for wearer in wearers]))


def _cut_frames(cuts: npt.ArrayLike, count: int | None) -> set[int]:
    """Frames after a cut: there is one before each, and they are below a count, where it is known."""
    where = numbers("cuts", cuts, np.uint32).tolist()
    for k in where:
        if k == 0 or (count is not None and k >= count):
            known = "" if count is None else f", and there are {count}"
            raise InputError(f"`cuts` has frame {k}: a cut has the number of the frame after it, from 1{known}")
    return set(where)


class _Bar:
    """A bar of `tqdm`, where it is installed."""

    def __init__(self, wanted: bool | None, count: int | None) -> None:
        self._bar: Any = None
        if wanted or (wanted is None and count is not None and count >= 100):
            try:
                from tqdm import tqdm
            except ImportError:
                return
            self._bar = tqdm(total=count, unit=" frames", desc="audit")

    def update(self, count: int) -> None:
        if self._bar is not None:
            self._bar.update(count)

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
