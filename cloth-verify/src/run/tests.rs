//! What goes wrong in a scene is found and said, and never panics.

use cloth_geom::{TriMesh, fixtures};
use cloth_show::invariants::MeasuredEdges;
use cloth_show::report::FrameChords;
use cloth_solver::{
    ClothDesc, Collider, ContactSource, GateReport, Material, Settings, Shape, StepReport, Thickness,
};
use nalgebra::{Isometry3, Point3, Vector3};

use super::observe::Frame;
use super::*;
use crate::scenario::{ControlKind, FrameTiming, NoControl, Setup};

/// A scene of a tenth of a second: one small sheet, pinned all over, so that it stays as it is.
fn scene() -> Setup {
    let mut setup = Setup::new(Settings { substeps: 2, ..Settings::default() }, 0.1);
    add_sheet(&mut setup, |mesh| mesh);
    setup
}

fn add_sheet(setup: &mut Setup, place: fn(TriMesh) -> TriMesh) {
    let sheet = fixtures::sheet(4, 4, [0.3, 0.3]).expect("a sheet");
    let mut cloth =
        ClothDesc::new(place(sheet.mesh.clone()), Material::COTTON, Thickness::from_total(0.02, 0.4));
    cloth.pins = (0..16).collect();
    setup.add(cloth, &MeasuredEdges::of_sheet(&sheet));
}

/// Stands across the first sheet.
fn add_crossing(setup: &mut Setup) {
    add_sheet(setup, |mesh| mesh.rotated(Vector3::x_axis(), 1.0).translated(Vector3::new(0.01, 0.02, 0.03)));
}

/// Without the gate: what these scenes do wrong is to be seen.
fn run_scene(build: fn(Size) -> Result<Setup, SetupError>) -> ScenarioReport {
    run_with(build, false)
}

fn run_with(build: fn(Size) -> Result<Setup, SetupError>, gate: bool) -> ScenarioReport {
    run_as(build, RunOptions { gate, ..RunOptions::default() })
}

fn run_as(build: fn(Size) -> Result<Setup, SetupError>, options: RunOptions) -> ScenarioReport {
    let scenario = Scenario { name: "scene", about: "", build };
    let outcome = run(&scenario, Size::Small, &options, &mut |_, _, _| {}).expect("it runs");
    assert_eq!(outcome.report.run.pass, outcome.report.run.failures.is_empty());
    outcome.report
}

/// Whether one of the failures contains all the words.
fn says(report: &ScenarioReport, words: &[&str]) -> bool {
    report.run.failures.iter().any(|f| words.iter().all(|w| f.contains(w)))
}

#[test]
fn a_clean_control_fails_a_scenario_and_is_all_that_fails_it() {
    let report = run_scene(|_| Ok(scene()));
    assert_eq!(report.run.failures.len(), 1, "{:?}", report.run.failures);
    assert!(says(&report, &["control (no self collision) has no intersection", "proves nothing"]));
    assert!(report.control.expected_to_intersect);
}

#[test]
fn a_perturbation_changes_the_motion_and_is_reproducible() {
    let hash = |perturbation: u8| {
        let falling = |_| {
            let mut setup = scene();
            setup.scene.cloths[0].pins.clear();
            Ok(setup)
        };
        run_as(falling, RunOptions { perturbation, gate: false, ..RunOptions::default() }).run.state_hash
    };
    assert_eq!([hash(0), hash(3)], [hash(0), hash(3)]);
    assert!(hash(0) != hash(1) && hash(1) != hash(3));
}

#[test]
fn a_crossing_is_counted_in_every_frame_and_said() {
    let report = run_scene(|_| {
        let mut setup = scene();
        add_crossing(&mut setup);
        Ok(setup)
    });
    let found = report.run.intersections;
    assert!(found.initial > 0 && found.last == found.initial, "{found:?}");
    assert_eq!((found.frames_with, report.run.frames), (6, 6));
    assert!(report.run.intersecting_triangle_pairs.last > 0);
    assert_eq!(report.control.max_intersections, found.max);
    assert!(
        says(&report, &["starts with", "intersections"]) && says(&report, &["ends with", "6 of 6 frames"])
    );
    assert_eq!(report.run.failures.len(), 2, "{:?}", report.run.failures);
}

