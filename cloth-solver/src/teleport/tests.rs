use nalgebra::{Point3, UnitQuaternion, Vector3};

use super::rigid_displacement::{Ends, RigidDisplacement};

fn ends(points: &[[f64; 3]], turn: &UnitQuaternion<f64>, by: Vector3<f64>) -> Vec<Ends> {
    points.iter().map(|&p| [Point3::from(p), turn * Point3::from(p) + by]).collect()
}

#[test]
fn a_fit_finds_the_motion_that_was_made() {
    let points = [[0.1, 0.2, 0.3], [1.0, 0.0, -0.4], [0.0, 0.7, 0.2], [-0.3, 0.1, 0.9]];
    for angle in [0.0_f64, 0.4, 1.57, 3.0, std::f64::consts::PI] {
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.6, 0.0, 0.8) * angle);
        let ends = ends(&points, &turn, Vector3::new(20.0, -3.0, 0.5));
        let found = RigidDisplacement::fit(&ends, &Vector3::y());
        assert!(found.residual(&ends) < 1e-12, "{angle}: {found:?}");
        assert!((found.angle() - angle).abs() < 1e-7, "{angle}: {}", found.angle());
    }
}

#[test]
fn one_point_is_translated_and_two_make_the_least_turn() {
    let one = [[Point3::new(1.0, 2.0, 3.0), Point3::new(5.0, 2.0, 3.0)]];
    let found = RigidDisplacement::fit(&one, &Vector3::y());
    assert_eq!((found.angle(), found.distance()), (0.0, 4.0));
    // Along x, then along z: a quarter turn about y, and none about the line.
    let two = [
        [Point3::new(-1.0, 0.0, 0.0), Point3::new(0.0, 0.0, 1.0)],
        [Point3::new(1.0, 0.0, 0.0), Point3::new(0.0, 0.0, -1.0)],
    ];
    let found = RigidDisplacement::fit(&two, &Vector3::y());
    assert!((found.angle() - std::f64::consts::FRAC_PI_2).abs() < 1e-12);
    let up = found.apply(&Point3::new(0.0, 1.0, 0.0));
    assert!((up - Point3::new(0.0, 1.0, 0.0)).norm() < 1e-12, "{up}");
    assert_eq!(RigidDisplacement::fit(&[], &Vector3::y()).apply(&up), up);
}

#[test]
fn a_line_that_is_half_turned_turns_about_the_upright() {
    let line: Vec<[f64; 3]> = (0..9).map(|i| [f64::from(i) * 0.05 - 0.2, 1.4, -0.15]).collect();
    let half = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), std::f64::consts::PI);
    let found = RigidDisplacement::fit(&ends(&line, &half, Vector3::zeros()), &Vector3::y());
    let hem = found.apply(&Point3::new(0.1, 0.5, -0.15));
    assert!((hem - Point3::new(-0.1, 0.5, 0.15)).norm() < 1e-9, "{hem}");
}
