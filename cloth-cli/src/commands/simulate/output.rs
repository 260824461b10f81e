//! What a run writes: caches while it goes on, in the vertices of the garments' files, and where pictures go.

use std::path::{Path, PathBuf};

use cloth_io::{FileError, MESH_EXTENSIONS, ObjSequenceWriter};
use cloth_scene::build::PlacedGarment;
use cloth_scene::{CacheFormat, Pictures, SceneSource, Units};
use cloth_show::choice::PlayerChoice;
use cloth_show::program::console::counted;
use cloth_show::program::{Failure, RunFiles};
use cloth_show::report::CutFigures;

use super::writer::{CACHE_ROLE, Writer};
use super::{glb, pictures};
use crate::args::{OutputArgs, SimulateArgs, UnitsArg};

/// Pictures and their size (pixels) where nothing else is said.
pub(super) const DEFAULT_PICTURES: Pictures = Pictures { count: 6, size: [640, 480] };

/// How a cache is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// A point cache of every frame: PC2, NPY or NPZ.
    Cache,
    /// A folder of OBJ files, one a frame.
    Frames,
    /// A mesh file of the last frame alone.
    Last,
}

impl Format {
    /// The format that the extension of a file says, and a scene if it says one. The error is a sentence.
    fn from_path(path: &Path, named: Option<CacheFormat>) -> Result<Self, String> {
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
            (None, "npy" | "npz") => Ok(Self::Cache),
            (None, _) if is_mesh_format(&extension) => Ok(Self::Last),
            (None, _) => Err(format!(
                "{}: extension {extension:?} is not a cache format; known are: pc2, npy, npz (every frame), \
                 glb (every frame, with the character), {} (the last frame), and a folder of OBJ files by \
                 --out-obj or `format = \"obj\"`",
                path.display(),
                MESH_EXTENSIONS.into_iter().filter(|e| is_mesh_format(e)).collect::<Vec<_>>().join(", ")
            )),
        }
    }
}

/// Whether an extension is that of a mesh of one state.
fn is_mesh_format(extension: &str) -> bool {
    MESH_EXTENSIONS.contains(&extension) && extension != "npz"
}

/// What is to be written.
pub(super) struct OutputPlan {
    /// A file of --out and a folder of --out-obj, or what the scene names.
    caches: Vec<(PathBuf, Format)>,
    /// The file of character and garments together.
    pub(super) glb: Option<PathBuf>,
    units: Units,
    /// Whether the run is recorded to be played.
    pub(super) is_recorded: bool,
    /// The folder of the pictures, how many, and how large.
    pub(super) pictures: Option<(PathBuf, Pictures)>,
}

impl OutputPlan {
    /// A file next to the first cache, or in the present folder.
    pub(super) fn beside_caches(&self, name: &str) -> PathBuf {
        let first = self.caches.iter().map(|(path, _)| path).chain(&self.glb).next();
        first.and_then(|path| path.parent()).unwrap_or(Path::new("")).join(name)
    }

    /// What the flags say, or else the scene.
    pub(super) fn new(
        args: &OutputArgs,
        scene: Option<&cloth_scene::Output>,
        source: &SceneSource,
    ) -> Result<Self, Failure> {
        let caches = match named_by_flags(args)? {
            flags if flags.is_empty() => {
                scene.and_then(|s| named_cache(s, source)).transpose()?.into_iter().collect()
            }
            flags => flags,
        };
        if let Some(format) = scene.and_then(|s| s.format.filter(|_| s.cache.is_none())) {
            let text = format!("{format:?} without a cache; add the key `cache`");
            return Err(source.fail("output.format", text).into());
        }
        let units = match args.out_units {
            Some(UnitsArg::File) => Units::File,
            Some(UnitsArg::Metres) => Units::Metres,
            None => scene.map(|s| s.units).unwrap_or_default(),
        };
        let wanted = scene.and_then(|s| s.pictures);
        let folder = match (&args.pictures, caches.first(), wanted) {
            (Some(folder), _, _) => Some(folder.clone()),
            (None, _, None) => None,
            (None, Some((cache, _)), Some(_)) => Some(cache.with_extension("pictures")),
            (None, None, Some(_)) => {
                let text = "are written next to the cache; add the key `cache`, or pass --pictures DIR";
                return Err(source.fail("output.pictures", text).into());
            }
        };
        let default = wanted.unwrap_or(DEFAULT_PICTURES);
        let pictures = Pictures {
            count: args.picture_count.unwrap_or(default.count),
            size: args.picture_size.unwrap_or(default.size),
        };
        let named = match (&args.out, scene.and_then(|s| s.cache.as_ref())) {
            (Some(file), _) => Some(file.clone()),
            (None, file) => file.map(|file| source.resolve(file)),
        };
        let glb = args.out_glb.clone().or(named.filter(|file| is_glb(file)));
        let is_recorded = args.report.is_some() && args.player != PlayerChoice::Off;
        Ok(Self { caches, glb, units, is_recorded, pictures: folder.map(|folder| (folder, pictures)) })
    }

