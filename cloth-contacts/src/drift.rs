//! How all patches move, in the last step and in the coming one.
//!
//! A pair of patches that falls, swings, slides or turns together has next to no motion relative to each other, however fast it
//! goes ([`crate::stride`]).

use nalgebra::{Point3, Vector3};

use crate::Motion;
use crate::gate::weakness::Weak;
use crate::patches::Patches;
use crate::stride::{Extent, Flow, Ground, ROUNDING, Stride};

/// A patch in the present step.
#[derive(Clone, Copy, Debug)]
struct Place {
    ground: Ground,
    /// Where it was in the step before.
    former_ground: Ground,
    /// The motion since the step before.
    went: Stride,
    /// The motion that is predicted next.
    goes: Stride,
    /// Where it is, seen from the anchor that it had before this step.
    from_former_anchor: Flow,
    /// The same, from the anchor that it has now.
    from_anchor: Flow,
    anchored_anew: bool,
}

/// The motions of all patches in the last and in the coming step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drift {
    last: Vec<Point3<f32>>,
    /// Where the corners of each patch were when it was anchored (m).
    anchors: Vec<Point3<f32>>,
    /// Bounds of the present positions (m).
    pub(crate) boxes: Vec<Extent>,
    places: Vec<Place>,
    /// Those of the step before, if it is known.
    former: Vec<Place>,
    /// The middle of all predicted displacements (m).
    mean: Vector3<f32>,
    /// How far any two patches can have moved relative to each other since the beginning, at most (m).
    pub(crate) path: f32,
    /// The same by the end of the coming step.
    pub(crate) path_next: f32,
    /// Whether the displacements of a patch were changed by the last [`Drift::note_again`].
    touched: Vec<bool>,
    weak: Weak,
}

impl Drift {
    /// Notes the motion of a step. A patch whose vertices have parted by more than `limit` (m) since it was anchored is
    /// anchored anew. Returns whether the step before is known.
    pub(crate) fn note(&mut self, patches: &Patches, motion: &Motion<'_>, limit: f32) -> bool {
        let known = self.last.len() == motion.positions.len();
        if !known {
            self.begin(patches, motion);
        }
        self.boxes.clear();
        std::mem::swap(&mut self.places, &mut self.former);
        self.places.clear();
        let (mut all, mut all_went) = (Extent::EMPTY, Extent::EMPTY);
        for patch in 0..patches.count() {
            self.note_patch(patches, motion, patch, limit);
            all.take(self.places[patch as usize].goes.flow.middle.into());
            all_went.take(self.places[patch as usize].went.flow.middle.into());
        }
        self.mean = all.middle();
        let fastest = |flow: fn(&Place) -> &Flow, mean: Vector3<f32>| {
            let beyond = self.places.iter().map(|place| flow(place).beyond(&mean));
            2.0 * beyond.fold(0.0, f32::max)
        };
        // What a sum in f32 could swallow of a small addend is made up for.
        self.path += fastest(|place| &place.went.flow, all_went.middle()) + f32::EPSILON * self.path;
        self.path_next = (self.path + fastest(|place| &place.goes.flow, self.mean)) * (1.0 + ROUNDING);
        self.last.copy_from_slice(motion.positions);
        known
    }

    /// Takes other displacements for the coming step, of the same positions; `touched` tells of which vertices.
    ///
    /// The mean motion stays: any fixed one will do to measure from.
    pub(crate) fn note_again(
        &mut self,
        patches: &Patches,
        motion: &Motion<'_>,
        touched: impl Fn(u32) -> bool,
    ) {
        self.touched.clear();
        self.touched.resize(self.places.len(), false);
        for patch in 0..patches.count() {
            let corners = patches.corners.row(patch);
            if !corners.iter().any(|&v| touched(v)) {
                continue;
            }
            let place = &mut self.places[patch as usize];
            place.goes = goes(&place.ground, corners, motion, self.weak);
            let next = (self.path + 2.0 * place.goes.flow.beyond(&self.mean)) * (1.0 + ROUNDING);
            self.path_next = self.path_next.max(next);
            self.touched[patch as usize] = true;
        }
    }

    /// Whether the displacements of one of two patches were changed.
    #[inline]
    pub(crate) fn is_touched(&self, [a, b]: [u32; 2]) -> bool {
        self.touched[a as usize] || self.touched[b as usize]
    }

