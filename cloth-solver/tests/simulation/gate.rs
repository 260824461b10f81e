//! The gate: what is certified never crosses, what was tangled is known, and nothing freezes.

use cloth_contacts::intersect;
use cloth_geom::fixtures;
use cloth_solver::{
    ClothDesc, Collider, Exemption, MeshBodyDesc, Pair, ReleasedBody, Settings, Shape, Simulation,
    SimulationBuilder, StepReport,
};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::ids::{body_id, cloth_id};
use crate::scenes::{G, bare, cotton, points, sheet, upright};

/// A solver that is left to itself too seldom to keep cloth apart.
fn poor(gate: bool) -> Settings {
    Settings { gate, substeps: 1, contact_iterations: 1, ..bare() }
}

fn intersections(sim: &Simulation) -> usize {
    let positions: Vec<Point3<f64>> = sim.positions().iter().map(|p| p.cast()).collect();
    intersect::find(&positions, sim.surface().topology()).unwrap().count()
}

fn floor() -> Collider {
    Collider::new(Shape::Plane, Isometry3::identity(), 0.3).unwrap()
}

/// An upright sheet that falls edge-on on a floor.
fn falling(settings: Settings) -> Simulation {
    let mut builder = SimulationBuilder::new(settings);
    let mesh = upright(20, 0.6).mapped(|p| p + Vector3::new(0.0, 0.5, 0.0));
    builder.add_cloth(cotton(fixtures::jitter(&mesh, 1e-3, 3).unwrap()));
    builder.add_collider(floor());
    builder.build().unwrap()
}

/// Heights of the highest vertex over time (m), and the reports.
fn fall(settings: Settings, steps: usize) -> (Vec<f32>, Vec<StepReport>, usize) {
    let mut sim = falling(settings);
    let (mut heights, mut reports, mut worst) = (Vec::new(), Vec::new(), 0);
    for _ in 0..steps {
        reports.push(*sim.step(1.0 / 60.0).unwrap());
        heights.push(sim.positions().iter().fold(0.0, |most: f32, p| most.max(p.y)));
        worst = worst.max(intersections(&sim));
    }
    (heights, reports, worst)
}

/// The time (steps, between two of them where it falls so) at which a height is passed on the way down.
fn arrival(heights: &[f32], height: f32) -> f32 {
    let below = heights.iter().position(|&h| h < height).expect("it arrives");
    let (before, after) = (heights[below - 1], heights[below]);
    below as f32 - (height - after) / (before - after)
}

#[test]
fn a_gated_sheet_that_falls_in_folds_is_clean_and_not_late() {
    let (free, _, crossed) = fall(poor(false), 90);
    let (gated, reports, clean) = fall(poor(true), 90);
    assert!(crossed > 0, "without the gate nothing crosses: the scene proves nothing");
    assert_eq!(clean, 0);
    let changed = reports.iter().filter(|r| r.gate.modified_vertices > 0).count();
    assert!(changed > 10, "the gate had something to do in {changed} steps");
    let (free, gated) = (arrival(&free, 0.2), arrival(&gated, 0.2));
    println!("arrival: {free} steps without, {gated} with the gate; changed in {changed}");
    assert!((gated / free - 1.0).abs() < 0.02, "{free} {gated}");
    let tiers = |report: &StepReport| [report.gate.proofs, report.gate.proved_in_f32, report.gate.exact_ccd];
    let [proofs, first, exact] =
        reports.iter().map(tiers).fold([0; 3], |a, b| [a[0] + b[0], a[1] + b[1], a[2] + b[2]]);
    // Each pair is proved by one of three means; the third, a plane in f64, is what is left.
    assert!(exact > 0 && first > proofs / 2 && first + exact < proofs, "{proofs} {first} {exact}");
}

