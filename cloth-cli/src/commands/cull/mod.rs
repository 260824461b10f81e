//! `cloth cull`: how many pairs each culling method spares on the poses of a mesh, and whether it misses any.

mod method;
mod report;

use std::path::Path;

use cloth_broadphase::ParryBvh;
use cloth_broadphase::cull::PatchTree;
use cloth_contacts::intersect::Checker;
use cloth_io::FileError;

use crate::args::CullArgs;
use crate::commands::meshes::{Refused, Sound, Subject};
use crate::console::Progress;
use crate::failure::{Failure, Status};
use crate::{console, json};
use method::{Pose, methods};
use report::{CullReport, MeshReport, MethodReport};

/// Judges each mesh and prints its table; a file that is refused does not keep the others from being judged.
pub(crate) fn run(args: &CullArgs) -> Result<Status, Failure> {
    if args.cache.is_some() && args.common.meshes.len() != 1 {
        return Err(Failure::new("--cache wants one MESH, whose faces the cache moves; name one"));
    }
    json::check_place(args.common.json.as_deref())?;
    let mut report = CullReport { schema_version: json::SCHEMA_VERSION, ..CullReport::default() };
    for path in &args.common.meshes {
        match judge(path, args) {
            Ok(mesh) => {
                console::out(mesh.text());
                report.meshes.push(mesh);
            }
            Err(failure) => {
                console::error(&failure);
                report.refused.push(Refused { path: path.display().to_string(), error: failure.to_string() });
            }
        }
    }
    report.sum_up();
    json::write(args.common.json.as_deref(), &report)?;
    Ok(if !report.refused.is_empty() {
        Status::CouldNotRun
    } else if report.methods.iter().any(|method| method.missed > 0) {
        Status::Found
    } else {
        Status::Clean
    })
}

fn judge(path: &Path, args: &CullArgs) -> Result<MeshReport, Failure> {
    let mut subject = Subject::open(path, args.cache.as_deref())?;
    let refuse = |text: String| FileError::new(path, text);
    let sound = Sound::of(&subject.mesh, args.common.weld).map_err(refuse)?;
    let start = std::time::Instant::now();
    let tree = PatchTree::new(&sound.topology);
    let build_ms = start.elapsed().as_secs_f64() * 1e3;
    let mut methods = methods(&tree);
    let mut reports: Vec<MethodReport> = methods.iter().map(|m| MethodReport::new(m.name)).collect();
    let mut checker = Checker::<ParryBvh>::without_culling();
    let mut intersecting_pairs = 0;
    let mut progress = Progress::start(format!("cull {}", path.display()), subject.state_count());
    for state in 0..subject.state_count() {
        let positions = sound.positions(&subject.read(state)?);
        let found = checker.check(&positions, &sound.topology).map_err(|e| refuse(e.to_string()))?;
        let pose = Pose { positions: &positions, true_pairs: &found.face_pairs(&sound.topology) };
        intersecting_pairs += pose.true_pairs.len();
        let before = methods[0].run(&pose, sound.topology.faces()).map_err(refuse)?;
        for (method, report) in methods.iter_mut().zip(&mut reports) {
            let after = method.run(&pose, sound.topology.faces()).map_err(refuse)?;
            report.add(&before, &after);
        }
        progress.done(state + 1);
    }
    Ok(MeshReport {
        path: path.display().to_string(),
        vertices: sound.topology.vertex_count(),
        triangles: sound.topology.faces().len(),
        poses: subject.state_count(),
        patches: tree.patch_count(),
        discs: tree.disc_count(),
        build_ms,
        intersecting_pairs,
        methods: reports,
    })
}
