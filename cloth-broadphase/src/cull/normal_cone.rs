//! The normal-cone method: one cone around all normals of a patch, then the border as a strictly simple curve.
//!
//! After Wang, Liu, Tang, Tong and Manocha 2017 ("Efficient and reliable self-collision culling using unprojected
//! normal cones"), as the modern comparison. The cone gives each patch a direction of its own, where fourteen fixed ones
//! would miss it by up to 36 degrees. Their contour test is linear, a sequence of sides of points and planes; sides
//! alone do not count how often a contour goes round, so here the count is part of the star test. Borders that are no
//! stars are swept, so that no simple curve is refused for its shape.
//!
//! Cosines and sines are carried instead of angles: joining takes square roots only. A cone gains less than `1e-7` of
//! angle by rounding in each join, and a tree is less than 500 joins high; cones within `1e-4` of a right angle are
//! refused, which is more than all of these together.

use nalgebra::{Point3, Vector3};

use super::{Certificate, Contour, View, simple_polygon::is_simple, star::is_star_about_its_middle};

/// Cosine of the widest half angle that is trusted; see the module.
const LEAST_COSINE: f64 = 1e-4;

/// Least squared sine of a corner of a face whose normal is trusted: `2^-48`. The cross product of the sides then
/// has a direction that is `2^-26` from the truth at most, `8 e / 2^-24`.
const LEAST_SINE_SQ: f64 = 1.0 / (1u64 << 48) as f64;

/// Squared areas below this have lost digits to underflow.
const LEAST_AREA_SQ: f64 = f64::MIN_POSITIVE * (1u64 << 60) as f64;

/// Cosine from which on the faces of a leaf count as flat: the cone around their mean is as good as the narrowest,
/// and cheaper. With that cone for all, a tenth more pairs of a horse remain.
const FLAT: f64 = 0.99;

/// The method of Wang et al. 2017, with the contour condition that the theorem needs.
#[derive(Clone, Copy, Debug, Default)]
pub struct NormalCones;

/// A cone that holds all normals of a set of faces; `cosine` 0 if there is none narrower than a half space.
#[derive(Clone, Copy, Debug)]
pub struct Cone {
    axis: Vector3<f64>,
    /// Of the half angle, which is less than a right angle.
    cosine: f64,
    sine: f64,
}

impl Cone {
    const TOO_WIDE: Self = Self { axis: Vector3::new(0.0, 0.0, 0.0), cosine: 0.0, sine: 1.0 };

    /// The cone of one normal, of unit length.
    fn of(axis: Vector3<f64>) -> Self {
        Self { axis, cosine: 1.0, sine: 0.0 }
    }

    fn is_too_wide(&self) -> bool {
        self.cosine <= 0.0
    }

    /// The narrowest cone that holds both.
    fn around(a: &Self, b: &Self) -> Self {
        let (a, b) = if a.cosine <= b.cosine { (a, b) } else { (b, a) };
        if a.is_too_wide() {
            return *a;
        }
        let between = a.axis.dot(&b.axis);
        // theta + beta <= alpha: the wider one holds the other.
        if between >= a.cosine * b.cosine + a.sine * b.sine {
            return *a;
        }
        let across = b.axis - a.axis * between;
        let sine_between = across.norm();
        let (cos_sum, sin_sum) =
            (a.cosine * b.cosine - a.sine * b.sine, a.sine * b.cosine + a.cosine * b.sine);
        // theta + alpha + beta >= pi: no half space holds both.
        if between <= -cos_sum {
            return Self::TOO_WIDE;
        }
        if sine_between == 0.0 {
            return *a;
        }
        let (cosine, sine) = half_angle(between * cos_sum - sine_between * sin_sum);
        // The axis turns from a towards b by the new half angle less alpha.
        let (along, aside) = (cosine * a.cosine + sine * a.sine, sine * a.cosine - cosine * a.sine);
        let axis = (a.axis * along + across * (aside / sine_between)).normalize();
        if cosine > 0.0 { Self { axis, cosine, sine } } else { Self::TOO_WIDE }
    }
}

/// Cosine and sine of half an angle in [0, pi], from its cosine.
fn half_angle(cosine: f64) -> (f64, f64) {
    (((1.0 + cosine) / 2.0).max(0.0).sqrt(), ((1.0 - cosine) / 2.0).max(0.0).sqrt())
}

/// The unit normal of a face, if rounding cannot have turned it by more than `2^-26`.
#[inline]
fn unit_normal([a, b, c]: [&Point3<f64>; 3]) -> Option<Vector3<f64>> {
    let (u, v) = (b - a, c - a);
    let normal = u.cross(&v);
    let area_sq = normal.norm_squared();
    // Also refuses NaN and what overflows.
    let least = (LEAST_SINE_SQ * (u.norm_squared() * v.norm_squared())).max(LEAST_AREA_SQ);
    (area_sq > least && area_sq.is_finite()).then(|| normal / area_sq.sqrt())
}

