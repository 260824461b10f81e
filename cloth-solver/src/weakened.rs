//! A simulation that is wrong on purpose, for those who judge its judges.
//!
//! Without the feature `mutations` nothing can be weakened, and every question here is `false` when it is compiled.

use cloth_broadphase::BroadPhase;
use cloth_contacts::gate::Weakness;

use crate::Simulation;
use crate::gated::{GateCheckpoint, Gated};

impl<B: BroadPhase> Simulation<B> {
    /// Makes the gate, or what is kept for it, wrong from now on, in one way.
    #[cfg(feature = "mutations")]
    #[doc(hidden)]
    pub fn weaken_gate(&mut self, weakness: Weakness) {
        if let Some(gated) = &mut self.gated {
            gated.gate.weaken(weakness);
            self.detector.weaken(weakness);
        }
    }

    /// Whether this is what is wrong.
    #[inline(always)]
    pub(crate) fn is_weak(&self, what: Weakness) -> bool {
        #[cfg(feature = "mutations")]
        let is = self.gated.as_ref().is_some_and(|gated| gated.gate.weakness() == what);
        #[cfg(not(feature = "mutations"))]
        let is = {
            let _ = what;
            false
        };
        is
    }

    /// What is kept for the gate at present, if a step that fails is to leave it so.
    pub(crate) fn kept_by_undo(&self) -> Option<GateCheckpoint> {
        let gated = self.gated.as_ref().filter(|_| self.is_weak(Weakness::UndoKeepsBook));
        gated.map(Gated::checkpoint)
    }
}
