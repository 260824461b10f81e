//! Triangle meshes, closest points, and exact intersection predicates for cloth.
//!
//! This crate knows no time, no mass and no pairs. Coordinates are metres, y is up. Meshes and boxes hold
//! `f64`, which represents every `f32` and every `f64` file exactly, so that one exact verdict serves both.

mod aabb;
pub mod bounds;
pub mod closest;
pub mod exact;
pub mod fixtures;
mod hash;
pub mod lanes;
mod mesh;
mod pool;
mod repair;
mod topology;
mod validate;

pub use aabb::Aabb;
pub use hash::fnv1a;
pub use mesh::TriMesh;
pub use pool::Pool;
pub use repair::{Action, RepairError, RepairPolicy, Repaired, repair};
pub use topology::disjoint_sets::DisjointSets;
pub use topology::{Components, Hinge, RepresentativeBits, Topology, TopologyError};
pub use validate::{Problem, ProblemKind, validate};

/// The example of the README, compiled and run with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct ReadmeExample;
