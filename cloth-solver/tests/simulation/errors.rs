//! Every reason for which a scene or a call is refused, by name.

use std::panic::{AssertUnwindSafe, catch_unwind};

use cloth_contacts::SurfaceError;
use cloth_geom::fixtures::{self, TubeShape};
use cloth_geom::{RepairPolicy, TriMesh};
use cloth_solver::{
    Attachment, Backstop, BuildError, ClothDesc, Collider, Drive, FaceMaterial, Gusts, LocalFrame, Material,
    MeshBodyDesc, ParticleChoice, ParticleFriction, RestShape, Settings, Shape, SimulationBuilder, StepError,
    Stitch, Tethers, Thickness, Waypoints, Wind,
};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::scenes::{bare, cotton, sheet};

/// What a scene of two sheets is refused for after `edit` has spoiled the second.
fn refused(edit: impl FnOnce(&mut ClothDesc)) -> BuildError {
    let mut builder = SimulationBuilder::new(bare());
    builder.add_cloth(cotton(sheet(3, 0.3)));
    let mut spoiled = cotton(sheet(3, 0.3));
    edit(&mut spoiled);
    builder.add_cloth(spoiled);
    builder.build().err().unwrap()
}

fn named(edit: impl FnOnce(&mut ClothDesc)) -> &'static str {
    match refused(edit) {
        BuildError::Value { cloth: 1, name, .. } => name,
        other => panic!("{other}"),
    }
}

#[test]
fn names_each_setting_that_is_out_of_range() {
    type Edit = fn(&mut Settings);
    let edits: [(&str, Edit); 33] = [
        ("substeps", |s| s.substeps = 0),
        ("threads", |s| s.threads = 0),
        ("iterations", |s| s.iterations = 0),
        ("contact_iterations", |s| s.contact_iterations = 0),
        ("friction_iterations", |s| s.friction_iterations = 0),
        ("stretch_cycles", |s| s.stretch_cycles = 0),
        ("wind_interval", |s| s.wind_interval = 0),
        ("relaxation", |s| s.relaxation = 0.0),
        ("relaxation", |s| s.relaxation = 1.5),
        ("relaxation", |s| s.relaxation = f32::NAN),
        ("detect_interval", |s| s.detect_interval = 0),
        ("air_damping", |s| s.air_damping = -1.0),
        ("air_damping", |s| s.air_damping = f32::NAN),
        ("self_friction", |s| s.self_friction = f32::INFINITY),
        ("candidate_slack", |s| s.candidate_slack = -0.1),
        ("wind.drag", |s| s.wind = Wind { drag: -1.0, ..s.wind }),
        ("wind.lift", |s| s.wind = Wind { lift: f32::NAN, ..s.wind }),
        ("wind.gusts.strength", |s| s.wind.gusts = Some(Gusts { strength: -1.0, ..Gusts::default() })),
        ("wind.gusts.strength", |s| s.wind.gusts = Some(Gusts { strength: f32::NAN, ..Gusts::default() })),
        ("wind.gusts.length", |s| s.wind.gusts = Some(Gusts { length: 0.0, ..Gusts::default() })),
        ("wind.gusts.length", |s| s.wind.gusts = Some(Gusts { length: f32::INFINITY, ..Gusts::default() })),
        ("wind.gusts.period", |s| s.wind.gusts = Some(Gusts { period: -2.0, ..Gusts::default() })),
        ("wind.gusts.period", |s| s.wind.gusts = Some(Gusts { period: f32::NAN, ..Gusts::default() })),
        ("velocity_limit", |s| s.velocity_limit = 0.0),
        ("velocity_limit", |s| s.velocity_limit = f32::INFINITY),
        ("contact_recovery_time", |s| s.contact_recovery_time = -0.5),
        ("particles.stiffness", |s| s.particles.stiffness = 0.0),
        ("particles.stiffness", |s| s.particles.stiffness = f32::NAN),
        ("particles.friction", |s| s.particles.friction = ParticleFriction::Averaged(1.5)),
        ("max_radii_per_substep", |s| s.max_radii_per_substep = Some(0.0)),
        ("max_radii_per_substep", |s| s.max_radii_per_substep = Some(f32::NAN)),
        ("gravity", |s| s.gravity = Vector3::new(0.0, f32::NAN, 0.0)),
        ("wind.velocity", |s| s.wind.velocity = Vector3::new(f32::INFINITY, 0.0, 0.0)),
    ];
    for (expected, edit) in edits {
        let mut settings = bare();
        edit(&mut settings);
        let error = SimulationBuilder::new(settings).build().err().unwrap();
        assert!(matches!(error, BuildError::Setting { name, .. } if name == expected), "{error}");
        assert!(error.to_string().contains(expected) && error.to_string().contains("must be"), "{error}");
    }
}

