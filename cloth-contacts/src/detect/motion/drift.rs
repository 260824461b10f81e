//! How all patches move, in the last step and in the coming one.
//!
//! A pair of patches that falls, swings, slides or turns together has next to no motion relative to each other, however fast it
//! goes ([`crate::detect::motion::stride`]).

use cloth_geom::bounds::Upper;
use nalgebra::Vector3;

use crate::block::{Block, LANES, minus};
use crate::detect::motion::extent::Extent;
use crate::detect::motion::rules::Rules;
use crate::detect::motion::stride::{Corners, Fit, Flow, Ground, Stride};
use crate::narrow_phase_error::{DISTANCE_ERROR, SEEN};
use crate::patches::{MOST_CORNERS, Patches};
use crate::{Motion, parallel};

/// Patches that are one task.
const AT_ONCE: u32 = 16;

/// Blocks of corners that a patch has at most.
const MOST_BLOCKS: usize = MOST_CORNERS.div_ceil(LANES);

/// A patch in the present step.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// Bounds of its positions (m).
    at: Extent,
    ground: Ground,
    /// Where it was in the step before.
    former_ground: Ground,
    /// The motion since the step before.
    went: Stride,
    /// The motion that is predicted next.
    goes: Stride,
    /// What its turns are fitted with, once one was.
    fit: Option<Fit>,
    /// Where it is, seen from the anchor that it had before this step.
    from_former_anchor: Flow,
    /// The same, from the anchor that it has now.
    from_anchor: Flow,
    anchored_anew: bool,
    /// Its share of what the narrow phase could see otherwise of a pair within reach (m): no two points of such a pair are farther from
    /// each other than both patches are large, with their reaches.
    error: Upper,
}

/// The motions of all patches in the last and in the coming step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drift {
    /// Where the corners of each patch are, in blocks (m).
    corners: Vec<Block<3>>,
    /// Where they were in the step before, if it is known (m).
    last: Vec<Block<3>>,
    /// Where they were when the patch was anchored (m).
    anchors: Vec<Block<3>>,
    /// Whether `corners` were noted in the step before.
    is_known: bool,
    places: Vec<Place>,
    /// Those of the step before, if it is known.
    former: Vec<Place>,
    /// The middle of all predicted displacements (m).
    mean: Vector3<f64>,
    /// How far any two patches can have moved relative to each other since the beginning, at most (m).
    pub(crate) path: Upper,
    /// The same by the end of the coming step, with what the narrow phase could see otherwise there.
    pub(crate) path_next: Upper,
    /// What the narrow phase could see otherwise of any two patches that touch (m).
    error: Upper,
    /// Whether the displacements of a patch were changed by the last [`Drift::note_again`].
    touched: Vec<bool>,
    pub(crate) rules: Rules,
}

