//! What a verify run found: as JSON for programs, as a table for the terminal, as a page for people.
//!
//! The three say the same. A page needs no network, no script and no server, so that it can be attached to a message
//! and opened years later; its pictures lie beside it as PNG files.

mod certification;
mod charts;
mod figure;
mod html;
mod methods;
mod page;
mod schema;
mod style;
mod table;

pub use certification::{Certification, Certified, GatedFrame, Tangled, VertexShare};
pub use figure::Figure;
pub use html::{PictureLink, html};
pub use methods::{fail_unequal_states, methods_table};
pub use schema::{
    Cases, Contacts, Control, Impacts, Intersections, MsPerFrame, Peak, PerFrame, SCHEMA_VERSION,
    ScenarioReport, Share, Stretch, VerifyReport, hex,
};
pub use table::table;

use std::io::Write;
use std::path::{Path, PathBuf};

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
#[error("cannot write the report to `{}`: {source}; name a directory that can be written to", path.display())]
pub struct ReportError {
    path: PathBuf,
    source: std::io::Error,
}

/// The report as JSON, indented. Two equal reports give equal bytes.
///
/// # Errors
/// If it cannot be written as JSON, which no report known to us does.
pub fn json(report: &VerifyReport) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(report).map(|text| text + "\n")
}

/// Writes `index.html`, `verify.json` and the pictures to a directory, which is created if need be; returns the page's
/// path.
///
/// Each file is written under another name first and then renamed, the page last: who opens the page while a run ends
/// sees the old one or the new one, never half of it.
///
/// # Errors
/// If the directory cannot be created or a file in it cannot be written.
pub fn write_report(dir: &Path, report: &VerifyReport, pictures: &[Picture]) -> Result<PathBuf, ReportError> {
    std::fs::create_dir_all(dir).map_err(|source| ReportError { path: dir.into(), source })?;
    let mut links = Vec::new();
    for (scenario, result) in report.scenarios.iter().enumerate() {
        for (k, picture) in pictures.iter().filter(|p| p.scenario == scenario).enumerate() {
            let file = format!("{}-{}-{}.png", file_stem(&result.name), scenario + 1, k + 1);
            write_whole(&dir.join(&file), &picture.png)?;
            links.push(PictureLink { scenario, file, caption: picture.caption.clone() });
        }
    }
    let page = dir.join("index.html");
    let json_path = dir.join("verify.json");
    let text = json(report)
        .map_err(|e| ReportError { path: json_path.clone(), source: std::io::Error::other(e) })?;
    write_whole(&json_path, text.as_bytes())?;
    write_whole(&page, html(report, &links).as_bytes())?;
    Ok(page)
}

/// The name with everything but ASCII letters, digits and hyphens replaced: safe as a file name and in a link.
fn file_stem(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), ReportError> {
    let error = |source| ReportError { path: path.into(), source };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".report-");
    #[cfg(unix)]
    {
        // A temporary file is private by default; a report is for others, as far as the umask allows.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(path.parent().unwrap_or(Path::new("."))).map_err(error)?;
    file.write_all(bytes).map_err(error)?;
    file.persist(path).map_err(|e| error(e.error))?;
    Ok(())
}

#[cfg(test)]
mod tests;