/// A sheet under a weight, both on a fixed one on a slope; how far the sheet has come (m).
fn slide(gate: bool) -> (f32, usize) {
    let settings = Settings { self_friction: 0.1, gravity: Vector3::new(6.0, -G, 0.0), ..poor(gate) };
    let mut builder = SimulationBuilder::new(settings);
    let ground = cotton(sheet(24, 1.2));
    let thickness = ground.thickness;
    let all = (0..ground.mesh.positions.len() as u32).collect();
    builder.add_cloth(ClothDesc { pins: all, ..ground });
    let layer = |lift: f32, weight: f32| {
        let mesh = sheet(8, 0.35).mapped(|p| p + Vector3::new(-0.35, f64::from(lift), 0.013));
        let cloth = ClothDesc { thickness, ..cotton(fixtures::jitter(&mesh, 1e-3, 5).unwrap()) };
        let count = cloth.mesh.positions.len();
        ClothDesc { masses: Some(vec![weight * 2e-4; count]), ..cloth }
    };
    let apart = 2.0 * thickness.radius;
    let pressed = builder.add_cloth(layer(apart, 1.0));
    builder.add_cloth(layer(2.0 * apart, 20.0));
    let mut sim = builder.build().unwrap();
    let mut pulled = 0;
    for _ in 0..45 {
        pulled += sim.step(1.0 / 60.0).unwrap().gate.modified_vertices;
    }
    let mean = points(&sim, pressed.index()).iter().map(|p| p.x + 0.35).sum::<f32>() / 64.0;
    (mean, pulled)
}

#[test]
fn a_sheet_under_a_weight_slides_as_far_as_without_the_gate() {
    let ((free, _), (gated, pulled)) = (slide(false), slide(true));
    println!("slid {free} m without, {gated} m with the gate, which changed {pulled} motions");
    assert!(free > 0.1 && gated > 0.9 * free, "{free} {gated}");
}

/// Kinetic and potential energy (J) of all free vertices, each of mass `m` (kg).
fn energy(sim: &Simulation, m: f32) -> f32 {
    let all = sim.positions().iter().zip(sim.velocities());
    all.map(|(x, v)| m * (G * x.y + 0.5 * v.norm_squared())).sum()
}

/// The most by which the energy of a falling sheet rises above what it was before (a share of the start's).
/// Folds give back what they took, so it does rise; what a run takes out otherwise is no matter here.
fn rise(settings: Settings) -> f32 {
    let mut sim = falling(settings);
    let start = energy(&sim, 1.0);
    let (mut least, mut most) = (start, 0.0_f32);
    for _ in 0..90 {
        sim.step(1.0 / 60.0).unwrap();
        let now = energy(&sim, 1.0);
        least = least.min(now);
        most = most.max((now - least) / start);
    }
    most
}

#[test]
fn the_gate_adds_no_energy() {
    let (free, gated) = (rise(poor(false)), rise(poor(true)));
    println!("energy rises by {free} of the start's without, by {gated} with the gate");
    assert!(gated < free + 0.02, "{free} {gated}");
}

/// Two sheets that cross each other.
fn crossed(gate: bool) -> Simulation {
    let settings = Settings { gate, gravity: Vector3::zeros(), ..bare() };
    let mut builder = SimulationBuilder::new(settings);
    builder.add_cloth(cotton(sheet(10, 0.5)));
    builder.add_cloth(cotton(upright(10, 0.5).mapped(|p| p + Vector3::new(0.011, -0.21, 0.017))));
    builder.build().unwrap()
}

