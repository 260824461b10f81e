//! Distance from a surface of triangles, and on which side of it a point is.
//!
//! One tree serves both. A node holds the box of its triangles, for distances, and the dipole of their areas,
//! for winding numbers of points far from it (Barill, Dickson, Schmidt, Levin and Jacobson 2018, *Fast
//! winding numbers for soups and clouds*, its first two terms):
//!
//! ```text
//! winding number = sum of solid angles / 4 pi            1 inside, 0 outside of a closed surface
//!                ~ (d . n / |d|^3 + tr M / |d|^3 - 3 d . M d / |d|^5) / 4 pi       of a node far from p
//! d = center - p,   n = sum of area vectors,   M = sum of area vectors times (centroid - center)
//! ```
//!
//! A point is inside where the winding number is above 1/2 ([`INSIDE`]). In a closed surface it is a whole
//! number; in a union of closed parts that penetrate each other it is 1 or more inside of any; over a hole of
//! an open surface it passes 1/2 where the hole covers as much of the view as the surface does.

use nalgebra::{Matrix3, Point3, Vector3};

use crate::{Aabb, BoxTree, MapInline, closest::point_triangle};

/// A point with a winding number above this is inside.
pub const INSIDE: f64 = 0.5;

/// Triangles in a leaf.
const LEAF: usize = 6;

/// A node stands for its triangles at distances above this many of its radii; Barill's beta. Around three
/// garments and bodies of 25,000 to 48,000 triangles, from 1e-6 of their size on, the error is at most 0.025.
const FAR: f64 = 2.5;

/// Two numbers as [`FAR`], and how far from [`INSIDE`] a winding number has to be to decide with each. The
/// errors are at most 0.088 and 0.0043 around the same; what they leave open is summed.
const MARGINS: [(f64, f64); 2] = [(1.5, 0.25), (6.0, 0.02)];

/// A tree of triangles.
///
/// ```
/// use cloth_geom::{SurfaceTree, fixtures::icosphere};
/// use nalgebra::Point3;
///
/// let ball = icosphere(3, 1.0)?;
/// let tree = SurfaceTree::new(ball.faces.iter().map(|face| face.map(|v| ball.positions[v as usize])));
/// assert!(tree.is_inside(&Point3::new(0.5, 0.0, 0.0)) && !tree.is_inside(&Point3::new(1.5, 0.0, 0.0)));
/// assert!((tree.distance(&Point3::new(3.0, 0.0, 0.0)) - 2.0).abs() < 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SurfaceTree {
    boxes: BoxTree,
    /// Corners of the triangles, in the order of the tree.
    triangles: Vec<[Point3<f64>; 3]>,
    /// One for each node.
    dipoles: Vec<Dipole>,
}

/// What stands for the triangles of a node far from them.
#[derive(Clone, Debug, Default)]
struct Dipole {
    /// Centre of the areas, from which the radius is measured.
    center: Point3<f64>,
    /// Square of the distance of its farthest point.
    radius_sq: f64,
    /// Sum of normals times areas.
    moment: Vector3<f64>,
    /// Sum of these times the way from the centre to each triangle's.
    second: Matrix3<f64>,
    trace: f64,
    /// Sum of areas.
    area: f64,
}

impl SurfaceTree {
    /// Builds a tree of triangles (m), counter-clockwise seen from outside; those that are not finite are
    /// left out.
    #[must_use]
    pub fn new(triangles: impl IntoIterator<Item = [Point3<f64>; 3]>) -> Self {
        let finite = |t: &[Point3<f64>; 3]| t.iter().all(|p| p.iter().all(|x| x.is_finite()));
        let triangles: Vec<_> = triangles.into_iter().filter(finite).collect();
        if triangles.is_empty() {
            return Self::default();
        }
        let boxes = BoxTree::new(&triangles, LEAF);
        let triangles: Vec<_> = boxes.order().iter().map(|&t| triangles[t as usize]).collect();
        // Children come after their parents.
        let mut dipoles = vec![Dipole::default(); boxes.node_count()];
        for node in (0..dipoles.len()).rev() {
            let (bounds, places) = boxes.node(node);
            dipoles[node] = match boxes.children(node) {
                None => Dipole::of_triangles(&triangles[places], bounds),
                Some(children) => Dipole::of_parts(children.map(|child| &dipoles[child]), bounds),
            };
        }
        Self { boxes, triangles, dipoles }
    }

