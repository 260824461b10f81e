//! Garments judged together with the bodies that wear them, as `cloth check --body` does, and pictures of
//! what was found.

use std::path::Path;

use cloth_certify::{PenetrationFinder, Roles};
use cloth_show::check::{
    CheckEvent, CheckOptions, ClipChoice, Example, OutfitStatesReport, PreparedMesh, StateView, Subject,
    check_outfit,
};
use cloth_show::cloth_io::FileError;
use js_sys::{Float32Array, Uint32Array};
use nalgebra::Point3;
use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::arrays::{object, view_faces, view_points};
use crate::check::{JsProgress, Judged, PICTURE_PAIRS, PictureFrame, options, progress};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** A figure for each kind of pair. */
export interface KindFigures {
    cloth_self: number;
    cloth_cloth: number;
    cloth_body: number;
    body_self: number;
    body_body: number;
}

/** The vertex or the face that is deepest in a body: its number in the file, depth and position in m. */
export interface DeepestReport {
    path: string;
    number: number;
    body: string;
    depth: number;
    position: [number, number, number];
}

/** Figures of a state: clean without intersections and folds with cloth, and without vertices inside. */
export interface OutfitCounts {
    intersections: KindFigures;
    folds: KindFigures;
    vertices_inside: number;
    deepest_vertex: DeepestReport | null;
    deepest_face: DeepestReport | null;
    share_inside: number;
}

/** A garment or a body. */
export interface PartReport {
    path: string;
    cache: string | null;
    vertices: number;
    triangles: number;
    pieces: number;
    left_out_faces: number;
    problems: CheckReport["problems"];
    notes: string[];
}

/** An entry of `meshes` in the JSON of `cloth check --body`. */
export interface OutfitReport extends OutfitCounts {
    clean: boolean;
    garments: PartReport[];
    bodies: (PartReport & { closed: boolean; turned: boolean; self_intersecting: boolean })[];
    worst_frame: number | null;
    cuts: number[];
    crossings: KindFigures | null;
    examples: { text: string; meshes: [string, string] }[];
    notes: string[];
    frames: (OutfitCounts & { frame: number; crossings: KindFigures | null })[];
    stopped_after_pairs: number | null;
    unchecked_states: number;
}

/** The verdict in words, the block that `cloth check --body` prints, and its JSON. */
export interface OutfitResult { isClean: boolean; verdict: string; text: string; report: OutfitReport }

/** An intersection with cloth: in the numbers of the picture, and in words in those of the files. */
export interface OutfitExample { edge: [number, number]; face: number; text: string }
"#;

#[wasm_bindgen]
extern "C" {
    /// See the types.
    #[wasm_bindgen(typescript_type = "OutfitResult")]
    pub type JsOutfitResult;
    /// See the types.
    #[wasm_bindgen(typescript_type = "OutfitExample[]")]
    pub type JsOutfitExamples;
}

/// Garments and bodies with their states, opened among the files that were provided. Pictures have the
/// vertices and the faces of all garments, then of all bodies, in the order in which they were added.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct OutfitCheck {
    garments: Vec<Subject>,
    bodies: Vec<Subject>,
    /// None before the first picture.
    whole: Option<Whole>,
    shown: OutfitView,
    points: Vec<Point3<f32>>,
}

