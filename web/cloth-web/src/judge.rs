//! Meshes, verdicts and certifiers over typed arrays.
//!
//! Positions are a `Float32Array` or a `Float64Array` with three numbers (m) for each vertex. Verdicts are
//! those of exact arithmetic for the numbers as given.

use cloth_certify::{
    CertifierBuilder, CollisionMesh, Coordinate, MaxStep, MotionWitness, Pair, Search, StateKind,
    StateWitness, StepLimit,
};
use js_sys::{Float32Array, Float64Array};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::arrays::{Positions, object, positions, rows};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** Three numbers (m) for each vertex. */
export type Positions = Float32Array | Float64Array;

/** One reason why a state is not clean. */
export interface StateWitness {
    /**
     * An edge crosses a face, touches it or lies in its plane, a lone point lies on a face, two faces on an
     * edge lie flat on each other, or a face lies on another of the same three points.
     */
    kind: "crosses" | "touches" | "coplanar" | "pointOnFace" | "flatFold" | "doubledFace";
    /** Where (m), up to rounding. */
    position: [number, number, number];
    /** The vertices of the edge, or the point. */
    vertices: number[];
    /** The face, the two faces of a flat fold, or the first face of a place and the one that lies on it. */
    faces: number[];
}

/** The verdict about a state: clean if and only if there are no witnesses. */
export interface StateVerdict { isClean: boolean; intersections: number; witnesses: StateWitness[] }

/** A pair that collides in a motion. */
export interface MotionWitness {
    kind: "vertexFace" | "edgeEdge";
    /** Of the vertex and the face, or of the two edges. */
    ids: [number, number];
    vertices: [number, number, number, number];
    /** It first touches in [time, time + gap], shares of the motion. */
    time: number;
    gap: number;
    /** Where (m), up to rounding. */
    position: [number, number, number];
}

/** The verdict about a motion: clean if and only if there are no witnesses. */
export interface MotionVerdict { isClean: boolean; witnesses: MotionWitness[] }

/** How far along a motion one may go, and why no farther. */
export interface StepVerdict {
    /** Share of the motion, in [0, 1]. */
    step: number;
    limit: "none" | "collision" | "tangled" | "tooNear";
    /** The pair that collides, if the limit is "collision". */
    witness?: MotionWitness;
}

/** What is certified of a motion. */
export interface Certificate {
    /** No pair was exempt, released or touching: nothing touched anything. */
    isUnconditional: boolean;
    /** The vertices whose end is not the proposed one, ascending. */
    changed: number[];
    /** Tangles that are left, and that came apart. */
    exempt: number;
    resolved: number;
    /** Pairs that could not be kept apart. */
    released: number;
    /** Guarded pairs nearer than the thickness. */
    near: number;
}
"#;

