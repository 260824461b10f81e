//! Contacts with colliders: a vertex, or a point of a face, stays in front of a plane that moves with the
//! surface, with Coulomb friction as in `cloth-solver/src/constraints/contact.rs`.

use cloth_contacts::collider::{ColliderContact, FaceContact};
use cloth_disjoint::{Groups, Passes, threads};

use super::contact::{AccumulatedCorrection, ContactParameters};
use crate::bodies::{Bodies, Packed, dot, packed};
use crate::chunks::Chunks;
use crate::describe::friction::FrictionTable;

/// Solver of the contacts of a substep with colliders whose motion is given.
pub(crate) struct ColliderContactSolver<'a> {
    pub(crate) contacts: &'a [ColliderContact],
    pub(crate) faces: &'a [FaceContact],
    pub(crate) collider_constraints: &'a mut ColliderConstraints,
    pub(crate) face_constraints: &'a mut Vec<FaceConstraint>,
    /// Whose workers project the contacts of their vertices.
    pub(crate) chunks: &'a Chunks,
}

/// The constraints of vertices, by worker: those of a vertex in the order of their contacts.
pub(crate) type ColliderConstraints = Groups<ColliderConstraint, 1, 1>;

/// Least number of contacts for several threads.
const LEAST_CONTACTS: usize = 1024;

/// Solver data of a collider contact, compact because a dozen passes a substep read it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColliderConstraint {
    normal: Packed,
    surface: Packed,
    /// How far the surface moves in the substep (m).
    surface_displacement: Packed,
    friction: f32,
    /// Target separation (m).
    target: f32,
    vertex: u32,
    correction: AccumulatedCorrection,
}

/// Solver data of the contact of a face: of the weighted mean of its corners.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FaceConstraint {
    normal: Packed,
    surface: Packed,
    /// How far the surface moves in the substep (m).
    surface_displacement: Packed,
    friction: f32,
    /// Target separation (m).
    target: f32,
    vertices: [u32; 3],
    weights: [f32; 3],
    /// Displacement of each corner for a unit displacement of the mean.
    shares: [f32; 3],
    correction: AccumulatedCorrection,
}

impl FaceConstraint {
    /// Of a contact, given the inverse masses; its corners are not all immovable.
    fn new(contact: &FaceContact, friction: f32, target: f32, w: &[f32]) -> Option<Self> {
        let FaceContact { vertices, weights, .. } = *contact;
        let w = vertices.map(|v| w[v as usize]);
        let sum: f32 = (0..3).map(|k| w[k] * weights[k] * weights[k]).sum();
        // A point between pins hardly moves, however far the third corner does.
        const LEAST_SHARE: f32 = 1.0e-3;
        let largest = w.iter().copied().fold(0.0, f32::max);
        (sum > LEAST_SHARE * largest).then(|| Self {
            normal: packed(&contact.normal),
            surface: packed(&contact.surface_t1.coords),
            surface_displacement: packed(&contact.surface_displacement),
            friction,
            target,
            vertices,
            weights,
            shares: std::array::from_fn(|k| w[k] * weights[k] / sum),
            correction: AccumulatedCorrection::default(),
        })
    }

    /// The weighted mean of something of the corners.
    #[inline]
    fn mean(&self, of: impl Fn(usize) -> Packed) -> Packed {
        let [a, b, c] = self.vertices.map(|v| of(v as usize));
        a * self.weights[0] + b * self.weights[1] + c * self.weights[2]
    }

    /// Moves the mean.
    #[inline]
    fn displace(&self, by: &Packed, bodies: &mut Bodies<'_>) {
        for (v, share) in self.vertices.into_iter().zip(self.shares) {
            bodies.x[v as usize] += by * share;
        }
    }
}

impl ColliderConstraint {
    /// Its vertex.
    pub(crate) fn vertex(&self) -> u32 {
        self.vertex
    }

    /// The outward normal of the collider.
    pub(crate) fn normal(&self) -> &Packed {
        &self.normal
    }

