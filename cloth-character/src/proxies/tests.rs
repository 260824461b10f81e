//! Fits of skins whose best proxies are known, and of skins that have none.

use nalgebra::{Point3, UnitQuaternion, Vector3};
use proptest::prelude::*;

use super::testing::{Mesh, ball, rigid_character, turned};
use super::{
    FittedProxies, LeftOutReason, Override, ProxyError, ProxyKind, ProxyOptions, compute_world_proxies,
    fit_proxies, measure_proxies,
};
use crate::{Affine, Character, CharacterMesh, Joint, Skeleton, SkinDescription};

/// A tapered capsule along y as a mesh: radii at heights 0 and `length`.
fn hull(length: f64, radii: [f64; 2]) -> Mesh {
    let sin = (radii[0] - radii[1]) / length;
    let border = libm::acos(-sin);
    let ring = |end: usize, angle: f64| {
        [radii[end] * libm::sin(angle), [0.0, length][end] - radii[end] * libm::cos(angle)]
    };
    let mut profile: Vec<[f64; 2]> = (1..=8).map(|k| ring(0, border * f64::from(k) / 8.0)).collect();
    profile.extend((0..8).map(|k| ring(1, border + (std::f64::consts::PI - border) * f64::from(k) / 8.0)));
    let (mut positions, faces) = turned(&profile, 24);
    let count = positions.len();
    positions[count - 2].y = -radii[0];
    positions[count - 1].y = length + radii[1];
    (positions, faces)
}

fn one_bone(mesh: Mesh) -> Character {
    rigid_character(&[(None, Point3::origin(), mesh)], 1.0)
}

fn fit(character: &Character) -> FittedProxies {
    fit_proxies(character, &ProxyOptions::default()).unwrap()
}

#[test]
fn a_ball_gets_the_sphere_that_it_is() {
    let center = Point3::new(0.1, 0.5, -0.2);
    let fitted = fit(&one_bone(ball(center, 0.3, 16)));
    assert_eq!(fitted.proxies.len(), 1);
    let kind = fitted.proxies[0].kind;
    for (end, radius) in kind.ends().iter().zip(kind.radii()) {
        assert!((end - center).norm() + (radius - 0.3).abs() < 6e-3, "{kind:?}");
    }
    assert!(fitted.report.total.coverage() >= 0.98 && fitted.report.total.max_excess < 6e-3);
}

#[test]
fn a_tapered_hull_gets_the_capsule_that_it_is() {
    for radii in [[0.12, 0.12], [0.15, 0.06]] {
        let fitted = fit(&one_bone(hull(0.6, radii)));
        assert_eq!(fitted.proxies.len(), 1);
        let mut ends: Vec<_> =
            fitted.proxies[0].kind.ends().into_iter().zip(fitted.proxies[0].kind.radii()).collect();
        ends.sort_by(|a, b| a.0.y.total_cmp(&b.0.y));
        for (k, y) in [0.0, 0.6].into_iter().enumerate() {
            let (end, radius) = ends[k];
            assert!(
                (end - Point3::new(0.0, y, 0.0)).norm() < 8e-3 && (radius - radii[k]).abs() < 6e-3,
                "{ends:?}"
            );
        }
        assert!(fitted.report.total.mean_excess < 4e-3, "{}", fitted.report);
    }
}

#[test]
fn a_cone_gets_the_slope_that_it_has() {
    // A cone that is open to flat ends: the side decides the slope of the radii.
    let profile: Vec<_> = (0..=16).map(|k| [0.16 - 0.1 * f64::from(k) / 16.0, 0.1 * f64::from(k)]).collect();
    let options = ProxyOptions { max_proxies: 1, ..ProxyOptions::default() };
    let fitted = fit_proxies(&one_bone(turned(&profile, 24)), &options).unwrap();
    let kind = fitted.proxies[0].kind;
    let ([a, b], [r0, r1]) = (kind.ends(), kind.radii());
    let slope = (r1 - r0) / (b.y - a.y);
    assert!((slope + 0.1 / 1.6).abs() < 0.012, "{slope} {kind:?}");
    assert!(a.x.hypot(a.z) < 0.01 && b.x.hypot(b.z) < 0.01, "{kind:?}");
}

#[test]
fn a_slab_that_is_wider_than_deep_gets_several_proxies() {
    let mut chest = ball(Point3::new(0.0, 0.9, 0.0), 1.0, 16);
    chest.0.iter_mut().for_each(|p| *p = Point3::new(p.x * 0.25, p.y, p.z * 0.1));
    chest.0.iter_mut().for_each(|p| p.y = 0.9 + (p.y - 0.9) * 0.3);
    let character = one_bone(chest);
    let options = ProxyOptions { height: Some(1.7), max_proxies: 8, ..ProxyOptions::default() };
    let single = fit_proxies(&character, &ProxyOptions { max_proxies: 1, ..options.clone() }).unwrap();
    let several = fit_proxies(&character, &options).unwrap();
    assert_eq!(single.proxies.len(), 1);
    assert!(several.proxies.len() > 1, "{}", several.report);
    assert!(several.report.total.mean_excess < 0.7 * single.report.total.mean_excess, "{}", several.report);
    assert_eq!(several.proxies[1].name, "bone 0.2");
}

