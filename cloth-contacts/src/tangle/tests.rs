//! Contours of states whose crossings are known, and of random ones against the definition.

use approx::assert_relative_eq;
use cloth_geom::{Topology, TriMesh};
use nalgebra::{Point3, Vector3};
use proptest::prelude::*;

use super::fixtures::{Traced, bump, corner, crossed, flat, looped, rolled};
use super::{Contour, ContourKind, End, Rings, SheetParts, SheetSplitter, enclosed_vertices, trace};

/// What a contour cuts the sheets on its first and on its second side into.
fn split_sheets(contour: &Contour, topology: &Topology) -> [Option<SheetParts>; 2] {
    [0, 1].map(|side| {
        let mut parts = SheetParts::default();
        SheetSplitter::default().split(contour, side, topology, &mut parts).then_some(parts)
    })
}

/// What [`Rings::k_ring_of_side`] finds on either side.
fn vertex_sets(contour: &Contour, topology: &Topology, k: usize) -> [Vec<u32>; 2] {
    [0, 1].map(|side| Rings::default().k_ring_of_side(contour, side, topology, k).to_vec())
}

/// What holds of every contour, whatever the input.
fn check(traced: &Traced) {
    let Traced { topology, hits, contours, .. } = traced;
    let mut found: Vec<Vec<[u32; 2]>> = contours.iter().map(|c| c.hits.clone()).collect();
    found.iter_mut().for_each(|set| set.sort_unstable());
    assert_eq!(found, super::brute_force::connected(hits, topology));
    for contour in contours {
        assert_eq!(contour.hits.len(), contour.edge_sides.len());
        for segment in &contour.segments {
            for (side, face) in contour.sides.iter().zip(segment.faces) {
                assert!(side.binary_search(&face).is_ok());
            }
        }
        if contour.kind != ContourKind::Tangled {
            check_order(contour, topology);
        }
        if !contour.both_sided {
            check_sides(contour, topology);
        }
        for [e, _] in contour.hits.iter().copied() {
            assert!(
                vertex_sets(contour, topology, 1)
                    .iter()
                    .any(|s| s.contains(&topology.edges()[e as usize][0]))
            );
        }
    }
    let mut backwards = hits.clone();
    backwards.reverse();
    backwards.extend_from_slice(hits);
    assert_eq!(&trace(&backwards, topology), contours, "the order of the hits does not matter");
}

/// Hits that follow each other lie in one pair of faces.
fn check_order(contour: &Contour, topology: &Topology) {
    let follows = |a: [u32; 2], b: [u32; 2]| {
        let faces = |[e, f]: [u32; 2]| {
            topology.edge_faces(e as usize).iter().map(|&g| [f.min(g), f.max(g)]).collect::<Vec<_>>()
        };
        faces(a).iter().any(|pair| faces(b).contains(pair))
    };
    assert!(contour.hits.windows(2).all(|w| follows(w[0], w[1])));
    let closes = follows(contour.hits[0], contour.hits[contour.hits.len() - 1]);
    assert!(contour.kind != ContourKind::Closed || closes);
}

/// The edge of each hit belongs to one side and its face to the other.
fn check_sides(contour: &Contour, topology: &Topology) {
    for (&[e, f], &side) in contour.hits.iter().zip(&contour.edge_sides) {
        let (own, other) = (&contour.sides[side as usize], &contour.sides[1 - side as usize]);
        assert!(other.binary_search(&f).is_ok());
        assert!(topology.edge_faces(e as usize).iter().all(|g| own.binary_search(g).is_ok()));
    }
}

fn only(traced: &Traced) -> &Contour {
    check(traced);
    assert_eq!(traced.contours.len(), 1);
    &traced.contours[0]
}

/// The vertices of the two sheets of a fixture, each of `n` x `n` cells.
fn sheet_of(v: u32, n: usize) -> usize {
    usize::from(v as usize >= (n + 1) * (n + 1))
}

#[test]
fn the_contour_of_a_bump_is_closed_and_encloses_both_parts() {
    let traced = Traced::new(bump(16));
    let contour = only(&traced);
    assert_eq!((contour.kind, contour.both_sided), (ContourKind::Closed, false));
    let found = enclosed_vertices(contour, &traced.topology);
    let radius_sq = 0.03 * std::f64::consts::LN_2;
    for (v, p) in traced.mesh.positions.iter().enumerate() {
        // The bump is at half its depth on a circle; vertices next to it are left to the mesh.
        let r_sq = (p.x - 0.024).powi(2) + (p.z - 0.024).powi(2);
        let is_inside = found.iter().flatten().any(|part| part.binary_search(&(v as u32)).is_ok());
        assert!(r_sq > 0.8 * radius_sq || is_inside, "vertex {v} lies inside");
        assert!(r_sq < 1.2 * radius_sq || !is_inside, "vertex {v} lies outside");
    }
    let length = 2.0 * std::f64::consts::PI * radius_sq.sqrt();
    assert_relative_eq!(traced.length(), length, max_relative = 0.1);
    let sets = vertex_sets(contour, &traced.topology, 1);
    assert!(sets.iter().all(|set| set.iter().all(|&v| sheet_of(v, 16) == sheet_of(set[0], 16))));
}

