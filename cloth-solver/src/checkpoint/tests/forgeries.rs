//! Forged snapshots: each is refused, or what intersects in its state and after steps from there is exempt.

use cloth_contacts::gate::Admission;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::*;
use crate::checkpoint::Checkpoint;
use crate::gate_state::GateCheckpoint;
use crate::{IntersectionFilter, StepError};

/// A change of one part of a checkpoint; vertices and other items by their share of all.
#[derive(Clone, Debug)]
enum Forgery {
    /// A vertex is so far (m) from another.
    Position(Index, Index, [f32; 3]),
    /// A coordinate is any number.
    Coordinate(Index, f32),
    Velocity(Index, [f32; 3]),
    /// The mass in the step, or that of awake cloth.
    Mass(bool, Index, f32),
    /// A target at the start or at the end of the step is so far (m) from another vertex.
    Target(bool, Index, Index, [f32; 3]),
    Sleep(Index),
    SleepAll,
    Collider(Index, [f32; 3]),
    Frame([f32; 3]),
    Attachment(Index, [f32; 3]),
    Rigid([f32; 3]),
    Time(f64),
    /// Contacts are on their other side, or are forgotten.
    History(bool),
    CachedFace(Index, Index),
    Contours,
    Pending(Admission),
    /// Exemptions of a state of the same simulation, or none.
    Exemptions(Index),
}

fn forgery() -> impl Strategy<Value = Forgery> {
    use Forgery::*;
    let i = any::<Index>;
    let by = |size: f32| [-size..size, -size..size, -size..size];
    let admission = prop::sample::select(vec![Admission::None, Admission::WithBodies, Admission::All]);
    prop_oneof![
        6 => (i(), i(), by(0.1)).prop_map(|(v, to, by)| Position(v, to, by)),
        1 => (i(), any::<f32>()).prop_map(|(at, to)| Coordinate(at, to)),
        2 => (i(), by(50.0)).prop_map(|(v, to)| Velocity(v, to)),
        2 => (any::<bool>(), i(), prop_oneof![Just(0.0), any::<f32>()])
            .prop_map(|(now, v, w)| Mass(now, v, w)),
        2 => (any::<bool>(), i(), i(), by(0.1)).prop_map(|(end, v, to, by)| Target(end, v, to, by)),
        1 => i().prop_map(Sleep),
        1 => Just(SleepAll),
        1 => (i(), by(0.1)).prop_map(|(which, by)| Collider(which, by)),
        1 => by(0.1).prop_map(Frame),
        1 => (i(), by(0.1)).prop_map(|(which, by)| Attachment(which, by)),
        1 => by(50.0).prop_map(Rigid),
        1 => any::<f64>().prop_map(Time),
        1 => any::<bool>().prop_map(History),
        1 => (i(), i()).prop_map(|(which, face)| CachedFace(which, face)),
        1 => Just(Contours),
        2 => admission.prop_map(Pending),
        2 => i().prop_map(Exemptions),
    ]
}

