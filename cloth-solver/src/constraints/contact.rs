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
use cloth_disjoint::{Groups, Passes};
use cloth_geom::MapInline;
use cloth_geom::lanes::{Simd, lanes};

use super::contact_order::ContactOrder;
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

/// A contact in solving order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactConstraint {
    /// Its place among all point-triangle contacts and then all edge-edge contacts.
    number: u32,
    /// Normal correction (m) in this substep; with a body that moves as a whole the push (kg m).
    normal: f32,
}

impl ContactConstraint {
    /// Of a contact, by its place among all point-triangle contacts and then all edge-edge contacts.
    pub(super) fn new(number: u32) -> Self {
        Self { number, normal: 0.0 }
    }
}

/// A contact with a normal correction, linearised for the friction passes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FrictionConstraint {
    number: u32,
    friction: f32,
    /// Weights of the vertices in the relative displacement.
    weights: [f32; 4],
    /// Displacement of each vertex for a unit change of the weighted sum.
    shares: [f32; 4],
    normal: Packed,
    correction: AccumulatedCorrection,
}

/// What is kept of the contacts while they are solved.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactMemory {
    order: ContactOrder,
    constraints: Groups<ContactConstraint, 4, 1>,
    friction: Groups<FrictionConstraint, 4, 1>,
    /// By the numbers of contacts: of contacts with a body that moves as a whole, and the tangential ones of all
    /// others after an iteration.
    corrections: Vec<AccumulatedCorrection>,
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
    pub(crate) memory: &'a mut ContactMemory,
    pub(crate) parameters: ContactParameters,
    /// Most threads.
    pub(crate) threads: usize,
}

/// Least number of contacts for several threads: a pass over fewer takes less time than it takes to share it.
const LEAST_CONTACTS: usize = 1024;

impl ContactSolver<'_> {
    /// Brings contacts into solving order if they are new in this substep.
    pub(crate) fn prepare(&mut self, are_new: bool, bodies: &Bodies<'_>) {
        let Self { contacts, memory, threads, .. } = self;
        let is_of_others = memory.constraints.items() != bodies.x.in_slots.len();
        if are_new || is_of_others || memory.constraints.count() != contacts.len() {
            memory.order.store(contacts, bodies, &mut memory.constraints);
        }
        memory.corrections.clear();
        if contacts.len() < LEAST_CONTACTS {
            *threads = 1;
        }
    }

    fn passes(&self) -> Passes {
        Passes { count: 1, threads: self.threads }
    }

    /// One pass over the normal directions; the `first` of a substep begins without corrections.
    pub(crate) fn separate(&mut self, first: bool, bodies: &mut Bodies<'_>, whole: &mut impl WholeBodies) {
        let (passes, contacts, parameters) = (self.passes(), self.contacts, self.parameters);
        let constraints = &mut self.memory.constraints;
        let target = |gap, distance| parameters.target(gap, distance);
        if !whole.have_vertices() {
            return constraints.project(bodies.slices(), passes, |task| {
                task.for_each(|constraint, at| {
                    constraint.normal = if first { 0.0 } else { constraint.normal };
                    let x = [0, 1, 2, 3].map_inline(|k| *at.get(k, 0));
                    if let Some(near) = near(contacts, constraint.number, &x, target) {
                        constraint.normal += near.reach_target(&x, |k, x| at.set(k, 0, x));
                    }
                });
            });
        }
        for (slots, constraint) in constraints.iter_mut() {
            constraint.normal = if first { 0.0 } else { constraint.normal };
            let slots = slots.map_inline(|[slot]| slot as usize);
            let x = slots.map_inline(|slot| bodies.x.in_slots[slot]);
            let Some(near) = near(contacts, constraint.number, &x, target) else { continue };
            let v = vertices(contacts, constraint.number).map_inline(|v| v as usize);
            let push = whole.separate_contact(&near.separation.linear(), &v, near.target, bodies);
            constraint.normal +=
                push.unwrap_or_else(|| near.reach_target(&x, |k, x| bodies.x.in_slots[slots[k]] = x));
        }
    }

    /// Linearises the contacts with a normal correction, for the friction passes.
    pub(crate) fn prepare_friction(
        &mut self,
        friction: &FrictionTable,
        bodies: &Bodies<'_>,
        whole: &mut impl WholeBodies,
    ) {
        let (threads, contacts) = (self.threads, self.contacts);
        let ContactMemory { constraints, friction: chosen, corrections, .. } = &mut *self.memory;
        // Wherever they are.
        let linear = |number: u32, x: &[Packed; 4]| {
            near(contacts, number, x, |_, _| f32::INFINITY).map(|near| near.separation)
        };
        let friction = |number: u32| {
            let [a, _, _, b] = vertices(contacts, number);
            friction.between(a, b)
        };
        whole.clear_contact_friction();
        if whole.have_vertices() {
            corrections.resize(contacts.len(), AccumulatedCorrection::default());
            for (slots, constraint) in
                constraints.iter_mut().filter(|(_, constraint)| constraint.normal > 0.0)
            {
                let (number, x) = (constraint.number, slots.map(|[slot]| bodies.x.in_slots[slot as usize]));
                let Some(separation) = linear(number, &x) else { continue };
                let (vertices, friction) = (vertices(contacts, number), friction(number));
                if whole.add_contact_friction(&separation.linear(), vertices, friction, number as usize) {
                    corrections[number as usize].normal = constraint.normal;
                }
            }
        }
        let corrections = &*corrections;
        chosen.select(constraints, bodies.x.in_slots, threads, |constraint, at| {
            let ContactConstraint { number, normal: pushed } = *constraint;
            let before = corrections.get(number as usize).copied().unwrap_or_default();
            if pushed <= 0.0 || before.normal > 0.0 {
                return None;
            }
            let x = [0, 1, 2, 3].map_inline(|k| *at.get(k, 0));
            let Separation { normal, weights, .. } = linear(number, &x)?;
            let shares = shares(&x.map_inline(|x| x.w), &weights)?;
            let correction = AccumulatedCorrection { normal: pushed, ..before };
            Some(FrictionConstraint {
                number,
                friction: friction(number),
                weights,
                shares,
                normal,
                correction,
            })
        });
    }

    /// One friction pass: reverses tangential displacements within Coulomb's cone.
    pub(crate) fn apply_friction(&mut self, bodies: &mut Bodies<'_>, whole: &mut impl WholeBodies) {
        let passes = self.passes();
        let ContactMemory { friction, corrections, .. } = &mut *self.memory;
        whole.apply_contact_friction(corrections, bodies);
        friction.project(bodies.slices(), passes, |task| {
            task.for_each(|FrictionConstraint { friction, weights, shares, normal, correction, .. }, at| {
                let x = [0, 1, 2, 3].map_inline(|k| *at.get(k, 0));
                let slid = (0..4).fold(Packed::zeros(), |sum, k| sum + (x[k] - at.start(k, 0)) * weights[k]);
                let change = correction.apply_friction(&slid, normal, *friction);
                for k in 0..4 {
                    at.set(k, 0, x[k] - change * shares[k]);
                }
            });
        });
    }

    /// Keeps the corrections of the friction passes for those of the next iteration.
    pub(crate) fn keep_corrections(&mut self) {
        let ContactMemory { friction, corrections, .. } = &mut *self.memory;
        corrections.resize(self.contacts.len(), AccumulatedCorrection::default());
        for (_, constraint) in friction.iter_mut() {
            corrections[constraint.number as usize].tangential = constraint.correction.tangential;
        }
    }
}