#[test]
fn a_scene_that_cannot_be_built_fails_in_words() {
    let report = run_scene(|_| {
        let mut setup = scene();
        setup.scene.settings.substeps = 0;
        Ok(setup)
    });
    assert!(says(&report, &["cannot be built", "substeps"]), "{:?}", report.run.failures);
    let report = run_scene(|_| Err(fixtures::sheet(1, 1, [1.0, 1.0]).expect_err("no sheet").into()));
    assert!(says(&report, &["cannot be built", "nx is 1"]), "{:?}", report.run.failures);
}

#[test]
fn a_diverging_step_ends_the_run_and_is_reported_with_its_frame() {
    let report = run_scene(|_| {
        let mut setup = scene();
        // So short that velocities overflow.
        setup.then = Some(FrameTiming { from: 2, dt: 1e-40 });
        Ok(setup)
    });
    assert!(says(&report, &["it stopped: frame 3 of 6", "finite"]), "{:?}", report.run.failures);
    assert!(says(&report, &["its control stopped"]), "{:?}", report.run.failures);
    assert_eq!((report.run.frames, report.run.frame_hashes.len()), (2, 2));
}

#[test]
fn what_a_driver_may_not_do_is_said() {
    let report = run_scene(|_| {
        let mut setup = scene();
        setup.driver = Some(Box::new(|stage, _, _| stage.move_pin(7, 0, Point3::origin())));
        Ok(setup)
    });
    assert!(says(&report, &["frame 1 of 6", "driver", "no cloth 7"]), "{:?}", report.run.failures);
}

#[test]
fn a_driver_pulls_threads_beyond_the_limit() {
    let build: fn(Size) -> Result<Setup, SetupError> = |_| {
        let mut setup = scene();
        setup.expectations.stretch_p99 = Some(0.05).into();
        setup.driver = Some(Box::new(|stage, _, time| {
            // Row 3 moves away at 1 m/s from where it is.
            (12..16).try_for_each(|v| {
                let x = -0.15 + 0.1 * (v - 12) as f32;
                stage.move_pin(0, v, Point3::new(x, 0.0, 0.15 + time))
            })
        }));
        Ok(setup)
    };
    let report = run_scene(build);
    assert!(says(&report, &["threads stretch by 100.00 %", "at most 5.00 %"]), "{:?}", report.run.failures);
    // Rows are 0.1 m apart, and the last has moved 0.1 m.
    assert_eq!(report.run.stretch.max.get(), Some(1.0));
}

#[test]
fn a_stretch_that_is_not_measured_meets_no_limit() {
    let report = run_scene(|_| {
        let mut setup = scene();
        setup.measured = MeasuredEdges::default();
        setup.expectations.stretch_p99 = Some(0.05).into();
        Ok(setup)
    });
    assert!(says(&report, &["was not measured", "at most 5.00 %"]), "{:?}", report.run.failures);
    assert_eq!((report.run.stretch.p99.get(), report.control.stretch_p99.get()), (None, None));
}

#[test]
fn a_collider_moved_into_cloth_is_found_by_its_depth() {
    let report = run_scene(|_| {
        let mut setup = scene();
        let plane = Collider::new(Shape::Plane, Isometry3::translation(0.0, -0.5, 0.0), 0.5);
        setup.scene.add_colliders([plane.expect("usable")]);
        setup.expectations.penetration = Some(0.02);
        setup.driver = Some(Box::new(|stage, frame, _| {
            let y = if frame == 3 { 0.03125 } else { -0.5 };
            stage.move_collider(0, Isometry3::translation(0.0, y, 0.0))
        }));
        Ok(setup)
    });
    assert!(says(&report, &["31.25 mm deep", "at most 20.00 mm"]), "{:?}", report.run.failures);
    assert_eq!(report.run.deepest_penetration_m.get(), Some(0.031_25));
    assert_eq!(report.run.friction.get(), Some(0.5));
}

/// A second sheet, somewhat aside, that is lowered to `heights` (m) over the first in the course of the
/// frames.
fn lowered(heights: [f32; 3]) -> Setup {
    let mut setup = scene();
    let aside = Vector3::new(0.013, 0.0, 0.007);
    add_sheet(&mut setup, |mesh| mesh.translated(Vector3::new(0.013, 0.0, 0.007) + Vector3::y() * 0.1));
    setup.frames = heights.len();
    let start = setup.scene.cloths[0].mesh.positions_f32();
    setup.driver = Some(Box::new(move |stage, frame, _| {
        let offset = (aside + Vector3::y() * heights[frame]).cast();
        (0..16).try_for_each(|v| stage.move_pin(1, v, start[v as usize] + offset))
    }));
    setup
}

