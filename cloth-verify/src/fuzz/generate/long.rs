//! Long scenes: thousands of vibrating steps, then an approach so slow that a bound which has swallowed it
//! shows.
//!
//! Some vibrate until the end and carry all that scenes may have. Others are bare: what hides a swallowed
//! step is left out.

use super::super::mesh::FuzzMesh;
use super::super::random::SplitMix64;
use super::super::scene::{FuzzCloth, FuzzMotion, FuzzPin, FuzzScene, FuzzWorld, Repeat};
use super::settings::Detection;
use super::{cloths, colliders, script, settings};

/// Steps of a long scene.
const STEPS: u32 = 30_000;

pub(super) fn long(random: &mut SplitMix64) -> FuzzScene {
    if random.chance(0.4) { creeping(random) } else { trembling(random) }
}

/// Pinned layers, the upper of which trembles sideways by more than the gap between them, comes to rest aside
/// of where it began, and passes through the lower one by ten-thousandths of the gap a step. How far it is
/// from where it began says nothing about the gap then, and of the path only what is added in the end; the
/// candidate lists outlast all of it.
fn creeping(random: &mut SplitMix64) -> FuzzScene {
    let dt = 1.0 / random.pick(&[240.0_f32, 120.0, 60.0]);
    let detection = random.pick(&[Detection::FULL, Detection::PARTICLES]);
    let candidate_slack = random.pick(&[20.0, 40.0]);
    let mut scene = scene(random, dt, detection);
    scene.settings.substeps = 1;
    scene.settings.candidate_slack = candidate_slack;
    let spacing = random.between(0.01, 0.04);
    let gap = spacing * random.between(0.03, 0.08);
    let from = 2 * random.count(STEPS as usize / 4, STEPS as usize * 2 / 5) as u32 + 1;
    let approach = gap * random.between(1.2, 1.6) / ((STEPS - from) as f32 * dt);
    let aside = gap * random.between(1.2, 2.0) / dt;
    scene.cloths = (0..2).map(|k| layer(random, k, spacing, gap)).collect();
    let rises = gap * random.between(0.0, 0.3) / dt;
    let motion = FuzzMotion {
        velocity: [aside, rises, 0.0],
        half_period: 1,
        drift_velocity: [0.0, -approach, 0.0],
        drift_start: from,
        stops_at_drift: true,
    };
    for (piece, motion) in scene.cloths.iter_mut().zip([FuzzMotion::default(), motion]) {
        piece.thickness = gap * random.between(0.15, 0.25);
        piece.pins = (0..piece.mesh.vertex_bound() as u32).map(|vertex| FuzzPin { vertex, motion }).collect();
    }
    // A grid would put the layers on each other.
    scene.world = FuzzWorld { grid: None, ..settings::world(random, spacing) };
    scene
}

fn trembling(random: &mut SplitMix64) -> FuzzScene {
    let dt = 1.0 / random.pick(&[240.0_f32, 120.0, 60.0]);
    let substeps = random.pick(&[1, 1, 2]);
    let detection = random.pick(&[Detection::FULL, Detection::FULL, Detection::PARTICLES, Detection::MIXED]);
    let mut scene = scene(random, dt, detection);
    (scene.settings.substeps, scene.settings.iterations) = (substeps, 1);
    let spacing = random.between(0.01, 0.04);
    let gap = spacing * random.between(0.05, 0.3);
    // A tenth to all of the gap to and fro, and after a part of the run as far as three gaps in what is left
    // of it.
    let trembles = random.count(STEPS as usize / 10, STEPS as usize * 9 / 10) as u32;
    let amplitude = gap * random.between(0.05, 0.5);
    let approach = 3.0 * gap / ((STEPS - trembles) as f32 * dt);
    scene.cloths = (0..random.pick(&[2, 2, 2, 3])).map(|k| layer(random, k, spacing, gap)).collect();
    for (k, piece) in scene.cloths.iter_mut().enumerate() {
        if k == 0 || random.chance(0.7) {
            let count = piece.mesh.vertex_bound() as u32;
            let up = if k == 0 { 1.0 } else { -1.0 };
            let motion = FuzzMotion {
                velocity: [0.0, -up * amplitude / dt, 0.0],
                half_period: 1,
                drift_velocity: [0.0, if k == 0 { 0.0 } else { up * approach }, 0.0],
                drift_start: trembles,
                stops_at_drift: false,
            };
            let every = random.pick(&[1, 1, 2, 3]);
            piece.pins = (0..count).step_by(every).map(|vertex| FuzzPin { vertex, motion }).collect();
        }
        if random.chance(0.3) {
            cloths::add_controls(random, piece, 0.1);
        }
    }
    if random.chance(0.3) {
        cloths::add_regions(random, &mut scene, detection.mixed);
    }
    scene.world = settings::world(random, spacing);
    if random.chance(0.3) {
        scene.colliders = colliders::colliders(random);
    }
    if random.chance(0.2) {
        scene.bodies = colliders::bodies(random, dt);
        scene.bodies.truncate(1);
    }
    let mut entries = Vec::new();
    for _ in 0..random.count(0, 20) {
        let at = random.count(0, STEPS as usize - 4) as u32;
        script::add(random, &scene, 0.1, at, &mut entries);
    }
    entries.sort_by_key(|entry| entry.at);
    scene.script = entries;
    if random.chance(0.2) {
        let at = random.count(0, STEPS as usize - 1) as u32;
        scene.repeat = Some(Repeat::Restored { at, detour: 3 });
    }
    scene
}

/// A long scene without cloths, whose contacts are detected in this way.
fn scene(random: &mut SplitMix64, dt: f32, detection: Detection) -> FuzzScene {
    let (mut scene, _) = settings::scene(random, dt);
    scene.steps = STEPS;
    scene.settings.contacts = detection.source;
    scene.default_interaction = detection.interaction;
    scene
}

/// Up to four by three vertices, the upper ones rotated: everything is near everything, so time grows with
/// the square of their number.
fn layer(random: &mut SplitMix64, k: usize, spacing: f32, gap: f32) -> FuzzCloth {
    let vertices = [random.pick(&[2, 3, 3, 4]), random.pick(&[2, 3, 3])];
    let mut piece = cloths::piece(random, FuzzMesh::Sheet { vertices, spacing }, spacing);
    piece.jitter.0 = piece.jitter.0.min(0.1 * gap);
    piece.thickness = gap * random.pick(&[0.0, 0.05, 0.2, 0.5, 1.5]);
    piece.at = [0.0, gap * k as f32, 0.0];
    piece.rotation = [0.0, random.between(-0.5, 0.5) * k as f32, 0.0];
    piece.layer = random.chance(0.3).then_some(k as u16);
    piece
}
