//! Cloth scenarios, invariants, controls, reports and pictures.

mod choice;
pub mod render;
pub mod report;
pub mod scenario;
pub mod scenarios;
mod verify;

pub use choice::{BroadPhaseChoice, ChoiceError, Size};
pub use verify::{Phase, Progress, VerifyError, VerifyOptions, VerifyOutcome, verify};
