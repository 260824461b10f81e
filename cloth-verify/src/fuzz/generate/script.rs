//! What the caller does between the steps.

use super::super::dice::Dice;
use super::super::scene::FuzzScene;
use super::super::script::{Call, Entry};
use super::failing;

/// A few calls, ordered by step. Most come early, so that something happens after them.
pub(super) fn script(dice: &mut Dice, scene: &FuzzScene, speed: f32) -> Vec<Entry> {
    let last = scene.steps.saturating_sub(1) as usize;
    let mut entries = Vec::new();
    for _ in 0..dice.count(1, 5) {
        let at = dice.count(0, last / 2) as u32;
        add(dice, scene, speed, at, &mut entries);
    }
    entries.sort_by_key(|entry| entry.at);
    entries
}

/// Adds one call, or a snapshot with the return to it.
pub(super) fn add(dice: &mut Dice, scene: &FuzzScene, speed: f32, at: u32, entries: &mut Vec<Entry>) {
    let cloth = dice.count(0, scene.cloths.len().max(1) - 1) as u32;
    let vertex = dice.count(0, 63) as u32;
    let spacing = scene.cloths[0].form.spacing();
    let mut add = |at: u32, call: Call| entries.push(Entry { at, call });
    match dice.count(0, 13) {
        0 => {
            add(at, Call::Pin { cloth, vertex });
            add(at + 1, Call::MovePin { cloth, vertex, by: dice.vector(3.0 * spacing) });
        }
        1 => add(at, Call::MovePin { cloth, vertex, by: dice.vector(3.0 * spacing) }),
        2 | 12 => add(at, Call::Mass { cloth, vertex, mass: dice.pick(&[1e-5, 1e-3, 1.0]) }),
        3 => add(at, Call::Velocity { cloth, velocity: dice.vector(speed) }),
        4 | 5 => {
            let turned = if dice.chance(0.5) { [0.0; 3] } else { dice.vector(1.0) };
            let reach = dice.pick(&[0.5, 1.5, 3.0]) * spacing;
            add(at, Call::Teleport { cloth, turned, by: dice.vector(reach) });
        }
        6 => add(at, Call::Reset),
        7 | 13 => {
            let slot = dice.count(0, 3) as u8;
            add(at, Call::Snapshot { slot });
            add(at + dice.count(1, 3) as u32, Call::Restore { slot });
        }
        8 => add(at, Call::Dt { factor: dice.pick(&[0.3, 0.5, 2.0, 4.0]) }),
        9 => add(at, dice.pick(&[Call::RestoreForeign, Call::Nonsense])),
        _ => add(at, Call::Fail { how: failing(dice) }),
    }
}