    /// The option or the key that asks for pictures, if one does.
    pub(super) fn draws(&self, args: &SimulateArgs) -> Option<&'static str> {
        match (&args.preview, &args.output.pictures, &self.pictures) {
            (Some(_), ..) => Some("--preview"),
            (None, Some(_), _) => Some("--pictures"),
            (None, None, Some(_)) => Some("`output.pictures`"),
            (None, None, None) => None,
        }
    }

    /// Adds everything that is written of garments of these names over so many frames.
    pub(super) fn add_to(&self, files: &mut RunFiles, names: &[String], frames: usize) {
        if let Some((folder, _)) = &self.pictures {
            for file in pictures::file_names(self, frames) {
                files.writes(&folder.join(file), "a picture");
            }
        }
        if let Some(path) = &self.glb {
            files.writes(path, glb::ROLE);
        }
        for (i, (path, format)) in each_with(names, &self.caches) {
            match format {
                Format::Cache | Format::Last => files.writes(&cache_path(path, names, i), CACHE_ROLE),
                Format::Frames => {
                    let name = sequence_name(names, i);
                    let frames = (0..=frames).map(|k| ObjSequenceWriter::frame_path(path, &name, k));
                    frames.for_each(|frame| files.writes(&frame, CACHE_ROLE));
                }
            }
        }
    }

    /// Starts the caches, for each garment those that are written of it.
    pub(super) fn writers(&self, garments: &[PlacedGarment]) -> Result<Vec<Vec<Writer>>, FileError> {
        let names = names_of(garments);
        let start = |i: usize, (path, format): &(PathBuf, Format)| {
            let path = match format {
                Format::Cache | Format::Last => cache_path(path, &names, i),
                Format::Frames => path.clone(),
            };
            Writer::start(&garments[i], &path, &sequence_name(&names, i), *format, self.units)
        };
        (0..garments.len()).map(|i| self.caches.iter().map(|cache| start(i, cache)).collect()).collect()
    }

    /// What was written of so many frames with these cuts, a sentence each.
    pub(super) fn written(
        &self,
        garments: &[PlacedGarment],
        frames: usize,
        cuts: &[CutFigures],
    ) -> Vec<String> {
        if frames == 0 {
            return Vec::new();
        }
        let names = names_of(garments);
        let line = |(i, (path, format)): (usize, &(PathBuf, Format))| {
            let (to, what) = match format {
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
            let cut = match format {
                Format::Last => None,
                Format::Cache | Format::Frames => cut_option(cuts.iter().filter(|cut| cut.cloth == i)),
            };
            let cut = cut.map_or(String::new(), |option| {
                format!("; it cannot say where the garment is teleported: `cloth check` of it needs {option}")
            });
            format!(
                "wrote {}: {what} of {points} vertices, those of the garment's file, {units}{cut}",
                to.display()
            )
        };
        each_with(&names, &self.caches).map(line).collect()
    }
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
pub(super) fn cut_option<'a>(cuts: impl Iterator<Item = &'a CutFigures>) -> Option<String> {
    let frames: Vec<String> = cuts.map(|cut| cut.frame.to_string()).collect();
    (!frames.is_empty()).then(|| format!("--cut {}", frames.join(",")))
}