    /// The winding number of a point (m): about 1 inside a closed part, 2 inside two, 0 outside; error below
    /// 0.05.
    #[must_use]
    pub fn winding_number(&self, point: &Point3<f64>) -> f64 {
        self.winding_number_with(point, FAR)
    }

    /// Whether a point (m) is inside: whether its winding number, summed over all triangles, is above
    /// [`INSIDE`]. Correct but for points as near to the surface as the sum has rounding errors.
    #[must_use]
    pub fn is_inside(&self, point: &Point3<f64>) -> bool {
        for (far, margin) in MARGINS {
            let above = self.winding_number_with(point, far) - INSIDE;
            if above.abs() > margin {
                return above > 0.0;
            }
        }
        reference::winding_number(&self.triangles, point) > INSIDE
    }

    fn winding_number_with(&self, point: &Point3<f64>, far: f64) -> f64 {
        if self.triangles.is_empty() {
            return 0.0;
        }
        let mut near = AngleSum::default();
        let of_far = self.wind(0, point, far * far, &mut near);
        (of_far + 2.0 * near.total()) / (4.0 * std::f64::consts::PI)
    }

    /// The solid angle of the nodes that are far, and half of that of the triangles of the others.
    fn wind(&self, node: usize, point: &Point3<f64>, far_sq: f64, near: &mut AngleSum) -> f64 {
        let dipole = &self.dipoles[node];
        let to = dipole.center - point;
        let distance_sq = to.norm_squared();
        if distance_sq > far_sq * dipole.radius_sq && distance_sq > 0.0 {
            let second = dipole.trace - 3.0 * to.dot(&(dipole.second * to)) / distance_sq;
            return (to.dot(&dipole.moment) + second) / (distance_sq * distance_sq.sqrt());
        }
        match self.boxes.children(node) {
            Some([left, right]) => {
                self.wind(left, point, far_sq, near) + self.wind(right, point, far_sq, near)
            }
            None => {
                self.triangles[self.boxes.node(node).1].iter().for_each(|t| near.add(half_angle(point, t)));
                0.0
            }
        }
    }

    /// The distance (m) of a point from the surface; infinite if there is none.
    #[must_use]
    pub fn distance(&self, point: &Point3<f64>) -> f64 {
        self.nearest(point).map_or(f64::INFINITY, |(distance, _)| distance)
    }

    /// The distance (m) of a point from the surface, and the corners of the nearest triangle; none if there
    /// is no triangle.
    #[must_use]
    pub fn nearest(&self, point: &Point3<f64>) -> Option<(f64, &[Point3<f64>; 3])> {
        self.nearest_beyond(point, -1.0)
    }

    /// Whether a triangle is within `reach` (m) of a point; the sooner found out, the shorter that is.
    #[must_use]
    pub fn is_within(&self, point: &Point3<f64>, reach: f64) -> bool {
        let mut is_within = false;
        // The next number, since a box at the reach is not visited.
        self.boxes.visit_near(point, (reach * reach).next_up(), |place| {
            let [a, b, c] = &self.triangles[place];
            is_within |= point_triangle(point, [a, b, c]).distance_sq.sqrt() <= reach;
            if is_within { 0.0 } else { (reach * reach).next_up() }
        });
        is_within
    }

    /// As [`Self::nearest`], and none if that is at most `floor` (m): the first triangle as near as that ends
    /// the search.
    #[must_use]
    pub fn nearest_beyond(&self, point: &Point3<f64>, floor: f64) -> Option<(f64, &[Point3<f64>; 3])> {
        let (mut best, mut nearest) = (f64::INFINITY, None);
        let is_beyond = |distance_sq: f64| distance_sq.sqrt() > floor;
        self.boxes.visit_near(point, best, |place| {
            let [a, b, c] = &self.triangles[place];
            let distance_sq = point_triangle(point, [a, b, c]).distance_sq;
            if distance_sq < best {
                (best, nearest) = (distance_sq, Some(place));
            }
            if is_beyond(best) { best } else { 0.0 }
        });
        let found = nearest.filter(|_| is_beyond(best));
        found.map(|place| (best.sqrt(), &self.triangles[place]))
    }
}

impl Dipole {
    fn of_triangles(triangles: &[[Point3<f64>; 3]], bounds: &Aabb) -> Self {
        let parts = triangles.iter().map(|[a, b, c]| {
            let moment = (b - a).cross(&(c - a)) / 2.0;
            let center = Point3::from((a.coords + b.coords + c.coords) / 3.0);
            Self { center, moment, area: moment.norm(), ..Self::default() }
        });
        let mut all = Self::joined(parts, bounds);
        let corners = triangles.iter().flatten();
        all.radius_sq = corners.map(|p| (p - all.center).norm_squared()).fold(0.0, f64::max);
        all
    }

