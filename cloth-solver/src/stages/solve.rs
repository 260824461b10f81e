//! Solve: elasticity and contacts by XPBD in Gauss-Seidel order; friction with both.

use cloth_contacts::{for_each_piece, in_pieces};
use cloth_disjoint::threads;
use nalgebra::Point3;

use super::Substep;
use crate::bodies::{Bodies, ByVertex, pack, point};
use crate::constraints::collider_contact::ColliderContactSolver;
use crate::constraints::contact::{ContactParameters, ContactSolver};
use crate::constraints::particle::ParticleContactSolver;
use crate::constraints::schedule::items_at_once;
use crate::constraints::{ElasticConstraints, Pass};
use crate::describe::friction::FrictionTable;
use crate::detection::SubstepContacts;
use crate::recovery::PullConstraint;
use crate::rigid::RigidCoupling;
use crate::scratch::Scratch;
use crate::state::State;

/// The inequality constraints of a substep.
pub(crate) struct Inequalities<'a> {
    pub(crate) contacts: &'a SubstepContacts,
    /// Of recovery.
    pub(crate) pulls: &'a [PullConstraint],
    /// Whether motions are truncated at the planes of contacts, as far as `contacts` are predictions and no
    /// gate guards their pairs.
    pub(crate) truncates: bool,
}

/// The contacts with colliders: with those whose motion is given, and with rigid bodies, in the same passes.
struct Colliders<'a> {
    given: ColliderContactSolver<'a>,
    rigid: &'a mut RigidCoupling,
}

impl Colliders<'_> {
    fn prepare(&mut self, parameters: &ContactParameters, friction: &FrictionTable, bodies: &Bodies<'_>) {
        let Self { given, rigid } = self;
        given.prepare(parameters, friction, bodies, |collider| !rigid.is_body(collider));
        rigid.prepare(given.contacts, given.collider_constraints, parameters, friction);
    }

    /// One pass over the normal directions, in order.
    fn separate(&mut self, bodies: &mut Bodies<'_>) {
        self.rigid.separate(self.given.collider_constraints, bodies);
        self.given.separate(bodies);
    }

    /// One friction pass, after the normal passes.
    fn apply_friction(&mut self, bodies: &mut Bodies<'_>) {
        self.rigid.apply_friction(self.given.collider_constraints, bodies);
        self.given.apply_friction(bodies);
    }
}

