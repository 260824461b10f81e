//! The file that cached contacts of a scene are kept in.

use std::path::{Path, PathBuf};

use cloth_io::{ContactFile, FileError};
use cloth_solver::{CachedPair, ContactCache, ContactSource, Simulation};

use crate::{Scene, SceneSource};

/// The file that a scene names.
pub(crate) enum ContactCacheFile {
    /// It is there, and this is in it; the solver refuses what is not of its meshes.
    Found(ContactCache),
    /// It is to be written here.
    New(PathBuf),
}

impl ContactCacheFile {
    /// The file that a scene names, read if it is there; none if it names none.
    pub(crate) fn open(scene: &Scene, source: &SceneSource) -> Result<Option<Self>, FileError> {
        let Some(file) = &scene.contact_file else { return Ok(None) };
        if !matches!(scene.settings.contacts, ContactSource::Cached { .. }) {
            let text =
                "is for contacts that are computed once; say `source = \"cached\"`, or leave the file out";
            return Err(source.fail("contacts.file", text));
        }
        let path = source.resolve(file);
        if !path.exists() {
            return Ok(Some(Self::New(path)));
        }
        let found = ContactFile::read(&path)?;
        let pair = |&(vertex, face, distance): &(u32, u32, f32)| CachedPair { vertex, face, distance };
        let pairs = found.pairs.iter().map(pair).collect();
        Ok(Some(Self::Found(ContactCache::unchecked(found.fingerprint, pairs))))
    }
}

/// Writes what a simulation has computed, if it has, and says so.
pub(crate) fn keep(path: &Path, simulation: &Simulation) -> Result<Option<String>, FileError> {
    let Some(cache) = simulation.contact_cache() else { return Ok(None) };
    let pairs = cache.pairs().iter().map(|p| (p.vertex, p.face, p.distance)).collect();
    ContactFile { fingerprint: cache.fingerprint(), pairs }.write(path)?;
    let count = cache.pairs().len();
    Ok(Some(format!("{count} contacts between layers computed, and kept in {}", path.display())))
}