#[test]
fn names_each_number_of_a_cloth_that_is_out_of_range() {
    assert_eq!(named(|c| c.material.density = 0.0), "density");
    assert_eq!(named(|c| c.material.stretch_warp = -1.0), "stretch_warp");
    assert_eq!(named(|c| c.material.stretch_weft = f32::INFINITY), "stretch_weft");
    assert_eq!(named(|c| c.material.shear = -1.0), "shear");
    assert_eq!(named(|c| c.material.bend = f32::NAN), "bend");
    assert_eq!(named(|c| c.material.damping = -1e-3), "damping");
    assert_eq!(named(|c| c.thickness.radius = -1e-3), "thickness.radius");
    assert_eq!(named(|c| c.thickness.scr = f32::NAN), "thickness.scr");
    for mass in [-1.0, 0.0, f32::NAN, 1e-39, f32::MAX] {
        assert_eq!(named(|c| c.masses = Some(vec![mass; 9])), "masses");
    }
    let attachment = |compliance| Attachment { vertex: 0, target: Point3::origin(), compliance };
    assert_eq!(named(|c| c.attachments = vec![attachment(-1.0)]), "attachments");
    let tethers = Tethers::default();
    assert_eq!(named(|c| c.tethers = Some(Tethers { max_stretch: -0.1, ..tethers })), "tethers.max_stretch");
    for anchors in [0, 5] {
        assert_eq!(named(|c| c.tethers = Some(Tethers { anchors, ..tethers })), "tethers.anchors");
    }
    let soft = Tethers { compliance: f32::NAN, ..tethers };
    assert_eq!(named(|c| c.tethers = Some(soft)), "tethers.compliance");
    assert_eq!(named(|c| c.damping.stretch = -1.0), "damping.stretch");
    assert_eq!(named(|c| c.damping.bending = f32::NAN), "damping.bending");
    assert_eq!(named(|c| c.damping.global = f32::INFINITY), "damping.global");
    let local_frame = |inertia_scale| LocalFrame { pose: Isometry3::identity(), inertia_scale };
    for inertia_scale in [-0.1, 1.1, f32::NAN] {
        assert_eq!(named(|c| c.local_frame = Some(local_frame(inertia_scale))), "local_frame.inertia_scale");
    }
    let nowhere = LocalFrame { pose: Isometry3::translation(f32::NAN, 0.0, 0.0), inertia_scale: 0.5 };
    assert_eq!(named(|c| c.local_frame = Some(nowhere)), "local_frame.pose");
    let stitch = |ratio| Stitch { vertex: 0, edge: [1, 2], ratio };
    assert_eq!(named(|c| c.stitches = vec![stitch(1.5)]), "stitches.ratio");
    assert_eq!(named(|c| c.stitches = vec![stitch(f32::NAN)]), "stitches.ratio");
}

#[test]
fn names_the_entry_of_face_materials_that_is_wrong() {
    let text = |faces, material| {
        let edit = |c: &mut ClothDesc| {
            c.face_materials = vec![
                FaceMaterial { faces: vec![0], material: Material::SILK },
                FaceMaterial { faces, material },
            ];
        };
        refused(edit).to_string()
    };
    assert_eq!(
        text(vec![7, 8], Material::DENIM),
        "cloth 1: `face_materials[1]`: face 8 does not exist; the mesh has 8, counted from 0"
    );
    assert_eq!(
        text(vec![], Material { bend: -1.0, ..Material::SILK }),
        "cloth 1: `face_materials[1]`: `bend` is -1; it must be finite and not negative"
    );
}

