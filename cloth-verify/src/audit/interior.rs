//! Bodies with an inside, and the cloth that lies in it.
//!
//! A piece of a body (what hangs together by edges) has an inside if at most [`HOLES`] of its edges are
//! borders and its volume is not zero; the sign of the volume decides whether its faces point outward. Where
//! a contour has such a piece on one side, all of the piece may meet the cloth of the contour: the body moves
//! on, and the cloth comes out where it can. The cloth that lies inside is followed from the contours along
//! edges that no face of a body cuts.

use cloth_geom::Topology;
use nalgebra::{Point3, Vector3};

use super::contour::Contour;
use super::reach::{neighbours, rings};
use super::scene::Rules;
use super::sorted_unique;

/// Share of the edges of a piece that may be borders.
const HOLES: f64 = 0.02;

/// For each vertex 1 if the faces around it point out of a body, -1 if they point in, 0 if it is cloth or of
/// a body without an inside.
pub(super) struct BodyInteriors {
    signs: Vec<f64>,
}

impl BodyInteriors {
    pub(super) fn new(rules: &Rules, at: &[Point3<f32>]) -> Self {
        let topology = &rules.topology;
        let mut insides = Self { signs: vec![0.0; topology.vertex_count()] };
        let mut is_known: Vec<bool> = rules.is_body.iter().map(|body| !body).collect();
        for v in 0..is_known.len() as u32 {
            if !is_known[v as usize] {
                let piece = rings(&[v], usize::MAX, topology);
                piece.iter().for_each(|&w| is_known[w as usize] = true);
                let sign = sign(&piece, topology, at);
                piece.iter().for_each(|&w| insides.signs[w as usize] = sign);
            }
        }
        insides
    }

    /// The side of a contour that is of bodies with an inside alone, if one is.
    pub(super) fn side(&self, contour: &Contour, topology: &Topology) -> Option<usize> {
        let is_known = |&f: &u32| self.signs[topology.faces()[f as usize][0] as usize] != 0.0;
        (0..2).find(|&side| !contour.is_ambiguous && contour.sides[side].iter().all(is_known))
    }

    /// The direction out of a body at one of its faces; not of length 1. None for cloth, and for a face
    /// without area.
    fn outward(&self, f: u32, at: &[Point3<f32>], topology: &Topology) -> Option<Vector3<f64>> {
        let face = topology.faces()[f as usize];
        let [a, b, c] = face.map(|v| at[v as usize].cast::<f64>());
        let normal = (b - a).cross(&(c - a)) * self.signs[face[0] as usize];
        (normal != Vector3::zeros()).then_some(normal)
    }
}

/// Whether a piece is closed and which way its faces point.
fn sign(piece: &[u32], topology: &Topology, at: &[Point3<f32>]) -> f64 {
    // Each edge and face is counted at its first vertex.
    let (mut edges, mut borders, mut volume) = (0_usize, 0_usize, 0.0);
    for &v in piece {
        let own = sorted_unique(neighbours(v, topology).filter(|n| v < n.1).map(|n| n.0));
        edges += own.len();
        borders += own.iter().filter(|&&e| topology.edge_faces(e as usize).len() < 2).count();
        for &f in topology.vertex_faces(v as usize) {
            let face = topology.faces()[f as usize];
            if face[0] == v {
                let [a, b, c] = face.map(|v| at[v as usize].coords.cast::<f64>());
                volume += a.dot(&b.cross(&c));
            }
        }
    }
    if borders as f64 <= HOLES * edges as f64 && volume != 0.0 { f64::signum(volume) } else { 0.0 }
}

/// An edge of cloth that intersects a face of a body.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Cut {
    edge: u32,
    inner: u32,
    outer: u32,
}

/// The vertices of cloth that lie inside of bodies behind the contour with a number.
pub(super) fn inside_of(
    all: &[Contour],
    number: usize,
    insides: &BodyInteriors,
    at: &[Point3<f32>],
    topology: &Topology,
) -> Vec<u32> {
    let cut = |&[edge, face]: &[u32; 2]| {
        let out = insides.outward(face, at, topology)?;
        let [a, b] = topology.edges()[edge as usize];
        let along = at[b as usize].cast::<f64>() - at[a as usize].cast::<f64>();
        Some(if along.dot(&out) > 0.0 {
            Cut { edge, inner: a, outer: b }
        } else {
            Cut { edge, inner: b, outer: a }
        })
    };
    let mut cuts: Vec<Cut> = all.iter().flat_map(|contour| contour.hits.iter().filter_map(cut)).collect();
    cuts.sort_unstable();
    let mut is_closed = vec![false; topology.vertex_count()];
    cuts.iter().for_each(|cut| is_closed[cut.outer as usize] = true);
    let is_cut = |e: u32| {
        let from = cuts.partition_point(|cut| cut.edge < e);
        cuts[from..].iter().take_while(|cut| cut.edge == e).count() % 2 == 1
    };
    let mut todo: Vec<u32> = all[number].hits.iter().filter_map(cut).map(|cut| cut.inner).collect();
    let mut found = Vec::new();
    while let Some(v) = todo.pop() {
        if !std::mem::replace(&mut is_closed[v as usize], true) {
            found.push(v);
            todo.extend(neighbours(v, topology).filter(|&(e, _)| !is_cut(e)).map(|(_, other)| other));
        }
    }
    found
}
