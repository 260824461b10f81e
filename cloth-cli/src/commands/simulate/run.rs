//! The frames: what is shown, drawn, recorded and written of each one while the run goes on.

use cloth_show::program::console::Progress;
use cloth_show::program::interrupt::INTERRUPT;
use cloth_show::program::{Failure, RunFiles};
use cloth_show::recording::Recording;
use cloth_show::run::{Observation, Prepared, Run};
use cloth_solver::Collider;
use nalgebra::Point3;

use super::glb::GlbRecorder;
use super::interim::Interim;
use super::output::OutputPlan;
use super::pictures::{self, frames_to_keep};
use super::player::RunRecorder;
use super::start;
use crate::args::SimulateArgs;

/// What was kept of a run to be drawn, played or written at its end.
#[derive(Default)]
pub(super) struct Kept {
    /// States for pictures.
    pub(super) stills: Vec<Still>,
    /// The run as it can be played, if a report is written.
    pub(super) recording: Option<Recording>,
    pub(super) glb: GlbRecorder,
}

/// A state kept for a picture.
#[cfg_attr(not(feature = "pictures"), expect(dead_code, reason = "pictures alone read it"))]
pub(super) struct Still {
    pub(super) frame: usize,
    pub(super) positions: Vec<Point3<f32>>,
    pub(super) colliders: Vec<Collider>,
    pub(super) red_faces: Vec<u32>,
    /// The skin of a character (m).
    pub(super) skin: Vec<Point3<f32>>,
}

/// Runs a scene to its end, to the frame in which it breaks, or to a signal. Caches have the frames until
/// then.
pub(super) fn run(
    run: &mut Run,
    args: &SimulateArgs,
    plan: &OutputPlan,
    interim: &mut Interim,
    files: &RunFiles,
) -> Result<Kept, Failure> {
    let keep = frames_to_keep(plan, run.prepared.scene.frames);
    let mut recorder = plan.is_recorded.then(|| RunRecorder::new(&run.prepared));
    let mut kept = Kept::default();
    let sign = run.prepared.simulation.stage_sign();
    let what = format!("simulate {}", run.prepared.name);
    let mut progress = Progress::start_with(what, "frame", run.prepared.scene.frames, move || {
        stage_in_words(sign.stage()).into()
    });
    while let Some(seen) = run.advance(INTERRUPT)? {
        let (frame, prepared) = (run.states() - 1, &run.prepared);
        if frame == 0 {
            start::report(run, &seen, args, plan, files)?;
        }
        recorder.iter_mut().for_each(|recorder| recorder.record(frame, (&seen, &run.record.cuts), prepared));
        if keep.contains(&frame) {
            kept.stills.push(Still::new(frame, &seen, prepared));
            pictures::write_last(plan, prepared, &kept.stills, files)?;
        }
        interim.push(prepared)?;
        if plan.glb.is_some() {
            kept.glb.push(prepared);
        }
        interim.update(|| run.report());
        progress.done(frame);
    }
    kept.recording = recorder.map(|recorder| recorder.finish(&run.prepared.simulation));
    interim.finish_caches()?;
    Ok(kept)
}

/// What a frame waits for in a stage of the step; behind the last one it is judged.
fn stage_in_words(stage: &str) -> &'static str {
    match stage {
        "detect" => "the search for contacts",
        "recover" => "the recovery from tangles",
        "solve" => "the solver",
        "gate" => "the gate, which certifies its motion",
        "update" => "the judge of the frame",
        _ => "what moves in the scene",
    }
}

impl Still {
    /// The present state.
    pub(super) fn new(frame: usize, seen: &Observation, prepared: &Prepared) -> Self {
        let Prepared { simulation, scene, .. } = prepared;
        Self {
            frame,
            positions: simulation.positions().to_vec(),
            colliders: simulation.colliders().to_vec(),
            red_faces: seen.red_faces.clone(),
            skin: scene.bodies.character().map_or_else(Vec::new, |c| c.positions().to_vec()),
        }
    }
}
