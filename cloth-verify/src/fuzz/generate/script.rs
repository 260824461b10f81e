//! What the caller does between the steps.

use super::super::random::SplitMix64;
use super::super::scene::FuzzScene;
use super::super::script::{ScriptCall, ScriptEntry};
use super::failing;

/// A few calls, ordered by step. Most come early, so that something happens after them.
pub(super) fn script(random: &mut SplitMix64, scene: &FuzzScene, speed: f32) -> Vec<ScriptEntry> {
    let last = scene.steps.saturating_sub(1) as usize;
    let mut entries = Vec::new();
    for _ in 0..random.count(1, 5) {
        let at = random.count(0, last / 2) as u32;
        add(random, scene, speed, at, &mut entries);
    }
    entries.sort_by_key(|entry| entry.at);
    entries
}

/// Adds one call, or a snapshot with the return to it.
pub(super) fn add(
    random: &mut SplitMix64,
    scene: &FuzzScene,
    speed: f32,
    at: u32,
    entries: &mut Vec<ScriptEntry>,
) {
    let cloth = random.count(0, scene.cloths.len().max(1) - 1) as u32;
    let vertex = random.count(0, 63) as u32;
    let spacing = scene.cloths[0].mesh.spacing();
    let mut add = |at: u32, call: ScriptCall| entries.push(ScriptEntry { at, call });
    match random.count(0, 13) {
        0 => {
            add(at, ScriptCall::Pin { cloth, vertex });
            add(at + 1, ScriptCall::MovePin { cloth, vertex, by: random.vector(3.0 * spacing) });
        }
        1 => add(at, ScriptCall::MovePin { cloth, vertex, by: random.vector(3.0 * spacing) }),
        2 | 12 => add(at, ScriptCall::Mass { cloth, vertex, mass: random.pick(&[1e-5, 1e-3, 1.0]) }),
        3 => add(at, ScriptCall::Velocity { cloth, velocity: random.vector(speed) }),
        4 | 5 => {
            let rotation = if random.chance(0.5) { [0.0; 3] } else { random.vector(1.0) };
            let reach = random.pick(&[0.5, 1.5, 3.0]) * spacing;
            add(at, ScriptCall::Teleport { cloth, rotation, by: random.vector(reach) });
        }
        6 => add(at, ScriptCall::Reset),
        7 | 13 => {
            let slot = random.count(0, 3) as u8;
            add(at, ScriptCall::Snapshot { slot });
            add(at + random.count(1, 3) as u32, ScriptCall::Restore { slot });
        }
        8 => add(at, ScriptCall::Dt { factor: random.pick(&[0.3, 0.5, 2.0, 4.0]) }),
        9 => add(at, random.pick(&[ScriptCall::RestoreForeign, ScriptCall::Nonsense])),
        _ => add(at, ScriptCall::Fail { how: failing(random) }),
    }
}
