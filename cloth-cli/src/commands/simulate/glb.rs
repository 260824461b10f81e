//! The result of a run as one GLB file: the character with the motion that it made, and the garments with
//! theirs.

use std::path::Path;

use cloth_character::{Pose, Transform};
use cloth_io::glb::{GlbCharacter, GlbGarment, GlbOptions, GlbScene, write_glb};
use cloth_show::program::console::counted;
use cloth_show::program::{Failure, RunFiles};
use nalgebra::{Point3, Vector3};

use cloth_show::run::Prepared;
use cloth_show::stage::COLORS;

/// What the file is, in errors.
pub(super) const ROLE: &str = "the GLB file";

/// Positions and poses of all frames, kept until the file is written.
#[derive(Default)]
pub(super) struct GlbRecorder {
    /// Of each garment, of each frame.
    garments: Vec<Vec<Vec<Point3<f32>>>>,
    poses: Vec<Pose>,
    /// Of each garment, the frames in which it was teleported.
    cuts: Vec<Vec<usize>>,
}

impl GlbRecorder {
    /// Keeps the present state.
    pub(super) fn push(&mut self, prepared: &Prepared) {
        self.garments.resize_with(prepared.scene.garments.len(), Vec::new);
        self.cuts.resize_with(prepared.scene.garments.len(), Vec::new);
        let frame = self.garments.first().map_or(0, Vec::len);
        for cut in prepared.simulation.cuts() {
            self.cuts[cut.cloth.index()].push(frame);
        }
        let mut first = 0;
        for (frames, garment) in self.garments.iter_mut().zip(&prepared.scene.garments) {
            let next = first + garment.mesh.positions.len();
            frames.push(prepared.simulation.positions()[first..next].to_vec());
            first = next;
        }
        self.poses.extend(prepared.scene.bodies.character().map(|character| character.sample().pose.clone()));
    }

    /// Writes the file; the line says what was written.
    pub(super) fn write(
        &self,
        path: &Path,
        prepared: &Prepared,
        files: &RunFiles,
    ) -> Result<String, Failure> {
        files.confirm(path, ROLE)?;
        let character = prepared.scene.bodies.character().map(|character| GlbCharacter {
            character: character.character(),
            source: Some(character.path()),
            placement: Transform { scale: Vector3::repeat(character.scale()), ..Transform::default() },
            poses: &self.poses,
        });
        let garments =
            prepared.scene.garments.iter().zip(&self.garments).enumerate().map(|(i, (garment, frames))| {
                let (name, faces) = (&garment.name[..], &garment.mesh.faces[..]);
                let (cuts, [r, g, b]) = (&self.cuts[i], COLORS[i % COLORS.len()]);
                GlbGarment { name, faces, uvs: &[], color: [r, g, b, 1.0], frames, cuts }
            });
        let scene = GlbScene { dt: prepared.scene.dt, character, garments: garments.collect() };
        let written = write_glb(path, &scene, &GlbOptions::default())?;
        let notes: String = written.notes.iter().map(|note| format!("; {note}")).collect();
        let (frames, size) = (counted(written.frames, "frame"), written.bytes as f64 / 1e6);
        Ok(format!("wrote {}: {frames}, {size:.1} MB, in metres, y up{notes}", path.display()))
    }
}
