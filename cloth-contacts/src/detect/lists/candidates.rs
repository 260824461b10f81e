//! Which primitive pairs could come into contact: a list for each pair of patches, kept as long as it holds.
//!
//! ```text
//! 0 ---- relative motion now ---- by the end of the step ---- a candidate's mark ---- expiry of the list ---> relative motion
//!                          `- no mark below: nothing to look at
//! ```
//!
//! A candidate that was `separation` beyond its reach when it was last looked at cannot be in contact before its two patches
//! have moved by `separation` relative to each other: that is its mark. What a list left out was open by more than the
//! list's expiry, and two patches that are far apart have an empty list that expires when they could be near.
//!
//! Skipping loses nothing: the contacts are those that a look at every pair would give.

use crate::detect::lists::list::{NarrowPhase, Threshold};
use crate::detect::lists::primitive_bounds::PrimitiveBounds;
use crate::detect::lists::section::{PATCHES, Section};
use crate::detect::motion::patch_motions::PatchMotions;
use crate::detect::patch_pairs::PatchPairs;
use crate::{Motion, Surface, parallel};
use cloth_broadphase::{BoxesError, BroadPhase};

/// Share of the slack that the vertices of a patch may part before it is anchored anew.
const ANCHOR_SHARE: f32 = 0.25;

/// What an update of the lists did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UpdateStats {
    /// Whether the pairs of patches were found anew.
    pub(crate) searched: bool,
    /// Lists made anew.
    pub(crate) lists: usize,
}

/// All lists.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates<B> {
    pub(crate) motions: PatchMotions,
    patch_pairs: PatchPairs<B>,
    primitive_bounds: PrimitiveBounds,
    sections: Vec<Section>,
}

/// The lists of a section, to be looked at.
pub(crate) struct SectionCandidates<'a> {
    section: &'a mut Section,
    motions: &'a PatchMotions,
    threshold: Threshold,
    changed_only: bool,
}

impl SectionCandidates<'_> {
    /// Looks at every candidate that could be in contact in the coming step.
    pub(crate) fn test(self, test: &mut impl NarrowPhase) {
        let Self { section, motions, threshold, changed_only } = self;
        section.test(threshold, motions, |patches| !changed_only || motions.is_changed(patches), test);
    }
}

impl<B: BroadPhase> Candidates<B> {
    /// Forgets the lists, so that the next update makes them anew.
    pub(crate) fn invalidate(&mut self) {
        self.motions.clear_history();
        self.clear_pairs();
    }

    /// Makes the lists complete for this step; `slack` (m) is the least relative motion that a list is planned for.
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
        if !self.motions.record_step(patches, motion, ANCHOR_SHARE * slack) {
            self.clear_pairs();
        }
        let motions = &self.motions;
        parallel::for_each(&mut self.sections, |section| section.advance(motions));
        self.primitive_bounds.begin_step(patches);
        self.rebuild_expired(surface, slack, false)
    }

    /// Makes the lists complete for other displacements of the same positions; `changed` tells which vertices have others.
    ///
    /// # Errors
    /// As [`Candidates::update`], which must have come before.
    pub(crate) fn update_displacements(
        &mut self,
        surface: &Surface,
        motion: &Motion<'_>,
        slack: f32,
        changed: impl Fn(u32) -> bool,
    ) -> Result<UpdateStats, BoxesError> {
        self.motions.replace_displacements(&surface.patches, motion, changed);
        let motions = &self.motions;
        self.sections.iter_mut().for_each(|section| section.extend_next_step(motions));
        self.rebuild_expired(surface, slack, true)
    }

    /// Finds the pairs of patches anew and makes the lists anew that are no longer complete. If this is done `changed_only` for a
    /// step, only what was touched can be so, and what has new neighbours.
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
        let is_included = |patches| !changed_only || searched || motions.is_changed(patches);
        parallel::for_each(&mut self.sections, |section| {
            section.schedule_rebuilds(surface, motions, slack, is_included)
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
                section.rebuild_lists(surface, motions, primitive_bounds)
            });
        }
        Ok(UpdateStats { searched, lists })
    }

    fn clear_pairs(&mut self) {
        self.patch_pairs.invalidate();
        self.sections.iter_mut().for_each(Section::clear);
    }

    /// Gives each section the neighbours that were found.
    fn distribute_pairs(&mut self, patches: u32) {
        self.sections.resize_with(patches.div_ceil(PATCHES) as usize, Section::default);
        let mut left = self.patch_pairs.pairs();
        for (number, section) in (1..).zip(&mut self.sections) {
            let (own, others) = left.split_at(left.partition_point(|pair| pair[0] < number * PATCHES));
            section.take(&self.motions, own);
            left = others;
        }
    }

    /// Has the lists of each section looked at, with a memory for each; `changed_only` only those of pairs of patches that the last
    /// [`Candidates::update_displacements`] touched.
    pub(crate) fn test<W: Default + Send>(
        &mut self,
        threshold: Threshold,
        changed_only: bool,
        scratch: &mut Vec<W>,
        test: impl Fn(&mut W, SectionCandidates<'_>) + Send + Sync,
    ) {
        scratch.resize_with(self.sections.len(), W::default);
        let motions = &self.motions;
        parallel::for_each_with(&mut self.sections, scratch, |section, scratch| {
            test(scratch, SectionCandidates { section, motions, threshold, changed_only });
        });
    }

    /// How many candidates there are.
    pub(crate) fn count(&self) -> usize {
        self.sections.iter().map(Section::count).sum()
    }
}
