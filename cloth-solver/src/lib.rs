#![doc = include_str!("../README.md")]

#[macro_use(fault)]
extern crate cloth_contacts as _;

mod active;
mod assemble;
mod assets;
mod axes;
mod bodies;
mod builder;
mod checkpoint;
mod chunks;
mod clock;
mod cloth;
mod cloth_asset;
mod colouring;
mod constraints;
mod controls;
mod damping;
mod detection;
mod display;
mod edit;
mod elastic_model;
mod error;
#[cfg(faults)]
mod faults;
pub mod fem;
mod fixings;
mod friction;
mod gate_state;
mod geodesic;
mod gusts;
mod intersections;
mod islands;
mod local_frame;
mod mass_spring;
mod material;
mod motion;
#[cfg(feature = "serde")]
pub mod number;
mod particles;
mod queries;
mod recovery;
mod regions;
mod registry;
mod render_mesh;
mod report;
mod rest;
mod rigid;
mod scratch;
#[cfg(feature = "serde")]
mod serialise;
mod settings;
mod simulation;
mod sleep;
mod snapshot;
mod stages;
mod state;
mod step;
pub mod teleport;
mod threads;
mod untangle;
mod waypoints;
mod wind;

pub use builder::SimulationBuilder;
pub use clock::{Clock, StageSign};
pub use cloth::{Attachment, ClothDesc, ClothId, MeshBodyDesc, MeshBodyId, RestShape, Stitch};
pub use cloth_asset::ClothAsset;
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
pub use controls::{Backstop, Damping, Drive, LocalFrame, Tethers};
pub use display::{DisplayError, DisplayMesh};
pub use elastic_model::{
    CustomElasticModel, ElasticCloth, ElasticModel, ElasticReport, ElasticSolver, ElasticStep,
};
pub use error::{BuildError, StepError};
pub use friction::FrictionPart;
pub use gusts::Gusts;
pub use intersections::{ByParts, IntersectingParts, IntersectionFilter};
pub use mass_spring::MassSpringSettings;
pub use material::{FaceMaterial, Material, MaterialMap};
pub use motion::AcceptedMotion;
pub use nalgebra;
pub use particles::{ParticleChoice, ParticleFriction, ParticleResponse, ParticleSettings};
pub use queries::CoarseCloth;
pub use queries::NormalWeights;
pub use regions::{RegionDesc, RegionExtent, UNASSIGNED_REGION};
pub use registry::ColliderId;
pub use render_mesh::{RenderMesh, VertexBuffers, VertexOutput};
pub use report::{
    GateReport, Pinch, RECOMMENDED_MAX_SUBSTEP, RecoveryReport, Release, ReleasedBody, StageTimes,
    StepReport, Warnings,
};
pub use rigid::{RigidBodyDesc, RigidBodyState};
#[cfg(feature = "serde")]
pub use serialise::SnapshotBytesError;
pub use settings::{ContactSource, FaceContacts, Settings, Thickness};
pub use simulation::Simulation;
pub use sleep::Sleep;
pub use snapshot::Snapshot;
pub use teleport::{Cut, CutMotion, Teleport};
pub use untangle::{RemainingContour, UntangleError, UntangleOptions, UntangleStep, Untangled, untangle};
pub use waypoints::Waypoints;
pub use wind::Wind;
