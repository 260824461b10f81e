//! The motions of all patches, in the last step and in the coming one.
//!
//! Patches that move together have little relative motion, however fast they are
//! ([`crate::detect::motion::patch_motion`]).

use cloth_geom::MapInline;
use cloth_geom::bounds::Upper;
use cloth_geom::lanes::{Block, LANES8, minus};
use nalgebra::Vector3;

use crate::detect::motion::extent::Extent;
use crate::detect::motion::motion_bounds::MotionBounds;
use crate::detect::motion::patch_motion::{
    BoundingSphere, Corners, PatchMotion, RotationFit, TranslationBound,
};
use crate::detect::motion::patch_state::PatchState;
use crate::narrow_phase_error::{APPROACH_ERROR_FACTOR, DISTANCE_ERROR};
use crate::patches::{MOST_CORNERS, Patches};
use crate::{Motion, parallel};

/// Number of patches per task.
const TASK_SIZE: u32 = 16;

/// Largest number of corner blocks of a patch.
const MAX_CORNER_BLOCKS: usize = MOST_CORNERS.div_ceil(LANES8);

/// The motions of all patches in the last and in the coming step.
#[derive(Clone, Debug, Default)]
pub(crate) struct PatchMotions {
    /// Present positions of the corners (m), in blocks.
    corners: Vec<Block<3>>,
    /// Positions in the previous step (m), if known.
    last: Vec<Block<3>>,
    /// Anchor positions (m).
    anchors: Vec<Block<3>>,
    /// Whether `corners` were recorded in the previous step.
    has_history: bool,
    states: Vec<PatchState>,
    /// States in the previous step, if known.
    former: Vec<PatchState>,
    /// Mean predicted displacement (m).
    mean: Vector3<f64>,
    /// Upper bound on the accumulated relative motion of any two patches (m).
    pub(crate) path: Upper,
    /// The same by the end of the coming step, with the rounding of the narrow phase.
    pub(crate) path_next: Upper,
    /// Distance error (m) of the narrow phase for any two patches within reach.
    error: Upper,
    /// Whether the last [`PatchMotions::replace_displacements`] changed the displacements of a patch.
    changed: Vec<bool>,
    pub(crate) motion_bounds: MotionBounds,
}

impl PatchMotions {
    /// Records a step; whether the previous one is known. A patch that has deformed by more than `limit` (m)
    /// is re-anchored.
    pub(crate) fn record_step(&mut self, patches: &Patches, motion: &Motion<'_>, limit: f32) -> bool {
        std::mem::swap(&mut self.corners, &mut self.last);
        self.corners.clear();
        let blocks = patches.corner_blocks.iter();
        self.corners.extend(blocks.map(|ids| Block::gather(motion.positions, ids)));
        let known = self.has_history && self.last.len() == self.corners.len();
        if !known {
            self.restart();
        }
        self.has_history = true;
        std::mem::swap(&mut self.states, &mut self.former);
        let mut states = std::mem::take(&mut self.states);
        // The gate asks about a motion that starts where detection has recorded one.
        let unmoved = known && self.corners == self.last;
        let motions = &*self;
        parallel::collect(patches.count(), TASK_SIZE, &mut states, |patch| {
            match motions.former.get(patch as usize) {
                Some(former) if unmoved => motions.unmoved_state(patches, motion, patch, former),
                _ => motions.state(patches, motion, patch, limit),
            }
        });
        self.states = states;
        let (mut all, mut last_extent) = (Extent::EMPTY, Extent::EMPTY);
        for (patch, state) in (0..).zip(&self.states) {
            if state.reanchored {
                let blocks = patches.corners.blocks(patch);
                self.anchors[blocks.clone()].copy_from_slice(&self.corners[blocks]);
            }
            all.include(state.next_step.translation.centre.cast::<f32>().into());
            last_extent.include(state.last_step.translation.centre.cast::<f32>().into());
        }
        self.mean = all.centre().cast();
        let last_mean = last_extent.centre().cast();
        let most = |max_difference: &dyn Fn(&PatchState) -> Upper| {
            self.states.iter().map(max_difference).fold(Upper::ZERO, Upper::max)
        };
        let (last_step, next_step) = (
            most(&|state| state.last_step.translation.max_difference(&last_mean)),
            most(&|state| state.next_step.translation.max_difference(&self.mean)),
        );
        self.error = most(&|state| state.error).times(2.0);
        self.path = self.accumulate(self.path, last_step.times(2.0));
        self.path_next = self.path + next_step.times(2.0).times(APPROACH_ERROR_FACTOR) + self.error;
        known
    }

