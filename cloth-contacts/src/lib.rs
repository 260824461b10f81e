//! Predictive cloth contacts and exact self-intersection checks.
//!
//! This crate reads positions and moves nothing. [`Detector`] finds the contacts that a step has to respect
//! (Lewin, "Cloth Self Collision with Predictive Contacts", 2018); `intersect` decides exactly whether a
//! state is free of intersections, `tangle` joins what it finds to contours with two sides, `ccd` decides whether and when
//! two primitives in motion meet, and `impacts` which ones did between two states.
//!
//! ```text
//! positions, displacements --> boxes --> candidates --> contacts      (detect, collider)
//! positions                -----------> broad phase --> verdict       (intersect) --> contours (tangle)
//! positions, positions     -----------> broad phase --> verdict       (impacts, by ccd)
//! ```

mod authored_regions;
mod block;
mod cache;
pub mod collider;
mod contacts;
mod detect;
pub mod edge_edge;
#[cfg(feature = "mutations")]
#[doc(hidden)]
pub mod faults;
pub mod gate;
pub mod impacts;
pub mod intersect;
mod layers;
mod motion;
mod narrow_phase_error;
mod parallel;
pub mod particles;
mod patches;
pub mod point_triangle;
mod regions;
pub mod rep_tri;
mod rest_distance;

mod surface;
pub mod tangle;
#[cfg(test)]
#[path = "../../xtask/src/test_data.rs"]
mod test_data;

pub use cache::{CacheError, CachedContacts, CachedPair, ContactCache};
#[doc(inline)]
pub use cloth_ccd as ccd;
pub use contacts::Contacts;
pub use detect::{DetectError, DetectStats, Detector};
pub use edge_edge::EdgeEdge;
pub use layers::Rank;
pub use motion::Motion;
pub use particles::{ParticleDetector, ParticleRules, PointPoint};
pub use point_triangle::{PointTriangle, Side};
pub use regions::{Interaction, Interactions, Regions};
pub use surface::{Surface, SurfaceDesc, SurfaceError};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeDoctests;
