//! Whether a point stays on its side of a collider, judged by its path from frame to frame.
//!
//! The path is taken in the frame of the collider: from where the point was in the collider's frame to where
//! it is. Seen like that every collider stands still, however it moves and turns, and one rule serves both
//! who moves. On a straight path
//!
//! - a solid is left alone if the path is nowhere deeper in it than [`MAX_DEPTH`]. Ending outside is not
//!   enough: behind a ball is outside, too. The signed distance of a solid changes by no more than the
//!   distance covered, so the path is sampled in steps of the distance, and no depth between two of them can
//!   be missed.
//! - a sheet (a mesh with one side or two) is left alone if the path does not meet its faces, exactly: it has
//!   no inside to be deep in. Round its rim a point may go.
//!
//! Distances come from the slow reference of the colliders, not from the code that keeps points out. Shapes
//! that only parry knows have none, and are asked themselves.

use std::ops::Range;

use cloth_contacts::collider::{MeshSides, reference};
use cloth_geom::exact::segment_meets_triangle;
use cloth_solver::Shape;
use nalgebra::Point3;

/// A collider and vertices that must stay on their side of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ColliderCell {
    /// The letter of the case that it belongs to.
    pub case: &'static str,
    /// What it is, in a few words.
    pub name: String,
    /// Its vertices, over all cloths. Pinned ones are not judged.
    pub vertices: Range<usize>,
    /// Which of them are pinned, from the first of them.
    pub pinned: Vec<usize>,
    /// Its collider's place in the list.
    pub collider: usize,
}

impl ColliderCell {
    /// Its case and its name, which no other cell of a scene has both of.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{} {}", self.case, self.name)
    }
}

/// Deeper than this (m) inside a solid is on the wrong side: a quarter of the radius of the thinnest cloth
/// that is judged, and a hundred roundings of a place 100 m away.
pub const MAX_DEPTH: f64 = 1e-3;

/// The least step of a walk (m).
const MIN_STEP: f64 = 0.25 * MAX_DEPTH;

/// How a path enters where it must not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SideViolation {
    /// This deep (m) into a solid; deeper further on, perhaps.
    Inside(f64),
    /// Through this face of a sheet.
    Through(usize),
}

/// The first place on a straight path, both ends in the shape's frame (m), where a point is on the wrong
/// side. A path that is not finite leads nowhere.
#[must_use]
pub fn side_violation(shape: &Shape, from: &Point3<f64>, to: &Point3<f64>) -> Option<SideViolation> {
    match shape {
        Shape::Mesh(mesh) if mesh.sides() != MeshSides::Closed => {
            let meets = |[a, b, c]: [Point3<f64>; 3]| segment_meets_triangle([from, to], [&a, &b, &c]);
            mesh.faces().position(meets).map(SideViolation::Through)
        }
        _ if misses_bounds(shape, from, to) => None,
        _ => walk(shape, from, to),
    }
}

fn walk(shape: &Shape, from: &Point3<f64>, to: &Point3<f64>) -> Option<SideViolation> {
    let way = to - from;
    let length = way.norm();
    if !length.is_finite() {
        return None;
    }
    let mut gone = 0.0;
    loop {
        let at = if gone < length { from + way * (gone / length) } else { *to };
        let distance = distance(shape, &at);
        if distance < -MAX_DEPTH {
            return Some(SideViolation::Inside(-distance));
        }
        if gone >= length {
            return None;
        }
        // Before it has gone that far it cannot be deep; the least step keeps a walk along the surface
        // finite.
        gone += (distance + MAX_DEPTH).max(MIN_STEP);
    }
}

fn distance(shape: &Shape, p: &Point3<f64>) -> f64 {
    reference::signed_distance(shape, p).unwrap_or_else(|| f64::from(shape.nearest(&p.cast()).distance))
}

