//! The three forms of a report say the same, and nothing in a report breaks them.

use cloth_show::STYLE_SHEET;
use cloth_show::report::{
    Certification, CertifiedChords, CutFigures, Figure, FrameChords, Intersections, MsPerFrame, PerFrame,
    Provenance, RunReport, Stretch, hex,
};

use super::*;

fn scenario(name: &str) -> ScenarioReport {
    let frames = [0, 0, 3, 0];
    ScenarioReport {
        run: RunReport {
            name: name.into(),
            particles: 4096,
            triangles: 7938,
            frames: 4,
            substeps: 4,
            dt_s: (1.0 / 60.0).into(),
            thickness_m: 0.004.into(),
            intersections: Intersections::from_frames(0, &frames),
            frame_chords: Some(FrameChords { pairs: 1234, frames_with: 3 }),
            certification: Certification {
                chords: CertifiedChords { certified: 5, frames: 7 },
                ..Certification::default()
            },
            ms_per_frame: MsPerFrame::from_frames(&[4.0, 2.0, 3.0, 1.0]),
            stage_ms: [("detect".into(), 1.25.into()), ("solve".into(), 0.75.into())].into(),
            state_hash: hex(0xfeed),
            failures: vec!["frame 3 has 3 intersections <expected 0>".into()],
            ..RunReport::default()
        },
        size: "small".into(),
        broadphase: "bvh".into(),
        control: Control {
            name: "no self collision".into(),
            absence: None,
            max_intersections: 3324,
            final_intersections: 3000,
            expected_to_intersect: true,
            stretch_p99: 0.02.into(),
            cases: None,
        },
        per_frame: ControlledFrames {
            run: PerFrame {
                intersections: frames.to_vec(),
                ms: [4.0, 2.0, 3.0, 1.0].map(Figure::from).to_vec(),
            },
            control_intersections: vec![0, 10, 3324, 3000],
        },
        ..ScenarioReport::default()
    }
}

/// A scenario with another run.
fn with_run(mut scenario: ScenarioReport, change: impl FnOnce(&mut RunReport)) -> ScenarioReport {
    change(&mut scenario.run);
    scenario
}

fn passing(name: &str) -> ScenarioReport {
    with_run(scenario(name), |run| (run.pass, run.failures) = (true, Vec::new()))
}

#[test]
fn json_has_the_names_that_the_command_promises() {
    let text = json(&VerifyReport::new(1, vec![scenario("pile")])).expect("valid");
    let value: serde_json::Value = serde_json::from_str(&text).expect("valid");
    let s = &value["scenarios"][0];
    assert_eq!(value["schema_version"], SCHEMA_VERSION);
    for name in [
        "name",
        "size",
        "broadphase",
        "gate",
        "cuts",
        "gate_share",
        "longest_stall_frames",
        "pin_lag_m",
        "momentum_lost",
        "released_pairs",
        "self_collision",
        "elastic_model",
        "face_contacts",
        "particles",
        "triangles",
        "frames",
        "substeps",
        "dt_s",
        "thickness_m",
        "friction",
        "deepest_penetration_m",
        "stage_ms",
        "state_hash",
        "frame_hashes",
        "pass",
        "failures",
    ] {
        assert!(s.get(name).is_some(), "{name}");
    }
    for path in [
        "/intersections/initial",
        "/intersections/max",
        "/intersections/final",
        "/intersections/frames_with",
        "/intersecting_triangle_pairs/max",
        "/intersecting_triangle_pairs/final",
        "/frame_chords/pairs",
        "/frame_chords/frames_with",
        "/chords/certified",
        "/chords/frames",
        "/certified_intersections/max",
        "/certified_intersections/final",
        "/certified_intersections/frames_with",
        "/tangled/initial",
        "/tangled/max",
        "/tangled/final",
        "/tangled/frames_to_clean",
        "/tangled/vertex_share",
        "/frozen_vertex_share/mean",
        "/frozen_vertex_share/max",
        "/limited_vertex_share/mean",
        "/limited_vertex_share/max",
        "/contacts/mean",
        "/contacts/max",
        "/stretch/p99",
        "/stretch/max",
        "/stretch/diagonal_p99",
        "/stretch/diagonal_max",
        "/ms_per_frame/median",
        "/ms_per_frame/p95",
        "/control/name",
        "/control/max_intersections",
        "/control/final_intersections",
        "/control/expected_to_intersect",
        "/control/stretch_p99",
    ] {
        assert!(s.pointer(path).is_some(), "{path}");
    }
    assert_eq!(s["intersections"]["max"], 3);
    assert_eq!(s["dt_s"], 0.016_666_7);
    assert_eq!(s["state_hash"], "000000000000feed");
}

