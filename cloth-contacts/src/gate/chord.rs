//! The chord of a frame: whether the straight motion between two states is certified too, by lists that
//! exist.
//!
//! A frame of several substeps follows a polyline, of which each part is certified. Who sees only the ends
//! interpolates linearly, which is another motion: it may contain crossings. If the lists that the last
//! substep left are complete for it ([`crate::lists`], `chord`), the few pairs that are due decide.
//!
//! Nothing here rests on the substeps: a pair is either listed or apart throughout the chord, and every
//! listed pair that may come within its clearance is proved apart, whether it was exempt or released in the
//! frame.

use nalgebra::Point3;

use super::Gate;
use super::kept::KeptDistance;
use super::released::Released;
use super::rounds::RoundCertifier;
use super::tangle_set::TangleSet;
use crate::ccd::Ccd;
use crate::{Detector, Surface};

impl<C: Ccd + Sync> Gate<C> {
    /// Whether it is certified that no two primitives meet while every vertex moves linearly from `start` to
    /// `end` (m): vertices and faces, and edges, that share no vertex and are not both of bodies.
    ///
    /// `end` should be the end of the motion certified last, and `start` a state of some motions before;
    /// others are hardly ever certified. `lists` are those that certified it: the detector and its surface
    /// for [`Gate::certify_with_detector`], none for [`Gate::certify`]. They are taken as they are, so the
    /// cost is a small part of that of a motion, and `false` means no more than that they prove nothing. It
    /// is `false` where pairs of cloth are permanently exempt (`Surface::permanent_exemption`), while
    /// vertices are dormant, and for lengths that differ. No later result depends on it.
    pub fn certifies_chord(
        &mut self,
        lists: Option<(&mut Detector, &Surface)>,
        surface: &Surface,
        start: &[Point3<f32>],
        end: &[Point3<f32>],
    ) -> bool {
        let count = surface.vertex_count();
        if !surface.guards_all_cloth() || start.len() != count || end.len() != count {
            return false;
        }
        let due = &mut self.due;
        let is_complete = match lists.filter(|(_, detected)| detected.candidates_cover_gate()) {
            Some((detector, detected)) => detector.lists.due_on_chord(detected, start, end, due),
            None => self.lists.due_on_chord(surface, start, end, due),
        };
        is_complete && self.proves_due_apart(surface, [start, end])
    }

    /// Whether all pairs that are due stay apart on a linear motion, exempt or not.
    fn proves_due_apart(&mut self, surface: &Surface, ends: [&[Point3<f32>]; 2]) -> bool {
        let certifier = RoundCertifier {
            surface,
            ends,
            tangle_set: &TangleSet::default(),
            released: &Released::default(),
            round: 1,
            last_changed: &[],
            enforces_clearance: false,
            records: false,
            kept: &KeptDistance::default(),
        };
        certifier.certify_due(&self.due, &mut self.results);
        self.undecided.clear();
        self.conflicts.clear();
        self.undecided.extend(self.results.iter().flat_map(|results| &results.undecided));
        certifier.decide(&self.ccd, &self.undecided, &mut self.decided, &mut self.conflicts);
        self.conflicts.is_empty()
    }
}
