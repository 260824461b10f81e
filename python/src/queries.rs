//! Single pairs and boxes, in batches.

use cloth_broadphase::cloth_geom::Aabb;
use cloth_broadphase::{
    BlockTree, Boxes, BroadPhase, BruteForce, PairFilter, Pairs, SpatialHash, SweepAndPrune,
};
use cloth_certify::ccd::{Additive, Ccd, CcdError, Filtered, Inclusion, Query, Reference, Toi};
use nalgebra::Point3;
use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::arrays::{array, rows};
use crate::{errors, pool, records};

/// Records of when pairs of primitives first come within a distance. A query is a row: four points at the
/// start, then at the end; a kind is 0 for a point and a triangle, 1 for two edges.
#[pyfunction]
pub(crate) fn ccd<'py>(
    py: Python<'py>,
    queries: PyReadonlyArray2<'py, f64>,
    kinds: PyReadonlyArray1<'py, u8>,
    method: &str,
    distance: f64,
) -> PyResult<Bound<'py, PyArray1<u8>>> {
    fn decide(
        ccd: &(impl Ccd + Sync),
        queries: &[[f64; 24]],
        kinds: &[u8],
        distance: f64,
    ) -> Result<Vec<Option<Toi>>, (usize, CcdError)> {
        let answers = queries.par_iter().zip(kinds).enumerate().map(|(i, (query, kind))| {
            let point = |k: usize| Point3::new(query[3 * k], query[3 * k + 1], query[3 * k + 2]);
            let (t0, t1) = ([0, 1, 2, 3].map(point), [4, 5, 6, 7].map(point));
            let query = if *kind == 0 { Query::point_triangle(t0, t1) } else { Query::edge_edge(t0, t1) };
            ccd.impact(&query, distance).map_err(|error| (i, error))
        });
        // The error of the first query that has one, whichever thread finds its own first.
        answers.collect::<Vec<_>>().into_iter().collect()
    }
    let (queries, kinds) = (rows(&queries)?, kinds.as_slice()?);
    let answers = pool::run(py, || match method {
        "reference" => Some(decide(&Reference, queries, kinds, distance)),
        "filtered" => Some(decide(&Filtered::default(), queries, kinds, distance)),
        "tight" => Some(decide(&Filtered::tight(), queries, kinds, distance)),
        "additive" => Some(decide(&Additive::default(), queries, kinds, distance)),
        "inclusion" => Some(decide(&Inclusion::default(), queries, kinds, distance)),
        _ => None,
    })?;
    let answers = answers.ok_or_else(|| PyValueError::new_err(format!("unknown method {method:?}")))?;
    let answers = answers
        .map_err(|(query, error)| errors::raise(py, "InputError", format!("query {query}: {error}")))?;
    Ok(records::of_impacts(py, &answers))
}

/// The pairs of boxes (least corner, then greatest) that overlap, smaller index first, sorted.
#[pyfunction]
pub(crate) fn broad_phase<'py>(
    py: Python<'py>,
    boxes: PyReadonlyArray2<'py, f64>,
    method: &str,
) -> PyResult<Bound<'py, PyArray2<u32>>> {
    fn find(mut broad_phase: impl BroadPhase, boxes: &Boxes) -> Vec<[u32; 2]> {
        let mut pairs = Pairs::new();
        broad_phase.update(boxes);
        broad_phase.self_pairs(&PairFilter::all(), &mut pairs);
        let mut pairs: Vec<_> = pairs.as_slice().iter().map(|&[a, b]| [a.min(b), a.max(b)]).collect();
        pairs.par_sort_unstable();
        pairs
    }
    let items =
        rows(&boxes)?.iter().map(|&[x, y, z, u, v, w]| Aabb { min: [x, y, z].into(), max: [u, v, w].into() });
    let boxes = Boxes::try_from_iter(items).map_err(|error| errors::raise(py, "InputError", error))?;
    let pairs = pool::run(py, || match method {
        "block_tree" => Some(find(BlockTree::default(), &boxes)),
        "brute_force" => Some(find(BruteForce::default(), &boxes)),
        "spatial_hash" => Some(find(SpatialHash::default(), &boxes)),
        "sweep_and_prune" => Some(find(SweepAndPrune::default(), &boxes)),
        _ => None,
    })?;
    array(py, &pairs.ok_or_else(|| PyValueError::new_err(format!("unknown method {method:?}")))?)
}
