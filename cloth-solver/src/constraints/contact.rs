//! Contacts: the inequality `C >= 0` of every predicted contact, with Coulomb friction.
//!
//! A contact that begins the substep closer than its distance is not thrown out at once, which would turn depth into
//! speed. It is asked to have recovered a fraction of the way by the end of the substep, and never to get worse:
//!
//! ```text
//!   wanted = gap + (distance - gap) * (1 - e^(-h / recovery))     if gap < distance
//!   wanted = distance                                             otherwise
//! ```
//!
//! Friction follows Macklin et al. 2014 ("Unified particle physics", section 6.1): what the pair has slid since the
//! start of the substep is taken back, up to the coefficient times the normal correction. It is iterated after the normal
//! passes, with what was held remembered, as a projected Gauss-Seidel: one pass shares the sliding of a sheet with the sheet
//! below it, and a stack would creep by `g h` each substep.

use cloth_contacts::collider::ColliderContact;
use cloth_contacts::point_triangle::Linear;
use cloth_contacts::{Contacts, EdgeEdge, PointTriangle};

use super::Bodies;
use super::bodies::{Packed, dot, packed, point};
use super::lanes::Lanes;

/// What contact projection is told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactRule {
    /// Share of a violation that is recovered in this substep, in (0, 1].
    pub(crate) recovered: f32,
    /// How far it is recovered at most (m).
    pub(crate) most: f32,
    /// Coulomb friction coefficient of cloth against cloth.
    pub(crate) friction: f32,
}

impl ContactRule {
    /// The separation (m) that a contact is to have at the end of the substep.
    #[inline]
    pub(super) fn wanted(&self, gap: f32, distance: f32) -> f32 {
        if gap < distance { gap + ((distance - gap) * self.recovered).min(self.most) } else { distance }
    }
}

/// What a contact has done in this substep so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Push {
    /// How far it was pushed apart (m).
    pub(super) normal: f32,
    /// How much sliding was taken back (m), at most the friction coefficient times `normal`.
    held: Packed,
}

impl Push {
    /// The sliding to take back now, so that all that was taken back lies in Coulomb's cone.
    #[inline]
    pub(super) fn hold(&mut self, slid: &Packed, normal: &Packed, friction: f32) -> Packed {
        let held = clamped(&(self.held + slid), normal, friction * self.normal);
        let change = held - self.held;
        self.held = held;
        change
    }
}

/// A contact that has pushed, as the passes of friction see it: linearised where the normal passes left it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grip {
    vertices: [u32; 4],
    /// Weights of the sliding displacement.
    weights: [f32; 4],
    /// By how much each vertex moves for a unit change of the weighted sum.
    shares: [f32; 4],
    normal: Packed,
    /// Number of its [`Push`].
    push: u32,
}

/// The contacts of a substep, and what each has done in it so far.
pub(crate) struct Pushes<'a> {
    pub(crate) contacts: &'a Contacts,
    /// One for each point-triangle contact, then one for each edge-edge contact.
    pub(crate) pushed: &'a mut Vec<Push>,
    /// Scratch of [`Pushes::begin_friction`], in the order of the contacts.
    pub(crate) grips: &'a mut Vec<Grip>,
}