    /// Replaces the displacements of the coming step; `changed` says of which vertices. The mean motion is
    /// kept: any fixed reference is valid.
    pub(crate) fn replace_displacements(
        &mut self,
        patches: &Patches,
        motion: &Motion<'_>,
        changed: impl Fn(u32) -> bool,
    ) {
        self.changed.clear();
        self.changed.resize(self.states.len(), false);
        for patch in 0..patches.count() {
            let corners = patches.corners.row(patch);
            if !corners.iter().any(|&v| changed(v)) {
                continue;
            }
            let mut state = self.states[patch as usize];
            state.next_step =
                self.predicted_motion(patches, motion, patch, &state.sphere, &mut state.rotation_fit);
            self.states[patch as usize] = state;
            let next = state
                .next_step
                .translation
                .max_difference(&self.mean)
                .times(2.0)
                .times(APPROACH_ERROR_FACTOR);
            self.path_next = self.path_next.max(self.path + next + self.error);
            self.changed[patch as usize] = true;
        }
    }

    /// Whether the displacements of one of two patches were changed.
    #[inline]
    pub(crate) fn is_changed(&self, [a, b]: [u32; 2]) -> bool {
        self.changed[a as usize] || self.changed[b as usize]
    }

    fn restart(&mut self) {
        self.last.clone_from(&self.corners);
        self.anchors.clone_from(&self.corners);
        self.states.clear();
        (self.path, self.path_next) = (Upper::ZERO, Upper::ZERO);
    }

    fn state(&self, patches: &Patches, motion: &Motion<'_>, patch: u32, limit: f32) -> PatchState {
        let (blocks, count) = (patches.corners.blocks(patch), patches.corners.row(patch).len());
        let [now, last, anchors] =
            [&self.corners, &self.last, &self.anchors].map_inline(|all| &all[blocks.clone()]);
        let at = Extent::from_vectors(now.iter().map(|p| p.vectors(0)));
        let off = now.iter().zip(anchors).map(|(p, anchor)| minus(&p.vectors(0), &anchor.vectors(0)));
        let off = TranslationBound::from_displacements(&Extent::from_vectors(off), self.motion_bounds);
        let reanchors = off.deviation.get() > f64::from(limit);
        let sphere = BoundingSphere::new(&at);
        let former = self.former.get(patch as usize);
        let (former_sphere, mut former_fit) =
            former.map_or((sphere, None), |former| (former.sphere, former.rotation_fit));
        let mut displacements = [Block::default(); MAX_CORNER_BLOCKS];
        for (displacement, (p, last)) in displacements.iter_mut().zip(now.iter().zip(last)) {
            displacement.set_vectors(0, minus(&p.vectors(0), &last.vectors(0)));
        }
        let last_step = Corners { positions: last, displacements: &displacements[..last.len()], count };
        let last_step = PatchMotion::new(&former_sphere, last_step, &mut former_fit, self.motion_bounds);
        let mut rotation_fit = None;
        let next_step = self.predicted_motion(patches, motion, patch, &sphere, &mut rotation_fit);
        PatchState {
            at,
            sphere,
            former_sphere,
            last_step,
            next_step,
            rotation_fit,
            since_former_anchor: off,
            since_anchor: if reanchors { TranslationBound::NONE } else { off },
            reanchored: reanchors,
            error: (sphere.size() + Upper::from(patches.half_reach[patch as usize]).times(2.0))
                .times(DISTANCE_ERROR),
        }
    }

