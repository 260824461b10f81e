//! Intersection contours: intersections of a state, joined to curves with two sides.
//!
//! The exact state check reports which edges meet which faces. Two such hits are adjacent if they are in the
//! same pair of faces, because two triangles intersect in a segment. The hits of a state thus form
//! *contours*, the curves along which two parts of the cloth intersect:
//!
//! ```text
//!          f                        hit (e, f): edge e of faces g and g' meets face f
//!     .---------.                   pair {g, f}: the segment between two hits
//!     |  g   g' |
//!   --x===x===x---->  contour       a pair with one hit ends at a vertex that its faces share: a loop vertex
//!     |   e     |                   an edge with one face is a border: the contour ends there
//!     '---------'
//! ```
//!
//! The two faces of a pair are on opposite sides, and crossing an edge of a sheet stays on that sheet: each
//! contour has two sides. Topology suffices, except for lengths. Degenerate input is supported: hits that
//! branch form a contour of kind `Tangled`.
//!
//! For cloth and a body with an inside, `body_orientation` and `body_interior` find the cloth inside the
//! body.
//!
//! Sources: Baraff, Witkin and Kass, "Untangling Cloth" (2003) for contours and enclosed regions; Wicke,
//! Lanker and Gross, "Untangling Cloth with Boundaries" (2006) for open contours.

mod body_interior;
mod body_orientation;
#[cfg(test)]
mod body_tests;
#[cfg(test)]
mod brute_force;
mod contour;
#[cfg(test)]
mod fixtures;
mod length;
mod links;
#[cfg(test)]
mod real_data_tests;
mod rings;
mod sheet_parts;
mod sides;
#[cfg(test)]
mod tests;
mod trace;

pub use body_interior::{BodyCrossing, InteriorTraversal, body_crossings};
pub use body_orientation::{BodyOrientation, PushDirection};
pub use contour::{Contour, ContourKind, End, Segment};
pub use length::hit_point;
pub use rings::Rings;
pub use sheet_parts::{SheetParts, SheetSplitter, enclosed_vertices};
pub use trace::{Tracer, trace};
