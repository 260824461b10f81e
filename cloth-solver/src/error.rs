//! Errors of building and stepping a simulation. Each message says how to fix the cause.

use cloth_contacts::collider::{ColliderError, MAX_COORDINATE};
use cloth_contacts::intersect::IntersectError;
use cloth_contacts::{CacheError, DetectError, SurfaceError};
use nalgebra::{Isometry3, Vector3};
use thiserror::Error;

use crate::ColliderId;

/// An error of [`SimulationBuilder::build`](crate::SimulationBuilder::build) or
/// [`Simulation::edit`](crate::Simulation::edit).
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum BuildError {
    /// A setting is out of range.
    #[error("setting `{name}` is {value}; it must be {requirement}")]
    Setting {
        /// The setting.
        name: &'static str,
        /// Its value.
        value: f32,
        /// The requirement.
        requirement: &'static str,
    },
    /// An elastic model of the caller cannot be built.
    #[error("elastic model `{name}`: {fault}")]
    ElasticModel {
        /// Its name.
        name: String,
        /// What is wrong.
        fault: String,
    },
    /// The environment variable `CLOTH_SIMD` names instructions that are unknown or not available.
    #[error("{cause}")]
    Instructions {
        /// What is wrong, and the names that can be set.
        cause: String,
    },
    /// The thread pool cannot be started.
    #[error(
        "setting `threads` is {threads}, and so many cannot be started: {cause}; ask for fewer, or for 1"
    )]
    Threads {
        /// The setting.
        threads: u32,
        /// The error of the system.
        cause: String,
    },
    /// A number of a cloth is out of range.
    #[error("cloth {cloth}: `{name}` is {value}; it must be {requirement}")]
    Value {
        /// The cloth, in the order they were added.
        cloth: usize,
        /// The field.
        name: &'static str,
        /// Its value.
        value: f32,
        /// The requirement.
        requirement: &'static str,
    },
    /// A number of a rigid body is out of range.
    #[error("rigid body {id}: `{name}` is {value}; it must be {requirement}")]
    RigidBody {
        /// The id of its collider.
        id: usize,
        /// The field.
        name: &'static str,
        /// Its value.
        value: f32,
        /// The requirement.
        requirement: &'static str,
    },
    /// A rigid body has another shape than those whose inertia is known.
    #[error(
        "rigid body {id} must be a sphere, a capsule or a box; for other shapes use a rigid-body engine and \
         move a collider with its body"
    )]
    RigidShape {
        /// The id of its collider.
        id: usize,
    },
    /// A vertex index is out of range.
    #[error("cloth {cloth}: `{name}` names vertex {vertex}, but it has {count}")]
    Vertex {
        /// The cloth.
        cloth: usize,
        /// The list that names it.
        name: &'static str,
        /// The vertex.
        vertex: u32,
        /// How many vertices there are.
        count: usize,
    },
    /// A list of distinct vertices has a duplicate.
    #[error("cloth {cloth}: `{name}` names vertex {vertex} twice; name it once")]
    DuplicateVertex {
        /// The cloth.
        cloth: usize,
        /// The list that names it.
        name: &'static str,
        /// The vertex.
        vertex: u32,
    },
    /// An array has the wrong length.
    #[error("cloth {cloth}: `{name}` has {got} entries, expected {expected}")]
    Length {
        /// The cloth.
        cloth: usize,
        /// The array.
        name: &'static str,
        /// Its length.
        got: usize,
        /// The length it should have.
        expected: usize,
    },
    /// A position of a cloth is not finite, or beyond 1e7 m.
    #[error(
        "cloth {cloth}: position of vertex {vertex} is not finite or beyond 1e7 m; validate and repair the \
         mesh first"
    )]
    NotFinite {
        /// The cloth.
        cloth: usize,
        /// The vertex.
        vertex: usize,
    },
    /// A position of a mesh body is not finite, or beyond 1e7 m.
    #[error(
        "mesh body {body}: position of vertex {vertex} is not finite or beyond 1e7 m; validate and repair \
         the mesh first"
    )]
    BodyNotFinite {
        /// The id of the body.
        body: usize,
        /// The vertex.
        vertex: usize,
    },
    /// A face has no area in the rest shape, so it has neither mass nor stiffness.
    #[error("cloth {cloth}: face {face} has no area at rest; drop such faces first (repair policy)")]
    DegenerateFace {
        /// The cloth.
        cloth: usize,
        /// The face.
        face: usize,
    },
    /// Border vertices of a cloth lie exactly on others, as in a mesh that was split along its seams: they
    /// would come apart in the first step.
    #[error(
        "cloth {cloth}: {} border vertices lie exactly on others of it, the first is {}; {remedy}",
        .vertices.len(), .vertices.first().copied().unwrap_or_default()
    )]
    CoincidentBorders {
        /// The cloth.
        cloth: usize,
        /// These vertices, ascending.
        vertices: Vec<u32>,
        /// How to fix it.
        remedy: &'static str,
    },
    /// A pose of a collider is not finite, or beyond 1e7 m.
    #[error("collider {id}: its pose is not finite or beyond 1e7 m")]
    ColliderPose {
        /// The id of the collider.
        id: usize,
    },
    /// A region of a cloth is invalid.
    #[error("cloth {cloth}: region `{region}`: {fault}")]
    Region {
        /// The cloth.
        cloth: usize,
        /// The region.
        region: String,
        /// What is wrong, and how to fix it.
        fault: String,
    },
    /// An entry of a cloth's `face_materials` is invalid.
    #[error("cloth {cloth}: `face_materials[{entry}]`: {fault}")]
    FaceMaterial {
        /// The cloth.
        cloth: usize,
        /// The number of the entry, counted from 0.
        entry: usize,
        /// What is wrong.
        fault: String,
    },
    /// An interaction names a region that no cloth has.
    #[error("no cloth has a region `{name}`{}; known are {known}", suggestion(.nearest.as_deref()))]
    UnknownRegion {
        /// The name that was given.
        name: String,
        /// The known name that is most like it, if any is.
        nearest: Option<String>,
        /// All known names.
        known: String,
    },
    /// An id refers to nothing: it was removed or never added.
    #[error("there is no {what} {id}: it was removed or never added (there are {count})")]
    NotFound {
        /// The kind of object.
        what: &'static str,
        /// Its id.
        id: usize,
        /// How many there are.
        count: usize,
    },
    /// The scene has too many cloths and bodies.
    #[error("{0} cloths and bodies; at most 65,535 are supported")]
    TooManyParts(usize),
    /// The faces do not form a valid surface.
    #[error(transparent)]
    Surface(#[from] SurfaceError),
    /// The contact cache does not fit the scene.
    #[error(transparent)]
    Cache(#[from] CacheError),
}

impl BuildError {
    pub(crate) fn not_found(what: &'static str, id: usize, count: usize) -> Self {
        Self::NotFound { what, id, count }
    }
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest.map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default()
}

/// An error of a step, or of a call between steps. The state is as it was before the call.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum StepError {
    /// The time step is not finite and greater than zero.
    #[error("dt is {0} s; it must be finite and greater than zero")]
    InvalidTimeStep(f32),
    /// Contact detection failed.
    #[error(transparent)]
    Detect(#[from] DetectError),
    /// The exact intersection check failed.
    #[error(transparent)]
    State(#[from] IntersectError),
    /// A collider is invalid.
    #[error(transparent)]
    Collider(#[from] ColliderError),
    /// An id or index refers to nothing.
    #[error("there is no {what} {index}: it was removed or never added (there are {count})")]
    NotFound {
        /// The kind of object.
        what: &'static str,
        /// Its number.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A value passed between steps is not finite or out of range.
    #[error("{what} is {value}; it must be {requirement}")]
    Value {
        /// The quantity.
        what: &'static str,
        /// The value.
        value: f32,
        /// The requirement.
        requirement: &'static str,
    },
    /// A position or pose passed between steps is not finite, or too far away.
    #[error("{what} is at {value} m; every coordinate must be finite and at most 1e7 m")]
    Place {
        /// The collider, the vertex or the body.
        what: String,
        /// The coordinate (m).
        value: f32,
    },
    /// An array passed between steps has the wrong length.
    #[error("{what} has {got} entries, expected {expected}")]
    Length {
        /// The array.
        what: &'static str,
        /// Its length.
        got: usize,
        /// The length it should have.
        expected: usize,
    },
    /// A state that was to be clean is not; nothing has changed.
    #[error(
        "the state has {intersections} intersections of cloth, and {lying} faces that lie on others; first \
         the edge of {} and {}, at {}: untangle it, or admit tangles", .first[0], .first[1], .first[2]
    )]
    Tangled {
        /// The edges and faces that meet, of cloth that collides.
        intersections: usize,
        /// Flat folds, and faces that lie on others.
        lying: usize,
        /// Names of the ends of an edge, and of a corner of what it meets.
        first: [String; 3],
    },
    /// The snapshot belongs to a simulation that was built of something else.
    #[error(
        "the snapshot is of another simulation: {difference}; restore it in the one that it was taken of or \
         in one built alike"
    )]
    IncompatibleSnapshot {
        /// What differs.
        difference: String,
    },
    /// The snapshot was altered after it was taken: the gate would have left no such state.
    #[error(
        "the snapshot was altered after it was taken: {contradiction}; restore one that is as it was written"
    )]
    AlteredSnapshot {
        /// What shows it.
        contradiction: String,
    },
    /// The elastic model is too stiff for its explicit integrator; the state was rolled back to the start of
    /// the step.
    #[error(
        "the explicit integrator of the elastic model needs more explicit steps per substep than \
         `explicit_steps` allows; the step was undone: use the implicit integrator, more substeps, a larger \
         limit or a softer material"
    )]
    ExplicitSteps,
    /// An elastic model of the caller has failed; the state was rolled back to the start of the step.
    #[error("elastic model `{name}`: {fault}; the step was undone")]
    ElasticModel {
        /// Its name.
        name: String,
        /// What is wrong.
        fault: String,
    },
    /// A rigid body cannot be moved as a collider.
    #[error(
        "collider {0} is a rigid body, which moves by itself: use set_rigid_velocity, apply_rigid_impulse or \
         teleport_collider"
    )]
    MovesRigidBody(usize),
    /// The motion of a rigid body became non-finite; the state was rolled back to the start of the step.
    #[error(
        "rigid body {0} became non-finite; the step was undone: use a smaller dt, more substeps or a larger \
         mass"
    )]
    RigidBodyDiverged(usize),
    /// A position became non-finite; the state was rolled back to the start of the step.
    #[error(
        "vertex {vertex} of cloth {cloth} became non-finite; the step was undone: use a smaller dt, more \
         substeps or a stiffer setting"
    )]
    Diverged {
        /// The id of the cloth.
        cloth: usize,
        /// Its vertex.
        vertex: usize,
    },
    /// A vertex stayed behind what holds its cloth; the state was rolled back to the start of the step.
    #[error(
        "vertex {vertex} of cloth {cloth} is {metres} m from what holds it, more than {most} m, twice its \
         longest side; the step was undone: move its pins less far in a step and alike, or teleport the cloth"
    )]
    LeftBehind {
        /// The id of the cloth.
        cloth: usize,
        /// Its vertex.
        vertex: usize,
        /// Distance to the nearest of its pins and attachments (m).
        metres: f32,
        /// Twice the longest side of the cloth (m).
        most: f32,
    },
}

