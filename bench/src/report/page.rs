//! The page: head, then a part for each list of the report, each with a sentence on how to read it.

use cloth_measure::page::page;
use maud::{Markup, html};

use super::sections::{self, Block, Markers};
use super::{JSON, Page};

/// A part of the page.
struct Part {
    id: &'static str,
    title: &'static str,
    about: &'static str,
    body: Markup,
}

/// The page as one file of HTML that loads nothing and runs no script. Equal reports and histories give equal
/// bytes.
pub(super) fn html(shown: &Page<'_>) -> String {
    let parts = parts(shown);
    let body = html! {
        (sections::head(shown.report, shown.verdict.as_deref()))
        main {
            nav aria-label="Parts of the page" { @for part in &parts { a href=(format!("#{}", part.id)) { (part.title) } } }
            @for part in &parts {
                h2 id=(part.id) { (part.title) }
                p.lead { (part.about) }
                (part.body)
            }
        }
        footer {
            "The same as files: " a href=(JSON) { (JSON) } ", schema " (shown.report.schema_version) "; "
            @for (file, what) in super::EXPORTS { a href=(file) { (file) } " (" (what) ") " }
        }
    };
    page("cloth bench", &body)
}

/// The parts that have anything to show.
fn parts(shown: &Page<'_>) -> Vec<Part> {
    let report = shown.report;
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
        "The fastest contender that keeps cloth apart comes first. A fast one that intersects has not solved the problem. A ring \
         marks a contender that did not finish: its figures are those of the frames that it finished.",
        sections::ranking(report, &markers),
    );
    add(
        !report.growth.is_empty(),
        "growth",
        "Time against size",
        "An exponent of 1 is linear in the number of particles. A ring marks a contender that did not finish.",
        carded(sections::growth(report, &markers)),
    );
    add(
        report.scenes.iter().any(|r| !r.stage_ms.is_empty()),
        "stages",
        "Stages",
        "Where the mean time of a frame goes, for contenders that report it, at the largest side.",
        carded(sections::stages(report)),
    );
    add(
        !report.ccd.is_empty(),
        "ccd",
        "Continuous collision detection",
        "A method that misses a collision, or finds it late, is of no use to a gate, however fast; false collisions only cost motion.",
        carded(Block::html(&sections::ccd(report))),
    );
    add(
        !report.broad_phases.is_empty(),
        "broad-phases",
        "Broad phases",
        "All overlapping pairs of a set: an update to moved boxes and a query.",
        carded(Block::html(&sections::broad_phases(report))),
    );
    add(
        !report.kernels.is_empty(),
        "kernels",
        "Kernels",
        "Single geometric queries.",
        carded(Block::html(&sections::kernels(report))),
    );
    add(
        !shown.history.is_empty(),
        "history",
        "History",
        "Regressions of this project's results: by counted instructions first, by wall time against a peer in the same runs second.",
        carded(sections::history(shown.history)),
    );
    parts
}
