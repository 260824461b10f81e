//! Scenarios whose subject is no elastic model, under each of them: what must hold holds, and the control of
//! the model fails.
//!
//! `tests/harness/small.rs` has the same with XPBD, the default.

use cloth_verify::report::ScenarioReport;
use cloth_verify::scenario::{Scenario, Setup, SetupError};
use cloth_verify::{ModelChoice, RunOptions, Size, run, scenarios};

fn scenario(name: &str) -> &'static Scenario {
    scenarios::all().iter().find(|s| s.name == name).expect("a known scenario")
}

/// The report of a scenario that has to pass without an intersection.
fn pass(scenario: &Scenario, model: ModelChoice) -> ScenarioReport {
    let options = RunOptions { model: Some(model), ..RunOptions::default() };
    let report = run(scenario, Size::Small, &options, &mut |_, _, _| {}).expect("it runs").report;
    assert!(report.run.pass, "{} {model}: {:?}", scenario.name, report.run.failures);
    assert_eq!(report.run.intersections.max, 0, "{} {model}", scenario.name);
    report
}

#[test]
fn a_hung_sheet_has_a_control_under_each_model() {
    for (model, control) in [
        (ModelChoice::Xpbd, "1 substep"),
        (ModelChoice::MassSpring, "fabric 100 times as soft"),
        (ModelChoice::Fem, "fabric 100 times as soft"),
        (ModelChoice::FemExplicit, "fabric 100 times as soft"),
        (ModelChoice::FemGreen, "fabric 100 times as soft"),
    ] {
        assert_eq!(pass(scenario("hang"), model).control.name, control, "{model}");
    }
}

#[test]
fn a_sheet_drapes_a_ball_under_each_model() {
    for model in ModelChoice::ALL {
        assert!(pass(scenario("drape-sphere"), model).control.max_intersections > 100, "{model}");
    }
}

/// The first two of the four turns: layers lie on layers, and the rest takes mass-spring minutes (`cloth
/// verify --scenario twist --size small --model mass-spring`).
fn half_a_twist(size: Size) -> Result<Setup, SetupError> {
    let setup = (scenario("twist").build)(size)?;
    Ok(Setup { frames: setup.frames / 2, ..setup })
}

#[test]
fn a_twisted_sheet_never_meets_itself_under_mass_spring() {
    let report = pass(&Scenario { build: half_a_twist, ..*scenario("twist") }, ModelChoice::MassSpring);
    assert!(
        report.control.max_intersections > 100 && report.run.contacts.max > 1000,
        "{:?}",
        report.run.contacts
    );
}

#[test]
fn a_twisted_sheet_never_meets_itself_under_finite_elements() {
    assert!(pass(scenario("twist"), ModelChoice::Fem).control.max_intersections > 100);
}

/// The folds under its arms do not meet, with and without self-collision.
#[test]
fn a_shirt_of_mass_spring_passes_and_names_its_lack_of_control() {
    let report = pass(scenario("garment"), ModelChoice::MassSpring);
    assert!(!report.control.was_run() && report.control.absence.is_some(), "{:?}", report.control);
}
