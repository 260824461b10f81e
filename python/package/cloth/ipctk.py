"""Functions and classes of ipctk (IPC Toolkit) that judge meshes, with its signatures and exact verdicts.

`from cloth import ipctk` serves programs that ask ipctk whether a mesh intersects itself, whether a step is
free of collisions, and how far it may go. Verdicts are those of `cloth`: exact for float64 positions, and a
touch counts. They differ from ipctk's in this:

* `has_intersections` also counts flat folds, faces on others and lone points on faces.
* A step is as long as `cloth.max_step` has it. ipctk keeps a part of the distance at the start.
* Broad phases all find the same, and tolerances and numbers of iterations are ignored: nothing iterates. A
  class of the caller's own, derived from `BroadPhase` or `NarrowPhaseCCD`, is used, in Python.
* Lone points are judged against faces, not against edges and each other.

Meshes in two dimensions have filters, maps and candidates; judging them raises `cloth.InputError`. Barriers,
potentials, friction and curved motions are not here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ._arrays import plain
from ._errors import InputError
from ._judge import Mesh, crossings, intersections, is_clean, is_motion_clean, max_step
from ._queries import broad_phase as overlapping
from ._queries import ccd
from ._records import IntersectionKind, PairKind
from ._threads import set_thread_count, thread_count

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]

# ---- Filters: which vertices collide.


class CollisionFilter:
    """Whether two vertices collide: a callable (int, int) -> bool; everything does without one."""

    def __init__(self, fn: Callable[[int, int], bool] | None = None) -> None:
        self._fn = fn

    def __call__(self, vi: int, vj: int) -> bool:
        return self._fn is None or bool(self._fn(vi, vj))

    def __or__(self, other: CollisionFilter) -> CollisionFilter:
        return CollisionFilter(lambda i, j: self(i, j) or other(i, j))

    def __and__(self, other: CollisionFilter) -> CollisionFilter:
        return CollisionFilter(lambda i, j: self(i, j) and other(i, j))

    def __invert__(self) -> CollisionFilter:
        return CollisionFilter(lambda i, j: not self(i, j))

    @property
    def accepts_all(self) -> bool:
        """Whether it has no callable."""
        return self._fn is None

    def accepts(self, first: Iterable[int], second: Iterable[int]) -> bool:
        """Whether two primitives collide: any vertex of one with any of the other."""
        others = list(second)
        return self._fn is None or any(self(int(i), int(j)) for i in first for j in others)


def make_sparse_filter(
    explicit_values: Mapping[tuple[int, int], bool], default_value: bool
) -> CollisionFilter:
    """The values of pairs (i, j), i < j; the default for all others."""
    values = dict(explicit_values)
    return CollisionFilter(lambda i, j: values.get((min(i, j), max(i, j)), default_value))


def make_vertex_patches_filter(patch_ids: npt.ArrayLike) -> CollisionFilter:
    """Vertices of different patches collide. `patch_ids`: (n,) integers."""
    patches = np.asarray(patch_ids).tolist()
    return CollisionFilter(lambda i, j: bool(patches[i] != patches[j]))


def make_static_obstacle_filter(n_dynamic: int) -> CollisionFilter:
    """Two vertices from `n_dynamic` on do not collide."""
    return CollisionFilter(lambda i, j: i < n_dynamic or j < n_dynamic)


def make_connected_components_filter(faces: npt.ArrayLike) -> CollisionFilter:
    """Vertices that faces connect do not collide. `faces`: (m, 3) integers."""
    root: dict[int, int] = {}

    def find(v: int) -> int:
        while root.setdefault(v, v) != v:
            root[v] = v = root[root[v]]
        return v

    for a, b, c in np.asarray(faces).tolist():
        root[find(b)] = root[find(c)] = find(a)
    return CollisionFilter(lambda i, j: find(i) != find(j))


# ---- The mesh.


def edges(F: npt.ArrayLike) -> Indices:
    """The edges of faces (m, 3), each once: (e, 2) int32, the smaller vertex first, sorted."""
    f = np.asarray(F, np.int32).reshape(-1, 3)
    both = np.sort(f[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    return np.unique(both, axis=0)


class CollisionMesh:
    """What collides: faces with their edges, edges without faces, lone points.

    Args:
        rest_positions: (n, 3) or (n, 2) positions (m).
        edges: (e, 2) integers; those of all faces must be among them.
        faces: (m, 3) integers.
        displacement_map: (n, k) matrix, dense or of scipy.sparse, from displacements of the vertices of a
            full mesh to those of this one; the identity without.

    Raises:
        RuntimeError: an edge of a face is missing.
        cloth.MeshError: as `cloth.Mesh`.
    """

    def __init__(
        self,
        rest_positions: npt.ArrayLike,
        edges: npt.ArrayLike = (),
        faces: npt.ArrayLike = (),
        displacement_map: Any = None,
    ) -> None:
        self.rest_positions: Floats = np.array(rest_positions, np.float64)
        if self.rest_positions.ndim != 2 or self.rest_positions.shape[1] not in (2, 3):
            raise InputError(
                f"`rest_positions` has shape {self.rest_positions.shape}; (n, 3) or (n, 2) is needed"
            )
        self.edges: Indices = np.array(edges, np.int32).reshape(-1, 2)
        self.faces: Indices = np.array(faces, np.int32).reshape(-1, 3)
        self.faces_to_edges = self.construct_faces_to_edges(self.faces, self.edges)
        """(m, 3) int32: the edges of a face, from corner to corner."""
        self._map = displacement_map
        self._full_ids = np.arange(self.num_vertices)
        self._full_count = self.num_vertices if displacement_map is None else int(displacement_map.shape[1])
        self._can_collide = CollisionFilter()
        self._mesh = Mesh(self.num_vertices, self.faces, edges=self.edges)

    @classmethod
    def build_from_full_mesh(
        cls, full_rest_positions: npt.ArrayLike, edges: npt.ArrayLike, faces: npt.ArrayLike = ()
    ) -> CollisionMesh:
        """The mesh of the vertices that an edge or a face has, of those of a full mesh."""
        positions = np.asarray(full_rest_positions, np.float64)
        parts = [np.array(edges, np.int32).reshape(-1, 2), np.array(faces, np.int32).reshape(-1, 3)]
        used = np.unique(np.concatenate([part.ravel() for part in parts]))
        place = np.full(len(positions), -1, np.int32)
        place[used] = np.arange(len(used))
        mesh = cls(positions[used], *(place[part] for part in parts))
        mesh._full_ids, mesh._full_count = used, len(positions)
        return mesh

    @staticmethod
    def construct_faces_to_edges(faces: npt.ArrayLike, edges: npt.ArrayLike) -> Indices:
        """(m, 3) int32: for each face the rows of its edges, from corner to corner.

        Raises:
            RuntimeError: there is no such edge.
        """
        row = {(min(edge), max(edge)): k for k, edge in enumerate(np.asarray(edges).reshape(-1, 2).tolist())}
        f = np.asarray(faces).reshape(-1, 3)
        pairs = np.sort(f[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1).tolist()
        try:
            return np.array([row[v, w] for v, w in pairs], np.int32).reshape(-1, 3)
        except KeyError:
            raise RuntimeError("Unable to find edge!") from None

    @property
    def can_collide(self) -> CollisionFilter:
        """Which vertices collide; primitives do if any two of their vertices do. Takes a callable, too."""
        return self._can_collide

    @can_collide.setter
    def can_collide(self, can_collide: CollisionFilter | Callable[[int, int], bool]) -> None:
        if not callable(can_collide):
            raise ValueError("`can_collide` must be a CollisionFilter or a callable (int, int) -> bool")
        given = can_collide
        self._can_collide = given if isinstance(given, CollisionFilter) else CollisionFilter(given)

    @property
    def num_vertices(self) -> int:
        """Number of vertices."""
        return len(self.rest_positions)

    @property
    def num_edges(self) -> int:
        """Number of edges."""
        return len(self.edges)

    @property
    def num_faces(self) -> int:
        """Number of faces."""
        return len(self.faces)

    @property
    def dim(self) -> int:
        """2 or 3."""
        return int(self.rest_positions.shape[1])

    @property
    def ndof(self) -> int:
        """Number of coordinates."""
        return self.rest_positions.size

    @property
    def full_num_vertices(self) -> int:
        """Number of vertices of the full mesh."""
        return self._full_count

    @property
    def full_ndof(self) -> int:
        """Number of coordinates of the full mesh."""
        return self._full_count * self.dim

    @property
    def codim_vertices(self) -> Indices:
        """Vertices without edges."""
        return np.setdiff1d(np.arange(self.num_vertices, dtype=np.int32), self.edges)

    @property
    def codim_edges(self) -> Indices:
        """Rows of edges without faces."""
        return np.setdiff1d(np.arange(self.num_edges, dtype=np.int32), self.faces_to_edges)

    def to_full_vertex_id(self, id: int | None = None) -> Any:
        """The vertex of the full mesh that a vertex is; (n,) for all without one."""
        return self._full_ids if id is None else int(self._full_ids[id])

    def vertices(self, full_positions: npt.ArrayLike) -> Floats:
        """Positions (n, dim) of the vertices, from those of the full mesh."""
        x = np.asarray(full_positions, np.float64)
        return x[self._full_ids] if self._map is None else self.displace_vertices(x - self.rest_positions)

    def map_displacements(self, full_displacements: npt.ArrayLike) -> Floats:
        """Displacements (n, dim) of the vertices, from those of the full mesh."""
        u = np.asarray(full_displacements, np.float64)
        return u[self._full_ids] if self._map is None else np.asarray(self._map @ u)

    def displace_vertices(self, full_displacements: npt.ArrayLike) -> Floats:
        """Positions (n, dim) of the vertices: at rest, and displaced as the full mesh is."""
        return self.rest_positions + self.map_displacements(full_displacements)

    def to_full_dof(self, x: Any) -> Any:
        """Takes a gradient (n * dim,), or a Hessian that is a matrix of scipy.sparse, to the full mesh."""
        from scipy import sparse  # type: ignore[import-untyped]

        if self._map is None:
            ones, rows = np.ones(self.num_vertices), np.arange(self.num_vertices)
            shape = (self.num_vertices, self._full_count)
            by_vertex = sparse.csr_matrix((ones, (rows, self._full_ids)), shape=shape)
        else:
            by_vertex = sparse.csr_matrix(self._map)
        by_dof = sparse.kron(by_vertex, sparse.identity(self.dim), format="csr")
        return by_dof.T @ x if getattr(x, "ndim", 1) == 1 else by_dof.T @ x @ by_dof

    def _positions(self, name: str, x: npt.ArrayLike) -> Floats:
        """Positions to judge."""
        positions = np.asarray(plain(name, x), np.float64)
        if self.dim != 3 or positions.shape != (self.num_vertices, 3):
            raise InputError(
                f"`{name}` has shape {positions.shape}, the mesh {self.num_vertices} vertices in {self.dim} "
                f"dimensions; cloth judges (n, 3) positions of meshes in 3 dimensions"
            )
        return positions


# ---- Candidates: pairs that may collide, by their rows.


@dataclass(order=True)
class VertexVertexCandidate:
    """Two vertices."""

    vertex0_id: int
    vertex1_id: int


@dataclass(order=True)
class EdgeVertexCandidate:
    """An edge and a vertex."""

    edge_id: int
    vertex_id: int


@dataclass(order=True)
class EdgeEdgeCandidate:
    """Two edges."""

    edge0_id: int
    edge1_id: int


@dataclass(order=True)
class EdgeFaceCandidate:
    """An edge and a face."""

    edge_id: int
    face_id: int


@dataclass(order=True)
class FaceVertexCandidate:
    """A face and a vertex."""

    face_id: int
    vertex_id: int


@dataclass(order=True)
class FaceFaceCandidate:
    """Two faces."""

    face0_id: int
    face1_id: int


class BroadPhase:
    """Base of broad phases of the caller's own, which override `detect_...`: methods that return lists of
    candidates, or of tuples of two rows."""

    def __init__(self) -> None:
        self.can_vertices_collide = CollisionFilter()
        self._primitives: dict[str, npt.NDArray[Any]] = {}
        self._boxes: dict[str, Floats] = {}

    def name(self) -> str:
        """The name of the class."""
        return type(self).__name__

    def build(self, *args: Any, **kwargs: Any) -> None:
        """`build(vertices, edges, faces, inflation_radius=0)` for a state, `build(vertices_t0, vertices_t1,
        edges, faces, inflation_radius=0)` for a motion; the radius (m) is added on all sides."""
        names = ["edges", "faces", "inflation_radius"]
        is_motion = "vertices_t0" in kwargs or len(args) > 3 and np.ndim(args[3]) > 0
        names = (["vertices_t0", "vertices_t1"] if is_motion else ["vertices"]) + names
        given = {"inflation_radius": 0.0, **dict(zip(names, args)), **kwargs}
        states = [np.asarray(given[name], np.float64) for name in names[:-3]]
        padded = [np.pad(x, ((0, 0), (0, 3 - x.shape[1]))) for x in states]
        radius = float(given["inflation_radius"])
        points = np.arange(len(states[0]))[:, None]
        self._primitives = {
            "vertex": points,
            "edge": np.asarray(given["edges"], np.int64).reshape(-1, 2),
            "face": np.asarray(given["faces"], np.int64).reshape(-1, 3),
        }
        self._boxes = {}
        for kind, rows in self._primitives.items():
            corners = np.concatenate([x[rows] for x in padded], axis=1)
            low, high = corners.min(axis=1), corners.max(axis=1)
            if radius > 0.0:  # rounded outward
                low, high = np.nextafter(low - radius, -np.inf), np.nextafter(high + radius, np.inf)
            self._boxes[kind] = np.stack([low, high], axis=1)

    def clear(self) -> None:
        """Forgets what was built."""
        self._primitives, self._boxes = {}, {}

    def _detect(self, first: str, second: str) -> list[tuple[int, int]]:
        """Pairs whose boxes overlap, that share no vertex, and that may collide."""
        if not len(self._boxes.get(first, ())) or not len(self._boxes.get(second, ())):
            return []
        a, b, split = self._primitives[first], self._primitives[second], len(self._primitives[first])
        if first == second:
            pairs = overlapping(self._boxes[first]).astype(np.int64)
        else:
            both = overlapping(np.concatenate([self._boxes[first], self._boxes[second]])).astype(np.int64)
            pairs = both[(both[:, 0] < split) & (both[:, 1] >= split)] - np.array([0, split])
        one, other = a[pairs[:, 0]], b[pairs[:, 1]]
        pairs = pairs[~(one[:, :, None] == other[:, None, :]).any(axis=(1, 2))]
        can = self.can_vertices_collide
        if not can.accepts_all:
            pairs = pairs[np.array([can.accepts(a[i], b[k]) for i, k in pairs], np.bool_)]
        return [(int(i), int(k)) for i, k in pairs]

    def detect_vertex_vertex_candidates(self) -> list[Any]:
        """Pairs of vertices."""
        raise NotImplementedError

    def detect_edge_vertex_candidates(self) -> list[Any]:
        """Edges and vertices."""
        raise NotImplementedError

    def detect_edge_edge_candidates(self) -> list[Any]:
        """Pairs of edges."""
        raise NotImplementedError

    def detect_face_vertex_candidates(self) -> list[Any]:
        """Faces and vertices."""
        raise NotImplementedError

    def detect_edge_face_candidates(self) -> list[Any]:
        """Edges and faces."""
        raise NotImplementedError

    def detect_face_face_candidates(self) -> list[Any]:
        """Pairs of faces."""
        raise NotImplementedError


class _BoxOverlap(BroadPhase):
    """The broad phase of this package, under the names of ipctk's."""

    def detect_vertex_vertex_candidates(self) -> list[Any]:
        return [VertexVertexCandidate(*pair) for pair in self._detect("vertex", "vertex")]

    def detect_edge_vertex_candidates(self) -> list[Any]:
        return [EdgeVertexCandidate(*pair) for pair in self._detect("edge", "vertex")]

    def detect_edge_edge_candidates(self) -> list[Any]:
        return [EdgeEdgeCandidate(*pair) for pair in self._detect("edge", "edge")]

    def detect_face_vertex_candidates(self) -> list[Any]:
        return [FaceVertexCandidate(*pair) for pair in self._detect("face", "vertex")]

    def detect_edge_face_candidates(self) -> list[Any]:
        return [EdgeFaceCandidate(*pair) for pair in self._detect("edge", "face")]

    def detect_face_face_candidates(self) -> list[Any]:
        return [FaceFaceCandidate(*pair) for pair in self._detect("face", "face")]


