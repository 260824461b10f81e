//! What stands for `pictures.rs` without the feature `pictures`: no frame is kept and nothing is drawn. Who
//! asks for a picture is refused before the run.

use std::path::Path;

use cloth_show::program::{Failure, RunFiles};
use cloth_show::run::Prepared;

use super::output::OutputPlan;
use super::run::Still;

pub(super) fn frames_to_keep(_plan: &OutputPlan, _frames: usize) -> Vec<usize> {
    Vec::new()
}

pub(super) fn file_names(_plan: &OutputPlan, _frames: usize) -> Vec<String> {
    Vec::new()
}

pub(super) fn write_last(
    _plan: &OutputPlan,
    _prepared: &Prepared,
    _stills: &[Still],
    _files: &RunFiles,
) -> Result<(), Failure> {
    Ok(())
}

pub(super) fn write(
    _plan: &OutputPlan,
    _prepared: &Prepared,
    _stills: &[Still],
    _files: &RunFiles,
) -> Result<Option<String>, Failure> {
    Ok(None)
}

pub(super) fn write_one(
    _path: &Path,
    _prepared: &Prepared,
    _still: &Still,
    _plan: &OutputPlan,
    _files: &RunFiles,
) -> Result<(), Failure> {
    Ok(())
}
