//! States, motions, steps and safe distances.

use cloth_ccd::{Ccd, Reference};
use cloth_certify::{
    Certifier, CollisionMesh, InputError, Mask, MaxStep, MeshBuilder, Pair, Search, StateKind, StateWitness,
    StepLimit,
};
use cloth_contacts::{impacts, intersect};
use nalgebra::{Point3, Vector3};

use crate::{Dice, sheets};

/// Two triangles, an edge and a point.
const FACES: [[u32; 3]; 2] = [[0, 1, 2], [3, 4, 5]];
const EDGES: [[u32; 2]; 1] = [[6, 7]];

fn mesh() -> CollisionMesh {
    CollisionMesh::new(9, &FACES).edges(&EDGES).build().unwrap()
}

fn points(x: &[[f64; 3]]) -> Vec<Point3<f64>> {
    x.iter().copied().map(Point3::from).collect()
}

#[test]
fn collisions_are_those_of_the_reference() {
    let mut dice = Dice::new(1);
    let (mesh, mut clean, mut collisions) = (mesh(), 0, 0);
    for case in 0..600 {
        let state = |dice: &mut Dice| -> Vec<[f64; 3]> {
            (0..9).map(|_| if case % 10 == 0 { dice.lattice() } else { dice.vector() }).collect()
        };
        let (x0, mut x1) = (state(&mut dice), state(&mut dice));
        if case % 3 == 0 {
            x1 = x0.iter().zip(&x1).map(|(a, b)| [0, 1, 2].map(|k| a[k] + 0.1 * b[k])).collect();
        }
        let all = mesh.check_motion(&x0, &x1, Search::All).unwrap();
        let wanted = impacts::find_brute_force(&points(&x0), &points(&x1), mesh.topology()).unwrap();
        let mut found: Vec<Pair> = all.witnesses().iter().map(|witness| witness.pair).collect();
        found.sort_unstable();
        let impacts::Impacts { vertex_faces, edge_edges } = wanted;
        let edges = edge_edges.into_iter().map(Pair::EdgeEdge);
        let wanted: Vec<Pair> = vertex_faces.into_iter().map(Pair::PointTriangle).chain(edges).collect();
        assert_eq!(found, wanted, "{x0:?} {x1:?}");
        let first = mesh.check_motion(&x0, &x1, Search::First).unwrap();
        let earliest = mesh.check_motion(&x0, &x1, Search::Earliest).unwrap();
        assert_eq!(first.is_clean(), all.is_clean());
        assert_eq!(earliest.witnesses(), &all.witnesses()[..all.witnesses().len().min(1)]);
        for witness in all.witnesses() {
            let query = witness.pair.query(mesh.topology(), [&points(&x0), &points(&x1)]);
            let exact = Reference.impact(&query, 0.0).unwrap().expect("it collides");
            let (time, latest) = (witness.time.time, witness.time.time + witness.time.gap);
            assert!(time <= exact.time + exact.gap && exact.time <= latest && witness.time.gap <= 1e-11);
        }
        clean += usize::from(all.is_clean());
        collisions += all.witnesses().len();
    }
    assert!(clean > 50 && collisions > 600, "{clean} clean, {collisions} collisions");
}

