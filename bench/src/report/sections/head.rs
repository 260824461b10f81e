//! The head of the page: what ran, where, and what the machine was doing meanwhile.

use maud::{Markup, html};

use super::distinct;
use super::scene_table::is_clean;
use crate::report::number::{count, human, mebibytes};
use crate::schema::{BenchReport, Measure, Mode, Provenance};

/// Title, figures and provenance.
pub(in crate::report) fn head(report: &BenchReport, verdict: Option<&str>) -> Markup {
    let runs = report.scenes.len();
    let clean = report.scenes.iter().filter(|r| is_clean(r)).count();
    let wall: Vec<bool> =
        report.ratios.iter().filter(|r| r.measure == Measure::Wall).map(|r| r.decided).collect();
    let undecided = wall.iter().filter(|decided| !**decided).count();
    html! {
        header {
            p.kicker { "cloth bench" }
            h1 { "Benchmarks" }
            p.lead {
                "This project and its peers on the same scenes, in interleaved runs. Every frame is judged outside the timed section by the \
                 same exact checker, so that quality is shown with speed."
            }
            @if let Some(verdict) = verdict { p.note { a href=(verdict) { "The verdict of this project's own scenarios" } } }
            div.tiles {
                (tile(distinct(&report.scenes, |r| r.scene.as_str()).len(), "scenes"))
                (tile(distinct(&report.scenes, |r| r.contender.id.as_str()).len(), "contenders"))
                (tile(runs, "results"))
                (tile(clean, "of them without an intersection in any frame"))
                (tile(undecided, "ratios of wall time undecided"))
            }
            @for warning in warnings(report) { p.warning role="note" { (warning) } }
            (provenance(&report.provenance, report.mode))
        }
    }
}

fn tile(value: usize, label: &str) -> Markup {
    html! { div.tile { b { (count(value as u64)) } span { (label) } } }
}

/// What a reader must know before comparing figures.
fn warnings(report: &BenchReport) -> Vec<String> {
    let made = &report.provenance;
    let mut found = Vec::new();
    if report.interrupted {
        found.push("The run was ended early: what is missing was not run.".into());
    }
    if let Some([start, end]) = made.load_average
        && start.max(end) > made.machine.cores as f64
    {
        found.push(format!(
            "The machine was loaded ({} processes ready at the start, {} at the end, on {} cores): read ratios and instruction counts \
             rather than times.",
            human(start),
            human(end),
            made.machine.cores
        ));
    }
    if made.dirty {
        found.push("Files differed from the commit when this was measured.".into());
    }
    if !made.note.is_empty() {
        found.push(made.note.clone());
    }
    found
}

fn provenance(made: &Provenance, mode: Mode) -> Markup {
    let mode = match mode {
        Mode::Quick => "quick",
        Mode::Full => "full",
        Mode::Custom => "a part that the arguments name",
    };
    let machine = &made.machine;
    let memory = machine.memory_bytes.map_or(String::new(), |bytes| format!(", {}", mebibytes(bytes)));
    let commit = made.commit.as_deref().unwrap_or("unknown");
    let rows = [
        ("commit", format!("{commit}{}", if made.dirty { ", with changes" } else { "" })),
        ("date", made.date_utc.clone()),
        ("mode", mode.to_owned()),
        ("machine", format!("{}, {} threads{memory}, {}", machine.cpu, machine.cores, machine.os)),
        ("fingerprint", machine.fingerprint.clone()),
        ("toolchain", format!("{}, {}", made.toolchain, made.instruction_set)),
        ("called with", made.arguments.join(" ")),
    ];
    html! { dl.provenance { @for (name, value) in &rows { dt { (name) } dd { (value) } } } }
}
