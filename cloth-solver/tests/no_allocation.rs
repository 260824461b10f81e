//! A step allocates nothing once its buffers have grown to what the scene needs.

use cloth_geom::fixtures::{icosphere, jitter, sheet};
use cloth_solver::fem::{Assembly, FemSettings, Integrator};
use cloth_solver::{
    Attachment, Backstop, ClothDesc, Collider, CompoundShape, Damping, Drive, ElasticModel, FaceContacts,
    Gusts, HullShape, Interaction, MassSpringSettings, Material, MeshShape, MeshSides, RegionDesc,
    RenderMesh, Settings, Shape, Simulation, SimulationBuilder, StepReport, Tethers, Thickness,
    VertexBuffers, VertexOutput, Wind,
};
use nalgebra::{Isometry3, Vector3};

#[expect(dead_code, reason = "the program around the model is not run here")]
#[path = "../examples/own_elastic_model.rs"]
mod own_elastic_model;

/// A drape in which two edges of the sheet meet in full and the rest as balls, or all in full.
fn drape(balls: bool) -> Simulation {
    let wind = Wind { gusts: Some(Gusts::default()), ..Wind::STILL_AIR };
    drape_with(balls, Settings { wind, ..Settings::default() })
}

fn drape_with(balls: bool, settings: Settings) -> Simulation {
    drape_builder(balls, settings).build().unwrap()
}

fn drape_builder(balls: bool, settings: Settings) -> SimulationBuilder {
    let mesh = sheet(20, 20, [0.6, 0.6]).unwrap().mesh.translated(Vector3::new(0.01, 0.33, 0.02));
    let thickness =
        Thickness::from_total(if balls { 1.0 } else { 0.5 } * 0.6 / 19.0, if balls { 0.1 } else { 0.4 });
    let mut builder = SimulationBuilder::new(settings);
    let mut cloth = ClothDesc::new(jitter(&mesh, 1e-4, 1).unwrap(), Material::COTTON, thickness);
    if balls {
        let mask = (0..400).map(|v| v % 20 < 2 || v % 20 > 17).collect();
        cloth.regions.push(RegionDesc::from_vertex_mask("sides", mask));
        builder.set_default_interaction(Interaction::Particles);
        builder.set_interaction("sides", "sides", Interaction::FullMesh);
    }
    builder.add_cloth(cloth);
    builder.add_cloth(under_control());
    let ball = Isometry3::translation(0.0, 0.15, 0.0);
    builder.add_collider(Collider::new(Shape::Sphere { radius: 0.15 }, ball, 0.3).unwrap());
    builder.add_collider(Collider::new(Shape::Plane, Isometry3::identity(), 0.3).unwrap());
    let finger = Shape::Capsule { half_length: 0.1, radius: 0.004 };
    let finger = Collider::new(finger, Isometry3::translation(-0.2, 0.15, -0.2), 0.3).unwrap();
    builder.add_collider(finger.guarded().unwrap());
    for (shape, x, z) in costly_shapes() {
        let pose = Isometry3::translation(x, 0.08, z);
        builder.add_collider(Collider::new(shape, pose, 0.3).unwrap());
    }
    builder
}

/// A sheet apart from the others with every kind of constraint, drive and damping.
fn under_control() -> ClothDesc {
    let mesh = sheet(8, 8, [0.2, 0.2]).unwrap().mesh.translated(Vector3::new(2.0, 0.5, 0.0));
    let mut cloth = ClothDesc::new(mesh, Material::COTTON, Thickness::from_total(0.01, 0.4));
    let target = cloth.mesh.positions[0].cast();
    cloth.attachments = vec![Attachment { vertex: 0, target, compliance: 1.0 }];
    cloth.pins = vec![7];
    cloth.tethers = Some(Tethers::default());
    cloth.damping = Damping { stretch: 1.0, bending: 1.0, global: 1.0 };
    let backstop = Backstop { distance: 0.05, radius: 1.0 };
    cloth.drive = Some(Drive {
        stiffness: 10.0,
        damping: 1.0,
        max_distance: Some(vec![0.1; 64]),
        backstop: Some(vec![Some(backstop); 64]),
        ..Drive::default()
    });
    cloth
}

/// Shapes that detection searches instead of evaluating a formula, under the corners of the sheet.
fn costly_shapes() -> [(Shape, f32, f32); 3] {
    let ball = icosphere(2, 0.06).unwrap();
    let (points, faces) = (ball.positions_f32(), &ball.faces);
    let mesh = Shape::Mesh(MeshShape::new(&points, faces, MeshSides::Closed).unwrap());
    let hull = Shape::Hull(HullShape::new(&points).unwrap());
    let parts =
        vec![(Isometry3::identity(), mesh.clone()), (Isometry3::translation(0.05, 0.0, 0.0), hull.clone())];
    [(mesh, 0.2, 0.2), (hull, -0.2, 0.2), (Shape::Compound(CompoundShape::new(parts).unwrap()), 0.2, -0.2)]
}

