//! Exemptions: which pairs the gate does not guard, why, and for how long.
//!
//! | exempt pair | from | until |
//! |---|---|---|
//! | whose regions all ignore each other; two bodies | construction of the surface | always |
//! | with stitched or excluded vertices | construction of the surface | always |
//! | on opposite sides of a tangle | its detection | an inspection finds no intersection in it |
//! | cloth and body that could not be kept apart; cloth that touches and cannot move | a motion | its end |
//!
//! No other pair is exempt, and no exemption ends without a check. A tangle ends when an exact check of the
//! whole state finds no intersection among its pairs; from then on they are certified. After a motion in
//! which a pair with a body was released, its intersections are admitted as a tangle before the next motion
//! starts.

use nalgebra::Point3;

use super::Gate;
use super::inspection::{Admission, Inspection};
use super::pair::Pair;
use super::tangle_set::TangleSet;
use crate::intersect::IntersectError;
use crate::{Coordinate, Surface};

/// The reason why the gate does not guard a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exemption {
    /// All their regions ignore each other, or both are bodies. Permanent.
    Region,
    /// They have stitched or excluded vertices. Permanent.
    Exclusion,
    /// They are on opposite sides of a tangle that is not resolved.
    Tangle {
        /// Number of motions certified before the tangle was found.
        since: u64,
    },
    /// The pair was released in the last motion; see [`Gate::released`].
    Released,
}

impl Surface {
    /// The reason why a pair is permanently exempt; `None` if the gate guards it or an id is out of range.
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

impl<C, T: Coordinate> Gate<C, T> {
    /// The reason why a pair is exempt; `None` if the gate guards it.
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

/// The exemptions of a [`Gate`] by tangles.
///
/// They are part of the simulation state. A caller who restores positions must restore the exemptions as well
/// ([`Gate::set_exemptions`]); otherwise an intersection that belonged to a tangle would be taken for a
/// certified pair. The default has no exemptions.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Exemptions(TangleSet);

impl Exemptions {
    /// Whether these can be exemptions of a surface: a value that was read from a file may be malformed.
    #[must_use]
    pub fn fit(&self, surface: &Surface) -> bool {
        self.0.is_well_formed(surface.topology.vertex_count())
    }
}

impl<C, T: Coordinate> Gate<C, T> {
    /// A copy of the exemptions, to restore with [`Gate::set_exemptions`].
    #[must_use]
    pub fn exemptions(&self) -> Exemptions {
        Exemptions(self.tangle_set.clone())
    }

    /// As [`Gate::exemptions`], into an existing value whose memory is reused.
    pub fn exemptions_into(&self, exemptions: &mut Exemptions) {
        exemptions.0.clone_from(&self.tangle_set);
    }

    /// Replaces the exemptions by those of the state in which the next motion starts, or by the default,
    /// which is none.
    pub fn set_exemptions(&mut self, exemptions: &Exemptions) {
        self.tangle_set.clone_from(&exemptions.0);
    }

    /// Checks a whole state (m) exactly against exemptions that [fit](Exemptions::fit) the surface, before it
    /// is known that they belong together. The gate itself does not change.
    ///
    /// # Errors
    /// As [`Gate::inspect`].
    pub fn check_exemptions(
        &mut self,
        surface: &Surface,
        positions: &[Point3<T>],
        exemptions: &Exemptions,
        admit: Admission,
    ) -> Result<Inspection, IntersectError> {
        self.inspector.inspect(surface, positions, &exemptions.0, admit)
    }
}
