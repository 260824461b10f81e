//! From hits to contours.

use cloth_geom::{DisjointSets, Pool, Topology};

use super::contour::{Contour, ContourKind, End, Segment};
use super::links::Links;
use super::sides::Labels;

/// Joins the exact `[edge, face]` hits of a state to contours, in the order of their smallest hits.
///
/// Hits may come in any order; duplicates and ids out of range are ignored. Pairs that do not count as
/// intersections, such as those at stitched vertices, must be removed before: a contour that reaches them
/// ends there. For many states, keep a [`Tracer`].
#[must_use]
pub fn trace(hits: &[[u32; 2]], topology: &Topology) -> Vec<Contour> {
    Tracer::default().trace(hits, topology).to_vec()
}

/// Traces the contours of states. Reuses its memory.
#[derive(Clone, Debug, Default)]
pub struct Tracer {
    /// The hits, each once, ascending.
    hits: Vec<[u32; 2]>,
    links: Links,
    sets: DisjointSets,
    /// `[least hit of the contour, hit]` for each hit, ascending.
    named: Vec<[u32; 2]>,
    /// Of the contour that is traced: `members` are its hits, ascending; `order` has them along the contour,
    /// and `places` has their indices in `order`.
    members: Vec<u32>,
    order: Vec<u32>,
    places: Vec<[u32; 2]>,
    labels: Labels,
    contours: Pool<Contour>,
}

impl Tracer {
    /// The same as [`trace`].
    pub fn trace(&mut self, hits: &[[u32; 2]], topology: &Topology) -> &[Contour] {
        let (edges, faces) = (topology.edges().len(), topology.faces().len());
        self.hits.clear();
        let known = hits.iter().filter(|&&[e, f]| (e as usize) < edges && (f as usize) < faces);
        self.hits.extend(known);
        self.hits.sort_unstable();
        self.hits.dedup();
        self.links.find(&self.hits, topology);
        self.connect();
        self.contours.clear();
        let Self { hits, links, named, members, order, places, labels, contours, .. } = self;
        let tracing = Tracing { hits, links, topology };
        for set in named.chunk_by(|a, b| a[0] == b[0]) {
            members.clear();
            members.extend(set.iter().map(|&[_, hit]| hit));
            labels.spread(links, hits, members);
            let contour = contours.push_with(Contour::empty);
            contour.kind = tracing.kind(members);
            tracing.walk(contour.kind, members, order);
            places.clear();
            places.extend(order.iter().zip(0..).map(|(&hit, place)| [hit, place]));
            places.sort_unstable();
            tracing.fill(contour, order, places, labels);
        }
        &self.contours
    }

    /// The contours that were traced last.
    #[must_use]
    pub fn contours(&self) -> &[Contour] {
        &self.contours
    }

    /// Forgets them.
    pub fn clear(&mut self) {
        self.contours.clear();
    }

    /// Labels the connected components of the hits, which are adjacent in pairs of faces.
    fn connect(&mut self) {
        let count = self.links.hit_count();
        self.sets.reset(count);
        for link in self.links.all() {
            link.hits.iter().for_each(|&hit| self.sets.join(link.hits[0], hit));
        }
        self.named.clear();
        self.named.extend((0..count as u32).map(|hit| [self.sets.find(hit), hit]));
        self.named.sort_unstable();
    }
}

struct Tracing<'a> {
    hits: &'a [[u32; 2]],
    links: &'a Links,
    topology: &'a Topology,
}

impl Tracing<'_> {
    /// Fills a contour of a known kind; `places` has the index of each of its hits in the `order`.
    fn fill(&self, contour: &mut Contour, order: &[u32], places: &[[u32; 2]], labels: &Labels) {
        let Contour { hits, edge_sides, segments, kind: _, sides, both_sided } = contour;
        sides.iter_mut().for_each(Vec::clear);
        for place in 0..labels.links.len() {
            let faces = labels.faces(self.links, place);
            sides.iter_mut().zip(faces).for_each(|(side, face)| side.push(face));
        }
        for side in sides.iter_mut() {
            side.sort_unstable();
            side.dedup();
        }
        *both_sided = labels.contradicted || sides[0].iter().any(|face| sides[1].binary_search(face).is_ok());
        edge_sides.clear();
        edge_sides.extend(order.iter().map(|&hit| self.edge_side(hit, labels)));
        hits.clear();
        hits.extend(order.iter().map(|&hit| self.hits[hit as usize]));
        segments.clear();
        self.segments(places, labels, segments);
    }

    fn kind(&self, members: &[u32]) -> ContourKind {
        let faces_on_edge = |&hit: &u32| self.links.of_hit(hit).len();
        let crowded = |&hit: &u32| self.links.of_hit(hit).iter().any(|&l| self.links.link(l).hits.len() > 2);
        let alone = |&hit: &u32| self.links.of_hit(hit).iter().any(|&l| self.links.link(l).hits.len() == 1);
        if members.iter().any(|hit| faces_on_edge(hit) > 2 || crowded(hit)) {
            ContourKind::Tangled
        } else if members.iter().any(alone) {
            ContourKind::Open
        } else if members.iter().any(|hit| faces_on_edge(hit) < 2) {
            ContourKind::Boundary
        } else {
            ContourKind::Closed
        }
    }

    /// The order of the hits: along a path from the end with the smaller hit, along a cycle from its smallest
    /// hit, ascending if tangled.
    fn walk(&self, kind: ContourKind, members: &[u32], order: &mut Vec<u32>) {
        order.clear();
        if kind == ContourKind::Tangled {
            order.extend_from_slice(members);
            return;
        }
        let is_end = |&&hit: &&u32| self.links.neighbours(hit).count() < 2;
        let start = members.iter().find(is_end).or_else(|| members.first()).copied();
        let (mut at, mut came_by) = (start, None);
        while let Some(hit) = at {
            order.push(hit);
            let next = self.links.neighbours(hit).find(|&(link, _)| Some(link) != came_by);
            (at, came_by) = (next.map(|(_, hit)| hit), next.map(|(link, _)| link));
            if at == start {
                break;
            }
        }
    }

    fn edge_side(&self, hit: u32, labels: &Labels) -> u8 {
        let face = self.hits[hit as usize][1];
        let first = self.links.of_hit(hit).first().and_then(|link| labels.links.binary_search(link).ok());
        first.map_or(0, |place| u8::from(labels.faces(self.links, place)[0] == face))
    }

    fn segments(&self, places: &[[u32; 2]], labels: &Labels, segments: &mut Vec<Segment>) {
        let place = |hit: u32| End::Hit(places[places.partition_point(|&[h, _]| h < hit)][1]);
        for (at, &link) in labels.links.iter().enumerate() {
            let faces = labels.faces(self.links, at);
            let hits = self.links.link(link).hits;
            let first = place(hits[0]);
            if hits.len() == 1 {
                let end = self.common_vertex(faces).map_or(first, End::Vertex);
                segments.push(Segment { faces, ends: [first, end] });
            }
            segments.extend(hits[1..].iter().map(|&hit| Segment { faces, ends: [first, place(hit)] }));
        }
    }

    fn common_vertex(&self, faces: [u32; 2]) -> Option<u32> {
        let [a, b] = faces.map(|f| self.topology.faces()[f as usize]);
        a.into_iter().find(|v| b.contains(v))
    }
}
