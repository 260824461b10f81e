//! GLB files: valid for the crate `gltf`, and what is read back is what was shown.

use std::{
    fs,
    path::{Path, PathBuf},
};

mod other_programs;

use cloth_character::{Affine, Character, CharacterMesh, Pose, Transform};
use cloth_io::{
    GlbCharacter, GlbGarment, GlbOptions, GlbReport, GlbScene, glb::ANIMATION_NAME, read_character,
    read_shapes, write_glb,
};
use nalgebra::{Point3, UnitQuaternion, Vector3};

const DT: f64 = 1.0 / 60.0;
/// Two triangles with different normals.
const FACES: [[u32; 3]; 2] = [[0, 1, 2], [1, 3, 2]];
const UVS: [[f32; 2]; 4] = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.75]];

/// A bent quad that moves and turns.
fn quad_frames(count: usize) -> Vec<Vec<Point3<f32>>> {
    let corners = [[0.0, 0.0, 0.0], [0.4, 0.0, 0.0], [0.0, 0.5, 0.1], [0.5, 0.5, 0.3]].map(Vector3::from);
    let at = |k: usize| {
        let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.1 * k as f32);
        corners.map(|c| Point3::from(turn * c + Vector3::new(0.0, 1.0, 0.01 * k as f32))).to_vec()
    };
    (0..count).map(at).collect()
}

fn garment(frames: &[Vec<Point3<f32>>]) -> GlbGarment<'_> {
    GlbGarment { name: "shirt", faces: &FACES, uvs: &UVS, color: [0.5, 0.1, 0.2, 1.0], frames, cuts: &[] }
}

fn write(scene: &GlbScene<'_>, options: &GlbOptions) -> (tempfile::TempDir, PathBuf, GlbReport) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.glb");
    let report = write_glb(&path, scene, options).unwrap();
    assert_eq!(report.bytes, fs::read(&path).unwrap().len());
    (folder, path, report)
}

/// Reads a file with the crate `gltf`, which validates it; checks alignment, which it does not.
fn validate(path: &Path) -> gltf::Gltf {
    let file = gltf::Gltf::from_slice(&fs::read(path).unwrap()).unwrap();
    let binary = file.blob.as_ref().map_or(0, Vec::len);
    for view in file.views() {
        assert!(view.offset() % 4 == 0 && view.offset() + view.length() <= binary && view.length() > 0);
    }
    // A node that is animated has no matrix; the crate checks neither.
    let json = file.document.as_json();
    for channel in json.animations.iter().flat_map(|a| &a.channels) {
        assert!(json.nodes[channel.target.node.value()].matrix.is_none());
    }
    file
}

#[test]
fn a_garment_alone_has_the_positions_of_each_frame_at_its_key() {
    let frames = quad_frames(7);
    for normals in [true, false] {
        let scene = GlbScene { dt: DT, garments: vec![garment(&frames)], ..GlbScene::default() };
        let (_folder, path, report) = write(&scene, &GlbOptions { normals, ..GlbOptions::default() });
        assert_eq!((report.frames, report.every, report.notes.len()), (7, 1, 0));
        let file = validate(&path);
        let buffer = file.blob.clone().unwrap();
        let primitive = file.meshes().next().unwrap().primitives().next().unwrap();
        let reader = primitive.reader(|_| Some(buffer.as_slice()));
        let base: Vec<[f32; 3]> = reader.read_positions().unwrap().collect();
        assert_eq!(base, frames[0].iter().map(|p| [p.x, p.y, p.z]).collect::<Vec<_>>());
        assert_eq!(reader.read_indices().unwrap().into_u32().collect::<Vec<_>>(), [0, 1, 2, 1, 3, 2]);
        let uvs: Vec<[f32; 2]> = reader.read_tex_coords(0).unwrap().into_f32().collect();
        assert_eq!(uvs[3], [1.0, 0.25]);
        let targets: Vec<_> = reader.read_morph_targets().collect();
        assert_eq!(targets.len(), 6);
        let base_normals: Option<Vec<[f32; 3]>> = reader.read_normals().map(Iterator::collect);
        assert_eq!(base_normals.is_some(), normals);
        for (target, frame) in targets.into_iter().zip(&frames[1..]) {
            let (positions, normal_changes, _) = target;
            for ((base, change), p) in base.iter().zip(positions.unwrap()).zip(frame) {
                let shown = Point3::from(Vector3::from(*base) + Vector3::from(change));
                assert!((shown - p).norm() <= 2.0 * f32::EPSILON, "{shown} {p}");
            }
            let Some(base_normals) = &base_normals else { continue };
            let n = |i: usize| frame[i].coords;
            let expected = (n(1) - n(0)).cross(&(n(2) - n(0))).normalize();
            // Vertex 0 belongs to the first face alone.
            let shown =
                Vector3::from(base_normals[0]) + Vector3::from(normal_changes.unwrap().next().unwrap());
            assert!((shown - expected).norm() < 1e-6);
        }
        let animations: Vec<_> = file.animations().collect();
        assert_eq!((animations.len(), animations[0].name()), (1, Some(ANIMATION_NAME)));
        let channel = animations[0].channels().next().unwrap();
        let keys = channel.reader(|_| Some(buffer.as_slice()));
        let times: Vec<f32> = keys.read_inputs().unwrap().collect();
        assert_eq!(times, (0..7).map(|k| (f64::from(k) * DT) as f32).collect::<Vec<_>>());
        let Some(gltf::animation::util::ReadOutputs::MorphTargetWeights(weights)) = keys.read_outputs()
        else {
            panic!("no weights")
        };
        let weights: Vec<f32> = weights.into_f32().collect();
        let expected = (0..7).flat_map(|key| (1..7).map(move |t| if t == key { 1.0 } else { 0.0 }));
        assert_eq!(weights, expected.collect::<Vec<f32>>());
    }
}

