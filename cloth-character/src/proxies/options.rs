//! What a caller can ask of a fit.

use super::{ProxyError, ProxyKind};

/// The height of the human for whom the default [`Tolerances`] are stated, m.
const HUMAN_HEIGHT: f64 = 1.7;

/// Options of a fit; the default suits a human without fingers.
#[derive(Clone, Debug, PartialEq)]
pub struct ProxyOptions {
    /// Whether fingers and other small joints get proxies; default `false`. The rule is that of
    /// [`LeftOutReason`](super::LeftOutReason).
    pub fingers: bool,
    /// The number of proxies from which on no bone gets another one; default 40. Every bone gets one in any
    /// case, and those of fingers do not count.
    pub max_proxies: usize,
    /// The height of the character, m, to which tolerances and the rule on small joints are relative; by
    /// default the vertical extent of the skin at the bind pose.
    pub height: Option<f64>,
    /// What the fit aims at.
    pub tolerances: Tolerances,
    /// Changes by hand, applied in this order; those that choose bones before the fit, the others after it.
    pub overrides: Vec<Override>,
}

impl Default for ProxyOptions {
    fn default() -> Self {
        Self {
            fingers: false,
            max_proxies: 40,
            height: None,
            tolerances: Tolerances::default(),
            overrides: Vec::new(),
        }
    }
}

/// What the proxies of each bone aim at. A bone that misses it gets further proxies until their number
/// reaches the limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerances {
    /// The share of the visible vertices of a bone that its proxies cover; default 0.98.
    pub coverage: f64,
    /// The largest excess, relative to the height; default 40 mm at 1.7 m.
    pub excess: f64,
    /// The largest undercut, relative to the height; default 5 mm at 1.7 m.
    pub undercut: f64,
    /// The mean excess over all bones, relative to the height; default 9.5 mm at 1.7 m. It is refined for
    /// last.
    pub mean_excess: f64,
}

impl Default for Tolerances {
    fn default() -> Self {
        Self {
            coverage: 0.98,
            excess: 0.040 / HUMAN_HEIGHT,
            undercut: 0.005 / HUMAN_HEIGHT,
            mean_excess: 0.0095 / HUMAN_HEIGHT,
        }
    }
}

/// A change by hand. Bones are named by the label of their joint
/// ([`Skeleton::label`](crate::Skeleton::label)).
#[derive(Clone, Debug, PartialEq)]
pub enum Override {
    /// Adds a proxy after the fit.
    Add {
        /// The name of the new proxy.
        name: String,
        /// The bone with which it moves.
        bone: String,
        /// Its shape in the space of the joint.
        kind: ProxyKind,
    },
    /// Puts back a bone that the rule on small joints leaves out.
    Include {
        /// The bone.
        bone: String,
    },
    /// Leaves a bone out: it gets no proxy and its skin is not covered.
    Exclude {
        /// The bone.
        bone: String,
    },
    /// Removes a fitted proxy, or all of a bone.
    Drop {
        /// The name of a proxy or a bone.
        proxy: String,
    },
    /// Multiplies the radii of a proxy, or of all of a bone.
    Resize {
        /// The name of a proxy or a bone.
        proxy: String,
        /// The factor, positive.
        factor: f64,
    },
}

impl ProxyOptions {
    /// Rejects numbers outside their ranges.
    ///
    /// # Errors
    /// If a tolerance, the height or a factor is not positive and finite, a share is outside 0 to 1, or an
    /// added shape is not valid.
    pub fn check(&self) -> Result<(), ProxyError> {
        let t = &self.tolerances;
        if !(0.0..=1.0).contains(&t.coverage) {
            let needed = "a share from 0 to 1";
            return Err(ProxyError::Parameter { what: "the coverage", value: t.coverage, needed });
        }
        let tolerances = [
            ("the tolerance of the excess", t.excess),
            ("the tolerance of the undercut", t.undercut),
            ("the tolerance of the mean excess", t.mean_excess),
            ("the height of the character", self.height.unwrap_or(1.0)),
        ];
        let factors = self.overrides.iter().filter_map(|change| match change {
            Override::Resize { factor, .. } => Some(("the factor of a resized proxy", *factor)),
            _ => None,
        });
        for (what, value) in tolerances.into_iter().chain(factors) {
            if !(value > 0.0 && value.is_finite()) {
                return Err(ProxyError::Parameter { what, value, needed: "positive and finite" });
            }
        }
        match self.overrides.iter().find_map(|change| match change {
            Override::Add { name, kind, .. } if !kind.is_valid() => Some(name),
            _ => None,
        }) {
            Some(name) => Err(ProxyError::InvalidShape { name: name.clone() }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Point3;

    use super::*;

    #[test]
    fn rejects_numbers_outside_their_ranges() {
        assert_eq!(ProxyOptions::default().check(), Ok(()));
        let height = |height| ProxyOptions { height: Some(height), ..ProxyOptions::default() }.check();
        assert!(height(0.0).is_err() && height(f64::NAN).is_err() && height(f64::INFINITY).is_err());
        let change = |change| ProxyOptions { overrides: vec![change], ..ProxyOptions::default() }.check();
        assert!(change(Override::Resize { proxy: "a".into(), factor: -1.0 }).is_err());
        let kind = ProxyKind::Sphere { center: Point3::origin(), radius: f64::NAN };
        assert!(change(Override::Add { name: "a".into(), bone: "b".into(), kind }).is_err());
    }
}
