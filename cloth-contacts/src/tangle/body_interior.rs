//! The cloth inside a body, found by a traversal from its contours.
//!
//! Along a contour the faces of the body decide which end of an edge is inside. From there the traversal
//! follows edges of the cloth that cross no face of a body:
//!
//! ```text
//!   outside   o---o---o           an edge that crosses the body goes from inside to outside
//!   ==========|===|===|=== body   other edges stay on their side
//!   inside    o---o---o---o
//! ```

use std::collections::VecDeque;

use cloth_geom::Topology;
use nalgebra::Point3;

use super::{BodyOrientation, Contour};

/// A crossing of an edge of cloth with a face of a body that has an inside.
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

/// The crossings of cloth edges with faces of bodies along a contour, at given positions (m).
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

/// Traverses the cloth inside bodies. Reuses its memory. `T` is a value propagated from vertex to vertex.
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

    /// Adds distinct crossings, each with the initial value at its inner end if the traversal starts there.
    pub fn add(&mut self, body_crossings: impl Iterator<Item = (BodyCrossing, Option<T>)>) {
        self.body_crossings.extend(body_crossings);
    }

    /// Visits each vertex inside once, starting from the crossings with an initial value. The result of
    /// `visit` is passed to the neighbours; outer ends of crossings are never entered.
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
