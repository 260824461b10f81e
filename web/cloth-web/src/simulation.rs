//! A playback as a JavaScript class.

use std::time::Duration;

use cloth_show::recording::pose_numbers;
use cloth_solver::{Cut, StageTimes, StepReport};
use js_sys::{Float32Array, Uint32Array};
use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};
use serde::{Serialize, Serializer};
use wasm_bindgen::prelude::*;

use crate::arrays::{object, read, view, view_faces, view_points, view_vectors};
use crate::pick::{Hit, Ray};
use crate::playback::Playback;
use crate::scenes::{Choice, find, scenes};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** A scene that can be played. */
export interface Scene { name: string; about: string }

/** What is chosen before the first frame; everything has a default. */
export interface SceneChoice {
    /** How fine the meshes are. Default: "medium". */
    size?: "small" | "medium" | "large";
    /** The fabric of all cloths. Default: that of the scene. */
    material?: "cotton" | "silk" | "denim" | null;
    /** Whether every motion is certified. Default: true. */
    gate?: boolean;
    /** Whether cloth collides with cloth. Default: true. */
    selfCollision?: boolean;
    /** Velocity of the wind (m/s). Default: that of the scene. */
    wind?: [number, number, number] | null;
    /**
     * From when on a motion of what a cloth is fixed to is a cut, which teleports it: farther than both
     * `metres` (m) and `sides` (longest sides of the cloth) and faster than `speed` (m/s), or through more
     * than `degrees`, in one frame. True: 1, 1, 60, 90, which are also the defaults of what is left out.
     * Default: false.
     */
    teleport?: boolean | { metres?: number; sides?: number; speed?: number; degrees?: number };
}

/** A cloth that was teleported at the start of a frame, because what it is fixed to was cut. */
export interface Cut {
    /** Its number. */
    cloth: number;
    /** How far the middle of what it is fixed to went (m). */
    metres: number;
    /** The angle of its turn, from 0 to 180. */
    degrees: number;
}

/** What is counted and measured of a frame. */
export interface FrameReport {
    /** Frames so far, and simulated time (s). */
    frame: number;
    time: number;
    /** Edges of cloth that go through faces or touch them, counted exactly. */
    intersections: number;
    /** Contacts that were found. */
    contacts: number;
    /** Vertices that the gate corrected. */
    corrected: number;
    /** The cuts: what lies between the frame before and this one is no motion of their cloths. */
    cuts: Cut[];
    /** Time (ms) of the stages, in the order of the step. */
    stages: Record<"animate" | "predict" | "detect" | "recover" | "solve" | "gate" | "update", number>;
}

/** A collider: its shape, in the frame of its pose. Lengths are metres. */
export type ColliderShape =
    /** What is hidden cannot be drawn, or is drawn as the skin of a character. */
    | { kind: "plane" | "hidden" }
    | { kind: "sphere"; radius: number }
    | { kind: "capsule" | "cylinder" | "cone"; halfLength: number; radius: number }
    | { kind: "taperedCapsule"; halfLength: number; bottomRadius: number; topRadius: number }
    | { kind: "box"; halfExtents: [number, number, number] }
    /** Corners of triangles, three each. */
    | { kind: "mesh"; corners: [number, number, number][] };

/** How a scene is laid out. Cloths come first among vertices and faces. */
export interface Layout {
    vertices: number;
    /** For each cloth its first vertex and face, and those behind its last. */
    cloths: { vertices: [number, number]; faces: [number, number] }[];
    colliders: ColliderShape[];
    /** From where it is best seen (degrees): about y from +z, and above the horizon. */
    view: { azimuth: number; elevation: number };
    /** Duration of a frame (s). */
    dt: number;
    /** Frames until what moves of itself stands still. */
    frames: number;
}
"#;

