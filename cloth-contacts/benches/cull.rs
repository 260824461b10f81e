//! The exact check of clean sheets with culling and without.
//!
//! The draped sheet hangs over a round table in folds; `checks` take a state whose mesh is known already, as
//! in a simulation, on one thread.

use std::hint::black_box;

use cloth_broadphase::cull::PatchTree;
use cloth_contacts::intersect::Checker;
use cloth_geom::{Topology, TriMesh, fixtures};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use nalgebra::Point3;

/// A 1 m sheet over a round table of radius 0.2 m: beyond its rim the cloth hangs down in eight folds.
fn drape(flat: &TriMesh) -> TriMesh {
    flat.clone().mapped(|p| {
        let (radius, angle) = (p.x.hypot(p.z), p.z.atan2(p.x));
        let hang = (radius - 0.2).max(0.0);
        let fold = 0.25 * hang * (8.0 * angle).cos();
        let reach = radius.min(0.2) + 0.35 * hang + fold;
        Point3::new(reach * angle.cos(), -0.9 * hang, reach * angle.sin())
    })
}

fn benches(c: &mut Criterion) {
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    for n in [64, 250] {
        let flat = fixtures::sheet(n, n, [1.0, 1.0]).expect("a valid sheet").mesh;
        let topology = Topology::of_mesh(&flat).expect("a valid mesh");
        let mut group = c.benchmark_group(format!("check/{n}"));
        group.sample_size(20);
        for (name, mesh) in [("flat", flat.clone()), ("draped", drape(&flat))] {
            for (how, mut checker) in [("culling", Checker::default()), ("boxes", Checker::without_culling())]
            {
                for positions in [&flat.positions, &mesh.positions] {
                    let found = checker.check(positions, &topology).expect("finite positions");
                    assert!(found.is_clean(), "{} intersections", found.count());
                }
                group.bench_function(BenchmarkId::new(name, how), |b| {
                    b.iter(|| one.install(|| checker.check(black_box(&mesh.positions), &topology)));
                });
            }
        }
        group.bench_function("build patches", |b| b.iter(|| PatchTree::new(black_box(&topology))));
        group.finish();
    }
}

criterion_group!(cull, benches);
criterion_main!(cull);