#[test]
fn json_reads_back_equal() {
    let report = VerifyReport::new(2, vec![scenario("pile"), passing("stack")]);
    let back: VerifyReport = serde_json::from_str(&json(&report).expect("valid")).expect("ours");
    assert_eq!(back, report);
}

#[test]
fn a_report_passes_if_all_pass_and_something_ran() {
    assert!(VerifyReport::new(1, vec![passing("a"), passing("b")]).pass);
    assert!(!VerifyReport::new(1, vec![passing("a"), scenario("b")]).pass);
    assert!(!VerifyReport::new(1, vec![]).pass);
}

#[test]
fn table_has_a_row_for_each_scenario_and_says_what_failed() {
    let text = table(&VerifyReport::new(1, vec![scenario("pile"), passing("a-much-longer-name")]));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 9, "{text}");
    assert!(lines[2].starts_with("pile ") && lines[2].ends_with("FAIL"));
    assert!(lines[3].ends_with("pass"));
    // Columns stand below each other.
    let end = |line: &str, word: &str| line.find(word).map(|at| at + word.len());
    assert_eq!(end(lines[1], "triangles"), end(lines[2], "7,938"));
    assert_eq!(lines[7], "pile: frame 3 has 3 intersections <expected 0>");
    assert_eq!(lines[8], "1 of 2 scenarios fail");
}

#[test]
fn all_forms_say_what_touches_on_the_chords_or_was_not_checked() {
    let report = VerifyReport::new(1, vec![scenario("pile"), scenario("stack")]);
    let (text, page) = (table(&report), html(&report, &[]));
    assert_eq!(text.matches("1,234").count(), 2, "{text}");
    assert!(page.contains("1,234 touch in the motion to 3 frames") && page.contains(">2,468<"));
    assert!(page.contains("5 of 7 frames"));
    let unseen = with_run(scenario("pile"), |run| run.frame_chords = None);
    let report = VerifyReport::new(1, vec![unseen]);
    assert!(html(&report, &[]).contains("not observed"));
    assert!(json(&report).expect("valid").contains("\"frame_chords\": null"));
    let at = |line: usize, word: &str| {
        table(&report).lines().nth(line).and_then(|l| l.find(word).map(|at| at + word.len()))
    };
    assert_eq!(at(1, "chords"), at(2, " - ").map(|end| end - 1));
}

#[test]
fn cases_are_listed_with_those_of_the_control_and_by_letter() {
    let share = |passed, total| Share { passed, total };
    let of = |a: Share, b: Share| Cases {
        passed: a.passed + b.passed,
        total: a.total + b.total,
        by_case: [("a".into(), a), ("b".into(), b)].into(),
    };
    let control = Control { cases: Some(of(share(1, 4), share(0, 3))), ..scenario("cells").control };
    let cells = ScenarioReport { cases: Some(of(share(4, 4), share(2, 3))), control, ..scenario("cells") };
    let report = VerifyReport::new(1, vec![cells, scenario("pile")]);
    let page = html(&report, &[]);
    assert!(page.contains("6 of 7 (a 4 of 4, b 2 of 3)") && page.contains("1 of 7 (a 1 of 4, b 0 of 3)"));
    assert_eq!(page.matches("Cases that hold").count(), 1);
    let value: serde_json::Value = serde_json::from_str(&json(&report).expect("valid")).expect("valid");
    assert_eq!(value["scenarios"][0]["cases"]["passed"], 6);
    assert_eq!(value["scenarios"][0]["cases"]["by_case"]["b"]["total"], 3);
    assert_eq!(value["scenarios"][0]["control"]["cases"]["passed"], 1);
    assert!(value["scenarios"][1]["cases"].is_null());
}