class BruteForce(_BoxOverlap):
    """Finds the same as every broad phase here."""


class HashGrid(_BoxOverlap):
    """Finds the same as every broad phase here."""


class SpatialHash(_BoxOverlap):
    """Finds the same as every broad phase here."""


class LBVH(_BoxOverlap):
    """Finds the same as every broad phase here."""


class SweepAndPrune(_BoxOverlap):
    """Finds the same as every broad phase here."""


# ---- Continuous detection of single pairs.


class NarrowPhaseCCD:
    """Base of methods of the caller's own. A method returns whether a pair comes within a distance (m) in
    [0, tmax], and when."""

    def point_triangle_ccd(
        self,
        p_t0: npt.ArrayLike,
        t0_t0: npt.ArrayLike,
        t1_t0: npt.ArrayLike,
        t2_t0: npt.ArrayLike,
        p_t1: npt.ArrayLike,
        t0_t1: npt.ArrayLike,
        t1_t1: npt.ArrayLike,
        t2_t1: npt.ArrayLike,
        min_distance: float = 0.0,
        tmax: float = 1.0,
    ) -> tuple[bool, float]:
        """A point and a triangle."""
        raise NotImplementedError

    def edge_edge_ccd(
        self,
        ea0_t0: npt.ArrayLike,
        ea1_t0: npt.ArrayLike,
        eb0_t0: npt.ArrayLike,
        eb1_t0: npt.ArrayLike,
        ea0_t1: npt.ArrayLike,
        ea1_t1: npt.ArrayLike,
        eb0_t1: npt.ArrayLike,
        eb1_t1: npt.ArrayLike,
        min_distance: float = 0.0,
        tmax: float = 1.0,
    ) -> tuple[bool, float]:
        """Two edges."""
        raise NotImplementedError


