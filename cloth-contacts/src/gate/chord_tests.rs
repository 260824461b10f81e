//! Chords against exact detection of all pairs: whatever is certified contains no crossing.
//!
//! Motions are such that bounds are tight: sheets that cross by less than 1 % of what they move, by all their
//! slack or before the search, in a world in which 1 % of it is more than clearances.

use nalgebra::{Point3, Vector3};

use super::tests::{exact, met};
use super::*;
use crate::impacts::find_brute_force;
use crate::lists::tests::{Parts, moved};
use crate::{Contacts, DetectStats, Motion};
use cloth_testing::Dice;

/// Number of chords by what is true of them.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    certified: usize,
    /// Not certified, and without a crossing.
    missed: usize,
    crossing: usize,
}

/// A certified chord in which this many pairs meet.
#[derive(Clone, Copy, Debug)]
#[expect(dead_code, reason = "for messages")]
struct FalselyCertified(usize);

/// Sheets with a detector and a gate that share lists.
struct World {
    detected: Surface,
    surface: Surface,
    detector: Detector,
    contacts: Contacts,
    gate: Gate,
    seen: Seen,
}

impl World {
    fn new(detected: Surface) -> Self {
        let (detector, contacts, gate) = (Detector::default(), Contacts::default(), Gate::default());
        Self { surface: detected.for_gate(), detected, detector, contacts, gate, seen: Seen::default() }
    }

    fn detect(
        &mut self,
        positions: &[Point3<f32>],
        displacements: &[Vector3<f32>],
        slack: f32,
    ) -> DetectStats {
        let motion = Motion { positions, displacements };
        self.detector.detect(&self.detected, &motion, slack, &mut self.contacts).unwrap()
    }

    fn certify(&mut self, start: &[Point3<f32>], end: &mut [Point3<f32>], slack: f32) {
        let inv_mass = &vec![1.0; start.len()];
        let mut proposal = Proposal { start, end, inv_mass, slack };
        self.gate
            .certify_with_detector(&mut self.detector, &self.detected, &self.surface, &mut proposal)
            .unwrap();
    }

    fn certifies(&mut self, start: &[Point3<f32>], end: &[Point3<f32>]) -> bool {
        let lists = Some((&mut self.detector, &self.detected));
        self.gate.certifies_chord(lists, &self.surface, start, end)
    }

    /// Asks about a chord and compares with all pairs; whether it is certified.
    fn chord(&mut self, start: &[Point3<f32>], end: &[Point3<f32>]) -> Result<bool, FalselyCertified> {
        let is_certified = self.certifies(start, end);
        let crossings = met(&self.surface, start, end);
        match (is_certified, crossings) {
            (true, 0) => self.seen.certified += 1,
            (true, _) => return Err(FalselyCertified(crossings)),
            (false, 0) => self.seen.missed += 1,
            (false, _) => self.seen.crossing += 1,
        }
        Ok(is_certified)
    }
}

/// Two parallel sheets of eight times eight vertices, at this distance (m).
fn two_sheets(gap: f32) -> Parts {
    let mut parts = Parts::default();
    parts.add_sheet(8, 0.7, |p| p);
    parts.add_sheet(8, 0.7, |p| Vector3::new(p.x + 0.013, gap, p.z + 0.021));
    parts
}

/// Up for the first sheet of [`two_sheets`], and down for the second.
fn toward(parts: &Parts, by: f32) -> impl Fn(usize) -> Vector3<f32> + '_ {
    move |v| Vector3::y() * if parts.part[v] == 0 { by } else { -by }
}

/// Sheets that approach by displacements, at either end of the chord, to less than 1 % before or beyond where
/// they meet.
fn approach_within_slack() -> Result<Seen, FalselyCertified> {
    let parts = two_sheets(0.5);
    let at_search = parts.rest.clone();
    let mut world = World::new(parts.surface(1.0e-3, 5.0e-4));
    world.detect(&at_search, &vec![Vector3::zeros(); at_search.len()], 0.4);
    for by in (0..40_u8).map(|k| 0.2481 + 1.0e-4 * f32::from(k)) {
        let near = moved(&at_search, toward(&parts, by));
        world.chord(&near, &at_search)?;
        world.chord(&at_search, &near)?;
        world.chord(&near, &near)?;
    }
    Ok(world.seen)
}

