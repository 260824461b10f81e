//! Nearest point on a convex hull.
//!
//! Inside, the exit is through the face with the nearest plane. Outside, the nearest point is on a face that
//! faces the point, and no such face is nearer than its plane, which culls most faces. Computed in `f64`, so
//! the error is little more than the rounding of the result.

mod build;

use std::sync::Arc;

use cloth_geom::closest::point_triangle;
use nalgebra::{Point3, Vector3};

use super::{ColliderError, Nearest, bounds_of, check_points};

/// The convex hull of points; clones share it.
#[derive(Clone)]
pub struct HullShape(Arc<Hull>);

struct Hull {
    corners: Vec<[Point3<f64>; 3]>,
    /// Outward unit normals.
    normals: Vec<Vector3<f64>>,
    /// `normal . corner` (m).
    offsets: Vec<f64>,
    bounds: [Point3<f32>; 2],
    /// The largest coordinate (m).
    size: f64,
}

impl HullShape {
    /// The convex hull of `points` (m), built with exact predicates.
    ///
    /// Coordinates are rounded to 2^-24 of the largest one, which makes every normal exact up to a few
    /// roundings. The cost is the number of points times the number of faces.
    ///
    /// # Errors
    /// If a coordinate is not finite or beyond 1e18 m, or if the points span no volume.
    pub fn new(points: &[Point3<f32>]) -> Result<Self, ColliderError> {
        check_points(points)?;
        let snapped = build::snap(points);
        let faces = build::hull(&snapped).ok_or(ColliderError::Flat(points.len()))?;
        let corners: Vec<[Point3<f64>; 3]> = faces.iter().map(|f| f.map(|v| snapped[v as usize])).collect();
        let normals: Vec<_> = corners.iter().map(|[a, b, c]| (b - a).cross(&(c - a)).normalize()).collect();
        let offsets = corners.iter().zip(&normals).map(|(c, n)| n.dot(&c[0].coords)).collect();
        let used: Vec<Point3<f32>> = corners.iter().flatten().map(|p| p.map(|c| c as f32)).collect();
        let bounds = bounds_of(&used);
        let size = f64::from(used.iter().map(|p| p.coords.amax()).fold(0.0, f32::max));
        Ok(Self(Arc::new(Hull { corners, normals, offsets, bounds, size })))
    }

    /// The corners (m) of the faces, counter-clockwise viewed from outside.
    pub fn faces(&self) -> impl ExactSizeIterator<Item = [Point3<f64>; 3]> + '_ {
        self.0.corners.iter().copied()
    }

    pub(super) fn bounds(&self) -> [Point3<f32>; 2] {
        self.0.bounds
    }

    pub(super) fn nearest(&self, p: &Point3<f32>) -> Nearest {
        let hull = &*self.0;
        let wide = p.cast::<f64>();
        let (mut facing, mut height) = (0, f64::NEG_INFINITY);
        for (k, (normal, offset)) in hull.normals.iter().zip(&hull.offsets).enumerate() {
            let above = normal.dot(&wide.coords) - offset;
            if above > height {
                (facing, height) = (k, above);
            }
        }
        if height > 0.0 {
            hull.outside(&wide, facing, height)
        } else if height == f64::NEG_INFINITY {
            // Only a point with a NaN coordinate is neither above nor below any plane.
            Nearest { normal: Vector3::y(), distance: f32::INFINITY }
        } else {
            Nearest { normal: hull.normals[facing].cast(), distance: height as f32 }
        }
    }
}

impl Hull {
    /// From outside, where `facing` is the face highest below `p`: the nearest point is at least that far.
    fn outside(&self, p: &Point3<f64>, facing: usize, height: f64) -> Nearest {
        let (mut nearest, mut least_sq) = (Point3::origin(), f64::INFINITY);
        let mut look = |k: usize, least_sq: &mut f64| {
            let [a, b, c] = &self.corners[k];
            let found = point_triangle(p, [a, b, c]);
            if found.distance_sq < *least_sq {
                let [u, v, w] = found.weights;
                nearest = Point3::from(a.coords * u + b.coords * v + c.coords * w);
                *least_sq = found.distance_sq;
            }
        };
        look(facing, &mut least_sq);
        for k in (0..self.corners.len()).filter(|&k| k != facing) {
            let above = self.normals[k].dot(&p.coords) - self.offsets[k];
            if above > 0.0 && above * above < least_sq {
                look(k, &mut least_sq);
            }
        }
        let away = p - nearest;
        let distance = away.norm();
        // Nearer than this the direction is rounding, and any normal of the feature will do.
        if distance <= 1.0e-9 * self.size.max(p.coords.amax()) {
            return Nearest { normal: self.normals[facing].cast(), distance: height as f32 };
        }
        Nearest { normal: (away / distance).cast(), distance: distance as f32 }
    }
}

impl std::fmt::Debug for HullShape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HullShape").field("faces", &self.0.corners.len()).finish_non_exhaustive()
    }
}

impl PartialEq for HullShape {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
