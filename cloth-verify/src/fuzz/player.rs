//! Plays a scene: moves what moves, makes the calls of the script, takes the steps.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use cloth_geom::fnv1a;
use cloth_show::choice::BroadPhaseChoice;
use cloth_solver::{
    AcceptedMotion, BuildError, ClothDesc, ClothId, ColliderId, Material, MeshBodyDesc, MeshBodyId,
    RestShape, Settings, Simulation, SimulationBuilder, Snapshot, StepError, StepReport, Stitch, Thickness,
    TriMesh, Waypoints,
};
use nalgebra::{Isometry3, Point3, Vector3};

use super::build::{ScenePlan, region_name};
use super::lag::Targets;
use super::scene::{FuzzCloth, FuzzMotion};
use super::script::{Jumping, SNAPSHOT_SLOTS, SceneEdit, ScriptCall, SettingsChange, StepFailure};

/// What a call did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallEffect {
    /// It changed what the next step does, or nothing.
    Edited,
    /// Positions were replaced.
    Replaced,
    /// The simulation was rebuilt.
    Rebuilt,
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

/// A cloth, body or collider of the simulation.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlayedPart<Id> {
    pub(super) id: Id,
    /// Its entry in the scene.
    pub(super) origin: usize,
    /// Whether it is a copy, which no motion of the scene moves.
    pub(super) is_copy: bool,
    /// Whether it is an instance of an asset.
    pub(super) is_instance: bool,
}

impl<Id> PlayedPart<Id> {
    fn from_scene(id: Id, origin: usize) -> Self {
        Self { id, origin, is_copy: false, is_instance: false }
    }

    fn copy(id: Id, origin: usize) -> Self {
        Self { is_copy: true, ..Self::from_scene(id, origin) }
    }
}

/// How far the cloths, bodies and colliders of the scene were teleported.
#[derive(Clone)]
struct Frames {
    cloths: Vec<Isometry3<f32>>,
    bodies: Vec<Isometry3<f32>>,
    colliders: Vec<Isometry3<f32>>,
}

/// What jumps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Jumps {
    /// Pins or attachments.
    pub(super) pins: bool,
    /// A body, or a guarded collider.
    pub(super) body: bool,
    pub(super) waypoints: bool,
    /// Whether something turns.
    pub(super) turns: bool,
    /// Whether not everything does.
    apart: bool,
}

impl Jumps {
    fn add(&mut self, other: Self) {
        self.pins |= other.pins;
        self.body |= other.body;
        self.waypoints |= other.waypoints;
        self.turns |= other.turns;
        self.apart |= other.apart;
    }

    /// Whether anything does.
    pub(super) fn any(&self) -> bool {
        self.pins || self.body || self.waypoints
    }
}

impl Jumping {
    /// The cloths, bodies and colliders that jump, of so many.
    fn ranges(self, counts: [usize; 3]) -> [Range<usize>; 3] {
        let one = |number: u32, count: usize| {
            let first = number as usize % count.max(1);
            first..(first + 1).min(count)
        };
        let [cloths, bodies, colliders] = counts;
        match self {
            Self::Pins(number) => [one(number, cloths), 0..0, 0..0],
            Self::Body(number) => [0..0, one(number, bodies), 0..0],
            Self::Collider(number) => [0..0, 0..0, one(number, colliders)],
            Self::All => counts.map(|count| 0..count),
            Self::Waypoints => [0..0, 0..0, 0..0],
        }
    }
}

/// A snapshot, and what belongs to it.
struct Kept {
    snapshot: Snapshot,
    frames: Frames,
    /// How often the simulation was rebuilt before.
    rebuilds: u32,
}

/// A simulation, and what its caller stores in addition.
pub(super) struct ScenePlayer<'a> {
    pub(super) plan: &'a ScenePlan<'a>,
    pub(super) simulation: Simulation,
    pub(super) cloths: Vec<PlayedPart<ClothId>>,
    pub(super) bodies: Vec<PlayedPart<MeshBodyId>>,
    pub(super) colliders: Vec<PlayedPart<ColliderId>>,
    frames: Frames,
    snapshots: Vec<Option<Kept>>,
    /// In the units of the scene, after the changes of the script.
    settings: Settings,
    rebuilds: u32,
    /// The paths of the next step; none after a call that may have moved or freed what has one.
    waypoints: Option<Waypoints>,
    dt: f32,
    /// The step that is aimed at.
    aimed: u32,
    /// From where the waypoints of the next step would be to where they are.
    detour: Isometry3<f32>,
    /// What jumps in the next step.
    pub(super) jumps: Jumps,
    /// What has jumped so far.
    pub(super) jumped: Jumps,
    /// Where things are to be at the end of the next step.
    pub(super) targets: Targets,
}

