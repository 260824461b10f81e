//! The exact check of a state on the meshes of a scene, folded flat and folded over: what it was shown before
//! changes no outcome.
//!
//! A cloth in motion hardly ever lies flat on itself to the last bit, where a certificate that spares pairs
//! is easiest to get wrong. Layers that are folded coincide, and opposite normals are exactly opposite.

use cloth_contacts::intersect::{Checker, IntersectError};
use cloth_geom::Topology;
use cloth_show::choice::BroadPhaseChoice;
use nalgebra::Point3;

use super::random::SplitMix64;
use super::scene::FuzzCloth;

/// Folded states of each cloth.
const STATES: usize = 12;

/// Says what differs, if anything does.
pub(super) fn check(piece: &FuzzCloth, choice: BroadPhaseChoice) -> Result<(), String> {
    let mesh = piece.mesh.rest().map_err(|e| e.to_string())?;
    let topology = Topology::of_mesh(&mesh).map_err(|e| e.to_string())?;
    let mut random = SplitMix64::new(piece.jitter.1);
    let mut checker = Checker::with_broad_phase(choice.broad_phase());
    for _ in 0..STATES {
        let state = folded(&mut random, &mesh.positions, piece.mesh.spacing());
        agrees(&mut checker, &state, &topology, choice)?;
    }
    Ok(())
}

/// Whether the outcome on a state (m) is the same after others as alone.
pub(super) fn agrees(
    checker: &mut Checker,
    state: &[Point3<f64>],
    topology: &Topology,
    choice: BroadPhaseChoice,
) -> Result<(), String> {
    let describe = |e: IntersectError| e.to_string();
    let after_others = checker.check(state, topology).map_err(describe)?;
    let mut first = Checker::with_broad_phase(choice.broad_phase());
    let alone = first.check(state, topology).map_err(describe)?;
    if after_others == alone {
        return Ok(());
    }
    Err(format!(
        "the check of a state finds {} intersections and {} flat folds after other states, and {} and {} \
         alone",
        after_others.count(),
        after_others.flat_folds.len(),
        alone.count(),
        alone.flat_folds.len()
    ))
}

/// Folded flat along one axis, and over the other at a small angle; rounded as a simulation has it.
fn folded(random: &mut SplitMix64, flat: &[Point3<f64>], spacing: f32) -> Vec<Point3<f64>> {
    let spacing = f64::from(spacing);
    let [line, over] = [(); 2].map(|()| f64::from(random.between(-1.0, 1.0)) * spacing);
    let over = if random.chance(0.5) { 0.0 } else { over };
    let lift = if random.chance(0.3) { 0.0 } else { f64::from(random.between(0.0, 0.5)) };
    let fold = |p: &Point3<f64>| {
        let x = if p.x > line { 2.0 * line - p.x } else { p.x };
        let (y, z) = if p.z > over { (p.y + lift * (p.z - over), 2.0 * over - p.z) } else { (p.y, p.z) };
        Point3::new(x, y, z).cast::<f32>().cast::<f64>()
    };
    flat.iter().map(fold).collect()
}
