//! Whether stacked sheets lie in their order, decided exactly.
//!
//! Sheets that have passed through each other may end without a single intersection, in the wrong order.
//! Where a vertical line through a vertex of one sheet meets a triangle of another, the vertex must lie below
//! the triangle if its sheet is the lower one, and above it if not:
//!
//! ```text
//!   sheet 2   -----.--------        the triangle is above the vertex
//!                  |
//!   sheet 1   -----v--------
//!                  |
//!   sheet 0   -----'--------        the triangle is below it
//! ```
//!
//! Both questions, whether the line meets the triangle and on which side of it the vertex lies, are signs of
//! determinants of the positions themselves, so nothing is rounded and there is no tolerance. The comparison
//! is only made in a cap, where sheets lie flat: what hangs down beside may fold as it likes.

use cloth_geom::exact::{Axis, Sign, orient2d, orient3d};
use cloth_geom::sorted_unique;
use nalgebra::Point3;

/// Where sheets are compared: a vertical cylinder, from a height upward.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrderRegion {
    /// A point on the axis, at the least height (m).
    pub bottom: Point3<f64>,
    /// Radius of the cylinder (m).
    pub radius: f64,
}

/// What a comparison of sheets found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrderFaults {
    /// Vertices and triangles that were compared.
    pub compared: usize,
    /// Those of them in the wrong order; a vertex on a triangle counts.
    pub wrong: usize,
    /// The least sheet that nowhere lies over or under the one above it, if there is one: of its order
    /// nothing is known.
    pub apart: Option<usize>,
}

impl OrderRegion {
    fn contains_vertex(&self, p: &Point3<f64>) -> bool {
        let (dx, dz) = (p.x - self.bottom.x, p.z - self.bottom.z);
        p.y >= self.bottom.y && dx * dx + dz * dz <= self.radius * self.radius
    }

    /// A triangle counts if it may lie over a vertex that counts.
    fn may_overlap_triangle(&self, corners: &[Point3<f64>; 3]) -> bool {
        let near = |k: usize| corners.iter().any(|p| (p[k] - self.bottom[k]).abs() <= 2.0 * self.radius);
        corners.iter().all(|p| p.y >= self.bottom.y) && near(0) && near(2)
    }
}

/// Compares every vertex in the cap with every triangle over or under it of every other sheet.
///
/// `sheets` are the faces of each sheet, the lowest first, over all vertices.
#[must_use]
pub fn order_faults(positions: &[Point3<f32>], sheets: &[&[[u32; 3]]], cap: &OrderRegion) -> OrderFaults {
    let at = |v: u32| positions[v as usize].map(f64::from);
    let vertices: Vec<Vec<Point3<f64>>> = sheets
        .iter()
        .map(|faces| {
            let used = sorted_unique(faces.iter().flatten().copied());
            used.into_iter().map(at).filter(|p| cap.contains_vertex(p)).collect()
        })
        .collect();
    let triangles: Vec<Vec<[Point3<f64>; 3]>> = sheets
        .iter()
        .map(|faces| faces.iter().map(|f| f.map(at)).filter(|t| cap.may_overlap_triangle(t)).collect())
        .collect();
    let mut faults = OrderFaults::default();
    for lower in 0..sheets.len() {
        for upper in lower + 1..sheets.len() {
            let before = faults.compared;
            faults.compare(&vertices[lower], &triangles[upper], RelativeHeight::Below);
            faults.compare(&vertices[upper], &triangles[lower], RelativeHeight::Above);
            if upper == lower + 1 && faults.compared == before && faults.apart.is_none() {
                faults.apart = Some(lower);
            }
        }
    }
    faults
}

impl OrderFaults {
    fn compare(
        &mut self,
        vertices: &[Point3<f64>],
        triangles: &[[Point3<f64>; 3]],
        expected: RelativeHeight,
    ) {
        for triangle in triangles {
            for found in vertices.iter().filter_map(|p| height(p, triangle)) {
                self.compared += 1;
                self.wrong += usize::from(found != expected);
            }
        }
    }
}

/// Where a point lies to a triangle over or under it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RelativeHeight {
    Below,
    On,
    Above,
}

