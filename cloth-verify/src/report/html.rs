//! The page: verdict first, then a table of all scenarios, then each scenario with its pictures and charts.

use super::page::section;
use super::table::{verdict, worst_of_control};
use super::words::{glossary, linked};
use super::{ScenarioReport, VerifyReport};
use cloth_show::report::{Provenance, count, human, stretch_percent};
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// A picture file that the page shows.
#[derive(Clone, Debug)]
pub struct PictureLink {
    /// Index of the scenario in [`VerifyReport::scenarios`].
    pub scenario: usize,
    /// Path of the file relative to the page.
    pub file: String,
    /// What it shows.
    pub caption: String,
}

/// The report as one page of HTML that loads nothing but its pictures, and runs no script.
#[must_use]
pub fn html(report: &VerifyReport, pictures: &[PictureLink]) -> String {
    html_with_links(report, pictures, &[], None)
}

/// The same with links to the pages that play scenarios, and to that of the benchmarks, if there are any.
pub(super) fn html_with_links(
    report: &VerifyReport,
    pictures: &[PictureLink],
    players: &[(usize, String)],
    benchmarks: Option<&str>,
) -> String {
    let title = verdict(report);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "cloth-verify: " (title) }
                style { (PreEscaped(cloth_show::STYLE_SHEET)) }
            }
            body {
                (headline(report, &title, benchmarks))
                main {
                    (overview(report, players))
                    @for (i, scenario) in report.scenarios.iter().enumerate() {
                        (section(i, scenario, pictures, player(players, i)))
                    }
                }
                footer {
                    "Figures as JSON: " a href="verify.json" { "verify.json" }
                    ", schema " (report.schema_version) ". Times leave the judging out."
                    @if let Some(made) = &report.provenance { " " (provenance(made)) }
                }
            }
        }
    };
    page.into_string()
}

/// Program, machine, date and call, in a sentence.
fn provenance(made: &Provenance) -> String {
    let commit = made.commit.as_ref().map_or(String::new(), |commit| format!(" ({commit})"));
    let Provenance { version, cpu, logical_cpus, date, .. } = made;
    format!(
        "Made by cloth {version}{commit} on {date}, {cpu} ({logical_cpus} threads), called with: {}",
        made.arguments.join(" ")
    )
}

fn headline(report: &VerifyReport, title: &str, benchmarks: Option<&str>) -> Markup {
    let scenarios = &report.scenarios;
    let frames: usize = scenarios.iter().map(|s| s.run.frames).sum();
    let worst = scenarios.iter().map(|s| s.run.intersections.max).max().unwrap_or(0);
    let last: u64 = scenarios.iter().map(|s| s.run.intersections.last).sum();
    let chords: u64 = scenarios.iter().filter_map(|s| s.run.frame_chords).map(|found| found.pairs).sum();
    let audited: Vec<u64> = scenarios.iter().filter_map(|s| s.audit).map(|audit| audit.crossings).collect();
    let control = scenarios.iter().map(|s| s.control.max_intersections).max().unwrap_or(0);
    html! {
        header class=(if report.pass { "pass" } else { "fail" }) {
            p.kicker { "cloth-verify" }
            h1 { (title) "." }
            p.lead {
                "Every frame is checked by exact arithmetic: an edge and a face that touch count as an \
                 intersection. "
                (linked("Each scenario has a control without what it is about, which must fail."))
            }
            (glossary())
            @if let Some(page) = benchmarks {
                p.note { a href=(page) { "Benchmarks: this project and others" } }
            }
            div.tiles {
                (tile(&count(frames as u64), "frames checked"))
                (tile(&count(worst), "intersections in the worst frame"))
                (tile(&count(last), "intersections at the ends"))
                (tile(&count(chords), match chords {
                    1 => "pair touches on the chords between frames",
                    _ => "pairs touch on the chords between frames",
                }))
                @if !audited.is_empty() {
                    (tile(&count(audited.iter().sum()), "certified pairs met in an audited substep"))
                }
                (tile(&count(control), "intersections in the worst frame of a control"))
                (tile(&count(report.threads as u64), if report.threads == 1 { "thread" } else { "threads" }))
            }
        }
    }
}

