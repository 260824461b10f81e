//! A step that fails: the state, and all that a later step depends on, is as it was before.

use cloth_contacts::intersect;
use cloth_geom::{TriMesh, fixtures};
use cloth_solver::{
    Attachment, ClothDesc, ClothId, Drive, Interaction, MeshBodyDesc, Settings, Simulation,
    SimulationBuilder, StepError, StepReport, Tethers,
};
use nalgebra::{Point3, Vector3};

use crate::ids::{body_id, cloth_id};
use crate::scenes::{alone, bare, cotton, last_corners, sheet, upright, weightless};

const DT: f32 = 1.0 / 60.0;

/// A step so short that a vertex overflows that goes some 1000 km: `f32` cannot square its velocity.
const SHORT: f32 = 2.5e-14;

/// A vertex apart from everything, on a spring whose target can be moved so far that the velocity overflows
/// in a substep of choice of a [`SHORT`] step.
struct Fuse {
    cloth: ClothId,
    attachment: usize,
}

/// Where the vertex is.
const FUSE: Point3<f32> = Point3::new(0.0, 50.0, 0.0);
/// Share of the distance to the target that the vertex covers in a substep of a [`SHORT`] step.
const SHARE: f32 = 0.1;

impl Fuse {
    /// The last cloth of a simulation of so many substeps; `attachments` is how many there are before.
    fn add(builder: &mut SimulationBuilder, substeps: u32, attachments: usize) -> Self {
        let mesh = TriMesh { positions: vec![FUSE.cast()], faces: Vec::new() };
        let h = SHORT / substeps as f32;
        let spring = Attachment { vertex: 0, target: FUSE, compliance: h * h * (1.0 / SHARE - 1.0) };
        let thickness = cotton(sheet(6, 0.3)).thickness;
        let cloth = ClothDesc {
            masses: Some(vec![1.0]),
            attachments: vec![spring],
            thickness,
            ..cotton(sheet(2, 1.0))
        };
        Self { cloth: builder.add_cloth(ClothDesc { mesh, ..cloth }), attachment: attachments }
    }

    /// The vertex goes ever faster, so that it overflows in this substep first.
    fn light(&self, sim: &mut Simulation, failing: u32) {
        let far = f32::MAX.sqrt() * SHORT / (0.5 * (pace(failing - 1) + pace(failing)));
        sim.move_attachment(self.attachment, FUSE + Vector3::y() * far).unwrap();
    }

    fn put_out(&self, sim: &mut Simulation) {
        assert_eq!(sim.cloth_vertices(self.cloth).map(|range| range.len()), Some(1));
        sim.move_attachment(self.attachment, FUSE).unwrap();
    }
}

/// How far the vertex goes in a substep, counted from 1, of what the target goes in one: on by its own
/// velocity, and then a share of the distance that is left.
fn pace(substep: u32) -> f32 {
    let (mut at, mut way) = (0.0, 0.0);
    for target in 1..=substep {
        let predicted = at + way;
        way += SHARE * (target as f32 - predicted);
        at += way;
    }
    way
}

fn hits(sim: &Simulation) -> Vec<[u32; 2]> {
    let positions: Vec<Point3<f64>> = sim.positions().iter().map(|p| p.cast()).collect();
    intersect::find(&positions, sim.surface().topology()).unwrap().edge_faces
}

/// All that two runs of the same bits have in common.
fn told(sim: &Simulation) -> (u64, StepReport) {
    let report = *sim.report();
    let times = Default::default();
    // What lists cost depends on when they were built.
    let gate = cloth_solver::GateReport {
        proofs: 0,
        proved_in_f32: 0,
        exact_ccd: 0,
        certified_chord: false,
        ..report.gate
    };
    let costs = StepReport {
        broad_phase_queries: 0,
        rebuilt_lists: 0,
        narrow_phase_tests: 0,
        candidates: 0,
        times,
        gate,
        ..report
    };
    (sim.state_hash(), StepReport { particle_broad_phase_queries: 0, particle_pairs: 0, ..costs })
}

/// Two pinned sheets that cross, and a pinned one that a body is about to pass.
fn crossing(substeps: u32) -> (Simulation, Fuse, TriMesh) {
    // In the shortest step nothing lags.
    let settings = Settings { gate: true, substeps, velocity_limit: f32::MAX, ..weightless() };
    let mut builder = SimulationBuilder::new(settings);
    let pinned = |mesh: TriMesh, at: Vector3<f64>| {
        let pins = (0..mesh.positions.len() as u32).collect();
        let thickness = cotton(sheet(6, 0.3)).thickness;
        ClothDesc { pins, thickness, ..cotton(mesh.mapped(|p| p + at)) }
    };
    builder.add_cloth(pinned(sheet(6, 0.5), Vector3::zeros()));
    builder.add_cloth(pinned(upright(6, 0.3), Vector3::new(0.011, 0.11, 0.017)));
    builder.add_cloth(pinned(sheet(6, 0.3), Vector3::new(2.0, 0.0, 0.0)));
    let fuse = Fuse::add(&mut builder, substeps, 0);
    let ball = fixtures::icosphere(1, 0.06).unwrap().mapped(|p| p + Vector3::new(2.011, 0.15, 0.017));
    let thickness = cotton(sheet(6, 0.3)).thickness;
    builder.add_mesh_body(MeshBodyDesc { mesh: ball.clone(), thickness });
    (builder.build().unwrap(), fuse, ball)
}

