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
    /// A negative distance (m), with which gaps of planes would prove nothing, and NaN count as 0.
    pub(super) fn new(distance: f64) -> Self {
        Self { distance: distance.max(0.0), given_up: Vec::new() }
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

    /// The distance (m) that a pair keeps in a motion from these positions (m) of all vertices.
    pub(super) fn by<T: Coordinate>(&self, pair: Pair, corners: &PairCorners, t0: &[Point3<T>]) -> f64 {
        if !self.is_on() {
            return 0.0;
        }
        let t0 = corners.at(t0);
        self.by_closest(pair, corners, &t0, &corners.closest(&t0))
    }

    /// The same, from its corners (m) and their closest points.
    pub(super) fn by_closest(
        &self,
        pair: Pair,
        corners: &PairCorners,
        t0: &[Point3<f64>; 4],
        closest: &Closest,
    ) -> f64 {
        let keeps_at_rest = |direction: Direction| direction.keeps(corners, t0, self.gap());
        let is_kept = self.is_on()
            && self.given_up.binary_search(&pair).is_err()
            && Direction::new(closest).is_some_and(keeps_at_rest);
        if is_kept { self.distance } else { 0.0 }
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

#[cfg(test)]
mod tests {
    use super::super::separation::decide_exactly;
    use super::super::tests::dice;
    use super::*;
    use crate::ccd::Filtered;

    #[test]
    fn what_is_proved_keeps_the_distance_all_the_way() {
        let kept = KeptDistance::new(0.2);
        let mut next = dice(3);
        let mut counts = [0; 4];
        for case in 0..40_000 {
            let corners = PairCorners { vertices: [0, 1, 2, 3], split: 1 + case % 2 };
            let mut state = |size: f64| -> [Point3<f64>; 4] {
                std::array::from_fn(|_| Point3::from([0; 3].map(|_| size * f64::from(next()))))
            };
            let (t0, by) = (state(1.0), state(0.8));
            let t1 = std::array::from_fn(|k| t0[k] + by[k].coords);
            let pair = Pair::EdgeEdge([0, 1]);
            if kept.by(pair, &corners, &t0) == 0.0 {
                assert_eq!(prove_at_rest(&kept, &corners, &t0), Separation::Colliding);
                continue;
            }
            assert_eq!(prove_at_rest(&kept, &corners, &t0), Separation::Separated);
            let closest = corners.closest(&t0);
            let separation = prove_kept_by_planes(&corners, &closest, [&t0, &t1], 0.0, kept.gap());
            let least = (0..=32).map(|k| {
                let moment = f64::from(k) / 32.0;
                let x = std::array::from_fn(|k| t0[k] + by[k].coords * moment);
                corners.closest(&x).distance
            });
            let least = least.fold(f64::INFINITY, f64::min);
            let exact = decide_exactly(&Filtered::default(), &corners, [t0, t1], kept.distance);
            match separation {
                Separation::Separated => assert!(least > 0.2 && exact == Separation::Separated, "{least}"),
                Separation::Undecided => assert!(least > 0.2 || exact == Separation::Colliding, "{least}"),
                Separation::Colliding => assert!(corners.closest(&t1).distance < kept.gap() * (1.0 + 1e-12)),
                Separation::TooClose => panic!("no clearance is wanted"),
            }
            counts[separation as usize] += 1;
        }
        let [separated, _, undecided, colliding] = counts;
        assert!(separated > 1000 && undecided > 100 && colliding > 100, "{counts:?}");
    }

    #[test]
    fn what_is_no_distance_is_none_to_keep() {
        for distance in [-1.0, f64::NAN, 0.0] {
            let kept = KeptDistance::new(distance);
            assert!(!kept.is_on() && kept.gap() == 0.0, "{distance}");
        }
    }

    fn prove_at_rest(kept: &KeptDistance, corners: &PairCorners, at: &[Point3<f64>; 4]) -> Separation {
        prove_kept_by_planes(corners, &corners.closest(at), [at, at], 0.0, kept.gap())
    }
}
