//! What a verify run found: as JSON for programs, as a table for the terminal, as a page for people.
//!
//! The three say the same. A page needs no network, no script and no server, so that it can be attached to a
//! message and opened years later; its pictures are PNG files in the same folder. Runs that were recorded are
//! played by pages of their own, which need a script but no network and no server either.

mod audit;
mod charts;
mod html;
mod methods;
mod page;
mod schema;
mod table;
mod words;

pub use audit::Audit;
use html::html_with_links;
pub use html::{PictureLink, html};
pub use methods::{fail_unequal_states, methods_table};
pub use schema::{
    AxisCrossings, Cases, Control, ControlledFrames, SCHEMA_VERSION, ScenarioReport, Share, SkinContact,
    VerifyReport,
};
pub use table::table;

use std::io::Write;
use std::path::{Path, PathBuf};

use cloth_io::{FileError, write_atomically};

use cloth_show::player::{PAGE_FILE, PLAYER_FILE, PlayedRuns, write_player};
use cloth_show::recording::Recording;

/// Name of the JSON in the directory of a report.
pub const JSON_FILE: &str = "verify.json";

/// The page of the benchmarks, if `cargo xtask bench` has written one into the directory of a report.
const BENCHMARKS: &str = "bench/index.html";

/// More pictures than a scenario has.
const MAX_PICTURES: usize = 8;

/// A picture of a scenario: usually a filmstrip.
#[derive(Clone, Debug)]
pub struct Picture {
    /// Index of the scenario in [`VerifyReport::scenarios`]; a picture of none of them is not written.
    pub scenario: usize,
    /// What it shows, in a few words.
    pub caption: String,
    /// Bytes of a PNG file.
    pub png: Vec<u8>,
}

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the report: {0}; name a directory that can be written to")]
pub struct ReportError(#[from] FileError);

/// The report as JSON, indented. Two equal reports give equal bytes.
///
/// # Errors
/// If it cannot be written as JSON, which no report known to us does.
pub fn json(report: &VerifyReport) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(report).map(|text| text + "\n")
}

/// Writes `index.html`, `verify.json`, the pictures, and a page for each scenario that was recorded to a
/// directory, which is created if need be; returns the path of the first page. `recordings` has those of each
/// scenario, and may end early.
///
/// Each file appears whole or not at all (see [`write_atomically`]), the page last: who opens the page while
/// a run ends sees the old one or the new one, never half of it. The page links to that of the benchmarks if
/// the directory holds it.
///
/// # Errors
/// If the directory cannot be created or a file in it cannot be written.
pub fn write_report(
    dir: &Path,
    report: &VerifyReport,
    pictures: &[Picture],
    recordings: &[Vec<Recording>],
) -> Result<PathBuf, ReportError> {
    std::fs::create_dir_all(dir)
        .map_err(|e| FileError::new(dir, format!("cannot make the directory: {e}")))?;
    let (mut links, mut players) = (Vec::new(), Vec::new());
    for (scenario, result) in report.scenarios.iter().enumerate() {
        for (k, picture) in pictures.iter().filter(|p| p.scenario == scenario).enumerate() {
            let file = picture_file(&result.run.name, scenario, k);
            write_whole(&dir.join(&file), &picture.png)?;
            links.push(PictureLink { scenario, file, caption: picture.caption.clone() });
        }
        let runs: Vec<&Recording> = recordings.get(scenario).into_iter().flatten().collect();
        if !runs.is_empty() {
            let title = format!("{}, {}", result.run.name, result.size);
            let [file, _] = player_files(&result.run.name, scenario);
            let back = format!("{PAGE_FILE}#s{scenario}");
            write_player(&dir.join(&file), &PlayedRuns { title: &title, back: Some(&back), runs: &runs })?;
            players.push((scenario, file));
        }
    }
    let page = dir.join(PAGE_FILE);
    let json_path = dir.join(JSON_FILE);
    let text =
        json(report).map_err(|e| FileError::new(&json_path, format!("cannot be written as JSON: {e}")))?;
    write_whole(&json_path, text.as_bytes())?;
    let benchmarks = dir.join(BENCHMARKS).is_file().then_some(BENCHMARKS);
    write_whole(&page, html_with_links(report, &links, &players, benchmarks).as_bytes())?;
    Ok(page)
}

/// The name with everything but ASCII letters, digits and hyphens replaced: safe as a file name and in a
/// link.
fn file_stem(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

/// The names of all files that [`write_report`] may write for these scenarios.
#[must_use]
pub fn report_files(scenarios: &[&str]) -> Vec<String> {
    let mut files = [PAGE_FILE, JSON_FILE, PLAYER_FILE].map(String::from).to_vec();
    for (i, name) in scenarios.iter().enumerate() {
        files.extend(player_files(name, i));
        files.extend((0..MAX_PICTURES).map(|k| picture_file(name, i, k)));
    }
    files
}

/// The name of picture `k`, counted from 0, of scenario number `scenario` of a report, counted from 0.
fn picture_file(name: &str, scenario: usize, k: usize) -> String {
    format!("{}-{}-{}.png", file_stem(name), scenario + 1, k + 1)
}

/// The names of the page and of the data of the runs of scenario number `scenario`, counted from 0.
fn player_files(name: &str, scenario: usize) -> [String; 2] {
    let stem = format!("{}-{}", file_stem(name), scenario + 1);
    [format!("{stem}.html"), format!("{stem}.js")]
}

fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), ReportError> {
    Ok(write_atomically(path, |w| w.write_all(bytes))?)
}

#[cfg(test)]
mod tests;
