//! Every vertex against every face and every edge against every edge: the contacts of a step, by enumeration.

use cloth_contacts::{
    Contacts, EdgeEdge, Interaction, Interactions, Motion, PointTriangle, Regions, Side, Surface,
    SurfaceDesc, edge_edge, point_triangle,
};
use cloth_geom::closest::{self, TriangleFeature};
use cloth_geom::{Topology, TriMesh};
use nalgebra::{Point3, Vector3};

/// A surface as its parts, all of one thickness.
pub(crate) struct Scene {
    pub(crate) faces: Vec<[u32; 3]>,
    pub(crate) rest: Vec<Point3<f32>>,
    pub(crate) part: Vec<u16>,
    pub(crate) kinematic: Vec<bool>,
    pub(crate) exclusions: Vec<[u32; 2]>,
    /// Region of each face; none if all are of region 0.
    pub(crate) regions: Vec<u16>,
    pub(crate) interactions: Interactions,
    pub(crate) radius: f32,
    pub(crate) half_scr: f32,
}

impl Scene {
    /// Meshes as parts in their rest pose, none of them kinematic, with radius and half SCR (m).
    pub(crate) fn new(parts: &[TriMesh], radius: f32, half_scr: f32) -> Self {
        let mut mesh = TriMesh::default();
        let mut part = Vec::new();
        for (number, one) in parts.iter().enumerate() {
            mesh.append(one);
            part.resize(mesh.positions.len(), number as u16);
        }
        Self {
            rest: mesh.positions_f32(),
            faces: mesh.faces,
            part,
            kinematic: vec![false; parts.len()],
            exclusions: Vec::new(),
            regions: Vec::new(),
            interactions: Interactions::default(),
            radius,
            half_scr,
        }
    }

    pub(crate) fn surface(&self) -> Surface {
        let count = self.rest.len();
        Surface::new(&SurfaceDesc {
            faces: &self.faces,
            radius: &vec![self.radius; count],
            half_scr: &vec![self.half_scr; count],
            part: &self.part,
            kinematic: &self.kinematic,
            rest: &self.rest,
            exclusions: &self.exclusions,
            regions: Regions {
                of_face: &self.regions,
                interactions: Some(&self.interactions),
                ..Regions::default()
            },
        })
        .unwrap()
    }

    pub(crate) fn reach(&self) -> f32 {
        2.0 * self.radius + 2.0 * self.half_scr
    }

    /// Whether two primitives may collide at all.
    fn may_touch(&self, a: &[u32], b: &[u32]) -> bool {
        let fixed = |v: &[u32]| self.kinematic[usize::from(self.part[v[0] as usize])];
        let excluded =
            |a: u32, b: u32| a == b || self.exclusions.contains(&[a, b]) || self.exclusions.contains(&[b, a]);
        let apart = a.iter().all(|&a| b.iter().all(|&b| !excluded(a, b)));
        apart && !(fixed(a) && fixed(b)) && self.interact(a, b)
    }

    /// Whether some region of the one primitive collides in full with some region of the other: those of all
    /// their faces.
    fn interact(&self, a: &[u32], b: &[u32]) -> bool {
        let regions = |primitive: &[u32]| -> Vec<u16> {
            let faces =
                (0..self.faces.len()).filter(|&f| primitive.iter().all(|v| self.faces[f].contains(v)));
            faces.map(|f| self.regions.get(f).copied().unwrap_or(0)).collect()
        };
        let (a, b) = (regions(a), regions(b));
        a.iter().any(|&a| b.iter().any(|&b| self.interactions.between(a, b) == Interaction::FullMesh))
    }

    /// Whether a face is the first of those with these corners that a vertex collides with.
    fn is_first(&self, face: u32, corners: &[u32], vertex: u32) -> bool {
        let mut faces = (0..).zip(&self.faces).filter(|(_, f)| corners.iter().all(|v| f.contains(v)));
        faces.find(|(_, f)| self.interact(&[vertex], &f[..])).is_some_and(|(first, _)| first == face)
    }

