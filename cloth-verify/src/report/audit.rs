//! What an independent auditor found on the path of the substeps.

use cloth_show::report::Figure;
use serde::{Deserialize, Serialize};

use crate::audit::AuditFigures;

/// The audit of a run. All counts are the same on every machine, with every broad phase and any number of
/// threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Audit {
    /// Accepted substeps that the auditor received.
    pub motions: u64,
    /// Of those, the ones whose pairs were tested; fewer where it samples.
    pub tested_motions: u64,
    /// Pairs with overlapping swept boxes, summed over the tested substeps.
    pub pairs: u64,
    /// Of those, the ones that a separating plane proved apart.
    pub separated_by_plane: u64,
    /// The others, which the exact reference decided.
    pub decided_exactly: u64,
    /// Pairs that met although nothing exempts them: 0, or the gate is wrong.
    pub crossings: u64,
    /// Substeps whose pairs were compared with those that the gate examined.
    pub completeness_motions: u64,
    /// Pairs nearer than their clearance that the gate did not examine: 0, or its lists are wrong.
    pub completeness_violations: u64,
    /// Pairs with overlapping boxes that a tangle exempts, summed over the tested substeps.
    pub exempt_pair_substeps: u64,
    /// The most of them that are expected; none where nothing is known of the scene.
    pub max_exempt_pair_substeps: Option<u64>,
    /// Pairs with overlapping boxes that their author exempts, summed over the tested substeps.
    pub authored_pair_substeps: u64,
    /// Failures of every kind.
    pub failures: u64,
    /// Time of the auditor, as a multiple of the time of the steps.
    pub time_ratio: Figure,
}

impl Audit {
    /// From the figures of an auditor, the time of the steps (s), and the exempt pair-substeps that are
    /// expected at most.
    #[must_use]
    pub fn from_figures(
        figures: &AuditFigures,
        step_seconds: f64,
        max_exempt_pair_substeps: Option<u64>,
    ) -> Self {
        Self {
            motions: figures.motions,
            tested_motions: figures.tested_motions,
            pairs: figures.pairs,
            separated_by_plane: figures.planes,
            decided_exactly: figures.exact,
            crossings: figures.crossings,
            completeness_motions: figures.completeness_motions,
            completeness_violations: figures.completeness_violations,
            exempt_pair_substeps: figures.exempt_pair_substeps,
            max_exempt_pair_substeps,
            authored_pair_substeps: figures.authored_pair_substeps,
            failures: figures.failures,
            time_ratio: (figures.time.as_secs_f64() / step_seconds).into(),
        }
    }
}
