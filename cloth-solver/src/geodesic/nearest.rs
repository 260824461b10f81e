//! The nearest anchors of each vertex: Dijkstra from all anchors at once.
//!
//! A vertex takes the first few labels that reach it, each of another anchor. An anchor among the nearest of
//! a vertex is among the nearest of every vertex on the path, so no other label needs to be propagated. Ties
//! are broken by vertex index, so the result does not depend on the order of anything.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::GeodesicGraph;

/// For each vertex at most `max_count` anchors, nearest first, with distances (m).
pub(crate) fn nearest(graph: &GeodesicGraph, anchors: &[u32], max_count: usize) -> Vec<Vec<(u32, f64)>> {
    let mut found: Vec<Vec<(u32, f64)>> = vec![Vec::new(); graph.vertex_count()];
    // Distances are not negative, so their bits are in their order.
    let mut open: BinaryHeap<Reverse<(u64, u32, u32)>> =
        anchors.iter().map(|&a| Reverse((0.0f64.to_bits(), a, a))).collect();
    while let Some(Reverse((bits, anchor, v))) = open.pop() {
        let wanted = |v: u32, found: &[Vec<(u32, f64)>]| {
            let labels = &found[v as usize];
            labels.len() < max_count && labels.iter().all(|&(known, _)| known != anchor)
        };
        if !wanted(v, &found) {
            continue;
        }
        let distance = f64::from_bits(bits);
        found[v as usize].push((anchor, distance));
        for &(to, length) in graph.neighbours(v) {
            if wanted(to, &found) {
                open.push(Reverse(((distance + f64::from(length)).to_bits(), anchor, to)));
            }
        }
    }
    found
}
