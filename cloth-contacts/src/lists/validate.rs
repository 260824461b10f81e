//! What must hold between slacks, budgets, boxes and rows; tests check it after every update.

use std::collections::BTreeSet;

use cloth_geom::lanes::LANES8;

use crate::Surface;
use crate::leaves::{LeafSet, Leaves, NODE};
use crate::lists::PairLists;
use crate::lists::frames::Frames;
use crate::lists::list::{Entry, List, Rows};
use crate::lists::plan::Horizon;
use crate::lists::primitives::{MovingBox, Primitives, limit, max_over};
use crate::lists::rebuild::least_of_primitives;

/// Fails with a message unless a condition holds.
macro_rules! ensure {
    ($holds:expr, $($message:tt)*) => {
        if !$holds {
            return Err(format!($($message)*));
        }
    };
}

impl PairLists {
    /// Checks the lists of a surface after an update; the error says what does not hold.
    pub(crate) fn validate(&self, surface: &Surface) -> Result<(), String> {
        ensure!(self.is_valid && self.fits(surface), "the lists are of another surface");
        let Horizon { end, prediction, certified_end, .. } = self.frames.horizon;
        ensure!(end >= 0.0 && prediction >= 0.0, "the horizon is {end} and {prediction}");
        ensure!(certified_end == end + prediction, "{certified_end} is not {end} + {prediction}");
        let leaves = &*surface.leaves;
        let Self { points, edges, faces, slack, beyond, clearance_slack, .. } = self;
        for (v, ((slack, beyond), both)) in slack.iter().zip(beyond).zip(clearance_slack).enumerate() {
            ensure!(*slack >= 0.0 && *both == slack + beyond, "vertex {v}: {slack} + {beyond} is not {both}");
        }
        for (threshold, budgets) in self.budgets.iter().enumerate() {
            let of = [&points.budgets, &edges.budgets, &faces.budgets].map(|of| &of[threshold][..]);
            let mut least = Vec::new();
            least_of_primitives(leaves, of, &mut least);
            ensure!(same(&least, budgets), "budgets of vertices are not those of their primitives");
        }
        validate_primitives(points, &leaves.points, slack, &self.frames)?;
        validate_primitives(edges, &leaves.edges, slack, &self.frames)?;
        validate_primitives(faces, &leaves.faces, slack, &self.frames)?;
        self.validate_pairs(surface, leaves)
    }

    fn validate_pairs(&self, surface: &Surface, leaves: &Leaves) -> Result<(), String> {
        let Self { points, edges, faces, point_triangles, edge_edges, .. } = self;
        let mut budgets =
            [points, faces, edges].map(|of| of.budgets.clone().map(|of| vec![f32::INFINITY; of.len()]));
        for (is_edges, list) in [(false, point_triangles), (true, edge_edges)] {
            let count = if is_edges {
                [leaves.edges.places(); 2]
            } else {
                [leaves.points.places(), leaves.faces.places()]
            };
            validate_list(list, count)?;
            let mut known = BTreeSet::new();
            for entry in list.rows().iter().flat_map(Rows::all) {
                let [a, b] = entry.places;
                let (own, others) = match is_edges {
                    true => (&leaves.edges.vertices(a)[..], &leaves.edges.vertices(b)[..]),
                    false => (&leaves.points.vertices(a)[..], &leaves.faces.vertices(b)[..]),
                };
                let is_pair = !own.iter().any(|v| others.contains(v)) && !surface.excluded(own, others);
                ensure!(is_pair, "{entry:?} is of primitives that are not compared");
                let ids = match is_edges {
                    true => [leaves.edges.id(a), leaves.edges.id(b)],
                    false => [leaves.points.id(a), leaves.faces.id(b)],
                };
                let pair = if is_edges { [ids[0].min(ids[1]), ids[0].max(ids[1])] } else { ids };
                ensure!(known.insert(pair), "{pair:?} is listed twice");
                ensure!(entry.speed >= 0.0, "{entry:?} has no speed");
                let sides = if is_edges { [2, 2] } else { [0, 1] };
                for (side, place) in sides.into_iter().zip(entry.places) {
                    for (threshold, &budget) in entry.budgets.iter().enumerate() {
                        limit(&mut budgets[side][threshold][place as usize], budget);
                    }
                }
            }
        }
        for (of, budgets) in [points, faces, edges].into_iter().zip(&budgets) {
            let are_least = of.budgets.iter().zip(budgets).all(|(own, least)| same(own, least));
            ensure!(are_least, "budgets of primitives are not those of their pairs");
        }
        Ok(())
    }
}

