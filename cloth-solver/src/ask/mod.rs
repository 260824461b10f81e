//! What a simulation is asked between two steps, and what it reports of a step.
//!
//! | file | answers |
//! |---|---|
//! | `queries` | what is the state: positions, contacts, normals, bounds, energy, tangles? |
//! | `intersections` | which parts intersect, exactly? |
//! | `report` | what happened in the last step, and how long did it take? |
//! | `motion` | which motion was accepted in a substep? |
//! | `display` | where is a finer mesh that is bound to the cloth? |
//! | `render_mesh` | which cloth does a vertex buffer describe, and what are its vertices now? |
//!
//! The types are re-exported from the root of the crate. Each file has its own place in the order of modules.

pub(crate) mod display;
pub(crate) mod intersections;
pub(crate) mod motion;
pub(crate) mod queries;
pub(crate) mod render_mesh;
pub(crate) mod report;
