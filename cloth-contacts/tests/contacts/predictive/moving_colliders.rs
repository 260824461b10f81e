//! Contacts of points with colliders: when there is one, and where its half-space goes.

use cloth_contacts::collider::{
    ClothPoints, Collider, ColliderContact, ColliderDetector, ColliderError, Shape,
};
use cloth_contacts::{Motion, Surface, SurfaceDesc};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use std::f32::consts::FRAC_PI_2;

use crate::predictive::U;
use cloth_testing::Dice;

const RADIUS: f32 = 0.125;
const SCR: f32 = 0.125;

/// Points without faces.
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

/// The contacts of a test of every point.
fn contacts(colliders: &[Collider], motion: Motion<'_>, inv_mass: &[f32]) -> Vec<ColliderContact> {
    let surface = cloud(motion.positions);
    let mut out = Vec::new();
    let points = ClothPoints { motion, inv_mass, surface: &surface };
    ColliderDetector::default().detect(colliders, &points, &mut out);
    out
}

fn contact(collider: &Collider, p: [f32; 3], d: [f32; 3]) -> Option<ColliderContact> {
    let motion = Motion { positions: &[p.into()], displacements: &[d.into()] };
    let mut out = contacts(std::slice::from_ref(collider), motion, &[1.0]);
    assert!(out.len() <= 1);
    out.pop()
}

fn resting(shape: Shape) -> Collider {
    Collider::new(shape, Isometry3::identity(), 0.5).unwrap()
}

#[test]
fn a_point_inside_near_or_approaching_is_a_contact_and_no_other() {
    let floor = resting(Shape::Plane);
    let inside = contact(&floor, [0.0, -1.0, 0.0], [0.0, 5.0, 0.0]).unwrap();
    assert_eq!((inside.gap, inside.distance, inside.friction), (-1.0, RADIUS, 0.5));
    assert!(contact(&floor, [0.0, 0.2, 0.0], [0.0, 5.0, 0.0]).is_some());
    assert!(contact(&floor, [0.0, 2.0, 0.0], [0.0, -1.9, 0.0]).is_some());
    assert_eq!(contact(&floor, [0.0, 2.0, 0.0], [9.0, -1.5, 9.0]), None);
    assert_eq!(contact(&floor, [0.0, 2.0, 0.0], [0.0, 1.0, 0.0]), None);
}

#[test]
fn reach_is_radius_and_scr_and_open() {
    let floor = resting(Shape::Plane);
    let reach = RADIUS + SCR;
    assert_eq!(contact(&floor, [0.0, reach, 0.0], [0.0; 3]), None);
    assert!(contact(&floor, [0.0, reach.next_down(), 0.0], [0.0; 3]).is_some());
    assert_eq!(contact(&floor, [0.0, 1.0, 0.0], [0.0, reach - 1.0, 0.0]), None);
    assert!(contact(&floor, [0.0, 1.0, 0.0], [0.0, (reach - 1.0).next_down(), 0.0]).is_some());
}

#[test]
fn a_fast_point_meets_a_thin_box_on_its_own_side() {
    let thin = resting(Shape::Cuboid { half_extents: Vector3::new(0.5, 0.0025, 0.5) });
    for from in [1.0f32, -1.0] {
        let step = -from * 100.0 / 60.0;
        let found = contact(&thin, [0.1, from, 0.2], [0.0, step, 0.0]).unwrap();
        assert_eq!(found.normal, Vector3::y() * from);
        let end = Point3::new(0.1, from + step, 0.2);
        assert!(found.separation(&end) < -0.6, "the end is on the wrong side");
        assert!(found.separation(&Point3::new(0.1, from * 0.01, 0.2)) > 0.0);
    }
}