#[test]
fn a_tangle_that_ends_in_a_step_that_fails_is_still_known() {
    let (mut sim, fuse, ball) = crossing(8);
    sim.step(DT).unwrap();
    let (before, tangles) = (told(&sim), sim.tangles().to_vec());
    let (found, start) = (hits(&sim), sim.positions().to_vec());
    assert!(tangles.len() == 1 && found.len() >= 5, "{} tangles, {} hits", tangles.len(), found.len());
    let mut never_failed = sim.clone();

    // The upright sheet is out of the other after a substep or two; the body is released from the third sheet
    // in the midst of the step, so that the gate checks the state and ends the tangle; and then the step
    // fails.
    for v in 0..36 {
        sim.move_pin(cloth_id(1), v, start[36 + v as usize] + Vector3::y() * 0.4).unwrap();
    }
    let down: Vec<Point3<f32>> = ball.positions.iter().map(|p| p.cast() - Vector3::y() * 0.2).collect();
    sim.move_mesh_body(body_id(0), &down).unwrap();
    let mut without_fuse = sim.clone();
    without_fuse.step(SHORT).unwrap();
    assert!(!without_fuse.released().is_empty() && without_fuse.report().gate.tangled_pairs > 0);
    fuse.light(&mut sim, 8);
    let mut accepted = 0;
    assert!(matches!(sim.step_with(SHORT, &mut |_| accepted += 1), Err(StepError::Diverged { .. })));
    assert_eq!(accepted, 7);

    assert_eq!((sim.positions(), hits(&sim)), (&start[..], found.clone()));
    let certified = found.iter().filter(|&&hit| sim.is_certified(hit)).count();
    assert_eq!(certified, 0, "of {} intersections that are taken for certified", found.len());
    assert_eq!((told(&sim), sim.tangles()), (before, &tangles[..]));
    assert!(sim.released().is_empty(), "what was released in the step that failed is released no more");

    // And on as if nothing had been.
    fuse.put_out(&mut sim);
    sim.move_mesh_body(body_id(0), &start[109..]).unwrap();
    for v in 0..36 {
        sim.move_pin(cloth_id(1), v, start[36 + v as usize]).unwrap();
    }
    for _ in 0..3 {
        for sim in [&mut sim, &mut never_failed] {
            for v in 0..36 {
                let p = sim.positions()[36 + v as usize];
                sim.move_pin(cloth_id(1), v, p + Vector3::y() * 0.03).unwrap();
            }
            sim.step(DT).unwrap();
        }
        assert_eq!((told(&sim), sim.tangles()), (told(&never_failed), never_failed.tangles()));
    }
}

/// Steps a simulation in parallel with one that fails before each step; returns after how many steps the two
/// differ, if they do.
fn differs(sim: Simulation, steps: usize, fail: impl FnMut(&mut Simulation)) -> Option<usize> {
    differs_moved(sim, steps, |_, _| (), fail)
}

/// The same with something to do for the caller before each step.
fn differs_moved(
    mut sim: Simulation,
    steps: usize,
    edit: impl Fn(&mut Simulation, usize),
    mut fail: impl FnMut(&mut Simulation),
) -> Option<usize> {
    let mut never_failed = sim.clone();
    (0..steps).find(|&step| {
        [&mut sim, &mut never_failed].into_iter().for_each(|sim| edit(sim, step));
        let before = sim.state_hash();
        fail(&mut sim);
        assert_eq!(sim.state_hash(), before, "right after the failure");
        sim.step(DT).unwrap();
        never_failed.step(DT).unwrap();
        told(&sim) != told(&never_failed)
    })
}

/// A step too short for `f32`: its inverse overflows.
fn too_short(sim: &mut Simulation) {
    assert!(sim.step(1e-40).is_err());
}

/// A pinned sheet over one that is pinned at every second vertex.
fn pressed() -> Simulation {
    let mut builder = SimulationBuilder::new(weightless());
    builder.add_cloth(ClothDesc { pins: (0..36).step_by(2).collect(), ..cotton(sheet(6, 0.3)) });
    let above = sheet(6, 0.3).mapped(|p| p + Vector3::new(0.013, 0.02, 0.007));
    builder.add_cloth(ClothDesc { pins: (0..36).collect(), ..cotton(above) });
    builder.build().unwrap()
}

