//! What a snapshot fits: the simulation that it was taken of and those built alike; of all others it says
//! what differs.

use cloth_broadphase::{BroadPhase, BruteForce, ParryBvh};
use cloth_geom::fixtures;
use cloth_solver::{
    Attachment, ClothDesc, Collider, CompoundShape, ContactSource, Damping, Drive, HullShape, Interaction,
    LocalFrame, Material, MeshBodyDesc, ParticleChoice, ParticleResponse, ParticleSettings, RegionDesc,
    RestRule, RestShape, Settings, Shape, SimulationBuilder, StepError, Stitch, Tethers, Thickness,
};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::ids::{cloth_id, collider_id};
use crate::scenes::{alone, bare, cotton, run, sheet, weightless};

/// Everything that a simulation may be built of.
#[derive(Clone)]
struct TestScene {
    settings: Settings,
    cloths: Vec<ClothDesc>,
    bodies: Vec<MeshBodyDesc>,
    colliders: Vec<Collider>,
    others: Interaction,
}

impl TestScene {
    fn new() -> Self {
        let thickness = Thickness::from_total(0.01, 0.4);
        let at = |mesh: cloth_geom::TriMesh, y: f64| mesh.translated(Vector3::new(0.0, y, 0.0));
        let mut first = ClothDesc { thickness, ..cotton(at(sheet(5, 0.3), 0.1)) };
        first.attachments =
            vec![Attachment { vertex: 3, target: Point3::new(0.0, 0.3, 0.0), compliance: 0.01 }];
        first.stitches = vec![Stitch { vertex: 0, edge: [1, 2], ratio: 0.5 }];
        first.exclusions = vec![[5, 17]];
        first.tethers = Some(Tethers::default());
        first.drive = Some(Drive { stiffness: 10.0, ..Drive::default() });
        first.local_frame = Some(LocalFrame { pose: Isometry3::identity(), inertia_scale: 0.5 });
        first.pins = vec![24];
        first.layer = Some(1);
        let mut second = ClothDesc { thickness, ..cotton(at(sheet(5, 0.3), 0.2)) };
        second.layer = Some(2);
        second.regions = vec![RegionDesc::from_faces("hem", vec![0, 1, 2])];
        let ball = fixtures::icosphere(1, 0.05).unwrap();
        let points = ball.positions_f32();
        let hull = Shape::Hull(HullShape::new(&points).unwrap());
        let parts = CompoundShape::new(vec![(Isometry3::translation(0.0, 0.1, 0.0), hull)]).unwrap();
        let still = |shape| Collider::new(shape, Isometry3::translation(0.0, -1.0, 0.0), 0.3).unwrap();
        Self {
            settings: Settings { substeps: 2, ..bare() },
            cloths: vec![first, second],
            bodies: vec![MeshBodyDesc { mesh: at(ball, -0.2), thickness }],
            colliders: vec![still(Shape::Sphere { radius: 0.1 }), still(Shape::Compound(parts))],
            others: Interaction::FullMesh,
        }
    }

    fn builder(&self) -> SimulationBuilder {
        let mut builder = SimulationBuilder::new(self.settings);
        self.cloths.iter().for_each(|cloth| _ = builder.add_cloth(cloth.clone()));
        self.bodies.iter().for_each(|body| _ = builder.add_mesh_body(body.clone()));
        self.colliders.iter().for_each(|collider| _ = builder.add_collider(collider.clone()));
        builder.set_default_interaction(self.others);
        builder
    }
}

