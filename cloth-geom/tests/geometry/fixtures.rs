//! What every fixture promises, checked on all of them: clean, free of intersections, and of the right
//! topology.

use cloth_geom::exact::segment_meets_triangle;
use cloth_geom::fixtures::*;
use cloth_geom::{Aabb, Topology, TriMesh, validate};
use nalgebra::{Point3, Vector3};

/// A fixture with its name, its number of boundary loops and its Euler characteristic V - E + F.
type Case = (&'static str, TriMesh, usize, i64);

fn cases() -> Vec<Case> {
    let knot_free = |k: usize| {
        let t = k as f64 * 0.05;
        Point3::new(0.3 * libm::cos(t), 0.02 * t, 0.3 * libm::sin(t))
    };
    let spiral = RibbonShape {
        centre_line: (0..200).map(knot_free).collect(),
        up: Vector3::y(),
        width: 0.05,
        across: 4,
    };
    let frustum = SkirtShape { waist_radius: 0.15, hem_radius: 0.45, length: 0.5, around: 40, along: 13 };
    vec![
        ("the least sheet", sheet(2, 2, [1.0, 1.0]).unwrap().mesh, 1, 1),
        ("sheet", sheet(17, 9, [0.4, 1.0]).unwrap().mesh, 1, 1),
        ("one-way sheet", sheet_with_diagonals(6, 9, [1.0, 1.0], Diagonals::Rising).unwrap().mesh, 1, 1),
        ("jittered sheet", jitter(&sheet(20, 20, [1.0, 1.0]).unwrap().mesh, 5e-3, 3).unwrap(), 1, 1),
        ("the least disc", disc(0.1, 1).unwrap(), 1, 1),
        ("disc", disc(0.5, 12).unwrap(), 1, 1),
        ("ribbon", ribbon(&spiral).unwrap().sheet.mesh, 1, 1),
        ("flat ribbon", ribbon(&spiral).unwrap().rest, 1, 1),
        ("the least tube", tube(TubeShape { radius: 0.1, length: 0.1, around: 3, along: 2 }).unwrap(), 2, 0),
        ("tube", tube(TubeShape { radius: 0.1, length: 0.6, around: 31, along: 24 }).unwrap(), 2, 0),
        ("skirt", skirt(frustum).unwrap(), 2, 0),
        (
            "the least bar",
            twisted_bar(BarShape { across: 1, along: 1, cell: 0.1, turns: 0.0 }).unwrap(),
            0,
            2,
        ),
        ("twisted bar", twisted_bar(BarShape::default()).unwrap(), 0, 2),
        ("bar after a full turn", twisted_bar(BarShape { turns: 1.0, ..BarShape::default() }).unwrap(), 0, 2),
        (
            "bar after a full turn back",
            twisted_bar(BarShape { turns: -1.0, ..BarShape::default() }).unwrap(),
            0,
            2,
        ),
        ("thick bar", twisted_bar(BarShape { across: 9, along: 24, cell: 0.02, turns: 2.0 }).unwrap(), 0, 2),
        ("icosahedron", icosphere(0, 1.0).unwrap(), 0, 2),
        ("icosphere", icosphere(3, 0.2).unwrap(), 0, 2),
        ("t-shirt", tshirt(TshirtShape { spacing: 0.03, ..TshirtShape::default() }).unwrap(), 4, -2),
        ("built-in t-shirt", tshirt(TshirtShape::default()).unwrap(), 4, -2),
    ]
}

#[test]
fn all_fixtures_are_clean_pieces_with_their_holes() {
    for (name, mesh, loops, euler) in cases() {
        assert_eq!(validate(&mesh), [], "{name}");
        let topology = Topology::of_mesh(&mesh).unwrap();
        let found = topology.boundary_loops();
        assert_eq!(found.len(), loops, "{name}: loops");
        let [v, e, f] = [mesh.positions.len(), topology.edges().len(), mesh.faces.len()].map(|n| n as i64);
        assert_eq!(v - e + f, euler, "{name}: Euler characteristic");
        let components = topology.components();
        assert_eq!((components.count, components.of_face.len()), (1, mesh.faces.len()), "{name}: pieces");
        let border = (0..topology.edges().len()).filter(|&e| topology.edge_faces(e).len() == 1).count();
        assert_eq!(found.iter().map(Vec::len).sum::<usize>(), border, "{name}: length of loops");
        for ends in found.iter().flat_map(|l| l.iter().zip(l.iter().cycle().skip(1))) {
            let edge = topology.edge_between(*ends.0, *ends.1).unwrap() as usize;
            let [face] = topology.edge_faces(edge) else { panic!("{name}: {ends:?} is no border") };
            let f = mesh.faces[*face as usize];
            assert!(
                (0..3).any(|k| [f[k], f[(k + 1) % 3]] == [*ends.0, *ends.1]),
                "{name}: runs against its face"
            );
        }
    }
}

#[test]
fn each_vertex_and_edge_of_all_fixtures_is_owned_exactly_once() {
    for (name, mesh, ..) in cases() {
        let topology = Topology::of_mesh(&mesh).unwrap();
        let mut vertex_owners = vec![0; mesh.positions.len()];
        let mut edge_owners = vec![0; topology.edges().len()];
        for (f, bits) in topology.representatives().iter().enumerate() {
            for k in 0..3 {
                vertex_owners[mesh.faces[f][k] as usize] += u32::from(bits.owns_vertex(k));
                edge_owners[topology.face_edges()[f][k] as usize] += u32::from(bits.owns_edge(k));
            }
            assert!(bits.bits() < 64);
        }
        assert!(vertex_owners.iter().chain(&edge_owners).all(|&n| n == 1), "{name}");
    }
}

#[test]
fn each_inner_edge_of_all_fixtures_is_a_hinge_of_its_faces() {
    for (name, mesh, ..) in cases() {
        let topology = Topology::of_mesh(&mesh).unwrap();
        let hinges = topology.hinges();
        let inner = (0..topology.edges().len()).filter(|&e| topology.edge_faces(e).len() == 2);
        assert!(inner.map(|e| topology.edges()[e]).eq(hinges.iter().map(|h| h.edge)), "{name}");
        for h in hinges {
            let turns = |f: u32, corners: [u32; 3]| {
                let f = mesh.faces[f as usize];
                (0..3).any(|k| [f[k], f[(k + 1) % 3], f[(k + 2) % 3]] == corners)
            };
            assert!(turns(h.faces[0], [h.edge[0], h.edge[1], h.apexes[0]]), "{name}: {h:?}");
            assert!(turns(h.faces[1], [h.edge[1], h.edge[0], h.apexes[1]]), "{name}: {h:?}");
        }
    }
}

#[test]
fn no_fixture_intersects_itself() {
    for (name, mesh, ..) in cases() {
        assert_eq!(first_intersection(&mesh), None, "{name}");
    }
}

#[test]
fn the_search_for_intersections_finds_one() {
    let mut mesh = sheet(12, 12, [1.0, 1.0]).unwrap().mesh;
    mesh.append(&mesh.clone().rotated(Vector3::x_axis(), 1.0).translated(Vector3::new(0.013, 0.0, 0.017)));
    assert!(first_intersection(&mesh).is_some());
}

/// The first edge and face without a common vertex that have a point in common: every pair, along a sweep
/// over x.
fn first_intersection(mesh: &TriMesh) -> Option<([u32; 2], [u32; 3])> {
    let topology = Topology::of_mesh(mesh).unwrap();
    let at = |v: u32| mesh.positions[v as usize];
    let boxed = |ids: &[u32]| Aabb::of_points(ids.iter().map(|&v| at(v)));
    let mut edges: Vec<_> = topology.edges().iter().map(|&e| (boxed(&e), e)).collect();
    edges.sort_by(|a, b| a.0.min.x.total_cmp(&b.0.min.x));
    let longest = edges.iter().map(|(b, _)| b.max.x - b.min.x).fold(0.0, f64::max);
    for face in &mesh.faces {
        let around = boxed(face);
        // An edge that reaches the face begins no more than the longest extent before it; twice that is
        // outward.
        let start = edges.partition_point(|(b, _)| b.min.x < around.min.x - 2.0 * longest);
        for (b, e) in edges[start..].iter().take_while(|(b, _)| b.min.x <= around.max.x) {
            let apart = face.iter().all(|v| !e.contains(v));
            let meets =
                || segment_meets_triangle([&at(e[0]), &at(e[1])], [&at(face[0]), &at(face[1]), &at(face[2])]);
            if apart && b.overlaps(&around) && meets() {
                return Some((*e, *face));
            }
        }
    }
    None
}

#[test]
fn areas_are_those_of_the_shapes() {
    let area = |mesh: &TriMesh| -> f64 {
        let corners = |f: &[u32; 3]| f.map(|v| mesh.positions[v as usize]);
        let double = mesh.faces.iter().map(corners).map(|[a, b, c]| (b - a).cross(&(c - a)).norm());
        double.sum::<f64>() / 2.0
    };
    let pi = std::f64::consts::PI;
    assert!((area(&sheet(7, 5, [0.4, 1.5]).unwrap().mesh) - 0.6).abs() < 1e-14);
    // A regular polygon of n corners: n/2 sin(2 pi / n) r^2.
    let polygon = |n: f64| n / 2.0 * libm::sin(2.0 * pi / n);
    assert!((area(&disc(0.5, 12).unwrap()) - polygon(72.0) * 0.25).abs() < 1e-14);
    // A tube of n flat sides: n chords times the length.
    let side = 2.0 * 0.1 * libm::sin(pi / 31.0);
    let t = tube(TubeShape { radius: 0.1, length: 0.6, around: 31, along: 24 }).unwrap();
    assert!((area(&t) - 31.0 * side * 0.6).abs() < 1e-14);
}

#[test]
fn the_t_shirt_has_the_same_bytes_everywhere() {
    // Over the bits of all coordinates and indices.
    let mesh = tshirt(TshirtShape::default()).unwrap();
    let coordinates = mesh.positions.iter().flat_map(|p| [p.x, p.y, p.z]).map(f64::to_bits);
    let words = coordinates.chain(mesh.faces.iter().flatten().map(|&v| u64::from(v)));
    assert_eq!(cloth_geom::fnv1a(words.flat_map(u64::to_le_bytes)), 16_723_977_518_663_460_616);
}
