//! The page of pushes: who keeps the promise.

use std::io::Write;
use std::path::Path;

use cloth_io::write_atomically;
use cloth_measure::page::page;
use cloth_measure::table::{Cell, Table, numbers, words};
use maud::{Markup, html};

use super::distinct;
use super::number::{count, human, percent};
use super::page::{provenance, tile, warning, warnings};
use crate::promise::{PushSum, sums};
use crate::schema::{PushReport, PushResult};

/// The JSON and the page.
pub const FILES: [&str; 2] = ["push.json", "push.html"];

/// Writes a report to a directory, which is created if need be.
///
/// # Errors
/// If something cannot be written.
pub fn write(report: &PushReport, dir: &Path) -> Result<(), String> {
    std::fs::create_dir_all(dir).map_err(|e| format!("{}: cannot make the directory: {e}", dir.display()))?;
    let json = serde_json::to_string_pretty(report).map_err(|e| format!("cannot write JSON: {e}"))? + "\n";
    for (name, text) in FILES.into_iter().zip([json, html(report)]) {
        write_atomically(&dir.join(name), |w| w.write_all(text.as_bytes())).map_err(|e| e.to_string())?;
    }
    Ok(())
}

/// A row for each contender.
pub(super) fn summary(report: &PushReport) -> Table {
    let row = |s: PushSum<'_>| {
        let PushResult { contender, version, method, .. } = s.first;
        let [cases, clean] = s.cases;
        let class = if clean == cases { "ok" } else { "bad" };
        vec![
            words("contender", format!("{contender} {version}").trim_end()),
            numbers("cases", cases as u64, count),
            numbers("without a crossing", clean as u64, count).marked(Some(class)),
            first(s.first_crossing),
            numbers("crossings", s.crossings as u64, count),
            kept("kept apart", s.kept[0]),
            kept("kept at contact", s.kept[1]),
            numbers("ms a step", s.ms_per_step, human),
            words("method", method).page_only(),
        ]
    };
    let caption = "First crossing: the earliest of all cases. Crossings: steps with one, over all cases. \
                   Kept: the least share of the sideways motion of a tangential push that a case kept, while \
                   sheets were farther apart than 1 mm, and while they were nearer. Time: mean over all \
                   steps.";
    Table::new(caption, sums(report).into_iter().map(row))
}

fn first(step: Option<usize>) -> Cell {
    numbers("first crossing", step.map(|n| n as u64), |n| format!("step {}", count(n)))
}

fn kept(name: &'static str, share: Option<f64>) -> Cell {
    numbers(name, share, percent)
}

/// The page as one file of HTML that loads nothing and runs no script.
fn html(report: &PushReport) -> String {
    let sums = sums(report);
    let cases = distinct(&report.results, |r| r.case.as_str());
    let kept = sums.iter().filter(|s| s.cases[0] == s.cases[1]).count();
    let steps = report.results.iter().map(|r| r.steps).max().unwrap_or_default();
    let body = html! {
        header {
            p.kicker { "cloth bench" }
            h1 { "Who keeps the promise" }
            p.lead {
                "A caller proposes to push one sheet through another, step by step and without any contact \
                 force. A gate decides how far each motion goes. Whether the motion that it allows crosses \
                 is decided exactly, by the same reference for all."
            }
            div.tiles {
                (tile(sums.len(), "contenders"))
                (tile(kept, "of them without a crossing in any case"))
                (tile(cases.len(), "cases"))
                (tile(steps, "steps a case"))
            }
            @for text in warnings(&report.provenance) { (warning(&text)) }
            (provenance(&report.provenance, None))
        }
        main {
            h2 { "Contenders" }
            p.lead {
                "A method is named, not a library: those that are not of this project are written out for \
                 this comparison in a few lines, and not tuned for speed. They get the same proposals, and \
                 compute in f64; in a case of f32 the end that they return is rounded to that."
            }
            (summary(report).html())
            h2 { "Cases" }
            p.lead {
                "In every case: the first step with a crossing, and in how many steps there is one. Below, \
                 the share of a tangential push that is kept while sheets are farther apart than 1 mm, and \
                 while they are nearer."
            }
            (matrix(report, &sums, &cases))
            p.note { "All figures: " a href=(FILES[0]) { (FILES[0]) } }
        }
    };
    page("Who keeps the promise", &body)
}

/// Cases down, contenders across.
fn matrix(report: &PushReport, sums: &[PushSum<'_>], cases: &[&str]) -> Markup {
    let names: Vec<&str> = sums.iter().map(|s| s.first.contender.as_str()).collect();
    let find = |case: &str, name: &str| report.results.iter().find(|r| r.case == case && r.contender == name);
    html! {
        div.scroll tabindex="0" role="region" aria-label="Cases" {
            table {
                thead { tr { th scope="col" { "case" } @for name in &names { th scope="col" { (name) } } } }
                tbody {
                    @for case in cases {
                        tr {
                            th scope="row" { (case) }
                            @for name in &names { (entry(find(case, name))) }
                        }
                    }
                }
            }
        }
    }
}

fn entry(result: Option<&PushResult>) -> Markup {
    let Some(r) = result else { return html! { td { "\u{2013}" } } };
    let share = |kept: Option<f64>| kept.map_or("\u{2013}".into(), percent);
    html! {
        td.bad[r.crossings > 0].ok[r.crossings == 0] {
            @if let Some(step) = r.first_crossing {
                "step " (count(step as u64)) ", " (count(r.crossings as u64)) " in all"
            }
            @else { "none" }
            @if r.kept_apart.or(r.kept_at_contact).is_some() {
                br; small { (share(r.kept_apart)) " apart, " (share(r.kept_at_contact)) " at contact" }
            }
        }
    }
}

/// The table of contenders for the terminal.
#[must_use]
pub fn text(report: &PushReport) -> String {
    summary(report).text()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn the_page_has_every_contender_and_every_case_and_loads_nothing() {
        let found = html(&fixture::pushes());
        for words in
            ["step 9, 412 in all", "none", "98.4 % apart", "25.0 % at contact", "&lt;python&gt;", "0.125"]
        {
            assert!(found.contains(words), "`{words}` is not on the page");
        }
        assert!(!found.contains("http") && !found.contains("<script") && !found.contains("<python>"));
        assert_eq!(found.matches("scope=\"row\"").count(), 2 + 3, "a row for each case and contender");
    }

    #[test]
    fn files_are_written_and_read_back() {
        let folder = tempfile::tempdir().expect("a folder");
        write(&fixture::pushes(), folder.path()).expect("written");
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a file");
        assert_eq!(serde_json::from_str::<PushReport>(&read(FILES[0])).expect("JSON"), fixture::pushes());
        assert!(read(FILES[1]).contains(FILES[0]), "the page links to the figures");
    }
}