/// Sheets that part by the velocities of their frames, so that what was before the search decides.
fn part_since_before() -> Result<Seen, FalselyCertified> {
    let mut seen = Seen::default();
    for gap in (0..30_u8).map(|k| 0.29 + 7.0e-4 * f32::from(k)) {
        let parts = two_sheets(gap);
        let mut world = World::new(parts.surface(1.0e-3, 5.0e-4));
        let apart: Vec<_> = (0..parts.rest.len()).map(toward(&parts, -0.15)).collect();
        world.detect(&parts.rest, &apart, 1.0e-3);
        let before = moved(&parts.rest, |v| -apart[v]);
        world.chord(&before, &parts.rest)?;
        world.chord(&before, &moved(&parts.rest, |v| 0.2 * apart[v]))?;
        seen.certified += world.seen.certified;
        seen.missed += world.seen.missed;
        seen.crossing += world.seen.crossing;
    }
    Ok(seen)
}

#[test]
fn sheets_that_nearly_meet_by_displacements_are_told_from_those_that_do() {
    let seen = approach_within_slack().unwrap();
    assert!(seen.certified > 20 && seen.crossing > 20 && seen.missed < 5, "{seen:?}");
}

#[test]
fn sheets_that_met_before_the_search_are_told_from_others() {
    let seen = part_since_before().unwrap();
    assert!(seen.certified > 10 && seen.crossing > 10 && seen.missed < 5, "{seen:?}");
}

/// Nothing is listed for more than a predicted motion before the search.
#[test]
fn what_was_long_before_the_search_is_not_certified() {
    let parts = two_sheets(0.4);
    let mut world = World::new(parts.surface(1.0e-3, 5.0e-4));
    let apart: Vec<_> = (0..parts.rest.len()).map(toward(&parts, -0.05)).collect();
    world.detect(&parts.rest, &apart, 1.0e-3);
    let certified = [0.5, 1.0, 1.05, 1.3, 3.0]
        .map(|motions| world.chord(&moved(&parts.rest, |v| apart[v] * -motions), &parts.rest).unwrap());
    assert_eq!(certified, [true, true, true, false, false]);
}

/// Three small sheets that are shaken: within a frame they go around each other.
fn heap(radius: f32, half_scr: f32) -> (Parts, Surface) {
    let mut parts = Parts::default();
    for k in 0..3_u8 {
        let lift = f32::from(k);
        parts.add_sheet(4, 0.3, |p| p + Vector3::new(0.02, 0.05, 0.03) * lift);
    }
    let surface = parts.surface(radius, half_scr);
    (parts, surface)
}

/// A walk of frames of substeps through detection and gate; the state and the statistics of every detection.
fn walk(seed: u64, asks: bool, seen: &mut Seen) -> (Vec<Point3<f32>>, Vec<DetectStats>) {
    const RADIUS: f32 = 0.005;
    let (parts, surface) = heap(RADIUS, 0.5 * RADIUS);
    let (mut dice, mut world) = (Dice::new(seed), World::new(surface));
    let (mut at, mut stats) = (parts.rest.clone(), Vec::new());
    for frame in 0..24 {
        let start = at.clone();
        let size = [1.0e-4, 2.0e-3, 0.01, 0.04][(frame / 2) % 4];
        let drift = [0, 1, 2].map(|_| dice.vector(size));
        for substep in 0..6 {
            let own: Vec<_> = parts.part.iter().map(|&part| drift[usize::from(part)]).collect();
            if substep % 3 == 0 {
                let ahead: Vec<_> = own.iter().map(|d| d * 3.0).collect();
                stats.push(world.detect(&at, &ahead, 0.2 * RADIUS));
            }
            let before = at.clone();
            at = at.iter().zip(&own).map(|(p, d)| p + d + dice.vector(0.2 * size)).collect();
            world.certify(&before, &mut at, 0.2 * RADIUS);
        }
        if asks {
            world.chord(&start, &at).unwrap_or_else(|found| panic!("seed {seed}, frame {frame}: {found:?}"));
        }
    }
    seen.certified += world.seen.certified;
    seen.missed += world.seen.missed;
    seen.crossing += world.seen.crossing;
    (at, stats)
}

#[test]
fn no_certified_chord_of_a_walk_contains_a_crossing() {
    let mut seen = Seen::default();
    for seed in 0..40 {
        // Asking leaves no trace: the lists are searched as often, and contain as many pairs.
        assert_eq!(walk(seed, true, &mut seen), walk(seed, false, &mut Seen::default()), "seed {seed}");
    }
    assert!(seen.certified > 100 && seen.crossing > 20, "{seen:?}");
}

