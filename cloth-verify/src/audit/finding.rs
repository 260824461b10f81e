//! What an audit found: failures with enough to reproduce them, and figures.

use std::time::Duration;

use nalgebra::Point3;
use serde::{Deserialize, Serialize};

use super::pair::{MotionPath, Pair};

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// A pair that nothing exempts met during a motion: certified cloth crossed or touched.
    Crossing,
    /// A state has an intersection that nothing exempts.
    Intersection,
    /// A pair came within its clearance, and the gate did not examine it.
    Incomplete,
    /// A motion does not begin where the last one ended, though nobody said that the state was replaced.
    Jump,
    /// A cut did more than put cloths that it names, and bodies, elsewhere as a whole.
    FalseCut,
    /// The gate released two primitives of cloth from each other.
    ClothReleased,
    /// The simulation claims to have certified an intersection that the auditor counts as tangled.
    FalseClaim,
}

/// A failure that an audit found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What is wrong.
    pub kind: FindingKind,
    /// The step, from 0; those that failed count.
    pub step: u64,
    /// The substep, from 0.
    pub substep: u32,
    /// The pair, if there is one.
    pub pair: Option<Pair>,
    /// Bits of the coordinates of its vertices at the start of the motion.
    pub x_t0: Vec<[u32; 3]>,
    /// The same at the end.
    pub x_t1: Vec<[u32; 3]>,
    /// What is wrong, as a sentence.
    pub what: String,
}

impl Finding {
    /// A failure of a pair in a motion.
    pub(super) fn of_pair(kind: FindingKind, pair: Pair, path: &MotionPath<'_>, what: String) -> Self {
        let bits = |at: &[Point3<f32>]| {
            pair.vertices.iter().map(|&v| [0, 1, 2].map(|k| at[v as usize][k].to_bits())).collect()
        };
        let (x_t0, x_t1) = (bits(path.t0), bits(path.t1));
        Self { kind, step: 0, substep: 0, pair: Some(pair), x_t0, x_t1, what }
    }

    /// One of no pair.
    pub(super) fn of_state(kind: FindingKind, what: String) -> Self {
        Self { kind, step: 0, substep: 0, pair: None, x_t0: Vec::new(), x_t1: Vec::new(), what }
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "step {}, substep {}: {}", self.step, self.substep, self.what)
    }
}

/// Counts of an audit; all but the time are the same on every machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AuditFigures {
    /// Motions that the auditor received.
    pub motions: u64,
    /// Of those, the ones whose pairs were tested; fewer if it samples.
    pub tested_motions: u64,
    /// Pairs with overlapping boxes that were tested, summed over the motions.
    pub pairs: u64,
    /// Of those, the ones that a plane proved apart.
    pub planes: u64,
    /// The others: decided by the exact reference.
    pub exact: u64,
    /// Pairs with overlapping boxes that were not tested because a tangle or a released body exempts them,
    /// summed over the motions.
    pub exempt_pair_substeps: u64,
    /// Pairs with overlapping boxes that were not tested because their author exempts them, summed over the
    /// motions.
    pub authored_pair_substeps: u64,
    /// Certified pairs that met.
    pub crossings: u64,
    /// Pairs within their clearance that the gate did not examine.
    pub completeness_violations: u64,
    /// Motions whose pairs were compared with those that the gate examined.
    pub completeness_motions: u64,
    /// Failures of every kind, those that were not kept included.
    pub failures: u64,
    /// Intersections at the first state.
    pub tangled_at_start: u64,
    /// Cloths that were cut, summed over the motions.
    pub cuts: u64,
    /// Bodies, and axes of guarded colliders, that went along with a cut, summed over the motions.
    pub cut_bodies: u64,
    /// Motions in which the gate released a body.
    pub motions_with_releases: u64,
    /// Wall-clock time of the auditor.
    pub time: Duration,
}

impl AuditFigures {
    /// Adds the counts of some pairs of a motion.
    pub(super) fn add_pairs(&mut self, part: &Self) {
        self.pairs += part.pairs;
        self.planes += part.planes;
        self.exact += part.exact;
        self.exempt_pair_substeps += part.exempt_pair_substeps;
        self.authored_pair_substeps += part.authored_pair_substeps;
        self.crossings += part.crossings;
        self.completeness_violations += part.completeness_violations;
    }
}
