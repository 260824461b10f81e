//! Runs the tests for each mutant.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use wait_timeout::ChildExt;

use crate::Options;
use crate::build::Suite;
use crate::list::Mutant;

/// A mutant may make a loop endless, and its memory too (KiB).
const MEMORY: u64 = 8 << 20;

#[derive(Deserialize, Serialize)]
struct Line {
    name: String,
    package: String,
    /// `caught`, `timeout`, `survived`, `no switch` or `does not compile`.
    outcome: String,
    /// The suite that noticed it.
    by: Option<String>,
    seconds: f64,
}

/// What a suite says.
#[derive(PartialEq)]
enum Outcome {
    Passed,
    Failed,
    Endless,
}

/// Runs all mutants that are not in the report yet, or those that survived there, and prints the sums.
pub fn run(
    options: &Options,
    suites: &[Suite],
    mutants: &[(u32, Mutant)],
    broken: &BTreeMap<u32, &'static str>,
) -> Result<()> {
    // The first run shows that nothing fails without a mutant, and how long a suite takes.
    let mut limits = Vec::new();
    for suite in suites {
        let start = Instant::now();
        if outcome(suite, 0, Duration::from_secs(3600))? != Outcome::Passed {
            bail!("{} fails without a mutant", suite.name);
        }
        let seconds = start.elapsed().as_secs_f64();
        println!("{}: {seconds:.1} s", suite.name);
        limits.push(Duration::from_secs_f64(20.0 + 5.0 * seconds));
    }
    let known = known(options);
    let is_done = |mutant: &Mutant| {
        known.get(&mutant.name).is_some_and(|line| !options.survivors || line.outcome != "survived")
    };
    let report = OpenOptions::new().create(true).append(true).open(&options.report);
    let report = Mutex::new(report.with_context(|| options.report.display().to_string())?);
    let next = AtomicUsize::new(0);
    let worker = || -> Result<()> {
        while let Some((id, mutant)) = mutants.get(next.fetch_add(1, Ordering::Relaxed)) {
            let is_asked_for =
                options.only.is_empty() || options.only.iter().any(|piece| mutant.name.contains(piece));
            if is_done(mutant) || !is_asked_for {
                continue;
            }
            let line = judge(suites, &limits, *id, mutant, broken.get(id).copied())?;
            println!("{:16} {:5.1} s  {}", line.outcome, line.seconds, line.name);
            let text = serde_json::to_string(&line)? + "\n";
            report.lock().unwrap_or_else(|e| e.into_inner()).write_all(text.as_bytes())?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..options.jobs.max(1)).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("a worker panicked"))
    })?;
    print_sums(options);
    Ok(())
}

/// The last line of the report on each mutant.
fn known(options: &Options) -> BTreeMap<String, Line> {
    let text = fs::read_to_string(&options.report).unwrap_or_default();
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok());
    lines.map(|line| (line.name.clone(), line)).collect()
}

fn judge(
    suites: &[Suite],
    limits: &[Duration],
    id: u32,
    mutant: &Mutant,
    broken: Option<&str>,
) -> Result<Line> {
    let start = Instant::now();
    let mut line = Line {
        name: mutant.name.clone(),
        package: mutant.package.clone(),
        outcome: broken.unwrap_or("survived").to_owned(),
        by: None,
        seconds: 0.0,
    };
    if broken.is_none() {
        for (suite, &limit) in suites.iter().zip(limits) {
            if suite.package.as_ref().is_some_and(|package| *package != mutant.package) {
                continue;
            }
            let outcome = outcome(suite, id, limit)?;
            if outcome != Outcome::Passed {
                line.outcome = if outcome == Outcome::Failed { "caught" } else { "timeout" }.to_owned();
                line.by = Some(suite.name.clone());
                break;
            }
        }
    }
    line.seconds = start.elapsed().as_secs_f64();
    Ok(line)
}

fn outcome(suite: &Suite, id: u32, limit: Duration) -> Result<Outcome> {
    let mut child = Command::new("sh")
        .arg("-c")
        .arg(format!("ulimit -v {MEMORY}; exec \"$0\" \"$@\""))
        .arg(&suite.program)
        .args(&suite.arguments)
        .current_dir(&suite.dir)
        .env("CLOTH_MUTANT", id.to_string())
        .env("INSTA_UPDATE", "no")
        .env("PROPTEST_CASES", "32")
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| suite.program.display().to_string())?;
    let Some(status) = child.wait_timeout(limit)? else {
        child.kill()?;
        child.wait()?;
        return Ok(Outcome::Endless);
    };
    Ok(if status.success() { Outcome::Passed } else { Outcome::Failed })
}

fn print_sums(options: &Options) {
    let mut sums = BTreeMap::<String, usize>::new();
    for line in known(options).into_values() {
        let by = line.by.map_or(String::new(), |by| format!(" by {by}"));
        *sums.entry(line.outcome + &by).or_default() += 1;
    }
    for (outcome, count) in sums {
        println!("{count:5} {outcome}");
    }
}