#[test]
fn a_tangle_at_the_start_is_known_and_never_returns_once_resolved() {
    let mut sim = crossed(true);
    sim.step(1.0 / 60.0).unwrap();
    let report = sim.report().gate;
    assert!(report.tangles == 1 && report.tangled_pairs > 5 && report.tangled_vertices > 20, "{report:?}");
    assert_eq!(report.tangled_pairs, intersections(&sim));
    // Taken apart from without, the tangle is over.
    sim.teleport(cloth_id(1), &Isometry3::translation(0.0, 0.6, 0.0)).unwrap();
    sim.step(1.0 / 60.0).unwrap();
    assert_eq!((sim.report().gate.tangles, sim.tangles().len(), intersections(&sim)), (0, 0, 0));
    for v in 0..100 {
        sim.set_velocity(cloth_id(1), v, Vector3::new(0.0, -20.0, 0.0)).unwrap();
    }
    for _ in 0..20 {
        sim.step(1.0 / 60.0).unwrap();
        assert_eq!((intersections(&sim), sim.report().gate.tangles), (0, 0));
    }
}

#[test]
fn a_snapshot_keeps_tangles_and_a_restored_run_repeats_its_bits() {
    let mut sim = crossed(true);
    let run = |sim: &mut Simulation| (0..4).for_each(|_| _ = sim.step(1.0 / 60.0).unwrap());
    run(&mut sim);
    let snapshot = sim.snapshot();
    run(&mut sim);
    let (hash, tangles) = (sim.state_hash(), sim.tangles().to_vec());
    assert!(!tangles.is_empty());
    sim.restore(&snapshot).unwrap();
    run(&mut sim);
    assert_eq!((sim.state_hash(), sim.tangles()), (hash, &tangles[..]));
}

#[test]
fn where_the_gate_has_nothing_to_do_it_changes_no_bit() {
    let good = |gate| Settings { gate, ..bare() };
    let mut sims = [falling(good(false)), falling(good(true))];
    for step in 0..40 {
        let pulled = sims.each_mut().map(|sim| sim.step(1.0 / 120.0).unwrap().gate.modified_vertices);
        assert_eq!((pulled, sims[0].state_hash()), ([0, 0], sims[1].state_hash()), "step {step}");
    }
}

#[test]
fn a_body_that_leaves_no_room_moves_cloth_only_through_itself() {
    let mut builder = SimulationBuilder::new(poor(true));
    for k in 0..3_u8 {
        let mesh = sheet(10, 0.4).mapped(|p| p + Vector3::new(0.0, 0.02 + 0.02 * f64::from(k), 0.0));
        builder.add_cloth(cotton(fixtures::jitter(&mesh, 1e-3, k.into()).unwrap()));
    }
    let stamp = sheet(4, 0.6).mapped(|p| p + Vector3::new(0.01, 0.2, 0.02));
    let thickness = cotton(sheet(10, 0.4)).thickness;
    builder.add_mesh_body(MeshBodyDesc { mesh: stamp.clone(), thickness });
    builder.add_collider(floor());
    let mut sim = builder.build().unwrap();
    let (mut released, mut pinched) = (0, 0.0_f32);
    for step in 1..=60 {
        // Down to a millimetre over the floor: four times less than the cloths are thick.
        let height = (0.2 - 0.005 * f64::from(step)).max(0.001);
        let at: Vec<Point3<f32>> =
            stamp.positions.iter().map(|p| Point3::new(p.x, height, p.z).cast()).collect();
        sim.move_mesh_body(body_id(0), &at).unwrap();
        let report = sim.step(1.0 / 60.0).unwrap().gate;
        pinched = report.pinch.map_or(pinched, |pinch| pinched.max(pinch.depth));
        released += sim.released().len();
        let positions: Vec<Point3<f64>> = sim.positions().iter().map(|p| p.cast()).collect();
        let topology = sim.surface().topology();
        let found = intersect::find(&positions, topology).unwrap();
        let body = sim.positions().len() as u32 - 16;
        for hit in found.edge_faces {
            let of_body =
                topology.edges()[hit[0] as usize][0] >= body || topology.faces()[hit[1] as usize][0] >= body;
            assert!(of_body, "step {step}: cloth crosses cloth");
            assert!(sim.is_tangled(hit), "step {step}: a hit with the body that is not reported");
        }
    }
    println!("released {released} pairs, pinched by {pinched} m");
    assert!(released > 0 || pinched > 0.0);
}

