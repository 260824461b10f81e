#![doc = include_str!("../README.md")]

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

pub use animated_figure::{AnimatedFigure, FigurePose};
pub use choice::{BroadPhaseChoice, ChoiceError, SelfCollision, Size, WithBroadPhase};
pub use figure::{Capsule, CapsuleFigure};
pub use interrupt::Interrupt;
pub use run::{OnProgress, RunOptions, RunOutcome, run};
pub use verify::{AuditFailure, Phase, Progress, VerifyError, VerifyOptions, VerifyOutcome, verify};
