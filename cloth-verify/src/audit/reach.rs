//! How far the sets of a tangle reach: rings around its contour, and what the contour cuts off.

use cloth_geom::Topology;

use super::contour::Contour;
use super::sorted_unique;

/// How many edges the sets of a tangle reach from its contour: what the documentation of the gate promises.
/// It is written down here once more, so that a gate that reached farther would be found out; a test compares
/// the two.
pub const RINGS: usize = 6;

/// The vertices of some faces.
pub(super) fn vertices_of(faces: &[u32], topology: &Topology) -> Vec<u32> {
    sorted_unique(faces.iter().flat_map(|&f| topology.faces()[f as usize]))
}

/// All vertices at most `count` edges away from some, those included; ascending.
pub(super) fn rings(seeds: &[u32], count: usize, topology: &Topology) -> Vec<u32> {
    let mut is_known = vec![false; topology.vertex_count()];
    let mut found = Vec::new();
    let mut front = seeds.to_vec();
    let mut ring = 0;
    loop {
        front.retain(|&v| !std::mem::replace(&mut is_known[v as usize], true));
        if front.is_empty() {
            break;
        }
        found.extend_from_slice(&front);
        if ring == count {
            break;
        }
        ring += 1;
        let faces = front.iter().flat_map(|&v| topology.vertex_faces(v as usize));
        front = faces.flat_map(|&f| topology.faces()[f as usize]).collect();
    }
    found.sort_unstable();
    found
}

/// What a contour cuts off the sheet on a side: the smaller of the two parts into which the edges that it
/// crosses there divide the connected piece of cloth; nothing where they do not divide it, or if the sides
/// are not known.
///
/// An edge that is crossed an even number of times joins vertices of one part. If no parts come of that, as
/// where an edge meets two faces in their common edge, each crossed edge is taken as crossed once.
pub(super) fn cut_off(contour: &Contour, side: usize, topology: &Topology) -> Vec<u32> {
    if contour.is_ambiguous {
        return Vec::new();
    }
    let crossed = &contour.crossed[side];
    let odd: Vec<u32> =
        crossed.chunk_by(|a, b| a == b).filter(|run| run.len() % 2 == 1).map(|run| run[0]).collect();
    let mut all = crossed.clone();
    all.dedup();
    smaller_part(&odd, topology).or_else(|| smaller_part(&all, topology)).unwrap_or_default()
}

/// Colours the vertices of the piece of cloth to which the edges of a cut belong, so that the ends of those
/// edges, and of no others, differ; returns the colour with fewer vertices, of equal ones that without the
/// least vertex. `None` if there is no such colouring.
fn smaller_part(cut: &[u32], topology: &Topology) -> Option<Vec<u32>> {
    let start = topology.edges()[*cut.first()? as usize][0];
    let mut colours: Vec<Option<bool>> = vec![None; topology.vertex_count()];
    colours[start as usize] = Some(false);
    let mut todo = vec![start];
    let mut parts = [vec![], vec![]];
    while let Some(v) = todo.pop() {
        let own = colours[v as usize]?;
        parts[usize::from(own)].push(v);
        for (e, other) in neighbours(v, topology) {
            let wanted = own ^ cut.binary_search(&e).is_ok();
            match colours[other as usize] {
                Some(known) if known != wanted => return None,
                Some(_) => {}
                None => {
                    colours[other as usize] = Some(wanted);
                    todo.push(other);
                }
            }
        }
    }
    // Edges of another piece of cloth say nothing about this one.
    if cut.iter().any(|&e| colours[topology.edges()[e as usize][0] as usize].is_none()) {
        return None;
    }
    parts.iter_mut().for_each(|part| part.sort_unstable());
    parts.into_iter().min_by_key(|part| (part.len(), std::cmp::Reverse(part.first().copied())))
}

/// The edges at a vertex, each with its other end; an edge comes once for each of its faces.
pub(super) fn neighbours(v: u32, topology: &Topology) -> impl Iterator<Item = (u32, u32)> {
    let edges = topology.vertex_faces(v as usize).iter().flat_map(|&f| topology.face_edges()[f as usize]);
    edges.filter_map(move |e| match topology.edges()[e as usize] {
        [a, b] if a == v => Some((e, b)),
        [a, b] if b == v => Some((e, a)),
        _ => None,
    })
}
