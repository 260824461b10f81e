//! Candidate pairs of primitives: one list per pair of patches, kept until it expires.
//!
//! ```text
//! 0 ---- relative motion now ---- at the end of the step ---- limit of a candidate ---- expiry of the list ---> relative motion
//!                          `- no limit below this: no test is needed
//! ```
//!
//! A candidate with a separation beyond reach of `s` (m) cannot be in contact before its two patches have
//! moved by `s` relative to each other; this is its motion limit. Pairs that a list leaves out had a
//! separation beyond reach larger than the expiry of the list. Two patches that are far apart have an empty
//! list, which expires when they may come within reach.
//!
//! The contacts are the same as those of a test of all pairs.

use std::ops::Range;

use crate::detect::lists::dormant::Dormant;
use crate::detect::lists::list::{NarrowPhase, Threshold};
use crate::detect::lists::primitive_bounds::PrimitiveBounds;
use crate::detect::lists::section::{PATCHES, Section};
use crate::detect::motion::patch_motions::PatchMotions;
use crate::detect::patch_pairs::PatchPairs;
use crate::patches::Patches;
use crate::{Motion, Surface, parallel};
use cloth_broadphase::{AnyBroadPhase, BoxesError};

/// A patch is re-anchored when its vertices have moved apart by more than this share of the slack.
const ANCHOR_SHARE: f32 = 0.25;

/// Statistics of an update.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UpdateStats {
    /// Whether the broad phase searched for pairs of patches.
    pub(crate) searched: bool,
    /// Number of lists that were rebuilt.
    pub(crate) lists: usize,
}

/// All candidate lists of a surface.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates {
    pub(crate) motions: PatchMotions,
    patch_pairs: PatchPairs,
    primitive_bounds: PrimitiveBounds,
    sections: Vec<Section>,
    pub(crate) dormant: Dormant,
}

/// The candidate lists of one section.
pub(crate) struct SectionCandidates<'a> {
    section: &'a mut Section,
    motions: &'a PatchMotions,
    threshold: Threshold,
    selection: Selection,
    dormant: &'a Dormant,
}

/// Which pairs of patches are tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Selection {
    /// All but those of two dormant patches.
    All,
    /// Of those, the ones with a patch that the last [`Candidates::update_displacements`] changed.
    Changed,
}

impl SectionCandidates<'_> {
    /// Tests every candidate that may be in contact during the step.
    pub(crate) fn test(self, test: &mut impl NarrowPhase) {
        let Self { section, motions, threshold, selection, dormant } = self;
        let is_selected = |patches| selection == Selection::All || motions.is_changed(patches);
        section.test(threshold, motions, |patches| is_selected(patches) && !dormant.includes(patches), test);
    }
}

impl Candidates {
    pub(crate) fn with_broad_phase(broad_phase: AnyBroadPhase) -> Self {
        Self { patch_pairs: PatchPairs::with_broad_phase(broad_phase), ..Self::default() }
    }

