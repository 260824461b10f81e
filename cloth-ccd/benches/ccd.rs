//! Every method of continuous collision detection on made queries, and on those of others where they are at
//! hand.
//!
//! Criterion gives the mean time of a scene; what a simulation waits for is the worst query, so a table with
//! the mean, the median, the 99th percentile and the largest comes first, of the least of five repeats of
//! each query. `CLOTH_CORPUS` names the folder of the queries of others.

#[path = "../tests/ccd/labels.rs"]
mod labels;

use std::hint::black_box;
use std::time::Instant;

use cloth_ccd::conformance::{ChoiceSequence, FAMILIES, QueryKind};
use cloth_ccd::{Additive, Ccd, Filtered, Inclusion, Query, Reference, Toi};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use labels::Labelled;
use nalgebra::{Point3, Vector3};
use rand_pcg::Pcg32;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// Queries of each made scene, half of them a point and a triangle, half two edges.
const QUERIES: usize = 200;

/// As their users get them.
fn methods() -> [(&'static str, Box<dyn Ccd>); 4] {
    [
        ("Filtered", Box::new(Filtered::default())),
        ("Inclusion", Box::new(Inclusion::default())),
        ("Additive", Box::new(Additive::default())),
        ("Reference", Box::new(Reference)),
    ]
}

/// A name and its queries.
struct FlatCase {
    name: String,
    queries: Vec<Query>,
}

/// Pseudorandom numbers from -1 to 1, the same each time.
fn dice() -> impl FnMut() -> f64 {
    let mut random = Pcg32::seed_from_u64(1);
    move || f64::from(random.next_u32()) / f64::from(1u32 << 31) - 1.0
}

/// Two primitives of about a metre that at some time have a point of each, at random within them, `gap` apart
/// along the common normal, and move past each other at about a metre a step: across the surfaces, or along
/// them. In single precision, as a simulation has it.
fn passing(mut unit: impl FnMut() -> f64, kind: QueryKind, gap: f64, along: bool) -> Query {
    let mut vector = || Vector3::new(unit(), unit(), unit());
    let corners: [Vector3<f64>; 4] = std::array::from_fn(|_| vector());
    let (velocities, common) = (corners.map(|_| 0.2 * vector()), vector());
    let approach = vector();
    let (e, f) = match kind {
        QueryKind::PointTriangle => (corners[2] - corners[1], corners[3] - corners[1]),
        _ => (corners[1] - corners[0], corners[3] - corners[2]),
    };
    let normal = e.cross(&f).normalize();
    let across = if along { approach - normal * approach.dot(&normal) } else { approach };
    let mut share = || 0.5 + 0.3 * unit();
    let (s, t, instant) = (share(), share(), share());
    let [first, second] = match kind {
        QueryKind::PointTriangle => {
            [corners[0], corners[1] * (1.0 - s) + (corners[2] * (1.0 - t) + corners[3] * t) * s]
        }
        _ => [corners[0] * (1.0 - s) + corners[1] * s, corners[2] * (1.0 - t) + corners[3] * t],
    };
    let [of_first, _] = kind.corners();
    let at = |time: f64| {
        std::array::from_fn(|i| {
            let shift =
                if i < of_first { second - first + gap * normal + across * time } else { Vector3::zeros() };
            let spin = if along { Vector3::zeros() } else { velocities[i] };
            let place = corners[i] + shift + (spin + common) * time;
            Point3::from(place.map(|c| f64::from(c as f32)))
        })
    };
    kind.query(&at(-instant), &at(1.0 - instant))
}

fn made(name: &str, mut query: impl FnMut(QueryKind) -> Query, keep: impl Fn(&Query) -> bool) -> FlatCase {
    let mut queries = Vec::new();
    while queries.len() < QUERIES {
        let kind = [QueryKind::PointTriangle, QueryKind::EdgeEdge][queries.len() % 2];
        queries.extend(Some(query(kind)).filter(&keep));
    }
    FlatCase { name: name.into(), queries }
}

/// Queries of a family of the conformance suite.
fn of_family(name: &str) -> FlatCase {
    let family = FAMILIES.into_iter().find(|family| family.name == name).expect("a family of that name");
    let mut seed = 0;
    let next = |kind| {
        seed += 1;
        family.query(kind, &mut ChoiceSequence::seeded(seed))
    };
    made(name, next, |_| true)
}

fn scenes() -> Vec<FlatCase> {
    let collides = |query: &Query| !Reference.is_free(query, 0.0).expect("finite");
    let mut unit = dice();
    let mut scenes = vec![
        made("hits", |kind| passing(&mut unit, kind, 0.0, false), collides),
        made("misses", |kind| passing(&mut unit, kind, 1.0, false), |query| !collides(query)),
        made("near misses", |kind| passing(&mut unit, kind, 1e-3, true), |query| !collides(query)),
    ];
    scenes.extend(["coplanar", "degenerate", "grazing"].map(of_family));
    scenes.extend(labels::all().into_iter().map(|(name, set)| {
        set.iter().for_each(|labelled| assert!(is_right(labelled), "a wrong answer in {name}"));
        FlatCase { name, queries: set.iter().map(|labelled| labelled.query).collect() }
    }));
    scenes
}

/// Wrong answers would not be worth timing.
fn is_right(labelled: &Labelled) -> bool {
    let impact = Filtered::default().impact(&labelled.query, 0.0).expect("finite");
    let on_time =
        |toi: Toi| labelled.first.is_some_and(|[low, high]| toi.time <= high && toi.time + toi.gap >= low);
    impact.map_or(!labelled.collides, on_time)
}

/// Nanoseconds of each query, the least of five repeats, in ascending order.
fn nanoseconds(method: &dyn Ccd, queries: &[Query]) -> Vec<u128> {
    let once = |query: &Query| {
        let start = Instant::now();
        black_box(method.impact(black_box(query), 0.0)).expect("finite");
        start.elapsed().as_nanos()
    };
    let least = |query: &Query| (0..5).map(|_| once(query)).min().expect("five repeats");
    let mut times: Vec<u128> = queries.iter().map(least).collect();
    times.sort_unstable();
    times
}

fn table(_: &mut Criterion) {
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    println!(
        "{:30} {:>7} {:10} {:>10} {:>10} {:>10} {:>12}",
        "ns a query", "queries", "", "mean", "p50", "p99", "largest"
    );
    for FlatCase { name, queries } in scenes() {
        for (method_name, method) in methods() {
            let times = nanoseconds(&*method, &queries);
            let mean = times.iter().sum::<u128>() / times.len() as u128;
            let share = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)];
            println!(
                "{name:30} {:7} {method_name:10} {mean:10} {:10} {:10} {:12}",
                queries.len(),
                share(50),
                share(99),
                share(100)
            );
        }
    }
}

fn benches(c: &mut Criterion) {
    for FlatCase { name, queries } in scenes() {
        let mut group = c.benchmark_group(format!("ccd/{name}"));
        group.sample_size(10).warm_up_time(std::time::Duration::from_millis(300));
        group
            .measurement_time(std::time::Duration::from_secs(1))
            .throughput(Throughput::Elements(queries.len() as u64));
        for (method_name, method) in methods() {
            group.bench_function(BenchmarkId::from_parameter(method_name), |bench| {
                bench.iter(|| {
                    let ask = |query: &&Query| matches!(method.impact(black_box(query), 0.0), Ok(Some(_)));
                    queries.iter().filter(ask).count()
                });
            });
        }
        group.finish();
    }
}

criterion_group!(ccd, table, benches);
criterion_main!(ccd);