#[test]
fn shapes_are_read_back_at_every_key_of_all_garments() {
    let frames = quad_frames(7);
    let apart = |p: &Point3<f32>| p + Vector3::new(0.0, 3.0, 0.0);
    let above: Vec<Vec<Point3<f32>>> = frames.iter().map(|frame| frame.iter().map(apart).collect()).collect();
    let garments = vec![garment(&frames), GlbGarment { name: "hat", ..garment(&above) }];
    let scene = GlbScene { dt: DT, garments, ..GlbScene::default() };
    for (max_keys, keys) in [(200, vec![0, 1, 2, 3, 4, 5, 6]), (4, vec![0, 2, 4, 6])] {
        let (_folder, path, _) = write(&scene, &GlbOptions { max_keys, ..GlbOptions::default() });
        let shapes = read_shapes(&path).unwrap().unwrap();
        assert_eq!(shapes.mesh.faces, [[0, 1, 2], [1, 3, 2], [4, 5, 6], [5, 7, 6]]);
        assert_eq!((shapes.state_count(), shapes.notes.len()), (keys.len(), 0));
        for (state, &frame) in keys.iter().enumerate() {
            assert!((shapes.time(state).unwrap() - frame as f64 * DT).abs() < 1e-6);
            let expected = frames[frame].iter().chain(&above[frame]);
            for (p, q) in shapes.positions(state).iter().zip(expected) {
                assert!((p - q.cast::<f64>()).norm() <= 8.0 * f64::from(f32::EPSILON), "{p} {q}");
            }
        }
        assert_eq!(shapes.positions(0), shapes.mesh.positions);
    }
}

/// Frames that go 20 m at frame 4, and frames that do not.
fn cut_frames(count: usize) -> [Vec<Vec<Point3<f32>>>; 2] {
    let near = quad_frames(count);
    let far = |(k, frame): (usize, &Vec<Point3<f32>>)| {
        let by = Vector3::x() * if k < 4 { 0.0 } else { 20.0 };
        frame.iter().map(|p| p + by).collect()
    };
    [near.iter().enumerate().map(far).collect(), near]
}

#[test]
fn a_cut_is_held_until_it_is_over_and_read_back() {
    let [far, near] = cut_frames(9);
    let cut = GlbGarment { cuts: &[4], ..garment(&far) };
    let beside = GlbGarment { name: "hat", ..garment(&near) };
    for (garments, max_keys, keys) in [
        (vec![cut], 200, vec![0, 1, 2, 3, 4, 5, 6, 7, 8]),
        (vec![cut, beside], 200, vec![0, 1, 2, 3, 4, 5, 6, 7, 8]),
        // Every third, the last, and those on either side of the cut.
        (vec![cut], 5, vec![0, 3, 4, 6, 8]),
    ] {
        let scene = GlbScene { dt: DT, garments, ..GlbScene::default() };
        let (_folder, path, _) = write(&scene, &GlbOptions { max_keys, ..GlbOptions::default() });
        validate(&path);
        let shapes = read_shapes(&path).unwrap().unwrap();
        assert_eq!(shapes.state_count(), keys.len());
        let state = keys.iter().position(|&key| key == 4).unwrap();
        assert_eq!(shapes.cuts(), [state]);
        for (state, &frame) in keys.iter().enumerate() {
            assert!((shapes.time(state).unwrap() - frame as f64 * DT).abs() < 1e-6);
            let p = shapes.positions(state)[3];
            assert!(
                (p - far[frame][3].cast::<f64>()).norm() <= 40.0 * f64::from(f32::EPSILON),
                "{frame}: {p}"
            );
        }
    }
}

