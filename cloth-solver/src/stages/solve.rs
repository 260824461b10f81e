//! Solve: elasticity and contacts by XPBD in Gauss-Seidel order; friction with both.

use cloth_broadphase::BroadPhase;

use crate::constraints::bodies::{pack, unpack};
use crate::constraints::contact::{ColliderContactSolver, ContactParameters, ContactSolver};
use crate::constraints::particle::ParticleContactSolver;
use crate::constraints::{Bodies, Pass};
use crate::gate_state::GateState;
use crate::simulation::Simulation;

/// Projects all constraints: elastic ones first, then the contacts that oppose them, then friction; truncation
/// last, where no gate guards the pairs.
pub(crate) fn solve<B: BroadPhase>(sim: &mut Simulation<B>, h: f32) {
    let settings = &sim.settings;
    let recovery_share = 1.0 - libm::expf(-h / settings.contact_recovery);
    let parameters = ContactParameters {
        recovery_share,
        friction: settings.self_friction,
        max_recovery: settings.recovery_speed * h,
    };
    pack(&sim.state.x, &mut sim.packed);
    pack(&sim.x_t0, &mut sim.packed_t0);
    let mut bodies = Bodies { x: &mut sim.packed, x_t0: &sim.packed_t0, w: &sim.inv_mass, h };
    let mut collider_contacts = ColliderContactSolver {
        contacts: &sim.collider_contacts,
        collider_constraints: &mut sim.collider_constraints,
    };
    collider_contacts.prepare(&parameters);
    let mut contacts = ContactSolver {
        contacts: &sim.contacts,
        corrections: &mut sim.corrections,
        friction_constraints: &mut sim.friction_constraints,
    };
    contacts.prepare();
    let mut particle_contacts =
        ParticleContactSolver { pairs: &mut sim.particles.pairs, settings: settings.particles };
    particle_contacts.prepare(&sim.particles.contacts, &parameters, &bodies);
    for iteration in 0..settings.iterations {
        let pass =
            Pass { first: iteration == 0, relaxation: settings.relaxation, cycles: settings.stretch_cycles };
        collider_contacts.separate(&mut bodies);
        sim.elastic.project(&mut bodies, pass, &mut collider_contacts);
        for _ in 0..settings.contact_iterations {
            sim.recovery.pulls.iter().for_each(|pull| pull.project(&mut bodies));
            contacts.separate(&parameters, &mut bodies);
            particle_contacts.separate(&mut bodies);
            collider_contacts.separate(&mut bodies);
        }
        contacts.prepare_friction(&bodies);
        for pass in 0..settings.friction_iterations {
            collider_contacts.apply_friction(&mut bodies);
            contacts.apply_friction(&parameters, &mut bodies);
            particle_contacts.apply_friction(&parameters, &mut bodies, pass == 0);
        }
        collider_contacts.apply_friction(&mut bodies);
    }
    // Truncation removes more motion than the gate would, but the gate does not guard tangles or a state that
    // it has yet to check.
    let is_gated = sim.gated.as_ref().is_some_and(GateState::is_clean);
    // Ordered layers that cross are brought back, and cached contacts are not predicted.
    if !is_gated && settings.self_collision && sim.cached.is_none() && sim.surface.collides_in_full() {
        sim.report.warnings.truncated += sim.truncation.truncate(&sim.contacts, &mut bodies);
    }
    unpack(&sim.packed, &mut sim.state.x);
}
