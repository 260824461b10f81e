//! Nearest points of every shape against the reference implementation `collider::reference`.
//!
//! A distance function never changes faster than the place. So a normal is its gradient just if the distance
//! vanishes evenly along it: half of it half-way to the nearest point, and none there.

use cloth_contacts::collider::{MeshSides, Shape, reference::signed_distance};
use nalgebra::{Point3, Vector3};

use crate::predictive::U;
use crate::predictive::collider_shapes::all;
use cloth_testing::Dice;

/// Axes, centres, corners and other places where a region begins or several ways out are equally short.
fn special_points() -> Vec<Point3<f32>> {
    let values = [-0.75, -0.5, -0.25, -0.02, 0.0, 0.125, 0.25, 0.4, 0.5, 1.0];
    let n = values.len();
    let mut points: Vec<_> =
        (0..n * n * n).map(|i| Point3::new(values[i % n], values[i / n % n], values[i / n / n])).collect();
    for tiny in [1.0e-6, 1.0e-12, 1.0e-17, 1.0e-20, 1.0e-22, 1.0e-25, f32::MIN_POSITIVE, 1.0e-45] {
        for axis in 0..3 {
            let mut p = Point3::origin();
            p[axis] = tiny;
            points.extend([p, -p, p + Vector3::new(0.0, 0.5, 0.0), p + Vector3::new(0.25, 0.0, 0.0)]);
        }
    }
    points
}

fn is_ground(shape: &Shape) -> bool {
    matches!(shape, Shape::Mesh(mesh) if mesh.sides() == MeshSides::OneSided)
}

fn agrees(shape: &Shape, p: &Point3<f32>) {
    let found = shape.nearest(p);
    // Fewer than 16 roundings of sums up to the coordinates and 2 m of extent; lengths below 1e-18 have no
    // squares.
    let bound = f64::from(16.0 * U * (p.coords.lp_norm(1) + 2.0)) + 1.0e-18;
    let (normal, distance) = (found.normal.cast::<f64>(), f64::from(found.distance));
    let expected = signed_distance(shape, &p.cast()).unwrap();
    assert!((distance - expected).abs() <= bound, "{shape:?} {p}: {found:?}, not {expected}");
    assert!((normal.norm() - 1.0).abs() <= f64::from(6.0 * U), "{shape:?} {p}: {found:?}");
    let at = |share: f64| signed_distance(shape, &(p.cast() - normal * (share * distance))).unwrap();
    // The direction of a short displacement is rounded more than its length: it is off by the bound at most.
    assert!(at(1.0).abs() <= 2.0 * bound, "{shape:?} {p}: {found:?} ends {} from the surface", at(1.0));
    let half = at(0.5);
    assert!((half - 0.5 * distance).abs() <= 2.0 * bound, "{shape:?} {p}: {found:?}, half-way {half}");
    let out = signed_distance(shape, &(p.cast() + normal * (1.0e-3 - distance))).unwrap();
    // Beside the rim of ground one steps in front of it or behind.
    let out = if is_ground(shape) { out.abs() } else { out };
    // In the hollow of a solid that is not convex the way out runs along a wall at worst.
    let is_convex = !matches!(shape, Shape::Mesh(_) | Shape::Compound(_));
    assert!(
        out >= if is_convex { 0.99e-3 } else { 0.0 } - 2.0 * bound,
        "{shape:?} {p}: {found:?} leads in, to {out}"
    );
}

#[test]
fn nearest_points_are_those_of_the_reference() {
    let mut dice = Dice::new(61);
    for shape in all() {
        special_points().iter().for_each(|p| agrees(&shape, p));
        for _ in 0..1500 {
            agrees(&shape, &dice.point(1.5));
        }
    }
}

#[test]
fn points_on_and_near_the_surface_have_its_distance_and_normal() {
    let mut dice = Dice::new(62);
    for shape in all() {
        for offset in [0.0, 1.0e-7, 1.0e-6, 1.0e-5, 1.0e-3] {
            for _ in 0..200 {
                let p = dice.point(1.0);
                let found = shape.nearest(&p);
                let foot = p - found.normal * (found.distance + offset * dice.between(-1.0, 1.0));
                agrees(&shape, &foot);
            }
        }
    }
}

#[test]
fn huge_distances_are_right_to_their_own_rounding() {
    let mut dice = Dice::new(63);
    for shape in all() {
        for size in [1.0e3, 1.0e6, 1.0e12, 1.0e15] {
            for _ in 0..50 {
                let p = Point3::from(dice.direction() * size);
                let (found, expected) = (shape.nearest(&p), signed_distance(&shape, &p.cast()).unwrap());
                // Near the level of a surface's rim, inside and outside are a rounding apart.
                let (got, wanted) = (f64::from(found.distance), expected);
                assert!(
                    (got - wanted).abs() <= f64::from(16.0 * U * size),
                    "{shape:?} {p} {found:?} {wanted}"
                );
                assert!((found.normal.norm() - 1.0).abs() <= 6.0 * U, "{shape:?} {p} {found:?}");
            }
        }
    }
}

#[test]
fn numbers_beyond_all_squares_and_numbers_that_are_none_do_not_panic() {
    for shape in all() {
        for odd in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN] {
            for axis in 0..3 {
                let mut p = Point3::new(0.1, 0.2, 0.3);
                p[axis] = odd;
                // What comes out is no distance, but it comes out.
                std::hint::black_box(shape.nearest(&p));
            }
        }
    }
}

#[test]
fn boxes_contain_all_that_is_solid() {
    let mut dice = Dice::new(64);
    for shape in all() {
        let Some([low, high]) = shape.bounds() else {
            continue;
        };
        let mut touched = [f32::MAX; 6];
        for _ in 0..20_000 {
            let p = dice.point(1.2);
            let found = shape.nearest(&p);
            let foot = p - found.normal * found.distance;
            for k in 0..3 {
                assert!(foot[k] >= low[k] - 1e-6 && foot[k] <= high[k] + 1e-6, "{shape:?} {foot}");
                touched[k] = touched[k].min(foot[k] - low[k]);
                touched[3 + k] = touched[3 + k].min(high[k] - foot[k]);
            }
        }
        // Around a turned part a box has room at its corners.
        let is_turned = matches!(shape, Shape::Compound(_));
        assert!(is_turned || touched.iter().all(|gap| *gap < 0.05), "{shape:?} leaves room: {touched:?}");
    }
}
