//! Sides of the contacts between the two sides of a contour.
//!
//! A contact preserves the side on which it is found, which is wrong in a tangle. Where the strategy says
//! which vertices are on the wrong side, their contacts with faces of the other sheet are flipped, so that
//! they push back through, and contacts of vertices on the right side are oriented accordingly. All other
//! contacts between the two sides are dropped: intersecting sheets have edges beside each other that would
//! preserve the tangle.
//!
//! Cloth inside a closed body is on the wrong side in any case: contacts of both, near the contour or deep
//! inside, are flipped so that they push the cloth out.
//!
//! Ordered layers are skipped: their order decides.

use cloth_contacts::tangle::{Contour, PushDirection, Rings};
use cloth_contacts::{Contacts, EdgeEdge, PointTriangle, Side};
use cloth_geom::Topology;
use nalgebra::Vector3;

use super::plan::{ContourPlan, RecoveryContext, Strategy, normal};
use super::trapped::TrappedCloth;

/// Rings of edges around the faces of a contour that belong to its sides.
const RINGS: usize = 2;
/// Minimum cosine between a contact normal and the face normal for a vertex that is over the face and not
/// beside it.
const OVER: f64 = 0.7;

/// Membership of a vertex in a side of a contour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SideMembership {
    vertex: u32,
    contour: u32,
    side: u8,
}

/// The decision about a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SideDecision {
    Keep,
    Drop,
    /// Orient it: the vertex is on the wrong side, or is not.
    Orient(bool),
}

/// Updates contact sides; allocates nothing once its buffers have grown.
#[derive(Clone, Debug, Default)]
pub(super) struct ContactSides {
    memberships: SideMemberships,
    trapped_mask: TrappedMask,
    rings: Rings,
}

impl ContactSides {
    /// Updates all contacts between sides of contours; whether there were any.
    pub(super) fn update_contacts(
        &mut self,
        contours: &[Contour],
        plans: &[ContourPlan],
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
            && let Some(stand) = context.outside.push_of_point_triangle(contact, at, topology)
        {
            any |= stand != PushDirection::Outward;
            if stand == PushDirection::Inward {
                contact.flip_side();
            }
            return stand != PushDirection::Tangential;
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
            && let Some(stand) = context.outside.push_of_edge_edge(contact, at, topology)
        {
            any |= stand != PushDirection::Outward;
            if stand == PushDirection::Inward {
                flip_edge_edge(contact);
            }
            return stand != PushDirection::Tangential;
        }
        let stays =
            surface.are_ordered(contact.a[0], contact.b[0]) || !memberships.opposite(&contact.a, &contact.b);
        any |= !stays;
        stays
    });
    any
}

/// Orients a contact so that its gap is negative if and only if the vertex is on the wrong side; false if the
/// vertex lies beside the face.
fn orient(contact: &mut PointTriangle, wrong: bool, normal: Option<Vector3<f64>>) -> bool {
    let over = normal.is_some_and(|n| n.dot(&contact.normal.cast()).abs() >= OVER);
    if contact.side == Side::Frozen && !over {
        return !wrong && contact.gap >= 0.0;
    }
    if (contact.gap < 0.0) != wrong {
        contact.flip_side();
    }
    true
}

/// Flips an edge-edge contact.
fn flip_edge_edge(contact: &mut EdgeEdge) {
    (contact.normal, contact.gap) = (-contact.normal, -contact.gap);
}

/// Mask of trapped vertices: around the contours, and inside bodies.
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
            let around = rings.k_ring_of_side(contour, 1 - body, topology, RINGS);
            around.iter().for_each(|&v| self.0[v as usize] = true);
        }
        trapped.vertices.iter().for_each(|trapped_vertex| self.0[trapped_vertex.vertex as usize] = true);
    }

    fn any(&self, vertices: &[u32]) -> bool {
        vertices.iter().any(|&v| self.0[v as usize])
    }
}

/// Memberships, sorted by vertex.
#[derive(Clone, Debug, Default)]
struct SideMemberships(Vec<SideMembership>);

impl SideMemberships {
    fn fill(&mut self, contours: &[Contour], plans: &[ContourPlan], topology: &Topology, rings: &mut Rings) {
        self.0.clear();
        for ((contour, contour_plan), number) in contours.iter().zip(plans).zip(0..) {
            for side in 0..2 {
                let membership = |&vertex: &u32| SideMembership { vertex, contour: number, side: side as u8 };
                self.0.extend(rings.k_ring_of_side(contour, side, topology, RINGS).iter().map(membership));
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

    /// Whether a vertex of `a` and one of `b` are on opposite sides of a contour.
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
            // A vertex on both sides of a contour is on neither.
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
