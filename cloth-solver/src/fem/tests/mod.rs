//! Validation of the elements, the assemblies and the integrators; `docs/design/fem.md` describes it.

mod assemblies;
mod bias_extension;
mod closed_forms;
mod elements;
mod energy;
mod figure_8;
mod integrators;
mod scenes;
