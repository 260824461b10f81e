//! `cargo xtask faults`: makes the code wrong on purpose, one fault at a time, and demands that tests fail.
//!
//! One build contains all faults (`cloth-contacts/src/fault.rs`), in a target folder of its
//! own; the environment chooses one for each run of a test. A test counts if it passes in that build without
//! the fault, fails with it, and says what its row expects.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use cloth_measure::program::cargo;

use crate::commands::Outcome;

/// A fault and a test that notices it.
struct Case {
    fault: &'static str,
    /// The program of the tests: those of the modules of cloth-contacts, or those of the harness.
    program: &'static str,
    /// The end of the name of the test.
    test: &'static str,
    /// The first and the last scene of the campaign, for its test.
    seeds: Option<[u64; 2]>,
    /// A part of the message of the failure.
    says: &'static str,
}

const CONTACTS: &str = "cloth_contacts";
const HARNESS: &str = "harness";

const fn case(fault: &'static str, program: &'static str, test: &'static str, says: &'static str) -> Case {
    Case { fault, program, test, seeds: None, says }
}

/// One of these scenes of the campaign fails: each range begins with the first that does, or near it.
const fn campaign(fault: &'static str, first: u64, last: u64) -> Case {
    let seeds = Some([first, last]);
    Case { fault, program: HARNESS, test: "scenes_of_the_campaign_pass", seeds, says: "seed " }
}

const CASES: &[Case] = &[
    case("SkipEdgeEdge", HARNESS, "creeping_cloth_does_not_cross", "Crossing"),
    case("SkipEdgeEdge", HARNESS, "no_axis_crosses_a_cape", "right: 0"),
    campaign("SkipEdgeEdge", 1, 100),
    campaign("SkipReproof", 1, 100),
    campaign("DropOneInAThousand", 1, 500),
    campaign("IgnoreAThread", 1, 500),
    campaign("PlaneAtTheEndOnly", 1, 100),
    campaign("ReproveFirstVertexOnly", 1, 500),
    case("RegionOfFirstFace", HARNESS, "a_blade_does_not_cross_the_border_of_an_open_region", "Crossing"),
    campaign("RegionOfFirstFace", 1, 100),
    case(
        "DisplacementShort",
        CONTACTS,
        "sheets_that_nearly_meet_by_displacements_are_told_from_those_that_do",
        "FalselyCertified",
    ),
    case("DisplacementShort", CONTACTS, "sheets_that_approach_by_all_their_slack_are_due", "Lost"),
    case(
        "BeforeSearchIgnored",
        CONTACTS,
        "sheets_that_met_before_the_search_are_told_from_others",
        "FalselyCertified",
    ),
    case("SlackShort", CONTACTS, "sheets_that_approach_by_all_their_slack_are_due", "Lost"),
    case("BudgetLong", CONTACTS, "sheets_that_approach_beyond_their_budgets_are_due", "Lost"),
    case("EndLate", CONTACTS, "sheets_that_fly_at_each_other_are_due_until_lists_end", "Lost"),
    case("SeparationUnrounded", CONTACTS, "pairs_within_the_error_of_the_narrow_phase_are_due", "Lost"),
    // Before the first pair is lost, the boxes do not fit the slacks.
    case("GrowthForgets", CONTACTS, "vertices_that_leave_their_slack_one_by_one_are_due", "leaves the box"),
    case("DormantMayMove", CONTACTS, "dormant_sheets_are_due_as_soon_as_they_may_meet", "Lost"),
    case("DormantMayMove", HARNESS, "dormant_lists_notice_that_a_dormant_sheet_moves", "contacts are lost"),
    case("DormantBesideMoving", CONTACTS, "dormant_sheets_are_due_as_soon_as_they_may_meet", "Lost"),
    case(
        "DormantBesideMoving",
        HARNESS,
        "dormant_sheets_are_tested_against_a_moving_one",
        "contacts are lost",
    ),
    campaign("DormantBesideMoving", 56, 156),
    case("DormantNeverExpire", CONTACTS, "dormant_sheets_are_due_as_soon_as_they_may_meet", "Lost"),
    case("DormantNeverExpire", HARNESS, "dormant_lists_expire_on_waking", "contacts are lost"),
    case("UndoKeepsExemptions", HARNESS, "a_tangle_is_not_forgotten_in_a_step_that_fails", "FalseClaim"),
    campaign("UndoKeepsExemptions", 675, 675),
    case("ForeignSnapshot", HARNESS, "a_foreign_snapshot_does_not_remove_the_gate", "Crossing"),
    campaign("ForeignSnapshot", 1, 100),
    campaign("RestoreWakes", 16, 116),
    campaign("EditAdmitsNothing", 53, 153),
    case(
        "TeleportAdmitsNothing",
        HARNESS,
        "a_teleport_admits_the_intersections_of_its_destination",
        "right: 0",
    ),
    campaign("TeleportAdmitsNothing", 48, 148),
    case("CutKeepsVelocities", HARNESS, "a_cloth_that_is_cut_keeps_its_velocities_in_the_moved_frame", "-"),
    case("CutUnreported", HARNESS, "a_cut_is_reported_and_nothing_is_found", "Jump"),
    case(
        "CutUnreported",
        HARNESS,
        "no_chord_over_a_cut_is_certified_however_short_it_is",
        "!cape.sim.report().gate.certified_chord",
    ),
    campaign("CutUnreported", 1, 100),
    case("LagForgotten", HARNESS, "pins_that_go_twelve_metres_in_a_step_come_to_their_targets", "vertex 0"),
    campaign("LagForgotten", 1, 500),
    case(
        "ThawForgetsVertex",
        HARNESS,
        "pins_that_go_twelve_metres_in_a_step_come_to_their_targets",
        "vertex 0",
    ),
    campaign("ThawForgetsVertex", 1, 500),
    campaign("SleepsInMotion", 212, 312),
    campaign("SpinWakesNothing", 73, 173),
    case("TouchWakesNothing", HARNESS, "a_sleeping_sheet_wakes_when_another_falls_on_it", "it does not wake"),
    campaign("TouchWakesNothing", 56, 156),
];

