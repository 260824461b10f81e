//! Characters of other programs: each loads, and agrees with the crate `gltf`, with itself in its bind pose,
//! and with the laws of a clip.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use cloth_character::{Affine, Character, Looping, Motion, MotionSample, Playback, Pose, RootMotion};
use cloth_io::{LoadedCharacter, read_character};
use nalgebra::{Matrix4, Point3};

use cloth_testing::corpus;

/// All files below a folder with one of these extensions, in order.
fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            found.extend(files(&path, extensions));
        } else if path.extension().and_then(|e| e.to_str()).is_some_and(|e| extensions.contains(&e)) {
            found.push(path);
        }
    }
    found
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

/// Joints, meshes, vertices, triangles and clips of every character of the folder.
const KNOWN: [(&str, [usize; 5]); 10] = [
    ("CesiumMan.glb", [19, 1, 3273, 4672, 1]),
    ("Fox.glb", [24, 1, 1728, 576, 3]),
    ("SimpleSkin.gltf", [2, 1, 10, 8, 1]),
    ("Woman.gltf", [41, 1, 5718, 1908, 10]),
    ("cesium_man.gltf", [19, 1, 3273, 4672, 1]),
    ("dance1.bvh", [91, 0, 0, 0, 1]),
    ("human-addon-animations_9f6b66c.glb", [66, 1, 8722, 13713, 37]),
    ("rigged_simple.gltf", [2, 1, 160, 188, 1]),
    ("robot.glb", [43, 19, 7218, 3238, 14]),
    ("walk1.bvh", [91, 0, 0, 0, 1]),
];

#[test]
fn every_character_loads_with_its_known_counts() {
    let Some(folder) = corpus("characters") else { return };
    let mut counts = BTreeMap::new();
    for path in files(&folder, &["glb", "gltf", "bvh"]) {
        let LoadedCharacter { character, notes } = read_character(&path).unwrap();
        let vertices = character.meshes.iter().map(|m| m.skin.len()).sum();
        let faces = character.meshes.iter().map(|m| m.faces.len()).sum();
        println!(
            "{} {notes:?} {:?}",
            name(&path),
            character.meshes.iter().map(|m| m.color).collect::<Vec<_>>()
        );
        let found =
            [character.skeleton.len(), character.meshes.len(), vertices, faces, character.clips.len()];
        counts.insert(name(&path), found);
    }
    let known: BTreeMap<_, _> = KNOWN.map(|(name, counts)| (name.to_owned(), counts)).into();
    assert_eq!(counts, known);
}

fn diagonal(points: &[Point3<f64>]) -> f64 {
    let bounds = cloth_geom::Aabb::of_points(points.iter().copied());
    (bounds.max - bounds.min).norm()
}

/// The largest distance of a skinned vertex from where it was, relative to the size of the mesh, with each
/// joint at its bind matrix.
fn bind_error(character: &Character) -> f64 {
    let mut worst = 0.0f64;
    for mesh in &character.meshes {
        let skin = &mesh.skin;
        let mut world = vec![Affine::IDENTITY; character.skeleton.len()];
        for (&joint, bind) in skin.joints().iter().zip(skin.inverse_binds()) {
            world[joint] = bind.inverse().expect("bind matrices have inverses");
        }
        let (mut matrices, mut positions) = (Vec::new(), vec![Point3::origin(); skin.len()]);
        skin.compute_matrices(&world, &mut matrices);
        skin.deform_positions(&matrices, &mut positions).unwrap();
        let moved = positions.iter().zip(skin.positions()).map(|(a, b)| f64::from((a - b).norm()));
        worst = worst.max(moved.fold(0.0, f64::max) / diagonal(&mesh.unposed_mesh().positions));
    }
    worst
}

#[test]
fn skins_do_not_move_at_the_inverse_of_their_bind_matrices() {
    let Some(folder) = corpus("characters") else { return };
    for path in files(&folder, &["glb", "gltf"]) {
        let error = bind_error(&read_character(&path).unwrap().character);
        println!("{}: {error:.1e} of the size", name(&path));
        assert!(error < 1e-5, "{}: {error}", path.display());
    }
}