/// An upper arm, a forearm, and a hand with two fingers of two joints each.
fn arm(scale: f64) -> Character {
    let at = |x: f64, y: f64| Point3::new(x, y, 0.0);
    let along = |from: f64, to: f64, y: f64, radius: f64| -> Mesh {
        let (positions, faces) = hull(to - from, [radius, radius]);
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), -std::f64::consts::FRAC_PI_2);
        (
            positions.iter().map(|p| Point3::from(turn * p.coords) + Vector3::new(from, y, 0.0)).collect(),
            faces,
        )
    };
    let parts = [
        (None, at(0.0, 1.0), along(0.0, 0.3, 1.0, 0.05)),
        (Some(0), at(0.3, 1.0), along(0.3, 0.55, 1.0, 0.04)),
        (Some(1), at(0.6, 1.0), along(0.6, 0.68, 1.0, 0.045)),
        (Some(2), at(0.73, 1.02), along(0.73, 0.76, 1.02, 0.009)),
        (Some(3), at(0.77, 1.02), along(0.77, 0.79, 1.02, 0.008)),
        (Some(2), at(0.73, 0.98), along(0.73, 0.76, 0.98, 0.009)),
        (Some(5), at(0.77, 0.98), along(0.77, 0.79, 0.98, 0.008)),
    ];
    rigid_character(&parts, scale)
}

fn human() -> ProxyOptions {
    ProxyOptions { height: Some(1.7), ..ProxyOptions::default() }
}

#[test]
fn fingers_are_left_out_and_can_be_put_back() {
    let character = arm(1.0);
    let without = fit_proxies(&character, &human()).unwrap();
    let joints = |fitted: &FittedProxies| fitted.proxies.iter().map(|p| p.joint).collect::<Vec<_>>();
    assert_eq!(joints(&without), [0, 1, 2]);
    let left_out: Vec<_> = without.report.left_out.iter().map(|bone| (bone.joint, bone.reason)).collect();
    assert_eq!(left_out, [3, 4, 5, 6].map(|joint| (joint, LeftOutReason::Finger)));
    let with = fit_proxies(&character, &ProxyOptions { fingers: true, ..human() }).unwrap();
    assert_eq!(joints(&with), [0, 1, 2, 3, 4, 5, 6]);
    assert!((with.proxies[4].kind.radii()[0] - 0.008).abs() < 1e-3, "{:?}", with.proxies[4]);
    let include = Override::Include { bone: "bone 5".into() };
    let one = fit_proxies(&character, &ProxyOptions { overrides: vec![include], ..human() }).unwrap();
    assert_eq!(joints(&one), [0, 1, 2, 5]);
}

#[test]
fn a_small_joint_that_is_no_finger_is_covered_by_its_parent() {
    let eye = ball(Point3::new(0.0, 1.5, 0.1), 0.015, 6);
    let head = ball(Point3::new(0.0, 1.5, 0.0), 0.1, 12);
    let character = rigid_character(
        &[(None, Point3::new(0.0, 1.4, 0.0), head), (Some(0), Point3::new(0.0, 1.5, 0.1), eye)],
        1.0,
    );
    let fitted = fit_proxies(&character, &human()).unwrap();
    assert!(fitted.proxies.iter().all(|proxy| proxy.joint == 0));
    assert_eq!(fitted.report.left_out[0].reason, LeftOutReason::Small);
    // The half of the eye inside the head is hidden and not counted.
    assert!(fitted.report.total.hidden > 10 && fitted.report.total.coverage() >= 0.98, "{}", fitted.report);
}

#[test]
fn a_file_in_centimetres_gets_the_same_proxies_in_the_world() {
    let worlds = [1.0, 100.0].map(|scale| {
        let character = arm(scale);
        let fitted = fit_proxies(&character, &human()).unwrap();
        let (mut world, mut placed) = (Vec::new(), Vec::new());
        character.skeleton.compute_world(&character.bind_pose(), &mut world);
        compute_world_proxies(&fitted.proxies, &world, &mut placed);
        placed
    });
    assert_eq!(worlds[0].len(), worlds[1].len());
    for (a, b) in worlds[0].iter().zip(&worlds[1]) {
        assert!(
            (a.radii[0] - b.radii[0]).abs() < 2e-3 && (a.radii[1] - b.radii[1]).abs() < 2e-3,
            "{a:?} {b:?}"
        );
    }
}

