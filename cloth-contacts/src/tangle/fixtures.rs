//! Hand-made crossings of two sheets, or of one with itself.

use cloth_geom::fixtures::sheet;
use cloth_geom::{Topology, TriMesh};
use nalgebra::{Point3, Vector3};

use super::{Contour, trace};
use crate::intersect::find;

/// A mesh with its topology and the contours of its state.
pub(super) struct Traced {
    pub(super) mesh: TriMesh,
    pub(super) topology: Topology,
    pub(super) hits: Vec<[u32; 2]>,
    pub(super) contours: Vec<Contour>,
}

impl Traced {
    pub(super) fn new(mesh: TriMesh) -> Self {
        let topology = Topology::of_mesh(&mesh).expect("valid faces");
        let hits = find(&mesh.positions, &topology).expect("finite positions").edge_faces;
        let contours = trace(&hits, &topology);
        Self { mesh, topology, hits, contours }
    }

    pub(super) fn length(&self) -> f64 {
        self.contours.iter().map(|c| c.length(&self.mesh.positions, &self.topology)).sum()
    }
}

/// A square of 1 m about the origin, `n` x `n` cells, lying in y = 0.
pub(super) fn flat(n: usize) -> TriMesh {
    sheet(n + 1, n + 1, [1.0, 1.0]).expect("a valid sheet").mesh
}

/// A flat sheet, and above it another that dips through it by a bump of `depth` (m): closed on both.
pub(super) fn bump(n: usize) -> TriMesh {
    let mut mesh = flat(n);
    mesh.append(&flat(n).mapped(|p| {
        let r_sq = (p.x - 0.013).powi(2) + (p.z - 0.007).powi(2);
        Point3::new(p.x + 0.011, 0.1 - 0.2 * (-r_sq / 0.03).exp(), p.z + 0.017)
    }));
    mesh
}

/// A corner of an upright sheet pokes through the middle of a flat one: over the border on one, a slit in the
/// other.
pub(super) fn corner(n: usize) -> TriMesh {
    let mut mesh = flat(n);
    let upright = flat(n)
        .rotated(Vector3::y_axis(), std::f64::consts::FRAC_PI_4)
        .rotated(Vector3::x_axis(), std::f64::consts::FRAC_PI_2)
        .translated(Vector3::new(0.013, 0.521, 0.031));
    mesh.append(&upright);
    mesh
}

/// Two sheets crossed in an X, the upright one narrower: over its border at both ends, a slit in the flat
/// one.
pub(super) fn crossed(n: usize, width: f64) -> TriMesh {
    let mut mesh = flat(n);
    let upright = flat(n).mapped(|p| Point3::new(p.x * width + 0.003, p.z + 0.017, 0.021));
    mesh.append(&upright);
    mesh
}

/// One sheet, rolled about z by more than a turn, of which one end sinks through the other: over the border
/// at both ends.
pub(super) fn rolled(n: usize) -> TriMesh {
    flat(n).mapped(|p| {
        // Askew, so that no edge of one end lies in a face of the other.
        let angle = 8.0 * (p.x + 0.5 + 0.21 * p.z);
        let reach = 0.15 + 0.03 * (angle * 0.35 + 6.0 * p.z).sin();
        Point3::new(reach * angle.cos(), reach * angle.sin(), p.z + 0.13 * p.x)
    })
}

/// One sheet that intersects itself from a loop vertex on (Whitney's umbrella): seen along z, its profile is
/// a curve that crosses itself the more the greater z is, and not at all below the middle.
pub(super) fn looped(n: usize) -> TriMesh {
    flat(n).mapped(|p| {
        let (s, a) = (1.7 * p.x + 0.013, 0.8 * p.z + 0.1);
        Point3::new(s * s * s - a * s + 0.05 * s * p.z, s * s, p.z + 0.1 * s)
    })
}
