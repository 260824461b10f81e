//! Witnesses as the bytes of numpy records; `python/package/cloth/_records.py` has their types.

use cloth_certify::ccd::Toi;
use cloth_certify::{MotionWitness, Pair, ReleasedPair, StateWitness};
use numpy::PyArray1;
use pyo3::prelude::*;

/// Bytes of records without padding.
#[derive(Default)]
pub(crate) struct Records(Vec<u8>);

impl Records {
    fn floats(&mut self, values: &[f64]) {
        self.0.extend_from_slice(bytemuck::cast_slice(values));
    }

    pub(crate) fn singles(&mut self, values: &[f32]) {
        self.0.extend_from_slice(bytemuck::cast_slice(values));
    }

    pub(crate) fn ints(&mut self, values: &[i32]) {
        self.0.extend_from_slice(bytemuck::cast_slice(values));
    }

    pub(crate) fn flag(&mut self, value: bool) {
        self.0.push(u8::from(value));
    }

    pub(crate) fn into_array(self, py: Python<'_>) -> Bound<'_, PyArray1<u8>> {
        PyArray1::from_vec(py, self.0)
    }
}

/// Records of `WITNESS`: place, what it is, edge, vertices, faces; -1 where there is none.
pub(crate) fn of_state<'py>(py: Python<'py>, witnesses: &[StateWitness]) -> Bound<'py, PyArray1<u8>> {
    let mut records = Records::default();
    // Ids are below 2^30.
    let int = |id: Option<u32>| id.map_or(-1, |id| id as i32);
    for &StateWitness { kind, edge, ends: [a, b], face, other_face, position } in witnesses {
        records.floats(&position);
        records.ints(&[kind as i32, int(edge), int(a), int(b), face as i32, int(other_face)]);
    }
    records.into_array(py)
}

/// Records of `COLLISION`: time, gap, place, which kinds of primitives, their ids, their vertices.
pub(crate) fn of_motion<'py>(py: Python<'py>, witnesses: &[MotionWitness]) -> Bound<'py, PyArray1<u8>> {
    let mut records = Records::default();
    for MotionWitness { pair, vertices, time, position } in witnesses {
        records.floats(&[time.time, time.gap]);
        records.floats(position);
        let [kind, a, b] = pair_ids(*pair);
        records.ints(&[kind, a, b]);
        records.ints(&vertices.map(|v| v as i32));
    }
    records.into_array(py)
}

/// Which kinds of primitives a pair has, and their ids.
pub(crate) fn pair_ids(pair: Pair) -> [i32; 3] {
    let (kind, ids) = match pair {
        Pair::PointTriangle(ids) => (0, ids),
        Pair::EdgeEdge(ids) => (1, ids),
    };
    [kind, ids[0] as i32, ids[1] as i32]
}

/// Records of `RELEASED`: which kinds of primitives, their vertices.
pub(crate) fn of_released<'py>(py: Python<'py>, pairs: &[ReleasedPair]) -> Bound<'py, PyArray1<u8>> {
    let mut records = Records::default();
    for pair in pairs {
        records.ints(&[pair.split as i32 - 1]);
        records.ints(&pair.vertices.map(|v| v as i32));
    }
    records.into_array(py)
}

/// Records of `IMPACT`: time and gap, NaN if the motion is free.
pub(crate) fn of_impacts<'py>(py: Python<'py>, impacts: &[Option<Toi>]) -> Bound<'py, PyArray1<u8>> {
    let mut records = Records::default();
    for impact in impacts {
        records.floats(&impact.map_or([f64::NAN; 2], |toi| [toi.time, toi.gap]));
    }
    records.into_array(py)
}
