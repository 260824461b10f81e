//! Upper bounds on the relative motion of two patches since their candidate list was built.
//!
//! There are two. `path` is the sum of the relative motions of all steps; it is the tighter one for steady
//! motion. `net` bounds the net displacement and stays small for cloth that oscillates: it is the minimum of
//! the path and of the displacement since the anchors of `PatchMotions`.
//!
//! Both are sums of [`Upper`] bounds, rounded up in `f64` at each addition, so no step is lost however long
//! the path and however small the step. The limit of a candidate is a reading of them, rounded down:
//! `limit > path_next` in the stored numbers implies in real numbers that the separation at the time of the
//! measurement exceeds the relative motion since.

use cloth_geom::bounds::Upper;
use nalgebra::Vector3;

use crate::detect::motion::patch_motions::PatchMotions;
use crate::narrow_phase_error::APPROACH_ERROR_FACTOR;

/// Bounds on the relative motion of two patches (m).
#[derive(Clone, Copy, Debug)]
pub(crate) struct RelativeMotion {
    path: Upper,
    net: Upper,
    /// The bounds at the end of the coming step, with the rounding of the narrow phase.
    path_next: f32,
    net_next: f32,
    /// The net bound when the patches were last anchored, and the path since then.
    net_at_anchor: Upper,
    path_since_anchor: Upper,
    /// The predicted relative motion of the coming step.
    next_step: Upper,
    /// Relative translation at that time, measured from the anchors, and the sum of both deviations.
    reference: Vector3<f64>,
    deviation: f64,
}

impl RelativeMotion {
    /// Bounds that start at the present positions.
    pub(crate) fn new(motions: &PatchMotions, patches: [u32; 2]) -> Self {
        let (reference, deviation) = motions.offset_since_anchors(patches);
        let zero = Upper::ZERO;
        let mut motion = Self {
            path: zero,
            net: zero,
            path_next: 0.0,
            net_next: 0.0,
            net_at_anchor: zero,
            path_since_anchor: zero,
            next_step: zero,
            reference,
            deviation,
        };
        motion.set_next_step(motions.next_step(patches), motions, patches);
        motion
    }

    /// Advances by the previous step and predicts the coming one.
    #[inline]
    pub(crate) fn advance(&mut self, motions: &PatchMotions, patches: [u32; 2]) {
        let step = motions.last_step(patches);
        self.path = motions.accumulate(self.path, step);
        self.path_since_anchor += step;
        let (centre, deviation) = motions.offset_since_former_anchors(patches);
        // The deviations have more margin for the rounding of the centres than their difference needs.
        let anchored = (centre - self.reference).norm() + (deviation + self.deviation);
        self.net = self.net_at_anchor + self.path_since_anchor.min(Upper::computed(anchored));
        if motions.reanchored(patches) {
            (self.reference, self.deviation) = motions.offset_since_anchors(patches);
            (self.net_at_anchor, self.path_since_anchor) = (self.net, Upper::ZERO);
        }
        self.set_next_step(motions.next_step(patches), motions, patches);
    }

    /// Increases the predicted motion of the coming step, if the new one is larger.
    #[inline]
    pub(crate) fn extend_next_step(&mut self, motions: &PatchMotions, patches: [u32; 2]) {
        self.set_next_step(motions.next_step(patches).max(self.next_step), motions, patches);
    }

    /// Path so far (m).
    #[inline]
    pub(crate) fn path(&self) -> Upper {
        self.path
    }

    /// Net displacement so far (m).
    #[inline]
    pub(crate) fn net(&self) -> Upper {
        self.net
    }

    /// Path at the end of the coming step (m).
    #[inline]
    pub(crate) fn path_next(&self) -> f32 {
        self.path_next
    }

    /// Net displacement at the end of the coming step (m).
    #[inline]
    pub(crate) fn net_next(&self) -> f32 {
        self.net_next
    }

    fn set_next_step(&mut self, next_step: Upper, motions: &PatchMotions, patches: [u32; 2]) {
        self.next_step = next_step;
        // Sums of non-negative numbers; the conversion to `f32` covers their rounding.
        let with_rounding = next_step.get() * APPROACH_ERROR_FACTOR + motions.distance_error(patches);
        self.path_next = Upper::exact(self.path.get() + with_rounding).to_f32();
        self.net_next = Upper::exact(self.net.get() + with_rounding).to_f32();
    }
}

#[cfg(test)]
mod tests {
    use cloth_geom::fixtures;
    use nalgebra::{Point3, Vector3};
    use proptest::prelude::*;

    use super::*;
    use crate::{Motion, Regions, Surface, SurfaceDesc};

    /// Vertices per sheet. There are two sheets, each of one patch.
    const COUNT: usize = 9;

