//! Tables for the terminal.

use cloth_verify::report::human;

use crate::run::aligned;
use crate::schema::{BenchReport, BroadPhaseResult, CcdResult, KernelResult};

/// Kernels, CCD and broad phases; nothing for a part that was not measured.
#[must_use]
pub fn tables(report: &BenchReport) -> String {
    let kernels: Vec<Vec<String>> = report.kernels.iter().map(kernel).collect();
    let ccd: Vec<Vec<String>> = report.ccd.iter().map(query).collect();
    let broad_phases: Vec<Vec<String>> = report.broad_phases.iter().map(broad_phase).collect();
    [
        part(
            "kernels",
            &["kernel, inputs", "implementation", "ns", "wrong", "of", "largest error"],
            &kernels,
        ),
        part(
            "continuous collision detection",
            &["queries", "method", "ns", "collide", "missed", "false", "late"],
            &ccd,
        ),
        part(
            "broad phases",
            &[
                "question",
                "structure",
                "items",
                "pairs",
                "missing",
                "extra",
                "build ms",
                "refit ms",
                "query ms",
            ],
            &broad_phases,
        ),
    ]
    .concat()
}

fn part(title: &str, heads: &[&str], rows: &[Vec<String>]) -> String {
    if rows.is_empty() { String::new() } else { format!("{title}\n{}\n", aligned(heads, rows)) }
}

fn number(value: f64) -> String {
    human(value.into(), 1.0)
}

fn kernel(r: &KernelResult) -> Vec<String> {
    vec![
        format!("{}, {}", r.kernel, r.input),
        r.contender.clone(),
        r.ns.map_or("-".into(), |ns| number(ns.median)),
        r.wrong.to_string(),
        r.queries.to_string(),
        r.largest_error_m.map_or("-".into(), |m| format!("{m:.1e} m")),
    ]
}

fn query(r: &CcdResult) -> Vec<String> {
    let counts = [r.positives as u64, r.false_negatives, r.false_positives, r.late];
    let applies = r.unsupported.is_empty();
    let mut cells = vec![r.input.clone(), r.contender.clone()];
    cells.push(if applies { number(r.ns.median) } else { "unsupported".into() });
    cells.extend(counts.map(|n| if applies { n.to_string() } else { "-".into() }));
    cells
}

fn broad_phase(r: &BroadPhaseResult) -> Vec<String> {
    let counts = [r.items as u64, r.pairs, r.missing, r.extra].map(|n| n.to_string());
    let mut cells = vec![r.question.clone(), r.contender.clone()];
    cells.extend(counts);
    cells.extend([number(r.build_ms), r.refit_ms.map_or("-".into(), number), number(r.query_ms)]);
    cells
}