impl Forgery {
    /// Changes a checkpoint; those of the same simulation are `others`.
    fn apply(&self, checkpoint: &mut Checkpoint, others: &[Snapshot]) {
        let Checkpoint { state, colliders, history, cached_faces, gate } = checkpoint;
        let at = |index: &Index, count: usize| (count > 0).then(|| index.index(count));
        let count = state.x.len();
        match self {
            Self::Position(v, to, by) => {
                state.x[v.index(count)] = state.x[to.index(count)] + Vector3::from(*by);
            }
            Self::Coordinate(v, to) => state.x[v.index(count)].y = *to,
            Self::Velocity(v, to) => state.v[v.index(count)] = Vector3::from(*to),
            Self::Mass(now, v, w) => {
                let masses = if *now { &mut state.inv_mass } else { &mut state.sleep.inv_mass };
                masses[v.index(count)] = *w;
            }
            Self::Target(end, v, to, by) => {
                let place = state.x[to.index(count)] + Vector3::from(*by);
                let targets = if *end { &mut state.kinematic_t1 } else { &mut state.kinematic_t0 };
                targets[v.index(count)] = place;
            }
            Self::Sleep(cloth) => *cloth.get_mut(&mut state.sleep.asleep) = true,
            Self::SleepAll => {
                state.sleep.asleep.fill(true);
                state.inv_mass.fill(0.0);
                state.v.fill(Vector3::zeros());
                state.kinematic_t0.clone_from(&state.x);
                state.kinematic_t1.clone_from(&state.x);
            }
            Self::Collider(which, by) => {
                which.get_mut(colliders)[0].translation.vector += Vector3::from(*by);
            }
            Self::Frame(by) => {
                state
                    .frame_poses
                    .iter_mut()
                    .for_each(|poses| poses[0].translation.vector += Vector3::from(*by));
            }
            Self::Attachment(which, by) => {
                if let Some(at) = at(which, state.attachments.len()) {
                    state.attachments[at].targets[1] += Vector3::from(*by);
                }
            }
            Self::Rigid(to) => state.rigid.iter_mut().for_each(|body| body.velocity = Vector3::from(*to)),
            Self::Time(time) => state.time = *time,
            Self::History(turned) => {
                history.point_triangles.iter_mut().for_each(|c| c.normal = -c.normal);
                history.edge_edges.iter_mut().for_each(|c| (c.normal, c.gap) = (-c.normal, -c.gap));
                if !turned {
                    history.clear();
                }
            }
            Self::CachedFace(which, face) => {
                if let Some(at) = at(which, cached_faces.len()) {
                    cached_faces[at] = face.index(200) as u32;
                }
            }
            Self::Contours => state.tracked_contours = Default::default(),
            Self::Pending(pending) => gate.as_mut().expect("a gate").pending = *pending,
            Self::Exemptions(of) => {
                let none = GateCheckpoint::unknown().exemptions;
                let other = at(of, others.len() + 1).and_then(|at| others.get(at)?.checkpoint.gate.as_ref());
                gate.as_mut().expect("a gate").exemptions =
                    other.map_or(none, |gate| gate.exemptions.clone());
            }
        }
    }
}

/// The snapshot as one that was read from a file.
fn foreign(snapshot: &Snapshot) -> Snapshot {
    Snapshot { is_foreign: true, ..snapshot.clone() }
}

/// A simulation with the gate, and snapshots of it: at the start, before the first check, and after steps in
/// which a body is pressed through a sheet that is pinned.
fn snapshots(kind: SceneKind, substeps: u32) -> (Simulation, Vec<Snapshot>) {
    let mut sim = RandomScene::plain(kind, substeps, true).build();
    let mut taken = vec![sim.snapshot()];
    let mut released = 0;
    for _ in 0..3 {
        ScriptEdit::Body([0.0, -0.05, 0.0]).make(&mut sim);
        sim.step(scenes::DT).expect("a step");
        released += sim.released().len();
        taken.push(sim.snapshot());
    }
    assert_eq!(released > 0, kind == SceneKind::Pierced);
    (sim, taken)
}

/// The intersections of a state, and those among them that nothing exempts.
fn intersections(sim: &Simulation) -> [usize; 2] {
    let mut found = sim.intersections(IntersectionFilter::ALL).expect("finite");
    found.retain(|hit| sim.surface().is_guarded_hit(hit));
    let all = found.count();
    found.retain(|hit| sim.is_certified(hit));
    [all, found.count()]
}

/// Steps from a forged state; whether it was tangled.
fn step_forged(sim: &mut Simulation, what: &dyn std::fmt::Debug) -> bool {
    let mut is_tangled = false;
    for step in 0..2 {
        let [before, unexplained] = intersections(sim);
        assert_eq!(unexplained, 0, "before step {step}, {what:?}");
        is_tangled |= before > 0;
        // An error undoes the step.
        let Ok(report) = sim.step(scenes::DT) else { continue };
        let is_certified = report.gate.tangles == 0 && report.gate.released == 0;
        let [after, unexplained] = intersections(sim);
        assert_eq!(unexplained, 0, "after step {step}, {what:?}");
        assert!(!is_certified || after == 0, "{after} after step {step}, {what:?}");
    }
    is_tangled
}

#[test]
fn forgeries_are_refused_or_intersect_where_they_say() {
    let mut runner = TestRunner::deterministic();
    let forgeries = (any::<Index>(), prop::collection::vec(forgery(), 1..4));
    let [mut refused, mut altered, mut stepped, mut tangled] = [0; 4];
    for kind in SceneKind::ALL {
        let (sim, taken) = snapshots(kind, 2);
        for _ in 0..50 {
            let (of, forgeries) = forgeries.new_tree(&mut runner).expect("a forgery").current();
            let mut forged = foreign(of.get(&taken));
            forgeries.iter().for_each(|forgery| forgery.apply(&mut forged.checkpoint, &taken));
            let mut sim = sim.clone();
            match sim.restore(&forged) {
                Ok(()) => {
                    stepped += 1;
                    tangled += usize::from(step_forged(&mut sim, &(kind, forgeries)));
                }
                Err(error) => {
                    refused += 1;
                    altered += usize::from(matches!(error, StepError::AlteredSnapshot { .. }));
                }
            }
        }
    }
    let counts = [refused, altered, stepped, tangled];
    assert!(altered > 40 && refused - altered > 40 && stepped > 150 && tangled > 40, "{counts:?}");
}