    fn two_sheets() -> (Surface, Vec<Point3<f32>>) {
        let sheet = fixtures::sheet(3, 3, [0.2, 0.2]).unwrap().mesh;
        let lifted =
            |height: f32| sheet.positions.iter().map(move |p| p.cast::<f32>() + Vector3::y() * height);
        let rest: Vec<Point3<f32>> = lifted(0.0).chain(lifted(0.1)).collect();
        let second = sheet.faces.iter().map(|face| face.map(|v| v + COUNT as u32));
        let faces: Vec<[u32; 3]> = sheet.faces.iter().copied().chain(second).collect();
        let part: Vec<u16> = (0..2 * COUNT).map(|v| (v / COUNT) as u16).collect();
        let surface = Surface::new(&SurfaceDesc {
            faces: &faces,
            radius: &[0.001; 2 * COUNT],
            half_scr: &[0.001; 2 * COUNT],
            part: &part,
            kinematic: &[false; 2],
            rest: &rest,
            exclusions: &[],
            regions: Regions::default(),
        })
        .unwrap();
        assert_eq!(surface.patches.count(), 2);
        (surface, rest)
    }

    fn vector(most: f32) -> impl Strategy<Value = Vector3<f32>> {
        [-most..most, -most..most, -most..most].prop_map(Vector3::from)
    }

    /// Positions of both sheets in a step: translated, rotated, and each vertex displaced.
    fn pose(rest: Vec<Point3<f32>>) -> impl Strategy<Value = Vec<Point3<f32>>> {
        let moves = ([vector(0.03), vector(0.03)], [vector(0.2), vector(0.2)]);
        let own = proptest::collection::vec(vector(1.0), 2 * COUNT);
        (moves, own, prop_oneof![Just(0.0_f32), Just(1.0e-4), Just(0.01)]).prop_map(
            move |((shifts, turns), own, amount)| {
                let at = |(v, p): (usize, &Point3<f32>)| {
                    p + shifts[v / COUNT] + turns[v / COUNT].cross(&p.coords) + own[v] * amount
                };
                rest.iter().enumerate().map(at).collect()
            },
        )
    }

    #[test]
    fn net_motion_is_measured_from_relative_placement_not_from_anchors() {
        let (surface, rest) = two_sheets();
        let at = |lift: f32| {
            let lifted =
                |(v, p): (usize, &Point3<f32>)| p + Vector3::y() * if v < COUNT { 0.0 } else { lift };
            rest.iter().enumerate().map(lifted).collect::<Vec<_>>()
        };
        let (mut motions, still) = (PatchMotions::default(), vec![Vector3::zeros(); 2 * COUNT]);
        // Anchored half-way; then oscillating.
        for lift in [0.0, 0.03] {
            motions.record_step(
                &surface.patches,
                &Motion { positions: &at(lift), displacements: &still },
                1.0,
            );
        }
        let mut motion = RelativeMotion::new(&motions, [0, 1]);
        for (lift, net) in [(-0.03, 0.06), (0.03, 0.0), (-0.03, 0.06), (0.0, 0.03)] {
            motions.record_step(
                &surface.patches,
                &Motion { positions: &at(lift), displacements: &still },
                1.0,
            );
            motion.advance(&motions, [0, 1]);
            assert!(motion.net().get() >= net - 1e-7 && motion.net().get() < net + 1e-3, "{net} {motion:?}");
        }
        assert!(motion.path().get() > 0.2);
    }

    proptest! {
        /// Poses repeat, so the net displacement is less than the path, and of either sign.
        #[test]
        fn no_two_vertices_approach_by_more_than_path_or_net_motion(
            poses in proptest::collection::vec(pose(two_sheets().1), 4..10),
            first in 0_usize..3,
            limit in prop_oneof![Just(1.0e-3_f32), Just(0.02), Just(1.0)],
        ) {
            let (surface, _) = two_sheets();
            let mut motions = PatchMotions::default();
            let mut motion = None;
            for (step, pair) in poses.windows(2).enumerate() {
                let displacements: Vec<_> = pair[1].iter().zip(&pair[0]).map(|(b, a)| b - a).collect();
                motions.record_step(&surface.patches, &Motion { positions: &pair[0], displacements: &displacements }, limit);
                match &mut motion {
                    None if step == first => motion = Some(RelativeMotion::new(&motions, [0, 1])),
                    None => {}
                    Some(motion) => motion.advance(&motions, [0, 1]),
                }
                let Some(motion) = &motion else { continue };
                let apart = |at: &[Point3<f32>], a: usize, b: usize| (at[a].cast::<f64>() - at[b].cast()).norm();
                for (a, b) in (0..COUNT).flat_map(|a| (COUNT..2 * COUNT).map(move |b| (a, b))) {
                    let before = apart(&poses[first], a, b);
                    let lost = before - apart(&pair[0], a, b);
                    prop_assert!(lost <= motion.net().get() + 1e-15, "{step}: {lost} {:?}", motion);
                    prop_assert!(motion.net().get() <= motion.path().get() * (1.0 + 1e-12));
                    let lost_next = before - apart(&pair[1], a, b);
                    prop_assert!(lost_next <= f64::from(motion.net_next()), "{step}: {lost_next} {:?}", motion);
                    prop_assert!(lost_next <= f64::from(motion.path_next()), "{step}: {lost_next} {:?}", motion);
                }
            }
        }
    }
}
