//! What is measured of a run, as reports have it: in JSON for programs, in words for people.

mod certification;
mod figure;
mod provenance;
mod run_report;

pub use certification::{Certification, Certified, CertifiedChords, GatedFrame, Tangled, VertexShare};
pub use figure::{Figure, count, human, human_with, stretch_percent};
pub use provenance::Provenance;
pub(crate) use provenance::utc;
pub use run_report::{
    Contacts, CutFigures, DeepestFace, FrameChords, Intersections, IntersectionsByParts, MsPerFrame, Peak,
    PerFrame, RigidBodyFigures, RunReport, Stretch, hex,
};
