#![doc = include_str!("../README.md")]

#[macro_use(fault)]
extern crate cloth_contacts as _;

mod active;
mod ask;
mod assemble;
mod assets;
mod axes;
mod bodies;
mod checkpoint;
mod chunks;
mod clock;
mod colouring;
mod constraints;
mod damping;
mod describe;
mod detection;
mod edit;
mod error;
#[cfg(faults)]
mod faults;
pub mod fem;
mod fixings;
mod gate_state;
mod geodesic;
mod islands;
mod local_frame;
#[cfg(feature = "serde")]
pub mod number;
mod recovery;
mod registry;
mod rest;
mod rigid;
mod scratch;
#[cfg(feature = "serde")]
mod serialise;
mod simulation;
mod snapshot;
mod stages;
mod state;
mod step;
pub mod teleport;
mod threads;
mod untangle;
mod waypoints;

pub use ask::display::{DisplayError, DisplayMesh};
pub use ask::intersections::{ByParts, IntersectingParts, IntersectionFilter};
pub use ask::motion::AcceptedMotion;
pub use ask::queries::{CoarseCloth, NormalWeights};
pub use ask::render_mesh::{RenderMesh, VertexBuffers, VertexOutput};
pub use ask::report::{
    GateReport, Pinch, RECOMMENDED_MAX_SUBSTEP, RecoveryReport, Release, ReleasedBody, StageTimes,
    StepReport, Warnings,
};
pub use clock::{Clock, StageSign};
pub use cloth_broadphase;
pub use cloth_certify;
pub use cloth_contacts;
#[cfg(feature = "parry")]
pub use cloth_contacts::collider::ParryShape;
pub use cloth_contacts::collider::{
    Collider, ColliderError, CompoundShape, HullShape, MeshShape, MeshSides, Shape,
};
pub use cloth_contacts::gate::{ExaminedPair, Exemption, Pair, ReleasedPair};
pub use cloth_contacts::intersect::{Intersections, Seam, Seams};
pub use cloth_contacts::particles::{RestConflict, RestRule, Search};
pub use cloth_contacts::{CachedPair, ContactCache, Interaction};
pub use cloth_geom;
pub use cloth_geom::TriMesh;
pub use describe::builder::SimulationBuilder;
pub use describe::cloth::{Attachment, ClothDesc, ClothId, MeshBodyDesc, MeshBodyId, RestShape, Stitch};
pub use describe::cloth_asset::ClothAsset;
pub use describe::controls::{Backstop, Damping, Drive, LocalFrame, Tethers};
pub use describe::elastic_model::{
    CustomElasticModel, ElasticCloth, ElasticModel, ElasticReport, ElasticSolver, ElasticStep,
};
pub use describe::friction::FrictionPart;
pub use describe::gusts::Gusts;
pub use describe::mass_spring::MassSpringSettings;
pub use describe::material::{FaceMaterial, Material, MaterialMap};
pub use describe::particles::{ParticleChoice, ParticleFriction, ParticleResponse, ParticleSettings};
pub use describe::regions::{RegionDesc, RegionExtent, UNASSIGNED_REGION};
pub use describe::settings::{ContactSource, FaceContacts, Settings, Thickness};
pub use describe::sleep::Sleep;
pub use describe::wind::Wind;
pub use error::{BuildError, StepError};
pub use nalgebra;
pub use registry::ColliderId;
pub use rigid::{RigidBodyDesc, RigidBodyState};
#[cfg(feature = "serde")]
pub use serialise::SnapshotBytesError;
pub use simulation::Simulation;
pub use snapshot::Snapshot;
pub use teleport::{Cut, CutMotion, Teleport};
pub use untangle::{
    EdgeStrain, LayerSides, OnUntangleStep, RemainingContour, UntangleAttempt, UntangleError,
    UntangleGarment, UntangleOptions, UntangleStep, Untangled, untangle, untangle_outfit,
};
pub use waypoints::Waypoints;
