#![doc = include_str!("../README.md")]

mod any_broad_phase;
mod block_tree;
mod box_f32;
mod boxes;
mod broad_phase;
mod brute_force;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
pub mod cull;
mod filter;
#[cfg(feature = "kd-tree")]
mod kd_tree;
mod pairs;
#[cfg(feature = "parry")]
mod parry_bvh;
mod run;
mod sink;
mod sort;
mod spatial_hash;
mod sweep;
mod sweep_and_prune;
mod sweep_grid;

pub use any_broad_phase::AnyBroadPhase;
pub use block_tree::BlockTree;
pub use boxes::{Boxes, BoxesError};
pub use broad_phase::BroadPhase;
pub use brute_force::BruteForce;
pub use cloth_geom;
pub use filter::{GroupTable, Members, PairFilter};
#[cfg(feature = "kd-tree")]
pub use kd_tree::KdTree;
pub use nalgebra;
pub use pairs::Pairs;
#[cfg(feature = "parry")]
pub use parry_bvh::ParryBvh;
pub use spatial_hash::SpatialHash;
pub use sweep::{Sweep, SweepError};
pub use sweep_and_prune::SweepAndPrune;
pub use sweep_grid::{PointGrid, PointsError, SweepGrid};