impl Pushes<'_> {
    /// Nothing has been pushed yet.
    pub(crate) fn begin(&mut self) {
        self.pushed.clear();
        self.pushed.resize(self.contacts.len(), Push::default());
    }

    /// One pass over the normal directions, in canonical order.
    pub(crate) fn separate(&mut self, rule: &ContactRule, bodies: &mut Bodies<'_>) {
        let (of_points, of_edges) = self.pushed.split_at_mut(self.contacts.point_triangles.len());
        for (contact, pushed) in self.contacts.point_triangles.iter().zip(of_points) {
            let v = contact.vertices().map(|v| v as usize);
            let wanted = rule.wanted(contact.gap, contact.distance);
            let [p, a, b, c] = v.map(|v| point(&bodies.x[v]));
            if let Some(linear) = contact.linearise_if_below(wanted, &p, [&a, &b, &c]) {
                pushed.normal += push(&linear, &v, wanted, bodies);
            }
        }
        for (contact, pushed) in self.contacts.edge_edges.iter().zip(of_edges) {
            let v = contact.vertices().map(|v| v as usize);
            let linear = edge_edge_now(contact, &v, bodies);
            pushed.normal += push(&linear, &v, rule.wanted(contact.gap, contact.distance), bodies);
        }
    }

    /// Linearises the contacts that have pushed, for the passes of friction that follow.
    pub(crate) fn begin_friction(&mut self, bodies: &Bodies<'_>) {
        self.grips.clear();
        let (points, edges) = (&self.contacts.point_triangles, &self.contacts.edge_edges);
        for (number, _) in self.pushed.iter().enumerate().filter(|(_, pushed)| pushed.normal > 0.0) {
            let (vertices, linear) = match points.get(number) {
                Some(contact) => {
                    let vertices = contact.vertices();
                    (vertices, point_triangle_now(contact, &vertices.map(|v| v as usize), bodies))
                }
                None => {
                    let contact = &edges[number - points.len()];
                    let vertices = contact.vertices();
                    (vertices, edge_edge_now(contact, &vertices.map(|v| v as usize), bodies))
                }
            };
            self.grips.extend(Grip::new(&linear, vertices, number as u32, bodies.w));
        }
    }

    /// One pass of friction: takes back what each pair slides in this substep, within Coulomb's cone.
    pub(crate) fn apply_friction(&mut self, rule: &ContactRule, bodies: &mut Bodies<'_>) {
        for grip in &*self.grips {
            let v = grip.vertices.map(|v| v as usize);
            let slid = (0..4)
                .fold(Packed::zeros(), |sum, i| sum + (bodies.x[v[i]] - bodies.x_t0[v[i]]) * grip.weights[i]);
            let change = self.pushed[grip.push as usize].hold(&slid, &grip.normal, rule.friction);
            (0..4).for_each(|i| bodies.x[v[i]] -= change * grip.shares[i]);
        }
    }
}

impl Grip {
    /// None if no vertex is free to move.
    #[inline]
    fn new(linear: &Linear, vertices: [u32; 4], push: u32, inv_mass: &[f32]) -> Option<Self> {
        let weights = linear.weights;
        let shares = shares(&vertices.map(|v| v as usize), &weights, inv_mass)?;
        Some(Self { vertices, weights, shares, normal: packed(&linear.normal), push })
    }
}

#[inline]
fn point_triangle_now(contact: &PointTriangle, v: &[usize; 4], bodies: &Bodies<'_>) -> Linear {
    let [p, a, b, c] = v.map(|v| point(&bodies.x[v]));
    contact.linearise(&p, [&a, &b, &c])
}

#[inline]
fn edge_edge_now(contact: &EdgeEdge, v: &[usize; 4], bodies: &Bodies<'_>) -> Linear {
    let [a0, a1, b0, b1] = v.map(|v| point(&bodies.x[v]));
    contact.linearise([&a0, &a1], [&b0, &b1])
}

/// By how much each vertex moves for a unit change of their weighted sum; none if none is free to move.
#[inline(always)]
fn shares(v: &[usize; 4], weights: &[f32; 4], inv_mass: &[f32]) -> Option<[f32; 4]> {
    let weight: f32 = (0..4).map(|i| inv_mass[v[i]] * weights[i] * weights[i]).sum();
    // One division for all four.
    (weight > 0.0)
        .then(|| (Lanes::from([0, 1, 2, 3].map(|i| inv_mass[v[i]] * weights[i])) / weight).to_array())
}

/// Pushes the four vertices apart until the separation is as wanted; returns by how much (m).
#[inline(always)]
fn push(linear: &Linear, v: &[usize; 4], wanted: f32, bodies: &mut Bodies<'_>) -> f32 {
    let missing = wanted - linear.value;
    if missing > 0.0
        && let Some(shares) = shares(v, &linear.weights, bodies.w)
    {
        let change = packed(&(linear.normal * missing));
        (0..4).for_each(|i| bodies.x[v[i]] += change * shares[i]);
        return missing;
    }
    0.0
}