#[test]
fn names_each_number_of_a_drive_that_is_out_of_range() {
    let named = |drive| named(|c| c.drive = Some(drive));
    assert_eq!(named(Drive { stiffness: -1.0, ..Drive::default() }), "drive.stiffness");
    assert_eq!(named(Drive { stiffness: f32::NAN, ..Drive::default() }), "drive.stiffness");
    assert_eq!(named(Drive { damping: f32::INFINITY, ..Drive::default() }), "drive.damping");
    let most = |d| Drive { max_distance: Some(vec![d; 9]), ..Drive::default() };
    assert_eq!(named(most(-0.1)), "drive.max_distance");
    assert_eq!(named(most(f32::NAN)), "drive.max_distance");
    let back = |distance, radius| Drive {
        backstop: Some(vec![Some(Backstop { distance, radius }); 9]),
        ..most(0.1)
    };
    assert_eq!(named(back(0.0, 0.0)), "drive.backstop.radius");
    assert_eq!(named(back(0.0, f32::NAN)), "drive.backstop.radius");
    assert_eq!(named(back(f32::INFINITY, 1.0)), "drive.backstop.distance");
    assert_eq!(named(back(-0.2, 1.0)), "drive.backstop.distance");
    let length = |name, got, expected| BuildError::Length { cloth: 1, name, got, expected };
    let few = Drive { vertices: Some(vec![1, 2, 3]), ..most(0.1) };
    assert_eq!(refused(|c| c.drive = Some(few)), length("drive.max_distance", 9, 3));
    let few = Drive { backstop: Some(vec![None; 8]), ..Drive::default() };
    assert_eq!(refused(|c| c.drive = Some(few)), length("drive.backstop", 8, 9));
    let vertices = |v| Drive { vertices: Some(v), ..Drive::default() };
    assert_eq!(
        refused(|c| c.drive = Some(vertices(vec![0, 9]))),
        BuildError::Vertex { cloth: 1, name: "drive.vertices", vertex: 9, count: 9 }
    );
    assert_eq!(
        refused(|c| c.drive = Some(vertices(vec![4, 0, 4]))),
        BuildError::DuplicateVertex { cloth: 1, name: "drive.vertices", vertex: 4 }
    );
}

#[test]
fn names_each_vertex_that_does_not_exist() {
    let vertex = |name| BuildError::Vertex { cloth: 1, name, vertex: 9, count: 9 };
    assert_eq!(refused(|c| c.pins = vec![3, 9]), vertex("pins"));
    let attachment = Attachment { vertex: 9, target: Point3::origin(), compliance: 0.0 };
    assert_eq!(refused(|c| c.attachments = vec![attachment]), vertex("attachments"));
    for edge in [[9, 1], [1, 9]] {
        assert_eq!(
            refused(|c| c.stitches = vec![Stitch { vertex: 0, edge, ratio: 0.5 }]),
            vertex("stitches")
        );
    }
    assert_eq!(refused(|c| c.exclusions = vec![[0, 9]]), vertex("exclusions"));
    assert_eq!(refused(|c| c.particles = ParticleChoice::Only(vec![9])), vertex("particles"));
    assert_eq!(refused(|c| c.particles = ParticleChoice::Except(vec![1, 9])), vertex("particles"));
}

#[test]
fn names_each_array_of_the_wrong_length() {
    let length = |name, got, expected| BuildError::Length { cloth: 1, name, got, expected };
    assert_eq!(refused(|c| c.masses = Some(vec![1.0; 8])), length("masses", 8, 9));
    let few = vec![Point3::origin(); 4];
    assert_eq!(refused(|c| c.rest = RestShape::Positions(few)), length("rest positions", 4, 9));
    assert_eq!(refused(|c| c.rest = RestShape::Pattern(vec![])), length("rest pattern", 0, 8));
}

#[test]
fn names_a_position_that_is_not_finite_even_as_f32() {
    for bad in [f64::NAN, f64::INFINITY, 1e300, 1.1e7] {
        let error = refused(|c| c.mesh.positions[4].z = bad);
        assert_eq!(error, BuildError::NotFinite { cloth: 1, vertex: 4 });
    }
}

#[test]
fn names_a_face_without_area_at_rest() {
    assert_eq!(
        refused(|c| c.mesh.positions[0] = c.mesh.positions[3]),
        BuildError::DegenerateFace { cloth: 1, face: 0 }
    );
    let point = RestShape::Positions(vec![Point3::origin(); 9]);
    assert_eq!(refused(|c| c.rest = point), BuildError::DegenerateFace { cloth: 1, face: 0 });
    let nowhere = RestShape::Pattern(vec![[[f64::NAN; 2]; 3]; 8]);
    assert_eq!(refused(|c| c.rest = nowhere), BuildError::DegenerateFace { cloth: 1, face: 0 });
}

