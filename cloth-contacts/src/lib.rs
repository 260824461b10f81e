//! Predictive cloth contacts and exact self-intersection checks.
//!
//! This crate reads positions and moves nothing. [`Detector`] finds the contacts that a step has to respect
//! (Lewin, "Cloth Self Collision with Predictive Contacts", 2018); `intersect` decides exactly whether a
//! state is free of intersections.
//!
//! ```text
//! positions, displacements --> boxes --> candidates --> contacts      (detect, collider)
//! positions                -----------> broad phase --> verdict       (intersect)
//! ```

mod balls;
mod candidates;
pub mod collider;
mod detect;
pub mod edge_edge;
mod history;
pub mod intersect;
mod pair_list;
mod paths;
pub mod point_triangle;
mod quiet;
mod rest_distance;
mod surface;
mod touched;

pub use candidates::Motion;
pub use detect::{Contacts, DetectError, DetectStats, Detector, Horizon};
pub use edge_edge::EdgeEdge;
pub use point_triangle::{PointTriangle, Side};
pub use surface::{Surface, SurfaceDesc, SurfaceError};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeDoctests;
