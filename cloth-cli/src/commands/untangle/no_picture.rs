//! What stands for `picture.rs` without the feature `pictures`: who asks for a picture is refused before the
//! run.

use std::path::Path;

use cloth_contacts::intersect::Seams;
use cloth_geom::TriMesh;
use cloth_show::program::{Failure, RunFiles};
use nalgebra::Point3;

/// Nothing.
pub(super) struct Drawn;

pub(super) fn write(_path: &Path, _drawn: &Drawn, _files: &RunFiles) -> Result<(), Failure> {
    Ok(())
}

pub(super) fn draw(
    _cloth: &TriMesh,
    _after: &[Point3<f64>],
    _bodies: &[TriMesh],
    _seams: Option<&Seams>,
) -> Drawn {
    Drawn
}
