//! What a user says to keep a cloth under control: tethers against sagging, a drive towards a pose, and damping.

use nalgebra::Isometry3;

/// Long-range attachments after Kim, Chentanez and Mueller-Fischer 2012: no free vertex comes farther from the held
/// vertices nearest to it than the cloth between them is long.
///
/// The way along the cloth is measured over its faces at rest and never underestimated, so a tether takes up slack that
/// the solver left, and shortens no cloth. What holds are the pinned vertices and the attached ones; a tether pulls
/// the free vertex alone, so the load that it bears never reaches the target of a soft attachment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tethers {
    /// By what share of the rest distance the vertex may be farther away; finite, not negative.
    pub max_stretch: f32,
    /// How many of the held vertices each free one is tied to, nearest along the cloth first; 1 to 4. With one alone, a
    /// cloth held by two corners may swing out between them.
    pub anchors: u32,
    /// Compliance (m/N) of each tether; zero is rigid.
    pub compliance: f32,
}

impl Default for Tethers {
    fn default() -> Self {
        Self { max_stretch: 0.01, anchors: 4, compliance: 0.0 }
    }
}

/// A pose that the caller moves, and how closely the cloth follows it.
///
/// The pose has a target for each vertex of the cloth, at first where the mesh starts;
/// [`Simulation::move_drive`](crate::Simulation::move_drive) moves it. Pinned vertices are not driven. Contacts come
/// after the drive and may push a vertex past its limits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drive {
    /// The driven vertices, each once; if none are named, all.
    pub vertices: Option<Vec<u32>>,
    /// Stiffness of the spring to the target, by mass (1/s2): the square of the angular frequency that a vertex would
    /// swing with, whatever the mesh. Zero is no spring, an infinite one is rigid.
    pub stiffness: f32,
    /// Rate (1/s) at which velocities approach that of the target.
    pub damping: f32,
    /// How far (m) each driven vertex may be from its target; an infinite one may be anywhere.
    pub max_distance: Option<Vec<f32>>,
    /// What each driven vertex may not enter, behind its target.
    pub backstop: Option<Vec<Option<Backstop>>>,
}

/// A ball behind the target of a driven vertex, which the vertex stays outside of.
///
/// Behind is against the normal of the pose at the target, the mean of the faces around it by area.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backstop {
    /// How far (m) behind the target the ball begins; negative in front of it, though not farther than the greatest
    /// distance allows.
    pub distance: f32,
    /// Radius (m) of the ball, greater than zero; infinite for a plane.
    pub radius: f32,
}

/// Rates (1/s) at which kinds of motion decay: after a second a rate of 1 leaves the share `1/e`, however many steps the
/// second is cut into. All conserve momentum, and none slows a cloth that moves rigidly.
///
/// The rates hold for a deformation alone. Deformations of one cloth share their vertices, so together they decay
/// faster.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Damping {
    /// Of the speed at which edges change their length.
    pub stretch: f32,
    /// Of the speed at which the angles between faces change.
    pub bending: f32,
    /// Of all motion relative to the rigid motion of the whole cloth; pinned vertices neither count nor change.
    pub global: f32,
}

/// A rigid frame that carries a cloth, such as the root of the character that wears it, and how much of its motion the cloth
/// feels.
///
/// [`Simulation::move_local_frame`](crate::Simulation::move_carrier) moves it. Of each change of its velocity the cloth feels the
/// share `inertia_scale`, and is given the rest, turns and centrifugal force included; moving air goes along by the same share. What games call local
/// space simulation with an inertia scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalFrame {
    /// The frame at the start; any point of the character will do.
    pub pose: Isometry3<f32>,
    /// In [0, 1]: 1 for all, as in nature; 0 for none, as if the character stood still.
    pub inertia_scale: f32,
}

impl Tethers {
    /// The first field that is out of range, with its value and what it must be.
    pub(crate) fn first_invalid(&self) -> Option<(&'static str, f32, &'static str)> {
        if !(1..=4).contains(&self.anchors) {
            return Some(("tethers.anchors", self.anchors as f32, "between 1 and 4"));
        }
        let numbers = [("tethers.max_stretch", self.max_stretch), ("tethers.compliance", self.compliance)];
        not_negative(&numbers)
    }
}

impl LocalFrame {
    /// The first number that is out of range, with its value and what it must be.
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
    /// The first number that is out of range, with its value and what it must be.
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
    /// The first rate that is out of range, with its value and what it must be.
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