#[wasm_bindgen]
impl OutfitCheck {
    /// Without a garment.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> OutfitCheck {
        Self::default()
    }

    /// Opens a garment or a body, with its cache if there is one. The states of a character are its clips.
    ///
    /// # Errors
    /// The line that `cloth check` prints, if a file cannot be read.
    pub fn add(&mut self, path: &str, cache: Option<String>, is_body: bool) -> Result<(), JsError> {
        Ok(self.open(Path::new(path), cache.as_deref().map(Path::new), is_body)?)
    }

    /// Number of faces of all meshes, cut into triangles.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn triangles(&self) -> usize {
        self.subjects().map(|subject| subject.mesh.faces.len()).sum()
    }

    /// Number of states.
    #[wasm_bindgen(getter, js_name = stateCount)]
    #[must_use]
    pub fn state_count(&self) -> usize {
        self.subjects().map(Subject::state_count).max().unwrap_or(0)
    }

    /// Judges all states and the motions between them, as `MeshCheck.judge`.
    ///
    /// # Errors
    /// The line that `cloth check` prints, if there is no garment, two meshes have different numbers of
    /// states, a state cannot be read or judged, or a cut is at no frame.
    pub fn judge(
        &mut self,
        on_progress: &JsProgress,
        cuts: Option<Vec<f64>>,
    ) -> Result<JsOutfitResult, JsError> {
        let report = self.report(&options(cuts), &mut progress(on_progress))?;
        let (is_clean, verdict) = (report.is_clean(), report.verdict());
        let judged = Judged { is_clean, verdict, text: report.text(), report };
        Ok(object(&judged)?.unchecked_into())
    }

    /// Reads a state to be seen: the methods below are about it.
    ///
    /// # Errors
    /// If it cannot be read or judged.
    pub fn show(&mut self, state: usize, examples: usize) -> Result<(), JsError> {
        Ok(self.find(state, examples)?)
    }

    /// Three numbers for each vertex of the state, moved and scaled so that the meshes as read are between -1
    /// and 1. A view of memory until the next call.
    #[must_use]
    pub fn positions(&self) -> Float32Array {
        view_points(&self.points)
    }

    /// Three vertices for each face, a view of memory until the next call; empty before a state is shown.
    #[must_use]
    pub fn faces(&self) -> Uint32Array {
        view_faces(self.whole.as_ref().map_or(&[], |whole| &whole.faces))
    }

    /// The faces of cloth that intersect another, lie on one, or are folded flat on one.
    #[wasm_bindgen(js_name = intersectingFaces)]
    #[must_use]
    pub fn intersecting_faces(&self) -> Vec<u32> {
        self.shown.intersecting.clone()
    }

    /// The other faces of cloth that have a vertex inside of a body.
    #[wasm_bindgen(js_name = insideFaces)]
    #[must_use]
    pub fn inside_faces(&self) -> Vec<u32> {
        self.shown.inside.clone()
    }

    /// The first intersections with cloth of the state.
    ///
    /// # Errors
    /// If memory for the list is lacking.
    pub fn examples(&self) -> Result<JsOutfitExamples, JsError> {
        Ok(object(&self.shown.examples)?.unchecked_into())
    }
}

impl OutfitCheck {
    fn open(&mut self, path: &Path, cache: Option<&Path>, is_body: bool) -> Result<(), FileError> {
        let mut subject = Subject::open(path, cache)?;
        if subject.is_character() {
            subject.choose_clips(&ClipChoice { bind_pose: false, ..ClipChoice::default() })?;
        }
        if is_body { &mut self.bodies } else { &mut self.garments }.push(subject);
        self.whole = None;
        Ok(())
    }

    fn subjects(&self) -> impl Iterator<Item = &Subject> {
        self.garments.iter().chain(&self.bodies)
    }

    fn report(
        &mut self,
        options: &CheckOptions,
        on_event: &mut dyn FnMut(CheckEvent),
    ) -> Result<OutfitStatesReport, FileError> {
        check_outfit(&mut self.garments, &mut self.bodies, options, on_event)
    }

    /// Reads a state, and finds anew what meets and what is inside.
    fn find(&mut self, state: usize, examples: usize) -> Result<(), FileError> {
        let mut positions = Vec::new();
        for subject in self.garments.iter_mut().chain(&mut self.bodies) {
            let stands_still = subject.state_count() == 1;
            positions.extend(subject.read(if stands_still { 0 } else { state })?);
        }
        let name = self.subjects().next().map(|subject| subject.path.clone()).unwrap_or_default();
        let mut whole = match self.whole.take() {
            Some(whole) => whole,
            None => Whole::new(&self.garments, &self.bodies).map_err(|e| FileError::new(&name, e))?,
        };
        self.points = whole.frame.place(&positions);
        self.shown = whole.view(positions, examples).map_err(|e| FileError::new(&name, e))?;
        self.whole = Some(whole);
        Ok(())
    }
}

