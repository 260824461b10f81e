//! A mesh without the faces that lie on others, written anew.

use std::path::Path;

use cloth_geom::TriMesh;
use cloth_io::{FaceEdit, FileError, ObjTemplate};
use cloth_show::check::{PreparedMesh, Subject};
use cloth_show::program::console::counted;
use cloth_show::program::{Failure, RunFiles};
use nalgebra::Point3;

use crate::args::CheckArgs;
use crate::commands::meshes::{GRACE, MeshOutput, check_mesh_format, has_extension, run_on_worker};

/// Writes the single mesh without the faces that lie on others; what was done, in words.
pub(super) fn remove_doubled(args: &CheckArgs, out: &Path) -> Result<String, Failure> {
    let [path] = args.meshes.as_slice() else {
        return Err(Failure::new("--remove-doubled wants one MESH; name one"));
    };
    check_mesh_format(out, "--remove-doubled")?;
    let mut files = RunFiles::default();
    files.reads_all(&Subject::files(path), "MESH");
    args.stitches.iter().for_each(|path| files.reads(path, "--stitches"));
    files.writes(out, "--remove-doubled");
    files.writes_json(args.json.as_deref())?;
    let (own, own_out, weld) = (path.clone(), out.to_path_buf(), args.weld);
    let arrays = args.arrays.clone().unwrap_or_default();
    let Single { output, positions, removed } = run_on_worker(path, GRACE, move || {
        Subject::open_arrays(&own, None, &arrays).and_then(|subject| single(subject, &own_out, weld))
    })?;
    files.confirm(out, "--remove-doubled")?;
    output.write(out, &positions)?;
    Ok(format!("written without {} of {} on others", counted(removed, "face"), path.display()))
}

/// A mesh without the faces that lie on others.
struct Single {
    output: MeshOutput,
    /// Of all vertices of the file.
    positions: Vec<Point3<f64>>,
    removed: usize,
}

/// Removes the faces that lie on others, after welding if that is wanted.
fn single(mut subject: Subject, out: &Path, weld: Option<f64>) -> Result<Single, FileError> {
    let path = subject.path.clone();
    let refuse = |text: String| FileError::new(&path, text);
    if subject.state_count() != 1 {
        return Err(refuse(format!("has {} states; give a mesh alone", subject.state_count())));
    }
    let positions = subject.read(0)?;
    let sound = PreparedMesh::new(&subject.mesh, weld).map_err(refuse)?;
    let (doubled, single) = sound.without_doubled(&sound.positions(&positions), None).map_err(refuse)?;
    let single = single.as_ref().unwrap_or(&sound);
    let faces = &subject.mesh.faces;
    let mut keep = vec![true; faces.len()];
    doubled.iter().for_each(|&[face, _]| keep[sound.face_ids[face as usize] as usize] = false);
    let in_file = |(v, own): (u32, &Option<u32>)| own.map_or(v, |own| single.sources[own as usize]);
    let vertex: Vec<u32> = (0..).zip(&single.vertex_map).map(in_file).collect();
    let kept = || {
        let kept = faces.iter().zip(&keep).filter(|(_, keep)| **keep);
        kept.map(|(face, _)| face.map(|v| vertex.get(v as usize).copied().unwrap_or(v))).collect()
    };
    let output = match (has_extension(out, "obj"), has_extension(&path, "obj")) {
        (true, true) => {
            let edit = FaceEdit { faces, keep: &keep, vertex: &vertex };
            MeshOutput::Obj(ObjTemplate::read_edited(&path, edit)?)
        }
        (true, false) => MeshOutput::Obj(ObjTemplate::from_mesh(&TriMesh::new(positions.clone(), kept()))),
        (false, _) => MeshOutput::Faces(kept()),
    };
    Ok(Single { output, positions, removed: doubled.len() })
}
