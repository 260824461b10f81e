//! Metamorphic twins: scenes that differ only in how they are described or where they are, and have to be as clean.
//!
//! Bits differ, because sums are taken in another order. The verdict may not, and neither may the book of the start: its
//! intersections, its tangles and its touching pairs are geometry, which none of these changes.

use super::judge::{Prepare, Verdict, run};
use super::scene::{FuzzScene, Twin};

impl FuzzScene {
    /// The twin of a scene, if it has one; it has none itself.
    #[must_use]
    pub fn twin(&self) -> Option<Self> {
        let mut twin = Self { agreement: None, twin: None, ..self.clone() };
        let world = &mut twin.world;
        match self.twin? {
            Twin::Permuted { seed } => world.permuted = Some(seed),
            Twin::Mirrored => world.mirrored = !world.mirrored,
            Twin::Swapped => world.swapped = !world.swapped,
            Twin::Translated { units } => {
                let grid = world.grid.unwrap_or(0.0);
                for (x, units) in world.origin.iter_mut().zip(units) {
                    *x += grid * units as f32;
                }
            }
        }
        Some(twin)
    }
}

/// What is wrong with the twin of a scene, or different at its start.
pub(super) fn failure(scene: &FuzzScene, prepare: &impl Prepare, verdict: &Verdict) -> Option<String> {
    let kind = scene.twin?;
    let (twin, _) = run(&scene.twin()?, prepare);
    let words = |what: String| Some(format!("its twin ({kind:?}): {what}"));
    if let Some(what) = twin.failure {
        return words(what);
    }
    let book = |verdict: &Verdict| (verdict.tangled_at_start, verdict.book_at_start);
    if book(&twin) == book(verdict) {
        None
    } else {
        words(format!(
            "starts with {:?} intersections, [tangles, touching pairs], not {:?}",
            book(&twin),
            book(verdict)
        ))
    }
}