/// The part of a displacement across the normal, cut to `most` (m).
#[inline]
fn clamped(displacement: &Packed, normal: &Packed, most: f32) -> Packed {
    let across = displacement - normal * dot(displacement, normal);
    let length_sq = dot(&across, &across);
    if length_sq > most * most { across * (most / length_sq.sqrt()) } else { across }
}

/// The contacts with colliders, and how far each has been pushed out in the substep so far (m).
pub(crate) struct ColliderPushes<'a> {
    pub(crate) contacts: &'a [ColliderContact],
    pub(crate) barriers: &'a mut Vec<Barrier>,
}

/// What the passes read and write of a collider contact, and no more: there are a dozen a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Barrier {
    normal: Packed,
    surface: Packed,
    /// How far the surface moves in the substep (m).
    surface_displacement: Packed,
    friction: f32,
    /// Separation that the contact is to have (m).
    wanted: f32,
    vertex: u32,
    pushed: Push,
}

impl ColliderPushes<'_> {
    /// Nothing has been pushed yet.
    pub(crate) fn begin(&mut self, rule: &ContactRule) {
        self.barriers.clear();
        self.barriers.extend(self.contacts.iter().map(|contact| Barrier {
            normal: packed(&contact.normal),
            surface: packed(&contact.surface_t1.coords),
            surface_displacement: packed(&contact.surface_displacement),
            friction: contact.friction,
            wanted: rule.wanted(contact.gap, contact.distance),
            vertex: contact.vertex,
            pushed: Push::default(),
        }));
    }

    /// One pass over the normal directions, in order.
    pub(crate) fn separate(&mut self, bodies: &mut Bodies<'_>) {
        for barrier in self.barriers.iter_mut() {
            let v = barrier.vertex as usize;
            let height = dot(&(bodies.x[v] - barrier.surface), &barrier.normal);
            // No branch: half of the contacts of a cloth at rest push, in no order that could be foreseen.
            let missing = (barrier.wanted - height).max(0.0);
            bodies.x[v] += barrier.normal * missing;
            barrier.pushed.normal += missing;
        }
    }

    /// One pass of friction, once the normal pushes are known.
    pub(crate) fn hold(&mut self, bodies: &mut Bodies<'_>) {
        for barrier in self.barriers.iter_mut() {
            if barrier.pushed.normal > 0.0 {
                let v = barrier.vertex as usize;
                let slid = bodies.x[v] - bodies.x_t0[v] - barrier.surface_displacement;
                bodies.x[v] -= barrier.pushed.hold(&slid, &barrier.normal, barrier.friction);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use cloth_contacts::Side;
    use nalgebra::Vector3;

    use super::*;

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
    fn friction_acts_in_the_contacts_that_pushed_and_is_remembered_by_their_numbers() {
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
        let mut bodies = Bodies { x: &mut x, x_t0: &x_t0, w: &w, h: 1e-3 };
        let pushed = |normal| Push { normal, ..Push::default() };
        // The first pushed enough to stop the slide, the second not at all, the third a little.
        let (mut pushed, mut grips) = (vec![pushed(1.0), pushed(0.0), pushed(0.002)], Vec::new());
        let mut pushes = Pushes { contacts: &contacts, pushed: &mut pushed, grips: &mut grips };
        let rule = ContactRule { recovered: 1.0, most: 1.0, friction: 0.5 };
        pushes.begin_friction(&bodies);
        for _ in 0..3 {
            pushes.apply_friction(&rule, &mut bodies);
        }
        let slid: Vec<f32> = bodies.x.iter().zip(&x_t0).map(|(now, then)| (now - then).x).collect();
        let expected = [0.0, 0.0, 0.0, 0.0, 0.01, 0.009, 0.009];
        assert!(slid.iter().zip(expected).all(|(slid, expected)| (slid - expected).abs() < 1e-6), "{slid:?}");
        assert_eq!(pushed[1], Push::default());
        assert!((pushed[2].held.norm() - 0.5 * 0.002).abs() < 1e-8, "{:?}", pushed[2]);
    }
}
