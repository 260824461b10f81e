//! Every broad phase by its word.

use cloth_broadphase::{
    AnyBroadPhase, BlockTree, BroadPhase, BruteForce, KdTree, ParryBvh, SpatialHash, SweepAndPrune, SweepGrid,
};
use serde::{Deserialize, Serialize};

/// The broad phase that a run detects with and judges by. Results do not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BroadPhaseChoice {
    /// [`cloth_broadphase::BlockTree`].
    #[default]
    BlockTree,
    /// [`cloth_broadphase::ParryBvh`].
    ParryBvh,
    /// [`cloth_broadphase::SweepGrid`].
    SweepGrid,
    /// [`cloth_broadphase::SpatialHash`].
    SpatialHash,
    /// [`cloth_broadphase::KdTree`].
    KdTree,
    /// [`cloth_broadphase::SweepAndPrune`].
    SweepAndPrune,
    /// [`cloth_broadphase::BruteForce`]: quadratic, so it is for small scenes.
    BruteForce,
}

/// Work on a broad phase whose type the compiler knows, such as measuring it; see [`BroadPhaseChoice::with`].
pub trait WithBroadPhase {
    /// What the work gives.
    type Output;

    /// Does the work with one broad phase.
    fn call<B: BroadPhase>(self) -> Self::Output;
}

impl BroadPhaseChoice {
    /// Whether its time grows with the square of the number of boxes, whatever they are.
    #[must_use]
    pub fn is_quadratic(self) -> bool {
        self == Self::BruteForce
    }

    /// Hands the type of this choice to some work: the one place where a word becomes a type.
    pub fn with<W: WithBroadPhase>(self, work: W) -> W::Output {
        match self {
            Self::ParryBvh => work.call::<ParryBvh>(),
            Self::BlockTree => work.call::<BlockTree>(),
            Self::SweepGrid => work.call::<SweepGrid>(),
            Self::SpatialHash => work.call::<SpatialHash>(),
            Self::KdTree => work.call::<KdTree>(),
            Self::SweepAndPrune => work.call::<SweepAndPrune>(),
            Self::BruteForce => work.call::<BruteForce>(),
        }
    }

    /// An empty broad phase of this kind.
    #[must_use]
    pub fn broad_phase(self) -> AnyBroadPhase {
        struct Erase;
        impl WithBroadPhase for Erase {
            type Output = AnyBroadPhase;

            fn call<B: BroadPhase>(self) -> AnyBroadPhase {
                B::default().into_any()
            }
        }
        self.with(Erase)
    }
}

choices!(BroadPhaseChoice, "broad phase", {
    BlockTree = "block-tree",
    ParryBvh = "parry-bvh",
    SweepGrid = "sweep-grid",
    SpatialHash = "spatial-hash",
    KdTree = "kd-tree",
    SweepAndPrune = "sweep-and-prune",
    BruteForce = "brute-force",
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_broad_phase_reads_back_from_its_word() {
        for choice in BroadPhaseChoice::ALL {
            assert_eq!(choice.to_string().parse(), Ok(choice));
        }
        assert!("".parse::<BroadPhaseChoice>().is_err());
    }
}
