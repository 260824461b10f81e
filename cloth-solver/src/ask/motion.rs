//! The accepted motion of a substep, as listeners see it.

use cloth_contacts::gate::{ExaminedPair, ReleasedPair};
use nalgebra::Point3;

use crate::{Collider, Cut};

/// The motion of one substep after the gate and the state check. Every vertex moves linearly from `x_t0` to
/// `x_t1`.
///
/// [`Simulation::step_with`](crate::Simulation::step_with) passes one to its listener in each substep. For
/// callers that need the path between frames: independent crossing checks, motion blur, swept sound sources,
/// recordings.
///
/// The end of one motion equals the start of the next, bit for bit, unless the state was changed in between
/// by a cut, a teleport, a reset, a restored snapshot or a failed step.
#[derive(Clone, Copy, Debug)]
pub struct AcceptedMotion<'a> {
    /// The substep, from 0.
    pub substep: u32,
    /// Substeps of the step.
    pub substeps: u32,
    /// Positions (m) of all vertices at the start of the substep.
    pub x_t0: &'a [Point3<f32>],
    /// Positions (m) of all vertices at its end.
    pub x_t1: &'a [Point3<f32>],
    /// The colliders with their poses at both ends of the substep, rigid bodies included.
    pub colliders: &'a [Collider],
    /// The cloths that were teleported before this motion, in the first substep of a step: `x_t0` is where
    /// that took them, with the bodies that went along.
    pub cuts: &'a [Cut],
    /// Cloth–body pairs that the gate released in this substep, and pairs that touched at the start and could
    /// not be separated; empty without a gate.
    pub released: &'a [ReleasedPair],
    /// Pairs that the gate examined in this substep; `None` unless
    /// [`Simulation::record_examined`](crate::Simulation::record_examined) asked for
    /// them and there is a gate.
    pub examined: Option<&'a [ExaminedPair]>,
}

/// Called with every accepted motion, possibly on another thread.
pub(crate) type Listener<'a> = &'a mut (dyn FnMut(AcceptedMotion<'_>) + Send);
