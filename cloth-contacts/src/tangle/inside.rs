//! Global intersection analysis: what a contour cuts off a sheet (Baraff, Witkin and Kass 2003).
//!
//! An edge that the contour crosses joins the two parts; every other edge stays within one. So the vertices of a sheet are
//! coloured in two, along its edges, and where that can be done the contour cuts the sheet into two parts. A contour that ends in
//! the middle of a sheet can be walked around: there the colours contradict each other, and nothing is cut off.

use cloth_geom::Topology;

use super::{Contour, ContourKind};

/// The two parts, each ascending, into which a contour cuts the sheet on one of its sides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// The part with fewer vertices; of equal ones the part without the least vertex.
    pub smaller: Vec<u32>,
    /// The other.
    pub larger: Vec<u32>,
}

/// The vertices that a contour encloses on its first and on its second side: the smaller part of each, as
/// [`parts`] tells; none where it does not cut the sheet.
#[must_use]
pub fn inside(contour: &Contour, topology: &Topology) -> [Option<Vec<u32>>; 2] {
    parts(contour, topology).map(|parts| parts.map(|parts| parts.smaller))
}

/// What a contour cuts the sheets on its first and on its second side into.
///
/// None where it ends inside the sheet, crosses no edge of it, or crosses each an even number of times; and for both sides if
/// they cannot be told from each other. The whole connected piece of cloth is looked at, or both pieces.
///
/// In a tangled contour an edge may have several hits at one point, as where it meets two faces in their common edge; if an
/// even number of hits as no crossing makes no sense of it, any number is taken as one.
#[must_use]
pub fn parts(contour: &Contour, topology: &Topology) -> [Option<Parts>; 2] {
    if contour.both_sided {
        return [None, None];
    }
    [0, 1].map(|side| {
        let of_side = contour.hits.iter().zip(&contour.edge_sides).filter(|&(_, &s)| s == side);
        let mut crossed: Vec<u32> = of_side.map(|(&[e, _], _)| e).collect();
        crossed.retain(|&e| (e as usize) < topology.edges().len());
        crossed.sort_unstable();
        let odd = crossed.chunk_by(|a, b| a == b).filter(|run| run.len() % 2 == 1);
        let cut: Vec<u32> = odd.map(|run| run[0]).collect();
        colour(&cut, topology).or_else(|| {
            crossed.dedup();
            if contour.kind == ContourKind::Tangled { colour(&crossed, topology) } else { None }
        })
    })
}

/// The two colours of the piece of cloth of `cut`, edges in ascending order; none if they contradict each other.
fn colour(cut: &[u32], topology: &Topology) -> Option<Parts> {
    let first = topology.edges()[*cut.first()? as usize][0];
    let mut colours: Vec<Option<bool>> = vec![None; topology.vertex_count()];
    colours[first as usize] = Some(false);
    let mut reached = vec![first];
    let mut at = 0;
    while let Some(&v) = reached.get(at) {
        at += 1;
        let own = colours[v as usize] == Some(true);
        let edges = topology.vertex_faces(v as usize).iter().flat_map(|&f| topology.face_edges()[f as usize]);
        for e in edges {
            let [a, b] = topology.edges()[e as usize];
            if v != a && v != b {
                continue;
            }
            let other = if v == a { b } else { a };
            let wanted = own != cut.binary_search(&e).is_ok();
            match colours[other as usize] {
                None => {
                    colours[other as usize] = Some(wanted);
                    reached.push(other);
                }
                Some(known) if known != wanted => return None,
                Some(_) => {}
            }
        }
    }
    // Cut edges elsewhere belong to another piece of cloth, of which nothing is known.
    let known = |&e: &u32| colours[topology.edges()[e as usize][0] as usize].is_some();
    if !cut.iter().all(known) {
        return None;
    }
    reached.sort_unstable();
    let least = reached.first().map(|&v| colours[v as usize]);
    let (with_least, without): (Vec<u32>, Vec<u32>) =
        reached.into_iter().partition(|&v| Some(colours[v as usize]) == least);
    Some(if without.len() <= with_least.len() {
        Parts { smaller: without, larger: with_least }
    } else {
        Parts { smaller: with_least, larger: without }
    })
}