#[test]
fn every_clip_samples_to_finite_positions() {
    let Some(folder) = corpus("characters") else { return };
    for path in files(&folder, &["glb", "gltf", "bvh"]) {
        let character = read_character(&path).unwrap().character;
        let (mut pose, mut world, mut matrices) = (Pose::default(), Vec::new(), Vec::new());
        for clip in &character.clips {
            for k in 0..=20 {
                let time = clip.duration() * (f64::from(k) / 16.0 - 0.125);
                clip.sample(&character.skeleton, time, &mut pose);
                character.skeleton.compute_world(&pose, &mut world);
                assert!(world.iter().all(Affine::is_finite), "{} {} {time}", path.display(), clip.name());
                for mesh in &character.meshes {
                    let mut positions = vec![Point3::origin(); mesh.skin.len()];
                    mesh.skin.compute_matrices(&world, &mut matrices);
                    mesh.skin.deform_positions(&matrices, &mut positions).unwrap();
                    assert!(positions.iter().all(|p| p.iter().all(|x| x.is_finite())), "{}", path.display());
                }
            }
        }
    }
}

#[test]
fn the_bind_pose_keeps_the_shape_of_the_skin() {
    let Some(folder) = corpus("characters") else { return };
    for path in files(&folder, &["glb", "gltf"]) {
        let character = read_character(&path).unwrap().character;
        let (mut world, mut matrices) = (Vec::new(), Vec::new());
        character.skeleton.compute_world(&character.bind_pose(), &mut world);
        for mesh in &character.meshes {
            let skin = &mesh.skin;
            // One map takes all vertices from the file to the bind pose: that of the first joint of the skin.
            let map = world[skin.joints()[0]] * skin.inverse_binds()[0];
            let mut positions = vec![Point3::origin(); skin.len()];
            skin.compute_matrices(&world, &mut matrices);
            skin.deform_positions(&matrices, &mut positions).unwrap();
            let expected: Vec<_> = skin.positions().iter().map(|p| map.transform_point(&p.cast())).collect();
            let size = diagonal(&expected);
            let error = positions
                .iter()
                .zip(&expected)
                .map(|(a, b)| (a.cast::<f64>() - b).norm())
                .fold(0.0, f64::max);
            assert!(error < 1e-4 * size, "{} {}: {error} of {size}", path.display(), mesh.name);
        }
    }
}

/// What the crate `gltf` reads, in the order of its document.
mod oracle {
    use super::*;

    pub(crate) fn import(path: &Path) -> (gltf::Document, Vec<Vec<u8>>) {
        let gltf::Gltf { document, blob } = gltf::Gltf::open(path).unwrap();
        let mut blob = blob;
        let buffers = document.buffers().map(|buffer| match buffer.source() {
            gltf::buffer::Source::Bin => blob.take().unwrap(),
            gltf::buffer::Source::Uri(uri) => {
                use base64::Engine as _;
                let (_, data) = uri.split_once(";base64,").expect("the corpus has data URIs only");
                base64::engine::general_purpose::STANDARD.decode(data).unwrap()
            }
        });
        let buffers = buffers.collect();
        (document, buffers)
    }
}

