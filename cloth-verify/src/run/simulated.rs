//! What is simulated, whichever method moves it.

use cloth_geom::Topology;
use cloth_solver::{
    AcceptedMotion, Collider, IntersectingParts, RigidBodyState, Simulation, StepReport, Waypoints,
};
use nalgebra::Point3;

use crate::scenario::SimulationControl;

/// A simulation that can be watched frame by frame.
pub(super) trait Simulated: SimulationControl {
    /// Positions (m) of all vertices.
    fn positions(&self) -> &[Point3<f32>];
    /// The colliders as the last frame left them.
    fn colliders(&self) -> &[Collider];
    /// The faces of all cloths.
    fn topology(&self) -> &Topology;
    /// See [`Simulation::intersecting_parts`].
    fn intersecting_parts(&self, hit: [u32; 2]) -> Option<IntersectingParts>;
    /// Whether the gate guards such a pair, unless it is tangled.
    fn is_guarded(&self, hit: [u32; 2]) -> bool;
    /// See [`Simulation::is_certified`].
    fn is_certified(&self, hit: [u32; 2]) -> bool;
    /// See [`Simulation::is_tangled`].
    fn is_tangled(&self, hit: [u32; 2]) -> bool;
    /// Equal states, equal hashes.
    fn state_hash(&self) -> u64;
    /// The rigid body whose collider has an index; colliders are never removed here, so that it is the id.
    fn rigid_body(&self, _collider: usize) -> Option<RigidBodyState> {
        None
    }
    /// See [`Simulation::record_examined`].
    fn record_examined(&mut self, on: bool);
    /// Goes on by a frame of `dt` (s) through waypoints, and calls `on_motion` with every accepted motion.
    fn advance(
        &mut self,
        dt: f32,
        waypoints: &Waypoints,
        on_motion: &mut (dyn FnMut(AcceptedMotion<'_>) + Send),
    ) -> Result<StepReport, String>;
}

impl Simulated for Simulation {
    fn positions(&self) -> &[Point3<f32>] {
        self.positions()
    }

    fn colliders(&self) -> &[Collider] {
        self.colliders()
    }

    fn topology(&self) -> &Topology {
        self.surface().topology()
    }

    fn intersecting_parts(&self, hit: [u32; 2]) -> Option<IntersectingParts> {
        self.intersecting_parts(hit)
    }

    fn is_guarded(&self, hit: [u32; 2]) -> bool {
        self.surface().is_guarded_hit(hit)
    }

    fn is_certified(&self, hit: [u32; 2]) -> bool {
        self.is_certified(hit)
    }

    fn is_tangled(&self, hit: [u32; 2]) -> bool {
        self.is_tangled(hit)
    }

    fn state_hash(&self) -> u64 {
        self.state_hash()
    }

    fn rigid_body(&self, collider: usize) -> Option<RigidBodyState> {
        self.rigid_body(self.collider_id(collider).ok()?).ok()
    }

    fn record_examined(&mut self, on: bool) {
        self.record_examined(on);
    }

    fn advance(
        &mut self,
        dt: f32,
        waypoints: &Waypoints,
        on_motion: &mut (dyn FnMut(AcceptedMotion<'_>) + Send),
    ) -> Result<StepReport, String> {
        self.step_through(dt, waypoints, on_motion).copied().map_err(|e| e.to_string())
    }
}
