//! Contacts: the inequality `C >= 0` of every predicted contact, with Coulomb friction.
//!
//! A contact that starts the substep violated is not corrected at once, which would turn depth into speed. It
//! recovers a share of the violation per substep, and never gets worse:
//!
//! ```text
//!   wanted = gap + (distance - gap) * (1 - e^(-h / recovery))     if gap < distance
//!   wanted = distance                                             otherwise
//! ```
//!
//! Friction follows Macklin et al. 2014 ("Unified particle physics", section 6.1): the tangential
//! displacement of the pair since the start of the substep is reversed, up to the coefficient times the
//! normal correction. Friction passes follow the normal passes and accumulate corrections, as a projected
//! Gauss-Seidel solver: a single pass would share the sliding of a sheet with the sheet below it, and a stack
//! would creep by `g h` per substep.

use cloth_contacts::Contacts;
use cloth_contacts::point_triangle::Linear;
use cloth_geom::MapInline;
use cloth_geom::lanes::{Simd, lanes};

use super::separation::Separation;
use crate::bodies::{Bodies, Packed, dot};
use crate::describe::friction::FrictionTable;

/// Parameters of contact projection in a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactParameters {
    /// Share of a violation that is recovered in this substep, in (0, 1].
    pub(crate) recovery_share: f32,
    /// Maximum recovery (m).
    pub(crate) max_recovery: f32,
}

impl ContactParameters {
    /// The separation (m) that a contact is to have at the end of the substep.
    #[inline]
    pub(crate) fn target(&self, gap: f32, distance: f32) -> f32 {
        if gap < distance {
            let recovery = (distance - gap) * self.recovery_share;
            // One instruction; `f32::min` has several for what is not a number.
            gap + if recovery < self.max_recovery { recovery } else { self.max_recovery }
        } else {
            distance
        }
    }
}

/// Accumulated corrections of a contact in this substep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct AccumulatedCorrection {
    /// Normal correction (m).
    pub(super) normal: f32,
    /// Tangential correction (m), at most the friction coefficient times `normal`.
    tangential: Packed,
}

impl AccumulatedCorrection {
    /// Coulomb's limit of the tangential correction, and that correction. A contact with a body that moves
    /// as a whole accumulates pushes (kg m) instead of displacements.
    pub(crate) fn push_and_limit(&mut self, friction: f32) -> (f32, &mut Packed) {
        (friction * self.normal, &mut self.tangential)
    }

    /// The tangential correction to apply now, so that the accumulated one lies in Coulomb's cone.
    #[inline]
    pub(super) fn apply_friction(&mut self, slid: &Packed, normal: &Packed, friction: f32) -> Packed {
        let tangential = clamped(&(self.tangential + slid), normal, friction * self.normal);
        let change = tangential - self.tangential;
        self.tangential = tangential;
        change
    }
}

/// A contact with a normal correction, linearised for the friction passes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrictionConstraint {
    /// Where its vertices are among the positions being solved.
    slots: [u32; 4],
    /// Weights of the vertices in the relative displacement.
    weights: [f32; 4],
    /// Displacement of each vertex for a unit change of the weighted sum.
    shares: [f32; 4],
    normal: Packed,
    friction: f32,
    /// Index of its [`AccumulatedCorrection`].
    correction: u32,
}

/// Bodies with vertices in the collision surface that move as a whole, in the place of those vertices.
pub(crate) trait WholeBodies {
    /// Whether there are any; without, the usual case, no contact is asked for.
    fn have_vertices(&self) -> bool;

    /// Separates the vertices and the body of a contact to `target` (m) and returns the push (kg m); `None`
    /// if the contact is with no body.
    fn separate_contact(
        &mut self,
        linear: &Linear,
        v: &[usize; 4],
        target: f32,
        bodies: &mut Bodies<'_>,
    ) -> Option<f32>;

    /// Forgets the contacts of the last friction passes.
    fn clear_contact_friction(&mut self);

    /// Takes over a contact for the friction passes, if it is with a body; whether it is. `correction` is the
    /// index of its [`AccumulatedCorrection`].
    fn add_contact_friction(
        &mut self,
        linear: &Linear,
        vertices: [u32; 4],
        friction: f32,
        correction: usize,
    ) -> bool;

