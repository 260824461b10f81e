//! Intersections of third-party garments and characters, against the figures that others counted.

use cloth_geom::{Topology, TriMesh};
use nalgebra::Point3;

use super::{Checker, IntersectionKind, find};
use cloth_testing::corpus;

/// Reads the `v` and `f` records of an OBJ file; polygons become fans. None, and a word, without the file.
pub(crate) fn load(name: &str) -> Option<TriMesh> {
    let text = std::fs::read_to_string(corpus(name)?).expect("it can be read");
    let mut mesh = TriMesh::default();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let c: Vec<f64> = words.take(3).map(|w| w.parse().expect("a coordinate")).collect();
                mesh.positions.push(Point3::new(c[0], c[1], c[2]));
            }
            Some("f") => {
                let index =
                    |w: &str| w.split('/').next().expect("an index").parse::<u32>().expect("an index") - 1;
                let corners: Vec<u32> = words.map(index).collect();
                mesh.faces.extend((2..corners.len()).map(|k| [corners[0], corners[k - 1], corners[k]]));
            }
            _ => {}
        }
    }
    Some(mesh)
}

/// What is counted in a mesh.
#[derive(Debug, PartialEq, Eq)]
struct Figures {
    /// Edges and faces that meet, and how many of them only touch or lie in one plane.
    edge_faces: usize,
    improper: usize,
    /// Face pairs that share no vertex and cross properly: the figure of others. Then the other pairs that
    /// share no vertex, and the pairs that share one.
    proper: usize,
    touching: usize,
    sharing_a_vertex: usize,
}

const CLEAN: Figures = Figures { edge_faces: 0, improper: 0, proper: 0, touching: 0, sharing_a_vertex: 0 };

fn figures(name: &str) -> Option<Figures> {
    let mesh = load(name)?;
    let topology = Topology::new(mesh.positions.len(), &mesh.faces).expect("valid faces");
    let found = find(&mesh.positions, &topology).expect("finite positions");
    assert!(found.flat_folds.is_empty());
    let share = |[f, g]: &[u32; 2]| {
        mesh.faces[*f as usize].iter().filter(|v| mesh.faces[*g as usize].contains(v)).count()
    };
    let (sharing, apart): (Vec<_>, Vec<_>) =
        found.face_pairs(&topology).into_iter().partition(|pair| share(pair) > 0);
    assert!(sharing.iter().all(|pair| share(pair) == 1));
    let proper = found.proper_face_pairs(&topology).len();
    Some(Figures {
        edge_faces: found.count(),
        improper: found.kinds.iter().filter(|&&kind| kind != IntersectionKind::Proper).count(),
        proper,
        touching: apart.len() - proper,
        sharing_a_vertex: sharing.len(),
    })
}

#[test]
fn finds_a_t_shirt_clean() {
    if let Some(found) = figures("garments/diffcloth/tshirt1900.obj") {
        assert_eq!(found, CLEAN);
    }
}

#[test]
fn counts_the_crossings_of_a_folded_t_shirt() {
    if let Some(found) = figures("garments/diffcloth/tshirt1900-folding-biFolded.obj") {
        assert_eq!(
            found,
            Figures { edge_faces: 55, improper: 0, proper: 48, touching: 0, sharing_a_vertex: 5 }
        );
    }
}

#[test]
fn counts_the_crossings_of_a_dress() {
    if let Some(found) = figures("garments/diffcloth/dress-v5k-f10k-v2.obj") {
        assert_eq!(
            found,
            Figures { edge_faces: 3, improper: 0, proper: 2, touching: 0, sharing_a_vertex: 2 }
        );
    }
}

/// Her coordinates have four decimals, and at two places two edges cross within one plane (x = 0 and
/// x = 0.0596): there the layers pass through each other, and no edge passes the inside of a face.
#[test]
fn counts_the_crossings_of_a_dancer() {
    if let Some(found) = figures("deforming/codim-rumba/shell0.obj") {
        assert_eq!(
            found,
            Figures { edge_faces: 499, improper: 8, proper: 492, touching: 4, sharing_a_vertex: 0 }
        );
    }
}

#[test]
fn counts_the_crossings_of_a_horse() {
    if let Some(found) = figures("deforming/horse-gallop/horse-gallop_0001.obj") {
        assert_eq!(
            found,
            Figures { edge_faces: 7, improper: 0, proper: 6, touching: 0, sharing_a_vertex: 2 }
        );
    }
}

#[test]
fn finds_the_same_with_and_without_culling_in_motions_of_others() {
    let pairs = [
        ["deforming/horse-gallop/horse-gallop_0001.obj", "deforming/horse-gallop/horse-gallop_0025.obj"],
        ["deforming/codim-rumba/shell0.obj", "deforming/codim-rumba/shell60.obj"],
        [
            "deforming/diffcloth-tshirt/tshirt_iter0_frame000.obj",
            "deforming/diffcloth-tshirt/tshirt_iter0_frame150.obj",
        ],
    ];
    for names in pairs {
        let [Some(first), Some(later)] = names.map(load) else { continue };
        let topology = Topology::of_mesh(&first).expect("valid faces");
        let (mut culling, mut boxes) = (Checker::default(), Checker::without_culling());
        for mesh in [&first, &later, &first] {
            assert_eq!(culling.check(&mesh.positions, &topology), boxes.check(&mesh.positions, &topology));
        }
    }
}
