//! Pins, attachments and stitches: what is constrained stays, and follows its target.

use cloth_geom::TriMesh;
use cloth_solver::{Attachment, ClothDesc, Settings, Simulation, StepError, Stitch, Tethers};
use nalgebra::{Point3, Vector3};

use crate::ids::cloth_id;
use crate::scenes::{
    G, U, airless, alone, bare, cotton, furthest, greatest_strain, last_corners, masses, run, sheet, upright,
    weightless,
};

#[test]
fn pins_of_a_hung_sheet_do_not_move_by_a_bit() {
    let mesh = upright(12, 0.5);
    let mut cloth = cotton(mesh.clone());
    cloth.pins = last_corners(12);
    let mut sim = alone(bare(), cloth);
    let start = sim.positions().to_vec();
    for _ in 0..180 {
        run(&mut sim, 1);
        for v in last_corners(12) {
            assert_eq!(sim.positions()[v as usize], start[v as usize]);
            assert_eq!(sim.velocities()[v as usize], Vector3::zeros());
        }
    }
    let lowest = sim.positions().iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
    // Pinned at 0.25 m, 0.5 m long; it sags between the pins, by less than half its width.
    assert!((-0.5..-0.25).contains(&lowest), "{lowest}");
    assert!(greatest_strain(sim.faces(), sim.positions(), &mesh.positions) < 0.1);
    assert!(sim.velocities().iter().all(|v| v.norm() < 0.05), "it has come to rest");
}

#[test]
fn moving_pins_land_on_their_goals_to_the_bit() {
    let mut cloth = cotton(upright(8, 0.3));
    cloth.pins = last_corners(8);
    let mut sim = alone(bare(), cloth);
    let [left, right] = [last_corners(8)[0], last_corners(8)[1]];
    for step in 1..60 {
        let t = step as f32 / 60.0;
        let targets =
            [Point3::new(-0.15 - 0.1 * t, 0.15 + 0.7 * t, 0.3 * t), Point3::new(0.15, 0.15, -0.33 * t)];
        sim.move_pin(cloth_id(0), left, targets[0]).unwrap();
        sim.move_pin(cloth_id(0), right, targets[1]).unwrap();
        let before = sim.positions()[left as usize];
        run(&mut sim, 1);
        assert_eq!([left, right].map(|v| sim.positions()[v as usize]), targets, "step {step}");
        // Even motion through the step: the velocity is that of the step. Rounding: an ulp of a metre, over
        // h.
        let velocity = (targets[0] - before) * 60.0;
        assert!((sim.velocities()[left as usize] - velocity).norm() <= 4.0 * U * 600.0, "step {step}");
    }
    // A target is for one step: without a new one it stays.
    let there = sim.positions()[left as usize];
    run(&mut sim, 2);
    assert_eq!((sim.positions()[left as usize], sim.velocities()[left as usize]), (there, Vector3::zeros()));
}

#[test]
fn a_vertex_is_pinned_where_it_is_and_set_free_again() {
    let mut sim = alone(airless(), cotton(sheet(4, 0.3)));
    run(&mut sim, 5);
    sim.pin(cloth_id(0), 5).unwrap();
    let there = sim.positions()[5];
    run(&mut sim, 20);
    assert_eq!(sim.positions()[5], there);
    assert!(sim.positions().iter().all(|p| (p - there).norm() < 0.5), "the others hang on it");
    sim.set_mass(cloth_id(0), 5, 1e-3).unwrap();
    run(&mut sim, 30);
    assert!(sim.positions()[5].y < there.y - 0.5);
    let refused = sim.move_pin(cloth_id(0), 5, there).unwrap_err();
    assert!(matches!(refused, StepError::Value { .. }), "{refused}");
}

#[test]
fn pinning_or_weighing_a_vertex_of_a_sheet_at_rest_moves_nothing() {
    let still = |edit: fn(&mut Simulation)| {
        let mut sim = alone(weightless(), cotton(sheet(12, 0.4)));
        let start = sim.positions().to_vec();
        edit(&mut sim);
        run(&mut sim, 30);
        furthest(sim.positions(), &start)
    };
    // Rounding: 300 substeps of some 40 roundings, 7 nm each, as velocities a random walk of 0.5 mm/s.
    assert!(still(|_| ()) < 1e-4);
    let (pinned, heavy) =
        (still(|s| s.pin(cloth_id(0), 65).unwrap()), still(|s| s.set_mass(cloth_id(0), 20, 1e-3).unwrap()));
    assert!(pinned < 1e-4 && heavy < 1e-4, "{pinned} m, {heavy} m");
}

/// A sheet attached at one corner by an attachment of the given compliance.
fn held_at_a_corner(compliance: f32) -> Simulation {
    let mut cloth = cotton(upright(8, 0.3));
    let target = cloth.mesh.positions[63].cast();
    cloth.attachments = vec![Attachment { vertex: 63, target, compliance }];
    // Contacts may push a rigid attachment off its target; so none.
    alone(Settings { air_damping: 3.0, self_collision: false, ..bare() }, cloth)
}

