//! Guarded colliders under audit: a sound gate lets no axis cross, and an audit finds every crossing of a
//! gate that was made wrong.

use cloth_contacts::faults::Weakness;
use cloth_solver::{Settings, Simulation};
use cloth_verify::audit::{AuditScene, Auditor, FindingKind};
use cloth_verify::{Size, scenarios};

/// Fingers that sweep through a cape, with contacts detected once in a frame: in most substeps the gate is
/// alone.
fn crossings(weakness: Weakness) -> usize {
    let scenario = scenarios::all().iter().find(|s| s.name == "coat-fingers").expect("a scenario");
    let mut setup = (scenario.build)(Size::Small).expect("a scene");
    let settings = Settings { detect_interval: 16, ..setup.scene.settings };
    let mut sim: Simulation = setup.scene.build(settings).expect("a simulation");
    sim.weaken(weakness);
    let mut auditor = Auditor::new(&AuditScene::from_simulation(&sim), sim.positions()).expect("a scene");
    let driver = setup.driver.as_mut().expect("a hand");
    for frame in 0..4 {
        driver(&mut sim, frame, 0.0).expect("a target");
        auditor.begin_step();
        let taken = sim.step_with(setup.dt, &mut |motion| auditor.motion(&motion)).is_ok();
        auditor.end_step(taken);
    }
    auditor.findings().iter().filter(|finding| finding.kind == FindingKind::Crossing).count()
}

#[test]
fn no_axis_crosses_by_a_sound_gate() {
    assert_eq!(crossings(Weakness::None), 0);
}

#[test]
fn an_audit_finds_crossings_when_the_gate_skips_edge_pairs() {
    assert!(crossings(Weakness::SkipEdgeEdge) > 0);
}
