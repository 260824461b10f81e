//! Cuts under audit, in directed scenes.

use cloth_geom::fixtures;
use cloth_solver::{
    ClothDesc, Material, MeshBodyDesc, Settings, Simulation, SimulationBuilder, Teleport, Thickness, Wind,
};
use cloth_verify::audit::{AuditScene, Auditor, FindingKind};
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

const DT: f32 = 1.0 / 60.0;

/// A sheet that hangs by its upper border in front of a ball, both of which are moved as one.
struct Cape {
    sim: Simulation,
    auditor: Auditor,
    /// The pins of the sheet, and where they start (m).
    pins: Vec<(u32, Point3<f32>)>,
    ball: Vec<Point3<f32>>,
}

impl Cape {
    fn new(teleport: Teleport) -> Self {
        let settings = Settings { teleport: Some(teleport), wind: Wind::VACUUM, ..Settings::game() };
        let mut builder = SimulationBuilder::new(settings);
        let mesh = fixtures::sheet(8, 8, [0.7, 0.7]).expect("a sheet").mesh;
        let mesh = mesh.mapped(|p| Point3::new(p.x, 1.0 - p.z, 0.0));
        let top = mesh.positions.iter().map(|p| p.y).fold(f64::MIN, f64::max);
        let pinned = mesh.positions.iter().enumerate().filter(|(_, p)| p.y > top - 1e-6);
        let pins: Vec<_> = pinned.map(|(v, p)| (v as u32, p.cast::<f32>())).collect();
        let thickness = Thickness::from_total(0.01, 0.2);
        builder.add_cloth(ClothDesc {
            pins: pins.iter().map(|(v, _)| *v).collect(),
            ..ClothDesc::new(mesh, Material::COTTON, thickness)
        });
        let ball = fixtures::icosphere(2, 0.15).expect("a ball").mapped(|p| p + Vector3::new(0.0, 0.9, -0.2));
        builder.add_mesh_body(MeshBodyDesc { mesh: ball.clone(), thickness });
        let sim = builder.build().expect("a scene");
        let auditor = Auditor::new(&AuditScene::from_simulation(&sim), sim.positions()).expect("a scene");
        Self { sim, auditor, pins, ball: ball.positions_f32() }
    }

    /// Takes a step in which all that is given goes from where it started to where a motion puts it.
    fn step(&mut self, motion: &Isometry3<f32>) {
        let (cloth, ball) = (self.sim.cloth_id(0).unwrap(), self.sim.mesh_body_id(0).unwrap());
        for (v, p) in &self.pins {
            self.sim.move_pin(cloth, *v, motion * p).expect("a pin");
        }
        let ball_at: Vec<_> = self.ball.iter().map(|p| motion * p).collect();
        self.sim.move_mesh_body(ball, &ball_at).expect("a body");
        self.auditor.begin_step();
        let auditor = &mut self.auditor;
        let taken = self.sim.step_with(DT, &mut |motion| auditor.motion(&motion)).is_ok();
        self.auditor.end_step(taken);
        let sim = &self.sim;
        self.auditor.check_claims(|hit| sim.is_certified(hit));
        assert!(taken);
    }

    /// The mean velocity (m/s) of the sheet.
    fn velocity(&self) -> Vector3<f32> {
        let velocities = self.sim.cloth_velocities(self.sim.cloth_id(0).unwrap()).expect("a cloth");
        velocities.iter().sum::<Vector3<f32>>() / velocities.len() as f32
    }

    fn found(&self) -> Vec<FindingKind> {
        self.auditor.findings().iter().map(|finding| finding.kind).collect()
    }
}

/// Half a turn about the upright, and 30 m.
fn elsewhere() -> Isometry3<f32> {
    let half = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), std::f32::consts::PI);
    Isometry3::from_parts(Vector3::new(30.0, 0.5, -4.0).into(), half)
}

/// A cape after some steps, one with a cut, and one more.
fn cut() -> Cape {
    let mut cape = Cape::new(Teleport::default());
    (0..5).for_each(|_| cape.step(&Isometry3::identity()));
    cape.step(&elsewhere());
    cape.step(&elsewhere());
    cape
}

#[test]
fn a_cut_is_reported_and_nothing_is_found() {
    let cape = cut();
    let figures = cape.auditor.figures();
    assert_eq!((cape.found(), figures.cuts, figures.cut_bodies), (vec![], 1, 1));
}

#[test]
fn no_chord_over_a_cut_is_certified_however_short_it_is() {
    // So short that the candidate lists outlast it.
    let every = Teleport { metres: 0.0, sides: 0.0, speed: 0.0, ..Teleport::default() };
    let near = Isometry3::translation(1e-4, 0.0, 0.0);
    let mut cape = Cape::new(every);
    (0..5).for_each(|_| cape.step(&Isometry3::identity()));
    assert!(cape.sim.report().gate.certified_chord);
    cape.step(&near);
    assert!(!cape.sim.report().gate.certified_chord);
}

#[test]
fn a_cloth_that_is_cut_keeps_its_velocities_in_the_moved_frame() {
    let mut cape = Cape::new(Teleport::default());
    let cloth = cape.sim.cloth_id(0).unwrap();
    for v in 0..64 {
        cape.sim.set_velocity(cloth, v, Vector3::new(0.0, 0.0, 2.0)).expect("a vertex");
    }
    cape.step(&Isometry3::identity());
    let before = elsewhere() * cape.velocity();
    cape.step(&elsewhere());
    let kept = cape.velocity().dot(&before) / before.norm_squared();
    assert!(kept > 0.8 && kept < 1.1, "{kept}");
}
