//! Friction on a slope: a patch holds below the angle of friction, and slides above it as Coulomb says.

use cloth_solver::{
    BuildError, ClothDesc, Collider, MeshBodyDesc, MeshBodyId, Settings, Shape, Simulation, SimulationBuilder,
};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use crate::ids::{body_id, cloth_id, collider_id};
use crate::scenes::{G, airless, bare, cotton, run, sheet};

/// A patch that lies on the upper side of a box tilted by `angle` (rad), and the direction downhill.
fn patch_on_slope(angle: f32, friction: f32, settings: Settings) -> (Simulation, Vector3<f32>) {
    let mut cloth = cotton(sheet(8, 0.2));
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), -angle);
    let lift = Vector3::y() * cloth.thickness.radius;
    cloth.mesh = cloth.mesh.mapped(|p| (turn * (p.cast::<f32>() + lift)).cast());
    let mut builder = SimulationBuilder::new(settings);
    builder.add_cloth(cloth);
    let half_extents = Vector3::new(20.0, 0.5, 5.0);
    let pose = Isometry3::from_parts(Translation3::identity(), turn) * Isometry3::translation(0.0, -0.5, 0.0);
    builder.add_collider(Collider::new(Shape::Cuboid { half_extents }, pose, friction).unwrap());
    (builder.build().unwrap(), turn * Vector3::x())
}

fn mean(points: &[Point3<f32>]) -> Vector3<f32> {
    points.iter().map(|p| p.coords).sum::<Vector3<f32>>() / points.len() as f32
}

#[test]
fn a_patch_holds_on_slopes_below_the_angle_of_friction() {
    let friction = 0.5f32;
    for share in [0.0, 0.5, 0.9] {
        let (mut sim, downhill) = patch_on_slope(share * friction.atan(), friction, airless());
        let start = mean(sim.positions());
        run(&mut sim, 60);
        let slid = (mean(sim.positions()) - start).dot(&downhill);
        // Friction takes back the slide of each substep whole; what is left is the rounding of 600 of them.
        assert!(slid.abs() < 1e-4, "{share}: {slid} m");
    }
}

#[test]
fn a_patch_on_a_steeper_slope_slides_with_the_remaining_acceleration() {
    for (friction, angle) in [(0.5f32, 0.6f32), (0.2, 0.5), (0.0, 0.3), (0.8, 0.9)] {
        let (mut sim, downhill) = patch_on_slope(angle, friction, airless());
        let start = mean(sim.positions());
        run(&mut sim, 30);
        let t = 0.5;
        let left = G * (angle.sin() - friction * angle.cos());
        let expected = 0.5 * left * t * (t + 1.0 / 600.0);
        let slid = (mean(sim.positions()) - start).dot(&downhill);
        // Position rounding costs 2^-24 m / h = 36 um/s a substep: over 300 of them at most 1 % of what is
        // left here.
        assert!((slid / expected - 1.0).abs() < 0.01, "{friction} {angle}: {slid} m of {expected} m");
    }
}

#[test]
fn a_patch_never_sinks_into_the_slope() {
    let (mut sim, downhill) = patch_on_slope(0.4, 0.2, bare());
    let normal = Vector3::new(-downhill.y, downhill.x, 0.0);
    let radius = sim.surface().radius_and_scr(0).0;
    for _ in 0..60 {
        run(&mut sim, 1);
        let least = sim.positions().iter().map(|p| p.coords.dot(&normal)).fold(f32::INFINITY, f32::min);
        assert!(least >= radius - 1e-5, "{least}");
    }
}

