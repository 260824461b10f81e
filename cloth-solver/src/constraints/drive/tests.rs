use nalgebra::{Point3, Vector3};

use super::*;
use crate::Backstop;
use crate::bodies::{Packed, packed, vector};
use cloth_geom::fixtures::icosphere;

const H: f32 = 1.0 / 60.0;

/// A number in (-0.5, 0.5) for each index, without pattern.
fn number(i: usize) -> f32 {
    ((i as u32).wrapping_mul(2_654_435_761) >> 8) as f32 / (1 << 24) as f32 - 0.5
}

fn pose() -> DrivePose {
    let mesh = icosphere(1, 0.4).unwrap();
    DrivePose::new(mesh.positions_f32(), mesh.faces)
}

/// A driven ball of 42 vertices in the common arrays from 2 on, and positions near its targets.
fn driven(desc: &Drive) -> (ClothDrive, Vec<Packed>, Vec<f32>) {
    let mut driven = ClothDrive::new(desc, 42, 2);
    let mut w: Vec<f32> = (0..44).map(|v| 10.0 + v as f32).collect();
    w[7] = 0.0;
    driven.set_targets(&pose(), 1.0);
    let shift = |v: usize| Vector3::new(number(3 * v), number(3 * v + 1), number(3 * v + 2)) * 0.3;
    let mut x = vec![Packed::zeros(); 2];
    x.extend((0..42).map(|v| packed(&(pose().target(v, 1.0) + shift(v)).coords)));
    x.iter_mut().zip(&w).for_each(|(x, w)| x.w = *w);
    (driven, x, w)
}

fn everything() -> Drive {
    let backstop = |i: usize| match i % 4 {
        0 => None,
        1 => Some(Backstop { distance: 0.02, radius: f32::INFINITY }),
        2 => Some(Backstop { distance: -0.01, radius: 0.05 }),
        _ => Some(Backstop { distance: 0.0, radius: 3.0 }),
    };
    let vertices: Vec<u32> = (0..42).filter(|v| v % 5 != 4).rev().collect();
    let count = vertices.len();
    Drive {
        vertices: Some(vertices),
        stiffness: 400.0,
        damping: 0.0,
        max_distance: Some((0..count).map(|i| [0.1, 0.05, f32::INFINITY][i % 3]).collect()),
        backstop: Some((0..count).map(backstop).collect()),
    }
}

/// What the first lines of the module say, for one vertex, in `f64` and with the ball as a ball.
fn reference(
    desc: &Drive,
    i: usize,
    x: Vector3<f64>,
    spring_displacement: &mut Vector3<f64>,
) -> Vector3<f64> {
    let v = desc.vertices.as_ref().unwrap()[i] as usize;
    let target = pose().target(v, 1.0).coords.cast::<f64>();
    let normal = pose().normal(v, 1.0).cast::<f64>();
    let s = 1.0 / (f64::from(desc.stiffness) * f64::from(H) * f64::from(H));
    let correction = (target - x - *spring_displacement * s) / (1.0 + s);
    *spring_displacement += correction;
    let mut x = x + correction;
    let max_distance = f64::from(desc.max_distance.as_ref().unwrap()[i]);
    let away = x - target;
    if away.norm() > max_distance {
        x = target + away * (max_distance / away.norm());
    }
    match desc.backstop.as_ref().unwrap()[i] {
        None => x,
        Some(Backstop { distance, radius }) if radius.is_infinite() => {
            let height = (x - target).dot(&normal) + f64::from(distance);
            x - normal * height.min(0.0)
        }
        Some(Backstop { distance, radius }) => {
            let centre = target - normal * f64::from(distance + radius);
            let out = x - centre;
            if out.norm() < f64::from(radius) { centre + out * (f64::from(radius) / out.norm()) } else { x }
        }
    }
}

