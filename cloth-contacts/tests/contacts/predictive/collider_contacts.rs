//! Contacts with every shape in every motion: the detector against a test of each pair, and what contacts are
//! for.

use cloth_contacts::collider::reference::{self, signed_distance};
use cloth_contacts::collider::{ClothPoints, Collider, ColliderContact, ColliderDetector, MeshSides, Shape};
use cloth_contacts::{Motion, Surface, SurfaceDesc};
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use crate::predictive::U;
use crate::predictive::collider_shapes::{all, mesh, solids, step, voxels, waves};
use cloth_testing::Dice;

const RADIUS: f32 = 0.01;
const SCR: f32 = 0.02;

fn cloud(rest: &[Point3<f32>]) -> Surface {
    let count = rest.len();
    Surface::new(&SurfaceDesc {
        faces: &[],
        radius: &vec![RADIUS; count],
        half_scr: &vec![0.5 * SCR; count],
        part: &vec![0; count],
        kinematic: &[false],
        rest,
        exclusions: &[],
        regions: Default::default(),
    })
    .unwrap()
}

fn pose(dice: &mut Dice, size: f32, turn: f32) -> Isometry3<f32> {
    let turn = UnitQuaternion::from_scaled_axis(dice.vector(turn));
    Isometry3::from_parts(dice.vector(size).into(), turn)
}

fn one(collider: &Collider, p: Point3<f32>, d: Vector3<f32>) -> Vec<ColliderContact> {
    let motion = Motion { positions: &[p], displacements: &[d] };
    let surface = cloud(&[p]);
    let mut out = Vec::new();
    let points = ClothPoints { motion, inv_mass: &[1.0], surface: &surface };
    ColliderDetector::default().detect(std::slice::from_ref(collider), &points, &mut out);
    out
}

/// Runs a scene of points and colliders that move by `way` and `turn` a step.
fn compare(seed: u64, speed: f32, way: f32, turn: f32) -> usize {
    let mut dice = Dice::new(seed);
    let count = 150;
    let mut positions: Vec<Point3<f32>> = (0..count).map(|_| dice.point(1.5)).collect();
    let inv_mass: Vec<f32> = (0..count).map(|v| if v % 10 == 0 { 0.0 } else { 1.0 }).collect();
    let mut colliders: Vec<Collider> = all()
        .into_iter()
        .chain(voxels())
        .map(|shape| Collider::new(shape, pose(&mut dice, 1.0, 2.0), 0.3).unwrap())
        .collect();
    let (mut detector, surface) = (ColliderDetector::default(), cloud(&positions));
    let (mut found, mut expected, mut seen) = (Vec::new(), Vec::new(), 0);
    for step in 0..25 {
        for (k, collider) in colliders.iter_mut().enumerate() {
            let moved = collider.pose_t1 * pose(&mut dice, way, turn);
            *collider = collider.moved_to(if k % 3 == 0 { collider.pose_t1 } else { moved }).unwrap();
        }
        if step == 15 {
            colliders.swap(3, 16);
        }
        let displacements: Vec<Vector3<f32>> = (0..count).map(|_| dice.vector(speed)).collect();
        let motion = Motion { positions: &positions, displacements: &displacements };
        let points = ClothPoints { motion, inv_mass: &inv_mass, surface: &surface };
        detector.detect(&colliders, &points, &mut found);
        reference::contacts(&colliders, &points, &mut expected);
        assert_eq!(found, expected, "seed {seed}, step {step}");
        seen += found.len();
        positions.iter_mut().zip(&displacements).for_each(|(p, d)| *p += d);
        positions[step] = dice.point(1.5);
    }
    seen
}

#[test]
fn the_detector_equals_the_test_of_every_pair_bit_for_bit() {
    for (seed, (speed, way, turn)) in [
        (0.0, 0.0, 0.0),
        (1e-3, 0.0, 0.0),
        (1e-3, 1e-3, 1e-3),
        (0.02, 0.02, 0.02),
        (0.5, 0.1, 0.3),
        (2.0, 1.0, 1.2),
    ]
    .into_iter()
    .enumerate()
    {
        let seen = compare(70 + seed as u64, speed, way, turn);
        assert!(seen > 1000, "{seen} at {speed}");
    }
}

