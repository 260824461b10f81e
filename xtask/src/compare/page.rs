//! The comparison as a page that loads nothing, in the style of the other pages of the project.

use std::path::Path;

use cloth_measure::page::page;
use cloth_measure::table::{Cell, Table, words};
use maud::html;

use super::options::Options;
use super::row::{Row, figure, interval};

/// The page.
pub(super) fn html([old, new]: &[&str; 2], options: &Options, rows: &[Row]) -> String {
    let title = format!("{new} against {old}");
    let body = html! {
        header {
            p.kicker { "cloth compare" }
            h1 { (title) }
            p.lead {
                "Size " (options.size) ", gate " (options.gate) ", " (options.threads) " thread(s), " (options.runs)
                " run(s) of each, alternating."
            }
        }
        main { (table(rows).html()) }
    };
    page(&title, &body)
}

fn table(rows: &[Row]) -> Table {
    let caption = "Of each frame the least time over the runs. The interval of the ratio is that of a bootstrap over the runs (95 %); \
                   a scenario is undecided if it includes 1.";
    Table::new(caption, rows.iter().map(cells))
}

fn cells(row: &Row) -> Vec<Cell> {
    let verdict = row.verdict();
    let class = match verdict {
        "faster" => Some("ok"),
        "slower" => Some("bad"),
        _ => None,
    };
    let [was, is] = row.times;
    let pair = |old: f64, new: f64| format!("{} \u{2192} {}", figure(old), figure(new));
    vec![
        words("scenario", "scenario", &row.scenario),
        words("verdict", "verdict", verdict).marked(class),
        words("median of moving, ms", "median_ms", pair(was.median, is.median)).numeric(),
        words("p95, ms", "p95_ms", pair(was.p95, is.p95)).numeric(),
        words("all frames, new over old", "ratio", interval(row.ratio)).numeric(),
        words("quality where it differs", "quality", &row.quality),
        words("stages, ms", "stages_ms", &row.stages),
    ]
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
        for part in ["new against a&lt;b", "0.500 [0.500, 0.500]", ">faster<", ">undecided<", "equal bits"] {
            assert!(page.contains(part), "{part}");
        }
    }
}
