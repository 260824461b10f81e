//! Leaves: compact sets of eight primitives of one kind, the unit of the search for pairs.
//!
//! Every vertex, edge and face is in exactly one leaf, and a leaf contains primitives of one
//! [group](crate::regions). Neighbours on the cloth move similarly, so the vertices of a leaf share a moving
//! frame ([`crate::lists::frames`]). Eight consecutive leaves are a node; a group begins with a new one.

use cloth_geom::lanes::{LANES8, occupied_lanes};
use cloth_geom::{MapInline, Topology};
use nalgebra::Point3;

use crate::regions::Groups;

/// Leaves of a node.
pub(crate) const NODE: usize = LANES8;

/// The leaves of one kind of primitive with `N` vertices. A primitive is found by its *place*: eight times
/// the number of its leaf, plus its lane.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeafSet<const N: usize> {
    /// The primitives of each leaf; the last one is repeated in lanes that are left over.
    pub(crate) ids: Vec<[u32; LANES8]>,
    /// Their vertices.
    pub(crate) vertices: Vec<[[u32; N]; LANES8]>,
    /// Bit mask of the lanes that are in use; 0 in leaves that fill up the last node of a group.
    pub(crate) occupied: Vec<u8>,
    /// The group of each node.
    pub(crate) group: Vec<u16>,
    /// The places of the primitives of each vertex, in rows.
    of_vertices: Vec<u32>,
    starts: Vec<u32>,
}

impl<const N: usize> LeafSet<N> {
    /// Bisects each group by the centres of its primitives at rest.
    fn new(primitives: &[[u32; N]], groups: &[u16], rest: &[Point3<f32>]) -> Self {
        let centre = |id: u32| {
            let sum = |k: usize| primitives[id as usize].iter().map(|&v| rest[v as usize][k]).sum::<f32>();
            [sum(0), sum(1), sum(2)]
        };
        let mut ids: Vec<u32> = (0..primitives.len() as u32).collect();
        ids.sort_by_key(|&id| groups[id as usize]);
        let mut set = Self::default();
        for same in ids.chunk_by_mut(|&a, &b| groups[a as usize] == groups[b as usize]) {
            bisect(same, &centre, &mut |leaf| {
                let lanes = [0, 1, 2, 3, 4, 5, 6, 7].map_inline(|l: usize| leaf[l.min(leaf.len() - 1)]);
                set.ids.push(lanes);
                set.vertices.push(lanes.map_inline(|id| primitives[id as usize]));
                set.occupied.push(occupied_lanes(leaf.len(), 0) as u8);
            });
            while !set.ids.len().is_multiple_of(NODE) {
                set.ids.push(set.ids[set.ids.len() - 1]);
                set.vertices.push(set.vertices[set.vertices.len() - 1]);
                set.occupied.push(0);
            }
            set.group.resize(set.ids.len() / NODE, groups[same[0] as usize]);
        }
        set.find_rows(rest.len());
        set
    }

    fn find_rows(&mut self, vertex_count: usize) {
        let mut pairs: Vec<[u32; 2]> = Vec::with_capacity(self.places() * N);
        for place in 0..self.places() as u32 {
            if self.occupied[place as usize / LANES8] >> (place as usize % LANES8) & 1 == 1 {
                pairs.extend(self.vertices(place).map(|v| [v, place]));
            }
        }
        pairs.sort_unstable();
        let start = |v: usize| pairs.partition_point(|pair| (pair[0] as usize) < v) as u32;
        self.starts = (0..=vertex_count).map(start).collect();
        self.of_vertices = pairs.iter().map(|pair| pair[1]).collect();
    }

