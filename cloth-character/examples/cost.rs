//! Prints what a pose costs: sampling, forward kinematics and skinning of a synthetic character, in
//! microseconds.
//!
//! `cargo run --release -p cloth-character --example cost -- [JOINTS] [VERTICES]`, by default 66 joints and
//! 10,000 vertices.

use std::{env, hint::black_box, time::Instant};

use cloth_character::{
    ChannelDescription, ChannelValues, CharacterError, Clip, Interpolation, Joint, Pose, Skeleton,
    SkinDescription, Transform,
};
use nalgebra::{Point3, UnitQuaternion, Vector3};

fn main() -> Result<(), CharacterError> {
    let mut arguments = env::args().skip(1).filter_map(|a| a.parse::<usize>().ok());
    let joints = arguments.next().unwrap_or(66).max(1);
    let vertices = arguments.next().unwrap_or(10_000);
    let skeleton = chain(joints)?;
    let clip = wave(joints)?;
    let skin = |influences: usize| {
        SkinDescription {
            positions: (0..vertices).map(|v| Point3::new(v as f32 / vertices as f32, 0.5, 0.0)).collect(),
            normals: vec![Vector3::y(); vertices],
            joints: (0..joints).collect(),
            inverse_binds: Vec::new(),
            influences,
            entries: (0..vertices * influences).map(|i| (i * 7 % joints) as u32).collect(),
            weights: vec![1.0; vertices * influences],
        }
        .build(joints)
    };

    let (mut pose, mut world, mut matrices) = (Pose::default(), Vec::new(), Vec::new());
    println!("{joints} joints, {} channels, {vertices} vertices", clip.channel_count());
    measure("sample the clip", || clip.sample(&skeleton, black_box(0.37), &mut pose));
    measure("forward kinematics", || skeleton.compute_world(black_box(&pose), &mut world));
    for influences in [1, 4, 8] {
        let skin = skin(influences)?;
        let (mut positions, mut normals) =
            (vec![Point3::origin(); vertices], vec![Vector3::zeros(); vertices]);
        skin.compute_matrices(&world, &mut matrices);
        measure(&format!("positions, {influences} influences"), || {
            skin.deform_positions(black_box(&matrices), &mut positions)
                .expect("buffers have the lengths of the skin");
        });
        measure(&format!("positions and normals, {influences} influences"), || {
            skin.deform(black_box(&matrices), &mut positions, &mut normals)
                .expect("buffers have the lengths of the skin");
        });
    }
    Ok(())
}

/// Prints the median of 200 runs.
fn measure(what: &str, mut run: impl FnMut()) {
    let mut times: Vec<f64> = (0..200)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("{what:40} {:9.1} us", times[times.len() / 2]);
}

/// Branches of eight joints, about as deep as the skeleton of a human.
fn chain(joints: usize) -> Result<Skeleton, CharacterError> {
    let parent = |j: usize| (j > 0).then(|| if j.is_multiple_of(8) { 0 } else { j - 1 });
    let rest = Transform::from_translation(Vector3::new(0.0, 0.1, 0.0));
    Skeleton::new(
        (0..joints).map(|j| Joint { name: format!("joint {j}"), parent: parent(j), rest }).collect(),
    )
}

/// A second of 31 keys for the translation, rotation and scale of each joint.
fn wave(joints: usize) -> Result<Clip, CharacterError> {
    let times: Vec<f64> = (0..31).map(|k| f64::from(k) / 30.0).collect();
    let angle = |k: usize| UnitQuaternion::from_axis_angle(&Vector3::x_axis(), 0.05 * k as f64).into_inner();
    let channels = (0..joints).flat_map(|joint| {
        let values = [
            ChannelValues::Translation(vec![Vector3::new(0.0, 0.1, 0.0); times.len()]),
            ChannelValues::Rotation((0..times.len()).map(angle).collect()),
            ChannelValues::Scale(vec![Vector3::repeat(1.0); times.len()]),
        ];
        let times = &times;
        values.map(|values| ChannelDescription {
            joint,
            interpolation: Interpolation::Linear,
            times: times.clone(),
            values,
        })
    });
    Clip::new("wave".into(), channels.collect(), joints)
}