    /// Every contact that the rule of prediction and the rule of ownership give; sides as the motion has
    /// them.
    pub(crate) fn contacts(&self, topology: &Topology, motion: &Motion<'_>) -> Contacts {
        let vertices = 0..self.rest.len() as u32;
        let faces = 0..topology.faces().len() as u32;
        let edges = 0..topology.edges().len() as u32;
        let vertex_faces = vertices.flat_map(|v| faces.clone().map(move |f| (v, f)));
        let edge_pairs = edges.clone().flat_map(|e| (e + 1..edges.end).map(move |f| (e, f)));
        Contacts {
            point_triangles: vertex_faces
                .filter_map(|(v, f)| self.point_triangle(topology, motion, v, f))
                .collect(),
            edge_edges: edge_pairs.filter_map(|(e, f)| self.edge_edge(topology, motion, e, f)).collect(),
        }
    }

    fn point_triangle(
        &self,
        topology: &Topology,
        motion: &Motion<'_>,
        vertex: u32,
        face: u32,
    ) -> Option<PointTriangle> {
        let corners = topology.faces()[face as usize];
        if !self.may_touch(&[vertex], &corners) {
            return None;
        }
        let query = point_triangle::PointTriangleQuery {
            p: &motion.positions[vertex as usize],
            d: &motion.displacements[vertex as usize],
            corners: corners.map(|v| &motion.positions[v as usize]),
            displacements: corners.map(|v| &motion.displacements[v as usize]),
        };
        let found = point_triangle::predict(&query, self.reach())?;
        let corner = |k: u8| corners[usize::from(k) % 3];
        let owned = match found.feature {
            TriangleFeature::Face => true,
            TriangleFeature::Edge(k) => self.is_first(face, &[corner(k), corner(k + 1)], vertex),
            TriangleFeature::Vertex(k) => self.is_first(face, &[corner(k)], vertex),
        };
        let at = |v: u32| &self.rest[v as usize];
        let rest = closest::point_triangle(at(vertex), corners.map(at)).distance_sq.sqrt();
        owned.then_some(PointTriangle {
            vertex,
            face,
            corners,
            side: found.side,
            normal: found.normal,
            weights: found.weights,
            gap: found.gap,
            distance: self.distance(rest, vertex, corners[0]),
        })
    }

    /// The distance that two primitives keep: less than contact only within one part.
    fn distance(&self, rest: f32, a: u32, b: u32) -> f32 {
        let one_part = self.part[a as usize] == self.part[b as usize];
        if one_part { rest.min(2.0 * self.radius) } else { 2.0 * self.radius }
    }

    fn edge_edge(&self, topology: &Topology, motion: &Motion<'_>, e: u32, f: u32) -> Option<EdgeEdge> {
        let (a, b) = (topology.edges()[e as usize], topology.edges()[f as usize]);
        if !self.may_touch(&a, &b) {
            return None;
        }
        let query = edge_edge::EdgeEdgeQuery {
            a: a.map(|v| &motion.positions[v as usize]),
            b: b.map(|v| &motion.positions[v as usize]),
            a_displacements: a.map(|v| &motion.displacements[v as usize]),
            b_displacements: b.map(|v| &motion.displacements[v as usize]),
        };
        let found = edge_edge::predict(&query, self.reach())?;
        let at = |v: u32| &self.rest[v as usize];
        let rest = closest::segment_segment(a.map(at), b.map(at)).distance_sq.sqrt();
        Some(EdgeEdge {
            edges: [e, f],
            a,
            b,
            s: found.s,
            t: found.t,
            normal: found.normal,
            gap: found.gap,
            distance: self.distance(rest, a[0], b[0]),
        })
    }
}

/// Sides as the step before left them: a pair that was in contact and has changed sides keeps its own.
pub(crate) fn keep_sides(before: &Contacts, now: &mut Contacts) {
    for contact in &mut now.point_triangles {
        let old =
            before.point_triangles.iter().find(|o| (o.vertex, o.face) == (contact.vertex, contact.face));
        let sides = old.map(|o| (o.side, contact.side));
        if let Some((Side::Front, Side::Back) | (Side::Back, Side::Front)) = sides {
            contact.side = old.map_or(contact.side, |o| o.side);
            contact.normal = -contact.normal;
            contact.gap = -contact.gap;
        }
    }
    for contact in &mut now.edge_edges {
        let old = before.edge_edges.iter().find(|o| o.edges == contact.edges);
        if old.is_some_and(|o| o.normal.dot(&contact.normal) < 0.0) {
            contact.normal = -contact.normal;
            contact.gap = -contact.gap;
        }
    }
}

/// Displacements of zero.
pub(crate) fn at_rest(count: usize) -> Vec<Vector3<f32>> {
    vec![Vector3::zeros(); count]
}