#[test]
fn motions_of_one_pair_are_judged_as_by_exact_roots() {
    // 100,000 take over a minute.
    let motions = std::env::var("CLOTH_MOTIONS").map_or(8_000, |n| n.parse().expect("a number of motions"));
    let mut dice = Dice::new(9);
    let vertex_and_face = CollisionMesh::new(4, &[[1, 2, 3]]).build().unwrap();
    let edges = CollisionMesh::new(4, &[]).edges(&[[0, 1], [2, 3]]).build().unwrap();
    let pairs = [(vertex_and_face, Pair::PointTriangle([0, 0])), (edges, Pair::EdgeEdge([0, 1]))];
    let mut found = [0, 0];
    for case in 0..motions {
        let (mesh, pair) = &pairs[case % 2];
        let on_lattice = case % 10 < 2;
        let state = |dice: &mut Dice| -> [[f64; 3]; 4] {
            std::array::from_fn(|_| if on_lattice { dice.lattice() } else { dice.vector() })
        };
        let [x0, x1] = [state(&mut dice), state(&mut dice)];
        let query = pair.query(mesh.topology(), [&points(&x0), &points(&x1)]);
        let wanted = Reference.impact(&query, 0.0).unwrap();
        let report = mesh.check_motion(&x0, &x1, Search::All).unwrap();
        match (wanted, report.witnesses()) {
            (None, []) => {}
            (Some(exact), [witness]) => {
                let (time, latest) = (witness.time.time, witness.time.time + witness.time.gap);
                assert!(time <= exact.time + exact.gap && exact.time <= latest, "{witness:?} {exact:?}");
                found[case % 2] += 1;
            }
            (wanted, report) => panic!("{wanted:?} but {report:?}: {x0:?} {x1:?}"),
        }
    }
    assert!(found.iter().all(|&found| found * 25 > motions), "{found:?} collide");
}

#[test]
fn intersections_are_those_of_the_reference_and_lie_where_they_say() {
    let mut dice = Dice::new(2);
    let (mesh, mut found) = (mesh(), 0);
    for case in 0..3000 {
        let x: Vec<[f64; 3]> =
            (0..9).map(|_| if case % 3 == 0 { dice.lattice() } else { dice.vector() }).collect();
        let report = mesh.check_state(&x).unwrap();
        let wanted = intersect::find_brute_force(&points(&x), mesh.topology()).unwrap();
        let hits: Vec<[u32; 2]> =
            report.intersections().filter_map(|witness| Some([witness.edge?, witness.face])).collect();
        assert_eq!(hits, wanted.edge_faces);
        for witness in report.intersections() {
            let StateWitness { ends: [Some(a), Some(b)], face, position, .. } = *witness else {
                panic!("{witness:?}")
            };
            let at = |v: u32| Point3::from(x[v as usize]);
            let p = Point3::from(position);
            let corners = FACES[face as usize].map(at);
            let to_face =
                cloth_geom::closest::point_triangle(&p, [&corners[0], &corners[1], &corners[2]]).distance_sq;
            let to_edge = cloth_geom::closest::point_segment(&p, &at(a), &at(b)).distance_sq;
            assert!(to_face.sqrt() < 1e-9 && to_edge.sqrt() < 1e-9, "{witness:?}");
            found += 1;
        }
    }
    assert!(found > 1000, "{found}");
}

#[test]
fn lone_points_and_flat_folds_are_intersections() {
    let mut x = [[0.0; 3]; 9];
    for (v, p) in x.iter_mut().enumerate() {
        *p = [v as f64 * 10.0, 0.0, (v % 2) as f64];
    }
    let mesh = mesh();
    assert!(mesh.check_state(&x).unwrap().is_clean());
    x[8] = [0, 1, 2].map(|k| (x[0][k] + x[1][k] + 2.0 * x[2][k]) / 4.0);
    let report = mesh.check_state(&x).unwrap();
    let [point] = report.witnesses() else { panic!("{report}") };
    assert_eq!((point.kind, point.ends, point.face), (StateKind::PointOnFace, [Some(8), None], 0));
    assert!(report.to_string().contains("first of point 8 and face 0"), "{report}");
    let mesh = CollisionMesh::new(4, &[[0, 1, 2], [1, 0, 3]]).build().unwrap();
    let x = [[0.0_f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.2, 1.0, 0.0], [0.8, 2.0, 0.0]];
    let report = mesh.check_state(&x).unwrap();
    let fold = report.witnesses().iter().find(|w| w.kind == StateKind::FlatFold);
    let fold = fold.map(|w| (w.ends, w.face, w.other_face));
    assert_eq!(fold, Some(([Some(0), Some(1)], 0, Some(1))), "{report}");
}

