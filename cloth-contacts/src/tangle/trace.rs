//! From hits to contours.

use cloth_geom::{DisjointSets, Topology};

use super::contour::{Contour, ContourKind, End, Segment};
use super::links::Links;
use super::sides::Labels;

/// Joins the exact `[edge, face]` hits of a state to contours, in the order of their least hits.
///
/// The hits may come in any order; repeated ones count once, and ids that the topology does not have are skipped. Pairs that
/// the caller does not regard as an intersection, such as those at stitched vertices, are to be left out: a contour that ran
/// into them then ends inside.
#[must_use]
pub fn trace(hits: &[[u32; 2]], topology: &Topology) -> Vec<Contour> {
    let (edges, faces) = (topology.edges().len(), topology.faces().len());
    let mut hits: Vec<[u32; 2]> =
        hits.iter().copied().filter(|&[e, f]| (e as usize) < edges && (f as usize) < faces).collect();
    hits.sort_unstable();
    hits.dedup();
    let links = Links::new(&hits, topology);
    let tracer = Tracer { hits: &hits, links: &links, topology };
    connected(&links).iter().map(|members| tracer.contour(members)).collect()
}

/// The hits that hang together by pairs of faces, each set ascending.
fn connected(links: &Links) -> Vec<Vec<u32>> {
    let count = links.of_hit.len();
    let mut sets = DisjointSets::new(count);
    for link in &links.links {
        link.hits.iter().for_each(|&hit| sets.join(link.hits[0], hit));
    }
    let mut named: Vec<[u32; 2]> = (0..count as u32).map(|hit| [sets.find(hit), hit]).collect();
    named.sort_unstable();
    named.chunk_by(|a, b| a[0] == b[0]).map(|set| set.iter().map(|&[_, hit]| hit).collect()).collect()
}

struct Tracer<'a> {
    hits: &'a [[u32; 2]],
    links: &'a Links,
    topology: &'a Topology,
}

impl Tracer<'_> {
    fn contour(&self, members: &[u32]) -> Contour {
        let kind = self.kind(members);
        let order = if kind == ContourKind::Tangled { members.to_vec() } else { self.walk(members) };
        let labels = Labels::spread(self.links, self.hits, members);
        let mut sides = [Vec::new(), Vec::new()];
        for place in 0..labels.links.len() {
            let faces = labels.faces(self.links, place);
            sides.iter_mut().zip(faces).for_each(|(side, face)| side.push(face));
        }
        for side in &mut sides {
            side.sort_unstable();
            side.dedup();
        }
        let both_sided =
            labels.contradicted || sides[0].iter().any(|face| sides[1].binary_search(face).is_ok());
        Contour {
            edge_sides: order.iter().map(|&hit| self.edge_side(hit, &labels)).collect(),
            segments: self.segments(&order, &labels),
            hits: order.iter().map(|&hit| self.hits[hit as usize]).collect(),
            kind,
            sides,
            both_sided,
        }
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

    /// The hits of a path from the end with the lesser hit, or those of a cycle from its least.
    fn walk(&self, members: &[u32]) -> Vec<u32> {
        let is_end = |&&hit: &&u32| self.links.neighbours(hit).count() < 2;
        let start = members.iter().find(is_end).or_else(|| members.first()).copied();
        let (mut order, mut at, mut came_by) = (Vec::with_capacity(members.len()), start, None);
        while let Some(hit) = at {
            order.push(hit);
            let next = self.links.neighbours(hit).find(|&(link, _)| Some(link) != came_by);
            (at, came_by) = (next.map(|(_, hit)| hit), next.map(|(link, _)| link));
            if at == start {
                break;
            }
        }
        order
    }

    fn edge_side(&self, hit: u32, labels: &Labels) -> u8 {
        let face = self.hits[hit as usize][1];
        let first = self.links.of_hit(hit).first().and_then(|link| labels.links.binary_search(link).ok());
        first.map_or(0, |place| u8::from(labels.faces(self.links, place)[0] == face))
    }

    fn segments(&self, order: &[u32], labels: &Labels) -> Vec<Segment> {
        let mut places: Vec<[u32; 2]> = order.iter().zip(0..).map(|(&hit, place)| [hit, place]).collect();
        places.sort_unstable();
        let place = |hit: u32| End::Hit(places[places.partition_point(|&[h, _]| h < hit)][1]);
        let mut segments = Vec::with_capacity(labels.links.len());
        for (at, &link) in labels.links.iter().enumerate() {
            let faces = labels.faces(self.links, at);
            let hits = &self.links.link(link).hits;
            let first = place(hits[0]);
            if hits.len() == 1 {
                let end = self.common_vertex(faces).map_or(first, End::Vertex);
                segments.push(Segment { faces, ends: [first, end] });
            }
            segments.extend(hits[1..].iter().map(|&hit| Segment { faces, ends: [first, place(hit)] }));
        }
        segments
    }

    fn common_vertex(&self, faces: [u32; 2]) -> Option<u32> {
        let [a, b] = faces.map(|f| self.topology.faces()[f as usize]);
        a.into_iter().find(|v| b.contains(v))
    }
}
