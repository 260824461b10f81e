//! The loops against the shapes' own files, bit by bit.

use cloth_geom::lanes::lanes;
use nalgebra::{Isometry3, UnitQuaternion};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

use super::*;
use crate::collider::Collider;

fn shapes() -> Vec<Shape> {
    let tapered = |half_length, bottom_radius, top_radius| Shape::TaperedCapsule {
        half_length,
        bottom_radius,
        top_radius,
    };
    vec![
        Shape::Plane,
        Shape::Sphere { radius: 0.3 },
        Shape::Capsule { half_length: 0.7, radius: 0.2 },
        Shape::Capsule { half_length: 0.0, radius: 0.2 },
        tapered(0.7, 0.4, 0.1),
        tapered(0.7, 0.1, 0.4),
        tapered(0.2, 0.6, 0.1),
        tapered(0.5, 0.25, 0.25),
        Shape::Cylinder { half_length: 0.1, radius: 0.6 },
        Shape::Cuboid { half_extents: Vector3::new(0.1, 0.5, 0.3) },
    ]
}

/// Coordinates of all sizes, many of them zero or equal to a dimension of a shape.
fn coordinate(dice: &mut Pcg64Mcg) -> f32 {
    let bits = dice.next_u64();
    let even = ((bits >> 40) as f32 / (1u64 << 23) as f32) - 1.0;
    match bits % 8 {
        0 => [0.0, -0.0, 0.1, -0.5, 0.7, -0.7, 0.6, 0.3][(bits >> 8) as usize % 8],
        1 => even * 1.0e-22,
        2 => even * 1.0e15,
        3 => even * 1.0e-4,
        _ => even * 1.5,
    }
}

#[test]
fn each_lane_has_the_bits_of_the_scalar_distance() {
    let mut dice = Pcg64Mcg::seed_from_u64(50);
    for shape in shapes() {
        let bound = DistanceBound::from_shape(&shape);
        for _ in 0..4000 {
            let rows = [(); 3].map(|()| [(); 4].map(|()| coordinate(&mut dice)));
            let distances = bound.distances(&rows.map(lanes)).numbers();
            for i in 0..4 {
                let p = Point3::new(rows[0][i], rows[1][i], rows[2][i]);
                let one = shape.nearest(&p).distance;
                // Zero may have either sign.
                assert_eq!((one + 0.0).to_bits(), (distances[i] + 0.0).to_bits(), "{shape:?} {p}");
            }
        }
    }
}

#[test]
fn lanes_stand_in_the_frame_where_the_point_stands_to_the_bit() {
    let mut dice = Pcg64Mcg::seed_from_u64(51);
    for _ in 0..1000 {
        let mut vector = || Vector3::from_fn(|_, _| coordinate(&mut dice).clamp(-10.0, 10.0));
        let pose = Isometry3::from_parts(vector().into(), UnitQuaternion::from_scaled_axis(vector()));
        let collider = Collider::new(Shape::Plane, pose, 0.0).unwrap();
        let posed = PosedCollider::new(&collider, 0);
        let p = vector();
        let rows = [0, 1, 2].map(|k| splat(p[k]));
        let local = BlockCuller::new(&posed).local(&rows);
        let one = posed.local_t0(&p.into());
        assert_eq!([0, 1, 2].map(|k| local[k][3].to_bits()), [0, 1, 2].map(|k| one[k].to_bits()));
    }
}
