//! The neighbourhood of vertices, by edges.

use cloth_geom::Topology;

use super::Contour;

/// Finds k-ring neighbourhoods. Reuses its memory.
#[derive(Clone, Debug, Default)]
pub struct Rings {
    /// By vertex; all false between two searches.
    within: Vec<bool>,
    found: Vec<u32>,
}

impl Rings {
    /// All vertices within `k` edges of `seeds`, ascending; the seeds among them. Ids out of range are
    /// skipped.
    pub fn k_ring(&mut self, topology: &Topology, seeds: impl IntoIterator<Item = u32>, k: usize) -> &[u32] {
        let Self { within, found } = self;
        within.resize(topology.vertex_count(), false);
        found.clear();
        let mut reach = |v: u32, found: &mut Vec<u32>| {
            if within.get(v as usize) == Some(&false) {
                within[v as usize] = true;
                found.push(v);
            }
        };
        seeds.into_iter().for_each(|v| reach(v, found));
        let mut ring = 0;
        for _ in 0..k {
            let last = ring..found.len();
            ring = found.len();
            for at in last {
                for &face in topology.vertex_faces(found[at] as usize) {
                    topology.faces()[face as usize].iter().for_each(|&v| reach(v, found));
                }
            }
            if ring == found.len() {
                break;
            }
        }
        found.iter().for_each(|&v| within[v as usize] = false);
        found.sort_unstable();
        found
    }

    /// The vertices of the faces on one side of a contour, 0 or 1, and all within `k` edges of them,
    /// ascending.
    ///
    /// The two sides may have vertices in common where the contour runs into itself, or where they are few
    /// edges apart.
    pub fn k_ring_of_side(
        &mut self,
        contour: &Contour,
        side: usize,
        topology: &Topology,
        k: usize,
    ) -> &[u32] {
        let faces = contour.sides[side].iter().filter_map(|&f| topology.faces().get(f as usize));
        self.k_ring(topology, faces.flatten().copied(), k)
    }
}
