//! Friction on a slope: a patch holds below the angle of friction, and slides above it as Coulomb says.

use cloth_solver::{Collider, Settings, Shape, Simulation, SimulationBuilder};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

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
fn a_patch_slides_on_slopes_above_it_with_the_acceleration_that_is_left() {
    for (friction, angle) in [(0.5f32, 0.6f32), (0.2, 0.5), (0.0, 0.3), (0.8, 0.9)] {
        let (mut sim, downhill) = patch_on_slope(angle, friction, airless());
        let start = mean(sim.positions());
        run(&mut sim, 30);
        let t = 0.5;
        let left = G * (angle.sin() - friction * angle.cos());
        let expected = 0.5 * left * t * (t + 1.0 / 600.0);
        let slid = (mean(sim.positions()) - start).dot(&downhill);
        // Position rounding costs 2^-24 m / h = 36 um/s a substep: over 300 of them at most 1 % of what is left here.
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
