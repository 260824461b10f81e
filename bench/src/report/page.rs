//! The page: head, then a part for each list of the report, each with a sentence on how to read it.

use cloth_verify::report::STYLE_SHEET;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::chart::color_rules;
use super::markers::Markers;
use super::style::STYLE;
use super::{Fault, JSON, Page, sections};

/// A part of the page.
struct Part {
    id: &'static str,
    title: &'static str,
    about: &'static str,
    body: Markup,
}

/// The page as one file of HTML that loads nothing and runs no script. Equal reports and histories give equal
/// bytes.
///
/// # Errors
/// If a chart cannot be drawn.
pub(super) fn html(page: &Page<'_>) -> Result<String, Fault> {
    let parts = parts(page)?;
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "cloth bench" }
                style { (PreEscaped(STYLE_SHEET)) (PreEscaped(STYLE)) (PreEscaped(color_rules())) }
            }
            body {
                (sections::head(page.report, page.verdict.as_deref()))
                main {
                    nav aria-label="Parts of the page" { @for part in &parts { a href=(format!("#{}", part.id)) { (part.title) } } }
                    @for part in &parts {
                        h2 id=(part.id) { (part.title) }
                        p.lead { (part.about) }
                        (part.body)
                    }
                }
                footer {
                    "The same as files: " a href=(JSON) { (JSON) } ", schema " (page.report.schema_version) "; "
                    @for (file, what) in super::EXPORTS { a href=(file) { (file) } " (" (what) ") " }
                }
            }
        }
    };
    Ok(markup.into_string())
}

/// The parts that have anything to show.
fn parts(page: &Page<'_>) -> Result<Vec<Part>, Fault> {
    let report = page.report;
    let markers = Markers::new(report);
    let mut parts = Vec::new();
    let mut add = |shown: bool, id, title, about, body: Result<Markup, Fault>| -> Result<(), Fault> {
        if shown {
            parts.push(Part { id, title, about, body: body? });
        }
        Ok(())
    };
    let carded = |body: Result<Markup, Fault>| body.map(|body| html! { section { (body) } });
    add(
        !report.scenes.is_empty(),
        "scenes",
        "Scenes",
        "The fastest contender that keeps cloth apart comes first. A fast one that intersects has not solved the problem. A ring \
         marks a contender that did not finish: its figures are those of the frames that it finished.",
        sections::ranking(report, &markers),
    )?;
    add(
        !report.growth.is_empty(),
        "growth",
        "Time against size",
        "An exponent of 1 is linear in the number of particles. A ring marks a contender that did not finish.",
        carded(sections::growth(report, &markers)),
    )?;
    add(
        report.scenes.iter().any(|r| !r.stage_ms.is_empty()),
        "stages",
        "Stages",
        "Where the mean time of a frame goes, for contenders that report it, at the largest side.",
        carded(sections::stages(report)),
    )?;
    add(
        !report.ccd.is_empty(),
        "ccd",
        "Continuous collision detection",
        "A method that misses a collision, or finds it late, is of no use to a gate, however fast; false collisions only cost motion.",
        carded(sections::ccd(report)),
    )?;
    add(
        !report.broad_phases.is_empty(),
        "broad-phases",
        "Broad phases",
        "All overlapping pairs of a set: an update to moved boxes and a query.",
        carded(sections::broad_phases(report)),
    )?;
    add(
        !report.kernels.is_empty(),
        "kernels",
        "Kernels",
        "Single geometric queries.",
        carded(sections::kernels(report)),
    )?;
    add(
        !page.history.is_empty(),
        "history",
        "History",
        "Regressions of this project's results: by counted instructions first, by wall time against a peer in the same runs second.",
        carded(sections::history(page.history)),
    )?;
    Ok(parts)
}
