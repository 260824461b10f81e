//! Solve: elasticity and contacts by XPBD in Gauss-Seidel order; friction with both.

use cloth_broadphase::BroadPhase;

use crate::constraints::bodies::{pack, unpack};
use crate::constraints::contact::{ColliderPushes, ContactRule, Pushes};
use crate::constraints::particle::ParticlePushes;
use crate::constraints::{Bodies, Pass};
use crate::gated::Gated;
use crate::simulation::Simulation;

/// Projects all constraints; contacts come after what they oppose, friction after the normal
/// pushes, and the planes of contacts last, if there is no gate to keep apart what they would.
pub(crate) fn solve<B: BroadPhase>(sim: &mut Simulation<B>, h: f32) {
    let settings = &sim.settings;
    let recovered = 1.0 - libm::expf(-h / settings.contact_recovery);
    let rule = ContactRule { recovered, friction: settings.self_friction, most: settings.recovery_speed * h };
    pack(&sim.state.x, &mut sim.packed);
    pack(&sim.x_t0, &mut sim.packed_t0);
    let mut bodies = Bodies { x: &mut sim.packed, x_t0: &sim.packed_t0, w: &sim.inv_mass, h };
    let mut solids = ColliderPushes { contacts: &sim.collider_contacts, barriers: &mut sim.barriers };
    solids.begin(&rule);
    let mut pushes = Pushes { contacts: &sim.contacts, pushed: &mut sim.pushed, grips: &mut sim.grips };
    pushes.begin();
    let mut balls = ParticlePushes { pairs: &mut sim.particles.pairs, settings: settings.particles };
    balls.begin(&sim.particles.contacts, &rule, &bodies);
    for iteration in 0..settings.iterations {
        let pass =
            Pass { first: iteration == 0, relaxation: settings.relaxation, cycles: settings.stretch_cycles };
        solids.separate(&mut bodies);
        sim.elastic.project(&mut bodies, pass, |bodies| solids.separate(bodies));
        for _ in 0..settings.contact_iterations {
            sim.recovery.pulls.iter().for_each(|pull| pull.project(&mut bodies));
            pushes.separate(&rule, &mut bodies);
            balls.separate(&mut bodies);
            solids.separate(&mut bodies);
        }
        pushes.begin_friction(&bodies);
        for pass in 0..settings.friction_iterations {
            solids.hold(&mut bodies);
            pushes.apply_friction(&rule, &mut bodies);
            balls.hold(&rule, &mut bodies, pass == 0);
        }
        solids.hold(&mut bodies);
    }
    // Planes take more of a motion than the gate would; what is tangled, or not yet looked at, it does not guard.
    let is_guarded = sim.gated.as_ref().is_some_and(Gated::is_clean);
    // Between layers in order, what goes through comes back; and cached contacts come from no prediction.
    if !is_guarded && settings.self_collision && sim.cached.is_none() && sim.surface.collides_in_full() {
        sim.report.warnings.truncated += sim.truncation.truncate(&sim.contacts, &mut bodies);
    }
    unpack(&sim.packed, &mut sim.state.x);
}
