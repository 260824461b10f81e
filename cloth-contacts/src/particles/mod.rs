//! Self-collision of vertices as balls, the cheap kind (Lewin 2018, section 4.1; Cincotti; NvCloth).
//!
//! ```text
//! rules            which vertices collide, and at which distance: radii, rest distances, exclusions, regions
//! bounding_balls   bounds of each vertex over several steps, in a frame that moves with the cloth
//! detect           pairs of near balls, kept until a vertex leaves its ball; in canonical order
//! contact          closest approach of two moving points
//! ```
//!
//! Features between the vertices are ignored: an edge may pass through a face, a vertex between four others.
//! Use `intersect` to check a state.

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
