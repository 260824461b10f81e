//! Batches from two frames of a mesh and lists of its pairs: the coordinates are those of the frames, bit for
//! bit.

use std::path::PathBuf;

use cloth_ccd::Query;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_data::corpus;
    use cloth_io::queries::read_queries;
    use nalgebra::Point3;
    use std::path::Path;

    /// The coordinates of a query, by their bits; a negative zero of the frames is a positive one in
    /// quotients.
    fn bits<'a>(points: impl IntoIterator<Item = &'a Point3<f64>>) -> Vec<u64> {
        points.into_iter().flat_map(|point| point.iter().map(|c| (c + 0.0).to_bits())).collect()
    }

    #[test]
    fn published_queries_are_rebuilt_from_their_frames_bit_for_bit() {
        let Some(scene) = corpus("ccd/scalable/cloth-funnel") else { return };
        let place = |name: &str| scene.join(Path::new(name));
        let frames = Frames::read(&place("frames/227.ply"), &place("frames/228.ply")).unwrap();
        for (letters, queries) in [("vf", 92), ("ee", 263)] {
            let published = read_queries(&place(&format!("queries/227{letters}.csv"))).unwrap().queries;
            let rebuilt = read(&frames, &[place(&format!("boxes/227{letters}.json"))], &[]).unwrap();
            assert_eq!((published.len(), rebuilt[0].queries.len()), (queries, queries));
            for (published, rebuilt) in published.iter().zip(&rebuilt[0].queries) {
                assert_eq!(
                    bits(published.t0.iter().chain(&published.t1)),
                    bits(rebuilt.start().iter().chain(rebuilt.end()))
                );
            }
        }
    }
}
