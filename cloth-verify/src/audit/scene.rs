//! What the author of a scene promises and permits, and the pairs that follow from it.
//!
//! Only authored data is read: faces, parts, which parts are bodies, regions with their table, exclusions and
//! stitches. Two primitives are exempt for good, whatever the motion, if
//!
//! - they share a vertex;
//! - both belong to bodies;
//! - every region of the one has [`Interaction::None`] with every region of the other. A vertex or an edge
//!   belongs to the regions of **all** its faces, so that the numbering of faces changes nothing; a vertex
//!   without a face has a region of its own, and an edge without one has those of its ends;
//! - a vertex of the one and a vertex of the other are an excluded or stitched pair, which counts as one
//!   vertex.

use cloth_contacts::{Interaction, Interactions};
use cloth_geom::{Topology, TopologyError};
use cloth_solver::{ClothId, Simulation};

use super::pair::Pair;
use super::sorted_unique;

/// What was authored of a scene.
#[derive(Clone, Debug, Default)]
pub struct AuditScene {
    /// Faces over all vertices.
    pub faces: Vec<[u32; 3]>,
    /// Edges without a face: the axes of guarded colliders.
    pub loose_edges: Vec<[u32; 2]>,
    /// For each vertex whether it belongs to a body, whose motion is given.
    pub is_body: Vec<bool>,
    /// For each vertex the part (cloth or body) that it belongs to.
    pub part: Vec<u16>,
    /// The id of the cloth of each part, by number; the parts behind them are bodies.
    pub cloths: Vec<ClothId>,
    /// The region of each face; empty if all are of region 0.
    pub region_of_face: Vec<u16>,
    /// The region of each vertex that no face uses; empty if all are of region 0.
    pub region_of_lone_vertex: Vec<u16>,
    /// What regions do about each other.
    pub interactions: Interactions,
    /// Pairs of vertices that count as one: exclusions and stitches.
    pub exclusions: Vec<[u32; 2]>,
    /// Contact radius (m) of each vertex.
    pub radius: Vec<f32>,
}

impl AuditScene {
    /// What was authored of a simulation: the words of its author alone, none of what was derived from them
    /// for detection or the gate.
    #[must_use]
    pub fn from_simulation(simulation: &Simulation) -> Self {
        let surface = simulation.surface();
        let vertices = 0..surface.vertex_count() as u32;
        let topology = surface.topology();
        let faces = topology.faces().to_vec();
        let region_of_face: Vec<u16> = (0..faces.len() as u32).map(|f| surface.region_of_face(f)).collect();
        let region_of_lone_vertex: Vec<u16> =
            vertices.clone().map(|v| surface.region_of_lone_vertex(v)).collect();
        let regions = sorted_unique(region_of_face.iter().chain(&region_of_lone_vertex).copied());
        let mut interactions = Interactions::default();
        for (k, &a) in regions.iter().enumerate() {
            for &b in &regions[..=k] {
                interactions = interactions.with(a, b, surface.interaction(a, b));
            }
        }
        Self {
            faces,
            loose_edges: topology.loose_edges().map(|e| topology.edges()[e as usize]).collect(),
            is_body: vertices.clone().map(|v| surface.is_body(v)).collect(),
            part: vertices.clone().map(|v| surface.part_of_vertex(v).unwrap_or(0)).collect(),
            cloths: (0..simulation.cloth_count()).filter_map(|k| simulation.cloth_id(k).ok()).collect(),
            region_of_face,
            region_of_lone_vertex,
            interactions,
            exclusions: surface.exclusions().to_vec(),
            radius: vertices.map(|v| surface.radius_and_scr(v as usize).0).collect(),
        }
    }

    /// Number of vertices.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.part.len()
    }
}

/// Primitives by the classes of what they may pass through.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) topology: Topology,
    pub(super) is_body: Vec<bool>,
    pub(super) part: Vec<u16>,
    pub(super) cloths: Vec<ClothId>,
    pub(super) radius: Vec<f32>,
    of_vertex: Vec<u16>,
    of_edge: Vec<u16>,
    of_face: Vec<u16>,
    classes: usize,
    /// For each two classes whether they pass through each other.
    passes: Vec<bool>,
    /// Sorted, lesser vertex first.
    exclusions: Vec<[u32; 2]>,
    is_excluded: Vec<bool>,
}

/// Which class of primitives passes through which: whether they are of bodies, and of which regions.
type Class = (bool, Vec<u16>);

