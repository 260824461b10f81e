//! What one argument names: a mesh, and the states of it that are to be judged.

use std::path::{Path, PathBuf};

use cloth_geom::TriMesh;
use cloth_io::character::{is_gltf, read_gltf};
use cloth_io::{
    ArrayNames, FileError, GltfShapes, LoadedMesh, NpzMesh, ObjSequence, PointCache, UsdMesh, is_npz, is_usd,
    read_mesh, read_mesh_arrays, read_shapes, split_prim,
};
use nalgebra::Point3;

use super::skinned::{ClipChoice, SkinnedStates};

/// A mesh with its states.
#[derive(Debug)]
pub struct Subject {
    /// As it was named.
    pub path: PathBuf,
    /// The mesh as read; of a sequence its first frame.
    pub mesh: TriMesh,
    /// What the reader left out or changed.
    pub notes: Vec<String>,
    states: States,
    cache: Option<PathBuf>,
}

#[derive(Debug)]
enum States {
    /// The mesh itself.
    One,
    /// OBJ frames.
    Sequence(ObjSequence),
    /// The shape keys of a glTF file.
    Shapes(GltfShapes),
    /// The poses of a character.
    Skinned(SkinnedStates),
    /// The frames of a NumPy archive.
    Arrays(NpzMesh),
    /// A layer of USD.
    Usd(UsdMesh),
    /// A point cache.
    Cache(PointCache),
}

impl Subject {
    /// The files that [`Self::open`] reads, without its cache; what cannot be listed is refused there.
    #[must_use]
    pub fn files(path: &Path) -> Vec<PathBuf> {
        let sequence = is_sequence(path).then(|| ObjSequence::files(path).ok()).flatten();
        sequence.unwrap_or_else(|| vec![split_prim(path).0.to_path_buf()])
    }

    /// Opens what [`Self::open_arrays`] does, of archives the arrays that it finds by itself.
    ///
    /// # Errors
    /// Those of [`Self::open_arrays`].
    pub fn open(path: &Path, cache: Option<&Path>) -> Result<Self, FileError> {
        Self::open_arrays(path, cache, &ArrayNames::default())
    }

    /// Opens a mesh file, with its cache if there is one, a glTF file, a NumPy archive, a layer of USD, or
    /// a folder or pattern of OBJ frames. With a cache, the positions of `names` are those of the cache.
    ///
    /// Of a glTF file with shape keys, its states are their keys. Of another, they are its bind pose and then
    /// all of its clips, 30 times a second; a cut leads to each clip.
    ///
    /// # Errors
    /// If a file cannot be read or is not valid, or the cache is not one of this mesh.
    pub fn open_arrays(path: &Path, cache: Option<&Path>, names: &ArrayNames) -> Result<Self, FileError> {
        if is_sequence(path) {
            if cache.is_some() {
                return Err(FileError::new(path, "is a sequence; --cache wants one mesh file"));
            }
            return Self::open_frames(path, ObjSequence::files(path)?);
        }
        if is_gltf(path) {
            if cache.is_some() {
                return Err(FileError::new(path, "has its own states; --cache wants a mesh file"));
            }
            let Some(shapes) = read_shapes(path)? else {
                let character = read_gltf(path)?;
                let skinned = SkinnedStates::new(character.character, &ClipChoice::default())
                    .map_err(|e| FileError::new(path, e))?;
                return Ok(Self::new(path, skinned.mesh(), character.notes, States::Skinned(skinned)));
            };
            let (mesh, notes) = (shapes.mesh.clone(), shapes.notes.clone());
            return Ok(Self::new(path, mesh, notes, States::Shapes(shapes)));
        }
        if is_npz(path) && cache.is_none() {
            let arrays = NpzMesh::read_arrays(path, names)?;
            let (mesh, notes) = (arrays.mesh.clone(), arrays.notes.clone());
            return Ok(Self::new(path, mesh, notes, States::Arrays(arrays)));
        }
        if is_usd(path) && cache.is_none() {
            let mut read = UsdMesh::read(path)?;
            let LoadedMesh { mesh, notes, .. } = std::mem::take(&mut read.loaded);
            return Ok(Self::new(path, mesh, notes, States::Usd(read)));
        }
        let Some(cache) = cache else {
            let LoadedMesh { mesh, notes, .. } = read_mesh(path)?;
            return Ok(Self::new(path, mesh, notes, States::One));
        };
        let mut loaded = read_mesh_arrays(path, &ArrayNames { positions: None, ..names.clone() })?;
        let cache = open_cache(cache, path, &loaded.mesh, names)?;
        if is_npz(path) {
            // They are about positions.
            loaded.notes.clear();
        }
        let file = cache.path().display().to_string();
        loaded.notes.extend(cache.notes().iter().map(|note| format!("{file}: {note}")));
        let cache_path = Some(cache.path().to_path_buf());
        Ok(Self { cache: cache_path, ..Self::new(path, loaded.mesh, loaded.notes, States::Cache(cache)) })
    }

