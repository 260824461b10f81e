//! The campaign: many small random scenes, each through the gate, each judged by other means than the gate's.
//!
//! ```text
//! seed -> scene (generate) -> simulation (build, pieces) -> steps and calls (play)
//!              |                                                 |
//!              |                    every substep audited (judge), what acted (evidence, features)
//!              |                    a second run with equal bits (agree), a twin that is as clean (twins)
//!              |                                                 |
//!              +--> fails: a file at once (campaign), smaller and smaller (shrink), run again (limits)
//! ```
//!
//! A scene is a function of its seed alone. The scenes of a campaign have consecutive seeds, so that any of them is the first of
//! another campaign.

mod agree;
mod build;
mod campaign;
mod dice;
mod evidence;
mod features;
mod figures;
mod folded;
mod form;
mod generate;
mod impossible;
mod judge;
mod limits;
mod pieces;
mod play;
mod scene;
mod script;
mod settings;
mod shrink;
#[cfg(test)]
mod tests;
mod twins;
mod world;

pub use campaign::{CampaignOptions, Event, FuzzFailure, campaign};
pub use features::{Feature, FeatureSet};
pub use figures::{FuzzFigures, ScarcePair};
pub use form::Form;
pub use impossible::impossible;
pub use judge::{Prepare, Unchanged, Verdict, crosses_ungated, judge};
pub use limits::read_scene;
pub use scene::{
    Agreement, Body, Carried, Driven, FORMAT, FuzzScene, Kind, Meeting, Obstacle, Patch, Piece, Pin, Rule,
    Seam, Spring, Twin, Way, World,
};
pub use script::{Call, Entry, Failing, SLOTS};
pub use settings::{FuzzSettings, Source};
pub use shrink::shrink;