/// All meshes as one.
#[derive(Debug)]
struct Whole {
    faces: Vec<[u32; 3]>,
    sound: PreparedMesh,
    roles: Roles,
    inside: PenetrationFinder,
    frame: PictureFrame,
    parts: Vec<PictureNumbers>,
}

/// The name of a mesh, and its first vertex and face in the picture.
#[derive(Debug)]
struct PictureNumbers {
    name: String,
    first: [usize; 2],
}

/// A state, in the numbers of the picture.
#[derive(Debug, Default)]
struct OutfitView {
    intersecting: Vec<u32>,
    inside: Vec<u32>,
    examples: Vec<PictureExample>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct PictureExample {
    edge: [u32; 2],
    face: u32,
    text: String,
}

impl Whole {
    /// The error is a sentence.
    fn new(garments: &[Subject], bodies: &[Subject]) -> Result<Self, String> {
        let (mut mesh, mut parts) = (cloth_geom::TriMesh::default(), Vec::new());
        for subject in garments.iter().chain(bodies) {
            let first = [mesh.positions.len(), mesh.faces.len()];
            parts.push(PictureNumbers { name: subject.path.display().to_string(), first });
            mesh.append(&subject.mesh);
        }
        let sound = PreparedMesh::new(&mesh, None)?;
        let part = |&v: &u32| parts.partition_point(|part| part.first[0] <= v as usize) as u16 - 1;
        let is_body = (0..parts.len()).map(|part| part >= garments.len()).collect();
        let roles =
            Roles::new(sound.sources.iter().map(part).collect(), is_body).map_err(|e| e.to_string())?;
        let inside = PenetrationFinder::new(&roles, sound.topology.faces());
        let frame = PictureFrame::new(&mesh.positions);
        Ok(Self { faces: mesh.faces, sound, roles, inside, frame, parts })
    }

    /// What is found at these positions (m). The error is a sentence.
    fn view(&mut self, positions: Vec<Point3<f64>>, examples: usize) -> Result<OutfitView, String> {
        let outfit = Some((&self.roles, &mut self.inside));
        let found = StateView::find(positions, &self.sound, outfit, PICTURE_PAIRS, examples)?;
        let examples = found.examples.iter().map(|example| self.example(example)).collect();
        Ok(OutfitView { intersecting: found.intersecting, inside: found.inside, examples })
    }

    /// In words as well.
    fn example(&self, &Example { edge, face, proper }: &Example) -> PictureExample {
        let verb = if proper { "crosses" } else { "touches" };
        let ([(cloth, a), (_, b)], (other, f)) = (edge.map(|v| self.named(0, v)), self.named(1, face));
        PictureExample { edge, face, text: format!("edge {a}-{b} of {cloth} {verb} face {f} of {other}") }
    }

    /// The mesh of a vertex (0) or a face (1), and its number in the file.
    fn named(&self, kind: usize, number: u32) -> (&str, u32) {
        let after = self.parts.partition_point(|part| part.first[kind] <= number as usize);
        let part = &self.parts[after - 1];
        (&part.name, number - part.first[kind] as u32)
    }
}

#[cfg(test)]
mod tests {
    use cloth_show::cloth_io::provide_file;

    use super::*;

    /// A tetrahedron of height 1, moved up.
    fn body(up: f32) -> [[f32; 3]; 4] {
        [[-1.0, up, -1.0], [1.0, up, -1.0], [0.0, up, 1.0], [0.0, up + 1.0, 0.0]]
    }

    fn obj(positions: &[[f32; 3]], faces: &str) -> Vec<u8> {
        let lines: Vec<String> = positions.iter().map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect();
        format!("{}{faces}", lines.concat()).into_bytes()
    }

