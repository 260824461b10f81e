//! A contour: the hits along it, how it ends, and the faces on its two sides.

/// How a contour runs. An end *inside* is a vertex that the two faces of a pair share (a loop vertex), or a
/// pair whose other hit the caller left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContourKind {
    /// A cycle.
    Closed,
    /// A path both ends of which are on the border of a sheet.
    Boundary,
    /// A path with at least one end inside the cloth.
    Open,
    /// It branches, or more than two of its hits lie in one pair of faces: sheets that touch in vertices or
    /// edges, lie in a common plane, or are not manifold.
    Tangled,
}

/// One end of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The hit with this index in [`Contour::hits`].
    Hit(u32),
    /// A vertex that both faces share.
    Vertex(u32),
}

/// The part of a contour in one pair of faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The face on the first side, and that on the second.
    pub faces: [u32; 2],
    /// Where it begins and ends. Both are the same if the pair has a single hit and its faces share no
    /// vertex.
    pub ends: [End; 2],
}

/// A connected curve along which two parts of a mesh cut each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contour {
    /// The `[edge, face]` that meet: in order along a path or cycle, and ascending if the contour is tangled.
    pub hits: Vec<[u32; 2]>,
    /// For each hit the side, 0 or 1, to which its edge belongs; its face belongs to the other.
    pub edge_sides: Vec<u8>,
    /// The pairs of faces that it passes, ascending by the lesser and then the greater face. A pair with more
    /// than two hits has a segment from its first hit to each other one.
    pub segments: Vec<Segment>,
    /// How it runs.
    pub kind: ContourKind,
    /// The faces on its first and on its second side, ascending. The first has the lesser face of the first
    /// segment.
    pub sides: [Vec<u32>; 2],
    /// Whether a face is on both sides, or the sides are exchanged along the contour. The sides are
    /// meaningless then, and both lists may contain the same faces.
    pub both_sided: bool,
}

impl Contour {
    /// A contour without hits.
    pub(super) fn empty() -> Self {
        Self {
            hits: Vec::new(),
            edge_sides: Vec::new(),
            segments: Vec::new(),
            kind: ContourKind::Closed,
            sides: [Vec::new(), Vec::new()],
            both_sided: false,
        }
    }
}
