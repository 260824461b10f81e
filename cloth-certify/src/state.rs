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

/// What is wrong at a place of a state. Its number, `kind as u8`, is that of Python and C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StateKind {
    /// An edge goes through a face, with which it shares no vertex, from one side to the other.
    Crosses,
    /// Such an edge and a face touch in one point, or the face has no area.
    Touches,
    /// Such an edge lies in the plane of a face and meets it.
    Coplanar,
    /// A point without faces and edges lies on a face.
    PointOnFace,
    /// Two faces on one edge lie flat on each other, with their third corners in different places.
    FlatFold,
    /// A face lies on another: both have the same three points, whether they share vertices or not.
    DoubledFace,
}

/// One reason why a state is not clean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StateWitness {
    /// What is wrong.
    pub kind: StateKind,
    /// The edge, an id of [`cloth_geom::Topology::edges`]; none of a point and of a doubled face.
    pub edge: Option<u32>,
    /// The vertices of the edge, or the point alone; none of a doubled face.
    pub ends: [Option<u32>; 2],
    /// The face; of a flat fold one of two, of a doubled face the first that is there.
    pub face: u32,
    /// The other face of a flat fold, or the one that lies on `face`.
    pub other_face: Option<u32>,
    /// Where, up to rounding (m); of a flat fold the middle of the edge, of a doubled face its middle.
    pub position: [f64; 3],
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
        self.witnesses.iter().filter(|witness| witness.kind <= StateKind::Coplanar)
    }
}

impl StateReport {
    /// How many of each kind there are, in words.
    fn counts(&self) -> String {
        use StateKind::{Crosses, DoubledFace, FlatFold, PointOnFace};
        let kinds = [
            (Crosses..=PointOnFace, "intersection", "intersections"),
            (FlatFold..=FlatFold, "flat fold", "flat folds"),
            (DoubledFace..=DoubledFace, "face that lies on another", "faces that lie on others"),
        ];
        let words = kinds.into_iter().filter_map(|(kinds, one, more)| {
            let count = self.witnesses.iter().filter(|witness| kinds.contains(&witness.kind)).count();
            (count > 0).then(|| format!("{count} {}", if count == 1 { one } else { more }))
        });
        words.collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for StateReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.witnesses.first() else { return write!(f, "no intersections") };
        let StateWitness { kind, ends, face, other_face, position: [x, y, z], .. } = *first;
        write!(f, "{}, first of ", self.counts())?;
        match (ends, other_face) {
            (_, Some(other)) if kind == StateKind::DoubledFace => {
                write!(f, "face {other}, which lies on face {face}")?;
            }
            (_, Some(other)) => write!(f, "faces {face} and {other}, which lie flat on each other")?,
            ([Some(a), Some(b)], None) => write!(f, "edge {a} {b} and face {face}")?,
            ([point, _], None) => write!(f, "point {} and face {face}", point.unwrap_or_default())?,
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
            let kind = match kind {
                IntersectionKind::Proper => StateKind::Crosses,
                IntersectionKind::Touching => StateKind::Touches,
                // Positions that are not finite have been refused.
                IntersectionKind::Coplanar | IntersectionKind::NotFinite => StateKind::Coplanar,
            };
            let (edge, ends) = (Some(edge), ends.map(Some));
            witnesses.push(StateWitness { kind, edge, ends, face, other_face: None, position });
        }
        self.find_points_on_faces(x, &mut witnesses);
        witnesses.extend(found.flat_folds.iter().filter_map(|&edge| self.flat_fold(edge, x)));
        let doubled = found.doubled_faces.iter().filter(|&&pair| self.may_lie_on(pair));
        witnesses.extend(doubled.map(|&[face, first]| {
            let [a, b, c] = topology.faces()[first as usize].map(|v| x[v as usize].coords);
            let (kind, position) = (StateKind::DoubledFace, ((a + b + c) / 3.0).into());
            StateWitness { kind, edge: None, ends: [None; 2], face: first, other_face: Some(face), position }
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
                    let (kind, ends) = (StateKind::PointOnFace, [Some(vertex), None]);
                    let position = p.coords.into();
                    witnesses.push(StateWitness { kind, edge: None, ends, face, other_face: None, position });
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
        let [face, other] = pairs.into_iter().find(|&[f, g]| lies_flat(f, g))?;
        Some(StateWitness {
            kind: StateKind::FlatFold,
            edge: Some(edge),
            ends: ends.map(Some),
            face,
            other_face: Some(other),
            // Halved first: the sum may be beyond the greatest number.
            position: (p.coords * 0.5 + q.coords * 0.5).into(),
        })
    }
}
