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

use cloth_contacts::point_triangle::Linear;
use cloth_contacts::{Contacts, EdgeEdge, PointTriangle};
use cloth_geom::MapInline;
use cloth_geom::lanes::Lanes;

use crate::bodies::{Bodies, Packed, dot, packed, point};
use crate::friction::FrictionTable;

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
            gap + ((distance - gap) * self.recovery_share).min(self.max_recovery)
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
    vertices: [u32; 4],
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
        if whole.have_vertices() {
            self.separate_by(parameters, bodies, |linear, v, target, bodies| {
                let push = whole.separate_contact(linear, v, target, bodies);
                push.unwrap_or_else(|| apply_push(linear, v, target, bodies))
            });
        } else {
            self.separate_by(parameters, bodies, apply_push);
        }
    }

    /// Separates all contacts by `push`, which returns the correction (m), or the push (kg m) if it is one
    /// with a body that moves as a whole.
    #[inline(always)]
    fn separate_by(
        &mut self,
        parameters: &ContactParameters,
        bodies: &mut Bodies<'_>,
        mut push: impl FnMut(&Linear, &[usize; 4], f32, &mut Bodies<'_>) -> f32,
    ) {
        let (of_points, of_edges) = self.corrections.split_at_mut(self.contacts.point_triangles.len());
        for (contact, correction) in self.contacts.point_triangles.iter().zip(of_points) {
            let v = contact.vertices().map_inline(|v| v as usize);
            let target = parameters.target(contact.gap, contact.distance);
            let [p, a, b, c] = v.map_inline(|v| point(&bodies.x[v]));
            if let Some(linear) = contact.linearise_if_below(target, &p, [&a, &b, &c]) {
                correction.normal += push(&linear, &v, target, bodies);
            }
        }
        for (contact, correction) in self.contacts.edge_edges.iter().zip(of_edges) {
            let v = contact.vertices().map_inline(|v| v as usize);
            let linear = edge_edge_now(contact, &v, bodies);
            let target = parameters.target(contact.gap, contact.distance);
            correction.normal += push(&linear, &v, target, bodies);
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
            let (vertices, linear) = match points.get(number) {
                Some(contact) => {
                    let vertices = contact.vertices();
                    (vertices, point_triangle_now(contact, &vertices.map_inline(|v| v as usize), bodies))
                }
                None => {
                    let contact = &edges[number - points.len()];
                    let vertices = contact.vertices();
                    (vertices, edge_edge_now(contact, &vertices.map_inline(|v| v as usize), bodies))
                }
            };
            let friction = friction.between(vertices[0], vertices[3]);
            if have_vertices && whole.add_contact_friction(&linear, vertices, friction, number) {
                continue;
            }
            self.friction_constraints.extend(FrictionConstraint::new(
                &linear,
                vertices,
                friction,
                number as u32,
                bodies.w,
            ));
        }
    }

    /// One friction pass: reverses tangential displacements within Coulomb's cone.
    pub(crate) fn apply_friction(&mut self, bodies: &mut Bodies<'_>, whole: &mut impl WholeBodies) {
        whole.apply_contact_friction(self.corrections, bodies);
        for constraint in &*self.friction_constraints {
            let v = constraint.vertices.map(|v| v as usize);
            let slid = (0..4).fold(Packed::zeros(), |sum, i| {
                sum + (bodies.x[v[i]] - bodies.x_t0[v[i]]) * constraint.weights[i]
            });
            let change = self.corrections[constraint.correction as usize].apply_friction(
                &slid,
                &constraint.normal,
                constraint.friction,
            );
            for i in 0..4 {
                bodies.x[v[i]] -= change * constraint.shares[i];
            }
        }
    }
}

impl FrictionConstraint {
    /// `None` if no vertex is free to move.
    #[inline]
    fn new(
        linear: &Linear,
        vertices: [u32; 4],
        friction: f32,
        correction: u32,
        inv_mass: &[f32],
    ) -> Option<Self> {
        let weights = linear.weights;
        let shares = shares(&vertices.map_inline(|v| v as usize), &weights, inv_mass)?;
        Some(Self { vertices, weights, shares, normal: packed(&linear.normal), friction, correction })
    }
}