#[test]
fn a_moving_floor_takes_the_patch_along() {
    let mut builder = SimulationBuilder::new(airless());
    let mut cloth = cotton(sheet(6, 0.2));
    let lift = f64::from(cloth.thickness.radius);
    cloth.mesh = cloth.mesh.translated(Vector3::new(0.0, lift, 0.0));
    builder.add_cloth(cloth);
    let floor = builder.add_collider(Collider::new(Shape::Plane, Isometry3::identity(), 1.0).unwrap());
    let mut sim = builder.build().unwrap();
    let start = mean(sim.positions());
    // From standstill to 0.5 m/s in half a second: 1 m/s2, well below the 9.81 m/s2 that friction can give.
    let place = |step: i32| 0.5 * (step as f32 / 60.0).powi(2);
    for step in 1..=30 {
        sim.move_collider(floor, Isometry3::translation(place(step), 0.0, 0.0)).unwrap();
        run(&mut sim, 1);
        let behind = place(step) - (mean(sim.positions()) - start).x;
        assert!(behind.abs() < 1e-4, "step {step}: {behind}");
    }
}

const SLOPE: f32 = 0.5;

/// How far (m) a patch slides in half a second on the slope of [`SLOPE`].
fn slide(friction: f32) -> f32 {
    (0.5 * G * (SLOPE.sin() - friction * SLOPE.cos()) * 0.5 * (0.5 + 1.0 / 600.0)).max(0.0)
}

fn tilted(mut cloth: ClothDesc, across: f32, height: f32) -> ClothDesc {
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), -SLOPE);
    cloth.mesh = cloth.mesh.mapped(|p| (turn * (p.cast::<f32>() + Vector3::new(0.0, height, across))).cast());
    cloth
}

/// How far (m) each of `count` cloths slides downhill in half a second.
fn slides(sim: &mut Simulation, count: usize) -> Vec<f32> {
    let places = |sim: &Simulation| -> Vec<Vector3<f32>> {
        (0..count).map(|cloth| mean(sim.cloth_positions(cloth_id(cloth)).unwrap())).collect()
    };
    let start = places(sim);
    run(sim, 30);
    let downhill = Vector3::new(SLOPE.cos(), -SLOPE.sin(), 0.0);
    places(sim).iter().zip(&start).map(|(end, start)| (end - start).dot(&downhill)).collect()
}

fn assert_slides(found: &[f32], frictions: &[f32]) {
    for (k, (found, &friction)) in found.iter().zip(frictions).enumerate() {
        let expected = slide(friction);
        assert!((found - expected).abs() < 0.01 * slide(0.0), "{k}: {found} m instead of {expected} m");
    }
}

/// Patches next to each other on a box with a friction of 0.4.
fn patches_on_box(count: usize) -> SimulationBuilder {
    let mut builder = SimulationBuilder::new(airless());
    for k in 0..count {
        let patch = cotton(sheet(6, 0.2));
        let height = patch.thickness.radius;
        builder.add_cloth(tilted(patch, 0.5 * k as f32, height));
    }
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), -SLOPE);
    let pose = Isometry3::from_parts(Translation3::identity(), turn) * Isometry3::translation(0.0, -0.5, 0.0);
    let half_extents = Vector3::new(20.0, 0.5, 20.0);
    builder.add_collider(Collider::new(Shape::Cuboid { half_extents }, pose, 0.4).unwrap());
    builder
}

#[test]
fn cloths_on_one_collider_slide_each_with_its_own_friction() {
    let mut builder = patches_on_box(4);
    builder.set_friction(cloth_id(1), 0.0).unwrap();
    builder.set_friction(cloth_id(2), 0.1).unwrap();
    builder.set_pair_friction(collider_id(0), cloth_id(2), 0.3).unwrap();
    builder.set_pair_friction(cloth_id(3), collider_id(0), 0.0).unwrap();
    // The collider's, the mean, and two pairs.
    assert_slides(&slides(&mut builder.build().unwrap(), 4), &[0.4, 0.2, 0.3, 0.0]);
}

