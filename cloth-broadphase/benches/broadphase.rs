//! Build, refit and query of `ParryBvh` on the faces and edges of wavy sheets.
//!
//! The tree is built on the flat sheet and queried on the wavy one, as in a simulation.

use std::hint::black_box;

use cloth_broadphase::{Boxes, BroadPhase, Members, PairFilter, Pairs, ParryBvh, Sweep};
use cloth_geom::Topology;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use nalgebra::Point3;

/// A flat square sheet of side 1 m, and its topology.
fn sheet(n: u32) -> (Vec<Point3<f64>>, Topology) {
    let spacing = 1.0 / f64::from(n - 1);
    let place = |i: u32| Point3::new(f64::from(i % n) * spacing, 0.0, f64::from(i / n) * spacing);
    let cells = (0..(n - 1) * (n - 1)).map(|i| i / (n - 1) * n + i % (n - 1));
    let faces: Vec<_> = cells.flat_map(|v| [[v, v + n, v + 1], [v + 1, v + n, v + n + 1]]).collect();
    ((0..n * n).map(place).collect(), Topology::new((n * n) as usize, &faces).expect("a valid grid"))
}

fn wavy(p: &Point3<f64>) -> Point3<f64> {
    Point3::new(p.x, 0.05 * (9.0 * p.x).sin() * (7.0 * p.z).cos(), p.z)
}

/// Benches one set of primitives, with boxes grown by a quarter of the spacing.
fn bench_set(c: &mut Criterion, name: &str, n: u32, flat: &Boxes, moved: &Boxes, members: Members<'_>) {
    let mut group = c.benchmark_group(name);
    group.sample_size(20);
    let id = |what| BenchmarkId::new(what, n);
    group.bench_function(id("build"), |b| {
        b.iter(|| {
            let mut bvh = ParryBvh::default();
            bvh.update(black_box(moved));
            bvh
        });
    });
    let mut bvh = ParryBvh::default();
    bvh.update(flat);
    group.bench_function(id("refit"), |b| b.iter(|| bvh.update(black_box(moved))));
    assert_eq!(bvh.builds(), 1, "the refits must not be builds");
    let filter = PairFilter::no_shared_vertex(members, members);
    let mut pairs = Pairs::new();
    group.bench_function(id("self_pairs"), |b| b.iter(|| bvh.self_pairs(black_box(&filter), &mut pairs)));
    group.finish();
}

fn benches(c: &mut Criterion) {
    for n in [64, 250] {
        let (flat, topology) = sheet(n);
        let moved: Vec<_> = flat.iter().map(wavy).collect();
        let margin = 0.25 / f64::from(n - 1);
        let faces_of = |p| Boxes::try_from_iter(Sweep::at_rest(p).inflated(margin).faces(topology.faces()));
        let edges_of = |p| Boxes::try_from_iter(Sweep::at_rest(p).inflated(margin).edges(topology.edges()));
        let points = Boxes::try_from_iter(Sweep::at_rest(&moved).inflated(margin).points()).expect("finite");
        let [faces_flat, faces] = [&flat, &moved].map(|p| faces_of(p).expect("finite"));
        let [edges_flat, edges] = [&flat, &moved].map(|p| edges_of(p).expect("finite"));
        bench_set(c, "faces", n, &faces_flat, &faces, Members::Faces(topology.faces()));
        bench_set(c, "edges", n, &edges_flat, &edges, Members::Edges(topology.edges()));

        let mut bvh = ParryBvh::default();
        bvh.update(&faces_flat);
        bvh.update(&faces);
        let filter =
            PairFilter::no_shared_vertex(Members::Faces(topology.faces()), Members::Points(flat.len()));
        let mut pairs = Pairs::new();
        let mut group = c.benchmark_group("faces_with_points");
        group.sample_size(20);
        group.bench_function(BenchmarkId::new("pairs_with", n), |b| {
            b.iter(|| bvh.pairs_with(black_box(&points), &filter, &mut pairs));
        });
        group.finish();
    }
}

criterion_group!(broadphase, benches);
criterion_main!(broadphase);