#[inline]
fn point_triangle_now(contact: &PointTriangle, v: &[usize; 4], bodies: &Bodies<'_>) -> Linear {
    let [p, a, b, c] = v.map_inline(|v| point(&bodies.x[v]));
    contact.linearise(&p, [&a, &b, &c])
}

#[inline]
fn edge_edge_now(contact: &EdgeEdge, v: &[usize; 4], bodies: &Bodies<'_>) -> Linear {
    let [a0, a1, b0, b1] = v.map_inline(|v| point(&bodies.x[v]));
    contact.linearise([&a0, &a1], [&b0, &b1])
}

/// Displacement of each vertex for a unit change of their weighted sum; none if no vertex is free to move.
#[inline(always)]
fn shares(v: &[usize; 4], weights: &[f32; 4], inv_mass: &[f32]) -> Option<[f32; 4]> {
    let weight: f32 = (0..4).map(|i| inv_mass[v[i]] * weights[i] * weights[i]).sum();
    // One division for all four.
    (weight > 0.0)
        .then(|| (Lanes::from([0, 1, 2, 3].map_inline(|i| inv_mass[v[i]] * weights[i])) / weight).to_array())
}

/// Separates the four vertices to the target separation; returns the correction (m).
#[inline(always)]
fn apply_push(linear: &Linear, v: &[usize; 4], target: f32, bodies: &mut Bodies<'_>) -> f32 {
    let missing = target - linear.value;
    if missing > 0.0
        && let Some(shares) = shares(v, &linear.weights, bodies.w)
    {
        let change = packed(&(linear.normal * missing));
        for i in 0..4 {
            bodies.x[v[i]] += change * shares[i];
        }
        return missing;
    }
    0.0
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
    use cloth_contacts::Side;
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

    #[test]
    fn friction_acts_in_contacts_that_pushed_and_accumulates_by_their_index() {
        let edges = EdgeEdge {
            edges: [0, 1],
            a: [0, 1],
            b: [5, 6],
            s: 0.5,
            t: 0.5,
            normal: Vector3::y(),
            gap: 0.1,
            distance: 0.1,
        };
        let contacts =
            Contacts { point_triangles: vec![point_triangle(3), point_triangle(4)], edge_edges: vec![edges] };
        // Everything has slid by 1 cm along x but the first corners, which are held.
        let at = |v: usize, slid: f32| Packed::new(0.1 * v as f32 + slid, 0.0, 0.02 * v as f32, 0.0);
        let x_t0: Vec<Packed> = (0..7).map(|v| at(v, 0.0)).collect();
        let mut x: Vec<Packed> = (0..7).map(|v| at(v, if v < 3 { 0.0 } else { 0.01 })).collect();
        let w = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
        let mut bodies = Bodies::without_chunks(&mut x, &x_t0, &w, 1e-3);
        let correction = |normal| AccumulatedCorrection { normal, ..AccumulatedCorrection::default() };
        // The first pushed enough to stop the slide, the second not at all, the third a little.
        let (mut corrections, mut friction_constraints) =
            (vec![correction(1.0), correction(0.0), correction(0.002)], Vec::new());
        let mut solver = ContactSolver {
            contacts: &contacts,
            corrections: &mut corrections,
            friction_constraints: &mut friction_constraints,
        };
        solver.prepare_friction(&FrictionTable::uniform(0.5), &bodies, &mut ());
        for _ in 0..3 {
            solver.apply_friction(&mut bodies, &mut ());
        }
        let slid: Vec<f32> = x.iter().zip(&x_t0).map(|(now, then)| (now - then).x).collect();
        let expected = [0.0, 0.0, 0.0, 0.0, 0.01, 0.009, 0.009];
        assert!(slid.iter().zip(expected).all(|(slid, expected)| (slid - expected).abs() < 1e-6), "{slid:?}");
        assert_eq!(corrections[1], AccumulatedCorrection::default());
        assert!((corrections[2].tangential.norm() - 0.5 * 0.002).abs() < 1e-8, "{:?}", corrections[2]);
    }
}
