//! Pairs that keep a distance: those that start farther apart than it, by a gap that planes can show.
//!
//! The test is the same at the start and at the end of a motion. So what ends apart starts apart in the next
//! motion, and a pair that does not move is always certified: freezing works as it does for touching.

use nalgebra::Point3;

use super::pair::{Closest, Pair, PairCorners};
use super::separation::{CLEARANCE_SHARE, Direction, Separation};
use crate::Coordinate;

/// What a gap that keeps a distance is larger by, as a share: room for the next motion to be proved, also by
/// [`Filtered`](crate::ccd::Filtered), which may be wrong by
/// [`DISTANCE_TOLERANCE`](crate::ccd::Filtered::DISTANCE_TOLERANCE).
pub(super) const KEPT_MARGIN: f64 = 0.01;

/// The distance that pairs keep which start farther apart: those that can be proved to keep it at rest.
#[derive(Clone, Debug, Default)]
pub(super) struct KeptDistance {
    /// The distance (m); 0 is not to touch.
    distance: f64,
    /// Pairs that do not keep it in this motion, sorted.
    given_up: Vec<Pair>,
}

impl KeptDistance {
    pub(super) fn new(distance: f64) -> Self {
        Self { distance, given_up: Vec::new() }
    }

    /// Whether there is one.
    pub(super) fn is_on(&self) -> bool {
        self.distance > 0.0
    }

    /// Gap (m) that a plane has to show at both ends for a pair to keep the distance.
    pub(super) fn gap(&self) -> f64 {
        self.distance * (1.0 + KEPT_MARGIN)
    }

    /// Starts the next motion.
    pub(super) fn begin(&mut self) {
        self.given_up.clear();
    }

    pub(super) fn give_up(&mut self, pair: Pair) {
        if let Err(place) = self.given_up.binary_search(&pair) {
            self.given_up.insert(place, pair);
        }
    }

    /// The distance (m) that a pair keeps in a motion from these positions (m).
    pub(super) fn by<T: Coordinate>(&self, pair: Pair, corners: &PairCorners, t0: &[Point3<T>]) -> f64 {
        if self.distance == 0.0 {
            return 0.0;
        }
        let t0 = corners.at(t0);
        let keeps_at_rest = |direction: Direction| direction.keeps(corners, &t0, self.gap());
        let is_kept = Direction::new(&corners.closest(&t0)).is_some_and(keeps_at_rest);
        if is_kept && self.given_up.binary_search(&pair).is_err() { self.distance } else { 0.0 }
    }
}

/// Tests a pair that keeps a distance for separating planes whose gap (m) keeps it. The pair should keep
/// `clearance` (m), or its initial distance if that is less.
pub(super) fn prove_kept_by_planes(
    corners: &PairCorners,
    closest: &Closest,
    [t0, t1]: [&[Point3<f64>; 4]; 2],
    clearance: f64,
    gap: f64,
) -> Separation {
    let required = CLEARANCE_SHARE * clearance.min(closest.distance);
    let at_end = corners.closest(t1);
    let keeps = |direction: &Direction, at| direction.keeps(corners, at, gap);
    let from_end = Direction::new(&at_end).filter(|direction| keeps(direction, t1));
    let proved = match &from_end {
        // The next motion could not prove the distance.
        None => return Separation::Colliding,
        Some(direction) => {
            keeps(direction, t0) || Direction::new(closest).is_some_and(|direction| keeps(&direction, t1))
        }
    };
    match proved {
        true if at_end.distance < required => Separation::TooClose,
        true => Separation::Separated,
        false => Separation::Undecided,
    }
}
