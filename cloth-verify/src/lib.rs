#![doc = include_str!("../README.md")]

mod animated_figure;
pub mod audit;
mod by_model;
mod choice;
mod control_kind;
pub mod fuzz;
pub mod report;
mod run;
pub mod scenario;
pub mod scenarios;
mod setup_error;
mod verify;
mod wearer;
mod workload;

pub use animated_figure::{AnimatedFigure, FigurePose};
pub use by_model::ByModel;
pub use choice::{ModelChoice, SelfCollision, Size};
pub use cloth_broadphase;
pub use cloth_certify;
pub use cloth_character;
pub use cloth_contacts;
pub use cloth_geom;
pub use cloth_io;
pub use cloth_scene;
pub use cloth_show;
pub use cloth_solver;
pub use nalgebra;
pub use run::{OnProgress, RunOptions, RunOutcome, run};
pub use serde_json;
pub use verify::{
    AuditFailure, Phase, Progress, VerifyError, VerifyEvent, VerifyOptions, VerifyOutcome, verify,
};
pub use wearer::Wearer;
pub use workload::Workload;

#[cfg(doctest)]
mod guides {
    #[doc = include_str!("../../docs/guide/engine.md")]
    struct Engine;
    #[doc = include_str!("../../docs/guide/researcher.md")]
    struct Researcher;
}
