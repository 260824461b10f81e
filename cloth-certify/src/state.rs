//! Whether a state intersects itself, and where.

use std::fmt;

use cloth_contacts::Coordinate;
use cloth_contacts::gate::Pair;
use cloth_contacts::intersect::{Checker, Intersections};
use cloth_contacts::tangle::hit_point;
use cloth_geom::exact::{IntersectionKind, is_flat_fold, segment_triangle_kind};
use nalgebra::Point3;

use crate::input::{check_finite, exact, too_many};
use crate::{CollisionMesh, InputError};

/// One reason why a state is not clean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StateWitness {
    /// An edge and a face that share no vertex have a point in common.
    EdgeFace {
        /// The edge, an id of [`cloth_geom::Topology::edges`].
        edge: u32,
        /// Its vertices.
        ends: [u32; 2],
        /// The face.
        face: u32,
        /// How they meet.
        kind: IntersectionKind,
        /// Where, up to rounding (m).
        position: [f64; 3],
    },
    /// A point without faces and edges lies on a face.
    PointFace {
        /// The vertex.
        vertex: u32,
        /// The face.
        face: u32,
        /// Where (m).
        position: [f64; 3],
    },
    /// Two faces on one edge lie flat on each other, with their third corners in different places.
    FlatFold {
        /// The edge, an id of [`cloth_geom::Topology::edges`].
        edge: u32,
        /// Its vertices.
        ends: [u32; 2],
        /// The faces.
        faces: [u32; 2],
        /// The middle of the edge (m).
        position: [f64; 3],
    },
    /// A face lies on another: both have the same three points, whether they share vertices or not.
    DoubledFace {
        /// The first face that is there, and the one that lies on it.
        faces: [u32; 2],
        /// The middle of the faces (m).
        position: [f64; 3],
    },
}

impl StateWitness {
    /// Where it is (m).
    #[must_use]
    pub fn position(&self) -> [f64; 3] {
        match *self {
            Self::EdgeFace { position, .. }
            | Self::PointFace { position, .. }
            | Self::FlatFold { position, .. }
            | Self::DoubledFace { position, .. } => position,
        }
    }
}

/// What is wrong with a state; nothing if it is clean.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StateReport {
    witnesses: Vec<StateWitness>,
}

impl StateReport {
    /// Whether nothing intersects, no faces lie flat on each other at an edge, and no face lies on another:
    /// exact, without a tolerance.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.witnesses.is_empty()
    }

    /// All of it: edges with faces first, then points on faces, then flat folds, then doubled faces; each by
    /// ids. Doubled faces with vertices of their own are among the edges with faces as well.
    #[must_use]
    pub fn witnesses(&self) -> &[StateWitness] {
        &self.witnesses
    }

    /// The edges and faces that have a point in common.
    pub fn intersections(&self) -> impl Iterator<Item = &StateWitness> {
        self.witnesses.iter().filter(|witness| matches!(witness, StateWitness::EdgeFace { .. }))
    }
}

impl StateReport {
    /// How many of each kind there are, in words.
    fn counts(&self) -> String {
        let kinds = [
            ("intersection", "intersections"),
            ("flat fold", "flat folds"),
            ("face that lies on another", "faces that lie on others"),
        ];
        let kind = |witness: &StateWitness| match witness {
            StateWitness::EdgeFace { .. } | StateWitness::PointFace { .. } => 0,
            StateWitness::FlatFold { .. } => 1,
            StateWitness::DoubledFace { .. } => 2,
        };
        let mut counts = [0; 3];
        self.witnesses.iter().for_each(|witness| counts[kind(witness)] += 1);
        let named = counts.into_iter().zip(kinds).filter(|&(count, _)| count > 0);
        let words: Vec<String> = named
            .map(|(count, (one, more))| format!("{count} {}", if count == 1 { one } else { more }))
            .collect();
        words.join(", ")
    }
}

impl fmt::Display for StateReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.witnesses.first() else { return write!(f, "no intersections") };
        let [x, y, z] = first.position();
        write!(f, "{}", self.counts())?;
        match first {
            StateWitness::EdgeFace { ends: [a, b], face, .. } => {
                write!(f, ", first of edge {a} {b} and face {face}")?;
            }
            StateWitness::PointFace { vertex, face, .. } => {
                write!(f, ", first of point {vertex} and face {face}")?;
            }
            StateWitness::FlatFold { faces: [a, b], .. } => {
                write!(f, ", first of faces {a} and {b}, which lie flat on each other")?;
            }
            StateWitness::DoubledFace { faces: [a, b], .. } => {
                write!(f, ", first of face {b}, which lies on face {a}")?;
            }
        }
        write!(f, " at ({x:.6}, {y:.6}, {z:.6}) m")
    }
}

