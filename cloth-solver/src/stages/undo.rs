//! Undo: a step that fails leaves the state as it was.

use cloth_broadphase::BroadPhase;
use cloth_contacts::CachedContacts;

use crate::simulation::Simulation;

impl<B: BroadPhase> Simulation<B> {
    /// Keeps the state that the step begins with.
    pub(crate) fn remember(&mut self) {
        match &mut self.undo {
            Some(undo) => {
                undo.x.copy_from_slice(&self.state.x);
                undo.v.copy_from_slice(&self.state.v);
                undo.frame.copy_from_slice(&self.state.frame);
            }
            None => self.undo = Some(self.state.clone()),
        }
        self.cached.iter_mut().for_each(CachedContacts::remember);
    }

    /// Returns to it. Contact lists are forgotten: they may have been built for the motion that failed.
    pub(crate) fn undo(&mut self) {
        if let Some(undo) = &self.undo {
            self.state.x.copy_from_slice(&undo.x);
            self.state.v.copy_from_slice(&undo.v);
            self.state.frame.copy_from_slice(&undo.frame);
        }
        self.cached.iter_mut().for_each(CachedContacts::undo);
        self.detector.reset();
        self.particles.detector.reset();
        self.collider_detector.reset();
        self.gated.iter_mut().for_each(|gated| gated.gate.reset());
        self.recovery.reset();
    }
}
