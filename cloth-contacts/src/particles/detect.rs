//! From a predicted motion to contacts between vertices, over a list of pairs that outlives the step.

use cloth_broadphase::{AnyBroadPhase, Boxes, BroadPhase, PairFilter, PointGrid, PointsError};
use nalgebra::Point3;

use super::bounding_balls::BoundingBalls;
use super::{ParticleRules, PointPoint, predict};
use crate::{DetectError, Motion, Surface};

/// How the pairs of near balls are found. It changes no contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Search {
    /// By NvCloth's grid of points, whose cells fit the largest ball: for balls of nearly equal size.
    #[default]
    PointGrid,
    /// By the broad phase of the detector, with a box for each ball.
    BroadPhase,
}

/// Statistics of one detection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParticleStats {
    /// Whether the pairs were searched.
    pub searched: bool,
    /// Pairs in the list.
    pub pairs: usize,
}

/// Two vertices that may come near each other, with their reach and contact distance.
#[derive(Clone, Copy, Debug)]
struct ParticlePair {
    vertices: [u32; 2],
    reach: f32,
    distance: f32,
}

/// Finds the contacts between vertices. Keeps its list of pairs until a vertex leaves its bounding ball.
///
/// The contacts equal those of [`brute_force`](super::brute_force), independently of search, slack and
/// history.
#[derive(Clone, Debug, Default)]
pub struct ParticleDetector {
    search: Search,
    balls: BoundingBalls,
    broad_phase: AnyBroadPhase,
    boxes: Boxes,
    grid: PointGrid,
    centres: Vec<Point3<f32>>,
    pairs: Vec<ParticlePair>,
}

impl ParticleDetector {
    /// A detector with the given search method.
    #[must_use]
    pub fn new(search: Search) -> Self {
        Self { search, ..Self::default() }
    }

    /// A detector with this broad phase, which it uses for [`Search::BroadPhase`]; the default is a
    /// [`BlockTree`](cloth_broadphase::BlockTree).
    #[must_use]
    pub fn with_broad_phase(search: Search, broad_phase: impl BroadPhase) -> Self {
        Self { search, broad_phase: broad_phase.into_any(), ..Self::default() }
    }

    /// Finds the contacts of a step and writes them to `out` in canonical order.
    ///
    /// `slack` (m) is the smallest motion of a vertex, relative to the mean of all, for which the list is
    /// built. `rules` must belong to this surface and be the same in each call since the last
    /// [`ParticleDetector::reset`].
    ///
    /// # Errors
    /// If the motion does not match the surface, or is not finite at a vertex that collides.
    pub fn detect(
        &mut self,
        surface: &Surface,
        rules: &ParticleRules,
        motion: &Motion<'_>,
        slack: f32,
        out: &mut Vec<PointPoint>,
    ) -> Result<ParticleStats, DetectError> {
        crate::detect::check_lengths(surface, motion)?;
        let searched = !self.balls.contain(&rules.active, motion);
        if searched {
            crate::detect::check_finite(motion)?;
            self.balls.rebuild(&rules.active, motion, |v| 0.5 * surface.reach(v, v), slack);
            let found = self.find_pairs(surface, rules);
            if found.is_err() {
                self.reset();
            }
            found?;
        }
        out.clear();
        out.extend(self.pairs.iter().filter_map(|pair| {
            let approach = predict(motion, pair.vertices, pair.reach)?;
            let (normal, gap) = (approach.normal, approach.gap);
            Some(PointPoint { vertices: pair.vertices, normal, gap, distance: pair.distance })
        }));
        Ok(ParticleStats { searched, pairs: self.pairs.len() })
    }

    fn find_pairs(&mut self, surface: &Surface, rules: &ParticleRules) -> Result<(), DetectError> {
        let Self { balls, pairs, .. } = self;
        pairs.clear();
        let mut take = |a: u32, b: u32| {
            if balls.near(a, b) {
                let vertices = [a, b].map(|place| rules.active[place as usize]);
                let distance = rules.distance(surface, vertices[0], vertices[1]);
                let reach = surface.reach(vertices[0], vertices[1]);
                pairs.extend(distance.map(|distance| ParticlePair { vertices, reach, distance }));
            }
        };
        match self.search {
            Search::PointGrid => {
                self.centres.clear();
                self.centres.extend(balls.centres());
                let grid = self.grid.update(&self.centres, None, balls.greatest_distance());
                grid.map_err(|error| refused(&error, rules))?;
                self.grid.visit_pairs(&mut take);
            }
            Search::BroadPhase => {
                self.boxes.refill(balls.boxes()).map_err(DetectError::Boxes)?;
                self.broad_phase.update(&self.boxes);
                let table = &surface.groups.particles;
                let filter = PairFilter::all().with_groups(&rules.groups, &rules.groups, table);
                self.broad_phase.visit_self_pairs(&filter, &mut take);
            }
        }
        pairs.sort_unstable_by_key(|pair| pair.vertices);
        Ok(())
    }

    /// Forgets the list: after a teleport, or when a state is restored.
    pub fn reset(&mut self) {
        self.balls.clear();
        self.pairs.clear();
    }
}

/// The centre of a ball can leave `f32` where position and displacement do not.
fn refused(error: &PointsError, rules: &ParticleRules) -> DetectError {
    let place = if let PointsError::NotFinite { index, .. } = error { *index } else { 0 };
    DetectError::NotFinite(rules.active.get(place).map_or(0, |&v| v as usize))
}
