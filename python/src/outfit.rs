//! Garments and bodies that are judged together.

use std::sync::Arc;

use cloth_certify::{Deepest, InputError, KindCounts, OutfitReport, PairKind, Search};
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Number, Positions, rows, with_copies};
use crate::audit::{Judge, longest_way};
use crate::{errors, pool, records};

/// Garments and bodies as one mesh.
#[pyclass(frozen, module = "cloth._cloth")]
pub(crate) struct Outfit {
    pub(crate) judge: Arc<cloth_certify::Outfit>,
}

/// Of a frame: whether it is clean, what intersects by kind, how many vertices of cloth are inside, the
/// greatest depth (m) and the share inside; of the motion to it: the collisions by kind, the time of the
/// earliest with cloth, and the longest way (m) of a vertex of cloth.
pub(crate) type OutfitRow = ((bool, [usize; 5], usize, f64, f64), ([usize; 5], f64, f64));

#[pymethods]
impl Outfit {
    #[new]
    fn new(
        py: Python<'_>,
        vertex_count: usize,
        faces: PyReadonlyArray2<'_, u32>,
        parts: PyReadonlyArray1<'_, u16>,
        is_body: PyReadonlyArray1<'_, bool>,
    ) -> PyResult<Self> {
        let (faces, parts, is_body) = (rows(&faces)?, parts.as_slice()?, is_body.as_slice()?);
        let judge = cloth_certify::Outfit::new(vertex_count, faces, parts, is_body);
        Ok(Self { judge: Arc::new(judge.map_err(|error| errors::mesh(py, &error))?) })
    }
}

/// Everything that is known of a state, by name.
#[pyfunction]
pub(crate) fn check_outfit<'py>(
    py: Python<'py>,
    outfit: &Outfit,
    x: Positions<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let report = with_copies!(x => pool::run(py, || outfit.judge.check_state(&x))?);
    let report = report.map_err(|error| errors::input(py, &error))?;
    let inside = &report.penetration;
    let deepest = |found: Option<Deepest>| found.map(|d| (d.index, d.body, d.depth, d.position));
    let bodies = report.bodies.iter().map(|b| (b.part, b.is_closed, b.is_turned));
    let witnesses: Vec<_> = report.witnesses().iter().map(|&(_, witness)| witness).collect();
    let kinds = report.witnesses().iter().map(|&(kind, _)| kind as u8);
    let said = PyDict::new(py);
    said.set_item("row", state_row(&report))?;
    said.set_item("counts", by_kind(&report.counts))?;
    said.set_item("folds", by_kind(&report.folds))?;
    said.set_item("vertices_inside", PyArray1::from_slice(py, &inside.vertices))?;
    said.set_item("deepest_vertex", deepest(inside.deepest_vertex))?;
    said.set_item("deepest_face", deepest(inside.deepest_face))?;
    said.set_item("areas", (inside.area_inside, inside.area, inside.share_inside()))?;
    said.set_item("bodies", bodies.collect::<Vec<_>>())?;
    said.set_item("witnesses", records::of_state(py, &witnesses))?;
    said.set_item("between", PyArray1::from_iter(py, kinds))?;
    Ok(said)
}

/// In the order of [`PairKind::ALL`].
fn by_kind(counts: &KindCounts) -> [usize; 5] {
    PairKind::ALL.map(|kind| counts.of(kind))
}

fn state_row(report: &OutfitReport) -> (bool, [usize; 5], usize, f64, f64) {
    let all = PairKind::ALL.map(|kind| report.counts.of(kind) + report.folds.of(kind));
    let inside = &report.penetration;
    let depth = inside.deepest_face.map_or(0.0, |deepest| deepest.depth);
    (report.is_clean(), all, inside.vertices.len(), depth, inside.share_inside())
}

impl Judge for Arc<cloth_certify::Outfit> {
    type Row = OutfitRow;
    const STOPPED: OutfitRow = ((false, [0; 5], 0, f64::NAN, f64::NAN), ([0; 5], f64::NAN, f64::NAN));

    fn row<T: Number>(&self, [x0, x1]: [&[[T; 3]]; 2]) -> Result<OutfitRow, InputError> {
        let state = state_row(&self.check_state(x1)?);
        let found = self.check_motion(x0, x1, Search::All)?;
        let kinds = found.witnesses().iter().map(|witness| self.kind_of_motion(witness));
        let collisions: KindCounts = kinds.clone().collect();
        let times = found.witnesses().iter().map(|witness| witness.time.time);
        let earliest = kinds.zip(times).find(|(kind, _)| kind.has_cloth()).map_or(f64::NAN, |(_, time)| time);
        let way = longest_way([x0, x1], |vertex| !self.roles().is_of_body(vertex));
        Ok((state, (by_kind(&collisions), earliest, way)))
    }
}
