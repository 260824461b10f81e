//! `cloth pairs`: what each broad phase finds over one real motion, and how long it takes.

mod expected;
mod measure;
mod motion;
mod report;

use cloth_verify::BroadPhaseChoice;

use crate::args::PairsArgs;
use crate::failure::{Failure, Status};
use crate::files::RunFiles;
use crate::interrupt::INTERRUPT;
use crate::{console, json};
use expected::Expected;
use measure::Measure;
use motion::MotionBoxes;
use report::PairsReport;

/// Edges above which `all` leaves out brute force: 20,000 take a second.
const QUADRATIC_LIMIT: usize = 20_000;

/// Measures the methods that were asked for and prints what each found.
pub(crate) fn run(args: &PairsArgs) -> Result<Status, Failure> {
    let files = files(args)?;
    let motion = MotionBoxes::read(&args.start, &args.end, args.inflate)?;
    let methods = methods(&args.method, motion.counts()[1])?;
    let expected = Expected::read(&args.expect, motion.counts())?;
    let mut progress = console::Progress::start("pairs", methods.len());
    let mut found = Vec::new();
    for method in methods {
        if INTERRUPT.is_requested() {
            break;
        }
        found.push(method.with(Measure {
            method,
            motion: &motion,
            expected: &expected,
            repeat: args.repeat,
        }));
        progress.done(found.len());
    }
    drop(progress);
    let interrupted = INTERRUPT.is_requested();
    let report = PairsReport::new(args, &motion, expected.len(), found, interrupted);
    console::out(report.text());
    json::write(args.json.as_deref(), &report, &files)?;
    Ok(Status::of_run(report.pass, interrupted))
}

/// The schema of `--json`.
#[cfg(feature = "schema")]
pub(crate) fn schema() -> schemars::Schema {
    json::schema::<PairsReport>()
}

/// What the run reads and writes, checked.
fn files(args: &PairsArgs) -> Result<RunFiles, Failure> {
    let mut files = RunFiles::default();
    files.reads(&args.start, "--start");
    files.reads(&args.end, "--end");
    files.reads_all(&args.expect, "--expect");
    files.writes_json(args.json.as_deref())?;
    Ok(files)
}

/// The methods of a word.
fn methods(word: &str, edges: usize) -> Result<Vec<BroadPhaseChoice>, Failure> {
    if word == "all" {
        let bearable = |choice: &BroadPhaseChoice| !choice.is_quadratic() || edges <= QUADRATIC_LIMIT;
        return Ok(BroadPhaseChoice::ALL.into_iter().filter(bearable).collect());
    }
    let one = word.parse::<BroadPhaseChoice>();
    one.map(|choice| vec![choice]).map_err(|e| Failure::new(format!("--method: {e}, or all")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_methods_leave_out_brute_force_where_it_takes_minutes() {
        let all = |edges| methods("all", edges).unwrap();
        assert_eq!(all(100), BroadPhaseChoice::ALL);
        assert!(!all(100_000).contains(&BroadPhaseChoice::BruteForce));
        assert_eq!(methods("brute-force", 100_000), Ok(vec![BroadPhaseChoice::BruteForce]));
        assert!(methods("octree", 1).unwrap_err().to_string().contains("octree"));
    }
}