class _ExactCCD(NarrowPhaseCCD):
    """The exact method of this package, under the names of ipctk's."""

    def __init__(
        self, tolerance: float = 1e-6, max_iterations: int = 10_000_000, conservative_rescaling: float = 0.8
    ) -> None:
        self.tolerance, self.max_iterations = tolerance, max_iterations
        self.conservative_rescaling = conservative_rescaling

    def point_triangle_ccd(
        self, *points: Any, min_distance: float = 0.0, tmax: float = 1.0
    ) -> tuple[bool, float]:
        return _collides("point_triangle", points, min_distance, tmax)

    def edge_edge_ccd(self, *points: Any, min_distance: float = 0.0, tmax: float = 1.0) -> tuple[bool, float]:
        return _collides("edge_edge", points, min_distance, tmax)


class TightInclusionCCD(_ExactCCD):
    """Exact; its arguments are ignored."""


class AdditiveCCD(_ExactCCD):
    """Exact; its arguments are ignored."""


def _collides(kind: str, points: tuple[Any, ...], min_distance: float, tmax: float) -> tuple[bool, float]:
    if len(points) > 8:  # distance and latest time given by position
        min_distance, tmax, points = points[8], (*points[9:], tmax)[0], points[:8]
    time = float(ccd(np.asarray(points, np.float64)[None], kind, distance=min_distance)["time"][0])
    return (True, time) if time <= tmax else (False, float("inf"))


