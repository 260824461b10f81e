//! The driver: scenes of consecutive seeds on some threads, each failure reported as it occurs.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use cloth_show::Interrupt;
use cloth_show::sweep::Shard;

use super::check::{SceneOutcome, check_scene, crosses_ungated};
use super::figures::FuzzFigures;
use super::random::SplitMix64;
use super::scene::FuzzScene;

/// One scene in so many is run without the gate as well.
const UNGATED: usize = 8;

/// Which scenes a campaign runs, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CampaignOptions {
    /// Number of scenes, of all shards together.
    pub scenes: u64,
    /// Seed of the first; the next have the next.
    pub seed: u64,
    /// The scenes of the campaign that are run.
    pub shard: Shard,
    /// No scene begins after this.
    pub time: Option<Duration>,
    /// Whether all scenes are long: 30,000 steps.
    pub long: bool,
    /// Scenes that run at a time.
    pub threads: usize,
    /// A request to stop, polled between scenes.
    pub interrupt: Interrupt,
}

impl Default for CampaignOptions {
    fn default() -> Self {
        Self {
            scenes: 1,
            seed: 1,
            shard: Shard::default(),
            time: None,
            long: false,
            threads: 1,
            interrupt: Interrupt::NEVER,
        }
    }
}

/// A scene that failed.
#[derive(Clone, Debug, PartialEq)]
pub struct FuzzFailure {
    /// Its place in the campaign, from 0; its seed is that of the campaign and this.
    pub index: u64,
    /// What was wrong.
    pub what: String,
    /// The scene, as it was.
    pub scene: FuzzScene,
}

/// What a campaign reports while it runs.
#[derive(Clone, Copy, Debug)]
pub enum CampaignEvent<'a> {
    /// A scene has ended.
    Judged {
        /// Its place in the campaign, from 0.
        index: u64,
        /// Its seed.
        seed: u64,
        /// What was found.
        outcome: &'a SceneOutcome,
        /// Whether cloth crosses without the gate, if the scene was run so as well.
        crossed_ungated: Option<bool>,
    },
    /// A scene failed.
    Failed(&'a FuzzFailure),
    /// So many scenes are done.
    Done(u64),
}

impl CampaignOptions {
    /// How many scenes the shard has.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.shard.count_of(self.scenes)
    }

    /// The scene of a place in the campaign.
    #[must_use]
    pub fn scene(&self, index: u64) -> FuzzScene {
        let seed = self.seed.wrapping_add(index);
        if self.long { FuzzScene::long_from_seed(seed) } else { FuzzScene::from_seed(seed) }
    }
}

/// Runs a campaign. Without a limit of time, its result does not depend on the threads.
pub fn campaign(
    options: &CampaignOptions,
    on_event: &mut dyn FnMut(CampaignEvent<'_>),
) -> (FuzzFigures, Vec<FuzzFailure>) {
    let (mut figures, mut failures) = (FuzzFigures::default(), Vec::new());
    let (next, started) = (AtomicU64::new(0), Instant::now());
    let (sender, receiver) = mpsc::channel();
    let work = |sender: mpsc::Sender<(u64, FuzzScene, SceneOutcome, Option<bool>)>| loop {
        let place = next.fetch_add(1, Ordering::Relaxed);
        let is_late = options.time.is_some_and(|time| started.elapsed() >= time);
        if place >= options.count() || is_late || options.interrupt.is_requested() {
            break;
        }
        let index = options.shard.nth(place);
        let scene = options.scene(index);
        let outcome = check_scene(&scene);
        let is_sampled = SplitMix64::new(!options.seed.wrapping_add(index)).count(1, UNGATED) == 1;
        let crossed = is_sampled.then(|| crosses_ungated(&scene));
        if sender.send((index, scene, outcome, crossed)).is_err() {
            break;
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..options.threads.max(1) {
            let sender = sender.clone();
            scope.spawn(|| work(sender));
        }
        drop(sender);
        for (index, scene, outcome, crossed) in receiver {
            let seed = options.seed.wrapping_add(index);
            figures.add(seed, &scene, &outcome, crossed);
            on_event(CampaignEvent::Judged { index, seed, outcome: &outcome, crossed_ungated: crossed });
            if let Some(what) = outcome.failure {
                let failure = FuzzFailure { index, what, scene };
                on_event(CampaignEvent::Failed(&failure));
                failures.push(failure);
            }
            on_event(CampaignEvent::Done(figures.scenes));
        }
    });
    failures.sort_by_key(|failure| failure.index);
    (figures, failures)
}
