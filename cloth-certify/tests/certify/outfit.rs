//! Garments and bodies together: what belongs to what, what is inside, how deep, and how much of it.

use cloth_certify::cloth_geom::fixtures::{icosphere, sheet};
use cloth_certify::cloth_geom::{SurfaceTree, TriMesh, surface_tree::reference};
use cloth_certify::nalgebra::{Point3, Rotation3, Vector3, center};
use cloth_certify::{KindCounts, Outfit, OutfitReport, PairKind, Search};
use proptest::prelude::*;
use rayon::prelude::*;

/// Parts of an outfit as one: its arrays, and which parts are bodies.
struct Parts {
    all: TriMesh,
    part: Vec<u16>,
    is_body: Vec<bool>,
}

fn parts(cloths: &[TriMesh], bodies: &[TriMesh]) -> Parts {
    let (mut all, mut part) = (TriMesh::default(), Vec::new());
    for (k, mesh) in (0..).zip(cloths.iter().chain(bodies)) {
        all.append(mesh);
        part.resize(all.positions.len(), k);
    }
    let is_body = (0..cloths.len() + bodies.len()).map(|k| k >= cloths.len()).collect();
    Parts { all, part, is_body }
}

fn check(cloths: &[TriMesh], bodies: &[TriMesh]) -> OutfitReport {
    let Parts { all, part, is_body } = parts(cloths, bodies);
    let outfit = Outfit::new(all.positions.len(), &all.faces, &part, &is_body).unwrap();
    let x: Vec<[f64; 3]> = all.positions.iter().map(|p| (*p).into()).collect();
    outfit.check_state(&x).unwrap()
}

fn ball() -> TriMesh {
    icosphere(4, 1.0).unwrap()
}

/// A square sheet of `n` cells a side around the y axis, 4 m wide.
fn level(n: usize, y: f64) -> TriMesh {
    let mesh = sheet(n + 1, n + 1, [4.0, 4.0]).unwrap().mesh;
    let bounds = mesh.bounds();
    mesh.translated(Point3::new(0.0, y, 0.0) - center(&bounds.min, &bounds.max))
}

#[test]
fn a_sheet_through_a_ball_is_inside_where_the_ball_is() {
    let sheet = level(40, 0.5);
    let report = check(std::slice::from_ref(&sheet), &[ball()]);
    assert!(report.counts.cloth_body > 100 && report.counts.cloth_body == report.counts.total());
    let inside = &report.penetration;
    let expected: Vec<u32> = (0..sheet.positions.len() as u32)
        .filter(|&v| sheet.positions[v as usize].coords.norm() < 0.998)
        .collect();
    assert_eq!(inside.vertices, expected);
    assert!((inside.deepest_vertex.unwrap().depth - 0.5).abs() < 3e-3, "{:?}", inside.deepest_vertex);
    let share = 0.75 * std::f64::consts::PI / 16.0;
    assert!((inside.share_inside() - share).abs() < 0.01 * share, "{} of {share}", inside.share_inside());
    assert!(!report.is_clean() && report.bodies[0].is_closed && !report.bodies[0].is_turned);
}

#[test]
fn a_coarse_face_is_deep_without_a_vertex_inside() {
    let report = check(&[level(1, 0.5)], &[ball()]);
    assert_eq!((report.penetration.deepest_vertex, report.penetration.vertices.len()), (None, 0));
    let deepest = report.penetration.deepest_face.unwrap();
    assert!((0.49..0.502).contains(&deepest.depth), "{deepest:?}");
}

#[test]
fn cloth_inside_altogether_meets_nothing_and_is_not_clean() {
    let small = level(4, 0.0).scaled(0.1);
    for turned in [false, true] {
        let mut body = ball();
        if turned {
            body.faces.iter_mut().for_each(|face| face.swap(0, 1));
        }
        let report = check(std::slice::from_ref(&small), &[body]);
        assert_eq!((report.counts, report.penetration.share_inside()), (KindCounts::default(), 1.0));
        assert_eq!(report.penetration.vertices.len(), small.positions.len());
        assert!(!report.is_clean() && report.bodies[0].is_turned == turned);
    }
}

