//! USD: flat text layers (`.usda`), in and out.
//!
//! ```text
//! text --scan--> tokens --layer--> prims, and where their values stand --stage--> one mesh and its states
//!                                  xform, sampled: transformations, and values between samples --^
//! ```
//!
//! What is read is a stage as one layer has it: meshes below transformations, at the times of their samples.
//! Positions are in the space of the stage, in metres and y up, whatever unit and axis it has. What other
//! layers, variants or instances bring in is refused: flat files have none. A value is read when it is asked
//! for, so that memory is that of the file and of a frame.
//!
//! A cut is a held sample: just before the sample that it leads to stands another one that equals the sample
//! before.

use std::path::Path;

use crate::format::extension;

mod layer;
mod sampled;
mod scan;
mod stage;
mod writer;
mod xform;

pub(crate) use layer::FLATTEN;
pub use stage::UsdMesh;
pub use writer::{UsdPrim, UsdWriter, write_usd};

/// Whether the extension is that of a text layer of USD, or one that such a layer may have.
#[must_use]
pub fn is_usd(path: &Path) -> bool {
    ["usda", "usd"].contains(&extension(path).as_str())
}

/// How long before a frame a held sample is written, in time codes.
const HELD: f64 = 1e-3;

/// The longest time between a held sample and the next, in time codes, that is read as a cut.
const MOST_HELD: f64 = 1e-2;