#[test]
fn no_motion_through_a_shape_goes_unseen() {
    // All shapes are convex: a path that goes in crosses the plane of the contact.
    let mut dice = Dice::new(20);
    let shapes = [
        Shape::Plane,
        Shape::Sphere { radius: 0.5 },
        Shape::Capsule { half_length: 0.5, radius: 0.25 },
        Shape::Cuboid { half_extents: Vector3::new(0.5, 0.02, 0.5) },
    ];
    for shape in shapes {
        let pose = Isometry3::from_parts(
            dice.vector(0.5).into(),
            UnitQuaternion::from_scaled_axis(dice.vector(2.0)),
        );
        let collider = Collider::new(shape.clone(), pose, 0.0).unwrap();
        let mut through = 0;
        for _ in 0..3000 {
            let (p, d) = (dice.point(2.0), dice.vector(4.0));
            let depth = |q: &Point3<f32>| shape.nearest(&pose.inverse_transform_point(q)).distance;
            if depth(&p) < 0.01 {
                continue;
            }
            let dips = (0..=64).any(|i| depth(&(p + d * (i as f32 / 64.0))) < -1e-3);
            if dips {
                let found = contact(&collider, p.into(), d.into());
                assert!(found.is_some_and(|c| c.gap > 0.0), "{shape:?} {p} {d}");
                through += 1;
            }
        }
        assert!(through > 30, "{shape:?} {through}");
    }
}

#[test]
fn the_half_space_goes_where_the_surface_goes() {
    let moving =
        resting(Shape::Sphere { radius: 0.5 }).moved_to(Isometry3::translation(1.0, 2.0, 3.0)).unwrap();
    let found = contact(&moving, [0.0, 1.0, 0.0], [0.0; 3]).unwrap();
    assert_eq!(found.surface_displacement, Vector3::new(1.0, 2.0, 3.0));
    assert_eq!(found.surface_t1, Point3::new(1.0, 2.5, 3.0));
    assert_eq!((found.normal, found.gap), (Vector3::y(), 0.5));
    // The point that rides along keeps its gap.
    assert_eq!(found.separation(&Point3::new(1.0, 3.0, 3.0)), found.gap);
}

#[test]
fn a_collider_that_flees_is_no_contact_and_one_that_comes_is() {
    let floor = resting(Shape::Plane);
    let falling = floor.moved_to(Isometry3::translation(0.0, -10.0, 0.0)).unwrap();
    assert_eq!(contact(&falling, [0.0, 1.0, 0.0], [0.0, -10.0, 0.0]), None);
    let rising = floor.moved_to(Isometry3::translation(0.0, 10.0, 0.0)).unwrap();
    let found = contact(&rising, [0.0, 1.0, 0.0], [0.0; 3]).unwrap();
    assert_eq!(found.separation(&Point3::new(0.0, 10.5, 0.0)), 0.5);
}

#[test]
fn a_turning_sphere_drags_its_surface_along() {
    // A quarter turn about z takes the top, nearest to the point, to the left.
    let pose = Isometry3::rotation(Vector3::z() * FRAC_PI_2);
    let turning = resting(Shape::Sphere { radius: 1.0 }).moved_to(pose).unwrap();
    let found = contact(&turning, [0.0, 1.125, 0.0], [0.0; 3]).unwrap();
    assert!((found.surface_displacement - Vector3::new(-1.0, -1.0, 0.0)).norm() <= 8.0 * U);
    assert!((found.surface_t1 - Point3::new(-1.0, 0.0, 0.0)).norm() <= 8.0 * U);
    // Its plane goes along: the turn takes up to the left.
    assert!((found.normal + Vector3::x()).norm() <= 8.0 * U);
}

#[test]
fn a_rotating_convex_shape_ends_behind_the_planes_of_its_contacts() {
    let mut dice = Dice::new(22);
    let shapes = [
        Shape::Sphere { radius: 0.5 },
        Shape::Capsule { half_length: 0.5, radius: 0.25 },
        Shape::Cuboid { half_extents: Vector3::new(0.5, 0.02, 0.5) },
        Shape::Cone { half_length: 0.4, radius: 0.3 },
    ];
    for shape in shapes {
        let mut pose = || {
            let turn = UnitQuaternion::from_scaled_axis(dice.vector(1.0));
            Isometry3::from_parts(dice.vector(0.5).into(), turn)
        };
        let (start, end) = (pose(), pose());
        let collider = Collider::new(shape.clone(), start, 0.0).unwrap().moved_to(end).unwrap();
        let (mut dice, mut seen) = (Dice::new(23), 0);
        for _ in 0..3000 {
            let (p, d) = (dice.point(1.5), dice.vector(1.0));
            let depth = |pose: &Isometry3<f32>, q: &Point3<f32>| {
                shape.nearest(&pose.inverse_transform_point(q)).distance
            };
            if depth(&start, &p) < 0.01 {
                continue;
            }
            let found = contact(&collider, p.into(), d.into());
            // Where it would go through or end inside there is a contact, and pushed to its plane it is
            // outside.
            let local = [start.inverse_transform_point(&p), end.inverse_transform_point(&(p + d))];
            let dips = (0..=64).any(|i| {
                shape.nearest(&(local[0] + (local[1] - local[0]) * (i as f32 / 64.0))).distance < -1e-3
            });
            assert!(found.is_some() || !dips, "{shape:?} {p} {d}");
            if let Some(found) = found {
                let at = p + d;
                let out = at - found.normal * found.separation(&at).min(0.0);
                assert!(depth(&end, &out) > -1e-5, "{shape:?} {p} {d} {}", depth(&end, &out));
                seen += usize::from(dips);
            }
        }
        assert!(seen > 30, "{shape:?} {seen}");
    }
}