/// The vertices of a contact, by its place among all point-triangle contacts and then all edge-edge contacts.
#[inline(always)]
pub(super) fn vertices(contacts: &Contacts, number: u32) -> [u32; 4] {
    match contacts.point_triangles.get(number as usize) {
        Some(contact) => contact.vertices(),
        None => contacts.edge_edges[number as usize - contacts.point_triangles.len()].vertices(),
    }
}

/// The contact of a number, if its vertices at `x` are nearer than its `target` (m), which is given its gap and its
/// distance.
#[inline(always)]
fn near(contacts: &Contacts, number: u32, x: &[Packed; 4], target: impl Fn(f32, f32) -> f32) -> Option<Near> {
    let (separation, target) = match contacts.point_triangles.get(number as usize) {
        Some(contact) => {
            let target = target(contact.gap, contact.distance);
            (Separation::point_triangle(contact, x, target)?, target)
        }
        None => {
            let contact = &contacts.edge_edges[number as usize - contacts.point_triangles.len()];
            let target = target(contact.gap, contact.distance);
            (Separation::edge_edge(contact, x, target)?, target)
        }
    };
    Some(Near { separation, target })
}

/// A contact whose vertices are nearer than its target (m).
struct Near {
    separation: Separation,
    target: f32,
}

impl Near {
    /// Moves the vertices to the target, given where they are and what puts one of them; returns the correction
    /// (m).
    #[inline(always)]
    fn reach_target(&self, x: &[Packed; 4], mut put: impl FnMut(usize, Packed)) -> f32 {
        let Self { separation: Separation { value, normal, weights }, target } = self;
        let Some(shares) = shares(&x.map_inline(|x| x.w), weights) else { return 0.0 };
        let missing = target - value;
        let change = normal * missing;
        for k in 0..4 {
            put(k, x[k] + change * shares[k]);
        }
        missing
    }
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
    use cloth_testing::Dice;
    use nalgebra::Vector3;

    use super::*;

    /// Bodies of which none is in a contact. If they have vertices, contacts are projected one after the other,
    /// with checked indices.
    struct NoBodies {
        have_vertices: bool,
    }