/// None if the vertical line through the point misses the triangle, or if the triangle is upright.
fn height(p: &Point3<f64>, [a, b, c]: &[Point3<f64>; 3]) -> Option<RelativeHeight> {
    let spans = |k: usize| a[k].min(b[k]).min(c[k]) <= p[k] && p[k] <= a[k].max(b[k]).max(c[k]);
    if !(spans(0) && spans(2)) {
        return None;
    }
    let turn = orient2d(a, b, c, Axis::Y);
    let is_inside = |u, v| [turn, Sign::Zero].contains(&orient2d(u, v, p, Axis::Y));
    if turn == Sign::Zero || !(is_inside(a, b) && is_inside(b, c) && is_inside(c, a)) {
        return None;
    }
    // The normal points up if the triangle turns counter-clockwise seen from above.
    Some(match orient3d(a, b, c, p) {
        Sign::Zero => RelativeHeight::On,
        side if side == turn => RelativeHeight::Above,
        _ => RelativeHeight::Below,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_geom::fixtures;

    const CAP: OrderRegion = OrderRegion { bottom: Point3::new(0.0, 0.0, 0.0), radius: 0.4 };

    /// Sheets at these heights, one of them possibly bent, with their faces.
    fn stack(heights: &[f32]) -> (Vec<Point3<f32>>, Vec<Vec<[u32; 3]>>) {
        let mesh = fixtures::sheet(6, 6, [1.0, 1.0]).expect("a sheet").mesh;
        let (mut positions, mut sheets) = (Vec::new(), Vec::new());
        for (k, &y) in heights.iter().enumerate() {
            let first = positions.len() as u32;
            // Shifted, so that no vertex is exactly over another.
            let shift = k as f32 * 0.013;
            positions.extend(mesh.positions_f32().iter().map(|p| Point3::new(p.x + shift, y, p.z - shift)));
            sheets.push(mesh.faces.iter().map(|f| f.map(|v| v + first)).collect());
        }
        (positions, sheets)
    }

    fn faults((positions, sheets): &(Vec<Point3<f32>>, Vec<Vec<[u32; 3]>>)) -> OrderFaults {
        let faces: Vec<&[[u32; 3]]> = sheets.iter().map(Vec::as_slice).collect();
        order_faults(positions, &faces, &CAP)
    }

    #[test]
    fn sheets_in_their_order_have_no_fault() {
        let found = faults(&stack(&[0.1, 0.2, 0.2000001]));
        assert!(found.compared > 60 && found.wrong == 0 && found.apart.is_none(), "{found:?}");
    }

    #[test]
    fn sheets_that_changed_places_are_wrong_everywhere() {
        let found = faults(&stack(&[0.3, 0.2]));
        assert!(found.wrong == found.compared && found.wrong > 0, "{found:?}");
        assert!(faults(&stack(&[0.1, 0.3, 0.2])).wrong > 0);
        // Faces that point down change nothing.
        let (positions, mut sheets) = stack(&[0.3, 0.2]);
        sheets[1].iter_mut().for_each(|f| f.swap(0, 1));
        assert_eq!(faults(&(positions, sheets)), found);
    }

    #[test]
    fn one_vertex_that_came_through_is_found_from_either_side() {
        for (sheet, y) in [(0, 0.25), (1, 0.05)] {
            let mut scene = stack(&[0.1, 0.2]);
            // Vertex (2, 2) is near the middle.
            scene.0[sheet * 36 + 14].y = y;
            let found = faults(&scene);
            assert!(found.wrong > 0 && found.wrong < 10, "{found:?}");
        }
    }

    #[test]
    fn only_points_over_or_under_the_closed_triangle_have_a_height() {
        let at = |x: f64, y: f64, z: f64| Point3::new(x, y, z);
        let steep = [at(0.0, 0.0, 0.0), at(1.0, 2.0, 0.0), at(0.0, 0.0, 1.0)];
        assert_eq!(height(&at(0.25, 0.625, 0.25), &steep), Some(RelativeHeight::Above));
        assert_eq!(height(&at(0.25, 0.5, 0.25), &steep), Some(RelativeHeight::On));
        assert_eq!(height(&at(0.5, 0.0, 0.5), &steep), Some(RelativeHeight::Below), "on the border");
        assert_eq!(height(&at(0.75, 0.0, 0.75), &steep), None, "in its box, but beside it");
        assert_eq!(height(&at(0.25, 0.0, -0.25), &steep), None);
        let upright = [at(0.0, 0.0, 0.0), at(1.0, 2.0, 1.0), at(2.0, 0.0, 2.0)];
        assert_eq!(height(&at(1.0, 0.0, 1.0), &upright), None);
    }

    #[test]
    fn touching_is_no_order() {
        let found = faults(&stack(&[0.1, 0.1]));
        assert!(found.wrong == found.compared && found.wrong > 0, "{found:?}");
    }

    #[test]
    fn below_the_cap_and_beside_it_nothing_is_compared() {
        assert_eq!(faults(&stack(&[-0.1, -0.2])), OrderFaults { apart: Some(0), ..OrderFaults::default() });
        let (positions, sheets) = stack(&[0.2, 0.1]);
        let aside = positions.iter().map(|p| p + nalgebra::Vector3::x() * 3.0).collect();
        assert_eq!(faults(&(aside, sheets)).compared, 0);
    }

    #[test]
    fn says_which_sheet_met_nothing() {
        let (mut positions, sheets) = stack(&[0.1, 0.2, 0.3, 0.4]);
        positions[72..108].iter_mut().for_each(|p| p.x += 3.0);
        assert_eq!(faults(&(positions, sheets)).apart, Some(1));
    }
}
