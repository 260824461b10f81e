//! Where hits are, and how long a contour is: the only questions here that need positions.

use cloth_geom::Topology;
use cloth_geom::closest::{point_segment, point_triangle, segment_segment};
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

/// Coordinates (m) that are greater are scaled first: products of three overflow from 1e102 m on.
const FAR: f64 = 1e100;

/// Where an edge and a face that meet do (m), in `f64` without a guarantee: on the edge, where it crosses the
/// plane of the face, or if that is outside of the face, as where both are coplanar, at the nearest of the
/// points where the edge begins, ends, or comes nearest to a side or a corner.
///
/// `None` if an id is out of range.
#[must_use]
pub fn hit_point([e, f]: [u32; 2], positions: &[Point3<f64>], topology: &Topology) -> Option<Point3<f64>> {
    let at = |v: u32| positions.get(v as usize);
    let [p, q] = *topology.edges().get(e as usize)?;
    let [a, b, c] = *topology.faces().get(f as usize)?;
    let corners = [at(p)?, at(q)?, at(a)?, at(b)?, at(c)?];
    let largest = corners.iter().map(|corner| corner.coords.amax()).fold(0.0, f64::max);
    if !(FAR..=f64::MAX).contains(&largest) {
        return meeting_point(corners);
    }
    let exponent = libm::ilogb(largest) + 2;
    let scaled = |p: &Point3<f64>, by: i32| p.map(|c| libm::scalbn(c, by));
    let meeting = meeting_point(corners.map(|corner| scaled(corner, -exponent)).each_ref())?;
    Some(scaled(&meeting, exponent))
}

/// The same for the ends of an edge and the corners of a face, which are within [`FAR`].
fn meeting_point([p, q, a, b, c]: [&Point3<f64>; 5]) -> Option<Point3<f64>> {
    let normal = (b - a).cross(&(c - a));
    let [from, to] = [normal.dot(&(p - a)), normal.dot(&(q - a))];
    let on_plane = (from / (from - to)).clamp(0.0, 1.0);
    let sides = [[a, b], [b, c], [c, a]];
    let on_sides = sides.map(|side| segment_segment([p, q], side).s);
    let on_corners = [a, b, c].map(|corner| point_segment(corner, p, q).weights[1]);
    let shares = [on_plane, 0.0, 1.0].into_iter().chain(on_sides).chain(on_corners);
    let points = shares.filter(|share| share.is_finite()).map(|share| p + (q - p) * share);
    let distance = |point: &Point3<f64>| point_triangle(point, [a, b, c]).distance_sq;
    points.min_by(|x, y| distance(x).total_cmp(&distance(y)))
}