#[test]
fn eight_at_a_time_do_what_the_plain_geometry_says_of_one() {
    let desc = everything();
    let (mut driven, mut x, w) = driven(&desc);
    let x_t0 = x.clone();
    let vertices = desc.vertices.clone().unwrap();
    let mut spring_displacement = vec![Vector3::zeros(); vertices.len()];
    let mut expected: Vec<Vector3<f64>> = x.iter().map(|p| vector(p).cast()).collect();
    for pass in 0..3 {
        driven.project(&mut Bodies::with_masses(&mut x, &x_t0, &w, H), pass == 0);
        for (i, &v) in vertices.iter().enumerate() {
            let v = v as usize + 2;
            if w[v] > 0.0 {
                expected[v] = reference(&desc, i, expected[v], &mut spring_displacement[i]);
            }
        }
        for v in 0..44 {
            let apart = (vector(&x[v]).cast::<f64>() - expected[v]).norm();
            assert!(apart < 1e-6, "pass {pass}, vertex {v}: {apart}");
        }
    }
    // Neither pinned nor undriven vertices move.
    for v in (0..44).filter(|&v| w[v] == 0.0 || v < 2 || (v - 2) % 5 == 4) {
        assert_eq!(x[v], x_t0[v], "{v}");
    }
    let moved = (0..44).filter(|&v| x[v] != x_t0[v]).count();
    assert!(moved > 25, "{moved}");
}

#[test]
fn an_infinite_stiffness_is_rigid_and_a_distance_of_none_too() {
    for desc in [
        Drive { stiffness: f32::INFINITY, ..Drive::default() },
        Drive { max_distance: Some(vec![0.0; 42]), ..Drive::default() },
    ] {
        let (mut driven, mut x, w) = driven(&desc);
        let x_t0 = x.clone();
        driven.project(&mut Bodies::with_masses(&mut x, &x_t0, &w, H), true);
        for v in (2..44).filter(|&v| w[v] > 0.0) {
            let target = pose().target(v - 2, 1.0).coords;
            assert!((vector(&x[v]) - target).norm() <= 4.0 * f32::EPSILON, "{v}");
        }
    }
}

#[test]
fn nothing_at_the_centre_of_its_backstop_becomes_a_nan() {
    let backstop = Some(Backstop { distance: 0.0, radius: 0.1 });
    let desc = Drive { backstop: Some(vec![backstop; 42]), ..Drive::default() };
    let (mut driven, mut x, w) = driven(&desc);
    let centre = |v: usize| pose().target(v, 1.0) - pose().normal(v, 1.0) * 0.1;
    x[2..].iter_mut().enumerate().for_each(|(v, p)| *p = packed(&centre(v).coords));
    let x_t0 = x.clone();
    driven.project(&mut Bodies::with_masses(&mut x, &x_t0, &w, H), true);
    assert!(x.iter().all(|p| p.iter().all(|c| c.is_finite())));
}

#[test]
fn velocities_approach_that_of_the_pose_at_their_rate_whatever_the_substep() {
    let desc = Drive { damping: 3.0, vertices: Some(vec![1, 2, 5]), ..Drive::default() };
    for substeps in [1, 10] {
        let (driven, _, w) = driven(&desc);
        let targets: Vec<Point3<f32>> =
            (0..42).map(|v| pose().target(v, 1.0) + Vector3::x() * 0.02).collect();
        let mut pose = pose();
        pose.move_to(&targets);
        let mut v = vec![Vector3::y(); 44];
        let dt = 0.1;
        for _ in 0..substeps {
            let durations = Durations { step: dt, substep: dt / substeps as f32 };
            driven.damp(&pose, &mut v, &w, durations);
        }
        let left = libm::expf(-0.3);
        let expected = Vector3::new(0.2 * (1.0 - left), left, 0.0);
        for i in 0..44 {
            // Vertex 5 of the cloth is pinned.
            let wanted = if i == 3 || i == 4 { expected } else { Vector3::y() };
            assert!((v[i] - wanted).norm() < 1e-5, "{i}: {}", v[i]);
        }
    }
}
