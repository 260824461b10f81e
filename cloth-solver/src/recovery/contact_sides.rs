//! What becomes of the contacts between the two sides of a contour.
//!
//! A contact keeps what it finds, and here what it finds is wrong. Where the plan says which vertices are on the wrong side,
//! their contacts with faces of the other sheet are turned, so that they push back through, and those of vertices on the right
//! side are taken as they are, whatever they were before. All others between the two sides are let go: two sheets that cut
//! each other have edges beside each other that would hold the tangle as it is.
//!
//! Cloth in a body that has an inside is on the wrong side whatever it cuts off: there the contacts of both, near the contour or
//! deep inside, are turned so that they push the cloth out.
//!
//! Layers with an authored order are left alone: their order has decided.

use cloth_contacts::tangle::{Contour, Rings, Stand};
use cloth_contacts::{Contacts, EdgeEdge, PointTriangle, Side};
use cloth_geom::Topology;
use nalgebra::Vector3;

use super::plan::{ContourPlan, RecoveryContext, Strategy, normal};
use super::trapped::TrappedCloth;

/// How many edges around the faces of a contour its sides reach.
const RINGS: usize = 2;
/// Least cosine between a contact and the normal of its face at which the vertex is over the face and not beside it.
const OVER: f64 = 0.7;

/// Belonging of a vertex to a side of a contour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SideMembership {
    vertex: u32,
    contour: u32,
    side: u8,
}

/// What is to become of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SideDecision {
    Keep,
    Drop,
    /// The vertex is on the wrong side, or is not.
    Orient(bool),
}

/// Settles contacts in one substep after another; allocates nothing once its memory has grown to what they need.
#[derive(Clone, Debug, Default)]
pub(super) struct ContactSides {
    memberships: SideMemberships,
    trapped_mask: TrappedMask,
    rings: Rings,
}

impl ContactSides {
    /// Settles all contacts between sides of contours; whether there were any.
    pub(super) fn update_contacts(
        &mut self,
        (contours, plans): (&[Contour], &[ContourPlan]),
        trapped: &TrappedCloth,
        context: &RecoveryContext<'_>,
        contacts: &mut Contacts,
    ) -> bool {
        let Self { memberships, trapped_mask, rings } = self;
        memberships.fill(contours, plans, context.surface.topology(), rings);
        trapped_mask.fill(contours, plans, trapped, context.surface.topology(), rings);
        update_each_contact(memberships, trapped_mask, plans, context, contacts)
    }
}

fn update_each_contact(
    memberships: &SideMemberships,
    trapped_mask: &TrappedMask,
    plans: &[ContourPlan],
    context: &RecoveryContext<'_>,
    contacts: &mut Contacts,
) -> bool {
    let (surface, at, topology) = (context.surface, context.at, context.surface.topology());
    let mut any = false;
    contacts.point_triangles.retain_mut(|contact| {
        if trapped_mask.any(&contact.vertices())
            && let Some(stand) = context.outside.of_point_triangle(contact, at, topology)
        {
            any |= stand != Stand::Out;
            if stand == Stand::In {
                contact.turn_over();
            }
            return stand != Stand::Along;
        }
        if surface.are_ordered(contact.vertex, contact.corners[0]) {
            return true;
        }
        let decision = memberships.point_triangle(contact, plans);
        any |= decision != SideDecision::Keep;
        match decision {
            SideDecision::Keep => true,
            SideDecision::Drop => false,
            SideDecision::Orient(wrong) => {
                orient(contact, wrong, normal(contact.face, at, surface.topology()))
            }
        }
    });
    contacts.edge_edges.retain_mut(|contact| {
        if trapped_mask.any(&contact.vertices())
            && let Some(stand) = context.outside.of_edge_edge(contact, at, topology)
        {
            any |= stand != Stand::Out;
            if stand == Stand::In {
                flip_edge_edge(contact);
            }
            return stand != Stand::Along;
        }
        let stays =
            surface.are_ordered(contact.a[0], contact.b[0]) || !memberships.opposite(&contact.a, &contact.b);
        any |= !stays;
        stays
    });
    any
}