impl CollisionMesh {
    /// Finds everything that intersects in a state (m). The verdict is exact for all finite positions.
    ///
    /// # Errors
    /// If there is not one finite position a vertex.
    pub fn check_state<T: Coordinate>(&self, x: &[[T; 3]]) -> Result<StateReport, InputError> {
        check_finite(self, "x", x)?;
        self.check_exact(&mut Checker::default(), &exact(x))
    }

    /// As [`CollisionMesh::check_state`], with positions (m) that have been checked.
    pub(crate) fn check_exact(
        &self,
        checker: &mut Checker,
        x: &[Point3<f64>],
    ) -> Result<StateReport, InputError> {
        let mut found = Intersections::default();
        let topology = self.topology();
        checker.check_into(x, topology, &mut found).map_err(|error| too_many(&error, self))?;
        found.retain(|hit| self.surface.is_guarded_hit(hit));
        let mut witnesses = Vec::new();
        for (&[edge, face], &kind) in found.edge_faces.iter().zip(&found.kinds) {
            let ends = topology.edges()[edge as usize];
            let position = hit_point([edge, face], x, topology).unwrap_or(x[ends[0] as usize]).coords.into();
            witnesses.push(StateWitness::EdgeFace { edge, ends, face, kind, position });
        }
        self.find_points_on_faces(x, &mut witnesses);
        witnesses.extend(found.flat_folds.iter().filter_map(|&edge| self.flat_fold(edge, x)));
        let doubled = found.doubled_faces.iter().filter(|&&pair| self.may_lie_on(pair));
        witnesses.extend(doubled.map(|&[face, first]| {
            let [a, b, c] = topology.faces()[first as usize].map(|v| x[v as usize].coords);
            StateWitness::DoubledFace { faces: [first, face], position: ((a + b + c) / 3.0).into() }
        }));
        Ok(StateReport { witnesses })
    }

    /// Whether it counts that a face lies on another: some corner of it is no vertex of the other and may
    /// collide with it, or all are shared and the part collides with itself.
    fn may_lie_on(&self, [face, first]: [u32; 2]) -> bool {
        let faces = self.topology().faces();
        let [corners, others] = [face, first].map(|f| faces[f as usize]);
        let mut own = corners.into_iter().filter(|v| !others.contains(v)).peekable();
        // Vertices that are excluded count as one, and so as shared by the definition of the mesh.
        if own.peek().is_none() {
            return self.surface.guards_face_parts([face, first]);
        }
        own.any(|v| self.guards(Pair::PointTriangle([v, first])))
    }

    /// Points without faces and edges, of which there are few, against all faces.
    fn find_points_on_faces(&self, x: &[Point3<f64>], witnesses: &mut Vec<StateWitness>) {
        let topology = self.topology();
        let mut is_used = vec![false; x.len()];
        topology.edges().iter().flatten().for_each(|&v| is_used[v as usize] = true);
        let points = (0..x.len() as u32).filter(|&v| !is_used[v as usize]);
        for vertex in points {
            let p = &x[vertex as usize];
            for (face, corners) in (0..).zip(topology.faces()) {
                let corners = corners.map(|v| &x[v as usize]);
                let outside =
                    |k: usize| corners.iter().all(|c| c[k] < p[k]) || corners.iter().all(|c| c[k] > p[k]);
                let is_near = !(outside(0) || outside(1) || outside(2));
                if is_near
                    && segment_triangle_kind([p, p], corners).is_some()
                    && self.guards(Pair::PointTriangle([vertex, face]))
                {
                    witnesses.push(StateWitness::PointFace { vertex, face, position: p.coords.into() });
                }
            }
        }
    }

    /// The first guarded pair of faces that lie flat on each other at an edge.
    fn flat_fold(&self, edge: u32, x: &[Point3<f64>]) -> Option<StateWitness> {
        let topology = self.topology();
        let ends = topology.edges()[edge as usize];
        let [p, q] = ends.map(|v| &x[v as usize]);
        let faces = topology.edge_faces(edge as usize);
        let apex = |f: u32| topology.faces()[f as usize].into_iter().find(|v| !ends.contains(v));
        let lies_flat = |f: u32, g: u32| {
            apex(f).zip(apex(g)).is_some_and(|(a, b)| {
                x[a as usize] != x[b as usize]
                    && is_flat_fold([p, q], &x[a as usize], &x[b as usize])
                    && self.guards(Pair::PointTriangle([a, g]))
            })
        };
        let pairs = (1..faces.len()).flat_map(|j| (0..j).map(move |i| [faces[i], faces[j]]));
        let faces = pairs.into_iter().find(|&[f, g]| lies_flat(f, g))?;
        // Halved first: the sum may be beyond the greatest number.
        Some(StateWitness::FlatFold { edge, ends, faces, position: (p.coords * 0.5 + q.coords * 0.5).into() })
    }
}
