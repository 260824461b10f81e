//! The figures of a campaign: sums over its scenes, whatever order they were run in.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::check::SceneOutcome;
use super::features::{Feature, FeatureSet, impossible};
use super::scene::FuzzScene;

/// The figures of a campaign.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// For each feature the scenes in which it acted.
    pub features: BTreeMap<String, u64>,
    /// For each two features the scenes in which both acted, by `first + second`; those without any are left
    /// out.
    pub pairs: BTreeMap<String, u64>,
}

/// Two features that acted together in few scenes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ScarcePair {
    /// The features.
    pub features: [&'static str; 2],
    /// In how many scenes both acted.
    pub scenes: u64,
    /// Why they cannot, if they cannot.
    pub impossible: Option<&'static str>,
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
        let one = Self {
            scenes: 1,
            steps: outcome.steps,
            substeps: outcome.substeps,
            completeness_substeps: outcome.completeness_substeps,
            certified_pairs: outcome.certified_pairs,
            exempt_pair_substeps: outcome.exempt_pair_substeps,
            failures: outcome.failure.is_some().into(),
            worst_seed: Some(seed),
            max_gate_rounds: outcome.max_gate_rounds,
            changed_steps: outcome.changed_steps,
            tangled_starts: (outcome.tangled_at_start > 0).into(),
            diverged: outcome.diverged.is_some().into(),
            repeats: scene.repeat.is_some().into(),
            variants: scene.variant.is_some().into(),
            ungated: crossed.is_some().into(),
            ungated_crossed: (crossed == Some(true)).into(),
            features: BTreeMap::new(),
            pairs: BTreeMap::new(),
        };
        self.merge(&one);
        self.count(outcome.features);
    }

    /// Adds the figures of another part of the campaign.
    pub fn merge(&mut self, other: &Self) {
        // Of those that failed or else took the most rounds the first: the same in any order.
        let rank = |figures: &Self| {
            let seed = figures.worst_seed.map_or(0, |seed| u64::MAX - seed);
            (
                figures.worst_seed.is_some(),
                figures.failures > 0,
                if figures.failures > 0 { 0 } else { figures.max_gate_rounds },
                seed,
            )
        };
        if rank(other) > rank(self) {
            self.worst_seed = other.worst_seed;
        }
        self.max_gate_rounds = self.max_gate_rounds.max(other.max_gate_rounds);
        self.scenes += other.scenes;
        self.steps += other.steps;
        self.substeps += other.substeps;
        self.completeness_substeps += other.completeness_substeps;
        self.certified_pairs += other.certified_pairs;
        self.exempt_pair_substeps += other.exempt_pair_substeps;
        self.failures += other.failures;
        self.changed_steps += other.changed_steps;
        self.tangled_starts += other.tangled_starts;
        self.diverged += other.diverged;
        self.repeats += other.repeats;
        self.variants += other.variants;
        self.ungated += other.ungated;
        self.ungated_crossed += other.ungated_crossed;
        for (name, count) in &other.features {
            *self.features.entry(name.clone()).or_default() += count;
        }
        for (name, count) in &other.pairs {
            *self.pairs.entry(name.clone()).or_default() += count;
        }
    }

    fn count(&mut self, acted: FeatureSet) {
        for a in acted.iter() {
            *self.features.entry(a.name().into()).or_default() += 1;
            for b in acted.iter().filter(|b| a < *b) {
                *self.pairs.entry(key(a, b)).or_default() += 1;
            }
        }
    }

    /// In how many scenes a feature acted.
    #[must_use]
    pub fn acted(&self, feature: Feature) -> u64 {
        self.features.get(feature.name()).copied().unwrap_or(0)
    }

    /// The pairs of features that acted together in fewer than `least` scenes, the fewest first.
    #[must_use]
    pub fn scarce_pairs(&self, least: u64) -> Vec<ScarcePair> {
        let mut scarce = Vec::new();
        for (k, &b) in Feature::ALL.iter().enumerate() {
            for &a in &Feature::ALL[..k] {
                let scenes = self.pairs.get(&key(a, b)).copied().unwrap_or(0);
                if scenes < least {
                    let features = [a.name(), b.name()];
                    scarce.push(ScarcePair { features, scenes, impossible: impossible(a, b) });
                }
            }
        }
        scarce.sort_by_key(|pair| pair.scenes);
        scarce
    }
}

fn key(a: Feature, b: Feature) -> String {
    format!("{} + {}", a.name(), b.name())
}
