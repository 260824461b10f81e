//! What a cut is, and what is reported of it.

use nalgebra::{Point3, Vector3};

use super::Teleport;
use super::rigid_displacement::RigidDisplacement;
use crate::ClothId;

/// A cloth that was teleported with what it is fixed to, because that went farther than a motion of cloth
/// does.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Cut {
    /// The cloth.
    pub cloth: ClothId,
    /// How far the middle of what it is fixed to went (m).
    pub metres: f32,
    /// The angle of its turn (degrees), from 0 to 180.
    pub degrees: f32,
}

/// How far points go as a whole, and by which angle they turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutMotion {
    /// How far their middle goes (m).
    pub metres: f64,
    /// The angle of their turn (degrees), from 0 to 180.
    pub degrees: f64,
}

impl Teleport {
    /// Whether points of a body that take `seconds` from one place to the other (m) are cut: farther than
    /// `metres` and faster than `speed`, or turned by more than `angle`, in a rigid motion that explains more
    /// than half of theirs. For animations, before they are simulated; `sides` does not count, because it is
    /// that of a cloth.
    #[must_use]
    pub fn find_cut(&self, ends: &[[Point3<f64>; 2]], seconds: f64) -> Option<CutMotion> {
        let motion = RigidDisplacement::fit(ends, &Vector3::y());
        let is_cut = is_far(&motion, self, seconds) || is_turn(&motion, self);
        let found = CutMotion { metres: motion.distance(), degrees: motion.angle().to_degrees() };
        (is_cut && motion.explains(ends)).then_some(found)
    }
}

/// Whether a motion in a step of `dt` seconds goes as far, and as fast, as a cut.
pub(crate) fn is_far(motion: &RigidDisplacement, teleport: &Teleport, dt: f64) -> bool {
    let distance = motion.distance();
    distance > f64::from(teleport.metres) && distance > f64::from(teleport.speed) * dt
}

/// Whether a motion turns as far as a cut.
pub(crate) fn is_turn(motion: &RigidDisplacement, teleport: &Teleport) -> bool {
    motion.angle() > f64::from(teleport.angle)
}