fn chords(build: fn(Size) -> Result<Setup, SetupError>) -> FrameChords {
    let report = run_scene(build);
    assert_eq!((report.run.frames, report.run.intersections.max), (3, 0), "{:?}", report.run.failures);
    // Reported, and no failure by itself: the clean control is the only one.
    assert_eq!(report.run.failures.len(), 1, "{:?}", report.run.failures);
    report.run.frame_chords.expect("observed")
}

#[test]
fn each_pass_through_between_clean_frames_is_counted() {
    let apart = chords(|_| Ok(lowered([0.05, 0.02, 0.05])));
    assert_eq!(apart, FrameChords::default());
    let [at_once, late] =
        [chords(|_| Ok(lowered([-0.1, -0.1, -0.2]))), chords(|_| Ok(lowered([0.1, 0.05, -0.1])))];
    assert!(at_once.pairs > 32 && at_once.frames_with == 1, "{at_once:?}");
    assert_eq!(late, at_once);
    let thrice = chords(|_| Ok(lowered([-0.1, 0.1, -0.1])));
    assert_eq!(thrice, FrameChords { pairs: 3 * at_once.pairs, frames_with: 3 });
}

#[test]
fn a_check_of_the_end_sees_each_cloth_and_is_heard() {
    let report = run_scene(|_| {
        let mut setup = scene();
        add_sheet(&mut setup, |mesh| mesh.translated(Vector3::y()));
        setup.expectations.at_the_end = vec![Box::new(|cloths| {
            let heights = cloths.faces.iter().map(|f| cloths.positions[f[0][0] as usize].y);
            Err(format!("heights {:?}", heights.collect::<Vec<_>>()))
        })];
        Ok(setup)
    });
    assert!(says(&report, &["heights [0.0, 1.0]"]), "{:?}", report.run.failures);
}

#[test]
fn a_check_of_the_end_of_the_control_is_heard_as_that() {
    let report = run_scene(|_| {
        let mut setup = scene();
        setup.expectations.control_at_the_end = vec![Box::new(|_| Err("is no knot".into()))];
        Ok(setup)
    });
    assert!(says(&report, &["its control: is no knot"]), "{:?}", report.run.failures);
    assert_eq!(report.run.failures.len(), 2, "{:?}", report.run.failures);
}

#[test]
fn a_control_within_the_limit_fails_a_scenario() {
    let report = run_scene(|_| {
        let mut setup = scene();
        setup.control_kinds = Ok(ControlKind::Substeps(1)).into();
        setup.expectations.stretch_p99 = Some(0.05).into();
        Ok(setup)
    });
    assert_eq!(report.run.failures.len(), 1, "{:?}", report.run.failures);
    assert!(says(&report, &["control (1 substep)", "within the limit of 5.00 %", "proves nothing"]));
    assert!(!report.control.expected_to_intersect);
}

#[test]
fn a_model_without_a_control_is_said_and_fails_nothing() {
    let report = run_scene(|_| {
        let mut setup = scene();
        setup.control_kinds.xpbd = Err(NoControl("nothing meets"));
        Ok(setup)
    });
    assert!(report.run.pass, "{:?}", report.run.failures);
    assert_eq!(report.control.absence.as_deref(), Some("nothing meets"));
    assert!(!report.control.was_run() && report.per_frame.control_intersections.is_empty());
}

#[test]
fn with_the_gate_nothing_passes_between_frames_and_pins_lag_behind() {
    let lowered = |gate| run_with(|_| Ok(lowered([-0.1, -0.1, -0.2])), gate);
    let [off, on] = [false, true].map(lowered);
    assert!(off.run.frame_chords.expect("observed").pairs > 32 && !off.run.gate && on.run.gate);
    assert_eq!(on.run.frame_chords, Some(FrameChords::default()));
    let found = on.run.certification;
    assert_eq!((found.certified_intersections.max, found.tangled.max), (0, 0));
    assert_eq!(found.longest_stall_frames, 3);
    assert!(found.pin_lag_m.get() > Some(0.05) && found.gate_share.get() > Some(0.0), "{found:?}");
    assert_eq!(off.run.certification.pin_lag_m.get(), Some(0.0));
}