    fn pc2(frames: &[&[[f32; 3]]]) -> Vec<u8> {
        let mut bytes = b"POINTCACHE2\0".to_vec();
        [1, frames[0].len() as i32].iter().for_each(|n| bytes.extend(n.to_le_bytes()));
        [0.0_f32, 1.0].iter().for_each(|n| bytes.extend(n.to_le_bytes()));
        bytes.extend((frames.len() as i32).to_le_bytes());
        frames.iter().copied().flatten().flatten().for_each(|c| bytes.extend(c.to_le_bytes()));
        bytes
    }

    /// A garment of one face in the plane y = 0.5, of about twice a size, and the body with its cache. Files
    /// have a folder of their own in each test.
    fn dressed(test: &str, size: f32, cache: Option<&[&[[f32; 3]]]>) -> OutfitCheck {
        let [cloth, body_file, moves] =
            ["cloth.obj", "body.obj", "body.pc2"].map(|name| format!("{test}/{name}"));
        let corners = [[-size, 0.5, -size], [size, 0.5, -size], [0.0, 0.5, size]];
        provide_file(&cloth, obj(&corners, "f 1 2 3\n"));
        provide_file(&body_file, obj(&body(0.0), "f 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n"));
        cache.into_iter().for_each(|frames| provide_file(&moves, pc2(frames)));
        let mut check = OutfitCheck::new();
        check.open(Path::new(&body_file), cache.map(|_| Path::new(&moves)), true).unwrap();
        check.open(Path::new(&cloth), None, false).unwrap();
        check
    }

    /// What is printed.
    fn text(check: &mut OutfitCheck) -> String {
        check.report(&options(None), &mut |_| {}).unwrap().text()
    }

    #[test]
    fn a_garment_that_cuts_is_marked_and_its_body_is_not() {
        let mut check = dressed("cuts", 3.0, None);
        let said = text(&mut check);
        assert!(
            said.starts_with("cuts/cloth.obj on cuts/body.obj: 3 intersections of cloth with body"),
            "{said}"
        );
        check.find(0, 1).unwrap();
        assert_eq!((check.triangles(), check.state_count(), check.points.len()), (5, 1, 7));
        assert_eq!((&*check.shown.intersecting, &*check.shown.inside), (&[0][..], &[][..]));
        let [example] = &*check.shown.examples else { panic!("{:?}", check.shown) };
        assert_eq!(example.face, 0);
        assert!(example.text.ends_with(" of cuts/body.obj crosses face 0 of cuts/cloth.obj"), "{example:?}");
        assert!(example.text.starts_with("edge ") && example.edge.iter().all(|v| (3..7).contains(v)));
    }

    #[test]
    fn a_garment_inside_of_a_body_is_marked_though_nothing_meets() {
        let mut check = dressed("inside", 0.05, None);
        let said = text(&mut check);
        assert!(said.contains(": 3 vertices inside, deepest "), "{said}");
        check.find(0, 9).unwrap();
        assert_eq!((&*check.shown.intersecting, &*check.shown.inside), (&[][..], &[0][..]));
        assert!(check.shown.examples.is_empty());
    }

    #[test]
    fn a_body_is_where_its_cache_has_it() {
        let frames = [&body(5.0)[..], &body(0.0), &body(-5.0)];
        let mut check = dressed("moves", 3.0, Some(&frames));
        let said = text(&mut check);
        assert!(
            said.contains("1 of 3 frames not clean; the worst is frame 1 with 3 intersections"),
            "{said}"
        );
        for (state, marked) in [(0, &[][..]), (1, &[0]), (2, &[])] {
            check.find(state, 0).unwrap();
            assert_eq!(check.shown.intersecting, marked, "{state}");
        }
    }

    #[test]
    fn a_body_alone_is_refused() {
        let mut check = OutfitCheck::new();
        assert!(check.report(&options(None), &mut |_| {}).is_err());
        assert!(check.find(0, 1).is_err());
        assert_eq!((check.triangles(), check.state_count()), (0, 0));
    }
}