#[test]
fn honest_snapshots_of_others_are_restored_in_bits() {
    let mut tangled = 0;
    for kind in SceneKind::ALL {
        let (_, taken) = snapshots(kind, 3);
        for snapshot in &taken {
            let [mut a, mut b] = [(); 2].map(|()| RandomScene::plain(kind, 3, true).build());
            a.restore(snapshot).expect("it fits");
            b.restore(&foreign(snapshot)).expect("nobody altered it");
            tangled += usize::from(!a.tangles().is_empty());
            for _ in 0..2 {
                assert_eq!(step(&mut a, &[], scenes::DT), step(&mut b, &[], scenes::DT), "{kind:?}");
            }
        }
    }
    assert!(tangled > 5, "{tangled}");
}

/// The error of a snapshot of a scene that was forged; it is restored where nobody forges it.
fn refused(kind: SceneKind, forge: impl Fn(&mut Checkpoint)) -> String {
    let (mut sim, taken) = snapshots(kind, 2);
    let mut forged = foreign(taken.last().expect("some"));
    sim.restore(&forged).expect("it fits");
    let before = sim.checkpoint().digests();
    forge(&mut forged.checkpoint);
    let error = sim.restore(&forged).expect_err("forged").to_string();
    assert_eq!(sim.checkpoint().digests(), before, "nothing has changed");
    error
}

#[test]
fn a_vertex_that_was_moved_through_a_sheet_is_refused() {
    let error = refused(SceneKind::Pressed, |checkpoint| {
        let state = &mut checkpoint.state;
        let above = CENTRE + scenes::SIDE * scenes::SIDE;
        state.x[above].y = state.x[CENTRE].y - 0.05;
    });
    assert!(error.contains("intersections of its state are in none of its tangles"), "{error}");
}

/// A vertex in the middle of a sheet.
const CENTRE: usize = 2 * scenes::SIDE + 2;

#[test]
fn a_tangle_without_exemption_or_intersection_is_refused() {
    let error = refused(SceneKind::Crossed, |checkpoint| {
        checkpoint.gate.as_mut().expect("a gate").exemptions = GateCheckpoint::unknown().exemptions;
    });
    assert!(error.contains("are in none of its tangles"), "{error}");
    let error = refused(SceneKind::Crossed, |checkpoint| {
        let sheet = scenes::SIDE * scenes::SIDE;
        checkpoint.state.x[sheet..2 * sheet].iter_mut().for_each(|p| p.y += 1.0);
    });
    assert!(error.contains("of its tangles have no intersection"), "{error}");
}

#[test]
fn a_mass_of_a_body_or_of_cloth_asleep_is_refused() {
    let last = |masses: &mut Vec<f32>| *masses.last_mut().expect("a body") = 1.0;
    for error in [
        refused(SceneKind::Pierced, |checkpoint| last(&mut checkpoint.state.inv_mass)),
        refused(SceneKind::Pierced, |checkpoint| last(&mut checkpoint.state.sleep.inv_mass)),
        refused(SceneKind::Crossed, |checkpoint| checkpoint.state.inv_mass[7] *= 2.0),
        refused(SceneKind::Crossed, |checkpoint| checkpoint.state.sleep.asleep[1] = true),
    ] {
        assert!(error.contains("inverse mass"), "{error}");
    }
}

#[test]
fn forged_sleep_hides_no_tangle() {
    for pending in [Admission::None, Admission::All] {
        let (mut sim, taken) = snapshots(SceneKind::Crossed, 3);
        let mut forged = foreign(taken.last().expect("some"));
        Forgery::SleepAll.apply(&mut forged.checkpoint, &taken);
        forged.checkpoint.gate.as_mut().expect("a gate").pending = pending;
        sim.restore(&forged).expect("as it says");
        assert!(sim.step(scenes::DT).expect("a step").gate.tangles > 0, "{pending:?}");
    }
}
