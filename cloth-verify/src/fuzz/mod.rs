//! Fuzz campaigns: many small random scenes run with the gate, each checked by means independent of the gate.
//!
//! ```text
//! seed -> scene (generate) -> simulation (build, world) -> steps and calls (player)
//!              |                                                 |
//!              |                    every substep audited (check), features that acted (feature_observer)
//!              |                    a second run with equal bits (repeat), an equivalent scene (metamorphic)
//!              |                                                 |
//!              +--> failure: written to a file (campaign), minimised (shrink)
//! ```
//!
//! A scene is a function of its seed alone. The scenes of a campaign have consecutive seeds, so each of them
//! can be run as the first scene of another campaign.

mod build;
mod campaign;
mod check;
mod feature_observer;
mod features;
mod figures;
mod folded;
mod generate;
mod lag;
mod mesh;
mod metamorphic;
mod player;
mod random;
mod repeat;
mod scene;
mod script;
mod shrink;
mod sleepers;
#[cfg(test)]
mod tests;
mod world;

pub use campaign::{CampaignEvent, CampaignOptions, FuzzFailure, campaign};
pub use check::{SceneOutcome, check_scene, crosses_ungated};
pub use figures::FuzzFigures;
pub use mesh::FuzzMesh;
pub use scene::{
    FORMAT, FuzzAttachment, FuzzBody, FuzzCarrier, FuzzCloth, FuzzCollider, FuzzDrive, FuzzMotion, FuzzPin,
    FuzzScene, FuzzWorld, MetamorphicVariant, RegionFaces, RegionRule, Repeat, read_scene,
};
pub use script::{Jumping, SNAPSHOT_SLOTS, ScriptCall, ScriptEntry, StepFailure};
pub use shrink::shrink;
