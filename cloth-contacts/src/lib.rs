#![doc = include_str!("../README.md")]

#[macro_use]
mod fault;

mod authored_regions;
mod cache;
pub mod collider;
mod contacts;
mod coordinate;
mod detect;
pub mod edge_edge;
#[cfg(faults)]
mod faults;
pub mod gate;
pub mod impacts;
pub mod intersect;
mod layers;
mod leaves;
mod lists;
mod motion;
mod narrow_phase_error;
mod parallel;
mod part_shape;
pub mod particles;
pub mod point_triangle;
mod regions;
mod rest_distance;

mod surface;
mod surface_error;
pub mod tangle;

pub use cache::{CacheError, CachedContacts, CachedPair, ContactCache};
pub use cloth_broadphase;
#[doc(inline)]
pub use cloth_ccd as ccd;
pub use cloth_geom;
pub use contacts::Contacts;
pub use coordinate::Coordinate;
pub use detect::{DetectError, DetectStats, Detector};
pub use edge_edge::EdgeEdge;
pub use layers::Rank;
pub use motion::Motion;
pub use nalgebra;
#[doc(hidden)]
pub use parallel::{filter_map, for_each_piece, in_pieces};
#[cfg(feature = "parry")]
pub use parry3d;
pub use part_shape::PartShape;
pub use particles::{ParticleDetector, ParticleRules, PointPoint};
pub use point_triangle::{PointTriangle, Side};
pub use regions::{Interaction, Interactions, Regions};
pub use surface::{Surface, SurfaceDesc};
pub use surface_error::SurfaceError;