/// The caches that the flags name: a file, a folder of frames, or both.
fn named_by_flags(args: &OutputArgs) -> Result<Vec<(PathBuf, Format)>, Failure> {
    let file =
        args.out.as_ref().filter(|file| !is_glb(file)).map(|file| {
            Format::from_path(file, None).map(|format| (file.clone(), format)).map_err(Failure::new)
        });
    let folder = args.out_obj.as_ref().map(|folder| (folder.clone(), Format::Frames));
    Ok(file.transpose()?.into_iter().chain(folder).collect())
}

/// The number of each garment with each cache.
fn each_with<'a, T>(names: &[String], caches: &'a [T]) -> impl Iterator<Item = (usize, &'a T)> {
    (0..names.len()).flat_map(move |i| caches.iter().map(move |cache| (i, cache)))
}

/// The cache that a scene names, if it names one.
fn named_cache(
    output: &cloth_scene::Output,
    source: &SceneSource,
) -> Option<Result<(PathBuf, Format), Failure>> {
    let path = source.resolve(output.cache.as_ref().filter(|file| !is_glb(file))?);
    let format = Format::from_path(&path, output.format).map_err(|text| source.fail("output.cache", text));
    Some(format.map(|format| (path, format)).map_err(Failure::from))
}

/// Whether a file is the one of character and garments together.
fn is_glb(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("glb"))
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

/// Makes a folder, if it is not there.
#[cfg(any(feature = "pictures", feature = "player"))]
pub(super) fn make_folder(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|e| Failure::new(format!("{}: cannot make the folder: {e}", folder.display())))
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
        let source = SceneSource::File("d/s.toml".into());
        let scene = |cache: Option<&str>, format, pictures| cloth_scene::Output {
            cache: cache.map(PathBuf::from),
            format,
            pictures,
            units: Units::File,
        };
        let wanted = Pictures { count: 3, size: [20, 10] };
        let none = OutputArgs::default();
        let full = scene(Some("c.pc2"), None, Some(wanted));
        let plan = OutputPlan::new(&none, Some(&full), &source).unwrap();
        assert_eq!(plan.caches, [("d/c.pc2".into(), Format::Cache)]);
        assert_eq!(plan.pictures, Some(("d/c.pictures".into(), wanted)));
        let flags = OutputArgs { out_obj: Some("o".into()), picture_count: Some(1), ..OutputArgs::default() };
        let plan = OutputPlan::new(&flags, Some(&full), &source).unwrap();
        assert_eq!(plan.caches, [("o".into(), Format::Frames)]);
        let both = OutputArgs { out: Some("f.pc2".into()), ..flags };
        let plan_of_both = OutputPlan::new(&both, Some(&full), &source).unwrap();
        assert_eq!(plan_of_both.caches, [("f.pc2".into(), Format::Cache), ("o".into(), Format::Frames)]);
        assert_eq!(plan.pictures.unwrap().1, Pictures { count: 1, ..wanted });
    }

    #[test]
    fn the_extension_says_the_format_and_an_unknown_one_is_refused() {
        let of = |path: &str, named| Format::from_path(Path::new(path), named);
        for (name, format) in [("a.PC2", Format::Cache), ("a.npy", Format::Cache), ("a.NPZ", Format::Cache)] {
            assert_eq!(of(name, None), Ok(format));
        }
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

    #[test]
    fn refuses_keys_that_would_do_nothing() {
        let source = SceneSource::File("s.toml".into());
        let error = |output: cloth_scene::Output| {
            let plan = OutputPlan::new(&OutputArgs::default(), Some(&output), &source);
            plan.err().map(|e| e.to_string()).unwrap_or_default()
        };
        let none = cloth_scene::Output::default();
        assert_eq!(error(none.clone()), "");
        let format = cloth_scene::Output { format: Some(CacheFormat::Obj), ..none.clone() };
        assert!(error(format).starts_with("s.toml: `output.format`"));
        let pictures = cloth_scene::Output { pictures: Some(DEFAULT_PICTURES), ..none };
        assert!(error(pictures).starts_with("s.toml: `output.pictures`"));
    }
}
