//! Connected components of the intersections of a state, and their two sides.
//!
//! An intersection is an edge `e` and a face `f` that share no vertex and have a point in common. It lies in
//! a *link* `{g, f}` for each face `g` on `e`; two triangles meet in a segment, so the links that an
//! intersection lies in continue each other, and the components of links are the contours along which sheets
//! cut each other.
//!
//! Within a link the two faces are on opposite sides. From link to link of one intersection the face `f`
//! stays on its side, and the faces on `e`, which are one sheet, stay on theirs. So each link has two nodes,
//! one for each of its faces; an intersection joins the nodes of `f`, and those of the faces on `e`; the
//! components of nodes come in twos, the sides of a contour. Where both are one (a sheet that is cut by
//! itself around a Moebius band, branches), nobody can say which side is which: then both sides are all of
//! the contour, which exempts more than any choice of sides would.

use cloth_geom::Topology;

use super::sorted_unique;

/// A connected set of intersections.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Contour {
    /// Its `[edge, face]`, ascending.
    pub(super) hits: Vec<[u32; 2]>,
    /// The faces on either side, ascending.
    pub(super) sides: [Vec<u32>; 2],
    /// The edges that the contour crosses on either side, ascending, each as often as it is crossed.
    pub(super) crossed: [Vec<u32>; 2],
    /// Whether some face is on both sides.
    pub(super) is_ambiguous: bool,
}

/// Joins the intersections `[edge, face]` of a state to contours, in the order of their least links.
pub(super) fn contours(hits: &[[u32; 2]], topology: &Topology) -> Vec<Contour> {
    let links = Links::new(hits, topology);
    let mut sets = DisjointSets::new(2 * links.faces.len());
    for &hit in hits {
        let [first, others @ ..] = &links.nodes(hit, topology)[..] else { continue };
        for other in others {
            sets.join(first.of_face, other.of_face);
            sets.join(first.of_edge, other.of_edge);
        }
    }
    let contour_of = |sets: &mut DisjointSets, link: usize| sets.root(2 * link).min(sets.root(2 * link + 1));
    let roots = sorted_unique((0..links.faces.len()).map(|link| contour_of(&mut sets, link)));
    let mut found = vec![Contour::default(); roots.len()];
    let place = |root: usize| roots.partition_point(|&r| r < root);
    for (link, faces) in links.faces.iter().enumerate() {
        let contour = &mut found[place(contour_of(&mut sets, link))];
        let root = contour_of(&mut sets, link);
        for (k, &face) in faces.iter().enumerate() {
            contour.sides[usize::from(sets.root(2 * link + k) != root)].push(face);
        }
    }
    for &hit in hits {
        let Some(&first) = links.nodes(hit, topology).first() else { continue };
        let root = contour_of(&mut sets, first.of_face / 2);
        let contour = &mut found[place(root)];
        contour.hits.push(hit);
        contour.crossed[usize::from(sets.root(first.of_edge) != root)].push(hit[0]);
    }
    found.iter_mut().for_each(Contour::finish);
    found
}

impl Contour {
    fn finish(&mut self) {
        self.hits.sort_unstable();
        self.crossed.iter_mut().for_each(|edges| edges.sort_unstable());
        self.sides = std::mem::take(&mut self.sides).map(sorted_unique);
        let [a, b] = &self.sides;
        self.is_ambiguous = a.is_empty() || b.is_empty() || a.iter().any(|f| b.binary_search(f).is_ok());
        if self.is_ambiguous {
            let all = sorted_unique(self.sides.concat());
            self.sides = [all.clone(), all];
        }
    }
}

/// The nodes of an intersection in one of its links.
#[derive(Clone, Copy)]
struct Nodes {
    of_face: usize,
    of_edge: usize,
}

/// Pairs of faces behind intersections, lesser face first, ascending. Link `k` has the nodes `2 k` and
/// `2 k + 1`.
struct Links {
    faces: Vec<[u32; 2]>,
}

impl Links {
    fn new(hits: &[[u32; 2]], topology: &Topology) -> Self {
        let of_hit = |&[e, f]: &[u32; 2]| {
            topology.edge_faces(e as usize).iter().map(move |&g| [g.min(f), g.max(f)]).collect::<Vec<_>>()
        };
        Self { faces: sorted_unique(hits.iter().flat_map(of_hit).filter(|[a, b]| a != b)) }
    }

    fn nodes(&self, [e, f]: [u32; 2], topology: &Topology) -> Vec<Nodes> {
        let node = |g: u32| {
            let link = self.faces.partition_point(|&pair| pair < [g.min(f), g.max(f)]);
            let is_greater = usize::from(f > g);
            Nodes { of_face: 2 * link + is_greater, of_edge: 2 * link + 1 - is_greater }
        };
        topology.edge_faces(e as usize).iter().filter(|&&g| g != f).map(|&g| node(g)).collect()
    }
}

/// Disjoint sets; the root of each is its least member.
struct DisjointSets(Vec<usize>);

impl DisjointSets {
    fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    fn root(&mut self, mut at: usize) -> usize {
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b);
    }
}