#[wasm_bindgen]
extern "C" {
    /// See the types.
    #[wasm_bindgen(typescript_type = "Scene[]")]
    pub type JsScenes;
    /// See the types.
    #[wasm_bindgen(typescript_type = "SceneChoice")]
    pub type JsChoice;
    /// See the types.
    #[wasm_bindgen(typescript_type = "FrameReport")]
    pub type JsReport;
    /// See the types.
    #[wasm_bindgen(typescript_type = "Layout")]
    pub type JsLayout;

    #[wasm_bindgen(js_namespace = performance)]
    fn now() -> f64;
}

#[derive(Serialize)]
struct FrameReport<'a> {
    frame: usize,
    time: f64,
    intersections: usize,
    contacts: usize,
    corrected: usize,
    cuts: &'a [Cut],
    #[serde(serialize_with = "milliseconds")]
    stages: StageTimes,
}

/// A scene that is simulated frame by frame.
///
/// Arrays that its methods return show memory of the module: read or copy them before the next call.
#[wasm_bindgen]
pub struct Simulation {
    playback: Playback,
    poses: Vec<f32>,
}

#[wasm_bindgen]
impl Simulation {
    /// The scenes by name.
    ///
    /// # Errors
    /// None that can occur.
    pub fn scenes() -> Result<JsScenes, JsError> {
        Ok(object(&scenes())?.unchecked_into())
    }

    /// A scene at its start.
    ///
    /// # Errors
    /// If there is no scene, size or fabric of a name; the message lists those that there are.
    #[wasm_bindgen(constructor)]
    pub fn new(scene: &str, choice: Option<JsChoice>) -> Result<Simulation, JsError> {
        let choice: Choice = match choice {
            Some(choice) => read(&choice)?,
            None => Choice::default(),
        };
        let mut playback = Playback::new(find(scene)?, &choice)?;
        playback.set_clock(|| Duration::from_secs_f64(now().max(0.0) * 1e-3));
        Ok(Self { playback, poses: Vec::new() })
    }

    /// Goes on by a frame, and counts its intersections exactly.
    ///
    /// # Errors
    /// If the step fails: the state is then as before.
    pub fn step(&mut self) -> Result<JsReport, JsError> {
        let report = self.playback.step()?;
        self.report(&report)
    }

    /// What is known of the state at the start; after a frame see [`Simulation::step`].
    ///
    /// # Errors
    /// None that can occur.
    #[wasm_bindgen(getter)]
    pub fn start(&self) -> Result<JsReport, JsError> {
        self.report(&StepReport::default())
    }

    /// How the scene is laid out.
    ///
    /// # Errors
    /// None that can occur.
    pub fn layout(&self) -> Result<JsLayout, JsError> {
        let (sim, setup) = (self.playback.simulation(), self.playback.setup());
        Ok(object(&setup.layout(sim.colliders()))?.unchecked_into())
    }

    /// Positions (m) of all vertices, three numbers each.
    #[must_use]
    pub fn positions(&self) -> Float32Array {
        view_points(self.playback.simulation().positions())
    }

    /// Unit normals of all vertices, three numbers each.
    #[must_use]
    pub fn normals(&self) -> Float32Array {
        view_vectors(self.playback.normals())
    }

    /// The faces, three vertices each.
    #[must_use]
    pub fn faces(&self) -> Uint32Array {
        view_faces(self.playback.simulation().faces())
    }

    /// The faces that intersect anything, ascending.
    #[wasm_bindgen(js_name = intersectingFaces)]
    #[must_use]
    pub fn intersecting_faces(&self) -> Vec<u32> {
        self.playback.intersecting_faces()
    }

    /// Where the colliders are: position (m) and rotation as a quaternion x, y, z, w, seven numbers each.
    #[must_use]
    pub fn poses(&mut self) -> Float32Array {
        self.poses.clear();
        let colliders = self.playback.simulation().colliders();
        self.poses.extend(colliders.iter().flat_map(|collider| pose_numbers(&collider.pose_t1)));
        view(&self.poses)
    }

