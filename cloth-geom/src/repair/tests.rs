use super::*;
use nalgebra::Point3;

/// Vertices on a parabola: no three on a line.
fn mesh(vertex_count: usize, faces: &[[u32; 3]]) -> TriMesh {
    let at = |i: usize| Point3::new(i as f64, (i * i) as f64, 0.5);
    TriMesh::new((0..vertex_count).map(at).collect(), faces.to_vec())
}

fn drop_all(mesh: &TriMesh) -> Repaired {
    repair(mesh, &RepairPolicy::all(Action::Drop)).unwrap()
}

fn rejections(mesh: &TriMesh, policy: &RepairPolicy) -> Vec<String> {
    match repair(mesh, policy) {
        Err(RepairError::Rejected { problems }) => problems.iter().map(ToString::to_string).collect(),
        other => panic!("expected a rejection, found {other:?}"),
    }
}

#[test]
fn leaves_a_clean_mesh_as_it_is() {
    let m = mesh(4, &[[0, 1, 2], [2, 1, 3]]);
    let vertex_map = (0..4).map(Some).collect();
    for policy in
        [RepairPolicy::default(), RepairPolicy::all(Action::Drop), RepairPolicy::all(Action::Reject)]
    {
        let expected = Repaired {
            mesh: m.clone(),
            vertex_map: Vec::clone(&vertex_map),
            dropped_faces: vec![],
            report: vec![],
        };
        assert_eq!(repair(&m, &policy), Ok(expected));
    }
}

#[test]
fn welds_a_seam_and_keeps_the_first_position() {
    let mut m = mesh(3, &[[0, 1, 2]]);
    let mut other = mesh(4, &[[2, 1, 3]]);
    other.positions.remove(0);
    other.faces = vec![[1, 0, 2]];
    other.positions[0].z += 1e-6;
    m.append(&other);
    let r = repair(&m, &RepairPolicy { weld_distance: Some(1e-5), ..RepairPolicy::default() }).unwrap();
    assert_eq!(r.mesh, mesh(4, &[[0, 1, 2], [2, 1, 3]]));
    assert_eq!(r.vertex_map, [Some(0), Some(1), Some(2), Some(1), Some(2), Some(3)]);
    assert_eq!(r.report, ["welded 2 vertices to others within 0.00001 m"]);
}

#[test]
fn drops_faces_that_welding_collapses() {
    let mut m = mesh(4, &[[0, 1, 2], [2, 1, 3]]);
    m.positions[3] = m.positions[1] + nalgebra::Vector3::new(1e-7, 0.0, 0.0);
    let r = repair(&m, &RepairPolicy { weld_distance: Some(1e-6), ..RepairPolicy::default() }).unwrap();
    assert_eq!((r.mesh.faces, r.dropped_faces), (vec![[0, 1, 2]], vec![1]));
}

#[test]
fn refuses_a_weld_distance_that_is_no_length() {
    for distance in [-1.0, f64::NAN, f64::INFINITY] {
        let policy = RepairPolicy { weld_distance: Some(distance), ..RepairPolicy::default() };
        let error = repair(&mesh(0, &[]), &policy).unwrap_err();
        assert!(matches!(error, RepairError::WeldDistance { .. }));
        assert!(error.to_string().contains("not negative"), "{error}");
    }
}

#[test]
fn drops_a_vertex_that_is_not_finite_with_its_faces() {
    let mut m = mesh(5, &[[0, 1, 2], [2, 1, 3], [3, 4, 2]]);
    m.positions[4].x = f64::NAN;
    let r = drop_all(&m);
    assert_eq!(r.mesh, mesh(4, &[[0, 1, 2], [2, 1, 3]]));
    assert_eq!((r.vertex_map[4], r.dropped_faces), (None, vec![2]));
}

#[test]
fn what_is_dropped_first_may_repair_what_would_be_rejected() {
    // The doubled face makes three edges non-manifold; without it the mesh is clean.
    let m = mesh(4, &[[0, 1, 2], [2, 1, 3], [1, 2, 0]]);
    let r = repair(&m, &RepairPolicy::default()).unwrap();
    assert_eq!((r.dropped_faces, r.report.len()), (vec![2], 1));
}

#[test]
fn rejects_by_kind_and_names_original_indices() {
    let m = mesh(6, &[[0, 0, 1], [0, 1, 2], [9, 1, 2], [1, 0, 3], [0, 1, 4]]);
    let policy = RepairPolicy { index_out_of_range: Action::Drop, ..RepairPolicy::default() };
    assert_eq!(rejections(&m, &policy), ["edge 0-1 has 3 faces: 1, 3, 4"]);
    let error = repair(&m, &RepairPolicy::all(Action::Reject)).unwrap_err().to_string();
    assert!(
        error.starts_with("face 2 uses vertex 9, but there are 6 vertices (and 3 more problems)"),
        "{error}"
    );
}

#[test]
fn keeps_what_the_policy_keeps_even_absurd_indices() {
    let mut m = mesh(5, &[[0, 0, 1], [7, 1, 2], [0, 1, 2], [2, 1, 0], [u32::MAX; 3]]);
    m.positions[3].x = f64::NAN;
    let r = repair(&m, &RepairPolicy::all(Action::Keep)).unwrap();
    assert_eq!((r.dropped_faces, r.mesh.positions.len()), (vec![], 5));
    assert_eq!(r.mesh.faces[..4], [[0, 0, 1], [u32::MAX, 1, 2], [0, 1, 2], [2, 1, 0]]);
}

#[test]
fn keeps_two_faces_of_an_edge_and_the_largest_fan() {
    let edge = mesh(5, &[[0, 1, 2], [1, 0, 3], [0, 1, 4]]);
    assert_eq!(drop_all(&edge).dropped_faces, [2]);
    let vertex = mesh(6, &[[0, 1, 2], [3, 4, 2], [5, 3, 2]]);
    let r = drop_all(&vertex);
    assert_eq!((r.dropped_faces, r.mesh.positions.len()), (vec![0], 4));
}

#[test]
fn dropping_everything_leaves_nothing_to_report_on_any_small_mesh() {
    use rand_pcg::rand_core::{Rng, SeedableRng};
    let mut rng = rand_pcg::Pcg32::seed_from_u64(7);
    for _ in 0..3000 {
        let face_count = rng.next_u32() as usize % 14;
        let faces: Vec<[u32; 3]> = (0..face_count).map(|_| [(); 3].map(|()| rng.next_u32() % 8)).collect();
        let m = mesh(7, &faces);
        let r = drop_all(&m);
        assert_eq!(validate(&r.mesh), [], "{faces:?}");
        assert_eq!(r.mesh.faces.len() + r.dropped_faces.len(), faces.len());
        for (v, new) in r.vertex_map.iter().enumerate() {
            assert!(new.is_none_or(|n| r.mesh.positions[n as usize] == m.positions[v]));
        }
    }
}