#[test]
fn reports_the_control_without_order_where_there_are_layers() {
    let layers = ScenarioReport {
        without_layer_order: Some(Intersections::from_frames(0, &[0, 70, 41])),
        ..scenario("layers")
    };
    let report = VerifyReport::new(1, vec![layers, scenario("pile")]);
    let page = html(&report, &[]);
    assert!(page.contains("70 pairs in its worst frame, 41 at its end, 2 frames with any"));
    assert_eq!(page.matches("without an order").count(), 1);
    let value: serde_json::Value = serde_json::from_str(&json(&report).expect("valid")).expect("valid");
    assert_eq!(value["scenarios"][0]["without_layer_order"]["frames_with"], 2);
    assert!(value["scenarios"][1]["without_layer_order"].is_null());
}

#[test]
fn page_says_the_verdict_and_escapes_what_it_is_given() {
    let link = PictureLink { scenario: 0, file: "pile-1-1.png".into(), caption: "\"falls\"".into() };
    let text = html(&VerifyReport::new(1, vec![scenario("<pile>")]), &[link]);
    assert!(text.contains("<h1>The scenario fails.</h1>"));
    assert!(text.contains("&lt;pile&gt;") && !text.contains("<pile>"));
    assert!(text.contains("&lt;expected 0&gt;"));
    assert!(text.contains("src=\"pile-1-1.png\"") && text.contains("alt=\"&quot;falls&quot;\""));
}

#[test]
fn every_form_says_that_a_scenario_has_no_control() {
    let control = Control { absence: Some("its folds do not meet".into()), ..Control::default() };
    let alone =
        with_run(ScenarioReport { control, ..passing("garment") }, |run| run.elastic_model = "fem".into());
    let report = VerifyReport::new(1, vec![alone.clone(), passing("pile")]);
    let text = table(&report);
    assert!(text.contains("garment: no control under fem: its folds do not meet\n"), "{text}");
    assert!(text.ends_with("All 2 scenarios pass, 1 of them without a control\n"), "{text}");
    assert!(html(&report, &[]).contains("none under fem: its folds do not meet"));
    let value: serde_json::Value = serde_json::from_str(&json(&report).expect("valid")).expect("valid");
    assert_eq!(value["scenarios"][0]["control"]["absence"], "its folds do not meet");
    assert!(value["scenarios"][1]["control"].get("absence").is_none());
    assert!(table(&VerifyReport::new(1, vec![alone])).ends_with("The scenario passes, without a control\n"));
}

#[test]
fn overview_headings_have_a_scope_and_the_note_is_inside_the_table() {
    let text = html(&VerifyReport::new(1, vec![scenario("pile"), passing("stack")]), &[]);
    assert_eq!(
        text.matches("<th").count() - text.matches("<thead").count(),
        text.matches("scope=\"").count()
    );
    assert_eq!(text.matches("scope=\"row\"").count(), 2);
    let (note, end) = (text.find("straight motion from frame to frame"), text.find("</table>"));
    assert!(note.is_some() && note < end, "the note would stand over the first scenario");
}

#[test]
fn figures_are_red_in_rows_that_fail_alone() {
    let red =
        |s: ScenarioReport| html(&VerifyReport::new(1, vec![s]), &[]).matches("class=\"n bad\"").count();
    let failing = scenario("pile");
    assert!(red(failing.clone()) > 0);
    assert_eq!(red(with_run(failing, |run| (run.pass, run.failures) = (true, Vec::new()))), 0);
}

#[test]
fn a_report_says_how_it_was_made_if_somebody_knows() {
    let mut report = VerifyReport::new(1, vec![passing("pile")]);
    assert!(!json(&report).expect("valid").contains("provenance") && !html(&report, &[]).contains("Made by"));
    let made = Provenance {
        arguments: vec!["verify".into(), "<x>".into()],
        ..Provenance::of_this_run("1.2.3", Some("abc"))
    };
    report.provenance = Some(made.clone());
    let back: VerifyReport = serde_json::from_str(&json(&report).expect("valid")).expect("ours");
    assert_eq!(back.provenance, Some(made));
    let page = html(&report, &[]);
    assert!(page.contains("Made by cloth 1.2.3 (abc) on 20") && page.contains("verify &lt;x&gt;"), "{page}");
}