    fn of_parts(parts: [&Self; 2], bounds: &Aabb) -> Self {
        let mut all = Self::joined(parts.into_iter().cloned(), bounds);
        let of_part = |part: &Self| (part.center - all.center).norm() + part.radius_sq.sqrt();
        let corner = (bounds.max - all.center).sup(&(all.center - bounds.min));
        let radius = corner.norm().min(of_part(parts[0]).max(of_part(parts[1])));
        all.radius_sq = radius * radius;
        all
    }

    /// The sum of parts, about the centre of their areas, or that of the box if they have none.
    fn joined(parts: impl Iterator<Item = Self> + Clone, bounds: &Aabb) -> Self {
        let mut all = Self::default();
        let mut weighted = Vector3::zeros();
        for part in parts.clone() {
            all.moment += part.moment;
            all.area += part.area;
            weighted += part.center.coords * part.area;
        }
        let center = Point3::from(weighted / all.area);
        let is_finite = center.iter().all(|x| x.is_finite());
        all.center = if is_finite { center } else { nalgebra::center(&bounds.min, &bounds.max) };
        for part in parts {
            all.second += part.second + part.moment * (part.center - all.center).transpose();
        }
        all.trace = all.second.trace();
        all
    }
}

/// Half of the signed solid angle of a triangle, positive seen from behind, as `[sine, cosine]` times a
/// number above zero (Van Oosterom and Strackee 1983).
#[inline]
fn half_angle(point: &Point3<f64>, [a, b, c]: &[Point3<f64>; 3]) -> [f64; 2] {
    let [a, b, c] = [a, b, c].map_inline(|p| p - point);
    let [la, lb, lc] = [a, b, c].map_inline(|v| v.norm());
    let over = a.dot(&b.cross(&c));
    let under = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
    [over, under]
}

/// A sum of angles, each above `-pi` and at most `pi`, of which only one arc tangent is taken: a product of
/// complex numbers, and how often it went around.
#[derive(Clone, Copy, Debug)]
struct AngleSum {
    sine: f64,
    cosine: f64,
    turns: f64,
}

impl Default for AngleSum {
    fn default() -> Self {
        Self { sine: 0.0, cosine: 1.0, turns: 0.0 }
    }
}

impl AngleSum {
    #[inline]
    fn add(&mut self, [sine, cosine]: [f64; 2]) {
        let size = (sine * sine + cosine * cosine).sqrt();
        // A point on an edge or a corner has no angle there, and one beyond all numbers none at all.
        if !(size > 0.0 && size.is_finite()) {
            return;
        }
        let [sine, cosine] = [sine / size, cosine / size];
        let (before, is_forward) = (self.sine, sine > 0.0 || (sine == 0.0 && cosine < 0.0));
        [self.sine, self.cosine] =
            [self.sine * cosine + self.cosine * sine, self.cosine * cosine - self.sine * sine];
        // Forward from the upper half plane into the lower one, it passed `pi`; backward the other way round.
        if is_forward && before >= 0.0 && self.sine < 0.0 {
            self.turns += 1.0;
        } else if !is_forward && before < 0.0 && self.sine >= 0.0 {
            self.turns -= 1.0;
        }
    }

    fn total(&self) -> f64 {
        libm::atan2(self.sine, self.cosine) + self.turns * std::f64::consts::TAU
    }
}

/// The reference implementation: all triangles, one after the other.
pub mod reference {
    use super::{Point3, half_angle};

