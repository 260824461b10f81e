//! The accelerated check against all pairs, and named states whose intersections are counted by hand.

use std::ops::ControlFlow;

use cloth_broadphase::{BruteForce, ParryBvh};
use cloth_geom::Topology;
use nalgebra::Point3;
use proptest::prelude::*;

use super::{
    Checked, Checker, IntersectError, IntersectionKind, Intersections, doubled_faces, find, find_brute_force,
};

type Positions = Vec<Point3<f64>>;

/// A flat sheet of `n` x `n` vertices, spacing 1, in the plane y = 0.
fn sheet(n: u32) -> (Positions, Vec<[u32; 3]>) {
    let positions = (0..n * n).map(|i| Point3::new(f64::from(i % n), 0.0, f64::from(i / n))).collect();
    let cells = (0..(n - 1) * (n - 1)).map(|i| i / (n - 1) * n + i % (n - 1));
    (positions, cells.flat_map(|v| [[v, v + n, v + 1], [v + 1, v + n, v + n + 1]]).collect())
}

/// What every method agrees on; checks that they do.
fn agreed(positions: &[Point3<f64>], faces: &[[u32; 3]]) -> Intersections {
    agreed_on(positions, &Topology::new(positions.len(), faces).expect("valid faces"))
}

fn agreed_on(positions: &[Point3<f64>], topology: &Topology) -> Intersections {
    let expected = find_brute_force(positions, topology).expect("finite positions");
    assert_eq!(find(positions, topology).as_ref(), Ok(&expected));
    for mut checker in
        [Checker::with_broad_phase(BruteForce::default()), Checker::with_broad_phase(ParryBvh::default())]
    {
        assert_eq!(checker.check(positions, topology).as_ref(), Ok(&expected));
    }
    // The first state goes through the broad phase, later ones by patches.
    let mut checker = Checker::default();
    for _ in 0..2 {
        assert_eq!(checker.check(positions, topology).as_ref(), Ok(&expected));
    }
    expected
}

/// The triangle (0,0,0), (4,0,0), (0,0,4), and a second one of the given corners.
fn two_triangles(second: [[f64; 3]; 3]) -> Intersections {
    let first = [[0.0; 3], [4.0, 0.0, 0.0], [0.0, 0.0, 4.0]];
    let positions: Positions = first.into_iter().chain(second).map(Point3::from).collect();
    agreed(&positions, &[[0, 1, 2], [3, 4, 5]])
}

#[test]
fn finds_nothing_in_a_flat_sheet() {
    let (positions, faces) = sheet(9);
    assert!(agreed(&positions, &faces).is_clean());
    assert!(agreed(&[], &[]).is_clean());
}

#[test]
fn finds_a_proper_crossing_from_both_sides_of_the_pair() {
    let found = two_triangles([[1.0, -1.0, 1.0], [1.0, 1.0, 1.0], [9.0, 0.5, 9.0]]);
    // One edge pierces the first triangle, and the first's long edge is pierced: the second's longer edges
    // pass it.
    assert!(found.kinds.contains(&IntersectionKind::Proper));
    let topology = Topology::new(6, &[[0, 1, 2], [3, 4, 5]]).unwrap();
    assert_eq!(found.face_pairs(&topology), [[0, 1]]);
    assert_eq!(found.proper_face_pairs(&topology), [[0, 1]]);
    assert_eq!(found.intersecting_faces(&topology), [0, 1]);
}

#[test]
fn finds_a_vertex_on_a_face_and_none_just_above_it() {
    let above = |y: f64| two_triangles([[1.0, y, 1.0], [1.0, 5.0, 2.0], [2.0, 5.0, 1.0]]);
    let touching = above(0.0);
    assert_eq!(
        (touching.count(), touching.kinds.as_slice()),
        (2, [IntersectionKind::Touching; 2].as_slice())
    );
    let topology = Topology::new(6, &[[0, 1, 2], [3, 4, 5]]).unwrap();
    assert_eq!(touching.face_pairs(&topology), [[0, 1]]);
    assert!(touching.proper_face_pairs(&topology).is_empty());
    assert!(above(f64::MIN_POSITIVE).is_clean());
    assert_eq!(above(-f64::MIN_POSITIVE).kinds, [IntersectionKind::Proper; 2]);
}

