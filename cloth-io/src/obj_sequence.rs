//! Sequences of OBJ files, one a frame, out and in: `name_0000.obj`, `name_0001.obj`, ...
//!
//! Slower and larger than a cache, but any tool opens a frame of it. All frames have the same faces and as
//! many vertices; numbers read back bit for bit, see [`crate::write_obj`].

use std::{
    fs,
    path::{Path, PathBuf},
};

use nalgebra::{Point3, Scalar};

use crate::{
    FileError, LoadedMesh, input,
    obj::{self, ObjTemplate, Polygons},
};

/// Writes frames as OBJ files, each whole or not at all.
#[derive(Debug)]
pub struct ObjSequenceWriter {
    folder: PathBuf,
    name: String,
    template: ObjTemplate,
    next: usize,
}

impl ObjSequenceWriter {
    /// Starts a sequence `folder/name_0000.obj`, ... of triangles; the folder is made if there is none.
    ///
    /// # Errors
    /// If the folder cannot be made, the name holds a path separator or `*`, or a face names a vertex out of
    /// range.
    pub fn create(folder: &Path, name: &str, points: usize, faces: &[[u32; 3]]) -> Result<Self, FileError> {
        if let Some(k) = faces.iter().position(|f| f.iter().any(|&v| v as usize >= points)) {
            return Err(FileError::new(folder, format!("face {k} names a vertex beyond {points}")));
        }
        Self::from_template(folder, name, ObjTemplate::from_polygons(points, faces))
    }

    /// The same, of files that are as the template has them but for the positions.
    ///
    /// # Errors
    /// If the folder cannot be made, or the name holds a path separator or `*`.
    pub fn from_template(folder: &Path, name: &str, template: ObjTemplate) -> Result<Self, FileError> {
        if name.is_empty() || name.contains(['/', '\\', '*']) {
            return Err(FileError::new(
                folder,
                format!("{name:?} is not a valid name of a sequence; use a plain word"),
            ));
        }
        fs::create_dir_all(folder).map_err(|e| FileError::io(folder, "make the folder", &e))?;
        let (folder, name) = (folder.to_path_buf(), name.to_owned());
        Ok(Self { folder, name, template, next: 0 })
    }

    /// Where frame `index`, counted from 0, of a sequence in `folder` is written.
    #[must_use]
    pub fn frame_path(folder: &Path, name: &str, index: usize) -> PathBuf {
        folder.join(format!("{name}_{index:04}.obj"))
    }

    /// Where the next frame is written.
    #[must_use]
    pub fn next_path(&self) -> PathBuf {
        Self::frame_path(&self.folder, &self.name, self.next)
    }

    /// Writes the next frame, in the unit and axes of the caller, and returns its path.
    ///
    /// # Errors
    /// If the frame has another number of points or one that is not finite, or the file cannot be written.
    pub fn push<T: Scalar + Copy + Into<f64>>(&mut self, frame: &[Point3<T>]) -> Result<PathBuf, FileError> {
        let path = self.next_path();
        let frame: Vec<Point3<f64>> = frame.iter().map(|p| p.map(Into::into)).collect();
        self.template.write(&path, &frame)?;
        self.next += 1;
        Ok(path)
    }
}

/// A sequence on disk, in the order of its frame numbers; frames are read on demand.
#[derive(Debug)]
pub struct ObjSequence {
    frames: Vec<(u64, PathBuf)>,
    first: LoadedMesh,
    /// The polygons of the first frame, which all others must have. The triangulation of the first
    /// applies to all: if each frame were triangulated anew, the diagonal of a bent polygon could change.
    polygons: Polygons,
}

impl ObjSequence {
    /// Opens the OBJ files of a folder, or those that a pattern such as `run/shirt_*.obj` names.
    ///
    /// `*` stands for any text, once, in the file name. The number of a frame is the last run of digits in
    /// its file name; what stands around it must be the same in all.
    ///
    /// # Errors
    /// If nothing matches, a name holds no number, two frames share one, the names belong to two sequences,
    /// or the first frame is not valid.
    pub fn open(folder_or_pattern: &Path) -> Result<Self, FileError> {
        Self::from_files(folder_or_pattern, Self::files(folder_or_pattern)?)
    }

    /// Opens the sequence that starts with an OBJ file: this file, and those in its folder whose names differ
    /// only by a higher number.
    ///
    /// # Errors
    /// If the file has no number in its name, or as [`Self::open`].
    pub fn open_from(first: &Path) -> Result<Self, FileError> {
        Self::from_files(first, Self::files_from(first)?)
    }

    /// The files of [`Self::open_from`], in no order; none has been read.
    ///
    /// # Errors
    /// If the file has no number in its name, or its folder cannot be read.
    pub fn files_from(first: &Path) -> Result<Vec<PathBuf>, FileError> {
        let parts = |path: &Path| split_number(&path.file_name().unwrap_or_default().to_string_lossy());
        let named = parts(first).ok_or_else(|| {
            FileError::new(
                first,
                "has no frame number in its name; name the first file of a sequence, or its folder",
            )
        })?;
        let mut files = Self::files(first.parent().unwrap_or(Path::new("")))?;
        files
            .retain(|path| parts(path).is_some_and(|p| p.around == named.around && p.number >= named.number));
        Ok(files)
    }

    /// The pattern that names the sequence of a file: `shirt_*.obj` for `shirt_0010.obj`; `None` without a
    /// number in its name.
    #[must_use]
    pub fn pattern(file: &Path) -> Option<PathBuf> {
        let parts = split_number(file.file_name()?.to_str()?)?;
        let mut name = std::ffi::OsString::from(parts.around);
        if let Some(extension) = file.extension() {
            name.push(".");
            name.push(extension);
        }
        Some(file.with_file_name(name))
    }