#[test]
fn between_the_frames_of_a_cut_nothing_is_drawn_on_the_way() {
    let [far, _] = cut_frames(6);
    let scene = GlbScene {
        dt: DT,
        garments: vec![GlbGarment { cuts: &[4], ..garment(&far) }],
        ..GlbScene::default()
    };
    let (_folder, path, _) = write(&scene, &GlbOptions::default());
    let file = validate(&path);
    let buffer = file.blob.clone().unwrap();
    let channel = file.animations().next().unwrap().channels().next().unwrap();
    let keys = channel.reader(|_| Some(buffer.as_slice()));
    let times: Vec<f32> = keys.read_inputs().unwrap().collect();
    let Some(gltf::animation::util::ReadOutputs::MorphTargetWeights(weights)) = keys.read_outputs() else {
        panic!("no weights")
    };
    let weights: Vec<f32> = weights.into_f32().collect();
    // The share of frames 4 and 5 at a time, as a viewer interpolates it.
    let elsewhere = |time: f32| {
        let next = times.iter().position(|&t| t > time).unwrap_or(times.len() - 1).max(1);
        let share = ((time - times[next - 1]) / (times[next] - times[next - 1])).clamp(0.0, 1.0);
        let of = |key: usize| weights[5 * key + 3] + weights[5 * key + 4];
        of(next - 1) + (of(next) - of(next - 1)) * share
    };
    let dt = DT as f32;
    assert_eq!([3.0, 3.5, 3.99].map(|frame| elsewhere(frame * dt)), [0.0; 3]);
    // Where a viewer rounds the time of the frame down, too.
    assert_eq!([4.0 * dt, (4.0 * dt).next_down(), 4.5 * dt].map(elsewhere), [1.0; 3]);
}

#[test]
fn joints_hold_the_frame_before_a_cut() {
    let folder = tempfile::tempdir().unwrap();
    let (character, _) = small_character(folder.path());
    let poses = turning_poses(&character, 6);
    let [far, _] = cut_frames(6);
    let shown =
        GlbCharacter { character: &character, source: None, placement: Transform::IDENTITY, poses: &poses };
    let keys = |cuts: &'static [usize]| {
        let garments = vec![GlbGarment { cuts, ..garment(&far) }];
        let scene = GlbScene { dt: DT, character: Some(shown.clone()), garments };
        let (_folder, path, _) = write(&scene, &GlbOptions::default());
        let file = validate(&path);
        let buffer = file.blob.clone().unwrap();
        let animation = file.animations().next().unwrap();
        let inputs = animation
            .channels()
            .map(|c| c.reader(|_| Some(buffer.as_slice())).read_inputs().unwrap().count());
        inputs.collect::<Vec<_>>()
    };
    let (without, with) = (keys(&[]), keys(&[4]));
    assert!(without.len() > 1 && without.iter().all(|&n| n == 6), "{without:?}");
    assert!(with.iter().all(|&n| n == 8), "{with:?}");
}

#[test]
fn a_character_alone_has_no_shapes() {
    let folder = tempfile::tempdir().unwrap();
    let (_, path) = small_character(folder.path());
    assert!(read_shapes(&path).unwrap().is_none());
}

#[test]
fn one_frame_is_a_mesh_without_an_animation() {
    let frames = quad_frames(1);
    let scene = GlbScene { dt: DT, garments: vec![garment(&frames)], ..GlbScene::default() };
    let file = validate(&write(&scene, &GlbOptions::default()).1);
    assert_eq!((file.animations().len(), file.meshes().len()), (0, 1));
}

