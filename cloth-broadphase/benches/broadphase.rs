//! Build, refit and query of every broad phase on sheets: flat, draped and in folds.
//!
//! Each is built on the flat sheet, refitted to the pose, and asked for the pairs of faces that share no
//! vertex. Real motions, and parry's tree as its documentation uses it, are timed in cloth-verify, which can
//! read them.

mod build_refit_query;

use build_refit_query::Times;
use cloth_broadphase::{
    BlockTree, Boxes, KdTree, Members, PairFilter, ParryBvh, SpatialHash, Sweep, SweepAndPrune, SweepGrid,
};
use criterion::{Criterion, criterion_group, criterion_main};
use nalgebra::Point3;

type Pose = (&'static str, fn(&Point3<f64>) -> Point3<f64>);

const POSES: [Pose; 3] = [("flat", |p| *p), ("draped", draped), ("folded", folded)];

struct Case {
    name: String,
    faces: Vec<[u32; 3]>,
    flat: Boxes,
    posed: Boxes,
}

/// Over a ball of radius 0.2 m, hanging down around it.
fn draped(p: &Point3<f64>) -> Point3<f64> {
    let [x, z] = [p.x - 0.5, p.z - 0.5];
    let from_centre = (x * x + z * z).sqrt();
    let inside = from_centre.min(0.2);
    let scale = if from_centre > 0.0 { inside / from_centre + 0.1 } else { 1.0 };
    Point3::new(x * scale, (0.04 - inside * inside).max(0.0).sqrt() - (from_centre - inside), z * scale)
}

/// Laid to and fro in folds 5 mm apart, as `pile` ends.
fn folded(p: &Point3<f64>) -> Point3<f64> {
    let wave = |t: f64| (t - (t + 0.5).floor()).abs();
    Point3::new(wave(4.0 * p.x) / 4.0, 0.02 * p.x + 0.005 * wave(9.0 * p.z), p.z)
}

fn cases(n: u32) -> Vec<Case> {
    let spacing = 1.0 / f64::from(n - 1);
    let place = |i: u32| Point3::new(f64::from(i % n) * spacing, 0.0, f64::from(i / n) * spacing);
    let flat: Vec<Point3<f64>> = (0..n * n).map(place).collect();
    let cells = (0..(n - 1) * (n - 1)).map(|i| i / (n - 1) * n + i % (n - 1));
    let faces: Vec<[u32; 3]> = cells.flat_map(|v| [[v, v + n, v + 1], [v + 1, v + n, v + n + 1]]).collect();
    let boxes = |at: &[Point3<f64>]| {
        Boxes::try_from_iter(Sweep::at_rest(at).inflated(0.25 * spacing).faces(&faces)).expect("finite")
    };
    let case = |(name, pose): Pose| Case {
        name: format!("{name}-{n}"),
        flat: boxes(&flat),
        posed: boxes(&flat.iter().map(pose).collect::<Vec<_>>()),
        faces: faces.clone(),
    };
    POSES.map(case).into()
}

impl Case {
    fn times(&self) -> Times<'_> {
        Times {
            group: &self.name,
            built: &self.posed,
            refitted: [&self.flat, &self.posed],
            filter: PairFilter::no_shared_vertex(Members::Faces(&self.faces), Members::Faces(&self.faces)),
        }
    }
}

fn benches(c: &mut Criterion) {
    for case in [64, 250].into_iter().flat_map(cases) {
        let times = case.times();
        times.bench::<BlockTree>(c, "BlockTree");
        times.bench::<ParryBvh>(c, "ParryBvh");
        times.bench::<SweepGrid>(c, "SweepGrid");
        times.bench::<SpatialHash>(c, "SpatialHash");
        times.bench::<KdTree>(c, "KdTree");
        times.bench::<SweepAndPrune>(c, "SweepAndPrune");
    }
}

criterion_group!(broadphase, benches);
criterion_main!(broadphase);
