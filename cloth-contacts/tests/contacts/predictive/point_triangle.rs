//! The constraint function of a point and a triangle: value and gradient against an `f64` formula of its own.
//!
//! The reference is `C = det(e1, e2, r) / |e1 x e2|` in `f64`, its gradient a central difference. With
//! `K = L^2 / |n|` for the longest of `e1`, `e2`, `r` (1 for a good triangle, large for a sliver) the `f32`
//! weights are cross products over `|n|`, off by at most `32 u K (1 + K h / L)`: some 20 roundings, and
//! `K h / L` of them where the height `h` leaks through a normal that is off by `u K`. The central difference
//! with step `d = 1e-5 L / K` is off by `K^2 (d / L)^2 / 6`, about 1e-11, and by `2^-53 L / d`, about
//! `1e-11 K`: neither shows.

use cloth_contacts::{PointTriangle, Side};
use nalgebra::{Point3, Vector3};

use crate::predictive::U;
use cloth_testing::Dice;

fn signed_height(x: &[Point3<f64>; 4]) -> f64 {
    let [p, p0, p1, p2] = x;
    let n = (p1 - p0).cross(&(p2 - p0));
    n.dot(&(p - p0)) / n.norm()
}

fn contact(side: Side) -> PointTriangle {
    PointTriangle {
        vertex: 0,
        face: 0,
        corners: [1, 2, 3],
        side,
        normal: Vector3::new(0.6, 0.0, 0.8),
        weights: [0.5, 0.25, 0.25],
        gap: 0.0,
        distance: 0.0,
    }
}

/// Checks value, gradient and conserved momenta of a contact over the interior.
fn check_interior(x: [Point3<f32>; 4], side: Side) {
    let wide = x.map(|p: Point3<f32>| p.cast::<f64>());
    let [p, p0, p1, p2] = &x;
    let longest = [p1 - p0, p2 - p0, p - p0].map(|e| e.norm()).into_iter().fold(0.0, f32::max);
    let k = longest * longest / (p1 - p0).cross(&(p2 - p0)).norm();
    let sign = f64::from(side.sign());
    let height = sign * signed_height(&wide);
    let bound = 32.0 * U * k * (1.0 + k * height.abs() as f32 / longest);
    let linear = contact(side).linearise(p, [p0, p1, p2]);
    assert!((f64::from(linear.value) - height).abs() <= f64::from(bound * longest), "{x:?}");

    let step = 1e-5 * f64::from(longest / k);
    for v in 0..4 {
        for axis in 0..3 {
            let at = |d: f64| {
                let mut moved = wide;
                moved[v][axis] += d;
                sign * signed_height(&moved)
            };
            let difference = (at(step) - at(-step)) / (2.0 * step);
            let gradient = f64::from(linear.weights[v] * linear.normal[axis]);
            assert!(
                (gradient - difference).abs() <= f64::from(bound),
                "{v} {axis}: {gradient} {difference} {bound}"
            );
        }
    }
    let greatest = linear.weights.iter().fold(0.0, |m: f32, w| m.max(w.abs()));
    assert!(linear.weights.iter().sum::<f32>().abs() <= 4.0 * U * greatest, "pushes the four as a whole");
    let torque =
        (0..4).map(|i| (x[i] - p0).cross(&(linear.normal * linear.weights[i]))).sum::<Vector3<f32>>();
    assert!(torque.norm() <= 4.0 * bound * longest, "turns the four as a whole: {torque}");
}

#[test]
fn over_the_interior_value_and_gradient_agree_with_finite_differences() {
    let mut dice = Dice::new(1);
    for case in 0..2000 {
        let corners = [dice.point(1.0), dice.point(1.0), dice.point(1.0)];
        let [a, b] = [dice.between(0.05, 0.5), dice.between(0.05, 0.45)];
        let n = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
        if n.norm() < 0.1 {
            continue;
        }
        let foot = corners[0] + (corners[1] - corners[0]) * a + (corners[2] - corners[0]) * b;
        let p = foot + n.normalize() * dice.between(-0.3, 0.3);
        let side = if case % 2 == 0 { Side::Front } else { Side::Back };
        check_interior([p, corners[0], corners[1], corners[2]], side);
    }
}

#[test]
fn beyond_the_interior_the_gradient_still_follows_the_plane() {
    // The solver moves points past the borders of the triangle that they started over.
    let mut dice = Dice::new(2);
    for _ in 0..500 {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.1], [0.2, 0.1, 0.9]].map(Point3::from);
        check_interior([dice.point(1.5), corners[0], corners[1], corners[2]], Side::Front);
    }
}

#[test]
fn over_slivers_value_and_gradient_agree_within_the_bound() {
    let mut dice = Dice::new(3);
    for _ in 0..500 {
        let (along, across) = (dice.direction(), dice.direction());
        let thin = 1e-3;
        let p0 = dice.point(0.5);
        let [p1, p2] = [p0 + along, p0 + along * dice.between(0.2, 0.8) + across * thin];
        let n = (p1 - p0).cross(&(p2 - p0));
        if n.norm() < 0.2 * thin {
            continue;
        }
        let p = p0 + ((p1 - p0) + (p2 - p0)) / 3.0 + n.normalize() * dice.between(-thin, thin);
        check_interior([p, p0, p1, p2], Side::Back);
    }
}

#[test]
fn at_an_edge_or_corner_normal_and_weights_stay_frozen() {
    let frozen = contact(Side::Frozen);
    let mut dice = Dice::new(4);
    for _ in 0..200 {
        let x = [0; 4].map(|_| dice.point(2.0));
        let linear = frozen.linearise(&x[0], [&x[1], &x[2], &x[3]]);
        assert_eq!(linear.weights, [1.0, -0.5, -0.25, -0.25]);
        assert_eq!(linear.normal, frozen.normal);
        let wide = x.map(|p| p.coords.cast::<f64>());
        let sep = wide[0] - wide[1] * 0.5 - wide[2] * 0.25 - wide[3] * 0.25;
        let exact = frozen.normal.cast::<f64>().dot(&sep);
        // Coordinates up to 2, ten roundings of sums up to 12.
        assert!((f64::from(linear.value) - exact).abs() <= f64::from(10.0 * U * 12.0));
    }
}

#[test]
fn a_triangle_that_lost_its_area_falls_back_to_what_was_frozen() {
    let p = Point3::new(0.5, 1.0, 0.0);
    let collinear = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.0, 0.0]].map(Point3::from);
    let one_point = [Point3::new(0.5, 0.0, 0.0); 3];
    for c in [collinear, one_point] {
        for side in [Side::Front, Side::Back] {
            let linear = contact(side).linearise(&p, [&c[0], &c[1], &c[2]]);
            assert_eq!(linear, contact(Side::Frozen).linearise(&p, [&c[0], &c[1], &c[2]]));
            assert!(linear.value.is_finite());
        }
    }
}

#[test]
fn names_its_vertices_in_the_order_of_the_weights() {
    let c = PointTriangle { vertex: 7, corners: [3, 9, 4], ..contact(Side::Front) };
    assert_eq!(c.vertices(), [7, 3, 9, 4]);
    assert_eq!([Side::Front, Side::Back, Side::Frozen].map(Side::sign), [1.0, -1.0, 0.0]);
}
