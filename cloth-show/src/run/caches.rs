//! Files that a run writes of its garments: which they are, and in which format.

use std::path::{Path, PathBuf};

use cloth_io::{FileError, MESH_EXTENSIONS, ObjSequenceWriter};
use cloth_scene::build::PlacedGarment;
use cloth_scene::words::counted;
use cloth_scene::{BuiltScene, CacheFormat, Units};

use super::Prepared;
use super::stage::RunStage;
use super::writer::Writer;
use crate::report::CutFigures;
use crate::stage::frame_rate;
use crate::{Failure, RunFiles};

/// What a cache is to a run, in errors.
pub const CACHE_ROLE: &str = "the cache";

/// How a cache is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A point cache of every frame: PC2, MDD, NPY or NPZ.
    Cache,
    /// A stage of USD of every frame, with all garments and bodies.
    Stage,
    /// A folder of OBJ files, one a frame.
    Frames,
    /// A mesh file of the last frame alone.
    Last,
}

impl Format {
    /// The format that the extension of a file says, and a scene if it says one. The error is a sentence.
    ///
    /// # Errors
    /// If it is not a format of caches.
    pub fn from_path(path: &Path, named: Option<CacheFormat>) -> Result<Self, String> {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        // A device has no extension, and what is not a regular file is refused where it is opened.
        let is_device = extension.is_empty() && std::fs::metadata(path).is_ok_and(|m| !m.is_file());
        match (named, extension.as_str()) {
            (Some(CacheFormat::Obj), _) => Ok(Self::Frames),
            (_, "pc2") => Ok(Self::Cache),
            _ if is_device => Ok(Self::Cache),
            (Some(CacheFormat::Pc2), _) => Err(format!(
                "{}: a PC2 cache has the extension `.pc2`; rename it, or leave `format` out",
                path.display()
            )),
            (None, "mdd" | "npy" | "npz") => Ok(Self::Cache),
            (None, "usda") => Ok(Self::Stage),
            (None, _) if is_mesh_format(&extension) => Ok(Self::Last),
            (None, _) => Err(format!(
                "{}: extension {extension:?} is not a cache format; known are: pc2, mdd, npy, npz (every \
                 frame), usda, glb (every frame, with bodies), {} (the last frame), and a folder of OBJ files \
                 by --out-obj or `format = \"obj\"`",
                path.display(),
                MESH_EXTENSIONS.into_iter().filter(|e| is_mesh_format(e)).collect::<Vec<_>>().join(", ")
            )),
        }
    }
}

/// Whether an extension is that of a mesh of one state.
fn is_mesh_format(extension: &str) -> bool {
    MESH_EXTENSIONS.contains(&extension) && !["npz", "usda"].contains(&extension)
}

/// The caches of a run, written of each of its garments.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CachePlan {
    /// Files, or folders of frames.
    pub caches: Vec<(PathBuf, Format)>,
    /// The unit and axes of what is written.
    pub units: Units,
}

impl CachePlan {
    /// Adds everything that is written of garments of these names over so many frames.
    pub fn add_to(&self, files: &mut RunFiles, names: &[String], frames: usize) {
        for (i, (path, format)) in self.each_of(names) {
            match format {
                Format::Stage => files.writes(path, CACHE_ROLE),
                Format::Cache | Format::Last => files.writes(&cache_path(path, names, i), CACHE_ROLE),
                Format::Frames => {
                    let name = sequence_name(names, i);
                    let frames = (0..=frames).map(|k| ObjSequenceWriter::frame_path(path, &name, k));
                    frames.for_each(|frame| files.writes(&frame, CACHE_ROLE));
                }
            }
        }
    }

    /// Starts the caches of a run.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn start(&self, prepared: &Prepared) -> Result<Caches, FileError> {
        let scene = &prepared.scene;
        let names = names_of(&scene.garments);
        let mut caches = Caches { writers: Vec::new(), stages: Vec::new() };
        caches.writers.resize_with(names.len(), Vec::new);
        for (i, (path, format)) in self.each_of(&names) {
            let path = match format {
                Format::Stage => {
                    caches.stages.push(RunStage::start(path, prepared)?);
                    continue;
                }
                Format::Cache | Format::Last => cache_path(path, &names, i),
                Format::Frames => path.clone(),
            };
            let (garment, name) = (&scene.garments[i], sequence_name(&names, i));
            caches.writers[i].push(Writer::start(
                garment,
                &path,
                &name,
                *format,
                self.units,
                1.0 / scene.dt,
            )?);
        }
        Ok(caches)
    }

    /// What was written of so many frames with these cuts, a sentence each.
    #[must_use]
    pub fn written(&self, scene: &BuiltScene, frames: usize, cuts: &[CutFigures]) -> Vec<String> {
        if frames == 0 {
            return Vec::new();
        }
        let (garments, names) = (&scene.garments, names_of(&scene.garments));
        let rate = frame_rate(scene.dt);
        let line = |(i, (path, format)): (usize, &(PathBuf, Format))| {
            let (to, what) = match format {
                Format::Stage => {
                    let (all, path) = (counted(names.len(), "garment"), path.display());
                    return format!(
                        "wrote {path}: {} of {all} with bodies, {rate} a second, in metres, y up; `cloth \
                         check {path}#/World/cloth` judges it",
                        counted(frames, "frame")
                    );
                }
                Format::Cache => (cache_path(path, &names, i), counted(frames, "frame")),
                Format::Last => (cache_path(path, &names, i), last_in_words(path).to_owned()),
                Format::Frames => {
                    (path.join(format!("{}_*.obj", sequence_name(&names, i))), counted(frames, "frame"))
                }
            };
            let points = garments[i].vertex_map.len();
            let units = match self.units {
                Units::File => "in its unit and axes",
                Units::Metres => "in metres, y up",
            };
            let says = match format {
                Format::Frames => format!("; {rate} frames a second, which the files do not say"),
                Format::Cache if !has_rate(path) => {
                    format!("; {rate} frames a second, which the file does not say")
                }
                Format::Cache | Format::Last | Format::Stage => String::new(),
            };
            let cut = match format {
                Format::Last | Format::Stage => None,
                Format::Cache | Format::Frames => cut_option(cuts.iter().filter(|cut| cut.cloth == i)),
            };
            let cut = cut.map_or(String::new(), |option| {
                format!("; it cannot say where the garment is teleported: `cloth check` of it needs {option}")
            });
            format!(
                "wrote {}: {what} of {points} vertices, those of the garment's file, {units}{says}{cut}",
                to.display()
            )
        };
        self.each_of(&names).map(line).collect()
    }

    /// The number of each garment with each cache that is written of it; a stage is of all, and has the
    /// first.
    fn each_of<'a>(&'a self, names: &[String]) -> impl Iterator<Item = (usize, &'a (PathBuf, Format))> {
        let of = |i: usize| self.caches.iter().filter(move |cache| i == 0 || cache.1 != Format::Stage);
        (0..names.len()).flat_map(move |i| of(i).map(move |cache| (i, cache)))
    }
}

