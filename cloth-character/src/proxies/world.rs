//! Proxies in the world, for world matrices of the joints.

use nalgebra::{Point3, Vector3};

use super::{Proxy, ProxyKind};
use crate::Affine;

/// A proxy in the world: the convex hull of two balls, which are equal for a sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldProxy {
    /// The centres of the balls, m.
    pub ends: [Point3<f64>; 2],
    /// The radii of the balls, m.
    pub radii: [f64; 2],
}

/// Writes where each proxy is, from the world matrices of the joints
/// ([`Skeleton::compute_world`](crate::Skeleton::compute_world)).
///
/// `out` is resized to the number of proxies; nothing is allocated if it has that length already. A joint
/// that `world` lacks counts as the identity. Radii are multiplied by the cube root of the factor by which
/// the joint scales volumes: exact for equal scales along the three axes.
pub fn compute_world_proxies(proxies: &[Proxy], world: &[Affine], out: &mut Vec<WorldProxy>) {
    out.clear();
    out.extend(proxies.iter().map(|proxy| {
        let map = world.get(proxy.joint).copied().unwrap_or_default();
        WorldProxy::from_kind(&proxy.kind, &map)
    }));
}

impl WorldProxy {
    /// The shape `kind` in the space of a joint whose world matrix is `map`.
    #[must_use]
    pub fn from_kind(kind: &ProxyKind, map: &Affine) -> Self {
        let scale = volume_scale(map);
        Self {
            ends: kind.ends().map(|end| map.transform_point(&end)),
            radii: kind.radii().map(|r| r * scale),
        }
    }

    /// The shape in the space of a joint with the world matrix `map`; `None` if the matrix has no inverse.
    ///
    /// A hull that is one ball, because it has no length or one ball contains the other, becomes a sphere.
    #[must_use]
    pub fn to_kind(&self, map: &Affine) -> Option<ProxyKind> {
        let (inverse, scale) = (map.inverse()?, volume_scale(map));
        let radii = self.radii.map(|r| r / scale);
        let ends = self.ends.map(|end| inverse.transform_point(&end));
        let kind = if (self.ends[1] - self.ends[0]).norm() > (self.radii[1] - self.radii[0]).abs() {
            ProxyKind::TaperedCapsule { ends, radii }
        } else {
            let larger = usize::from(radii[1] > radii[0]);
            ProxyKind::Sphere { center: ends[larger], radius: radii[larger] }
        };
        kind.is_valid().then_some(kind)
    }

    /// The distance of a point from the surface, m; negative inside.
    #[must_use]
    pub fn signed_distance(&self, point: &Point3<f64>) -> f64 {
        Taper::new(self).signed_distance(point)
    }
}

/// The cube root of the factor by which a map scales volumes.
fn volume_scale(map: &Affine) -> f64 {
    libm::cbrt(map.linear.determinant().abs())
}

/// A hull of two balls, prepared for many distances.
///
/// The nearest point of the hull lies on the ball around `t` of the axis, at which the side is perpendicular
/// to the line to the point:
///
/// ```text
///            ,-----___
///           /   n ^   ---.        n = (cos, sin) across and along the axis, sin = (r0 - r1) / length
///   across |  r0 /______t_|r1_    side:  across * cos + along * sin - r0
///           \     along  /        t    = along - across * sin / cos
/// ```
#[derive(Clone, Copy, Debug)]
pub(super) struct Taper {
    pub(super) start: Point3<f64>,
    pub(super) end: Point3<f64>,
    pub(super) radii: [f64; 2],
    pub(super) axis: Vector3<f64>,
    pub(super) length: f64,
    pub(super) sin: f64,
    pub(super) cos: f64,
    /// Which of the two balls is all there is, if one contains the other.
    only: Option<usize>,
}

/// Two unit vectors perpendicular to a unit vector and to each other.
pub(super) fn perpendiculars(axis: &Vector3<f64>) -> [Vector3<f64>; 2] {
    let mut helper = Vector3::zeros();
    helper[axis.iamin()] = 1.0;
    let first = axis.cross(&helper).normalize();
    [first, axis.cross(&first)]
}

impl Taper {
    pub(super) fn new(proxy: &WorldProxy) -> Self {
        let [mut start, mut end] = proxy.ends;
        let mut radii = proxy.radii;
        let (mut length, difference) = ((end - start).norm(), radii[0] - radii[1]);
        let mut axis = (end - start) / length;
        let (mut sin, mut only) = (difference / length, None);
        if !(length > difference.abs() && sin.abs() < 1.0 && axis.iter().all(|x| x.is_finite())) {
            let larger = usize::from(radii[1] > radii[0]);
            (start, end, radii) = (proxy.ends[larger], proxy.ends[larger], [radii[larger]; 2]);
            (axis, length, sin, only) = (Vector3::zeros(), 0.0, 0.0, Some(larger));
        }
        Self { start, end, radii, axis, length, sin, cos: (1.0 - sin * sin).sqrt(), only }
    }

