//! Nearest points on collider shapes: each answer is checked as a certificate, against samples of the
//! surface.
//!
//! An answer is right if the point it leads to lies on the surface, if its sign distinguishes inside from
//! outside, if its normal is a unit vector that leads out, and if no sample of the surface is nearer.

use cloth_contacts::collider::Shape;
use nalgebra::{Point3, Vector3};

use crate::predictive::U;
use cloth_testing::Dice;

const SPHERE: Shape = Shape::Sphere { radius: 0.75 };
const CAPSULE: Shape = Shape::Capsule { half_length: 0.5, radius: 0.25 };
const BALL: Shape = Shape::Capsule { half_length: 0.0, radius: 0.5 };
const HALF: Vector3<f32> = Vector3::new(0.5, 0.25, 1.0);
const CUBOID: Shape = Shape::Cuboid { half_extents: HALF };
const SHAPES: [Shape; 5] = [Shape::Plane, SPHERE, CAPSULE, BALL, CUBOID];

/// How far outside (m) a point is, in any measure that is zero on the surface and has slope 1 across it.
fn outside(shape: &Shape, p: &Point3<f64>) -> f64 {
    match *shape {
        Shape::Plane => p.y,
        Shape::Sphere { radius } => p.coords.norm() - f64::from(radius),
        Shape::Capsule { half_length, radius } => {
            let h = f64::from(half_length);
            let beyond = (p.y - h).max(-h - p.y).max(0.0);
            (p.x * p.x + p.z * p.z + beyond * beyond).sqrt() - f64::from(radius)
        }
        Shape::Cuboid { half_extents } => (p.coords.abs() - half_extents.cast::<f64>()).max(),
        _ => unreachable!(),
    }
}

/// A point on the surface: all kinds of regions come up.
fn sample(shape: &Shape, dice: &mut Dice) -> Point3<f32> {
    match *shape {
        Shape::Plane => Point3::new(dice.between(-3.0, 3.0), 0.0, dice.between(-3.0, 3.0)),
        Shape::Sphere { radius } => (dice.direction() * radius).into(),
        Shape::Capsule { half_length, radius } => {
            let mut p = dice.direction() * radius;
            if dice.between(0.0, 1.0) < 0.5 {
                p.y += half_length * p.y.signum();
            } else {
                let side = Vector3::new(p.x, 0.0, p.z).normalize() * radius;
                p = side + Vector3::y() * dice.between(-half_length, half_length);
            }
            p.into()
        }
        Shape::Cuboid { half_extents } => {
            let mut p = dice.vector(1.0).component_mul(&half_extents);
            let axis = (dice.between(0.0, 3.0) as usize).min(2);
            p[axis] = half_extents[axis] * p[axis].signum();
            p.into()
        }
        _ => unreachable!(),
    }
}

/// Points where a region begins or where several ways out are equally short.
fn special_points() -> Vec<Point3<f32>> {
    let values = [-1.5, -1.0, -0.75, -0.5, -0.25, -0.125, 0.0, 0.125, 0.25, 0.5, 0.75, 1.0, 1.5];
    let n = values.len();
    (0..n * n * n).map(|i| Point3::new(values[i % n], values[i / n % n], values[i / n / n])).collect()
}

fn certify(shape: &Shape, p: &Point3<f32>, samples: &[Point3<f32>]) {
    let found = shape.nearest(p);
    // A dozen roundings of numbers up to the coordinates and lengths.
    let bound = f64::from(16.0 * U * (p.coords.norm() + 2.0));
    let (wide, normal, distance) = (p.cast::<f64>(), found.normal.cast::<f64>(), f64::from(found.distance));
    assert!((normal.norm() - 1.0).abs() <= f64::from(4.0 * U), "{shape:?} {p}: {found:?}");
    let foot = wide - normal * distance;
    assert!(outside(shape, &foot).abs() <= bound, "{shape:?} {p}: {found:?} leads to {foot}");
    let depth = outside(shape, &wide);
    assert!(depth.abs() <= bound || depth.signum() == distance.signum(), "{shape:?} {p}: {found:?}");
    assert!(outside(shape, &(foot + normal * 1e-3)) > 0.5e-3, "{shape:?} {p}: {found:?} leads in");
    for s in samples {
        let there = (wide - s.cast::<f64>()).norm();
        assert!(distance.abs() <= there + bound, "{shape:?} {p}: {found:?}, but {s} is {there} away");
    }
}

#[test]
fn no_sample_of_the_surface_is_nearer_than_the_nearest_point() {
    let mut dice = Dice::new(10);
    for shape in &SHAPES {
        let samples: Vec<_> = (0..400).map(|_| sample(shape, &mut dice)).collect();
        for _ in 0..400 {
            let p = dice.point(2.0);
            certify(shape, &p, &samples);
            let close = sample(shape, &mut dice) + dice.vector(0.05);
            certify(shape, &close, &samples);
        }
        for p in special_points() {
            certify(shape, &p, &samples);
        }
    }
}

#[test]
fn an_ambiguous_normal_is_always_the_same() {
    let nearest =
        |shape: &Shape, p: [f32; 3]| (shape.nearest(&p.into()).normal, shape.nearest(&p.into()).distance);
    assert_eq!(nearest(&SPHERE, [0.0; 3]), (Vector3::y(), -0.75));
    assert_eq!(nearest(&CAPSULE, [0.0, 0.25, 0.0]), (Vector3::x(), -0.25));
    assert_eq!(nearest(&CAPSULE, [0.0, 0.5, 0.0]), (Vector3::y(), -0.25));
    assert_eq!(nearest(&CAPSULE, [0.0, -0.5, 0.0]), (-Vector3::y(), -0.25));
    assert_eq!(nearest(&BALL, [0.0; 3]), (Vector3::y(), -0.5));
    assert_eq!(nearest(&CUBOID, [0.0; 3]), (Vector3::y(), -0.25));
    assert_eq!(nearest(&CUBOID, [0.25, 0.0, 0.0]), (Vector3::x(), -0.25), "x comes before y");
}

#[test]
fn a_corner_of_a_box_is_rounded_off_in_distance() {
    let found = CUBOID.nearest(&Point3::new(0.5 + 2.0, 0.25 + 3.0, -1.0 - 6.0));
    assert_eq!(found.distance, 7.0);
    assert!((found.normal - Vector3::new(2.0, 3.0, -6.0) / 7.0).norm() <= 2.0 * U);
}

#[test]
fn the_end_of_a_capsule_is_a_half_ball() {
    let found = CAPSULE.nearest(&Point3::new(0.0, -0.5 - 4.0, 3.0));
    assert_eq!(found.distance, 5.0 - 0.25);
    assert!((found.normal - Vector3::new(0.0, -0.8, 0.6)).norm() <= 2.0 * U);
}