    impl WholeBodies for NoBodies {
        fn have_vertices(&self) -> bool {
            self.have_vertices
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
        let mut memory = ContactMemory::default();
        let parameters = ContactParameters { recovery_share: 1.0, max_recovery: 1.0 };
        let mut solver = ContactSolver { contacts: &contacts, memory: &mut memory, parameters, threads: 1 };
        solver.prepare(true, &bodies);
        for pass in 0..2 {
            solver.separate(pass == 0, &mut bodies, &mut NoBodies { have_vertices: false });
        }
        solver.prepare_friction(
            &FrictionTable::uniform(0.5),
            &bodies,
            &mut NoBodies { have_vertices: false },
        );
        for _ in 0..3 {
            solver.apply_friction(&mut bodies, &mut NoBodies { have_vertices: false });
        }
        let mut corrections = vec![AccumulatedCorrection::default(); 3];
        for (_, constraint) in memory.friction.iter_mut() {
            corrections[constraint.number as usize] = constraint.correction;
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

    /// Random contacts of vertices near each other in some sheets.
    fn many_contacts(dice: &mut Dice, side: u32, count: usize) -> Contacts {
        let near = |dice: &mut Dice| {
            let (i, j) = (dice.below(side - 2), dice.below(side - 2));
            let at = |dice: &mut Dice| {
                dice.below(3) * side * side + (j + dice.below(3)) * side + i + dice.below(3)
            };
            loop {
                let v = [at(dice), at(dice), at(dice), at(dice)];
                if (0..4).all(|k| !v[..k].contains(&v[k])) {
                    return v;
                }
            }
        };
        let mut contacts = Contacts::default();
        for _ in 0..count {
            let ([vertex, corners @ ..], side) =
                (near(dice), dice.pick(&[Side::Front, Side::Back, Side::Frozen]));
            let contact = PointTriangle { vertex, corners, side, ..point_triangle(0) };
            contacts.point_triangles.push(PointTriangle { normal: dice.direction(), ..contact });
            let ([a, b, c, d], s) = (near(dice), dice.between(0.1, 0.9));
            let (edges, normal) = ([0, 1], dice.direction());
            contacts.edge_edges.push(EdgeEdge {
                edges,
                a: [a, b],
                b: [c, d],
                s,
                t: 1.0 - s,
                normal,
                gap: 0.1,
                distance: 0.1,
            });
        }
        contacts
    }

    /// The bits of all positions after two iterations over contacts.
    fn solved(
        contacts: &Contacts,
        x_t0: &[Packed],
        threads: usize,
        whole: &mut impl WholeBodies,
    ) -> Vec<u32> {
        let mut x: Vec<Packed> =
            x_t0.iter().map(|x| x + Packed::new(0.03 * x.z, 0.02 * x.x, 0.0, 0.0)).collect();
        let w: Vec<f32> = x_t0.iter().map(|x| x.w).collect();
        let mut bodies = Bodies::without_chunks(&mut x, x_t0, &w, 1e-3);
        let mut memory = ContactMemory::default();
        let parameters = ContactParameters { recovery_share: 0.5, max_recovery: 0.05 };
        let mut solver = ContactSolver { contacts, memory: &mut memory, parameters, threads };
        solver.prepare(true, &bodies);
        for iteration in 0..2 {
            (0..2).for_each(|pass| solver.separate(iteration + pass == 0, &mut bodies, whole));
            solver.prepare_friction(&FrictionTable::uniform(0.5), &bodies, whole);
            (0..3).for_each(|_| solver.apply_friction(&mut bodies, whole));
            solver.keep_corrections();
        }
        x.iter().flat_map(|x| [x.x, x.y, x.z]).map(f32::to_bits).collect()
    }

    #[test]
    fn threads_change_no_bit_of_contacts_one_by_one() {
        const SIDE: u32 = 40;
        for (seed, count) in [(1, 200), (2, 600), (3, 3000), (4, 12_000)] {
            let mut dice = Dice::new(seed);
            let contacts = many_contacts(&mut dice, SIDE, count);
            let at = |v: u32| {
                let (i, j, k) = (v % SIDE, v / SIDE % SIDE, v / SIDE / SIDE);
                let inv_mass = if dice.one_in(9) { 0.0 } else { dice.between(0.5, 2.0) };
                Packed::new(0.1 * i as f32, 0.09 * k as f32, 0.1 * j as f32, inv_mass)
            };
            let x_t0: Vec<Packed> = (0..3 * SIDE * SIDE).map(at).collect();
            let expected = solved(&contacts, &x_t0, 1, &mut NoBodies { have_vertices: true });
            for threads in [1, 2, 3, 8] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let ours = pool
                    .install(|| solved(&contacts, &x_t0, threads, &mut NoBodies { have_vertices: false }));
                assert!(ours == expected, "{count} contacts, {threads} threads");
            }
        }
    }

    #[test]
    fn slots_change_no_bit() {
        let bits = |slots| slid(slots).0.into_iter().map(f32::to_bits).collect::<Vec<_>>();
        assert_eq!(bits(Some(&[4, 6, 1, 0, 5, 2, 3])), bits(None));
    }
}