    /// Positions (m) of the skin of the character, three numbers each; empty without one.
    #[wasm_bindgen(js_name = skinPositions)]
    #[must_use]
    pub fn skin_positions(&mut self) -> Float32Array {
        view_points(self.playback.skin_positions())
    }

    /// The faces of the skin, three vertices each; empty without a character.
    #[wasm_bindgen(js_name = skinFaces)]
    #[must_use]
    pub fn skin_faces(&self) -> Uint32Array {
        view_faces(self.playback.skin_faces())
    }

    /// Holds the cloth that a ray hits first, and returns where (m); nothing if it hits none. What was held
    /// before is released.
    ///
    /// # Errors
    /// If an array has not three numbers, or the simulation cannot be rebuilt.
    pub fn grab(&mut self, origin: &[f32], direction: &[f32]) -> Result<Option<Vec<f32>>, JsError> {
        let ray = Ray {
            origin: Point3::from(vector("origin", origin)?),
            direction: vector("direction", direction)?,
        };
        let Some(hit) = self.playback.pick(&ray) else { return Ok(None) };
        self.playback.grab(&hit)?;
        let Hit { point, .. } = hit;
        Ok(Some(point.coords.as_slice().to_vec()))
    }

    /// Moves the hand to a place (m); it pulls with limited force.
    ///
    /// # Errors
    /// If there are not three finite numbers.
    #[wasm_bindgen(js_name = dragTo)]
    pub fn drag_to(&mut self, target: &[f32]) -> Result<(), JsError> {
        self.playback.drag_to(Point3::from(vector("target", target)?));
        Ok(())
    }

    /// Releases what is held.
    ///
    /// # Errors
    /// If the simulation cannot be rebuilt.
    pub fn release(&mut self) -> Result<(), JsError> {
        Ok(self.playback.release()?)
    }

    /// Moves a cloth, by its number, rigidly and at once: seven numbers as of `poses()`, a translation (m)
    /// and a quaternion x, y, z, w, by which everything is turned about the origin before it is translated.
    /// Nothing is swept. What the scene moves is where the scene has it in the next frame.
    ///
    /// # Errors
    /// If there is no such cloth, the motion is none, or a vertex would be beyond 1e7 m; nothing has changed
    /// then.
    pub fn teleport(&mut self, cloth: usize, motion: &[f32]) -> Result<(), JsError> {
        let motion = rigid_motion(motion).map_err(|text| JsError::new(&text))?;
        Ok(self.playback.teleport(cloth, &motion)?)
    }

    /// Moves everything rigidly and at once, as [`Simulation::teleport`] one cloth: cloths, bodies and
    /// colliders.
    ///
    /// # Errors
    /// As [`Simulation::teleport`].
    #[wasm_bindgen(js_name = teleportAll)]
    pub fn teleport_all(&mut self, motion: &[f32]) -> Result<(), JsError> {
        let motion = rigid_motion(motion).map_err(|text| JsError::new(&text))?;
        Ok(self.playback.teleport_all(&motion)?)
    }

    /// Changes the velocity of the wind (m/s).
    ///
    /// # Errors
    /// If there are not three finite numbers.
    #[wasm_bindgen(js_name = setWind)]
    pub fn set_wind(&mut self, velocity: &[f32]) -> Result<(), JsError> {
        Ok(self.playback.set_wind(vector("velocity", velocity)?)?)
    }

    /// Gives all cloths a fabric: cotton, silk or denim.
    ///
    /// # Errors
    /// If there is no such fabric.
    #[wasm_bindgen(js_name = setMaterial)]
    pub fn set_material(&mut self, name: &str) -> Result<(), JsError> {
        Ok(self.playback.set_material(name)?)
    }

    /// Switches the certification of motions on or off.
    ///
    /// # Errors
    /// If the simulation cannot be rebuilt.
    #[wasm_bindgen(js_name = setGate)]
    pub fn set_gate(&mut self, gate: bool) -> Result<(), JsError> {
        Ok(self.playback.set_gate(gate)?)
    }

