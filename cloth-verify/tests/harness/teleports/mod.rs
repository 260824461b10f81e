//! Jumps and turns between two frames: with a cut, and without one, where the sheet lags and is carried.

mod jump;

use cloth_solver::{Settings, Teleport};
use jump::{Jump, Seen, Wearer};
use nalgebra::Vector3;

const SMALL: [usize; 2] = [8, 14];
const LARGE: [usize; 2] = [18, 34];

/// Steps of 1/60 s in which the velocity limit covers so many metres, and thirty more.
fn most_lag(metres: f32) -> usize {
    (metres / (Settings::default().velocity_limit / 60.0)).ceil() as usize + 30
}

/// What has to hold after every jump.
fn check(name: &str, jump: &Jump, seen: &Seen) {
    assert_eq!(seen.error, None, "{name}");
    assert_eq!((seen.intersections, seen.frozen[1]), (0, 0), "{name}: {seen:?}");
    assert!(seen.farthest < 2.0, "{name}: {} longest sides from the pins", seen.farthest);
    let behind = seen.lag.iter().take_while(|lag| **lag > 0.0).count();
    let falls = seen.lag[..behind].windows(2).all(|pair| pair[1] < pair[0]);
    let stays = seen.lag[behind..].iter().all(|lag| *lag == 0.0);
    assert!(falls && stays && behind <= most_lag(jump.metres), "{name}: {:?}", seen.lag);
    // At rest the sheet is stretched by a fiftieth of a per cent, so twice that is within the rounding of its
    // places.
    let [rest, at_once, after] = seen.stretch;
    assert!(at_once.max(after) < (2.0 * rest).max(0.01), "{name}: {:?}", seen.stretch);
    // Before it no pair comes near, and there are no proofs: one for each vertex in each substep stands for
    // that.
    let usual = jump.grid[0] * jump.grid[1] * Settings::default().substeps as usize;
    assert!(seen.rounds[1] <= 20 * seen.rounds[0].max(1), "{name}: {:?}", seen.rounds);
    assert!(seen.proofs[1] <= 20 * seen.proofs[0].max(usual), "{name}: {:?}", seen.proofs);
}

fn run(jumps: &[(f32, f32)], grid: [usize; 2], wearer: impl Fn() -> Wearer, teleport: Option<Teleport>) {
    for &(metres, degrees) in jumps {
        let jump = Jump { metres, degrees, grid };
        let seen = jump.run(wearer(), Settings { teleport, ..Settings::default() });
        let name = format!("{metres} m and {degrees} degrees, cut: {}", teleport.is_some());
        check(&name, &jump, &seen);
        let is_cut = teleport.is_some() && (metres > 1.0 || degrees > 90.0);
        assert_eq!(seen.cuts, usize::from(is_cut), "{name}");
        if is_cut {
            assert!(seen.worst_stretch < 0.01 && seen.lag.iter().all(|lag| *lag == 0.0), "{name}: {seen:?}");
        }
    }
}

#[test]
fn sheets_alone_follow_every_jump() {
    let jumps = [(0.0, 180.0), (0.5, 0.0), (2.0, 180.0), (5.0, 90.0), (100.0, 180.0)];
    run(&jumps, SMALL, || Wearer::Nobody, None);
    run(&[(0.5, 90.0), (20.0, 0.0)], LARGE, || Wearer::Nobody, None);
}

#[test]
fn sheets_behind_a_box_go_along_with_it() {
    let jumps = [(0.0, 90.0), (0.0, 180.0), (0.5, 0.0), (5.0, 180.0), (20.0, 180.0)];
    run(&jumps, SMALL, || Wearer::Box, None);
    run(&[(2.0, 180.0)], LARGE, || Wearer::Box, None);
}

#[test]
fn sheets_on_a_character_go_along_with_it() {
    run(&[(0.0, 180.0), (2.0, 0.0), (20.0, 180.0)], SMALL, jump::character, None);
}

#[test]
fn cuts_stretch_nothing() {
    let jumps = [(0.0, 180.0), (2.0, 90.0), (100.0, 180.0)];
    for wearer in [|| Wearer::Nobody, || Wearer::Box, jump::character] {
        run(&jumps, SMALL, wearer, Some(Teleport::default()));
    }
    run(&[(20.0, 180.0)], LARGE, || Wearer::Box, Some(Teleport::default()));
}

#[test]
fn pins_that_go_twelve_metres_in_a_step_come_to_their_targets() {
    let (mut sim, pins) = jump::hanging(SMALL, Settings::default());
    sim.step(1.0 / 60.0).expect("a step");
    let targets: Vec<_> = pins.iter().map(|&v| sim.positions()[v as usize] + Vector3::x() * 12.0).collect();
    let cloth = sim.cloth_id(0).expect("a cloth");
    for (&v, target) in pins.iter().zip(&targets) {
        sim.move_pin(cloth, v, *target).expect("a pin");
    }
    for _ in 0..most_lag(12.0) {
        sim.step(1.0 / 60.0).expect("a step");
    }
    for (&v, target) in pins.iter().zip(&targets) {
        assert_eq!(sim.positions()[v as usize], *target, "vertex {v}");
    }
}
