//! Where cloth has gone through itself: hits joined to contours, and what lies on either side of them.
//!
//! The exact state check tells which edges meet which faces. Two such hits are neighbours if they lie in the same pair of
//! faces, because two triangles meet in a segment; so the hits of a state fall into *contours*, the curves along which two
//! parts of the cloth cut each other:
//!
//! ```text
//!          f                        hit (e, f): edge e of faces g and g' meets face f
//!     .---------.                   pair {g, f}: the segment between two hits
//!     |  g   g' |
//!   --x===x===x---->  contour       a pair with one hit ends in a vertex that its faces share: a loop vertex
//!     |   e     |                   an edge with one face ends it too: it leaves over the border
//!     '---------'
//! ```
//!
//! Within a pair the two faces are on opposite sides, and whoever crosses an edge of a sheet stays on that sheet: so each
//! contour has two sides. Nothing here needs positions but lengths, and nothing panics on degenerate input: hits that branch
//! are a contour of their own kind.
//!
//! Of cloth and a body that has an inside it is known besides which part is where it should not be: `orientation` and `inner` tell.
//!
//! Sources: Baraff, Witkin and Kass, "Untangling Cloth" (2003) for contours and their insides; Wicke, Lanker and Gross,
//! "Untangling Cloth with Boundaries" (2006) for those that end.

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
pub use rings::{Rings, k_ring};
pub use sheet_parts::{SheetParts, SheetSplitter, enclosed_vertices, split_sheets};
pub use trace::{Tracer, trace};
