//! The three times of a broad phase, measured in the same way on every set of boxes.
//!
//! cloth-verify's benches include this file too, for the real motions that only it can read.

use std::hint::black_box;

use cloth_broadphase::{Boxes, BroadPhase, PairFilter};
use criterion::{BenchmarkId, Criterion};

/// On which boxes a broad phase is timed.
pub(crate) struct Times<'a> {
    /// Of the criterion group.
    pub(crate) group: &'a str,
    /// Built from nothing.
    pub(crate) built: &'a Boxes,
    /// Refitted from the first to the second.
    pub(crate) refitted: [&'a Boxes; 2],
    /// Asked for these pairs, over the boxes after the refit.
    pub(crate) filter: PairFilter<'a>,
}

impl Times<'_> {
    /// Times one broad phase under a name.
    pub(crate) fn bench<B: BroadPhase>(&self, criterion: &mut Criterion, name: &str) {
        let mut group = criterion.benchmark_group(self.group);
        group.sample_size(10);
        group.bench_function(BenchmarkId::new("build", name), |b| {
            b.iter(|| {
                let mut broad_phase = B::default();
                broad_phase.update(black_box(self.built));
                broad_phase
            });
        });
        let mut broad_phase = B::default();
        broad_phase.update(self.refitted[0]);
        group.bench_function(BenchmarkId::new("refit", name), |b| {
            b.iter(|| broad_phase.update(black_box(self.refitted[1])));
        });
        group.bench_function(BenchmarkId::new("query", name), |b| {
            b.iter(|| {
                let mut pairs = 0u64;
                broad_phase.visit_self_pairs(black_box(&self.filter), &mut |_, _| pairs += 1);
                pairs
            });
        });
        group.finish();
    }
}
