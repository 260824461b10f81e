#![doc = include_str!("../README.md")]

mod certificate;
mod certifier;
mod error;
mod guard;
mod input;
mod mesh;
mod motion;
mod outfit;
mod safe_distances;
mod state;
mod step;

pub use certificate::{Certificate, Exempt};
pub use certifier::{Certifier, CertifierBuilder};
#[doc(no_inline)]
pub use cloth_broadphase;
#[doc(no_inline)]
pub use cloth_ccd;
#[doc(no_inline)]
pub use cloth_ccd as ccd;
#[doc(no_inline)]
pub use cloth_contacts;
#[doc(no_inline)]
pub use cloth_contacts::Coordinate;
#[doc(no_inline)]
pub use cloth_contacts::gate::{GateStats, Pair, ReleasedPair};
#[doc(no_inline)]
pub use cloth_geom;
pub use error::{CorrectError, InputError, MeshError, StartError};
#[doc(hidden)]
pub use guard::Guard;
pub use mesh::{CollisionMesh, Mask, MeshBuilder};
pub use motion::{MotionReport, MotionWitness, Search};
#[doc(no_inline)]
pub use nalgebra;
pub use outfit::{
    BodySurface, Deepest, KindCounts, Outfit, OutfitReport, PairKind, Penetration, PenetrationFinder, Roles,
};
pub use state::{StateKind, StateReport, StateWitness};
pub use step::{MaxStep, StepLimit};
