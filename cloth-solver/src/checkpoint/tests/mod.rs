//! Random scripts of calls: what a simulation forgets, undoes or returns from leaves no trace in any later
//! bit.

mod forgeries;
mod scenes;
mod scripts;

use std::sync::Arc;

use nalgebra::{Translation3, Vector3};
use proptest::prelude::*;
use proptest::strategy::ValueTree;

use crate::recovery::Recovery;
use crate::scratch::Scratch;
use crate::{ColliderId, GateReport, MeshBodyId, Simulation, Snapshot, StepReport, Waypoints};
use scenes::{RandomScene, SceneKind, scene};
use scripts::{ScriptEdit, ScriptEvent, edits, events};

/// The whole state of a simulation, and all that two of equal state say of their last step.
#[derive(Debug, PartialEq)]
struct Observation {
    state: [(&'static str, u64); 24],
    /// Without times, and without what candidate lists cost: that depends on when they were built.
    report: StepReport,
    contacts: usize,
    tangles: Vec<[Vec<u32>; 2]>,
    released: usize,
}

fn observe(sim: &Simulation) -> Observation {
    let report = *sim.report();
    let gate =
        GateReport { proofs: 0, proved_in_f32: 0, exact_ccd: 0, certified_chord: false, ..report.gate };
    let costs = StepReport {
        broad_phase_queries: 0,
        rebuilt_lists: 0,
        narrow_phase_tests: 0,
        candidates: 0,
        gate,
        ..report
    };
    let report =
        StepReport { particle_broad_phase_queries: 0, particle_pairs: 0, times: Default::default(), ..costs };
    Observation {
        state: sim.checkpoint().digests(),
        report,
        // A step that is skipped leaves the contacts of the last that was not.
        contacts: if report.substeps > 0 { sim.contacts().len() + sim.particle_contacts().len() } else { 0 },
        tangles: sim.tangles().to_vec(),
        released: sim.released().len(),
    }
}

/// What happened in scripts, so that it can be seen that they are about something.
#[derive(Debug, Default)]
struct Coverage {
    failed: usize,
    /// After a substep that was accepted.
    failed_late: usize,
    failed_tangled: usize,
    failed_in_contact: usize,
    restored: usize,
    restored_tangled: usize,
    restored_in_contact: usize,
    recovering: usize,
    crossed: usize,
    released: usize,
    rebuilt: usize,
    rebuilt_tangled: usize,
    failed_asleep: usize,
    restored_asleep: usize,
}

/// Runs a script in two simulations: `sim` does all of it, and `twin` only what is to leave a trace. They
/// stay equal.
fn run(scene: &RandomScene, events: &[ScriptEvent]) -> Result<Coverage, TestCaseError> {
    let mut sim = scene.build();
    let mut twin = sim.clone();
    let start = Arc::new(sim.snapshot());
    let mut coverage = Coverage::default();
    for event in events {
        match event {
            ScriptEvent::Step(edits, dt) => {
                let [a, b] = [&mut sim, &mut twin].map(|sim| step(sim, edits, *dt));
                prop_assert_eq!(a, b);
            }
            ScriptEvent::StepThrough(by, dt) => {
                let [a, b] = [&mut sim, &mut twin].map(|sim| step_through(sim, by, *dt));
                prop_assert_eq!(a, b);
            }
            ScriptEvent::Fail(failure) => {
                [&mut sim, &mut twin].into_iter().for_each(|sim| failure.edit(sim));
                let before = observe(&sim);
                let mut accepted = 0;
                if sim.step_with(failure.dt(), &mut |_| accepted += 1).is_ok() {
                    // It was no failure after all: a step like others.
                    prop_assert!(twin.step(failure.dt()).is_ok());
                } else {
                    prop_assert_eq!(&observe(&sim), &before, "right after {:?}", failure);
                    [&mut sim, &mut twin].into_iter().for_each(|sim| failure.undo(sim));
                    coverage.note_failure(&sim);
                    coverage.failed_late += usize::from(accepted > 0);
                }
            }
            ScriptEvent::Excursion(away, others) => {
                // As if it were from another process, in which it is checked.
                let snapshot = Snapshot { is_foreign: true, ..sim.snapshot() };
                let packed = snapshot.clone().pack(&start);
                prop_assert_eq!(packed.unpack().difference(&snapshot), None);
                // In memory that has held another state.
                let mut other = twin.snapshot();
                packed.unpack_into(&mut other);
                prop_assert_eq!(other.difference(&snapshot), None);
                let observed = (packed.time(), packed.positions(), packed.velocities(), packed.state_hash());
                prop_assert_eq!(observed, (sim.time(), sim.positions(), sim.velocities(), sim.state_hash()));
                for (edits, dt) in away {
                    let _ = step(&mut sim, edits, *dt);
                }
                if *others {
                    sim = scene.build();
                }
                prop_assert_eq!(sim.restore(&snapshot), Ok(()));
                coverage.note_restore(&twin);
            }
            ScriptEvent::DropScratch => drop_scratch(&mut sim),
            ScriptEvent::Rebuild => {
                prop_assert_eq!(sim.edit(|_| Ok(())), Ok(()));
                // An edit wakes everything.
                twin.wake_all();
                coverage.rebuilt += 1;
                coverage.rebuilt_tangled += usize::from(!sim.tangles().is_empty());
            }
            ScriptEvent::Reset => [&mut sim, &mut twin].into_iter().for_each(Simulation::reset),
        }
        coverage.note(&twin);
    }
    // A last step, so that the last event is followed by one.
    let [a, b] = [&mut sim, &mut twin].map(|sim| step(sim, &[], scenes::DT));
    prop_assert_eq!(a, b);
    Ok(coverage)
}

/// Drops everything that is only memory, by the types that say so.
fn drop_scratch(sim: &mut Simulation) {
    sim.clear_caches();
    sim.scratch = Scratch::default();
    sim.scratch.resize(sim.state.x.len());
    sim.recovery = Recovery::default();
}

/// Edits, and a step that may fail; what came of it. Without the report if it failed: that is still of the
/// step before.
fn step(sim: &mut Simulation, edits: &[ScriptEdit], dt: f32) -> (Observation, bool) {
    edits.iter().for_each(|edit| edit.make(sim));
    let taken = sim.step(dt).is_ok();
    observe_step(sim, taken)
}

fn observe_step(sim: &Simulation, taken: bool) -> (Observation, bool) {
    if taken {
        (observe(sim), true)
    } else {
        (Observation { report: StepReport::default(), contacts: 0, released: 0, ..observe(sim) }, false)
    }
}

/// A step in which the ball, an attachment and the body move through waypoints and back.
fn step_through(sim: &mut Simulation, by: &[f32; 3], dt: f32) -> (Observation, bool) {
    let mut waypoints = Waypoints::new(2).expect("a few");
    let ball = sim.colliders()[1].pose_t1;
    let by = Vector3::from(*by);
    let target = sim.state.attachments[0].targets[1];
    let body = MeshBodyId(0);
    for (k, share) in [(0, 0.5), (1, 1.0)] {
        let pose = Translation3::from(by * share) * ball;
        waypoints.set_collider(ColliderId(1), k, pose).expect("a ball");
        waypoints.set_attachment(0, k, target + by * share).expect("an attachment");
        if let Ok(part) = sim.body_part(body) {
            let at: Vec<_> =
                sim.state.kinematic_t1[part.vertices.clone()].iter().map(|p| p + by * share).collect();
            waypoints.set_mesh_body(body, k, &at).expect("a body");
        }
    }
    let taken = sim.step_through(dt, &waypoints, &mut |_| {}).is_ok();
    observe_step(sim, taken)
}

impl Coverage {
    fn note(&mut self, sim: &Simulation) {
        self.recovering += usize::from(!sim.state.tracked_contours.is_empty());
        self.crossed += usize::from(sim.report().warnings.crossed_contacts > 0);
        self.released += usize::from(!sim.released().is_empty());
    }

    fn note_failure(&mut self, sim: &Simulation) {
        self.failed += 1;
        self.failed_asleep += usize::from(sim.state.sleep.asleep.contains(&true));
        self.failed_tangled += usize::from(!sim.tangles().is_empty());
        self.failed_in_contact += usize::from(!sim.detection.cloth.history().is_empty());
    }

    fn note_restore(&mut self, sim: &Simulation) {
        self.restored += 1;
        self.restored_asleep += usize::from(sim.state.sleep.asleep.contains(&true));
        self.restored_tangled += usize::from(!sim.tangles().is_empty());
        self.restored_in_contact += usize::from(!sim.detection.cloth.history().is_empty());
    }
}

fn cases(count: u32) -> ProptestConfig {
    ProptestConfig { cases: count, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(96))]

    #[test]
    fn what_is_forgotten_undone_or_returned_from_changes_no_later_bit(
        scene in scene(),
        events in prop::collection::vec(events(), 3..14),
    ) {
        run(&scene, &events)?;
    }

    #[test]
    fn a_simulation_that_is_reset_runs_as_a_new_one(
        scene in scene(),
        before in prop::collection::vec(edits(), 1..6),
        after in prop::collection::vec(edits(), 2..6),
    ) {
        // What a reset leaves as the caller moved it is left alone.
        let moves = |edits: &[ScriptEdit]| {
            edits.iter().filter(|e| e.is_undone_by_a_reset()).cloned().collect::<Vec<_>>()
        };
        let (mut sim, mut fresh) = (scene.build(), scene.build());
        for edits in &before {
            let _ = step(&mut sim, &moves(edits), scenes::DT);
        }
        sim.reset();
        for edits in &after {
            prop_assert_eq!(step(&mut sim, edits, scenes::DT), step(&mut fresh, edits, scenes::DT));
        }
    }
}

/// Sets what the scripts above are made of in motion, and says what they come to:
/// `cargo test -p cloth-solver --lib acted -- --nocapture`.
#[test]
fn scripts_fail_and_restore_in_states_that_have_something_to_lose() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut all = Coverage::default();
    let scripts = (scene(), prop::collection::vec(events(), 8..14));
    for _ in 0..160 {
        let (scene, events) = scripts.new_tree(&mut runner).expect("a script").current();
        let coverage = run(&scene, &events).expect("equal runs");
        all.failed += coverage.failed;
        all.failed_late += coverage.failed_late;
        all.failed_tangled += coverage.failed_tangled;
        all.failed_in_contact += coverage.failed_in_contact;
        all.restored += coverage.restored;
        all.restored_tangled += coverage.restored_tangled;
        all.restored_in_contact += coverage.restored_in_contact;
        all.recovering += coverage.recovering;
        all.crossed += coverage.crossed;
        all.released += coverage.released;
        all.rebuilt += coverage.rebuilt;
        all.rebuilt_tangled += coverage.rebuilt_tangled;
        all.failed_asleep += coverage.failed_asleep;
        all.restored_asleep += coverage.restored_asleep;
    }
    println!("{all:?}");
    assert!(all.failed_late > 20, "{all:?}");
    assert!(all.failed > 50 && all.failed_tangled > 5 && all.failed_in_contact > 20, "{all:?}");
    assert!(all.restored > 50 && all.restored_tangled > 5 && all.restored_in_contact > 20, "{all:?}");
    assert!(all.recovering > 5 && all.crossed > 5 && all.released > 0, "{all:?}");
    assert!(all.rebuilt > 20 && all.rebuilt_tangled > 3, "{all:?}");
    assert!(all.failed_asleep > 5 && all.restored_asleep > 5, "{all:?}");
}

#[test]
fn every_kind_of_scene_can_be_built_and_stepped() {
    for kind in SceneKind::ALL {
        let scene = RandomScene::plain(kind, 4, true);
        let mut sim = scene.build();
        for _ in 0..4 {
            assert!(sim.step(scenes::DT).is_ok(), "{kind:?}");
        }
    }
}

/// A report is of the last step that was taken, which a simulation that was rebuilt for a snapshot has not
/// taken.
#[test]
fn a_failing_step_after_a_restore_is_compared_by_its_state() {
    let scene = RandomScene::plain(SceneKind::Pressed, 3, false);
    let events = [
        ScriptEvent::Step(vec![], scenes::DT),
        ScriptEvent::Excursion(vec![(vec![], scenes::DT)], true),
        ScriptEvent::Step(vec![], 1e38),
    ];
    let mut sim = scene.build();
    assert!(step(&mut sim, &[], scenes::DT).1);
    assert!(!step(&mut sim, &[], 1e38).1, "meant to fail");
    run(&scene, &events).expect("equal states");
}