    /// Appends the leaves of a part that is of one group.
    fn append(&mut self, part: &Self, first_id: u32, first_vertex: u32, group: u16) {
        self.ids.extend(part.ids.iter().map(|lanes| lanes.map(|id| id + first_id)));
        self.vertices.extend(part.vertices.iter().map(|lanes| lanes.map(|v| v.map(|v| v + first_vertex))));
        self.occupied.extend_from_slice(&part.occupied);
        self.group.extend(part.group.iter().map(|_| group));
        let (first_place, first_entry) = (self.places() - part.places(), self.of_vertices.len() as u32);
        self.of_vertices.extend(part.of_vertices.iter().map(|place| place + first_place as u32));
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        self.starts.extend(part.starts.iter().skip(1).map(|start| start + first_entry));
    }

    /// Number of leaves.
    pub(crate) fn count(&self) -> usize {
        self.ids.len()
    }

    /// Number of places, some of which may be empty.
    pub(crate) fn places(&self) -> usize {
        self.ids.len() * LANES8
    }

    /// The places of the primitives of a vertex.
    #[inline(always)]
    pub(crate) fn of_vertex(&self, vertex: u32) -> &[u32] {
        let v = vertex as usize;
        &self.of_vertices[self.starts[v] as usize..self.starts[v + 1] as usize]
    }

    /// The primitive at a place.
    #[inline(always)]
    pub(crate) fn id(&self, place: u32) -> u32 {
        self.ids[place as usize / LANES8][place as usize % LANES8]
    }

    /// The vertices of the primitive at a place.
    #[inline(always)]
    pub(crate) fn vertices(&self, place: u32) -> &[u32; N] {
        &self.vertices[place as usize / LANES8][place as usize % LANES8]
    }
}

/// Which primitives of two leaves have a vertex in common.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shared {
    /// By the first leaf: the second one, and for each lane of the first a bit mask of those of the second.
    rows: Vec<(u32, [u8; LANES8])>,
    starts: Vec<u32>,
}

impl Shared {
    fn new<const A: usize, const B: usize>(a: &LeafSet<A>, b: &LeafSet<B>) -> Self {
        let mut pairs = Vec::new();
        for (leaf, vertices) in (0..).zip(&a.vertices) {
            let lanes = (0..LANES8).filter(|lane| a.occupied[leaf as usize] >> lane & 1 == 1);
            for (lane, v) in lanes.flat_map(|lane| vertices[lane].map(|v| (lane, v))) {
                let others =
                    b.of_vertex(v).iter().map(|&place| (place / LANES8 as u32, place % LANES8 as u32));
                pairs.extend(others.map(|(other, bit)| [leaf, other, lane as u32, 1 << bit]));
            }
        }
        pairs.sort_unstable();
        let mut shared = Self::default();
        let mut row = 0;
        for same in pairs.chunk_by(|x, y| x[..2] == y[..2]) {
            let [leaf, other, ..] = same[0];
            while row <= leaf {
                shared.starts.push(shared.rows.len() as u32);
                row += 1;
            }
            let mut masks = [0; LANES8];
            same.iter().for_each(|&[.., lane, bit]| masks[lane as usize] |= bit as u8);
            shared.rows.push((other, masks));
        }
        shared.starts.resize(a.count() + 1, shared.rows.len() as u32);
        shared
    }

    /// Appends those of a part.
    fn append(&mut self, part: &Self, first_other: u32) {
        let first = self.rows.len() as u32;
        self.rows.extend(part.rows.iter().map(|&(other, masks)| (other + first_other, masks)));
        self.starts.pop();
        self.starts.extend(part.starts.iter().map(|start| start + first));
    }

    /// For each lane of one leaf, a bit mask of the lanes of another one that have a vertex in common with
    /// it.
    #[inline(always)]
    pub(crate) fn masks(&self, leaf: usize, other: usize) -> &[u8; LANES8] {
        let row = &self.rows[self.starts[leaf] as usize..self.starts[leaf + 1] as usize];
        row.iter().find(|row| row.0 as usize == other).map_or(&[0; LANES8], |row| &row.1)
    }
}

