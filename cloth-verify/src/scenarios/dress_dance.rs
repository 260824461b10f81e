//! A dress on a character that dances: two whole turns, one each way, in 0.8 s each, with kicks, on its bare
//! skin.
//!
//! The dress has a bodice that starts 11 mm off the skin, held at its upper edge by the nearest points of the
//! skin, a waist, and a skirt that flares in the turns and winds round the legs when they stop. The character
//! collides as its skin alone. No frame may have an intersection of the dress with itself or with the skin,
//! and nothing may be released. The control has no self-collision, with which the skin is no obstacle either.

use std::f64::consts::TAU;

use cloth_geom::{Topology, TriMesh};
use cloth_solver::Material;
use nalgebra::{Point3, Vector3};

use super::{cape, parts};
use crate::human::distance_at_bind_pose;
use crate::invariants::MeasuredEdges;
use crate::scenario::{Expectations, Scenario, Setup, SetupError};
use crate::{BodyKind, Direction, Size, Wearer, human};

/// Height (m) of the upper edge, below the arms, of the waist and of the hem.
const TOP: f64 = 1.265;
const WAIST: f64 = 1.09;
const HEM: f64 = 0.52;
/// Radius of the hem (m).
const HEM_RADIUS: f64 = 0.40;
/// Distance of the bodice from the skin (m).
const FIT: f64 = 0.011;
/// Greatest thickness `2r + SCR` (m).
const THICKNESS: f64 = 0.006;
/// Cross-fade from the bind pose to the first pose of the dance (s).
const PRE_ROLL: f64 = 0.5;
/// Substeps a frame: at the fastest, the skin at the hips moves 2.5 mm in one.
const SUBSTEPS: u32 = 16;
/// Greatest 99th percentile of the stretch along the threads in any frame: the waist, which fits closely,
/// yields to hips that roll.
const STRETCH_LIMIT: f64 = 0.14;
/// Vertices around and along at the medium size.
const MEDIUM: [usize; 2] = [60, 34];
/// Of the jitter.
const SEED: u64 = 9;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "dress-dance",
    about: "a dress with a bodice and a skirt on the skin of a character that dances and turns",
    build,
};

fn build(size: Size) -> Result<Setup, SetupError> {
    // The small one dances until its first turn is over.
    let (around, along, seconds) = match size {
        Size::Small => (36, 20, 1.2),
        Size::Medium => (MEDIUM[0], MEDIUM[1], 3.2),
        Size::Large => (120, 68, 3.2),
    };
    let human = human()?;
    let mut setup = Setup::new(parts::settings(SUBSTEPS), (PRE_ROLL + seconds) as f32);
    let mesh = dress(around, along);
    let mut cloth = parts::cloth(&mesh, Material::COTTON, SEED)?;
    cloth.thickness = parts::split(f64::from(cloth.thickness.total()).min(THICKNESS));
    // The last ring is the upper edge.
    let first = (around * (along - 1)) as u32;
    cloth.pins = (first..first + around as u32).collect();
    let start = &cloth.mesh.positions;
    let held: Vec<(u32, Point3<f64>)> = cloth.pins.iter().map(|&v| (v, start[v as usize])).collect();
    let thickness = cloth.thickness;
    setup.add(cloth, &MeasuredEdges::of_mesh(&mesh, &Topology::of_mesh(&mesh)?));
    let motion = cape::chain(human, &[("dance", seconds)], PRE_ROLL)?.build(human.character.clone())?;
    let friction = parts::BODY_FRICTION;
    let mut wearer = Wearer::add_to_scene(&mut setup, human, motion, BodyKind::Skin, friction, thickness)?;
    wearer.hold_by_skin(0, &held)?;
    setup.wearer = Some(wearer);
    setup.expectations = Expectations {
        stretch_p99: Some(STRETCH_LIMIT).into(),
        skin_depth: Some(0.0),
        clean_from: Some(0),
        ..Expectations::default()
    };
    setup.audit_every = parts::audit_every(size);
    setup.view = Direction { azimuth_deg: 25.0, elevation_deg: 8.0 };
    setup.focus = Some([Point3::new(-0.75, 0.0, -0.5), Point3::new(0.75, 1.8, 0.5)]);
    Ok(setup)
}

/// The dress of the scenario `dress-dance` at its medium size, on the bind pose of [`human`](crate::human);
/// its upper edge is at a height of 1.265 m.
#[must_use]
pub fn human_dress() -> TriMesh {
    dress(MEDIUM[0], MEDIUM[1])
}

/// Rings from the hem to the upper edge, faces outward.
fn dress(around: usize, along: usize) -> TriMesh {
    let place = |row: usize, column: usize| {
        let y = HEM + (TOP - HEM) * row as f64 / (along - 1) as f64;
        let angle = TAU * column as f64 / around as f64;
        let direction = Vector3::new(libm::sin(angle), 0.0, libm::cos(angle));
        Point3::new(0.0, y, 0.0) + direction * radius(y, &direction)
    };
    let positions = (0..along).flat_map(|row| (0..around).map(move |column| place(row, column))).collect();
    let cell = |row: usize, column: usize| {
        let next = (column + 1) % around;
        let at = |row: usize, column: usize| (row * around + column) as u32;
        let [a, b, c, d] = [at(row, column), at(row, next), at(row + 1, next), at(row + 1, column)];
        // Alternating diagonals favour no direction of shear.
        if (row + column).is_multiple_of(2) { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
    };
    let faces = (0..along - 1).flat_map(|row| (0..around).flat_map(move |column| cell(row, column)));
    TriMesh::new(positions, faces.collect())
}

/// Distance (m) of the dress from the vertical axis at a height (m) in a direction.
fn radius(y: f64, direction: &Vector3<f64>) -> f64 {
    let body = |y: f64| fitted_radius(y, direction);
    if y >= WAIST {
        return body(y);
    }
    let waist = body(WAIST);
    let share = (WAIST - y) / (WAIST - HEM);
    body(y).max(waist + (HEM_RADIUS - waist) * share)
}

/// The least distance (m) from the axis at which the skin is as far inside as the dress fits.
fn fitted_radius(y: f64, direction: &Vector3<f64>) -> f64 {
    const STEP: f64 = 0.01;
    const ROUNDS: usize = 40;
    let is_clear = |r: f64| distance_at_bind_pose(&(Point3::new(0.0, y, 0.0) + direction * r)) >= FIT;
    let first = (0..60).map(|k| f64::from(k) * STEP).find(|&r| is_clear(r)).unwrap_or(0.0);
    let (mut low, mut high) = ((first - STEP).max(0.0), first);
    for _ in 0..ROUNDS {
        let middle = 0.5 * (low + high);
        if is_clear(middle) { high = middle } else { low = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dress_looks_outward_and_fits_the_body() {
        let mesh = dress(36, 20);
        for f in &mesh.faces {
            let [a, b, c] = f.map(|v| mesh.positions[v as usize]);
            let out = Vector3::new(a.x + b.x + c.x, 0.0, a.z + b.z + c.z);
            assert!((b - a).cross(&(c - a)).dot(&out) > 0.0, "{f:?}");
        }
        let distances: Vec<f64> = mesh.positions.iter().map(distance_at_bind_pose).collect();
        assert!(distances.iter().all(|&d| d > FIT - 1e-6), "outside of the skin");
        let bodice = mesh.positions.iter().zip(&distances).filter(|(p, _)| p.y > WAIST);
        assert!(bodice.clone().count() > 100);
        assert!(bodice.clone().all(|(_, &d)| d < FIT + 1e-3), "on the skin");
    }
}
