//! How far two patches have moved relative to each other since their candidate list was made, at most.
//!
//! There are two bounds. The `path` adds up what every step adds; it is what counts while they move steadily. The `way`
//! is measured from where the patches were, and stays small for cloth that trembles on the spot; it is the lesser of
//! the path and of what `Drift` says of their anchors.

use nalgebra::Vector3;

use crate::drift::Drift;

/// Share of a bound that rounding could cost; far more than the few ulps it does.
const ROUNDING: f32 = 1.0e-4;

/// Bounds on the relative motion of two patches (m).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Odometer {
    pub(crate) path: f32,
    pub(crate) way: f32,
    /// The same by the end of the coming step.
    pub(crate) path_next: f32,
    pub(crate) way_next: f32,
    /// The way when the patches were last anchored, and the path since then.
    base: f32,
    since: f32,
    /// What the coming step was taken to add.
    next: f32,
    /// Where their middles were to each other then, measured from the anchors, and both spreads.
    reference: Vector3<f32>,
    spread: f32,
}

impl Odometer {
    /// An odometer that begins at the present positions.
    pub(crate) fn start(drift: &Drift, patches: [u32; 2]) -> Self {
        let (reference, spread) = drift.beyond_anchors(patches);
        let next = drift.goes(patches);
        Self {
            path: 0.0,
            way: 0.0,
            path_next: next * (1.0 + ROUNDING),
            way_next: next * (1.0 + ROUNDING),
            base: 0.0,
            since: 0.0,
            next,
            reference,
            spread,
        }
    }

    /// Takes the last step and the coming one in. `least` (m) is added to the last step, for what a sum in `f32` could
    /// swallow.
    #[inline]
    pub(crate) fn advance(&mut self, drift: &Drift, patches: [u32; 2], least: f32) {
        let step = drift.went(patches) + least;
        self.path += step;
        self.since += step;
        let (middle, spread) = drift.beyond_former_anchors(patches);
        let anchored = ((middle - self.reference).norm() + spread + self.spread) * (1.0 + ROUNDING);
        self.way = self.base + self.since.min(anchored);
        if drift.anchored_anew(patches) {
            (self.reference, self.spread) = drift.beyond_anchors(patches);
            (self.base, self.since) = (self.way, 0.0);
        }
        self.expect(drift.goes(patches));
    }

    /// Takes the coming step for longer than it was thought to be, if it is.
    #[inline]
    pub(crate) fn lengthen(&mut self, drift: &Drift, patches: [u32; 2]) {
        self.expect(drift.goes(patches).max(self.next));
    }

    fn expect(&mut self, next: f32) {
        self.next = next;
        self.path_next = (self.path + next) * (1.0 + ROUNDING);
        self.way_next = (self.way + next) * (1.0 + ROUNDING);
    }
}
