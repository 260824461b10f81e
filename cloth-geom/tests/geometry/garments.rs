//! Validation and repair on garments that others made.
//!
//! They lie in the folder that `CLOTH_CORPUS` names; without it these tests say that they skip.

use cloth_geom::{Action, Problem, ProblemKind, RepairPolicy, Topology, TriMesh, repair, validate};
use nalgebra::Point3;

use cloth_testing::corpus;

/// A garment by its path in the corpus: the `v` and `f` lines of an OBJ file, polygons as fans; `None`
/// without corpus.
fn garment(path: &str) -> Option<TriMesh> {
    let file = corpus(&format!("garments/{path}"))?;
    let text = std::fs::read_to_string(file).expect("it can be read");
    let mut mesh = TriMesh::default();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let c: Vec<f64> = words.take(3).map(|w| w.parse().unwrap()).collect();
                mesh.positions.push(Point3::new(c[0], c[1], c[2]));
            }
            Some("f") => {
                let index = |w: &str| w.split('/').next().unwrap().parse::<u32>().unwrap() - 1;
                let ids: Vec<u32> = words.map(index).collect();
                mesh.faces.extend((1..ids.len() - 1).map(|k| [ids[0], ids[k], ids[k + 1]]));
            }
            _ => {}
        }
    }
    Some(mesh)
}

fn count(problems: &[Problem], kind: ProblemKind) -> usize {
    problems.iter().filter(|p| p.kind() == kind).count()
}

#[test]
fn finds_the_two_non_manifold_vertices_of_a_dress_and_nothing_else() {
    let Some(dress) = garment("diffcloth/dress-v5k-f10k-v2.obj") else { return };
    assert_eq!((dress.positions.len(), dress.faces.len()), (5227, 9508));
    let problems = validate(&dress);
    assert_eq!(count(&problems, ProblemKind::NonManifoldVertex), 2, "{problems:#?}");
    assert_eq!(problems.len(), 2, "{problems:#?}");

    assert!(repair(&dress, &RepairPolicy::all(Action::Reject)).is_err());
    let kept = repair(&dress, &RepairPolicy::default()).unwrap();
    assert_eq!(kept.mesh, dress, "two fans on one vertex can be simulated, so the default keeps them");
    let dropped = repair(&dress, &RepairPolicy::all(Action::Drop)).unwrap();
    assert_eq!(validate(&dropped.mesh), []);
    assert!(!dropped.dropped_faces.is_empty() && dropped.dropped_faces.len() < 20, "{:?}", dropped.report);
}

#[test]
fn follows_each_border_of_the_dress_once_through_its_non_manifold_vertices() {
    let Some(dress) = garment("diffcloth/dress-v5k-f10k-v2.obj") else { return };
    let topology = Topology::of_mesh(&dress).unwrap();
    let border = (0..topology.edges().len()).filter(|&e| topology.edge_faces(e).len() == 1).count();
    let loops = topology.boundary_loops();
    assert_eq!(loops.iter().map(Vec::len).sum::<usize>(), border);
    for (a, b) in loops.iter().flat_map(|l| l.iter().zip(l.iter().cycle().skip(1))) {
        let edge = topology.edge_between(*a, *b).unwrap();
        assert_eq!(topology.edge_faces(edge as usize).len(), 1);
    }
}

#[test]
fn plain_garments_are_manifold() {
    let paths = [
        "codim-ipc/skirt4K.obj",
        "codim-ipc/skirt32x128.obj",
        "codim-ipc/cylinder7K.obj",
        "codim-ipc/ribbon1.6K.obj",
        "codim-ipc/square41.obj",
        "diffcloth/tshirt1000-tri.obj",
        "diffcloth/tshirt1900.obj",
    ];
    for path in paths {
        let Some(mesh) = garment(path) else { return };
        let problems = validate(&mesh);
        assert_eq!(count(&problems, ProblemKind::NonManifoldEdge), 0, "{path}");
        assert_eq!(count(&problems, ProblemKind::NonManifoldVertex), 0, "{path}");
        assert_eq!(count(&problems, ProblemKind::DuplicateFace), 0, "{path}");
        eprintln!("{path}: {} problems", problems.len());
    }
}

#[test]
fn welds_the_panels_of_a_dress_into_fewer_pieces() {
    let Some(dress) = garment("codim-ipc/dress_knife_drape.obj") else { return };
    let pieces = |mesh: &TriMesh| Topology::of_mesh(mesh).unwrap().components().count;
    let policy = RepairPolicy { weld_distance: Some(1e-5), ..RepairPolicy::all(Action::Keep) };
    let policy = RepairPolicy { repeated_vertex: Action::Drop, ..policy };
    let welded = repair(&dress, &policy).unwrap();
    assert!(pieces(&welded.mesh) < pieces(&dress));
    assert!(welded.mesh.positions.len() < dress.positions.len());
    for (v, new) in welded.vertex_map.iter().enumerate() {
        let to = welded.mesh.positions[new.unwrap() as usize];
        assert!((to - dress.positions[v]).norm() <= 2e-5, "a cluster of a seam is a pair or two");
    }
    eprintln!("{:?}: {} pieces to {}", welded.report, pieces(&dress), pieces(&welded.mesh));
}
