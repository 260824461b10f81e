//! The normal-cone method: one cone around all normals of a patch, then the border as a strictly simple
//! curve.
//!
//! After Wang, Liu, Tang, Tong and Manocha 2017 ("Efficient and reliable self-collision culling using
//! unprojected normal cones"), as the modern comparison. The cone gives each patch a direction of its own,
//! where fourteen fixed ones would miss it by up to 36 degrees. Their contour test is linear, a sequence of
//! sides of points and planes; sides alone do not count how often a contour goes round, so here the count is
//! part of the star test. Borders that are no stars are swept, so that no simple curve is refused for its
//! shape.
//!
//! Cosines and sines are carried instead of angles: joining takes square roots only.
//!
//! **Rounding.** A cosine is wrong by less than `2e-15`, which moves an angle by less than `6.4e-8` however
//! near it is to 0 or to a straight angle. With `2.3e-8` for the direction from one axis to the other, a join
//! leaves out a normal by less than `1e-7`. A tree is less than 500 joins high, and cones within `1e-4` of a
//! right angle are refused, which is more than all of these together.
//!
//! This holds only while the angle between two axes is known to be less than a straight one. Opposite axes
//! have no direction across, and their cosine may round to more than -1: the two sides of a flat fold passed
//! for one normal. So a join is refused wherever the cone around both would be within `1e-4` of a right
//! angle, before the sine between the axes is used; see [`MIN_MARGIN`].

use nalgebra::{Point3, Vector3};

use super::{Certificate, Contour, View, simple_polygon::is_simple, star::is_star_about_its_middle};

/// Cosine of the widest half angle that is trusted; see the module.
const MIN_COSINE: f64 = 1e-4;

/// How much `cos(theta) + cos(alpha + beta)` must be for cones of half angles `alpha` and `beta`, whose axes
/// are `theta` apart, to be joined.
///
/// It is `2 sin((x + y) / 2) sin((y - x) / 2)` for `x = theta` and `y = pi - alpha - beta`. A joint cone with
/// a cosine above [`MIN_COSINE`] has `y - x > 2e-4`, which makes both sines greater than `1e-4 (1 - 1e-8)`
/// and the whole greater than `1.9e-8`: what is refused here would be refused as a view. The other way round,
/// rounding changes the sum by less than `2e-15`, so what passes has `theta < pi - alpha - beta` in truth;
/// its axes are more than `9e-9` off being opposite.
const MIN_MARGIN: f64 = 1e-8;

/// Least squared sine of a corner of a face whose normal is trusted: `2^-48`. The cross product of the sides
/// then has a direction that is `2^-26` from the truth at most, `8 e / 2^-24`.
const MIN_SINE_SQ: f64 = 1.0 / (1u64 << 48) as f64;

/// Squared areas and squared sides below this have lost digits to underflow.
const MIN_AREA_SQ: f64 = f64::MIN_POSITIVE * (1u64 << 60) as f64;

/// Cosine from which on the faces of a leaf count as flat: the cone around their mean is as good as the
/// narrowest, and cheaper. With that cone for all, a tenth more pairs of a horse remain.
const FLAT: f64 = 0.99;

/// The method of Wang et al. 2017, with the contour condition that the theorem needs.
#[derive(Clone, Copy, Debug, Default)]
pub struct NormalCones;

/// A cone that contains all normals of a set of faces; `cosine` is 0 if there is none narrower than a
/// half-space.
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
    fn from_axis(axis: Vector3<f64>) -> Self {
        Self { axis, cosine: 1.0, sine: 0.0 }
    }

    fn is_too_wide(&self) -> bool {
        self.cosine <= 0.0
    }

    /// The narrowest cone that contains both.
    fn around(a: &Self, b: &Self) -> Self {
        let (a, b) = if a.cosine <= b.cosine { (a, b) } else { (b, a) };
        if a.is_too_wide() {
            return *a;
        }
        let between = a.axis.dot(&b.axis);
        // theta + beta <= alpha: the wider one contains the other.
        if between >= a.cosine * b.cosine + a.sine * b.sine {
            return *a;
        }
        let across = b.axis - a.axis * between;
        let sine_between = across.norm();
        let (cos_sum, sin_sum) =
            (a.cosine * b.cosine - a.sine * b.sine, a.sine * b.cosine + a.cosine * b.sine);
        // theta + alpha + beta >= pi, or almost: no half space certainly contains both.
        if between + cos_sum < MIN_MARGIN {
            return Self::TOO_WIDE;
        }
        // Equal axes: opposite ones have been refused.
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
    let [area_sq, u_sq, v_sq] = [normal, u, v].map(|v| v.norm_squared());
    let keep_digits = area_sq.min(u_sq).min(v_sq) > MIN_AREA_SQ;
    // Also refuses NaN and what overflows.
    let is_wide = area_sq > MIN_SINE_SQ * (u_sq * v_sq);
    (keep_digits && is_wide && area_sq.is_finite()).then(|| normal / area_sq.sqrt())
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
                .map(Cone::from_axis)
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
        (cone.cosine > MIN_COSINE).then(|| View::along(&cone.axis))
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
        Cone::from_axis(n.normalize())
    }

    fn angle(cone: &Cone) -> f64 {
        f64::atan2(cone.sine, cone.cosine)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn contains_every_normal_that_was_joined(
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

    /// Directions in all octants, few of which have a product with themselves that is exactly 1.
    fn directions() -> impl Iterator<Item = Vector3<f64>> {
        (0..4000).map(|i| {
            let (a, b) = (f64::from(i) * 0.37, f64::from(i) * 0.11);
            (Vector3::new(a.cos() * b.sin(), a.sin() * b.sin(), b.cos()) * f64::from(i + 3)).normalize()
        })
    }

    /// The sides of a flat fold: the cosine between them may round to more than -1, and nothing is left
    /// across.
    #[test]
    fn opposite_normals_are_never_one_cone_however_their_product_rounds() {
        let mut rounded = 0;
        for n in directions() {
            rounded += usize::from(n.dot(&-n) > -1.0);
            assert!(Cone::around(&Cone::from_axis(n), &Cone::from_axis(-n)).is_too_wide(), "{n}");
        }
        assert!(rounded > 100, "only {rounded} of the products round up");
    }

    #[test]
    fn all_but_opposite_normals_have_a_cone_that_contains_both_or_none() {
        for (n, k) in directions().flat_map(|n| (0..60).map(move |k| (n, k))) {
            let aside = n.cross(&Vector3::ith(n.iamin(), 1.0)).normalize() * 2f64.powi(-k);
            let other = (aside - n).normalize();
            let cone = Cone::around(&Cone::from_axis(n), &Cone::from_axis(other));
            // The half angle is atan(1 / |aside|), all but: trusted views are more than 1e-4 below a right
            // one.
            assert_eq!(NormalCones::view(&cone).is_some(), k <= 12, "{n} 2^-{k}");
            assert!(k > 12 || [n, other].iter().all(|m| m.dot(&cone.axis) > 0.0), "{n} 2^-{k}");
        }
    }

    #[test]
    fn a_sliver_with_a_side_whose_square_underflows_has_no_normal() {
        let tip = Point3::new(1e150, 1e135, 0.0);
        let face = |short: f64| unit_normal([&Point3::origin(), &Point3::new(short, 0.0, 0.0), &tip]);
        for short in [1.0, 1e-120, 1e-170, 1e-300] {
            assert_eq!(face(short), None, "{short:e}");
        }
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
