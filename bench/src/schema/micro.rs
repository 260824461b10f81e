//! Results of small queries: geometric kernels, broad phases, continuous collision detection.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Times of a call (ns).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CallTimes {
    /// Median over the repetitions of the mean over the inputs.
    pub median: f64,
    /// Fastest repetition.
    pub low: f64,
    /// Slowest repetition.
    pub high: f64,
}

/// One implementation of a geometric query.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KernelResult {
    /// `point-triangle`, `segment-segment`, `ray-triangle` or `orient3d`.
    pub kernel: String,
    /// The crate and function: `parry3d project_local_point`.
    pub contender: String,
    /// Version of the crate.
    pub version: String,
    /// Whether it is a part of this project.
    pub own: bool,
    /// The inputs: `random`, `near-degenerate`.
    pub input: String,
    /// Number of inputs.
    pub queries: usize,
    /// Time a query; none if it was not measured.
    pub ns: Option<CallTimes>,
    /// What the answers were compared with.
    pub checked_against: String,
    /// Answers that differ from it by more than the rounding of the result's type, or in sign.
    pub wrong: u64,
    /// Largest difference (m) for distances, 0 for signs; none where it has no meaning.
    pub largest_error_m: Option<f64>,
}

/// One broad phase on one set of boxes or points.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BroadPhaseResult {
    /// The crate and structure: `cloth-broadphase BlockTree`.
    pub contender: String,
    /// Version of the crate.
    pub version: String,
    /// Whether it is a part of this project.
    pub own: bool,
    /// The boxes: `edges of a crumpled sheet`.
    pub input: String,
    /// `boxes` (all overlapping pairs) or `points` (all pairs within a distance).
    pub question: String,
    /// Number of boxes or points.
    pub items: usize,
    /// Pairs that were found.
    pub pairs: u64,
    /// Pairs that the exact set has and it did not find.
    pub missing: u64,
    /// Pairs that it reported and the exact set does not have.
    pub extra: u64,
    /// Time to build it (ms).
    pub build_ms: f64,
    /// Time to update it to moved boxes (ms); none if it must be built again.
    pub refit_ms: Option<f64>,
    /// Time to report all pairs (ms).
    pub query_ms: f64,
}

/// One method of continuous collision detection on one set of queries.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CcdResult {
    /// The crate and method: `cloth-ccd filtered`.
    pub contender: String,
    /// Version of the crate.
    pub version: String,
    /// Whether it is a part of this project.
    pub own: bool,
    /// The queries: `random point-triangle`.
    pub input: String,
    /// Number of queries.
    pub queries: usize,
    /// Queries of which exact arithmetic says that they collide.
    pub positives: usize,
    /// Collisions that were missed.
    pub false_negatives: u64,
    /// Collisions that do not exist.
    pub false_positives: u64,
    /// Times of impact later than the exact one.
    pub late: u64,
    /// Time a query.
    pub ns: CallTimes,
    /// Why it does not apply; empty if it does. Where it does not, the other figures are 0.
    pub unsupported: String,
}
