//! The way of every command that judges meshes one by one: each is read, judged and told, or refused.
//!
//! A file that is refused does not keep the others from being judged; it decides the exit status all the same.

mod sound;
mod subject;

pub(super) use sound::Sound;
pub(super) use subject::Subject;

use std::path::Path;

use cloth_io::FileError;
use serde::Serialize;

use crate::args::MeshArgs;
use crate::failure::{Failure, Status};
use crate::{console, json};

/// What a command finds of one mesh.
pub(super) trait MeshReport: Serialize {
    /// Figures over all meshes, whose fields stand before them in the JSON.
    type Total: Serialize;

    /// The block for a terminal, each line ended.
    fn text(&self) -> String;

    /// Whether nothing was found that the command calls a failure.
    fn is_clean(&self) -> bool;

    /// The figures over all meshes that were judged.
    fn total(meshes: &[Self]) -> Self::Total
    where
        Self: Sized;
}

/// The JSON of a run.
#[derive(Debug, Serialize)]
struct RunReport<R: MeshReport> {
    schema_version: u32,
    #[serde(flatten)]
    total: R::Total,
    meshes: Vec<R>,
    /// Files that could not be judged.
    refused: Vec<Refused>,
}

/// A file that could not be judged, and why.
#[derive(Debug, Serialize)]
struct Refused {
    path: String,
    error: String,
}

/// Judges each mesh and prints its block or why it was refused, then writes the JSON.
///
/// # Errors
/// If there is a cache for several meshes, or the JSON cannot be written.
pub(super) fn run<R: MeshReport>(
    args: &MeshArgs,
    cache: Option<&Path>,
    judge: impl Fn(Subject) -> Result<R, FileError>,
) -> Result<Status, Failure> {
    if cache.is_some() && args.meshes.len() != 1 {
        return Err(Failure::new("--cache wants one MESH, whose faces the cache moves; name one"));
    }
    json::check_place(args.json.as_deref())?;
    let (mut meshes, mut refused) = (Vec::new(), Vec::new());
    for path in &args.meshes {
        match Subject::open(path, cache).and_then(&judge).map_err(Failure::from) {
            Ok(mesh) => {
                console::out(mesh.text());
                meshes.push(mesh);
            }
            Err(failure) => {
                console::error(&failure);
                refused.push(Refused { path: path.display().to_string(), error: failure.to_string() });
            }
        }
    }
    let status = status(&meshes, &refused);
    let total = R::total(&meshes);
    let report = RunReport { schema_version: json::SCHEMA_VERSION, total, meshes, refused };
    json::write(args.json.as_deref(), &report)?;
    Ok(status)
}

fn status<R: MeshReport>(meshes: &[R], refused: &[Refused]) -> Status {
    if !refused.is_empty() {
        Status::CouldNotRun
    } else if meshes.iter().all(R::is_clean) {
        Status::Clean
    } else {
        Status::Found
    }
}
