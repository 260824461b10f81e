//! The JSON of a verify run, field by field. Adding a field keeps [`SCHEMA_VERSION`]; a changed meaning
//! raises it.

use cloth_geom::lanes;
use cloth_show::report::{Figure, Intersections, PerFrame, Provenance, RunReport};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use super::Audit;

/// Of the JSON that [`VerifyReport`] writes.
pub const SCHEMA_VERSION: u32 = 4;

/// A verify run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VerifyReport {
    /// [`SCHEMA_VERSION`] when it was written.
    pub schema_version: u32,
    /// Program, machine, date and arguments; none in old reports, and where nobody has said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// Threads the simulation was allowed; times are comparable only at the same number.
    pub threads: usize,
    /// The widest vector instructions that are used (`avx512`, `avx2`, `sse2`, `neon` or
    /// `simd128`); empty in old reports.
    #[serde(default)]
    pub instruction_set: String,
    /// Whether every scenario passed, and there was one.
    pub pass: bool,
    /// Whether the run was ended early: the last scenario has the frames until then, later ones are left out.
    #[serde(default)]
    pub interrupted: bool,
    /// One entry for each scenario, size, broad phase and gate setting that ran.
    pub scenarios: Vec<ScenarioReport>,
}

impl VerifyReport {
    /// The report of scenarios that ran on some number of threads. A run of nothing does not pass: it proves
    /// nothing.
    #[must_use]
    pub fn new(threads: usize, scenarios: Vec<ScenarioReport>) -> Self {
        let pass = !scenarios.is_empty() && scenarios.iter().all(|s| s.run.pass);
        Self {
            schema_version: SCHEMA_VERSION,
            provenance: None,
            threads,
            instruction_set: lanes::level_name(lanes::level()).into(),
            pass,
            interrupted: false,
            scenarios,
        }
    }

    /// Says that the run was ended early, which proves nothing either.
    pub fn interrupt(&mut self) {
        self.interrupted = true;
        self.pass = false;
    }
}

/// One scenario: what it was, what was found, whether that was expected.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScenarioReport {
    /// The run itself. It passes if every expectation of the scenario held, and of its control if it has one.
    #[serde(flatten)]
    pub run: RunReport,
    /// `small`, `medium` or `large`.
    pub size: String,
    /// The broad phase, as `--broadphase` takes it.
    pub broadphase: String,
    /// Which faces make contacts with colliders: `off`, `auto` or `on`.
    pub face_contacts: String,
    /// What an auditor found on the path of the substeps; none if the run was not audited.
    #[serde(default)]
    pub audit: Option<Audit>,
    /// Crossings of cloth by the axes of guarded colliders; none if no collider is guarded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis_crossings: Option<AxisCrossings>,
    /// Cloth against the skin of the character that wears it; none without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skin: Option<SkinContact>,
    /// How many of its cases hold; none if it has no cases.
    pub cases: Option<Cases>,
    /// The cells that lost a vertex to the wrong side, case and name.
    #[serde(default)]
    pub failed_cells: Vec<String>,
    /// The same scene without what it is meant to test.
    pub control: Control,
    /// Intersections of the same scene with self-collision and without the gate; none if it was not run so.
    #[serde(default)]
    pub ungated: Option<Intersections>,
    /// Intersections of the same scene with layers without order; none for scenes that have no such layers.
    pub without_layer_order: Option<Intersections>,
    /// Figures of each frame.
    pub per_frame: ControlledFrames,
}

/// The same scene with self collision, gate and layers off, or with the scenario's own control.
///
/// A scenario whose control is clean proves nothing: its cloth would not have met itself anyway.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Control {
    /// What was switched off; empty if no control was run.
    pub name: String,
    /// Why the scenario has no control under the elastic model of the run; none if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absence: Option<String>,
    /// Intersections in its worst frame.
    pub max_intersections: u64,
    /// Intersections in its last frame.
    pub final_intersections: u64,
    /// Whether it must intersect for the scenario to pass; a control that must stretch instead need not.
    pub expected_to_intersect: bool,
    /// 99th percentile of its stretch along warp and weft, in its worst frame.
    pub stretch_p99: Figure,
    /// How many of the cases hold with it; none if there are no cases.
    pub cases: Option<Cases>,
}

impl Control {
    /// Whether there was a control.
    #[must_use]
    pub fn was_run(&self) -> bool {
        !self.name.is_empty()
    }
}

/// Cloth against the skin of the character that wears it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SkinContact {
    /// As what the character collides: `proxies`, `skin` or `both`.
    pub body: String,
    /// Pairs of an edge and a face, one of cloth and one of skin, that have a point in common.
    pub cloth_skin: Intersections,
    /// Depth (m) of the deepest vertex of cloth below the skin, over all frames.
    pub deepest_m: Figure,
    /// The same in the last frame.
    pub last_deepest_m: Figure,
    /// The same over all frames of the control; none if it was not measured there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control_deepest_m: Option<Figure>,
}

/// Pairs of the axis of a guarded collider and of cloth that met, by exact detection of all pairs, summed
/// over the substeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AxisCrossings {
    /// In the run.
    pub run: u64,
    /// In the control; none if it was not run.
    pub control: Option<u64>,
}

/// Cases of a scenario that consists of many: cells in which vertices must stay on their side of a collider.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cases {
    /// Cells in which every vertex stayed on its side in every frame.
    pub passed: usize,
    /// All cells.
    pub total: usize,
    /// The same by the letter of the case.
    pub by_case: BTreeMap<String, Share>,
}

/// How many of some passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Share {
    /// Those that did.
    pub passed: usize,
    /// All.
    pub total: usize,
}

/// Figures of each frame, and of its control, for charts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ControlledFrames {
    /// Of the run.
    #[serde(flatten)]
    pub run: PerFrame,
    /// Intersections of the control after each frame.
    pub control_intersections: Vec<u64>,
}