#[test]
fn borderline_points_far_from_the_origin_have_equal_contacts() {
    let mut dice = Dice::new(80);
    for shape in all() {
        for place in [0.0, 100.0, 1.0e4] {
            let start = Isometry3::translation(place, -place, 0.5 * place) * pose(&mut dice, 1.0, 2.0);
            let moved = start * pose(&mut dice, 0.1, 0.1);
            let collider = Collider::new(shape.clone(), start, 0.3).unwrap().moved_to(moved).unwrap();
            let (mut positions, mut displacements) = (Vec::new(), Vec::new());
            for _ in 0..300 {
                let local = dice.point(1.2);
                let found = shape.nearest(&local);
                // Within a few roundings of where the gap closes to the reach.
                let closes = dice.between(0.0, 0.5);
                let edge = (RADIUS + SCR + closes) * (1.0 + 4.0 * U * dice.between(-8.0, 8.0));
                let p = local + found.normal * (edge - found.distance);
                let rides = moved * p - start * p;
                positions.push(start * p);
                displacements.push(rides - moved * found.normal * closes);
            }
            let surface = cloud(&positions);
            let motion = Motion { positions: &positions, displacements: &displacements };
            let points = ClothPoints { motion, inv_mass: &[1.0; 300], surface: &surface };
            let (mut found, mut expected) = (Vec::new(), Vec::new());
            ColliderDetector::default().detect(std::slice::from_ref(&collider), &points, &mut found);
            reference::contacts(std::slice::from_ref(&collider), &points, &mut expected);
            assert_eq!(found, expected, "{shape:?} at {place}");
            assert!(!found.is_empty());
        }
    }
}

#[test]
fn the_plane_of_a_contact_touches_the_surface_where_it_has_gone() {
    let mut dice = Dice::new(81);
    for shape in all() {
        let mut seen = 0;
        for _ in 0..300 {
            let (from, to) = (pose(&mut dice, 0.5, 1.0), pose(&mut dice, 0.5, 1.0));
            let collider = Collider::new(shape.clone(), from, 0.25).unwrap().moved_to(to).unwrap();
            for contact in one(&collider, dice.point(1.0), dice.vector(1.0)) {
                let foot = to.cast::<f64>().inverse_transform_point(&contact.surface_t1.cast());
                let off = signed_distance(&shape, &foot).unwrap();
                // There and back: some 40 roundings of coordinates up to 4 m.
                assert!(off.abs() <= f64::from(40.0 * U * 4.0), "{shape:?} {contact:?} {off}");
                let start = contact.surface_t1 - contact.surface_displacement;
                let carried = to * from.inverse() * start;
                assert!((carried - contact.surface_t1).norm() <= 64.0 * U * 4.0, "{shape:?} {contact:?}");
                assert_eq!(contact.friction, 0.25);
                seen += 1;
            }
        }
        assert!(seen > 30, "{shape:?} {seen}");
    }
}

#[test]
fn a_point_entering_a_resting_shape_crosses_a_contact_plane_first() {
    let mut dice = Dice::new(82);
    for shape in solids().into_iter().chain(voxels()) {
        let place = pose(&mut dice, 0.5, 2.0);
        let collider = Collider::new(shape.clone(), place, 0.0).unwrap();
        let depth = |q: &Point3<f32>| shape.nearest(&place.inverse_transform_point(q)).distance;
        let mut through = 0;
        for _ in 0..3000 {
            let (p, d) = (dice.point(1.5), dice.vector(4.0));
            if depth(&p) < 0.001 {
                continue;
            }
            let way = (0..=256).map(|i| p + d * (i as f32 / 256.0));
            let Some(inside) = way.into_iter().find(|q| depth(q) < -1e-4) else { continue };
            let contacts = one(&collider, p, d);
            assert!(contacts.iter().any(|c| c.separation(&inside) < 1e-5), "{shape:?} {p} {d} {contacts:?}");
            assert!(contacts.iter().all(|c| c.gap > 0.0));
            through += 1;
        }
        assert!(through > 30, "{shape:?} {through}");
    }
}

#[test]
fn a_sheet_is_not_passed_from_either_side_and_ground_from_above() {
    let mut dice = Dice::new(83);
    for (sides, from) in [(MeshSides::TwoSided, [1.0, -1.0]), (MeshSides::OneSided, [1.0, 1.0])] {
        let collider = Collider::new(mesh(&waves(), sides), Isometry3::identity(), 0.0).unwrap();
        for up in from {
            for _ in 0..300 {
                let mut p = dice.point(0.7);
                p.y = up * dice.between(0.2, 1.0);
                let d = Vector3::new(dice.between(-0.2, 0.2), -up * 2.0, dice.between(-0.2, 0.2));
                let end = p + d;
                if end.x.abs().max(end.z.abs()) > 0.7 {
                    continue;
                }
                let contacts = one(&collider, p, d);
                assert!(
                    contacts.iter().any(|c| c.normal.y * up > 0.0 && c.separation(&end) < 0.0),
                    "{p} {d}"
                );
            }
        }
    }
}

