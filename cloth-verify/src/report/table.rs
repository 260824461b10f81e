//! The run as plain text for a terminal: one row a scenario, then what failed, then the verdict.

use super::{Audit, ScenarioReport, VerifyReport};

use cloth_show::report::{CutFigures, count, human, stretch_percent};

/// The two lines above each column.
const COLUMNS: [[&str; 2]; 19] = [
    ["", "scenario"],
    ["", "size"],
    ["", "broadphase"],
    ["", "gate"],
    ["", "triangles"],
    ["", "frames"],
    ["inters.", "at start"],
    ["worst", "frame"],
    ["at the", "end"],
    ["pairs on", "chords"],
    ["certified", "pairs"],
    ["tangled", "pairs"],
    ["gate,", "% of time"],
    ["control,", "worst"],
    ["no gate,", "worst"],
    ["stretch", "p99"],
    ["ms of", "a frame"],
    ["", "audit"],
    ["", "verdict"],
];
/// What the columns count.
const LEGEND: &str = "\
inters.: pairs of an edge and a face that meet; worst: in the worst frame; audit: crossings, and its cost
chords: the straight motions between frames; certified: guarded by the gate, tangled: there before it
control: the same scene without what it is about; no gate: with self-collision alone
";
/// Columns of words; the others hold figures and are set flush right.
const WORDS: [usize; 6] = [0, 1, 2, 3, 17, 18];

/// The table, without colour, each line ended.
#[must_use]
pub fn table(report: &VerifyReport) -> String {
    let mut rows = [0, 1].map(|line| COLUMNS.map(|column| column[line].to_owned())).to_vec();
    rows.extend(report.scenarios.iter().map(row));
    let width = |column: usize| rows.iter().map(|r| r[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..COLUMNS.len()).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(
                |(i, (cell, &w))| {
                    if WORDS.contains(&i) { format!("{cell:<w$}") } else { format!("{cell:>w$}") }
                },
            )
            .collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text.push_str(LEGEND);
    for ScenarioReport { run, skin, control, .. } in &report.scenarios {
        let mut say = |what: &str| text.push_str(&format!("{}: {what}\n", run.name));
        if let Some(skin) = skin {
            let i = skin.cloth_skin;
            let deepest = human(skin.deepest_m, 1000.0);
            let control = skin
                .control_deepest_m
                .map_or(String::new(), |m| format!(", its control {} mm", human(m, 1000.0)));
            say(&format!(
                "on {}, intersections with the skin {} at the start, {} at most, {} at the end; {deepest} mm \
                 below it at most{control}",
                skin.body, i.initial, i.max, i.last
            ));
        }
        if let Some(reason) = &control.absence {
            say(&format!("no control under {}: {reason}", run.elastic_model));
        }
        if !run.cuts.is_empty() {
            let frames = CutFigures::frames_in_words(&run.cuts);
            say(&format!("teleported at {frames}; no motion leads there"));
        }
        run.failures.iter().for_each(|failure| say(failure));
    }
    text.push_str(&verdict(report));
    text.push('\n');
    text
}

fn row(s: &ScenarioReport) -> [String; 19] {
    [
        s.run.name.clone(),
        s.size.clone(),
        s.broadphase.clone(),
        if s.run.gate { "on".into() } else { "off".into() },
        count(s.run.triangles as u64),
        count(s.run.frames as u64),
        count(s.run.intersections.initial),
        count(s.run.intersections.max),
        count(s.run.intersections.last),
        s.run.frame_chords.map_or("-".into(), |chords| count(chords.pairs)),
        count(s.run.certification.certified_intersections.max),
        count(s.run.certification.tangled.max),
        human(s.run.certification.gate_share, 100.0),
        worst_of_control(s),
        s.ungated.map_or("-".into(), |i| count(i.max)),
        stretch_percent(s.run.stretch.p99),
        human(s.run.ms_per_frame.median, 1.0),
        s.audit.as_ref().map_or("-".into(), audited),
        if s.run.pass { "pass".into() } else { "FAIL".into() },
    ]
}

/// The intersections in the worst frame of a control, in a cell.
pub(super) fn worst_of_control(s: &ScenarioReport) -> String {
    match &s.control.absence {
        Some(_) => "none".into(),
        None if s.control.was_run() => count(s.control.max_intersections),
        None => "-".into(),
    }
}

/// The audit in a cell: crossings, and the cost as a multiple of the run.
fn audited(audit: &Audit) -> String {
    let cost = human(audit.time_ratio, 1.0);
    match audit.failures {
        0 => format!("clean, {cost} x"),
        n => format!("{} failed, {cost} x", count(n)),
    }
}

/// The run in one sentence.
pub(super) fn verdict(report: &VerifyReport) -> String {
    let all = report.scenarios.len();
    let failed = report.scenarios.iter().filter(|s| !s.run.pass).count();
    let without_control = report.scenarios.iter().filter(|s| s.control.absence.is_some()).count();
    match (all, failed) {
        (0, _) => "No scenario ran".into(),
        (1, 0) if without_control == 1 => "The scenario passes, without a control".into(),
        (1, 0) => "The scenario passes".into(),
        (1, _) => "The scenario fails".into(),
        (_, 0) if !report.scenarios.iter().any(|s| s.control.was_run()) => {
            format!("All {all} scenarios pass; no control was run")
        }
        (_, 0) if without_control > 0 => {
            format!("All {all} scenarios pass, {without_control} of them without a control")
        }
        (_, 0) => format!("All {all} scenarios pass"),
        _ => format!("{failed} of {all} scenarios fail"),
    }
}