#[test]
fn only_the_corner_is_cut_off_when_it_pierces_a_sheet() {
    let traced = Traced::new(corner(12));
    let contour = only(&traced);
    assert_eq!((contour.kind, contour.both_sided), (ContourKind::Boundary, false));
    let found = enclosed_vertices(contour, &traced.topology);
    let upright = usize::from(sheet_of(traced.topology.faces()[contour.sides[1][0] as usize][0], 12) == 1);
    assert_eq!(found[1 - upright], None, "a slit cuts nothing off");
    let below: Vec<u32> = (169..2 * 169).filter(|&v| traced.mesh.positions[v as usize].y < 0.0).collect();
    assert!(below.len() > 4);
    assert_eq!(found[upright].as_ref(), Some(&below));
}

#[test]
fn of_two_crossed_sheets_only_the_narrower_one_is_cut() {
    let traced = Traced::new(crossed(10, 0.6));
    let contour = only(&traced);
    assert_eq!(contour.kind, ContourKind::Boundary);
    let cut = split_sheets(contour, &traced.topology);
    let whole: Vec<bool> = cut.iter().map(Option::is_some).collect();
    assert_eq!(whole.iter().filter(|&&w| w).count(), 1);
    let parts = cut.iter().flatten().next().expect("one sheet is cut");
    assert_eq!(parts.smaller.len() + parts.larger.len(), 121);
    assert!(parts.smaller.iter().all(|&v| sheet_of(v, 10) == 1));
    assert_relative_eq!(traced.length(), 0.6, epsilon = 1e-12);
    let wide = Traced::new(crossed(10, 1.1));
    let cut = split_sheets(only(&wide), &wide.topology).map(|parts| parts.is_some());
    assert!(cut.contains(&true) && wide.length() <= 1.0 + 1e-12, "the flat sheet is cut across");
}

#[test]
fn a_cut_along_which_edges_meet_edges_is_tangled_and_still_cuts() {
    // Each column of the upright sheet meets the flat one in an edge, so that each of its edges has two hits
    // at one point.
    let mut mesh = flat(8);
    mesh.append(&flat(8).mapped(|p| Point3::new(p.x * 0.5, p.z + 0.017, 0.03)));
    let traced = Traced::new(mesh);
    let contour = only(&traced);
    assert_eq!(contour.kind, ContourKind::Tangled);
    let below: Vec<u32> = (81..162).filter(|&v| traced.mesh.positions[v as usize].y < 0.0).collect();
    let found = enclosed_vertices(contour, &traced.topology);
    assert_eq!(found.iter().flatten().collect::<Vec<_>>(), [&below]);
}

#[test]
fn a_loop_ends_at_a_vertex_that_both_faces_share() {
    let traced = Traced::new(looped(15));
    check(&traced);
    assert!(!traced.contours.is_empty());
    for contour in &traced.contours {
        assert_eq!(contour.kind, ContourKind::Open);
        assert_eq!(enclosed_vertices(contour, &traced.topology), [None, None]);
        let loops = contour.segments.iter().filter(|s| s.ends.iter().any(|e| matches!(e, End::Vertex(_))));
        let faces = traced.topology.faces();
        for segment in loops {
            let [a, b] = segment.faces.map(|f| faces[f as usize]);
            let End::Vertex(v) = segment.ends[1] else { panic!("the vertex comes last") };
            assert!(a.contains(&v) && b.contains(&v));
        }
    }
    assert!(traced.contours.iter().any(|c| c.segments.iter().any(|s| matches!(s.ends[1], End::Vertex(_)))));
}

#[test]
fn a_rolled_sheet_that_comes_out_through_itself_is_traced() {
    let traced = Traced::new(rolled(40));
    check(&traced);
    assert!(traced.contours.iter().any(|c| c.kind == ContourKind::Boundary && !c.both_sided));
    assert!(traced.contours.iter().all(|c| c.kind == ContourKind::Boundary), "it leaves over the border");
}

