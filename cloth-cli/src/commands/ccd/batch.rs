//! Queries with what is known about them: the subject of a judgement.

use cloth_ccd::Query;
use cloth_io::queries::{Enclosure, MovingPair, QueryKind};

/// Queries of one file, in its order.
pub(super) struct Batch {
    /// The file.
    pub(super) path: String,
    /// The words of its kind, or `mixed`.
    pub(super) kind: &'static str,
    pub(super) queries: Vec<Query>,
    /// Whether each collides, as far as the file or one next to it states.
    pub(super) labels: Option<Labels>,
    /// Bounds of the exact times, if there are any.
    pub(super) times: Option<Times>,
}

/// Whether each query collides.
pub(super) struct Labels {
    pub(super) collides: Vec<bool>,
    /// Where that stands: a column or a file.
    pub(super) origin: String,
}

/// When each query that collides does so first.
pub(super) struct Times {
    pub(super) enclosures: Vec<Enclosure>,
    /// The file in which they stand.
    pub(super) origin: String,
}

impl Batch {
    /// A batch about which nothing is known yet.
    pub(super) fn new(path: String, queries: Vec<Query>) -> Self {
        let of = |kind| {
            queries.iter().all(|query| matches!(query, Query::EdgeEdge(_)) == (kind == QueryKind::EdgeEdge))
        };
        let kinds = [QueryKind::EdgeEdge, QueryKind::VertexFace];
        let kind = kinds.into_iter().find(|&kind| of(kind)).map_or("mixed", QueryKind::name);
        Self { path, kind, queries, labels: None, times: None }
    }
}

/// The query of a moving pair of a kind.
pub(super) fn query(kind: QueryKind, MovingPair { t0, t1 }: MovingPair) -> Query {
    match kind {
        QueryKind::VertexFace => Query::point_triangle(t0, t1),
        QueryKind::EdgeEdge => Query::edge_edge(t0, t1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Point3;

    #[test]
    fn a_batch_is_of_one_kind_or_mixed() {
        let pair = MovingPair { t0: [Point3::origin(); 4], t1: [Point3::origin(); 4] };
        let [vf, ee] = [QueryKind::VertexFace, QueryKind::EdgeEdge].map(|kind| query(kind, pair));
        let kind = |queries: &[Query]| Batch::new(String::new(), queries.to_vec()).kind;
        assert_eq!((kind(&[vf, vf]), kind(&[ee]), kind(&[ee, vf])), ("vertex-face", "edge-edge", "mixed"));
    }
}
