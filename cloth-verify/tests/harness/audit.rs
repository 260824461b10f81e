//! The auditor finds nothing in scenes that show a hole in the gate, if it has one: all but that of creeping
//! cloth are of holes that a gate once had. `cargo xtask faults` puts them back.

use cloth_geom::{TriMesh, fixtures};
use cloth_solver::{
    Attachment, ClothDesc, Interaction, Material, MeshBodyDesc, RegionDesc, Settings, Simulation,
    SimulationBuilder, Thickness, UNASSIGNED_REGION, Wind,
};
use cloth_verify::audit::{AuditScene, Auditor};
use nalgebra::{Point3, Vector3};

const DT: f32 = 1.0 / 60.0;

/// A simulation with its auditor.
struct Audited {
    simulation: Simulation,
    auditor: Auditor,
}

impl Audited {
    fn new(builder: &SimulationBuilder) -> Self {
        let simulation: Simulation = builder.clone().build().unwrap();
        let scene = AuditScene::from_simulation(&simulation);
        let auditor = Auditor::new(&scene, simulation.positions()).unwrap();
        Self { simulation, auditor }
    }

    /// A step and its audit; whether it was accepted.
    fn step(&mut self, dt: f32) -> bool {
        self.auditor.begin_step();
        let auditor = &mut self.auditor;
        let accepted = self.simulation.step_with(dt, &mut |motion| auditor.motion(&motion)).is_ok();
        self.auditor.end_step(accepted);
        let simulation = &self.simulation;
        self.auditor.check_claims(|hit| simulation.is_certified(hit));
        accepted
    }

    fn move_cloth(&mut self, cloth: usize, start: &[Point3<f32>], by: Vector3<f32>) {
        let id = self.simulation.cloth_id(cloth).unwrap();
        for (v, p) in start.iter().enumerate() {
            self.simulation.move_pin(id, v as u32, p + by).unwrap();
        }
    }

    /// Checks that nothing was found, and something was tested.
    fn check(&self) {
        let figures = self.auditor.figures();
        assert!(figures.motions > 0 && figures.pairs > 0, "{figures:?}");
        assert_eq!(figures.failures, 0, "{:?}", self.auditor.findings());
    }
}

fn weightless(substeps: u32) -> Settings {
    let wind = Wind::VACUUM;
    Settings {
        gate: true,
        substeps,
        gravity: Vector3::zeros(),
        wind,
        air_damping: 0.0,
        ..Settings::default()
    }
}

fn sheet(n: usize, size: f64) -> TriMesh {
    fixtures::sheet(n, n, [size, size]).unwrap().mesh
}

/// Pinned all over, as thick as half the edge of the finest sheet.
fn pinned(mesh: TriMesh) -> ClothDesc {
    let pins = (0..mesh.positions.len() as u32).collect();
    ClothDesc { pins, ..ClothDesc::new(mesh, Material::COTTON, Thickness::from_total(0.03, 0.4)) }
}

/// Two pinned sheets, a tenth of a millimetre thick. The upper one goes aside by 0.8 mm, so that how far it
/// is from where it began says nothing about its height; it trembles by a tenth of a millimetre, for 3 m in
/// all, and comes down by less in a step than half a unit in the last place of those 3 m in `f32`, farther
/// than to the other sheet. Lists outlast all of that.
fn creep() -> Audited {
    const TREMBLES: usize = 30_000;
    const BY: f32 = 1.0e-4;
    const APPROACH: f32 = 1.0e-7;
    const ASIDE: f32 = 8.0e-4;
    const GAP: f32 = 5.0e-4;
    let mut builder = SimulationBuilder::new(Settings { candidate_slack: 20.0, ..weightless(1) });
    // Upright, across each other, so that only edges meet.
    let lower = sheet(3, 0.02).mapped(|p| Point3::new(0.0, p.x - 0.01, p.z));
    let upper = sheet(3, 0.02).mapped(|p| Point3::new(p.z + 0.003, p.x + 0.01 + f64::from(GAP), 0.0013));
    for mesh in [lower, upper] {
        builder.add_cloth(ClothDesc { thickness: Thickness::from_total(1.0e-4, 0.2), ..pinned(mesh) });
    }
    let mut run = Audited::new(&builder);
    let start = run.simulation.positions()[9..].to_vec();
    let approaches = (1.2 * GAP / APPROACH) as usize;
    for step in 0..TREMBLES + approaches {
        let height = match step.checked_sub(TREMBLES) {
            None => BY * (step % 2) as f32,
            Some(k) => -APPROACH * k as f32,
        };
        let aside = ASIDE * (step as f32 / 100.0).min(1.0);
        run.move_cloth(1, &start, Vector3::new(aside, height, 0.0));
        assert!(run.step(1.0 / 64.0));
    }
    run
}

#[test]
fn creeping_cloth_does_not_cross() {
    creep().check();
}

