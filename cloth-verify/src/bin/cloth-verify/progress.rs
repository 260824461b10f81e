//! What the program says while it runs: its plan, its progress, and each verdict as it falls. All of it
//! goes to standard error.

use std::time::{Duration, Instant};

use cloth_show::program::console;
use cloth_verify::report::ScenarioReport;
use cloth_verify::{Phase, Progress, VerifyEvent, VerifyOptions, Workload};

/// Shows one bar, or a line every 5 s, for each phase of each scenario, and a line for each verdict.
pub(super) struct ProgressPrinter {
    workload: Workload,
    start: Instant,
    phase: Option<(usize, Phase)>,
    progress: Option<console::Progress>,
}

impl ProgressPrinter {
    /// Prints the plan of a run that starts now.
    pub(super) fn start(options: &VerifyOptions, workload: Workload) -> Self {
        console::note(plan(options, &workload));
        Self { workload, start: Instant::now(), phase: None, progress: None }
    }

    pub(super) fn print(&mut self, event: VerifyEvent<'_>) {
        match event {
            VerifyEvent::Progress(progress) => self.advance(&progress),
            VerifyEvent::Verdict { index, report } => {
                // A bar is cleared before a line is written.
                self.progress = None;
                let left = self.workload.seconds_left(index + 1, self.start.elapsed().as_secs_f64());
                console::note(verdict(index, self.workload.units.len(), report, left));
            }
        }
    }

    fn advance(&mut self, p: &Progress) {
        if self.phase != Some((p.index, p.phase)) {
            self.phase = Some((p.index, p.phase));
            let phase = match p.phase {
                Phase::Run => "",
                Phase::Control => " control",
                Phase::WithoutOrder => " without order",
                Phase::Pictures => " pictures",
            };
            let what = format!("[{}/{}] {}{phase}", p.index + 1, p.count, p.scenario);
            // The bar before is cleared first, so that it does not clear this one.
            self.progress = None;
            self.progress = Some(console::Progress::start(what, "frame", p.of));
        }
        if let Some(progress) = &mut self.progress {
            progress.done(p.done);
        }
    }
}

/// One line: what will run, and about how long it takes.
fn plan(options: &VerifyOptions, workload: &Workload) -> String {
    let (count, run) = (workload.units.len(), &options.run);
    let parts = [
        (run.gate, "the certification gate"),
        (run.audit, "an audit of every substep"),
        (run.controls, "controls"),
        (run.ungated && run.gate, "an ungated run each"),
    ];
    let with: Vec<&str> = parts.iter().filter(|(is_on, _)| *is_on).map(|&(_, name)| name).collect();
    let with = if with.is_empty() { String::new() } else { format!(" with {}", with.join(", ")) };
    format!(
        "{count} {} at size {}{with}; broad phase {}, {} {}; about {} on one core of 2.8 GHz",
        if count == 1 { "scenario" } else { "scenarios" },
        options.size,
        run.broadphase.name(),
        run.threads,
        if run.threads == 1 { "thread" } else { "threads" },
        duration(workload.seconds()),
    )
}

/// One line: which scenario of how many, its verdict, its first failure, and what is left.
fn verdict(index: usize, count: usize, report: &ScenarioReport, left: Option<f64>) -> String {
    let mut text = format!("[{}/{count}] {}: ", index + 1, report.run.name);
    match report.run.failures.first() {
        _ if report.run.pass => text.push_str("pass"),
        Some(failure) => text.push_str(&format!("FAIL: {failure}")),
        None => text.push_str("FAIL"),
    }
    if let Some(left) = left.filter(|_| index + 1 < count) {
        text.push_str(&format!(" (about {} left)", duration(left)));
    }
    text
}

/// A rough duration in words: `40 s`, `3 min`, `2.5 h`.
fn duration(seconds: f64) -> String {
    let duration = Duration::try_from_secs_f64(seconds.max(1.0)).unwrap_or(Duration::MAX).as_secs_f64();
    match duration {
        s if s < 90.0 => format!("{:.0} s", (s / 5.0).ceil() * 5.0),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plan_names_size_parts_and_time() {
        let options = VerifyOptions { scenarios: vec!["hang".into()], ..VerifyOptions::default() };
        let text = plan(&options, &Workload { units: vec![0.0] });
        assert!(text.starts_with("1 scenario at size"), "{text}");
        assert!(text.contains("certification gate") && text.contains("1 thread;"), "{text}");
    }

    #[test]
    fn a_verdict_names_its_first_failure_and_what_is_left() {
        let mut report = ScenarioReport::default();
        (report.run.name, report.run.pass) = ("hang".into(), true);
        assert_eq!(verdict(0, 2, &report, Some(100.0)), "[1/2] hang: pass (about 2 min left)");
        assert_eq!(verdict(1, 2, &report, Some(0.0)), "[2/2] hang: pass");
        report.run.pass = false;
        report.run.failures = vec!["3 intersections".into()];
        assert_eq!(verdict(0, 1, &report, None), "[1/1] hang: FAIL: 3 intersections");
    }

    #[test]
    fn durations_are_rough() {
        assert_eq!([0.0, 41.0, 200.0, 9000.0].map(duration), ["5 s", "45 s", "3 min", "2.5 h"]);
        assert_eq!(duration(f64::INFINITY), duration(f64::MAX));
    }
}
