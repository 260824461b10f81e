//! Collision proxies: spheres and tapered capsules that move with joints and slightly cover the skin.
//!
//! After Tourniaire, *Cloth Simulation with Character Collisions*, section 3.1: joints become spheres, bones
//! become cylinders, and the radii are optimised so that the shapes "only slightly cover the mesh surface".
//! Here a bone has one tapered capsule or several, whose axes the fit may move off the bone, because a chest
//! is wider than deep.

mod bones;
mod error;
mod fit;
mod measure;
mod options;
mod report;
mod samples;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod world;

use nalgebra::Point3;

pub use error::ProxyError;
pub use fit::{FittedProxies, fit_proxies, measure_proxies};
pub use options::{Override, ProxyOptions, Tolerances};
pub use report::{BoneFit, FitFigures, FitReport, LeftOutBone, LeftOutReason};
pub use world::{WorldProxy, compute_world_proxies};

/// A shape that stands in for the skin of one bone and moves with its joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Proxy {
    /// The label of its joint ([`Skeleton::label`](crate::Skeleton::label)); the second and later proxies of
    /// a bone append `.2`, `.3`.
    pub name: String,
    /// The joint of the skeleton with which it moves.
    pub joint: usize,
    /// The shape, in the space of the joint.
    pub kind: ProxyKind,
}

/// The shape of a [`Proxy`], in the space of its joint: lengths are those of the world divided by the scale
/// of the joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ProxyKind {
    /// A ball.
    Sphere {
        /// Its centre.
        center: Point3<f64>,
        /// Its radius, not negative.
        radius: f64,
    },
    /// The convex hull of two balls.
    TaperedCapsule {
        /// The centres of the balls.
        ends: [Point3<f64>; 2],
        /// The radii of the balls, not negative.
        radii: [f64; 2],
    },
}

impl ProxyKind {
    /// The centres of its two balls; those of a sphere are equal.
    #[must_use]
    pub fn ends(&self) -> [Point3<f64>; 2] {
        match *self {
            Self::Sphere { center, .. } => [center; 2],
            Self::TaperedCapsule { ends, .. } => ends,
        }
    }

    /// The radii of its two balls; those of a sphere are equal.
    #[must_use]
    pub fn radii(&self) -> [f64; 2] {
        match *self {
            Self::Sphere { radius, .. } => [radius; 2],
            Self::TaperedCapsule { radii, .. } => radii,
        }
    }

    /// The same shape with its radii multiplied by a factor.
    #[must_use]
    pub fn resized(self, factor: f64) -> Self {
        match self {
            Self::Sphere { center, radius } => Self::Sphere { center, radius: radius * factor },
            Self::TaperedCapsule { ends, radii } => {
                Self::TaperedCapsule { ends, radii: radii.map(|r| r * factor) }
            }
        }
    }

    /// Whether all numbers are finite and no radius is negative.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let finite = self.ends().iter().all(|end| end.iter().all(|x| x.is_finite()));
        finite && self.radii().iter().all(|r| r.is_finite() && *r >= 0.0)
    }
}
