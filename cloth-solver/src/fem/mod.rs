//! Finite elements: the membrane of a cloth as a continuum of constant-strain triangles (Zhang et al. 2014,
//! section 3.2).
//!
//! ```text
//!   rest shape --> element.rs: gradients of the shape functions, area
//!   positions  --> F --> strain.rs: Green, co-rotated Cauchy, Cauchy --> law.rs: stress
//!                        --> element.rs: force, stiffness
//!   membrane.rs: over all elements     global.rs: the same forces as K_g1 x - K_g2 x0
//!   explicit.rs: symplectic Euler      implicit.rs: backward Euler, by conjugate_gradients.rs over sparse.rs
//! ```
//!
//! Everything here is `f64`. The residual of a linear solve is to be 1e-6 of its right side or less, and
//! conjugate gradients lose about the square root of the condition number (100 and more) times the rounding
//! of their numbers: `f32` has no digits left. The positions of the simulation stay `f32`.
//!
//! `docs/design/fem.md` has the derivations, the validation and the cost.

mod conjugate_gradients;
mod element;
mod explicit;
mod global;
mod implicit;
mod law;
mod membrane;
#[cfg(test)]
mod reference;
mod settings;
mod sparse;
mod spectrum;
mod stepper;
mod strain;
mod strain_limit;
#[cfg(test)]
mod tests;

pub use conjugate_gradients::SolveReport;
pub use element::Element;
pub use law::{LawResponse, MAX_SEGMENTS, PlaneStress, Segment, Stiffening, StiffeningCurve};
pub use membrane::{Membrane, MembraneMaterial};
pub use settings::{Assembly, FemSettings, Integrator};
pub use sparse::{PackedF64, packed, vector};
pub use stepper::{FemReport, FemStepper, StepInput};
pub use strain::{Gradient, StrainMeasure};
pub use strain_limit::StrainLimit;
