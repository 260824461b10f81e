//! The obvious definition of a contour: two hits are neighbours if some pair of faces has both, tried for all
//! pairs of hits.

use cloth_geom::Topology;

/// The hits of each contour, ascending, in the order of their least hits.
pub(super) fn connected(hits: &[[u32; 2]], topology: &Topology) -> Vec<Vec<[u32; 2]>> {
    let mut hits = hits.to_vec();
    hits.sort_unstable();
    hits.dedup();
    let mut name: Vec<usize> = (0..hits.len()).collect();
    for a in 0..hits.len() {
        for b in a + 1..hits.len() {
            if share_a_pair(hits[a], hits[b], topology) {
                let (from, to) = (name[a].max(name[b]), name[a].min(name[b]));
                name.iter_mut().filter(|n| **n == from).for_each(|n| *n = to);
            }
        }
    }
    let of = |wanted: usize| (0..hits.len()).filter(|&i| name[i] == wanted).map(|i| hits[i]).collect();
    (0..hits.len()).map(of).filter(|set: &Vec<_>| !set.is_empty()).collect()
}

fn share_a_pair(a: [u32; 2], b: [u32; 2], topology: &Topology) -> bool {
    let pairs = |[e, f]: [u32; 2]| {
        topology.edge_faces(e as usize).iter().map(|&g| [g.min(f), g.max(f)]).collect::<Vec<_>>()
    };
    pairs(a).iter().any(|pair| pairs(b).contains(pair))
}