#[test]
fn a_face_on_another_is_found_whatever_vertices_it_shares() {
    let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.3, 1.0, 0.25]];
    let twice = [corners, corners].concat();
    for other in [[2, 1, 0], [1, 0, 5], [4, 3, 2], [5, 3, 4]] {
        let faces = [[0, 1, 2], other];
        let mesh = CollisionMesh::new(6, &faces).build().unwrap();
        let report = mesh.check_state(&twice).unwrap();
        let doubled = report.witnesses().iter().filter(|w| w.kind == StateKind::DoubledFace);
        let doubled: Vec<_> = doubled.map(|w| (w.face, w.other_face)).collect();
        assert_eq!(doubled, [(0, Some(1))], "{other:?}: {report}");
        assert!(!report.is_clean() && report.to_string().contains("1 face that lies on another"), "{report}");
        assert!(Certifier::start(&mesh, &twice).is_err(), "{other:?}");
    }
}

#[test]
fn faces_on_others_count_only_where_their_parts_collide() {
    let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.3, 1.0, 0.25]];
    let twice = [corners, corners].concat();
    let shared = [[0, 1, 2], [2, 1, 0]];
    let is_clean =
        |described: MeshBuilder<'_>| described.build().unwrap().check_state(&twice).unwrap().is_clean();
    assert!(is_clean(CollisionMesh::new(6, &shared).kinematic(&[true])));
    assert!(is_clean(CollisionMesh::new(6, &shared).can_collide(&|_, _| false)));
    // Copies that are sewn to each other are one cloth by the description.
    let split = [[0, 1, 2], [5, 4, 3]];
    assert!(is_clean(CollisionMesh::new(6, &split).exclusions(&[[0, 3], [1, 4], [2, 5]])));
    assert!(!is_clean(CollisionMesh::new(6, &split).exclusions(&[[0, 3]])));
}

#[test]
fn parts_masks_and_exclusions_exempt_what_they_say() {
    let x = [[0., 0., 0.], [4., 0., 0.], [0., 0., 4.], [1., 1., 1.], [1., -1., 1.], [2., 1., 1.]];
    let part = [0, 0, 0, 1, 1, 1];
    let is_clean = |mesh: CollisionMesh| mesh.check_state(&x).unwrap().is_clean();
    let described = || CollisionMesh::new(6, &FACES).parts(&part);
    assert!(!is_clean(described().build().unwrap()));
    assert!(!is_clean(described().kinematic(&[true, false]).build().unwrap()));
    assert!(is_clean(described().kinematic(&[true, true]).build().unwrap()));
    assert!(is_clean(described().can_collide(&|a, b| a == b).build().unwrap()));
    assert!(!is_clean(described().can_collide(&|a, b| a != b).build().unwrap()));
    let masks = |meets: u32| [Mask { is_in: 1, meets: 2 }, Mask { is_in: 2, meets }];
    assert!(!is_clean(described().masks(&masks(1)).build().unwrap()));
    assert!(is_clean(described().masks(&masks(2)).build().unwrap()));
    // Both edges that cross the face have vertex 4; a seam joins it to the face.
    assert!(is_clean(described().exclusions(&[[4, 0]]).build().unwrap()));
}