#[test]
fn initial_intersections_count_as_tangled_only_with_the_gate() {
    let crossing = |gate| {
        let build = |_| {
            let mut setup = scene();
            add_crossing(&mut setup);
            Ok(setup)
        };
        run_with(build, gate)
    };
    let [off, on] = [false, true].map(crossing);
    let all = off.run.intersections.max;
    assert_eq!(
        (off.run.certification.certified_intersections.max, off.run.certification.tangled.max),
        (all, 0)
    );
    let tangled = on.run.certification.tangled;
    assert_eq!((tangled.initial, tangled.max, tangled.last, tangled.frames_to_clean), (all, all, all, None));
    assert!(tangled.vertex_share.get() > Some(0.0));
    assert_eq!(on.run.certification.certified_intersections.max, 0);
}

#[test]
fn pairs_that_touch_on_a_certified_chord_fail_a_scenario() {
    let frame = |on_chord, certified_chord| {
        let gate = GateReport { certified_chord, ..GateReport::default() };
        Frame { on_chord, step: StepReport { gate, ..StepReport::default() }, ..Frame::default() }
    };
    let words = "2 pairs touch on the chord to frame 3, which is certified";
    for (last, is_said) in [(frame(2, true), true), (frame(2, false), false)] {
        let frames = vec![frame(0, true), frame(5, false), last];
        let main = Observation { frames, ..Observation::default() };
        let failures = expectations::failures(&scene(), &main, None, None);
        assert_eq!(failures.iter().any(|f| f.contains(words)), is_said, "{failures:?}");
    }
}

/// A held sheet, and one that starts 1 cm below it and belongs on top; its contacts are computed once.
fn layers_swapped() -> Setup {
    let mut setup = scene();
    add_sheet(&mut setup, |mesh| mesh.translated(Vector3::new(0.013, -0.01, 0.007)));
    for (place, cloth) in (0..).zip(&mut setup.scene.cloths) {
        cloth.layer = Some(place);
    }
    setup.scene.cloths[1].pins.clear();
    setup.scene.settings.gravity = Vector3::zeros();
    setup.scene.settings.contacts = ContactSource::Cached { reach: 0.05, follow: true };
    setup.without_layer_order = Some(ContactSource::Detected);
    setup
}

#[test]
fn layers_that_do_not_cross_without_their_order_fail_a_scenario() {
    let report = run_scene(|_| Ok(layers_swapped()));
    // With the order, the second sheet passes through the first to its place.
    assert!(report.run.frame_chords.expect("observed").pairs > 0);
    let without = report.without_layer_order.expect("run once more");
    assert_eq!((without.max, without.frames_with), (0, 0));
    assert!(
        says(&report, &["do not cross without their order", "proves nothing"]),
        "{:?}",
        report.run.failures
    );
}

#[test]
fn layers_that_cross_without_their_order_are_counted_and_no_failure() {
    let report = run_scene(|_| {
        let mut setup = layers_swapped();
        add_crossing(&mut setup);
        Ok(setup)
    });
    let without = report.without_layer_order.expect("run once more");
    assert_eq!(without.frames_with, 6);
    assert!(!says(&report, &["order"]), "{:?}", report.run.failures);
    let plain = run_scene(|_| Ok(scene()));
    assert!(plain.without_layer_order.is_none());
}

#[test]
fn late_intersections_are_reported_with_their_frames() {
    let report = run_scene(|_| {
        let mut setup = scene();
        add_crossing(&mut setup);
        setup.expectations.clean_from = Some(4);
        Ok(setup)
    });
    let words = ["2 frames have intersections from frame 4 on", "the last is frame 5"];
    assert!(says(&report, &words), "{:?}", report.run.failures);
}

#[test]
fn frames_of_a_thirtieth_of_a_second_last_as_long_in_all() {
    let setup = Setup::at_30_hz(Settings::default(), 0.5);
    assert_eq!((setup.frames, Setup::new(Settings::default(), 0.5).frames), (15, 30));
    assert!((setup.time_after(14) - 0.5).abs() < 1e-6);
}

