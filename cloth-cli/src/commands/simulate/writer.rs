//! Caches as they are written: in the vertices, the unit and the axes of the garments' files, or in metres.

use std::path::{Path, PathBuf};

use cloth_io::{FileError, ObjSequenceWriter, ObjTemplate, Pc2Writer};
use cloth_scene::{Units, Up};
use nalgebra::Point3;

use super::garment::Garment;
use super::output::Format;
use crate::failure::Failure;
use crate::files::RunFiles;

/// What a cache is to the run.
pub(super) const CACHE_ROLE: &str = "the cache";

/// The file that a garment comes from, with its unit and axes. Where the scene moves the garment is not
/// undone in a cache: a garment that is brought to a body stays there.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct GarmentFile {
    pub(super) path: PathBuf,
    /// Metres in a unit of the file.
    pub(super) scale: f64,
    /// The axis that points up in it.
    pub(super) up: Up,
}

impl GarmentFile {
    /// A point of the simulation (m, y up) as the file would have it; the same bits for a file in metres, y
    /// up.
    fn point(&self, p: &Point3<f32>) -> Point3<f64> {
        let p = p.map(f64::from) / self.scale;
        match self.up {
            Up::Y => p,
            Up::Z => Point3::new(p.x, -p.z, p.y),
        }
    }
}

/// A cache under construction.
pub(super) struct Writer {
    kind: Kind,
    units: Units,
    /// Frames that it has.
    pub(super) frames: usize,
}

enum Kind {
    /// With its final path.
    Pc2(Pc2Writer, PathBuf),
    Frames(ObjSequenceWriter),
    /// The template, where it is written to, and the last frame.
    Last(ObjTemplate, PathBuf, Vec<Point3<f64>>),
}

impl Writer {
    /// Starts the cache of a garment: `path` is a file, or for a sequence the folder of its frames
    /// `name_0000.obj`, ...
    pub(super) fn start(
        garment: &Garment,
        path: &Path,
        name: &str,
        format: Format,
        units: Units,
    ) -> Result<Self, FileError> {
        let kind = match format {
            Format::Pc2 => {
                let writer = Pc2Writer::create(path, garment.vertex_map.len(), 0.0, 1.0)?;
                Kind::Pc2(writer, path.to_path_buf())
            }
            Format::Frames => Kind::Frames(ObjSequenceWriter::from_template(path, name, template(garment)?)?),
            Format::Last => Kind::Last(template(garment)?, path.to_path_buf(), Vec::new()),
        };
        Ok(Self { kind, units, frames: 0 })
    }

    /// Appends a frame of a garment, whose vertices in the simulation are `positions` (m).
    pub(super) fn push(
        &mut self,
        garment: &Garment,
        positions: &[Point3<f32>],
        files: &RunFiles,
    ) -> Result<(), Failure> {
        let metres = garment.vertex_map.iter().map(|&v| &positions[v as usize]);
        let frame: Vec<Point3<f64>> = match self.units {
            Units::File => metres.map(|p| garment.file.point(p)).collect(),
            Units::Metres => metres.map(|p| p.map(f64::from)).collect(),
        };
        match &mut self.kind {
            Kind::Pc2(writer, _) => {
                writer.push(&frame.iter().map(|p| p.map(|c| c as f32)).collect::<Vec<_>>())?;
            }
            Kind::Frames(writer) => {
                files.confirm(&writer.next_path(), CACHE_ROLE)?;
                writer.push(&frame)?;
            }
            Kind::Last(_, _, last) => *last = frame,
        }
        self.frames += 1;
        Ok(())
    }

    /// Gives the cache its name, with the frames that it has; one without any leaves no file.
    pub(super) fn finish(self, files: &RunFiles) -> Result<(), Failure> {
        match self.kind {
            _ if self.frames == 0 => {}
            Kind::Pc2(writer, path) => {
                files.confirm(&path, CACHE_ROLE)?;
                writer.finish()?;
            }
            Kind::Frames(_) => {}
            Kind::Last(template, path, frame) => {
                files.confirm(&path, CACHE_ROLE)?;
                template.write(&path, &frame)?;
            }
        }
        Ok(())
    }
}

/// The structure of a garment's file, read again.
fn template(garment: &Garment) -> Result<ObjTemplate, FileError> {
    let path = &garment.file.path;
    let template = ObjTemplate::read(path)?;
    if template.point_count() != garment.vertex_map.len() {
        return Err(FileError::new(path, "has changed since the run began; run it again"));
    }
    Ok(template)
}

#[cfg(test)]
mod tests {
    use super::super::garment::upright;
    use super::*;

    #[test]
    fn a_point_goes_back_to_where_its_file_has_it() {
        let p = Point3::new(12.5, -7.25, 3.0);
        for up in [Up::Y, Up::Z] {
            let file = GarmentFile { path: PathBuf::new(), scale: 0.01, up };
            let metres = (upright(up, &p) * 0.01).map(|c| c as f32);
            assert!((file.point(&metres) - p).norm() < 1e-5, "{up:?}");
            let metres = GarmentFile { scale: 1.0, ..file }.point(&upright(up, &p).map(|c| c as f32));
            assert_eq!(metres, p);
        }
    }
}
