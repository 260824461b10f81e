#![doc = include_str!("../README.md")]

mod animated_figure;
pub mod audit;
mod by_model;
pub mod check;
mod choice;
mod control_kind;
pub mod fuzz;
mod human;
mod interrupt;
pub mod invariants;
pub mod recording;
#[cfg(feature = "render")]
pub mod render;
pub mod report;
mod run;
pub mod scenario;
pub mod scenarios;
mod setup_error;
mod verify;
mod view;
mod wearer;
mod workload;

pub use animated_figure::{AnimatedFigure, FigurePose};
pub use by_model::ByModel;
pub use choice::{
    BroadPhaseChoice, ChoiceError, ModelChoice, PlayerChoice, SelfCollision, Size, WithBroadPhase,
};
pub use cloth_broadphase;
pub use cloth_certify;
pub use cloth_character;
pub use cloth_contacts;
pub use cloth_geom;
pub use cloth_io;
pub use cloth_scene;
pub use cloth_solver;
pub use human::{FittedCharacter, human};
pub use interrupt::Interrupt;
pub use nalgebra;
pub use run::{OnProgress, RunOptions, RunOutcome, run};
pub use scenarios::human_dress;
pub use serde_json;
pub use verify::{
    AuditFailure, Phase, Progress, VerifyError, VerifyEvent, VerifyOptions, VerifyOutcome, verify,
};
pub use view::Direction;
pub use wearer::{BodyKind, Wearer};
pub use workload::Workload;

#[cfg(doctest)]
mod guides {
    #[doc = include_str!("../../docs/guide/engine.md")]
    struct Engine;
    #[doc = include_str!("../../docs/guide/researcher.md")]
    struct Researcher;
}