#[test]
fn names_faces_that_are_no_surface() {
    let broken = |error| matches!(error, BuildError::Surface(SurfaceError::Topology(_)));
    assert!(broken(refused(|c| c.mesh.faces[2] = [0, 1, 9])));
    assert!(broken(refused(|c| c.mesh.faces[2] = [0, 1, 1])));
}

#[test]
fn names_what_is_wrong_with_a_body() {
    let body = |edit: fn(&mut MeshBodyDesc)| {
        let mut body = MeshBodyDesc { mesh: sheet(2, 1.0), thickness: Thickness { radius: 0.1, scr: 0.1 } };
        edit(&mut body);
        let mut builder = SimulationBuilder::default();
        builder.add_mesh_body(body);
        builder.build().err().unwrap()
    };
    let nowhere = body(|b| b.mesh.positions[1].x = f64::NAN);
    assert_eq!(nowhere, BuildError::BodyNotFinite { body: 0, vertex: 1 });
    assert!(nowhere.to_string().starts_with("mesh body 0: position of vertex 1 "), "{nowhere}");
    let thick = body(|b| b.thickness.radius = f32::NAN);
    assert!(matches!(thick, BuildError::Surface(SurfaceError::Radius { name: "radius", .. })), "{thick}");
    let faces = body(|b| b.mesh.faces[0] = [0, 1, 7]);
    assert!(matches!(faces, BuildError::Surface(SurfaceError::Topology(_))), "{faces}");
}

#[test]
fn refuses_more_parts_than_it_can_number() {
    let mut builder = SimulationBuilder::default();
    let nothing = cotton_of_nothing();
    for _ in 0..=u16::MAX {
        builder.add_cloth(nothing.clone());
    }
    assert_eq!(builder.build().err().unwrap(), BuildError::TooManyParts(65_536));
}

fn cotton_of_nothing() -> ClothDesc {
    ClothDesc::new(TriMesh::default(), Default::default(), Thickness { radius: 0.0, scr: 0.0 })
}

#[test]
fn says_in_plain_words_what_to_do() {
    let text = |error: BuildError| error.to_string();
    assert_eq!(text(refused(|c| c.pins = vec![9])), "cloth 1: `pins` names vertex 9, but it has 9");
    let density = text(refused(|c| c.material.density = -0.5));
    assert_eq!(density, "cloth 1: `density` is -0.5; it must be finite and greater than zero");
}

/// A skirt that was split along one of its vertical seams: the last `7` vertices lie on the first column.
fn split_skirt() -> TriMesh {
    let (around, along) = (24, 7);
    let mut mesh = fixtures::tube(TubeShape { radius: 0.2, length: 0.5, around, along }).unwrap();
    let count = mesh.positions.len() as u32;
    let column = |v: u32| v as usize % around;
    for face in &mut mesh.faces {
        if face.iter().any(|&v| column(v) == around - 1) {
            face.iter_mut().filter(|v| column(**v) == 0).for_each(|v| *v = count + *v / around as u32);
        }
    }
    mesh.positions.extend((0..along).map(|j| mesh.positions[j * around]).collect::<Vec<_>>());
    mesh
}

