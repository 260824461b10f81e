//! What is found of a job, and the JSON of a run.

use cloth_show::check::{OutfitStatesReport, SCHEMA_VERSION, StatesReport};
use serde::Serialize;

/// The JSON of a run.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct RunReport {
    schema_version: u32,
    meshes: Vec<Judged>,
    /// Files that could not be judged.
    rejected: Vec<RejectedFile>,
    /// Whether a signal ended the run early: the last mesh has the states until then, later ones are left
    /// out.
    interrupted: bool,
}

/// A mesh, or with `--body` garments with their bodies.
#[derive(Debug, Serialize, schemars::JsonSchema)]
#[serde(untagged)]
pub(super) enum Judged {
    Mesh(Box<StatesReport>),
    Outfit(Box<OutfitStatesReport>),
}

/// A file that could not be judged, and why.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct RejectedFile {
    pub(super) path: String,
    pub(super) error: String,
}

impl RunReport {
    pub(super) fn new(meshes: Vec<Judged>, rejected: Vec<RejectedFile>, interrupted: bool) -> Self {
        Self { schema_version: SCHEMA_VERSION, meshes, rejected, interrupted }
    }
}

impl Judged {
    /// The block for a terminal, each line ended.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Mesh(report) => report.text(),
            Self::Outfit(report) => report.text(),
        }
    }

    pub(super) fn name(&self) -> String {
        match self {
            Self::Mesh(report) => report.path().to_owned(),
            Self::Outfit(report) => report.name(),
        }
    }

    /// All of it in a line.
    pub(super) fn verdict(&self) -> String {
        match self {
            Self::Mesh(report) => report.verdict(),
            Self::Outfit(report) => report.verdict(),
        }
    }

    pub(super) fn is_clean(&self) -> bool {
        match self {
            Self::Mesh(report) => report.is_clean(),
            Self::Outfit(report) => report.is_clean(),
        }
    }

    /// Whether a signal kept no state from being judged.
    pub(super) fn is_whole(&self) -> bool {
        match self {
            Self::Mesh(report) => report.is_whole(),
            Self::Outfit(report) => report.is_whole(),
        }
    }
}
