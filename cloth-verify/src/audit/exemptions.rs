//! Pairs that are temporarily exempt: the auditor's own list of tangles and touching pairs.
//!
//! A tangle is added when a start, a replaced state, or a released body brings its intersections. It has two
//! sets of vertices and exempts the pairs with one primitive wholly in the one set and the other wholly in
//! the other. The sets never grow. A tangle is removed at the end of the first step in which none of its
//! intersections is left; its pairs are certified from then on.
//!
//! Pairs that touch although no edge meets a face (a vertex on a face with whose corners all its edges are
//! joined) belong to no contour. They are exempted one by one, until they are apart.
//!
//! These pairs are exempt here but not in the gate, so that a crossing of them is not found: the sides of a
//! contour that cannot be distinguished apart are all of the contour; the parts that a contour cuts off are
//! taken from any branching contour that divides a sheet; an intersection of two tangles keeps both alive; a
//! tangle lasts to the end of a step where the gate may end it between two substeps.

use cloth_geom::Topology;
use nalgebra::Point3;

use super::contour::{Contour, contours};
use super::interior::{BodyInteriors, inside_of};
use super::pair::Pair;
use super::reach::{RINGS, cut_off, rings, vertices_of};
use super::scene::Rules;

/// Tangles, and pairs that touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exemptions {
    /// The vertices on either side, ascending.
    tangles: Vec<[Vec<u32>; 2]>,
    /// Sorted.
    touching: Vec<Pair>,
    /// For each vertex where its memberships begin; empty without tangles.
    starts: Vec<u32>,
    /// Tangle and side.
    memberships: Vec<(u32, u8)>,
}

impl Exemptions {
    /// Number of tangles.
    #[must_use]
    pub fn tangles(&self) -> usize {
        self.tangles.len()
    }

    /// Number of pairs that touch without a tangle.
    #[must_use]
    pub fn touching(&self) -> usize {
        self.touching.len()
    }