    /// Whether it has moved its vertex in this substep.
    pub(crate) fn is_pushing(&self) -> bool {
        self.correction.normal > 0.0
    }
}

impl ColliderContactSolver<'_> {
    /// Sets up the contacts with the colliders whose motion is given.
    pub(crate) fn prepare(
        &mut self,
        parameters: &ContactParameters,
        friction: &FrictionTable,
        bodies: &Bodies<'_>,
        is_given: impl Fn(u32) -> bool,
    ) {
        let mut fill = self.collider_constraints.refill(self.chunks.parts());
        for worker in 0..self.chunks.workers().max(1) {
            let is_own = |contact: &&ColliderContact| {
                usize::from(self.chunks.chunk_of(contact.vertex)) / 2 == worker && is_given(contact.collider)
            };
            let added = fill.task(self.contacts.iter().filter(is_own).map(|contact| {
                let constraint = ColliderConstraint {
                    normal: packed(&contact.normal),
                    surface: packed(&contact.surface_t1.coords),
                    surface_displacement: packed(&contact.surface_displacement),
                    friction: friction.with_collider(contact.vertex, contact.collider, contact.friction),
                    target: parameters.target(contact.gap, contact.distance),
                    vertex: contact.vertex,
                    correction: AccumulatedCorrection::default(),
                };
                ([[self.chunks.slots()[contact.vertex as usize]]], constraint)
            }));
            added.expect("a vertex that is there");
        }
        self.face_constraints.clear();
        let given = self.faces.iter().filter(|contact| is_given(contact.collider));
        self.face_constraints.extend(given.filter_map(|contact| {
            let friction = friction.with_collider(contact.vertices[0], contact.collider, contact.friction);
            let target = parameters.target(contact.gap, contact.distance);
            FaceConstraint::new(contact, friction, target, bodies.w)
        }));
    }

    fn passes(&self) -> Passes {
        let is_divided = self.collider_constraints.count() >= LEAST_CONTACTS;
        Passes { count: 1, threads: if is_divided { self.chunks.workers().min(threads()) } else { 1 } }
    }

    /// One pass over the normal directions, in order.
    pub(crate) fn separate(&mut self, bodies: &mut Bodies<'_>) {
        let passes = self.passes();
        self.collider_constraints.project(bodies.slices(), passes, |task| {
            task.for_each(|constraint, at| {
                let x = *at.get(0, 0);
                let height = dot(&(x - constraint.surface), &constraint.normal);
                // Branch-free: which contacts of a resting cloth push is unpredictable.
                let missing = (constraint.target - height).max(0.0);
                at.set(0, 0, x + constraint.normal * missing);
                constraint.correction.normal += missing;
            });
        });
        for constraint in self.face_constraints.iter_mut() {
            let height = dot(&(constraint.mean(|v| bodies.x[v]) - constraint.surface), &constraint.normal);
            let missing = constraint.target - height;
            if missing > 0.0 {
                constraint.displace(&(constraint.normal * missing), bodies);
                constraint.correction.normal += missing;
            }
        }
    }

    /// One friction pass, after the normal passes.
    pub(crate) fn apply_friction(&mut self, bodies: &mut Bodies<'_>) {
        let passes = self.passes();
        self.collider_constraints.project(bodies.slices(), passes, |task| {
            task.for_each(
                |ColliderConstraint { normal, friction, surface_displacement, correction, .. }, at| {
                    if correction.normal > 0.0 {
                        let x = *at.get(0, 0);
                        let slid = x - at.start(0, 0) - *surface_displacement;
                        at.set(0, 0, x - correction.apply_friction(&slid, normal, *friction));
                    }
                },
            );
        });
        for constraint in self.face_constraints.iter_mut() {
            if constraint.correction.normal > 0.0 {
                let moved = constraint.mean(|v| bodies.x[v] - bodies.x_t0[v]);
                let slid = moved - constraint.surface_displacement;
                let (normal, friction) = (constraint.normal, constraint.friction);
                let change = constraint.correction.apply_friction(&slid, &normal, friction);
                constraint.displace(&-change, bodies);
            }
        }
    }
}