#[test]
fn finds_coplanar_faces_that_overlap_contain_or_touch_each_other() {
    let overlapping = two_triangles([[1.0, 0.0, -1.0], [1.0, 0.0, 1.0], [2.0, 0.0, -1.0]]);
    assert!(overlapping.count() >= 3 && overlapping.kinds.iter().all(|&k| k == IntersectionKind::Coplanar));
    let contained = two_triangles([[1.0, 0.0, 1.0], [1.5, 0.0, 1.0], [1.0, 0.0, 1.5]]);
    assert_eq!(contained.count(), 3);
    let corner = two_triangles([[4.0, 0.0, 0.0], [5.0, 0.0, 0.0], [5.0, 0.0, 1.0]]);
    assert_eq!(corner.count(), 4);
    let beside = two_triangles([[4.0_f64.next_up(), 0.0, 0.0], [5.0, 0.0, 0.0], [5.0, 0.0, 1.0]]);
    assert!(beside.is_clean());
}

#[test]
fn covers_faces_that_share_one_vertex() {
    let at = |p: [f64; 3]| Point3::from(p);
    let fan = |tip: [f64; 3]| {
        let positions =
            [at([0.0; 3]), at([4.0, 0.0, 0.0]), at([0.0, 0.0, 4.0]), at([1.0, 1.0, 1.0]), at(tip)];
        agreed(&positions, &[[0, 1, 2], [0, 3, 4]])
    };
    assert_eq!(fan([1.0, -1.0, 1.0]).count(), 1);
    assert!(fan([1.0, 0.5, 1.0]).is_clean());
}

#[test]
fn reports_flat_folds_apart() {
    let at = |p: [f64; 3]| Point3::from(p);
    let book = |apex: [f64; 3]| {
        let positions = [at([0.0; 3]), at([1.0, 0.0, 0.0]), at([0.0, 1.0, 0.0]), at(apex)];
        agreed(&positions, &[[0, 1, 2], [1, 0, 3]])
    };
    let closed = book([0.25, 0.5, 0.0]);
    assert_eq!((closed.count(), closed.flat_folds.as_slice()), (0, [0].as_slice()));
    assert!(!closed.is_clean());
    assert!(book([0.25, -0.5, 0.0]).is_clean());
    assert!(book([0.25, 0.5, 1e-300]).is_clean());
}

#[test]
fn judges_edges_with_three_faces_and_faces_given_twice() {
    let at = |p: [f64; 3]| Point3::from(p);
    let positions =
        [at([0.0; 3]), at([1.0, 0.0, 0.0]), at([0.0, 1.0, 0.0]), at([0.0, 0.0, 1.0]), at([0.0, 1.0, 1.0])];
    assert!(agreed(&positions, &[[0, 1, 2], [0, 1, 3], [0, 1, 4]]).is_clean());
    let folded = [positions[0], positions[1], positions[2], positions[3], at([0.5, 3.0, 0.0])];
    assert_eq!(agreed(&folded, &[[0, 1, 3], [0, 1, 2], [0, 1, 4]]).flat_folds, [0]);
    let twice = agreed(&positions, &[[0, 1, 2], [2, 1, 0]]);
    assert_eq!((twice.flat_folds.as_slice(), twice.doubled_faces.as_slice()), (&[][..], &[[1, 0]][..]));
    // A fold on one of two that lie on each other is a fold on the other too, and counts once.
    let both = agreed(&folded, &[[0, 1, 2], [0, 1, 4], [1, 0, 2]]);
    assert_eq!((both.flat_folds.as_slice(), both.doubled_faces.as_slice()), (&[0][..], &[[2, 0]][..]));
}

#[test]
fn finds_faces_of_the_same_points_whatever_vertices_they_share() {
    let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.3, 1.0, 0.25]].map(Point3::from);
    let twice: Positions = [corners, corners].concat();
    for (other, count) in [([2, 1, 0], 0), ([1, 0, 5], 0), ([4, 3, 2], 6), ([5, 3, 4], 6)] {
        let found = agreed(&twice, &[[0, 1, 2], other]);
        assert_eq!((found.doubled_faces.as_slice(), found.flat_folds.len()), (&[[1, 0]][..], 0), "{other:?}");
        assert!(!found.is_clean() && found.count() <= count, "{other:?}: {}", found.count());
    }
    let mut apart = twice.clone();
    apart[5].z = apart[5].z.next_up();
    assert!(agreed(&apart, &[[0, 1, 2], [3, 4, 5]]).doubled_faces.is_empty());
}

#[test]
fn finds_a_doubled_sheet_face_by_face() {
    let (positions, faces) = sheet(12);
    let count = positions.len() as u32;
    let turned = |f: &[u32; 3]| [f[1], f[0], f[2]];
    let shared: Vec<_> = faces.iter().copied().chain(faces.iter().map(turned)).collect();
    let split: Vec<_> =
        faces.iter().copied().chain(faces.iter().map(|f| turned(f).map(|v| v + count))).collect();
    let twice: Positions = [positions.clone(), positions.clone()].concat();
    let expected: Vec<_> = (0..242).map(|f| [242 + f, f]).collect();
    assert_eq!(agreed(&positions, &shared).doubled_faces, expected);
    assert_eq!(agreed(&twice, &split).doubled_faces, expected);
    let topology = Topology::new(twice.len(), &split).expect("valid faces");
    assert_eq!(doubled_faces(&twice, &topology), Ok(expected));
}

