//! What a run writes: caches while it goes on, in the vertices of the garments' files, and where pictures go.

use std::path::{Path, PathBuf};

use cloth_scene::{Pictures, SceneSource};
use cloth_show::choice::PlayerChoice;
use cloth_show::program::{Failure, RunFiles};
use cloth_show::run::{CachePlan, Format};

use super::{glb, pictures};
use crate::args::{OutputArgs, SimulateArgs};

/// Pictures and their size (pixels) where nothing else is said.
pub(super) const DEFAULT_PICTURES: Pictures = Pictures { count: 6, size: [640, 480] };

/// What is to be written.
pub(super) struct OutputPlan {
    /// A file of --out and a folder of --out-obj, or what the scene names.
    pub(super) caches: CachePlan,
    /// The file of character and garments together.
    pub(super) glb: Option<PathBuf>,
    /// Whether the run is recorded to be played.
    pub(super) is_recorded: bool,
    /// The folder of the pictures, how many, and how large.
    pub(super) pictures: Option<(PathBuf, Pictures)>,
}

impl OutputPlan {
    /// A file next to the first cache, or in the present folder.
    pub(super) fn beside_caches(&self, name: &str) -> PathBuf {
        let first = self.caches.caches.iter().map(|(path, _)| path).chain(&self.glb).next();
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
        let units = args.out_units.or(scene.map(|s| s.units)).unwrap_or_default();
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
        let caches = CachePlan { caches, units };
        Ok(Self { caches, glb, is_recorded, pictures: folder.map(|folder| (folder, pictures)) })
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
        self.caches.add_to(files, names, frames);
    }
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

/// Makes a folder, if it is not there.
#[cfg(any(feature = "pictures", feature = "player"))]
pub(super) fn make_folder(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|e| Failure::new(format!("{}: cannot make the folder: {e}", folder.display())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_scene::CacheFormat;
    use cloth_scene::Units;

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
        assert_eq!(plan.caches.caches, [("d/c.pc2".into(), Format::Cache)]);
        assert_eq!(plan.pictures, Some(("d/c.pictures".into(), wanted)));
        let flags = OutputArgs { out_obj: Some("o".into()), picture_count: Some(1), ..OutputArgs::default() };
        let plan = OutputPlan::new(&flags, Some(&full), &source).unwrap();
        assert_eq!(plan.caches.caches, [("o".into(), Format::Frames)]);
        let both = OutputArgs { out: Some("f.pc2".into()), ..flags };
        let plan_of_both = OutputPlan::new(&both, Some(&full), &source).unwrap();
        assert_eq!(
            plan_of_both.caches.caches,
            [("f.pc2".into(), Format::Cache), ("o".into(), Format::Frames)]
        );
        assert_eq!(plan.pictures.unwrap().1, Pictures { count: 1, ..wanted });
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
