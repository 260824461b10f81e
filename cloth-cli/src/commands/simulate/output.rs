//! What a run writes: caches while it goes on, in the vertices of the garments' files, and where pictures go.

use std::path::{Path, PathBuf};

use cloth_io::scene::{self, CacheFormat, Pictures};
use cloth_io::{FileError, ObjSequenceWriter, Pc2Writer};
use nalgebra::Point3;

use super::garment::Garment;
use super::pictures;
use super::source::Source;
use crate::args::OutputArgs;
use crate::failure::Failure;
use crate::files::RunFiles;

/// What a cache is to the run.
const CACHE_ROLE: &str = "the cache";

/// Pictures and their size (pixels) where nothing else is said.
const DEFAULT_PICTURES: Pictures = Pictures { count: 6, size: [640, 480] };

/// What is to be written.
pub(super) struct OutputPlan {
    cache: Option<(PathBuf, CacheFormat)>,
    /// The folder of the pictures, how many, and how large.
    pub(super) pictures: Option<(PathBuf, Pictures)>,
}

impl OutputPlan {
    /// What the flags say, or else the scene.
    pub(super) fn of(
        args: &OutputArgs,
        scene: Option<&scene::Output>,
        source: &Source,
    ) -> Result<Self, Failure> {
        let cache = match (&args.out, &args.out_obj) {
            (Some(file), _) => Some((file.clone(), CacheFormat::Pc2)),
            (None, Some(folder)) => Some((folder.clone(), CacheFormat::Obj)),
            (None, None) => scene.and_then(|s| s.cache.as_ref().map(|c| (source.resolve(c), s.format))),
        };
        if let Some(output) = scene.filter(|s| s.cache.is_none() && s.format != CacheFormat::default()) {
            let text = format!("{:?} without a cache; add the key `cache`", output.format);
            return Err(source.fail("output.format", text));
        }
        let wanted = scene.and_then(|s| s.pictures);
        let folder = match (&args.pictures, &cache, wanted) {
            (Some(folder), _, _) => Some(folder.clone()),
            (None, _, None) => None,
            (None, Some((cache, _)), Some(_)) => Some(cache.with_extension("pictures")),
            (None, None, Some(_)) => {
                let text = "lie beside the cache; add the key `cache`, or give --pictures DIR";
                return Err(source.fail("output.pictures", text));
            }
        };
        let default = wanted.unwrap_or(DEFAULT_PICTURES);
        let pictures = Pictures {
            count: args.picture_count.unwrap_or(default.count),
            size: args.picture_size.unwrap_or(default.size),
        };
        Ok(Self { cache, pictures: folder.map(|folder| (folder, pictures)) })
    }

    /// Adds everything that is written of garments of these names over so many frames.
    pub(super) fn add_to(&self, files: &mut RunFiles, names: &[String], frames: usize) {
        if let Some((folder, _)) = &self.pictures {
            for file in pictures::file_names(self, frames) {
                files.writes(&folder.join(file), "a picture");
            }
        }
        let Some((path, format)) = &self.cache else { return };
        for i in 0..names.len() {
            match format {
                CacheFormat::Pc2 => files.writes(&cache_path(path, names, i), CACHE_ROLE),
                CacheFormat::Obj => {
                    let name = sequence_name(names, i);
                    let frames = (0..=frames).map(|k| ObjSequenceWriter::frame_path(path, &name, k));
                    frames.for_each(|frame| files.writes(&frame, CACHE_ROLE));
                }
            }
        }
    }

    /// Starts the caches, one for each garment.
    pub(super) fn writers(&self, garments: &[Garment]) -> Result<Vec<Writer>, FileError> {
        let Some((path, format)) = &self.cache else { return Ok(Vec::new()) };
        let names = names_of(garments);
        let start = |(i, garment): (usize, &Garment)| {
            let points = garment.vertex_map.len();
            match format {
                CacheFormat::Pc2 => {
                    let path = cache_path(path, &names, i);
                    Pc2Writer::create(&path, points, 0.0, 1.0).map(|writer| Writer::Pc2(writer, path))
                }
                CacheFormat::Obj => {
                    let name = sequence_name(&names, i);
                    ObjSequenceWriter::create(path, &name, points, &garment.file_faces).map(Writer::Obj)
                }
            }
        };
        garments.iter().enumerate().map(start).collect()
    }