    /// One friction pass over the contacts that were taken over.
    fn apply_contact_friction(&mut self, corrections: &mut [AccumulatedCorrection], bodies: &mut Bodies<'_>);
}

/// Solver of the cloth contacts of a substep.
pub(crate) struct ContactSolver<'a> {
    pub(crate) contacts: &'a Contacts,
    /// One for each point-triangle contact, then one for each edge-edge contact.
    pub(crate) corrections: &'a mut Vec<AccumulatedCorrection>,
    /// Scratch of [`ContactSolver::prepare_friction`], in the order of the contacts.
    pub(crate) friction_constraints: &'a mut Vec<FrictionConstraint>,
}

impl ContactSolver<'_> {
    /// Resets the corrections.
    pub(crate) fn prepare(&mut self) {
        self.corrections.clear();
        self.corrections.resize(self.contacts.len(), AccumulatedCorrection::default());
    }

    /// One pass over the normal directions, in canonical order.
    pub(crate) fn separate(
        &mut self,
        parameters: &ContactParameters,
        bodies: &mut Bodies<'_>,
        whole: &mut impl WholeBodies,
    ) {
        match bodies.x.slots {
            slots if whole.have_vertices() => {
                let slot = |v: u32| slots.map_or(v, |slots| slots[v as usize]);
                self.separate_by(parameters, bodies, slot, |near, bodies| {
                    let v = near.vertices.map_inline(|v| v as usize);
                    let push = whole.separate_contact(&near.separation.linear(), &v, near.target, bodies);
                    push.unwrap_or_else(|| near.push(bodies.x.in_slots))
                });
            }
            None => self.separate_by(parameters, bodies, |v| v, |near, bodies| near.push(bodies.x.in_slots)),
            Some(slots) => {
                let slot = |v: u32| slots[v as usize];
                self.separate_by(parameters, bodies, slot, |near, bodies| near.push(bodies.x.in_slots));
            }
        }
    }

    /// Separates all contacts by `push`, which returns the correction (m), or the push (kg m) if it is one
    /// with a body that moves as a whole; given what tells the slot of a vertex.
    #[inline(always)]
    fn separate_by(
        &mut self,
        parameters: &ContactParameters,
        bodies: &mut Bodies<'_>,
        slot: impl Fn(u32) -> u32,
        mut push: impl FnMut(&Near, &mut Bodies<'_>) -> f32,
    ) {
        let (of_points, of_edges) = self.corrections.split_at_mut(self.contacts.point_triangles.len());
        for (contact, correction) in self.contacts.point_triangles.iter().zip(of_points) {
            let vertices = contact.vertices();
            let slots = vertices.map_inline(&slot);
            let target = parameters.target(contact.gap, contact.distance);
            if let Some(separation) = Separation::point_triangle(contact, &at(bodies, &slots), target) {
                correction.normal += push(&Near { separation, vertices, slots, target }, bodies);
            }
        }
        for (contact, correction) in self.contacts.edge_edges.iter().zip(of_edges) {
            let vertices = contact.vertices();
            let slots = vertices.map_inline(&slot);
            let target = parameters.target(contact.gap, contact.distance);
            if let Some(separation) = Separation::edge_edge(contact, &at(bodies, &slots), target) {
                correction.normal += push(&Near { separation, vertices, slots, target }, bodies);
            }
        }
    }

    /// Linearises the contacts with a normal correction, for the friction passes.
    pub(crate) fn prepare_friction(
        &mut self,
        friction: &FrictionTable,
        bodies: &Bodies<'_>,
        whole: &mut impl WholeBodies,
    ) {
        self.friction_constraints.clear();
        whole.clear_contact_friction();
        let have_vertices = whole.have_vertices();
        let (points, edges) = (&self.contacts.point_triangles, &self.contacts.edge_edges);
        for (number, _) in
            self.corrections.iter().enumerate().filter(|(_, correction)| correction.normal > 0.0)
        {
            let now = |vertices: [u32; 4]| {
                let slots = vertices.map_inline(|v| bodies.x.slot(v as usize) as u32);
                (vertices, slots, at(bodies, &slots))
            };
            // Wherever they are.
            const FAR: f32 = f32::INFINITY;
            let (vertices, slots, x, separation) = match points.get(number) {
                Some(contact) => {
                    let (vertices, slots, x) = now(contact.vertices());
                    (vertices, slots, x, Separation::point_triangle(contact, &x, FAR))
                }
                None => {
                    let contact = &edges[number - points.len()];
                    let (vertices, slots, x) = now(contact.vertices());
                    (vertices, slots, x, Separation::edge_edge(contact, &x, FAR))
                }
            };
            let Some(separation) = separation else { continue };
            let friction = friction.between(vertices[0], vertices[3]);
            if have_vertices && whole.add_contact_friction(&separation.linear(), vertices, friction, number) {
                continue;
            }
            let Separation { normal, weights, .. } = separation;
            let constraint = shares(&x.map_inline(|x| x.w), &weights).map(|shares| FrictionConstraint {
                slots,
                weights,
                shares,
                normal,
                friction,
                correction: number as u32,
            });
            self.friction_constraints.extend(constraint);
        }
    }

    /// One friction pass: reverses tangential displacements within Coulomb's cone.
    pub(crate) fn apply_friction(&mut self, bodies: &mut Bodies<'_>, whole: &mut impl WholeBodies) {
        whole.apply_contact_friction(self.corrections, bodies);
        let (x, x_t0) = (&mut *bodies.x.in_slots, bodies.x_t0.in_slots);
        for constraint in &*self.friction_constraints {
            let at = constraint.slots.map_inline(|slot| slot as usize);
            let slid =
                (0..4).fold(Packed::zeros(), |sum, i| sum + (x[at[i]] - x_t0[at[i]]) * constraint.weights[i]);
            let change = self.corrections[constraint.correction as usize].apply_friction(
                &slid,
                &constraint.normal,
                constraint.friction,
            );
            for i in 0..4 {
                x[at[i]] -= change * constraint.shares[i];
            }
        }
    }
}

