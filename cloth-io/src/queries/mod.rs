//! Query files of continuous collision detection, as the public data sets write them.
//!
//! ```text
//! queries      8 rows a query, x, y and z of a corner as xn,xd,yn,yd,zn,zd and perhaps a label:
//!                edge-edge     a0 a1 b0 b1   at the start, then the same four at the end
//!                vertex-face   v  f0 f1 f2   at the start, then the same four at the end
//! labels       [true, false, ...]              a word a query, in the order of the queries
//! boxes        [[i, j], ...]                   a pair of primitives a query, in the order of the labels
//! enclosures   query,collides,toi_lo,toi_hi,always_coplanar
//! ```
//!
//! A coordinate is a quotient of integers and is read exactly, or refused: the verdicts that these files are
//! made to judge are exact, and a coordinate that was rounded would have another answer.

mod enclosures;
mod layout;
mod lists;
mod rational;
mod rows;
mod write;

use std::fmt;

use nalgebra::Point3;

pub use enclosures::{Enclosure, parse_enclosures, read_enclosures};
pub use layout::{QueryScene, default_label_file, enclosures_in, files_below};
pub use lists::{read_labels, read_pair_ids};
pub use rational::{RationalError, exact_quotient, to_quotient};
pub use rows::{parse_queries, read_queries};
pub use write::write_queries;

/// Which primitives a query asks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum QueryKind {
    /// A vertex (first) and a face.
    VertexFace,
    /// Two edges.
    EdgeEdge,
}

impl QueryKind {
    /// Its word, as the folders of the data sets are named.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::VertexFace => "vertex-face",
            Self::EdgeEdge => "edge-edge",
        }
    }

    /// Its two letters, as the files of the data sets end.
    #[must_use]
    pub fn letters(self) -> &'static str {
        match self {
            Self::VertexFace => "vf",
            Self::EdgeEdge => "ee",
        }
    }
}

impl fmt::Display for QueryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The four corners of a pair at both ends of a linear motion, in the order of the file; all finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovingPair {
    /// Positions at the start (m).
    pub t0: [Point3<f64>; 4],
    /// Positions at the end (m).
    pub t1: [Point3<f64>; 4],
}

/// What a query file holds; which primitives they are stands in its path, if anywhere.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueryFile {
    /// The queries, at least one.
    pub queries: Vec<MovingPair>,
    /// Whether each collides, if the file has a seventh column.
    pub labels: Option<Vec<bool>>,
}
