//! The way along a rigid motion: what moves on it keeps its shape between the two ends.

use nalgebra::{Isometry3, Point3, Quaternion, UnitQuaternion, Vector3};

use crate::teleport::{Ends, RigidDisplacement};

/// The way of what moves alike in a step. It turns evenly about a pivot that moves straight; where points are
/// left from their ends, they go there in the moving frame.
#[derive(Clone, Debug)]
pub(crate) struct RigidPath {
    motion: RigidDisplacement,
    /// Axis (unit length) and angle (rad) of the turn.
    axis: Vector3<f64>,
    angle: f64,
    /// Where the pivot is at the start and at the end (m).
    pivot: Ends,
    /// How much of the way is gone in this step: 1 for all of it.
    pub(crate) share: f64,
}

impl RigidPath {
    /// The way along `motion` of things within `extent` (m) of its middle: along the screw, if its axis
    /// passes through them, since what turns about itself and what is around it then stay apart; else about
    /// the middle.
    pub(crate) fn new(motion: RigidDisplacement, extent: f64) -> Self {
        let rotation = motion.rotation();
        let rotation = if rotation.w < 0.0 { -rotation.into_inner() } else { rotation.into_inner() };
        let angle = 2.0 * libm::atan2(rotation.imag().norm(), rotation.w);
        let axis = rotation.imag().try_normalize(1.0e-12).unwrap_or(Vector3::y());
        let [from, to] = motion.middle();
        let mut start = from;
        if angle > 1.0e-6 {
            let across = (to - from) - axis * (to - from).dot(&axis);
            let half = 0.5 * angle;
            let to_axis = across * 0.5 + axis.cross(&across) * (0.5 * libm::cos(half) / libm::sin(half));
            if to_axis.norm() <= extent {
                start = from + to_axis;
            }
        }
        Self { motion, axis, angle, pivot: [start, motion.apply(&start)], share: 1.0 }
    }

    /// The straight way of what does not move alike.
    pub(crate) fn straight() -> Self {
        Self::new(RigidDisplacement::none(), 0.0)
    }

    pub(crate) fn motion(&self) -> &RigidDisplacement {
        &self.motion
    }

    /// A bound of the length (m) of the way of points, of which those without an end go along.
    pub(crate) fn length(&self, held: &[Ends], carried: impl Iterator<Item = Point3<f64>>) -> f64 {
        let straight = (self.pivot[1] - self.pivot[0]).norm();
        let arc = |p: &Point3<f64>| self.angle * self.axis.cross(&(p - self.pivot[0])).norm();
        let of_held = |ends: &Ends| {
            arc(&ends[0]).max(arc(&self.back(&ends[1]))) + (self.back(&ends[1]) - ends[0]).norm()
        };
        let farthest = held.iter().map(of_held).chain(carried.map(|p| arc(&p))).fold(0.0, f64::max);
        straight + farthest
    }

    /// Where the end of a point (m) is in the frame of the start.
    fn back(&self, end: &Point3<f64>) -> Point3<f64> {
        self.motion.apply_inverse(end)
    }

    /// The rotation at a share of the way.
    fn rotation_at(&self, s: f64) -> UnitQuaternion<f64> {
        let half = 0.5 * s * self.angle;
        let imag = self.axis * libm::sin(half);
        UnitQuaternion::new_unchecked(Quaternion::new(libm::cos(half), imag.x, imag.y, imag.z))
    }

    /// Where a point (m) that goes along is at a share of the way.
    pub(crate) fn carry(&self, s: f64, p: &Point3<f64>) -> Point3<f64> {
        let pivot = self.pivot[0] + (self.pivot[1] - self.pivot[0]) * s;
        pivot + self.rotation_at(s) * (p - self.pivot[0])
    }

    /// Where a point (m) that goes along is moved from one share of the way to another.
    pub(crate) fn carry_between(&self, [from, to]: [f64; 2], p: &Point3<f64>) -> Point3<f64> {
        let [at_from, at_to] = [from, to].map(|s| self.pivot[0] + (self.pivot[1] - self.pivot[0]) * s);
        at_to + self.rotation_at(to - from) * (p - at_from)
    }

    /// Where a point with an end is at a share of the way (m).
    pub(crate) fn at(&self, s: f64, [start, end]: &Ends) -> Point3<f64> {
        self.carry(s, &(start + (self.back(end) - start) * s))
    }

    /// As [`Self::at`], rounded once.
    pub(crate) fn place_at(&self, s: f64, ends: [Point3<f32>; 2]) -> Point3<f32> {
        self.at(s, &ends.map(Point3::cast)).cast()
    }

    /// A direction with an end at a share of the way; not normalised.
    pub(crate) fn direction_at(&self, s: f64, [start, end]: [&Vector3<f32>; 2]) -> Vector3<f32> {
        let [start, end] = [start, end].map(|n| n.cast::<f64>());
        let back = self.motion.rotation().inverse() * end;
        (self.rotation_at(s) * (start + (back - start) * s)).cast()
    }

    /// A pose with an end at a share of the way.
    pub(crate) fn pose_at(&self, s: f64, ends: [&Isometry3<f32>; 2]) -> Isometry3<f32> {
        let [start, end] = ends.map(|pose| pose.cast::<f64>());
        let place = self.at(s, &[start, end].map(|pose| Point3::from(pose.translation.vector)));
        let back = self.motion.rotation().inverse() * end.rotation;
        let back = if back.coords.dot(&start.rotation.coords) < 0.0 {
            -back.into_inner()
        } else {
            back.into_inner()
        };
        let within = UnitQuaternion::new_normalize(start.rotation.into_inner() * (1.0 - s) + back * s);
        let turned = self.rotation_at(s) * within;
        let rotation = UnitQuaternion::new_normalize(turned.into_inner().cast());
        Isometry3::from_parts(place.coords.cast::<f32>().into(), rotation)
    }

    /// The velocity (m/s) of the middle of what it was made for, over `h` seconds between two shares.
    pub(crate) fn middle_velocity(&self, shares: [f64; 2], h: f64) -> Vector3<f64> {
        let middle = self.motion.middle()[0];
        let [from, to] = shares.map(|s| self.carry(s, &middle));
        (to - from) / h
    }
}