/// A contact whose vertices are nearer than its target (m).
struct Near {
    separation: Separation,
    vertices: [u32; 4],
    slots: [u32; 4],
    target: f32,
}

impl Near {
    /// Separates the vertices to the target; returns the correction (m).
    #[inline(always)]
    fn push(&self, x: &mut [Packed]) -> f32 {
        let Self { separation: Separation { value, normal, weights }, slots, target, .. } = *self;
        let at = slots.map_inline(|slot| slot as usize);
        let Some(shares) = shares(&at.map_inline(|at| x[at].w), &weights) else { return 0.0 };
        let missing = target - value;
        let change = normal * missing;
        for i in 0..4 {
            x[at[i]] += change * shares[i];
        }
        missing
    }
}

/// The positions in four slots.
#[inline(always)]
fn at(bodies: &Bodies<'_>, slots: &[u32; 4]) -> [Packed; 4] {
    slots.map_inline(|slot| bodies.x.in_slots[slot as usize])
}

/// Displacement of each vertex for a unit change of their weighted sum, given their inverse masses; none if
/// no vertex is free to move.
#[inline(always)]
fn shares(inv_mass: &[f32; 4], weights: &[f32; 4]) -> Option<[f32; 4]> {
    let weight: f32 = (0..4).map(|i| inv_mass[i] * weights[i] * weights[i]).sum();
    // One division for all four.
    (weight > 0.0).then(|| (lanes([0, 1, 2, 3].map_inline(|i| inv_mass[i] * weights[i])) / weight).numbers())
}

/// The part of a displacement across the normal, cut to `max_length` (m).
#[inline]
fn clamped(displacement: &Packed, normal: &Packed, max_length: f32) -> Packed {
    let across = displacement - normal * dot(displacement, normal);
    let length_sq = dot(&across, &across);
    if length_sq > max_length * max_length { across * (max_length / length_sq.sqrt()) } else { across }
}

#[cfg(test)]
mod tests {
    use cloth_contacts::{EdgeEdge, PointTriangle, Side};
    use nalgebra::Vector3;

    use super::*;

    /// No bodies that move as a whole.
    impl WholeBodies for () {
        fn have_vertices(&self) -> bool {
            false
        }
        fn separate_contact(
            &mut self,
            _: &Linear,
            _: &[usize; 4],
            _: f32,
            _: &mut Bodies<'_>,
        ) -> Option<f32> {
            None
        }
        fn clear_contact_friction(&mut self) {}
        fn add_contact_friction(&mut self, _: &Linear, _: [u32; 4], _: f32, _: usize) -> bool {
            false
        }
        fn apply_contact_friction(&mut self, _: &mut [AccumulatedCorrection], _: &mut Bodies<'_>) {}
    }

