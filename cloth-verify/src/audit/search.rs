//! Every pair that could meet during a motion, and every intersection of a state.

use cloth_geom::exact::segment_meets_triangle;
use nalgebra::Point3;

use super::boxes::{Box3, BoxTree};
use super::pair::{MotionPath, Pair};
use super::scene::{Authored, Rules};

/// Edges times faces up to which the intersections of a state from without are found by all pairs; above,
/// from the auditor's own boxes.
const ALL_PAIRS: usize = 4_000_000_000;

/// Visits the pairs whose swept boxes overlap, those that are exempt for good as `Err`; `margin` (m) says how
/// far the box of a primitive of some vertices reaches beyond it. Returns what `begin` returned for each
/// block of pairs and `visit` has changed, in an order that threads do not change.
pub(super) fn pairs<T: Send>(
    rules: &Rules,
    path: &MotionPath<'_>,
    margin: impl Fn(&[u32]) -> f64,
    begin: impl Fn() -> T + Sync,
    visit: impl Fn(&mut T, Result<Pair, Authored>) + Sync,
) -> Vec<T> {
    let swept = |vertices: &[u32]| Box3::swept(vertices, path).inflated(margin(vertices));
    let (faces, edges) = (rules.topology.faces(), rules.topology.edges());
    let vertices = 0..rules.topology.vertex_count() as u32;
    let vertices = BoxTree::new(&vertices.map(|v| swept(&[v])).collect::<Vec<_>>());
    let faces = BoxTree::new(&faces.iter().map(|f| swept(f)).collect::<Vec<_>>());
    let edges = BoxTree::new(&edges.iter().map(|e| swept(e)).collect::<Vec<_>>());
    let mut found = vertices.visit_pairs_with(&faces, &begin, |into, v, f| {
        rules.vertex_face(v, f).into_iter().for_each(|pair| visit(into, pair));
    });
    found.extend(edges.visit_pairs(&begin, |into, a, b| {
        rules.edge_edge(a, b).into_iter().for_each(|pair| visit(into, pair));
    }));
    found
}

/// The intersections `[edge, face]` of a state that nobody authored, ascending: exact, from the boxes of its
/// edges and faces.
pub(super) fn intersections(rules: &Rules, at: &[Point3<f32>]) -> Vec<[u32; 2]> {
    let still = MotionPath { t0: at, t1: at };
    let (faces, edges) = (rules.topology.faces(), rules.topology.edges());
    let [faces, edges] = [
        faces.iter().map(|f| Box3::swept(f, &still)).collect::<Vec<_>>(),
        edges.iter().map(|e| Box3::swept(e, &still)).collect(),
    ];
    let note = |into: &mut Vec<[u32; 2]>, e, f| into.extend(Some([e, f]).filter(|&hit| meet(rules, hit, at)));
    let found = BoxTree::new(&edges).visit_pairs_with(&BoxTree::new(&faces), Vec::new, note);
    let mut found = found.concat();
    found.sort_unstable();
    found
}

/// The same by all pairs.
pub(super) fn brute_force_intersections(rules: &Rules, at: &[Point3<f32>]) -> Vec<[u32; 2]> {
    let (faces, edges) = (rules.topology.faces().len(), rules.topology.edges().len());
    if faces.saturating_mul(edges) > ALL_PAIRS {
        return intersections(rules, at);
    }
    let pairs = (0..edges as u32).flat_map(|e| (0..faces as u32).map(move |f| [e, f]));
    pairs.filter(|&hit| are_near(rules, hit, at) && meet(rules, hit, at)).collect()
}

/// Whether the boxes of an edge and a face overlap.
fn are_near(rules: &Rules, [e, f]: [u32; 2], at: &[Point3<f32>]) -> bool {
    let p = |v: u32| &at[v as usize];
    let [a, b] = rules.topology.edges()[e as usize].map(p);
    let [c, d, g] = rules.topology.faces()[f as usize].map(p);
    (0..3).all(|k| a[k].min(b[k]) <= c[k].max(d[k]).max(g[k]) && c[k].min(d[k]).min(g[k]) <= a[k].max(b[k]))
}

fn meet(rules: &Rules, hit: [u32; 2], at: &[Point3<f32>]) -> bool {
    if !rules.must_stay_apart(hit) {
        return false;
    }
    let p = |v: u32| at[v as usize].cast::<f64>();
    let ends = rules.topology.edges()[hit[0] as usize].map(p);
    let face = rules.topology.faces()[hit[1] as usize].map(p);
    segment_meets_triangle([&ends[0], &ends[1]], [&face[0], &face[1], &face[2]])
}
