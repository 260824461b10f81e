//! Where a scene comes from: where its files lie, and how an error names the place.

use std::path::{Path, PathBuf};

use cloth_io::{FileError, read_file};

use crate::Up;
use crate::diagnose::position;

/// A scene file, or a program's own description of one garment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SceneSource {
    /// The scene file.
    File(PathBuf),
    /// The garment that the flags of a command are about.
    Flags(PathBuf),
}

impl SceneSource {
    /// The scene file or the garment.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::File(path) | Self::Flags(path) => path,
        }
    }

    /// Where a file lies that the scene names: relative to the folder of the scene file.
    #[must_use]
    pub fn resolve(&self, file: &Path) -> PathBuf {
        match self {
            Self::File(scene) => {
                scene.parent().map_or_else(|| file.to_path_buf(), |folder| folder.join(file))
            }
            Self::Flags(_) => file.to_path_buf(),
        }
    }

    /// The file's name without extension, for reports and files.
    #[must_use]
    pub fn stem(&self) -> String {
        self.path().file_stem().map_or_else(|| "scene".to_owned(), |stem| stem.to_string_lossy().into_owned())
    }

    /// What a scene file calls something, or what the command line does.
    fn either<T>(&self, in_file: T, flag: T) -> T {
        match self {
            Self::File(_) => in_file,
            Self::Flags(_) => flag,
        }
    }

    /// What says the unit of a garment's file.
    pub(crate) fn unit_option(&self) -> &'static str {
        self.either("unit =", "--unit")
    }

    /// What says the unit (m) of the file of a mesh body or a character.
    pub(crate) fn body_unit_option(&self, name: Option<&str>, metres: f64) -> String {
        self.either(format!("scale = {metres} of {}", body(name)), format!("--body-unit {metres}"))
    }

    /// What says which axis of the file of a garment points up.
    pub(crate) fn up_option(&self, up: Up) -> String {
        self.either(format!("up = \"{}\"", up.letter()), format!("--up {}", up.letter()))
    }

    /// The same of a mesh body.
    pub(crate) fn body_up_option(&self, name: Option<&str>, up: Up) -> String {
        self.either(
            format!("up = \"{}\" of {}", up.letter(), body(name)),
            format!("--body-up {}", up.letter()),
        )
    }

    /// What places a garment above the bodies.
    pub(crate) fn above_option(&self) -> &'static str {
        self.either("place = \"above\"", "--place above")
    }

    /// What moves a garment by this vector (m).
    pub(crate) fn translate_option(&self, [x, y, z]: [f64; 3]) -> String {
        self.either(
            format!("translate = [{x:.3}, {y:.3}, {z:.3}]"),
            format!("--translate {x:.3},{y:.3},{z:.3}"),
        )
    }

    /// What teleports cloth where what it is fixed to is cut.
    #[must_use]
    pub fn teleport_option(&self) -> &'static str {
        self.either("teleport = true in [settings]", "--teleport on")
    }

    /// What sets the frames a second of the motion of a body.
    pub(crate) fn motion_fps_option(&self) -> &'static str {
        self.either("`motion_fps`", "--body-motion-fps")
    }

    /// What leads a clip from its end to its beginning, in this time (s).
    pub(crate) fn loop_transition_option(&self, seconds: f64) -> String {
        self.either(
            format!("loop_transition = {seconds} in [character]"),
            format!("--loop-transition {seconds}"),
        )
    }

    /// What sets the number of substeps of a frame.
    #[must_use]
    pub fn substeps_option(&self, substeps: u32) -> String {
        self.either(format!("substeps = {substeps}"), format!("--substeps {substeps}"))
    }

    /// What welds the vertices of a garment that are at most this far apart (m).
    #[must_use]
    pub fn weld_option(&self, distance: f64) -> String {
        self.either(format!("weld_distance = {distance:e}"), format!("--weld {distance:e}"))
    }

    /// An error about an entry of a list of a garment, with its line and column in the scene file.
    pub(crate) fn fail_in(&self, at: GarmentEntry, text: impl AsRef<str>) -> FileError {
        let error = self.fail(&format!("garment.{}", at.list), text);
        let Self::File(path) = self else { return error };
        let place = read_file(path).ok().and_then(|bytes| position(std::str::from_utf8(&bytes).ok()?, &at));
        FileError { line: place.map(|p| p.0), column: place.map(|p| p.1), ..error }
    }

    /// An error about a key of the scene; flags have other names, so those are described by the text alone.
    #[must_use]
    pub fn fail(&self, key: &str, text: impl AsRef<str>) -> FileError {
        let text = text.as_ref();
        match self {
            Self::File(path) => FileError::new(path, format!("`{key}`: {text}")),
            Self::Flags(path) => FileError::new(path, text),
        }
    }
}

/// A body of a scene file, in words.
fn body(name: Option<&str>) -> String {
    name.map_or_else(|| "the body".to_owned(), |name| format!("the body {name}"))
}

/// An entry of a list of a garment, such as a pin or a region.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GarmentEntry {
    /// The number of the garment in the scene.
    pub(crate) garment: usize,
    /// The key of the list.
    pub(crate) list: &'static str,
    /// The number of the entry in the list.
    pub(crate) entry: usize,
}