    /// Whether no pair is exempt.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tangles.is_empty() && self.touching.is_empty()
    }

    /// Whether a pair is exempt.
    pub(super) fn exempts(&self, pair: &Pair) -> bool {
        let (a, b) = pair.sides();
        !self.is_empty() && (self.is_in_tangle(a, b) || self.is_touching(pair))
    }

    /// Whether a pair is exempt because it touched in a start or a replaced state.
    pub(super) fn is_touching(&self, pair: &Pair) -> bool {
        self.touching.binary_search(pair).is_ok()
    }

    /// Whether an intersection `[edge, face]` belongs to a tangle.
    pub(super) fn owns(&self, hit: [u32; 2], topology: &Topology) -> bool {
        !self.tangles.is_empty() && !self.owners(hit, topology).is_empty()
    }

    /// Adds tangles for the intersections of a state that belong to none yet.
    pub(super) fn add_tangles(&mut self, hits: &[[u32; 2]], rules: &Rules, at: &[Point3<f32>]) {
        let unowned: Vec<[u32; 2]> =
            hits.iter().copied().filter(|&hit| !self.owns(hit, &rules.topology)).collect();
        if unowned.is_empty() {
            return;
        }
        self.tangles.extend(tangles(&unowned, rules, at));
        self.index(rules.topology.vertex_count());
        let topology = &rules.topology;
        let left: Vec<[u32; 2]> = unowned.into_iter().filter(|&hit| !self.owns(hit, topology)).collect();
        self.tangles.extend(left.iter().map(|&[e, f]| {
            [&topology.edges()[e as usize][..], &topology.faces()[f as usize][..]]
                .map(|seeds| rings(seeds, RINGS, topology))
        }));
        self.index(topology.vertex_count());
    }

    /// Adds pairs that touch.
    pub(super) fn add_touching(&mut self, pairs: impl IntoIterator<Item = Pair>) {
        self.touching.extend(pairs);
        self.touching.sort_unstable();
        self.touching.dedup();
    }

    /// Removes tangles without intersections and pairs that no longer touch; returns whether a tangle was
    /// removed.
    pub(super) fn remove_resolved(
        &mut self,
        hits: &[[u32; 2]],
        topology: &Topology,
        touches: impl Fn(&Pair) -> bool,
    ) -> bool {
        let mut is_live = vec![false; self.tangles.len()];
        for &hit in hits {
            self.owners(hit, topology).iter().for_each(|&tangle| is_live[tangle as usize] = true);
        }
        self.touching.retain(touches);
        let before = self.tangles.len();
        let mut live = is_live.into_iter();
        self.tangles.retain(|_| live.next() == Some(true));
        let ended = self.tangles.len() < before;
        if ended {
            self.index(topology.vertex_count());
        }
        ended
    }

    /// The tangles that own one of the pairs behind an intersection: an end of the edge and the face, or the
    /// edge and a side.
    fn owners(&self, [e, f]: [u32; 2], topology: &Topology) -> Vec<u32> {
        let (ends, face) = (topology.edges()[e as usize], topology.faces()[f as usize]);
        let sides = topology.face_edges()[f as usize].map(|g| topology.edges()[g as usize]);
        let mut found: Vec<u32> = ends.iter().flat_map(|&v| self.tangles_of(&[v], &face)).collect();
        found.extend(sides.iter().flat_map(|side| self.tangles_of(&ends, side)));
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The tangles of which the pair of two primitives is.
    fn tangles_of(&self, a: &[u32], b: &[u32]) -> Vec<u32> {
        let first = self.memberships(a[0]).iter();
        first.filter(|&&m| self.is_of(a, b, m)).map(|m| m.0).collect()
    }

    fn is_in_tangle(&self, a: &[u32], b: &[u32]) -> bool {
        self.memberships(a[0]).iter().any(|&m| self.is_of(a, b, m))
    }

    /// Whether `a` lies in one side of a tangle, and `b` in the other.
    fn is_of(&self, a: &[u32], b: &[u32], (tangle, side): (u32, u8)) -> bool {
        let all_in =
            |vertices: &[u32], m: (u32, u8)| vertices.iter().all(|&v| self.memberships(v).contains(&m));
        all_in(a, (tangle, side)) && all_in(b, (tangle, 1 - side))
    }

    fn memberships(&self, v: u32) -> &[(u32, u8)] {
        match self.starts.get(v as usize..v as usize + 2) {
            Some(&[from, to]) => &self.memberships[from as usize..to as usize],
            _ => &[],
        }
    }

    fn index(&mut self, count: usize) {
        let mut all: Vec<(u32, (u32, u8))> = Vec::new();
        for (tangle, sides) in self.tangles.iter().enumerate() {
            for (side, vertices) in sides.iter().enumerate() {
                all.extend(vertices.iter().map(|&v| (v, (tangle as u32, side as u8))));
            }
        }
        all.sort_unstable();
        self.memberships = all.iter().map(|entry| entry.1).collect();
        let first = |v: usize| all.partition_point(|entry| (entry.0 as usize) < v) as u32;
        self.starts = if all.is_empty() { Vec::new() } else { (0..=count).map(first).collect() };
    }
}

/// The two sets of each contour of some intersections.
fn tangles(hits: &[[u32; 2]], rules: &Rules, at: &[Point3<f32>]) -> Vec<[Vec<u32>; 2]> {
    let topology = &rules.topology;
    let all = contours(hits, topology);
    let insides = BodyInteriors::new(rules, at);
    let sets = |number: usize| {
        let contour: &Contour = &all[number];
        let mut sets =
            [0, 1].map(|side: usize| rings(&vertices_of(&contour.sides[side], topology), RINGS, topology));
        if let Some(body) = insides.side(contour, topology) {
            sets[body] = rings(&sets[body], usize::MAX, topology);
            sets[1 - body].extend(inside_of(&all, number, &insides, at, topology));
        } else {
            (0..2).for_each(|side| sets[side].extend(cut_off(contour, side, topology)));
        }
        for set in &mut sets {
            set.sort_unstable();
            set.dedup();
        }
        sets
    };
    (0..all.len()).map(sets).collect()
}
