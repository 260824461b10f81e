//! The gate for anybody's motion.

use std::sync::Arc;

use cloth_certify::{Certificate, Exempt, GateStats};
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Number, Positions, array, mixed, rows};
use crate::mesh::Mesh;
use crate::slot::{Slot, Taken};
use crate::{errors, pool, records};

#[allow(clippy::large_enum_variant, reason = "there is one behind each Python object")]
enum AnyCertifier {
    F32(cloth_certify::Certifier<f32>),
    F64(cloth_certify::Certifier<f64>),
}

/// Makes motions free of crossings, one after another; calls from several threads wait for each other.
#[pyclass(frozen, module = "cloth._cloth")]
pub(crate) struct Certifier {
    inner: Arc<Slot<AnyCertifier>>,
}

/// Inverse masses of the type of the positions.
#[derive(FromPyObject)]
enum Masses<'py> {
    F32(PyReadonlyArray1<'py, f32>),
    F64(PyReadonlyArray1<'py, f64>),
}

#[pymethods]
impl Certifier {
    #[new]
    fn new(
        py: Python<'_>,
        mesh: &Mesh,
        x0: Positions<'_>,
        thickness: f64,
        clearance: Option<f64>,
        admit_tangles: bool,
    ) -> PyResult<Self> {
        let mut builder = mesh.mesh.certifier().thickness(thickness);
        if let Some(clearance) = clearance {
            builder = builder.clearance(clearance);
        }
        if admit_tangles {
            builder = builder.admit_tangles();
        }
        let inner = match &x0 {
            Positions::F32(x0) => {
                let x0 = rows(x0)?.to_vec();
                pool::run(py, || builder.start(&x0))?.map(AnyCertifier::F32)
            }
            Positions::F64(x0) => {
                let x0 = rows(x0)?.to_vec();
                pool::run(py, || builder.start(&x0))?.map(AnyCertifier::F64)
            }
        };
        Ok(Self { inner: Slot::new(inner.map_err(|error| errors::start(py, &error))?) })
    }

    /// The corrected end, and what is certified of it.
    fn correct<'py>(
        &self,
        py: Python<'py>,
        x0: Positions<'py>,
        x1: Positions<'py>,
        inv_mass: Masses<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyDict>)> {
        fn correct<'py, T: Number>(
            py: Python<'py>,
            certifier: &mut cloth_certify::Certifier<T>,
            [x0, mut x1]: [Vec<[T; 3]>; 2],
            inv_mass: &[T],
        ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyDict>)> {
            let certificate = pool::run(py, || certifier.correct(&x0, &mut x1, inv_mass))?;
            let certificate = certificate.map_err(|error| errors::correct(py, &error))?;
            Ok((array(py, &x1)?.into_any(), describe(py, &certificate)?))
        }
        // Copies, made before the interpreter is released: other threads may write to the arrays.
        match (x0, x1, inv_mass) {
            (Positions::F32(x0), Positions::F32(x1), Masses::F32(inv_mass)) => {
                let (ends, inv_mass) = ([rows(&x0)?.to_vec(), rows(&x1)?.to_vec()], inv_mass.to_vec()?);
                match &mut *self.lock(py)? {
                    AnyCertifier::F32(certifier) => correct(py, certifier, ends, &inv_mass),
                    AnyCertifier::F64(_) => Err(mixed()),
                }
            }
            (Positions::F64(x0), Positions::F64(x1), Masses::F64(inv_mass)) => {
                let (ends, inv_mass) = ([rows(&x0)?.to_vec(), rows(&x1)?.to_vec()], inv_mass.to_vec()?);
                match &mut *self.lock(py)? {
                    AnyCertifier::F32(_) => Err(mixed()),
                    AnyCertifier::F64(certifier) => correct(py, certifier, ends, &inv_mass),
                }
            }
            _ => Err(mixed()),
        }
    }

    /// The end of the last motion, or the start.
    #[getter]
    fn end<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &*self.lock(py)? {
            AnyCertifier::F32(certifier) => Ok(array(py, certifier.end())?.into_any()),
            AnyCertifier::F64(certifier) => Ok(array(py, certifier.end())?.into_any()),
        }
    }

    #[getter]
    fn motions(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(match &*self.lock(py)? {
            AnyCertifier::F32(certifier) => certifier.motions(),
            AnyCertifier::F64(certifier) => certifier.motions(),
        })
    }

    #[getter]
    fn exempt(&self, py: Python<'_>) -> PyResult<Vec<(usize, usize, u64)>> {
        Ok(match &*self.lock(py)? {
            AnyCertifier::F32(certifier) => tangles(certifier.exempt()),
            AnyCertifier::F64(certifier) => tangles(certifier.exempt()),
        })
    }
}

impl Certifier {
    /// Waits until no other call has it.
    fn lock(&self, py: Python<'_>) -> PyResult<Taken<AnyCertifier>> {
        self.inner.take(py)
    }
}

fn tangles(exempt: &[Exempt]) -> Vec<(usize, usize, u64)> {
    exempt.iter().map(|tangle| (tangle.vertices[0], tangle.vertices[1], tangle.since)).collect()
}

/// Everything that a certificate says, by name.
fn describe<'py, T: Number>(
    py: Python<'py>,
    certificate: &Certificate<'_, T>,
) -> PyResult<Bound<'py, PyDict>> {
    // Of one second, so they are the changes of the positions in every bit.
    let changes: Vec<[f64; 3]> = certificate.velocity_changes(1.0).collect();
    let said = PyDict::new(py);
    said.set_item("is_unconditional", certificate.is_unconditional())?;
    said.set_item("changed", PyArray1::from_slice(py, certificate.changed()))?;
    said.set_item("exempt", tangles(certificate.exempt()))?;
    said.set_item("resolved", certificate.resolved())?;
    said.set_item("released", records::of_released(py, certificate.released()))?;
    said.set_item("near", certificate.near())?;
    said.set_item("changes", array(py, &changes)?)?;
    let GateStats { proofs, proved_in_f32, exact, rounds, corrected, frozen, released, touching, near } =
        certificate.stats();
    let stats = PyDict::new(py);
    let counts = [
        ("proofs", proofs),
        ("proved_in_f32", proved_in_f32),
        ("exact", exact),
        ("rounds", rounds as usize),
        ("corrected", corrected),
        ("frozen", frozen),
        ("released", released),
        ("touching", touching),
        ("near", near),
    ];
    for (name, count) in counts {
        stats.set_item(name, count)?;
    }
    said.set_item("stats", stats)?;
    Ok(said)
}