    fn new(path: &Path, mesh: TriMesh, notes: Vec<String>, states: States) -> Self {
        Self { path: path.to_path_buf(), mesh, notes, states, cache: None }
    }

    /// The file that has the states: the cache, if there is one.
    #[must_use]
    pub fn states_path(&self) -> &Path {
        self.cache.as_deref().unwrap_or(&self.path)
    }

    /// Opens OBJ files as the frames of one mesh, which `named` names.
    ///
    /// # Errors
    /// As [`ObjSequence::open`].
    pub fn open_frames(named: &Path, files: Vec<PathBuf>) -> Result<Self, FileError> {
        let sequence = ObjSequence::from_files(named, files)?;
        let LoadedMesh { mesh, notes, .. } = sequence.first().clone();
        Ok(Self::new(named, mesh, notes, States::Sequence(sequence)))
    }

    /// Whether the states are poses of a character.
    #[must_use]
    pub fn is_character(&self) -> bool {
        matches!(self.states, States::Skinned(_))
    }

    /// Chooses the states of a character.
    ///
    /// # Errors
    /// If it is no character, or has no such clip.
    pub fn choose_clips(&mut self, choice: &ClipChoice) -> Result<(), FileError> {
        let refuse = |text: String| FileError::new(&self.path, text);
        let States::Skinned(skinned) = &mut self.states else {
            return Err(refuse("has no clips: --clip is for a glTF file with a skin".to_owned()));
        };
        *skinned = SkinnedStates::new(skinned.character(), choice).map_err(refuse)?;
        Ok(())
    }

    /// What the states are, a sentence each, where the file does not number them.
    #[must_use]
    pub fn states_in_words(&self) -> Vec<String> {
        match &self.states {
            States::Skinned(skinned) => skinned.in_words(),
            _ => Vec::new(),
        }
    }

    /// How many states there are.
    #[must_use]
    pub fn state_count(&self) -> usize {
        match &self.states {
            States::One => 1,
            States::Sequence(sequence) => sequence.frame_count(),
            States::Shapes(shapes) => shapes.state_count(),
            States::Skinned(skinned) => skinned.state_count(),
            States::Arrays(arrays) => arrays.state_count(),
            States::Usd(read) => read.state_count(),
            States::Cache(cache) => cache.frame_count(),
        }
    }

    /// The number of a state as the sequence or the cache counts; `None` for a mesh alone.
    #[must_use]
    pub fn frame_number(&self, state: usize) -> Option<f64> {
        match &self.states {
            States::One => None,
            States::Sequence(sequence) => sequence.frames().nth(state).map(|(number, _)| number as f64),
            States::Arrays(arrays) => arrays.has_frames().then_some(state as f64),
            States::Usd(read) => read.time_code(state),
            States::Shapes(shapes) => (shapes.state_count() > 1).then_some(state as f64),
            States::Skinned(skinned) => (skinned.state_count() > 1).then_some(state as f64),
            States::Cache(cache) => Some(cache.number(state)),
        }
    }

    /// The states that a cut leads to, as the file says; only GLB files and USD do.
    #[must_use]
    pub fn cuts(&self) -> &[usize] {
        match &self.states {
            States::Shapes(shapes) => shapes.cuts(),
            States::Skinned(skinned) => skinned.cuts(),
            States::Usd(read) => read.cuts(),
            States::Cache(cache) => cache.cuts(),
            _ => &[],
        }
    }

    /// The positions (m) of a state, one for each vertex of the mesh.
    ///
    /// # Errors
    /// If there is no such state, or it cannot be read.
    pub fn read(&mut self, state: usize) -> Result<Vec<Point3<f64>>, FileError> {
        match &mut self.states {
            States::One => Ok(self.mesh.positions.clone()),
            States::Sequence(sequence) => sequence.read_frame(state),
            States::Shapes(shapes) => Ok(shapes.positions(state)),
            States::Skinned(skinned) => Ok(skinned.positions(state)),
            States::Arrays(arrays) => arrays.read_frame(state),
            States::Usd(read) => read.read_frame(state),
            States::Cache(cache) => cache.read_frame(state),
        }
    }
}

/// Whether a path is a folder or a pattern.
fn is_sequence(path: &Path) -> bool {
    path.is_dir() || (!path.is_file() && path.as_os_str().to_string_lossy().contains('*'))
}

fn open_cache(
    cache: &Path,
    path: &Path,
    mesh: &TriMesh,
    names: &ArrayNames,
) -> Result<PointCache, FileError> {
    let vertices = mesh.positions.len();
    let opened = PointCache::open(cache, names, vertices)?;
    let points = opened.point_count();
    if points != vertices {
        let text = format!(
            "holds {points} points a frame, but {} has {vertices} vertices; give the mesh it was made from",
            path.display()
        );
        return Err(FileError::new(cache, text));
    }
    Ok(opened)
}