    /// Opens these OBJ files, which `named` names in errors.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn from_files(named: &Path, files: Vec<PathBuf>) -> Result<Self, FileError> {
        let refuse = |text: String| FileError::new(named, text);
        let mut frames = Vec::new();
        for path in files {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let parts = split_number(&name).ok_or_else(|| {
                refuse(format!("{name:?} has no frame number; name the frames by a pattern"))
            })?;
            frames.push((parts.number, parts.around, path));
        }
        frames.sort();
        let Some(first) = frames.first() else {
            return Err(refuse(
                "holds no OBJ frames; give a folder of `.obj` files, or `folder/name_*.obj`".into(),
            ));
        };
        if let Some(other) = frames.iter().find(|f| f.1 != first.1) {
            let text = format!("holds two sequences, {:?} and {:?}; name one by a pattern", first.1, other.1);
            return Err(refuse(text));
        }
        if let Some(pair) = frames.windows(2).find(|w| w[0].0 == w[1].0) {
            return Err(refuse(format!("two frames have the number {}; remove one", pair[0].0)));
        }
        let (first, polygons) = obj::read_with_polygons(&first.2)?;
        let frames = frames.into_iter().map(|(number, _, path)| (number, path)).collect();
        Ok(Self { frames, first, polygons })
    }

    /// How many frames there are; at least one.
    #[must_use]
    pub fn frame_count(&self) -> usize {
        self.frames.len()
    }

    /// The first frame, with the faces of all.
    #[must_use]
    pub fn first(&self) -> &LoadedMesh {
        &self.first
    }

    /// Number and path of each frame, in order.
    pub fn frames(&self) -> impl Iterator<Item = (u64, &Path)> {
        self.frames.iter().map(|(n, p)| (*n, p.as_path()))
    }

    /// The OBJ files of a folder, or those that a pattern names, in no order; none has been read.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn files(folder_or_pattern: &Path) -> Result<Vec<PathBuf>, FileError> {
        let path = folder_or_pattern;
        let pattern = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (folder, (head, tail)) = match pattern.split_once('*') {
            Some(around) if !path.is_dir() => (path.parent().unwrap_or(Path::new("")), around),
            _ => (path, ("", "")),
        };
        let mut found = Vec::new();
        for path in input::list_folder(folder)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let is_obj = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("obj"));
            let fits =
                name.len() >= head.len() + tail.len() && name.starts_with(head) && name.ends_with(tail);
            if is_obj && fits && !name.starts_with('.') {
                found.push(path);
            }
        }
        Ok(found)
    }

    /// Reads the positions (m) of frame `index`, counted from 0 in the order of the numbers.
    ///
    /// # Errors
    /// If there is no such frame, its file is not valid, or its vertices or faces are not those of the first.
    pub fn read_frame(&self, index: usize) -> Result<Vec<Point3<f64>>, FileError> {
        let Some((_, path)) = self.frames.get(index) else {
            let last = &self.frames[self.frames.len() - 1].1;
            return Err(FileError::new(
                last,
                format!("is the last of {} frames, there is no frame {index}", self.frames.len()),
            ));
        };
        let (positions, polygons) = obj::read_polygons(path)?;
        let (found, first) = (positions.len(), self.first.mesh.positions.len());
        if found != first {
            let text =
                format!("has {found} vertices, the first frame has {first}; all frames must be of one mesh");
            return Err(FileError::new(path, text));
        }
        if polygons != self.polygons {
            return Err(FileError::new(
                path,
                "has other faces than the first frame; all frames must be of one mesh",
            ));
        }
        Ok(positions)
    }
}

/// The number of a frame by the name of its file; `None` without one.
#[must_use]
pub fn frame_number(file: &Path) -> Option<u64> {
    split_number(&file.file_name()?.to_string_lossy()).map(|parts| parts.number)
}

/// A file name taken apart at its frame number.
struct Numbered {
    number: u64,
    around: String,
}

/// Finds the last run of digits before the extension; `None` if there is none, or it is too long for a
/// number.
fn split_number(name: &str) -> Option<Numbered> {
    let stem = &name[..name.rfind('.').unwrap_or(name.len())];
    let end = stem.rfind(|c: char| c.is_ascii_digit())? + 1;
    let start = stem[..end]
        .rfind(|c: char| !c.is_ascii_digit())
        .map_or(0, |i| i + stem[i..].chars().next().map_or(1, char::len_utf8));
    let number = stem[start..end].parse().ok()?;
    Some(Numbered { number, around: format!("{}*{}", &stem[..start], &stem[end..]) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_has_all_of_a_name_but_its_number() {
        let pattern = |name: &str| ObjSequence::pattern(Path::new(name));
        assert_eq!(pattern("run/s2_0010.obj"), Some("run/s2_*.obj".into()));
        assert_eq!(pattern("shirt.obj"), None);
    }

    #[test]
    fn finds_the_last_number_of_a_name() {
        let split = |n: &str| split_number(n).map(|s| (s.number, s.around));
        assert_eq!(split("shirt2_0010.obj"), Some((10, "shirt2_*".into())));
        assert_eq!(split("é7b.OBJ"), Some((7, "é*b".into())));
        assert_eq!(split("12.obj"), Some((12, "*".into())));
        assert_eq!(split("shirt.obj"), None);
        assert_eq!(split("99999999999999999999.obj"), None);
    }
}
