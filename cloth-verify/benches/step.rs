//! One frame of every scenario at its small and medium size, from a state in which cloth already meets cloth.
//!
//! Each scene runs for a third of its frames first; every timed frame starts from that one state, restored before it.

use std::time::{Duration, Instant};

use cloth_verify::{Size, scenarios};
use criterion::{Criterion, criterion_group, criterion_main};

/// Part of the frames that run before the one that is timed.
const WARM_UP: usize = 3;

fn frames(criterion: &mut Criterion) {
    for size in [Size::Small, Size::Medium] {
        let mut group = criterion.benchmark_group(format!("frame/{size}"));
        group.sample_size(10).measurement_time(Duration::from_secs(5));
        for scenario in scenarios::all() {
            let setup = (scenario.build)(size).expect("a scene that can be built");
            let mut sim = setup.builder(setup.settings).build().expect("a scene that can be built");
            for _ in 0..setup.frames / WARM_UP {
                sim.step(setup.dt).expect("a step");
            }
            let warm = sim.snapshot();
            group.bench_function(scenario.name, |bencher| {
                bencher.iter_custom(|count| {
                    let mut total = Duration::ZERO;
                    for _ in 0..count {
                        sim.restore(&warm).expect("its own snapshot");
                        let started = Instant::now();
                        sim.step(setup.dt).expect("a step");
                        total += started.elapsed();
                    }
                    total
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, frames);
criterion_main!(benches);
