//! Where the contacts of a scene come from, and the file that they are kept in.

use std::path::PathBuf;

use cloth_io::ContactFile;
use cloth_scene::Scene;
use cloth_solver::{CachedPair, ContactCache, ContactSource, Simulation, SimulationBuilder};

use super::source::Source;
use crate::failure::Failure;
use crate::files::RunFiles;

/// The file that contacts are kept in.
pub(super) struct ContactCacheFile {
    path: PathBuf,
    /// What it held.
    found: Option<ContactFile>,
}

/// The file that a scene names, read if it is there; none if it names none.
pub(super) fn file(scene: &Scene, source: &Source) -> Result<Option<ContactCacheFile>, Failure> {
    let Some(file) = &scene.contact_file else { return Ok(None) };
    if !matches!(scene.settings.contacts, ContactSource::Cached { .. }) {
        let text = "is for contacts that are computed once; say `source = \"cached\"`, or leave the file out";
        return Err(source.fail("contacts.file", text));
    }
    let path = source.resolve(file);
    let found = if path.exists() { Some(ContactFile::read(&path)?) } else { None };
    Ok(Some(ContactCacheFile { path, found }))
}

impl ContactCacheFile {
    /// Gives the builder what was found; the builder refuses what is not of its meshes. False if nothing was.
    pub(super) fn take(&self, builder: &mut SimulationBuilder) -> bool {
        let Some(found) = &self.found else { return false };
        let pair = |&(vertex, face, distance): &(u32, u32, f32)| CachedPair { vertex, face, distance };
        builder.set_contact_cache(ContactCache::unchecked(
            found.fingerprint,
            found.pairs.iter().map(pair).collect(),
        ));
        true
    }

    /// Writes what a simulation has computed, if it has, and says so.
    pub(super) fn keep(&self, simulation: &Simulation, files: &RunFiles) -> Result<Option<String>, Failure> {
        let Some(cache) = simulation.contact_cache() else { return Ok(None) };
        let pairs = cache.pairs().iter().map(|p| (p.vertex, p.face, p.distance)).collect();
        files.confirm(&self.path, "`contacts.file`")?;
        ContactFile { fingerprint: cache.fingerprint(), pairs }.write(&self.path)?;
        Ok(Some(format!(
            "{} contacts between layers computed, and kept in {}",
            cache.pairs().len(),
            self.path.display()
        )))
    }
}