#[test]
fn a_run_is_written_as_a_stage_of_its_bits() {
    let dir = tempfile::tempdir().unwrap();
    let build = |_| {
        let mut setup = scene();
        setup.scene.cloths[0].pins.truncate(2);
        let ball = Collider::new(Shape::Sphere { radius: 0.05 }, Isometry3::translation(0.0, -0.2, 0.0), 0.3);
        setup.scene.add_colliders(ball);
        Ok(setup)
    };
    let options = RunOptions { usd: Some(dir.path().into()), ..RunOptions::default() };
    let scenario = Scenario { name: "scene", about: "", build };
    let outcome = run(&scenario, Size::Small, &options, &mut |_, _, _| {}).expect("it runs");
    let read = |prim: &str| cloth_io::UsdMesh::read(&dir.path().join(format!("scene.usda#{prim}"))).unwrap();
    let cloth = read("/World/cloth/cloth");
    let frames = outcome.report.run.frames as usize;
    assert_eq!((cloth.state_count(), cloth.rate()), (frames + 1, 60.0));
    assert_eq!(cloth.read_frame(frames).unwrap(), outcome.last.positions);
    assert_ne!(cloth.read_frame(0).unwrap(), outcome.last.positions, "it falls");
    assert_eq!(cloth.loaded.mesh.faces, outcome.last.faces);
    assert_eq!(read("/World/bodies/collider").state_count(), 1);
}

#[test]
#[cfg(not(feature = "render"))]
fn pictures_without_the_renderer_are_an_error_that_names_the_feature() {
    let scenario = Scenario { name: "scene", about: "", build: |_| Ok(scene()) };
    let options = RunOptions { pictures: true, ..RunOptions::default() };
    let error = run(&scenario, Size::Small, &options, &mut |_, _, _| {}).expect_err("no renderer");
    assert_eq!(error, VerifyError::NoRenderer);
    assert!(error.to_string().contains("feature `render`"), "{error}");
}

#[test]
#[cfg(feature = "render")]
fn pictures_are_the_same_while_the_control_runs_as_before_it() {
    let build = |_| {
        let mut setup = scene();
        add_crossing(&mut setup);
        Ok(setup)
    };
    let scenario = Scenario { name: "scene", about: "", build };
    let pictures = |threads| {
        let options = RunOptions { threads, pictures: true, ..RunOptions::default() };
        let outcome = run(&scenario, Size::Small, &options, &mut |_, _, _| {}).expect("it runs");
        outcome.pictures.into_iter().map(|p| (p.caption, p.png)).collect::<Vec<_>>()
    };
    let one = pictures(1);
    let captions: Vec<&str> = one.iter().map(|(caption, _)| caption.as_str()).collect();
    assert_eq!(captions[0], "Frames 0, 2, 3, 6");
    assert!(
        captions[1].starts_with("Frame 6, the last: ") && captions[1].ends_with(" intersections, drawn red")
    );
    assert!(captions[2].starts_with("Its control (no self collision), frame 6: "), "{captions:?}");
    assert_eq!(one, pictures(2));
}

#[test]
fn progress_counts_every_frame_of_the_run_and_of_the_control() {
    let scenario = Scenario { name: "scene", about: "", build: |_| Ok(scene()) };
    let mut told = Vec::new();
    let options = RunOptions::default();
    run(&scenario, Size::Small, &options, &mut |phase, done, of| told.push((phase, done, of)))
        .expect("it runs");
    let expected =
        [Phase::Run, Phase::Control].into_iter().flat_map(|phase| (0..=6).map(move |k| (phase, k, 6)));
    assert_eq!(told, expected.collect::<Vec<_>>());
}

#[test]
fn refuses_hours_of_brute_force_and_no_threads() {
    let scenario = Scenario { name: "scene", about: "", build: |_| Ok(scene()) };
    let refused =
        |size, options| run(&scenario, size, &options, &mut |_, _, _| {}).expect_err("refused").to_string();
    let brute = RunOptions { broadphase: BroadPhaseChoice::BruteForce, ..RunOptions::default() };
    assert!(refused(Size::Medium, brute).contains("use size small"));
    let none = RunOptions { threads: 0, ..RunOptions::default() };
    assert!(refused(Size::Small, none).contains("cannot start 0 threads"));
}
