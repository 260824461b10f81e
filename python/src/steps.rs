//! Steps of a simulation, with what moves in its scene.

use std::path::Path;
use std::sync::Arc;

use cloth_io::FileError;
use cloth_scene::{BuiltScene, PinEvent, Scene, SceneSource};
use cloth_solver::{ClothId, IntersectionFilter, Settings, Simulation, StepReport, Waypoints};
use nalgebra::Point3;

use crate::slot::Slot;

/// What moves by itself in the scene of a simulation: shared, for it is a function of time.
pub(crate) type Motion = Option<Arc<Slot<BuiltScene>>>;

/// What the steps of a call have done.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    /// Time (s) after them.
    time: f64,
    /// Number of steps taken.
    taken: i32,
    /// Whether the gate guarded everything in each of them, from its start on.
    is_certified: bool,
    released: i32,
    changed: i32,
    frozen: i32,
    teleported: i32,
    pin_lag: f32,
    last: StepReport,
    /// What happened to timed pins of a scene file.
    pub(crate) events: Vec<PinEvent>,
}

impl Steps {
    /// Bytes of a record.
    pub(crate) const SIZE: usize = 53;

    /// Takes a step of `dt` seconds, through waypoints if there are any; the error is a sentence.
    pub(crate) fn take(
        &mut self,
        sim: &mut Simulation,
        motion: &Motion,
        dt: f32,
        waypoints: Option<&Waypoints>,
    ) -> Result<(), String> {
        self.time = sim.time();
        let gated = sim.settings().gate && sim.settings().self_collision;
        // What has not passed the gate yet is checked here, for tangles that end within the step.
        let is_guarded = gated && (sim.is_guarded() || sim.tangles().is_empty() && starts_clean(sim));
        let moved = match motion {
            None => None,
            Some(scene) => {
                let mut scene = scene.take_detached().map_err(|lost| lost.to_string())?;
                let moved = scene.move_through(sim, [self.time, self.time + f64::from(dt)]);
                self.events.extend_from_slice(scene.pin_events());
                Some(moved.map_err(|e| e.to_string())?).filter(|moved| moved.count() > 0)
            }
        };
        let stepped = match (&moved, waypoints) {
            (None, None) => sim.step(dt),
            (Some(waypoints), None) | (None, Some(waypoints)) => sim.step_through(dt, waypoints, &mut |_| {}),
            (Some(_), Some(_)) => {
                return Err("the character of the scene moves through waypoints of its own".to_owned());
            }
        };
        let report = *stepped.map_err(|e| e.to_string())?;
        let gate = report.gate;
        let is_certified = is_guarded && report.cuts == 0 && gate.tangles == 0 && gate.released == 0;
        self.is_certified = is_certified && (self.taken == 0 || self.is_certified);
        self.time = sim.time();
        self.taken += 1;
        self.released += gate.released as i32;
        self.changed = self.changed.max(gate.modified_vertices as i32);
        self.frozen = self.frozen.max(gate.frozen_vertices as i32);
        self.teleported += report.cuts as i32;
        self.pin_lag = self.pin_lag.max(gate.pin_lag_m);
        self.last = report;
        Ok(())
    }

    /// Appends a record of `STEP`, see `python/package/cloth/_steps.py`.
    pub(crate) fn write(&self, bytes: &mut Vec<u8>) {
        let Self {
            time,
            taken,
            is_certified,
            released,
            changed,
            frozen,
            teleported,
            pin_lag,
            last,
            events: _,
        } = self;
        bytes.extend(time.to_ne_bytes());
        let counts = [
            *taken,
            last.sleeping as i32,
            last.contacts as i32,
            last.collider_contacts as i32,
            last.gate.tangles as i32,
            last.gate.tangled_pairs as i32,
            *released,
            *changed,
            *frozen,
            *teleported,
        ];
        counts.iter().for_each(|count| bytes.extend(count.to_ne_bytes()));
        bytes.extend(pin_lag.to_ne_bytes());
        bytes.push(u8::from(*is_certified));
    }
}

/// Whether nothing is tangled at the start, where the gate has not looked yet.
fn starts_clean(sim: &Simulation) -> bool {
    sim.intersections(IntersectionFilter::CLOTH).is_ok_and(|found| found.is_clean())
}

/// New targets (m) of pins for the next step, in the order in which they were given.
pub(crate) type PinMoves = Vec<(ClothId, u32, Point3<f32>)>;

/// A scene file, or its text in the place of one in a folder, and the simulation at its start.
pub(crate) fn build(path: &Path, text: Option<&str>) -> Result<(BuiltScene, Simulation), FileError> {
    let scene = match text {
        None => Scene::read(path)?,
        // Lines are those of a text that the caller has never seen.
        Some(text) => Scene::parse(path, text).map_err(|error| cloth_io::FileError {
            line: None,
            column: None,
            ..error
        })?,
    };
    let built = scene.build(&SceneSource::File(path.to_owned()))?;
    let simulation = built.desc.build(Settings { threads: 1, ..scene.settings });
    let simulation = simulation.map_err(|e| FileError::new(path, e.to_string()))?;
    Ok((built, simulation))
}
