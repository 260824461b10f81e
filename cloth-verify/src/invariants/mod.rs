//! What is measured of a state, besides its intersections: each file one figure, with its definition.

mod order;
mod penetration;
mod sides;
mod stretch;

pub use order::{Cap, OrderFaults, order_faults};
pub use penetration::deepest_penetration;
pub use sides::{Breach, Cell, DEEP, breach};
pub use stretch::{MeasuredEdge, MeasuredEdges, Strain};