#[test]
fn faces_without_area_lie_on_none() {
    let on_a_line = [0.0, 1.0, 3.0].map(|x| Point3::new(x, 2.0 * x, 0.1));
    assert!(agreed(&on_a_line, &[[0, 1, 2], [2, 1, 0]]).is_clean());
}

#[test]
fn many_faces_in_one_place_are_found_in_linear_time() {
    let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Point3::from);
    let faces: Vec<[u32; 3]> = (0..100_000).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
    let positions: Positions = corners.into_iter().cycle().take(300_000).collect();
    let topology = Topology::new(positions.len(), &faces).expect("valid faces");
    assert_eq!(doubled_faces(&positions, &topology).map(|found| found.len()), Ok(99_999));
}

#[test]
fn names_a_nonfinite_vertex_and_ignores_vertices_without_a_face() {
    let (mut positions, faces) = sheet(3);
    positions.push(Point3::new(f64::NAN, 0.0, 0.0));
    assert!(agreed(&positions, &faces).is_clean());
    let topology = Topology::new(positions.len(), &faces).unwrap();
    // Face 0 is [0, 3, 1]: the least vertex is named, not the first one met.
    positions[3].z = f64::INFINITY;
    positions[1].z = f64::NAN;
    for outcome in [find(&positions, &topology), find_brute_force(&positions, &topology)] {
        assert!(matches!(outcome, Err(IntersectError::NotFinite { vertex: 1, .. })), "{outcome:?}");
    }
    let expected = Err(IntersectError::PositionCount { positions: 9, vertices: 10 });
    assert_eq!(find(&positions[..9], &topology), expected);
}

#[test]
fn skips_ids_that_a_foreign_topology_does_not_have() {
    let found = two_triangles([[1.0, -1.0, 1.0], [1.0, 1.0, 1.0], [9.0, 0.5, 9.0]]);
    let foreign = Topology::new(3, &[[0, 1, 2]]).unwrap();
    assert!(found.face_pairs(&foreign).is_empty());
}

#[test]
fn a_checker_forgets_the_states_and_meshes_it_saw_before() {
    let (flat, faces) = sheet(6);
    let topology = Topology::new(flat.len(), &faces).unwrap();
    let (small, small_faces) = sheet(4);
    let small_topology = Topology::new(small.len(), &small_faces).unwrap();
    let folded: Positions =
        flat.iter().map(|p| Point3::new((p.x - 2.2).abs(), (2.0 * p.x).sin(), p.z)).collect();
    let mut checker = Checker::default();
    for _ in 0..2 {
        for (positions, topology) in [(&flat, &topology), (&folded, &topology), (&small, &small_topology)] {
            assert_eq!(checker.check(positions, topology), find_brute_force(positions, topology));
        }
    }
    assert!(checker.check(&folded, &topology).unwrap().count() > 0);
}

#[test]
fn finds_the_same_on_one_thread_and_on_four() {
    let (positions, faces) = sheet(40);
    let crumpled: Positions = positions
        .iter()
        .map(|p| Point3::new((p.x * 0.9).sin(), (p.z * p.x).sin(), (p.z * 0.7).cos()))
        .collect();
    let topology = Topology::new(crumpled.len(), &faces).unwrap();
    let [one, four] = [1, 4].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let mut checker = Checker::default();
        pool.install(|| [(); 2].map(|()| checker.check(&crumpled, &topology)))
    });
    assert!(one[0].as_ref().is_ok_and(|found| found.count() > 10_000));
    assert_eq!(one[0], one[1]);
    assert_eq!(one, four);
}