#[test]
fn a_body_through_pinned_cloth_is_released_and_its_tangle_ends_behind() {
    let mut builder = SimulationBuilder::new(Settings { gate: true, ..bare() });
    let cloth = cotton(sheet(8, 0.4));
    let thickness = cloth.thickness;
    builder.add_cloth(ClothDesc { pins: (0..64).collect(), ..cloth });
    let ball = fixtures::icosphere(1, 0.06).unwrap();
    let ball = ball.mapped(|p| p + Vector3::new(0.011, 0.15, 0.017));
    builder.add_mesh_body(MeshBodyDesc { mesh: ball.clone(), thickness });
    let mut sim = builder.build().unwrap();
    let (mut released, mut tangled) = (0, 0);
    for step in 1..=30 {
        let down = Vector3::y() * -0.01 * f64::from(step);
        let at: Vec<Point3<f32>> = ball.positions.iter().map(|p| (p + down).cast()).collect();
        sim.move_mesh_body(body_id(0), &at).unwrap();
        let tangles = sim.step(1.0 / 60.0).unwrap().gate.tangled_pairs;
        assert_eq!(tangles, intersections(&sim), "step {step}");
        tangled = tangled.max(tangles);
        released += sim.released().len();
        for release in sim.released() {
            assert!(
                release.body == ReleasedBody::Mesh(body_id(0))
                    && release.depth < 0.01
                    && release.position.y.abs() < 0.01
            );
        }
    }
    assert!(released > 0 && tangled > 10, "{released} {tangled}");
    assert_eq!((sim.tangles().len(), intersections(&sim)), (0, 0));
    assert_eq!(sim.report().gate.pin_lag_m, 0.0);
}

/// All vertices with all faces.
fn points_and_faces(sim: &Simulation) -> impl Iterator<Item = Pair> {
    let (vertices, faces) = (sim.positions().len() as u32, sim.faces().len() as u32);
    (0..vertices).flat_map(move |v| (0..faces).map(move |f| Pair::PointTriangle([v, f])))
}

#[test]
fn exemptions_state_reason_and_start_until_the_tangle_is_resolved() {
    let settings = Settings { gate: true, recovery: true, gravity: Vector3::zeros(), ..bare() };
    let mut builder = SimulationBuilder::new(settings);
    builder.add_cloth(cotton(sheet(6, 0.3)));
    // A corner of the second sheet is through the first.
    let tilted = upright(6, 0.3).mapped(|p| Point3::new(p.x + 0.011, p.y + 0.137, p.z + 0.007));
    let exclusions = vec![[0, 35]];
    builder.add_cloth(ClothDesc { exclusions, ..cotton(tilted) });
    let mut sim = builder.build().unwrap();
    assert!(intersections(&sim) > 0);
    sim.step(1.0 / 60.0).unwrap();
    let tangled = Some(Exemption::Tangle { since: 0 });
    let of = |sim: &Simulation, reason| points_and_faces(sim).filter(|&p| sim.exemption(p) == reason).count();
    assert!(of(&sim, tangled) > 0);
    let last = sim.faces().iter().position(|f| f.contains(&71)).unwrap() as u32;
    assert_eq!(sim.exemption(Pair::PointTriangle([36, last])), Some(Exemption::Exclusion));
    for _ in 0..200 {
        sim.step(1.0 / 60.0).unwrap();
        if sim.tangles().is_empty() {
            break;
        }
    }
    assert_eq!((sim.tangles().len(), intersections(&sim), of(&sim, tangled)), (0, 0, 0));
    assert_eq!(sim.exemption(Pair::PointTriangle([36, last])), Some(Exemption::Exclusion));
    assert_eq!(sim.exemption(Pair::EdgeEdge([0, u32::MAX])), None);
}