/// Halves a set along its longest side until leaves are left, all but the last of which are full.
fn bisect(ids: &mut [u32], centre: &impl Fn(u32) -> [f32; 3], leaf: &mut impl FnMut(&[u32])) {
    if ids.len() <= LANES8 {
        ids.sort_unstable();
        leaf(ids);
        return;
    }
    let mut extent = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
    for &id in &*ids {
        let c = centre(id);
        for k in 0..3 {
            extent[0][k] = extent[0][k].min(c[k]);
            extent[1][k] = extent[1][k].max(c[k]);
        }
    }
    let side = |k: usize| extent[1][k] - extent[0][k];
    let k = if side(1) > side(0) { 1 } else { 0 };
    let k = if side(2) > side(k) { 2 } else { k };
    // Full nodes of full leaves.
    let unit = if ids.len() > NODE * LANES8 { NODE * LANES8 } else { LANES8 };
    let middle = (ids.len() / 2).div_ceil(unit) * unit;
    ids.select_nth_unstable_by(middle, |&a, &b| centre(a)[k].total_cmp(&centre(b)[k]).then(a.cmp(&b)));
    let (low, high) = ids.split_at_mut(middle);
    bisect(low, centre, leaf);
    bisect(high, centre, leaf);
}

/// The leaves of a surface.
#[derive(Clone, Debug, Default)]
pub(crate) struct Leaves {
    pub(crate) points: LeafSet<1>,
    pub(crate) edges: LeafSet<2>,
    pub(crate) faces: LeafSet<3>,
    pub(crate) points_and_faces: Shared,
    pub(crate) edges_and_edges: Shared,
    /// Mean length (m) of the edges of each vertex at rest; 0 without edges.
    pub(crate) spacing: Vec<f32>,
}

/// The leaves of one part and its place in a surface.
pub(crate) struct PlacedLeaves<'a> {
    pub(crate) leaves: &'a Leaves,
    /// Its first vertex, face and edge.
    pub(crate) first: [u32; 3],
    /// Its only group.
    pub(crate) group: u16,
}

impl Leaves {
    /// Bisects each group by where its primitives rest (m).
    pub(crate) fn new(topology: &Topology, groups: &Groups, rest: &[Point3<f32>]) -> Self {
        let points: Vec<[u32; 1]> = (0..rest.len() as u32).map(|v| [v]).collect();
        let mut lengths = vec![(0.0_f32, 0_u32); rest.len()];
        for &[a, b] in topology.edges() {
            let length = (rest[a as usize] - rest[b as usize]).norm();
            for v in [a, b] {
                let (sum, count) = lengths[v as usize];
                lengths[v as usize] = (sum + length, count + 1);
            }
        }
        let points = LeafSet::new(&points, &groups.of_vertex, rest);
        let edges = LeafSet::new(topology.edges(), &groups.of_edge, rest);
        let faces = LeafSet::new(topology.faces(), &groups.of_face, rest);
        Self {
            points_and_faces: Shared::new(&points, &faces),
            edges_and_edges: Shared::new(&edges, &edges),
            points,
            edges,
            faces,
            spacing: lengths.into_iter().map(|(sum, count)| sum / count.max(1) as f32).collect(),
        }
    }

