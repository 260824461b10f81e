//! What is measured of a state, apart from its intersections: each file one figure, with its definition.

mod order;
mod penetration;
mod rigid;
mod sides;
mod skin;
mod stretch;

pub use order::{OrderFaults, OrderRegion, order_faults};
pub use penetration::{DeepFace, DepthObserver, deepest_vertex};
pub use rigid::{RigidObserver, RigidTrack};
pub use sides::{ColliderCell, MAX_DEPTH, SideViolation, side_violation};
pub use skin::{SkinFaces, SkinFigures, SkinObserver};
pub use stretch::{MeasuredEdges, Strain};
