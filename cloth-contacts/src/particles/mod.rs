//! Vertices that keep apart as balls: the cheap kind of self collision (Lewin 2018, section 4.1; Cincotti; NvCloth).
//!
//! ```text
//! which vertices, how far apart   rules     radii, rest distances, exclusions, lists, the table of regions
//! where each stays for a while    balls     in a frame that moves with the cloth
//! pairs whose balls are near      detect    kept until a vertex leaves its ball; in canonical order
//! pairs that will be near         contact   exact closest approach of two moving points
//! ```
//!
//! Balls are blind to whatever slips between them: an edge through a face, a vertex between four others. A look at the
//! state (`intersect`) tells; nothing here does.

mod bounding_balls;
mod brute_force;
mod conflict;
mod contact;
mod detect;
mod rules;

pub use brute_force::brute_force;
pub use conflict::RestConflict;
pub use contact::{PointApproach, PointPoint, predict};
pub use detect::{ParticleDetector, ParticleStats, Search};
pub use rules::{ParticleRules, ParticleRulesDesc, RestRule};
