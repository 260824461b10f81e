//! The axis of a sphere or a capsule, or the frame of a box, which a guarded collider adds to the collision
//! surface.
//!
//! A contact of a vertex with a collider keeps the vertices of a cloth out. A finger is thinner than the
//! edges are long, and passes between them. Its axis is a line (an edge without a face) and a capsule is
//! everything near it, so that the contacts of edges and faces, and the gate, treat it as they treat a mesh.
//! `docs/design/capsules.md`.

use nalgebra::{Point3, Vector3};

use super::{Collider, ColliderError, Shape};

/// One end of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxisEnd {
    /// In the frame of the shape (m).
    pub at: Point3<f32>,
    /// Radius of the shape there (m).
    pub radius: f32,
}

/// What is guarded of a solid: the axis of one that is all points within a radius of it, or the frame of a
/// box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Axis {
    /// The centre of a sphere.
    Point(AxisEnd),
    /// The axis of a capsule, with the thicker end first. Between the ends the radius is linear.
    Segment([AxisEnd; 2]),
    /// The corners and edges of a box. Corner `i` is on the positive side of axis `k` if bit `k` of `i` is
    /// set.
    Frame([AxisEnd; 8]),
}

/// The edges of a box by the numbers of its corners.
const FRAME: [[u32; 2]; 12] =
    [[0, 1], [0, 2], [0, 4], [1, 3], [1, 5], [2, 3], [2, 6], [3, 7], [4, 5], [4, 6], [5, 7], [6, 7]];

impl Axis {
    /// Its one or two ends, or its corners.
    #[must_use]
    pub fn ends(&self) -> &[AxisEnd] {
        match self {
            Self::Point(end) => std::slice::from_ref(end),
            Self::Segment(ends) => ends,
            Self::Frame(corners) => corners,
        }
    }

    /// Its edges by the numbers of its ends.
    #[must_use]
    pub fn edges(&self) -> &'static [[u32; 2]] {
        match self {
            Self::Point(_) => &[],
            Self::Segment(_) => &[[0, 1]],
            Self::Frame(_) => &FRAME,
        }
    }
}

impl Shape {
    /// The axis of a sphere or a capsule, or the frame of a box; `None` for other shapes.
    #[must_use]
    pub fn axis(&self) -> Option<Axis> {
        let (half_length, bottom, top) = match *self {
            Self::Cuboid { half_extents } => {
                let sign = |i: usize, k: usize| if i >> k & 1 == 0 { -1.0 } else { 1.0 };
                let corner = |i| Point3::from(Vector3::from_fn(|k, _| sign(i, k) * half_extents[k]));
                return Some(Axis::Frame(std::array::from_fn(|i| AxisEnd { at: corner(i), radius: 0.0 })));
            }
            Self::Sphere { radius } => (0.0, radius, radius),
            Self::Capsule { half_length, radius } => (half_length, radius, radius),
            Self::TaperedCapsule { half_length, bottom_radius, top_radius } => {
                (half_length, bottom_radius, top_radius)
            }
            _ => return None,
        };
        let end = |y: f32, radius: f32| AxisEnd { at: Point3::new(0.0, y, 0.0), radius };
        let [low, high] = [end(-half_length, bottom), end(half_length, top)];
        Some(match half_length > 0.0 {
            true if top > bottom => Axis::Segment([high, low]),
            true => Axis::Segment([low, high]),
            false => Axis::Point(end(0.0, bottom.max(top))),
        })
    }
}

impl Collider {
    /// The same collider, guarded: the edges and faces of cloth keep away from its axis (the centre of a
    /// sphere; the edges and corners of a box), by contacts that are predicted and by the gate, exactly.
    ///
    /// For what is thinner than the edges of the cloth, or so fast that it could pass through the cloth
    /// within a substep; contacts of a collider that is not guarded act on vertices alone. Takes effect in a
    /// simulation with `Settings::self_collision`; the gate certifies it if it is on.
    ///
    /// # Errors
    /// If the shape is neither a sphere, a capsule nor a box.
    pub fn guarded(self) -> Result<Self, ColliderError> {
        if self.shape.axis().is_none() {
            return Err(ColliderError::NoAxis);
        }
        Ok(Self { is_guarded: true, ..self })
    }

    /// The axis that is guarded; `None` if the collider is not guarded, or was given a shape without an axis
    /// since.
    #[must_use]
    pub fn guarded_axis(&self) -> Option<Axis> {
        self.shape.axis().filter(|_| self.is_guarded)
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Isometry3;

    use super::*;

    #[test]
    fn a_shape_is_all_points_within_the_radius_of_its_axis() {
        let tapered =
            |bottom_radius, top_radius| Shape::TaperedCapsule { half_length: 0.2, bottom_radius, top_radius };
        let shapes = [
            Shape::Sphere { radius: 0.1 },
            Shape::Capsule { half_length: 0.2, radius: 0.1 },
            Shape::Capsule { half_length: 0.0, radius: 0.1 },
            tapered(0.1, 0.05),
            tapered(0.05, 0.1),
        ];
        for shape in &shapes {
            let axis = shape.axis().expect("an axis");
            assert!(axis.ends().windows(2).all(|ends| ends[0].radius >= ends[1].radius), "{axis:?}");
            for end in axis.ends() {
                let distance = shape.nearest(&end.at).distance;
                assert!((distance + end.radius).abs() < 1e-6, "{shape:?} {distance}");
            }
        }
        assert_eq!(shapes.map(|shape| shape.axis().map_or(0, |axis| axis.ends().len())), [1, 2, 1, 2, 2]);
    }

    #[test]
    fn the_frame_of_a_box_has_its_twelve_edges() {
        let half_extents = Vector3::new(0.1, 0.2, 0.3);
        let frame = Shape::Cuboid { half_extents }.axis().expect("a frame");
        let ends = frame.ends();
        let mut lengths: Vec<f32> = frame
            .edges()
            .iter()
            .map(|edge| {
                let [a, b] = edge.map(|v| ends[v as usize].at);
                let along = (b - a).iter().filter(|c| **c != 0.0).count();
                assert_eq!(along, 1);
                (b - a).norm()
            })
            .collect();
        lengths.sort_by(f32::total_cmp);
        assert_eq!(lengths, [[0.2; 4], [0.4; 4], [0.6; 4]].concat());
    }

    #[test]
    fn only_what_has_an_axis_can_be_guarded() {
        let collider = |shape| Collider::new(shape, Isometry3::identity(), 0.3).expect("a collider");
        assert!(collider(Shape::Sphere { radius: 0.1 }).guarded_axis().is_none());
        let mut ball = collider(Shape::Sphere { radius: 0.1 }).guarded().expect("a ball");
        assert!(ball.guarded_axis().is_some() && ball.part_of_step(0.0, 0.5).guarded_axis().is_some());
        let cone = Shape::Cone { half_length: 0.1, radius: 0.1 };
        let error = collider(cone.clone()).guarded().expect_err("no axis").to_string();
        assert!(error.contains("sphere"), "{error}");
        ball.shape = cone;
        assert!(ball.guarded_axis().is_none());
    }
}
