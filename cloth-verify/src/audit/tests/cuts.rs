//! Cuts made by hand: what a cut may move, and what it may not.

use cloth_solver::{
    AcceptedMotion, ClothDesc, ClothId, Cut, Material, Settings, SimulationBuilder, Thickness,
};
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use super::{cloth, motion, points, step};
use crate::audit::{AuditScene, Auditor, FindingKind};

/// Two cloths, vertices 0 to 3 and 4 to 7, and a body, 8 to 10, which is above the first.
const FACES: [[u32; 3]; 5] = [[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7], [8, 9, 10]];

fn start() -> Vec<Point3<f32>> {
    let square = |x: f32| [[x, 0.0, 0.0], [x + 1.0, 0.0, 0.0], [x + 1.0, 0.0, 1.0], [x, 0.25, 1.0]];
    let body = [[0.25, 1.0, 0.25], [0.75, 1.0, 0.25], [0.5, 1.5, 0.5]];
    points(&[&square(0.0)[..], &square(5.0), &body].concat())
}

fn scene() -> AuditScene {
    AuditScene {
        part: [[0; 4], [1; 4], [2; 4]].concat()[..11].to_vec(),
        is_body: (0..11).map(|v| v >= 8).collect(),
        cloths: ids(),
        ..cloth(&FACES, 11)
    }
}

/// The ids of two cloths.
fn ids() -> Vec<ClothId> {
    let mut builder = SimulationBuilder::new(Settings::default());
    let sheet = cloth_geom::fixtures::sheet(2, 2, [0.1, 0.1]).expect("a sheet").mesh;
    let desc = ClothDesc::new(sheet, Material::COTTON, Thickness::from_total(0.001, 0.2));
    (0..2).map(|_| builder.add_cloth(desc.clone())).collect()
}

/// A quarter turn about an axis of no kind, and 20 m.
fn elsewhere() -> Isometry3<f32> {
    let axis = nalgebra::Unit::new_normalize(Vector3::new(0.3, 0.8, -0.2));
    let turn = UnitQuaternion::from_axis_angle(&axis, std::f32::consts::FRAC_PI_2);
    Isometry3::from_parts(Vector3::new(12.0, 3.0, -16.0).into(), turn)
}

fn of(cloth: usize) -> Cut {
    Cut { cloth: ids()[cloth], metres: 20.0, degrees: 90.0 }
}

/// What is found in a step of one motion over cuts, which puts the vertices where `place` says.
fn findings(cuts: &[Cut], place: impl Fn(usize, &Point3<f32>) -> Point3<f32>) -> Vec<FindingKind> {
    let before = start();
    let after: Vec<Point3<f32>> = before.iter().enumerate().map(|(v, p)| place(v, p)).collect();
    let mut auditor = Auditor::new(&scene(), &before).unwrap();
    auditor.begin_step();
    auditor.motion(&AcceptedMotion { cuts, ..motion(&after, &after) });
    auditor.end_step(true);
    step(&mut auditor, &after, &after);
    auditor.findings().iter().map(|finding| finding.kind).collect()
}

/// Puts the vertices of a range elsewhere.
fn moved(range: std::ops::Range<usize>) -> impl Fn(usize, &Point3<f32>) -> Point3<f32> {
    move |v, p| if range.contains(&v) { elsewhere() * p } else { *p }
}

#[test]
fn a_cut_takes_its_cloths_and_bodies_elsewhere_as_a_whole() {
    assert_eq!(findings(&[of(0)], moved(0..4)), []);
    assert_eq!(findings(&[of(0), of(1)], moved(0..11)), [], "with the body");
    assert_eq!(findings(&[], moved(0..4)), [FindingKind::Jump], "nobody said so");
}

#[test]
fn a_cut_that_moves_more_than_it_says_is_found() {
    let is_false = |found: Vec<FindingKind>| found.contains(&FindingKind::FalseCut);
    assert!(is_false(findings(&[of(0)], moved(0..8))), "another cloth goes along");
    assert!(is_false(findings(&[of(0)], moved(0..9))), "a part of the body goes along");
    assert!(is_false(findings(&[of(0)], |v, p| if v == 6 {
        p + Vector3::y() * 1e-6
    } else {
        moved(0..4)(v, p)
    })));
    assert!(is_false(findings(&[of(1)], moved(0..4))), "the other cloth was cut");
    assert!(is_false(findings(&[of(0), of(0)], moved(0..4))), "one cloth twice");
    assert!(is_false(findings(&[Cut { degrees: 90.1, ..of(0) }], moved(0..4))), "another turn");
}

#[test]
fn a_cut_that_bends_or_stretches_cloth_is_found() {
    // A thousand times the rounding of places 20 m away.
    let off = 2e-3;
    for v in 0..4 {
        for k in 0..3 {
            let found = findings(&[of(0)], |w, p| {
                let p = moved(0..4)(w, p);
                if w == v { p + Vector3::ith(k, off) } else { p }
            });
            assert_eq!(found[0], FindingKind::FalseCut, "vertex {v} along axis {k}");
        }
    }
}

#[test]
fn what_intersects_after_a_cut_is_a_tangle_of_a_start() {
    // Into the other cloth, upright.
    let into = Isometry3::from_parts(
        Vector3::new(5.51, -0.3, 0.4).into(),
        UnitQuaternion::from_axis_angle(&Vector3::x_axis(), -std::f32::consts::FRAC_PI_2),
    );
    let before = start();
    let after: Vec<Point3<f32>> =
        before.iter().enumerate().map(|(v, p)| if v < 4 { into * p } else { *p }).collect();
    let mut auditor = Auditor::new(&scene(), &before).unwrap();
    auditor.begin_step();
    auditor.motion(&AcceptedMotion { cuts: &[of(0)], ..motion(&after, &after) });
    auditor.end_step(true);
    assert!(auditor.findings().is_empty(), "{:?}", auditor.findings());
    assert_eq!((auditor.exemptions().tangles(), auditor.figures().cuts), (1, 1));
    // A step that fails takes it back.
    let mut auditor = Auditor::new(&scene(), &before).unwrap();
    auditor.begin_step();
    auditor.motion(&AcceptedMotion { cuts: &[of(0)], ..motion(&after, &after) });
    auditor.end_step(false);
    assert!(auditor.exemptions().is_empty());
    step(&mut auditor, &before, &before);
    assert!(auditor.findings().is_empty(), "{:?}", auditor.findings());
}