/// Whether a number is a mass (kg): `f32` holds it and its inverse in full precision, or it is infinite.
pub(crate) fn is_mass(mass: f32) -> bool {
    mass > 0.0 && (mass.is_infinite() || mass.is_normal() && mass.recip().is_normal())
}

/// What [`is_mass`] requires.
pub(crate) const MASS_RANGE: &str = "between 1.2e-38 and 8.5e37; infinite for a pin";

/// Checks a position (m); `what` names what is there.
pub(crate) fn check_place(what: impl FnOnce() -> String, place: &Vector3<f32>) -> Result<(), StepError> {
    match place.iter().find(|c| c.is_nan() || c.abs() > MAX_COORDINATE) {
        Some(&value) => Err(StepError::Place { what: what(), value }),
        None => Ok(()),
    }
}

/// Checks the pose of a collider.
pub(crate) fn check_collider_pose(collider: ColliderId, pose: &Isometry3<f32>) -> Result<(), StepError> {
    check_place(|| format!("collider {}", collider.0), &pose.translation.vector)?;
    check_finite_pose("pose of a collider", pose)
}

/// Checks a pose; `what` names it in the message.
pub(crate) fn check_finite_pose(what: &'static str, pose: &Isometry3<f32>) -> Result<(), StepError> {
    check_finite(what, pose.translation.vector)?;
    check_finite(what, pose.rotation.coords.xyz())?;
    check_finite(what, Vector3::repeat(pose.rotation.coords.w))
}

/// Checks a vector; `what` names it in the message.
pub(crate) fn check_finite(what: &'static str, vector: Vector3<f32>) -> Result<(), StepError> {
    match vector.iter().find(|c| !c.is_finite()) {
        Some(&value) => Err(StepError::Value { what, value, requirement: "finite" }),
        None => Ok(()),
    }
}
