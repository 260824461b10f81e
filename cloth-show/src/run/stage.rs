//! The stage of a run: the garments in the vertices of their files, and what they wear or touch.

use std::path::{Path, PathBuf};

use cloth_io::{FileError, UsdPrim};
use cloth_scene::build::AnimatedCharacter;

use super::Prepared;
use super::caches::CACHE_ROLE;
use crate::stage::StageWriter;
use crate::{Failure, RunFiles};

/// A stage of USD under construction.
pub(super) struct RunStage {
    path: PathBuf,
    writer: StageWriter,
    /// Of a character of whom the simulation has proxies alone, its skin.
    shows_skin: bool,
    frames: usize,
}

impl RunStage {
    /// Starts the stage of a run. Of bodies it has the meshes, the skin of the character, and what can be
    /// drawn of colliders.
    pub(super) fn start(path: &Path, prepared: &Prepared) -> Result<Self, FileError> {
        let Prepared { scene, simulation, .. } = prepared;
        let mut writer = StageWriter::start(path, scene.dt)?;
        let mut first = 0;
        for garment in &scene.garments {
            let file = &garment.file;
            let (name, faces, uv) = (&garment.name[..], &file.faces[..], file.uv.as_deref());
            let vertices = garment.vertex_map.iter().map(|v| v + first);
            writer.add(&UsdPrim { name, faces, uv, ..UsdPrim::default() }, vertices)?;
            first += garment.mesh.positions.len() as u32;
        }
        let body = UsdPrim { is_body: true, ..UsdPrim::default() };
        for (k, mesh) in scene.desc.mesh_bodies.iter().enumerate() {
            let id = simulation.mesh_body_id(k).ok();
            let Some(own) = id.and_then(|id| simulation.body_vertices(id)) else { continue };
            let name = scene.bodies.mesh_name(k).unwrap_or("body");
            let vertices = own.start as u32..own.end as u32;
            writer.add(&UsdPrim { name, faces: &mesh.mesh.faces, ..body }, vertices)?;
        }
        let character = scene.bodies.character();
        let skin = character.filter(|character| !character.body.has_skin());
        if let Some(skin) = skin {
            // Behind all that the simulation has.
            let first = simulation.positions().len() as u32;
            let vertices = first..first + skin.positions().len() as u32;
            writer.add(&UsdPrim { name: "character", faces: skin.faces(), ..body }, vertices)?;
        }
        // The last colliders stand for the character.
        let proxies = character.map_or(0, AnimatedCharacter::proxy_count);
        let colliders = simulation.colliders();
        writer.add_colliders(&colliders[..colliders.len() - proxies], |k| scene.bodies.name(k))?;
        Ok(Self { path: path.to_path_buf(), writer, shows_skin: skin.is_some(), frames: 0 })
    }

    /// Appends the present state.
    pub(super) fn push(&mut self, prepared: &Prepared) -> Result<(), FileError> {
        let Prepared { scene, simulation, .. } = prepared;
        let mut positions = simulation.positions().to_vec();
        if let Some(character) = scene.bodies.character().filter(|_| self.shows_skin) {
            positions.extend_from_slice(character.positions());
        }
        let cut: Vec<usize> = simulation.cuts().iter().map(|cut| cut.cloth.index()).collect();
        self.frames += 1;
        self.writer.push(&positions, simulation.colliders(), &cut)
    }

    /// Gives the stage its name, with the frames that it has; one without any leaves no file.
    pub(super) fn finish(self, files: &RunFiles) -> Result<(), Failure> {
        if self.frames > 0 {
            files.confirm(&self.path, CACHE_ROLE)?;
            self.writer.finish()?;
        }
        Ok(())
    }
}