#[test]
fn words_of_the_page_lead_to_what_they_mean() {
    let text = html(&VerifyReport::new(1, vec![scenario("pile")]), &[]);
    let anchors: Vec<&str> =
        text.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    for word in ["gate", "certified", "chord", "control", "substep"] {
        assert!(anchors.contains(&word), "{word}");
    }
    for anchor in anchors {
        assert_eq!(text.matches(&format!("id=\"{anchor}\"")).count(), 1, "{anchor}");
    }
}

#[test]
fn every_stage_has_a_colour_and_its_place_in_the_step() {
    let names = cloth_solver::StageTimes::default().named().map(|(name, _)| name);
    let all = ["character"].into_iter().chain(names);
    let stage_ms = all.clone().map(|name| (name.to_owned(), 1.0.into())).collect();
    let page =
        html(&VerifyReport::new(1, vec![with_run(scenario("pile"), |run| run.stage_ms = stage_ms)]), &[]);
    let at: Vec<Option<usize>> = all.clone().map(|name| page.find(&format!("title=\"{name}\""))).collect();
    assert!(at.is_sorted() && at[0].is_some(), "{at:?}");
    for name in all {
        assert!(STYLE_SHEET.contains(&format!("--stage-{name}: #")), "{name}");
    }
}

#[test]
fn page_loads_nothing_and_runs_nothing() {
    let text = html(&VerifyReport::new(1, vec![scenario("pile"), passing("stack")]), &[]);
    for word in ["<script", "http:", "https:", "<link", "@import", "url(", "onload"] {
        assert!(!text.contains(word), "{word}");
    }
}

#[test]
fn figures_that_are_not_finite_are_said_to_be_so() {
    let broken = with_run(scenario("pile"), |run| run.deepest_penetration_m = f64::NAN.into());
    let report = VerifyReport::new(1, vec![broken, ScenarioReport::default()]);
    let page = html(&report, &[]);
    assert!(page.contains("<dt>deepest face in a body</dt><dd>not finite</dd>"), "{page}");
    for word in ["NaN", "not finite %", "not finite mm", "not finite ms"] {
        assert!(!page.contains(word) && !table(&report).contains(word), "{word}");
    }
    assert!(json(&report).expect("valid").contains("\"deepest_penetration_m\": null"));
}

#[test]
fn a_stretch_that_is_not_measured_is_said_to_be_so() {
    let report =
        VerifyReport::new(1, vec![with_run(scenario("pile"), |run| run.stretch = Stretch::default())]);
    let page = html(&report, &[]);
    assert!(page.contains("<dt>stretch</dt><dd>p99 not measured, most not measured</dd>"), "{page}");
    assert!(table(&report).contains("not measured"), "{}", table(&report));
    assert!(json(&report).expect("valid").contains("\"diagonal_max\": null"));
}

#[test]
fn the_overview_fits_a_window_of_1300_pixels() {
    // The window without its scroll bar, the padding of the page and the border of the table.
    const ROOM: usize = 1300 - 17 - 2 * 24 - 2;
    // Widths of the letters of system fonts at 14 pixels, with some to spare; `th,td{padding:8px}`.
    let width = |text: &str| 8 * text.chars().count() + 2 * 8;
    let css = STYLE_SHEET;
    for rule in [
        "header,main,footer{max-width:1360px;margin:0 auto;padding:0 24px}",
        "th,td{padding:8px;",
        "font-size:12px;white-space:normal;",
        "tbody th small{display:block}",
    ] {
        assert!(css.contains(rule), "the widths below are those of {rule}");
    }
    let large = ScenarioReport {
        run: RunReport {
            name: "dress-dance-run-stop".into(),
            triangles: 250_000,
            frames: 1500,
            intersections: Intersections::from_frames(12_345, &[123_456, 12_345]),
            ..scenario("").run
        },
        size: "medium".into(),
        broadphase: "brute-force".into(),
        ungated: Some(Intersections::from_frames(0, &[123_456])),
        ..scenario("")
    };
    let page = html(&VerifyReport::new(1, vec![large]), &[]);
    let table = page.split("<table>").nth(1).and_then(|rest| rest.split("</table>").next()).unwrap();
    let text = |cell: &str| {
        let parts = cell.split('<').map(|part| part.rsplit('>').next().unwrap_or_default().trim().to_owned());
        parts.filter(|part| !part.is_empty()).collect::<Vec<_>>()
    };
    let cells = |row: &str| -> Vec<Vec<String>> {
        row.split("<th ")
            .flat_map(|part| part.split("<td "))
            .flat_map(|part| part.split("<td>"))
            .skip(1)
            .map(text)
            .collect()
    };
    let [groups, names, row] = table.split("<tr>").skip(1).map(cells).collect::<Vec<_>>().try_into().unwrap();
    // Under each group of columns are those that it names together.
    let mut names = names.into_iter();
    let mut head = Vec::new();
    for (group, text) in table.split("<th ").skip(1).zip(groups) {
        let under = group.split("colspan=\"").nth(1).map(|rest| rest[..1].parse::<usize>().unwrap());
        match under {
            Some(columns) => head.extend(names.by_ref().take(columns)),
            None => head.push(text),
        }
    }
    assert_eq!((head.len(), row.len()), (14, 14), "{head:?} {row:?}");
    // A head is broken between its words.
    let of_head = |cell: &[String]| cell.iter().flat_map(|t| t.split(' ')).map(width).max().unwrap();
    let of_row = |cell: &[String]| cell.iter().map(|t| width(t)).max().unwrap();
    let sum: usize = head.iter().zip(&row).map(|(h, r)| of_head(h).max(of_row(r))).sum();
    assert!(sum <= ROOM, "{sum} pixels in {ROOM}");
}

