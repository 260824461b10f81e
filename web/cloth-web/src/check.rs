//! Mesh files judged as `cloth check` does: files in memory in, verdict, text and pictures out.

use std::path::Path;

use cloth_show::check::{
    CheckEvent, CheckOptions, PreparedMesh, SCHEMA_VERSION, StateView, Subject, check_states,
};
use cloth_show::cloth_io::{FileError, ObjSequence, forget_files, provide_file};
use js_sys::{Float32Array, Function, Uint32Array};
use nalgebra::Point3;
use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::arrays::{object, view_faces, view_points};

/// Extensions of files that only other files name.
const SIDE_FILES: [&str; 8] = ["bin", "mtl", "png", "jpg", "jpeg", "webp", "ktx2", "tga"];

/// Words of file names that propose a mesh as a body.
const BODY_WORDS: [&str; 6] = ["body", "mannequin", "avatar", "human", "smpl", "smplx"];

/// Pairs of triangles after which the picture of a state marks only what was found: some ten seconds.
pub(crate) const PICTURE_PAIRS: u64 = 10_000_000;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/**
 * What is judged: a mesh, a mesh with its cache, or a pattern that names the frames of a sequence; and
 * whether its name has a word such as body, avatar or SMPL, so that garments may be judged together with it.
 */
export interface CheckSubject { path: string; cache: string | null; isBody: boolean }

/** Figures of a state. It is clean without intersections, flat folds and doubled faces. */
export interface CheckCounts {
    intersections: number;
    intersecting_triangle_pairs: number;
    touching_triangle_pairs: number;
    triangle_pairs_sharing_a_vertex: number;
    flat_folds: number;
    doubled_faces: number;
}

/** An edge, by its vertices, that crosses a face or touches it. */
export interface CheckExample { edge: [number, number]; face: number; proper: boolean }

/** A pair that crosses between two states. */
export type CheckCrossing =
    | { vertex: number; face: number }
    | { edges: [[number, number], [number, number]] };

/** An entry of `meshes` in the JSON of `cloth check`. */
export interface CheckReport extends CheckCounts {
    path: string;
    clean: boolean;
    vertices: number;
    triangles: number;
    left_out_faces: number;
    impacts: { pass_throughs: number; frames_with: number; examples: CheckCrossing[] } | null;
    examples: CheckExample[];
    doubled_examples: [number, number][];
    fold_examples: [number, number][];
    problems: { kind: string; count: number; examples: string[]; first: string }[];
    notes: string[];
    frames: (CheckCounts & { frame: number; impacts: number | null })[];
    /** The frames that a cut leads to: no motion was judged there. */
    cuts: number[];
    stopped_after_pairs: number | null;
    unchecked_states: number;
}

/** The verdict in words, the block that `cloth check` prints, and its JSON. */
export interface CheckResult { isClean: boolean; verdict: string; text: string; report: CheckReport }

/** Receives how far a check is: states that are judged, or pairs of triangles of one that takes long. */
export type OnCheckProgress = (states: number, pairs: number) => void;
"#;

#[wasm_bindgen]
extern "C" {
    /// See the types.
    #[wasm_bindgen(typescript_type = "CheckSubject[]")]
    pub type JsSubjects;
    /// See the types.
    #[wasm_bindgen(typescript_type = "CheckResult")]
    pub type JsCheckResult;
    /// See the types.
    #[wasm_bindgen(typescript_type = "CheckExample[]")]
    pub type JsExamples;
    /// See the types.
    #[wasm_bindgen(typescript_type = "OnCheckProgress")]
    pub type JsProgress;
}

/// The version of this package.
#[wasm_bindgen(js_name = packageVersion)]
#[must_use]
pub fn package_version() -> String {
    env!("CARGO_PKG_VERSION").into()
}

/// The version of the JSON of `cloth check`.
#[wasm_bindgen(js_name = checkSchemaVersion)]
#[must_use]
pub fn check_schema_version() -> u32 {
    SCHEMA_VERSION
}

/// Provides a file under its name, a path if it was in a folder; the bytes are copied.
#[wasm_bindgen(js_name = provideFile)]
pub fn provide(name: String, bytes: Vec<u8>) {
    provide_file(name, bytes);
}

/// Forgets all files that were provided.
#[wasm_bindgen(js_name = forgetFiles)]
pub fn forget() {
    forget_files();
}