    /// The winding number of a point (m), summed over triangles (m).
    #[must_use]
    pub fn winding_number(triangles: &[[Point3<f64>; 3]], point: &Point3<f64>) -> f64 {
        let half = |t: &[Point3<f64>; 3]| {
            let [over, under] = half_angle(point, t);
            libm::atan2(over, under)
        };
        triangles.iter().map(half).sum::<f64>() / (2.0 * std::f64::consts::PI)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::TriMesh;
    use crate::fixtures::icosphere;

    fn ball(x: f64) -> TriMesh {
        icosphere(3, 1.0).unwrap().translated(Vector3::new(x, 0.0, 0.0))
    }

    fn triangles_of(mesh: &TriMesh) -> Vec<[Point3<f64>; 3]> {
        mesh.faces.iter().map(|face| face.map(|v| mesh.positions[v as usize])).collect()
    }

    fn distance_of_all(triangles: &[[Point3<f64>; 3]], point: &Point3<f64>) -> f64 {
        let squares = triangles.iter().map(|[a, b, c]| point_triangle(point, [a, b, c]).distance_sq);
        squares.fold(f64::INFINITY, f64::min).sqrt()
    }

    #[test]
    fn a_point_in_two_balls_winds_twice() {
        let tree = SurfaceTree::new([ball(0.0), ball(0.8)].iter().flat_map(triangles_of));
        let winds = |x: f64| tree.winding_number(&Point3::new(x, 0.0, 0.0));
        assert!((winds(0.4) - 2.0).abs() < 0.05 && (winds(-0.6) - 1.0).abs() < 0.05);
        assert!(winds(2.5).abs() < 0.05);
    }

    #[test]
    fn no_triangle_means_no_surface() {
        let nan = [Point3::new(f64::NAN, 0.0, 0.0), Point3::origin(), Point3::origin()];
        let tree = SurfaceTree::new([nan]);
        assert_eq!(tree.winding_number(&Point3::origin()), 0.0);
        assert_eq!((tree.distance(&Point3::origin()), tree.is_inside(&nan[0])), (f64::INFINITY, false));
        let flat = SurfaceTree::new([[Point3::origin(); 3]]);
        assert_eq!(flat.distance(&Point3::new(0.0, 3.0, 4.0)), 5.0);
        assert!(flat.winding_number(&Point3::origin()).is_finite());
    }

    proptest! {
        #[test]
        fn a_sum_of_angles_needs_one_arc_tangent(angles in prop::collection::vec(-3.1..3.1f64, 0..60)) {
            let mut sum = AngleSum::default();
            angles.iter().for_each(|&angle| sum.add([2.0 * libm::sin(angle), 2.0 * libm::cos(angle)]));
            let expected: f64 = angles.iter().sum();
            prop_assert!((sum.total() - expected).abs() < 1e-9, "{} {expected}", sum.total());
        }

        #[test]
        fn equals_the_sum_and_the_minimum_over_all_triangles(
            corners in prop::collection::vec([-1.0..1.0f64, -1.0..1.0, -1.0..1.0], 3..120),
            point in [-2.0..2.0f64, -2.0..2.0, -2.0..2.0],
        ) {
            // Random triangles are the worst case of a dipole; small ones are what a skin has.
            let small = |k: usize| corners[k].map(|x| x * 0.2);
            let triangles: Vec<_> = (0..corners.len() / 3).map(|t| {
                let base = Point3::from(corners[3 * t]);
                [base, base + Vector3::from(small(3 * t + 1)), base + Vector3::from(small(3 * t + 2))]
            }).collect();
            let tree = SurfaceTree::new(triangles.iter().copied());
            let point = Point3::from(point);
            let exact = reference::winding_number(&triangles, &point);
            prop_assert!((tree.winding_number(&point) - exact).abs() < 0.05);
            let distance = distance_of_all(&triangles, &point);
            prop_assert_eq!(tree.distance(&point), distance);
            prop_assert_eq!(tree.nearest_beyond(&point, distance), None);
            prop_assert!(tree.is_within(&point, distance * (1.0 + 1e-12)));
            prop_assert!(!tree.is_within(&point, distance * (1.0 - 1e-12)));
            let beyond = tree.nearest_beyond(&point, distance.next_down()).map(|(distance, _)| distance);
            prop_assert_eq!(beyond, Some(distance));
        }

        #[test]
        fn decides_as_the_sum_does_in_closed_open_and_overlapping_surfaces(
            points in prop::collection::vec([-1.6..1.6f64, -1.6..1.6, -1.6..1.6], 40),
        ) {
            let mut half = ball(0.0);
            half.faces.retain(|face| face.iter().all(|&v| half.positions[v as usize].y < 0.2));
            let mut both = ball(-0.4);
            both.append(&ball(0.5));
            for mesh in [ball(0.0), half, both] {
                let triangles = triangles_of(&mesh);
                let tree = SurfaceTree::new(triangles.iter().copied());
                let near = mesh.positions.iter().step_by(50).map(|p| p * 0.999);
                for point in points.iter().copied().map(Point3::from).chain(near) {
                    let winds = reference::winding_number(&triangles, &point);
                    prop_assert_eq!(tree.is_inside(&point), winds > INSIDE, "{} winds {}", point, winds);
                }
            }
        }
    }
}
