//! A report as files: JSON and a page.
//!
//! ```text
//! page      the page; its parts are those of scenes and changes;   number: how they write numbers
//! pushes    the page of pushes
//! ```

mod changes;
mod number;
mod page;
mod pushes;
mod scenes;

#[cfg(test)]
mod tests;

use std::io::Write;
use std::path::Path;

use cloth_io::write_atomically;
use cloth_measure::table::Table;

use crate::history::Record;
use crate::schema::BenchReport;

pub use pushes::{FILES as PUSH_FILES, text as push_text, write as write_pushes};

/// Name of the JSON file in the directory of a report.
pub const JSON: &str = "bench.json";

/// Name of the page.
pub const PAGE: &str = "index.html";

/// Another page, by its address, and what it is.
type PageLink<'a> = (&'a str, &'a str);

/// Writes a report with a history to a directory, which is created if need be. If the folder above holds the
/// page of `cargo xtask verify`, the two link to each other; if this one holds that of pushes, the page links
/// to it.
///
/// # Errors
/// If something cannot be written.
pub fn write(report: &BenchReport, history: &[Record], dir: &Path) -> Result<(), String> {
    std::fs::create_dir_all(dir).map_err(|e| format!("{}: cannot make the directory: {e}", dir.display()))?;
    let above = dir.join("..").join("verify.json").is_file();
    let verdict = format!("../{PAGE}");
    let verdict = above.then_some((&*verdict, "The verdict of this project's own scenarios"));
    let pushes = PUSH_FILES[1];
    let pushes = dir.join(pushes).is_file().then_some((pushes, "Who keeps the promise, in pushes"));
    let links: Vec<PageLink<'_>> = verdict.into_iter().chain(pushes).collect();
    for (name, text) in files(report, history, &links).map_err(|e| format!("cannot write JSON: {e}"))? {
        write_atomically(&dir.join(name), |w| w.write_all(text.as_bytes())).map_err(|e| e.to_string())?;
    }
    Ok(())
}

/// The files with their names, the page last, so that who opens it finds the other. The page has these
/// links.
fn files(
    report: &BenchReport,
    history: &[Record],
    links: &[PageLink<'_>],
) -> serde_json::Result<[(&'static str, String); 2]> {
    Ok([(JSON, serde_json::to_string_pretty(report)? + "\n"), (PAGE, page::html(report, history, links))])
}

/// The tables of the page for the terminal: one for each scene and side, and one for growth.
#[must_use]
pub fn text(report: &BenchReport) -> String {
    let mut text = String::new();
    let mut add = |title: &str, table: Table| text += &format!("{title}\n{}\n", table.text());
    for first in distinct(&report.scenes, |r| (r.scene.as_str(), r.side, r.particles, r.frames_wanted)) {
        let (scene, side, particles, frames) = first;
        let title = format!("{scene} {side}: {} particles, {frames} frames", number::count(particles as u64));
        add(&title, scenes::scene_table(report, scene, side));
    }
    if !report.growth.is_empty() {
        add("growth: time ~ particles ^ exponent", scenes::growth_table(report));
    }
    text
}

/// The values of a list without repetition, in the order in which they come.
fn distinct<'a, T, K: PartialEq>(items: &'a [T], key: impl Fn(&'a T) -> K) -> Vec<K> {
    let mut found = Vec::new();
    for item in items {
        let key = key(item);
        if !found.contains(&key) {
            found.push(key);
        }
    }
    found
}
