//! Which primitive pairs could come into contact: a list for each pair of patches, kept as long as it holds.
//!
//! ```text
//! 0 ---- relative motion now ---- by the end of the step ---- a candidate's mark ---- expiry of the list ---> relative motion
//!                          `- no mark below: nothing to look at
//! ```
//!
//! A candidate that was `open` beyond its reach when it was last looked at cannot be in contact before its two patches
//! have moved by `open` relative to each other: that is its mark. What a list left out was open by more than the
//! list's expiry, and two patches that are far apart have an empty list that expires when they could be near.
//!
//! Skipping loses nothing: the contacts are those that a look at every pair would give.

use crate::detect::lists::list::{Look, Watch};
use crate::detect::lists::outlines::Outlines;
use crate::detect::lists::section::{PATCHES, Section};
use crate::detect::motion::drift::Drift;
use crate::detect::neighbours::Neighbours;
use crate::{Motion, Surface, parallel};
use cloth_broadphase::{BoxesError, BroadPhase};

/// Share of the slack that the vertices of a patch may part before it is anchored anew.
const ANCHOR_SHARE: f32 = 0.25;

/// What an update of the lists did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Updated {
    /// Whether the pairs of patches were found anew.
    pub(crate) searched: bool,
    /// Lists made anew.
    pub(crate) lists: usize,
}

/// All lists.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates<B> {
    pub(crate) drift: Drift,
    neighbours: Neighbours<B>,
    outlines: Outlines,
    sections: Vec<Section>,
}

/// The lists of a section, to be looked at.
pub(crate) struct Lists<'a> {
    section: &'a mut Section,
    drift: &'a Drift,
    watch: Watch,
    again: bool,
}

impl Lists<'_> {
    /// Looks at every candidate that could be in contact in the coming step.
    pub(crate) fn look(self, look: &mut impl Look) {
        let Self { section, drift, watch, again } = self;
        section.look(watch, drift, |patches| !again || drift.is_touched(patches), look);
    }
}

impl<B: BroadPhase> Candidates<B> {
    /// Forgets the lists, so that the next update makes them anew.
    pub(crate) fn forget(&mut self) {
        self.drift.forget();
        self.forget_pairs();
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
    ) -> Result<Updated, BoxesError> {
        let patches = &surface.patches;
        if !self.drift.note(patches, motion, ANCHOR_SHARE * slack) {
            self.forget_pairs();
        }
        let drift = &self.drift;
        parallel::for_each(&mut self.sections, |section| section.advance(drift));
        self.outlines.begin(patches);
        self.renew(surface, slack, false)
    }

    /// Makes the lists complete for other displacements of the same positions; `touched` tells which vertices have others.
    ///
    /// # Errors
    /// As [`Candidates::update`], which must have come before.
    pub(crate) fn update_again(
        &mut self,
        surface: &Surface,
        motion: &Motion<'_>,
        slack: f32,
        touched: impl Fn(u32) -> bool,
    ) -> Result<Updated, BoxesError> {
        self.drift.note_again(&surface.patches, motion, touched);
        let drift = &self.drift;
        self.sections.iter_mut().for_each(|section| section.lengthen(drift));
        self.renew(surface, slack, true)
    }

    /// Finds the pairs of patches anew and makes the lists anew that are no longer complete. If this is done `again` for a
    /// step, only what was touched can be so, and what has new neighbours.
    fn renew(&mut self, surface: &Surface, slack: f32, again: bool) -> Result<Updated, BoxesError> {
        let patches = &surface.patches;
        let searched = !self.neighbours.serve(patches, &self.drift);
        if searched {
            self.neighbours.find(patches, &surface.groups.full_mesh, &self.drift)?;
            self.take_neighbours(patches.count());
        }
        let (drift, outlines) = (&self.drift, &mut self.outlines);
        let concerned = |patches| !again || searched || drift.is_touched(patches);
        parallel::for_each(&mut self.sections, |section| section.plan(surface, drift, slack, concerned));
        let due = self.sections.iter().flat_map(Section::due);
        let mut lists = 0;
        due.for_each(|pair| {
            lists += 1;
            pair.into_iter().for_each(|patch| outlines.want(patch));
        });
        if lists > 0 {
            outlines.make(patches, drift);
            let outlines = &*outlines;
            parallel::for_each(&mut self.sections, |section| section.make_lists(surface, drift, outlines));
        }
        Ok(Updated { searched, lists })
    }

    fn forget_pairs(&mut self) {
        self.neighbours.forget();
        self.sections.iter_mut().for_each(Section::clear);
    }

    /// Gives each section the neighbours that were found.
    fn take_neighbours(&mut self, patches: u32) {
        self.sections.resize_with(patches.div_ceil(PATCHES) as usize, Section::default);
        let mut left = self.neighbours.pairs();
        for (number, section) in (1..).zip(&mut self.sections) {
            let (own, others) = left.split_at(left.partition_point(|pair| pair[0] < number * PATCHES));
            section.take(&self.drift, own);
            left = others;
        }
    }

    /// Has the lists of each section looked at, with a memory for each; `again` only those of pairs of patches that the last
    /// [`Candidates::update_again`] touched.
    pub(crate) fn look<W: Default + Send>(
        &mut self,
        watch: Watch,
        again: bool,
        memories: &mut Vec<W>,
        look: impl Fn(&mut W, Lists<'_>) + Send + Sync,
    ) {
        memories.resize_with(self.sections.len(), W::default);
        let drift = &self.drift;
        parallel::for_each_with(&mut self.sections, memories, |section, memory| {
            look(memory, Lists { section, drift, watch, again });
        });
    }

    /// How many candidates there are.
    pub(crate) fn count(&self) -> usize {
        self.sections.iter().map(Section::count).sum()
    }
}
