//! Takes the place of `detect/motion/rules.rs`: the same bounds, of which one may be wrong.

use cloth_geom::bounds::Upper;
use nalgebra::Vector3;

#[path = "../detect/motion/rules.rs"]
mod sound;

use super::extent::Extent;
use crate::Detector;
use crate::faults::Weakness;

/// The sound bounds, but for a weakness.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rules {
    sound: sound::Rules,
    weakness: Weakness,
}

impl Rules {
    #[cfg(test)]
    pub(crate) const SOUND: Self = Self { sound: sound::Rules::SOUND, weakness: Weakness::None };

    pub(crate) fn with(weakness: Weakness) -> Self {
        Self { weakness, ..Self::default() }
    }

    pub(super) fn spread(self, extent: &Extent, middle: &Vector3<f64>, rounded: Upper) -> Upper {
        match self.weakness {
            Weakness::CentreForBound => Upper::ZERO,
            _ => self.sound.spread(extent, middle, rounded),
        }
    }

    pub(super) fn lengthened(self, path: Upper, step: Upper) -> Upper {
        match self.weakness {
            Weakness::PathInF32 => Upper::exact(f64::from(path.get() as f32 + step.get() as f32)),
            _ => self.sound.lengthened(path, step),
        }
    }
}

impl<B> Detector<B> {
    /// Makes the bounds of motion wrong from now on, if that is the weakness.
    #[doc(hidden)]
    pub fn weaken(&mut self, weakness: Weakness) {
        self.candidates.drift.rules = Rules::with(weakness);
    }
}