/// Whether a cache holds how many frames there are in a second. Programs that play the others take their own
/// number for it.
fn has_rate(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("mdd"))
}

/// What is written of the last frame.
fn last_in_words(path: &Path) -> &'static str {
    if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("stl")) {
        "the last frame, rounded to `f32`, equal positions joined,"
    } else {
        "the last frame"
    }
}

/// The option of `cloth check` for a cache of a garment with these cuts; none without any.
#[must_use]
pub(super) fn cut_option<'a>(cuts: impl Iterator<Item = &'a CutFigures>) -> Option<String> {
    let frames: Vec<String> = cuts.map(|cut| cut.frame.to_string()).collect();
    (!frames.is_empty()).then(|| format!("--cut {}", frames.join(",")))
}

/// The caches of a run under construction.
#[derive(Default)]
pub struct Caches {
    /// Of each garment.
    writers: Vec<Vec<Writer>>,
    stages: Vec<RunStage>,
}

impl Caches {
    /// Appends the present state of a run.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn push(&mut self, prepared: &Prepared, files: &RunFiles) -> Result<(), Failure> {
        let mut first = 0;
        for (writers, garment) in self.writers.iter_mut().zip(&prepared.scene.garments) {
            let own = first..first + garment.mesh.positions.len();
            first = own.end;
            let own = &prepared.simulation.positions()[own];
            writers.iter_mut().try_for_each(|writer| writer.push(garment, own, files))?;
        }
        self.stages.iter_mut().try_for_each(|stage| stage.push(prepared)).map_err(Failure::from)
    }

    /// Writes the frames that are in no file yet, of the kinds that can be written again.
    pub fn save(&mut self, files: &RunFiles) {
        for writer in self.writers.iter_mut().flatten() {
            // What fails here is tried again at the end.
            let _ = writer.save(files);
        }
    }

    /// Gives the caches their names, with the frames that they have.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn finish(self, files: &RunFiles) -> Result<(), Failure> {
        self.writers.into_iter().flatten().try_for_each(|writer| writer.finish(files))?;
        self.stages.into_iter().try_for_each(|stage| stage.finish(files))
    }
}

fn names_of(garments: &[PlacedGarment]) -> Vec<String> {
    garments.iter().map(|garment| garment.name.clone()).collect()
}

/// The file of a garment: with its name if there are several.
fn cache_path(path: &Path, names: &[String], index: usize) -> PathBuf {
    if names.len() == 1 {
        return path.to_path_buf();
    }
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let extension = path.extension().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!("{stem}_{}.{extension}", sequence_name(names, index)))
}

/// A name for files: that of the garment, its odd characters replaced, and its number if another has the
/// same.
fn sequence_name(names: &[String], index: usize) -> String {
    let plain = |name: &String| -> String {
        name.chars().map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' }).collect()
    };
    let name = plain(&names[index]);
    let is_unique = names.iter().filter(|other| plain(other) == name).count() == 1;
    if is_unique && !name.is_empty() { name } else { format!("{name}-{index}") }
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
    fn the_extension_says_the_format_and_an_unknown_one_is_refused() {
        let of = |path: &str, named| Format::from_path(Path::new(path), named);
        for (name, format) in [
            ("a.PC2", Format::Cache),
            ("a.npy", Format::Cache),
            ("a.NPZ", Format::Cache),
            ("a.mdd", Format::Cache),
        ] {
            assert_eq!(of(name, None), Ok(format));
        }
        assert_eq!(of("a.USDA", None), Ok(Format::Stage));
        for name in ["a.obj", "a.ply", "a.STL", "a.off"] {
            assert_eq!(of(name, None), Ok(Format::Last));
        }
        let (pc2, obj) = (Some(CacheFormat::Pc2), Some(CacheFormat::Obj));
        assert_eq!((of("a.pc2", pc2), of("frames", obj)), (Ok(Format::Cache), Ok(Format::Frames)));
        for (path, named) in [("a.abc", None), ("a", None), ("a.usd", None), ("a.obj", pc2)] {
            let error = of(path, named).unwrap_err();
            assert!(error.starts_with(path) && error.contains("pc2"), "{error}");
            assert!(
                named.is_some()
                    || error.contains("npz (every frame)") && error.contains("obj, ply, stl, off (the")
            );
        }
        let two = ["x", "y"].map(String::from);
        assert_eq!(cache_path(Path::new("run/a.obj"), &two, 1), Path::new("run/a_y.obj"));
    }
}
