//! How far pins are behind their targets after a step, and whether cloth has stayed with its pins.

use std::ops::Range;

use cloth_geom::DisjointSets;
use nalgebra::Point3;

use super::lag::Lag;
use super::movers::Movers;
use crate::StepError;

/// How far (longest sides) a vertex may be from the nearest point that holds its cloth, where that lags.
const REACH: f32 = 2.0;

/// The largest distance (m) of a pin, an attachment or a vertex of a mesh body from its target.
pub(crate) fn pin_lag(movers: &Movers<'_>) -> f32 {
    let Movers { state, assets, constraints, .. } = movers;
    let axes = assets.axes.first().map_or(state.x.len(), |axis| axis.vertices.start);
    let behind = |v: usize| (state.x[v] - state.kinematic_t1[v]).norm();
    let pins = (0..axes).filter(|&v| state.inv_mass[v] == 0.0).map(behind).fold(0.0, f32::max);
    let attachments = constraints.attachments.iter().zip(&state.attachments).filter(|(_, now)| now.holds);
    attachments.map(|(attachment, now)| (attachment.target - now.targets[1]).norm()).fold(pins, f32::max)
}

/// Checks after a step with a lag that no vertex has left what holds its cloth, given the ids of the cloths
/// and where all vertices were `before` the step (m).
pub(crate) fn check_reach(
    movers: &Movers<'_>,
    lag: &Lag,
    ids: impl Iterator<Item = usize>,
    before: &[Point3<f32>],
) -> Result<(), StepError> {
    let state = movers.state;
    for (index, (part, id)) in movers.cloth_parts().zip(ids).enumerate() {
        let range = part.vertices.clone();
        let is_behind = |v: usize| state.inv_mass[v] == 0.0 && state.x[v] != state.kinematic_t1[v];
        if !lag.lags(index) && !range.clone().any(is_behind) {
            continue;
        }
        let most = REACH * movers.longest_side(part) as f32;
        let mut sets = DisjointSets::new(range.len());
        for face in &movers.assets.surface.topology().faces()[part.faces.clone()] {
            face[1..].iter().for_each(|v| sets.join(face[0] - range.start as u32, v - range.start as u32));
        }
        let mut root = |v: usize| sets.find((v - range.start) as u32);
        let held: Vec<(usize, u32)> = held_vertices(movers, &range).map(|v| (v, root(v))).collect();
        for v in range.clone() {
            let own = root(v);
            let distance = |x: &[Point3<f32>]| {
                let near = held.iter().filter(|(_, root)| *root == own);
                near.map(|&(pin, _)| (x[v] - x[pin]).norm()).reduce(f32::min)
            };
            let Some(metres) = distance(&state.x).filter(|now| *now > most) else { continue };
            if distance(before).is_some_and(|then| then <= most) {
                return Err(StepError::LeftBehind { cloth: id, vertex: v - range.start, metres, most });
            }
        }
    }
    Ok(())
}

/// The vertices of a cloth that are pinned or attached.
fn held_vertices<'a>(movers: &Movers<'a>, range: &Range<usize>) -> impl Iterator<Item = usize> + use<'a> {
    let (state, own) = (movers.state, range.clone());
    let attached = movers.constraints.attachments.iter().filter(|a| a.holds).map(|a| a.vertex as usize);
    let attached = attached.filter(move |v| own.contains(v));
    range.clone().filter(|&v| state.inv_mass[v] == 0.0).chain(attached)
}
