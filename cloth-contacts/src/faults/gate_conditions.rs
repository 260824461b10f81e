//! Replaces `gate/conditions.rs`: the same conditions, one of which may be faulty.

use nalgebra::Point3;

#[path = "../gate/conditions.rs"]
mod sound;

use super::Gate;
use super::pair::{Pair, PairCorners};
use super::rounds::RoundCertifier;
use super::separation::Direction;
use crate::Coordinate;
use crate::faults::Weakness;
use crate::lists::skipping::Skipping;

/// The conditions with one fault.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Conditions {
    sound: sound::Conditions,
    weakness: Weakness,
}

impl Conditions {
    #[cfg(test)]
    pub(super) const SOUND: Self = Self { sound: sound::Conditions::SOUND, weakness: Weakness::None };

    pub(super) fn is_due(
        self,
        certifier: &RoundCertifier<'_, impl Coordinate>,
        corners: &PairCorners,
    ) -> bool {
        let last = certifier.round - 1;
        match self.weakness {
            Weakness::SkipReproof => last == 0,
            Weakness::ReproveFirstVertexOnly => {
                last == 0 || certifier.last_changed[corners.vertices[0] as usize] == last
            }
            _ => self.sound.is_due(certifier, corners),
        }
    }

    pub(super) fn is_guarded(
        self,
        certifier: &RoundCertifier<'_, impl Coordinate>,
        pair: Pair,
        corners: &PairCorners,
    ) -> bool {
        let is_overlooked = match self.weakness {
            Weakness::SkipEdgeEdge => matches!(pair, Pair::EdgeEdge(_)),
            Weakness::DropOneInAThousand => scattered(pair).is_multiple_of(1000),
            Weakness::RegionOfFirstFace => !first_faces_interact(certifier, pair),
            _ => false,
        };
        !is_overlooked && self.sound.is_guarded(certifier, pair, corners)
    }

    pub(super) fn separates(
        self,
        direction: &Direction,
        corners: &PairCorners,
        [t0, t1]: [&[Point3<f64>; 4]; 2],
    ) -> bool {
        match self.weakness {
            Weakness::PlaneAtTheEndOnly => direction.separates(corners, t1).is_some(),
            _ => self.sound.separates(direction, corners, [t0, t1]),
        }
    }

    pub(super) fn decide(
        self,
        undecided: &[Pair],
        meets: impl Fn(&Pair) -> bool + Send + Sync,
        scratch: &mut Vec<Vec<Pair>>,
        conflicts: &mut Vec<Pair>,
    ) {
        if self.weakness != Weakness::IgnoreAThread || undecided.len() <= sound::CHUNK {
            return self.sound.decide(undecided, meets, scratch, conflicts);
        }
        // The results of the second task are lost.
        let tasks = undecided.chunks(sound::CHUNK).enumerate().filter(|&(task, _)| task != 1);
        tasks.for_each(|(_, chunk)| conflicts.extend(chunk.iter().copied().filter(&meets)));
    }
}

/// A hash of a pair, independent of its position.
fn scattered(pair: Pair) -> u32 {
    let (Pair::PointTriangle([a, b]) | Pair::EdgeEdge([a, b])) = pair;
    (a.wrapping_mul(0x9e37_79b1) ^ b.wrapping_mul(0x85eb_ca77)).wrapping_mul(0xc2b2_ae3d) >> 8
}

/// Whether the gate guards the first faces of two primitives.
fn first_faces_interact(certifier: &RoundCertifier<'_, impl Coordinate>, pair: Pair) -> bool {
    let (topology, groups) = (&certifier.surface.topology, &certifier.surface.groups);
    let first = |faces: &[u32]| faces.first().map(|&f| groups.of_face[f as usize]);
    let [a, b] = match pair {
        Pair::PointTriangle([v, f]) => [first(topology.vertex_faces(v as usize)), first(&[f])],
        Pair::EdgeEdge(edges) => edges.map(|e| first(topology.edge_faces(e as usize))),
    };
    a.zip(b).is_none_or(|(a, b)| groups.gated.interact(a, b))
}

impl<C, T: Coordinate> Gate<C, T> {
    /// Injects a fault into the gate.
    #[doc(hidden)]
    pub fn weaken(&mut self, weakness: Weakness) {
        self.conditions.weakness = weakness;
        self.lists.skipping = Skipping::with_weakness(weakness);
    }

    /// The injected fault.
    #[doc(hidden)]
    #[must_use]
    pub fn weakness(&self) -> Weakness {
        self.conditions.weakness
    }
}
