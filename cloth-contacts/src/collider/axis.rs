//! The axis of a sphere or a capsule, which a guarded collider adds to the collision surface.
//!
//! A contact of a vertex with a collider keeps the vertices of a cloth out. A finger is thinner than the edges are long, and passes between
//! them. Its axis is a line (an edge without a face) and a capsule is everything near it, so that the contacts of edges and faces, and the
//! gate, treat it as they treat a mesh. `docs/design/capsules.md`.

use nalgebra::Point3;

use super::{Collider, ColliderError, Shape};

/// One end of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxisEnd {
    /// In the frame of the shape (m).
    pub at: Point3<f32>,
    /// Radius of the shape there (m).
    pub radius: f32,
}

/// The axis of a solid of revolution that is all points within a radius of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Axis {
    /// The centre of a sphere.
    Point(AxisEnd),
    /// The axis of a capsule, with the thicker end first. Between the ends the radius is linear.
    Segment([AxisEnd; 2]),
}

impl Axis {
    /// Its one or two ends.
    #[must_use]
    pub fn ends(&self) -> &[AxisEnd] {
        match self {
            Self::Point(end) => std::slice::from_ref(end),
            Self::Segment(ends) => ends,
        }
    }
}

impl Shape {
    /// The axis of a sphere or a capsule; `None` for other shapes.
    #[must_use]
    pub fn axis(&self) -> Option<Axis> {
        let (half_length, bottom, top) = match *self {
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
    /// The same collider, guarded: the edges and faces of cloth keep away from its axis (the centre of a sphere), by contacts that are predicted
    /// and by the gate, exactly.
    ///
    /// For what is thinner than the edges of the cloth, or so fast that it could pass through the cloth within a substep; contacts of a collider
    /// that is not guarded act on vertices alone. Takes effect in a simulation with
    /// `Settings::self_collision`; the gate certifies it if it is on.
    ///
    /// # Errors
    /// If the shape is neither a sphere nor a capsule.
    pub fn guarded(self) -> Result<Self, ColliderError> {
        if self.shape.axis().is_none() {
            return Err(ColliderError::NoAxis);
        }
        Ok(Self { is_guarded: true, ..self })
    }

    /// The axis that is guarded; `None` if the collider is not guarded, or was given a shape without an axis since.
    #[must_use]
    pub fn guarded_axis(&self) -> Option<Axis> {
        self.shape.axis().filter(|_| self.is_guarded)
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Isometry3, Vector3};

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
    fn only_what_has_an_axis_can_be_guarded() {
        let collider = |shape| Collider::new(shape, Isometry3::identity(), 0.3).expect("a collider");
        assert!(collider(Shape::Sphere { radius: 0.1 }).guarded_axis().is_none());
        let mut ball = collider(Shape::Sphere { radius: 0.1 }).guarded().expect("a ball");
        assert!(ball.guarded_axis().is_some() && ball.part_of_step(0.0, 0.5).guarded_axis().is_some());
        let cuboid = Shape::Cuboid { half_extents: Vector3::repeat(0.1) };
        let error = collider(cuboid.clone()).guarded().expect_err("no axis").to_string();
        assert!(error.contains("sphere"), "{error}");
        ball.shape = cuboid;
        assert!(ball.guarded_axis().is_none());
    }
}
