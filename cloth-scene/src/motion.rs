//! Where a moving body is: positions run straight between keyframes, rotations along the shortest arc.
//!
//! The arc is Shoemake's slerp ("Animating rotation with quaternion curves", 1985), with sines from `libm`,
//! so that the same scene moves by the same bits everywhere.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use crate::number;

/// A rotation by an angle about an axis through the origin: `{ axis = [0, 1, 0], degrees = 90 }`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rotation {
    /// The axis, of any length; counter-clockwise seen from its tip.
    #[serde(deserialize_with = "number::direction")]
    pub axis: [f64; 3],
    /// The angle (degrees).
    #[serde(deserialize_with = "number::finite")]
    pub degrees: f64,
}

impl Rotation {
    /// This rotation and then another, both about axes that stand still.
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        let both = (next.quaternion() * self.quaternion()).into_inner();
        let axis = both.imag();
        let degrees = 2.0 * libm::atan2(axis.norm(), both.scalar()).to_degrees();
        match axis.try_normalize(0.0) {
            Some(axis) => Self { axis: axis.into(), degrees },
            None => Self { axis: [0.0, 1.0, 0.0], degrees: 0.0 },
        }
    }

    /// The rotation as a quaternion.
    #[must_use]
    pub fn quaternion(&self) -> UnitQuaternion<f64> {
        let half = 0.5 * self.degrees.to_radians();
        let axis = Vector3::from(self.axis).normalize() * libm::sin(half);
        UnitQuaternion::new_normalize(Quaternion::from_parts(libm::cos(half), axis))
    }
}

/// Where a body is at a time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keyframe {
    /// The time (s).
    #[serde(deserialize_with = "number::finite")]
    pub time: f64,
    /// How far it is moved from where its shape says (m).
    #[serde(default, deserialize_with = "number::finite")]
    pub translate: [f64; 3],
    /// How it is turned, about the origin, before it is moved. Less than 180 degrees lie between two
    /// keyframes.
    #[serde(default)]
    pub rotate: Option<Rotation>,
}

/// A rigid motion: a point `p` goes to `rotation * p + translation`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Rotation about the origin.
    pub rotation: UnitQuaternion<f64>,
    /// Translation (m).
    pub translation: Vector3<f64>,
}

impl Pose {
    /// The pose of what is at this pose now and was at another, relative to there: `self * earlier^-1`.
    #[must_use]
    pub fn relative_to(&self, earlier: &Self) -> Self {
        let rotation = self.rotation * earlier.rotation.inverse();
        Self { rotation, translation: self.translation - rotation * earlier.translation }
    }
}

impl Keyframe {
    /// Whether the rotation to `next` is a half turn or more about one axis: the shortest arc would go in
    /// another direction.
    fn half_turn_to(&self, next: &Self) -> bool {
        let axis = |r: Rotation| Vector3::from(r.axis).normalize();
        match (self.rotate, next.rotate) {
            (None, None) => false,
            (Some(r), None) | (None, Some(r)) => r.degrees.abs() >= 180.0,
            (Some(a), Some(b)) => axis(a) == axis(b) && (b.degrees - a.degrees).abs() >= 180.0,
        }
    }

    fn pose(&self) -> Pose {
        let rotation = self.rotate.map_or(UnitQuaternion::identity(), |r| r.quaternion());
        Pose { rotation, translation: self.translate.into() }
    }
}

/// Refuses keyframes that are not in the order of time, or turn too far from one to the next.
pub(crate) fn check_motion(motion: &[Keyframe]) -> Result<(), String> {
    let found = |is_wrong: fn(&Keyframe, &Keyframe) -> bool| {
        motion.windows(2).find(|w| is_wrong(&w[0], &w[1])).map(|w| [w[0].time, w[1].time])
    };
    if let Some([a, b]) = found(|a, b| a.time >= b.time) {
        return Err(format!("must have keyframes in the order of time, found {a} s before {b} s"));
    }
    if let Some([a, b]) = found(Keyframe::half_turn_to) {
        return Err(format!("must turn less than 180 degrees from {a} s to {b} s; put a keyframe between"));
    }
    Ok(())
}

