//! Cloth that sleeps is touched by nothing that moves.

use std::ops::Range;

use cloth_solver::{ClothId, Simulation};
use nalgebra::{Isometry3, Point3};

use super::player::ScenePlayer;

/// How much deeper (m) than before the step a vertex that sleeps may be in a rigid body, in addition to a
/// share of the size of coordinates.
const DEEPER: f32 = 1.0e-4;
const ROUNDING: f32 = 1.0e-5;

/// A cloth: its vertices, and whether it sleeps.
struct Cloth {
    vertices: Range<usize>,
    asleep: bool,
}

/// Checks the end of a step before which the colliders had some poses.
pub(super) fn undisturbed(player: &ScenePlayer<'_>, before: &[Isometry3<f32>]) -> Result<(), String> {
    let simulation = &player.simulation;
    let cloth = |id: ClothId| {
        let vertices = simulation.cloth_vertices(id)?;
        Some(Cloth { vertices, asleep: simulation.is_asleep(id).ok()? })
    };
    let cloths: Vec<Cloth> = player.cloths.iter().filter_map(|played| cloth(played.id)).collect();
    check_contacts(simulation, &cloths)?;
    for (index, played) in player.colliders.iter().enumerate() {
        if simulation.rigid_body(played.id).is_ok() {
            let collider = &simulation.colliders()[index];
            let sleepers = cloths.iter().filter(|cloth| cloth.asleep);
            for v in sleepers.flat_map(|cloth| cloth.vertices.clone()) {
                let p = &simulation.positions()[v];
                let depth = |pose: &Isometry3<f32>| {
                    let local: Point3<f32> = pose.inverse_transform_point(p);
                    -collider.shape.nearest(&local).distance
                };
                let [t0, t1] = [&before[index], &collider.pose_t0].map(depth);
                let margin = DEEPER + ROUNDING * p.coords.amax();
                if t1 > margin && t1 > t0 + margin {
                    return Err(format!(
                        "rigid body {index} moved {t1:e} m deep onto vertex {v}, which sleeps"
                    ));
                }
            }
        }
    }
    Ok(())
}

/// No contact is of cloth that sleeps with cloth that is awake.
fn check_contacts(simulation: &Simulation, cloths: &[Cloth]) -> Result<(), String> {
    let contacts = simulation.contacts();
    let points = contacts.point_triangles.iter().map(|c| [c.vertex, c.corners[0]]);
    let edges = contacts.edge_edges.iter().map(|c| [c.a[0], c.b[0]]);
    let particles = simulation.particle_contacts().iter().map(|c| c.vertices);
    let asleep = |v: u32| cloths.iter().find(|cloth| cloth.vertices.contains(&(v as usize)));
    for pair in points.chain(edges).chain(particles) {
        if let [Some(a), Some(b)] = pair.map(asleep)
            && a.asleep != b.asleep
        {
            return Err(format!("vertices {pair:?} touch, of cloth that sleeps and of cloth that is awake"));
        }
    }
    Ok(())
}