    /// The state of a patch that has not moved since the previous step.
    fn unmoved_state(
        &self,
        patches: &Patches,
        motion: &Motion<'_>,
        patch: u32,
        former: &PatchState,
    ) -> PatchState {
        let mut state = PatchState {
            former_sphere: former.sphere,
            last_step: PatchMotion::NONE,
            since_former_anchor: former.since_anchor,
            reanchored: false,
            ..*former
        };
        state.next_step =
            self.predicted_motion(patches, motion, patch, &state.sphere, &mut state.rotation_fit);
        state
    }

    fn predicted_motion(
        &self,
        patches: &Patches,
        motion: &Motion<'_>,
        patch: u32,
        sphere: &BoundingSphere,
        rotation_fit: &mut Option<RotationFit>,
    ) -> PatchMotion {
        let (blocks, count) = (patches.corners.blocks(patch), patches.corners.row(patch).len());
        let mut displacements = [Block::default(); MAX_CORNER_BLOCKS];
        for (displacement, ids) in displacements.iter_mut().zip(&patches.corner_blocks[blocks.clone()]) {
            *displacement = Block::gather(motion.displacements, ids);
        }
        let positions = &self.corners[blocks];
        PatchMotion::new(
            sphere,
            Corners { positions, displacements: &displacements[..positions.len()], count },
            rotation_fit,
            self.motion_bounds,
        )
    }

    /// Bounds of the present positions of two patches (m).
    #[inline]
    pub(crate) fn bounds(&self, patches: [u32; 2]) -> [&Extent; 2] {
        self.states(patches).map_inline(|state| &state.at)
    }

    /// Present positions of the corners of a patch (m), in blocks.
    #[inline]
    pub(crate) fn corners(&self, patches: &Patches, patch: u32) -> &[Block<3>] {
        &self.corners[patches.corners.blocks(patch)]
    }

    #[inline]
    pub(crate) fn accumulate(&self, path: Upper, step: Upper) -> Upper {
        self.motion_bounds.extended_path(path, step)
    }

    pub(crate) fn clear_history(&mut self) {
        self.has_history = false;
    }

    fn states(&self, [a, b]: [u32; 2]) -> [&PatchState; 2] {
        [&self.states[a as usize], &self.states[b as usize]]
    }

    /// Upper bound on the relative motion of two patches in the previous step (m).
    #[inline]
    pub(crate) fn last_step(&self, patches: [u32; 2]) -> Upper {
        let [a, b] = self.states(patches);
        a.last_step.relative(&b.last_step, [&a.former_sphere, &b.former_sphere])
    }

    /// Upper bound on their relative motion in the coming step (m).
    #[inline]
    pub(crate) fn next_step(&self, patches: [u32; 2]) -> Upper {
        let [a, b] = self.states(patches);
        a.next_step.relative(&b.next_step, [&a.sphere, &b.sphere])
    }

    /// Whether one of two patches was re-anchored in this step.
    #[inline]
    pub(crate) fn reanchored(&self, patches: [u32; 2]) -> bool {
        self.states(patches).iter().any(|state| state.reanchored)
    }

    /// Relative translation of two patches since their anchors, and the sum of their deviations (m).
    #[inline]
    pub(crate) fn offset_since_anchors(&self, patches: [u32; 2]) -> (Vector3<f64>, f64) {
        let [a, b] = self.states(patches);
        a.since_anchor.relative_to(&b.since_anchor)
    }

    /// The same, since the anchors before this step.
    #[inline]
    pub(crate) fn offset_since_former_anchors(&self, patches: [u32; 2]) -> (Vector3<f64>, f64) {
        let [a, b] = self.states(patches);
        a.since_former_anchor.relative_to(&b.since_former_anchor)
    }

    /// Predicted translation of a patch (m).
    pub(crate) fn translation(&self, patch: u32) -> Vector3<f64> {
        self.states[patch as usize].next_step.translation.centre
    }