/// What is to be judged of files with these names.
///
/// A PC2, MDD or NPY cache goes with the mesh (OBJ, PLY, STL, OFF) of its name, with the only one or with the only
/// one that has no cache of its name, of its folder if there are any; OBJ files whose names differ by a
/// number alone are frames of one sequence; buffers, materials and images go with what names them.
///
/// # Errors
/// If memory for the list is lacking.
#[wasm_bindgen(js_name = findSubjects)]
pub fn find_subjects(names: Vec<String>) -> Result<JsSubjects, JsError> {
    Ok(object(&subjects(&names))?.unchecked_into())
}

/// A mesh with what moves it.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Named {
    path: String,
    cache: Option<String>,
    is_body: bool,
}

impl Named {
    fn new(path: &str, cache: Option<&str>) -> Self {
        Self { path: path.to_owned(), cache: cache.map(str::to_owned), is_body: names_body(path) }
    }
}

/// Whether the name of a file has one of [`BODY_WORDS`]; a capital after a small letter begins a word.
fn names_body(path: &str) -> bool {
    let stem = Path::new(path).file_stem().unwrap_or_default().to_string_lossy();
    let mut spaced = String::new();
    let mut before = ' ';
    for c in stem.chars() {
        if before.is_lowercase() && c.is_uppercase() {
            spaced.push(' ');
        }
        spaced.push(c);
        before = c;
    }
    let mut words = spaced.split(|c: char| !c.is_alphabetic());
    words.any(|word| BODY_WORDS.iter().any(|known| word.eq_ignore_ascii_case(known)))
}

fn subjects<'a>(names: &'a [String]) -> Vec<Named> {
    let is = |name: &str, extensions: &[&str]| {
        let extension = Path::new(name).extension().unwrap_or_default();
        extensions.iter().any(|known| extension.eq_ignore_ascii_case(known))
    };
    let stem = |name: &str| Path::new(name).file_stem().map(|stem| stem.to_ascii_lowercase());
    let pattern = |name: &str| is(name, &["obj"]).then(|| ObjSequence::pattern(Path::new(name))).flatten();
    let (caches, others): (Vec<&String>, Vec<&String>) =
        names.iter().partition(|name| is(name, &["pc2", "pc16", "mdd", "npy"]));
    let meshes: Vec<&String> =
        others.iter().copied().filter(|name| is(name, &["obj", "ply", "stl", "off"])).collect();
    let mut found: Vec<Named> = Vec::new();
    let mut moved: Vec<&String> = Vec::new();
    let has_own = |mesh: &&String| caches.iter().any(|cache| stem(cache) == stem(mesh));
    for &cache in &caches {
        let beside = |mesh: &&String| Path::new(mesh).parent() == Path::new(cache).parent();
        let beside: Vec<&String> = meshes.iter().copied().filter(beside).collect();
        let near = if beside.is_empty() { &meshes } else { &beside };
        let free: Vec<&String> = near.iter().copied().filter(|mesh| !has_own(mesh)).collect();
        let same = near.iter().copied().find(|mesh| stem(mesh) == stem(cache));
        let only = |meshes: &[&'a String]| meshes.first().copied().filter(|_| meshes.len() == 1);
        let mesh = same.or_else(|| only(near)).or_else(|| only(&free));
        moved.extend(mesh);
        found.push(mesh.map_or_else(|| Named::new(cache, None), |mesh| Named::new(mesh, Some(cache))));
    }
    let stands_alone =
        |name: &&String| !moved.contains(name) && (others.len() == 1 || !is(name, &SIDE_FILES));
    for name in others.iter().copied().filter(stands_alone) {
        let frames = |p: &Path| others.iter().filter(|other| pattern(other).as_deref() == Some(p)).count();
        let path = match pattern(name).filter(|p| frames(p) > 1) {
            Some(pattern) => pattern.display().to_string(),
            None => name.clone(),
        };
        let named = Named::new(&path, None);
        if !found.contains(&named) {
            found.push(named);
        }
    }
    found
}

/// A report, and what it says in words.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Judged<R> {
    pub(crate) is_clean: bool,
    pub(crate) verdict: String,
    pub(crate) text: String,
    pub(crate) report: R,
}