impl Drift {
    /// Notes the motion of a step. A patch whose vertices have parted by more than `limit` (m) since it was anchored is
    /// anchored anew. Returns whether the step before is known.
    pub(crate) fn note(&mut self, patches: &Patches, motion: &Motion<'_>, limit: f32) -> bool {
        std::mem::swap(&mut self.corners, &mut self.last);
        self.corners.clear();
        let blocks = patches.corner_blocks.iter();
        self.corners.extend(blocks.map(|ids| Block::gather(motion.positions, ids)));
        let known = self.is_known && self.last.len() == self.corners.len();
        if !known {
            self.begin();
        }
        self.is_known = true;
        std::mem::swap(&mut self.places, &mut self.former);
        let mut places = std::mem::take(&mut self.places);
        // As when the gate asks about a motion that starts where detection has looked.
        let stays = known && self.corners == self.last;
        let drift = &*self;
        parallel::collect(patches.count(), AT_ONCE, &mut places, |patch| {
            match drift.former.get(patch as usize) {
                Some(former) if stays => drift.same_place(patches, motion, patch, former),
                _ => drift.place(patches, motion, patch, limit),
            }
        });
        self.places = places;
        let (mut all, mut all_went) = (Extent::EMPTY, Extent::EMPTY);
        for (patch, place) in (0..).zip(&self.places) {
            if place.anchored_anew {
                let blocks = patches.corners.blocks(patch);
                self.anchors[blocks.clone()].copy_from_slice(&self.corners[blocks]);
            }
            all.take(place.goes.flow.middle.cast::<f32>().into());
            all_went.take(place.went.flow.middle.cast::<f32>().into());
        }
        self.mean = all.middle().cast();
        let mean_went = all_went.middle().cast();
        let most =
            |beyond: &dyn Fn(&Place) -> Upper| self.places.iter().map(beyond).fold(Upper::ZERO, Upper::max);
        let (went, goes) = (
            most(&|place| place.went.flow.beyond(&mean_went)),
            most(&|place| place.goes.flow.beyond(&self.mean)),
        );
        self.error = most(&|place| place.error).times(2.0);
        self.path = self.sum(self.path, went.times(2.0));
        self.path_next = self.path + seen(goes.times(2.0)) + self.error;
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
            let mut place = self.places[patch as usize];
            place.goes = self.goes_to(patches, motion, patch, &place.ground, &mut place.fit);
            self.places[patch as usize] = place;
            let next = seen(place.goes.flow.beyond(&self.mean).times(2.0));
            self.path_next = self.path_next.max(self.path + next + self.error);
            self.touched[patch as usize] = true;
        }
    }

    /// Whether the displacements of one of two patches were changed.
    #[inline]
    pub(crate) fn is_touched(&self, [a, b]: [u32; 2]) -> bool {
        self.touched[a as usize] || self.touched[b as usize]
    }

    /// Takes the present positions for those of the step before.
    fn begin(&mut self) {
        self.last.clone_from(&self.corners);
        self.anchors.clone_from(&self.corners);
        self.places.clear();
        (self.path, self.path_next) = (Upper::ZERO, Upper::ZERO);
    }

    /// Where a patch is, and how it moves.
    fn place(&self, patches: &Patches, motion: &Motion<'_>, patch: u32, limit: f32) -> Place {
        let (blocks, count) = (patches.corners.blocks(patch), patches.corners.row(patch).len());
        let [now, last, anchors] = [&self.corners, &self.last, &self.anchors].map(|all| &all[blocks.clone()]);
        let at = Extent::from_vectors(now.iter().map(|p| p.vectors(0)));
        let off = now.iter().zip(anchors).map(|(p, anchor)| minus(&p.vectors(0), &anchor.vectors(0)));
        let off = Flow::of_displacements(&Extent::from_vectors(off), self.rules);
        let anew = off.spread.get() > f64::from(limit);
        let ground = Ground::new(&at);
        // If the step before is not known, nothing has moved since.
        let former = self.former.get(patch as usize);
        let (former_ground, mut former_fit) =
            former.map_or((ground, None), |former| (former.ground, former.fit));
        let mut ways = [Block::default(); MOST_BLOCKS];
        for (way, (p, last)) in ways.iter_mut().zip(now.iter().zip(last)) {
            way.set_vectors(0, minus(&p.vectors(0), &last.vectors(0)));
        }
        let went = Corners { places: last, displacements: &ways[..last.len()], count };
        let went = Stride::new(&former_ground, went, &mut former_fit, self.rules);
        let mut fit = None;
        let goes = self.goes_to(patches, motion, patch, &ground, &mut fit);
        Place {
            at,
            ground,
            former_ground,
            went,
            goes,
            fit,
            from_former_anchor: off,
            from_anchor: if anew { Flow::NONE } else { off },
            anchored_anew: anew,
            error: (ground.size() + Upper::from(patches.half_reach[patch as usize]).times(2.0))
                .times(DISTANCE_ERROR),
        }
    }

    /// How a patch moves that is where it was in the step before.
    fn same_place(&self, patches: &Patches, motion: &Motion<'_>, patch: u32, former: &Place) -> Place {
        let mut place = Place {
            former_ground: former.ground,
            went: Stride::NONE,
            from_former_anchor: former.from_anchor,
            anchored_anew: false,
            ..*former
        };
        place.goes = self.goes_to(patches, motion, patch, &place.ground, &mut place.fit);
        place
    }

    /// The coming motion of a patch.
    fn goes_to(
        &self,
        patches: &Patches,
        motion: &Motion<'_>,
        patch: u32,
        ground: &Ground,
        fit: &mut Option<Fit>,
    ) -> Stride {
        let (blocks, count) = (patches.corners.blocks(patch), patches.corners.row(patch).len());
        let mut ways = [Block::default(); MOST_BLOCKS];
        for (way, ids) in ways.iter_mut().zip(&patches.corner_blocks[blocks.clone()]) {
            *way = Block::gather(motion.displacements, ids);
        }
        let places = &self.corners[blocks];
        Stride::new(ground, Corners { places, displacements: &ways[..places.len()], count }, fit, self.rules)
    }

    /// Bounds of the present positions of two patches (m).
    #[inline]
    pub(crate) fn boxes(&self, patches: [u32; 2]) -> [&Extent; 2] {
        self.places(patches).map(|place| &place.at)
    }

    /// Where the corners of a patch are, in blocks (m).
    #[inline]
    pub(crate) fn corners(&self, patches: &Patches, patch: u32) -> &[Block<3>] {
        &self.corners[patches.corners.blocks(patch)]
    }

    /// The sum of a path and a step.
    #[inline]
    pub(crate) fn sum(&self, path: Upper, step: Upper) -> Upper {
        self.rules.lengthened(path, step)
    }

    /// Forgets the step before.
    pub(crate) fn forget(&mut self) {
        self.is_known = false;
    }

    fn places(&self, [a, b]: [u32; 2]) -> [&Place; 2] {
        [&self.places[a as usize], &self.places[b as usize]]
    }

    /// How far two patches moved relative to each other since the step before, at most (m).
    #[inline]
    pub(crate) fn went(&self, patches: [u32; 2]) -> Upper {
        let [a, b] = self.places(patches);
        a.went.relative(&b.went, [&a.former_ground, &b.former_ground])
    }

    /// How far they will in the coming step, at most (m).
    #[inline]
    pub(crate) fn goes(&self, patches: [u32; 2]) -> Upper {
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
    pub(crate) fn beyond_anchors(&self, patches: [u32; 2]) -> (Vector3<f64>, f64) {
        let [a, b] = self.places(patches);
        a.from_anchor.beside(&b.from_anchor)
    }

    /// The same, with the anchors that they had before this step.
    #[inline]
    pub(crate) fn beyond_former_anchors(&self, patches: [u32; 2]) -> (Vector3<f64>, f64) {
        let [a, b] = self.places(patches);
        a.from_former_anchor.beside(&b.from_former_anchor)
    }

    /// How far the middle of a patch goes in the coming step (m).
    pub(crate) fn stride(&self, patch: u32) -> Vector3<f64> {
        self.places[patch as usize].goes.flow.middle
    }

    /// The most that a vertex of the patch goes beyond the mean of all patches in the coming step, as the narrow phase could see it (m).
    pub(crate) fn own_way(&self, patch: u32) -> Upper {
        seen(self.places[patch as usize].goes.flow.beyond(&self.mean)) + self.error
    }

    /// What the narrow phase could see otherwise than it is of pairs of these patches that are within reach (m).
    #[inline]
    pub(crate) fn distance_error(&self, patches: [u32; 2]) -> f64 {
        let [a, b] = self.places(patches);
        a.error.get() + b.error.get()
    }
}

