//! A patch for each condition that a weaker test leaves out, and that meets itself.
//!
//! Each patch is built so that the rest of the test would pass it; what refuses it is named.

use cloth_geom::exact::segment_meets_triangle;
use cloth_geom::{Topology, TriMesh};
use nalgebra::{Point2, Point3, Vector3};

use super::star::is_star;
use super::{Certificate, Contour, Culler, NormalCones, PatchTree, StarContour, View, WithPlanes};

/// A band over a curve of `n` points from 0 to 1, two rows of points.
fn band(n: u32, rows: impl Fn(f64) -> [Point3<f64>; 2], closed: bool) -> TriMesh {
    let last = if closed { n } else { n - 1 };
    let positions = (0..n).flat_map(|i| rows(f64::from(i) / f64::from(last))).collect();
    let cell = |i: u32| {
        let (a, b) = (2 * i, 2 * ((i + 1) % n));
        [[a, a + 1, b], [b, a + 1, b + 1]]
    };
    TriMesh::new(positions, (0..last).flat_map(cell).collect())
}

/// Around the y axis from angle 0 to `turns` full turns, rising by the given height, radius 1 to 2; the faces
/// point up.
fn staircase(turns: f64, height: impl Fn(f64) -> f64) -> TriMesh {
    let rows = |s: f64| {
        let (sin, cos) = (s * turns * std::f64::consts::TAU).sin_cos();
        [1.0, 2.0].map(|r| Point3::new(r * cos, height(s), -r * sin))
    };
    band(
        48,
        |s| {
            let [a, b] = rows(s);
            [b, a]
        },
        false,
    )
}

/// Whether an edge and a face without a common vertex meet.
fn meets_itself(mesh: &TriMesh) -> bool {
    let at = |v: u32| &mesh.positions[v as usize];
    let edges = mesh.faces.iter().flat_map(|f| [0, 1, 2].map(|k| [f[k], f[(k + 1) % 3]]));
    edges.into_iter().any(|edge| {
        let apart = mesh.faces.iter().filter(|f| edge.iter().all(|v| !f.contains(v)));
        apart.into_iter().any(|f| segment_meets_triangle(edge.map(at), f.map(at)))
    })
}

fn may_intersect<C: Certificate>(mesh: &TriMesh) -> bool {
    let tree = PatchTree::new(&Topology::of_mesh(mesh).unwrap());
    Culler::<C>::new(tree).may_intersect(&mesh.positions).unwrap()
}

/// What a method knows of all normals.
fn normals<C: Certificate>(mesh: &TriMesh) -> C::Normals {
    C::of_faces(mesh.faces.iter().map(|f| f.map(|v| &mesh.positions[v as usize])))
}

fn sees_all_fronts(mesh: &TriMesh) -> bool {
    StarContour::view(&normals::<StarContour>(mesh)).is_some()
        && NormalCones::view(&normals::<NormalCones>(mesh)).is_some()
}

fn no_method_passes(mesh: &TriMesh) {
    assert!(meets_itself(mesh));
    assert!(may_intersect::<StarContour>(mesh) && may_intersect::<NormalCones>(mesh));
    assert!(may_intersect::<WithPlanes<StarContour>>(mesh) && may_intersect::<WithPlanes<NormalCones>>(mesh));
}

#[test]
fn normals_alone_pass_a_staircase_that_runs_into_itself() {
    // One turn and a quarter: up, then down through the first steps.
    let mesh = staircase(1.25, |s| 0.2 * s - (s - 0.75).max(0.0));
    assert!(sees_all_fronts(&mesh), "the normal test alone would pass it");
    no_method_passes(&mesh);
}

#[test]
fn a_staircase_without_self_intersection_fails_the_contour_test() {
    let mesh = staircase(1.25, |s| s);
    assert!(!meets_itself(&mesh) && sees_all_fronts(&mesh));
    let topology = Topology::of_mesh(&mesh).unwrap();
    let border: Vec<u32> = topology.boundary_loops().remove(0);
    let mut contour = Contour::default();
    NormalCones::view(&normals::<NormalCones>(&mesh)).unwrap().draw(&border, &mesh.positions, &mut contour);
    assert!(!NormalCones::is_strictly_simple(&mut contour));
}

/// Twice around a middle vertex: a disc whose faces all point up and whose border turns left everywhere.
fn double_fan() -> TriMesh {
    let n = 16u32;
    let around = |i: u32| {
        let (sin, cos) = (f64::from(i) / f64::from(n) * 2.0 * std::f64::consts::TAU).sin_cos();
        let radius = 1.0 + 0.3 * f64::from(i) / f64::from(n);
        Point3::new(
            radius * cos,
            0.2 * (f64::from(i) / f64::from(n) * std::f64::consts::TAU).sin(),
            -radius * sin,
        )
    };
    let mut positions: Vec<_> = (0..n).map(around).collect();
    positions.push(Point3::origin());
    TriMesh::new(positions, (0..n).map(|i| [n, i, (i + 1) % n]).collect())
}

#[test]
fn sides_that_all_turn_left_pass_a_contour_that_goes_round_twice() {
    let mesh = double_fan();
    assert!(sees_all_fronts(&mesh));
    let about = Point2::new(0.0, 0.0);
    let seen: Vec<Point2<f64>> = mesh.positions[..16].iter().map(|p| Point2::new(p.z, p.x)).collect();
    let turns_left = |i: usize| {
        let (a, b) = (seen[i] - about, seen[(i + 1) % 16] - about);
        a.x * b.y - a.y * b.x > 0.0
    };
    assert!((0..16).all(turns_left), "the sides alone would pass it");
    assert!(NormalCones::is_strictly_simple(&mut Contour::through(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])));
    no_method_passes(&mesh);
}

