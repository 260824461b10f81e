//! Cuts of a step: cloth whose fixings are elsewhere in the next frame is teleported, and not swept.

use crate::fixings::cut_plan;
use crate::simulation::Simulation;
use crate::{ClothId, Cut};

impl Simulation {
    /// Teleports the cloths whose fixings are cut in the coming step of `dt` seconds, with what goes with
    /// them; what is left of their way is an ordinary motion. Returns whether there are any.
    pub(super) fn make_cuts(&mut self, dt: f32) -> bool {
        self.scratch.cuts.clear();
        let Some(teleport) = self.settings.teleport else { return false };
        if !cut_plan::may_cut(&self.movers(), &teleport, dt) {
            self.state.was_cut.fill(false);
            return false;
        }
        let before = std::mem::take(&mut self.state.was_cut);
        let up = -self.settings.gravity.cast::<f64>();
        let (plan, now) = cut_plan::plan(&self.movers(), &teleport, dt, &up, &before);
        self.state.was_cut = now;
        if plan.motions.is_empty() {
            return false;
        }
        let ids: Vec<usize> = self.scene.cloths.iter().map(|(id, _)| id).collect();
        self.scratch.cuts.extend(plan.cuts.iter().map(|(cloth, motion)| Cut {
            cloth: ClothId(ids[*cloth]),
            metres: motion.distance() as f32,
            degrees: motion.angle().to_degrees() as f32,
        }));
        let mut checkpoint = self.checkpoint();
        plan.apply(&mut checkpoint, &self.assets, &self.constraints);
        self.restore_checkpoint(&checkpoint);
        !self.scratch.cuts.is_empty()
    }
}
