//! The exact judge, the gate and the cloth simulation as a WebAssembly module with TypeScript types.
//!
//! ```text
//! scenes      the scenes of the page: scenarios of cloth-verify, and those that need a hand or wind
//! playback    one scene, frame by frame, with what a visitor changes
//! drag        a hand of limited force on a few vertices
//! pick        which face a ray hits first
//! simulation  a playback as a JavaScript class
//! check       mesh files, judged as `cloth check` does
//! outfit      garments, judged together with the bodies that wear them
//! judge       meshes, verdicts and certifiers over typed arrays
//! arrays      typed arrays of JavaScript that show memory of the module
//! ```
//!
//! What simulates is plain Rust over the scenarios of cloth-verify: the frames are those of the command
//! `cloth`.

mod arrays;
mod check;
mod drag;
mod judge;
mod outfit;
mod pick;
mod playback;
mod scenes;
mod simulation;

pub use check::{MeshCheck, check_schema_version, find_subjects, forget, package_version, provide};
pub use judge::{Certificate, Certifier, Mesh, MotionVerdict, StateVerdict, StepVerdict};
pub use outfit::OutfitCheck;
pub use pick::{Hit, Ray};
pub use playback::{FrameError, Playback};
pub use scenes::{Choice, SceneError, WebScene, find, scenes};
pub use simulation::Simulation;
