//! Runs the scenarios, prints the table, writes the report.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use cloth_io::write_obj;
use cloth_show::choice::{BroadPhaseChoice, PlayerChoice};
use cloth_show::program::interrupt::{self, INTERRUPT};
use cloth_show::program::{Failure, RunFiles, Status, console, json};
use cloth_verify::report::{
    ScenarioReport, VerifyReport, fail_unequal_states, methods_table, report_files, table, write_report,
};
use cloth_verify::{
    RunOptions, Size, VerifyError, VerifyEvent, VerifyOptions, VerifyOutcome, Workload, scenarios, verify,
};

use crate::args::VerifyArgs;
use crate::progress::ProgressPrinter;

/// Runs the scenarios and prints what was found.
pub(crate) fn run(args: &VerifyArgs) -> Result<Status, Failure> {
    let files = Arc::new(files(args)?);
    let judged = Arc::new(Mutex::new(Vec::new()));
    say_at_the_end(args, &judged, &files);
    let mut outcome = run_all(args, &judged)?;
    outcome.report.provenance = Some(json::provenance());
    console::out(table(&outcome.report));
    console::out(methods_table(&outcome.report.scenarios));
    for failure in &outcome.audit_failures {
        let path = audit_file(args, failure.scenario, failure.broadphase);
        if let Some(folder) = &args.report {
            make_folder("--report", folder)?;
        }
        json::write_as("the failures of an audit", &path, failure, &files)?;
        console::out(format!("{}: {}\n", failure.scenario, path.display()));
    }
    if let Some(path) = &args.json {
        // It says by itself how it was made.
        json::write_as("--json", path, &outcome.report, &files)?;
    }
    interrupt::clear_last_words();
    if let Some(folder) = &args.report {
        let page = write_report(folder, &outcome.report, &outcome.pictures, &outcome.recordings)
            .map_err(|e| Failure::new(e.to_string()))?;
        write_last_states(folder, &outcome)?;
        console::out(format!("report: {}\n", page.display()));
    }
    Ok(Status::of_run(outcome.report.pass, outcome.report.interrupted))
}

/// Makes the folder of an option, if it is not there.
pub(crate) fn make_folder(option: &str, folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|e| {
        Failure::new(format!("{option} {}: {e}; name a folder that can be made", folder.display()))
    })
}

/// Writes the scenarios that are judged so far if a signal comes and the run does not end by itself.
fn say_at_the_end(args: &VerifyArgs, judged: &Arc<Mutex<Vec<ScenarioReport>>>, files: &Arc<RunFiles>) {
    let (judged, files, json, threads) =
        (Arc::clone(judged), Arc::clone(files), args.json.clone(), threads(args));
    interrupt::set_last_words(move || {
        let judged = judged.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut report = VerifyReport::new(threads, judged);
        report.interrupt();
        report.provenance = Some(json::provenance());
        console::out(table(&report));
        let written = json.map(|path| json::write_as("--json", &path, &report, &files));
        written.into_iter().filter_map(Result::err).for_each(console::error);
    });
}

/// What the run writes, checked; it reads nothing.
fn files(args: &VerifyArgs) -> Result<RunFiles, Failure> {
    let mut files = RunFiles::default();
    let broad_phases = broad_phases(&args.broadphase, args.size)?;
    let all = scenarios::all().iter().map(|scenario| scenario.name);
    let chosen: Vec<&str> = match args.scenarios.is_empty() {
        true => all.collect(),
        false => args.scenarios.iter().map(String::as_str).collect(),
    };
    if is_audited(args) {
        let of = |broadphase: &BroadPhaseChoice| {
            chosen.iter().map(|name| audit_file(args, name, broadphase.name())).collect::<Vec<_>>()
        };
        for file in broad_phases.iter().flat_map(of) {
            files.writes(&file, "the failures of an audit");
        }
    }
    if let Some(folder) = &args.report {
        let names: Vec<&str> = broad_phases.iter().flat_map(|_| chosen.iter().copied()).collect();
        let last = names.iter().enumerate().map(|(k, name)| last_state_file(name, k));
        for file in report_files(&names).into_iter().chain(last) {
            files.writes(&folder.join(file), "--report");
        }
    }
    files.writes_json(args.json.as_deref())?;
    Ok(files)
}

/// Whether every substep is audited: asked for, or at the small size, where it costs little.
fn is_audited(args: &VerifyArgs) -> bool {
    args.audit.unwrap_or(args.size == Size::Small && args.gate)
}

/// Where the failures of an audit are written: to the folder of the report, next to the JSON, or to the
/// working directory.
fn audit_file(args: &VerifyArgs, scenario: &str, broadphase: &str) -> PathBuf {
    let beside = || args.json.as_deref().and_then(Path::parent).map(Path::to_path_buf);
    let folder = args.report.clone().or_else(beside).unwrap_or_default();
    folder.join(match args.broadphase == "all" {
        true => format!("audit-{scenario}-{broadphase}.json"),
        false => format!("audit-{scenario}.json"),
    })
}

