//! The comparison as text, which the page shows as it is.

use std::path::Path;

use cloth_measure::page::page;
use maud::html;

use super::options::Options;
use super::row::{Row, figure, interval};

/// What is compared, and the names of the columns.
pub(super) fn heading([old, new]: &[&str; 2], options: &Options) -> String {
    format!(
        "{new} against {old}: size {}, gate {}, {} thread(s), {} run(s) each, alternating; the least time of \
         each frame counts; undecided if the 95 % interval of a bootstrap over the runs includes 1\n\
         {:<18}{:>22}{:>22}{:>24}  {:<10}quality where it differs\n",
        options.size,
        options.gate,
        options.threads,
        options.runs,
        "scenario",
        "median of moving, ms",
        "p95, ms",
        "all frames, new / old",
        "verdict",
    )
}

/// The row of a scenario, and one for the stages.
pub(super) fn scenario(row: &Row) -> String {
    let [was, is] = row.times;
    let pair = |old: f64, new: f64| format!("{} -> {}", figure(old), figure(new));
    format!(
        "{:<18}{:>22}{:>22}{:>24}  {:<10}{}\n{:<18}{}\n",
        row.scenario,
        pair(was.median, is.median),
        pair(was.p95, is.p95),
        interval(row.ratio),
        row.verdict(),
        row.quality,
        "",
        row.stages,
    )
}

/// Writes the page with the text; its folder is created if need be.
pub(super) fn write(path: &Path, text: &str) -> Result<(), String> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let title = text.split(':').next().unwrap_or_default();
    let page = page(title, &html! { main.scroll { pre { (text) } } });
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(path, page));
    written.map_err(|e| format!("{}: {e}; name a file that can be written", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::row::tests::{faster, unchanged};

    #[test]
    fn a_row_has_times_ratio_verdict_quality_and_stages() {
        let text = scenario(&faster());
        for part in [
            "20.0 -> 10.0",
            "30.0 -> 15.0",
            "0.500 [0.500, 0.500]  faster    stretch p99, % 4.00 -> 5.00",
            "detect 2.00 -> 2.00",
        ] {
            assert!(text.contains(part), "{text}");
        }
        assert!(scenario(&unchanged()).contains("undecided equal bits"));
    }

    #[test]
    fn the_page_shows_the_text_under_the_names_of_both() {
        let folder = std::env::temp_dir().join(format!("cloth-compare-{}", std::process::id()));
        let path = folder.join("new/page.html");
        write(&path, &heading(&["a<b", "new"], &Options::parse(&["a".into()]).unwrap())).unwrap();
        let page = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_dir_all(folder).unwrap();
        assert!(page.contains("<title>new against a&lt;b</title>"), "{page}");
        assert!(page.contains("<pre>new against a&lt;b: size medium"), "{page}");
    }
}