/// Restores a snapshot of the scene in one that differs by `change`: refused, with nothing changed; what it
/// says.
fn refused(change: impl Fn(&mut TestScene)) -> String {
    let scene = TestScene::new();
    let mut taken = scene.builder().build().unwrap();
    run(&mut taken, 2);
    let mut other = scene.clone();
    change(&mut other);
    let mut sim = other.builder().build().unwrap();
    run(&mut sim, 1);
    let mut untouched = sim.clone();
    let error = sim.restore(&taken.snapshot()).expect_err("another simulation");
    assert!(matches!(error, StepError::IncompatibleSnapshot { .. }), "{error:?}");
    run(&mut sim, 2);
    run(&mut untouched, 2);
    assert_eq!(sim.state_hash(), untouched.state_hash());
    error.to_string()
}

#[test]
fn a_snapshot_of_another_simulation_is_refused_with_the_first_difference() {
    type Change = fn(&mut TestScene);
    let cases: &[(&str, Change)] = &[
        ("has 2 cloths there and 1 here", |s| _ = s.cloths.pop()),
        ("has 1 mesh bodies there and 0 here", |s| s.bodies.clear()),
        ("has 2 colliders there and 1 here", |s| _ = s.colliders.pop()),
        ("cloth 1 has 25 vertices there and 36 here", |s| s.cloths[1].mesh = sheet(6, 0.3)),
        ("cloth 1 has 32 faces there and 31 here", |s| _ = s.cloths[1].mesh.faces.pop()),
        ("in the faces of cloth 1", |s| s.cloths[1].mesh.faces.swap(0, 9)),
        ("in the start positions of cloth 0", |s| s.cloths[0].mesh.positions[7].y += 1e-9),
        ("in the rest shape of cloth 0", |s| {
            let pose = s.cloths[0].mesh.positions.iter().map(|p| p * 1.01).collect();
            s.cloths[0].rest = RestShape::Positions(pose);
        }),
        ("in the material of cloth 1", |s| s.cloths[1].material = Material::DENIM),
        ("in the material of cloth 1", |s| {
            s.cloths[1] = s.cloths[1].clone().with_face_material(vec![3], Material::DENIM);
        }),
        ("in the thickness of cloth 1", |s| s.cloths[1].thickness.scr *= 0.5),
        ("in the masses and pins at the start of cloth 0", |s| s.cloths[0].pins.clear()),
        ("in the layer of cloth 1", |s| s.cloths[1].layer = None),
        ("cloth 0 has 1 attachments there and 0 here", |s| s.cloths[0].attachments.clear()),
        ("in the attachments of cloth 0", |s| s.cloths[0].attachments[0].vertex = 4),
        ("in the stitches of cloth 0", |s| s.cloths[0].stitches[0].ratio = 0.25),
        ("in the exclusions of cloth 0", |s| s.cloths[0].exclusions.push([6, 18])),
        ("in the regions of cloth 1", |s| {
            s.cloths[1].regions = vec![RegionDesc::from_faces("hem", vec![0, 1])];
        }),
        ("in the choice of particles of cloth 0", |s| {
            s.cloths[0].particles = ParticleChoice::Except(vec![2]);
        }),
        ("in the tethers of cloth 0", |s| s.cloths[0].tethers = None),
        ("in the drive of cloth 0", |s| s.cloths[0].drive = None),
        ("in the local frame of cloth 0", |s| s.cloths[0].local_frame = None),
        ("in the damping of cloth 1", |s| {
            s.cloths[1].damping = Damping { global: 1.0, ..Damping::default() }
        }),
        ("in the faces of mesh body 0", |s| s.bodies[0].mesh.faces.swap(0, 1)),
        ("in the thickness of mesh body 0", |s| s.bodies[0].thickness.radius *= 2.0),
        ("in the shape of collider 0", |s| s.colliders[0].shape = Shape::Sphere { radius: 0.2 }),
        ("in the shape of collider 1", |s| s.colliders[1].shape = Shape::Plane),
        ("in the friction of collider 0", |s| s.colliders[0].friction = 0.5),
        ("in the interactions between regions", |s| s.others = Interaction::Particles),
        ("taken without the gate", |s| s.settings.gate = true),
        ("taken with self-collision", |s| s.settings.self_collision = false),
        ("taken with the order of layers", |s| s.settings.layer_order = false),
        ("in the setting `layer_depth`", |s| s.settings.layer_depth = 0.01),
        ("in the setting `contacts`", |s| {
            s.settings.contacts = ContactSource::Cached { reach: 0.2, follow: true };
        }),
        ("in the setting `particles.rest`", |s| s.settings.particles.rest = RestRule::Limit),
    ];
    for (expected, change) in cases {
        let said = refused(change);
        assert!(said.contains(expected), "{said} should say: {expected}");
    }
}

