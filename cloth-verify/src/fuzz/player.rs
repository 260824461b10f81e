//! Plays a scene: moves what moves, makes the calls of the script, takes the steps.

use cloth_solver::{
    AcceptedMotion, ClothId, ColliderId, MeshBodyId, Simulation, Snapshot, StepError, StepReport,
};
use nalgebra::{Isometry3, Point3, Translation3, Vector3};

use super::build::{FUSE_SHARE, ScenePlan};
use super::script::{SNAPSHOT_SLOTS, ScriptCall, StepFailure};

/// The most substeps before which a late step can be made to fail: from there on, the vertex that makes it
/// fail is at its target but for rounding.
const LATEST: u32 = 8;

/// The most of its target's velocity that is asked of that vertex.
const MOST_OF_VELOCITY: f64 = 0.95;

/// What a call did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallEffect {
    /// It changed what the next step does, or nothing.
    Edited,
    /// Positions were replaced.
    Replaced,
    /// A snapshot was taken.
    Kept(usize),
    /// A snapshot was restored.
    Restored(usize),
    /// A step failed and was undone.
    Undone,
    /// It was refused, as it had to be.
    Refused,
}

/// Called with every accepted motion.
pub(super) type OnMotion<'a> = &'a mut (dyn FnMut(AcceptedMotion<'_>) + Send);

/// A simulation, and what its caller stores in addition.
pub(super) struct ScenePlayer<'a> {
    plan: &'a ScenePlan<'a>,
    pub(super) simulation: Simulation,
    /// How far each cloth was teleported.
    frames: Vec<Isometry3<f32>>,
    snapshots: Vec<Option<(Snapshot, Vec<Isometry3<f32>>)>>,
    dt: f32,
}

impl<'a> ScenePlayer<'a> {
    pub(super) fn new(plan: &'a ScenePlan<'a>, simulation: Simulation) -> Self {
        Self {
            plan,
            simulation,
            frames: vec![Isometry3::identity(); plan.cloths.len()],
            snapshots: vec![None; usize::from(SNAPSHOT_SLOTS)],
            dt: plan.scene.dt,
        }
    }

    /// Goes on in another simulation of the same scene.
    pub(super) fn migrate(self, mut to: Simulation) -> Result<Self, StepError> {
        to.restore(&self.simulation.snapshot())?;
        let Self { plan, frames, snapshots, dt, .. } = self;
        Ok(ScenePlayer { plan, simulation: to, frames, snapshots, dt })
    }

    /// Takes the steps and calls of one step of the scene without listening; returns whether it succeeded.
    pub(super) fn play(&mut self, step: u32) -> Result<(), String> {
        self.aim(step).map_err(|e| e.to_string())?;
        for entry in self.plan.scene.script.iter().filter(|entry| entry.at == step) {
            self.call(&entry.call, &mut |_| {})?;
        }
        self.step(&mut |_| {}).map(drop).map_err(|e| e.to_string())
    }

    /// Takes a step.
    pub(super) fn step(&mut self, on_motion: OnMotion<'_>) -> Result<StepReport, StepError> {
        self.simulation.step_with(self.dt, on_motion).copied()
    }

    /// Moves everything to where it is to be at the end of a step, which is the first for 0.
    pub(super) fn aim(&mut self, step: u32) -> Result<(), StepError> {
        let (scene, step) = (self.plan.scene, step + 1);
        for k in 0..scene.cloths.len() {
            self.aim_cloth(k, step)?;
        }
        for (k, collider) in scene.colliders.iter().enumerate() {
            self.simulation.move_collider(ColliderId(k), collider.pose(step, scene))?;
        }
        for (k, (body, planned)) in scene.bodies.iter().zip(&self.plan.bodies).enumerate() {
            self.simulation.move_mesh_body(MeshBodyId(k), &planned.positions(body, step, scene))?;
        }
        Ok(())
    }

    fn aim_cloth(&mut self, k: usize, step: u32) -> Result<(), StepError> {
        let (scene, planned) = (self.plan.scene, &self.plan.cloths[k]);
        let (piece, id, frame) = (&scene.cloths[k], planned.id, self.frames[k]);
        let after = |motion: &super::scene::FuzzMotion| scene.world.vector(motion.after(step, scene.dt));
        for pin in &piece.pins {
            let v = planned.order.vertex(pin.vertex);
            match self.simulation.move_pin(id, v, frame * (planned.start[v as usize] + after(&pin.motion))) {
                // A vertex that the script has freed.
                Err(StepError::Value { what: "inverse mass", .. }) | Ok(()) => {}
                Err(error) => return Err(error),
            }
        }
        for (j, spring) in piece.attachments.iter().enumerate() {
            let v = planned.order.vertex(spring.vertex) as usize;
            let target = frame * (planned.start[v] + after(&spring.motion));
            self.simulation.move_attachment(planned.first_attachment + j, target)?;
        }
        if let Some(driven) = &piece.drive {
            let by = after(&driven.motion);
            let targets: Vec<Point3<f32>> = planned.start.iter().map(|p| frame * (p + by)).collect();
            self.simulation.move_drive(id, &targets)?;
        }
        if let Some(carried) = &piece.carrier {
            let pose = carried.pose(piece, step, scene.dt, &scene.world);
            self.simulation.move_local_frame(id, frame * pose)?;
        }
        Ok(())
    }

    /// Makes a call. What has to be refused and is not, or changes something though it is refused, is an
    /// error.
    pub(super) fn call(&mut self, call: &ScriptCall, on_motion: OnMotion<'_>) -> Result<CallEffect, String> {
        let words = |e: StepError| format!("{call:?} is refused: {e}");
        let edited = |done: Result<(), StepError>| done.map(|()| CallEffect::Edited).map_err(words);
        match *call {
            ScriptCall::Pin { cloth, vertex } => {
                let (id, v) = self.vertex(cloth, vertex);
                edited(self.simulation.pin(id, v))
            }
            ScriptCall::Mass { cloth, vertex, mass } => {
                let (id, v) = self.vertex(cloth, vertex);
                let scale = self.plan.scene.world.scale;
                edited(self.simulation.set_mass(id, v, mass * scale * scale))
            }
            ScriptCall::MovePin { cloth, vertex, by } => Ok(self.move_pin(cloth, vertex, by)),
            ScriptCall::Velocity { cloth, velocity } => {
                let (k, velocity) = (self.cloth(cloth), self.plan.scene.world.vector(velocity.into()));
                let planned = &self.plan.cloths[k];
                let mut vertices = 0..planned.start.len() as u32;
                edited(vertices.try_for_each(|v| self.simulation.set_velocity(planned.id, v, velocity)))
            }
            ScriptCall::Teleport { cloth, rotation, by } => {
                self.teleport(cloth, rotation.into(), by.into()).map_err(words)?;
                Ok(CallEffect::Replaced)
            }
            ScriptCall::Reset => {
                self.simulation.reset();
                self.frames.fill(Isometry3::identity());
                Ok(CallEffect::Replaced)
            }
            ScriptCall::Snapshot { slot } => {
                let slot = usize::from(slot % SNAPSHOT_SLOTS);
                self.snapshots[slot] = Some((self.simulation.snapshot(), self.frames.clone()));
                Ok(CallEffect::Kept(slot))
            }
            ScriptCall::Restore { slot } => {
                let slot = usize::from(slot % SNAPSHOT_SLOTS);
                let Some((snapshot, frames)) = &self.snapshots[slot] else { return Ok(CallEffect::Edited) };
                self.simulation.restore(snapshot).map_err(words)?;
                self.frames.clone_from(frames);
                Ok(CallEffect::Restored(slot))
            }
            ScriptCall::Fail { how } => self.fail(how, on_motion).map(|()| CallEffect::Undone),
            ScriptCall::Dt { factor } => {
                self.dt = self.plan.scene.dt * factor;
                Ok(CallEffect::Edited)
            }
            ScriptCall::RestoreForeign => self.unchanged("a snapshot of another simulation", |player| {
                let choice = player.plan.scene.broad_phase;
                let Ok(foreign) = player.plan.build(choice, false) else {
                    return Err("cannot be built".into());
                };
                let refused = matches!(
                    player.simulation.restore(&foreign.snapshot()),
                    Err(StepError::IncompatibleSnapshot { .. })
                );
                if refused { Ok(()) } else { Err("is accepted".into()) }
            }),
            ScriptCall::Nonsense => self.unchanged("nonsense", |player| {
                let (far, sim) = (u32::MAX, &mut player.simulation);
                let nan = Point3::new(f32::NAN, 0.0, 0.0);
                let refused = sim.move_pin(ClothId(0), far, Point3::origin()).is_err()
                    && sim.move_pin(ClothId(0), 0, nan).is_err()
                    && sim.set_velocity(ClothId(0), 0, nan.coords).is_err()
                    && sim.set_mass(ClothId(0), 0, -1.0).is_err()
                    && sim.set_mass(ClothId(far as usize), 0, 1.0).is_err()
                    && sim.move_mesh_body(MeshBodyId(far as usize), &[]).is_err()
                    && sim.move_attachment(far as usize, Point3::origin()).is_err()
                    && sim.teleport(ClothId(0), &Isometry3::translation(f32::NAN, 0.0, 0.0)).is_err();
                if refused { Ok(()) } else { Err("is accepted".into()) }
            }),
        }
    }

    fn unchanged(
        &mut self,
        what: &str,
        call: impl FnOnce(&mut Self) -> Result<(), String>,
    ) -> Result<CallEffect, String> {
        let before = self.simulation.state_hash();
        call(self).map_err(|fault| format!("{what} {fault}"))?;
        if self.simulation.state_hash() == before {
            Ok(CallEffect::Refused)
        } else {
            Err(format!("{what} was refused, and changed the state"))
        }
    }

    fn move_pin(&mut self, cloth: u32, vertex: u32, by: [f32; 3]) -> CallEffect {
        let (id, v) = self.vertex(cloth, vertex);
        let first = self.simulation.cloth_vertices(id).map_or(0, |range| range.start);
        let target =
            self.simulation.positions()[first + v as usize] + self.plan.scene.world.vector(by.into());
        match self.simulation.move_pin(id, v, target) {
            Ok(()) => CallEffect::Edited,
            Err(_) => CallEffect::Refused,
        }
    }

    fn teleport(&mut self, cloth: u32, rotation: Vector3<f32>, by: Vector3<f32>) -> Result<(), StepError> {
        let k = self.cloth(cloth);
        let world = &self.plan.scene.world;
        let (id, v) = (self.plan.cloths[k].id, self.plan.cloths[k].order.vertex(0) as usize);
        let first = self.simulation.cloth_vertices(id).map_or(0, |range| range.start);
        let (about, rotation) = (self.simulation.positions()[first + v].coords, world.rotation(rotation));
        let by = about - rotation * about + world.vector(by);
        let motion = Isometry3::from_parts(Translation3::from(by), rotation);
        self.simulation.teleport(id, &motion)?;
        self.frames[k] = motion * self.frames[k];
        Ok(())
    }

    /// Takes a step that fails; the state has to be as it was.
    pub(super) fn fail(&mut self, how: StepFailure, on_motion: OnMotion<'_>) -> Result<(), String> {
        let before = self.simulation.state_hash();
        let failed = match how {
            StepFailure::Refused => self.simulation.step_with(f32::NAN, on_motion).is_err(),
            StepFailure::TooShort => self.simulation.step_with(1e-40, on_motion).is_err(),
            StepFailure::Late => self.fail_late(on_motion).map_err(|e| e.to_string())?,
        };
        if !failed {
            return Err(format!("a step that had to fail did not: {how:?}"));
        }
        if self.simulation.state_hash() != before {
            return Err(format!("a step that failed left another state: {how:?}"));
        }
        Ok(())
    }

    fn fail_late(&mut self, on_motion: OnMotion<'_>) -> Result<bool, StepError> {
        let Some((attachment, at)) = self.plan.fuse else { return Ok(true) };
        let substeps = self.simulation.settings().substeps;
        let n = f64::from(substeps);
        let failing = f64::from(substeps.min(LATEST));
        let h = f64::from(self.dt) / n;
        let stretch = f64::from(self.dt / self.plan.scene.dt);
        // Of the distance to the target the vertex covers this share in a substep of `h`.
        let share = 1.0 / (1.0 + (1.0 / FUSE_SHARE - 1.0) / (stretch * stretch));
        let greatest = f64::from(f32::MAX).sqrt() * h;
        // Of the velocity of the target the vertex has the greater a part, the later; damping takes a little
        // of that.
        let part = (1.0 - (1.0 - share).powf(failing - 0.5)).min(MOST_OF_VELOCITY);
        let far = n * greatest / part;
        let target = at + Vector3::y() * (far as f32);
        self.simulation.move_attachment(attachment, target)?;
        let failed = self.simulation.step_with(self.dt, on_motion).is_err();
        self.simulation.move_attachment(attachment, at)?;
        Ok(failed)
    }

    fn cloth(&self, cloth: u32) -> usize {
        cloth as usize % self.plan.cloths.len().max(1)
    }

    fn vertex(&self, cloth: u32, vertex: u32) -> (ClothId, u32) {
        let planned = &self.plan.cloths[self.cloth(cloth)];
        (planned.id, planned.order.vertex(vertex))
    }
}