/// Whether the bits are the same, but for which NaN is which.
fn same(a: &[f32], b: &[f32]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b || a.is_nan() && b.is_nan())
}

/// Checks that both orders of the rows have the same entries, in ascending rows.
fn validate_list(list: &List, places: [usize; 2]) -> Result<(), String> {
    for rows in list.rows() {
        let Rows { entries, first, by_second, second } = rows;
        let starts = [first, second].map(Vec::len);
        ensure!(starts == places.map(|count| count + 1), "{starts:?} rows for {places:?} places");
        for place in 0..places[0] as u32 {
            let is_own = |entry: &Entry| entry.places[0] == place;
            ensure!(rows.of_first(place).iter().all(is_own), "row {place} has entries of others");
        }
        let mut seen = vec![false; entries.len()];
        by_second.iter().for_each(|&index| seen[index as usize] = true);
        ensure!(by_second.len() == entries.len() && seen.iter().all(|seen| *seen), "an entry is lost");
        for place in 0..places[1] as u32 {
            let is_own = |entry: &Entry| entry.places[1] == place;
            ensure!(rows.of_second(place).all(is_own), "second row {place} has entries of others");
        }
    }
    Ok(())
}

/// Checks that slacks are those of the vertices, and that boxes contain what they are of.
fn validate_primitives<const N: usize>(
    primitives: &Primitives,
    set: &LeafSet<N>,
    slack: &[f32],
    frames: &Frames,
) -> Result<(), String> {
    let Primitives { boxes, node_boxes, nodes, .. } = primitives;
    for place in 0..set.places() {
        let vertices = set.vertices(place as u32);
        let (own, expected) = (primitives.slack[place], max_over(vertices, slack));
        ensure!(own == expected, "the slack of place {place} is {own} instead of {expected}");
        let margin = own + primitives.reach[place];
        for &v in vertices {
            let (at, velocity) = (frames.reference[v as usize], frames.velocity[v as usize]);
            let reached = MovingBox {
                corners: [at.map(|c| c - margin).into(), at.map(|c| c + margin).into()],
                velocity: [velocity; 2],
            };
            let leaf = place / LANES8;
            ensure!(contains(&boxes[leaf], &reached), "vertex {v} leaves the box of leaf {leaf}");
        }
    }
    for leaf in (0..set.count()).filter(|&leaf| set.occupied[leaf] != 0) {
        let (node, lane) = (leaf / NODE, leaf % NODE);
        ensure!(contains(&node_boxes[node], &boxes[leaf]), "leaf {leaf} leaves the box of node {node}");
        let MovingBox { corners, velocity } = boxes[leaf];
        for (row, numbers) in corners.into_iter().chain(velocity).flatten().enumerate() {
            let kept = nodes[node].numbers(row)[lane];
            ensure!(kept == numbers, "node {node} has another box of leaf {leaf}");
        }
    }
    Ok(())
}

fn contains(outer: &MovingBox, inner: &MovingBox) -> bool {
    let within = |outer: &[[f32; 3]; 2], inner: &[[f32; 3]; 2]| {
        (0..3).all(|c| outer[0][c] <= inner[0][c] && inner[1][c] <= outer[1][c])
    };
    within(&outer.corners, &inner.corners) && within(&outer.velocity, &inner.velocity)
}