#[test]
fn a_rigid_attachment_follows_its_target() {
    let mut sim = held_at_a_corner(0.0);
    for step in 1..60 {
        let t = step as f32 / 60.0;
        let target = Point3::new(0.15 + t, 0.15 + 0.5 * t, 0.2 * t);
        sim.move_attachment(0, target).unwrap();
        run(&mut sim, 1);
        // The attachment is solved after the fabric; one rounding of the sum is left.
        assert!((sim.positions()[63] - target).norm() <= 4.0 * U * 2.0, "step {step}");
    }
    let there = sim.positions()[63];
    run(&mut sim, 60);
    assert!((sim.positions()[63] - there).norm() <= 8.0 * U * 2.0, "a target stays where it was left");
}

#[test]
fn a_soft_attachment_gives_way_by_its_compliance_times_the_weight() {
    let compliance = 0.5;
    let mut sim = held_at_a_corner(compliance);
    let mesh = upright(8, 0.3);
    let weight = G * masses(&mesh, 0.15).iter().sum::<f64>() as f32;
    // The mass of the cloth is its density times its area.
    assert!((weight / (G * 0.15 * 0.09) - 1.0).abs() < 1e-6);
    run(&mut sim, 600);
    let given = mesh.positions[63].cast::<f32>() - sim.positions()[63];
    assert!((given.y / (compliance * weight) - 1.0).abs() < 0.02, "{given} for {}", compliance * weight);
    assert!(given.x.hypot(given.z) < 0.02 * given.y, "{given}");
}

#[test]
fn an_attachment_has_its_compliance_for_any_number_of_iterations() {
    let compliance = 0.02;
    for (substeps, iterations) in [(2, 1), (2, 8)] {
        let mut cloth = cotton(upright(8, 0.3));
        let target = cloth.mesh.positions[63].cast();
        cloth.attachments = vec![Attachment { vertex: 63, target, compliance }];
        // With turns of bending and shear substeps differ, and the load of the last one is not the mean.
        let settings = Settings {
            air_damping: 3.0,
            self_collision: false,
            relaxation: 1.0,
            wind_interval: 1,
            substeps,
            iterations,
            ..bare()
        };
        let mut sim = alone(settings, cloth);
        run(&mut sim, 600);
        let weight = G * 0.15 * 0.09;
        let given = (target - sim.positions()[63]).y;
        assert!((given / (compliance * weight) - 1.0).abs() < 0.01, "{substeps} x {iterations}: {given} m");
    }
}

/// Two upright panels, 4 cm apart, to be sewn together along an edge: the left one hangs from pins.
fn panels(n: usize, ratio: f32) -> (TriMesh, Vec<Stitch>) {
    let mut mesh = upright(n, 0.3).translated(Vector3::new(-0.17, 0.0, 0.0));
    let second = mesh.append(&upright(n, 0.3).translated(Vector3::new(0.17, 0.0, 0.0)));
    let at = |i: usize, j: usize| (j * n + i) as u32;
    let stitch = |j: usize| {
        let next = if ratio == 0.0 { j } else { j + 1 };
        Stitch { vertex: at(n - 1, j), edge: [second + at(0, j), second + at(0, next)], ratio }
    };
    (mesh, (0..n - 1).map(stitch).collect())
}

#[test]
fn stitches_close_and_hold_whether_on_vertices_or_between_them() {
    for ratio in [0.0, 0.25] {
        let (mesh, stitches) = panels(8, ratio);
        let mut cloth = cotton(mesh);
        cloth.stitches.clone_from(&stitches);
        cloth.pins = vec![56, 59];
        let mut sim = alone(bare(), cloth);
        let open = |sim: &Simulation| {
            let x = |v: u32| sim.positions()[v as usize].coords;
            let gap = |s: &Stitch| (x(s.vertex) - x(s.edge[0]).lerp(&x(s.edge[1]), s.ratio)).norm();
            stitches.iter().map(gap).fold(0.0, f32::max)
        };
        assert!(open(&sim) > 0.03);
        run(&mut sim, 60);
        for _ in 0..60 {
            run(&mut sim, 1);
            // A pass leaves what the free motion of a substep opens, some g h^2 = 27 um; 1 mm is 1/40 of an
            // edge.
            assert!(open(&sim) < 1e-3, "{ratio}: {}", open(&sim));
        }
        let lowest = sim.positions()[64..].iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
        assert!(lowest > -0.8, "the second panel hangs on the first");
    }
}

