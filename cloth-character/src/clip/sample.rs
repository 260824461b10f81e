//! The pose of a clip at a time.

use nalgebra::Vector3;

use super::{
    Clip, Property,
    channel::{Channel, Place},
};
use crate::{Pose, Skeleton, Transform, angle_between};

impl Clip {
    /// Writes the pose at a time (s): animated joints from the clip, the others at rest.
    ///
    /// Any time is valid: before 0 and NaN give the first pose, after the end the last. The result depends on
    /// nothing but the arguments, so that a simulation may sample each of its substeps in any order. Cost:
    /// one bisection per distinct list of times, one interpolation per channel. Nothing is allocated if
    /// `pose` has as many joints as the skeleton.
    pub fn sample(&self, skeleton: &Skeleton, time: f64, pose: &mut Pose) {
        pose.locals.clear();
        pose.locals.extend(skeleton.joints().iter().map(|joint| joint.rest));
        let mut found = None;
        for channel in &self.channels {
            let place = match found {
                Some((timeline, place)) if timeline == channel.timeline => place,
                _ => Place::find(&self.timelines[channel.timeline], time),
            };
            found = Some((channel.timeline, place));
            if let Some(local) = pose.locals.get_mut(channel.joint) {
                channel.apply(place, local);
            }
        }
    }

    /// The translation of one joint at a time (s), if the clip moves it.
    pub(crate) fn sample_translation(&self, joint: usize, time: f64) -> Option<Vector3<f64>> {
        let is_wanted = |c: &&Channel| c.joint == joint && c.property() == Property::Translation;
        let channel = self.channels.iter().find(is_wanted)?;
        let mut local = Transform::IDENTITY;
        channel.apply(Place::find(&self.timelines[channel.timeline], time), &mut local);
        Some(local.translation)
    }

    /// The largest differences between the last pose and the first: a clip that was authored as a loop has
    /// almost none; others need a [`Looping`](crate::Looping) that closes them. None without a joint.
    #[must_use]
    pub fn seam_gap(&self, skeleton: &Skeleton) -> Option<SeamGap> {
        let (mut last, mut first) = (Pose::default(), Pose::default());
        self.sample(skeleton, self.duration, &mut last);
        self.sample(skeleton, self.start, &mut first);
        let largest = |gap: fn(&Transform, &Transform) -> f64| {
            let gaps = last.locals.iter().zip(&first.locals).map(|(a, b)| gap(a, b));
            gaps.enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b))
        };
        Some(SeamGap {
            turn: largest(|a, b| angle_between(&a.rotation, &b.rotation))?,
            shift: largest(|a, b| (a.translation - b.translation).norm())?,
        })
    }
}

/// How far the last pose of a clip is from the first: two joints, and by how much each differs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeamGap {
    /// The joint whose local rotation differs most, and the angle (rad).
    pub turn: (usize, f64),
    /// The joint whose local translation differs most, and the distance, in the unit of the file.
    pub shift: (usize, f64),
}

#[cfg(test)]
mod tests {
    use nalgebra::{Quaternion, UnitQuaternion, Vector3};
    use proptest::prelude::*;

    use crate::{
        ChannelDescription, ChannelValues, Clip, Interpolation, Joint, Pose, Skeleton, Transform,
        angle_between,
        testing::{rotations, vectors},
    };

    fn sampled(interpolation: Interpolation, times: &[f64], values: ChannelValues, time: f64) -> Transform {
        let channel = ChannelDescription { joint: 0, interpolation, times: times.to_vec(), values };
        let clip = Clip::new("clip".into(), vec![channel], 1).unwrap();
        let skeleton = Skeleton::new(vec![Joint::default()]).unwrap();
        let mut pose = Pose::default();
        clip.sample(&skeleton, time, &mut pose);
        pose.locals[0]
    }

    fn translations(values: &[f64]) -> ChannelValues {
        ChannelValues::Translation(values.iter().map(|&x| Vector3::new(x, 0.0, 0.0)).collect())
    }

    #[test]
    fn steps_and_lines_pass_through_their_keys() {
        let x = |interpolation, time| {
            sampled(interpolation, &[1.0, 2.0], translations(&[3.0, 5.0]), time).translation.x
        };
        for (time, step, linear) in
            [(0.0, 3.0, 3.0), (1.0, 3.0, 3.0), (1.75, 3.0, 4.5), (2.0, 5.0, 5.0), (9.0, 5.0, 5.0)]
        {
            assert_eq!(x(Interpolation::Step, time), step);
            assert_eq!(x(Interpolation::Linear, time), linear);
        }
    }