#[test]
fn writes_page_json_and_pictures_and_leaves_nothing_else() {
    let dir = tempfile::tempdir().expect("a directory");
    let report = VerifyReport::new(1, vec![scenario("../pile"), passing("stack")]);
    let picture = |scenario| Picture { scenario, caption: "falls".into(), png: vec![1, 2, 3] };
    for _ in 0..2 {
        let page = write_report(&dir.path().join("new"), &report, &[picture(0), picture(0), picture(9)], &[])
            .expect("written");
        assert_eq!(std::fs::read_to_string(page).expect("page"), html(&report, &links(&["1-1", "1-2"])));
    }
    let mut names: Vec<String> = std::fs::read_dir(dir.path().join("new"))
        .expect("there")
        .map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names, ["---pile-1-1.png", "---pile-1-2.png", "index.html", "verify.json"]);
}

#[test]
fn links_to_the_benchmarks_beside_it_if_there_are_any() {
    let dir = tempfile::tempdir().expect("a directory");
    let report = VerifyReport::new(1, vec![passing("pile")]);
    let page = || {
        let page = write_report(dir.path(), &report, &[], &[]).expect("it can be written");
        std::fs::read_to_string(page).expect("the page")
    };
    assert!(!page().contains(BENCHMARKS));
    std::fs::create_dir(dir.path().join("bench")).expect("a directory");
    std::fs::write(dir.path().join(BENCHMARKS), "").expect("a file");
    assert!(page().contains("<a href=\"bench/index.html\">"));
}

fn links(ends: &[&str]) -> Vec<PictureLink> {
    let link =
        |end: &&str| PictureLink { scenario: 0, file: format!("---pile-{end}.png"), caption: "falls".into() };
    ends.iter().map(link).collect()
}

#[test]
fn says_where_a_report_could_not_be_written() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let error =
        write_report(file.path(), &VerifyReport::new(1, vec![]), &[], &[]).expect_err("a file is in the way");
    assert!(error.to_string().contains(&file.path().display().to_string()), "{error}");
    assert!(!error.to_string().contains('\n'));
}

#[test]
fn cuts_are_named_in_every_form_and_in_words() {
    let cut = CutFigures { frame: 3, metres: 20.5.into(), ..CutFigures::default() };
    let with = |cuts| VerifyReport::new(1, vec![with_run(scenario("pile"), |run| run.cuts = cuts)]);
    let [cut, none] = [with(vec![cut]), with(vec![])];
    assert!(html(&cut, &[]).contains("at frame 3; no motion leads there"));
    assert!(table(&cut).contains("pile: teleported at frame 3; no motion leads there\n"));
    assert!(![html(&none, &[]), table(&none)].iter().any(|text| text.contains("no motion leads there")));
    assert_eq!(serde_json::from_str::<VerifyReport>(&json(&cut).expect("valid")).expect("ours"), cut);
}
