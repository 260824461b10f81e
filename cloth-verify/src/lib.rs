//! Cloth scenarios, invariants, controls, reports and pictures.
//!
//! [`verify()`] runs [`scenarios`] and judges every frame exactly; [`report`] writes what it found, [`render`] draws
//! it. [`run()`] does the same for one scenario, which may be a caller's own.

mod animated_figure;
pub mod audit;
mod choice;
mod figure;
pub mod fuzz;
mod interrupt;
pub mod invariants;
pub mod render;
pub mod report;
mod run;
pub mod scenario;
pub mod scenarios;
mod verify;
mod workload;

pub use animated_figure::{AnimatedFigure, FigurePose};
pub use choice::{BroadPhaseChoice, ChoiceError, SelfCollision, Size, WithBroadPhase};
pub use figure::{Capsule, CapsuleFigure};
pub use interrupt::Interrupt;
pub use run::{OnProgress, RunOptions, RunOutcome, run};
pub use verify::{
    AuditFailure, Phase, Progress, VerifyError, VerifyEvent, VerifyOptions, VerifyOutcome, verify,
};
pub use workload::Workload;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeDoctests;