#[test]
fn a_mesh_that_is_split_along_a_seam_is_refused() {
    let build = |cloth: ClothDesc| {
        let mut builder = SimulationBuilder::new(bare());
        builder.add_cloth(cloth);
        builder.build().map(|_| ())
    };
    let skirt = cotton(split_skirt());
    let Err(error) = build(skirt.clone()) else { panic!("accepted") };
    let BuildError::CoincidentBorders { cloth: 0, vertices, .. } = &error else { panic!("{error}") };
    // Seven of each side of the seam.
    assert_eq!(vertices.len(), 14);
    assert_eq!(vertices[7..], (168..175).collect::<Vec<_>>());
    assert!(
        error.to_string().contains("14 border vertices") && error.to_string().contains("weld"),
        "{error}"
    );
    assert_eq!(build(skirt.clone().allow_coincident_borders()), Ok(()));
    let seam = |j: u32| (168 + j, 24 * j);
    let stitches = (0..7).map(seam).map(|(v, end)| Stitch { vertex: v, edge: [end; 2], ratio: 0.0 });
    assert_eq!(build(ClothDesc { stitches: stitches.collect(), ..skirt.clone() }), Ok(()));
    let exclusions = (0..7).map(seam).map(|(v, end)| [v, end]).collect();
    assert_eq!(build(ClothDesc { exclusions, ..skirt.clone() }), Ok(()));
    // Two vertices in one place, one of them below zero: too few.
    let mut touching = sheet(9, 0.5);
    touching.positions[0] = Point3::new(-0.0, 0.0, 0.0);
    touching.positions[8] = Point3::origin();
    assert_eq!(build(cotton(touching.clone())), Ok(()));
    touching.positions[72] = Point3::origin();
    assert!(matches!(
        build(cotton(touching)),
        Err(BuildError::CoincidentBorders { vertices, .. }) if vertices == [0, 8, 72]
    ));
    let repaired = cloth_geom::repair(
        &split_skirt(),
        &RepairPolicy { weld_distance: Some(0.0), ..RepairPolicy::default() },
    );
    assert_eq!(build(cotton(repaired.unwrap().mesh)), Ok(()));
}

#[test]
fn names_the_collider_body_or_vertex_that_is_too_far_away() {
    let mut builder = SimulationBuilder::new(Settings::default());
    let cloth = builder.add_cloth(cotton(sheet(3, 0.3)));
    let body = MeshBodyDesc { mesh: sheet(2, 1.0), thickness: Thickness { radius: 0.01, scr: 0.01 } };
    let body = builder.add_mesh_body(body);
    let ball = |pose| Collider::new(Shape::Sphere { radius: 0.1 }, pose, 0.3);
    let id = builder.add_collider(ball(Isometry3::translation(0.0, -1.0, 0.0)).unwrap());
    let mut sim = builder.build().unwrap();
    let before = sim.snapshot();
    for bad in [f32::NAN, f32::NEG_INFINITY, 1.1e7] {
        let pose = Isometry3::translation(0.0, bad, 0.0);
        let mut places = [Point3::origin(); 4];
        places[2].z = bad;
        let errors = [
            (sim.move_collider(id, pose), "collider 0 "),
            (sim.teleport_collider(id, pose), "collider 0 "),
            (sim.move_mesh_body(body, &places), "vertex 2 of mesh body 0 "),
            (sim.teleport_body(body, &places), "vertex 2 of mesh body 0 "),
        ];
        for (answer, name) in errors {
            let error = answer.unwrap_err().to_string();
            assert!(error.starts_with(name) && error.contains("1e7 m"), "{error}");
        }
        assert!(sim.teleport(cloth, &pose).is_err() && sim.teleport_all(&pose).is_err());
        assert!(ball(pose).is_err());
        let collider = Collider { pose_t1: pose, ..ball(Isometry3::identity()).unwrap() };
        let error = sim.add_collider(collider.clone()).unwrap_err();
        assert_eq!(error, BuildError::ColliderPose { id: 1 });
        builder.add_collider(collider);
        assert!(matches!(builder.build(), Err(BuildError::ColliderPose { .. })));
        assert_eq!(sim.snapshot().difference(&before), None);
    }
    let far = Isometry3::translation(0.0, 1.1e7, 0.0);
    let error = sim.teleport(cloth, &far).unwrap_err().to_string();
    assert!(error.contains("vertex 0 of cloth 0"), "{error}");
}

