use cloth_geom::TriMesh;
use cloth_geom::fixtures::{Diagonals, jitter, sheet_with_diagonals};
use nalgebra::Point3;

use super::*;
use crate::describe::cloth::RestShape;
use crate::{ClothDesc, Material, Thickness};

fn grid(nx: usize, ny: usize, diagonals: Diagonals) -> TriMesh {
    sheet_with_diagonals(nx, ny, [1.0, (ny - 1) as f64 / (nx - 1) as f64], diagonals).unwrap().mesh
}

fn ways_of(desc: &ClothDesc, hinges: u32) -> GeodesicGraph {
    let topology = Topology::of_mesh(&desc.mesh).unwrap();
    GeodesicGraph::new(&topology, &RestGeometry::new(desc).unwrap(), &desc.stitches, hinges)
}

fn cloth(mesh: TriMesh) -> ClothDesc {
    ClothDesc::new(mesh, Material::COTTON, Thickness { radius: 0.0, scr: 0.0 })
}

/// All distances (m) by Floyd and Warshall: every path over every vertex.
fn all_distances(neighbours: &GeodesicGraph) -> Vec<Vec<f64>> {
    let n = neighbours.vertex_count();
    let mut d = vec![vec![f64::INFINITY; n]; n];
    for (v, row) in d.iter_mut().enumerate() {
        row[v] = 0.0;
        for &(to, length) in neighbours.neighbours(v as u32) {
            row[to as usize] = row[to as usize].min(f64::from(length));
        }
    }
    for over in 0..n {
        for a in 0..n {
            for b in 0..n {
                d[a][b] = d[a][b].min(d[a][over] + d[over][b]);
            }
        }
    }
    d
}

#[test]
fn finds_the_nearest_anchors_that_a_look_at_all_ways_finds() {
    for seed in 0..4 {
        let mesh = jitter(&grid(7, 6, Diagonals::default()), 0.02, seed).unwrap();
        let neighbours = ways_of(&cloth(mesh), 2);
        let d = all_distances(&neighbours);
        let anchors = [3, 17, 20, 36, 41];
        for max_count in 1..=4 {
            for (v, labels) in nearest(&neighbours, &anchors, max_count).iter().enumerate() {
                let mut wanted: Vec<(f64, u32)> = anchors.iter().map(|&a| (d[a as usize][v], a)).collect();
                wanted.sort_by(|a, b| a.partial_cmp(b).unwrap());
                assert_eq!(labels.len(), max_count);
                for (&(anchor, distance), &(length, expected)) in labels.iter().zip(&wanted) {
                    // Sums of a dozen lengths in another order.
                    assert!((distance - length).abs() <= 1e-14 && anchor == expected, "{v}: {labels:?}");
                }
            }
        }
    }
}

#[test]
fn a_vertex_that_no_anchor_reaches_has_none() {
    let mut mesh = grid(3, 3, Diagonals::default());
    mesh.append(&grid(3, 3, Diagonals::default()));
    let found = nearest(&ways_of(&cloth(mesh), 2), &[0], 4);
    assert!(found[..9].iter().all(|f| f.len() == 1) && found[9..].iter().all(Vec::is_empty));
    assert!(nearest(&GeodesicGraph::default(), &[], 4).is_empty());
}

/// The greatest ratio of the length found to the straight distance, over all vertices and one end; and the
/// least.
fn ratios(mesh: &TriMesh, hinges: u32, from: u32) -> (f64, f64) {
    let found = nearest(&ways_of(&cloth(mesh.clone()), hinges), &[from], 1);
    let at = |v: usize| mesh.positions[v];
    let others = (0..found.len()).filter(|&v| v != from as usize);
    others
        .map(|v| found[v][0].1 / (at(v) - at(from as usize)).norm())
        .fold((0.0, f64::INFINITY), |(max_count, least), r| (r.max(max_count), r.min(least)))
}