def _own_method(narrow_phase_ccd: NarrowPhaseCCD | None) -> NarrowPhaseCCD | None:
    return None if isinstance(narrow_phase_ccd, _ExactCCD) else narrow_phase_ccd


class Candidates:
    """Pairs that may collide, and the judgement of those alone. In three dimensions they are faces with
    vertices and edges with edges, in two edges with vertices."""

    _LISTS: ClassVar = {
        "vv_candidates": VertexVertexCandidate,
        "ev_candidates": EdgeVertexCandidate,
        "ee_candidates": EdgeEdgeCandidate,
        "fv_candidates": FaceVertexCandidate,
    }

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Removes all."""
        self.vv_candidates: list[Any] = []
        self.ev_candidates: list[Any] = []
        self.ee_candidates: list[Any] = []
        self.fv_candidates: list[Any] = []

    def __iter__(self) -> Iterator[Any]:
        return (pair for name in self._LISTS for pair in getattr(self, name))

    def __len__(self) -> int:
        return sum(len(getattr(self, name)) for name in self._LISTS)

    def __getitem__(self, i: int) -> Any:
        return list(self)[i]

    def empty(self) -> bool:
        """Whether there are none."""
        return len(self) == 0

    def build(
        self,
        mesh: CollisionMesh,
        vertices: npt.ArrayLike | None = None,
        vertices_t1: npt.ArrayLike | None = None,
        inflation_radius: float = 0.0,
        broad_phase: BroadPhase | None = None,
        *,
        vertices_t0: npt.ArrayLike | None = None,
    ) -> None:
        """Finds pairs in a state, `build(mesh, vertices, inflation_radius=0, broad_phase=None)`, or in a
        motion, `build(mesh, vertices_t0, vertices_t1, inflation_radius=0, broad_phase=None)`.

        Positions are (n, 3) or (n, 2), the radius in m.
        """
        if isinstance(vertices_t1, (int, float)):  # the radius of a state
            inflation_radius, vertices_t1 = float(vertices_t1), None
        start = vertices if vertices_t0 is None else vertices_t0
        states = [np.asarray(x, np.float64) for x in (start, vertices_t1) if x is not None]
        search = LBVH() if broad_phase is None else broad_phase
        search.can_vertices_collide = mesh.can_collide
        search.build(*states, mesh.edges, mesh.faces, inflation_radius)
        self.clear()
        if mesh.dim == 2:
            self.ev_candidates = _as(EdgeVertexCandidate, search.detect_edge_vertex_candidates())
        else:
            self.ee_candidates = _as(EdgeEdgeCandidate, search.detect_edge_edge_candidates())
            self.fv_candidates = _as(FaceVertexCandidate, search.detect_face_vertex_candidates())
        search.clear()

    def _pairs(self, mesh: CollisionMesh, x0: Floats, x1: Floats) -> tuple[Floats, npt.NDArray[np.uint8]]:
        """Queries (k, 8, 3) and their kinds."""
        ee = [(*mesh.edges[pair.edge0_id], *mesh.edges[pair.edge1_id]) for pair in self.ee_candidates]
        fv = [(pair.vertex_id, *mesh.faces[pair.face_id]) for pair in self.fv_candidates]
        if self.vv_candidates or self.ev_candidates:
            raise InputError(
                "cloth judges faces with vertices and edges with edges; there are other candidates"
            )
        rows = np.array(ee + fv, np.int64).reshape(-1, 4)
        kinds = np.repeat([PairKind.EDGE_EDGE, PairKind.POINT_TRIANGLE], [len(ee), len(fv)]).astype(np.uint8)
        return np.concatenate([x0[rows], x1[rows]], axis=1), kinds

    def _times(
        self,
        mesh: CollisionMesh,
        vertices_t0: npt.ArrayLike,
        vertices_t1: npt.ArrayLike,
        min_distance: float,
        narrow_phase_ccd: NarrowPhaseCCD | None,
    ) -> Floats:
        """When the pairs that collide do; too early rather than too late."""
        states = mesh._positions("vertices_t0", vertices_t0), mesh._positions("vertices_t1", vertices_t1)
        queries, kinds = self._pairs(mesh, *states)
        own = _own_method(narrow_phase_ccd)
        if own is None:
            times = ccd(queries, kinds, distance=min_distance)["time"]
            return np.asarray(times[~np.isnan(times)])
        methods: dict[PairKind, Callable[..., tuple[bool, float]]]
        methods = {PairKind.EDGE_EDGE: own.edge_edge_ccd, PairKind.POINT_TRIANGLE: own.point_triangle_ccd}
        found = [methods[PairKind(kind)](*query, min_distance, 1.0) for query, kind in zip(queries, kinds)]
        return np.array([time for collides, time in found if collides], np.float64)

    def is_step_collision_free(
        self,
        mesh: CollisionMesh,
        vertices_t0: npt.ArrayLike,
        vertices_t1: npt.ArrayLike,
        min_distance: float = 0.0,
        narrow_phase_ccd: NarrowPhaseCCD | None = None,
    ) -> bool:
        """As the function of the same name, for these pairs."""
        return not len(self._times(mesh, vertices_t0, vertices_t1, min_distance, narrow_phase_ccd))

    def compute_collision_free_stepsize(
        self,
        mesh: CollisionMesh,
        vertices_t0: npt.ArrayLike,
        vertices_t1: npt.ArrayLike,
        min_distance: float = 0.0,
        narrow_phase_ccd: NarrowPhaseCCD | None = None,
    ) -> float:
        """As the function of the same name, for these pairs; 0.8 of the time of the first collision."""
        times = self._times(mesh, vertices_t0, vertices_t1, min_distance, narrow_phase_ccd)
        return 0.8 * float(times.min()) if len(times) else 1.0


def _as(kind: type[Any], pairs: Iterable[Any]) -> list[Any]:
    return [pair if isinstance(pair, kind) else kind(*map(int, _ids(pair))) for pair in pairs]


def _ids(pair: Any) -> tuple[int, int]:
    return astuple(pair) if hasattr(pair, "__dataclass_fields__") else tuple(pair)


# ---- Judges.


def _is_own(broad_phase: BroadPhase | None) -> bool:
    return broad_phase is not None and not isinstance(broad_phase, _BoxOverlap)


def has_intersections(
    mesh: CollisionMesh, vertices: npt.ArrayLike, broad_phase: BroadPhase | None = None
) -> bool:
    """Whether a state intersects itself. `vertices`: (n, 3) positions (m).

    Raises:
        cloth.InputError: a mesh in two dimensions, or not one finite position a vertex.
    """
    x = mesh._positions("vertices", vertices)
    if _is_own(broad_phase):
        assert broad_phase is not None
        broad_phase.can_vertices_collide = mesh.can_collide
        broad_phase.build(x, mesh.edges, mesh.faces, 1e-6 * world_bbox_diagonal_length(x))
        pairs = [_ids(pair) for pair in broad_phase.detect_edge_face_candidates()]
        broad_phase.clear()
        return any(is_edge_intersecting_triangle(*x[mesh.edges[e]], *x[mesh.faces[f]]) for e, f in pairs)
    if mesh.can_collide.accepts_all:
        return not is_clean(x, mesh._mesh)
    corners = np.asarray(mesh._mesh.faces)
    for row in intersections(x, mesh._mesh):
        if row["kind"] == IntersectionKind.FLAT_FOLD:
            a, b = ([v for v in corners[f] if v not in row["vertices"]] for f in row["faces"])
        elif row["kind"] == IntersectionKind.DOUBLED_FACE:
            a, b = (list(corners[f]) for f in row["faces"])
        else:
            a, b = [v for v in row["vertices"] if v >= 0], list(corners[row["faces"][0]])
        if mesh.can_collide.accepts(a, b):
            return True
    return False


def is_step_collision_free(
    mesh: CollisionMesh,
    vertices_t0: npt.ArrayLike,
    vertices_t1: npt.ArrayLike,
    min_distance: float = 0.0,
    broad_phase: BroadPhase | None = None,
    narrow_phase_ccd: NarrowPhaseCCD | None = None,
) -> bool:
    """Whether nothing collides, or comes within a distance (m), while vertices move on straight lines.

    `vertices_t0`, `vertices_t1`: (n, 3) positions (m). What has been inside each other from the start, and
    touches nothing new, is no collision.

    Raises:
        cloth.InputError: as `has_intersections`, or a negative distance.
    """
    _check_distance(min_distance)
    x0, x1 = mesh._positions("vertices_t0", vertices_t0), mesh._positions("vertices_t1", vertices_t1)
    if not _is_own(broad_phase) and _own_method(narrow_phase_ccd) is None:
        if min_distance == 0.0 and mesh.can_collide.accepts_all:
            return is_motion_clean(x0, x1, mesh._mesh)
        if min_distance == 0.0:
            return not _collisions(mesh, x0, x1)
        if mesh.can_collide.accepts_all and is_clean(x0, mesh._mesh):
            return max_step(x0, x1, mesh._mesh, min_distance).limit == "none"
    candidates = Candidates()
    candidates.build(mesh, x0, x1, 0.5 * min_distance, broad_phase)
    return candidates.is_step_collision_free(mesh, x0, x1, min_distance, narrow_phase_ccd)


def compute_collision_free_stepsize(
    mesh: CollisionMesh,
    vertices_t0: npt.ArrayLike,
    vertices_t1: npt.ArrayLike,
    min_distance: float = 0.0,
    broad_phase: BroadPhase | None = None,
    narrow_phase_ccd: NarrowPhaseCCD | None = None,
) -> float:
    """The share of a motion, in [0, 1], that is free of collisions; 0 if the start intersects itself.

    Arguments and exceptions as for `is_step_collision_free`. `cloth.max_step`, where no filter, distance with
    a filter, or class of the caller's own takes part: then the positions
    `vertices_t0 + step * (vertices_t1 - vertices_t0)` are certified. Otherwise 0.8 of the time of the first
    collision.
    """
    _check_distance(min_distance)
    x0, x1 = mesh._positions("vertices_t0", vertices_t0), mesh._positions("vertices_t1", vertices_t1)
    if not _is_own(broad_phase) and _own_method(narrow_phase_ccd) is None:
        if mesh.can_collide.accepts_all:
            return max_step(x0, x1, mesh._mesh, min_distance).step
    candidates = Candidates()
    candidates.build(mesh, x0, x1, 0.5 * min_distance, broad_phase)
    return candidates.compute_collision_free_stepsize(mesh, x0, x1, min_distance, narrow_phase_ccd)


def _check_distance(min_distance: float) -> None:
    if not 0.0 <= min_distance < np.inf:
        raise InputError(f"`min_distance` is {min_distance}; it must be finite and not negative")


def _collisions(mesh: CollisionMesh, x0: Floats, x1: Floats) -> bool:
    """Whether anything collides that the filter accepts."""
    for row in crossings(x0, x1, mesh._mesh):
        first = 1 if row["kind"] == PairKind.POINT_TRIANGLE else 2
        if mesh.can_collide.accepts(row["vertices"][:first], row["vertices"][first:]):
            return True
    return False


def is_edge_intersecting_triangle(
    e0: npt.ArrayLike, e1: npt.ArrayLike, t0: npt.ArrayLike, t1: npt.ArrayLike, t2: npt.ArrayLike
) -> bool:
    """Whether an edge and a triangle have a point in common; five points (3,) (m)."""
    x = np.asarray([e0, e1, t0, t1, t2], np.float64)
    return not is_clean(x, [[2, 3, 4]], edges=[[0, 1]])


def segment_segment_intersect(A: npt.ArrayLike, B: npt.ArrayLike, C: npt.ArrayLike, D: npt.ArrayLike) -> bool:
    """Whether the segments AB and CD of a plane have a point in common; four points (2,) (m)."""
    x = np.asarray([A, B, C, D], np.float64)
    if x.shape != (4, 2):
        raise InputError(f"four points of shape (2,) are needed; these have shape {x.shape[1:]}")
    padded = np.pad(x, ((0, 0), (0, 1)))
    return bool(ccd(np.concatenate([padded, padded])[None], "edge_edge")["time"][0] <= 1.0)


def world_bbox_diagonal_length(vertices: npt.ArrayLike) -> float:
    """Length (m) of the diagonal of the box around positions (n, dim); 0 without any."""
    x = np.asarray(vertices, np.float64)
    return float(np.linalg.norm(x.max(axis=0) - x.min(axis=0))) if len(x) else 0.0


def set_num_threads(nthreads: int) -> None:
    """Sets the number of threads of this package; 0 or less: one a core."""
    set_thread_count(max(nthreads, 0))


def get_num_threads() -> int:
    """The number of threads of this package."""
    return thread_count()
