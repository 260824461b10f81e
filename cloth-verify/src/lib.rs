//! Cloth scenarios, invariants, controls, reports and pictures.

pub mod render;
pub mod report;
