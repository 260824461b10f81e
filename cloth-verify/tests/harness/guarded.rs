//! Guarded colliders under audit: the gate lets no axis cross.

use cloth_solver::{Settings, Simulation};
use cloth_verify::audit::{AuditScene, Auditor, FindingKind};
use cloth_verify::{Size, scenarios};

/// Fingers that sweep through a cape, with contacts detected once in a frame: in most substeps the gate is
/// alone.
fn crossings() -> usize {
    let scenario = scenarios::all().iter().find(|s| s.name == "coat-fingers").expect("a scenario");
    let mut setup = (scenario.build)(Size::Small).expect("a scene");
    let settings = Settings { detect_interval: 16, ..setup.scene.settings };
    let mut sim: Simulation = setup.scene.build(settings).expect("a simulation");
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
fn no_axis_crosses_a_cape() {
    assert_eq!(crossings(), 0);
}
