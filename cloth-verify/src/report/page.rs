//! One scenario of the page: pictures, figures, charts.

use super::charts::{Line, by_frame, shares};

use super::html::badge;
use super::words::linked;
use super::{Audit, Cases, PictureLink, ScenarioReport};
use cloth_show::report::{
    CertifiedChords, CutFigures, Figure, FrameChords, VertexShare, count, human, human_with, stretch_percent,
};
use cloth_solver::StageTimes;
use maud::{Markup, html};

pub(super) fn section(
    index: usize,
    s: &ScenarioReport,
    pictures: &[PictureLink],
    player: Option<&str>,
) -> Markup {
    html! {
        section id=(format!("s{index}")) {
            h2 { (s.run.name) " " (badge(s.run.pass)) }
            p.sub {
                (s.size) ", broad phase " (s.broadphase) ", " (linked("gate")) " "
                (if s.run.gate { "on" } else { "off" })
                ", state " code { (s.run.state_hash) }
            }
            @if let Some(page) = player { p { a href=(page) { "\u{25b6} Play it" } } }
            @if !s.run.failures.is_empty() {
                ul.failures { @for failure in &s.run.failures { li { (failure) } } }
            }
            @for picture in pictures.iter().filter(|p| p.scenario == index) {
                figure.film {
                    a href=(picture.file) { img src=(picture.file) alt=(picture.caption) loading="lazy"; }
                    figcaption { (picture.caption) }
                }
            }
            div.split {
                (figures(s))
                div.charts { (charts(s)) }
            }
        }
    }
}

fn charts(s: &ScenarioReport) -> Markup {
    let counts = |values: &[u64]| values.iter().map(|&n| n as f64).collect();
    let label = if s.control.was_run() { format!("control: {}", s.control.name) } else { "control".into() };
    let mut stages: Vec<(&str, Figure)> =
        s.run.stage_ms.iter().map(|(name, &ms)| (name.as_str(), ms)).collect();
    // As they follow each other in a step; what is no stage of it comes first.
    let order = StageTimes::default().named().map(|(name, _)| name);
    stages.sort_by_key(|(name, _)| order.iter().position(|stage| stage == name));
    let ms = s.per_frame.run.ms.iter().map(|f| f.get().unwrap_or(f64::NAN)).collect();
    html! {
        // The control first: where both are zero the run is seen.
        (by_frame("Intersections by frame", &[
            Line { label: &label, class: "control", values: counts(&s.per_frame.control_intersections) },
            Line { label: "this run", class: "run", values: counts(&s.per_frame.run.intersections) },
        ]))
        (by_frame("Milliseconds by frame", &[Line { label: "time", class: "time", values: ms }]))
        (shares("Where a frame's time goes", &stages))
    }
}

fn figures(s: &ScenarioReport) -> Markup {
    let number = |f: Figure| human(f, 1.0);
    let percent = |f: Figure| human_with(f, 100.0, "%");
    let millimetres = |f: Figure| human_with(f, 1000.0, "mm");
    let setup = [
        ("particles", count(s.run.particles as u64)),
        ("triangles", count(s.run.triangles as u64)),
        ("frames", format!("{} of {}", count(s.run.frames as u64), human_with(s.run.dt_s, 1000.0, "ms"))),
        ("substeps", count(s.run.substeps as u64)),
        ("thickness", millimetres(s.run.thickness_m)),
        ("friction", format!("{}, between cloth {}", number(s.run.friction), number(s.run.friction_cloth))),
    ];
    let i = &s.run.intersections;
    let mut found = vec![
        ("intersections", format!("{} at the start", count(i.initial))),
        ("", worst_and_last(i.max, i.last)),
        ("frames with any", count(i.frames_with)),
        (
            "face pairs",
            worst_and_last(s.run.intersecting_triangle_pairs.max, s.run.intersecting_triangle_pairs.last),
        ),
        ("flat folds", worst_and_last(s.run.flat_folds.max, s.run.flat_folds.last)),
        ("pairs on chords", frame_chords(s)),
        ("certified chords", certified_chords(s)),
        ("certified pairs", certified(s)),
        ("tangled pairs", tangled(s)),
        ("control", control(s)),
    ];
    if !s.run.cuts.is_empty() {
        found.push((
            "teleported",
            format!("at {}; no motion leads there", CutFigures::frames_in_words(&s.run.cuts)),
        ));
    }
    if s.run.certification.released_pairs > 0 {
        found.push((
            "released pairs",
            format!("{} over all frames", count(s.run.certification.released_pairs)),
        ));
    }
    let others = [("without the gate", &s.ungated), ("without an order", &s.without_layer_order)];
    found.extend(others.into_iter().filter_map(|(name, found)| {
        let i = found.as_ref()?;
        Some((name, format!("{}, {} frames with any", pairs_of_another(i.max, i.last), count(i.frames_with))))
    }));
    let mut quality = vec![("stretch", stretch([s.run.stretch.p99, s.run.stretch.max]))];
    // Cloth of any origin does not distinguish diagonals.
    if s.run.stretch.diagonal_p99.get().or(s.run.stretch.diagonal_max.get()).is_some() {
        quality.push(("on diagonals", stretch([s.run.stretch.diagonal_p99, s.run.stretch.diagonal_max])));
    }
    if s.control.was_run() {
        quality.push(("stretch of the control", format!("p99 {}", stretch_percent(s.control.stretch_p99))));
    }
    quality.extend([
        ("deepest face in a body", millimetres(s.run.deepest_penetration_m)),
        ("deepest vertex", millimetres(s.run.deepest_vertex_m)),
        ("contacts", format!("{} mean, {} most", number(s.run.contacts.mean), count(s.run.contacts.max))),
        ("time of a frame", format!("median {}", human_with(s.run.ms_per_frame.median, 1.0, "ms"))),
        ("", format!("p95 {}", human_with(s.run.ms_per_frame.p95, 1.0, "ms"))),
        ("in the gate", format!("{} of it", percent(s.run.certification.gate_share))),
        ("stopped by the gate", share(s.run.certification.frozen_vertex_share)),
        ("limited by the gate", share(s.run.certification.limited_vertex_share)),
    ]);
    let cases: Vec<_> = [("cases", &s.cases), ("cases of the control", &s.control.cases)]
        .into_iter()
        .filter_map(|(name, cases)| cases.as_ref().map(|c| (name, held(c))))
        .collect();
    html! {
        div.figures {
            (list("Set-up", &setup))
            (list("Found", &found))
            @if !cases.is_empty() { (list("Cases that hold", &cases)) }
            @if let Some(audit) = &s.audit { (list("Audit of every substep", &audited(audit))) }
            (list("Quality and time", &quality))
        }
    }
}

