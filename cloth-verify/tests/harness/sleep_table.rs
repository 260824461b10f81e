//! Sleeping changes no verdict: every scenario with `sleep: None` and with the default, five seconds longer
//! than it lasts, with everything at rest in the end.
//!
//! `cargo test --workspace --test harness sleep_table -- --ignored --nocapture` prints the table of all scenarios,
//! each row when it is known.

use std::fmt;

use cloth_solver::{AcceptedMotion, IntersectionFilter, Settings, Simulation, Sleep, Waypoints};
use cloth_verify::audit::{AuditScene, Auditor};
use cloth_verify::scenario::Scenario;
use cloth_verify::{Size, scenarios};
use nalgebra::Point3;
use rayon::prelude::*;

/// Time (s) after the end of a scenario, in which nothing is moved from outside.
const LONGER: f32 = 5.0;

/// What cloth may creep at the speed at which it falls asleep, in the time that it takes: `speed * after`
/// (m).
const FARTHEST: f32 = 0.01;

/// What is judged of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Verdict {
    /// Most intersections that count as certified after a frame; none are without a gate.
    certified: usize,
    /// Whether cloth intersects in the end.
    is_clean: bool,
    /// What an audit of the motions found.
    findings: u64,
}

/// A run to its end.
struct Outcome {
    verdict: Verdict,
    /// When the first cloth fell asleep, and when all slept for the rest of the run (s).
    first_asleep: Option<f32>,
    all_asleep: Option<f32>,
    last: Vec<Point3<f32>>,
}

fn outcome(scenario: &Scenario, sleep: Option<Sleep>) -> Result<Outcome, String> {
    let words = |e: &dyn fmt::Display| format!("{}: {e}", scenario.name);
    let mut setup = (scenario.build)(Size::Small).map_err(|e| words(&e))?;
    let settings = Settings { sleep, ..setup.scene.settings };
    let mut sim: Simulation = setup.scene.build(settings).map_err(|e| words(&e))?;
    let mut auditor = Auditor::new(&AuditScene::from_simulation(&sim), sim.positions())
        .map_err(|e| words(&e))?
        .sampling(setup.audit_every);
    let is_gated = settings.gate && settings.self_collision;
    let cloths = sim.cloth_count();
    let (mut time, mut certified) = (0.0_f32, 0);
    let (mut first_asleep, mut all_asleep) = (None, None);
    let (mut frame, mut hits) = (0, Vec::new());
    let end = setup.time_after(setup.frames - 1) + LONGER;
    while time < end {
        let mut waypoints = Waypoints::default();
        if frame < setup.frames {
            setup.drive(&mut sim, frame).map_err(|e| words(&e))?;
            waypoints = setup.move_wearer(&mut sim, frame, settings.substeps).map_err(|e| words(&e))?;
        }
        auditor.begin_step();
        let dt = setup.dt_of(frame);
        let mut audit = |motion: AcceptedMotion<'_>| {
            if is_gated {
                auditor.motion(&motion);
            }
        };
        let sleeping = sim.step_through(dt, &waypoints, &mut audit).map_err(|e| words(&e))?.sleeping;
        auditor.end_step(true);
        time += dt;
        frame += 1;
        if sleeping > 0 {
            first_asleep = first_asleep.or(Some(time));
        }
        all_asleep = if sleeping == cloths { all_asleep.or(Some(time)) } else { None };
        hits = sim.intersections(IntersectionFilter::CLOTH).map_err(|e| words(&e))?.edge_faces;
        if is_gated {
            certified = certified.max(hits.iter().filter(|&&hit| sim.is_certified(hit)).count());
        }
    }
    let findings = if is_gated { auditor.figures().failures } else { 0 };
    let vertices = (0..cloths).filter_map(|k| sim.cloth_positions(sim.cloth_id(k).ok()?));
    let last = vertices.flatten().copied().collect();
    let verdict = Verdict { certified, is_clean: hits.is_empty(), findings };
    Ok(Outcome { verdict, first_asleep, all_asleep, last })
}

/// A scenario with and without sleep.
struct Row {
    name: &'static str,
    with: Outcome,
    without: Outcome,
}

impl Row {
    fn new(scenario: &Scenario) -> Result<Self, String> {
        let with = outcome(scenario, Some(Sleep::default()))?;
        Ok(Self { name: scenario.name, with, without: outcome(scenario, None)? })
    }

    /// The largest distance between the final positions (m).
    fn distance(&self) -> f32 {
        let pairs = self.with.last.iter().zip(&self.without.last);
        pairs.map(|(a, b)| (a - b).norm()).fold(0.0, f32::max)
    }

    fn complaints(&self) -> Vec<String> {
        let Self { name, with, without } = self;
        let mut complaints = Vec::new();
        if with.verdict != without.verdict {
            complaints.push(format!("{name}: {:?} with sleep, {:?} without", with.verdict, without.verdict));
        }
        if with.verdict.certified + without.verdict.certified > 0 || with.verdict.findings > 0 {
            complaints.push(format!("{name}: {:?}", with.verdict));
        }
        if self.distance() >= FARTHEST {
            complaints.push(format!("{name}: {:.1} mm between final positions", 1e3 * self.distance()));
        }
        complaints
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = |time: Option<f32>| time.map_or("-".into(), |time| format!("{time:.2} s"));
        let verdict = |v: Verdict| {
            let state = if v.is_clean { "clean" } else { "tangled" };
            format!("{} certified, {state}, {} findings", v.certified, v.findings)
        };
        let Self { name, with, without } = self;
        write!(
            f,
            "| {name} | {} | {} | {} | {} | {:.2} mm |",
            time(with.first_asleep),
            time(with.all_asleep),
            verdict(with.verdict),
            verdict(without.verdict),
            1e3 * self.distance()
        )
    }
}

/// Prints the table, and checks it; at least `asleep` scenarios have to fall asleep.
fn check(names: impl Fn(&str) -> bool, asleep: usize) {
    println!("| scenario | first asleep at | all asleep from | with sleep | without | largest distance |");
    println!("|---|---|---|---|---|---|");
    let scenarios: Vec<&Scenario> = scenarios::all().iter().filter(|scenario| names(scenario.name)).collect();
    let rows = scenarios.into_par_iter().map(|scenario| Row::new(scenario).inspect(|row| println!("{row}")));
    let (mut complaints, mut slept) = (Vec::new(), 0);
    for row in rows.collect::<Vec<Result<Row, String>>>() {
        match row {
            Ok(row) => {
                slept += usize::from(row.with.first_asleep.is_some());
                complaints.extend(row.complaints());
            }
            Err(what) => complaints.push(what),
        }
    }
    println!("{slept} scenarios fell asleep");
    assert!(slept >= asleep, "{slept} scenarios fell asleep, {asleep} have to");
    assert!(complaints.is_empty(), "{complaints:#?}");
}

#[test]
fn sleeping_changes_no_verdict_of_flaps() {
    check(|name| name == "flaps", 1);
}

#[test]
#[ignore = "runs all scenarios twice, which takes minutes"]
fn sleeping_changes_no_verdict_of_any_scenario() {
    check(|_| true, 8);
}
