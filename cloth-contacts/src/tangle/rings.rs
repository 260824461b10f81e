//! The neighbourhood of vertices, by edges.

use cloth_geom::Topology;

use super::Contour;

/// All vertices within `k` edges of `seeds`, ascending; the seeds among them. Ids out of range are skipped.
#[must_use]
pub fn rings(topology: &Topology, seeds: &[u32], k: usize) -> Vec<u32> {
    let mut within = vec![false; topology.vertex_count()];
    let mut found: Vec<u32> = Vec::new();
    let mut reach = |v: u32, found: &mut Vec<u32>| {
        if within.get(v as usize) == Some(&false) {
            within[v as usize] = true;
            found.push(v);
        }
    };
    seeds.iter().for_each(|&v| reach(v, &mut found));
    let mut ring = 0;
    for _ in 0..k {
        let last = ring..found.len();
        ring = found.len();
        for at in last {
            for &face in topology.vertex_faces(found[at] as usize) {
                topology.faces()[face as usize].iter().for_each(|&v| reach(v, &mut found));
            }
        }
        if ring == found.len() {
            break;
        }
    }
    found.sort_unstable();
    found
}

impl Contour {
    /// The vertices of the faces on either side, and all within `k` edges of them, ascending.
    ///
    /// The two lists may have vertices in common where the contour runs into itself, or where the sides are few edges apart.
    #[must_use]
    pub fn vertex_sets(&self, topology: &Topology, k: usize) -> [Vec<u32>; 2] {
        [0, 1].map(|side: usize| {
            let faces = self.sides[side].iter().filter_map(|&f| topology.faces().get(f as usize));
            let seeds: Vec<u32> = faces.flatten().copied().collect();
            rings(topology, &seeds, k)
        })
    }
}
