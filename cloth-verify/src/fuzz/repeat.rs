//! The repeated run of a scene, whose states must be bitwise equal to those of the first run.

use cloth_show::choice::BroadPhaseChoice;
use nalgebra::Isometry3;

use super::build::ScenePlan;
use super::check::{Prepare, guarded};
use super::player::ScenePlayer;
use super::scene::{FuzzScene, Repeat};

/// Repeats a scene and describes the first difference; `trace` holds the hash of the first run's snapshot
/// after each step.
pub(super) fn failure(scene: &FuzzScene, prepare: &impl Prepare, trace: &[u64]) -> Option<String> {
    let repeat = scene.repeat?;
    let (choice, threads) = match repeat {
        Repeat::Machine { broad_phase, threads } => (broad_phase, threads),
        _ => (scene.broad_phase, scene.threads),
    };
    let again = RepeatRun { scene, prepare, choice, repeat, trace };
    let found = guarded(threads, || again.run());
    found.err().map(|what| format!("a second run ({repeat:?}): {what}"))
}

struct RepeatRun<'a, P> {
    scene: &'a FuzzScene,
    prepare: &'a P,
    choice: BroadPhaseChoice,
    repeat: Repeat,
    trace: &'a [u64],
}

impl<P: Prepare> RepeatRun<'_, P> {
    fn run(self) -> Result<(), String> {
        let plan = ScenePlan::new(self.scene).map_err(|e| e.to_string())?;
        let simulation = plan.build(self.choice, true).map_err(|e| e.to_string())?;
        let mut player = ScenePlayer::new(&plan, simulation, self.prepare);
        let count = self.trace.len() as u32;
        for step in 0..count {
            match self.repeat {
                Repeat::Restored { at, detour } if at == step => self.detour(&mut player, step, detour)?,
                Repeat::Failing { how, every } if step.is_multiple_of(every.max(1)) => {
                    player.fail(how, &mut |_| {})?;
                }
                Repeat::Migrated { at } if at == step => {
                    let mut player = player.migrate(BroadPhaseChoice::BlockTree)?;
                    return (step..count).try_for_each(|step| self.step(&mut player, step));
                }
                _ => {}
            }
            self.step(&mut player, step)?;
        }
        Ok(())
    }

    fn step(&self, player: &mut ScenePlayer<'_>, step: u32) -> Result<(), String> {
        player.play(step)?;
        let (found, expected) = (player.hash(), self.trace[step as usize]);
        if found == expected {
            Ok(())
        } else {
            Err(format!("other bits after step {}: {found:016x}, not {expected:016x}", step + 1))
        }
    }

    /// Takes some steps with other edits, then restores the state before them.
    fn detour(&self, player: &mut ScenePlayer<'_>, step: u32, detour: u32) -> Result<(), String> {
        let kept = player.simulation.snapshot();
        let id = player.cloths[0].id;
        let by = Isometry3::translation(0.0, 0.01 * self.scene.world.scale, 0.0);
        let edits = [player.simulation.teleport(id, &by), player.simulation.pin(id, 0)];
        edits.into_iter().collect::<Result<(), _>>().map_err(|e| e.to_string())?;
        for k in 0..detour {
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
}