/// Chords between any two states near that of a search, with the detector's lists and with those of a gate
/// alone.
#[test]
fn no_certified_chord_between_random_states_contains_a_crossing() {
    let mut seen = Seen::default();
    let (mut alone, mut checked) = (0, 0);
    for seed in 0..60 {
        let mut dice = Dice::new(seed);
        let (parts, surface) = heap(2.0e-4, 1.0e-4);
        let mut world = World::new(surface);
        let size = 0.06 * dice.unit();
        let drift = [0, 1, 2].map(|_| dice.vector(size));
        let by: Vec<_> = parts.part.iter().map(|&part| drift[usize::from(part)]).collect();
        world.detect(&parts.rest, &by, 0.02);
        for _ in 0..6 {
            let shake = 0.02 * dice.unit();
            let mut state = |share: f32| {
                let at = parts.rest.iter().zip(&by);
                at.map(|(p, by)| p + by * share + dice.vector(shake)).collect::<Vec<_>>()
            };
            let (start, end) = (state(-1.0), state(0.2));
            if world.chord(&start, &end).unwrap() && checked < 2 {
                let all = find_brute_force(&exact(&start), &exact(&end), &world.surface.topology).unwrap();
                assert_eq!(all.count(), 0);
                checked += 1;
            }
            let mut gate = Gate::default();
            let (inv_mass, mut kept) = (vec![1.0; end.len()], end.clone());
            let proposal = &mut Proposal { start: &end, end: &mut kept, inv_mass: &inv_mass, slack: 0.03 };
            gate.certify(&world.surface, proposal).unwrap();
            if gate.certifies_chord(None, &world.surface, &start, &end) {
                assert_eq!(met(&world.surface, &start, &end), 0, "seed {seed}");
                alone += 1;
            }
        }
        seen.certified += world.seen.certified;
        seen.missed += world.seen.missed;
        seen.crossing += world.seen.crossing;
    }
    assert!(seen.certified > 50 && seen.crossing > 50 && alone > 20, "{seen:?} {alone}");
}

/// Sheets that are moved to each other: certified if nothing stands against it.
#[test]
fn what_is_exempt_dormant_not_finite_or_not_listed_is_not_certified() {
    let parts = two_sheets(0.1);
    let (count, half) = (parts.rest.len(), parts.rest.len() / 2);
    let still = vec![Vector3::zeros(); count];
    let world = |parts: &Parts| {
        let mut world = World::new(parts.surface(1.0e-3, 5.0e-4));
        world.detect(&parts.rest, &still, 0.02);
        world
    };
    let end = moved(&parts.rest, |v| toward(&parts, 0.01)(v));
    let mut sound = world(&parts);
    assert!(sound.certifies(&parts.rest, &end));
    // Other lengths, and no lists at all.
    assert!(!sound.certifies(&parts.rest[1..], &end));
    assert!(!sound.certifies(&parts.rest, &end[1..]));
    assert!(!Gate::default().certifies_chord(None, &sound.surface, &parts.rest, &end));
    assert!(!World::new(parts.surface(1.0e-3, 5.0e-4)).certifies(&parts.rest, &end));
    for bad in [f32::NAN, f32::INFINITY] {
        for v in [0, 1, half, count - 1] {
            let mut broken = end.clone();
            broken[v].y = bad;
            assert!(!sound.certifies(&parts.rest, &broken), "{v}");
            assert!(!sound.certifies(&broken, &end), "{v}");
        }
    }
    assert!(sound.certifies(&parts.rest, &end));
    // Pairs of dormant vertices are not listed.
    sound.detector.set_dormant(&sound.detected, std::iter::once(&(0..half)));
    sound.detect(&parts.rest, &still, 0.02);
    assert!(!sound.certifies(&parts.rest, &parts.rest));
    sound.detector.set_dormant(&sound.detected, []);
    sound.detect(&parts.rest, &still, 0.02);
    assert!(sound.certifies(&parts.rest, &parts.rest));
    // An excluded pair.
    let stitched = Parts { exclusions: vec![[0, half as u32]], ..parts.clone() };
    assert!(!world(&stitched).certifies(&parts.rest, &end));
}