impl<'a> ScenePlayer<'a> {
    /// The simulation of a scene at its start.
    pub(super) fn new(plan: &'a ScenePlan<'a>, simulation: Simulation) -> Self {
        let (scene, built) = (plan.scene, simulation.scene());
        let of_scene = plan.cloths.iter().enumerate();
        let of_scene = of_scene
            .filter_map(|(k, planned)| Some(PlayedPart::from_scene(built.cloth_id(planned.number)?, k)));
        let first = plan.cloths.len();
        let instances = scene.instances.iter().enumerate().filter_map(|(k, instance)| {
            let origin = instance.cloth as usize % plan.cloths.len().max(1);
            let id = built.cloth_id(first + k)?;
            Some(PlayedPart { is_instance: true, ..PlayedPart::copy(id, origin) })
        });
        let cloths = of_scene.chain(instances).collect();
        let bodies = (0..scene.bodies.len())
            .filter_map(|k| Some(PlayedPart::from_scene(built.mesh_body_id(k)?, k)))
            .collect();
        let colliders = (0..scene.colliders.len())
            .filter_map(|k| Some(PlayedPart::from_scene(built.collider_id(k)?, k)))
            .collect();
        let still = |count: usize| vec![Isometry3::identity(); count];
        Self {
            plan,
            simulation,
            cloths,
            bodies,
            colliders,
            frames: Frames {
                cloths: still(plan.cloths.len()),
                bodies: still(scene.bodies.len()),
                colliders: still(scene.colliders.len()),
            },
            snapshots: (0..SNAPSHOT_SLOTS).map(|_| None).collect(),
            settings: scene.settings,
            rebuilds: 0,
            waypoints: None,
            dt: scene.dt,
            aimed: 0,
            detour: Isometry3::identity(),
            jumps: Jumps::default(),
            jumped: Jumps::default(),
            targets: Targets::default(),
        }
    }

    /// Continues in another simulation of the scene as it is now, with another broad phase.
    pub(super) fn migrate(self, choice: BroadPhaseChoice) -> Result<Self, String> {
        let mut builder = self.simulation.scene().clone();
        builder.set_broad_phase(choice.broad_phase());
        let mut simulation = builder.build().map_err(|e| e.to_string())?;
        simulation.restore(&self.simulation.snapshot()).map_err(|e| e.to_string())?;
        Ok(Self { simulation, ..self })
    }

    /// What differs from a snapshot, if anything does.
    pub(super) fn difference(&self, snapshot: &Snapshot) -> Option<String> {
        self.simulation.snapshot().difference(snapshot)
    }

    /// The hash of all that a snapshot of the simulation holds.
    pub(super) fn hash(&self) -> u64 {
        // Into memory, JSON of numbers and lists is always written.
        serde_json::to_vec(&self.simulation.snapshot()).map(fnv1a).unwrap_or_default()
    }

    /// Takes the steps and calls of one step of the scene without listening; returns whether it succeeded.
    pub(super) fn play(&mut self, step: u32) -> Result<(), String> {
        self.aim(step).map_err(|e| e.to_string())?;
        for call in self.plan.scene.calls(step) {
            self.call(call, &mut |_| {})?;
        }
        self.step(&mut |_| {}).map(drop).map_err(|e| e.to_string())
    }

    /// Takes a step.
    pub(super) fn step(&mut self, on_motion: OnMotion<'_>) -> Result<StepReport, StepError> {
        match &self.waypoints {
            Some(waypoints) => self.simulation.step_through(self.dt, waypoints, on_motion).copied(),
            None => self.simulation.step_with(self.dt, on_motion).copied(),
        }
    }

    /// The length (s) of the next step.
    pub(super) fn time_step(&self) -> f32 {
        self.dt
    }

    /// Whether anything is attached to a moving point.
    pub(super) fn has_attachments(&self) -> bool {
        self.plan.scene.cloths.iter().any(|piece| !piece.attachments.is_empty())
    }

    /// Whether what holds the only cloth moves as one, apart from the small motions of bodies, and has done
    /// so: another cloth may bar its way.
    pub(super) fn moves_alike(&self) -> bool {
        let as_one = |piece: &FuzzCloth| {
            piece.attachments.is_empty() && piece.pins.windows(2).all(|pins| pins[0].motion == pins[1].motion)
        };
        let scene = self.plan.scene;
        let is_alone = scene.cloths.len() == 1 && scene.instances.is_empty();
        is_alone && !self.jumped.apart && !self.targets.has_others && scene.cloths.iter().all(as_one)
    }

