//! The orientation of four points.

use cloth_geom::exact::{self, Sign, reference};
use nalgebra::Point3;
use robust::Coord3D;

use super::Effort;
use super::inputs::{Four, KINDS, coplanar};
use super::kernels::{Implementation, verdict};
use crate::schema::KernelResult;

/// All implementations on both kinds of inputs.
pub(super) fn all(effort: Effort) -> Vec<KernelResult> {
    KINDS.iter().flat_map(|kind| orient3d(kind, effort)).collect()
}

fn orient3d(kind: &str, effort: Effort) -> Vec<KernelResult> {
    let inputs = coplanar(kind, effort.queries);
    let exact: Vec<Sign> = inputs.iter().map(|[a, b, c, d]| reference::orient3d(a, b, c, d)).collect();
    let row = |name, package, own| {
        Implementation { name, package, own }.row("orient3d", kind, "integer arithmetic")
    };
    let shewchuk: Vec<[Coord3D<f64>; 4]> =
        inputs.iter().map(|four| four.map(|p| Coord3D { x: p.x, y: p.y, z: p.z })).collect();
    let arrays: Vec<[[f64; 3]; 4]> = inputs.iter().map(|four| four.map(Into::into)).collect();
    vec![
        verdict(
            row("exact::orient3d", "cloth-geom", true),
            &inputs,
            &exact,
            effort,
            |[a, b, c, d]: &Four| exact::orient3d(a, b, c, d),
        ),
        verdict(row("orient3d", "robust", false), &shewchuk, &exact, effort, |&[a, b, c, d]| {
            sign(-robust::orient3d(a, b, c, d))
        }),
        verdict(row("orient3d", "geometry-predicates", false), &arrays, &exact, effort, |&[a, b, c, d]| {
            sign(-geometry_predicates::orient3d(a, b, c, d))
        }),
        verdict(row("determinant in f64", "nalgebra", false), &inputs, &exact, effort, |[a, b, c, d]| {
            sign(determinant(a, b, c, d))
        }),
    ]
}

/// The sign of a value; Shewchuk's predicates are positive below the plane, where this project's is negative.
fn sign(value: f64) -> Sign {
    value.partial_cmp(&0.0).map_or(Sign::Zero, Sign::from)
}

/// The same without exactness.
fn determinant(a: &Point3<f64>, b: &Point3<f64>, c: &Point3<f64>, d: &Point3<f64>) -> f64 {
    (b - a).cross(&(c - a)).dot(&(d - a))
}
