//! Asks every method about every pose of a subject, and the exact check what is true of it.

use cloth_broadphase::ParryBvh;
use cloth_broadphase::cull::PatchTree;
use cloth_contacts::intersect::Checker;
use cloth_io::FileError;

use super::method::{Pose, methods};
use super::report::{MethodReport, PosesReport};
use crate::commands::meshes::{Sound, Subject};
use crate::console::Progress;

/// Judges a subject; pairs and times are summed over its poses.
pub(super) fn judge(subject: &mut Subject, weld: Option<f64>) -> Result<PosesReport, FileError> {
    let path = subject.path.clone();
    let refuse = |text: String| FileError::new(&path, text);
    let sound = Sound::of(&subject.mesh, weld).map_err(refuse)?;
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
    Ok(PosesReport {
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
