//! Tangled starts: what is admitted, how far it reaches, and when it is over.

use cloth_contacts::tangle;
use cloth_geom::fixtures::{icosphere, jitter, sheet};
use cloth_geom::{Topology, TriMesh};
use nalgebra::{Point3, Vector3};

use super::{cloth, step};
use crate::audit::contour::contours;
use crate::audit::search::{brute_force_intersections, intersections};
use crate::audit::{AuditScene, Auditor, FindingKind};

/// Meshes behind each other in common arrays.
fn joined(meshes: &[TriMesh]) -> (Vec<[u32; 3]>, Vec<Point3<f32>>) {
    let (mut faces, mut at) = (Vec::new(), Vec::new());
    for mesh in meshes {
        let first = at.len() as u32;
        faces.extend(mesh.faces.iter().map(|f| f.map(|v| v + first)));
        at.extend(mesh.positions_f32());
    }
    (faces, at)
}

/// A flat sheet of `n` x `n` vertices, and an upright one that cuts it along a line; both of side 1.
fn crossed_sheets(n: usize) -> (AuditScene, Vec<Point3<f32>>) {
    let flat = jitter(&sheet(n, n, [1.0, 1.0]).unwrap().mesh, 1e-3, 1).unwrap();
    let upright = jitter(&sheet(n, n, [1.0, 1.0]).unwrap().mesh, 1e-3, 2).unwrap();
    let upright = upright.mapped(|p| Point3::new(p.x + 0.3, p.z + 0.013, 0.011));
    let (faces, at) = joined(&[flat, upright]);
    (cloth(&faces, at.len()), at)
}

/// A ball that has sunk into a sheet.
fn ball_in_sheet(body: bool) -> (AuditScene, Vec<Point3<f32>>) {
    let flat = jitter(&sheet(12, 12, [1.0, 1.0]).unwrap().mesh, 1e-3, 1).unwrap();
    let ball = icosphere(2, 0.3).unwrap().translated(Vector3::new(0.01, 0.21, 0.02));
    let (faces, at) = joined(&[flat, ball]);
    let is_body = (0..at.len()).map(|v| body && v >= 144).collect();
    let part = (0..at.len()).map(|v| u16::from(v >= 144)).collect();
    (AuditScene { is_body, part, ..cloth(&faces, at.len()) }, at)
}

#[test]
fn intersections_by_boxes_are_those_by_all_pairs() {
    for (scene, at) in [crossed_sheets(8), ball_in_sheet(false)] {
        let rules = crate::audit::scene::Rules::new(&scene).unwrap();
        let all = brute_force_intersections(&rules, &at);
        assert!(all.len() > 10);
        assert_eq!(intersections(&rules, &at), all);
    }
}

#[test]
fn contours_are_those_of_the_tracer_that_recovery_uses() {
    // Two tracers that have nothing in common agree on hits and sides.
    for (scene, at) in [crossed_sheets(8), ball_in_sheet(false), ball_in_sheet(true)] {
        let rules = crate::audit::scene::Rules::new(&scene).unwrap();
        let all = brute_force_intersections(&rules, &at);
        let topology = Topology::new(at.len(), &scene.faces).unwrap();
        let sorted = |hits: &[[u32; 2]], sides: &[Vec<u32>; 2]| {
            let (mut hits, mut sides) = (hits.to_vec(), sides.clone());
            hits.sort_unstable();
            sides.sort();
            (hits, sides)
        };
        let mut mine: Vec<_> = contours(&all, &topology).iter().map(|c| sorted(&c.hits, &c.sides)).collect();
        let mut theirs: Vec<_> =
            tangle::trace(&all, &topology).iter().map(|c| sorted(&c.hits, &c.sides)).collect();
        mine.sort();
        theirs.sort();
        assert_eq!(mine, theirs);
    }
}

#[test]
fn a_start_without_intersections_exempts_nothing() {
    let (scene, mut at) = ball_in_sheet(false);
    at[144..].iter_mut().for_each(|p| p.y += 1.0);
    let auditor = Auditor::new(&scene, &at).unwrap();
    assert!(auditor.exemptions().is_empty() && auditor.figures().tangled_at_start == 0);
}

