//! Errors of the crates as exceptions of `cloth._errors`, with the same texts.

use std::fmt::Display;

use cloth_certify::{CorrectError, InputError, MeshError, StartError, StateReport};
use cloth_io::FileError;
use cloth_solver::StepError;
use pyo3::prelude::*;

use crate::records;

/// An exception of `cloth._errors` by name.
pub(crate) fn raise(py: Python<'_>, name: &str, text: impl Display) -> PyErr {
    build(py, name, text).unwrap_or_else(|error| error)
}

fn build(py: Python<'_>, name: &str, text: impl Display) -> PyResult<PyErr> {
    let class = py.import("cloth._errors")?.getattr(name)?;
    Ok(PyErr::from_value(class.call1((text.to_string(),))?))
}

pub(crate) fn mesh(py: Python<'_>, error: &MeshError) -> PyErr {
    raise(py, "MeshError", error)
}

pub(crate) fn input(py: Python<'_>, error: &InputError) -> PyErr {
    raise(py, "InputError", error)
}

pub(crate) fn file(py: Python<'_>, error: &FileError) -> PyErr {
    raise(py, "FileError", error)
}

pub(crate) fn simulation(py: Python<'_>, error: impl Display) -> PyErr {
    raise(py, "SimulationError", error)
}

/// A state that a simulation refuses; the Python half finds the witnesses.
pub(crate) fn state(py: Python<'_>, error: &StepError) -> PyErr {
    raise(
        py,
        if matches!(error, StepError::Tangled { .. }) { "TangledError" } else { "SimulationError" },
        error,
    )
}

pub(crate) fn start(py: Python<'_>, error: &StartError) -> PyErr {
    match error {
        StartError::Tangled(report) => tangled(py, error, report),
        error => raise(py, "InputError", error),
    }
}

pub(crate) fn correct(py: Python<'_>, error: &CorrectError) -> PyErr {
    match error {
        CorrectError::Tangled(report) => tangled(py, error, report),
        error => raise(py, "InputError", error),
    }
}

/// A `TangledError`, whose `witnesses` are all intersections.
fn tangled(py: Python<'_>, error: &dyn Display, report: &StateReport) -> PyErr {
    let build = || -> PyResult<PyErr> {
        let class = py.import("cloth._errors")?.getattr("TangledError")?;
        let records = records::of_state(py, report.witnesses());
        Ok(PyErr::from_value(class.call1((error.to_string(), records))?))
    };
    build().unwrap_or_else(|error| error)
}