/// The name of the last state of scenario number `k` of a report, counted from 0.
fn last_state_file(name: &str, k: usize) -> String {
    format!("{name}-{}-last.obj", k + 1)
}

/// Each scenario's last state as an OBJ file next to the report, for `check`, `cull` and other tools; named
/// as its pictures are.
fn write_last_states(folder: &Path, outcome: &VerifyOutcome) -> Result<(), Failure> {
    let states = outcome.report.scenarios.iter().zip(&outcome.last).enumerate();
    for (k, (scenario, mesh)) in states.filter(|(_, (_, mesh))| !mesh.faces.is_empty()) {
        let path = folder.join(last_state_file(&scenario.run.name, k));
        write_obj(&path, mesh).map_err(|e| Failure::new(e.to_string()))?;
    }
    Ok(())
}

/// One run for each broad phase, joined into one outcome; `judged` has the scenarios as they are judged.
fn run_all(args: &VerifyArgs, judged: &Mutex<Vec<ScenarioReport>>) -> Result<VerifyOutcome, Failure> {
    let report = VerifyReport::new(threads(args), Vec::new());
    let mut all = VerifyOutcome {
        report,
        pictures: Vec::new(),
        recordings: Vec::new(),
        last: Vec::new(),
        audit_failures: Vec::new(),
    };
    let mut scenarios = Vec::new();
    args.usd.iter().try_for_each(|folder| make_folder("--usd", folder))?;
    for broadphase in broad_phases(&args.broadphase, args.size)? {
        if INTERRUPT.is_requested() {
            break;
        }
        let run = RunOptions {
            broadphase,
            threads: threads(args),
            pictures: args.report.is_some(),
            player: if args.report.is_some() { args.player } else { PlayerChoice::Off },
            usd: args.usd.clone(),
            gate: args.gate,
            audit: is_audited(args),
            controls: !args.no_controls,
            ungated: !args.no_controls,
            self_collision: args.self_collision,
            model: args.model,
            face_contacts: args.face_contacts,
            perturbation: args.perturb,
            interrupt: INTERRUPT,
        };
        let options = VerifyOptions { scenarios: args.scenarios.clone(), size: args.size, run };
        let failure = |e: VerifyError| Failure::new(e.to_string());
        let mut progress = ProgressPrinter::start(&options, Workload::new(&options).map_err(failure)?);
        let mut see = |event: VerifyEvent<'_>| {
            if let VerifyEvent::Verdict { report, .. } = event {
                judged.lock().unwrap_or_else(PoisonError::into_inner).push(report.clone());
            }
            progress.print(event);
        };
        let found = verify(&options, &mut see).map_err(failure)?;
        let before = scenarios.len();
        scenarios.extend(found.report.scenarios);
        all.last.extend(found.last);
        all.audit_failures.extend(found.audit_failures);
        all.recordings.extend(found.recordings);

        all.pictures.extend(found.pictures.into_iter().map(|mut picture| {
            picture.scenario += before;
            picture
        }));
    }
    let interrupted = INTERRUPT.is_requested();
    if !interrupted {
        fail_unequal_states(&mut scenarios);
    }
    all.report = VerifyReport::new(threads(args), scenarios);
    if interrupted {
        all.report.interrupt();
    }
    Ok(all)
}

fn threads(args: &VerifyArgs) -> usize {
    usize::from(args.threads)
}

/// The broad phases of a word; `all` leaves out brute force where it would run for hours.
fn broad_phases(word: &str, size: Size) -> Result<Vec<BroadPhaseChoice>, Failure> {
    if word == "all" {
        let bearable = |choice: &BroadPhaseChoice| !choice.is_quadratic() || size == Size::Small;
        return Ok(BroadPhaseChoice::ALL.into_iter().filter(bearable).collect());
    }
    let one = word.parse::<BroadPhaseChoice>();
    one.map(|choice| vec![choice]).map_err(|e| Failure::new(format!("--broadphase: {e}, or all")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_broad_phases_leave_out_brute_force_above_small() {
        assert_eq!(broad_phases("all", Size::Small), Ok(BroadPhaseChoice::ALL.to_vec()));
        let medium = broad_phases("all", Size::Medium).unwrap();
        assert_eq!(medium.len(), BroadPhaseChoice::ALL.len() - 1);
        assert!(!medium.contains(&BroadPhaseChoice::BruteForce));
        assert_eq!(broad_phases("brute-force", Size::Medium), Ok(vec![BroadPhaseChoice::BruteForce]));
        assert!(broad_phases("bvh", Size::Small).unwrap_err().to_string().contains("or all"));
    }
}