    fn point_triangle(vertex: u32) -> PointTriangle {
        PointTriangle {
            vertex,
            face: 0,
            corners: [0, 1, 2],
            side: Side::Frozen,
            normal: Vector3::y(),
            weights: [0.2, 0.3, 0.5],
            gap: 0.1,
            distance: 0.1,
        }
    }

    /// Vertices of the contacts of [`slid`]: the corners, which are held, two points, and an edge.
    const INV_MASS: [f32; 7] = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];

    /// How much nearer each vertex is than it should be: enough to stop the slide, nothing, and a little.
    const LACKS: [f32; 7] = [0.0, 0.0, 0.0, 0.03, -0.01, 0.002, 0.002];

    /// How far everything has slid along x in the end, of 1 cm but for the corners, after contacts of both
    /// points and of the edge were separated by what they lack, and after friction; with the corrections.
    /// `slots` are those of the vertices.
    fn slid(slots: Option<&[u32; 7]>) -> (Vec<f32>, Vec<AccumulatedCorrection>) {
        let edges = EdgeEdge {
            edges: [0, 1],
            a: [5, 6],
            b: [0, 1],
            s: 0.5,
            t: 0.5,
            normal: Vector3::y(),
            gap: 0.1,
            distance: 0.1,
        };
        let contacts =
            Contacts { point_triangles: vec![point_triangle(3), point_triangle(4)], edge_edges: vec![edges] };
        let at = |v: usize, moved: f32| {
            let height = if v < 3 { 0.0 } else { 0.1 - moved * LACKS[v] };
            let slid = if v < 3 { 0.0 } else { 0.01 * moved };
            Packed::new(0.1 * v as f32 + slid, height, 0.02 * v as f32, INV_MASS[v])
        };
        let [mut x, mut x_t0] = [[Packed::zeros(); 7]; 2];
        for v in 0..7 {
            let slot = slots.map_or(v, |slots| slots[v] as usize);
            (x_t0[slot], x[slot]) = (at(v, 0.0), at(v, 1.0));
        }
        let mut bodies = Bodies::without_chunks(&mut x, &x_t0, &INV_MASS, 1e-3);
        let slots: Option<&[u32]> = slots.map(|slots| &slots[..]);
        (bodies.x.slots, bodies.x_t0.slots) = (slots, slots);
        let (mut corrections, mut friction_constraints) = (Vec::new(), Vec::new());
        let mut solver = ContactSolver {
            contacts: &contacts,
            corrections: &mut corrections,
            friction_constraints: &mut friction_constraints,
        };
        solver.prepare();
        let parameters = ContactParameters { recovery_share: 1.0, max_recovery: 1.0 };
        for _ in 0..2 {
            solver.separate(&parameters, &mut bodies, &mut ());
        }
        solver.prepare_friction(&FrictionTable::uniform(0.5), &bodies, &mut ());
        for _ in 0..3 {
            solver.apply_friction(&mut bodies, &mut ());
        }
        ((0..7).map(|v| (bodies.x[v] - bodies.x_t0[v]).x).collect(), corrections)
    }

    #[test]
    fn friction_acts_in_contacts_that_pushed_and_accumulates_by_their_index() {
        let (slid, corrections) = slid(None);
        let expected = [0.0, 0.0, 0.0, 0.0, 0.01, 0.009, 0.009];
        assert!(slid.iter().zip(expected).all(|(slid, expected)| (slid - expected).abs() < 1e-6), "{slid:?}");
        assert_eq!(corrections[1], AccumulatedCorrection::default());
        let [first, .., last] = &corrections[..] else { unreachable!("three contacts") };
        assert!((first.normal - 0.03).abs() < 1e-6 && (last.normal - 0.002).abs() < 1e-6, "{corrections:?}");
        assert!((last.tangential.norm() - 0.5 * 0.002).abs() < 1e-6, "{corrections:?}");
    }

    #[test]
    fn slots_change_no_bit() {
        let bits = |slots| slid(slots).0.into_iter().map(f32::to_bits).collect::<Vec<_>>();
        assert_eq!(bits(Some(&[4, 6, 1, 0, 5, 2, 3])), bits(None));
    }
}