    /// The hash of the state: equal states have equal hashes, on every machine.
    #[wasm_bindgen(js_name = stateHash)]
    #[must_use]
    pub fn state_hash(&self) -> String {
        format!("{:016x}", self.playback.simulation().state_hash())
    }

    fn report(&self, report: &StepReport) -> Result<JsReport, JsError> {
        let report = FrameReport {
            frame: self.playback.frame(),
            time: self.playback.simulation().time(),
            intersections: self.playback.intersections().count(),
            contacts: report.contacts,
            corrected: report.gate.modified_vertices,
            cuts: self.playback.simulation().cuts(),
            stages: report.times,
        };
        Ok(object(&report)?.unchecked_into())
    }
}

/// Stages in the order of the step, in milliseconds.
fn milliseconds<S: Serializer>(times: &StageTimes, to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(times.named().map(|(stage, time)| (stage, time.as_secs_f64() * 1e3)))
}

fn vector(name: &str, numbers: &[f32]) -> Result<Vector3<f32>, JsError> {
    match *numbers {
        [x, y, z] if numbers.iter().all(|c| c.is_finite()) => Ok(Vector3::new(x, y, z)),
        _ => Err(JsError::new(&format!("`{name}` has to be three finite numbers, not {numbers:?}"))),
    }
}

/// A translation (m) and a quaternion x, y, z, w of any length but zero.
fn rigid_motion(numbers: &[f32]) -> Result<Isometry3<f32>, String> {
    let refused = || {
        format!("`motion` has to be a translation and a quaternion, seven finite numbers, not {numbers:?}")
    };
    let &[x, y, z, i, j, k, w] = numbers else { return Err(refused()) };
    let rotation = UnitQuaternion::try_new(Quaternion::new(w, i, j, k), f32::EPSILON);
    let rotation = rotation.filter(|rotation| rotation.coords.iter().all(|c| c.is_finite()));
    let is_finite = [x, y, z].iter().all(|c| c.is_finite());
    let rotation = rotation.filter(|_| is_finite).ok_or_else(refused)?;
    Ok(Isometry3::from_parts(Translation3::new(x, y, z), rotation))
}

#[cfg(test)]
mod tests {
    use cloth_solver::Teleport;
    use nalgebra::Point3;

    use super::rigid_motion;
    use crate::Choice;

    #[test]
    fn a_motion_is_a_translation_and_a_quaternion() {
        let motion = rigid_motion(&[1.0, 2.0, 3.0, 0.0, 2.0, 0.0, 0.0]).expect("a half turn about y");
        assert!((motion * Point3::new(5.0, 6.0, 7.0) - Point3::new(-4.0, 8.0, -4.0)).norm() < 1e-5);
        for wrong in [
            &[0.0; 7][..],
            &[0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
            &[f32::NAN, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
            &[0.0, 0.0, 0.0, 0.0, 0.0, f32::INFINITY, 1.0],
        ] {
            assert!(rigid_motion(wrong).expect_err("no motion").contains("seven finite numbers"));
        }
    }

    #[test]
    fn a_choice_of_teleports_is_a_boolean_or_a_table() {
        let read = |text: &str| serde_json::from_str::<Choice>(text).map(|choice| choice.teleport);
        assert_eq!(read("{}").expect("defaults"), None);
        assert_eq!(read(r#"{"teleport": true}"#).expect("a choice"), Some(Teleport::default()));
        let own = Teleport { metres: 3.0, ..Teleport::default() };
        assert_eq!(read(r#"{"teleport": {"metres": 3}}"#).expect("a choice"), Some(own));
        assert_eq!(read(r#"{"teleport": false}"#).expect("a choice"), None);
        assert!(read(r#"{"teleport": {"meters": 3}}"#).is_err());
    }
}
