//! Which cloth lies in a body: followed from its contours.
//!
//! Along a contour the faces of the body tell which end of an edge lies inside. From there the cloth is followed along edges that no
//! face of a body cuts:
//!
//! ```text
//!   outside   o---o---o           an edge that is cut goes from inside to outside
//!   ==========|===|===|=== body   edges that are not stay on their side
//!   inside    o---o---o---o
//! ```

use std::collections::VecDeque;

use cloth_geom::Topology;
use nalgebra::Point3;

use super::{BodyOrientation, Contour};

/// An edge of cloth that goes through a face of a body with an inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BodyCrossing {
    /// The edge.
    pub edge: u32,
    /// The face of the body.
    pub face: u32,
    /// The end of the edge that lies behind the face.
    pub inner: u32,
    /// The other end.
    pub outer: u32,
}

/// The edges of cloth that a contour takes through faces of bodies, at given positions (m).
pub fn body_crossings<'a>(
    contour: &'a Contour,
    orientation: &'a BodyOrientation,
    at: &'a [Point3<f64>],
    topology: &'a Topology,
) -> impl Iterator<Item = BodyCrossing> + 'a {
    contour.hits.iter().filter_map(move |&[edge, face]| {
        let out = orientation.outward_normal_at_face(face, at, topology)?;
        let [a, b] = topology.edges()[edge as usize];
        let along = at[b as usize] - at[a as usize];
        let [inner, outer] = if along.dot(&out) > 0.0 { [a, b] } else { [b, a] };
        Some(BodyCrossing { edge, face, inner, outer })
    })
}

/// Follows the cloth inside from one set of cuts after another; allocates nothing once its memory has grown to what they need.
/// At a vertex it has something of type `T`.
#[derive(Clone, Debug)]
pub struct InteriorTraversal<T> {
    body_crossings: Vec<(BodyCrossing, Option<T>)>,
    is_known: Vec<bool>,
    todo: VecDeque<(u32, T)>,
}

impl<T> Default for InteriorTraversal<T> {
    fn default() -> Self {
        Self { body_crossings: Vec::new(), is_known: Vec::new(), todo: VecDeque::new() }
    }
}

impl<T: Copy> InteriorTraversal<T> {
    /// Forgets all cuts.
    pub fn clear(&mut self) {
        self.body_crossings.clear();
    }

    /// Adds cuts that differ, each with what there is to begin with at its inner end, if it is to be followed from there.
    pub fn add(&mut self, body_crossings: impl Iterator<Item = (BodyCrossing, Option<T>)>) {
        self.body_crossings.extend(body_crossings);
    }

    /// Visits each vertex that lies inside, once, from the cuts that have something to begin with. What `visit` makes of it at a
    /// vertex is handed on to the neighbours; no outer end of any cut is entered.
    pub fn follow(&mut self, topology: &Topology, mut visit: impl FnMut(u32, T) -> T) {
        let Self { body_crossings, is_known, todo } = self;
        body_crossings.sort_unstable_by_key(|(cut, _)| *cut);
        is_known.clear();
        is_known.resize(topology.vertex_count(), false);
        body_crossings.iter().for_each(|(cut, _)| is_known[cut.outer as usize] = true);
        for &(cut, begin) in &*body_crossings {
            if let Some(begin) = begin
                && !std::mem::replace(&mut is_known[cut.inner as usize], true)
            {
                todo.push_back((cut.inner, begin));
            }
        }
        let is_cut = |edge: u32| {
            let from = body_crossings.partition_point(|(cut, _)| cut.edge < edge);
            body_crossings[from..].iter().take_while(|(cut, _)| cut.edge == edge).count() % 2 == 1
        };
        while let Some((v, given)) = todo.pop_front() {
            let made = visit(v, given);
            let mean_outward_normal = topology.vertex_faces(v as usize).iter();
            for &e in mean_outward_normal.flat_map(|&f| &topology.face_edges()[f as usize]) {
                let [a, b] = topology.edges()[e as usize];
                let other = if a == v { b } else { a };
                if (a == v || b == v) && !is_known[other as usize] && !is_cut(e) {
                    is_known[other as usize] = true;
                    todo.push_back((other, made));
                }
            }
        }
    }
}