impl Rules {
    /// # Errors
    /// If a face names a vertex that is not there.
    pub(super) fn new(scene: &AuditScene) -> Result<Self, TopologyError> {
        let topology = Topology::with_loose_edges(scene.vertex_count(), &scene.faces, &scene.loose_edges)?;
        let entry = |list: &[u16], k: usize| list.get(k).copied().unwrap_or(0);
        let is_body = |v: u32| scene.is_body.get(v as usize).copied().unwrap_or(false);
        let class = |body: bool, faces: &[u32]| {
            let regions = sorted_unique(faces.iter().map(|&f| entry(&scene.region_of_face, f as usize)));
            (body, regions)
        };
        let vertex = |v: usize| match topology.vertex_faces(v) {
            [] => (is_body(v as u32), vec![entry(&scene.region_of_lone_vertex, v)]),
            faces => class(is_body(v as u32), faces),
        };
        let edge = |e: usize| match topology.edge_faces(e) {
            [] => {
                let ends = topology.edges()[e].map(|v| vertex(v as usize));
                let regions = sorted_unique(ends.iter().flat_map(|(_, regions)| regions.clone()));
                (ends[0].0, regions)
            }
            faces => class(is_body(topology.edges()[e][0]), faces),
        };
        let face = |f: usize| class(is_body(topology.faces()[f][0]), &[f as u32]);
        let of_vertex: Vec<Class> = (0..scene.vertex_count()).map(vertex).collect();
        let of_edge: Vec<Class> = (0..topology.edges().len()).map(edge).collect();
        let of_face: Vec<Class> = (0..topology.faces().len()).map(face).collect();
        let classes = sorted_unique(of_vertex.iter().chain(&of_edge).chain(&of_face).cloned());
        let number = |list: Vec<Class>| -> Vec<u16> {
            list.iter().map(|c| classes.partition_point(|other| other < c) as u16).collect()
        };
        let passes = classes.iter().flat_map(|a| classes.iter().map(|b| passes(a, b, &scene.interactions)));
        let (exclusions, is_excluded) = exclusions(scene);
        Ok(Self {
            passes: passes.collect(),
            of_vertex: number(of_vertex),
            of_edge: number(of_edge),
            of_face: number(of_face),
            classes: classes.len(),
            is_body: (0..scene.vertex_count() as u32).map(is_body).collect(),
            part: scene.part.clone(),
            cloths: scene.cloths.clone(),
            radius: scene.radius.clone(),
            exclusions,
            is_excluded,
            topology,
        })
    }

    /// Whether the vertices, faces and loose edges are those of other rules.
    pub(super) fn has_faces_of(&self, other: &Self) -> bool {
        let [own, others] = [&self.topology, &other.topology];
        (own.vertex_count(), own.faces(), own.edges())
            == (others.vertex_count(), others.faces(), others.edges())
    }

    /// The pair of a vertex and a face; none if it is exempt for good, `Err` if an author exempted it.
    pub(super) fn vertex_face(&self, v: u32, f: u32) -> Option<Result<Pair, Authored>> {
        let face = self.topology.faces()[f as usize];
        let pair = (!face.contains(&v)).then(|| Pair::vertex_face(v, face))?;
        Some(self.classify(pair, self.of_vertex[v as usize], self.of_face[f as usize]))
    }

    /// The pair of two edges, the same way.
    pub(super) fn edge_edge(&self, a: u32, b: u32) -> Option<Result<Pair, Authored>> {
        let [ends, others] = [a, b].map(|e| self.topology.edges()[e as usize]);
        let pair = (!others.iter().any(|v| ends.contains(v))).then(|| Pair::edge_edge(ends, others))?;
        Some(self.classify(pair, self.of_edge[a as usize], self.of_edge[b as usize]))
    }

    /// Whether an edge and a face that share no vertex must not intersect.
    pub(super) fn must_stay_apart(&self, [e, f]: [u32; 2]) -> bool {
        let (ends, face) = (self.topology.edges()[e as usize], self.topology.faces()[f as usize]);
        !ends.iter().any(|v| face.contains(v))
            && !self.passes(self.of_edge[e as usize], self.of_face[f as usize])
            && !self.excluded(&ends, &face)
    }

    fn classify(&self, pair: Pair, a: u16, b: u16) -> Result<Pair, Authored> {
        let (left, right) = pair.sides();
        if self.passes(a, b) || self.excluded(left, right) { Err(Authored) } else { Ok(pair) }
    }

    fn passes(&self, a: u16, b: u16) -> bool {
        self.passes[usize::from(a) * self.classes + usize::from(b)]
    }

    fn excluded(&self, a: &[u32], b: &[u32]) -> bool {
        let listed = |a: u32, b: u32| self.exclusions.binary_search(&[a.min(b), a.max(b)]).is_ok();
        a.iter().any(|&a| self.is_excluded[a as usize] && b.iter().any(|&b| listed(a, b)))
    }
}

/// A pair that is exempt because its author says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Authored;

fn passes((a_body, a): &Class, (b_body, b): &Class, table: &Interactions) -> bool {
    let none = |&x: &u16, &y: &u16| table.between(x, y) == Interaction::None;
    *a_body && *b_body || a.iter().all(|x| b.iter().all(|y| none(x, y)))
}

/// The pairs in order, and whether each vertex is in one.
fn exclusions(scene: &AuditScene) -> (Vec<[u32; 2]>, Vec<bool>) {
    let pairs = sorted_unique(scene.exclusions.iter().map(|&[a, b]| [a.min(b), a.max(b)]));
    let mut is_excluded = vec![false; scene.vertex_count()];
    for &v in pairs.iter().flatten() {
        if let Some(slot) = is_excluded.get_mut(v as usize) {
            *slot = true;
        }
    }
    (pairs, is_excluded)
}
