//! Normals of an OBJ file, recomputed from its polygons.

use std::io::{self, Write};

use nalgebra::{Point3, Vector3};

/// A corner of a polygon: its vertex, and its normal if it has one, counted from 0.
pub(super) type Corner = (u32, Option<u32>);

/// The normals of a template.
#[derive(Clone, Debug)]
pub(super) struct Normals {
    /// The byte of the text that they stand before.
    pub(super) at: usize,
    /// How many there are.
    pub(super) count: usize,
    /// The polygons of which a corner has one.
    pub(super) polygons: Vec<Vec<Corner>>,
}

impl Normals {
    /// Writes the normals of a state: means of the polygons' normals, weighted by area.
    pub(super) fn write(&self, w: &mut impl Write, positions: &[Point3<f64>]) -> io::Result<()> {
        let mut sums = vec![Vector3::zeros(); self.count];
        for polygon in &self.polygons {
            let area = area_vector(polygon.iter().map(|&(v, _)| positions[v as usize]));
            polygon.iter().filter_map(|&(_, n)| n).for_each(|n| sums[n as usize] += area);
        }
        for sum in sums {
            // What has no area has no normal; readers want one of length 1 all the same.
            let normal = sum.try_normalize(0.0).unwrap_or_else(Vector3::y);
            writeln!(w, "vn {:.6} {:.6} {:.6}", normal.x, normal.y, normal.z)?;
        }
        Ok(())
    }
}

/// Twice the area of a polygon, along its normal (Newell).
fn area_vector(mut corners: impl Iterator<Item = Point3<f64>>) -> Vector3<f64> {
    let Some(first) = corners.next() else { return Vector3::zeros() };
    let (mut sum, mut last) = (Vector3::zeros(), Vector3::zeros());
    for arm in corners.map(|p| p - first) {
        sum += last.cross(&arm);
        last = arm;
    }
    sum
}