    #[test]
    fn a_spline_follows_the_cubic_that_its_tangents_describe() {
        // x = t^3 on [1, 3]: values 1 and 27, tangents 3 and 27 per second.
        let keys = [0.0, 1.0, 3.0, 27.0, 27.0, 0.0];
        for time in [1.0, 1.3, 2.0, 2.9, 3.0] {
            let x = sampled(Interpolation::CubicSpline, &[1.0, 3.0], translations(&keys), time).translation.x;
            assert!((x - time * time * time).abs() < 1e-12, "{time}: {x}");
        }
    }

    #[test]
    fn unanimated_properties_stay_at_rest() {
        let rest = Transform { scale: Vector3::repeat(2.0), ..Transform::IDENTITY };
        let skeleton = Skeleton::new(vec![Joint { rest, ..Joint::default() }; 2]).unwrap();
        let channel = ChannelDescription {
            joint: 1,
            interpolation: Interpolation::Linear,
            times: vec![0.0],
            values: translations(&[4.0]),
        };
        let clip = Clip::new(String::new(), vec![channel], 2).unwrap();
        let mut pose = Pose::default();
        clip.sample(&skeleton, 1.0, &mut pose);
        assert_eq!(pose.locals[0], rest);
        assert_eq!(pose.locals[1], Transform { translation: Vector3::new(4.0, 0.0, 0.0), ..rest });
    }

    #[test]
    fn a_spline_of_rotations_through_zero_stays_finite() {
        let q = |w| Quaternion::new(w, 0.0, 0.0, 0.0);
        let zero = Quaternion::new(0.0, 0.0, 0.0, 0.0);
        let keys = ChannelValues::Rotation(vec![zero, q(1.0), zero, zero, q(-1.0), zero]);
        assert!(sampled(Interpolation::CubicSpline, &[0.0, 1.0], keys, 0.5).is_finite());
    }

    proptest! {
        #[test]
        fn rotations_take_the_shorter_arc_whatever_the_sign_of_the_keys(
            a in rotations(), b in rotations(), s in 0.0..1.0f64,
        ) {
            let keys = ChannelValues::Rotation(vec![*a.quaternion() * 3.0, -*b.quaternion()]);
            let middle = sampled(Interpolation::Linear, &[0.0, 1.0], keys, s).rotation;
            prop_assert!((angle_between(&a, &middle) - s * angle_between(&a, &b)).abs() < 1e-6);
        }

        #[test]
        fn a_spline_without_tangents_stays_between_its_keys(
            a in vectors(), b in vectors(), s in 0.0..1.0f64,
        ) {
            let zero = Vector3::zeros();
            let keys = ChannelValues::Scale(vec![zero, a, zero, zero, b, zero]);
            let scale = sampled(Interpolation::CubicSpline, &[0.0, 1.0], keys, s).scale;
            let amount = crate::smoothstep(s);
            prop_assert!((scale - (a + (b - a) * amount)).norm() < 1e-12);
        }

        #[test]
        fn every_time_gives_a_finite_pose(time in any::<f64>(), a in rotations(), b in rotations()) {
            let keys = ChannelValues::Rotation(vec![*a.quaternion(), *b.quaternion()]);
            prop_assert!(sampled(Interpolation::Linear, &[0.5, 0.5000001], keys, time).is_finite());
        }

        #[test]
        fn a_single_key_of_any_interpolation_is_constant(a in rotations(), time in -2.0..2.0f64) {
            let zero = Quaternion::new(0.0, 0.0, 0.0, 0.0);
            let spline = ChannelValues::Rotation(vec![zero, *a.quaternion(), zero]);
            let on_spline = sampled(Interpolation::CubicSpline, &[1.0], spline, time).rotation;
            let angle = angle_between(&on_spline, &a);
            prop_assert!(angle < 1e-15);
            let step = ChannelValues::Rotation(vec![*a.quaternion()]);
            let same = UnitQuaternion::new_unchecked(*a.quaternion());
            let on_step = sampled(Interpolation::Step, &[1.0], step, time).rotation;
            prop_assert!(angle_between(&on_step, &same) < 1e-15);
        }
    }
}