#[test]
fn a_turned_and_shifted_box_is_met_in_its_own_frame() {
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), FRAC_PI_2);
    let pose = Isometry3::from_parts(Translation3::new(5.0, 0.0, 0.0), turn);
    let half_extents = Vector3::new(0.25, 2.0, 1.0);
    let bar = Collider::new(Shape::Cuboid { half_extents }, pose, 0.0).unwrap();
    // Its long side now lies along x, from 3 to 7.
    let found = contact(&bar, [3.5, 0.375, 0.0], [0.0; 3]).unwrap();
    assert!((found.normal - Vector3::y()).norm() <= 8.0 * U);
    assert!((found.gap - 0.125).abs() <= 8.0 * U * 5.0);
    assert_eq!(contact(&bar, [5.0, 1.5, 0.0], [0.0; 3]), None);
}

#[test]
fn parts_of_a_step_join_and_end_where_the_step_ends() {
    let mut dice = Dice::new(21);
    for _ in 0..100 {
        let mut pose = || {
            let turn = UnitQuaternion::from_scaled_axis(dice.vector(1.5));
            Isometry3::from_parts(dice.vector(2.0).into(), turn)
        };
        let whole = Collider::new(Shape::Plane, pose(), 0.0).unwrap().moved_to(pose()).unwrap();
        let (first, second) = (whole.part_of_step(0.0, 0.25), whole.part_of_step(0.25, 1.0));
        assert_eq!(first.pose_t1, second.pose_t0);
        let apart = |a: &Isometry3<f32>, b: &Isometry3<f32>| {
            let turn = (a.rotation.coords - b.rotation.coords).norm();
            turn.min((a.rotation.coords + b.rotation.coords).norm())
                + (a.translation.vector - b.translation.vector).norm()
        };
        assert!(apart(&first.pose_t0, &whole.pose_t0) <= 8.0 * U);
        assert!(apart(&second.pose_t1, &whole.pose_t1) <= 16.0 * U);
        assert!((first.pose_t1.rotation.coords.norm() - 1.0).abs() <= 4.0 * U);
    }
}

#[test]
fn a_turn_takes_the_short_way_round() {
    let at = |angle: f32| Isometry3::rotation(Vector3::z() * angle);
    let mut far = at(0.2);
    far.rotation = UnitQuaternion::new_unchecked(-far.rotation.into_inner());
    let turning = resting(Shape::Plane).moved_to(far).unwrap();
    let half = turning.pose_at(0.5).rotation.angle_to(&at(0.1).rotation);
    // angle_to goes through an arc cosine or tangent of numbers rounded to u.
    assert!(half <= 1e-3, "{half}");
}

#[test]
fn contacts_are_ordered_by_collider_then_vertex_without_pinned_points() {
    let colliders = [resting(Shape::Plane), resting(Shape::Sphere { radius: 5.0 }), resting(Shape::Plane)];
    let low = Point3::new(0.0, 0.1, 0.0);
    let motion = Motion {
        positions: &[Point3::new(0.0, 50.0, 0.0), low, low, low],
        displacements: &[Vector3::zeros(); 4],
    };
    let found = contacts(&colliders, motion, &[1.0, 1.0, 0.0, 2.0]);
    let named: Vec<_> = found.iter().map(|c| (c.collider, c.vertex)).collect();
    assert_eq!(named, [(0, 1), (0, 3), (1, 1), (1, 3), (2, 1), (2, 3)]);
}

