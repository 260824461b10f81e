//! Metamorphic tests: a scene and a variant that differs only in description or place must both be free of
//! intersections.
//!
//! The bits differ, because sums are taken in another order. The outcome must be equal, and so must the
//! intersections, tangles and touching pairs of the start: they are geometry, which no variant changes.

use super::check::{SceneOutcome, run};
use super::scene::{FuzzScene, MetamorphicVariant};

impl FuzzScene {
    /// The variant of a scene, if it has one; it has none itself.
    #[must_use]
    pub fn variant(&self) -> Option<Self> {
        let mut variant = Self { repeat: None, variant: None, ..self.clone() };
        let world = &mut variant.world;
        match self.variant? {
            MetamorphicVariant::Permuted { seed } => world.permutation_seed = Some(seed),
            MetamorphicVariant::Mirrored => world.mirrored = !world.mirrored,
            MetamorphicVariant::Swapped => world.reversed = !world.reversed,
            MetamorphicVariant::Translated { units } => {
                let grid = world.grid.unwrap_or(0.0);
                for (x, units) in world.origin.iter_mut().zip(units) {
                    *x += grid * units as f32;
                }
            }
        }
        Some(variant)
    }
}

/// Runs the variant of a scene; describes its failure, or what differs at its start.
pub(super) fn failure(scene: &FuzzScene, outcome: &SceneOutcome) -> Option<String> {
    let kind = scene.variant?;
    let (variant, _) = run(&scene.variant()?);
    let words = |what: String| Some(format!("its metamorphic variant ({kind:?}): {what}"));
    if let Some(what) = variant.failure {
        return words(what);
    }
    let start = |outcome: &SceneOutcome| (outcome.tangled_at_start, outcome.exemptions_at_start);
    if start(&variant) == start(outcome) {
        None
    } else {
        words(format!(
            "starts with {:?} intersections, [tangles, touching pairs], not {:?}",
            start(&variant),
            start(outcome)
        ))
    }
}