    /// Takes the present positions for those of the step before.
    fn begin(&mut self, patches: &Patches, motion: &Motion<'_>) {
        self.last.clear();
        self.last.extend_from_slice(motion.positions);
        self.places.clear();
        (self.path, self.path_next) = (0.0, 0.0);
        self.anchors.clear();
        let corners = (0..patches.count()).flat_map(|patch| patches.corners.row(patch));
        self.anchors.extend(corners.map(|&v| motion.positions[v as usize]));
    }

    fn note_patch(&mut self, patches: &Patches, motion: &Motion<'_>, patch: u32, limit: f32) {
        let [mut at, mut off] = [Extent::EMPTY; 2];
        let corners = patches.corners.row(patch);
        let anchors = &mut self.anchors[patches.corners.range(patch)];
        for (&v, anchor) in corners.iter().zip(&*anchors) {
            let now = motion.positions[v as usize];
            at.take(now.coords.into());
            off.take((now - anchor).into());
        }
        let off = Flow::of(&off, self.weak);
        let anew = off.spread > limit;
        if anew {
            anchors.iter_mut().zip(corners).for_each(|(anchor, &v)| *anchor = motion.positions[v as usize]);
        }
        self.boxes.push(at);
        let (ground, last) = (Ground::of(&at), &self.last);
        // If the step before is not known, nothing has moved since.
        let former_ground = self.former.get(patch as usize).map_or(ground, |former| former.ground);
        let went =
            corners.iter().map(|&v| (last[v as usize], motion.positions[v as usize] - last[v as usize]));
        self.places.push(Place {
            ground,
            former_ground,
            went: Stride::of(&former_ground, went, self.weak),
            goes: goes(&ground, corners, motion, self.weak),
            from_former_anchor: off,
            from_anchor: if anew { Flow::NONE } else { off },
            anchored_anew: anew,
        });
    }

    #[cfg(feature = "mutations")]
    pub(crate) fn weaken(&mut self, weak: Weak) {
        self.weak = weak;
    }

    /// Forgets the step before.
    pub(crate) fn forget(&mut self) {
        self.last.clear();
    }

    fn places(&self, [a, b]: [u32; 2]) -> [&Place; 2] {
        [&self.places[a as usize], &self.places[b as usize]]
    }

    /// How far two patches moved relative to each other since the step before, at most (m).
    #[inline]
    pub(crate) fn went(&self, patches: [u32; 2]) -> f32 {
        let [a, b] = self.places(patches);
        a.went.relative(&b.went, [&a.former_ground, &b.former_ground])
    }

    /// How far they will in the coming step, at most (m).
    #[inline]
    pub(crate) fn goes(&self, patches: [u32; 2]) -> f32 {
        let [a, b] = self.places(patches);
        a.goes.relative(&b.goes, [&a.ground, &b.ground])
    }

    /// Whether one of two patches was anchored anew in this step.
    #[inline]
    pub(crate) fn anchored_anew(&self, patches: [u32; 2]) -> bool {
        self.places(patches).iter().any(|place| place.anchored_anew)
    }

    /// How far the middle of one patch has moved relative to the other's since each was anchored, and how far their
    /// vertices have parted, together (m).
    #[inline]
    pub(crate) fn beyond_anchors(&self, patches: [u32; 2]) -> (Vector3<f32>, f32) {
        let [a, b] = self.places(patches);
        a.from_anchor.beside(&b.from_anchor)
    }

    /// The same, with the anchors that they had before this step.
    #[inline]
    pub(crate) fn beyond_former_anchors(&self, patches: [u32; 2]) -> (Vector3<f32>, f32) {
        let [a, b] = self.places(patches);
        a.from_former_anchor.beside(&b.from_former_anchor)
    }

    /// How far the middle of a patch goes in the coming step (m).
    pub(crate) fn stride(&self, patch: u32) -> Vector3<f32> {
        self.places[patch as usize].goes.flow.middle
    }

    /// The most that a vertex of the patch goes beyond the mean of all patches in the coming step (m).
    pub(crate) fn own_way(&self, patch: u32) -> f32 {
        self.places[patch as usize].goes.flow.beyond(&self.mean)
    }
}

/// The coming motion of a patch with these corners.
fn goes(ground: &Ground, corners: &[u32], motion: &Motion<'_>, weak: Weak) -> Stride {
    let ends = corners.iter().map(|&v| (motion.positions[v as usize], motion.displacements[v as usize]));
    Stride::of(ground, ends, weak)
}
