//! Makes a scene that fails smaller, as long as it fails: fewer parts, fewer frames, fewer vertices, plainer settings.

use super::judge::{Prepare, judge};
use super::scene::FuzzScene;

/// Runs of a scene that shrinking may take.
const MOST_RUNS: usize = 600;

/// The smallest scene found that still fails, in whatever way.
#[must_use]
pub fn shrink(scene: &FuzzScene, prepare: Prepare<'_>) -> FuzzScene {
    let mut best = scene.clone();
    let mut runs = 0;
    loop {
        let smaller = candidates(&best).into_iter().find(|candidate| {
            runs += 1;
            runs <= MOST_RUNS && judge(candidate, prepare).failure.is_some()
        });
        match smaller {
            Some(mut found) => {
                // A step that ends in an error is not among the frames that were judged.
                found.frames = (judge(&found, prepare).frames + 1).min(found.frames);
                best = found;
            }
            None => return best,
        }
    }
}

/// Scenes that are smaller or plainer in one respect, the boldest first.
fn candidates(scene: &FuzzScene) -> Vec<FuzzScene> {
    let mut all = Vec::new();
    let mut with = |change: &dyn Fn(&mut FuzzScene)| {
        let mut changed = scene.clone();
        change(&mut changed);
        if changed != *scene {
            all.push(changed);
        }
    };
    (0..scene.cloths.len())
        .filter(|_| scene.cloths.len() > 1)
        .for_each(|k| with(&|s| _ = s.cloths.remove(k)));
    (0..scene.colliders.len()).for_each(|k| with(&|s| _ = s.colliders.remove(k)));
    (0..scene.bodies.len()).for_each(|k| with(&|s| _ = s.bodies.remove(k)));
    with(&|s| s.frames = s.frames.div_ceil(2));
    with(&|s| s.frames = (s.frames - 1).max(1));
    with(&|s| s.settings.substeps = 1);
    with(&|s| s.settings.contacts = false);
    with(&|s| s.settings.recovery = false);
    with(&|s| s.settings.gravity = 0.0);
    with(&|s| s.settings.self_friction = 0.0);
    with(&|s| s.settings.iterations = 1);
    with(&|s| s.settings.detect_interval = 1);
    for k in 0..scene.cloths.len() {
        with(&|s| s.cloths[k].pins.clear());
        with(&|s| s.cloths[k].crumple.0 = 0.0);
        with(&|s| s.cloths[k].velocity = [0.0; 3]);
        with(&|s| s.cloths[k].material = "cotton".into());
        let mut form = scene.cloths[k].form;
        for c in 0..form.counts_mut().len() {
            for fewer in [|n: usize| n.div_ceil(2), |n: usize| n - 1] {
                with(&|s| {
                    let least = 2;
                    let mut counts = s.cloths[k].form.counts_mut();
                    *counts[c] = fewer(*counts[c]).max(least.min(*counts[c]));
                });
            }
        }
    }
    // What cannot be built any more is no smaller scene that fails.
    all.retain(|s| s.build::<cloth_broadphase::ParryBvh>().is_ok());
    all
}
