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

use cloth_contacts::tangle::{Contour, PushDirection, Rings};
use cloth_contacts::{Contacts, EdgeEdge, PointTriangle, Side};
use cloth_geom::Topology;
use nalgebra::Vector3;

use super::inner::Inner;
use super::plan::{Plan, Planned, Scene, normal};

/// How many edges around the faces of a contour its sides reach.
const RINGS: usize = 2;
/// Least cosine between a contact and the normal of its face at which the vertex is over the face and not beside it.
const OVER: f64 = 0.7;

/// Belonging of a vertex to a side of a contour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    vertex: u32,
    contour: u32,
    side: u8,
}

/// What is to become of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Stay,
    LetGo,
    /// The vertex is on the wrong side, or is not.
    Turn(bool),
}

/// Settles contacts in one substep after another; allocates nothing once its memory has grown to what they need.
#[derive(Clone, Debug, Default)]
pub(super) struct Sides {
    places: Places,
    stuck: Stuck,
    rings: Rings,
}

impl Sides {
    /// Settles all contacts between sides of contours; whether there were any.
    pub(super) fn settle(
        &mut self,
        (contours, plans): (&[Contour], &[Planned]),
        inner: &Inner,
        scene: &Scene<'_>,
        contacts: &mut Contacts,
    ) -> bool {
        let Self { places, stuck, rings } = self;
        places.fill(contours, plans, scene.surface.topology(), rings);
        stuck.fill(contours, plans, inner, scene.surface.topology(), rings);
        settle_each(places, stuck, plans, scene, contacts)
    }
}

fn settle_each(
    places: &Places,
    stuck: &Stuck,
    plans: &[Planned],
    scene: &Scene<'_>,
    contacts: &mut Contacts,
) -> bool {
    let (surface, at, topology) = (scene.surface, scene.at, scene.surface.topology());
    let mut any = false;
    contacts.point_triangles.retain_mut(|contact| {
        if stuck.any(&contact.vertices())
            && let Some(stand) = scene.outside.push_of_point_triangle(contact, at, topology)
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
        let verdict = places.point_triangle(contact, plans);
        any |= verdict != Verdict::Stay;
        match verdict {
            Verdict::Stay => true,
            Verdict::LetGo => false,
            Verdict::Turn(wrong) => turn(contact, wrong, normal(contact.face, at, surface.topology())),
        }
    });
    contacts.edge_edges.retain_mut(|contact| {
        if stuck.any(&contact.vertices())
            && let Some(stand) = scene.outside.push_of_edge_edge(contact, at, topology)
        {
            any |= stand != PushDirection::Outward;
            if stand == PushDirection::Inward {
                turn_edges(contact);
            }
            return stand != PushDirection::Tangential;
        }
        let stays =
            surface.are_ordered(contact.a[0], contact.b[0]) || !places.opposite(&contact.a, &contact.b);
        any |= !stays;
        stays
    });
    any
}

/// Turns a contact so that its gap is negative if and only if it is on the wrong side; false if the vertex lies beside the face.
fn turn(contact: &mut PointTriangle, wrong: bool, normal: Option<Vector3<f64>>) -> bool {
    let over = normal.is_some_and(|n| n.dot(&contact.normal.cast()).abs() >= OVER);
    if contact.side == Side::Frozen && !over {
        return !wrong && contact.gap >= 0.0;
    }
    if (contact.gap < 0.0) != wrong {
        contact.flip_side();
    }
    true
}

/// Takes the other side of the edge for the right one.
fn turn_edges(contact: &mut EdgeEdge) {
    (contact.normal, contact.gap) = (-contact.normal, -contact.gap);
}

/// Cloth that is stuck in a body, by vertex: around the contours, and what lies inside.
#[derive(Clone, Debug, Default)]
struct Stuck(Vec<bool>);

impl Stuck {
    fn fill(
        &mut self,
        contours: &[Contour],
        plans: &[Planned],
        inner: &Inner,
        topology: &Topology,
        rings: &mut Rings,
    ) {
        self.0.clear();
        self.0.resize(topology.vertex_count(), false);
        for (contour, planned) in contours.iter().zip(plans) {
            let Plan::Outward(body, _) = planned.plan else { continue };
            let around = rings.k_ring_of_side(contour, 1 - body, topology, RINGS);
            around.iter().for_each(|&v| self.0[v as usize] = true);
        }
        inner.vertices.iter().for_each(|lost| self.0[lost.vertex as usize] = true);
    }

    fn any(&self, vertices: &[u32]) -> bool {
        vertices.iter().any(|&v| self.0[v as usize])
    }
}

/// The sides that vertices belong to, by vertex.
#[derive(Clone, Debug, Default)]
struct Places(Vec<Place>);

impl Places {
    fn fill(&mut self, contours: &[Contour], plans: &[Planned], topology: &Topology, rings: &mut Rings) {
        self.0.clear();
        for ((contour, planned), number) in contours.iter().zip(plans).zip(0..) {
            for side in 0..2 {
                let place = |&vertex: &u32| Place { vertex, contour: number, side: side as u8 };
                self.0.extend(rings.k_ring_of_side(contour, side, topology, RINGS).iter().map(place));
                self.0.extend(planned.pulled(side).into_iter().flatten().map(place));
            }
        }
        self.0.sort_unstable();
        self.0.dedup();
    }

    fn of(&self, vertex: u32) -> &[Place] {
        let from = self.0.partition_point(|p| p.vertex < vertex);
        let to = from + self.0[from..].partition_point(|p| p.vertex == vertex);
        &self.0[from..to]
    }

    fn has(&self, vertex: u32, contour: u32, side: u8) -> bool {
        self.0.binary_search(&Place { vertex, contour, side }).is_ok()
    }

    /// Whether some vertex of `a` and some of `b` are on opposite sides of one contour.
    fn opposite(&self, a: &[u32], b: &[u32]) -> bool {
        let across = |p: &Place| b.iter().any(|&v| self.has(v, p.contour, 1 - p.side));
        a.iter().any(|&v| self.of(v).iter().any(across))
    }

    fn point_triangle(&self, contact: &PointTriangle, plans: &[Planned]) -> Verdict {
        let (mut found, mut wrong) = (false, false);
        for place in self.of(contact.vertex) {
            let across = contact.corners.iter().any(|&v| self.has(v, place.contour, 1 - place.side));
            if !across {
                continue;
            }
            // On both sides of one contour is on neither.
            if self.has(contact.vertex, place.contour, 1 - place.side) {
                return Verdict::LetGo;
            }
            match plans[place.contour as usize].is_wrong(usize::from(place.side), contact.vertex) {
                None => return Verdict::LetGo,
                Some(is_wrong) => (found, wrong) = (true, wrong != is_wrong),
            }
        }
        if found { Verdict::Turn(wrong) } else { Verdict::Stay }
    }
}