#[test]
fn a_body_counts_by_kind_and_never_decides() {
    let (above, beside) = (level(4, 2.0), Vector3::new(1.5, 0.0, 0.0));
    let mut crossed = ball();
    crossed.append(&ball().translated(Vector3::new(0.3, 0.1, 0.2)));
    crossed.faces.pop();
    let report = check(std::slice::from_ref(&above), &[crossed, ball().translated(beside)]);
    assert!(report.counts.body_self > 0 && report.counts.body_body > 0 && report.is_clean());
    assert_eq!(report.bodies.iter().map(|b| b.is_closed).collect::<Vec<_>>(), [false, true]);
    let through = above.clone().rotated(Vector3::x_axis(), 0.3).translated(Vector3::new(0.0, 0.2, 0.0));
    let report = check(&[above.clone(), through], &[ball().translated(beside)]);
    assert!(report.counts.cloth_cloth > 0 && !report.is_clean());
    assert!(report.witnesses().iter().all(|(kind, _)| *kind == PairKind::ClothCloth));
    assert!(check(&[above], &[]).is_clean());
}

#[test]
fn a_motion_names_what_its_pairs_belong_to() {
    let Parts { all, part, is_body } = parts(&[level(3, 1.5)], &[ball()]);
    let outfit = Outfit::new(all.positions.len(), &all.faces, &part, &is_body).unwrap();
    let x0: Vec<[f64; 3]> = all.positions.iter().map(|p| (*p).into()).collect();
    let mut x1 = x0.clone();
    x1.iter_mut().take(16).for_each(|p| p[1] = -1.5);
    let report = outfit.check_motion(&x0, &x1, Search::All).unwrap();
    assert!(report.witnesses().len() > 10);
    assert!(report.witnesses().iter().all(|w| outfit.kind_of_motion(w) == PairKind::ClothBody));
    assert!(Outfit::new(3, &[[0, 1, 2]], &[0, 0, 1], &[false, true]).is_err(), "a face of two parts");
    assert!(Outfit::new(3, &[[0, 1, 2]], &[0, 0, 0], &[]).is_err(), "a part that has no role");
    assert!(outfit.check_state(&[[f64::NAN; 3]; 5]).is_err());
}

#[test]
fn states_are_judged_by_all_threads_at_once() {
    let Parts { all, part, is_body } = parts(&[level(40, 0.5)], &[ball()]);
    let outfit = Outfit::new(all.positions.len(), &all.faces, &part, &is_body).unwrap();
    let first = 41 * 41;
    let state = |k: usize| -> Vec<[f64; 3]> {
        let raised = |v: usize| if v < first { 0.05 * k as f64 } else { 0.01 * k as f64 };
        all.positions.iter().enumerate().map(|(v, p)| [p.x, p.y + raised(v), p.z]).collect()
    };
    let states: Vec<_> = (0..24).map(state).collect();
    // More threads than cores, so that one waits while others have parts of its work.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build().unwrap();
    let judge = || states.par_iter().map(|x| outfit.check_state(x).unwrap()).collect();
    let together: Vec<_> = pool.install(judge);
    assert!(states.iter().zip(&together).all(|(x, report)| outfit.check_state(x).unwrap() == *report));
    assert!(!together[0].is_clean() && together[23].is_clean());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn depth_and_area_are_those_of_many_samples(
        angles in [-3.0..3.0f64, -3.0..3.0, -3.0..3.0],
        offset in -0.9..0.9f64,
        n in 2usize..9,
    ) {
        let turn = Rotation3::from_euler_angles(angles[0], angles[1], angles[2]);
        let sheet = level(n, offset).mapped(|p| turn * p);
        let report = check(std::slice::from_ref(&sheet), &[icosphere(2, 1.0).unwrap()]);
        let body = icosphere(2, 1.0).unwrap();
        let triangles: Vec<_> = body.faces.iter().map(|f| f.map(|v| body.positions[v as usize])).collect();
        let tree = SurfaceTree::new(triangles.iter().copied());
        let (mut deepest, mut inside, mut samples) = (0.0f64, 0, 0);
        const STEPS: i32 = 40;
        for face in &sheet.faces {
            let [a, b, c] = face.map(|v| sheet.positions[v as usize]);
            for (i, j) in (0..STEPS).flat_map(|i| (0..STEPS - i).map(move |j| (i, j))) {
                let weight = |k: i32| (f64::from(k) + 1.0 / 3.0) / f64::from(STEPS);
                let p = a + (b - a) * weight(i) + (c - a) * weight(j);
                samples += 1;
                if p.coords.norm() < 1.0 && reference::winding_number(&triangles, &p) > 0.5 {
                    inside += 1;
                    deepest = deepest.max(tree.distance(&p));
                }
            }
        }
        let found = report.penetration.deepest_face.map_or(0.0, |found| found.depth);
        prop_assert!(found >= 0.99 * deepest - 2e-5 * 3.5, "{found} {deepest}");
        prop_assert!(found <= 1.02 * deepest + 0.05, "{found} {deepest}");
        let share = f64::from(inside) / f64::from(samples);
        prop_assert!((report.penetration.share_inside() - share).abs() < 0.02, "{share}");
    }
}
