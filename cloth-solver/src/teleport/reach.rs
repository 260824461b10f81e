//! How far pins are behind their targets after a step, and whether cloth has stayed with its pins.

use cloth_geom::DisjointSets;
use nalgebra::Point3;

use crate::StepError;
use crate::simulation::Simulation;

/// How far (longest sides) a vertex may be from the nearest point that holds its cloth, where that lags.
const REACH: f32 = 2.0;

impl Simulation {
    /// The largest distance (m) of a pin, an attachment or a vertex of a mesh body from its target.
    pub(crate) fn pin_lag(&self) -> f32 {
        let state = &self.state;
        let axes = self.assets.axes.first().map_or(state.x.len(), |axis| axis.vertices.start);
        let behind = |v: usize| (state.x[v] - state.kinematic_t1[v]).norm();
        let pins = (0..axes).filter(|&v| state.inv_mass[v] == 0.0).map(behind).fold(0.0, f32::max);
        let attachments = self.constraints.attachments.iter().zip(&state.attachment_targets);
        attachments.map(|(attachment, [_, end])| (attachment.target - end).norm()).fold(pins, f32::max)
    }

    /// Checks after a step with a lag that no vertex has left what holds its cloth.
    pub(crate) fn check_reach(&self) -> Result<(), StepError> {
        if self.report.gate.pin_lag_m == 0.0 {
            return Ok(());
        }
        let movers = self.movers();
        let before = &self.scratch.rollback.checkpoint.state.x;
        for (index, (part, (id, _))) in movers.cloth_parts().zip(self.scene.cloths.iter()).enumerate() {
            let range = part.vertices.clone();
            let is_behind =
                |v: usize| self.state.inv_mass[v] == 0.0 && self.state.x[v] != self.state.kinematic_t1[v];
            if !self.lag.lags(index) && !range.clone().any(is_behind) {
                continue;
            }
            let most = REACH * movers.longest_side(part) as f32;
            let held: Vec<usize> = self.held_vertices(&range);
            let mut sets = DisjointSets::new(range.len());
            for face in &self.assets.surface.topology().faces()[part.faces.clone()] {
                face[1..]
                    .iter()
                    .for_each(|v| sets.join(face[0] - range.start as u32, v - range.start as u32));
            }
            let mut root = |v: usize| sets.find((v - range.start) as u32);
            let held: Vec<(usize, u32)> = held.into_iter().map(|v| (v, root(v))).collect();
            for v in range.clone() {
                let own = root(v);
                let distance = |x: &[Point3<f32>]| {
                    let near =
                        held.iter().filter(|(_, root)| *root == own).map(|&(pin, _)| (x[v] - x[pin]).norm());
                    near.reduce(f32::min)
                };
                let Some(metres) = distance(&self.state.x).filter(|now| *now > most) else { continue };
                if distance(before).is_some_and(|then| then <= most) {
                    return Err(StepError::LeftBehind { cloth: id, vertex: v - range.start, metres, most });
                }
            }
        }
        Ok(())
    }

    /// The vertices of a cloth that are pinned or attached.
    fn held_vertices(&self, range: &std::ops::Range<usize>) -> Vec<usize> {
        let attached = self.constraints.attachments.iter().map(|attachment| attachment.vertex as usize);
        let attached = attached.filter(|v| range.contains(v));
        range.clone().filter(|&v| self.state.inv_mass[v] == 0.0).chain(attached).collect()
    }
}
