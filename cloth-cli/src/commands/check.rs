//! `cloth check`: exact self-intersections of meshes, of sequences, and of a mesh with its cache, between the
//! frames too.

use std::path::Path;

use cloth_geom::TriMesh;
use cloth_io::{FaceEdit, FileError, ObjTemplate};
use cloth_verify::check::{
    CheckEvent, CheckOptions, PreparedMesh, StatesReport, Stitches, Subject, check_states,
};
use nalgebra::Point3;
use serde::Serialize;

use super::meshes::{self, MeshReport, run_on_worker};
use crate::args::{CheckArgs, MeshArgs};
use crate::console::{self, Progress, count, counted};
use crate::failure::{Failure, Status};
use crate::files::RunFiles;
use crate::interrupt::INTERRUPT;

/// Judges each mesh and prints its block.
pub(crate) fn run(args: &CheckArgs) -> Result<Status, Failure> {
    let options = options(args);
    if let Some(out) = &args.remove_doubled {
        let note = remove_doubled(args, out)?;
        let common = MeshArgs { meshes: vec![out.clone()], ..args.common.clone() };
        let further = [(args.stitches.as_deref(), "--stitches")];
        return meshes::run(&common, None, &further, move |mut subject| {
            subject.notes.push(note.clone());
            check(subject, &options)
        });
    }
    let further = [(args.cache.as_deref(), "--cache"), (args.stitches.as_deref(), "--stitches")];
    let clips = args.clip.clone();
    meshes::run(&args.common, args.cache.as_deref(), &further, move |mut subject| {
        if !clips.is_empty() {
            subject.choose_clips(&clips)?;
        }
        check(subject, &options)
    })
}

/// The schema of `--json`.
pub(crate) fn schema() -> schemars::Schema {
    meshes::schema::<StatesReport>()
}

fn options(args: &CheckArgs) -> CheckOptions {
    let stitches = args.stitches.clone().zip(args.seam_distance);
    CheckOptions {
        weld: args.common.weld,
        max_pairs: args.common.max_pairs,
        frames_only: args.frames_only,
        cuts: args.cut.clone(),
        allow_folds: args.allow_folds,
        allow_left_out: args.allow_left_out,
        stitches: stitches.map(|(file, distance)| Stitches { file, distance }),
        examples: args.examples,
        interrupt: INTERRUPT,
    }
}

/// Writes the single mesh without the faces that lie on others; what was done, in words.
fn remove_doubled(args: &CheckArgs, out: &Path) -> Result<String, Failure> {
    let [path] = args.common.meshes.as_slice() else {
        return Err(Failure::new("--remove-doubled wants one MESH; name one"));
    };
    if !out.extension().is_some_and(|e| e.eq_ignore_ascii_case("obj")) {
        let text = format!("{}: --remove-doubled writes OBJ; give it the extension .obj", out.display());
        return Err(Failure::new(text));
    }
    let mut files = RunFiles::default();
    files.reads_all(&Subject::files(path), "MESH");
    args.stitches.iter().for_each(|path| files.reads(path, "--stitches"));
    files.writes(out, "--remove-doubled");
    files.writes_json(args.common.json.as_deref())?;
    let (own, weld) = (path.clone(), args.common.weld);
    let arrays = args.common.arrays.clone().unwrap_or_default();
    let Single { template, positions, removed } = run_on_worker(path, move || {
        Subject::open_arrays(&own, None, &arrays).and_then(|subject| single(subject, weld))
    })?;
    files.confirm(out, "--remove-doubled")?;
    template.write(out, &positions)?;
    Ok(format!("written without {} of {} on others", counted(removed, "face"), path.display()))
}

/// A mesh without the faces that lie on others.
struct Single {
    template: ObjTemplate,
    /// Of all vertices of the file.
    positions: Vec<Point3<f64>>,
    removed: usize,
}

/// Removes the faces that lie on others, after welding if that is wanted.
fn single(mut subject: Subject, weld: Option<f64>) -> Result<Single, FileError> {
    let path = subject.path.clone();
    let refuse = |text: String| FileError::new(&path, text);
    if subject.state_count() != 1 {
        return Err(refuse(format!("has {} states; give a mesh alone", subject.state_count())));
    }
    let positions = subject.read(0)?;
    let sound = PreparedMesh::new(&subject.mesh, weld).map_err(refuse)?;
    let (doubled, single) = sound.without_doubled(&sound.positions(&positions)).map_err(refuse)?;
    let single = single.as_ref().unwrap_or(&sound);
    let faces = &subject.mesh.faces;
    let mut keep = vec![true; faces.len()];
    doubled.iter().for_each(|&[face, _]| keep[sound.face_ids[face as usize] as usize] = false);
    let in_file = |(v, own): (u32, &Option<u32>)| own.map_or(v, |own| single.sources[own as usize]);
    let vertex: Vec<u32> = (0..).zip(&single.vertex_map).map(in_file).collect();
    let is_obj = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("obj"));
    let template = if is_obj {
        ObjTemplate::read_edited(&path, FaceEdit { faces, keep: &keep, vertex: &vertex })?
    } else {
        let kept = faces.iter().zip(&keep).filter(|(_, keep)| **keep);
        let kept = kept.map(|(face, _)| face.map(|v| vertex.get(v as usize).copied().unwrap_or(v)));
        ObjTemplate::from_mesh(&TriMesh::new(positions.clone(), kept.collect()))
    };
    Ok(Single { template, positions, removed: doubled.len() })
}

/// Judges a subject, and says how far that is.
fn check(mut subject: Subject, options: &CheckOptions) -> Result<StatesReport, FileError> {
    let path = subject.path.display().to_string();
    let mut progress = Progress::start(format!("check {path}"), "state", subject.state_count());
    check_states(&mut subject, options, &mut |event| match event {
        CheckEvent::States(judged) => progress.done(judged),
        CheckEvent::Pairs { pairs, intersections } => {
            let [pairs, found] = [pairs, intersections].map(|n| count(n as usize));
            console::error(format!(
                "{path}: {pairs} pairs of triangles checked, {found} intersections so far"
            ));
        }
    })
}

/// States are not summed over meshes.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct NoTotal {}

impl MeshReport for StatesReport {
    type Total = NoTotal;

    fn text(&self) -> String {
        self.text()
    }

    fn is_clean(&self) -> bool {
        self.is_clean()
    }

    fn total(_: &[Self]) -> NoTotal {
        NoTotal {}
    }
}
