//! The edges of what is allowed: no thickness, no stiffness, one triangle, extreme but valid numbers.

use cloth_geom::TriMesh;
use cloth_solver::{ClothDesc, Collider, Material, Settings, Shape, SimulationBuilder, Thickness};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::scenes::{alone, bare, cotton, drape, run, sheet};

#[test]
fn a_single_triangle_falls_and_lies() {
    let mesh = TriMesh::new(
        [[0.0, 0.2, 0.0], [0.0, 0.2, 0.1], [0.1, 0.2, 0.0]].map(Point3::from).to_vec(),
        vec![[0, 1, 2]],
    );
    let mut builder = SimulationBuilder::default();
    builder.add_cloth(ClothDesc::new(mesh, Material::SILK, Thickness { radius: 0.01, scr: 0.005 }));
    builder.add_collider(Collider::new(Shape::Plane, Isometry3::identity(), 0.5).unwrap());
    let mut sim = builder.build().unwrap();
    run(&mut sim, 60);
    assert!(sim.positions().iter().all(|p| (p.y - 0.01).abs() < 1e-4), "{:?}", sim.positions());
}

/// Drapes a sheet without thickness, bending or damping over a ball.
fn drape_of_nothing(shear: f32) {
    let mut cloth = cotton(sheet(10, 0.4).translated(Vector3::new(0.01, 0.2, 0.02)));
    cloth.thickness = Thickness { radius: 0.0, scr: 0.0 };
    cloth.material = Material { shear, bend: 0.0, damping: 0.0, ..Material::COTTON };
    let mut builder = SimulationBuilder::new(Settings { candidate_slack: 0.0, ..bare() });
    builder.add_cloth(cloth);
    builder.add_collider(Collider::new(Shape::Sphere { radius: 0.1 }, Isometry3::identity(), 0.5).unwrap());
    let mut sim = builder.build().unwrap();
    run(&mut sim, 60);
    assert!(sim.positions().iter().all(|p| p.coords.norm() > 0.1 - 1e-4 && p.coords.norm() < 7.0));
}

#[test]
fn cloth_without_thickness_bending_or_damping_still_drapes() {
    drape_of_nothing(1.0);
}

#[test]
fn cloth_without_shear_still_drapes() {
    drape_of_nothing(0.0);
}

#[test]
fn very_soft_and_very_stiff_fabrics_stay_finite_and_whole() {
    for factor in [1e-6, 1e-3, 1e3, 1e8] {
        let mut cloth = cotton(sheet(8, 0.3));
        cloth.material.stretch_warp *= factor;
        cloth.material.stretch_weft *= factor;
        cloth.material.shear *= factor;
        cloth.material.bend *= factor;
        cloth.pins = vec![0, 7];
        let mut sim = alone(Settings { air_damping: 1.0, ..bare() }, cloth);
        run(&mut sim, 120);
        assert!(sim.positions().iter().all(|p| p.coords.norm() < 20.0), "{factor}");
        assert_eq!(sim.positions()[0], Point3::new(-0.15, 0.0, -0.15));
    }
}

#[test]
fn nothing_leaves_the_ball_and_the_floor_that_it_drapes_over() {
    let mut sim = drape(16);
    let radius = sim.surface().radius_and_scr(0).0;
    for step in 0..90 {
        run(&mut sim, 1);
        for p in sim.positions() {
            let ball = (p - Point3::new(0.0, 0.15, 0.0)).norm() - 0.15;
            // Friction, and the last word on contacts of cloth, come after colliders: they may press a point
            // in by some of the cloth's radius, and never to the surface.
            assert!(ball > 0.5 * radius && p.y > 0.5 * radius, "step {step}: {p}");
        }
    }
}

#[test]
fn cloth_dropped_at_100_m_per_s_stays_above_a_thin_plate() {
    let mut builder = SimulationBuilder::new(Settings { velocity_limit: 100.0, ..bare() });
    builder.add_cloth(cotton(sheet(8, 0.3).translated(Vector3::new(0.0, 3.0, 0.0))));
    let half_extents = Vector3::new(2.0, 0.002, 2.0);
    let plate = builder
        .add_collider(Collider::new(Shape::Cuboid { half_extents }, Isometry3::identity(), 0.3).unwrap());
    let mut sim = builder.build().unwrap();
    // The plate comes up at 60 m/s, 1 m a step.
    for step in 1..=4 {
        sim.move_collider(plate, Isometry3::translation(0.0, step as f32, 0.0)).unwrap();
        run(&mut sim, 1);
    }
    run(&mut sim, 30);
    assert!(
        sim.positions().iter().all(|p| p.y > 4.0),
        "{:?}",
        sim.positions().iter().map(|p| p.y).fold(9.0, f32::min)
    );
}