    /// Whether something moves through waypoints in the next step.
    pub(super) fn has_waypoints(&self) -> bool {
        self.waypoints.is_some()
    }

    /// Moves everything to where it is to be at the end of a step, which is the first for 0.
    pub(super) fn aim(&mut self, step: u32) -> Result<(), StepError> {
        (self.aimed, self.detour) = (step, Isometry3::identity());
        self.jumps = Jumps::default();
        self.aim_all()
    }

    fn aim_all(&mut self) -> Result<(), StepError> {
        let (scene, step, detour) = (self.plan.scene, self.aimed, self.detour);
        let before = self.targets.begin();
        let mut waypoints = scene.waypoints.map(|path| Waypoints::new(path.count as usize)).transpose()?;
        let path: Vec<_> = scene.waypoints.iter().flat_map(|path| path.points(&scene.world)).collect();
        for k in 0..self.cloths.len() {
            if !self.cloths[k].is_copy {
                self.aim_cloth(k, &before, &path, &mut waypoints)?;
            }
        }
        for &PlayedPart { id, origin, is_copy, .. } in &self.colliders {
            let (collider, frame) = (&scene.colliders[origin], &self.frames.colliders[origin]);
            if is_copy || collider.rigid.is_some() {
                continue;
            }
            self.simulation.move_collider(id, frame * collider.pose(step + 1, 0.0, scene))?;
            for &(j, share, bow) in &path {
                let mut pose = frame * collider.pose(step, share, scene);
                pose.translation.vector += frame * bow;
                let pose = detour * pose;
                waypoints.iter_mut().try_for_each(|waypoints| waypoints.set_collider(id, j, pose))?;
            }
        }
        for &PlayedPart { id, origin, is_copy, .. } in &self.bodies {
            let (body, planned) = (&scene.bodies[origin], &self.plan.bodies[origin]);
            let frame = &self.frames.bodies[origin];
            if is_copy {
                continue;
            }
            let positions = |step: u32, share: f32, bow: Vector3<f32>| -> Vec<Point3<f32>> {
                let all = planned.positions(body, step, share, scene);
                all.iter().map(|p| frame * p + bow).collect()
            };
            let target = positions(step + 1, 0.0, Vector3::zeros());
            if !before.has_body(id, &target) {
                self.simulation.move_mesh_body(id, &target)?;
            }
            for &(j, share, bow) in &path {
                let positions = positions(step, share, frame * bow);
                let positions: Vec<_> = positions.iter().map(|p| detour * p).collect();
                waypoints.iter_mut().try_for_each(|path| path.set_mesh_body(id, j, &positions))?;
            }
            self.targets.bodies.push((id, target));
        }
        self.waypoints = waypoints;
        Ok(())
    }

    /// The number of the first attachment of a cloth.
    fn first_attachment(&self, cloth: ClothId) -> usize {
        let scene = self.simulation.scene();
        let before = (0..).map_while(|k| scene.cloth_id(k)).take_while(|&id| id < cloth);
        before.filter_map(|id| scene.cloth(id)).map(|desc| desc.attachments.len()).sum()
    }

