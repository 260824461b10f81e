//! Where a scene comes from: where its files lie, and how an error names the place.

use std::path::{Path, PathBuf};

use cloth_scene::resolve_path;

use crate::failure::Failure;

/// A scene file, or flags about a garment.
pub(super) enum Source {
    /// The scene file.
    Scene(PathBuf),
    /// The garment that the flags are about.
    Flags(PathBuf),
}

impl Source {
    /// The scene file or the garment.
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::Scene(path) | Self::Flags(path) => path,
        }
    }

    /// Where a file lies that the scene names.
    pub(super) fn resolve(&self, file: &Path) -> PathBuf {
        match self {
            Self::Scene(scene) => resolve_path(scene, file),
            Self::Flags(_) => file.to_path_buf(),
        }
    }

    /// The file's name without extension, for reports and files.
    pub(super) fn stem(&self) -> String {
        self.path().file_stem().map_or_else(|| "scene".to_owned(), |stem| stem.to_string_lossy().into_owned())
    }

    /// What says the unit of a garment's file.
    pub(super) fn unit_option(&self) -> &'static str {
        match self {
            Self::Scene(_) => "unit =",
            Self::Flags(_) => "--unit",
        }
    }

    /// What moves a garment by this vector (m).
    pub(super) fn translate_option(&self, [x, y, z]: [f64; 3]) -> String {
        match self {
            Self::Scene(_) => format!("translate = [{x:.3}, {y:.3}, {z:.3}]"),
            Self::Flags(_) => format!("--translate {x:.3},{y:.3},{z:.3}"),
        }
    }

    /// An error about a key of the scene; flags have other names, so those are described by the text alone.
    pub(super) fn fail(&self, key: &str, text: impl AsRef<str>) -> Failure {
        let text = text.as_ref();
        match self {
            Self::Scene(path) => Failure::new(format!("{}: `{key}`: {text}", path.display())),
            Self::Flags(path) => Failure::new(format!("{}: {text}", path.display())),
        }
    }
}