#[test]
fn no_path_on_a_flat_convex_sheet_is_shorter_than_straight() {
    for seed in 0..8 {
        let mesh = jitter(&grid(9, 9, Diagonals::default()), 0.03, seed).unwrap();
        // Jitter moves vertices in space; flattened, the border is no longer straight, so a straight line may
        // leave it.
        let flat = mesh.mapped(|p| Point3::new(p.x, 0.0, p.z));
        for from in [0, 40, 44, 80] {
            let (_, least) = ratios(&flat, 4, from);
            // Faces are laid flat in `f32`; beyond that rounding nothing is shorter.
            assert!(least >= 1.0 - 4.0 * f64::from(f32::EPSILON), "{least}");
        }
    }
}

#[test]
fn ways_across_hinges_take_out_what_edges_alone_are_too_long() {
    let worst = |diagonals, hinges| {
        let mesh = grid(41, 41, diagonals);
        [0, 40, 840].map(|from| ratios(&mesh, hinges, from).0).into_iter().fold(0.0, f64::max)
    };
    // Against the diagonals a path along edges has both legs of a right angle.
    assert!((worst(Diagonals::Rising, 0) - 2f64.sqrt()).abs() < 1e-6);
    // From the directions (1, 0) (1, 1) of a grid to the farthest direction between them: 1 / cos(22.5
    // degrees), and so on.
    let between = |a: [f64; 2], b: [f64; 2]| {
        let angle = (b[1] / b[0]).atan() - (a[1] / a[0]).atan();
        1.0 / (0.5 * angle).cos()
    };
    assert!(worst(Diagonals::Rising, 1) <= between([1.0, 0.0], [1.0, 1.0]) + 1e-6);
    for diagonals in [Diagonals::Rising, Diagonals::Alternating] {
        for hinges in 0..=6 {
            eprintln!("{diagonals:?}, {hinges} hinges: {}", worst(diagonals, hinges));
        }
        assert!(worst(diagonals, 4) <= between([1.0, 0.0], [2.0, 1.0]) + 1e-6, "{diagonals:?}");
    }
}

#[test]
fn goes_around_a_hole_and_over_a_fold() {
    // A square ring: the corners of the hole are one apart, the middles of opposite sides go around it.
    let mut ring = grid(5, 5, Diagonals::default());
    let inside = |f: &[u32; 3]| f.iter().all(|v| [6, 7, 8, 11, 12, 13, 16, 17, 18].contains(v));
    ring.faces.retain(|f| !inside(f));
    let found = nearest(&ways_of(&cloth(ring), 4), &[10], 1);
    // From the middle of one side (-0.5, 0) over the hole's corners (-0.25, -0.25), (0.25, -0.25) to the
    // other.
    let around = 2.0 * 0.125f64.sqrt() + 0.5;
    assert!((found[14][0].1 - around).abs() < 1e-6, "{}", found[14][0].1);

    // Folded to a right angle along its middle row, the sheet is as long as before, not as its chord.
    let fold = |p: Point3<f64>| if p.z > 0.0 { Point3::new(p.x, p.z, 0.0) } else { p };
    let folded = grid(5, 5, Diagonals::default()).mapped(fold);
    let found = nearest(&ways_of(&cloth(folded), 4), &[2], 1);
    assert!((found[22][0].1 - 1.0).abs() < 1e-6, "{}", found[22][0].1);
}

#[test]
fn measures_the_rest_shape_and_not_the_start() {
    let mesh = grid(3, 3, Diagonals::default());
    let mut desc = cloth(mesh.clone());
    desc.rest = RestShape::Positions(mesh.positions.iter().map(|p| p * 2.0).collect());
    assert!((nearest(&ways_of(&desc, 2), &[0], 1)[2][0].1 - 2.0).abs() < 1e-6);
}

#[test]
fn a_stitch_is_a_way_of_no_length_of_its_own() {
    let mut mesh = grid(3, 3, Diagonals::default());
    let second = mesh.append(&grid(3, 3, Diagonals::default()));
    let mut desc = cloth(mesh);
    // Corner 2 of the first sheet sits at a quarter of an edge of the second; edges are 0.5 long.
    desc.stitches = vec![Stitch { vertex: 2, edge: [second, second + 1], ratio: 0.25 }];
    let found = nearest(&ways_of(&desc, 2), &[0], 1);
    let length = |v: u32| found[v as usize][0].1;
    assert!((length(second) - 1.125).abs() < 1e-6 && (length(second + 1) - 1.375).abs() < 1e-6);
}
