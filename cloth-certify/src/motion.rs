//! What collides while every vertex moves on a straight line, and when.

use std::cmp::Ordering;

use cloth_ccd::{Ccd, Filtered, Toi};
use cloth_contacts::Coordinate;
use cloth_contacts::gate::Pair;
use cloth_contacts::impacts::{ImpactFinder, decide};
use nalgebra::Point3;

use crate::input::{check_finite, exact, too_many};
use crate::{CollisionMesh, InputError};

/// Gap of the enclosure of a time (share of the motion).
const GAP: f64 = 1e-12;

/// The same while it is not known which pair is the earliest.
const ROUGH_GAP: f64 = 1e-6;

/// Pairs that are decided before it is asked whether one of them collides.
pub(crate) const AT_ONCE: usize = 1 << 14;

/// Which collisions of a motion are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Search {
    /// The first that is found: whether there is one, as fast as possible.
    First,
    /// All of them, by time.
    #[default]
    All,
    /// The one that happens first.
    Earliest,
}

/// A collision in a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionWitness {
    /// A vertex and a face, or two edges; ids are those of [`CollisionMesh::topology`].
    pub pair: Pair,
    /// The vertices of both.
    pub vertices: [u32; 4],
    /// When they first touch: in `[time.time, time.time + time.gap]`, shares of the motion.
    pub time: Toi,
    /// Where, up to rounding (m): the middle of the vertices of the smaller primitive at that time.
    pub position: [f64; 3],
}

impl MotionWitness {
    /// Earlier ones first, of those at one time by pair.
    pub(crate) fn by_time(&self, other: &Self) -> Ordering {
        self.time.time.total_cmp(&other.time.time).then(self.pair.cmp(&other.pair))
    }
}

/// The collisions in a motion; none if it is clean.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MotionReport {
    witnesses: Vec<MotionWitness>,
}

impl MotionReport {
    /// Whether nothing collides: exact, without a tolerance.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.witnesses.is_empty()
    }

    /// The collisions that were searched for, by time.
    #[must_use]
    pub fn witnesses(&self) -> &[MotionWitness] {
        &self.witnesses
    }
}

impl CollisionMesh {
    /// Finds the pairs that touch while every vertex moves linearly from `x0` to `x1` (m), both ends
    /// included: vertices and faces, and edges. Exact for all finite positions.
    ///
    /// What has been inside each other from the start, and touches nothing new, is no collision; whether a
    /// start is clean is for [`CollisionMesh::check_state`].
    ///
    /// ```
    /// use cloth_certify::{CollisionMesh, Search};
    ///
    /// let mesh = CollisionMesh::new(6, &[[0, 1, 2], [3, 4, 5]]).build()?;
    /// let x0 = [[0., 0., 0.], [4., 0., 0.], [0., 0., 4.], [1., 1., 1.], [1., 2., 1.], [2., 2., 1.]];
    /// let x1 = [[0., 0., 0.], [4., 0., 0.], [0., 0., 4.], [1., -3., 1.], [1., -2., 1.], [2., -2., 1.]];
    /// let report = mesh.check_motion(&x0, &x1, Search::Earliest)?;
    /// let tip = report.witnesses()[0]; // the tip falls through the face after a quarter of the motion
    /// assert!(tip.vertices[0] == 3 && (0.25 - tip.time.time).abs() <= tip.time.gap);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is not one finite position a vertex at either end.
    pub fn check_motion<T: Coordinate>(
        &self,
        x0: &[[T; 3]],
        x1: &[[T; 3]],
        search: Search,
    ) -> Result<MotionReport, InputError> {
        check_finite(self, "x0", x0)?;
        check_finite(self, "x1", x1)?;
        let (x0, x1) = (exact(x0), exact(x1));
        let ends = [&*x0, &*x1];
        let mut finder = ImpactFinder::default();
        let candidates = self.candidates(&mut finder, ends, 0.0)?;
        let witness = |pair| self.witness(pair, ends, 0.0, GAP);
        let collides = |pair| self.is_near(pair, ends, 0.0).then_some(pair);
        let witnesses = match search {
            Search::First => {
                let mut groups = candidates.chunks(AT_ONCE);
                let first = groups.find_map(|group| decide(group, collides).into_iter().next());
                first.map(witness).into_iter().collect()
            }
            Search::Earliest => self.earliest(candidates, ends, 0.0, GAP).into_iter().collect(),
            Search::All => {
                let mut all = decide(candidates, |pair| collides(pair).map(witness));
                all.sort_by(MotionWitness::by_time);
                all
            }
        };
        Ok(MotionReport { witnesses })
    }

    /// The pair that first comes within a distance (m) in a motion, and when, with this gap.
    pub(crate) fn earliest(
        &self,
        candidates: &[Pair],
        ends: [&[Point3<f64>]; 2],
        distance: f64,
        gap: f64,
    ) -> Option<MotionWitness> {
        let is_near = |pair| self.is_near(pair, ends, distance);
        let roughly = |pair| is_near(pair).then(|| self.witness(pair, ends, distance, ROUGH_GAP));
        let found = decide(candidates, roughly);
        let latest = found.iter().map(|w| w.time.time + w.time.gap).min_by(f64::total_cmp)?;
        let first = found.into_iter().filter(|w| w.time.time <= latest);
        first.map(|w| self.witness(w.pair, ends, distance, gap)).min_by(MotionWitness::by_time)
    }

    /// The pairs whose swept boxes come within a distance (m) in a motion, guarded or not.
    pub(crate) fn candidates<'a>(
        &self,
        finder: &'a mut ImpactFinder,
        [x0, x1]: [&[Point3<f64>]; 2],
        distance: f64,
    ) -> Result<&'a [Pair], InputError> {
        finder.candidates(x0, x1, self.topology(), distance).map_err(|error| too_many(&error, self))
    }

    /// Whether a pair is guarded, and not certain to stay farther apart than a distance (m) in a motion.
    pub(crate) fn is_near(&self, pair: Pair, ends: [&[Point3<f64>]; 2], distance: f64) -> bool {
        // Only motions that are not finite have no answer.
        let free = || Filtered::default().is_free(&pair.query(self.topology(), ends), distance);
        self.guards(pair) && !free().unwrap_or(false)
    }

    /// When and where a pair that is not free comes within a distance (m).
    pub(crate) fn witness(
        &self,
        pair: Pair,
        [x0, x1]: [&[Point3<f64>]; 2],
        distance: f64,
        max_gap: f64,
    ) -> MotionWitness {
        let impact = Filtered { max_gap }.impact(&pair.query(self.topology(), [x0, x1]), distance);
        let time = impact.ok().flatten().unwrap_or(Toi { time: 0.0, gap: 1.0 });
        let vertices = pair.vertices(self.topology()).unwrap_or_default();
        let at = |v: u32| x0[v as usize].coords.lerp(&x1[v as usize].coords, time.time);
        let position = match pair {
            Pair::PointTriangle(_) => at(vertices[0]),
            // Halved first: the sum may be beyond the greatest number.
            Pair::EdgeEdge(_) => at(vertices[0]) * 0.5 + at(vertices[1]) * 0.5,
        };
        MotionWitness { pair, vertices, time, position: position.into() }
    }
}
