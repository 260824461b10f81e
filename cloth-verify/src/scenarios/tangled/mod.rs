//! Eight tangled starts, side by side, are worked open: nothing may cut itself at the end.
//!
//! After Wicke, Lanker and Gross 2006, "Untangling Cloth with Boundaries", whose examples are told apart by what the contour is
//! on either sheet. Their meshes are not public; these starts were made to have every class (`starts`). There is no
//! gravity, no collider and no pin: what opens a tangle is recovery alone. Without recovery they stay as they are, which is
//! the foil.

mod starts;

use cloth_geom::Topology;
use cloth_geom::fixtures::{self};
use cloth_solver::{ClothDesc, Material, Settings};
use nalgebra::Vector3;

pub use starts::{Start, starts};

use super::parts;
use crate::Size;
use crate::invariants::MeasuredEdges;
use crate::scenario::SetupError;

/// From start to start (m).
const APART: f64 = 1.0;
/// Starts in a row.
const ROW: usize = 4;
/// Substeps a frame.
const SUBSTEPS: u32 = 16;
/// Rate (1/s) at which motion decays: nothing else stops a sheet that has come free.
const DAMPING: f32 = 1.0;

/// Vertices along a side of half a metre.
#[must_use]
pub fn vertices_along(size: Size) -> usize {
    match size {
        Size::Small => 16,
        Size::Medium => 24,
        Size::Large => 40,
    }
}

/// The solver's settings for tangled starts.
#[must_use]
pub fn settings() -> Settings {
    Settings {
        gravity: Vector3::zeros(),
        air_damping: DAMPING,
        recovery: true,
        recovery_speed: 1.0,
        ..parts::settings(SUBSTEPS)
    }
}

/// The cloths of a start, moved by `to` (m).
///
/// # Errors
/// If a mesh cannot be made.
pub fn cloths(start: &Start, to: Vector3<f64>) -> Result<Vec<(ClothDesc, MeasuredEdges)>, SetupError> {
    let dress = |(number, [at, rest]): (usize, &[cloth_geom::TriMesh; 2])| {
        let mut cloth = parts::cloth(rest, Material::COTTON, number as u64)?;
        let jitter = f64::from(cloth.thickness.total()) * 2e-3;
        cloth.mesh = fixtures::jitter(&at.clone().translated(to), jitter, number as u64)?;
        let measured = MeasuredEdges::of_mesh(rest, &Topology::of_mesh(rest)?);
        Ok((cloth, measured))
    };
    start.cloths.iter().enumerate().map(dress).collect()
}

/// Where each start is put (m).
#[must_use]
pub fn place(number: usize) -> Vector3<f64> {
    Vector3::new((number % ROW) as f64 * APART, 0.5, (number / ROW) as f64 * APART)
}