#[test]
fn meshes_skins_and_rest_poses_equal_those_of_the_crate_gltf() {
    let Some(folder) = corpus("characters") else { return };
    for path in files(&folder, &["glb", "gltf"]) {
        let character = read_character(&path).unwrap().character;
        let (document, buffers) = oracle::import(&path);
        let joint_of = |node: gltf::Node<'_>| {
            let name = node.name().map_or_else(|| format!("node {}", node.index()), str::to_owned);
            character.skeleton.find(&name).unwrap()
        };
        let mut ours = character.meshes.iter();
        for node in document.nodes() {
            let Some((mesh, skin)) = node.mesh().zip(node.skin()) else { continue };
            for primitive in mesh.primitives() {
                let our = ours.next().unwrap();
                let reader = primitive.reader(|b| Some(&buffers[b.index()]));
                let positions: Vec<_> = reader.read_positions().unwrap().map(Point3::from).collect();
                assert_eq!(our.skin.positions(), positions);
                let indices: Vec<u32> = match reader.read_indices() {
                    Some(indices) => indices.into_u32().collect(),
                    None => (0..positions.len() as u32).collect(),
                };
                assert_eq!(our.faces.as_flattened(), indices);
                let joints: Vec<_> = skin.joints().map(joint_of).collect();
                assert_eq!(our.skin.joints(), joints);
                let binds = skin.reader(|b| Some(&buffers[b.index()])).read_inverse_bind_matrices().unwrap();
                for (bind, ours) in binds.zip(our.skin.inverse_binds()) {
                    assert_eq!(ours.to_matrix(), Matrix4::from(bind).cast::<f64>());
                }
                let weights = reader.read_weights(0).unwrap().into_f32();
                for (v, (entries, weights)) in
                    reader.read_joints(0).unwrap().into_u16().zip(weights).enumerate()
                {
                    let sum: f32 = weights.iter().sum();
                    for k in 0..4 {
                        let joint = joints[usize::from(entries[k])];
                        let same = |a: &usize| joints[usize::from(entries[*a])] == joint;
                        let expected: f32 = (0..4).filter(same).map(|a| weights[a]).sum::<f32>() / sum;
                        let found = our.skin.influences(v).find(|&(j, _)| j == joint).map_or(0.0, |(_, w)| w);
                        assert!((found - expected).abs() < 1e-6, "{} vertex {v}", path.display());
                    }
                }
            }
        }
        assert_eq!(ours.count(), 0);
        world_matrices_equal(&character, &document, joint_of);
    }
}

