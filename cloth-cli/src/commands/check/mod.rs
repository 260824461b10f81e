//! `cloth check`: exact self-intersections of meshes, of sequences, and of a mesh with its cache.

mod judge;
mod report;

use std::path::Path;

use crate::args::CheckArgs;
use crate::commands::meshes::{Refused, Subject};
use crate::failure::{Failure, Status};
use crate::{console, json};
use report::{CheckReport, MeshReport};

/// Judges each mesh and prints its block; a file that is refused does not keep the others from being judged.
pub(crate) fn run(args: &CheckArgs) -> Result<Status, Failure> {
    if args.cache.is_some() && args.common.meshes.len() != 1 {
        return Err(Failure::new("--cache wants one MESH, whose faces the cache moves; name one"));
    }
    json::check_place(args.common.json.as_deref())?;
    let mut report =
        CheckReport { schema_version: json::SCHEMA_VERSION, meshes: Vec::new(), refused: Vec::new() };
    for path in &args.common.meshes {
        match check(path, args) {
            Ok(mesh) => {
                console::out(mesh.text());
                report.meshes.push(mesh);
            }
            Err(failure) => {
                console::error(&failure);
                report.refused.push(Refused { path: path.display().to_string(), error: failure.to_string() });
            }
        }
    }
    json::write(args.common.json.as_deref(), &report)?;
    Ok(status(&report))
}

fn check(path: &Path, args: &CheckArgs) -> Result<MeshReport, Failure> {
    let mut subject = Subject::open(path, args.cache.as_deref())?;
    Ok(judge::judge(&mut subject, args.common.weld, args.examples)?)
}

fn status(report: &CheckReport) -> Status {
    if !report.refused.is_empty() {
        Status::CouldNotRun
    } else if report.meshes.iter().all(MeshReport::is_clean) {
        Status::Clean
    } else {
        Status::Found
    }
}