/// An upright sheet of 13.5 g that hangs from rigid or soft attachments at these vertices.
fn hung(vertices: &[u32], compliance: f32, tethers: Option<Tethers>, settings: Settings) -> Simulation {
    let mut cloth = cotton(upright(8, 0.3));
    let target = |v: u32| cloth.mesh.positions[v as usize].cast();
    let attached = vertices.iter().map(|&vertex| Attachment { vertex, target: target(vertex), compliance });
    cloth.attachments = attached.collect();
    alone(settings, ClothDesc { tethers, ..cloth })
}

#[test]
fn the_forces_of_attachments_add_up_to_the_weight_they_carry() {
    let damped = Settings { air_damping: 3.0, ..bare() };
    let game = Settings { substeps: 2, iterations: 2, ..damped };
    let tethers = || Some(Tethers::default());
    for (vertices, compliance, tethers, settings) in [
        (&[63][..], 0.0, None, damped),
        (&[56, 63], 0.0, None, damped),
        (&[56, 63], 1e-2, None, damped),
        (&[56, 63], 0.0, tethers(), damped),
        (&[56, 63], 0.0, tethers(), game),
        (&[63], 0.0, None, game),
        (&[56, 63], 0.0, None, Settings { gate: true, ..damped }),
    ] {
        let mut sim = hung(vertices, compliance, tethers, settings);
        assert_eq!(sim.attachment(0).unwrap().force, Vector3::zeros());
        run(&mut sim, 900);
        let forces: Vec<_> = (0..vertices.len()).map(|i| sim.attachment(i).unwrap().force).collect();
        let (sum, weight) = (forces.iter().sum::<Vector3<f32>>(), G * 0.15 * 0.09);
        let case = format!("{} at {compliance}, {tethers:?}, {} substeps", forces.len(), settings.substeps);
        assert!((sum - Vector3::y() * weight).norm() < 0.005 * weight, "{case}: {sum:?} of {weight} N");
        // Two corners are pulled towards each other, and carry half of it each.
        assert!(forces.iter().all(|f| (f.y * forces.len() as f32 / weight - 1.0).abs() < 0.05), "{forces:?}");
    }
}

#[test]
fn an_attachment_takes_its_vertex_where_it_is_and_drops_it() {
    let settings = Settings { air_damping: 3.0, ..bare() };
    let mut sim = hung(&[63], 0.0, Some(Tethers::default()), settings);
    sim.move_attachment(0, Point3::new(9.0, 9.0, 9.0)).unwrap();
    sim.set_attachment(0, false).unwrap();
    run(&mut sim, 12);
    let fallen = 0.15 - sim.positions()[63].y;
    // Free fall for 0.2 s is 0.2 m; air damping of 3/s takes a fifth of it.
    assert!((0.14..0.2).contains(&fallen), "{fallen} m: nothing holds it, not even a tether");
    assert_eq!(sim.attachment(0).unwrap().force, Vector3::zeros());
    let there = sim.positions()[63];
    sim.set_attachment(0, true).unwrap();
    assert_eq!((sim.attachment(0).unwrap().target, sim.attachment(0).unwrap().holds), (there, true));
    run(&mut sim, 1);
    assert!((sim.positions()[63] - there).norm() < 1e-5, "it is held where it was");
    run(&mut sim, 300);
    assert!((sim.positions()[63] - there).norm() < 1e-5 && sim.positions()[0].y > there.y - 0.6);
    let missing = [sim.set_attachment(1, true), sim.attachment(1).map(drop)];
    assert!(missing.iter().all(|m| matches!(m, Err(StepError::NotFound { what: "attachment", .. }))));
}

#[test]
fn a_snapshot_has_what_holds_its_forces_and_the_user_data() {
    let build = || hung(&[56, 63], 1e-3, Some(Tethers::default()), bare());
    let mut sim = build();
    run(&mut sim, 5);
    sim.set_attachment(1, false).unwrap();
    sim.user_data_mut().extend([0.5, -3.0]);
    run(&mut sim, 20);
    let snapshot = sim.snapshot();
    let mut other = build();
    other.restore(&snapshot).unwrap();
    assert_eq!(other.user_data(), [0.5, -3.0]);
    for i in 0..2 {
        assert_eq!(other.attachment(i).unwrap(), sim.attachment(i).unwrap());
    }
    for sim in [&mut sim, &mut other] {
        run(sim, 10);
        sim.set_attachment(1, true).unwrap();
        run(sim, 10);
    }
    assert_eq!(other.snapshot().difference(&sim.snapshot()), None);
    // An edit that changes nothing keeps all of it.
    let before = sim.snapshot();
    sim.edit(|_| Ok(())).unwrap();
    assert_eq!(sim.snapshot().difference(&before), None);
    sim.user_data_mut()[0] = f64::NAN;
    let error = other.restore(&sim.snapshot()).unwrap_err().to_string();
    assert!(error.contains("number of the user"), "{error}");
    sim.reset();
    assert!(sim.user_data().is_empty() && sim.attachment(0).unwrap().force == Vector3::zeros());
}
