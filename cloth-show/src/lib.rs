#![doc = include_str!("../README.md")]

pub mod check;
pub mod choice;
mod direction;
mod failure;
pub mod human;
mod interrupt;
pub mod invariants;
#[cfg(feature = "player")]
pub mod player;
#[cfg(feature = "program")]
pub mod program;
pub mod recording;
#[cfg(feature = "pictures")]
pub mod render;
pub mod report;
pub mod run;
mod run_files;
pub mod shapes;
pub mod stage;
mod style;
pub mod sweep;

pub use cloth_broadphase;
pub use cloth_certify;
pub use cloth_character;
pub use cloth_contacts;
pub use cloth_geom;
pub use cloth_io;
pub use cloth_scene;
pub use cloth_solver;
pub use direction::Direction;
pub use failure::Failure;
pub use interrupt::Interrupt;
pub use nalgebra;
pub use run_files::RunFiles;
pub use serde_json;
pub use style::STYLE_SHEET;
