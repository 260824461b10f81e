//! Every scenario at its small size, through the runner: verdicts and rounded figures as snapshots.
//!
//! A change of the solver moves these figures. Look at the difference, run `cargo xtask verify --size small
//! --report DIR`, look at the pictures, and only then accept. What accepting cannot bless is asserted as well
//! as the snapshot: the scenario passes, and nothing that the gate answers for intersects.

use cloth_show::report::{Figure, Peak};
use cloth_verify::report::{Cases, ScenarioReport};
use cloth_verify::scenario::Scenario;
use cloth_verify::{RunOptions, Size, run, scenarios};

fn scenario(name: &str) -> &'static Scenario {
    scenarios::all().iter().find(|s| s.name == name).expect("a known scenario")
}

/// Two significant digits.
fn rounded(figure: Figure, scale: f64) -> String {
    let value = format!("{:.1e}", figure.get().unwrap_or(f64::NAN) * scale);
    value.parse::<f64>().map_or("not finite".into(), |v| v.to_string())
}

fn summary(r: &ScenarioReport) -> String {
    let (i, pairs, folds, control) =
        (r.run.intersections, r.run.intersecting_triangle_pairs, r.run.flat_folds, &r.control);
    let chords = r.run.frame_chords.expect("observed");
    let percent = |figure: Figure| match figure.get() {
        Some(_) => format!("{} %", rounded(figure, 100.0)),
        None => "not measured".into(),
    };
    let millimetres = |figure| rounded(figure, 1000.0);
    let lines = [
        format!("{} {}: {}", r.run.name, r.size, if r.run.pass { "pass" } else { "fail" }),
        format!(
            "{} particles, {} triangles, {} frames of {} substeps",
            r.run.particles, r.run.triangles, r.run.frames, r.run.substeps
        ),
        format!("thickness {} mm", millimetres(r.run.thickness_m)),
        format!(
            "intersections {} at the start, {} worst, {} at the end, {} frames",
            i.initial, i.max, i.last, i.frames_with
        ),
        format!(
            "on the chords between frames {} pairs, {} frames; certified {} of {}",
            chords.pairs,
            chords.frames_with,
            r.run.certification.chords.certified,
            r.run.certification.chords.frames
        ),
        format!("face pairs {} worst, {} at the end", pairs.max, pairs.last),
        format!("flat folds {} worst, {} at the end", folds.max, folds.last),
        format!("contacts {} mean", rounded(r.run.contacts.mean, 1.0)),
        format!("stretch {} p99, {} most", percent(r.run.stretch.p99), percent(r.run.stretch.max)),
        format!(
            "diagonals {} p99, {} most",
            percent(r.run.stretch.diagonal_p99),
            percent(r.run.stretch.diagonal_max)
        ),
        format!("deepest in a collider {} mm", millimetres(r.run.deepest_vertex_m)),
        format!(
            "control, {}: {} worst, {} at the end, stretch {} p99",
            control.name,
            control.max_intersections,
            control.final_intersections,
            percent(control.stretch_p99)
        ),
        format!("failures: {}", r.run.failures.len()),
    ];
    let lines = lines.into_iter().chain(r.without_layer_order.as_ref().map(|i| {
        format!("without an order {} worst, {} at the end, {} frames", i.max, i.last, i.frames_with)
    }));
    let lines = lines.chain(r.axis_crossings.map(|axes| {
        let control = axes.control.expect("the control ran");
        format!("crossings of axes {}, control {control}", axes.run)
    }));
    let lines = lines.chain(r.skin.as_ref().map(|skin| {
        let i = skin.cloth_skin;
        format!(
            "on {}: intersections with the skin {} at the start, {} worst, {} at the end, {} mm below it{}",
            skin.body,
            i.initial,
            i.max,
            i.last,
            millimetres(skin.deepest_m),
            skin.control_deepest_m.map_or(String::new(), |m| format!(", control {} mm", millimetres(m)))
        )
    }));
    let lines =
        lines.chain(r.run.rigid_bodies.iter().map(|body| {
            format!("rigid body at least {} mm from any face", millimetres(body.least_distance_m))
        }));
    let cases = |cases: &Option<Cases>| cases.as_ref().map(|c| format!("{} of {}", c.passed, c.total));
    let lines = lines.chain(
        cases(&r.cases).zip(cases(&control.cases)).map(|(r, c)| format!("cases that hold {r}, control {c}")),
    );
    let lines: Vec<String> = lines.collect();
    lines.join("\n")
}

