//! What a surface refuses, and in which words.

use cloth_contacts::{Surface, SurfaceDesc, SurfaceError};
use nalgebra::Point3;

const REST: [Point3<f32>; 3] =
    [Point3::new(0.0, 0.0, 0.0), Point3::new(1.0, 0.0, 0.0), Point3::new(0.0, 1.0, 0.0)];

/// What a single triangle is refused for after `edit` has spoiled its description.
fn refused<'a>(edit: impl FnOnce(&mut SurfaceDesc<'a>)) -> SurfaceError {
    let mut desc = SurfaceDesc {
        faces: &[[0, 1, 2]],
        radius: &[0.1; 3],
        half_scr: &[0.1; 3],
        part: &[0; 3],
        kinematic: &[false],
        rest: &REST,
        exclusions: &[],
        regions: Default::default(),
    };
    assert!(Surface::new(&desc).is_ok());
    edit(&mut desc);
    Surface::new(&desc).unwrap_err()
}

#[test]
fn refuses_arrays_of_the_wrong_length() {
    let length = |name, got| SurfaceError::Length { name, got, expected: 3 };
    assert_eq!(refused(|d| d.radius = &[0.1; 2]), length("radius", 2));
    assert_eq!(refused(|d| d.half_scr = &[0.1; 4]), length("half_scr", 4));
    assert_eq!(refused(|d| d.part = &[]), length("part", 0));
}

#[test]
fn refuses_numbers_that_are_no_radii() {
    for bad in [-0.1, f32::NAN, f32::INFINITY] {
        let radii = [0.1, bad, 0.1];
        for (name, error) in
            [("radius", refused(|d| d.radius = &radii)), ("half_scr", refused(|d| d.half_scr = &radii))]
        {
            let SurfaceError::Radius { name: named, vertex: 1, value } = error else { panic!("{error}") };
            assert_eq!((named, value.to_bits()), (name, bad.to_bits()));
        }
    }
}

#[test]
fn refuses_rest_positions_that_are_nowhere() {
    let rest = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, f32::NAN, 0.0]].map(Point3::from);
    assert_eq!(refused(|d| d.rest = &rest), SurfaceError::Rest(2));
}

#[test]
fn refuses_numbers_of_what_does_not_exist() {
    let index = |name, index, count| SurfaceError::Index { name, index, count };
    assert_eq!(refused(|d| d.part = &[0, 1, 0]), index("part", 1, 1));
    assert_eq!(refused(|d| d.exclusions = &[[0, 2], [3, 1]]), index("exclusions", 3, 3));
    assert!(matches!(refused(|d| d.faces = &[[0, 1, 3]]), SurfaceError::Topology(_)));
    assert!(matches!(refused(|d| d.faces = &[[0, 1, 1]]), SurfaceError::Topology(_)));
}

#[test]
fn reports_radius_and_scr_as_colliders_see_them() {
    let rest = [Point3::origin()];
    let desc = SurfaceDesc {
        faces: &[],
        radius: &[0.5],
        half_scr: &[0.125],
        part: &[0],
        kinematic: &[false],
        rest: &rest,
        exclusions: &[],
        regions: Default::default(),
    };
    let surface = Surface::new(&desc).unwrap();
    assert_eq!(surface.radius_and_scr(0), (0.5, 0.25));
    assert_eq!(surface.vertex_count(), 1);
}
