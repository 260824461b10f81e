//! Where hits are, and how long a contour is: the only questions here that need positions.

use cloth_geom::Topology;
use nalgebra::Point3;

use super::{Contour, End};

impl Contour {
    /// Length (m) of all segments together, in `f64` without a guarantee: a measure of progress, not a
    /// verdict.
    ///
    /// In a tangled contour a pair of faces with more than two hits counts from its first hit to each other
    /// one. Positions that are missing or not finite count as no length.
    #[must_use]
    pub fn length(&self, positions: &[Point3<f64>], topology: &Topology) -> f64 {
        let lengths = self.segments.iter().filter_map(|segment| {
            let [from, to] = segment.ends.map(|end| self.point(end, positions, topology));
            Some((to? - from?).norm()).filter(|length| length.is_finite())
        });
        lengths.sum()
    }

    /// Position of an end of a segment (m); `None` if an id is out of range.
    #[must_use]
    pub fn point(&self, end: End, positions: &[Point3<f64>], topology: &Topology) -> Option<Point3<f64>> {
        match end {
            End::Hit(hit) => hit_point(*self.hits.get(hit as usize)?, positions, topology),
            End::Vertex(v) => positions.get(v as usize).copied(),
        }
    }
}

/// The intersection (m) of an edge with the plane of a face, clamped to the edge; its midpoint if both are
/// coplanar.
///
/// `None` if an id is out of range.
#[must_use]
pub fn hit_point([e, f]: [u32; 2], positions: &[Point3<f64>], topology: &Topology) -> Option<Point3<f64>> {
    let at = |v: u32| positions.get(v as usize).copied();
    let [p, q] = *topology.edges().get(e as usize)?;
    let [a, b, c] = *topology.faces().get(f as usize)?;
    let (p, q, a, b, c) = (at(p)?, at(q)?, at(a)?, at(b)?, at(c)?);
    let normal = (b - a).cross(&(c - a));
    let [above, below] = [(p - a).dot(&normal), (q - a).dot(&normal)];
    let share = if above == below { 0.5 } else { (above / (above - below)).clamp(0.0, 1.0) };
    Some(p + (q - p) * share)
}
