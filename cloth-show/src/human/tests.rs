use cloth_character::{Affine, Chain, ChainItem, Motion, MotionSample, Playback, RootMotion, SkinMatrix};
use cloth_contacts::intersect::Checker;
use cloth_geom::Topology;
use nalgebra::Point3;

use super::*;

fn built_in() -> &'static FittedCharacter {
    human().expect("the built-in character")
}

fn skin_at(character: &Character, world: &[Affine]) -> Vec<Point3<f64>> {
    let skin = &character.meshes[0].skin;
    let (mut matrices, mut positions) = (Vec::<SkinMatrix>::new(), vec![Point3::origin(); skin.len()]);
    skin.compute_matrices(world, &mut matrices);
    skin.deform_positions(&matrices, &mut positions).expect("as long as the skin");
    positions.iter().map(|p| p.cast()).collect()
}

fn topology() -> Topology {
    let mesh = &built_in().character.meshes[0];
    Topology::new(mesh.skin.len(), &mesh.faces).expect("a surface")
}

fn intersections(positions: &[Point3<f64>], topology: &Topology) -> usize {
    Checker::default().check(positions, topology).expect("finite").count()
}

fn motion(clip: &str, root_motion: RootMotion) -> Motion {
    let character = built_in().character.clone();
    let playback = Playback::new(character.find_clip(clip).expect("a clip"));
    Motion::from_clip(character, playback, root_motion).expect("a motion")
}

#[test]
fn the_skin_is_one_closed_surface_of_human_size() {
    let mesh = built_in().character.meshes[0].unposed_mesh();
    let topology = topology();
    assert!((0..topology.edges().len()).all(|e| topology.edge_faces(e).len() == 2), "closed");
    // Of a sphere: one piece, no handle.
    let [v, e, f] = [mesh.positions.len(), topology.edges().len(), mesh.faces.len()].map(|n| n as i64);
    assert_eq!(v - e + f, 2, "{v} vertices, {e} edges, {f} faces");
    let bounds = mesh.bounds();
    let size = bounds.max - bounds.min;
    assert!((size.y - 1.7).abs() < 0.03 && bounds.min.y.abs() < 0.02, "{bounds:?}");
    let volume: f64 = mesh
        .faces
        .iter()
        .map(|f| {
            let [a, b, c] = f.map(|v| mesh.positions[v as usize].coords);
            a.cross(&b).dot(&c) / 6.0
        })
        .sum();
    // 50 to 80 kg at the density of water; positive, so that faces look outward.
    assert!((0.050..0.080).contains(&volume), "{volume} m3");
}

#[test]
fn the_skin_has_no_intersection_in_the_bind_pose() {
    let mesh = built_in().character.meshes[0].unposed_mesh();
    assert_eq!(intersections(&mesh.positions, &topology()), 0);
}

#[test]
fn the_skin_has_even_triangles_and_is_symmetric() {
    let mesh = built_in().character.meshes[0].unposed_mesh();
    let edges = topology().edges().to_vec();
    let lengths =
        edges.iter().map(|&[a, b]| (mesh.positions[b as usize] - mesh.positions[a as usize]).norm());
    let [low, high] = lengths.fold([f64::MAX, 0.0], |[low, high], l| [low.min(l), high.max(l)]);
    assert!(low > 0.25 * CELL && high < 2.5 * CELL, "edges from {low} to {high} m");
    let mirrored = |p: &Point3<f64>| {
        let image = Point3::new(-p.x, p.y, p.z);
        mesh.positions.iter().map(|q| (q - image).norm()).fold(f64::MAX, f64::min)
    };
    let worst = mesh.positions.iter().step_by(7).map(mirrored).fold(0.0, f64::max);
    assert!(worst < 1e-6, "{worst}");
}

#[test]
fn a_vertex_follows_the_joints_next_to_it() {
    let character = &built_in().character;
    let skin = &character.meshes[0].skin;
    for v in 0..skin.len() {
        let total: f32 = skin.influences(v).map(|(_, weight)| weight).sum();
        assert!((total - 1.0).abs() < 1e-5 && skin.influences(v).count() <= 4);
        let x = skin.positions()[v].x;
        let name = &character.skeleton.joints()[skin.dominant_joint(v).expect("a joint")].name;
        let is_wrong = x > 0.02 && name.ends_with(".R") || x < -0.02 && name.ends_with(".L");
        assert!(!is_wrong, "vertex {v} at x = {x} follows {name}");
    }
}

#[test]
fn the_skin_has_no_intersection_in_any_clip() {
    let topology = topology();
    for clip in ["walk", "run", "idle", "dance"] {
        let motion = motion(clip, RootMotion::Remove);
        let mut sample = MotionSample::default();
        let length =
            built_in().character.clips[built_in().character.find_clip(clip).expect("a clip")].length();
        let counts = (0..24).map(|k| {
            motion.sample(f64::from(k) / 24.0 * length, &mut sample);
            intersections(&skin_at(&built_in().character, &sample.world), &topology)
        });
        let counts: Vec<usize> = counts.collect();
        assert!(counts.iter().all(|&n| n == 0), "{clip}: {counts:?}");
    }
}

#[test]
fn clips_are_loops_that_go_where_they_say() {
    for (clip, speed) in [("walk", 1.2), ("run", 3.0), ("idle", 0.0), ("dance", 0.0)] {
        let character = &built_in().character;
        let length = character.clips[character.find_clip(clip).expect("a clip")].length();
        let motion = motion(clip, RootMotion::Accumulate);
        let at = |time: f64| {
            let mut sample = MotionSample::default();
            motion.sample(time, &mut sample);
            sample.world.iter().map(Affine::origin).collect::<Vec<_>>()
        };
        let gone = at(3.0 * length)[0].z - at(0.0)[0].z;
        assert!((gone - 3.0 * length * speed).abs() < 1e-6, "{clip}: {gone} m");
        // Over the seam no joint moves farther than elsewhere.
        let step = |time: f64| {
            let (a, b) = (at(time), at(time + 1.0 / 60.0));
            a.iter().zip(&b).map(|(a, b)| (b - a).norm()).fold(0.0, f64::max)
        };
        let elsewhere = (0..60).map(|k| step(f64::from(k) / 61.0 * (length - 0.02))).fold(0.0, f64::max);
        let seam = step(length - 1.0 / 120.0);
        assert!(seam <= elsewhere, "{clip}: {seam} m over the seam, {elsewhere} elsewhere");
        assert!(elsewhere < 0.25, "{clip}: {elsewhere} m in a frame");
    }
}

#[test]
fn proxies_cover_the_skin() {
    let report = &built_in().fitted.report.total;
    println!("{report:?}");
    assert!(report.coverage() >= 0.98 && built_in().fitted.proxies.len() <= MAX_PROXIES);
    assert!(report.max_undercut <= 0.0051 && report.max_excess <= 0.045, "{report:?}");
}

#[test]
fn it_is_the_same_when_it_is_made_again() {
    let again = make().expect("a character");
    assert_eq!(*again.character, *built_in().character);
    assert_eq!(again.fitted.proxies, built_in().fitted.proxies);
    let items = vec![ChainItem { playback: Playback::new(0), duration: None }];
    assert!(Chain { items, ..Chain::default() }.build(Arc::new(Character::clone(&again.character))).is_ok());
}
