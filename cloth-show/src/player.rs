//! Pages on which recorded runs are played: from the disk, without a network and without a server.
//!
//! ```text
//! NAME.html   loads the two scripts: from a disk a browser loads nothing else
//! NAME.js     the recordings, as an object in `globalThis.clothRecording`
//! player.js   draws and plays them; generated from `web/player` of the repository, and kept compressed
//! ```

use std::io::{Error, Write};
use std::path::Path;

use cloth_io::{FileError, write_atomically};
use flate2::read::GzDecoder;
use maud::{DOCTYPE, html};
use serde::Serialize;

use crate::recording::Recording;

/// Name of the page in the directory of a report.
pub const PAGE_FILE: &str = "index.html";

/// Name of the script that plays recordings, next to the pages.
pub const PLAYER_FILE: &str = "player.js";

const PLAYER: &[u8] = include_bytes!("../assets/player.js.gz");

/// What a page plays.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct PlayedRuns<'a> {
    /// What the page is called.
    pub title: &'a str,
    /// Where its link back leads, relative to the page; none if there is no other page.
    pub back: Option<&'a str>,
    /// The runs, the one that is shown first in front.
    pub runs: &'a [&'a Recording],
}

/// Writes a page that plays recordings, its data (the same name with the extension `js`), and the script that
/// plays them to the same directory, which exists.
///
/// # Errors
/// If a file cannot be written.
pub fn write_player(page: &Path, played: &PlayedRuns<'_>) -> Result<(), FileError> {
    let data = page.with_extension("js");
    write_atomically(&data, |w| {
        w.write_all(b"globalThis.clothRecording=")?;
        serde_json::to_writer(&mut *w, played).map_err(Error::from)?;
        w.write_all(b";\n")
    })?;
    write_atomically(&page.with_file_name(PLAYER_FILE), |w| {
        // Inflated as it is written: half a megabyte is nothing to keep.
        std::io::copy(&mut GzDecoder::new(PLAYER), w).map(drop)
    })?;
    let data = data.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let text = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                link rel="icon" href="data:,";
                title { (played.title) }
                script src=(data) defer {}
                script src=(PLAYER_FILE) defer {}
            }
            body { noscript { "This page plays a run, which needs JavaScript." } }
        }
    };
    write_atomically(page, |w| w.write_all(text.into_string().as_bytes()))
}
