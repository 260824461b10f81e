//! Solve: elasticity and contacts by XPBD in Gauss-Seidel order; friction with both.

use crate::constraints::contact::{self, ContactRule};
use crate::constraints::{Bodies, truncate};
use crate::simulation::Simulation;

/// Projects all constraints; contacts come after what they oppose, colliders last.
pub(crate) fn solve<B>(sim: &mut Simulation<B>, h: f32) {
    let recovered = 1.0 - libm::expf(-h / sim.settings.contact_recovery);
    let rule = ContactRule { recovered, friction: sim.settings.self_friction };
    let mut bodies = Bodies { x: &mut sim.state.x, x_t0: &sim.x_t0, w: &sim.inv_mass, h };
    sim.elastic.begin();
    for _ in 0..sim.settings.iterations {
        contact::project_colliders(&sim.collider_contacts, &rule, &mut bodies);
        sim.elastic.project(&mut bodies, |bodies| contact::project_colliders(&sim.collider_contacts, &rule, bodies));
        for _ in 0..sim.settings.contact_iterations {
            contact::project(&sim.contacts, &rule, &mut bodies);
            contact::project_colliders(&sim.collider_contacts, &rule, &mut bodies);
        }
    }
    if std::env::var("NOTRUNC").is_err() && sim.settings.self_collision {
        sim.report.warnings.truncated += truncate::truncate(&sim.contacts, &mut bodies, &mut sim.share);
    }
}