#[test]
fn a_step_is_never_too_long_and_hardly_ever_short() {
    let mut dice = Dice::new(3);
    let (mesh, mut limited) = (mesh(), 0);
    for case in 0..4000 {
        let x0: Vec<[f64; 3]> = (0..9).map(|_| dice.vector()).collect();
        let x1: Vec<[f64; 3]> = (0..9).map(|_| dice.vector()).collect();
        // Coordinates that `f32` represents, so that both ask the same.
        let rounded = |x: &[[f64; 3]]| -> Vec<[f32; 3]> { x.iter().map(|p| p.map(|c| c as f32)).collect() };
        let (low0, low1) = (rounded(&x0), rounded(&x1));
        let (step, is_certified, earliest) = if case % 2 == 0 {
            let found = mesh.max_step(&x0, &x1, 0.0).unwrap();
            let mut end = x0.clone();
            found.advance(&x0, &x1, &mut end).unwrap();
            let free = mesh.check_motion(&x0, &end, Search::First).unwrap().is_clean();
            (found, free, mesh.check_motion(&x0, &x1, Search::Earliest).unwrap())
        } else {
            let found = mesh.max_step(&low0, &low1, 0.0).unwrap();
            let mut end = low0.clone();
            found.advance(&low0, &low1, &mut end).unwrap();
            let free = mesh.check_motion(&low0, &end, Search::First).unwrap().is_clean();
            (found, free, mesh.check_motion(&low0, &low1, Search::Earliest).unwrap())
        };
        match &step.limit {
            StepLimit::None => assert!(step.step == 1.0 && is_certified && earliest.is_clean()),
            StepLimit::Tangled(report) => assert!(step.step == 0.0 && !report.is_clean()),
            StepLimit::TooNear(_) => panic!("only for a distance"),
            StepLimit::Collision(witness) => {
                let exact = earliest.witnesses()[0].time.time;
                assert!(is_certified && step.step > 0.999 * exact && step.step <= exact, "{witness:?}");
                limited += 1;
            }
        }
    }
    assert!(limited > 500, "{limited}");
}

#[test]
fn a_step_keeps_the_distance_that_was_asked_for() {
    let mesh = CollisionMesh::new(6, &FACES).build().unwrap();
    let x0 = [[0., 0., 0.], [4., 0., 0.], [0., 0., 4.], [1., 1., 1.], [1., 2., 1.], [2., 2., 1.]];
    let x1 = x0.map(|[x, y, z]| [x, if y > 0.0 { y - 4.0 } else { y }, z]);
    let step = |distance| mesh.max_step(&x0, &x1, distance).unwrap();
    assert!((step(0.0).step - 0.25).abs() < 1e-6);
    assert!((step(0.2).step - 0.2).abs() < 1e-3 && step(0.2).step <= 0.2);
    let near = step(1.5);
    assert!(near.step == 0.0 && near.limit == StepLimit::TooNear(Pair::PointTriangle([3, 0])), "{near:?}");
}

#[test]
fn nothing_touches_while_all_keep_within_their_safe_distances() {
    let (mesh, level) = sheets::<f64>(3, 3, 0.0, 0.02);
    let mut dice = Dice::new(4);
    let (mut x, mut safe) = (Vec::new(), Vec::new());
    for move_ in 0..10_000 {
        if move_ % 100 == 0 {
            x.clone_from(&level);
            x.iter_mut().for_each(|p| p[1] += 0.008 * dice.unit());
            safe = mesh.safe_distances(&x).unwrap();
            assert!(safe.iter().all(|&d| d > 1e-3 && d < 0.02));
        }
        let moved = |share: f64, dice: &mut Dice| -> Vec<[f64; 3]> {
            let ends = x.iter().zip(&safe);
            let by = |d: f64, dice: &mut Dice| Vector3::from(dice.vector()).normalize() * (d * share);
            ends.map(|(p, &d)| (Vector3::from(*p) + by(d, dice)).into()).collect()
        };
        let [x0, x1] = [moved(1.0 - 1e-9, &mut dice), moved(1.0 - 1e-9, &mut dice)];
        assert!(mesh.check_motion(&x0, &x1, Search::First).unwrap().is_clean());
        assert!(mesh.check_state(&x1).unwrap().is_clean());
    }
    // The two vertices that are nearest to each other could meet if they moved a little farther.
    let found = |distance: f64| {
        let toward: Vec<[f64; 3]> = x
            .iter()
            .enumerate()
            .map(|(v, p)| {
                let up = if (v / 16) % 2 == 0 { 1.0 } else { -1.0 };
                [p[0], p[1] + up * distance, p[2]]
            })
            .collect();
        mesh.check_motion(&x, &toward, Search::First).unwrap().is_clean()
    };
    let least = safe.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(found(0.99 * least) && !found(3.0 * least));
}

