//! Which patch each vertex, edge and face belongs to.

use cloth_geom::Topology;
use nalgebra::Point3;

use super::{FACES, LONE, Rows};
use crate::regions::Groups;

/// The patch of each primitive.
pub(super) struct Membership {
    pub(super) vertex: Vec<u32>,
    pub(super) face: Vec<u32>,
    pub(super) edge: Vec<u32>,
    /// Number of patches.
    pub(super) count: u32,
}

impl Membership {
    /// Bisects each group by where its faces rest. Vertices and edges join a face of their group if they have
    /// one, and loose edges their first end.
    pub(super) fn new(topology: &Topology, groups: &Groups, rest: &[Point3<f32>]) -> Self {
        let (faces, edges) = (topology.faces(), topology.edges());
        let centre = |f: u32| {
            let sum = faces[f as usize]
                .iter()
                .fold([0.0; 3], |sum: [f32; 3], &v| [0, 1, 2].map(|k| sum[k] + rest[v as usize][k]));
            Point3::from(sum)
        };
        let group_of_face = |f: u32| groups.of_face[f as usize];
        let mut of_face = Numbering { patch_of: vec![0; faces.len()], count: 0 };
        let mut ids: Vec<u32> = (0..faces.len() as u32).collect();
        of_face.assign(&mut ids, FACES, &group_of_face, &centre);
        let Numbering { patch_of: face, count } = of_face;

        let with_face = |first: Option<&u32>, group: u16| {
            first.filter(|&&f| groups.of_face[f as usize] == group).map(|&f| face[f as usize])
        };
        let (at, group_of) = (|v: u32| rest[v as usize], |v: u32| groups.of_vertex[v as usize]);
        let of_vertex = |v: u32| with_face(topology.vertex_faces(v as usize).first(), group_of(v));
        let Numbering { patch_of: vertex, count } = join(rest.len(), of_vertex, &group_of, &at, count);

        let ends = |e: u32| edges[e as usize].map(|v| rest[v as usize].coords);
        let middle = |e: u32| Point3::from(ends(e)[0] + ends(e)[1]);
        let group_of = |e: u32| groups.of_edge[e as usize];
        let with_end = |e: u32| {
            let v = edges[e as usize][0] as usize;
            (groups.of_vertex[v] == group_of(e)).then_some(vertex[v])
        };
        let of_edge = |e: u32| match topology.edge_faces(e as usize).first() {
            Some(face) => with_face(Some(face), group_of(e)),
            None => with_end(e),
        };
        let Numbering { patch_of: edge, count } = join(edges.len(), of_edge, &group_of, &middle, count);
        Self { vertex, face, edge, count }
    }

    /// All vertices that the primitives of each patch touch.
    pub(super) fn corners(&self, topology: &Topology) -> Rows {
        let own = self.vertex.iter().zip(0..).map(|(&p, v)| [p, v]);
        let of_faces = self.face.iter().zip(topology.faces()).flat_map(|(&p, f)| f.map(|v| [p, v]));
        let of_edges = self.edge.iter().zip(topology.edges()).flat_map(|(&p, e)| e.map(|v| [p, v]));
        let mut corners: Vec<[u32; 2]> = own.chain(of_faces).chain(of_edges).collect();
        corners.sort_unstable();
        corners.dedup();
        Rows::of_sorted(self.count as usize, &corners)
    }

    /// The group of each patch.
    pub(super) fn groups(&self, groups: &Groups) -> Vec<u16> {
        let mut group = vec![0; self.count as usize];
        self.face.iter().zip(&groups.of_face).for_each(|(&p, &g)| group[p as usize] = g);
        self.vertex.iter().zip(&groups.of_vertex).for_each(|(&p, &g)| group[p as usize] = g);
        self.edge.iter().zip(&groups.of_edge).for_each(|(&p, &g)| group[p as usize] = g);
        group
    }
}

/// The patch of each of `len` primitives: the patch of its face, or a patch of its group, numbered from
/// `count` on.
fn join(
    len: usize,
    with_face: impl Fn(u32) -> Option<u32>,
    group: &impl Fn(u32) -> u16,
    at: &impl Fn(u32) -> Point3<f32>,
    count: u32,
) -> Numbering {
    let ids = 0..len as u32;
    let patch_of = ids.clone().map(|id| with_face(id).unwrap_or(0)).collect();
    let mut lone: Vec<u32> = ids.filter(|&id| with_face(id).is_none()).collect();
    let mut numbering = Numbering { patch_of, count };
    numbering.assign(&mut lone, LONE, group, at);
    numbering
}

/// The patches of primitives of one kind, while they are numbered.
struct Numbering {
    patch_of: Vec<u32>,
    /// The number of the next patch.
    count: u32,
}

impl Numbering {
    /// Numbers patches of at most `most` of these items, none of two groups.
    fn assign(
        &mut self,
        ids: &mut [u32],
        most: usize,
        group: &impl Fn(u32) -> u16,
        at: &impl Fn(u32) -> Point3<f32>,
    ) {
        ids.sort_by_key(|&id| group(id));
        for same in ids.chunk_by_mut(|&a, &b| group(a) == group(b)) {
            self.bisect(same, most, at);
        }
    }

    /// Halves along the longest side until few enough are left.
    fn bisect(&mut self, ids: &mut [u32], most: usize, at: &impl Fn(u32) -> Point3<f32>) {
        if ids.len() <= most {
            ids.iter().for_each(|&id| self.patch_of[id as usize] = self.count);
            self.count += 1;
            return;
        }
        let side = |k: usize| {
            let (least, greatest) =
                ids.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(least, greatest), &id| {
                    let c = at(id)[k];
                    (c.min(least), c.max(greatest))
                });
            greatest - least
        };
        let sides = [side(0), side(1), side(2)];
        let axis = (1..3).fold(0, |longest, k| if sides[k] > sides[longest] { k } else { longest });
        let half = ids.len() / 2;
        ids.select_nth_unstable_by(half, |&a, &b| at(a)[axis].total_cmp(&at(b)[axis]).then(a.cmp(&b)));
        let (low, high) = ids.split_at_mut(half);
        self.bisect(low, most, at);
        self.bisect(high, most, at);
    }
}
