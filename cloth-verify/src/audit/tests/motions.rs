//! Motions made by hand.

use cloth_solver::{AcceptedMotion, ExaminedPair, ReleasedPair};
use nalgebra::{Point3, Vector3};

use super::{cloth, motion, points, step};
use crate::audit::{AuditScene, Auditor, Finding, FindingKind, Pair};

/// A flat triangle, vertices 0 to 2, and an upright one, 3 to 5, whose lowest vertex is 5.
const FACES: [[u32; 3]; 2] = [[0, 1, 2], [3, 4, 5]];

/// Both triangles, the upright one at a height; all moved and scaled.
fn at(height: f32, scale: f32, offset: f32) -> Vec<Point3<f32>> {
    let flat = [[-1.0, 0.0, -1.0], [1.0, 0.0, -1.0], [0.0, 0.0, 1.0]];
    let upright = [[-0.25, height + 0.5, 0.0], [0.25, height + 0.5, 0.0], [0.0, height, 0.0]];
    points(&[flat, upright].concat()).iter().map(|p| p * scale + Vector3::repeat(offset)).collect()
}

fn audit(t0: &[Point3<f32>], t1: &[Point3<f32>]) -> Auditor {
    let mut auditor = Auditor::new(&cloth(&FACES, 6), t0).unwrap();
    step(&mut auditor, t0, t1);
    auditor
}

fn kinds(auditor: &Auditor) -> Vec<FindingKind> {
    auditor.findings().iter().map(|finding| finding.kind).collect()
}

#[test]
fn finds_a_vertex_through_a_face_at_any_scale_and_offset() {
    for (scale, offset) in [(1.0, 0.0), (1e-4, 0.0), (1e4, 0.0), (1e-30, 0.0), (0.25, 1e5), (1.0, -1e5)] {
        let auditor = audit(&at(0.5, scale, offset), &at(-0.25, scale, offset));
        let [found] = auditor.findings() else { panic!("{scale} {offset}: {:?}", auditor.findings()) };
        assert_eq!((found.kind, found.pair), (FindingKind::Crossing, Some(Pair::vertex_face(5, [0, 1, 2]))));
        assert_eq!(found.to_string(), "step 0, substep 0: vertex 5 and face (0, 1, 2) met, a certified pair");
    }
}

#[test]
fn a_triangle_that_jumps_wholly_through_another_in_one_substep_is_found() {
    let auditor = audit(&at(0.5, 1.0, 0.0), &at(-2.0, 1.0, 0.0));
    assert_eq!(auditor.figures().crossings, 3, "each vertex");
}

#[test]
fn finds_a_vertex_reaching_a_face_but_not_one_an_ulp_short() {
    for scale in [1.0, 1e-4, 1e4] {
        let touching = audit(&at(0.5, scale, 0.0), &at(0.0, scale, 0.0));
        assert_eq!(kinds(&touching), [FindingKind::Crossing]);
        let mut end = at(0.0, scale, 0.0);
        for least in [f32::from_bits(1), scale * f32::EPSILON] {
            end[5].y = least;
            let apart = audit(&at(0.5, scale, 0.0), &end);
            assert_eq!((kinds(&apart), apart.figures().crossings), (vec![], 0), "{least}");
        }
    }
}

#[test]
fn far_from_the_origin_an_ulp_is_the_difference() {
    let offset = 1e5_f32;
    let start = at(0.5, 1.0, offset);
    let mut end = at(0.0, 1.0, offset);
    assert_eq!(audit(&start, &end).figures().crossings, 1);
    end[5].y = offset.next_up();
    assert_eq!(audit(&start, &end).figures().crossings, 0);
}

/// Two triangles whose edges (0, 1) and (3, 4) cross at a right angle; the second at a height.
fn crossed(height: f32) -> Vec<Point3<f32>> {
    let low = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]];
    let high = [[0.0, height, -1.0], [0.0, height, 1.0], [0.0, height + 1.0, 0.0]];
    points(&[low, high].concat())
}

#[test]
fn finds_edges_that_cross_or_touch_but_not_those_stopping_short() {
    let end_at = |height: f32| kinds(&audit(&crossed(0.25), &crossed(height)));
    assert_eq!(end_at(-0.25), [FindingKind::Crossing]);
    assert_eq!(end_at(0.0), [FindingKind::Crossing]);
    assert_eq!(end_at(f32::from_bits(1)), []);
}

/// Two triangles in one plane, the second so far (m) beside the first.
fn coplanar(gap: f32, along: f32) -> Vec<Point3<f32>> {
    let left = [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.5]];
    let right = [[gap, 0.0, along], [gap, 0.0, along + 1.0], [gap + 1.0, 0.0, along + 0.5]];
    points(&[left, right].concat())
}

