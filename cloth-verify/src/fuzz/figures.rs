//! The figures of a campaign: sums over its scenes, whatever order they were run in.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;

use super::check::SceneOutcome;
use super::features::NAMES;
use super::scene::FuzzScene;

/// The figures of a campaign.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FuzzFigures {
    /// Scenes run.
    pub scenes: u64,
    /// Steps simulated.
    pub steps: u64,
    /// Substeps audited.
    pub substeps: u64,
    /// Substeps in which the pairs that the gate examined were compared with those that are near.
    pub completeness_substeps: u64,
    /// Pairs that the gate proved, summed over rounds and substeps.
    pub certified_pairs: u64,
    /// Pair-substeps that were exempt because of a tangle or a released body.
    pub exempt_pair_substeps: u64,
    /// Scenes that failed.
    pub failures: u64,
    /// Seed of the first scene that failed, or else of the first that took the gate the most rounds; none
    /// without scenes.
    pub worst_seed: Option<u64>,
    /// Most rounds that the gate took in a substep.
    pub max_gate_rounds: u32,
    /// Steps in which the gate changed a motion.
    pub changed_steps: u64,
    /// Scenes that intersected at the start.
    pub tangled_starts: u64,
    /// Scenes that ended early because the solver diverged; the step was refused with an error, and the state
    /// stayed.
    pub diverged: u64,
    /// Scenes with a second run whose bits were compared.
    pub repeats: u64,
    /// Scenes with a variant that was judged.
    pub variants: u64,
    /// Scenes that were run without the gate as well: about one in eight.
    pub ungated: u64,
    /// Of those, the ones in which cloth crossed then.
    pub ungated_crossed: u64,
    /// For each feature the scenes in which it acted: 0 where none did.
    pub features: BTreeMap<&'static str, u64>,
}

impl FuzzFigures {
    /// Adds a scene with its outcome; `crossed` says whether it crossed without the gate, if it was run so.
    pub(super) fn add(
        &mut self,
        seed: u64,
        scene: &FuzzScene,
        outcome: &SceneOutcome,
        crossed: Option<bool>,
    ) {
        // Of those that failed or else took the most rounds the first: the same in any order.
        let rank = |fails: bool, rounds: u32, seed: Option<u64>| {
            (fails, if fails { 0 } else { rounds }, seed.map(Reverse))
        };
        let fails = outcome.failure.is_some();
        let worst = rank(self.failures > 0, self.max_gate_rounds, self.worst_seed);
        if rank(fails, outcome.max_gate_rounds, Some(seed)) > worst {
            self.worst_seed = Some(seed);
        }
        self.max_gate_rounds = self.max_gate_rounds.max(outcome.max_gate_rounds);
        self.scenes += 1;
        self.steps += outcome.steps;
        self.substeps += outcome.substeps;
        self.completeness_substeps += outcome.completeness_substeps;
        self.certified_pairs += outcome.certified_pairs;
        self.exempt_pair_substeps += outcome.exempt_pair_substeps;
        self.failures += u64::from(fails);
        self.changed_steps += outcome.changed_steps;
        self.tangled_starts += u64::from(outcome.tangled_at_start > 0);
        self.diverged += u64::from(outcome.diverged.is_some());
        self.repeats += u64::from(scene.repeat.is_some());
        self.variants += u64::from(scene.variant.is_some());
        self.ungated += u64::from(crossed.is_some());
        self.ungated_crossed += u64::from(crossed == Some(true));
        for &name in NAMES {
            *self.features.entry(name).or_default() += u64::from(outcome.features.contains(&name));
        }
    }
}