#[test]
fn behind_ground_is_inside_and_beyond_its_rim_is_not() {
    let ground = mesh(&waves(), MeshSides::OneSided);
    let collider = Collider::new(ground.clone(), Isometry3::identity(), 0.0).unwrap();
    let below = one(&collider, Point3::new(0.1, -0.5, 0.1), Vector3::zeros());
    assert!(below[0].gap < -0.3 && below[0].normal.y > 0.5, "{below:?}");
    assert_eq!(one(&collider, Point3::new(0.9, -0.5, 0.1), Vector3::zeros()), []);
    let sheet = Collider::new(mesh(&waves(), MeshSides::TwoSided), Isometry3::identity(), 0.0).unwrap();
    assert_eq!(one(&sheet, Point3::new(0.1, -0.5, 0.1), Vector3::zeros()), []);
}

#[test]
fn in_the_corner_of_a_step_floor_and_wall_have_contacts() {
    for shape in [
        mesh(&step(), MeshSides::Closed),
        mesh(&step(), MeshSides::OneSided),
        mesh(&step(), MeshSides::TwoSided),
    ] {
        let collider = Collider::new(shape, Isometry3::identity(), 0.0).unwrap();
        let found = one(&collider, Point3::new(-0.02, 0.015, 0.1), Vector3::zeros());
        let off = |k: usize, normal: Vector3<f32>| (found[k].normal - normal).norm();
        assert!(off(0, Vector3::y()) < U && off(1, -Vector3::x()) < U && found.len() == 2, "{found:?}");
        let flat = one(&collider, Point3::new(-0.4, 0.015, 0.1), Vector3::zeros());
        assert_eq!(flat.len(), 1, "one floor, one plane: {flat:?}");
    }
}

#[test]
fn what_flies_past_the_nearest_wall_into_another_meets_that_one() {
    // The floor is nearer and left behind; the wall stands 0.5 m off in the way.
    let collider = Collider::new(mesh(&step(), MeshSides::Closed), Isometry3::identity(), 0.0).unwrap();
    let found = one(&collider, Point3::new(-0.5, 0.2, 0.1), Vector3::new(1.0, 0.1, 0.0));
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].normal, found[0].gap), (-Vector3::x(), 0.5));
}

#[test]
fn positions_that_are_no_numbers_make_no_contact_and_no_panic() {
    let colliders: Vec<_> =
        all().into_iter().map(|s| Collider::new(s, Isometry3::identity(), 0.0).unwrap()).collect();
    for odd in [f32::NAN, f32::INFINITY, f32::MAX] {
        let positions = [Point3::new(odd, 0.0, 0.0), Point3::new(0.0, odd, 0.0), Point3::new(0.1, 0.1, odd)];
        let still = [Vector3::zeros(); 3];
        let surface = cloud(&[Point3::origin(); 3]);
        let motion = Motion { positions: &positions, displacements: &still };
        let mut out = Vec::new();
        let mut detector = ColliderDetector::default();
        for displacements in [&still, &[Vector3::repeat(odd); 3]] {
            let motion = Motion { displacements, ..motion };
            let points = ClothPoints { motion, inv_mass: &[1.0; 3], surface: &surface };
            detector.detect(&colliders, &points, &mut out);
            // Plane and ground have no end: the largest number may lie behind them.
            let endless = |c: &&ColliderContact| colliders[c.collider as usize].shape.bounds().is_none();
            assert_eq!(out.iter().filter(|c| !endless(c)).count(), 0, "{odd} {out:?}");
            assert!(out.iter().all(|c| odd == f32::MAX && c.gap.is_finite()), "{odd} {out:?}");
        }
    }
}

#[test]
fn a_step_without_points_or_colliders_has_no_contacts() {
    let surface = cloud(&[]);
    let motion = Motion { positions: &[], displacements: &[] };
    let points = ClothPoints { motion, inv_mass: &[], surface: &surface };
    let ball = Collider::new(Shape::Sphere { radius: 1.0 }, Isometry3::identity(), 0.0).unwrap();
    let mut out = Vec::new();
    ColliderDetector::default().detect(&[ball], &points, &mut out);
    ColliderDetector::default().detect(&[], &points, &mut out);
    assert!(out.is_empty());
}
