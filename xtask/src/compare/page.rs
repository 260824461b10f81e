//! The comparison as a page that loads nothing, in the style of the other pages of the project.

use std::path::Path;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::options::Options;
use super::row::{Row, figure};

/// The style sheet of the pages of `cloth verify`.
const STYLE_SHEET: &str = include_str!("../../../cloth-verify/src/report/style.css");

/// The page.
pub(super) fn html([old, new]: &[&str; 2], options: &Options, rows: &[Row]) -> String {
    let title = format!("{new} against {old}");
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(STYLE_SHEET)) "caption,td:last-child{white-space:normal}td:last-child{min-width:24em}" }
            }
            body {
                header {
                    p.kicker { "cloth compare" }
                    h1 { (title) }
                    p.lead {
                        "Size " (options.size) ", gate " (options.gate) ", " (options.threads) " thread(s), " (options.runs)
                        " run(s) of each, alternating."
                    }
                }
                main { (table(rows)) }
            }
        }
    };
    markup.into_string()
}

fn table(rows: &[Row]) -> Markup {
    let numbers = ["median of moving, ms", "p95, ms", "all frames, new over old"];
    html! {
        div.scroll tabindex="0" {
            table {
                caption.note {
                    "Of each frame the least time over the runs. The interval of the ratio is that of a bootstrap over the runs (95 %); \
                     a scenario is undecided if it includes 1."
                }
                thead {
                    tr {
                        th scope="col" { "scenario" } th scope="col" { "verdict" }
                        @for name in numbers { th.n scope="col" { (name) } }
                        th scope="col" { "quality where it differs; stages (ms)" }
                    }
                }
                tbody { @for row in rows { (table_row(row)) } }
            }
        }
    }
}

fn table_row(row: &Row) -> Markup {
    let verdict = row.verdict();
    let class = match verdict {
        "faster" => Some("ok"),
        "slower" => Some("bad"),
        _ => None,
    };
    let [was, is] = row.times;
    let [low, high] = row.ratio.interval;
    html! {
        tr {
            th scope="row" { (row.scenario) }
            td class=[class] { (verdict) }
            td.n { (figure(was.median)) " \u{2192} " (figure(is.median)) }
            td.n { (figure(was.p95)) " \u{2192} " (figure(is.p95)) }
            td.n { (format!("{:.3} [{low:.3}, {high:.3}]", row.ratio.value)) }
            td { (row.quality) br; small { (row.stages) } }
        }
    }
}

/// Writes the page; its folder is created if need be.
pub(super) fn write(path: &Path, text: &str) -> Result<(), String> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(path, text));
    written.map_err(|e| format!("{}: {e}; name a file that can be written", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::row::tests::{faster, unchanged};

    #[test]
    fn the_page_says_what_is_faster_and_what_is_undecided() {
        let options = Options::parse(&["a".into()]).unwrap();
        let page = html(&["a<b", "new"], &options, &[faster(), unchanged()]);
        for part in [
            "new against a&lt;b",
            "0.500 [0.500, 0.500]",
            ">faster<",
            ">undecided<",
            "equal bits",
            "prefers-color-scheme",
        ] {
            assert!(page.contains(part), "{part}");
        }
        assert!(!page.contains("http") && !page.contains("<script"));
    }
}