#[test]
fn proxies_follow_a_bent_elbow() {
    let character = arm(1.0);
    let fitted = fit_proxies(&character, &human()).unwrap();
    let mut pose = character.bind_pose();
    pose.locals[1].rotation = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 1.2);
    let mut world = Vec::new();
    character.skeleton.compute_world(&pose, &mut world);
    let report = measure_proxies(&character, &fitted.proxies, &world, &human()).unwrap();
    assert!(report.total.coverage() > 0.97, "{report}");
    let identity = vec![Affine::IDENTITY; 7];
    let astray = measure_proxies(&character, &fitted.proxies, &identity, &human()).unwrap();
    assert!(astray.height == report.height);
}

#[test]
fn overrides_add_drop_resize_and_exclude() {
    let character = arm(1.0);
    let with = |overrides: Vec<Override>| fit_proxies(&character, &ProxyOptions { overrides, ..human() });
    let plain = with(vec![]).unwrap();
    let kind = ProxyKind::Sphere { center: Point3::origin(), radius: 0.06 };
    let added = with(vec![Override::Add { name: "elbow".into(), bone: "bone 1".into(), kind }]).unwrap();
    assert_eq!(added.proxies.last().map(|p| (p.name.as_str(), p.joint)), Some(("elbow", 1)));
    assert!(added.report.total.max_excess > plain.report.total.max_excess);
    let dropped = with(vec![Override::Drop { proxy: "bone 1".into() }]).unwrap();
    assert_eq!(dropped.proxies.len(), 2);
    assert!(dropped.report.total.coverage() < 0.9, "{}", dropped.report);
    let resized = with(vec![Override::Resize { proxy: "bone 0".into(), factor: 2.0 }]).unwrap();
    assert_eq!(resized.proxies[0].kind, plain.proxies[0].kind.resized(2.0));
    let excluded = with(vec![Override::Exclude { bone: "bone 1".into() }]).unwrap();
    assert_eq!(excluded.report.left_out[0].reason, LeftOutReason::Excluded);
    assert!(excluded.report.total.coverage() >= 0.98 && excluded.proxies.len() == 2);
    let error = with(vec![Override::Exclude { bone: "bonw 1".into() }]).unwrap_err();
    assert!(matches!(&error, ProxyError::UnknownBone { nearest: Some(n), .. } if n == "bone 1"), "{error}");
    let error = with(vec![Override::Drop { proxy: "bone 4".into() }]).unwrap_err();
    assert!(error.to_string().ends_with("the proxies are: bone 0, bone 1, bone 2"), "{error}");
}

#[test]
fn the_same_character_gets_the_same_bits() {
    assert_eq!(fit(&arm(1.0)), fit(&arm(1.0)));
}

#[test]
fn a_character_without_skin_gets_no_proxies() {
    let bare = Character { skeleton: Skeleton::new(vec![Joint::default()]).unwrap(), ..Character::default() };
    assert_eq!(fit(&bare).proxies, []);
    assert_eq!(fit(&Character::default()).report.total.coverage(), 1.0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]
    #[test]
    fn degenerate_characters_neither_panic_nor_give_invalid_shapes(
        points in prop::collection::vec([-1.0..1.0f32, -1.0..1.0, -1.0..1.0], 0..24),
        faces in prop::collection::vec([0..28u32, 0..28, 0..28], 0..20),
        owners in prop::collection::vec(0..3u32, 24),
        scale in prop::sample::select(vec![0.0f32, 1e-30, 1e-3, 1.0, 1e12]),
        flat in any::<bool>(),
        zero in any::<bool>(),
    ) {
        let joint = |parent| Joint { parent, ..Joint::default() };
        let mut joints = vec![joint(None), joint(Some(0)), joint(Some(1))];
        joints[2].rest.scale = if zero { Vector3::zeros() } else { Vector3::repeat(1.0) };
        let skeleton = Skeleton::new(joints).unwrap();
        let positions: Vec<_> = points
            .iter()
            .map(|p| Point3::new(p[0], if flat { 0.0 } else { p[1] }, p[2]) * scale)
            .collect();
        let skin = SkinDescription {
            joints: vec![0, 1, 2],
            influences: 1,
            entries: owners[..positions.len()].to_vec(),
            weights: vec![1.0; positions.len()],
            positions,
            ..SkinDescription::default()
        };
        let mesh = CharacterMesh { skin: skin.build(3).unwrap(), faces, ..CharacterMesh::default() };
        let character = Character { skeleton, meshes: vec![mesh], ..Character::default() };
        let options = ProxyOptions { max_proxies: 5, ..ProxyOptions::default() };
        if let Ok(fitted) = fit_proxies(&character, &options) {
            prop_assert!(fitted.proxies.iter().all(|proxy| proxy.kind.is_valid()));
            let figures = fitted.report.total;
            let are_finite = figures.mean_excess.is_finite() && figures.max_undercut.is_finite();
            prop_assert!(are_finite, "{:?}", figures);
        }
    }
}
