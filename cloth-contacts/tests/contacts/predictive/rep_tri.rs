//! The six bits of a face: from pairs of faces whose boxes overlap they choose every pair of features that
//! overlaps, once.

use std::collections::BTreeSet;

use cloth_broadphase::{Boxes, BroadPhase, Members, PairFilter, Pairs, ParryBvh, Sweep};
use cloth_contacts::rep_tri::{FeaturePairs, RepTri};
use cloth_geom::fixtures::{TshirtShape, jitter, sheet, tshirt};
use cloth_geom::{Aabb, Topology, TriMesh};
use nalgebra::Point3;
use proptest::prelude::*;

/// Pairs of faces whose boxes, each grown by half of `within` (m), overlap.
fn face_pairs(
    positions: &[Point3<f64>],
    topology: &Topology,
    within: f64,
    filter: &PairFilter<'_>,
) -> Vec<[u32; 2]> {
    let mut tree = ParryBvh::default();
    let sweep = Sweep::at_rest(positions).inflated(0.5 * within);
    tree.update(&Boxes::try_from_iter(sweep.faces(topology.faces())).unwrap());
    let mut pairs = Pairs::new();
    tree.self_pairs(filter, &mut pairs);
    pairs.as_slice().to_vec()
}

fn features(tri: &RepTri<'_>, faces: &[[u32; 2]]) -> FeaturePairs {
    let mut found = FeaturePairs::default();
    faces.iter().for_each(|&pair| tri.add(pair, &mut found));
    found
}

/// Every vertex and face, and every two edges, that share no vertex and whose boxes overlap.
fn plain(positions: &[Point3<f64>], topology: &Topology, within: f64) -> [BTreeSet<[u32; 2]>; 2] {
    let aabb = |v: &[u32]| Aabb::of_points(v.iter().map(|&v| positions[v as usize])).inflated(0.5 * within);
    let (faces, edges) = (topology.faces(), topology.edges());
    let used = |v: u32| !topology.vertex_faces(v as usize).is_empty();
    let vertices = (0..positions.len() as u32).filter(|&v| used(v));
    let points = vertices.flat_map(|v| (0..faces.len() as u32).map(move |f| [v, f]));
    let points = points.filter(|&[v, f]| {
        let corners = faces[f as usize];
        !corners.contains(&v) && aabb(&[v]).overlaps(&aabb(&corners))
    });
    let pairs = (0..edges.len() as u32).flat_map(|e| (0..e).map(move |f| [f, e]));
    let pairs = pairs.filter(|pair| {
        let [a, b] = pair.map(|e| edges[e as usize]);
        a.iter().all(|v| !b.contains(v)) && aabb(&a).overlaps(&aabb(&b))
    });
    [points.collect(), pairs.collect()]
}

/// Checks the claim, and returns how many pairs of features come with the bits and how many without.
fn check(mesh: &TriMesh, within: f64) -> [usize; 2] {
    let topology = Topology::of_mesh(mesh).unwrap();
    let faces = face_pairs(&mesh.positions, &topology, within, &PairFilter::all());
    let chosen = features(&RepTri::with_bits(&topology), &faces);
    let all = features(&RepTri::without_bits(&topology), &faces);
    let wanted = plain(&mesh.positions, &topology, within);
    let lists = [(&chosen.point_triangles, &all.point_triangles), (&chosen.edge_edges, &all.edge_edges)];
    for ((chosen, all), wanted) in lists.into_iter().zip(wanted) {
        let set: BTreeSet<[u32; 2]> = chosen.iter().copied().collect();
        assert_eq!(set.len(), chosen.len(), "a pair came twice");
        assert!(wanted.is_subset(&set), "{:?} did not come", wanted.difference(&set).next());
        let everything: BTreeSet<[u32; 2]> = all.iter().copied().collect();
        assert!(set.is_subset(&everything), "a pair came of nowhere");
    }
    let count = |pairs: &FeaturePairs| pairs.point_triangles.len() + pairs.edge_edges.len();
    [count(&chosen), count(&all)]
}

#[test]
fn representatives_give_each_pair_of_a_sheet_once_from_fewer_candidates() {
    for (n, within) in [(2, 0.3), (9, 0.02), (14, 0.1)] {
        let flat = sheet(n, n, [1.0, 1.0]).unwrap().mesh;
        let folded = flat.mapped(|p| Point3::new((3.0 * p.x).sin() * 0.3, 0.1 * p.x, p.z));
        let [chosen, all] = check(&jitter(&folded, 0.01, n as u64).unwrap(), within);
        assert!(n < 9 || all > 3 * chosen, "{chosen} of {all}");
    }
}

#[test]
fn on_a_shirt_each_pair_comes_once() {
    let shirt = tshirt(TshirtShape { spacing: 0.035, ..TshirtShape::default() }).unwrap();
    let [chosen, all] = check(&shirt, 0.01);
    assert!(all > 3 * chosen, "{chosen} of {all}");
}

#[test]
fn representatives_give_each_pair_of_fins_and_cones_once() {
    let spoke = |i: u8| Point3::new(f64::from(i).cos(), 0.1 * f64::from(i), f64::from(i).sin());
    let fins: Vec<Point3<f64>> =
        [Point3::origin(), Point3::new(0.0, 1.0, 0.0)].into_iter().chain((0..5).map(spoke)).collect();
    let fins = TriMesh::new(fins, (2..7).map(|tip| [0, 1, tip]).collect());
    check(&fins, 3.0);
    let cones: Vec<Point3<f64>> = std::iter::once(Point3::origin()).chain((0..12).map(spoke)).collect();
    let cones = TriMesh::new(cones, (0..6).map(|i| [0, 1 + 2 * i, 2 + 2 * i]).collect());
    check(&cones, 3.0);
}

#[test]
fn leaving_out_neighbouring_faces_would_lose_pairs() {
    let mesh = sheet(4, 4, [1.0, 1.0]).unwrap().mesh;
    let topology = Topology::of_mesh(&mesh).unwrap();
    let members = Members::Faces(topology.faces());
    let faces = face_pairs(&mesh.positions, &topology, 0.1, &PairFilter::no_shared_vertex(members, members));
    let chosen = features(&RepTri::with_bits(&topology), &faces);
    let set: BTreeSet<[u32; 2]> = chosen.point_triangles.into_iter().collect();
    assert!(!plain(&mesh.positions, &topology, 0.1)[0].is_subset(&set));
}

fn soup() -> impl Strategy<Value = TriMesh> {
    let point = proptest::array::uniform3(-1.0..1.0f64).prop_map(Point3::from);
    let positions = proptest::collection::vec(point, 4..14);
    positions.prop_flat_map(|positions| {
        let count = positions.len() as u32;
        let face = [0..count, 0..count, 0..count]
            .prop_filter("three corners", |[a, b, c]| a != b && b != c && c != a);
        proptest::collection::vec(face, 1..24).prop_map(move |faces| TriMesh::new(positions.clone(), faces))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn in_any_soup_of_triangles_each_pair_comes_once(mesh in soup(), within in 0.0..0.5f64) {
        prop_assume!(Topology::of_mesh(&mesh).is_ok());
        check(&mesh, within);
    }
}
