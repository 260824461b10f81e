//! Points within a distance: NvCloth's grid against kiddo and against the spatial hash.
//!
//! A folded sheet of particles, the distance three quarters of the spacing, structure and query together, as
//! in each substep of a particle method. kiddo answers each point's radius query; the hash reports boxes of
//! half the distance, whose points are then compared.

use std::hint::black_box;

use cloth_broadphase::{Boxes, BroadPhase, PairFilter, PointGrid, SpatialHash, Sweep};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use kiddo::{ImmutableKdTree, SquaredEuclidean};
use nalgebra::Point3;

struct Particles {
    points: Vec<Point3<f32>>,
    distance: f64,
}

fn folded_sheet(n: u32) -> Particles {
    let spacing = 1.0 / f64::from(n - 1);
    let wave = |t: f64| (t - (t + 0.5).floor()).abs();
    let place = |i: u32| {
        let [x, z] = [i % n, i / n].map(|c| f64::from(c) * spacing);
        Point3::new(wave(4.0 * x) / 4.0, 0.5 * spacing * (4.0 * x).floor() + 0.01 * wave(5.0 * z), z)
            .map(|c| c as f32)
    };
    Particles { points: (0..n * n).map(place).collect(), distance: 0.75 * spacing }
}

fn grid(grid: &mut PointGrid, set: &Particles) -> u64 {
    let mut pairs = 0;
    grid.update(&set.points, None, set.distance).expect("finite");
    grid.visit_pairs(&mut |_, _| pairs += 1);
    pairs
}

fn hash(hash: &mut SpatialHash, boxes: &mut Boxes, set: &Particles) -> u64 {
    let mut pairs = 0;
    boxes.refill(Sweep::at_rest(&set.points).inflated(0.5 * set.distance).points()).expect("finite");
    hash.update(boxes);
    let exact = |i: u32| set.points[i as usize].map(f64::from);
    hash.visit_self_pairs(&PairFilter::all(), &mut |a, b| {
        pairs += u64::from((exact(a) - exact(b)).norm_squared() <= set.distance * set.distance);
    });
    pairs
}

fn kiddo(set: &Particles) -> u64 {
    let points: Vec<[f64; 3]> = set.points.iter().map(|p| p.map(f64::from).into()).collect();
    let tree: ImmutableKdTree<f64, 3> = ImmutableKdTree::new_from_slice(&points).expect("few enough");
    let mut pairs = 0;
    for (i, point) in (0u32..).zip(&points) {
        let within = tree.query(point).within::<SquaredEuclidean<f64>>(set.distance * set.distance);
        within.unsorted().visit(|found| pairs += u64::from(found.item > i));
    }
    pairs
}

fn benches(c: &mut Criterion) {
    let mut group = c.benchmark_group("points");
    group.sample_size(10);
    for n in [64, 256, 1000] {
        let set = folded_sheet(n);
        let count = u64::from(n * n);
        group.throughput(Throughput::Elements(count));
        let (mut a, mut b, mut boxes) = (PointGrid::default(), SpatialHash::default(), Boxes::new());
        let found = [grid(&mut a, &set), hash(&mut b, &mut boxes, &set), kiddo(&set)];
        assert!(found[0] > 0 && found.iter().all(|&pairs| pairs == found[0]), "{found:?}");
        group.bench_function(BenchmarkId::new("PointGrid", count), |bench| {
            bench.iter(|| grid(&mut a, black_box(&set)));
        });
        group.bench_function(BenchmarkId::new("SpatialHash", count), |bench| {
            bench.iter(|| hash(&mut b, &mut boxes, black_box(&set)));
        });
        group.bench_function(BenchmarkId::new("kiddo", count), |bench| bench.iter(|| kiddo(black_box(&set))));
    }
    group.finish();
}

criterion_group!(points, benches);
criterion_main!(points);