/// Points that fall onto a face and would all reach it after half of the motion: a step that rounds one of
/// them to above it rounds others onto it.
#[test]
fn a_step_ends_before_all_pairs_that_meet_at_one_time() {
    let mut x0 = vec![[-4.0_f32, 1.0, -4.0], [4.0, 1.0, -4.0], [0.0, 1.0, 4.0]];
    let mesh = CollisionMesh::new(23, &[[0, 1, 2]]).build().unwrap();
    let mut dice = Dice::new(12);
    let mut shortened = 0;
    for _ in 0..40 {
        x0.truncate(3);
        let mut x1 = x0.clone();
        for _ in 0..20 {
            // Exact in numbers of `f32`.
            let (above, [x, _, z]) = ((0.25 + 0.2 * dice.unit()) as f32, dice.vector().map(|c| c as f32));
            let height = 1.0 + above;
            x0.push([x, height, z]);
            x1.push([x, 2.0 - height, z]);
        }
        let step = mesh.max_step(&x0, &x1, 0.0).unwrap();
        let mut end = x0.clone();
        step.advance(&x0, &x1, &mut end).unwrap();
        assert!(mesh.check_motion(&x0, &end, Search::First).unwrap().is_clean(), "{step:?}");
        assert!((0.499_99..0.5).contains(&step.step), "{step:?}");
        let at_once = MaxStep { step: 0.5 * (1.0 - 1e-9), ..step };
        at_once.advance(&x0, &x1, &mut end).unwrap();
        shortened += usize::from(!mesh.check_motion(&x0, &end, Search::First).unwrap().is_clean());
    }
    assert!(shortened > 30, "{shortened}");
}

#[test]
fn safe_distances_round_down_where_they_are_subnormal() {
    let mesh = CollisionMesh::new(4, &[[1, 2, 3]]).build().unwrap();
    let least = f32::from_bits(1);
    for case in 1..512 {
        // A point whose nearest point of the face is a corner.
        let by = [case % 8, case / 8 % 8, case / 64].map(|k| f64::from(k) * f64::from(least));
        let x = [
            by.map(|c| -c),
            [0.0; 3],
            [8.0 * f64::from(least), 0.0, 0.0],
            [0.0, 8.0 * f64::from(least), 0.0],
        ];
        let distance = Vector3::from(by.map(|c| c * 2f64.powi(149))).norm() * 2f64.powi(-149);
        let safe = mesh.safe_distances(&x.map(|p| p.map(|c| c as f32))).unwrap();
        let [point, corner] = [safe[0], safe[1]].map(f64::from);
        assert!(point + corner <= distance, "{point} and {corner} of {distance}");
        assert!(
            point.min(corner) > 0.5 * distance - 2.0 * f64::from(least),
            "{point} and {corner} of {distance}"
        );
    }
}

#[test]
fn safe_distances_of_what_is_too_small_to_measure_are_zero() {
    // The areas of this face underflow: its distance from the point was that from an edge.
    let mesh = CollisionMesh::new(4, &[[1, 2, 3]]).build().unwrap();
    for size in [1e-60, 1e-130, 1e-145, 1e-155, 1e-200, 5e-324] {
        let x: [[f64; 3]; 4] = [[0., 0.01, 0.], [-2., 0., -1.], [2., 0., -1.], [0., 0., 2.]];
        let x = x.map(|p| p.map(|c| c * size));
        let safe = mesh.safe_distances(&x).unwrap();
        let distance = x[0][1];
        assert!(safe.iter().all(|safe| 2.0 * safe <= distance), "{safe:?} of {distance:e}");
        assert_eq!(safe.iter().any(|&safe| safe > 0.499 * distance), size > 1e-139, "{size:e}");
    }
}

