//! The repeated run of a scene, whose states must be bitwise equal to those of the first run.

use cloth_show::choice::BroadPhaseChoice;
use nalgebra::Isometry3;

use super::build::ScenePlan;
use super::check::guarded;
use super::player::ScenePlayer;
use super::scene::{FuzzScene, Repeat};

/// Repeats a scene and describes the first difference; `trace` holds the hash of the first run's snapshot
/// after each step.
pub(super) fn failure(scene: &FuzzScene, trace: &[u64]) -> Option<String> {
    let repeat = scene.repeat?;
    let (choice, threads) = match repeat {
        Repeat::Machine { broad_phase, threads } => (broad_phase, threads),
        _ => (scene.broad_phase, scene.threads),
    };
    let found = guarded(threads, || run(scene, choice, repeat, trace));
    found.err().map(|what| format!("a second run ({repeat:?}): {what}"))
}

fn run(scene: &FuzzScene, choice: BroadPhaseChoice, repeat: Repeat, trace: &[u64]) -> Result<(), String> {
    let plan = ScenePlan::new(scene).map_err(|e| e.to_string())?;
    let simulation = plan.build(choice, true).map_err(|e| e.to_string())?;
    let mut player = ScenePlayer::new(&plan, simulation);
    for (step, &expected) in (0..).zip(trace) {
        match repeat {
            Repeat::Restored { at, detour: steps } if at == step => detour(&mut player, step, steps)?,
            Repeat::Failing { how, every } if step.is_multiple_of(every.max(1)) => {
                player.fail(how, &mut |_| {})?;
            }
            Repeat::Migrated { at } if at == step => player = player.migrate(BroadPhaseChoice::BlockTree)?,
            _ => {}
        }
        player.play(step)?;
        let found = player.hash();
        if found != expected {
            return Err(format!("other bits after step {}: {found:016x}, not {expected:016x}", step + 1));
        }
    }
    Ok(())
}

/// Takes some steps with other edits, then restores the state before them.
fn detour(player: &mut ScenePlayer<'_>, step: u32, steps: u32) -> Result<(), String> {
    let kept = player.simulation.snapshot();
    let id = player.cloths[0].id;
    let by = Isometry3::translation(0.0, 0.01 * player.plan.scene.world.scale, 0.0);
    let edits = [player.simulation.teleport(id, &by), player.simulation.pin(id, 0)];
    edits.into_iter().collect::<Result<(), _>>().map_err(|e| e.to_string())?;
    for k in 0..steps {
        player.aim(step + k).map_err(|e| e.to_string())?;
        if player.step(&mut |_| {}).is_err() {
            break;
        }
    }
    player.simulation.restore(&kept).map_err(|e| e.to_string())?;
    player.targets.forget();
    match player.difference(&kept) {
        None => Ok(()),
        Some(what) => Err(format!("a snapshot that is restored is another: {what} differ")),
    }
}
