//! Gate: the seat of the stage that certifies the motion of the substep; for now it lets everything through.
//!
//! It stands between the solver's proposal and the update, once for every motion that is accepted, and will
//! shorten motions that it cannot prove free of impacts. Until then the verdict comes after the fact, from the
//! exact state check of `cloth-contacts`.

use crate::simulation::Simulation;

/// Accepts the proposal as it is.
pub(crate) fn certify<B>(_sim: &mut Simulation<B>) {}
