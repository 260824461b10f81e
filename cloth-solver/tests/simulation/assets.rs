//! Instances of assets: bit for bit what the same cloth added one by one is, in any number of scenes.

use cloth_geom::fixtures::jitter;
use cloth_solver::nalgebra::{Isometry3, Point3, Vector3};
use cloth_solver::{
    Attachment, BuildError, ClothAsset, ClothDesc, Damping, Drive, LocalFrame, Material, RestShape, Settings,
    Simulation, SimulationBuilder, Stitch, Tethers,
};

use crate::ids::cloth_id;
use crate::scenes::{cotton, run, sheet};

/// A sheet with everything that is prepared or placed: pins, tethers, an attachment, a stitch, a drive, a
/// local frame, damping.
fn rich() -> ClothDesc {
    ClothDesc {
        pins: vec![0, 8],
        tethers: Some(Tethers::default()),
        attachments: vec![Attachment { vertex: 80, target: Point3::new(0.3, 0.1, 0.3), compliance: 1e-3 }],
        stitches: vec![Stitch { vertex: 72, edge: [70, 70], ratio: 0.0 }],
        drive: Some(Drive { stiffness: 5.0, ..Drive::default() }),
        local_frame: Some(LocalFrame { pose: Isometry3::translation(0.1, 0.2, 0.0), inertia_scale: 0.5 }),
        damping: Damping { stretch: 2.0, bending: 2.0, ..Damping::default() },
        ..cotton(jitter(&sheet(9, 0.5), 1e-3, 3).unwrap())
    }
}

fn poses() -> Vec<Isometry3<f32>> {
    let turn = |k: f32| Vector3::new(0.1, 0.7, -0.2) * k;
    (0..5).map(|k| Isometry3::new(Vector3::new(0.0, 0.07 * k as f32, 0.02), turn(k as f32))).collect()
}

/// A cloth as if it had been modelled at a pose.
fn moved(desc: &ClothDesc, pose: &Isometry3<f32>) -> ClothDesc {
    let far = pose.cast::<f64>();
    let place = |a: &Attachment| Attachment { target: pose * a.target, ..*a };
    ClothDesc {
        mesh: desc.mesh.clone().mapped(|p| far * p),
        rest: RestShape::Positions(desc.mesh.positions.clone()),
        attachments: desc.attachments.iter().map(place).collect(),
        local_frame: desc.local_frame.map(|frame| LocalFrame { pose: pose * frame.pose, ..frame }),
        ..desc.clone()
    }
}

fn instances(asset: &ClothAsset) -> Simulation {
    let mut scene = SimulationBuilder::new(Settings::default());
    poses().iter().for_each(|pose| {
        scene.add_instance(asset, pose);
    });
    scene.build().unwrap()
}

#[test]
fn instances_equal_the_same_cloth_added_one_by_one_in_every_bit() {
    let asset = ClothAsset::new(rich()).unwrap();
    let mut scene = SimulationBuilder::new(Settings::default());
    poses().iter().for_each(|pose| {
        scene.add_cloth(moved(asset.desc(), pose));
    });
    let (mut apart, mut together, mut again) = (scene.build().unwrap(), instances(&asset), instances(&asset));
    assert_eq!(format!("{:?}", apart.surface()), format!("{:?}", together.surface()));
    for frame in 0..40 {
        run(&mut apart, 1);
        run(&mut together, 1);
        assert_eq!(apart.state_hash(), together.state_hash(), "frame {frame}");
        assert_eq!(apart.contacts(), together.contacts(), "frame {frame}");
    }
    assert!(together.contacts().len() > 20, "{}", together.contacts().len());
    run(&mut again, 40);
    assert_eq!(again.state_hash(), together.state_hash());
}

#[test]
fn an_edited_instance_stays_in_place_and_leaves_the_others_alone() {
    let asset = ClothAsset::new(rich()).unwrap();
    let mut sim = instances(&asset);
    let start = sim.positions().to_vec();
    sim.set_material(cloth_id(1), Material::DENIM).unwrap();
    assert_eq!(sim.positions(), start);
    assert_eq!((asset.desc().material, sim.cloth_count()), (rich().material, 5));
    let removed = sim.remove_cloth(cloth_id(0)).unwrap();
    assert_eq!(&removed, asset.desc());
    assert_eq!(sim.positions(), &start[81..]);
    run(&mut sim, 3);
}

#[test]
fn a_snapshot_of_an_instance_elsewhere_is_refused() {
    let asset = ClothAsset::new(rich()).unwrap();
    let at = |height: f32| {
        let mut scene = SimulationBuilder::new(Settings::default());
        scene.add_instance(&asset, &Isometry3::translation(0.0, height, 0.0));
        scene.build().unwrap()
    };
    let (mut here, there) = (at(0.0), at(1.0));
    here.restore(&at(0.0).snapshot()).unwrap();
    let error = here.restore(&there.snapshot()).unwrap_err().to_string();
    assert!(error.contains("they differ in the pose of cloth 0"), "{error}");
}

#[test]
fn refuses_assets_of_faulty_cloth_and_instances_with_non_finite_poses() {
    let faulty = ClothDesc { pins: vec![81], ..rich() };
    assert!(matches!(ClothAsset::new(faulty), Err(BuildError::Vertex { cloth: 0, .. })));
    let mut scene = SimulationBuilder::new(Settings::default());
    scene.add_instance(&ClothAsset::new(rich()).unwrap(), &Isometry3::translation(f32::NAN, 0.0, 0.0));
    assert!(matches!(scene.build(), Err(BuildError::NotFinite { cloth: 0, vertex: 0 })));
}
