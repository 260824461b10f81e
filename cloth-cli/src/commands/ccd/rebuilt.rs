//! Batches from two frames of a mesh and lists of its pairs: the coordinates are those of the frames, bit for bit.

use std::path::PathBuf;

use cloth_contacts::ccd::Query;
use cloth_io::queries::{MovingPair, QueryKind};

use super::batch::{Batch, query};
use super::files::{label_files, labels_of};
use crate::commands::motion::{Frames, Pair, read_pairs};
use crate::failure::Failure;

/// Reads lists of pairs and their labels, one batch for each list.
pub(super) fn read(frames: &Frames, boxes: &[PathBuf], labels: &[PathBuf]) -> Result<Vec<Batch>, Failure> {
    let labels = label_files(labels, boxes.iter().map(PathBuf::as_path))?;
    let mut batches = Vec::new();
    for (path, labels) in boxes.iter().zip(labels) {
        let pairs = read_pairs(path, frames.counts())?;
        let queries: Vec<Query> = pairs.iter().map(|&pair| query_of(frames, pair)).collect();
        let mut batch = Batch::new(path.display().to_string(), queries);
        batch.labels = labels.map(|labels| labels_of(&labels, pairs.len())).transpose()?;
        batches.push(batch);
    }
    Ok(batches)
}

/// The query of a pair: the vertex before the face, and edges from their lesser vertex to their greater.
pub(super) fn query_of(frames: &Frames, pair: Pair) -> Query {
    let (kind, corners) = match pair {
        Pair::FaceVertex([face, vertex]) => {
            let [a, b, c] = frames.faces()[face as usize];
            (QueryKind::VertexFace, [vertex, a, b, c])
        }
        Pair::EdgeEdge(edges) => {
            let [[a, b], [c, d]] = edges.map(|edge| frames.edges()[edge as usize]);
            (QueryKind::EdgeEdge, [a, b, c, d])
        }
    };
    let [t0, t1] = [&frames.t0, &frames.t1].map(|at| corners.map(|vertex| at[vertex as usize]));
    query(kind, MovingPair { t0, t1 })
}
