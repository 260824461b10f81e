//! How each patch moves: as a whole, and how far its vertices differ from that.
//!
//! ```text
//! relative motion of any vertex of A and any of B  <=  |middle_A - middle_B| + spread_A + spread_B
//! ```
//!
//! A pair of patches that falls, swings or slides together has next to no relative motion, however fast it goes.

use nalgebra::{Point3, Vector3};

use crate::Motion;
use crate::gate::weakness::{Weak, Weakness};
use crate::patches::Patches;

/// Share by which a bound is raised for its own rounding; far more than the few ulps that it takes.
const ROUNDING: f32 = 1.0e-4;

/// The least and greatest of some vectors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub(crate) min: [f32; 3],
    pub(crate) max: [f32; 3],
}

impl Extent {
    const EMPTY: Self = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    #[inline]
    fn take(&mut self, v: [f32; 3]) {
        for k in 0..3 {
            self.min[k] = if v[k] < self.min[k] { v[k] } else { self.min[k] };
            self.max[k] = if v[k] > self.max[k] { v[k] } else { self.max[k] };
        }
    }

    pub(crate) fn middle(&self) -> Vector3<f32> {
        Vector3::from_fn(|k, _| 0.5 * (self.min[k] + self.max[k]))
    }

    fn half_diagonal(&self) -> f32 {
        Vector3::from_fn(|k, _| 0.5 * (self.max[k] - self.min[k])).norm()
    }

    /// Distance between two boxes (m); 0 if they overlap.
    pub(crate) fn gap(&self, other: &Self) -> f32 {
        let along = |k: usize| (other.min[k] - self.max[k]).max(self.min[k] - other.max[k]).max(0.0);
        Vector3::from_fn(|k, _| along(k)).norm()
    }

    /// Squared distance of a point from the box (m²); 0 inside.
    #[inline]
    pub(crate) fn distance_sq(&self, p: &Point3<f32>) -> f32 {
        Vector3::from_fn(|k, _| (self.min[k] - p[k]).max(p[k] - self.max[k]).max(0.0)).norm_squared()
    }

    /// Greatest magnitude of a coordinate.
    pub(crate) fn magnitude(&self) -> f32 {
        (0..3).fold(0.0, |most, k| self.min[k].abs().max(self.max[k].abs()).max(most))
    }
}

/// A motion of a patch.
#[derive(Clone, Copy, Debug)]
struct Flow {
    /// Of the patch as a whole (m).
    middle: Vector3<f32>,
    /// Most by which a vertex differs from it (m).
    spread: f32,
}

impl Flow {
    const NONE: Self = Self { middle: Vector3::new(0.0, 0.0, 0.0), spread: 0.0 };

    fn of(extent: &Extent, weak: Weak) -> Self {
        let rounding = extent.magnitude() * 1.0e-6;
        let spread = extent.half_diagonal() * (1.0 + ROUNDING) + rounding;
        let spread = if weak.is(Weakness::CentreForBound) { 0.0 } else { spread };
        Self { middle: extent.middle(), spread }
    }

    /// The motion of one middle relative to the other, and both spreads (m).
    #[inline]
    fn beside(&self, other: &Self) -> (Vector3<f32>, f32) {
        (self.middle - other.middle, self.spread + other.spread)
    }

    /// The most that a vertex moves beyond a mean motion (m).
    #[inline]
    fn beyond(&self, mean: &Vector3<f32>) -> f32 {
        ((self.middle - mean).norm() + self.spread) * (1.0 + ROUNDING)
    }

    /// The most that a vertex of one patch moves relative to one of another (m).
    #[inline]
    fn relative(&self, other: &Self) -> f32 {
        let (middle, spread) = self.beside(other);
        (middle.norm() + spread) * (1.0 + ROUNDING)
    }
}

/// A patch in the present step.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The motion since the step before.
    went: Flow,
    /// The motion that is predicted next.
    goes: Flow,
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
        self.places.clear();
        let (mut all, mut all_went) = (Extent::EMPTY, Extent::EMPTY);
        for patch in 0..patches.count() {
            self.note_patch(patches, motion, patch, limit);
            all.take(self.places[patch as usize].goes.middle.into());
            all_went.take(self.places[patch as usize].went.middle.into());
        }
        self.mean = all.middle();
        let fastest = |flow: fn(&Place) -> &Flow, mean: Vector3<f32>| {
            let beyond = self.places.iter().map(|place| flow(place).beyond(&mean));
            2.0 * beyond.fold(0.0, f32::max)
        };
        // What a sum in f32 could swallow of a small addend is made up for.
        self.path += fastest(|place| &place.went, all_went.middle()) + f32::EPSILON * self.path;
        self.path_next = (self.path + fastest(|place| &place.goes, self.mean)) * (1.0 + ROUNDING);
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
            let mut goes = Extent::EMPTY;
            corners.iter().for_each(|&v| goes.take(motion.displacements[v as usize].into()));
            let place = &mut self.places[patch as usize];
            place.goes = Flow::of(&goes, self.weak);
            let next = (self.path + 2.0 * place.goes.beyond(&self.mean)) * (1.0 + ROUNDING);
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
        (self.path, self.path_next) = (0.0, 0.0);
        self.anchors.clear();
        let corners = (0..patches.count()).flat_map(|patch| patches.corners.row(patch));
        self.anchors.extend(corners.map(|&v| motion.positions[v as usize]));
    }

    fn note_patch(&mut self, patches: &Patches, motion: &Motion<'_>, patch: u32, limit: f32) {
        let [mut at, mut went, mut goes, mut off] = [Extent::EMPTY; 4];
        let corners = patches.corners.row(patch);
        let anchors = &mut self.anchors[patches.corners.range(patch)];
        for (&v, anchor) in corners.iter().zip(&*anchors) {
            let (now, before) = (motion.positions[v as usize], self.last[v as usize]);
            at.take(now.coords.into());
            went.take((now - before).into());
            goes.take(motion.displacements[v as usize].into());
            off.take((now - anchor).into());
        }
        let off = Flow::of(&off, self.weak);
        let anew = off.spread > limit;
        if anew {
            anchors.iter_mut().zip(corners).for_each(|(anchor, &v)| *anchor = motion.positions[v as usize]);
        }
        self.boxes.push(at);
        self.places.push(Place {
            went: Flow::of(&went, self.weak),
            goes: Flow::of(&goes, self.weak),
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
        a.went.relative(&b.went)
    }

    /// How far they will in the coming step, at most (m).
    #[inline]
    pub(crate) fn goes(&self, patches: [u32; 2]) -> f32 {
        let [a, b] = self.places(patches);
        a.goes.relative(&b.goes)
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
        self.places[patch as usize].goes.middle
    }

    /// The most that a vertex of the patch goes beyond the mean of all patches in the coming step (m).
    pub(crate) fn own_way(&self, patch: u32) -> f32 {
        self.places[patch as usize].goes.beyond(&self.mean)
    }
}