#[test]
fn finds_coplanar_triangles_that_slide_into_but_not_past_each_other() {
    let past = audit(&coplanar(1e-6, -0.5), &coplanar(1e-6, 0.5));
    assert_eq!((past.figures().crossings, past.figures().exact), (0, 0), "a plane shows it");
    let into = audit(&coplanar(0.25, 0.0), &coplanar(-0.25, 0.0));
    assert!(into.figures().crossings > 0);
}

#[test]
fn a_motion_that_turns_around_something_is_decided_without_exact_arithmetic() {
    // The upright triangle goes round the flat one by a long path, corner by corner.
    let mut end = at(0.5, 1.0, 0.0);
    end[3..].iter_mut().for_each(|p| *p += Vector3::new(3.0, -0.45, 0.0));
    let auditor = audit(&at(0.5, 1.0, 0.0), &end);
    assert_eq!((kinds(&auditor), auditor.figures().exact), (vec![], 0));
}

#[test]
fn a_motion_that_begins_elsewhere_is_a_jump_unless_somebody_said_so() {
    let (a, b, c) = (at(0.5, 1.0, 0.0), at(0.4, 1.0, 0.0), at(0.3, 1.0, 0.0));
    let mut auditor = Auditor::new(&cloth(&FACES, 6), &a).unwrap();
    step(&mut auditor, &b, &c);
    assert_eq!(kinds(&auditor), [FindingKind::Jump]);
    let mut auditor = Auditor::new(&cloth(&FACES, 6), &a).unwrap();
    auditor.state_replaced(&b).unwrap();
    step(&mut auditor, &b, &c);
    assert_eq!(kinds(&auditor), []);
    auditor.begin_step();
    auditor.motion(&motion(&c, &a));
    auditor.end_step(false);
    step(&mut auditor, &c, &b);
    assert_eq!(kinds(&auditor), [], "a step that failed is void");
}

#[test]
fn releasing_cloth_from_cloth_fails_and_releasing_a_body_exempts_it() {
    let (start, through) = (at(0.5, 1.0, 0.0), at(-0.25, 1.0, 0.0));
    let released = [ReleasedPair { vertices: [5, 2, 0, 1], split: 1 }];
    let run = |scene: &AuditScene| {
        let mut auditor = Auditor::new(scene, &start).unwrap();
        auditor.begin_step();
        auditor.motion(&AcceptedMotion { released: &released, ..motion(&start, &through) });
        auditor.end_step(true);
        step(&mut auditor, &through, &at(-0.375, 1.0, 0.0));
        (kinds(&auditor), auditor.exemptions().tangles(), auditor.figures().exempt_pair_substeps)
    };
    let (found, ..) = run(&cloth(&FACES, 6));
    assert_eq!(found[0], FindingKind::ClothReleased);
    let is_body = [[true; 3], [false; 3]].concat();
    let body = AuditScene { is_body, part: vec![0, 0, 0, 1, 1, 1], ..cloth(&FACES, 6) };
    let (found, tangles, exempt) = run(&body);
    assert_eq!((found, tangles), (vec![], 1));
    assert!(exempt > 1);
}

#[test]
fn a_pair_within_its_clearance_that_was_not_examined_is_found() {
    // 0.05 times twice 0.5 mm.
    let clearance = 0.05 * 1e-3;
    let examined = |round: u32| ExaminedPair { vertices: [5, 0, 1, 2], split: 1, round };
    let run = |heights: [f32; 2], examined: &[ExaminedPair]| -> Vec<Finding> {
        let [t0, t1] = heights.map(|height| at(height, 1.0, 0.0));
        let mut auditor = Auditor::new(&cloth(&FACES, 6), &t0).unwrap();
        auditor.begin_step();
        auditor.motion(&AcceptedMotion { examined: Some(examined), ..motion(&t0, &t1) });
        auditor.end_step(true);
        auditor.findings().to_vec()
    };
    let (near, far) = (0.99 * clearance, 1.01 * clearance);
    for heights in [[near, far], [far, near], [near, near]] {
        let found = run(heights, &[]);
        assert_eq!(found.len(), 1, "{heights:?}");
        assert_eq!((found[0].kind, found[0].pair.unwrap().vertices), (FindingKind::Incomplete, [5, 0, 1, 2]));
        assert!(run(heights, &[examined(1)]).is_empty());
    }
    assert!(run([far, far], &[]).is_empty());
    assert!(run([far, near], &[examined(3)]).is_empty(), "a later round has examined what became near");
    assert_eq!(run([near, far], &[examined(2)]).len(), 1, "what is near at the start is for the first round");
}

#[test]
fn a_crossing_can_be_reproduced_from_its_bits() {
    let auditor = audit(&at(0.5, 1.0, 0.0), &at(-0.25, 1.0, 0.0));
    let text = serde_json::to_string(&auditor.findings()[0]).unwrap();
    let found: Finding = serde_json::from_str(&text).unwrap();
    let heights = [&found.x_t0, &found.x_t1].map(|bits| f32::from_bits(bits[0][1]));
    assert_eq!((heights, &found), ([0.5, -0.25], &auditor.findings()[0]));
}