#[test]
fn a_vertex_that_touches_a_face_is_a_closed_contour_without_length() {
    // A roof whose middle vertex touches the middle of a triangle.
    let positions = vec![
        Point3::new(-3.0, 0.0, -3.0),
        Point3::new(3.0, 0.0, -3.0),
        Point3::new(0.0, 0.0, 6.0),
        Point3::origin(),
        Point3::new(1.0, 1.0, 0.0),
        Point3::new(0.0, 1.0, 1.0),
        Point3::new(-1.0, 1.0, 0.0),
        Point3::new(0.0, 1.0, -1.0),
    ];
    let faces = vec![[0, 1, 2], [3, 4, 5], [3, 5, 6], [3, 6, 7], [3, 7, 4]];
    let traced = Traced::new(TriMesh::new(positions, faces));
    let contour = only(&traced);
    assert_eq!((contour.kind, contour.hits.len(), contour.both_sided), (ContourKind::Closed, 4, false));
    assert_eq!(traced.length(), 0.0);
    let found = enclosed_vertices(contour, &traced.topology);
    assert_eq!(found.iter().flatten().collect::<Vec<_>>(), [&vec![3]]);
}

#[test]
fn coplanar_sheets_are_tangled_and_harmless() {
    let mut mesh = flat(4);
    mesh.append(&flat(4).translated(Vector3::new(0.1, 0.0, 0.05)));
    let traced = Traced::new(mesh);
    check(&traced);
    assert!(traced.contours.iter().any(|c| c.kind == ContourKind::Tangled));
    for contour in &traced.contours {
        let _ = enclosed_vertices(contour, &traced.topology);
        assert!(contour.length(&traced.mesh.positions, &traced.topology) >= 0.0);
    }
}

#[test]
fn an_edge_with_three_faces_is_tangled() {
    // Three wings on one upright edge, which stands on a triangle.
    let wing = |angle: f64| Point3::new(angle.cos(), 0.2, angle.sin());
    let mut positions =
        vec![Point3::new(-9.0, 0.0, -9.0), Point3::new(9.0, 0.0, -9.0), Point3::new(0.0, 0.0, 18.0)];
    positions.extend([
        Point3::new(0.0, -1.0, 0.0),
        Point3::new(0.0, 1.0, 0.0),
        wing(0.0),
        wing(2.0),
        wing(4.0),
    ]);
    let traced = Traced::new(TriMesh::new(positions, vec![[0, 1, 2], [3, 4, 5], [3, 4, 6], [3, 4, 7]]));
    assert_eq!(only(&traced).kind, ContourKind::Tangled);
}

#[test]
fn hits_out_of_range_or_on_their_own_face_are_skipped() {
    let topology = Topology::new(4, &[[0, 1, 2], [2, 1, 3]]).unwrap();
    assert_eq!(trace(&[[9, 0], [0, 9]], &topology), []);
    let own = trace(&[[0, 0], [0, 0]], &topology);
    assert!(own.len() == 1 && own[0].segments.is_empty());
    assert_eq!(enclosed_vertices(&own[0], &topology), [None, None]);
    assert_eq!(vertex_sets(&own[0], &topology, 3), [Vec::<u32>::new(), Vec::new()]);
}

#[test]
fn rings_grow_by_one_edge_each() {
    let mesh = flat(8);
    let topology = Topology::of_mesh(&mesh).unwrap();
    let middle = 4 * 9 + 4;
    assert_eq!(Rings::default().k_ring(&topology, [middle, 9999], 0), [middle]);
    let mut far: Vec<usize> = vec![usize::MAX; 81];
    far[middle as usize] = 0;
    // Distances by relaxing every edge again and again.
    for _ in 0..81 {
        for &[a, b] in topology.edges() {
            let (a, b) = (a as usize, b as usize);
            let (to_a, to_b) = (far[b].saturating_add(1).min(far[a]), far[a].saturating_add(1).min(far[b]));
            (far[a], far[b]) = (to_a, to_b);
        }
    }
    for k in 0..10 {
        let expected: Vec<u32> = (0..81).filter(|&v| far[v as usize] <= k).collect();
        assert_eq!(Rings::default().k_ring(&topology, [middle], k), expected);
    }
}

proptest! {
    #[test]
    fn random_sheets_are_traced_as_the_definition_says(
        lattice in prop::collection::vec((0..6i32, 0..6i32, 0..6i32), 32),
        noise in prop::bool::ANY,
    ) {
        // Two sheets of 3 x 3 cells with their vertices anywhere: on a lattice, where everything degenerate
        // happens, or beside it.
        let mut mesh = flat(3);
        mesh.append(&flat(3));
        for (v, (p, (x, y, z))) in mesh.positions.iter_mut().zip(lattice).enumerate() {
            let off = if noise { 0.37 * ((v * v) as f64).sin() } else { 0.0 };
            *p = Point3::new(f64::from(x) + off, f64::from(y) + off * 0.7, f64::from(z) - off * off);
        }
        let traced = Traced::new(mesh);
        check(&traced);
        for contour in &traced.contours {
            for part in enclosed_vertices(contour, &traced.topology).into_iter().flatten() {
                prop_assert!(part.len() <= 8);
            }
        }
    }
}
