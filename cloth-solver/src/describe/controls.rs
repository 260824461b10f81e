//! Descriptions of controls: tethers, drives, damping and local frames.

use nalgebra::Isometry3;

#[cfg(feature = "serde")]
use crate::number;

/// Long-range attachments (Kim, Chentanez and Mueller-Fischer 2012): a free vertex stays within the length of
/// cloth between it and its nearest anchors.
///
/// Anchors are the pinned and the attached vertices. Lengths are geodesic, measured over the rest shape and
/// never underestimated, so tethers only remove stretch that the solver left. A tether moves the free vertex
/// alone: its load never reaches the target of a soft attachment.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Tethers {
    /// Allowed stretch, as a share of the rest length; finite, not negative. 0.01 allows 1 %.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::non_negative"))]
    pub max_stretch: f32,
    /// Anchors per free vertex, nearest first; 1 to 4. With 1, cloth hung by two corners may swing out
    /// between them.
    pub anchors: u32,
    /// Compliance (m/N) of each tether; zero is rigid.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::non_negative"))]
    pub compliance: f32,
}

impl Default for Tethers {
    fn default() -> Self {
        Self { max_stretch: 0.01, anchors: 4, compliance: 0.0 }
    }
}

/// A drive: pulls a cloth towards an animated pose and limits its distance from it.
///
/// The pose has one target per vertex, initially the start pose;
/// [`Simulation::move_drive`](crate::Simulation::move_drive) moves it. Pinned vertices are not driven.
/// Contacts are solved after drives and may push a vertex beyond its limits.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Drive {
    /// The driven vertices, without duplicates; `None` for all.
    pub vertices: Option<Vec<u32>>,
    /// Stiffness of the spring to the target per mass (1/s2): the square of its angular frequency,
    /// independent of the mesh. Zero is no spring, infinite is rigid.
    #[cfg_attr(feature = "serde", serde(with = "number::infinite_as_null::non_negative"))]
    pub stiffness: f32,
    /// Rate (1/s) at which velocities approach that of the target.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::non_negative"))]
    pub damping: f32,
    /// Maximum distance (m) of each driven vertex from its target; infinite for no limit.
    #[cfg_attr(feature = "serde", serde(with = "number::infinite_as_null::list"))]
    pub max_distance: Option<Vec<f32>>,
    /// Backstop of each driven vertex.
    pub backstop: Option<Vec<Option<Backstop>>>,
}

/// A backstop: a ball behind the target of a driven vertex that the vertex may not enter.
///
/// "Behind" is opposite to the pose's normal at the target, the area-weighted mean of the faces around it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Backstop {
    /// Distance (m) from the target back to the ball's surface. Negative values put it in front of the
    /// target, at most by the maximum distance.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::finite"))]
    pub distance: f32,
    /// Radius (m), greater than zero; infinite for a plane.
    #[cfg_attr(feature = "serde", serde(with = "number::infinite_as_null::positive"))]
    pub radius: f32,
}

/// Internal damping: rates (1/s) at which kinds of relative motion decay, independent of the time step. After
/// one second a rate of 1 leaves `1/e`. Momentum is conserved and rigid motion is not damped.
///
/// A rate is exact for one deformation by itself. Deformations that share vertices decay faster together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Damping {
    /// Rate of change of edge lengths.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::non_negative"))]
    pub stretch: f32,
    /// Rate of change of hinge angles.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::non_negative"))]
    pub bending: f32,
    /// All motion relative to the rigid motion of the cloth. Pinned vertices are neither counted nor changed.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::non_negative"))]
    pub global: f32,
}

/// A rigid frame that moves a cloth's inertia with it, such as the root of the character that wears it. Games
/// call this local-space simulation with an inertia scale.
///
/// [`Simulation::move_local_frame`](crate::Simulation::move_local_frame) moves it. The cloth feels the share
/// `inertia_scale` of each change of the frame's velocity, linear and angular, and is moved along by the
/// rest. The air moves along by the same share.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct LocalFrame {
    /// The pose at the start; any point of the character will do.
    pub pose: Isometry3<f32>,
    /// Share of the frame's acceleration that the cloth feels, in [0, 1]. 1 is physical; 0 moves the cloth
    /// along as if the character stood still.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::fraction"))]
    pub inertia_scale: f32,
}

impl Tethers {
    /// The first field that is out of range: its name, its value and the requirement.
    pub(crate) fn first_invalid(&self) -> Option<(&'static str, f32, &'static str)> {
        if !(1..=4).contains(&self.anchors) {
            return Some(("tethers.anchors", self.anchors as f32, "between 1 and 4"));
        }
        let numbers = [("tethers.max_stretch", self.max_stretch), ("tethers.compliance", self.compliance)];
        not_negative(&numbers)
    }
}

impl LocalFrame {
    /// The first number that is out of range: its name, its value and the requirement.
    pub(crate) fn first_invalid(&self) -> Option<(&'static str, f32, &'static str)> {
        if !(0.0..=1.0).contains(&self.inertia_scale) {
            return Some(("local_frame.inertia_scale", self.inertia_scale, "between 0 and 1"));
        }
        let numbers = self.pose.translation.vector.iter().chain(self.pose.rotation.coords.iter());
        let bad = numbers.copied().find(|x| !x.is_finite());
        bad.map(|value| ("local_frame.pose", value, "finite"))
    }
}

impl Drive {
    /// The first number that is out of range: its name, its value and the requirement.
    pub(crate) fn first_invalid(&self) -> Option<(&'static str, f32, &'static str)> {
        if self.stiffness.is_nan() || self.stiffness < 0.0 {
            return Some(("drive.stiffness", self.stiffness, "not negative"));
        }
        let most = self.max_distance.iter().flatten();
        if let Some(&value) = most.clone().find(|d| d.is_nan() || **d < 0.0) {
            return Some(("drive.max_distance", value, "not negative; an infinite one is no limit"));
        }
        let limits = most.copied().chain(std::iter::repeat(f32::INFINITY));
        let mut backstops = self.backstop.iter().flatten().zip(limits);
        not_negative(&[("drive.damping", self.damping)])
            .or_else(|| backstops.find_map(|(backstop, most)| backstop.and_then(|b| b.first_invalid(most))))
    }
}

impl Backstop {
    fn first_invalid(&self, max_distance: f32) -> Option<(&'static str, f32, &'static str)> {
        if self.radius.is_nan() || self.radius <= 0.0 {
            return Some(("drive.backstop.radius", self.radius, "greater than zero; infinite for a plane"));
        }
        if !self.distance.is_finite() || self.distance < -max_distance {
            let requirement = "finite, and no farther in front of the target than max_distance";
            return Some(("drive.backstop.distance", self.distance, requirement));
        }
        None
    }
}

impl Damping {
    /// The first rate that is out of range: its name, its value and the requirement.
    pub(crate) fn first_invalid(&self) -> Option<(&'static str, f32, &'static str)> {
        let rates = [
            ("damping.stretch", self.stretch),
            ("damping.bending", self.bending),
            ("damping.global", self.global),
        ];
        not_negative(&rates)
    }
}

fn not_negative(numbers: &[(&'static str, f32)]) -> Option<(&'static str, f32, &'static str)> {
    let bad = numbers.iter().find(|(_, x)| !(x.is_finite() && *x >= 0.0));
    bad.map(|&(name, value)| (name, value, "finite and not negative"))
}
