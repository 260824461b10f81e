//! A dress for the built-in character: a bodice close to its skin, a waist, and a skirt.

use std::f64::consts::TAU;

use cloth_geom::TriMesh;
use nalgebra::{Point3, Vector3};

use super::distance_at_bind_pose;

/// Height (m) of the upper edge, below the arms, of the waist and of the hem.
const TOP: f64 = 1.265;
const WAIST: f64 = 1.09;
const HEM: f64 = 0.52;
/// Radius of the hem (m).
const HEM_RADIUS: f64 = 0.40;
/// Distance of the bodice from the skin (m).
const FIT: f64 = 0.011;

/// A dress of 2,040 vertices on the bind pose of [`human`](super::human()); its upper edge is at a height of
/// 1.265 m.
#[must_use]
pub fn human_dress() -> TriMesh {
    ring_dress(60, 34)
}

/// The same of so many vertices around and along: rings from the hem to the upper edge, faces outward.
#[must_use]
pub fn ring_dress(around: usize, along: usize) -> TriMesh {
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
        let mesh = ring_dress(36, 20);
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
