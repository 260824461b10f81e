//! What each culling method spares of a twisted bar of 208 triangles, as Zhang 2014 (table 1) counts it, and
//! what it misses.
//!
//! Pairs are unordered and have overlapping boxes: first those that share no vertex, then, in brackets, all.
//! `cargo run --release --example cull_a_bar`

use std::error::Error;

use cloth_broadphase::cull::{
    BoxesOnly, Certificate, Culler, NormalCones, PatchTree, StarContour, WithPlanes,
};
use cloth_geom::exact::segment_meets_triangle;
use cloth_geom::fixtures::{BarShape, twisted_bar};
use cloth_geom::{Topology, TriMesh};

fn main() -> Result<(), Box<dyn Error>> {
    for turns in [0.0, 0.25, 0.5, 1.0] {
        let bar = twisted_bar(BarShape { turns, ..BarShape::default() })?;
        let tree = PatchTree::new(&Topology::of_mesh(&bar)?);
        let before = left::<BoxesOnly>(&tree, &bar)?;
        let apart_before = before.iter().filter(|pair| share_none(&bar, pair)).count();
        let true_pairs = true_pairs(&bar);
        println!(
            "{turns} turns: {apart_before} ({}) pairs, {} of them intersect",
            before.len(),
            true_pairs.len()
        );
        for (name, left) in [
            ("star contour", left::<StarContour>(&tree, &bar)?),
            ("normal cones", left::<NormalCones>(&tree, &bar)?),
            ("star contour, planes", left::<WithPlanes<StarContour>>(&tree, &bar)?),
            ("normal cones, planes", left::<WithPlanes<NormalCones>>(&tree, &bar)?),
        ] {
            let apart = left.iter().filter(|pair| share_none(&bar, pair)).count();
            let missed = true_pairs.iter().filter(|&pair| !left.contains(pair)).count();
            println!(
                "  {name:20} leaves {apart:4} ({:4}), spares {:5.1} % ({:5.1} %), misses {missed}",
                left.len(),
                100.0 * (1.0 - apart as f64 / apart_before as f64),
                100.0 * (1.0 - left.len() as f64 / before.len() as f64),
            );
        }
    }
    Ok(())
}

/// The pairs of faces that a method leaves to the exact test.
fn left<C: Certificate>(tree: &PatchTree, mesh: &TriMesh) -> Result<Vec<[u32; 2]>, Box<dyn Error>> {
    let mut pairs = Vec::new();
    Culler::<C>::new(tree.clone()).visit_candidates(&mesh.positions, &mut |f, g| pairs.push([f, g]))?;
    Ok(pairs)
}

fn share_none(mesh: &TriMesh, &[f, g]: &[u32; 2]) -> bool {
    let [f, g] = [f, g].map(|f| mesh.faces[f as usize]);
    f.iter().all(|v| !g.contains(v))
}

/// Every pair of faces against each other: those of which an edge of one meets the other, by exact signs.
fn true_pairs(mesh: &TriMesh) -> Vec<[u32; 2]> {
    let at = |v: u32| &mesh.positions[v as usize];
    let meets = |f: u32, g: u32| {
        let [f, g] = [f, g].map(|f| mesh.faces[f as usize]);
        (0..3).any(|k| {
            let edge = [f[k], f[(k + 1) % 3]];
            edge.iter().all(|v| !g.contains(v)) && segment_meets_triangle(edge.map(at), g.map(at))
        })
    };
    let count = mesh.faces.len() as u32;
    let pairs = (0..count).flat_map(|f| (f + 1..count).map(move |g| [f, g]));
    pairs.filter(|&[f, g]| meets(f, g) || meets(g, f)).collect()
}