/// Whether both ends lie beyond the same side of the box around the shape.
fn misses_bounds(shape: &Shape, from: &Point3<f64>, to: &Point3<f64>) -> bool {
    let Some([low, high]) = shape.bounds() else { return false };
    (0..3).any(|k| {
        let (low, high) = (f64::from(low[k]), f64::from(high[k]));
        (from[k] < low && to[k] < low) || (from[k] > high && to[k] > high)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_contacts::collider::MeshShape;
    use nalgebra::Vector3;

    fn at(x: f64, y: f64, z: f64) -> Point3<f64> {
        Point3::new(x, y, z)
    }

    fn square(sides: MeshSides) -> Shape {
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let points = corners.map(|[x, z]| Point3::new(x, 0.0, z));
        Shape::Mesh(MeshShape::new(&points, &[[0, 2, 1], [0, 3, 2]], sides).expect("a mesh"))
    }

    #[test]
    fn a_path_through_a_ball_is_found_though_both_ends_are_outside() {
        let ball = Shape::Sphere { radius: 0.06 };
        assert!(matches!(
            side_violation(&ball, &at(0.0, 3.0, 0.0), &at(0.0, -3.0, 0.0)),
            Some(SideViolation::Inside(_))
        ));
        assert_eq!(side_violation(&ball, &at(0.07, 3.0, 0.0), &at(0.07, -3.0, 0.0)), None);
        // Half a tolerance deep is not deep, twice the tolerance is.
        let chord = |x: f64| side_violation(&ball, &at(x, 3.0, 0.0), &at(x, -3.0, 0.0)).is_some();
        assert!(!chord(0.06 - 0.5 * MAX_DEPTH) && chord(0.06 - 2.0 * MAX_DEPTH));
    }

    #[test]
    fn a_path_that_ends_inside_or_begins_there_is_found() {
        let floor = Shape::Plane;
        assert!(side_violation(&floor, &at(0.0, 1.0, 0.0), &at(0.0, -0.01, 0.0)).is_some());
        assert!(side_violation(&floor, &at(0.0, -0.01, 0.0), &at(0.0, 1.0, 0.0)).is_some());
        assert_eq!(side_violation(&floor, &at(0.0, 1.0, 0.0), &at(9.0, -0.5 * MAX_DEPTH, 0.0)), None);
        assert_eq!(side_violation(&floor, &at(0.0, 1.0, 0.0), &at(0.0, f64::NAN, 0.0)), None);
    }

    #[test]
    fn a_sheet_is_crossed_through_its_faces_and_not_round_its_rim() {
        for sides in [MeshSides::OneSided, MeshSides::TwoSided] {
            let sheet = square(sides);
            assert!(matches!(
                side_violation(&sheet, &at(0.3, 1.0, 0.2), &at(0.1, -1.0, 0.0)),
                Some(SideViolation::Through(_))
            ));
            assert_eq!(side_violation(&sheet, &at(1.1, 1.0, 0.2), &at(1.1, -1.0, 0.0)), None);
            assert_eq!(side_violation(&sheet, &at(0.3, 1.0, 0.2), &at(0.1, 1e-6, 0.0)), None);
        }
    }

    /// A thousand points on the path, each tested alone.
    fn dense(shape: &Shape, from: &Point3<f64>, to: &Point3<f64>) -> f64 {
        let depth = |k: u32| -distance(shape, &(from + (to - from) * (f64::from(k) / 1000.0)));
        (0..=1000).map(depth).fold(0.0, f64::max)
    }

    #[test]
    fn sphere_tracing_finds_what_a_thousand_samples_find() {
        let shapes = [
            Shape::Capsule { half_length: 0.1, radius: 0.06 },
            Shape::Cylinder { half_length: 0.1, radius: 0.06 },
            Shape::Cone { half_length: 0.06, radius: 0.1 },
            Shape::Cuboid { half_extents: Vector3::new(0.1, 0.002, 0.06) },
        ];
        for (k, shape) in shapes.iter().enumerate() {
            let (mut found, mut missed) = (0, 0);
            for i in 0..200 {
                // Spread by irrational steps.
                let turn = |s: f64| (f64::from(i) * s + k as f64 * 0.37).fract() * 0.4 - 0.2;
                let (from, to) = (at(turn(0.618), 0.2, turn(0.732)), at(turn(0.414), -0.2, turn(0.236)));
                let deep = dense(shape, &from, &to);
                match side_violation(shape, &from, &to) {
                    Some(_) => found += 1,
                    None => {
                        // Between two of a thousand samples there are 0.4 mm.
                        assert!(deep <= MAX_DEPTH, "{shape:?} {from} {to} {deep}");
                        missed += 1;
                    }
                }
            }
            assert!(found > 20 && missed > 20, "{shape:?} {found} {missed}");
        }
    }
}
