//! Pairs that are temporarily exempt: the auditor's own list of tangles and touching pairs.
//!
//! A tangle is added when a start, a replaced state, or a released body brings its intersections. It has two
//! sets of vertices and exempts the pairs with one primitive wholly in the one set and the other wholly in
//! the other. The sets never grow. A tangle is removed at the end of the first step in which none of its
//! intersections is left, or after the first motion that releases a body; its pairs are certified from then
//! on.
//!
//! Pairs that touch although no edge meets a face (a vertex on a face with whose corners all its edges are
//! joined) belong to no contour. They are exempted one by one, until they are apart.
//!
//! These pairs are exempt here but not in the gate, so that a crossing of them is not found: the sides of a
//! contour that cannot be distinguished apart are all of the contour; the parts that a contour cuts off are
//! taken from any branching contour that divides a sheet; an intersection of two tangles keeps both alive;
//! and where it depends on an order what begins a tangle or continues one, as with the edges of a guarded
//! collider or where a state is replaced, it does both.

use cloth_geom::Topology;
use nalgebra::Point3;

use super::contour::{Contour, contours};
use super::interior::{BodyInteriors, inside_of};
use super::pair::Pair;
use super::reach::{RINGS, cut_off, rings, vertices_of};
use super::scene::Rules;
use super::sorted_unique;

/// Tangles, and pairs that touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exemptions {
    /// Different ones.
    tangles: Vec<Tangle>,
    /// Sorted.
    touching: Vec<Pair>,
    /// For each vertex where its memberships begin; empty without tangles.
    starts: Vec<u32>,
    /// Tangle and side.
    memberships: Vec<(u32, u8)>,
}

/// A tangle.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Tangle {
    /// The vertices on either side, ascending.
    sides: [Vec<u32>; 2],
    /// Whether it may have ended, or never have begun: all its intersections were at some time those of other
    /// tangles as well.
    may_be_over: bool,
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

    /// Adds tangles for the intersections of a state that belong to none, or to none that is sure to go on;
    /// of a state from without for all: what began before may be forgotten there.
    pub(super) fn add_tangles(
        &mut self,
        hits: &[[u32; 2]],
        from_without: bool,
        rules: &Rules,
        at: &[Point3<f32>],
    ) {
        let topology = &rules.topology;
        let goes_on = |&tangle: &u32| !self.tangles[tangle as usize].may_be_over;
        let begins = |&hit: &[u32; 2]| from_without || !self.owners(hit, topology).iter().any(goes_on);
        let hits: Vec<[u32; 2]> = hits.iter().copied().filter(begins).collect();
        if hits.is_empty() {
            return;
        }
        let begun = tangles(&hits, rules, at);
        // Of those that had an owner nobody knows whether they begin.
        let is_new = |hits: &[[u32; 2]]| hits.iter().all(|&hit| !self.owns(hit, topology));
        let mut begun: Vec<Tangle> = begun
            .into_iter()
            .map(|(contour, sides)| Tangle { sides, may_be_over: !is_new(&contour.hits) })
            .collect();
        // What is in no contour is an edge without faces: one of its tangles may own what another one does.
        let alone = hits.iter().filter(|[e, _]| topology.edge_faces(*e as usize).is_empty());
        begun.extend(alone.map(|&[e, f]| {
            let seeds = [&topology.edges()[e as usize][..], &topology.faces()[f as usize][..]];
            Tangle { sides: seeds.map(|seeds| rings(seeds, RINGS, topology)), may_be_over: true }
        }));
        for tangle in begun {
            match self.tangles.iter_mut().find(|other| other.sides == tangle.sides) {
                Some(other) => other.may_be_over &= tangle.may_be_over,
                None => self.tangles.push(tangle),
            }
        }
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
        let mut is_alone = is_live.clone();
        for &hit in hits {
            let owners = self.owners(hit, topology);
            owners.iter().for_each(|&tangle| is_live[tangle as usize] = true);
            if let [tangle] = owners[..] {
                is_alone[tangle as usize] = true;
            }
        }
        self.tangles.iter_mut().zip(is_alone).for_each(|(tangle, alone)| tangle.may_be_over |= !alone);
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
        let of_ends = ends.iter().flat_map(|&v| self.tangles_of(&[v], &face));
        sorted_unique(of_ends.chain(sides.iter().flat_map(|side| self.tangles_of(&ends, side))))
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
        for (number, tangle) in self.tangles.iter().enumerate() {
            for (side, vertices) in tangle.sides.iter().enumerate() {
                all.extend(vertices.iter().map(|&v| (v, (number as u32, side as u8))));
            }
        }
        all.sort_unstable();
        self.memberships = all.iter().map(|entry| entry.1).collect();
        let first = |v: usize| all.partition_point(|entry| (entry.0 as usize) < v) as u32;
        self.starts = if all.is_empty() { Vec::new() } else { (0..=count).map(first).collect() };
    }
}

/// The contours of some intersections, and the two sets of each.
fn tangles(hits: &[[u32; 2]], rules: &Rules, at: &[Point3<f32>]) -> Vec<(Contour, [Vec<u32>; 2])> {
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
        sets.map(sorted_unique)
    };
    let sets: Vec<[Vec<u32>; 2]> = (0..all.len()).map(sets).collect();
    all.into_iter().zip(sets).collect()
}
