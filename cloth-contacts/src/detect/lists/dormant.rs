//! Dormant patches: those whose vertices do not move, and whose lists are left alone until they do.
//!
//! A caller that keeps vertices where they are names them once. Pairs of dormant patches are then neither
//! tested nor updated, which takes two things to be sound, and both are checked at every update: dormant
//! vertices are where they were when they were named, and their displacements are zero. Otherwise all patches
//! are awake from then on.
//!
//! In a file of its own because the gate's certificates depend on it: with the feature `mutations`,
//! `faults/dormant.rs` replaces it.

use std::ops::Range;

use nalgebra::{Point3, Vector3};

use crate::Motion;
use crate::patches::Patches;

/// The dormant vertices and patches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dormant {
    /// Whether each patch is dormant; empty if none is.
    patches: Vec<bool>,
    /// The dormant vertices, and where they were (m) when first seen; none are known before the next update.
    ranges: Vec<Range<usize>>,
    positions: Vec<Point3<f32>>,
}

impl Dormant {
    /// Replaces the dormant vertices. A patch is dormant if all its vertices lie in one of the ranges.
    pub(crate) fn set<'a>(&mut self, patches: &Patches, ranges: impl IntoIterator<Item = &'a Range<usize>>) {
        self.clear();
        self.ranges.extend(ranges.into_iter().cloned());
        for range in &self.ranges {
            self.patches.resize(patches.count() as usize, false);
            for (patch, dormant) in (0..).zip(&mut self.patches) {
                *dormant |= patches.corners.row(patch).iter().all(|&v| range.contains(&(v as usize)));
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        self.patches.clear();
        self.ranges.clear();
        self.positions.clear();
    }

    /// Whether both patches are dormant.
    #[inline]
    pub(crate) fn includes(&self, patches: [u32; 2]) -> bool {
        !self.patches.is_empty() && patches.iter().all(|&patch| self.patches[patch as usize])
    }

    /// Whether the list of a pair is out of date when other patches become dormant: its motion was not
    /// followed.
    pub(crate) fn outdates(&self, patches: [u32; 2]) -> bool {
        self.includes(patches)
    }

    /// Whether the dormant vertices are where they were and stay there; those seen for the first time are
    /// where they were.
    pub(crate) fn are_still(&mut self, motion: &Motion<'_>) -> bool {
        if self.positions.is_empty() {
            let positions = self.ranges.iter().flat_map(|range| &motion.positions[range.clone()]);
            self.positions.extend(positions);
        }
        let mut known = &self.positions[..];
        self.ranges.iter().all(|range| {
            let (own, others) = known.split_at(range.len());
            known = others;
            motion.positions[range.clone()] == *own
                && motion.displacements[range.clone()].iter().all(|d| *d == Vector3::zeros())
        })
    }
}