#[test]
fn safe_distances_see_pairs_beyond_their_own_boxes() {
    // Each vertex is hardly farther from the other wire than the wires are from each other, across a gap
    // between their boxes: the least reach that finds the pair is half of that of `safe_distances`.
    let wires = CollisionMesh::new(4, &[]).edges(&[[0, 1], [2, 3]]).build().unwrap();
    let beside = CollisionMesh::new(4, &[[1, 2, 3]]).build().unwrap();
    for gap in [1e-30, 0.01, 1e6] {
        let x = [[-0.05, 0., 0.], [0.05, 0., 0.], [0., 1., -0.05], [0., 1., 0.05]];
        let safe = wires.safe_distances(&x.map(|p: [f64; 3]| p.map(|c| c * gap))).unwrap();
        assert!(safe.iter().all(|&safe| 2.0 * safe <= gap && 2.0 * safe > 0.999 * gap), "{safe:?}");
        let x = [[0., 1., 0.], [-2., 0., -1.], [2., 0., -1.], [0., 0., 2.]];
        let safe = beside.safe_distances(&x.map(|p: [f64; 3]| p.map(|c| c * gap))).unwrap();
        assert!(safe.iter().all(|&safe| 2.0 * safe <= gap && 2.0 * safe > 0.999 * gap), "{safe:?}");
    }
}

#[test]
fn steps_between_the_largest_coordinates_end_where_they_say() {
    let mesh = CollisionMesh::new(6, &FACES).build().unwrap();
    for far in [1.7e308, f64::MAX] {
        let x0 = [[-far, 0., 0.], [0., 0., 4.], [4., 0., 0.], [1., 1., 1.], [1.2, 2., 1.], [1., 2., 1.2]];
        let mut x1 = x0.map(|[x, y, z]| [x, if y > 0.0 { y - 2.0 } else { y }, z]);
        x1[0][0] = far;
        let found = mesh.max_step(&x0, &x1, 0.0).unwrap();
        assert!((found.step - 0.5).abs() < 1e-6, "{found:?}");
        let mut end = x0;
        found.advance(&x0, &x1, &mut end).unwrap();
        assert_eq!(end[0], [(1.0 - found.step) * -far + found.step * far, 0.0, 0.0]);
        assert!(mesh.check_motion(&x0, &end, Search::First).unwrap().is_clean());
        for step in [0.0, 0.25, 0.5_f64.next_down(), 0.75, 1.0] {
            MaxStep { step, limit: StepLimit::None }.advance(&x0, &x1, &mut end).unwrap();
            assert!((end[0][0] / far - (2.0 * step - 1.0)).abs() < 1e-15);
            assert!(step != 0.0 || end == x0);
        }
        let error = mesh.max_step(&x0, &x1, 0.1).unwrap_err();
        assert!(matches!(error, InputError::BeyondLimit { name: "x0", vertex: 0, .. }), "{error}");
    }
}

#[test]
fn witnesses_among_the_largest_coordinates_have_places() {
    let far = f64::MAX;
    let x = [[-far, 0., -far], [far, 0., -far], [0., 0., far], [0., far, 0.], [0., -far, 0.], [far, far, 0.]];
    let mesh = CollisionMesh::new(6, &FACES).build().unwrap();
    let report = mesh.check_state(&x).unwrap();
    assert!(report.intersections().count() > 0);
    for witness in report.witnesses() {
        let [x, y, z] = witness.position.map(|c| c / far);
        assert!(y.abs() < 1e-9 && x.abs() <= 1.0 && z.abs() < 1e-9, "{witness:?}");
    }
    let folded = CollisionMesh::new(4, &[[0, 1, 2], [1, 0, 3]]).build().unwrap();
    let fold = [[far, 0., 0.], [far, far, 0.], [0., 0., 0.], [0.5 * far, 0., 0.]];
    let report = folded.check_state(&fold).unwrap();
    assert!(report.witnesses().iter().any(|w| w.position == [far, 0.5 * far, 0.0]), "{report}");
    let (mut from, to) = (x, x);
    from[3..].iter_mut().for_each(|p| p[1] = far);
    let report = mesh.check_motion(&from, &to, Search::All).unwrap();
    assert!(!report.is_clean());
    assert!(report.witnesses().iter().all(|w| w.position.iter().all(|c| c.is_finite())), "{report:?}");
}