#[test]
fn friction_changes_from_the_next_step_on() {
    let mut sim = patches_on_box(2).build().unwrap();
    sim.set_friction(collider_id(0), 1.0).unwrap();
    assert_slides(&slides(&mut sim, 2), &[1.0, 1.0]);
    sim.set_pair_friction(cloth_id(1), collider_id(0), 0.1).unwrap();
    assert_slides(&slides(&mut sim, 2), &[1.0, 0.1]);
    // An edit keeps it, and a removed part takes its rules along.
    let removed = sim
        .add_collider(Collider::new(Shape::Plane, Isometry3::translation(0.0, -50.0, 0.0), 0.5).unwrap())
        .unwrap();
    sim.set_pair_friction(cloth_id(0), removed, 0.0).unwrap();
    sim.remove_collider(removed).unwrap();
    sim.add_cloth(tilted(cotton(sheet(6, 0.2)), 5.0, 0.01)).unwrap();
    sim.set_velocity(cloth_id(0), 0, Vector3::zeros()).unwrap();
    let mut fresh = sim.clone();
    fresh.reset();
    assert_slides(&slides(&mut fresh, 2), &[1.0, 0.1]);
}

#[test]
fn cloth_on_cloth_and_on_a_mesh_body_slides_by_pair() {
    let big = |across: f32| tilted(cotton(sheet(40, 1.6)), across, 0.0);
    let patch = |across: f32| {
        let patch = ClothDesc { thickness: big(0.0).thickness, ..cotton(sheet(6, 0.2)) };
        let height = 2.0 * patch.thickness.radius;
        tilted(patch, across, height)
    };
    let mut builder = SimulationBuilder::new(Settings { self_friction: 0.4, ..airless() });
    // Two patches on a pinned sheet, two on a body.
    for across in [-0.4, 0.4, 4.6, 5.4] {
        builder.add_cloth(patch(across));
    }
    let under = big(0.0);
    let pins = (0..under.mesh.positions.len() as u32).collect();
    let sheet = builder.add_cloth(ClothDesc { pins, ..under });
    let body = big(5.0);
    let body: MeshBodyId = builder.add_mesh_body(MeshBodyDesc { mesh: body.mesh, thickness: body.thickness });
    builder.set_pair_friction(sheet, cloth_id(1), 0.1).unwrap();
    builder.set_friction(body, 0.2).unwrap();
    builder.set_friction(sheet, 0.6).unwrap();
    builder.set_friction(cloth_id(0), 0.2).unwrap();
    builder.set_pair_friction(body, cloth_id(3), 0.0).unwrap();
    let found = slides(&mut builder.build().unwrap(), 4);
    for (k, (found, friction)) in found.iter().zip([0.4, 0.1, 0.2, 0.0]).enumerate() {
        // Its edges dip between the vertices of the sheet below: a tenth of the distance is lost at most.
        let expected = slide(friction);
        assert!((found - expected).abs() < 0.1 * slide(0.0), "{k}: {found} m instead of {expected} m");
    }
}

#[test]
fn bad_coefficients_and_parts_are_errors_and_change_nothing() {
    let mut builder = patches_on_box(1);
    for bad in [f32::NAN, -0.1, f32::INFINITY] {
        assert!(matches!(builder.set_friction(cloth_id(0), bad), Err(BuildError::Setting { .. })));
        assert!(matches!(
            builder.set_pair_friction(cloth_id(0), cloth_id(0), bad),
            Err(BuildError::Setting { .. })
        ));
    }
    assert!(matches!(builder.set_friction(cloth_id(1), 0.1), Err(BuildError::NotFound { .. })));
    assert!(builder.set_pair_friction(cloth_id(0), body_id(0), 0.1).is_err());
    assert!(builder.set_pair_friction(collider_id(3), cloth_id(0), 0.1).is_err());
    let [mut with, mut without] = [builder.build().unwrap(), patches_on_box(1).build().unwrap()];
    assert!(with.set_friction(cloth_id(9), 0.1).is_err() && with.set_friction(cloth_id(0), -1.0).is_err());
    run(&mut with, 10);
    run(&mut without, 10);
    assert_eq!(with.state_hash(), without.state_hash());
}
