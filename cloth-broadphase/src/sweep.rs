//! The boxes of points, edges and faces that move in straight lines during a step.
//!
//! A primitive whose vertices move linearly stays, at every time, inside the convex hull of its two ends. So
//! the bounds of both ends contain the whole sweep, and they are exact; only an inflation rounds,
//! outward, and [`Aabb`] does that.

use cloth_geom::Aabb;
use nalgebra::{Point3, Scalar};
use thiserror::Error;

/// Why no sweep can be made.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum SweepError {
    /// The two ends of the step disagree about the number of vertices.
    #[error("{t0} positions at the start of the step but {t1} at its end; pass the same vertices twice")]
    UnequalEnds {
        /// Number of positions at the start.
        t0: usize,
        /// Number of positions at the end.
        t1: usize,
    },
}

/// Vertices that move linearly from one end of a step to the other, and the margin of their boxes (m).
///
/// Takes `f32` or `f64` positions; either is represented exactly.
#[derive(Clone, Copy, Debug)]
pub struct Sweep<'a, T: Scalar> {
    t0: &'a [Point3<T>],
    t1: &'a [Point3<T>],
    margin: f64,
}

impl<'a, T: Scalar + Copy + Into<f64>> Sweep<'a, T> {
    /// Vertices at rest, not inflated.
    #[must_use]
    pub fn at_rest(positions: &'a [Point3<T>]) -> Self {
        Self { t0: positions, t1: positions, margin: 0.0 }
    }

    /// Vertices that move from `t0` to `t1`, not inflated.
    ///
    /// # Errors
    /// If the numbers of positions differ.
    pub fn new(t0: &'a [Point3<T>], t1: &'a [Point3<T>]) -> Result<Self, SweepError> {
        if t0.len() == t1.len() {
            Ok(Self { t0, t1, margin: 0.0 })
        } else {
            Err(SweepError::UnequalEnds { t0: t0.len(), t1: t1.len() })
        }
    }

    /// The same sweep with boxes that are grown by `margin` (m) on every side.
    #[must_use]
    pub fn inflated(self, margin: f64) -> Self {
        Self { margin, ..self }
    }

    /// The box of each vertex.
    pub fn points(self) -> impl Iterator<Item = Aabb> + 'a {
        let ends = self.t0.iter().zip(self.t1);
        ends.map(move |(a, b)| with_end(at_point(a), b).inflated(self.margin))
    }

    /// The box of each edge. An edge that names a missing vertex gets the empty box, which
    /// [`Boxes`](crate::Boxes) refuses.
    pub fn edges(self, edges: &'a [[u32; 2]]) -> impl Iterator<Item = Aabb> + 'a {
        edges.iter().map(move |vertices| self.hull(vertices))
    }

    /// The box of each face. A face that names a missing vertex gets the empty box, which
    /// [`Boxes`](crate::Boxes) refuses.
    pub fn faces(self, faces: &'a [[u32; 3]]) -> impl Iterator<Item = Aabb> + 'a {
        faces.iter().map(move |vertices| self.hull(vertices))
    }

    fn hull<const N: usize>(&self, vertices: &[u32; N]) -> Aabb {
        if vertices.iter().any(|&v| v as usize >= self.t0.len()) {
            return Aabb::EMPTY;
        }
        let first = at_point(&self.t0[vertices[0] as usize]);
        let swept = vertices
            .iter()
            .fold(first, |hull, &v| with_end(with_end(hull, &self.t0[v as usize]), &self.t1[v as usize]));
        swept.inflated(self.margin)
    }
}

fn at_point<T: Scalar + Copy + Into<f64>>(p: &Point3<T>) -> Aabb {
    let p = p.map(Into::into);
    Aabb { min: p, max: p }
}

fn with_end<T: Scalar + Copy + Into<f64>>(hull: Aabb, p: &Point3<T>) -> Aabb {
    hull.with_point(p.map(Into::into))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Boxes;

    const T0: [Point3<f32>; 3] =
        [Point3::new(0.1, 0.0, 0.0), Point3::new(1.0, 0.0, 0.0), Point3::new(0.0, 1.0, 0.0)];
    const T1: [Point3<f32>; 3] =
        [Point3::new(0.1, 0.0, 2.0), Point3::new(1.0, -3.0, 0.0), Point3::new(0.0, 1.0, 0.0)];

    #[test]
    fn contains_both_ends_of_every_vertex_exactly() {
        let sweep = Sweep::new(&T0, &T1).unwrap();
        let face = sweep.faces(&[[0, 1, 2]]).next().unwrap();
        assert_eq!((face.min, face.max), (Point3::new(0.0, -3.0, 0.0), Point3::new(1.0, 1.0, 2.0)));
        let edge = sweep.edges(&[[0, 2]]).next().unwrap();
        assert_eq!((edge.min, edge.max), (Point3::origin(), Point3::new(f64::from(0.1f32), 1.0, 2.0)));
        let point = sweep.points().nth(1).unwrap();
        assert_eq!((point.min, point.max), (Point3::new(1.0, -3.0, 0.0), Point3::new(1.0, 0.0, 0.0)));
    }

    #[test]
    fn grows_each_box_outward_by_the_margin() {
        let point = Sweep::at_rest(&T0).inflated(0.25).points().next().unwrap();
        assert!(point.min.x < f64::from(0.1f32) - 0.25 && point.max.x > f64::from(0.1f32) + 0.25);
        assert!(point.max.x < f64::from(0.1f32) + 0.25 + 1e-15);
        let grown = |hull: Aabb| (hull.min.z, hull.max.z) == ((-0.25f64).next_down(), 0.25f64.next_up());
        assert!(Sweep::at_rest(&T0).inflated(0.25).faces(&[[0, 1, 2]]).all(grown));
        assert!(Sweep::at_rest(&T0).inflated(0.25).edges(&[[0, 1]]).all(grown));
    }

    #[test]
    fn refuses_ends_of_unequal_length_and_missing_vertices() {
        let fault = Sweep::new(&T0, &T1[..2]).unwrap_err();
        assert_eq!(fault, SweepError::UnequalEnds { t0: 3, t1: 2 });
        let boxes = Boxes::try_from_iter(Sweep::at_rest(&T0).edges(&[[0, 1], [1, 3]]));
        assert!(boxes.unwrap_err().to_string().starts_with("box 1 "));
    }

    #[test]
    fn keeps_a_nan_position_visible_to_the_door() {
        let mut t1 = T1;
        t1[1].y = f32::NAN;
        let sweep = Sweep::new(&T0, &t1).unwrap();
        assert!(Boxes::try_from_iter(sweep.faces(&[[0, 1, 2]])).is_err());
        assert!(Boxes::try_from_iter(sweep.points()).is_err());
    }
}