#[test]
fn a_tangle_may_move_until_it_is_over_and_is_certified_then() {
    let (scene, tangled) = ball_in_sheet(false);
    let lifted = |height: f32| {
        let mut at = tangled.clone();
        at[144..].iter_mut().for_each(|p| p.y += height);
        at
    };
    let mut auditor = Auditor::new(&scene, &tangled).unwrap();
    assert_eq!(auditor.exemptions().tangles(), 1);
    step(&mut auditor, &tangled, &lifted(0.05));
    assert_eq!(auditor.exemptions().tangles(), 1);
    step(&mut auditor, &lifted(0.05), &lifted(0.3));
    assert!(auditor.findings().is_empty() && auditor.exemptions().is_empty(), "{:?}", auditor.findings());
    step(&mut auditor, &lifted(0.3), &tangled);
    assert!(auditor.figures().crossings > 0, "back again is a crossing");
}

#[test]
fn a_tangle_reaches_six_rings_and_no_farther() {
    let (scene, at) = crossed_sheets(24);
    let auditor = Auditor::new(&scene, &at).unwrap();
    assert_eq!(auditor.exemptions().tangles(), 1);
    // The upright sheet, from its half on, is tilted over: what is far above the contour lies down on the
    // flat sheet.
    let fold = |share: f32| {
        let mut end = at.clone();
        for p in end[576..].iter_mut().filter(|p| p.y > 0.4) {
            let arm = p.y - 0.4;
            *p = Point3::new(p.x, 0.4 - share * (arm + 0.5), p.z + 0.2 + 0.5 * arm);
        }
        end
    };
    let mut auditor = auditor;
    auditor.state_replaced(&fold(0.0)).unwrap();
    step(&mut auditor, &fold(0.0), &fold(1.0));
    assert!(auditor.figures().crossings > 0 && auditor.figures().exempt_pair_substeps > 0);
    assert_eq!(auditor.findings()[0].kind, FindingKind::Crossing);
}

#[test]
fn cloth_in_a_body_and_all_of_the_body_are_exempt() {
    let (scene, at) = ball_in_sheet(true);
    let mut auditor = Auditor::new(&scene, &at).unwrap();
    // The ball goes on down through the middle of the sheet, as far as its other side.
    let mut down = at.clone();
    down[144..].iter_mut().for_each(|p| p.y -= 0.15);
    step(&mut auditor, &at, &down);
    assert!(auditor.findings().is_empty(), "{:?}", auditor.findings());
    // As cloth, a ball of 162 vertices is within six rings of the contour as a whole; a body has no need of
    // rings.
    assert!(auditor.figures().exempt_pair_substeps > 100);
}

#[test]
fn a_vertex_starting_on_a_face_is_exempt_until_it_leaves() {
    let faces = [[0, 1, 2], [0, 1, 3]];
    let at = |y: f32| super::points(&[[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 2.0], [0.0, y, 1.0]]);
    let mut auditor = Auditor::new(&cloth(&faces, 4), &at(0.0)).unwrap();
    assert_eq!((auditor.exemptions().tangles(), auditor.exemptions().touching()), (0, 1));
    step(&mut auditor, &at(0.0), &at(0.0));
    step(&mut auditor, &at(0.0), &at(0.1));
    assert!(auditor.findings().is_empty() && auditor.exemptions().is_empty());
    step(&mut auditor, &at(0.1), &at(-0.1));
    assert_eq!(auditor.figures().crossings, 1);
}

#[test]
fn a_failed_step_keeps_exemptions_and_claims_about_tangles_are_false() {
    let (scene, tangled) = crossed_sheets(8);
    let mut apart = tangled.clone();
    apart[64..].iter_mut().for_each(|p| p.y += 2.0);
    let mut auditor = Auditor::new(&scene, &tangled).unwrap();
    auditor.begin_step();
    auditor.motion(&super::motion(&tangled, &apart));
    auditor.end_step(false);
    assert_eq!(auditor.exemptions().tangles(), 1, "the step was undone");
    auditor.check_claims(|_| false);
    assert!(auditor.findings().is_empty());
    auditor.check_claims(|_| true);
    assert_eq!(auditor.findings()[0].kind, FindingKind::FalseClaim);
}

#[test]
fn a_checkpoint_restores_the_exemptions() {
    let (scene, tangled) = crossed_sheets(8);
    let mut apart = tangled.clone();
    apart[64..].iter_mut().for_each(|p| p.y += 2.0);
    let mut auditor = Auditor::new(&scene, &tangled).unwrap();
    let kept = auditor.checkpoint();
    step(&mut auditor, &tangled, &apart);
    assert!(auditor.exemptions().is_empty());
    auditor.restored(&kept).unwrap();
    assert_eq!(auditor.exemptions().tangles(), 1);
    step(&mut auditor, &tangled, &apart);
    assert!(auditor.findings().is_empty());
}
