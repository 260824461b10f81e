//! The faults of this crate: what [`fault!`](cloth_contacts::fault) makes of a value.

#![allow(non_snake_case, reason = "functions have the names of the faults")]

use nalgebra::Vector3;

use crate::Cut;
use crate::checkpoint::Checkpoint;
use crate::gate_state::GateState;
use crate::state::State;

/// A failed step keeps the exemptions of the failure.
pub(crate) fn UndoKeepsExemptions<T>(_gate: Option<T>) -> Option<T> {
    None
}

/// A snapshot of any simulation is accepted; one that was taken without a gate removes the gate.
pub(crate) fn ForeignSnapshot(
    _difference: Option<String>,
    gate: &mut Option<GateState>,
    checkpoint: &Checkpoint,
) -> Option<String> {
    *gate = gate.take().filter(|_| checkpoint.gate.is_some());
    None
}

/// Restoring a state wakes all cloth.
pub(crate) fn RestoreWakes((): (), state: &mut State) {
    state.wake_all();
}

/// An edit that ends an exemption does not have the state checked.
pub(crate) fn EditAdmitsNothing(_are_guarded_alike: bool) -> bool {
    true
}

/// A teleport does not have the state checked.
pub(crate) fn TeleportAdmitsNothing<T>(_gate: Option<T>) -> Option<T> {
    None
}

/// A cloth that is cut keeps its velocities in the frame of before.
pub(crate) fn CutKeepsVelocities(_turned: Vector3<f32>, before: Vector3<f32>) -> Vector3<f32> {
    before
}

/// A cut is passed off as motion: it is not reported, and the chord over it may be certified.
pub(crate) fn CutUnreported(_cuts: &[Cut]) -> &[Cut] {
    &[]
}

/// What lags stays where it is instead of going on in the next step.
pub(crate) fn LagForgotten((): (), state: &mut State) {
    let behind = behind(state);
    stop(state, &behind);
}

/// The first kinematic vertex that was stopped stays where it was stopped.
pub(crate) fn ThawForgetsVertex((): (), state: &mut State) {
    let behind = behind(state);
    stop(state, &behind[..behind.len().min(1)]);
}

/// The kinematic vertices that have not come to their targets.
fn behind(state: &State) -> Vec<usize> {
    let State { x, inv_mass, kinematic_t1, .. } = state;
    (0..x.len()).filter(|&v| inv_mass[v] == 0.0 && kinematic_t1[v] != x[v]).collect()
}

fn stop(state: &mut State, vertices: &[usize]) {
    vertices.iter().for_each(|&v| state.kinematic_t1[v] = state.x[v]);
}

/// Cloth in motion falls asleep if it takes no time at rest.
pub(crate) fn SleepsInMotion(_is_at_rest: bool) -> bool {
    true
}

/// A rigid body wakes cloth by its velocity alone, not by how it turns or what pushes it.
pub(crate) fn SpinWakesNothing<T: Default>(_: T) -> T {
    T::default()
}

/// Cloth that sleeps is not woken by cloth that touches it: neither in a substep, nor at the end of a step.
pub(crate) fn TouchWakesNothing(_: bool, instead: bool) -> bool {
    instead
}
