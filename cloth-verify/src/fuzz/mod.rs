//! The campaign: many small scenes by chance, each through the gate, each judged by other means than the gate's.
//!
//! ```text
//! seed -> scene (generate) -> simulation (build) -> every frame judged (judge, claims)
//!                                 fails: smaller and smaller (shrink) -> a file that can be run again
//! ```
//!
//! A scene is a function of its seed alone. The scenes of a campaign have consecutive seeds, so that any of them is the first of
//! another campaign.

mod build;
mod claims;
mod dice;
mod generate;
mod judge;
mod limits;
mod scene;
mod shrink;
#[cfg(test)]
mod tests;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

pub use judge::{Prepare, Verdict, judge};
pub use limits::check_limits;
pub use scene::{Body, Form, FuzzScene, FuzzSettings, Kind, Obstacle, Piece, Pin, Way};
pub use shrink::shrink;

/// Scenes between two words about progress.
const BATCH: usize = 64;

/// The figures of a campaign.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FuzzFigures {
    /// Scenes run.
    pub scenes: u64,
    /// Frames simulated and judged.
    pub frames: u64,
    /// Pairs that the gate proved, summed over rounds and substeps.
    pub certified_pairs: u64,
    /// Scenes that failed.
    pub failures: u64,
    /// Seed of the first scene that failed, or else of the one that took the gate the most rounds; none without scenes.
    pub worst_seed: Option<u64>,
    /// Most rounds that the gate took in a substep.
    pub most_rounds: u32,
    /// Frames in which the gate changed a motion.
    pub changed_frames: u64,
    /// Scenes whose frames are one substep, so that the ways between them were judged too.
    pub one_substep: u64,
    /// Scenes that intersected at the start.
    pub tangled_starts: u64,
}

/// A scene that failed.
#[derive(Clone, Debug, PartialEq)]
pub struct FuzzFailure {
    /// Its place in the campaign, from 0; its seed is that of the campaign and this.
    pub index: u64,
    /// What was wrong, of the scene as it was.
    pub what: String,
    /// The scene, made as small as it would still fail.
    pub scene: FuzzScene,
}

/// Runs the scenes with the seeds `seed`, `seed + 1`, ..., on the threads of the present pool; `progress` is told how many are
/// done, and how many of them failed. The result does not depend on the threads.
#[must_use]
pub fn campaign(
    scenes: u64,
    seed: u64,
    prepare: Prepare<'_>,
    progress: &mut dyn FnMut(u64, u64),
) -> (FuzzFigures, Vec<FuzzFailure>) {
    let (mut figures, mut failures) = (FuzzFigures::default(), Vec::new());
    while figures.scenes < scenes {
        let to = (figures.scenes + BATCH as u64).min(scenes);
        let batch: Vec<(u64, FuzzScene, Verdict)> = (figures.scenes..to)
            .into_par_iter()
            .map(|index| {
                let scene = FuzzScene::of_seed(seed.wrapping_add(index));
                let verdict = judge(&scene, prepare);
                (index, scene, verdict)
            })
            .collect();
        for (index, scene, verdict) in batch {
            figures.take(seed.wrapping_add(index), &scene, &verdict);
            if let Some(what) = verdict.failure {
                failures.push(FuzzFailure { index, what, scene: shrink(&scene, prepare) });
            }
        }
        progress(figures.scenes, figures.failures);
    }
    (figures, failures)
}

impl FuzzFigures {
    fn take(&mut self, seed: u64, scene: &FuzzScene, verdict: &Verdict) {
        let fails = verdict.failure.is_some();
        let is_worst = if self.failures > 0 { false } else { fails || verdict.rounds > self.most_rounds };
        if is_worst || self.worst_seed.is_none() {
            self.worst_seed = Some(seed);
        }
        self.most_rounds = self.most_rounds.max(verdict.rounds);
        self.scenes += 1;
        self.frames += verdict.frames as u64;
        self.certified_pairs += verdict.proofs;
        self.failures += u64::from(fails);
        self.changed_frames += verdict.changed_frames as u64;
        self.one_substep += u64::from(scene.settings.substeps == 1);
        self.tangled_starts += u64::from(verdict.tangled_at_start > 0);
    }
}