/// Triangles on one place, each turned a little: every two meet.
fn bundle(count: u32) -> (Positions, Topology) {
    let corners = |i: u32| {
        let tilt = f64::from(i) * 1e-6;
        [[-1.0, tilt, -1.0], [1.0, -tilt, -1.0], [0.0, tilt * 0.5, 1.0]].map(Point3::from)
    };
    let faces: Vec<[u32; 3]> = (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let positions: Positions = (0..count).flat_map(corners).collect();
    let topology = Topology::new(positions.len(), &faces).expect("valid faces");
    (positions, topology)
}

#[test]
fn reports_its_progress_and_stops_when_asked() {
    let (positions, topology) = bundle(600);
    let expected = find_brute_force(&positions, &topology).expect("finite positions");
    let mut checker = Checker::default();
    for state in 0..2 {
        let mut seen = Vec::new();
        let all = checker.check_with_progress(&positions, &topology, |progress| {
            seen.push(progress);
            ControlFlow::Continue(())
        });
        assert_eq!(all, Ok(Checked::Complete(expected.clone())), "state {state}");
        assert_eq!(seen.iter().map(|p| p.pairs).collect::<Vec<_>>(), [1 << 16, 2 << 16]);
        assert!(seen[0].intersections > 0 && seen[0].intersections < seen[1].intersections);
        let stopped = checker.check_with_progress(&positions, &topology, |_| ControlFlow::Break(()));
        let Ok(Checked::Stopped(found)) = stopped else { panic!("state {state}: {stopped:?}") };
        assert_eq!(found.count() as u64, seen[0].intersections);
        assert!(found.edge_faces.iter().all(|hit| expected.edge_faces.binary_search(hit).is_ok()));
        // A check that was stopped leaves nothing behind.
        assert_eq!(checker.check(&positions, &topology).as_ref(), Ok(&expected));
    }
}

/// Coordinates on a coarse lattice, where touching and coplanar is the rule, or anywhere.
fn point(lattice: bool) -> BoxedStrategy<Point3<f64>> {
    if lattice {
        proptest::array::uniform3(-2..3i32).prop_map(|p| Point3::from(p.map(f64::from))).boxed()
    } else {
        proptest::array::uniform3(-1.0..1.0f64).prop_map(Point3::from).boxed()
    }
}

fn soup() -> impl Strategy<Value = (Positions, Vec<[u32; 3]>)> {
    any::<bool>().prop_flat_map(|lattice| {
        let corner = 0..12u32;
        let face = (corner.clone(), corner.clone(), corner)
            .prop_filter_map("three corners", |(a, b, c)| (a != b && b != c && c != a).then_some([a, b, c]));
        (proptest::collection::vec(point(lattice), 12), proptest::collection::vec(face, 0..16))
    })
}

/// A fold of a sheet: the line, the direction and whether the line is rounded, and how far the upper part
/// rises.
type Fold = (f64, u8, f64);

fn folds() -> impl Strategy<Value = Vec<Fold>> {
    let fold = (-3.0..3.0f64, 0..4u8, prop_oneof![Just(0.0), Just(0.5), -0.3..0.3f64]);
    proptest::collection::vec(fold, 1..4)
}

/// A sheet that is folded over a line again and again; zero thickness makes the layers coplanar.
fn folded(folds: &[Fold]) -> (Positions, Vec<[u32; 3]>) {
    let (mut positions, faces) = sheet(7);
    for p in &mut positions {
        *p -= nalgebra::Vector3::new(3.0, 0.0, 3.0);
        for &(line, direction, lift) in folds {
            let (i, snap) = (if direction % 2 == 0 { 0 } else { 2 }, direction > 1);
            let line = if snap { line.round() } else { line };
            if p[i] > line {
                p.y += lift * (p[i] - line);
                p[i] = 2.0 * line - p[i];
            }
        }
    }
    (positions, faces)
}

/// Folded flat along x, and over itself along z at a small angle: two slopes of the upper part have opposite
/// normals.
#[test]
fn finds_every_intersection_of_a_sheet_folded_flat_and_over() {
    let (positions, faces) = folded(&[(-1.076149777471738, 0, 0.0), (0.0, 1, 0.022045987051206355)]);
    assert_eq!(agreed(&positions, &faces).count(), 229);
}

proptest! {
    #[test]
    fn agrees_with_all_pairs_on_random_soups((positions, faces) in soup()) {
        agreed(&positions, &faces);
    }

    #[test]
    fn agrees_with_all_pairs_on_edges_without_faces(
        (positions, faces) in soup(),
        wires in prop::collection::vec([0..64u32, 0..64u32], 0..6),
    ) {
        let count = positions.len() as u32;
        let wires: Vec<[u32; 2]> =
            wires.into_iter().map(|ends| ends.map(|v| v % count.max(1))).filter(|[a, b]| a != b).collect();
        let topology = Topology::with_loose_edges(positions.len(), &faces, &wires).expect("valid edges");
        agreed_on(&positions, &topology);
    }

    #[test]
    fn agrees_with_all_pairs_on_folded_sheets(folds in folds()) {
        let (positions, faces) = folded(&folds);
        agreed(&positions, &faces);
    }

    #[test]
    fn does_not_depend_on_the_order_of_the_corners((positions, faces) in soup()) {
        let turned: Vec<_> = faces.iter().map(|&[a, b, c]| [c, a, b]).collect();
        prop_assert_eq!(agreed(&positions, &faces), agreed(&positions, &turned));
    }
}
