//! A run as a stage of USD, in the very bits of its states: cloths, surfaces of bodies, and colliders as they
//! are drawn.

use std::path::Path;

use cloth_io::{FileError, UsdPrim, UsdWriter};
use cloth_solver::Collider;
use nalgebra::Point3;

use crate::shapes::collider_shape;

/// Linear colours of garments, in turn: those of the pictures.
pub const COLORS: [[f32; 3]; 4] =
    [[0.024, 0.175, 0.418], [0.68, 0.323, 0.024], [0.05, 0.323, 0.107], [0.254, 0.114, 0.462]];

/// Frames a second (Hz) of frames of `dt` (s), to thousandths: a step may be rounded.
#[must_use]
pub fn frame_rate(dt: f64) -> f64 {
    (1e3 / dt).round() / 1e3
}

/// A stage under construction.
#[derive(Debug)]
pub struct StageWriter {
    writer: UsdWriter,
    parts: Vec<(usize, Part)>,
    cloths: usize,
}

/// What a mesh of the stage shows.
#[derive(Debug)]
enum Part {
    /// A cloth, by its number, and its vertices in the state.
    Cloth(usize, Vec<u32>),
    Body(Vec<u32>),
    Collider(usize),
}

impl StageWriter {
    /// Starts the stage of a run with frames of `dt` (s).
    ///
    /// # Errors
    /// If `dt` is not positive.
    pub fn start(path: &Path, dt: f64) -> Result<Self, FileError> {
        let writer = UsdWriter::create(path, frame_rate(dt))?;
        Ok(Self { writer, parts: Vec::new(), cloths: 0 })
    }

    /// Adds a cloth or the surface of a body, whose vertices have these numbers in the positions of a state.
    ///
    /// # Errors
    /// Those of [`UsdWriter::add`].
    pub fn add(
        &mut self,
        prim: &UsdPrim<'_>,
        vertices: impl IntoIterator<Item = u32>,
    ) -> Result<(), FileError> {
        let vertices: Vec<u32> = vertices.into_iter().collect();
        let color = prim.color.or((!prim.is_body).then(|| COLORS[self.cloths % COLORS.len()]));
        let added = self.writer.add(&UsdPrim { points: vertices.len(), color, ..*prim })?;
        let part = if prim.is_body { Part::Body(vertices) } else { Part::Cloth(self.cloths, vertices) };
        self.cloths += usize::from(!prim.is_body);
        self.parts.push((added, part));
        Ok(())
    }

    /// Adds colliders, by their numbers in a state, of which those are shown that can be drawn; `name` has
    /// their names.
    ///
    /// # Errors
    /// If the disk is full.
    pub fn add_colliders<'a>(
        &mut self,
        colliders: &[Collider],
        name: impl Fn(usize) -> Option<&'a str>,
    ) -> Result<(), FileError> {
        for (k, collider) in colliders.iter().enumerate() {
            let Some(shape) = collider_shape(collider) else { continue };
            let (name, points, faces) =
                (name(k).unwrap_or("collider"), shape.positions.len(), &shape.faces[..]);
            let prim = UsdPrim { name, is_body: true, points, faces, ..UsdPrim::default() };
            self.parts.push((self.writer.add(&prim)?, Part::Collider(k)));
        }
        Ok(())
    }

    /// Appends a state (m) in which these cloths have been teleported: what was before is held until it, also
    /// of the bodies.
    ///
    /// # Errors
    /// If the state is another run's, or the disk is full.
    pub fn push(
        &mut self,
        positions: &[Point3<f32>],
        colliders: &[Collider],
        cut: &[usize],
    ) -> Result<(), FileError> {
        for (prim, part) in &self.parts {
            let is_cut = match part {
                Part::Cloth(k, _) => cut.contains(k),
                Part::Body(_) | Part::Collider(_) => !cut.is_empty(),
            };
            let points: Vec<Point3<f32>> = match part {
                Part::Cloth(_, own) | Part::Body(own) => {
                    own.iter().filter_map(|&v| positions.get(v as usize).copied()).collect()
                }
                Part::Collider(k) => colliders.get(*k).and_then(collider_shape).unwrap_or_default().positions,
            };
            self.writer.push(*prim, &points, is_cut)?;
        }
        Ok(())
    }

    /// Gives the stage its name.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish(self) -> Result<(), FileError> {
        self.writer.finish()
    }
}