fn check(name: &str) {
    let outcome =
        run(scenario(name), Size::Small, &RunOptions::default(), &mut |_, _, _| {}).expect("it runs");
    let report = outcome.report;
    assert_eq!(report.run.frames, report.run.frame_hashes.len());
    assert_eq!(report.run.frame_hashes.last(), Some(&report.run.state_hash));
    assert!(report.run.pass && report.run.failures.is_empty(), "{name}: {:?}", report.run.failures);
    // They are clean by the one meaning of the word: folds decide nothing there, and there are none.
    assert_eq!(report.run.flat_folds, Peak::default(), "{name}: faces lie flat on each other");
    // Cloth against shapes, which are no part of the gate: that scenario runs without, and is judged by what
    // gets through.
    assert_eq!(report.run.gate, name != "tunnelling", "{name}: without its gate nothing is certified");
    if report.run.gate {
        let certified = report.run.certification.certified_intersections;
        let expected = (0, 0);
        assert_eq!(
            (certified.max, certified.frames_with),
            expected,
            "{name}: what the gate answers for intersects"
        );
    }
    insta::assert_snapshot!(name, summary(&report));
}

#[test]
fn a_sheet_hangs() {
    check("hang");
}

#[test]
fn a_sheet_drapes_a_ball() {
    check("drape-sphere");
}

#[test]
fn a_sheet_falls_in_a_pile() {
    check("pile");
}

#[test]
fn a_stack_of_sheets_drapes_a_ball() {
    check("stack");
}

#[test]
fn a_shirt_settles_on_a_body() {
    check("garment");
}

#[test]
fn nothing_gets_through_a_collider_of_any_shape() {
    check("tunnelling");
}

#[test]
fn a_ball_that_turns_winds_up_a_sheet() {
    check("rotating-sphere");
}

#[test]
fn a_tape_that_is_tied_stays_a_knot() {
    check("knot");
}

#[test]
fn layers_of_a_skirt_on_kicking_legs_stay_in_order() {
    check("layered-skirt");
}

#[test]
fn flaps_on_a_swinging_leg_stay_in_order() {
    check("flaps");
}

#[test]
fn skirt_and_cape_are_ordered_again_when_their_wearer_stands() {
    check("violent-character");
}

#[test]
fn thin_fast_fingers_do_not_pass_a_coarse_cape() {
    check("coat-fingers");
}

#[test]
fn a_cape_on_a_walking_character_stays_free_of_its_limbs() {
    check("cape-walk");
}

#[test]
fn a_cape_swings_against_a_character_that_stops() {
    check("cape-run-stop");
}

#[test]
fn a_dress_follows_a_dance_on_the_skin() {
    check("dress-dance");
}

#[test]
fn sheets_of_finite_elements_hang_in_five_resolutions() {
    check("fem-hang");
}

#[test]
fn a_sheet_of_finite_elements_drapes_a_ball() {
    check("fem-sphere");
}

#[test]
fn a_falling_ball_is_caught_by_a_held_sheet() {
    check("catch");
}

#[test]
fn a_ball_rolls_over_a_sheet_and_under_another() {
    check("rolling-ball");
}

#[test]
fn a_sheet_drapes_a_solid_of_irregular_shape() {
    check("obstacle");
}

#[test]
fn a_sheet_that_is_twisted_never_meets_itself() {
    check("twist");
}

#[test]
fn a_sheet_is_dragged_over_needles_and_over_itself() {
    check("needles");
}

#[test]
fn plates_stay_on_the_table_when_the_cloth_is_pulled_away() {
    check("tablecloth");
}

#[test]
fn three_sheets_go_through_a_funnel() {
    check("funnel");
}

#[test]
fn a_sleeve_that_an_elbow_pinches_never_meets_itself() {
    check("pinch");
}

#[test]
fn ribbons_of_a_reef_knot_hold_each_other() {
    check("reef-knot");
}

#[test]
fn sheets_that_start_tangled_are_worked_open() {
    check("tangled");
}
