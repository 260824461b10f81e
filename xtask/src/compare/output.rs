//! The comparison as text, and as a page that loads nothing, in the style of the other pages of the project.

use std::path::Path;

use cloth_measure::page::page;
use cloth_measure::table::{Cell, Table, words};
use maud::html;

use super::options::Options;
use super::row::{Row, figure, interval};

/// What is compared, and the names of the columns.
pub(super) fn heading([old, new]: &[&str; 2], options: &Options) -> String {
    format!(
        "{new} against {old}: size {}, gate {}, {} thread(s), {} run(s) each, alternating; the least time of \
         each frame counts\n\
         {:<18}{:>22}{:>22}{:>24}  quality where it differs\n",
        options.size,
        options.gate,
        options.threads,
        options.runs,
        "scenario",
        "median of moving, ms",
        "p95, ms",
        "all frames, new / old",
    )
}

/// The row of a scenario, and one for the stages.
pub(super) fn scenario(row: &Row) -> String {
    let [was, is] = row.times;
    let pair = |old: f64, new: f64| format!("{} -> {}", figure(old), figure(new));
    format!(
        "{:<18}{:>22}{:>22}{:>24}  {}\n{:<18}{}\n",
        row.scenario,
        pair(was.median, is.median),
        pair(was.p95, is.p95),
        interval(row.ratio),
        row.quality,
        "",
        row.stages,
    )
}

/// The page.
pub(super) fn html([old, new]: &[&str; 2], options: &Options, rows: &[Row]) -> String {
    let title = format!("{new} against {old}");
    let body = html! {
        header {
            p.kicker { "cloth compare" }
            h1 { (title) }
            p.lead {
                "Size " (options.size) ", gate " (options.gate) ", " (options.threads) " thread(s), "
                (options.runs)
                " run(s) of each, alternating."
            }
        }
        main { (table(rows).html()) }
    };
    page(&title, &body)
}

fn table(rows: &[Row]) -> Table {
    let caption = "Of each frame the least time over the runs. The interval of the ratio is that of a \
                   bootstrap over the runs (95 %); a scenario is undecided if it includes 1.";
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
        words("scenario", &row.scenario),
        words("verdict", verdict).marked(class),
        words("median of moving, ms", pair(was.median, is.median)).numeric(),
        words("p95, ms", pair(was.p95, is.p95)).numeric(),
        words("all frames, new over old", interval(row.ratio)).numeric(),
        words("quality where it differs", &row.quality),
        words("stages, ms", &row.stages),
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
    fn a_row_has_times_ratio_quality_and_stages() {
        let text = scenario(&faster());
        for part in [
            "20.0 -> 10.0",
            "30.0 -> 15.0",
            "0.500 [0.500, 0.500]",
            "stretch p99, % 4.00 -> 5.00",
            "detect 2.00 -> 2.00",
        ] {
            assert!(text.contains(part), "{text}");
        }
        assert!(scenario(&unchanged()).contains("equal bits"));
    }

    #[test]
    fn the_page_says_what_is_faster_and_what_is_undecided() {
        let options = Options::parse(&["a".into()]).unwrap();
        let page = html(&["a<b", "new"], &options, &[faster(), unchanged()]);
        for part in ["new against a&lt;b", "0.500 [0.500, 0.500]", ">faster<", ">undecided<", "equal bits"] {
            assert!(page.contains(part), "{part}");
        }
    }
}
