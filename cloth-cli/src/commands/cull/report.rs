//! What `cloth cull` found, as JSON and as a small table for each mesh.

use std::fmt::Write;

use serde::Serialize;

use super::method::CullResult;
use crate::commands::meshes::MeshReport;
use crate::console::{count, counted};

/// The methods over all meshes.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct MethodTotals {
    methods: Vec<MethodReport>,
}

/// One mesh with its poses; pairs and times are summed over them.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct PosesReport {
    pub(super) path: String,
    pub(super) vertices: usize,
    pub(super) triangles: usize,
    pub(super) poses: usize,
    pub(super) patches: usize,
    /// Patches that are discs.
    pub(super) discs: usize,
    /// Of the patches, once.
    pub(super) build_ms: f64,
    /// Pairs of triangles that intersect, exactly, in all poses; those that share a vertex too.
    pub(super) intersecting_pairs: usize,
    pub(super) methods: Vec<MethodReport>,
}

/// What a method spares.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct MethodReport {
    pub(super) method: &'static str,
    /// Pairs that share no vertex and whose boxes overlap.
    pub(super) before: usize,
    /// Those of them that are left.
    pub(super) after: usize,
    /// `1 - after / before`; none if there is nothing to spare.
    pub(super) filtration: Option<f64>,
    /// The same with pairs that share a vertex.
    pub(super) before_all: usize,
    pub(super) after_all: usize,
    pub(super) filtration_all: Option<f64>,
    /// Pairs that intersect and are not left.
    pub(super) missed: usize,
    /// On one thread, of all poses.
    pub(super) ms: f64,
}

impl MethodReport {
    pub(super) fn new(method: &'static str) -> Self {
        Self {
            method,
            before: 0,
            after: 0,
            filtration: None,
            before_all: 0,
            after_all: 0,
            filtration_all: None,
            missed: 0,
            ms: 0.0,
        }
    }

    /// Adds a pose.
    pub(super) fn add(&mut self, before: &CullResult, after: &CullResult) {
        self.sum(&Self {
            before: before.apart,
            after: after.apart,
            before_all: before.all,
            after_all: after.all,
            missed: after.missed,
            ms: after.ms,
            ..Self::new(self.method)
        });
    }

    fn sum(&mut self, other: &Self) {
        self.before += other.before;
        self.after += other.after;
        self.before_all += other.before_all;
        self.after_all += other.after_all;
        self.missed += other.missed;
        self.ms += other.ms;
        self.filtration = filtration(self.before, self.after);
        self.filtration_all = filtration(self.before_all, self.after_all);
    }
}

fn filtration(before: usize, after: usize) -> Option<f64> {
    (before > 0).then(|| 1.0 - after as f64 / before as f64)
}

impl MeshReport for PosesReport {
    type Total = MethodTotals;

    /// Whether no method missed a pair.
    fn is_clean(&self) -> bool {
        self.methods.iter().all(|method| method.missed == 0)
    }

    fn total(meshes: &[Self]) -> MethodTotals {
        let mut methods = Vec::new();
        for (m, first) in meshes.first().into_iter().flat_map(|mesh| mesh.methods.iter().enumerate()) {
            let mut total = MethodReport::new(first.method);
            meshes.iter().filter_map(|mesh| mesh.methods.get(m)).for_each(|one| total.sum(one));
            methods.push(total);
        }
        MethodTotals { methods }
    }

    /// A head line, and a line for each method.
    fn text(&self) -> String {
        let mut text = format!(
            "{}: {}, {}, {} that intersect; {} ({} discs) in {:.1} ms\n",
            self.path,
            counted(self.triangles, "triangle"),
            counted(self.poses, "pose"),
            counted(self.intersecting_pairs, "pair"),
            if self.patches == 1 { "1 patch".to_owned() } else { format!("{} patches", count(self.patches)) },
            count(self.discs),
            self.build_ms
        );
        let _ = writeln!(
            text,
            "  {:20} {:>11} {:>11} {:>7} {:>31} {:>7} {:>9}",
            "method", "before", "after", "spared", "(sharing a vertex too)", "missed", "ms a pose"
        );
        for m in &self.methods {
            let both =
                format!("({} {} {})", count(m.before_all), count(m.after_all), percent(m.filtration_all));
            let _ = writeln!(
                text,
                "  {:20} {:>11} {:>11} {:>7} {both:>31} {:>7} {:>9.3}",
                m.method,
                count(m.before),
                count(m.after),
                percent(m.filtration),
                count(m.missed),
                m.ms / self.poses.max(1) as f64
            );
        }
        text
    }
}

/// Rounded down, so that 100.0 % means all.
fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.1} %", (share * 1000.0).floor() / 10.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_pairs_and_forms_the_rate_of_the_sums() {
        let left = |apart, all| CullResult { apart, all, missed: 0, ms: 1.0 };
        let mut method = MethodReport::new("m");
        method.add(&left(90, 200), &left(0, 10));
        method.add(&left(10, 200), &left(10, 190));
        assert_eq!((method.filtration, method.filtration_all), (Some(0.9), Some(0.5)));
        assert_eq!((method.before, method.after_all, method.ms), (100, 200, 2.0));
        assert_eq!(filtration(0, 0), None);
    }

    #[test]
    fn rounds_no_rate_up_to_all() {
        assert_eq!(percent(Some(1.0 - 1e-5)), "99.9 %");
        assert_eq!((percent(Some(1.0)), percent(None)), ("100.0 %".to_owned(), "-".to_owned()));
    }
}
