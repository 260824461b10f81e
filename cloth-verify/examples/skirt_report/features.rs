//! What the bits of representative triangles spare on the skirt: contacts, and the time to find them.

use std::time::Instant;

use cloth_broadphase::{BlockTree, Boxes, BroadPhase, PairFilter, Pairs, Sweep};
use cloth_contacts::rep_tri::{FeaturePairs, RepTri};
use cloth_geom::closest::{point_triangle, segment_segment};
use cloth_solver::Simulation;
use nalgebra::Point3;

/// Runs of which the fastest counts.
const RUNS: usize = 20;

/// Prints a table for a state, whose features are in contact within a distance (m).
pub(crate) fn print(sim: &Simulation, within: f64) {
    let positions: Vec<_> = sim.positions().iter().map(|p| p.cast::<f64>()).collect();
    let topology = sim.surface().topology();
    let mut tree = BlockTree::default();
    let sweep = Sweep::at_rest(&positions).inflated(0.5 * within);
    tree.update(&Boxes::try_from_iter(sweep.faces(topology.faces())).expect("finite boxes"));
    let mut pairs = Pairs::new();
    tree.self_pairs(&PairFilter::all(), &mut pairs);
    println!("| bits | pairs of faces | pairs of features | contacts | ms |\n|---|---|---|---|---|");
    for (bits, tri) in [("on", RepTri::with_bits(topology)), ("off", RepTri::without_bits(topology))] {
        let (mut found, mut contacts, mut best) = (FeaturePairs::default(), 0, f64::INFINITY);
        for _ in 0..RUNS {
            found.point_triangles.clear();
            found.edge_edges.clear();
            let started = Instant::now();
            pairs.as_slice().iter().for_each(|&pair| tri.add(pair, &mut found));
            contacts = near(&found, &positions, (topology.faces(), topology.edges()), within);
            best = best.min(started.elapsed().as_secs_f64());
        }
        let features = found.point_triangles.len() + found.edge_edges.len();
        println!("| {bits} | {} | {features} | {contacts} | {:.2} |", pairs.len(), 1e3 * best);
    }
}

/// How many pairs of features are within a distance (m).
fn near(
    found: &FeaturePairs,
    positions: &[Point3<f64>],
    (faces, edges): (&[[u32; 3]], &[[u32; 2]]),
    within: f64,
) -> usize {
    let at = |v: u32| &positions[v as usize];
    let points = found
        .point_triangles
        .iter()
        .filter(|[v, f]| point_triangle(at(*v), faces[*f as usize].map(at)).distance_sq < within * within);
    let crossings = found.edge_edges.iter().filter(|pair| {
        let [a, b] = pair.map(|e| edges[e as usize].map(at));
        segment_segment(a, b).distance_sq < within * within
    });
    points.count() + crossings.count()
}