/// Two round sheets, slit open in the middle and glued crosswise along the slits: a ring that lies twice
/// everywhere.
///
/// ```text
/// sheet 0   upper lip U, lower lip L        corners 0 and 1 are the ends of the slit,
/// sheet 1   upper lip L, lower lip U        2 to 4 are U, 5 to 7 are L
/// ```
fn double_ring() -> TriMesh {
    let lip = |height: f64| [0.25, 0.0, -0.25].map(|x| Point3::new(x, height, 0.0));
    let mut positions = vec![Point3::new(0.5, 0.0, 0.0), Point3::new(-0.5, 0.0, 0.0)];
    positions.extend(lip(0.1).into_iter().chain(lip(-0.1)));
    let mut faces = Vec::new();
    for (sheet, [u, l]) in [[2, 5], [5, 2]].into_iter().enumerate() {
        let slit = [0, u, u + 1, u + 2, 1, l + 2, l + 1, l];
        let rim = positions.len() as u32;
        for i in 0..8u32 {
            let (sin, cos) = ((f64::from(i) + 0.5) * std::f64::consts::FRAC_PI_4).sin_cos();
            let (radius, height) = ([2.0, 2.2][sheet], [0.2, -0.2][sheet]);
            positions.push(Point3::new(radius * cos, height, -radius * sin));
            let next = (i + 1) % 8;
            let (s, t) = (slit[i as usize], slit[next as usize]);
            faces.extend([[s, rim + i, t], [rim + i, rim + next, t]]);
        }
    }
    TriMesh::new(positions, faces)
}

#[test]
fn simple_borders_pass_a_ring_that_covers_itself() {
    let mesh = double_ring();
    assert!(sees_all_fronts(&mesh));
    let borders = Topology::of_mesh(&mesh).unwrap().boundary_loops();
    assert_eq!(borders.len(), 2);
    for border in borders {
        let mut contour = Contour::default();
        View::along(&Vector3::y()).draw(&border, &mesh.positions, &mut contour);
        assert!(is_star(&mut contour), "each border alone would pass");
    }
    no_method_passes(&mesh);
}

#[test]
fn simple_borders_pass_two_pieces_that_cross() {
    let sheet = |slope: f64| {
        [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]].map(|[x, z]| Point3::new(x, slope * (x - 0.4), z))
    };
    let positions = sheet(0.0).into_iter().chain(sheet(0.5)).collect();
    let mesh = TriMesh::new(positions, vec![[0, 2, 1], [1, 2, 3], [4, 6, 5], [5, 6, 7]]);
    assert!(sees_all_fronts(&mesh));
    no_method_passes(&mesh);
}

#[test]
fn two_patches_that_pass_alone_may_meet_each_other_across_their_seam() {
    // Flat, then up and over in three quarters of a circle, and straight down through the flat part.
    let rows = |s: f64| {
        let (sin, cos) = ((s - 0.5).clamp(0.0, 0.3) / 0.3 * 1.5 * std::f64::consts::PI).sin_cos();
        let (flat, down) = (4.0 * (s - 0.5).min(0.0), 7.0 * (s - 0.8).max(0.0));
        [1.0, 0.0].map(|z| Point3::new(flat + sin, 1.0 - cos - down, z))
    };
    let mesh = band(60, rows, false);
    let quarter =
        |from: usize, to: usize| TriMesh::new(mesh.positions.clone(), mesh.faces[from..to].to_vec());
    for (from, to) in [(0, 60), (60, 78), (78, 118)] {
        assert!(!may_intersect::<NormalCones>(&quarter(from, to)), "{from}");
    }
    no_method_passes(&mesh);
}

#[test]
fn a_border_that_touches_itself_is_not_strictly_simple() {
    // A flat ring that is slit open: it touches itself along the slit, vertex by vertex.
    let rows = |s: f64| {
        let (sin, cos) = if s == 1.0 { (0.0, 1.0) } else { (s * std::f64::consts::TAU).sin_cos() };
        [2.0, 1.0].map(|r| Point3::new(r * cos, 0.0, -r * sin))
    };
    let mesh = band(13, rows, false);
    assert!(sees_all_fronts(&mesh));
    no_method_passes(&mesh);
}

#[test]
fn faces_wound_against_each_other_hide_a_fold() {
    // Folded flat but for the winding: both parts point up.
    let height = |t: f64| if t < 0.0 { 0.0 } else { 0.1 * t * (t - 0.28) };
    let rows = |s: f64| [1.0, 0.0].map(|z| Point3::new((s - 0.5).abs(), height(s - 0.5), z));
    let mut mesh = band(21, rows, false);
    for face in &mut mesh.faces[20..] {
        face.swap(1, 2);
    }
    assert!(sees_all_fronts(&mesh));
    no_method_passes(&mesh);
}

#[test]
fn pieces_that_share_only_a_vertex_may_still_cross() {
    let at = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.3], [1.0, 0.0, -0.3], [1.0, 0.2, 0.0], [1.0, -0.2, 0.01]];
    let mesh = TriMesh::new(at.map(Point3::from).to_vec(), vec![[0, 1, 2], [0, 3, 4]]);
    no_method_passes(&mesh);
}