#[test]
fn letting_far_points_rest_loses_no_contact() {
    for (seed, speed) in [(30, 0.002), (31, 0.02), (32, 0.2)] {
        let mut dice = Dice::new(seed);
        let count = 200;
        let mut positions: Vec<Point3<f32>> = (0..count).map(|_| dice.point(3.0)).collect();
        let mut displacements: Vec<Vector3<f32>> = (0..count).map(|_| dice.vector(speed)).collect();
        let inv_mass: Vec<f32> = (0..count).map(|v| if v % 10 == 0 { 0.0 } else { 1.0 }).collect();
        let mut colliders = [
            resting(Shape::Plane),
            resting(Shape::Sphere { radius: 0.5 }),
            resting(Shape::Capsule { half_length: 1.0, radius: 0.25 }),
        ];
        let surface = cloud(&positions);
        let mut detector = ColliderDetector::default();
        let (mut found, mut seen) = (Vec::new(), 0);
        for step in 0..60 {
            // The ball moves now and then, the capsule jumps once: it is elsewhere without having moved
            // there.
            colliders[1] = colliders[1].moved_to(colliders[1].pose_t1).unwrap();
            if step % 7 == 3 {
                let pose = Isometry3::from(dice.vector(2.0));
                colliders[1] = colliders[1].moved_to(pose).unwrap();
            }
            if step == 40 {
                let pose = Isometry3::from(dice.vector(1.0));
                colliders[2] = Collider::new(colliders[2].shape.clone(), pose, 0.5).unwrap();
            }
            let motion = Motion { positions: &positions, displacements: &displacements };
            let points = ClothPoints { motion, inv_mass: &inv_mass, surface: &surface };
            detector.detect(&colliders, &points, &mut found);
            assert_eq!(found, contacts(&colliders, motion, &inv_mass), "step {step}");
            seen += found.len();
            for (p, d) in positions.iter_mut().zip(&mut displacements) {
                *p += *d;
                *d = *d * 0.9 + dice.vector(0.3 * speed);
            }
            positions[step] = dice.point(3.0);
        }
        assert!(seen > 1000, "{seen}");
    }
}

#[test]
fn refuses_numbers_that_make_no_collider() {
    let shape = |shape| Collider::new(shape, Isometry3::identity(), 0.0);
    let named = |error: Result<Collider, ColliderError>| error.unwrap_err().to_string();
    assert!(named(shape(Shape::Sphere { radius: -1.0 })).contains("radius is -1"));
    assert!(named(shape(Shape::Sphere { radius: f32::NAN })).contains("radius is NaN"));
    assert!(named(shape(Shape::Capsule { half_length: f32::INFINITY, radius: 1.0 })).contains("half_length"));
    assert!(named(shape(Shape::Capsule { half_length: -1.0, radius: 1.0 })).contains("half_length"));
    assert!(named(shape(Shape::Capsule { half_length: 1.0, radius: 0.0 })).contains("radius"));
    assert!(shape(Shape::Capsule { half_length: 0.0, radius: 1.0 }).is_ok());
    let flat = Shape::Cuboid { half_extents: Vector3::new(1.0, 0.0, 1.0) };
    assert!(named(shape(flat)).contains("half extent is 0"));
    for friction in [-0.1, f32::NAN, f32::INFINITY] {
        let refused = Collider::new(Shape::Plane, Isometry3::identity(), friction);
        assert!(matches!(refused, Err(ColliderError::Friction(_))));
    }
    let nowhere = Isometry3::translation(0.0, f32::NAN, 0.0);
    assert_eq!(Collider::new(Shape::Plane, nowhere, 0.0), Err(ColliderError::Pose));
    assert_eq!(resting(Shape::Plane).moved_to(nowhere), Err(ColliderError::Pose));
    let mut turned = Isometry3::identity();
    turned.rotation = UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(f32::NAN, 0.0, 0.0, 0.0));
    assert_eq!(resting(Shape::Plane).moved_to(turned), Err(ColliderError::Pose));
}
