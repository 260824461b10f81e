//! The page: a head that says what ran, where, and what the machine was doing meanwhile; then a part for each
//! list of the report, each with a sentence on how to read it.

use cloth_measure::page::page;
use maud::{Markup, html};

use super::number::{count, human, mebibytes};
use super::scenes::{Markers, is_clean};
use super::{JSON, PageLink, changes, distinct, scenes};
use crate::history::Record;
use crate::schema::{BenchReport, Measure, Mode, Provenance};

/// A part of the page.
struct Part {
    id: &'static str,
    title: &'static str,
    about: &'static str,
    body: Markup,
}

/// The page as one file of HTML that loads nothing and runs no script. Equal reports and histories give equal
/// bytes.
pub(super) fn html(report: &BenchReport, history: &[Record], links: &[PageLink<'_>]) -> String {
    let parts = parts(report, history);
    let body = html! {
        (head(report, links))
        main {
            nav aria-label="Parts of the page" {
                @for part in &parts { a href=(format!("#{}", part.id)) { (part.title) } }
            }
            @for part in &parts {
                h2 id=(part.id) { (part.title) }
                p.lead { (part.about) }
                (part.body)
            }
        }
        footer {
            "The same as a file: " a href=(JSON) { (JSON) } ", schema " (report.schema_version)
        }
    };
    page("cloth bench", &body)
}

/// Title, figures and provenance.
fn head(report: &BenchReport, links: &[PageLink<'_>]) -> Markup {
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
                "This project and its peers on the same scenes, in interleaved runs. Every frame is judged \
                 outside the timed section by the same exact checker, so that quality is shown with speed."
            }
            @for (address, what) in links { p.note { a href=(address) { (what) } } }
            div.tiles {
                (tile(distinct(&report.scenes, |r| r.scene.as_str()).len(), "scenes"))
                (tile(distinct(&report.scenes, |r| r.contender.id.as_str()).len(), "contenders"))
                (tile(runs, "results"))
                (tile(clean, "of them without an intersection in any frame"))
                (tile(undecided, "ratios of wall time undecided"))
            }
            @if report.interrupted { (warning("The run was ended early: what is missing was not run.")) }
            @for text in warnings(&report.provenance) { (warning(&text)) }
            (provenance(&report.provenance, Some(report.mode)))
        }
    }
}

pub(super) fn tile(value: usize, label: &str) -> Markup {
    html! { div.tile { b { (count(value as u64)) } span { (label) } } }
}

pub(super) fn warning(text: &str) -> Markup {
    html! { p.warning role="note" { (text) } }
}

/// What a reader must know before comparing figures.
pub(super) fn warnings(made: &Provenance) -> Vec<String> {
    let mut found = Vec::new();
    if let Some([start, end]) = made.load_average
        && start.max(end) > made.machine.cores as f64
    {
        found.push(format!(
            "The machine was loaded ({} processes ready at the start, {} at the end, on {} cores): read \
             ratios and instruction counts rather than times.",
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

pub(super) fn provenance(made: &Provenance, mode: Option<Mode>) -> Markup {
    let mode = mode.map(|mode| match mode {
        Mode::Quick => "quick",
        Mode::Full => "full",
        Mode::Custom => "a part that the arguments name",
    });
    let machine = &made.machine;
    let memory = machine.memory_bytes.map_or(String::new(), |bytes| format!(", {}", mebibytes(bytes)));
    let commit = made.commit.as_deref().unwrap_or("unknown");
    let rows = [
        ("commit", format!("{commit}{}", if made.dirty { ", with changes" } else { "" })),
        ("date", made.date_utc.clone()),
        ("mode", mode.unwrap_or_default().to_owned()),
        ("machine", format!("{}, {} threads{memory}, {}", machine.cpu, machine.cores, machine.os)),
        ("fingerprint", machine.fingerprint.clone()),
        ("toolchain", format!("{}, {}", made.toolchain, made.instruction_set)),
        ("called with", made.arguments.join(" ")),
    ];
    html! {
        dl.provenance {
            @for (name, value) in rows.iter().filter(|row| !row.1.is_empty()) { dt { (name) } dd { (value) } }
        }
    }
}

/// The parts that have anything to show.
fn parts(report: &BenchReport, history: &[Record]) -> Vec<Part> {
    let markers = Markers::new(report);
    let mut parts = Vec::new();
    let mut add = |is_shown: bool, id, title, about, body: Markup| {
        parts.extend(is_shown.then_some(Part { id, title, about, body }));
    };
    let carded = |body: Markup| html! { section { (body) } };
    add(
        !report.scenes.is_empty(),
        "scenes",
        "Scenes",
        "The fastest contender that keeps cloth apart comes first. A fast one that intersects has not solved \
         the problem. A ring marks a contender that did not finish: its figures are those of the frames that \
         it finished.",
        scenes::ranking(report, &markers),
    );
    add(
        !report.growth.is_empty(),
        "growth",
        "Time against size",
        "An exponent of 1 is linear in the number of particles. A ring marks a contender that did not \
         finish.",
        carded(scenes::growth(report, &markers)),
    );
    add(
        report.scenes.iter().any(|r| !r.stage_ms.is_empty()),
        "stages",
        "Stages",
        "Where the mean time of a frame goes, for contenders that report it, at the largest side.",
        carded(scenes::stages(report)),
    );
    add(
        !history.is_empty(),
        "history",
        "History",
        "Regressions of this project's results: by counted instructions first, by wall time against a peer \
         in the same runs second.",
        carded(changes::history(history)),
    );
    parts
}