#[test]
fn a_long_run_has_keys_at_every_nth_and_last_frame() {
    let frames = quad_frames(12);
    let scene = GlbScene { dt: DT, garments: vec![garment(&frames)], ..GlbScene::default() };
    let keys = |max_keys: usize| {
        let (_folder, path, report) = write(&scene, &GlbOptions { max_keys, ..GlbOptions::default() });
        assert_eq!(report.notes.len(), usize::from(report.every > 1));
        let file = validate(&path);
        let buffer = file.blob.clone().unwrap();
        let animation = file.animations().next().unwrap();
        let reader = animation.channels().next().unwrap();
        let times = reader.reader(|_| Some(buffer.as_slice())).read_inputs().unwrap();
        times.map(|t| (f64::from(t) / DT).round() as usize).collect::<Vec<_>>()
    };
    assert_eq!(keys(12), (0..12).collect::<Vec<_>>());
    assert_eq!(keys(11), [0, 2, 4, 6, 8, 10, 11]);
    assert_eq!(keys(4), [0, 4, 8, 11]);
    assert_eq!(keys(2), [0, 11]);
}

/// A character of one triangle, whose root has a matrix, with a buffer, an image and a clip next to the file;
/// and the file.
fn small_character(folder: &Path) -> (Character, PathBuf) {
    let path = folder.join("small.gltf");
    let mut data: Vec<u8> = [[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
        .iter()
        .flatten()
        .flat_map(|x| x.to_le_bytes())
        .collect();
    data.extend([0u8; 12]); // JOINTS_0
    data.extend((0..3).flat_map(|_| [1.0f32, 0.0, 0.0, 0.0]).flat_map(f32::to_le_bytes));
    data.extend([0.0f32, 1.0].iter().flat_map(|x| x.to_le_bytes()));
    data.extend([0.0f32, 0.0, 0.0, 9.0, 9.0, 9.0].iter().flat_map(|x| x.to_le_bytes()));
    fs::write(folder.join("small data.bin"), &data).unwrap();
    fs::write(
        &path,
        r#"{"asset": {"version": "2.0", "copyright": "someone"}, "scene": 0, "scenes": [{"nodes": [0, 3]}],
        "nodes": [{"name": "armature", "children": [1], "rotation": [0.70710678, 0, 0, 0.70710678]},
            {"name": "hip", "children": [2], "matrix": [2,0,0,0, 0,2,0,0, 0,0,2,0, 1,2,3,1]},
            {"name": "hand", "translation": [0, 1, 0]},
            {"name": "body", "mesh": 0, "skin": 0}],
        "skins": [{"joints": [1, 2]}],
        "meshes": [{"primitives": [
            {"attributes": {"POSITION": 2, "JOINTS_0": 3, "WEIGHTS_0": 4}, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        "textures": [{"source": 0}],
        "images": [{"uri": "gone.png"}],
        "animations": [{"name": "own",
            "channels": [{"sampler": 0, "target": {"node": 2, "path": "translation"}}],
            "samplers": [{"input": 0, "output": 1}]}],
        "accessors": [
            {"bufferView": 3, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1]},
            {"bufferView": 4, "componentType": 5126, "count": 2, "type": "VEC3"},
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
                "min": [0, 0, 0], "max": [1, 1, 0]},
            {"bufferView": 1, "componentType": 5121, "count": 3, "type": "VEC4"},
            {"bufferView": 2, "componentType": 5126, "count": 3, "type": "VEC4"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36},
            {"buffer": 0, "byteOffset": 36, "byteLength": 12},
            {"buffer": 0, "byteOffset": 48, "byteLength": 48},
            {"buffer": 0, "byteOffset": 96, "byteLength": 8},
            {"buffer": 0, "byteOffset": 104, "byteLength": 24}],
        "buffers": [{"byteLength": 128, "uri": "small%20data.bin"}]}"#,
    )
    .unwrap();
    (read_character(&path).unwrap().character, path)
}

/// Poses in which every joint turns about an axis of its own, the first joint moves, and scales stay.
fn turning_poses(character: &Character, count: usize) -> Vec<Pose> {
    let pose = |k: usize| {
        let mut pose = character.skeleton.rest_pose();
        for (joint, local) in pose.locals.iter_mut().enumerate() {
            let axis = nalgebra::Unit::new_normalize(Vector3::new(1.0, 0.3 * joint as f64, -0.5));
            local.rotation *= UnitQuaternion::from_axis_angle(&axis, 0.9 * k as f64);
            if k % 2 == 1 {
                // The same rotation.
                local.rotation = UnitQuaternion::new_unchecked(-local.rotation.into_inner());
            }
        }
        pose.locals[0].translation.x += 0.1 * k as f64;
        pose
    };
    (0..count).map(pose).collect()
}

fn skinned(mesh: &CharacterMesh, world: &[Affine]) -> Vec<Point3<f64>> {
    let (mut matrices, mut positions) = (Vec::new(), vec![Point3::origin(); mesh.skin.len()]);
    mesh.skin.compute_matrices(world, &mut matrices);
    mesh.skin.deform_positions(&matrices, &mut positions).unwrap();
    positions.iter().map(|p| p.cast()).collect()
}

/// The largest distance between a vertex or joint of the character as posed and placed, and as read back,
/// relative to its size.
fn round_trip_error(character: &Character, placement: &Transform, poses: &[Pose], path: &Path) -> f64 {
    let back = read_character(path).unwrap().character;
    let names: Vec<&str> = back.clips.iter().map(cloth_character::Clip::name).collect();
    assert_eq!(names, [ANIMATION_NAME]);
    let (mut pose, mut world, mut worst) = (Pose::default(), Vec::new(), 0.0f64);
    let placement = placement.to_affine();
    for (k, shown) in poses.iter().enumerate() {
        back.clips[0].sample(&back.skeleton, f64::from((k as f64 * DT) as f32), &mut pose);
        back.skeleton.compute_world(&pose, &mut world);
        let found: Vec<_> =
            back.meshes.iter().filter(|m| m.name != "shirt").map(|m| skinned(m, &world)).collect();
        let joints: Vec<Point3<f64>> = world.iter().map(Affine::origin).collect();
        character.skeleton.compute_world(shown, &mut world);
        let origins: Vec<_> = world.iter().map(|map| placement.transform_point(&map.origin())).collect();
        let reach = origins.iter().map(|p| p.coords.norm()).fold(f64::MIN_POSITIVE, f64::max);
        // Every joint moves, so that every one is a joint again; the garment comes after them.
        assert!(joints.len() >= origins.len());
        let errors = joints.iter().zip(&origins).map(|(a, b)| (a - b).norm() / reach);
        worst = errors.fold(worst, f64::max);
        let expected: Vec<_> = character.meshes.iter().filter(|m| !m.faces.is_empty()).collect();
        assert_eq!(found.len(), expected.len());
        for (found, mesh) in found.into_iter().zip(expected) {
            let points: Vec<_> = skinned(mesh, &world).iter().map(|p| placement.transform_point(p)).collect();
            let bounds = cloth_geom::Aabb::of_points(points.iter().copied());
            let size = (bounds.max - bounds.min).norm() + bounds.max.coords.norm();
            assert_eq!(found.len(), points.len());
            let error = found.iter().zip(&points).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
            worst = worst.max(error / size);
        }
    }
    worst
}

#[test]
fn a_character_with_side_files_is_extended_and_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let (character, source) = small_character(folder.path());
    let (poses, frames) = (turning_poses(&character, 6), quad_frames(6));
    let placement = Transform {
        scale: Vector3::repeat(0.5),
        translation: Vector3::new(0.0, 0.25, 0.0),
        ..Transform::IDENTITY
    };
    for source in [Some(source.as_path()), None] {
        let shown = GlbCharacter { character: &character, source, placement, poses: &poses };
        let scene = GlbScene { dt: DT, character: Some(shown), garments: vec![garment(&frames)] };
        let (_folder, path, report) = write(&scene, &GlbOptions::default());
        let file = validate(&path);
        let error = round_trip_error(&character, &placement, &poses, &path);
        assert!(error < 1e-6, "{error}");
        assert_eq!(file.scenes().len(), 1);
        // Rotations of both joints, the translation of the first, the weights; no scale and no key of the
        // file's own clip.
        let animation = file.animations().next().unwrap();
        assert_eq!(animation.channels().count(), 4);
        let buffer = file.blob.clone().unwrap();
        for channel in animation.channels() {
            let reader = channel.reader(|_| Some(buffer.as_slice()));
            let Some(gltf::animation::util::ReadOutputs::Rotations(keys)) = reader.read_outputs() else {
                continue;
            };
            let keys: Vec<[f32; 4]> = keys.into_f32().collect();
            let dot = |pair: &[[f32; 4]]| (0..4).map(|i| pair[0][i] * pair[1][i]).sum::<f32>();
            assert!(keys.windows(2).all(|pair| dot(pair) >= 0.0), "{keys:?}");
        }
        assert_eq!(file.materials().len(), 2);
        match source {
            Some(_) => {
                assert_eq!(file.document.as_json().asset.copyright.as_deref(), Some("someone"));
                assert_eq!(report.notes.len(), 1, "the image is gone: {:?}", report.notes);
                let image = file.images().next().unwrap().source();
                assert!(matches!(image, gltf::image::Source::View { mime_type: "image/png", .. }));
                // Two accessors of the clip are gone; five of the garment, ten of its targets and seven of
                // keys are new.
                assert_eq!(file.accessors().len(), 3 + 4 + 10 + 2 + 4);
            }
            None => assert_eq!((report.notes.len(), file.images().len()), (0, 0)),
        }
    }
}

#[test]
fn equal_scenes_give_equal_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let (character, source) = small_character(folder.path());
    let (poses, frames) = (turning_poses(&character, 3), quad_frames(3));
    let bytes = || {
        let placement = Transform::IDENTITY;
        let shown = GlbCharacter { character: &character, source: Some(&source), placement, poses: &poses };
        let scene = GlbScene { dt: DT, character: Some(shown), garments: vec![garment(&frames)] };
        fs::read(write(&scene, &GlbOptions::default()).1).unwrap()
    };
    assert_eq!(bytes(), bytes());
}

#[test]
fn a_file_of_another_character_is_rebuilt_with_a_note() {
    let folder = tempfile::tempdir().unwrap();
    let (mut character, source) = small_character(folder.path());
    let poses = turning_poses(&character, 3);
    let mut joints = character.skeleton.joints().to_vec();
    joints[1].name = "foot".into();
    let map = character.skeleton.root_map(0);
    character.skeleton = cloth_character::Skeleton::new(joints).unwrap();
    character.skeleton.set_root_map(0, map).unwrap();
    let placement = Transform::IDENTITY;
    for source in [source, folder.path().join("gone.glb")] {
        let shown = GlbCharacter { character: &character, source: Some(&source), placement, poses: &poses };
        let scene = GlbScene { dt: DT, character: Some(shown), garments: Vec::new() };
        let (_folder, path, report) = write(&scene, &GlbOptions::default());
        assert!(report.notes[0].contains("rebuilt"), "{:?}", report.notes);
        assert!(round_trip_error(&character, &placement, &poses, &path) < 1e-6);
    }
}

#[test]
fn every_mistake_of_a_caller_is_one_line_and_leaves_no_file() {
    let frames = quad_frames(3);
    let (mut ragged, mut bad, none) = (frames.clone(), frames.clone(), Vec::new());
    ragged[2].pop();
    bad[1][2].y = f32::NAN;
    let good = garment(&frames);
    let scene = |dt: f64, garment: GlbGarment<'static>| GlbScene {
        dt,
        garments: vec![garment],
        ..GlbScene::default()
    };
    // The garments live to the end of the test.
    let leak = |frames: Vec<Vec<Point3<f32>>>| garment(Box::leak(frames.into_boxed_slice()));
    let good_static = leak(frames.clone());
    let cases = [
        (scene(0.0, good_static), "time between frames"),
        (scene(f64::NAN, good_static), "time between frames"),
        (scene(1e300, good_static), "cannot tell apart"),
        (GlbScene { dt: DT, ..GlbScene::default() }, "neither a character nor a garment"),
        (scene(DT, leak(none)), "no frame"),
        (scene(DT, leak(ragged)), "vertices in frame 2"),
        (scene(DT, leak(bad)), "vertex 2 of garment \"shirt\" is not finite in frame 1"),
        (scene(DT, GlbGarment { faces: &[[0, 1, 4]], ..good_static }), "triangle 0"),
        (scene(DT, GlbGarment { faces: &[], ..good_static }), "no triangle"),
        (scene(DT, GlbGarment { uvs: &UVS[..2], ..good_static }), "texture coordinates"),
        (scene(DT, GlbGarment { color: [f32::NAN; 4], ..good_static }), "colour"),
        (scene(DT, GlbGarment { cuts: &[0], ..good_static }), "a cut at frame 0"),
        (scene(DT, GlbGarment { cuts: &[9], ..good_static }), "a cut at frame 9"),
        (
            GlbScene {
                dt: DT,
                garments: vec![good, GlbGarment { frames: &frames[..2], ..good }],
                ..GlbScene::default()
            },
            "2 frames",
        ),
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.glb");
    for (scene, words) in &cases {
        let error = write_glb(&path, scene, &GlbOptions::default()).unwrap_err().to_string();
        assert!(error.contains(words) && error.lines().count() == 1, "{words}: {error}");
    }
    let one_key = GlbOptions { max_keys: 1, ..GlbOptions::default() };
    assert!(write_glb(&path, &scene(DT, good_static), &one_key).is_err());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
