//! Eight tangled initial states, side by side, are untangled: no intersection may remain at the end.
//!
//! After Wicke, Lanker and Gross 2006, "Untangling Cloth with Boundaries", whose examples are classified by
//! what the contour is on either sheet. Their meshes are not public; these starts were made to have every
//! class (`starts`). There is no gravity, no collider and no pin: what opens a tangle is recovery alone.
//! Without recovery they stay as they are, which is the control.

mod starts;

use cloth_contacts::intersect::find;
use cloth_geom::fixtures::{self, FixtureError};
use cloth_geom::{Topology, TriMesh};
use cloth_show::Direction;
use cloth_show::invariants::MeasuredEdges;
use cloth_solver::{ClothDesc, Material, Settings};
use nalgebra::{Point3, Vector3};

pub use starts::{Start, starts};

use super::parts;
use crate::Size;
use crate::scenario::{Cloths, EndCheck, Expectations, Scenario, Setup, SetupError};

/// From start to start (m).
const APART: f64 = 1.0;
/// Starts in a row.
const ROW: usize = 4;
/// Substeps a frame.
const SUBSTEPS: u32 = 16;
/// Rate (1/s) at which motion decays: nothing else stops a sheet that is resolved.
const DAMPING: f32 = 1.0;
/// Duration (s), and the frame from which on nothing may intersect.
const SECONDS: f32 = 2.0;
const CLEAN_FROM: usize = 60;

pub(super) const SCENARIO: Scenario =
    Scenario { name: "tangled", about: "eight kinds of tangled initial states are untangled", build };

fn build(size: Size) -> Result<Setup, SetupError> {
    let mut setup = Setup::new(settings(), SECONDS);
    let mut ends: Vec<EndCheck> = Vec::new();
    for (number, start) in starts(vertices_along(size))?.iter().enumerate() {
        let first = setup.scene.cloths.len();
        for (cloth, measured) in cloths(start, place(number))? {
            setup.add(cloth, &measured);
        }
        let (name, of_start) = (start.name, first..setup.scene.cloths.len());
        ends.push(Box::new(move |cloths| is_open(name, &cloths.faces[of_start.clone()], cloths)));
    }
    setup.expectations = Expectations {
        starts_tangled: true,
        clean_from: Some(CLEAN_FROM),
        at_the_end: ends,
        ..Expectations::default()
    };
    setup.view = Direction { azimuth_deg: 30.0, elevation_deg: 35.0 };
    Ok(setup)
}

/// Counts what is left of one start.
fn is_open(name: &str, faces: &[&[[u32; 3]]], cloths: &Cloths<'_>) -> Result<(), String> {
    let positions: Vec<Point3<f64>> = cloths.positions.iter().map(|p| p.cast()).collect();
    let topology = Topology::new(positions.len(), &faces.concat()).map_err(|e| e.to_string())?;
    let found = find(&positions, &topology).map_err(|e| e.to_string())?;
    match found.count() {
        0 => Ok(()),
        left => Err(format!("the start `{name}` ends with {left} intersections, expected none")),
    }
}

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
    let dress = |(number, [at, rest]): (usize, &[TriMesh; 2])| {
        let mut cloth = parts::cloth(rest, Material::COTTON, number as u64)?;
        cloth.mesh = jittered(&at.clone().translated(to), &cloth, number as u64)?;
        let measured = MeasuredEdges::of_mesh(rest, &Topology::of_mesh(rest)?);
        Ok((cloth, measured))
    };
    start.cloths.iter().enumerate().map(dress).collect()
}

/// By a thousandth of an edge, as all cloth of the scenarios: its thickness is half of one.
fn jittered(mesh: &TriMesh, cloth: &ClothDesc, seed: u64) -> Result<TriMesh, FixtureError> {
    fixtures::jitter(mesh, f64::from(cloth.thickness.total()) * 2e-3, seed)
}

/// Where each start is put (m).
#[must_use]
pub fn place(number: usize) -> Vector3<f64> {
    Vector3::new((number % ROW) as f64 * APART, 0.5, (number / ROW) as f64 * APART)
}
