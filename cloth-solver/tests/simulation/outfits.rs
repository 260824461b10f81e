//! Outfits of garments that others made: a shirt and a skirt that intersect each other and a body.
//!
//! They lie in the folder that `CLOTH_CORPUS` names; without it these tests say that they skip.

use cloth_geom::TriMesh;
use cloth_solver::{ByParts, UntangleGarment, UntangleOptions, Untangled, untangle_outfit};
use cloth_testing::corpus;
use nalgebra::{Point3, Vector3};

/// The faces of an OBJ file whose vertices have a place, polygons as fans; `None` without the file.
fn load(path: &str, place: impl Fn(Vector3<f64>) -> Option<Vector3<f64>>) -> Option<TriMesh> {
    let text = std::fs::read_to_string(corpus(path)?).expect("it can be read");
    let (mut ids, mut mesh) = (Vec::new(), TriMesh::default());
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let c: Vec<f64> = words.map(|w| w.parse().expect("a coordinate")).collect();
                let place = place(Vector3::new(c[0], c[1], c[2]));
                ids.push(place.map(|_| mesh.positions.len() as u32));
                mesh.positions.extend(place.map(Point3::from));
            }
            Some("f") => {
                let id = |w: &str| ids[w.split('/').next()?.parse::<usize>().ok()? - 1];
                let face: Option<Vec<u32>> = words.map(id).collect();
                let corners = face.unwrap_or_default();
                mesh.faces.extend((2..corners.len()).map(|k| [corners[0], corners[k - 1], corners[k]]));
            }
            _ => {}
        }
    }
    Some(mesh)
}

/// Both garments with layers, or without, of `seconds`.
fn run(garments: &[TriMesh; 2], layers: [Option<u16>; 2], bodies: &[TriMesh], seconds: f32) -> Untangled {
    let garment =
        |k: usize| UntangleGarment { mesh: &garments[k], x: &garments[k].positions, layer: layers[k] };
    let options = UntangleOptions { seconds, bodies, ..UntangleOptions::default() };
    let found = untangle_outfit(&[garment(0), garment(1)], options).expect("an outfit that can be simulated");
    let kinds = |by: ByParts<usize>| {
        format!(
            "{} own, {} of both, {} with the body",
            by.cloth_with_itself, by.cloth_with_cloth, by.cloth_with_body
        )
    };
    eprintln!(
        "layers {layers:?}: {} -> {} after step {:?} of {}, strain p99 {:.3}, max {:.2}",
        kinds(found.before_by_parts),
        kinds(found.after_by_parts),
        found.best_step,
        found.steps,
        found.after_strain.p99,
        found.after_strain.max
    );
    found
}

/// A t-shirt whose hem hangs in a skirt, of which the waist is in the shirt: 12 decimetres to a metre and a
/// half, the skirt as for the mannequin of its size.
fn shirt_and_skirt() -> Option<[TriMesh; 2]> {
    let shirt = |p: Vector3<f64>| Some(0.062 * p + Vector3::new(0.0, 0.68, -0.01));
    let skirt =
        |p: Vector3<f64>| Some(1.35 * (p - Vector3::new(0.0, 1.034, 0.014)) + Vector3::new(0.0, 1.0, 0.01));
    Some([
        load("garments/diffcloth/tshirt1000-tri.obj", shirt)?,
        load("garments/diffcloth/skirt2011.obj", skirt)?,
    ])
}

#[test]
fn a_shirt_in_a_skirt_comes_clean_by_its_layers() {
    let Some(garments) = shirt_and_skirt() else { return };
    let found = run(&garments, [Some(0), Some(1)], &[], 1.0);
    let [sides] = found.layer_sides[..] else { panic!("{:?}", found.layer_sides) };
    assert!(found.before > 150 && !sides.is_reversed(), "{found:?}");
    assert_eq!(found.after, 0);
    assert!(found.after_strain.p99 < 0.1, "{:?}", found.after_strain);
}

#[test]
#[ignore = "takes a minute or more; prints the figures of docs/design/untangling.md"]
fn a_shirt_in_a_skirt_leaves_few_intersections_on_a_body() {
    let scaled = |p: Vector3<f64>| Some(0.1 * p);
    // The shirt of the suit, without its trousers; the body, without the helpers around it.
    let shirt = load("garments/makehuman/female_casualsuit01.obj", scaled);
    let skirt = load("garments/makehuman/skirthelper.obj", scaled);
    let body = load("characters/makehuman/base.obj", scaled);
    let (Some(shirt), Some(skirt), Some(body)) = (shirt, skirt, body) else { return };
    let garments = [largest_piece(&shirt), skirt];
    let bodies = [largest_piece(&body)];
    let [tucked, over, without] = [[Some(0), Some(1)], [Some(1), Some(0)], [None; 2]]
        .map(|layers| run(&garments, layers, &bodies, 1.0));
    assert!(tucked.after <= 10 && over.after < 50 && without.after <= 10);
    assert!(tucked.after_strain.p99 < 0.25, "{:?}", tucked.after_strain);
}

/// The connected piece with the most faces.
fn largest_piece(mesh: &TriMesh) -> TriMesh {
    let mut sets = cloth_geom::DisjointSets::default();
    sets.reset(mesh.positions.len());
    for &[a, b, c] in &mesh.faces {
        sets.join(a, b);
        sets.join(a, c);
    }
    let roots: Vec<u32> = mesh.faces.iter().map(|face| sets.find(face[0])).collect();
    let count = |root: u32| roots.iter().filter(|&&r| r == root).count();
    let mut distinct = roots.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let largest = distinct.into_iter().max_by_key(|&root| count(root)).expect("a face");
    let mut ids = vec![None; mesh.positions.len()];
    let mut piece = TriMesh::default();
    for (face, _) in mesh.faces.iter().zip(&roots).filter(|&(_, &root)| root == largest) {
        piece.faces.push(face.map(|v| {
            *ids[v as usize].get_or_insert_with(|| {
                piece.positions.push(mesh.positions[v as usize]);
                piece.positions.len() as u32 - 1
            })
        }));
    }
    piece
}