fn tile(value: &str, label: &str) -> Markup {
    html! { div.tile { b { (value) } span { (label) } } }
}

/// The page that plays a scenario.
fn player(players: &[(usize, String)], scenario: usize) -> Option<&str> {
    players.iter().find(|(of, _)| *of == scenario).map(|(_, file)| file.as_str())
}

fn overview(report: &VerifyReport, players: &[(usize, String)]) -> Markup {
    html! {
        div.scroll {
            table {
                // Part of the table: below it, it would stand over the first scenario as if it were about
                // that.
                caption.note {
                    span {
                        (linked("Pairs on chords touch in the straight motion from frame to frame. Without \
                                 the gate there is self-collision alone. The audit counts certified pairs \
                                 that meet in a substep."))
                    }
                }
                thead {
                    tr {
                        th rowspan="2" scope="col" { "scenario" } th rowspan="2" scope="col" { "verdict" }
                        th.n rowspan="2" scope="col" { "triangles" } th.n rowspan="2" scope="col" { "frames" }
                        th.group colspan="3" scope="colgroup" { "intersections of the run" }
                        th.n rowspan="2" scope="col" { "pairs on " (linked("chords")) }
                        th.group colspan="2" scope="colgroup" { "in the worst frame of" }
                        th.n rowspan="2" scope="col" { "stretch p99" }
                        th.group colspan="2" scope="colgroup" { "ms a frame" }
                        th.n rowspan="2" scope="col" { "pairs in the audit" }
                    }
                    tr {
                        @for name in ["at the start", "worst frame", "at the end", "the control", "no gate",
                            "median", "p95"]
                        {
                            th.n scope="col" { (linked(name)) }
                        }
                    }
                }
                tbody {
                    @for (i, s) in report.scenarios.iter().enumerate() {
                        (overview_row(i, s, player(players, i)))
                    }
                }
            }
        }
    }
}

/// Figures are red in rows that fail alone: a scenario that starts tangled passes with intersections in its
/// worst frame.
fn overview_row(index: usize, s: &ScenarioReport, player: Option<&str>) -> Markup {
    html! {
        tr {
            th scope="row" { a href=(format!("#s{index}")) { (s.run.name) }
                @if let Some(page) = player {
                    " " a href=(page) aria-label=(format!("Play {}", s.run.name)) { "\u{25b6}" }
                }
                " " small { (s.size) ", " (s.broadphase) }
            }
            td { (badge(s.run.pass)) }
            td.n { (count(s.run.triangles as u64)) }
            td.n { (count(s.run.frames as u64)) }
            td.n { (count(s.run.intersections.initial)) }
            td.n.bad[!s.run.pass && s.run.intersections.max > s.run.intersections.initial] {
                (count(s.run.intersections.max))
            }
            td.n.bad[!s.run.pass && s.run.intersections.last > 0] { (count(s.run.intersections.last)) }
            td.n { (s.run.frame_chords.map_or("-".into(), |found| count(found.pairs))) }
            td.n { (worst_of_control(s)) }
            td.n { (s.ungated.map_or("-".into(), |i| count(i.max))) }
            td.n { (stretch_percent(s.run.stretch.p99)) }
            td.n { (human(s.run.ms_per_frame.median, 1.0)) }
            td.n { (human(s.run.ms_per_frame.p95, 1.0)) }
            td.n.bad[!s.run.pass && s.audit.is_some_and(|audit| audit.failures > 0)] {
                (s.audit.map_or("-".into(), |audit| count(audit.crossings)))
            }
        }
    }
}

pub(super) fn badge(pass: bool) -> Markup {
    // The word says it too: colour alone is lost on paper and on some readers.
    html! { @if pass { span.badge.ok { "\u{2713} pass" } } @else { span.badge.no { "\u{2717} fail" } } }
}
