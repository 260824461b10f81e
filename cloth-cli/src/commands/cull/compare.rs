//! Asks every method about every pose of a subject, and the exact check what is true of it.

use cloth_broadphase::cull::PatchTree;
use cloth_contacts::intersect::Checker;
use cloth_io::FileError;

use super::method::{Pose, methods};
use super::report::{MethodReport, PosesReport};
use crate::args::MeshArgs;
use crate::commands::meshes::{PreparedMesh, Subject, check_effort};
use crate::console::Progress;
use crate::interrupt::INTERRUPT;

/// Judges a subject; pairs and times are summed over its poses.
pub(super) fn compare_methods(subject: &mut Subject, args: &MeshArgs) -> Result<PosesReport, FileError> {
    let path = subject.path.clone();
    let refuse = |text: String| FileError::new(&path, text);
    let sound = PreparedMesh::new(&subject.mesh, args.weld).map_err(refuse)?;
    let start = std::time::Instant::now();
    let tree = PatchTree::new(&sound.topology);
    let build_ms = start.elapsed().as_secs_f64() * 1e3;
    let mut methods = methods(&tree);
    let mut reports: Vec<MethodReport> = methods.iter().map(|m| MethodReport::new(m.name)).collect();
    let mut checker = Checker::without_culling();
    let mut intersecting_pairs = 0;
    let mut progress = Progress::start(format!("cull {}", path.display()), subject.state_count());
    let mut poses = 0;
    while poses < subject.state_count() && !INTERRUPT.is_requested() {
        let positions = sound.positions(&subject.read(poses)?);
        check_effort(&path, &positions, &sound, args.max_pairs).map_err(refuse)?;
        let found = checker.check(&positions, &sound.topology).map_err(|e| refuse(e.to_string()))?;
        let pose = Pose { positions: &positions, true_pairs: &found.face_pairs(&sound.topology) };
        intersecting_pairs += pose.true_pairs.len();
        let before = methods[0].run(&pose, sound.topology.faces()).map_err(refuse)?;
        for (method, report) in methods.iter_mut().zip(&mut reports) {
            let after = method.run(&pose, sound.topology.faces()).map_err(refuse)?;
            report.add(&before, &after);
        }
        poses += 1;
        progress.done(poses);
    }
    if poses == 0 {
        return Err(refuse("interrupted before its first pose was judged".to_owned()));
    }
    Ok(PosesReport {
        path: path.display().to_string(),
        vertices: sound.topology.vertex_count(),
        triangles: sound.topology.faces().len(),
        poses,
        patches: tree.patch_count(),
        discs: tree.disc_count(),
        build_ms,
        intersecting_pairs,
        methods: reports,
    })
}
