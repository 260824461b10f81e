//! The simulation: its parts, what it runs on, and where in it a cloth, a body or a vertex is.
//!
//! | file | what `impl Simulation` is there for |
//! |---|---|
//! | `step`, with the files of its folder | a step |
//! | `edit` | changes between two steps |
//! | `ask/queries`, `ask/intersections` | what it is asked between two steps |
//! | `snapshot` | its dynamic state as a whole: snapshot, reset, teleport, and the state before a failed step |

use std::sync::Arc;

use crate::assets::{Assets, Part};
use crate::checkpoint::SceneFingerprint;
use crate::clock::{Clock, StageSign};
use crate::constraints::ElasticConstraints;
use crate::detection::Detection;
use crate::fixings::Lag;
use crate::gate_state::GateState;
use crate::recovery::Recovery;
use crate::rules::Rules;
use crate::scratch::Scratch;
use crate::state::State;
use crate::threads::Threads;
use crate::{ClothId, Collider, ColliderId, MeshBodyId, Settings, SimulationBuilder, StepError, StepReport};

/// A simulation of cloths, mesh bodies and colliders.
///
/// Built by [`SimulationBuilder`](crate::SimulationBuilder). All vertices lie in common arrays: first the
/// cloths, in the order in which they were added, then the mesh bodies, then the axes of guarded colliders.
// | field | contents |
// |---|---|
// | `settings`, `scene`, `fingerprint`, `assets` | what the simulation was built of, and what follows from that alone |
// | `state`, `colliders`, `detection`, `gate` | the dynamic state: what a checkpoint saves, with the drivers that keep some of it |
// | `constraints`, `recovery`, `lag`, `scratch` | what follows from the others, and memory |
// | `report` | results of the last step |
// | `runtime` | threads, clock and rules |
#[derive(Clone, Debug)]
pub struct Simulation {
    pub(crate) settings: Settings,
    /// What the simulation was built of; edits rebuild it.
    pub(crate) scene: Arc<SimulationBuilder>,
    /// Decides which snapshots are compatible.
    pub(crate) fingerprint: Arc<SceneFingerprint>,
    pub(crate) assets: Arc<Assets>,
    pub(crate) state: State,
    /// The colliders, with their poses at the two ends of the step.
    pub(crate) colliders: Vec<Collider>,
    pub(crate) detection: Detection,
    /// `None` if the settings switch the gate off.
    pub(crate) gate: Option<GateState>,
    pub(crate) constraints: ElasticConstraints,
    pub(crate) recovery: Recovery,
    /// What lags in the present step.
    pub(crate) lag: Lag,
    pub(crate) scratch: Scratch,
    pub(crate) report: StepReport,
    pub(crate) runtime: Runtime,
}

/// What a simulation runs on, what it records, and by which rules; the same in all that are compared.
#[derive(Clone, Debug)]
pub(crate) struct Runtime {
    pub(crate) threads: Threads,
    /// The clock of the stage times.
    pub(crate) clock: Clock,
    /// Which stage goes on.
    pub(crate) stage: StageSign,
    /// Whether the gate records which pairs it examines.
    pub(crate) records_examined: bool,
    pub(crate) rules: Rules,
}

impl Simulation {
    /// Says which stage goes on, to another thread while this one steps. A clone of the simulation moves the
    /// same sign.
    #[must_use]
    pub fn stage_sign(&self) -> StageSign {
        self.runtime.stage.clone()
    }

    /// Replaces the clock of the stage times: by that of an engine, or one for a platform without any. No
    /// result depends on it.
    pub fn set_clock(&mut self, clock: Clock) {
        self.runtime.clock = clock;
    }

    /// Makes the gate record from the next substep on which pairs it examines, or stop doing so, for
    /// [`AcceptedMotion::examined`](crate::AcceptedMotion::examined); off by default. It changes no result. A
    /// debugging aid: it costs memory and time in proportion to the pairs while it is on, and nothing while
    /// it is off.
    pub fn record_examined(&mut self, on: bool) {
        self.runtime.records_examined = on;
    }

    pub(crate) fn cloth_part(&self, cloth: ClothId) -> Result<&Part, StepError> {
        self.cloth_index(cloth).map(|index| &self.assets.parts[index])
    }

    pub(crate) fn body_part(&self, body: MeshBodyId) -> Result<&Part, StepError> {
        let (cloths, count) = (self.scene.cloths.len(), self.scene.bodies.len());
        let index = self.scene.bodies.index(body.0);
        let missing = StepError::NotFound { what: "mesh body", index: body.0, count };
        index.map(|index| &self.assets.parts[cloths + index]).ok_or(missing)
    }

    pub(crate) fn vertex(&self, cloth: ClothId, vertex: u32) -> Result<usize, StepError> {
        let range = self.cloth_part(cloth)?.vertices.clone();
        let missing = StepError::NotFound { what: "vertex", index: vertex as usize, count: range.len() };
        if (vertex as usize) < range.len() { Ok(range.start + vertex as usize) } else { Err(missing) }
    }

    /// The index of a cloth among the parts.
    pub(crate) fn cloth_index(&self, cloth: ClothId) -> Result<usize, StepError> {
        let count = self.scene.cloths.len();
        let missing = StepError::NotFound { what: "cloth", index: cloth.0, count };
        self.scene.cloths.index(cloth.0).ok_or(missing)
    }

    /// The index of a rigid body's collider, and of the body among the rigid ones.
    pub(crate) fn rigid_slot(&self, body: ColliderId) -> Result<(usize, usize), StepError> {
        let collider = self.scene.collider_index(body)?;
        let count = self.assets.rigid_bodies.len();
        let missing = StepError::NotFound { what: "rigid body", index: body.0, count };
        let slot = self.assets.rigid_bodies.iter().position(|asset| asset.collider == body.0);
        slot.map(|slot| (collider, slot)).ok_or(missing)
    }
}