/// The percentile and the largest.
fn stretch([p99, max]: [Figure; 2]) -> String {
    format!("p99 {}, most {}", stretch_percent(p99), stretch_percent(max))
}

fn worst_and_last(worst: u64, last: u64) -> String {
    format!("{} in the worst frame, {} at the end", count(worst), count(last))
}

/// All of them, and by letter: `7 of 8 (a 3 of 4, b 4 of 4)`.
fn held(cases: &Cases) -> String {
    let of = |passed: usize, all: usize| format!("{} of {}", count(passed as u64), count(all as u64));
    let by_case =
        cases.by_case.iter().map(|(case, share)| format!("{case} {}", of(share.passed, share.total)));
    format!("{} ({})", of(cases.passed, cases.total), by_case.collect::<Vec<_>>().join(", "))
}

/// Intersections of certified pairs.
fn certified(s: &ScenarioReport) -> String {
    let found = s.run.certification.certified_intersections;
    match (s.run.gate, found.max) {
        (false, _) => "no gate".into(),
        (true, 0) => "0 intersect in any frame".into(),
        (true, max) => worst_and_last(max, found.last),
    }
}

/// What it leaves alone.
fn tangled(s: &ScenarioReport) -> String {
    let found = s.run.certification.tangled;
    let clean = match (found.max, found.frames_to_clean) {
        (0, _) => return "0 in any frame".into(),
        (_, Some(frames)) => format!("clean after {} frames", count(frames)),
        (_, None) => "never clean".into(),
    };
    format!("{}, {clean}", worst_and_last(found.max, found.last))
}

fn share(of: VertexShare) -> String {
    let [mean, max] = [of.mean, of.max].map(|share| human_with(share, 100.0, "%"));
    format!("{mean} of the vertices, {max} in the worst frame")
}

/// Frames whose chord is certified.
fn certified_chords(s: &ScenarioReport) -> String {
    let CertifiedChords { certified, frames } = s.run.certification.chords;
    format!("{} of {} frames", count(certified), count(frames))
}

/// Pairs that touch on the straight chords from frame to frame.
fn frame_chords(s: &ScenarioReport) -> String {
    match s.run.frame_chords {
        None => "not observed".into(),
        Some(FrameChords { pairs: 0, .. }) => "0 touch".into(),
        Some(found) => {
            format!("{} touch in the motion to {} frames", count(found.pairs), count(found.frames_with))
        }
    }
}

/// What an auditor found on the path of the substeps.
fn audited(audit: &Audit) -> Vec<(&'static str, String)> {
    let compared = match audit.completeness_motions {
        0 => "not compared".into(),
        n => format!("{} in {} substeps", count(audit.completeness_violations), count(n)),
    };
    let exempt = match audit.max_exempt_pair_substeps {
        None => count(audit.exempt_pair_substeps),
        Some(most) => format!("{}, at most {} expected", count(audit.exempt_pair_substeps), count(most)),
    };
    vec![
        ("substeps", format!("{}, {} tested", count(audit.motions), count(audit.tested_motions))),
        ("certified pairs", count(audit.pairs)),
        ("apart by a plane", count(audit.separated_by_plane)),
        ("decided exactly", count(audit.decided_exactly)),
        ("crossings", count(audit.crossings)),
        ("near, not examined", compared),
        ("exempt by a tangle", exempt),
        ("exempt by authors", count(audit.authored_pair_substeps)),
        ("time", format!("{} times that of the steps", human(audit.time_ratio, 1.0))),
    ]
}

fn control(s: &ScenarioReport) -> String {
    if let Some(reason) = &s.control.absence {
        return format!("none under {}: {reason}", s.run.elastic_model);
    }
    if !s.control.was_run() {
        return "not run".into();
    }
    pairs_of_another(s.control.max_intersections, s.control.final_intersections)
}

/// The intersections of a run that is shown next to this one.
fn pairs_of_another(worst: u64, last: u64) -> String {
    format!("{} pairs in its worst frame, {} at its end", count(worst), count(last))
}

fn list(title: &str, rows: &[(&str, String)]) -> Markup {
    html! {
        h3 { (title) }
        dl { @for (name, value) in rows { dt { (linked(name)) } dd { (value) } } }
    }
}