/// Projects all constraints: elastic ones first, then the contacts that oppose them, then friction;
/// truncation last.
pub(crate) fn solve(
    substep: &Substep<'_>,
    constraints: &mut ElasticConstraints,
    inequalities: &Inequalities<'_>,
    state: &mut State,
    scratch: &mut Scratch,
) -> Solved {
    let (settings, memory, rigid) = (substep.settings, &mut scratch.solver, &mut scratch.rigid);
    let Inequalities { contacts: found, pulls, truncates } = *inequalities;
    let parameters = substep.contact_parameters();
    rigid.find_ground(&substep.assets.rigid_bodies, &scratch.colliders, &parameters);
    let chunks = &substep.assets.chunks;
    let (slots, vertices) = (chunks.reordered(), chunks.vertices());
    let at_once = items_at_once(chunks, memory.x.len());
    for_each_piece((&mut memory.x[..], &mut memory.x_t0[..]), at_once, |first, (x, x_t0)| {
        let vertices = &vertices[first..first + x.len()];
        pack(&state.x, &state.inv_mass, vertices, x);
        pack(&scratch.x_t0, &state.inv_mass, vertices, x_t0);
    });
    let (x, x_t0) =
        (ByVertex { slots, in_slots: &mut *memory.x }, ByVertex { slots, in_slots: &*memory.x_t0 });
    let w = &state.inv_mass;
    let mut bodies = Bodies { x, x_t0, w, h: substep.h, level: substep.assets.level };
    let (collider_constraints, face_constraints) = (&mut memory.colliders, &mut memory.faces);
    let (contacts, faces) = (&found.colliders, &found.faces);
    let given = ColliderContactSolver { contacts, faces, collider_constraints, face_constraints, chunks };
    let mut colliders = Colliders { given, rigid };
    let friction = &memory.friction_table;
    colliders.prepare(&parameters, friction, &bodies);
    let mut contacts = ContactSolver {
        contacts: &found.cloth,
        memory: &mut memory.contacts,
        parameters,
        threads: threads().min(settings.threads as usize),
    };
    contacts.prepare(found.are_new, &bodies);
    let mut particles = ParticleContactSolver { pairs: &mut memory.particles, settings: settings.particles };
    particles.prepare(&found.particles, &parameters, friction, &bodies);
    for iteration in 0..settings.iterations {
        let (first, last) = (iteration == 0, iteration + 1 == settings.iterations);
        let pass = Pass { first, last, relaxation: settings.relaxation, cycles: settings.stretch_cycles };
        colliders.separate(&mut bodies);
        constraints.project(&mut bodies, pass, &mut |bodies| colliders.separate(bodies));
        for contact_pass in 0..settings.contact_iterations {
            pulls.iter().for_each(|pull| pull.project(&mut bodies));
            contacts.separate(first && contact_pass == 0, &mut bodies, colliders.rigid);
            particles.separate(&mut bodies);
            colliders.separate(&mut bodies);
        }
        contacts.prepare_friction(friction, &bodies, colliders.rigid);
        for pass in 0..settings.friction_iterations {
            colliders.apply_friction(&mut bodies);
            contacts.apply_friction(&mut bodies, colliders.rigid);
            particles.apply_friction(&mut bodies, pass == 0);
        }
        colliders.apply_friction(&mut bodies);
        if !last {
            contacts.keep_corrections();
        }
    }
    let Colliders { given, rigid } = colliders;
    rigid.finish(given.collider_constraints, &mut scratch.colliders, &mut state.rigid, &mut bodies);
    let truncated = if truncates { memory.truncation.truncate(&found.cloth, &mut bodies) } else { 0 };
    let unpack = |first, out: &mut [_]| unpack(&bodies, first, out);
    let largest_way = in_pieces(&mut state.x[..], at_once, unpack, f32::max);
    Solved { truncated, largest_way }
}

/// What is known of a solved substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Solved {
    /// Vertices that were truncated.
    pub(crate) truncated: usize,
    /// The largest coordinate (m) of the way of a vertex.
    largest_way: f32,
}

/// Unpacks the positions of the vertices from `first` on; returns the largest coordinate (m) of the way of one.
fn unpack(bodies: &Bodies<'_>, first: usize, out: &mut [Point3<f32>]) -> f32 {
    let mut largest = [0.0_f32; 4];
    for (vertex, to) in (first..).zip(out) {
        let (x, start) = (&bodies.x[vertex], &bodies.x_t0[vertex]);
        *to = point(x);
        for (k, largest) in largest.iter_mut().enumerate() {
            let way = (x[k] - start[k]).abs();
            // Not `f32::max`, which takes three instructions for what is not a number.
            *largest = if way > *largest { way } else { *largest };
        }
    }
    largest.into_iter().fold(0.0, f32::max)
}

/// Takes free vertices back that the solver moved faster than the velocity limit; returns how many.
///
/// What pulls at cloth, a pin or a body, may be faster than any contact can be found for.
pub(crate) fn limit_speed(
    substep: &Substep<'_>,
    x_t0: &[Point3<f32>],
    solved: Solved,
    state: &mut State,
) -> usize {
    let most = substep.most_per_substep();
    // A vector of three coordinates is at most twice as long as the largest of them.
    if solved.largest_way <= 0.5 * most {
        return 0;
    }
    let mut limited = 0;
    for ((x, start), w) in state.x.iter_mut().zip(x_t0).zip(&state.inv_mass) {
        let way = *x - start;
        if way.norm_squared() > most * most && *w > 0.0 {
            *x = start + way.cap_magnitude(most);
            limited += 1;
        }
    }
    limited
}