/// World matrices at rest against products of the node matrices of the crate `gltf`, the nodes above the
/// skeleton among them.
fn world_matrices_equal(
    character: &Character,
    document: &gltf::Document,
    joint_of: impl Fn(gltf::Node<'_>) -> usize,
) {
    let mut world = Vec::new();
    character.skeleton.compute_world(&character.skeleton.rest_pose(), &mut world);
    let mut pending: Vec<_> =
        document.scenes().flat_map(|s| s.nodes()).map(|n| (n, Matrix4::identity())).collect();
    let skinned: Vec<usize> = document.skins().flat_map(|s| s.joints()).map(|n| n.index()).collect();
    let mut compared = 0;
    while let Some((node, above)) = pending.pop() {
        let matrix: Matrix4<f64> = above * Matrix4::from(node.transform().matrix()).cast::<f64>();
        pending.extend(node.children().map(|child| (child, matrix)));
        if skinned.contains(&node.index()) {
            let error = (world[joint_of(node)].to_matrix() - matrix).norm() / matrix.norm();
            assert!(error < 1e-5, "{error}");
            compared += 1;
        }
    }
    assert!(compared > 1);
}

#[test]
fn clips_pass_through_the_keys_that_the_crate_gltf_reads() {
    let Some(folder) = corpus("characters") else { return };
    for path in files(&folder, &["glb", "gltf"]) {
        let character = read_character(&path).unwrap().character;
        let (document, buffers) = oracle::import(&path);
        let mut pose = Pose::default();
        for (animation, clip) in document.animations().zip(&character.clips) {
            for channel in animation.channels().step_by(7) {
                let reader = channel.reader(|b| Some(&buffers[b.index()]));
                let node = channel.target().node();
                let name = node.name().map_or_else(|| format!("node {}", node.index()), str::to_owned);
                let joint = character.skeleton.find(&name).unwrap();
                let times: Vec<f32> = reader.read_inputs().unwrap().collect();
                let mut check = |k: usize, error: &dyn Fn(&cloth_character::Transform) -> f64| {
                    clip.sample(&character.skeleton, f64::from(times[k]), &mut pose);
                    assert!(error(&pose.locals[joint]) < 1e-6, "{} {}", path.display(), clip.name());
                };
                match reader.read_outputs().unwrap() {
                    gltf::animation::util::ReadOutputs::Translations(values) => {
                        values.enumerate().for_each(|(k, v)| {
                            check(k, &|t| (t.translation - nalgebra::Vector3::from(v).cast::<f64>()).norm());
                        });
                    }
                    gltf::animation::util::ReadOutputs::Scales(values) => {
                        values.enumerate().for_each(|(k, v)| {
                            check(k, &|t| (t.scale - nalgebra::Vector3::from(v).cast::<f64>()).norm());
                        });
                    }
                    gltf::animation::util::ReadOutputs::Rotations(values) => {
                        values.into_f32().enumerate().for_each(|(k, [x, y, z, w])| {
                            let q = nalgebra::Quaternion::new(w, x, y, z).cast::<f64>().normalize();
                            check(k, &|t| (t.rotation.coords - q.coords).norm());
                        });
                    }
                    gltf::animation::util::ReadOutputs::MorphTargetWeights(_) => {
                        unreachable!("the corpus has none")
                    }
                }
            }
        }
    }
}

/// The largest distance that a joint moves within one 60 Hz frame: across the seam of a loop, and anywhere
/// else in it.
fn largest_frames(motion: &Motion, period: f64) -> (f64, f64) {
    let (mut before, mut after) = (MotionSample::default(), MotionSample::default());
    let (mut seam, mut within) = (0.0f64, 0.0f64);
    let frame = 1.0 / 60.0;
    for k in 0..(2.0 * period / frame).ceil() as usize {
        // Frames are placed so that the seam is in the middle of one.
        let time = period * 0.5 + (k as f64 - (period * 0.5 / frame).floor() - 0.5) * frame;
        motion.sample(time, &mut before);
        motion.sample(time + frame, &mut after);
        let moved = before.world.iter().zip(&after.world).map(|(a, b)| (a.origin() - b.origin()).norm());
        let moved = moved.fold(0.0, f64::max);
        let crosses = (time / period).floor() != ((time + frame) / period).floor();
        if crosses { seam = seam.max(moved) } else { within = within.max(moved) }
    }
    (seam, within)
}

#[test]
fn closed_loops_of_real_clips_have_no_seam() {
    let Some(folder) = corpus("characters") else { return };
    let transition = 0.3;
    for path in files(&folder, &["glb", "gltf", "bvh"]) {
        let character = Arc::new(read_character(&path).unwrap().character);
        let mut world = Vec::new();
        character.skeleton.compute_world(&character.skeleton.rest_pose(), &mut world);
        let size = diagonal(&world.iter().map(Affine::origin).collect::<Vec<_>>()).max(f64::MIN_POSITIVE);
        for (index, clip) in
            character.clips.iter().enumerate().filter(|(_, clip)| clip.length() > 2.0 * transition)
        {
            let play = |looping| {
                let playback = Playback::new(index).with_looping(looping);
                Motion::from_clip(character.clone(), playback, RootMotion::Accumulate).unwrap()
            };
            let duration = clip.length();
            let repeated = largest_frames(&play(Looping::Repeat), duration);
            let closed = largest_frames(&play(Looping::Close { transition }), duration + transition);
            let overlapped = largest_frames(&play(Looping::Overlap { transition }), duration - transition);
            let percent = |x: f64| 100.0 * x / size;
            println!(
                "{} {:?}: seam {:.2} % of the size repeated, {:.2} closed, {:.2} overlapped; elsewhere {:.2}",
                name(&path),
                clip.name(),
                percent(repeated.0),
                percent(closed.0),
                percent(overlapped.0),
                percent(repeated.1)
            );
            // Within half a frame of its ends a smoothstep moves by a hundredth of the gap; the clip itself
            // moves on the other side.
            let bound = repeated.1.max(0.02 * repeated.0) + 1e-3 * size;
            assert!(closed.0 <= bound, "{} {:?}: {closed:?} {repeated:?}", path.display(), clip.name());
            assert!(
                overlapped.0 <= 1.5 * bound,
                "{} {:?}: {overlapped:?} {repeated:?}",
                path.display(),
                clip.name()
            );
        }
    }
}