#[test]
fn contacts_of_coarse_faces_allocate_nothing() {
    let mut sim = drape_with(false, Settings { face_contacts: FaceContacts::On, ..Settings::default() });
    let found = allocates_nothing(&mut sim, |report| report.contacts, |report| report.face_contacts);
    assert!(found > 100, "contacts of faces were hardly made: {found}");
}

#[test]
fn a_drape_that_was_seen_before_allocates_nothing() {
    let mut sim = drape(false);
    let lists = allocates_nothing(&mut sim, |report| report.contacts, |report| report.rebuilt_lists);
    assert!(lists > 1000, "lists were hardly made: {lists}");
}

#[test]
fn nor_does_one_that_is_looked_at_for_tangles_and_has_none() {
    let mut sim = drape_with(false, Settings { recovery: true, gate: false, ..Settings::default() });
    allocates_nothing(&mut sim, |report| report.contacts, |report| report.rebuilt_lists);
    assert_eq!(sim.report().recovery.intersections, 0);
}

#[test]
fn nor_does_one_of_another_elastic_model() {
    let explicit = FemSettings { integrator: Integrator::Explicit, ..FemSettings::default() };
    let newton = FemSettings { newton_iterations: 3, assembly: Assembly::Global, ..FemSettings::default() };
    let springs = ElasticModel::MassSpring(MassSpringSettings::default());
    for model in [springs, ElasticModel::Fem(explicit), ElasticModel::Fem(newton)] {
        let mut sim = drape_with(false, Settings { model, ..Settings::default() });
        allocates_nothing(&mut sim, |report| report.contacts, |report| report.rebuilt_lists);
        assert!(sim.report().elastic != Default::default());
    }
}

#[test]
fn nor_does_one_of_an_elastic_model_of_the_caller() {
    let mut scene = drape_builder(false, Settings::default());
    scene.set_elastic_model(own_elastic_model::EdgeSprings { stiffness: 2_000.0, sweeps: 5 });
    let mut sim = scene.build().unwrap();
    allocates_nothing(&mut sim, |report| report.contacts, |report| report.rebuilt_lists);
    assert!(sim.report().elastic.solver_iterations > 0);
}

#[test]
fn nor_does_one_of_balls() {
    let mut sim = drape(true);
    let searches = allocates_nothing(
        &mut sim,
        |report| report.particle_contacts,
        |report| report.particle_broad_phase_queries as usize,
    );
    assert!(searches > 30, "pairs were hardly found: {searches}");
}

/// Runs a simulation twice, and counts in the second; returns the sum of a figure over it.
fn allocates_nothing(
    sim: &mut Simulation,
    contacts: fn(&StepReport) -> usize,
    made: fn(&StepReport) -> usize,
) -> usize {
    // Twice through, so that every buffer has had its greatest size, and the exact check of a start has its
    // patches, which it builds when it sees a mesh again; then the same once more.
    for _ in 0..2 {
        let most = (0..90).map(|_| contacts(sim.step(1.0 / 60.0).unwrap())).max().unwrap();
        assert!(most > 50, "{most} contacts prove nothing");
        sim.reset();
    }
    let driven = sim.cloth_id(1).unwrap();
    let pose = sim.cloth_positions(driven).unwrap().to_vec();
    let mut lists = 0;
    for step in 0..90 {
        let used = allocation_counter::measure(|| {
            sim.move_drive(driven, &pose).unwrap();
            sim.step(1.0 / 60.0).unwrap();
        });
        assert_eq!(used.count_total, 0, "step {step}: {used:?}");
        lists += made(sim.report());
    }
    lists
}

#[test]
fn a_render_mesh_is_written_without_allocating() {
    let ball = icosphere(4, 0.3).unwrap();
    let positions: Vec<[f32; 3]> = ball.positions_f32().iter().map(|p| (*p).into()).collect();
    let (normals, tangents) = (positions.clone(), vec![[0.0, 1.0, 0.0, 1.0]; positions.len()]);
    let indices = ball.faces.concat();
    let buffers =
        VertexBuffers { positions: &positions, indices: &indices, normals: &normals, tangents: &tangents };
    let mut render = RenderMesh::new(&buffers).unwrap();
    let cloth = ball.positions_f32();
    let (mut positions, mut normals, mut tangents) = (positions.clone(), normals.clone(), tangents.clone());
    let used = allocation_counter::measure(|| {
        let output =
            VertexOutput { positions: &mut positions, normals: &mut normals, tangents: &mut tangents };
        render.write(&cloth, output).unwrap();
    });
    assert_eq!(used.count_total, 0, "{used:?}");
}