/// Moves the upper sheet down through the lower one, to where it stays.
fn press(sim: &mut Simulation, step: usize) {
    for v in (0..36).filter(|_| step < 10) {
        let p = sim.positions()[36 + v as usize];
        sim.move_pin(cloth_id(1), v, p - Vector3::y() * 0.004).unwrap();
    }
}

#[test]
fn contacts_keep_their_sides_through_steps_that_fail() {
    let (mut crossed, mut sim) = (0, pressed());
    for step in 0..20 {
        press(&mut sim, step);
        crossed += sim.step(DT).unwrap().warnings.crossed_contacts;
    }
    assert!(crossed > 100, "{crossed} contacts on the wrong side: the scene proves nothing");
    assert_eq!(differs_moved(pressed(), 20, press, too_short), None);
}

#[test]
fn recovery_keeps_what_it_tried_through_steps_that_fail() {
    let settings = Settings { recovery: true, ..weightless() };
    let mut builder = SimulationBuilder::new(settings);
    let pinned = |mesh: TriMesh| ClothDesc { pins: (0..36).collect(), ..cotton(mesh) };
    builder.add_cloth(pinned(sheet(6, 0.5)));
    builder.add_cloth(pinned(upright(6, 0.5).mapped(|p| p + Vector3::new(0.011, -0.21, 0.017))));
    let sim = builder.build().unwrap();
    let mut stuck = sim.clone();
    for _ in 0..80 {
        stuck.step(DT).unwrap();
    }
    assert_eq!(stuck.report().recovery.stuck, 1, "pinned sheets cannot be untangled");
    assert_eq!(differs(sim, 80, too_short), None);
}

#[test]
fn tethers_and_drives_start_from_nothing_after_a_step_that_fails() {
    let settings = Settings { self_collision: false, velocity_limit: f32::MAX, ..bare() };
    let mut cloth = cotton(upright(6, 0.3));
    cloth.pins = last_corners(6);
    cloth.tethers = Some(Tethers { compliance: 1e-3, ..Tethers::default() });
    let corner = Point3::from(cloth.mesh.positions[35].cast::<f32>());
    // The distance to the anchor is as great as it can be, and with it what the tether has pulled.
    let anchor_too_far = |sim: &mut Simulation| {
        sim.move_pin(cloth_id(0), 35, Point3::new(0.0, 9e6, 0.0)).unwrap();
        assert!(sim.step(SHORT).is_err());
        sim.move_pin(cloth_id(0), 35, corner).unwrap();
    };
    assert_eq!(differs(alone(settings, cloth.clone()), 5, anchor_too_far), None, "tethers");
    assert_eq!(differs(alone(settings, cloth.clone()), 5, too_short), None, "tethers");
    cloth.tethers = None;
    cloth.drive = Some(Drive { stiffness: 50.0, damping: 1.0, ..Drive::default() });
    assert_eq!(differs(alone(settings, cloth), 5, too_short), None, "drives");
}

#[test]
fn a_failed_step_leaves_the_report_and_contacts_of_the_last() {
    for balls in [false, true] {
        let mut builder = SimulationBuilder::new(Settings { gate: true, substeps: 4, ..bare() });
        builder.set_default_interaction(if balls { Interaction::Particles } else { Interaction::FullMesh });
        builder.add_cloth(ClothDesc { pins: (0..36).collect(), ..cotton(sheet(6, 0.3)) });
        let above = sheet(6, 0.3).mapped(|p| p + Vector3::new(0.013, 0.02, 0.007));
        builder.add_cloth(cotton(above));
        let mut sim = builder.build().unwrap();
        let read = |sim: &Simulation| {
            (told(sim), sim.report().times, sim.contacts().clone(), sim.particle_contacts().to_vec())
        };
        for _ in 0..3 {
            sim.step(DT).unwrap();
            let before = read(&sim);
            assert!(before.2.len() + before.3.len() > 10);
            too_short(&mut sim);
            too_short(&mut sim);
            assert_eq!(read(&sim), before);
        }
    }
}

#[test]
fn candidate_lists_are_rebuilt_after_a_step_that_fails() {
    let mut sim = alone(weightless(), cotton(sheet(8, 0.3)));
    let searches: Vec<u32> = (0..3).map(|_| sim.step(DT).unwrap().broad_phase_queries).collect();
    assert_eq!(searches, [1, 0, 0]);
    too_short(&mut sim);
    assert_eq!(sim.step(DT).unwrap().broad_phase_queries, 1);
}