#[test]
fn a_snapshot_that_was_taken_without_the_gate_does_not_remove_it() {
    let crossed = |gate| {
        let mut builder = SimulationBuilder::new(Settings { gate, ..weightless() });
        builder.add_cloth(cotton(sheet(6, 0.5)));
        builder.add_cloth(cotton(sheet(6, 0.5).mapped(|p| Point3::new(p.x, p.z + 0.1, p.y + 0.02))));
        builder.build().unwrap()
    };
    let (mut with, mut without) = (crossed(true), crossed(false));
    run(&mut with, 1);
    run(&mut without, 1);
    assert_eq!(with.tangles().len(), 1);
    let error = with.restore(&without.snapshot()).unwrap_err().to_string();
    assert!(error.contains("taken without the gate (`Settings::gate`), which is on here"), "{error}");
    run(&mut with, 1);
    assert_eq!(with.tangles().len(), 1, "the gate is there and knows its tangle");
    let error = without.restore(&with.snapshot()).unwrap_err().to_string();
    assert!(error.contains("taken with the gate (`Settings::gate`), which is off here"), "{error}");
}

#[test]
fn a_snapshot_fits_other_settings_of_the_further_run() {
    let scene = TestScene::new();
    let mut taken = scene.builder().build().unwrap();
    run(&mut taken, 3);
    let mut other = scene.clone();
    other.settings = Settings {
        substeps: 3,
        detect_interval: 1,
        gravity: Vector3::zeros(),
        air_damping: 0.5,
        velocity_limit: 10.0,
        self_friction: 0.1,
        recovery: true,
        particles: ParticleSettings { response: ParticleResponse::Plane, ..ParticleSettings::default() },
        max_radii_per_substep: Some(2.0),
        ..scene.settings
    };
    let mut sim = other.builder().build().unwrap();
    sim.restore(&taken.snapshot()).unwrap();
    assert_eq!(sim.state_hash(), taken.state_hash());
    run(&mut sim, 1);
}

#[test]
fn a_snapshot_continues_with_another_broad_phase_and_rebuilt_shapes() {
    let [mut sim, mut other] =
        [ParryBvh::default().into_any(), BruteForce::default().into_any()].map(|broad_phase| {
            let mut builder = TestScene::new().builder();
            builder.set_broad_phase(broad_phase);
            builder.build().unwrap()
        });
    run(&mut sim, 3);
    sim.move_collider(collider_id(1), Isometry3::translation(0.0, 0.1, 0.0)).unwrap();
    other.restore(&sim.snapshot()).unwrap();
    for _ in 0..5 {
        run(&mut sim, 1);
        run(&mut other, 1);
        assert_eq!(other.state_hash(), sim.state_hash());
    }
}

#[test]
fn a_snapshot_depends_on_pins_of_the_description_and_not_later_ones() {
    let cloth = cotton(sheet(5, 0.3));
    let mut pinned = alone(weightless(), cloth.clone());
    pinned.pin(cloth_id(0), 3).unwrap();
    let mut sim = alone(weightless(), cloth.clone());
    sim.restore(&pinned.snapshot()).unwrap();
    let mut other = alone(weightless(), ClothDesc { pins: vec![3], ..cloth });
    assert!(matches!(other.restore(&pinned.snapshot()), Err(StepError::IncompatibleSnapshot { .. })));
}