#[wasm_bindgen]
extern "C" {
    /// Three numbers for each vertex.
    #[wasm_bindgen(typescript_type = "Positions")]
    pub type JsPositions;
    /// See the types.
    #[wasm_bindgen(typescript_type = "StateVerdict")]
    pub type StateVerdict;
    /// See the types.
    #[wasm_bindgen(typescript_type = "MotionVerdict")]
    pub type MotionVerdict;
    /// See the types.
    #[wasm_bindgen(typescript_type = "StepVerdict")]
    pub type StepVerdict;
    /// See the types.
    #[wasm_bindgen(typescript_type = "Certificate")]
    pub type Certificate;
    /// See the types.
    #[wasm_bindgen(typescript_type = "\"all\" | \"first\" | \"earliest\"")]
    pub type JsSearch;
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct State {
    is_clean: bool,
    intersections: usize,
    witnesses: Vec<StateRecord>,
}

#[derive(Serialize)]
struct StateRecord {
    kind: &'static str,
    position: [f64; 3],
    vertices: Vec<u32>,
    faces: Vec<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Motion {
    is_clean: bool,
    witnesses: Vec<MotionRecord>,
}

#[derive(Serialize)]
struct MotionRecord {
    kind: &'static str,
    ids: [u32; 2],
    vertices: [u32; 4],
    time: f64,
    gap: f64,
    position: [f64; 3],
}

#[derive(Serialize)]
struct Step {
    step: f64,
    limit: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    witness: Option<MotionRecord>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Certified<'a> {
    is_unconditional: bool,
    changed: &'a [u32],
    exempt: usize,
    resolved: usize,
    released: usize,
    near: usize,
}

/// A mesh to be judged.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Mesh(CollisionMesh);

#[wasm_bindgen]
impl Mesh {
    /// A mesh of so many vertices; `faces` has three indices for each face, in any orientation, and need not
    /// be manifold.
    ///
    /// # Errors
    /// If an index is out of range or a face has equal corners.
    #[wasm_bindgen(constructor)]
    pub fn new(vertex_count: usize, faces: &[u32]) -> Result<Mesh, JsError> {
        let faces = rows("faces", faces)?;
        Ok(Self(CollisionMesh::new(vertex_count, &faces).build()?))
    }

    /// Number of vertices.
    #[wasm_bindgen(getter, js_name = vertexCount)]
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.0.vertex_count()
    }

    /// Everything that intersects in a state, exactly.
    ///
    /// # Errors
    /// If there is not one finite position a vertex.
    #[wasm_bindgen(js_name = checkState)]
    pub fn check_state(&self, x: &JsPositions) -> Result<StateVerdict, JsError> {
        let report = match positions("x", x)? {
            Positions::F32(x) => self.0.check_state(&x)?,
            Positions::F64(x) => self.0.check_state(&x)?,
        };
        let witnesses = report.witnesses().iter().map(state_record).collect();
        let intersections = report.intersections().count();
        Ok(object(&State { is_clean: report.is_clean(), intersections, witnesses })?.unchecked_into())
    }

    /// What collides when every vertex moves on a straight line: all of it, the first that is found, or what
    /// happens first.
    ///
    /// # Errors
    /// If there is not one finite position a vertex at either end, or the ends are of two types.
    #[wasm_bindgen(js_name = checkMotion)]
    pub fn check_motion(
        &self,
        x0: &JsPositions,
        x1: &JsPositions,
        search: Option<JsSearch>,
    ) -> Result<MotionVerdict, JsError> {
        let search = match search.and_then(|search| search.as_string()).as_deref() {
            None | Some("all") => Search::All,
            Some("first") => Search::First,
            Some("earliest") => Search::Earliest,
            Some(other) => {
                return Err(JsError::new(&format!("there is no search `{other}`: all, first, earliest")));
            }
        };
        let report = match (positions("x0", x0)?, positions("x1", x1)?) {
            (Positions::F32(x0), Positions::F32(x1)) => self.0.check_motion(&x0, &x1, search)?,
            (Positions::F64(x0), Positions::F64(x1)) => self.0.check_motion(&x0, &x1, search)?,
            _ => return Err(mixed()),
        };
        let witnesses = report.witnesses().iter().map(motion_record).collect();
        Ok(object(&Motion { is_clean: report.is_clean(), witnesses })?.unchecked_into())
    }

    /// How far along a motion one may go, certified; `min_distance` (m) is kept, 0 by default.
    ///
    /// # Errors
    /// As [`Mesh::check_motion`], and if the distance is negative or not finite.
    #[wasm_bindgen(js_name = maxStep)]
    pub fn max_step(
        &self,
        x0: &JsPositions,
        x1: &JsPositions,
        min_distance: Option<f64>,
    ) -> Result<StepVerdict, JsError> {
        let distance = min_distance.unwrap_or(0.0);
        let MaxStep { step, limit, .. } = match (positions("x0", x0)?, positions("x1", x1)?) {
            (Positions::F32(x0), Positions::F32(x1)) => self.0.max_step(&x0, &x1, distance)?,
            (Positions::F64(x0), Positions::F64(x1)) => self.0.max_step(&x0, &x1, distance)?,
            _ => return Err(mixed()),
        };
        let (limit, witness) = match limit {
            StepLimit::None => ("none", None),
            StepLimit::Collision(witness) => ("collision", Some(motion_record(&witness))),
            StepLimit::Tangled(_) => ("tangled", None),
            StepLimit::TooNear(_) => ("tooNear", None),
        };
        Ok(object(&Step { step, limit, witness })?.unchecked_into())
    }
}

#[allow(clippy::large_enum_variant, reason = "there is one behind each object")]
enum AnyCertifier {
    F32(cloth_certify::Certifier<f32>),
    F64(cloth_certify::Certifier<f64>),
}

/// Makes motions free of crossings, one after another.
#[wasm_bindgen]
pub struct Certifier(AnyCertifier);

#[wasm_bindgen]
impl Certifier {
    /// A certifier for a start (m), whose type all later positions have to have. `thickness` (m) is kept
    /// between everything that shares no vertex; 0 by default. A start that intersects is refused, unless
    /// tangles are admitted, which are then exempt until they come apart.
    ///
    /// # Errors
    /// If the start is refused; the message says where it intersects.
    #[wasm_bindgen(constructor)]
    pub fn new(
        mesh: &Mesh,
        x0: &JsPositions,
        thickness: Option<f64>,
        admit_tangles: Option<bool>,
    ) -> Result<Certifier, JsError> {
        let builder: CertifierBuilder<'_> = mesh.0.certifier().thickness(thickness.unwrap_or(0.0));
        let builder = if admit_tangles == Some(true) { builder.admit_tangles() } else { builder };
        let inner = match positions("x0", x0)? {
            Positions::F32(x0) => AnyCertifier::F32(builder.start(&x0)?),
            Positions::F64(x0) => AnyCertifier::F64(builder.start(&x0)?),
        };
        Ok(Self(inner))
    }

    /// Corrects the end of a motion in place: afterwards it crosses nothing, and what would not have crossed
    /// is unchanged. `inverse_masses` has one number (1/kg) for each vertex; 0 is what may not be moved.
    ///
    /// # Errors
    /// If an array has another type or length, or a number is not finite; the end is unchanged then.
    pub fn correct(
        &mut self,
        x0: &JsPositions,
        x1: &JsPositions,
        inverse_masses: &JsValue,
    ) -> Result<Certificate, JsError> {
        fn certify<T: Coordinate>(
            certifier: &mut cloth_certify::Certifier<T>,
            x0: &[[T; 3]],
            x1: &mut [[T; 3]],
            inverse_masses: &[T],
        ) -> Result<Certificate, JsError> {
            let certificate = certifier.correct(x0, x1, inverse_masses)?;
            let certified = Certified {
                is_unconditional: certificate.is_unconditional(),
                changed: certificate.changed(),
                exempt: certificate.exempt().len(),
                resolved: certificate.resolved(),
                released: certificate.released().len(),
                near: certificate.near(),
            };
            Ok(object(&certified)?.unchecked_into())
        }
        let ends = (positions("x0", x0)?, positions("x1", x1)?);
        match (&mut self.0, ends) {
            (AnyCertifier::F32(certifier), (Positions::F32(x0), Positions::F32(mut end))) => {
                let inverse_masses = inverse_masses.dyn_ref::<Float32Array>().ok_or_else(mixed)?.to_vec();
                let certificate = certify(certifier, &x0, &mut end, &inverse_masses)?;
                x1.unchecked_ref::<Float32Array>().copy_from(end.as_flattened());
                Ok(certificate)
            }
            (AnyCertifier::F64(certifier), (Positions::F64(x0), Positions::F64(mut end))) => {
                let inverse_masses = inverse_masses.dyn_ref::<Float64Array>().ok_or_else(mixed)?.to_vec();
                let certificate = certify(certifier, &x0, &mut end, &inverse_masses)?;
                x1.unchecked_ref::<Float64Array>().copy_from(end.as_flattened());
                Ok(certificate)
            }
            _ => Err(mixed()),
        }
    }
}

fn mixed() -> JsError {
    JsError::new("all positions and masses have to be of one type: Float32Array or Float64Array")
}

fn state_record(witness: &StateWitness) -> StateRecord {
    let StateWitness { kind, ends, face, other_face, position, .. } = *witness;
    let kind = match kind {
        StateKind::Crosses => "crosses",
        StateKind::Touches => "touches",
        StateKind::Coplanar => "coplanar",
        StateKind::PointOnFace => "pointOnFace",
        StateKind::FlatFold => "flatFold",
        StateKind::DoubledFace => "doubledFace",
    };
    let vertices = ends.into_iter().flatten().collect();
    StateRecord { kind, position, vertices, faces: [Some(face), other_face].into_iter().flatten().collect() }
}

fn motion_record(witness: &MotionWitness) -> MotionRecord {
    let MotionWitness { pair, vertices, time, position } = *witness;
    let (kind, ids) = match pair {
        Pair::PointTriangle(ids) => ("vertexFace", ids),
        Pair::EdgeEdge(ids) => ("edgeEdge", ids),
    };
    MotionRecord { kind, ids, vertices, time: time.time, gap: time.gap, position }
}