/// The pose at a time (s): that of the first keyframe before it, of the last after it; at rest if there are
/// none.
#[must_use]
pub fn pose_at(motion: &[Keyframe], time: f64) -> Pose {
    let later = motion.partition_point(|k| k.time <= time);
    match (later.checked_sub(1).map(|i| &motion[i]), motion.get(later)) {
        (Some(a), Some(b)) => between(a, b, (time - a.time) / (b.time - a.time)),
        (Some(k), None) | (None, Some(k)) => k.pose(),
        (None, None) => Pose { rotation: UnitQuaternion::identity(), translation: Vector3::zeros() },
    }
}

fn between(a: &Keyframe, b: &Keyframe, share: f64) -> Pose {
    let (a, b) = (a.pose(), b.pose());
    let translation = a.translation + (b.translation - a.translation) * share;
    Pose { rotation: slerp(a.rotation, b.rotation, share), translation }
}

fn slerp(a: UnitQuaternion<f64>, b: UnitQuaternion<f64>, share: f64) -> UnitQuaternion<f64> {
    let (a, mut b) = (a.into_inner(), b.into_inner());
    // Of the two quaternions of a rotation the nearer one gives the shorter arc.
    if a.dot(&b) < 0.0 {
        b = -b;
    }
    // By the chord: an arc cosine loses half its digits where the arc is short.
    let angle = 2.0 * libm::atan2((b - a).norm(), (a + b).norm());
    let sine = libm::sin(angle);
    if sine == 0.0 {
        return UnitQuaternion::new_normalize(a);
    }
    let (from, to) = (libm::sin((1.0 - share) * angle) / sine, libm::sin(share * angle) / sine);
    UnitQuaternion::new_normalize(a * from + b * to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Point3;

    fn key(time: f64, degrees: f64, x: f64) -> Keyframe {
        let rotate = Some(Rotation { axis: [0.0, 2.0, 0.0], degrees });
        Keyframe { time, translate: [x, 0.0, 0.0], rotate }
    }

    /// Where a pose takes the point (0, 0, 1).
    fn tip(pose: &Pose) -> Point3<f64> {
        pose.rotation * Point3::new(0.0, 0.0, 1.0) + pose.translation
    }

    #[test]
    fn turns_counter_clockwise_about_the_axis() {
        let p = tip(&key(0.0, 90.0, 0.0).pose());
        assert!((p - Point3::new(1.0, 0.0, 0.0)).norm() < 4.0 * f64::EPSILON, "{p}");
    }

    #[test]
    fn one_rotation_follows_another() {
        let about = |axis, degrees| Rotation { axis, degrees };
        let both = about([1.0, 0.0, 0.0], 90.0).then(&about([0.0, 0.0, 2.0], 90.0)).quaternion();
        // y goes to z by the first and stays; x stays and goes to y by the second.
        assert!((both * Vector3::y() - Vector3::z()).norm() < 8.0 * f64::EPSILON);
        assert!((both * Vector3::x() - Vector3::y()).norm() < 8.0 * f64::EPSILON);
        let back = about([0.0, 1.0, 0.0], 30.0).then(&about([0.0, 1.0, 0.0], -30.0)).quaternion();
        assert!((back * Vector3::x() - Vector3::x()).norm() < 8.0 * f64::EPSILON);
        let none = about([0.0, 1.0, 0.0], 0.0);
        assert_eq!(none.then(&none).degrees, 0.0);
    }

    #[test]
    fn moves_straight_and_turns_evenly_between_keyframes() {
        let motion = [key(1.0, 0.0, 0.0), key(3.0, 120.0, 2.0), key(4.0, 240.0, 2.0)];
        for (time, degrees, x) in
            [(0.0, 0.0, 0.0), (1.5, 30.0, 0.5), (3.0, 120.0, 2.0), (3.5, 180.0, 2.0), (9.0, 240.0, 2.0)]
        {
            let (found, wanted) = (tip(&pose_at(&motion, time)), tip(&key(0.0, degrees, x).pose()));
            assert!((found - wanted).norm() < 16.0 * f64::EPSILON, "{time}: {found} {wanted}");
        }
    }

    #[test]
    fn turns_by_the_shorter_way_across_the_full_circle() {
        let (found, wanted) =
            (pose_at(&[key(0.0, 10.0, 0.0), key(1.0, 350.0, 0.0)], 0.5), key(0.0, 0.0, 0.0).pose());
        assert!((tip(&found) - tip(&wanted)).norm() < 16.0 * f64::EPSILON, "{found:?}");
    }

    #[test]
    fn rests_where_nothing_moves_it() {
        assert_eq!(tip(&pose_at(&[], 1.0)), Point3::new(0.0, 0.0, 1.0));
    }
}
