//! The same scene gives the same bits: twice, by any broad phase, and whoever watches.

use cloth_broadphase::{BruteForce, ParryBvh};

use crate::scenes::{drape, run};

#[test]
fn two_runs_of_a_drape_are_equal_in_every_frame() {
    let (mut a, mut b) = (drape::<ParryBvh>(16), drape::<ParryBvh>(16));
    for frame in 0..60 {
        run(&mut a, 1);
        run(&mut b, 1);
        assert_eq!(a.state_hash(), b.state_hash(), "frame {frame}");
        assert_eq!(a.contacts(), b.contacts(), "frame {frame}");
    }
    assert!(a.contacts().len() > 10);
}

#[test]
fn the_broad_phase_changes_no_bit() {
    let (mut bvh, mut brute) = (drape::<ParryBvh>(12), drape::<BruteForce>(12));
    for frame in 0..50 {
        run(&mut bvh, 1);
        run(&mut brute, 1);
        assert_eq!(bvh.state_hash(), brute.state_hash(), "frame {frame}");
        assert_eq!(bvh.contacts(), brute.contacts(), "frame {frame}");
    }
    assert!(bvh.contacts().len() > 10);
}

#[test]
fn the_hash_tells_states_apart() {
    let mut sim = drape::<ParryBvh>(8);
    let mut seen: Vec<u64> = (0..30)
        .map(|_| {
            run(&mut sim, 1);
            sim.state_hash()
        })
        .collect();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 30);
}