impl Certificate for NormalCones {
    type Normals = Cone;

    #[inline]
    fn of_faces<'a>(faces: impl Iterator<Item = [&'a Point3<f64>; 3]> + Clone) -> Cone {
        let normals = faces.map(unit_normal);
        let Some(sum) = normals.clone().try_fold(Vector3::zeros(), |sum, n| n.map(|n| sum + n)) else {
            return Cone::TOO_WIDE;
        };
        let axis = sum.normalize();
        let cosine = normals.clone().flatten().map(|n| axis.dot(&n)).fold(1.0, f64::min);
        // Also taken when opposite normals leave no sum, and an axis that is not a number.
        if axis.x.is_nan() || cosine < FLAT {
            return normals
                .flatten()
                .map(Cone::of)
                .reduce(|a, b| Cone::around(&a, &b))
                .unwrap_or(Cone::TOO_WIDE);
        }
        Cone { axis, cosine, sine: (1.0 - cosine * cosine).max(0.0).sqrt() }
    }

    #[inline]
    fn join(a: &Cone, b: &Cone) -> Cone {
        Cone::around(a, b)
    }

    fn view(cone: &Cone) -> Option<View> {
        (cone.cosine > LEAST_COSINE).then(|| View::along(&cone.axis))
    }

    fn is_strictly_simple(contour: &mut Contour) -> bool {
        is_star_about_its_middle(contour) || is_simple(contour)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of_normal(n: Vector3<f64>) -> Cone {
        Cone::of(n.normalize())
    }

    fn angle(cone: &Cone) -> f64 {
        f64::atan2(cone.sine, cone.cosine)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn holds_every_normal_that_was_joined(
            normals in proptest::collection::vec(proptest::array::uniform3(-1.0..1.0f64), 1..24),
            towards in 0.0..3.0f64,
        ) {
            let normals: Vec<Vector3<f64>> = normals
                .into_iter()
                .map(|n| Vector3::from(n) + Vector3::y() * towards)
                .filter(|n| n.norm() > 1e-3)
                .map(|n| n.normalize())
                .collect();
            let mut cones: Vec<Cone> = normals.iter().map(|&n| of_normal(n)).collect();
            while cones.len() > 1 {
                cones = cones.chunks(2).map(|c| Cone::around(&c[0], &c[c.len() - 1])).collect();
            }
            if let Some(cone) = cones.first().filter(|cone| !cone.is_too_wide()) {
                for n in &normals {
                    let off = f64::atan2(n.cross(&cone.axis).norm(), n.dot(&cone.axis));
                    prop_assert!(off <= angle(cone) + 5.0 * 1e-7, "{off} {}", angle(cone));
                }
            }
            if towards > 2.0 {
                prop_assert!(cones.iter().all(|cone| !cone.is_too_wide()));
            }
        }
    }

    #[test]
    fn joins_two_normals_in_their_middle() {
        let cone = Cone::around(&of_normal(Vector3::x()), &of_normal(Vector3::y()));
        assert!((angle(&cone) - std::f64::consts::FRAC_PI_4).abs() < 1e-12);
        assert!((cone.axis - Vector3::new(1.0, 1.0, 0.0).normalize()).norm() < 1e-12);
        let wider = Cone::around(&cone, &of_normal(Vector3::new(0.0, 1.0, 1e-9)));
        assert!((angle(&wider) - angle(&cone)).abs() < 1e-6);
    }

    #[test]
    fn has_no_cone_for_opposite_normals_and_slivers() {
        assert!(Cone::around(&of_normal(Vector3::x()), &of_normal(-Vector3::x())).is_too_wide());
        let third = |k: f64| of_normal(Vector3::new(f64::cos(k * 2.1), f64::sin(k * 2.1), 0.0));
        let all = Cone::around(&Cone::around(&third(0.0), &third(1.0)), &third(2.0));
        assert!(all.is_too_wide() && NormalCones::view(&all).is_none());
        let face = |tip: [f64; 3]| {
            NormalCones::of_faces(std::iter::once([
                &Point3::origin(),
                &Point3::new(1.0, 0.0, 0.0),
                &tip.into(),
            ]))
        };
        assert!(!face([0.5, 1e-6, 0.0]).is_too_wide());
        for tip in [
            [0.5, 1e-9, 0.0],
            [0.5, 0.0, 0.0],
            [f64::NAN, 1.0, 0.0],
            [0.5, f64::INFINITY, 0.0],
            [1e200, 1e200, 0.0],
        ] {
            assert!(face(tip).is_too_wide(), "{tip:?}");
        }
    }
}
