//! The search for the place near a target where a garment is least inside the body.
//!
//! Colliders push vertices out the shorter way, so a start a little inside is no harm where that is the right
//! way: a vertex must keep away from the axis. No vertex inside is not enough, since a sheet of wide faces
//! could have a neck between its vertices; so no face may meet the axis of a capsule.

use cloth_geom::TriMesh;
use cloth_geom::exact::segment_meets_triangle;
use cloth_verify::LimbAngles;
use nalgebra::{Point3, Vector3};

use super::body::Body;

/// How deep a vertex may start, as a part of the radius: at the axis itself no way out is the right one.
const MAX_PART: f64 = 0.8;
/// Distance (m) that vertices should keep from the body at the start.
const CLEARANCE: f64 = 0.006;
/// Vertices that take part in the search; the best places are measured with all.
const SAMPLED: usize = 800;
/// How many of the best places are measured in full.
const MEASURED: usize = 64;

/// A place of a garment, and how far that is inside the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fit {
    /// Where it is moved (m).
    pub(super) translate: Vector3<f64>,
    /// How the figure holds its limbs there.
    pub(super) limbs: LimbAngles,
    /// How deep its deepest vertex starts inside (m), 0 if none does.
    pub(super) depth: f64,
}

/// One place to try.
pub(super) struct Candidate {
    pub(super) translate: Vector3<f64>,
    pub(super) limbs: LimbAngles,
    /// How far it is from the place where the garment belongs (m): between places that are as good the nearer
    /// one wins.
    pub(super) off: f64,
}

/// The best of some places; none if the garment would be too deep in the body, be pierced by it, or reach
/// below the ground on which it stands, in all of them.
pub(super) fn best(mesh: &TriMesh, height: f64, candidates: &[Candidate]) -> Option<Fit> {
    let step = mesh.positions.len().div_ceil(SAMPLED);
    let sample: Vec<Point3<f64>> = mesh.positions.iter().step_by(step).copied().collect();
    let mut bodies: Vec<(LimbAngles, Body)> = Vec::new();
    for candidate in candidates {
        if bodies.iter().all(|(limbs, _)| *limbs != candidate.limbs) {
            bodies.push((candidate.limbs, Body::new(height, candidate.limbs)));
        }
    }
    let body = |limbs: LimbAngles| bodies.iter().find(|(of, _)| *of == limbs).map(|(_, body)| body);
    let lowest = mesh.bounds().min.y;
    let above_ground = candidates.iter().filter(|c| lowest + c.translate.y > 0.0);
    let ranked = above_ground.filter_map(|c| Some((cost(&sample, c, body(c.limbs)?), c)));
    let mut ranked: Vec<(f64, &Candidate)> = ranked.collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    ranked.iter().take(MEASURED).find_map(|(_, c)| {
        let body = body(c.limbs)?;
        let depth = depth(mesh, &c.translate, body)?;
        let fits = !is_pierced(mesh, &c.translate, body);
        fits.then_some(Fit { translate: c.translate, limbs: c.limbs, depth })
    })
}

/// The mean square (m2) by which vertices are nearer than they should, and a little for being off.
fn cost(sample: &[Point3<f64>], candidate: &Candidate, body: &Body) -> f64 {
    let near = |p: &Point3<f64>| (body.depth(&(p + candidate.translate)).0 + CLEARANCE).max(0.0);
    let sum: f64 = sample.iter().map(|p| near(p) * near(p)).sum();
    // A hundredth of the vertices a millimetre inside weigh as much as 10 cm off.
    sum / sample.len() as f64 + 1e-6 * candidate.off * candidate.off
}

/// The depth (m) of the deepest vertex, 0 if none is inside; none if one is too deep.
fn depth(mesh: &TriMesh, translate: &Vector3<f64>, body: &Body) -> Option<f64> {
    mesh.positions.iter().try_fold(0.0, |deepest: f64, p| {
        let (depth, part) = body.depth(&(p + translate));
        (part <= MAX_PART).then(|| deepest.max(depth))
    })
}

/// Whether a face meets the axis of a capsule.
fn is_pierced(mesh: &TriMesh, translate: &Vector3<f64>, body: &Body) -> bool {
    let axes: Vec<[Point3<f64>; 2]> = body.axes().collect();
    mesh.faces.iter().any(|face| {
        let [a, b, c] = face.map(|v| mesh.positions[v as usize] + translate);
        axes.iter().any(|[p, q]| segment_meets_triangle([p, q], [&a, &b, &c]))
    })
}