    /// Moves what holds a cloth, apart from what was given before.
    fn aim_cloth(
        &mut self,
        k: usize,
        before: &Targets,
        path: &[(usize, f32, Vector3<f32>)],
        waypoints: &mut Option<Waypoints>,
    ) -> Result<(), StepError> {
        let step = self.aimed;
        let PlayedPart { id, origin, .. } = self.cloths[k];
        let (scene, planned) = (self.plan.scene, &self.plan.cloths[origin]);
        let (piece, frame, detour) = (&scene.cloths[origin], self.frames.cloths[origin], self.detour);
        let after = |motion: &FuzzMotion| scene.world.vector(motion.after(step + 1, scene.dt));
        let within = |motion: &FuzzMotion, start: Point3<f32>, share: f32, bow: Vector3<f32>| {
            let by = scene.world.vector(motion.within(step, share, scene.dt));
            detour * (frame * (start + by + bow))
        };
        for pin in &piece.pins {
            let v = planned.order.vertex(pin.vertex);
            let start = planned.start[v as usize];
            let target = frame * (start + after(&pin.motion));
            let is_given = before.pins.get(&(id, v)) == Some(&target);
            let given = if is_given { Ok(()) } else { self.simulation.move_pin(id, v, target) };
            match given {
                Ok(()) => _ = self.targets.pins.insert((id, v), target),
                // A vertex that the script has freed.
                Err(StepError::Value { what: "inverse mass", .. }) => continue,
                Err(error) => return Err(error),
            }
            for &(j, share, bow) in path {
                let p = within(&pin.motion, start, share, bow);
                waypoints.iter_mut().try_for_each(|waypoints| waypoints.set_pin(id, v, j, p))?;
            }
        }
        let first = self.first_attachment(id);
        for (number, spring) in (first..).zip(&piece.attachments) {
            let start = planned.start[planned.order.vertex(spring.vertex) as usize];
            self.simulation.move_attachment(number, frame * (start + after(&spring.motion)))?;
            for &(j, share, bow) in path {
                let p = within(&spring.motion, start, share, bow);
                waypoints.iter_mut().try_for_each(|waypoints| waypoints.set_attachment(number, j, p))?;
            }
        }
        if let Some(driven) = &piece.drive {
            let by = after(&driven.motion);
            let targets: Vec<Point3<f32>> = planned.start.iter().map(|p| frame * (p + by)).collect();
            self.simulation.move_drive(id, &targets)?;
        }
        if let Some(carried) = &piece.carrier {
            let pose = carried.pose(piece, step + 1, scene.dt, &scene.world);
            self.simulation.move_local_frame(id, frame * pose)?;
        }
        Ok(())
    }

