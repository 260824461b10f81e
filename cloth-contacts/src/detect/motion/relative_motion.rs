//! Upper bounds on how far two patches have moved relative to each other since their candidate list was built.
//!
//! There are two. The `path` adds up what every step adds; it is the better one while they move steadily. The `way` is measured
//! from where the patches were, and stays small for cloth that trembles on the spot: it is the lesser of the path and of what
//! `Drift` knows of their anchors.
//!
//! Both are sums of [`Upper`] bounds, each addition rounded up in `f64`, so that no step is swallowed however long the path is and
//! however small the step. A candidate's mark is a reading of them, rounded down: `mark > path_next` in the numbers that are stored
//! implies that the pair had more room when it was measured than its patches have used up since, in real numbers.

use cloth_geom::bounds::Upper;
use nalgebra::Vector3;

use crate::detect::motion::drift::Drift;
use crate::sight::SEEN;

/// Bounds on the relative motion of two patches (m).
#[derive(Clone, Copy, Debug)]
pub(crate) struct RelativeMotion {
    path: Upper,
    way: Upper,
    /// The same by the end of the coming step, with the rounding of the narrow phase there.
    path_next: f32,
    way_next: f32,
    /// The way when the patches were last anchored, and the path since then.
    base: Upper,
    since: Upper,
    /// What the coming step was taken to add.
    next: Upper,
    /// Where their middles were to each other then, measured from the anchors, and both spreads.
    reference: Vector3<f64>,
    spread: f64,
}

impl RelativeMotion {
    /// Bounds that begin at the present positions.
    pub(crate) fn start(drift: &Drift, patches: [u32; 2]) -> Self {
        let (reference, spread) = drift.beyond_anchors(patches);
        let zero = Upper::ZERO;
        let mut motion = Self {
            path: zero,
            way: zero,
            path_next: 0.0,
            way_next: 0.0,
            base: zero,
            since: zero,
            next: zero,
            reference,
            spread,
        };
        motion.expect(drift.goes(patches), drift, patches);
        motion
    }

    /// Takes in the last step and the coming one.
    #[inline]
    pub(crate) fn advance(&mut self, drift: &Drift, patches: [u32; 2]) {
        let step = drift.went(patches);
        self.path = drift.sum(self.path, step);
        self.since += step;
        let (middle, spread) = drift.beyond_former_anchors(patches);
        // The spreads have more room for the roundings of the middles than a difference of those can need.
        let anchored = (middle - self.reference).norm() + (spread + self.spread);
        self.way = self.base + self.since.min(Upper::computed(anchored));
        if drift.anchored_anew(patches) {
            (self.reference, self.spread) = drift.beyond_anchors(patches);
            (self.base, self.since) = (self.way, Upper::ZERO);
        }
        self.expect(drift.goes(patches), drift, patches);
    }

    /// Takes the coming step for longer than it was thought to be, if it is.
    #[inline]
    pub(crate) fn lengthen(&mut self, drift: &Drift, patches: [u32; 2]) {
        self.expect(drift.goes(patches).max(self.next), drift, patches);
    }

    /// The path so far (m).
    #[inline]
    pub(crate) fn path(&self) -> Upper {
        self.path
    }

    /// The way so far (m).
    #[inline]
    pub(crate) fn way(&self) -> Upper {
        self.way
    }

    /// The path by the end of the coming step (m).
    #[inline]
    pub(crate) fn path_next(&self) -> f32 {
        self.path_next
    }

    /// The way by the end of the coming step (m).
    #[inline]
    pub(crate) fn way_next(&self) -> f32 {
        self.way_next
    }

    fn expect(&mut self, next: Upper, drift: &Drift, patches: [u32; 2]) {
        self.next = next;
        // Sums of what is not negative; the rounding to `f32` covers theirs.
        let seen = next.get() * SEEN + drift.distance_error(patches);
        self.path_next = Upper::exact(self.path.get() + seen).to_f32();
        self.way_next = Upper::exact(self.way.get() + seen).to_f32();
    }
}