    /// Declares the vertices in these ranges dormant, and all others awake.
    pub(crate) fn set_dormant<'a>(
        &mut self,
        patches: &Patches,
        ranges: impl IntoIterator<Item = &'a Range<usize>>,
    ) {
        self.expire_dormant();
        self.dormant.set(patches, ranges);
    }

    /// Wakes all patches if a dormant vertex moves.
    fn check_dormant(&mut self, motion: &Motion<'_>) {
        if !self.dormant.are_still(motion) {
            self.expire_dormant();
            self.dormant.clear();
        }
    }

    /// Expires the lists of dormant pairs.
    fn expire_dormant(&mut self) {
        let dormant = &self.dormant;
        self.sections.iter_mut().for_each(|section| section.expire(|patches| dormant.outdates(patches)));
    }

    /// Discards all lists, so that the next update rebuilds them.
    pub(crate) fn invalidate(&mut self) {
        self.motions.clear_history();
        self.clear_pairs();
    }

    /// Makes the lists complete for this step. `slack` (m) is the smallest relative motion for which a list
    /// is planned.
    ///
    /// # Errors
    /// If a position or displacement is not finite.
    pub(crate) fn update(
        &mut self,
        surface: &Surface,
        motion: &Motion<'_>,
        slack: f32,
    ) -> Result<UpdateStats, BoxesError> {
        let patches = &surface.patches;
        self.check_dormant(motion);
        if !self.motions.record_step(patches, motion, ANCHOR_SHARE * slack) {
            self.clear_pairs();
        }
        let (motions, dormant) = (&self.motions, &self.dormant);
        parallel::for_each(&mut self.sections, |section| section.advance(motions, dormant));
        self.primitive_bounds.begin_step(patches);
        self.rebuild_expired(surface, slack, false)
    }

    /// Makes the lists complete for new displacements of the same positions; `changed` says which vertices
    /// have new displacements.
    ///
    /// # Errors
    /// As [`Candidates::update`], which must have been called before.
    pub(crate) fn update_displacements(
        &mut self,
        surface: &Surface,
        motion: &Motion<'_>,
        slack: f32,
        changed: impl Fn(u32) -> bool,
    ) -> Result<UpdateStats, BoxesError> {
        self.check_dormant(motion);
        self.motions.replace_displacements(&surface.patches, motion, changed);
        let motions = &self.motions;
        self.sections.iter_mut().for_each(|section| section.extend_next_step(motions));
        self.rebuild_expired(surface, slack, true)
    }

    /// Searches for pairs of patches if necessary and rebuilds expired lists. With `changed_only`, considers
    /// only patches whose displacements changed and new pairs of patches.
    fn rebuild_expired(
        &mut self,
        surface: &Surface,
        slack: f32,
        changed_only: bool,
    ) -> Result<UpdateStats, BoxesError> {
        let patches = &surface.patches;
        let searched = !self.patch_pairs.is_complete(patches, &self.motions);
        if searched {
            self.patch_pairs.find(patches, &surface.groups.full_mesh, &self.motions)?;
            self.distribute_pairs(patches.count());
        }
        let (motions, primitive_bounds) = (&self.motions, &mut self.primitive_bounds);
        let dormant = &self.dormant;
        let is_included = |patches| {
            (!changed_only || searched || motions.is_changed(patches)) && !dormant.includes(patches)
        };
        parallel::for_each(&mut self.sections, |section| {
            section.schedule_rebuilds(surface, motions, slack, is_included);
        });
        let due = self.sections.iter().flat_map(Section::due);
        let mut lists = 0;
        due.for_each(|pair| {
            lists += 1;
            pair.into_iter().for_each(|patch| primitive_bounds.request(patch));
        });
        if lists > 0 {
            primitive_bounds.build(patches, motions);
            let primitive_bounds = &*primitive_bounds;
            parallel::for_each(&mut self.sections, |section| {
                section.rebuild_lists(surface, motions, primitive_bounds);
            });
        }
        Ok(UpdateStats { searched, lists })
    }

    fn clear_pairs(&mut self) {
        self.patch_pairs.invalidate();
        self.sections.iter_mut().for_each(Section::clear);
    }

    /// Distributes the pairs of patches among the sections.
    fn distribute_pairs(&mut self, patches: u32) {
        self.sections.resize_with(patches.div_ceil(PATCHES) as usize, Section::default);
        let mut left = self.patch_pairs.pairs();
        for (number, section) in (1..).zip(&mut self.sections) {
            let (own, others) = left.split_at(left.partition_point(|pair| pair[0] < number * PATCHES));
            section.replace_pairs(&self.motions, own);
            left = others;
        }
    }

    /// Runs `test` on the selected lists of each section with its own scratch memory.
    pub(crate) fn test<W: Default + Send>(
        &mut self,
        threshold: Threshold,
        selection: Selection,
        scratch: &mut Vec<W>,
        test: impl Fn(&mut W, SectionCandidates<'_>) + Send + Sync,
    ) {
        scratch.resize_with(self.sections.len(), W::default);
        let (motions, dormant) = (&self.motions, &self.dormant);
        parallel::for_each_with(&mut self.sections, scratch, |section, scratch| {
            test(scratch, SectionCandidates { section, motions, threshold, selection, dormant });
        });
    }

    /// Number of candidates in all lists.
    pub(crate) fn count(&self) -> usize {
        self.sections.iter().map(Section::count).sum()
    }
}