/// An approach as the narrow phase could see it.
fn seen(approach: Upper) -> Upper {
    approach.times(SEEN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::motion::relative_motion::RelativeMotion;
    use crate::{Regions, Surface, SurfaceDesc};
    use cloth_geom::fixtures;
    use nalgebra::Point3;

    const RADIUS: f32 = 0.01;

    /// A sheet of several patches in a turn, with a limit for anchors (m).
    fn noted(limit: f32) -> (Surface, Vec<Point3<f32>>, Drift) {
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
        let mut drift = Drift::default();
        drift.note(&surface.patches, &Motion { positions: &at, displacements: &displacements }, limit);
        (surface, at, drift)
    }

    #[test]
    fn the_narrow_phase_may_see_a_share_of_the_greatest_distance_otherwise() {
        let (surface, at, drift) = noted(1.0);
        let patches = &surface.patches;
        for p in 0..patches.count() {
            let corners = || patches.corners.row(p).iter().map(|&v| at[v as usize]);
            let size =
                corners().flat_map(|a| corners().map(move |b| f64::from((a - b).norm()))).fold(0.0, f64::max);
            let reach = f64::from(2.0 * patches.half_reach[p as usize]);
            let error = drift.distance_error([p, p]);
            assert!(error >= 2.0 * (size + reach) * DISTANCE_ERROR, "{error} {size} {reach}");
            assert!(error <= 8.0 * (size + reach) * DISTANCE_ERROR, "{error} {size} {reach}");
        }
    }

    #[test]
    fn the_coming_step_counts_as_the_narrow_phase_could_see_it() {
        let (surface, _, drift) = noted(1.0);
        for a in 0..surface.patches.count() {
            for b in a..surface.patches.count() {
                let motion = RelativeMotion::start(&drift, [a, b]);
                let seen = drift.goes([a, b]).get() * SEEN + drift.distance_error([a, b]);
                assert!(f64::from(motion.way_next()) >= seen && f64::from(motion.path_next()) >= seen);
            }
        }
    }

    #[test]
    fn the_box_of_a_patch_is_that_of_its_corners() {
        let (surface, at, drift) = noted(1.0);
        for p in 0..surface.patches.count() {
            let [extent, _] = drift.boxes([p, p]);
            let corners = surface.patches.corners.row(p).iter().map(|&v| at[v as usize]);
            let mut expected = Extent::EMPTY;
            corners.for_each(|p| expected.take(p.coords.into()));
            assert_eq!((extent.min, extent.max), (expected.min, expected.max));
        }
    }
}
