#![doc = include_str!("../README.md")]

mod aabb;
pub mod bounds;
mod box_tree;
mod closed;
pub mod closest;
pub mod exact;
pub mod fixtures;
mod hash;
#[doc(hidden)]
pub mod lanes;
mod map_inline;
mod mesh;
mod pool;
mod repair;
mod sorted;
pub mod surface_tree;
mod topology;
mod validate;

pub use aabb::Aabb;
pub use box_tree::BoxTree;
pub use closed::is_closed;
#[doc(hidden)]
pub use hash::{Fnv1a, fnv1a};
#[doc(hidden)]
pub use map_inline::MapInline;
pub use mesh::TriMesh;
pub use nalgebra;
#[doc(hidden)]
pub use pool::Pool;
pub use repair::{Action, RepairError, RepairPolicy, Repaired, repair};
pub use sorted::sorted_unique;
pub use surface_tree::SurfaceTree;
#[doc(hidden)]
pub use topology::disjoint_sets::DisjointSets;
pub use topology::{Components, Hinge, RepresentativeBits, Topology, TopologyError};
pub use validate::{Problem, ProblemKind, is_sliver, validate, validate_with_topology};