    /// The leaves of parts that are one group each, in linear time: equal to [`Leaves::new`] over all of
    /// them.
    pub(crate) fn concat(parts: &[PlacedLeaves<'_>]) -> Self {
        let mut all = Self::default();
        for PlacedLeaves { leaves, first: [vertex, face, edge], group } in parts {
            all.points_and_faces.append(&leaves.points_and_faces, all.faces.count() as u32);
            all.edges_and_edges.append(&leaves.edges_and_edges, all.edges.count() as u32);
            all.points.append(&leaves.points, *vertex, *vertex, *group);
            all.edges.append(&leaves.edges, *edge, *vertex, *group);
            all.faces.append(&leaves.faces, *face, *vertex, *group);
            all.spacing.extend_from_slice(&leaves.spacing);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Regions;
    use cloth_geom::fixtures::sheet;

    fn check<const N: usize>(set: &LeafSet<N>, primitives: &[[u32; N]], groups: &[u16]) {
        let mut all = Vec::new();
        for leaf in 0..set.count() {
            for lane in (0..LANES8).filter(|lane| set.occupied[leaf] >> lane & 1 == 1) {
                let id = set.ids[leaf][lane];
                assert_eq!(set.id((leaf * LANES8 + lane) as u32), id);
                assert_eq!(set.vertices[leaf][lane], primitives[id as usize]);
                assert_eq!(set.group[leaf / NODE], groups[id as usize]);
                let place = (leaf * LANES8 + lane) as u32;
                assert!(primitives[id as usize].iter().all(|&v| set.of_vertex(v).contains(&place)));
                all.push(id);
            }
        }
        all.sort_unstable();
        assert!(all.into_iter().eq(0..primitives.len() as u32));
    }

    /// Of lanes in use, those that have a vertex in common and no others.
    fn check_shared<const A: usize, const B: usize>(shared: &Shared, a: &LeafSet<A>, b: &LeafSet<B>) {
        let in_use = |occupied: u8| (0..LANES8).filter(move |lane| occupied >> lane & 1 == 1);
        for leaf in 0..a.count() {
            for other in 0..b.count() {
                let masks = shared.masks(leaf, other);
                for lane in in_use(a.occupied[leaf]) {
                    for other_lane in in_use(b.occupied[other]) {
                        let vertices = &a.vertices[leaf][lane];
                        let share = b.vertices[other][other_lane].iter().any(|v| vertices.contains(v));
                        assert_eq!(masks[lane] >> other_lane & 1 == 1, share);
                    }
                }
            }
        }
    }

    #[test]
    fn each_primitive_is_in_one_compact_leaf_of_its_group() {
        let mesh = sheet(20, 30, [2.0, 3.0]).unwrap().mesh;
        let count = mesh.positions.len();
        let twice = mesh.faces.iter().map(|f| f.map(|v| v + count as u32));
        let faces: Vec<[u32; 3]> = mesh.faces.iter().copied().chain(twice).collect();
        let mut rest: Vec<Point3<f32>> = mesh.positions_f32();
        rest.extend_from_within(..);
        rest.extend((0..40u8).map(|i| Point3::new(f32::from(i), 0.0, 0.0)));
        let part: Vec<u16> = (0..rest.len()).map(|v| (v / count) as u16).collect();
        let topology = Topology::new(rest.len(), &faces).unwrap();
        let of_face: Vec<u16> = (0..faces.len()).map(|f| u16::from(f % mesh.faces.len() < 300)).collect();
        let regions = Regions { of_face: &of_face, ..Regions::default() };
        let groups = Groups::new(&topology, &part, &[false; 3], &regions).unwrap();
        let leaves = Leaves::new(&topology, &groups, &rest);
        let points: Vec<[u32; 1]> = (0..rest.len() as u32).map(|v| [v]).collect();
        check(&leaves.points, &points, &groups.of_vertex);
        check(&leaves.edges, topology.edges(), &groups.of_edge);
        check(&leaves.faces, topology.faces(), &groups.of_face);
        check_shared(&leaves.points_and_faces, &leaves.points, &leaves.faces);
        check_shared(&leaves.edges_and_edges, &leaves.edges, &leaves.edges);
        // Eight vertices of a grid of 0.1 m in a leaf that is no strip.
        let is_small = |vertices: &[[u32; 1]; LANES8]| {
            let at = |l: usize| rest[vertices[l][0] as usize];
            (0..LANES8).all(|l| (at(l) - at(0)).norm() < 0.5)
        };
        let points = &leaves.points;
        let full = (0..points.count()).filter(|&leaf| points.occupied[leaf] == 0xff);
        let [all, small] = [full.clone().count(), full.filter(|&l| is_small(&points.vertices[l])).count()];
        assert!(all > 140 && small * 10 > all * 8, "{small} of {all}");
    }
}
