//! A gate whose exact decisions are not those of the default method.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use nalgebra::{Point3, Vector3};

use super::tests::{RADIUS, World, dice, intersections, met, world};
use super::*;
use crate::ccd::{CcdError, Query, Reference, Toi};
use crate::{Regions, SurfaceDesc};

/// The reference, and how often it was asked.
#[derive(Debug, Default)]
struct CountingCcd(AtomicUsize);

impl Ccd for CountingCcd {
    fn impact(&self, query: &Query, distance: f64) -> Result<Option<Toi>, CcdError> {
        self.0.fetch_add(1, Relaxed);
        Reference.impact(query, distance)
    }
}

/// A method that proves nothing.
#[derive(Clone, Copy, Debug)]
enum UselessCcd {
    Fails,
    AlwaysCollides,
}

impl Ccd for UselessCcd {
    fn impact(&self, _: &Query, distance: f64) -> Result<Option<Toi>, CcdError> {
        match self {
            Self::Fails => Err(CcdError::Distance(distance)),
            Self::AlwaysCollides => Ok(Some(Toi::no_earlier_than(0.0))),
        }
    }
}

const USELESS: [UselessCcd; 2] = [UselessCcd::Fails, UselessCcd::AlwaysCollides];

/// Three sheets that are moved at random: the start, the accepted end and the statistics of every motion.
fn shaken<C: Ccd + Sync>(gate: &mut Gate<C>, world: &World) -> Vec<([Vec<Point3<f32>>; 2], GateStats)> {
    let mut motions = Vec::new();
    for (seed, reach) in [(1, 0.02), (2, 0.1), (3, 0.5), (4, 2.0)] {
        let mut number = dice(seed);
        let mut start = world.start.clone();
        for _ in 0..2 {
            let mut end: Vec<_> =
                start.iter().map(|p| p + Vector3::new(number(), number(), number()) * reach).collect();
            let inv_mass = &world.inv_mass;
            let mut proposal = Proposal { start: &start, end: &mut end, inv_mass, slack: 0.2 * RADIUS };
            let stats = gate.certify(&world.surface, &mut proposal).unwrap();
            motions.push(([start, end.clone()], stats));
            start = end;
        }
    }
    motions
}

#[test]
fn the_reference_is_asked_where_no_plane_separates_and_decides_alike() {
    let world = world(3, 5, 0.05, 0);
    let mut gate = Gate::with_ccd(CountingCcd::default());
    let motions = shaken(&mut gate, &world);
    assert_eq!(motions, shaken(&mut Gate::default(), &world));
    let undecided: usize = motions.iter().map(|(_, stats)| stats.exact).sum();
    assert_eq!(gate.ccd().0.load(Relaxed), undecided);
    assert!(undecided > 1000, "{undecided}");
}

#[test]
fn nothing_crosses_if_the_exact_decision_is_useless() {
    let world = world(3, 5, 0.05, 0);
    for ccd in USELESS {
        let motions = shaken(&mut Gate::with_ccd(ccd), &world);
        for ([start, end], stats) in &motions {
            assert_eq!(met(&world.surface, start, end), 0, "{ccd:?}");
            assert_eq!(intersections(&world.surface, end), 0, "{ccd:?}");
            assert_eq!((stats.released, stats.touching), (0, 0), "{ccd:?}");
        }
        let undecided: usize = motions.iter().map(|(_, stats)| stats.exact).sum();
        assert!(undecided > 1000 && motions.iter().any(|([start, end], _)| start != end), "{ccd:?}");
    }
}

/// A small triangle that moves around the border of a large one: free, but no plane of closest points
/// separates them at both ends. If the small one is a body, the large one is pinned.
fn around_a_border(small_is_body: bool) -> (World, Vec<Point3<f32>>) {
    let large = [[1.0, 0.0, -5.0], [1.0, 0.0, 5.0], [-5.0, 0.0, 0.0]];
    let small = [[0.5, 1.0, 0.0], [0.6, 1.0, 0.0], [0.5, 1.0, 0.1]];
    let start = [large, small].as_flattened().iter().copied().map(Point3::from).collect::<Vec<_>>();
    let detected = Surface::new(&SurfaceDesc {
        faces: &[[0, 1, 2], [3, 4, 5]],
        radius: &[RADIUS; 6],
        half_scr: &[0.5 * RADIUS; 6],
        part: &[0, 0, 0, 1, 1, 1],
        kinematic: &[false, small_is_body],
        rest: &start,
        exclusions: &[],
        regions: Regions::default(),
    })
    .unwrap();
    let mut end = start.clone();
    end[3..].iter_mut().for_each(|p| *p += Vector3::new(2.5, -2.0, 0.0));
    let inv_mass = vec![if small_is_body { 0.0 } else { 1.0 }; 6];
    (World { surface: detected.for_gate(), detected, start, inv_mass }, end)
}

/// The statistics of this motion, its accepted end, and whether the whole of it is certified as a chord.
fn pass<C: Ccd + Sync>(
    mut gate: Gate<C>,
    world: &World,
    proposed: &[Point3<f32>],
) -> (GateStats, Vec<Point3<f32>>, bool) {
    let (mut end, inv_mass) = (proposed.to_vec(), &world.inv_mass);
    let mut proposal = Proposal { start: &world.start, end: &mut end, inv_mass, slack: 4.0 };
    let stats = gate.certify(&world.surface, &mut proposal).unwrap();
    let is_certified = gate.certifies_chord(None, &world.surface, &world.start, proposed);
    (stats, end, is_certified)
}

#[test]
fn motions_and_chords_are_certified_by_the_method_of_the_gate() {
    let (mut world, proposed) = around_a_border(false);
    let filtered = pass(Gate::default(), &world, &proposed);
    let (stats, end, is_certified) = &filtered;
    assert!(stats.exact > 0 && *is_certified, "{filtered:?}");
    assert_eq!(*end, proposed);
    let gate = Gate::new(CountingCcd::default(), cloth_broadphase::BruteForce::default());
    assert_eq!(pass(gate, &world, &proposed), filtered);
    for ccd in USELESS {
        let (stats, end, is_certified) = pass(Gate::with_ccd(ccd), &world, &proposed);
        assert!(stats.corrected > 0 && !is_certified, "{ccd:?}: {stats:?}");
        assert_eq!(met(&world.surface, &world.start, &end), 0, "{ccd:?}");
    }
    // Pins are frozen.
    world.inv_mass.fill(0.0);
    assert_eq!(pass(Gate::default(), &world, &proposed).1, proposed);
    for ccd in USELESS {
        let (stats, end, _) = pass(Gate::with_ccd(ccd), &world, &proposed);
        assert!(stats.frozen > 0 && end == world.start, "{ccd:?}: {stats:?}");
    }
}

#[test]
fn a_body_that_is_never_certified_is_released_and_reported() {
    let (world, proposed) = around_a_border(true);
    assert_eq!(pass(Gate::default(), &world, &proposed).0.released, 0);
    for ccd in USELESS {
        let (stats, end, is_certified) = pass(Gate::with_ccd(ccd), &world, &proposed);
        assert!(stats.released > 0 && !is_certified, "{ccd:?}: {stats:?}");
        assert_eq!(end[..3], world.start[..3], "{ccd:?}");
        assert_eq!(end[3..], proposed[3..], "{ccd:?}");
    }
}