/// The faults that have a test.
#[cfg(test)]
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    CASES.iter().map(|case| case.fault)
}

/// Builds once, and runs every test with its fault; passes if all are noticed. The error says what could not
/// be run.
pub(crate) fn faults(root: &Path) -> Result<Outcome, String> {
    let started = Instant::now();
    let programs = build(root)?;
    let built = started.elapsed().as_secs();
    let mut found: Vec<(usize, Result<String, String>, f64)> = Vec::new();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut found = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(case) = CASES.get(number) else { return found };
            let started = Instant::now();
            let outcome = case.run(root, &programs);
            found.push((number, outcome, started.elapsed().as_secs_f64()));
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        // A worker panics only if one of the tests cannot be started at all, which is an outcome of its own.
        found.extend(running.into_iter().filter_map(|worker| worker.join().ok()).flatten());
    });
    found.sort_unstable_by_key(|(number, ..)| *number);
    let mut text = String::new();
    for (number, outcome, seconds) in &found {
        let Case { fault, program, test, .. } = &CASES[*number];
        let outcome = match outcome {
            Ok(message) => format!("noticed: {message}"),
            Err(why) => format!("NOT NOTICED: {why}"),
        };
        text.push_str(&format!("{fault}: {program} {test}, {seconds:.1} s: {outcome}\n"));
    }
    let noticed = found.iter().filter(|(_, outcome, _)| outcome.is_ok()).count();
    let all = started.elapsed().as_secs();
    text.push_str(&format!("{noticed} of {} noticed; {all} s, of which {built} s to build\n", CASES.len()));
    Ok(Outcome { text, passes: noticed == CASES.len() })
}

impl Case {
    /// Whether the test passes without the fault and fails with it: what it says then, or why it does not
    /// count.
    fn run(&self, root: &Path, programs: &BTreeMap<String, PathBuf>) -> Result<String, String> {
        let program = programs.get(self.program).ok_or("there is no such program of tests")?;
        let message = match self.test(root, program, self.fault, self.seeds)? {
            Some(message) => message,
            None => return Err("the test passes".into()),
        };
        if !message.contains(self.says) {
            return Err(format!("the test fails otherwise: {message}"));
        }
        // Of many scenes the one that failed.
        let seed = self.seeds.and_then(|_| message.strip_prefix("seed ")?.split(':').next()?.parse().ok());
        match self.test(root, program, "", seed.map(|seed| [seed; 2]))? {
            None => Ok(message),
            Some(message) => Err(format!("the test fails without it too: {message}")),
        }
    }

    /// Runs the test with a fault or none; the message with which it failed.
    fn test(
        &self,
        root: &Path,
        program: &Path,
        fault: &str,
        seeds: Option<[u64; 2]>,
    ) -> Result<Option<String>, String> {
        let folder = if self.program == CONTACTS { "cloth-contacts" } else { "cloth-verify" };
        let mut command = Command::new(program);
        command.arg(self.test).current_dir(root.join(folder)).stdin(Stdio::null());
        command.env("CLOTH_FAULT", fault).env("RUST_BACKTRACE", "0");
        if let Some([first, last]) = seeds {
            command.env("CLOTH_SEEDS", format!("{first} {last}"));
        }
        let output = command.output().map_err(|e| format!("it cannot be started: {e}"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        if !text.contains("running 1 test\n") {
            return Err("its name is not that of one test".into());
        }
        Ok((!output.status.success()).then(|| panic_message(&text)))
    }
}

/// What a failed test said: the lines after the last one that says where something panicked. A panic before
/// it is one that the test has caught.
fn panic_message(text: &str) -> String {
    let said = text.rsplit("panicked at ").next().unwrap_or_default();
    let lines = said.lines().skip(1).take_while(|line| !line.is_empty() && !line.starts_with("note: "));
    lines.map(str::trim).collect::<Vec<_>>().join(", ").chars().take(160).collect()
}

/// Compiles the tests with all faults: the programs by name.
fn build(root: &Path) -> Result<BTreeMap<String, PathBuf>, String> {
    let mut command = cargo();
    command.args(["test", "--no-run", "--quiet", "--message-format=json"]);
    command.args(["-p", "cloth-contacts", "-p", "cloth-verify", "--lib", "--test", HARNESS]);
    command.current_dir(root).env("CLOTH_FAULTS", "1").env("CARGO_TARGET_DIR", root.join("target/faults"));
    let output = command.stderr(Stdio::inherit()).output().map_err(|e| format!("cannot start cargo: {e}"))?;
    if !output.status.success() {
        return Err("the build with faults does not compile".into());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let programs = text.lines().filter_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        let name = message["target"]["name"].as_str()?;
        Some((name.to_owned(), PathBuf::from(message["executable"].as_str()?)))
    });
    Ok(programs.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_of_a_panic_is_what_follows_its_place() {
        let text = "running 1 test\n\n---- a stdout ----\n\nthread 'x' (6) panicked at c.rs:1:1:\ncaught\n\n\
                    thread 'a' (7) panicked at a/b.rs:3:5:\nseed 7: it crossed\n  left: 1\nnote: run with\n";
        assert_eq!(panic_message(text), "seed 7: it crossed, left: 1");
    }
}
