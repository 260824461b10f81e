//! Witnesses as the bytes of numpy records; `python/package/cloth/_records.py` has their types.

use cloth_certify::ccd::Toi;
use cloth_certify::{IntersectionKind, MotionWitness, Pair, ReleasedPair, StateWitness};
use numpy::PyArray1;
use pyo3::prelude::*;

/// Bytes of records without padding.
#[derive(Default)]
struct Records(Vec<u8>);

impl Records {
    fn floats(&mut self, values: &[f64]) {
        self.0.extend_from_slice(bytemuck::cast_slice(values));
    }

    fn ints(&mut self, values: &[i32]) {
        self.0.extend_from_slice(bytemuck::cast_slice(values));
    }

    fn into_array(self, py: Python<'_>) -> Bound<'_, PyArray1<u8>> {
        PyArray1::from_vec(py, self.0)
    }
}

/// Records of `WITNESS`: place, what it is, edge, vertices, faces; -1 where there is none.
pub(crate) fn of_state<'py>(py: Python<'py>, witnesses: &[StateWitness]) -> Bound<'py, PyArray1<u8>> {
    let mut records = Records::default();
    // Ids are below 2^30.
    let int = |id: u32| id as i32;
    for witness in witnesses {
        records.floats(&witness.position());
        let (kind, edge, [a, b], faces) = match *witness {
            StateWitness::EdgeFace { edge, ends, face, kind, .. } => {
                let kind = match kind {
                    IntersectionKind::Proper => 0,
                    IntersectionKind::Touching => 1,
                    IntersectionKind::Coplanar | IntersectionKind::NotFinite => 2,
                };
                (kind, int(edge), ends.map(int), [int(face), -1])
            }
            StateWitness::PointFace { vertex, face, .. } => (3, -1, [int(vertex), -1], [int(face), -1]),
            StateWitness::FlatFold { edge, ends, faces, .. } => (4, int(edge), ends.map(int), faces.map(int)),
            StateWitness::DoubledFace { faces, .. } => (5, -1, [-1; 2], faces.map(int)),
        };
        records.ints(&[kind, edge, a, b, faces[0], faces[1]]);
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
