//! Replaces `detect/motion/motion_bounds.rs`: the same bounds, one of which may be faulty.

use cloth_geom::bounds::Upper;
use nalgebra::Vector3;

#[path = "../detect/motion/motion_bounds.rs"]
mod sound;

use super::extent::Extent;
use crate::Detector;
use crate::faults::Weakness;

/// The bounds with one fault.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MotionBounds {
    sound: sound::MotionBounds,
    weakness: Weakness,
}

impl MotionBounds {
    #[cfg(test)]
    pub(crate) const SOUND: Self = Self { sound: sound::MotionBounds::SOUND, weakness: Weakness::None };

    pub(crate) fn with_weakness(weakness: Weakness) -> Self {
        Self { weakness, ..Self::default() }
    }

    pub(super) fn deviation(self, extent: &Extent, centre: &Vector3<f64>, rounded: Upper) -> Upper {
        match self.weakness {
            Weakness::CentreForBound => Upper::ZERO,
            _ => self.sound.deviation(extent, centre, rounded),
        }
    }

    pub(super) fn extended_path(self, path: Upper, step: Upper) -> Upper {
        match self.weakness {
            Weakness::PathInF32 => Upper::exact(f64::from(path.get() as f32 + step.get() as f32)),
            _ => self.sound.extended_path(path, step),
        }
    }
}

impl Detector {
    /// Injects a fault into the motion bounds or the dormant lists.
    #[doc(hidden)]
    pub fn weaken(&mut self, weakness: Weakness) {
        self.candidates.motions.motion_bounds = MotionBounds::with_weakness(weakness);
        self.candidates.dormant.weaken(weakness);
    }
}
