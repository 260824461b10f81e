//! Counts the candidate pairs of two crossing sheets, with and without neighbours.

use std::error::Error;

use cloth_broadphase::{Boxes, BroadPhase, Members, PairFilter, Pairs, ParryBvh, Sweep};
use cloth_geom::{Topology, TriMesh};
use nalgebra::Point3;

/// A square sheet of `n` x `n` vertices and side 1 m, tilted by `slope`.
fn sheet(n: u32, slope: f64) -> TriMesh {
    let spacing = 1.0 / f64::from(n - 1);
    let place = |i: u32| {
        let (x, z) = (f64::from(i % n) * spacing, f64::from(i / n) * spacing);
        Point3::new(x, slope * (x - 0.5), z)
    };
    let cells = (0..(n - 1) * (n - 1)).map(|i| i / (n - 1) * n + i % (n - 1));
    let faces = cells.flat_map(|v| [[v, v + n, v + 1], [v + 1, v + n, v + n + 1]]).collect();
    TriMesh::new((0..n * n).map(place).collect(), faces)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut mesh = sheet(64, 0.0);
    mesh.append(&sheet(64, 0.5));
    let topology = Topology::new(mesh.positions.len(), &mesh.faces)?;

    let mut bvh = ParryBvh::default();
    bvh.update(&Boxes::try_from_iter(Sweep::at_rest(&mesh.positions).faces(topology.faces()))?);
    let mut pairs = Pairs::new();
    bvh.self_pairs(&PairFilter::all(), &mut pairs);
    println!("{} faces, {} pairs of boxes overlap", topology.faces().len(), pairs.len());
    let faces = Members::Faces(topology.faces());
    bvh.self_pairs(&PairFilter::no_shared_vertex(faces, faces), &mut pairs);
    println!("{} of them share no vertex", pairs.len());
    Ok(())
}
