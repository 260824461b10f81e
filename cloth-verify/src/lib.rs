//! Cloth scenarios, invariants, controls, reports and pictures.