    /// Makes a call. What has to be refused and is not, or changes something though it is refused, is an
    /// error.
    pub(super) fn call(&mut self, call: &ScriptCall, on_motion: OnMotion<'_>) -> Result<CallEffect, String> {
        let words = |e: StepError| format!("{call:?} is refused: {e}");
        let edited = |done: Result<(), StepError>| done.map(|()| CallEffect::Edited).map_err(words);
        self.waypoints = None;
        self.targets.call(call);
        match *call {
            ScriptCall::Pin { cloth, vertex } => {
                let (id, v) = self.vertex(cloth, vertex);
                self.targets.pins.remove(&(id, v));
                edited(self.simulation.pin(id, v))
            }
            ScriptCall::Mass { cloth, vertex, mass } => {
                let (id, v) = self.vertex(cloth, vertex);
                let scale = self.plan.scene.world.scale;
                self.targets.pins.remove(&(id, v));
                edited(self.simulation.set_mass(id, v, mass * scale * scale))
            }
            ScriptCall::MovePin { cloth, vertex, by } => Ok(self.move_pin(cloth, vertex, by)),
            ScriptCall::Velocity { cloth, velocity } => {
                let velocity = self.plan.scene.world.vector(velocity.into());
                let PlayedPart { id, origin, .. } = self.cloth(cloth);
                let mut vertices = 0..self.plan.cloths[origin].start.len() as u32;
                edited(vertices.try_for_each(|v| self.simulation.set_velocity(id, v, velocity)))
            }
            ScriptCall::Teleport { .. }
            | ScriptCall::TeleportBody { .. }
            | ScriptCall::TeleportCollider { .. }
            | ScriptCall::TeleportAll { .. } => {
                let before = self.simulation.snapshot();
                match self.teleport(call) {
                    // Beyond what a scene may reach.
                    Err(StepError::Place { .. }) => self.refused(&before, "a jump"),
                    done => done.map_err(words),
                }
            }
            ScriptCall::Jump { of, rotation, by } => self.put_elsewhere(of, rotation, by),
            ScriptCall::Set { setting } => self.set(setting),
            ScriptCall::Edit { ref edit } => self.edit(edit),
            ScriptCall::Reset => {
                self.simulation.reset();
                // Colliders stay where they are.
                self.frames.cloths.fill(Isometry3::identity());
                self.frames.bodies.fill(Isometry3::identity());
                Ok(CallEffect::Replaced)
            }
            ScriptCall::Snapshot { slot } => {
                let slot = usize::from(slot % SNAPSHOT_SLOTS);
                let snapshot = self.simulation.snapshot();
                let frames = self.frames.clone();
                self.snapshots[slot] = Some(Kept { snapshot, frames, rebuilds: self.rebuilds });
                Ok(CallEffect::Kept(slot))
            }
            ScriptCall::Restore { slot } => self.restore(usize::from(slot % SNAPSHOT_SLOTS)),
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
                let (cloth, far, sim) = (player.cloth(0).id, u32::MAX, &mut player.simulation);
                let nan = Point3::new(f32::NAN, 0.0, 0.0);
                let (no_cloth, no_body) = absent(sim.scene());
                let refused = sim.move_pin(cloth, far, Point3::origin()).is_err()
                    && sim.move_pin(cloth, 0, nan).is_err()
                    && sim.set_velocity(cloth, 0, nan.coords).is_err()
                    && sim.set_mass(cloth, 0, -1.0).is_err()
                    && sim.set_mass(no_cloth, 0, 1.0).is_err()
                    && sim.move_mesh_body(no_body, &[]).is_err()
                    && sim.move_attachment(far as usize, Point3::origin()).is_err()
                    && sim.teleport(cloth, &Isometry3::translation(f32::NAN, 0.0, 0.0)).is_err();
                if refused { Ok(()) } else { Err("is accepted".into()) }
            }),
        }
    }

    fn unchanged(
        &mut self,
        what: &str,
        call: impl FnOnce(&mut Self) -> Result<(), String>,
    ) -> Result<CallEffect, String> {
        let before = self.simulation.snapshot();
        call(self).map_err(|fault| format!("{what} {fault}"))?;
        self.refused(&before, what)
    }

    fn move_pin(&mut self, cloth: u32, vertex: u32, by: [f32; 3]) -> CallEffect {
        let (id, v) = self.vertex(cloth, vertex);
        let first = self.simulation.cloth_vertices(id).map_or(0, |range| range.start);
        let target =
            self.simulation.positions()[first + v as usize] + self.plan.scene.world.vector(by.into());
        match self.simulation.move_pin(id, v, target) {
            Ok(()) => {
                self.targets.pins.insert((id, v), target);
                CallEffect::Edited
            }
            Err(_) => CallEffect::Refused,
        }
    }

    /// Moves targets, not what is to be there.
    fn put_elsewhere(&mut self, of: Jumping, rotation: [f32; 3], by: [f32; 3]) -> Result<CallEffect, String> {
        let (scene, before) = (self.plan.scene, self.simulation.snapshot());
        let motion = scene.world.motion(&self.first_vertex(0), rotation, by);
        let Frames { cloths, bodies, colliders } = self.frames.clone();
        let ranges = of.ranges([cloths.len(), bodies.len(), colliders.len()]);
        let is_held = |k: usize| !(scene.cloths[k].pins.is_empty() && scene.cloths[k].attachments.is_empty());
        let is_guarded = |k: usize| scene.colliders[k].guarded && scene.colliders[k].rigid.is_none();
        let jumps = Jumps {
            pins: ranges[0].clone().any(is_held),
            body: !ranges[1].is_empty() || ranges[2].clone().any(is_guarded),
            waypoints: of == Jumping::Waypoints && scene.waypoints.is_some(),
            turns: rotation != [0.0; 3],
            apart: of != Jumping::All,
        };
        let moved = [&mut self.frames.cloths, &mut self.frames.bodies, &mut self.frames.colliders];
        for (frames, range) in moved.into_iter().zip(ranges) {
            frames[range].iter_mut().for_each(|frame| *frame = motion * *frame);
        }
        self.detour = if of == Jumping::Waypoints { motion } else { self.detour };
        match self.aim_all() {
            Ok(()) => {
                self.jumps.add(jumps);
                self.jumped.add(jumps);
                Ok(CallEffect::Edited)
            }
            // Beyond what a scene may reach.
            Err(StepError::Place { .. }) => {
                self.frames = Frames { cloths, bodies, colliders };
                self.simulation.restore(&before).map_err(|e| e.to_string())?;
                self.waypoints = None;
                self.targets.forget();
                Ok(CallEffect::Refused)
            }
            Err(error) => Err(error.to_string()),
        }
    }

    fn restore(&mut self, slot: usize) -> Result<CallEffect, String> {
        let before = self.simulation.snapshot();
        let Some(kept) = &self.snapshots[slot] else { return Ok(CallEffect::Edited) };
        match self.simulation.restore(&kept.snapshot) {
            Ok(()) => {}
            Err(StepError::IncompatibleSnapshot { .. }) if kept.rebuilds < self.rebuilds => {
                return self.refused(&before, "a snapshot of the scene before an edit");
            }
            Err(error) => return Err(format!("a snapshot is refused: {error}")),
        }
        self.frames.clone_from(&kept.frames);
        if let Some(what) = self.difference(&kept.snapshot) {
            return Err(format!("a snapshot that is restored is another: {what} differ"));
        }
        Ok(CallEffect::Restored(slot))
    }

    /// Moves something at once, and what is given to it from then on, unless it is a copy.
    fn teleport(&mut self, call: &ScriptCall) -> Result<CallEffect, StepError> {
        let world = &self.plan.scene.world;
        let (frame, motion) = match *call {
            ScriptCall::Teleport { cloth, rotation, by } => {
                let PlayedPart { id, origin, is_copy, .. } = self.cloth(cloth);
                let motion = world.motion(&self.first_vertex(cloth), rotation, by);
                self.simulation.teleport(id, &motion)?;
                ((!is_copy).then(|| &mut self.frames.cloths[origin]), motion)
            }
            ScriptCall::TeleportBody { body, rotation, by } => {
                let Some(&PlayedPart { id, origin, is_copy, .. }) = pick(&self.bodies, body) else {
                    return Ok(CallEffect::Refused);
                };
                let positions = &self.simulation.positions()[self.body_vertices(id)];
                let motion = world.motion(&positions[0], rotation, by);
                let positions: Vec<Point3<f32>> = positions.iter().map(|p| motion * p).collect();
                self.simulation.teleport_body(id, &positions)?;
                ((!is_copy).then(|| &mut self.frames.bodies[origin]), motion)
            }
            ScriptCall::TeleportCollider { collider, rotation, by } => {
                let Some(&PlayedPart { id, origin, is_copy, .. }) = pick(&self.colliders, collider) else {
                    return Ok(CallEffect::Refused);
                };
                let index = collider as usize % self.colliders.len();
                let pose = self.simulation.colliders()[index].pose_t0;
                let motion = world.motion(&pose.translation.vector.into(), rotation, by);
                self.simulation.teleport_collider(id, motion * pose)?;
                ((!is_copy).then(|| &mut self.frames.colliders[origin]), motion)
            }
            ScriptCall::TeleportAll { rotation, by } => {
                let motion = world.motion(&self.first_vertex(0), rotation, by);
                self.simulation.teleport_all(&motion)?;
                let Frames { cloths, bodies, colliders } = &mut self.frames;
                cloths.iter_mut().chain(bodies).chain(colliders).for_each(|frame| *frame = motion * *frame);
                (None, motion)
            }
            _ => return Ok(CallEffect::Edited),
        };
        if let Some(frame) = frame {
            *frame = motion * *frame;
        }
        Ok(CallEffect::Replaced)
    }

    fn set(&mut self, setting: SettingsChange) -> Result<CallEffect, String> {
        setting.apply(&mut self.settings);
        let gate = self.simulation.settings().gate;
        let settings = Settings { gate, ..self.plan.scene.world.settings(&self.settings) };
        self.simulation.set_settings(settings).map_err(|e| format!("{setting:?} is refused: {e}"))?;
        self.rebuilds += 1;
        Ok(CallEffect::Rebuilt)
    }

    fn edit(&mut self, edit: &SceneEdit) -> Result<CallEffect, String> {
        let before = self.simulation.snapshot();
        match self.try_edit(edit) {
            Ok(true) => {
                self.rebuilds += 1;
                Ok(CallEffect::Rebuilt)
            }
            Ok(false) | Err(_) => self.refused(&before, &format!("{edit:?}")),
        }
    }

    /// A call was refused before which the state was this one: nothing may have changed.
    fn refused(&self, before: &Snapshot, what: &str) -> Result<CallEffect, String> {
        match self.difference(before) {
            None => Ok(CallEffect::Refused),
            Some(part) => Err(format!("{what} was refused, and changed the state: {part} differ")),
        }
    }

    /// Edits the scene; returns whether there is what is to be edited.
    fn try_edit(&mut self, edit: &SceneEdit) -> Result<bool, BuildError> {
        let world = &self.plan.scene.world;
        let apart = |by: [f32; 3]| Isometry3::from(world.vector(by.into()));
        match *edit {
            SceneEdit::AddCloth { cloth, by } => {
                let PlayedPart { id, origin, .. } = self.cloth(cloth);
                let Some(mut desc) = self.simulation.scene().cloth(id).cloned() else { return Ok(false) };
                let motion = apart(by);
                desc.rest = match desc.rest {
                    RestShape::Start => RestShape::Positions(desc.mesh.positions.clone()),
                    rest => rest,
                };
                desc.mesh = moved(&desc.mesh, &motion);
                desc.attachments.iter_mut().for_each(|spring| spring.target = motion * spring.target);
                desc.local_frame.iter_mut().for_each(|frame| frame.pose = motion * frame.pose);
                let id = self.simulation.add_cloth(desc)?;
                self.cloths.push(PlayedPart::copy(id, origin));
            }
            SceneEdit::RemoveCloth { cloth } if self.cloths.len() > 1 => {
                let index = cloth as usize % self.cloths.len();
                self.simulation.remove_cloth(self.cloths[index].id)?;
                self.cloths.remove(index);
            }
            SceneEdit::AddBody { body, by } => {
                let Some(&PlayedPart { origin, .. }) = pick(&self.bodies, body) else { return Ok(false) };
                let mut desc = self.plan.body(origin).clone();
                desc.mesh = moved(&desc.mesh, &apart(by));
                let id = self.simulation.add_mesh_body(desc)?;
                self.bodies.push(PlayedPart::copy(id, origin));
            }
            SceneEdit::RemoveBody { body } if !self.bodies.is_empty() => {
                let index = body as usize % self.bodies.len();
                self.simulation.remove_mesh_body(self.bodies[index].id)?;
                self.bodies.remove(index);
            }
            SceneEdit::AddCollider { collider, by } => {
                let Some(&PlayedPart { origin, .. }) = pick(&self.colliders, collider) else {
                    return Ok(false);
                };
                let mut desc = self.plan.collider(origin).collider().clone();
                let pose = apart(by) * desc.pose_t1;
                (desc.pose_t0, desc.pose_t1) = (pose, pose);
                let id = self.simulation.add_collider(desc)?;
                self.colliders.push(PlayedPart::copy(id, origin));
            }
            SceneEdit::RemoveCollider { collider } if !self.colliders.is_empty() => {
                let index = collider as usize % self.colliders.len();
                self.simulation.remove_collider(self.colliders[index].id)?;
                self.colliders.remove(index);
            }
            SceneEdit::RemoveCloth { .. }
            | SceneEdit::RemoveBody { .. }
            | SceneEdit::RemoveCollider { .. } => return Ok(false),
            SceneEdit::Interaction { regions: [a, b], interaction } => self.simulation.edit(|scene| {
                scene.set_interaction(region_name(a), region_name(b), interaction);
                Ok(())
            })?,
            SceneEdit::DefaultInteraction(interaction) => self.simulation.edit(|scene| {
                scene.set_default_interaction(interaction);
                Ok(())
            })?,
            SceneEdit::Exclude { cloth, vertices } => {
                let pair = vertices.map(|v| self.vertex(cloth, v).1);
                return self.change(cloth, |_| pair[0] != pair[1], |desc| desc.exclusions.push(pair));
            }
            SceneEdit::Include { cloth } => {
                let has_any = |desc: &ClothDesc| !desc.exclusions.is_empty();
                return self.change(cloth, has_any, |desc| desc.exclusions.clear());
            }
            SceneEdit::Sew { cloth, stitch } => {
                let vertex = |v: u32| self.vertex(cloth, v).1;
                let stitch =
                    Stitch { vertex: vertex(stitch.vertex), edge: stitch.edge.map(vertex), ..stitch };
                let is_one = !stitch.edge.contains(&stitch.vertex);
                return self.change(cloth, |_| is_one, |desc| desc.stitches.push(stitch));
            }
            SceneEdit::Unpick { cloth } => {
                let has_any = |desc: &ClothDesc| !desc.stitches.is_empty();
                return self.change(cloth, has_any, |desc| desc.stitches.clear());
            }
            SceneEdit::Material { cloth, material } => {
                self.simulation.set_material(self.cloth(cloth).id, material)?;
            }
        }
        Ok(true)
    }

    /// Changes the description of a cloth, if that `makes_sense`.
    fn change(
        &mut self,
        cloth: u32,
        makes_sense: impl FnOnce(&ClothDesc) -> bool,
        change: impl FnOnce(&mut ClothDesc),
    ) -> Result<bool, BuildError> {
        let id = self.cloth(cloth).id;
        if !self.simulation.scene().cloth(id).is_some_and(makes_sense) {
            return Ok(false);
        }
        self.simulation.edit(|scene| Ok(scene.cloth_mut(id).map(change).is_some()))
    }

    /// Takes a step that fails; the state has to be as it was.
    pub(super) fn fail(&mut self, how: StepFailure, on_motion: OnMotion<'_>) -> Result<(), String> {
        let before = self.simulation.snapshot();
        let failed = match how {
            StepFailure::Refused => self.simulation.step_with(f32::NAN, on_motion).is_err(),
            StepFailure::TooShort => self.simulation.step_with(1e-40, on_motion).is_err(),
            StepFailure::Late => self.fail_late(on_motion),
        };
        if !failed {
            // Where everything sleeps, no substep is taken.
            if how == StepFailure::Refused || self.simulation.report().substeps > 0 {
                return Err(format!("a step that had to fail did not: {how:?}"));
            }
            self.simulation.restore(&before).map_err(|e| e.to_string())?;
        }
        match self.difference(&before) {
            None => Ok(()),
            Some(what) => Err(format!("a step that failed left another state ({how:?}): {what} differ")),
        }
    }

    /// A step whose listener panics after the last substep, without a message; whether that reached the
    /// caller.
    fn fail_late(&mut self, on_motion: OnMotion<'_>) -> bool {
        let mut listener = |motion: AcceptedMotion<'_>| {
            let is_last = motion.substep + 1 == motion.substeps;
            on_motion(motion);
            if is_last {
                resume_unwind(Box::new(LateFailure));
            }
        };
        let step = AssertUnwindSafe(|| self.simulation.step_with(self.dt, &mut listener).is_err());
        match catch_unwind(step) {
            Ok(failed) => failed,
            Err(panic) if panic.is::<LateFailure>() => true,
            Err(panic) => resume_unwind(panic),
        }
    }

    fn cloth(&self, cloth: u32) -> PlayedPart<ClothId> {
        self.cloths[cloth as usize % self.cloths.len()]
    }

    fn vertex(&self, cloth: u32, vertex: u32) -> (ClothId, u32) {
        let PlayedPart { id, origin, .. } = self.cloth(cloth);
        (id, self.plan.cloths[origin].order.vertex(vertex))
    }

    /// Where the pinned vertices of the scene and the vertices of its bodies are to be, by vertex (m).
    pub(super) fn vertex_targets(&self) -> impl Iterator<Item = (usize, Point3<f32>)> {
        let pins = self.targets.pins.iter().filter_map(|(&(id, v), target)| {
            Some((self.simulation.cloth_vertices(id)?.start + v as usize, *target))
        });
        let of_body = |(id, targets): &(MeshBodyId, Vec<Point3<f32>>)| {
            self.body_vertices(*id).zip(targets.clone()).collect::<Vec<_>>()
        };
        pins.chain(self.targets.bodies.iter().flat_map(of_body))
    }

    /// The vertices of a body, which follow those of the cloths.
    fn body_vertices(&self, body: MeshBodyId) -> Range<usize> {
        let cloths = self.cloths.iter().map(|played| played.id);
        let first = cloths.filter_map(|id| self.simulation.cloth_vertices(id)).map(|range| range.end).max();
        let count = |played: &PlayedPart<MeshBodyId>| self.plan.bodies[played.origin].order.vertices.len();
        let before = self.bodies.iter().take_while(|played| played.id != body);
        let own = self.bodies.iter().find(|played| played.id == body).map_or(0, count);
        let start = first.unwrap_or(0) + before.map(count).sum::<usize>();
        start..start + own
    }

    /// Where the first vertex of a cloth is (m).
    fn first_vertex(&self, cloth: u32) -> Point3<f32> {
        let (id, v) = self.vertex(cloth, 0);
        self.simulation.cloth_positions(id).map_or_else(Point3::origin, |x| x[v as usize])
    }
}

/// An entry of a list; numbers beyond the last begin again.
fn pick<T>(list: &[T], number: u32) -> Option<&T> {
    list.get(number as usize % list.len().max(1))
}

/// Ids of a cloth and a mesh body that a scene does not have: those that it gives next.
fn absent(scene: &SimulationBuilder) -> (ClothId, MeshBodyId) {
    let (mesh, thickness) = (TriMesh::default(), Thickness { radius: 1.0, scr: 0.0 });
    let mut larger = scene.clone();
    (
        larger.add_cloth(ClothDesc::new(mesh.clone(), Material::COTTON, thickness)),
        larger.add_mesh_body(MeshBodyDesc { mesh, thickness }),
    )
}

/// What a listener panics with where a step has to fail late; any other panic is a fault.
struct LateFailure;

fn moved(mesh: &TriMesh, motion: &Isometry3<f32>) -> TriMesh {
    let motion = motion.cast::<f64>();
    let positions = mesh.positions.iter().map(|p| (motion * p).cast::<f32>().cast()).collect();
    TriMesh::new(positions, mesh.faces.clone())
}
