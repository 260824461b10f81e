//! One frame of every scenario at its small and medium size, from a state in which cloth already meets cloth.
//!
//! Each scene runs for a third of its frames first; every timed frame starts from that one state, a clone
//! with its candidate lists. One state is not the whole scene: `cargo xtask verify` gives median and 95th
//! percentile over all frames.

use std::time::{Duration, Instant};

use cloth_solver::Simulation;
use cloth_verify::scenario::Scenario;
use cloth_verify::{Size, scenarios};
use criterion::{Criterion, criterion_group, criterion_main};

/// The frames before the one that is timed are this part of all.
const WARM_UP: usize = 3;

/// A simulation in the state that it is timed from, and the duration of a frame (s).
struct Warm {
    sim: Simulation,
    dt: f32,
}

impl Warm {
    fn new(scenario: &Scenario, size: Size) -> Self {
        let setup = (scenario.build)(size).expect("a scene that can be built");
        let mut sim = setup.scene.build(setup.scene.settings).expect("a scene that can be built");
        for _ in 0..setup.frames / WARM_UP {
            sim.step(setup.dt).expect("a step");
        }
        Self { sim, dt: setup.dt }
    }

    fn time_frame(&self) -> Duration {
        let mut sim = self.sim.clone();
        // The first step of a clone finds the room for what it keeps.
        let started = Instant::now();
        sim.step(self.dt).expect("a step");
        started.elapsed()
    }
}

fn frames(criterion: &mut Criterion) {
    for size in [Size::Small, Size::Medium] {
        let mut group = criterion.benchmark_group(format!("frame/{size}"));
        group.sample_size(10).measurement_time(Duration::from_secs(5));
        for scenario in scenarios::all() {
            // Made when it is first needed: a filter on the command line skips it.
            let mut warm = None;
            group.bench_function(scenario.name, |bencher| {
                let warm = warm.get_or_insert_with(|| Warm::new(scenario, size));
                bencher.iter_custom(|count| (0..count).map(|_| warm.time_frame()).sum());
            });
        }
        group.finish();
    }
}

criterion_group!(benches, frames);
criterion_main!(benches);
