//! What the six bits of representative triangles spare (Lewin 2018, section 4.5): pairs of features with and
//! without them, and the time to make them, for a folded sheet and a shirt.
//!
//! `cargo run --release -p cloth-contacts --example representatives`

use std::time::Instant;

use cloth_broadphase::{BlockTree, Boxes, BroadPhase, PairFilter, Pairs, Sweep};
use cloth_contacts::rep_tri::{FeaturePairs, RepTri};
use cloth_geom::fixtures::{TshirtShape, sheet, tshirt};
use cloth_geom::{Topology, TriMesh};
use nalgebra::Point3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let spacing = 1.0 / 63.0;
    let fold = |p: Point3<f64>| Point3::new((6.0 * p.x).sin() / 6.0, spacing * 4.0 * p.x, p.z);
    show("folded sheet", &sheet(64, 64, [1.0, 1.0])?.mesh.mapped(fold), 0.5 * spacing)?;
    show("shirt", &tshirt(TshirtShape::default())?, 0.005)?;
    Ok(())
}

fn show(name: &str, mesh: &TriMesh, within: f64) -> Result<(), Box<dyn std::error::Error>> {
    let topology = Topology::of_mesh(mesh)?;
    let mut tree = BlockTree::default();
    let sweep = Sweep::at_rest(&mesh.positions).inflated(0.5 * within);
    tree.update(&Boxes::try_from_iter(sweep.faces(topology.faces()))?);
    let mut pairs = Pairs::new();
    tree.self_pairs(&PairFilter::all(), &mut pairs);
    println!("{name}: {} faces, {} pairs of faces", topology.faces().len(), pairs.len());
    for (bits, tri) in [("on", RepTri::with_bits(&topology)), ("off", RepTri::without_bits(&topology))] {
        let mut found = FeaturePairs::default();
        let mut best = f64::INFINITY;
        for _ in 0..20 {
            found.point_triangles.clear();
            found.edge_edges.clear();
            let started = Instant::now();
            pairs.as_slice().iter().for_each(|&pair| tri.add(pair, &mut found));
            best = best.min(started.elapsed().as_secs_f64());
        }
        let (points, edges) = (found.point_triangles.len(), found.edge_edges.len());
        println!("  bits {bits:3}: {points} vertex-face, {edges} edge-edge, {:.2} ms", 1e3 * best);
    }
    Ok(())
}
