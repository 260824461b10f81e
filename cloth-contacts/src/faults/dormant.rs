//! Replaces `detect/lists/dormant.rs`: the same patches, what is known of which may be faulty.

use std::ops::Range;

#[path = "../detect/lists/dormant.rs"]
mod sound;

use crate::Motion;
use crate::faults::Weakness;
use crate::patches::Patches;

/// The dormant patches with one fault.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dormant {
    sound: sound::Dormant,
    weakness: Weakness,
}

impl Dormant {
    pub(crate) fn set<'a>(&mut self, patches: &Patches, ranges: impl IntoIterator<Item = &'a Range<usize>>) {
        self.sound.set(patches, ranges);
    }

    pub(crate) fn clear(&mut self) {
        self.sound.clear();
    }

    #[inline]
    pub(crate) fn includes(&self, patches: [u32; 2]) -> bool {
        let is_beside = || patches.iter().any(|&patch| self.sound.includes([patch; 2]));
        self.sound.includes(patches) || self.weakness == Weakness::DormantBesideMoving && is_beside()
    }

    pub(crate) fn outdates(&self, patches: [u32; 2]) -> bool {
        self.weakness != Weakness::DormantNeverExpire && self.sound.outdates(patches)
    }

    pub(crate) fn are_still(&mut self, motion: &Motion<'_>) -> bool {
        self.sound.are_still(motion) || self.weakness == Weakness::DormantMayMove
    }

    pub(crate) fn weaken(&mut self, weakness: Weakness) {
        self.weakness = weakness;
    }
}