    /// Upper bound on the predicted displacement of a vertex relative to the mean of all patches (m), with
    /// the rounding of the narrow phase.
    pub(crate) fn max_relative_displacement(&self, patch: u32) -> Upper {
        self.states[patch as usize]
            .next_step
            .translation
            .max_difference(&self.mean)
            .times(APPROACH_ERROR_FACTOR)
            + self.error
    }

    /// Distance error (m) of the narrow phase for pairs of these patches within reach.
    #[inline]
    pub(crate) fn distance_error(&self, patches: [u32; 2]) -> f64 {
        let [a, b] = self.states(patches);
        a.error.get() + b.error.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::motion::relative_motion::RelativeMotion;
    use crate::{Regions, Surface, SurfaceDesc};
    use cloth_geom::fixtures;
    use nalgebra::Point3;

    const RADIUS: f32 = 0.01;

    /// A rotating sheet of several patches, with a re-anchoring limit (m).
    fn recorded(limit: f32) -> (Surface, Vec<Point3<f32>>, PatchMotions) {
        let mesh = fixtures::sheet(12, 12, [1.0, 1.0]).unwrap().mesh;
        let at: Vec<Point3<f32>> = mesh.positions.iter().map(|p| p.cast()).collect();
        let surface = Surface::new(&SurfaceDesc {
            faces: &mesh.faces,
            radius: &vec![RADIUS; at.len()],
            half_scr: &vec![RADIUS; at.len()],
            part: &vec![0; at.len()],
            kinematic: &[false],
            rest: &at,
            exclusions: &[],
            regions: Regions::default(),
        })
        .unwrap();
        let displacements: Vec<Vector3<f32>> =
            at.iter().map(|p| Vector3::new(0.0, 0.1 * p.x, 0.05)).collect();
        let mut motions = PatchMotions::default();
        motions.record_step(
            &surface.patches,
            &Motion { positions: &at, displacements: &displacements },
            limit,
        );
        (surface, at, motions)
    }

    #[test]
    fn the_narrow_phase_may_see_a_share_of_the_greatest_distance_otherwise() {
        let (surface, at, motions) = recorded(1.0);
        let patches = &surface.patches;
        for p in 0..patches.count() {
            let corners = || patches.corners.row(p).iter().map(|&v| at[v as usize]);
            let size =
                corners().flat_map(|a| corners().map(move |b| f64::from((a - b).norm()))).fold(0.0, f64::max);
            let reach = f64::from(2.0 * patches.half_reach[p as usize]);
            let error = motions.distance_error([p, p]);
            assert!(error >= 2.0 * (size + reach) * DISTANCE_ERROR, "{error} {size} {reach}");
            assert!(error <= 8.0 * (size + reach) * DISTANCE_ERROR, "{error} {size} {reach}");
        }
    }

    #[test]
    fn the_coming_step_counts_as_the_narrow_phase_could_see_it() {
        let (surface, _, motions) = recorded(1.0);
        for a in 0..surface.patches.count() {
            for b in a..surface.patches.count() {
                let motion = RelativeMotion::new(&motions, [a, b]);
                let with_rounding =
                    motions.next_step([a, b]).get() * APPROACH_ERROR_FACTOR + motions.distance_error([a, b]);
                assert!(
                    f64::from(motion.net_next()) >= with_rounding
                        && f64::from(motion.path_next()) >= with_rounding
                );
            }
        }
    }

    #[test]
    fn the_box_of_a_patch_is_that_of_its_corners() {
        let (surface, at, motions) = recorded(1.0);
        for p in 0..surface.patches.count() {
            let [extent, _] = motions.bounds([p, p]);
            let corners = surface.patches.corners.row(p).iter().map(|&v| at[v as usize]);
            let mut expected = Extent::EMPTY;
            corners.for_each(|p| expected.include(p.coords.into()));
            assert_eq!((extent.min, extent.max), (expected.min, expected.max));
        }
    }
}
