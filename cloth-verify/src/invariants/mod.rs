//! What is measured of a state, besides its intersections: each file one figure, with its definition.

mod order;
mod penetration;
mod stretch;

pub use order::{Cap, OrderFaults, order_faults};
pub use penetration::deepest_penetration;
pub use stretch::{MeasuredEdge, MeasuredEdges, Strain};
