//! Caches as they are written: in the vertices, the unit and the axes of the garments' files, or in metres.

use std::path::{Path, PathBuf};

use crate::{Failure, RunFiles};
use cloth_geom::TriMesh;
use cloth_io::{FileError, ObjSequenceWriter, ObjTemplate, PointCacheWriter, is_npz, is_usd, write_mesh};
use cloth_scene::Units;
use cloth_scene::build::PlacedGarment;
use nalgebra::Point3;

use super::caches::{CACHE_ROLE, Format};

/// A cache under construction.
pub(super) struct Writer {
    kind: Kind,
    units: Units,
    /// Frames that it has.
    frames: usize,
}

enum Kind {
    /// With its final path.
    Cache(PointCacheWriter, PathBuf),
    Frames(ObjSequenceWriter),
    Last(LastFrame),
}

/// The last frame, in a file of its own.
struct LastFrame {
    structure: Structure,
    path: PathBuf,
    positions: Vec<Point3<f64>>,
    is_saved: bool,
}

/// What a mesh file has besides positions.
enum Structure {
    /// All that the garment's file has.
    Obj(ObjTemplate),
    /// Faces alone, of any other format.
    Faces(Vec<[u32; 3]>),
}

impl LastFrame {
    fn save(&mut self, files: &RunFiles) -> Result<(), Failure> {
        if !self.is_saved {
            files.confirm(&self.path, CACHE_ROLE)?;
            match &self.structure {
                Structure::Obj(template) => template.write(&self.path, &self.positions)?,
                Structure::Faces(faces) => write_mesh(&self.path, &self.positions, faces)?,
            }
            self.is_saved = true;
        }
        Ok(())
    }
}

impl Writer {
    /// Starts the cache of a garment, of `rate` frames a second (Hz): `path` is a file, or for a sequence the
    /// folder of its frames `name_0000.obj`, ...
    pub(super) fn start(
        garment: &PlacedGarment,
        path: &Path,
        name: &str,
        format: Format,
        units: Units,
        rate: f64,
    ) -> Result<Self, FileError> {
        let kind = match format {
            // A stage is of all garments: the plan starts it elsewhere.
            Format::Cache | Format::Stage => {
                let points = garment.vertex_map.len();
                let writer = PointCacheWriter::create(path, points, &garment.file.faces, rate)?;
                Kind::Cache(writer, path.to_path_buf())
            }
            Format::Frames => Kind::Frames(ObjSequenceWriter::from_template(path, name, template(garment)?)?),
            Format::Last => {
                let structure = match path.extension().is_some_and(|e| e.eq_ignore_ascii_case("obj")) {
                    true => Structure::Obj(template(garment)?),
                    false => Structure::Faces(garment.file.faces.clone()),
                };
                let path = path.to_path_buf();
                Kind::Last(LastFrame { structure, path, positions: Vec::new(), is_saved: true })
            }
        };
        Ok(Self { kind, units, frames: 0 })
    }

    /// Appends a frame of a garment, whose vertices in the simulation are `positions` (m).
    pub(super) fn push(
        &mut self,
        garment: &PlacedGarment,
        positions: &[Point3<f32>],
        files: &RunFiles,
    ) -> Result<(), Failure> {
        let metres = garment.vertex_map.iter().map(|&v| &positions[v as usize]);
        let frame: Vec<Point3<f64>> = match self.units {
            Units::File => metres.map(|p| garment.file.point(p)).collect(),
            Units::Metres => metres.map(|p| p.map(f64::from)).collect(),
        };
        match &mut self.kind {
            Kind::Cache(writer, _) => {
                writer.push(&frame.iter().map(|p| p.map(|c| c as f32)).collect::<Vec<_>>())?;
            }
            Kind::Frames(writer) => {
                files.confirm(&writer.next_path(), CACHE_ROLE)?;
                writer.push(&frame)?;
            }
            Kind::Last(last) => (last.positions, last.is_saved) = (frame, false),
        }
        self.frames += 1;
        Ok(())
    }

    /// Writes the frames that are in no file yet; most kinds have none.
    pub(super) fn save(&mut self, files: &RunFiles) -> Result<(), Failure> {
        match &mut self.kind {
            Kind::Last(last) => last.save(files),
            Kind::Cache(..) | Kind::Frames(_) => Ok(()),
        }
    }

    /// Gives the cache its name, with the frames that it has; one without any leaves no file.
    pub(super) fn finish(self, files: &RunFiles) -> Result<(), Failure> {
        match self.kind {
            _ if self.frames == 0 => {}
            Kind::Cache(writer, path) => {
                files.confirm(&path, CACHE_ROLE)?;
                writer.finish()?;
            }
            Kind::Frames(_) => {}
            Kind::Last(mut last) => last.save(files)?,
        }
        Ok(())
    }
}

/// The structure of a garment's file, read again.
fn template(garment: &PlacedGarment) -> Result<ObjTemplate, FileError> {
    let path = &garment.file.path;
    if is_npz(path) || is_usd(path) {
        let points = vec![Point3::origin(); garment.vertex_map.len()];
        return Ok(ObjTemplate::from_mesh(&TriMesh::new(points, garment.file.faces.clone())));
    }
    let template = ObjTemplate::read(path)?;
    if template.point_count() != garment.vertex_map.len() {
        return Err(FileError::new(path, "has changed since the run began; run it again"));
    }
    Ok(template)
}
