//! Makes a scene that fails smaller, as long as it fails: fewer parts and calls, fewer steps, fewer vertices,
//! plainer settings.

use cloth_show::Interrupt;
use cloth_show::choice::BroadPhaseChoice;
use cloth_solver::{
    ContactSource, Damping, ElasticModel, Interaction, Material, ParticleSettings, Settings, Wind,
};
use nalgebra::Vector3;

use super::check::{SceneOutcome, check_scene};
use super::scene::{FuzzMotion, FuzzScene};

/// Runs of a scene that shrinking may take.
const MOST_RUNS: usize = 600;
/// Steps that all those runs may take together, so that a long scene is not run for hours.
const MOST_STEPS: u64 = 300_000;

/// The smallest scene found that still fails, in whatever motion; when it is asked to stop, the smallest so
/// far.
#[must_use]
pub fn shrink(scene: &FuzzScene, interrupt: Interrupt) -> FuzzScene {
    shrink_by(scene, interrupt, check_scene)
}

/// Shrinks a scene that fails a check.
pub(super) fn shrink_by(
    scene: &FuzzScene,
    interrupt: Interrupt,
    check: impl Fn(&FuzzScene) -> SceneOutcome,
) -> FuzzScene {
    let mut best = scene.clone();
    let (mut runs, mut steps) = (0, 0);
    loop {
        let smaller = candidates(&best).into_iter().find_map(|candidate| {
            runs += 1;
            steps += u64::from(candidate.steps);
            if runs > MOST_RUNS || steps > MOST_STEPS || interrupt.is_requested() {
                return None;
            }
            let outcome = check(&candidate);
            outcome.failure.is_some().then_some((candidate, outcome.steps))
        });
        let Some((mut found, steps)) = smaller else { return best };
        // Steps after the one that fails are not needed; where a second run failed, all are.
        let fewer = FuzzScene { steps: (steps as u32 + 1).min(found.steps), ..found.clone() };
        if fewer != found && check(&fewer).failure.is_some() {
            found = fewer;
        }
        best = found;
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
    with(&|s| s.repeat = None);
    with(&|s| s.variant = None);
    with(&|s| s.script.clear());
    if scene.cloths.len() > 1 {
        (0..scene.cloths.len()).for_each(|k| with(&|s| _ = s.cloths.remove(k)));
    }
    with(&|s| s.colliders.clear());
    with(&|s| s.bodies.clear());
    with(&|s| s.instances.clear());
    with(&|s| s.waypoints = None);
    with(&|s| s.rules.clear());
    (0..scene.colliders.len()).for_each(|k| with(&|s| _ = s.colliders.remove(k)));
    (0..scene.bodies.len()).for_each(|k| with(&|s| _ = s.bodies.remove(k)));
    (0..scene.script.len()).for_each(|k| with(&|s| _ = s.script.remove(k)));
    (0..scene.rules.len()).for_each(|k| with(&|s| _ = s.rules.remove(k)));
    with(&|s| s.steps = s.steps.div_ceil(2));
    with(&|s| s.steps = (s.steps - 1).max(1));
    settings(&mut with);
    (0..scene.cloths.len()).for_each(|k| cloth(scene, k, &mut with));
    for k in 0..scene.colliders.len() {
        with(&|s| s.colliders[k].guarded = false);
        with(&|s| s.colliders[k].rigid = None);
        with(&|s| s.colliders[k].motion = FuzzMotion::default());
    }
    for k in 0..scene.bodies.len() {
        with(&|s| s.bodies[k].spin = 0.0);
        with(&|s| s.bodies[k].pulse.0 = 0.0);
        with(&|s| s.bodies[k].motion = FuzzMotion::default());
    }
    // What cannot be built any more is no smaller scene that fails.
    all.retain(|s| s.check_build().is_ok());
    all
}

type With<'a> = &'a mut dyn FnMut(&dyn Fn(&mut FuzzScene));

fn settings(with: With<'_>) {
    with(&|s| s.settings.substeps = 1);
    with(&|s| s.settings.contacts = ContactSource::Detected);
    with(&|s| s.default_interaction = Interaction::Particles);
    with(&|s| s.settings.recovery = false);
    with(&|s| s.settings.gravity = Vector3::zeros());
    with(&|s| s.settings.wind = Wind::VACUUM);
    with(&|s| s.settings.wind.gusts = None);
    with(&|s| s.settings.model = ElasticModel::Xpbd);
    with(&|s| s.settings.sleep = None);
    with(&|s| s.settings.teleport = None);
    with(&|s| s.settings.self_friction = 0.0);
    with(&|s| s.settings.iterations = 1);
    with(&|s| s.settings.detect_interval = 1);
    with(&|s| s.settings.recovery_speed = f32::INFINITY);
    with(&|s| s.settings.max_radii_per_substep = None);
    with(&|s| s.settings.relaxation = Settings::default().relaxation);
    with(&|s| s.settings.wind_interval = Settings::default().wind_interval);
    with(&|s| s.settings.particles = ParticleSettings::default());
    with(&|s| s.threads = 1);
    with(&|s| s.broad_phase = BroadPhaseChoice::default());
    with(&|s| s.world.scale = 1.0);
    with(&|s| s.world.origin = [0.0; 3]);
    with(&|s| s.world.grid = None);
    with(&|s| s.world.mirrored = false);
    with(&|s| s.world.permutation_seed = None);
    with(&|s| s.world.reversed = false);
}

fn cloth(scene: &FuzzScene, k: usize, with: With<'_>) {
    with(&|s| s.cloths[k].pins.clear());
    with(&|s| s.cloths[k].attachments.clear());
    with(&|s| s.cloths[k].stitches.clear());
    with(&|s| s.cloths[k].exclusions.clear());
    with(&|s| s.cloths[k].regions.clear());
    with(&|s| s.cloths[k].layer = None);
    with(&|s| s.cloths[k].tethers = None);
    with(&|s| s.cloths[k].drive = None);
    with(&|s| s.cloths[k].carrier = None);
    with(&|s| s.cloths[k].damping = Damping::default());
    with(&|s| s.cloths[k].jitter.0 = 0.0);
    with(&|s| s.cloths[k].velocity = [0.0; 3]);
    with(&|s| s.cloths[k].rotation = [0.0; 3]);
    with(&|s| s.cloths[k].thickness = 0.0);
    with(&|s| s.cloths[k].material = Material::COTTON);
    for p in 0..scene.cloths[k].pins.len() {
        with(&|s| _ = s.cloths[k].pins.remove(p));
    }
    let mut mesh = scene.cloths[k].mesh;
    for c in 0..mesh.counts_mut().len() {
        for fewer in [|n: usize| n.div_ceil(2), |n: usize| n.saturating_sub(1)] {
            with(&|s| {
                let least = 2;
                let mut counts = s.cloths[k].mesh.counts_mut();
                *counts[c] = fewer(*counts[c]).max(least.min(*counts[c]));
            });
        }
    }
}