/// Turns a contact so that its gap is negative if and only if it is on the wrong side; false if the vertex lies beside the face.
fn orient(contact: &mut PointTriangle, wrong: bool, normal: Option<Vector3<f64>>) -> bool {
    let over = normal.is_some_and(|n| n.dot(&contact.normal.cast()).abs() >= OVER);
    if contact.side == Side::Frozen && !over {
        return !wrong && contact.gap >= 0.0;
    }
    if (contact.gap < 0.0) != wrong {
        contact.turn_over();
    }
    true
}

/// Takes the other side of the edge for the right one.
fn flip_edge_edge(contact: &mut EdgeEdge) {
    (contact.normal, contact.gap) = (-contact.normal, -contact.gap);
}

/// Cloth that is stuck in a body, by vertex: around the contours, and what lies inside.
#[derive(Clone, Debug, Default)]
struct TrappedMask(Vec<bool>);

impl TrappedMask {
    fn fill(
        &mut self,
        contours: &[Contour],
        plans: &[ContourPlan],
        trapped: &TrappedCloth,
        topology: &Topology,
        rings: &mut Rings,
    ) {
        self.0.clear();
        self.0.resize(topology.vertex_count(), false);
        for (contour, contour_plan) in contours.iter().zip(plans) {
            let Strategy::Outward(body, _) = contour_plan.strategy else { continue };
            let around = rings.beside(contour, 1 - body, topology, RINGS);
            around.iter().for_each(|&v| self.0[v as usize] = true);
        }
        trapped.vertices.iter().for_each(|trapped_vertex| self.0[trapped_vertex.vertex as usize] = true);
    }

    fn any(&self, vertices: &[u32]) -> bool {
        vertices.iter().any(|&v| self.0[v as usize])
    }
}

/// The sides that vertices belong to, by vertex.
#[derive(Clone, Debug, Default)]
struct SideMemberships(Vec<SideMembership>);

impl SideMemberships {
    fn fill(&mut self, contours: &[Contour], plans: &[ContourPlan], topology: &Topology, rings: &mut Rings) {
        self.0.clear();
        for ((contour, contour_plan), number) in contours.iter().zip(plans).zip(0..) {
            for side in 0..2 {
                let membership = |&vertex: &u32| SideMembership { vertex, contour: number, side: side as u8 };
                self.0.extend(rings.beside(contour, side, topology, RINGS).iter().map(membership));
                self.0.extend(contour_plan.pulled(side).into_iter().flatten().map(membership));
            }
        }
        self.0.sort_unstable();
        self.0.dedup();
    }

    fn of_vertex(&self, vertex: u32) -> &[SideMembership] {
        let from = self.0.partition_point(|p| p.vertex < vertex);
        let to = from + self.0[from..].partition_point(|p| p.vertex == vertex);
        &self.0[from..to]
    }

    fn has(&self, vertex: u32, contour: u32, side: u8) -> bool {
        self.0.binary_search(&SideMembership { vertex, contour, side }).is_ok()
    }

    /// Whether some vertex of `a` and some of `b` are on opposite sides of one contour.
    fn opposite(&self, a: &[u32], b: &[u32]) -> bool {
        let across = |p: &SideMembership| b.iter().any(|&v| self.has(v, p.contour, 1 - p.side));
        a.iter().any(|&v| self.of_vertex(v).iter().any(across))
    }

    fn point_triangle(&self, contact: &PointTriangle, plans: &[ContourPlan]) -> SideDecision {
        let (mut found, mut wrong) = (false, false);
        for membership in self.of_vertex(contact.vertex) {
            let across =
                contact.corners.iter().any(|&v| self.has(v, membership.contour, 1 - membership.side));
            if !across {
                continue;
            }
            // On both sides of one contour is on neither.
            if self.has(contact.vertex, membership.contour, 1 - membership.side) {
                return SideDecision::Drop;
            }
            match plans[membership.contour as usize].is_wrong(usize::from(membership.side), contact.vertex) {
                None => return SideDecision::Drop,
                Some(is_wrong) => (found, wrong) = (true, wrong != is_wrong),
            }
        }
        if found { SideDecision::Orient(wrong) } else { SideDecision::Keep }
    }
}