/// The options of a check that ends with no signal, with these cuts.
pub(crate) fn options(cuts: Option<Vec<f64>>) -> CheckOptions {
    CheckOptions { cuts: cuts.unwrap_or_default(), ..CheckOptions::default() }
}

/// What tells a listener how far a check is.
pub(crate) fn progress(listener: &JsProgress) -> impl FnMut(CheckEvent) + '_ {
    let call: &Function = listener.unchecked_ref();
    let mut states = 0;
    move |event| {
        let pairs = match event {
            CheckEvent::States(judged) => {
                states = judged;
                0
            }
            CheckEvent::Pairs { pairs, .. } => pairs,
        };
        // What a listener throws does not end the check.
        let _ = call.call2(&JsValue::NULL, &JsValue::from(states), &JsValue::from(pairs as f64));
    }
}

/// A mesh with its states, opened among the files that were provided.
#[wasm_bindgen]
#[derive(Debug)]
pub struct MeshCheck {
    subject: Subject,
    sound: PreparedMesh,
    frame: PictureFrame,
    shown: StateView,
    points: Vec<Point3<f32>>,
}

#[wasm_bindgen]
impl MeshCheck {
    /// Opens a mesh, with its PC2 cache if there is one.
    ///
    /// # Errors
    /// The line that `cloth check` prints, if a file cannot be read.
    #[wasm_bindgen(constructor)]
    pub fn new(path: &str, cache: Option<String>) -> Result<MeshCheck, JsError> {
        Ok(Self::open(Path::new(path), cache.as_deref().map(Path::new))?)
    }

    /// Number of faces, cut into triangles.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn triangles(&self) -> usize {
        self.subject.mesh.faces.len()
    }

    /// Number of states.
    #[wasm_bindgen(getter, js_name = stateCount)]
    #[must_use]
    pub fn state_count(&self) -> usize {
        self.subject.state_count()
    }

    /// Judges all states and the motions between them, but for those that lead to a frame of `cuts`, by its
    /// number in the sequence or cache, or to a cut that the file names.
    ///
    /// # Errors
    /// The line that `cloth check` prints, if a state cannot be read or judged, or a cut is at no frame.
    pub fn judge(
        &mut self,
        on_progress: &JsProgress,
        cuts: Option<Vec<f64>>,
    ) -> Result<JsCheckResult, JsError> {
        let report = check_states(&mut self.subject, &options(cuts), &mut progress(on_progress))?;
        let (is_clean, verdict) = (report.is_clean(), report.verdict());
        let judged = Judged { is_clean, verdict, text: report.text(), report: &report };
        Ok(object(&judged)?.unchecked_into())
    }

    /// Reads a state to be seen: the methods below are about it.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn show(&mut self, state: usize, examples: usize) -> Result<(), JsError> {
        self.shown = StateView::read(&mut self.subject, &self.sound, state, PICTURE_PAIRS, examples)?;
        self.points = self.frame.place(&self.shown.positions);
        Ok(())
    }

    /// Three numbers for each vertex of the state, moved and scaled so that the first state is between -1 and
    /// 1. A view of memory until the next call.
    #[must_use]
    pub fn positions(&self) -> Float32Array {
        view_points(&self.points)
    }

    /// Three vertices for each face, a view of memory until the next call.
    #[must_use]
    pub fn faces(&self) -> Uint32Array {
        view_faces(&self.subject.mesh.faces)
    }

    /// The faces of the state that intersect another, lie on one, or are folded flat on one.
    #[wasm_bindgen(js_name = intersectingFaces)]
    #[must_use]
    pub fn intersecting_faces(&self) -> Vec<u32> {
        self.shown.intersecting.clone()
    }

    /// The first intersections of the state.
    ///
    /// # Errors
    /// If memory for the list is lacking.
    pub fn examples(&self) -> Result<JsExamples, JsError> {
        Ok(object(&self.shown.examples)?.unchecked_into())
    }
}

impl MeshCheck {
    fn open(path: &Path, cache: Option<&Path>) -> Result<Self, FileError> {
        let subject = Subject::open(path, cache)?;
        let sound = PreparedMesh::new(&subject.mesh, None).map_err(|text| FileError::new(path, text))?;
        let frame = PictureFrame::new(&subject.mesh.positions);
        Ok(Self { subject, sound, frame, shown: StateView::default(), points: Vec::new() })
    }
}

