//! A warm pose allocates nothing: sampling, cross-fades, forward kinematics and skinning write into memory of
//! the caller.

use std::sync::Arc;

use cloth_character::{
    Chain, ChannelDescription, ChannelValues, Character, CharacterMesh, Clip, Interpolation, Joint,
    MotionSample, RootMotion, Skeleton, SkinDescription,
};
use nalgebra::{Point3, Vector3};

fn character() -> Character {
    let joint = |parent| Joint { parent, ..Joint::default() };
    let skeleton = Skeleton::new(vec![joint(None), joint(Some(0))]).unwrap();
    let clip = |name: &str, far: f64| {
        let channel = |joint| ChannelDescription {
            joint,
            interpolation: Interpolation::Linear,
            times: vec![0.0, 1.0],
            values: ChannelValues::Translation(vec![Vector3::zeros(), Vector3::new(far, 0.0, 0.0)]),
        };
        Clip::new(name.into(), vec![channel(0), channel(1)], 2).unwrap()
    };
    let skin = SkinDescription {
        positions: vec![Point3::origin(); 10],
        normals: vec![Vector3::y(); 10],
        joints: vec![0, 1],
        influences: 4,
        entries: [0, 1, 0, 0].repeat(10),
        weights: [0.5, 0.5, 0.0, 0.0].repeat(10),
        ..SkinDescription::default()
    };
    let mesh = CharacterMesh { skin: skin.build(2).unwrap(), ..CharacterMesh::default() };
    Character { skeleton, meshes: vec![mesh], clips: vec![clip("a", 1.0), clip("b", 2.0)] }
}

#[test]
fn a_warm_sample_allocates_nothing() {
    let character = Arc::new(character());
    let mut chain = Chain::from_names(&character, &[("a", Some(0.5)), ("b", None)]).unwrap();
    chain.root_motion = RootMotion::Accumulate;
    let motion = chain.build(character.clone()).unwrap();
    let skin = &character.meshes[0].skin;
    let (mut sample, mut matrices) = (MotionSample::default(), Vec::new());
    let (mut positions, mut normals) = (vec![Point3::origin(); 10], vec![Vector3::zeros(); 10]);
    let mut pose_all = || {
        for k in 0..40 {
            motion.sample(0.1 * f64::from(k), &mut sample);
            skin.compute_matrices(&sample.world, &mut matrices);
            skin.deform(&matrices, &mut positions, &mut normals).unwrap();
        }
    };
    let cold = allocation_counter::measure(&mut pose_all);
    let warm = allocation_counter::measure(&mut pose_all);
    assert!(cold.count_total > 0);
    assert_eq!(warm.count_total, 0, "{warm:?}");
}