#[test]
fn names_the_cloth_and_vertex_of_a_target_too_far_away() {
    let mut builder = SimulationBuilder::new(Settings::default());
    let removed = builder.add_cloth(cotton(sheet(2, 0.3)));
    builder.add_cloth(cotton(sheet(2, 0.3)));
    let origin = Point3::origin();
    let cloth = builder.add_cloth(ClothDesc {
        pins: vec![4],
        attachments: vec![Attachment { vertex: 5, target: origin, compliance: 0.1 }],
        drive: Some(Drive { stiffness: 1.0, ..Drive::default() }),
        local_frame: Some(LocalFrame { pose: Isometry3::identity(), inertia_scale: 0.5 }),
        ..cotton(sheet(3, 0.3))
    });
    let thickness = Thickness { radius: 0.01, scr: 0.01 };
    let body = builder.add_mesh_body(MeshBodyDesc { mesh: sheet(2, 1.0), thickness });
    builder.remove_cloth(removed).unwrap();
    let mut sim = builder.build().unwrap();
    let before = sim.snapshot();
    let path = |set: &dyn Fn(&mut Waypoints)| {
        let mut waypoints = Waypoints::new(2).unwrap();
        set(&mut waypoints);
        waypoints
    };
    for bad in [f32::NAN, f32::NEG_INFINITY, 1.1e7, 1e30] {
        let nowhere = Point3::new(0.0, bad, 0.0);
        let mut places = [origin; 9];
        places[3] = nowhere;
        let pin = path(&|to| to.set_pin(cloth, 4, 1, nowhere).unwrap());
        let attachment = path(&|to| to.set_attachment(0, 1, nowhere).unwrap());
        let mut corners = [origin; 4];
        corners[2] = nowhere;
        let corners = path(&|to| to.set_mesh_body(body, 1, &corners).unwrap());
        let mut through = |waypoints| sim.step_through(0.01, waypoints, &mut |_| {}).map(|_| ());
        let paths = [through(&pin), through(&attachment), through(&corners)];
        let calls = [
            sim.move_pin(cloth, 4, nowhere),
            sim.move_attachment(0, nowhere),
            sim.move_drive(cloth, &places),
            sim.move_local_frame(cloth, Isometry3::translation(0.0, bad, 0.0)),
        ];
        let names = [
            "target of vertex 4 of cloth 2 ",
            "target of attachment 0, of vertex 5 of cloth 2 ",
            "vertex 2 of mesh body 0 ",
            "target of vertex 4 of cloth 2 ",
            "target of attachment 0, of vertex 5 of cloth 2 ",
            "drive target of vertex 3 of cloth 2 ",
            "local frame of cloth 2 ",
        ];
        for (answer, name) in paths.into_iter().chain(calls).zip(names) {
            let error = answer.unwrap_err().to_string();
            assert!(error.starts_with(name) && error.contains("1e7 m"), "{error}");
        }
        assert_eq!(sim.snapshot().difference(&before), None);
    }
    sim.move_pin(cloth, 4, Point3::new(0.0, 1e7, 0.0)).unwrap();
}

#[test]
fn refuses_masses_whose_inverse_is_no_normal_number() {
    let mut builder = SimulationBuilder::new(Settings::default());
    let cloth = builder.add_cloth(cotton(sheet(3, 0.3)));
    let mut sim = builder.build().unwrap();
    let before = sim.snapshot();
    for mass in [-1.0, 0.0, f32::NAN, f32::MIN_POSITIVE / 2.0, f32::MAX] {
        assert!(sim.set_mass(cloth, 3, mass).is_err(), "{mass}");
        assert_eq!(sim.snapshot().difference(&before), None);
    }
    for mass in [f32::MIN_POSITIVE, 8e37, f32::INFINITY] {
        sim.set_mass(cloth, 3, mass).unwrap();
        let snapshot = sim.snapshot();
        sim.restore(&snapshot).unwrap();
    }
}

#[test]
fn refuses_more_waypoints_than_fit() {
    for count in [Waypoints::MAX_COUNT + 1, usize::MAX] {
        assert!(matches!(Waypoints::new(count), Err(StepError::Value { what: "number of waypoints", .. })));
    }
    assert_eq!(Waypoints::new(Waypoints::MAX_COUNT).unwrap().count(), Waypoints::MAX_COUNT);
}

#[test]
fn a_listener_that_panics_leaves_the_state_before_the_step() {
    for threads in [1, 2] {
        let mut builder = SimulationBuilder::new(Settings { threads, ..Settings::default() });
        builder.add_cloth(cotton(sheet(6, 0.3)));
        let mut sim = builder.build().unwrap();
        sim.step(0.01).unwrap();
        let (before, report) = (sim.snapshot(), *sim.report());
        let mut twin = sim.clone();
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            sim.step_with(0.01, &mut |motion| assert!(motion.substep < 3, "enough")).map(|_| ())
        }));
        let payload = panicked.unwrap_err();
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"enough"));
        assert_eq!((sim.snapshot().difference(&before), *sim.report()), (None, report));
        [&mut sim, &mut twin].into_iter().for_each(|sim| _ = sim.step(0.01).unwrap());
        assert_eq!(sim.snapshot().difference(&twin.snapshot()), None);
    }
}