    #[inline]
    pub(super) fn signed_distance(&self, point: &Point3<f64>) -> f64 {
        let from_start = point - self.start;
        let along = from_start.dot(&self.axis);
        let across = (from_start.norm_squared() - along * along).max(0.0).sqrt();
        let foot = along * self.cos - across * self.sin;
        if foot <= 0.0 {
            from_start.norm() - self.radii[0]
        } else if foot >= self.length * self.cos {
            (point - self.end).norm() - self.radii[1]
        } else {
            across * self.cos + along * self.sin - self.radii[0]
        }
    }

    /// The signed distance, where the foot lies between the first ball (0) and the second (1), and the unit
    /// vector from it to the point.
    pub(super) fn foot(&self, point: &Point3<f64>) -> (f64, f64, Vector3<f64>) {
        let from_start = point - self.start;
        let along = from_start.dot(&self.axis);
        let across = (from_start.norm_squared() - along * along).max(0.0).sqrt();
        let t = match self.only {
            Some(larger) => larger as f64,
            None => ((along - across * self.sin / self.cos) / self.length).clamp(0.0, 1.0),
        };
        let to = from_start - self.axis * (self.length * t);
        (self.signed_distance(point), t, to.try_normalize(0.0).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::UnitQuaternion;
    use proptest::prelude::*;

    use super::*;
    use crate::{Transform, testing::vectors};

    /// The distance by search among the balls of the hull.
    fn brute_force(proxy: &WorldProxy, point: &Point3<f64>) -> f64 {
        let steps = 20_000;
        (0..=steps)
            .map(|k| {
                let t = f64::from(k) / f64::from(steps);
                let center = proxy.ends[0] + (proxy.ends[1] - proxy.ends[0]) * t;
                (point - center).norm() - (proxy.radii[0] + (proxy.radii[1] - proxy.radii[0]) * t)
            })
            .fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn a_scaled_joint_scales_its_proxies() {
        let kind = ProxyKind::TaperedCapsule {
            ends: [Point3::origin(), Point3::new(0.0, 2.0, 0.0)],
            radii: [1.0, 0.5],
        };
        let quarter = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::FRAC_PI_2);
        let map = Transform { translation: Vector3::x(), rotation: quarter, scale: Vector3::repeat(0.01) }
            .to_affine();
        let proxies = [Proxy { name: String::new(), joint: 1, kind }];
        let mut out = Vec::new();
        compute_world_proxies(&proxies, &[Affine::IDENTITY, map], &mut out);
        assert!((out[0].ends[1] - Point3::new(0.98, 0.0, 0.0)).norm() < 1e-15);
        assert!((out[0].radii[0] - 0.01).abs() < 1e-15 && (out[0].radii[1] - 0.005).abs() < 1e-15);
        let ProxyKind::TaperedCapsule { ends, radii } = out[0].to_kind(&map).unwrap() else { panic!() };
        assert!((ends[1] - kind.ends()[1]).norm() < 1e-12 && (radii[1] - 0.5).abs() < 1e-12);
        assert_eq!(out[0].to_kind(&Affine { linear: nalgebra::Matrix3::zeros(), ..map }), None);
    }

    #[test]
    fn a_hull_that_is_one_ball_becomes_a_sphere() {
        let proxy = WorldProxy { ends: [Point3::origin(), Point3::new(0.1, 0.0, 0.0)], radii: [0.2, 0.4] };
        let sphere = ProxyKind::Sphere { center: Point3::new(0.1, 0.0, 0.0), radius: 0.4 };
        assert_eq!(proxy.to_kind(&Affine::IDENTITY), Some(sphere));
    }

    proptest! {
        #[test]
        fn the_distance_equals_that_of_a_search(
            a in vectors(), b in vectors(), radii in [0.0..4.0f64, 0.0..4.0], p in vectors(),
            tiny in any::<bool>(),
        ) {
            let b = if tiny { a + b * 1e-9 } else { b };
            let proxy = WorldProxy { ends: [Point3::from(a), Point3::from(b)], radii };
            let p = Point3::from(p);
            let (fast, slow) = (proxy.signed_distance(&p), brute_force(&proxy, &p));
            prop_assert!((fast - slow).abs() < 2e-3 && fast <= slow + 1e-9, "{fast} {slow}");
        }
    }
}
