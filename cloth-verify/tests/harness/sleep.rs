//! Jumps and sleeping in directed scenes: random scenes seldom show what goes wrong with them, and of dormant
//! lists nothing, since cloth that sleeps has no mass.

use cloth_contacts::{Contacts, Detector, Motion};
use cloth_geom::fixtures;
use cloth_solver::{
    ClothDesc, Collider, Material, Settings, Shape, Simulation, SimulationBuilder, Thickness,
};
use cloth_verify::audit::{AuditScene, Auditor};
use nalgebra::{Isometry3, Point3, Vector3};

const DT: f32 = 1.0 / 60.0;

/// A horizontal sheet with sides of 20 cm at a height (m).
fn mat(height: f64) -> ClothDesc {
    let mesh = fixtures::sheet(9, 9, [0.2, 0.2]).expect("a sheet").mesh;
    let mesh = mesh.translated(Vector3::new(0.001 * height, height, 0.0));
    ClothDesc::new(mesh, Material::COTTON, Thickness::from_total(0.004, 0.2))
}

/// Two sheets above a floor.
fn mats(heights: [f64; 2]) -> Simulation {
    let mut scene = SimulationBuilder::new(Settings::game());
    heights.map(mat).into_iter().for_each(|cloth| _ = scene.add_cloth(cloth));
    scene.add_collider(Collider::new(Shape::Plane, Isometry3::identity(), 0.5).expect("a floor"));
    scene.build().expect("a scene")
}

/// Findings of an audit after a cloth was teleported into another.
fn findings_after_a_teleport() -> usize {
    let mut sim = mats([1.0, 2.0]);
    let mut auditor = Auditor::new(&AuditScene::from_simulation(&sim), sim.positions()).expect("a scene");
    let step = |sim: &mut Simulation, auditor: &mut Auditor| {
        auditor.begin_step();
        let taken = sim.step_with(DT, &mut |motion| auditor.motion(&motion)).is_ok();
        auditor.end_step(taken);
        auditor.check_claims(|hit| sim.is_certified(hit));
    };
    step(&mut sim, &mut auditor);
    let upright = Isometry3::rotation(Vector3::x() * 1.5);
    let motion = Isometry3::translation(0.013, 1.0, 0.017) * upright * Isometry3::translation(0.0, -2.0, 0.0);
    sim.teleport(sim.cloth_id(1).unwrap(), &motion).expect("a motion");
    auditor.state_replaced(sim.positions()).expect("the same scene");
    assert!(auditor.exemptions().tangles() > 0, "the cloths intersect");
    step(&mut sim, &mut auditor);
    auditor.findings().len()
}

#[test]
fn a_teleport_admits_the_intersections_of_its_destination() {
    assert_eq!(findings_after_a_teleport(), 0);
}

#[test]
fn a_sleeping_sheet_wakes_when_another_falls_on_it() {
    let mut sim = mats([0.004, 6.0]);
    let mut sleeps = (0..400).map(|_| {
        sim.step(DT).expect("a step");
        sim.is_asleep(sim.cloth_id(0).unwrap()).expect("a cloth")
    });
    assert!(sleeps.any(|sleeps| sleeps), "it falls asleep");
    assert!(sleeps.any(|sleeps| !sleeps), "it does not wake");
}

/// A state for a detector: how many of two sheets are declared dormant before it, if that changes, and where
/// the second is from the first (m).
type Seen = (Option<usize>, [f32; 3]);

const APART: [f32; 3] = [0.0, 0.1, 0.0];
const NEAR: [f32; 3] = [0.0, 0.003, 0.0];
/// As near, above other faces.
const ASIDE: [f32; 3] = [0.06, 0.003, 0.0];

/// The number of contacts that a detector finds in the last of some states.
fn contacts(states: &[Seen]) -> usize {
    let sim = mats([0.0, 0.0]);
    let surface = sim.surface();
    let sheets = [0, 1].map(|k| sim.cloth_vertices(sim.cloth_id(k).unwrap()).expect("a cloth"));
    let mut detector = Detector::default();
    let mut found = Contacts::default();
    for &(dormant, by) in states {
        if let Some(count) = dormant {
            detector.set_dormant(surface, &sheets[..count]);
        }
        let at = |(v, p): (usize, &Point3<f32>)| match sheets[1].contains(&v) {
            true => p + Vector3::from(by),
            false => *p,
        };
        let positions: Vec<Point3<f32>> = sim.positions().iter().enumerate().map(at).collect();
        let displacements = vec![Vector3::zeros(); positions.len()];
        let motion = Motion { positions: &positions, displacements: &displacements };
        detector.detect(surface, &motion, 0.001, &mut found).expect("finite");
    }
    found.len()
}

/// Checks that no contact is lost in the last of some states.
fn check_that_none_is_lost(states: &[Seen]) {
    let all = contacts(&[(None, NEAR)]);
    assert!(all > 50, "{all} contacts");
    assert_eq!(contacts(states), all, "contacts are lost");
}

#[test]
fn dormant_lists_notice_that_a_dormant_sheet_moves() {
    check_that_none_is_lost(&[(Some(2), APART), (None, NEAR)]);
}

#[test]
fn dormant_sheets_are_tested_against_a_moving_one() {
    check_that_none_is_lost(&[(Some(1), APART), (None, NEAR)]);
}

#[test]
fn dormant_lists_expire_on_waking() {
    check_that_none_is_lost(&[(None, ASIDE), (Some(2), NEAR), (Some(0), NEAR)]);
}