/// Where a picture is: what is in it is of about the size 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PictureFrame {
    center: Point3<f64>,
    /// The greatest distance from the middle along an axis; 1 if there is none.
    radius: f64,
}

impl PictureFrame {
    /// Halves are taken first, so that nothing is beyond all numbers.
    pub(crate) fn new(positions: &[Point3<f64>]) -> Self {
        let first = positions.first().copied().unwrap_or_default();
        let (min, max) = positions.iter().fold((first, first), |(min, max), p| (min.inf(p), max.sup(p)));
        let (min, max) = (min.coords * 0.5, max.coords * 0.5);
        let radius = (max - min).amax();
        Self { center: (min + max).into(), radius: if radius > 0.0 { radius } else { 1.0 } }
    }

    /// Positions as they are drawn.
    pub(crate) fn place(self, positions: &[Point3<f64>]) -> Vec<Point3<f32>> {
        let Self { center, radius } = self;
        let place = |p: &Point3<f64>| ((p - center) / radius).map(|c| c.clamp(-1e6, 1e6) as f32).into();
        positions.iter().map(place).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(names: &[&str]) -> Vec<(String, Option<String>)> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        subjects(&names).into_iter().map(|named| (named.path, named.cache)).collect()
    }

    fn alone(path: &str) -> (String, Option<String>) {
        (path.to_owned(), None)
    }

    #[test]
    fn a_cache_goes_with_the_only_mesh_or_that_of_its_name() {
        let with = |mesh: &str, cache: &str| (mesh.to_owned(), Some(cache.to_owned()));
        assert_eq!(found(&["run.pc2", "shirt.obj"]), [with("shirt.obj", "run.pc2")]);
        let two = found(&["B.pc2", "a.obj", "b.PLY"]);
        assert_eq!(two, [with("b.PLY", "B.pc2"), alone("a.obj")]);
        let folders = found(&["x/run.pc2", "x/a.obj", "y/run.obj", "z/run.pc2"]);
        assert_eq!(folders, [with("x/a.obj", "x/run.pc2"), with("y/run.obj", "z/run.pc2")]);
        let rest = found(&["shirt.obj", "walk.npy", "shirt.pc2", "body.obj"]);
        assert_eq!(rest, [with("body.obj", "walk.npy"), with("shirt.obj", "shirt.pc2")]);
        assert_eq!(found(&["c.pc2", "a.obj", "b.obj"]), [alone("c.pc2"), alone("a.obj"), alone("b.obj")]);
    }

    #[test]
    fn a_word_of_its_name_proposes_a_mesh_as_a_body() {
        let bodies = ["body.obj", "x/my-Body_02.ply", "HumanMale.glb", "SMPL_run.npz", "walk_avatar_*.obj"];
        assert!(bodies.iter().all(|name| names_body(name)));
        let others = ["shirt.obj", "bodysuit.obj", "body/shirt.obj", "humanoid.stl", ""];
        assert!(!others.iter().any(|name| names_body(name)));
    }

    #[test]
    fn numbered_frames_are_one_sequence_and_side_files_are_none() {
        assert_eq!(found(&["s_2.obj", "s_1.obj", "skin.obj"]), [alone("s_*.obj"), alone("skin.obj")]);
        assert_eq!(
            found(&["s_2.obj", "s.mtl", "a.gltf", "a.bin", "x.fbx"]),
            ["s_2.obj", "a.gltf", "x.fbx"].map(alone)
        );
        assert_eq!(found(&["a.bin"]), [alone("a.bin")], "to be refused by name");
        assert_eq!(found(&[]), []);
    }

    #[test]
    fn pictures_are_of_size_1_whatever_the_numbers() {
        let at = |x: f64| Point3::new(x, 0.0, 1.0);
        let frame = |center, radius| PictureFrame { center, radius };
        assert_eq!(PictureFrame::new(&[at(1.0), at(5.0)]), frame(at(3.0), 2.0));
        assert_eq!(PictureFrame::new(&[at(f64::MAX), at(-f64::MAX)]), frame(at(0.0), f64::MAX));
        assert_eq!((PictureFrame::new(&[]).radius, PictureFrame::new(&[at(2.0)]).radius), (1.0, 1.0));
    }
}
