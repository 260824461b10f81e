//! The book of exemptions: which pairs the gate does not guard, why, since when, and until when.
//!
//! | who may be exempt | since | until |
//! |---|---|---|
//! | two primitives of which every region passes through every region of the other; two bodies | the surface was built | for good |
//! | primitives with vertices that are stitched together or excluded | the surface was built | for good |
//! | a primitive of the one side of a tangle and one of the other | the state in which the tangle was found | the first inspection that finds no intersection in the tangle |
//! | cloth and a body, neither of which could be held back; cloth that touches from the start and cannot move | a motion | the end of that motion |
//!
//! Nothing else is, and no exemption ends without a check. A tangle ends when an exact check of the whole state finds none of its pairs
//! intersecting: from then on they are certified apart. After a motion in which a body was released, what intersects with it is
//! admitted as a tangle before the next motion begins.

use super::Gate;
use super::pair::Pair;
use super::tangle_set::TangleSet;
use crate::Surface;

/// Why the gate does not guard a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exemption {
    /// Every region of the one passes through every region of the other, or both are bodies: for good.
    Region,
    /// Vertices of theirs are stitched together or excluded: for good.
    Exclusion,
    /// They are of the two sides of a tangle that was found after this many motions, and that is not yet resolved.
    Tangle {
        /// Motions that the gate had certified before.
        since: u64,
    },
    /// Neither could be held back in the last motion; see [`Gate::released`].
    Released,
}

impl Surface {
    /// Why a pair is exempt for good; none if the gate has to guard it. None also for ids that the surface does not have.
    #[must_use]
    pub fn permanent_exemption(&self, pair: Pair) -> Option<Exemption> {
        if !pair.exists_in(&self.topology) {
            return None;
        }
        let groups = &self.groups;
        let [a, b] = match pair {
            Pair::PointTriangle([v, f]) => [groups.of_vertex[v as usize], groups.of_face[f as usize]],
            Pair::EdgeEdge(edges) => edges.map(|e| groups.of_edge[e as usize]),
        };
        if !groups.gated.interact(a, b) {
            return Some(Exemption::Region);
        }
        let corners = pair.corners(&self.topology);
        let (a, b) = corners.sides();
        self.excluded(a, b).then_some(Exemption::Exclusion)
    }
}

impl<B> Gate<B> {
    /// Why a pair is exempt; none if the gate guards it.
    #[must_use]
    pub fn exemption(&self, surface: &Surface, pair: Pair) -> Option<Exemption> {
        if !pair.exists_in(&surface.topology) {
            return None;
        }
        let corners = pair.corners(&surface.topology);
        let released = || self.released.contains(pair).then_some(Exemption::Released);
        let tangled = || self.tangle_set.since(&corners).map(|since| Exemption::Tangle { since });
        surface.permanent_exemption(pair).or_else(tangled).or_else(released)
    }
}

/// The pairs that a [`Gate`] leaves alone: those between the two sides of its tangles.
///
/// They belong to a state as its positions do: a caller who returns to an earlier state has to return to its exemptions as well
/// ([`Gate::set_exemptions`]), or an intersection that was a tangle then is taken for certified.
/// The default is none.
#[derive(Clone, Debug, Default)]
pub struct Exemptions(TangleSet);

impl<B> Gate<B> {
    /// The pairs that the gate leaves alone, to return to with [`Gate::set_exemptions`].
    #[must_use]
    pub fn exemptions(&self) -> Exemptions {
        Exemptions(self.tangle_set.clone())
    }

    /// The same as [`Gate::exemptions`], into those of an earlier call, whose memory is used again.
    pub fn exemptions_into(&self, exemptions: &mut Exemptions) {
        exemptions.0.clone_from(&self.tangle_set);
    }

    /// Replaces the exemptions: by those of the state that the next motion starts in, or by the default, which is none.
    pub fn set_exemptions(&mut self, exemptions: &Exemptions) {
        self.tangle_set.clone_from(&exemptions.0);
    }
}