/// A pinned sheet whose left half is open to a pinned blade, which goes down through that half and then over
/// the border.
fn slide(reverse: bool) -> Audited {
    let mut mesh = sheet(6, 0.3);
    if reverse {
        mesh.faces.reverse();
    }
    let left = RegionDesc::from_vertex_mask("left", (0..36).map(|v| v % 6 < 3).collect());
    let mut builder = SimulationBuilder::new(weightless(2));
    builder.add_cloth(ClothDesc { regions: vec![left], ..pinned(mesh) });
    // It is narrower than an edge of the border, so that it meets no other.
    let upright = sheet(3, 0.02).mapped(|p| Point3::new(0.3 * p.z - 0.0971, p.x + 0.061, p.z + 0.0013));
    builder.add_cloth(ClothDesc { thickness: Thickness::from_total(0.005, 0.4), ..pinned(upright) });
    builder.set_interaction("left", UNASSIGNED_REGION, Interaction::None);
    let mut run = Audited::new(&builder);
    let start = run.simulation.positions()[36..].to_vec();
    for step in 1..=100_u8 {
        let (down, right) = ((f32::from(step) / 40.0).min(1.0), f32::from(step.max(40) - 40) / 60.0);
        run.move_cloth(1, &start, Vector3::new(0.15 * right, -0.06 * down, 0.0));
        assert!(run.step(DT));
    }
    run
}

#[test]
fn a_blade_does_not_cross_the_border_of_an_open_region() {
    // An edge on the border is open or closed by the order of its faces: with a fault, one of the two orders
    // lets the blade through.
    for reverse in [false, true] {
        let run = slide(reverse);
        run.check();
        assert!(run.auditor.figures().authored_pair_substeps > 0, "the open half was passed");
    }
}

/// Two pinned sheets that cross. In the course of a step they are parted, and a body is released from a third
/// sheet, so that the gate checks and ends the tangle; then a vertex apart from all runs away, and the step
/// fails.
fn fail() -> Audited {
    const SUBSTEPS: u32 = 8;
    const SHARE: f32 = 0.1;
    let fuse = Point3::new(0.0, 50.0, 0.0);
    // In the shortest step nothing lags.
    let settings = Settings { velocity_limit: f32::MAX, ..weightless(SUBSTEPS) };
    let mut builder = SimulationBuilder::new(settings);
    let place = |mesh: TriMesh, at: Vector3<f64>| pinned(mesh.mapped(|p| p + at));
    builder.add_cloth(place(sheet(6, 0.5), Vector3::zeros()));
    let upright = sheet(6, 0.3).mapped(|p| Point3::new(p.x, p.z, 0.0));
    builder.add_cloth(place(upright, Vector3::new(0.011, 0.11, 0.017)));
    builder.add_cloth(place(sheet(6, 0.3), Vector3::new(2.0, 0.0, 0.0)));
    // So short a step that `f32` cannot square the velocity of a vertex that goes some 1000 km.
    const SHORT: f32 = 2.5e-14;
    let h = SHORT / SUBSTEPS as f32;
    let spring = Attachment { vertex: 0, target: fuse, compliance: h * h * (1.0 / SHARE - 1.0) };
    let alone = TriMesh { positions: vec![fuse.cast()], faces: Vec::new() };
    let thickness = Thickness::from_total(0.03, 0.4);
    builder.add_cloth(ClothDesc {
        masses: Some(vec![1.0]),
        attachments: vec![spring],
        ..ClothDesc::new(alone, Material::COTTON, thickness)
    });
    let ball = fixtures::icosphere(1, 0.06).unwrap().mapped(|p| p + Vector3::new(2.011, 0.15, 0.017));
    let body = builder.add_mesh_body(MeshBodyDesc { mesh: ball, thickness });
    let mut run = Audited::new(&builder);
    assert!(run.step(DT));
    assert_eq!(run.simulation.tangles().len(), 1);

    let start = run.simulation.positions().to_vec();
    run.move_cloth(1, &start[36..72], Vector3::y() * 0.4);
    let down: Vec<Point3<f32>> = start[109..].iter().map(|p| p - Vector3::y() * 0.2).collect();
    run.simulation.move_mesh_body(body, &down).unwrap();
    // The vertex goes ever faster: 1.44 times what its target goes in the substep before the last, 1.55 in
    // that.
    let far = f32::MAX.sqrt() * SHORT / 1.5;
    run.simulation.move_attachment(0, fuse + Vector3::y() * far).unwrap();
    assert!(!run.step(SHORT), "the step fails");

    run.simulation.move_attachment(0, fuse).unwrap();
    run.move_cloth(1, &start[36..72], Vector3::zeros());
    run.simulation.move_mesh_body(body, &start[109..]).unwrap();
    assert!(run.step(DT));
    run
}

#[test]
fn a_tangle_is_not_forgotten_in_a_step_that_fails() {
    fail().check();
}

/// A pinned sheet is lowered through another, after the snapshot of a twin without a gate was restored, if
/// that is accepted.
fn restore() -> Audited {
    let twin = |gate| {
        let mut builder = SimulationBuilder::new(Settings { gate, ..weightless(2) });
        builder.add_cloth(pinned(sheet(6, 0.5)));
        builder.add_cloth(pinned(sheet(6, 0.3).translated(Vector3::new(0.013, 0.1, 0.007))));
        builder
    };
    let foreign: Simulation = twin(false).build().unwrap();
    let mut run = Audited::new(&twin(true));
    let before = run.auditor.checkpoint();
    match run.simulation.restore(&foreign.snapshot()) {
        // Both are in their first state, of which the auditor knows.
        Ok(()) => run.auditor.restored(&before).unwrap(),
        Err(error) => assert!(error.to_string().contains("gate"), "{error}"),
    }
    let start = run.simulation.positions()[36..].to_vec();
    for step in 1..=20_u8 {
        run.move_cloth(1, &start, -Vector3::y() * (0.01 * f32::from(step)));
        assert!(run.step(DT));
    }
    run
}

#[test]
fn a_foreign_snapshot_does_not_remove_the_gate() {
    restore().check();
}
