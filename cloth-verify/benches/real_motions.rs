//! Every broad phase on real motions, compared with parry's tree as its documentation uses it.
//!
//! The pairs of edges that share no vertex, of a cloth that a ball drags along (138,825 edges) and of a
//! galloping horse (25,000), whose next frame is the end of the step. Skipped where the public data is not
//! there.

#[path = "../../cloth-broadphase/benches/build_refit_query/mod.rs"]
mod build_refit_query;

use std::hint::black_box;
use std::path::{Path, PathBuf};

use build_refit_query::Times;
use cloth_broadphase::{Boxes, BroadPhase, Members, PairFilter, Sweep};
use cloth_geom::Topology;
use cloth_show::choice::{BroadPhaseChoice, WithBroadPhase};
use criterion::{Criterion, criterion_group, criterion_main};
use parry3d::bounding_volume::{Aabb, BoundingVolume};
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy};

const MOTIONS: [(&str, &str, [&str; 2]); 2] = [
    ("cloth-ball", "ccd/scalable/cloth-ball/frames", ["cloth_ball92.ply", "cloth_ball93.ply"]),
    ("horse", "deforming/horse-gallop", ["horse-gallop_0001.obj", "horse-gallop_0025.obj"]),
];

struct Motion {
    name: &'static str,
    edges: Vec<[u32; 2]>,
    start: Boxes,
    swept: Boxes,
}

impl Motion {
    fn read(name: &'static str, folder: &Path, frames: [&str; 2]) -> Option<Self> {
        let read = |frame: &str| cloth_io::read_mesh(&folder.join(frame)).map(|loaded| loaded.mesh);
        let [a, b] = frames.map(read);
        let (Ok(a), Ok(b)) = (a, b) else {
            eprintln!("skipped: no {}", folder.display());
            return None;
        };
        let topology = Topology::of_mesh(&a).ok()?;
        let edges = topology.edges();
        let swept = Sweep::new(&a.positions, &b.positions).ok()?;
        Some(Self {
            name,
            edges: edges.to_vec(),
            start: Boxes::try_from_iter(Sweep::at_rest(&a.positions).edges(edges)).ok()?,
            swept: Boxes::try_from_iter(swept.edges(edges)).ok()?,
        })
    }

    fn filter(&self) -> PairFilter<'_> {
        PairFilter::no_shared_vertex(Members::Edges(&self.edges), Members::Edges(&self.edges))
    }
}

struct Bench<'a, 'b> {
    criterion: &'a mut Criterion,
    motion: &'b Motion,
    name: &'static str,
}

impl WithBroadPhase for Bench<'_, '_> {
    type Output = ();

    fn call<B: BroadPhase>(self) {
        let Self { criterion, motion, name } = self;
        let times = Times {
            group: motion.name,
            built: &motion.start,
            refitted: [&motion.start, &motion.swept],
            filter: motion.filter(),
        };
        times.bench::<B>(criterion, name);
    }
}

/// parry alone, in the `f32` that engines use it in: a query for each box, and all pairs of leaves, each pair
/// taken once.
fn plain_parry(c: &mut Criterion, motion: &Motion) {
    let vector = |p: nalgebra::Point3<f64>| Vector::new(p.x as f32, p.y as f32, p.z as f32);
    let leaf = |b: &cloth_geom::Aabb| Aabb { mins: vector(b.min), maxs: vector(b.max) };
    let leaves: Vec<Aabb> = motion.swept.as_slice().iter().map(leaf).collect();
    let filter = motion.filter();
    let mut group = c.benchmark_group(motion.name);
    group.sample_size(10);
    group.bench_function("build/plain parry", |b| {
        b.iter(|| Bvh::from_leaves(BvhBuildStrategy::Binned, black_box(&leaves)));
    });
    let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &leaves);
    group.bench_function("query/plain parry, intersect_aabb", |b| {
        b.iter(|| {
            let found = (0u32..)
                .zip(&leaves)
                .map(|(i, leaf)| tree.intersect_aabb(leaf).filter(|&j| i < j && filter.allows(i, j)).count());
            found.sum::<usize>()
        });
    });
    group.bench_function("query/plain parry, leaf_pairs", |b| {
        b.iter(|| {
            let pairs = tree.leaf_pairs(&tree, |a, b| a.aabb().intersects(&b.aabb()));
            pairs.filter(|&(i, j)| i < j && filter.allows(i, j)).count()
        });
    });
    group.finish();
}

fn benches(c: &mut Criterion) {
    let fallback = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data");
    let root = std::env::var_os("CLOTH_CORPUS").map_or(PathBuf::from(fallback), PathBuf::from);
    for (name, folder, frames) in MOTIONS {
        let Some(motion) = Motion::read(name, &root.join(folder), frames) else { continue };
        for choice in BroadPhaseChoice::ALL.into_iter().filter(|choice| !choice.is_quadratic()) {
            choice.with(Bench { criterion: c, motion: &motion, name: choice.name() });
        }
        plain_parry(c, &motion);
    }
}

criterion_group!(real_motions, benches);
criterion_main!(real_motions);
