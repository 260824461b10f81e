//! Scenes of the campaign pass; with a fault (`cargo xtask faults`) one of them fails.

use std::ops::RangeInclusive;

use cloth_verify::fuzz::{FuzzScene, check_scene};
use rayon::prelude::*;

/// Seeds that are tried at a time, so that none far behind the first that fails is.
const BLOCK: u64 = 64;

/// The first and the last seed: 1 and 50, or two numbers in `CLOTH_SEEDS`.
fn seeds() -> RangeInclusive<u64> {
    let Ok(words) = std::env::var("CLOTH_SEEDS") else { return 1..=50 };
    let numbers: Vec<u64> = words.split_whitespace().map(|word| word.parse().expect("a seed")).collect();
    let [first, last] = numbers[..] else { panic!("CLOTH_SEEDS is two numbers, not `{words}`") };
    first..=last
}

#[test]
fn scenes_of_the_campaign_pass() {
    let fails = |seed: u64| {
        let scene = FuzzScene::from_seed(seed);
        check_scene(&scene).failure.map(|what| (seed, what))
    };
    let last = *seeds().end();
    let failed = seeds()
        .step_by(BLOCK as usize)
        .find_map(|first| (first..=last.min(first + BLOCK - 1)).into_par_iter().find_map_first(fails));
    if let Some((seed, what)) = failed {
        panic!("seed {seed}: {what}");
    }
}
