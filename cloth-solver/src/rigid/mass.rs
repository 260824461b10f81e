//! Mass and inertia of spheres, capsules and boxes of uniform density.

use std::ops::Range;

use nalgebra::{Matrix3, Point3, UnitQuaternion, Vector3};

use super::RigidBodyDesc;
use crate::Shape;

/// What never changes of a rigid body.
#[derive(Clone, Debug)]
pub(crate) struct RigidBody {
    /// The id of its collider.
    pub(crate) collider: usize,
    /// 1 / mass (1/kg).
    pub(crate) inv_mass: f32,
    /// Moments of inertia (kg m2) about the axes of the shape.
    pub(super) inertia: Vector3<f32>,
    pub(crate) gravity_scale: f32,
    /// Balls that touch other colliders: centres in the frame of the shape and radii (m). None if the body
    /// touches none.
    pub(super) balls: Vec<(Point3<f32>, f32)>,
    /// The vertices of its axis in the common arrays; empty if it is not guarded.
    pub(super) axis: Range<usize>,
}

impl RigidBody {
    /// `None` for a shape without inertia.
    pub(crate) fn new(collider: usize, desc: &RigidBodyDesc, axis: Range<usize>) -> Option<Self> {
        let shape = &desc.collider.shape;
        Some(Self {
            collider,
            inv_mass: 1.0 / desc.mass,
            inertia: principal_inertia(shape, desc.mass)?,
            gravity_scale: desc.gravity_scale,
            balls: if desc.touches_colliders { balls(shape) } else { Vec::new() },
            axis,
        })
    }

    /// The inverse of the inertia tensor (1/(kg m2)) in the frame of the world.
    pub(crate) fn inv_inertia_at(&self, rotation: &UnitQuaternion<f32>) -> Matrix3<f32> {
        let rotation = rotation.to_rotation_matrix().into_inner();
        rotation * Matrix3::from_diagonal(&self.inertia.map(|i| 1.0 / i)) * rotation.transpose()
    }
}

/// Moments of inertia (kg m2) about the axes of a shape of uniform density; `None` for other shapes than
/// spheres, capsules and boxes.
pub(super) fn principal_inertia(shape: &Shape, mass: f32) -> Option<Vector3<f32>> {
    match *shape {
        Shape::Sphere { radius } => Some(Vector3::repeat(0.4 * mass * radius * radius)),
        Shape::Capsule { half_length, radius } => {
            let (r, l) = (radius, 2.0 * half_length);
            // A cylinder and two halves of a ball, by their volumes.
            let cylinder = mass * l / (l + 4.0 / 3.0 * r);
            let ball = mass - cylinder;
            let along = 0.5 * cylinder * r * r + 0.4 * ball * r * r;
            let across = cylinder * (r * r / 4.0 + l * l / 12.0)
                + ball * (0.4 * r * r + l * l / 4.0 + 3.0 / 8.0 * l * r);
            Some(Vector3::new(across, along, across))
        }
        Shape::Cuboid { half_extents } => {
            let sq = half_extents.component_mul(&half_extents);
            Some(Vector3::new(sq.y + sq.z, sq.z + sq.x, sq.x + sq.y) * (mass / 3.0))
        }
        _ => None,
    }
}

/// The balls by which a shape touches colliders: the ends of its axis, or the corners of its frame.
fn balls(shape: &Shape) -> Vec<(Point3<f32>, f32)> {
    shape.axis().map_or_else(Vec::new, |axis| axis.ends().iter().map(|end| (end.at, end.radius)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Moments of a shape by sampling its box on a grid, for a mass of 1.
    fn sampled(shape: &Shape) -> Vector3<f64> {
        const CELLS: i32 = 80;
        let [low, high] = shape.bounds().expect("bounded").map(|p| p.coords.cast::<f64>());
        let (mut sum, mut count) = (Vector3::zeros(), 0.0);
        for cell in 0..CELLS.pow(3) {
            let index = Vector3::new(cell % CELLS, cell / CELLS % CELLS, cell / CELLS / CELLS).cast::<f64>();
            let p = low + (high - low).component_mul(&index.add_scalar(0.5)) / f64::from(CELLS);
            if shape.nearest(&Point3::from(p.cast::<f32>())).distance < 0.0 {
                let sq = p.component_mul(&p);
                sum += Vector3::new(sq.y + sq.z, sq.z + sq.x, sq.x + sq.y);
                count += 1.0;
            }
        }
        sum / count
    }

    #[test]
    fn moments_of_inertia_are_those_of_a_sampled_solid() {
        let shapes = [
            Shape::Sphere { radius: 0.3 },
            Shape::Capsule { half_length: 0.4, radius: 0.2 },
            Shape::Capsule { half_length: 0.0, radius: 0.2 },
            Shape::Cuboid { half_extents: Vector3::new(0.1, 0.3, 0.5) },
        ];
        for shape in &shapes {
            let (closed, sampled) = (principal_inertia(shape, 1.0).expect("a solid"), sampled(shape));
            let error = (closed.cast::<f64>() - sampled).component_div(&sampled).amax();
            assert!(error < 0.01, "{shape:?} {closed} {sampled}");
        }
        assert!(principal_inertia(&Shape::Plane, 1.0).is_none());
    }
}