    /// What was written, a sentence each.
    pub(super) fn written(&self, garments: &[Garment]) -> Vec<String> {
        let Some((path, format)) = &self.cache else { return Vec::new() };
        let names = names_of(garments);
        let line = |(i, garment): (usize, &Garment)| {
            let points = garment.vertex_map.len();
            let to = match format {
                CacheFormat::Pc2 => cache_path(path, &names, i),
                CacheFormat::Obj => path.join(format!("{}_*.obj", sequence_name(&names, i))),
            };
            format!("wrote {}: {points} vertices a frame, those of the garment's file", to.display())
        };
        garments.iter().enumerate().map(line).collect()
    }
}

fn names_of(garments: &[Garment]) -> Vec<String> {
    garments.iter().map(|garment| garment.name.clone()).collect()
}

/// The PC2 file of a garment: with its name if there are several.
fn cache_path(path: &Path, names: &[String], index: usize) -> PathBuf {
    if names.len() == 1 {
        return path.to_path_buf();
    }
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!("{stem}_{}.pc2", sequence_name(names, index)))
}

/// A name for files: that of the garment, its odd characters replaced, and its number if another has the same.
fn sequence_name(names: &[String], index: usize) -> String {
    let plain = |name: &String| -> String {
        name.chars().map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' }).collect()
    };
    let name = plain(&names[index]);
    let is_unique = names.iter().filter(|other| plain(other) == name).count() == 1;
    if is_unique && !name.is_empty() { name } else { format!("{name}-{index}") }
}

/// A cache under construction.
pub(super) enum Writer {
    /// With its final path.
    Pc2(Pc2Writer, PathBuf),
    Obj(ObjSequenceWriter),
}

impl Writer {
    /// Appends a frame of a garment, whose vertices in the simulation are `positions` (m).
    pub(super) fn push(
        &mut self,
        garment: &Garment,
        positions: &[Point3<f32>],
        files: &RunFiles,
    ) -> Result<(), Failure> {
        let frame: Vec<Point3<f32>> = garment.vertex_map.iter().map(|&v| positions[v as usize]).collect();
        match self {
            Self::Pc2(writer, _) => writer.push(&frame)?,
            Self::Obj(writer) => {
                files.confirm(&writer.next_path(), CACHE_ROLE)?;
                writer.push(&frame)?;
            }
        }
        Ok(())
    }

    /// Gives the cache its name.
    pub(super) fn finish(self, files: &RunFiles) -> Result<(), Failure> {
        if let Self::Pc2(writer, path) = self {
            files.confirm(&path, CACHE_ROLE)?;
            writer.finish()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_garments_have_several_caches() {
        let path = Path::new("run/a.pc2");
        assert_eq!(cache_path(path, &["x".into()], 0), path);
        let two = ["x/y", "x/y", "z"].map(String::from);
        assert_eq!(cache_path(path, &two, 1), Path::new("run/a_x-y-1.pc2"));
        assert_eq!(cache_path(path, &two, 2), Path::new("run/a_z.pc2"));
    }

    #[test]
    fn flags_go_before_the_scene() {
        let source = Source::Scene("d/s.toml".into());
        let scene = |cache: Option<&str>, format, pictures| scene::Output {
            cache: cache.map(PathBuf::from),
            format,
            pictures,
        };
        let wanted = Pictures { count: 3, size: [20, 10] };
        let none = OutputArgs::default();
        let full = scene(Some("c.pc2"), CacheFormat::Pc2, Some(wanted));
        let plan = OutputPlan::of(&none, Some(&full), &source).unwrap();
        assert_eq!(plan.cache, Some(("d/c.pc2".into(), CacheFormat::Pc2)));
        assert_eq!(plan.pictures, Some(("d/c.pictures".into(), wanted)));
        let flags = OutputArgs { out_obj: Some("o".into()), picture_count: Some(1), ..OutputArgs::default() };
        let plan = OutputPlan::of(&flags, Some(&full), &source).unwrap();
        assert_eq!(plan.cache, Some(("o".into(), CacheFormat::Obj)));
        assert_eq!(plan.pictures.unwrap().1, Pictures { count: 1, ..wanted });
    }

    #[test]
    fn refuses_keys_that_would_do_nothing() {
        let source = Source::Scene("s.toml".into());
        let error = |output: scene::Output| {
            let plan = OutputPlan::of(&OutputArgs::default(), Some(&output), &source);
            plan.err().map(|e| e.to_string()).unwrap_or_default()
        };
        let none = scene::Output::default();
        assert_eq!(error(none.clone()), "");
        let format = scene::Output { format: CacheFormat::Obj, ..none.clone() };
        assert!(error(format).starts_with("s.toml: `output.format`"));
        let pictures = scene::Output { pictures: Some(DEFAULT_PICTURES), ..none };
        assert!(error(pictures).starts_with("s.toml: `output.pictures`"));
    }
}
