//! Which pairs are due on a chord: the straight motion between two states of an animation, of which only the
//! later one follows the search.
//!
//! ```text
//!                  first state        search        second state
//!   times     -prediction ..... -t0 ...... 0 .............. t1 .... certified_end
//!                      speed counts here   drift counts here
//! ```
//!
//! A pair is not listed if its separation exceeds both slacks and what its frames approach, for which
//! [`super::search`] takes at least `speed x prediction`: in a predicted motion they count whichever way they
//! move. Frames move by as much in `prediction` units of time before the search as after it, so the lists of
//! a detector are complete for every time from `-prediction` on. The same holds for budgets for contacts,
//! from which `speed x prediction` is subtracted too; those for the clearance are without it. On a linear
//! motion the time of a vertex is between those of the ends, and its displacement at most the larger one.
//!
//! Pairs are compared with their clearance by the numbers for contacts. A pair is farther from its clearance
//! than from its reach by a number of each primitive, and a vertex has the least one of its primitives. If
//! that is taken off the displacement of each vertex, what is within slack or budget for contacts is within
//! it for the clearance. A share of it is kept, as errors are one of the whole displacement.

use nalgebra::Point3;

use super::primitives::APPROACH_ROUNDING;
use super::{DuePairs, PairLists, Threshold};
use crate::Surface;

/// Share of the difference of reach and clearance by which a vertex may be displaced further. Errors are at
/// most `APPROACH_ROUNDING - 1` of that as well; the rest is for the rounding here.
const SPARE: f32 = 1.0 - 4.0 * (APPROACH_ROUNDING - 1.0);

impl PairLists {
    /// Replaces `due` by the pairs that may come within their clearance while all vertices move linearly
    /// between two states (m), if the lists contain them as they are; returns whether they do. Nothing is
    /// searched, and later updates do as they would without it.
    pub(crate) fn due_on_chord(
        &mut self,
        surface: &Surface,
        start: &[Point3<f32>],
        end: &[Point3<f32>],
        due: &mut DuePairs,
    ) -> bool {
        // Pairs of dormant vertices are not listed.
        if !self.is_valid || !self.fits(surface) || self.dormant.is_any() {
            return false;
        }
        let known = (self.frames.times, self.frames.predicted_time);
        self.frames.measure_chord(start, end);
        for (displaced, beyond) in self.frames.displaced.iter_mut().zip(&self.beyond) {
            *displaced -= beyond * SPARE;
        }
        let is_complete = self.is_complete(Threshold::Contact);
        if is_complete {
            self.find_due(surface, Threshold::Contact, None, due);
        }
        // The next search takes its time from the last motion.
        (self.frames.times, self.frames.predicted_time) = known;
        is_complete
    }
}
