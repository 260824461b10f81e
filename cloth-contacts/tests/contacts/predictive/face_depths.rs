//! Depths of faces in every shape, against subdivision by distances and against samples of the face.
//!
//! `CLOTH_FACES` sets how many faces are tried for each shape, and a hundredth of it for hulls and meshes, of
//! which the reference tries every face; without it 60 for each.

use cloth_contacts::collider::face_depth::{
    DeepestPoint, PosedShape, RELATIVE_TOLERANCE, TOLERANCE, reference::depth_bounds,
};
use cloth_contacts::collider::{MeshShape, MeshSides, Shape};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::predictive::collider_shapes::{all, voxels};
use cloth_testing::Dice;

fn deepest(shape: &Shape, face: &[Point3<f32>; 3], above: f64) -> Option<DeepestPoint> {
    PosedShape::new(shape, &Isometry3::identity()).deepest_point(face.each_ref(), above)
}

/// A face of 10 to 500 mm near a shape of about 1 m; some lie parallel to an axis.
fn face(dice: &mut Dice) -> [Point3<f32>; 3] {
    let size = 0.01 * 50.0_f32.powf(dice.between(0.0, 1.0));
    let mut face = [0; 3].map(|_| dice.point(size));
    let level = dice.between(0.0, 12.0) as usize;
    if level < 3 {
        face.iter_mut().for_each(|p| p[level] = 0.0);
    }
    let centre = dice.vector(0.6);
    face.map(|p| p + centre)
}

/// Whether the distance from the shape jumps somewhere: behind the border of a one-sided surface.
fn jumps(shape: &Shape) -> bool {
    matches!(shape, Shape::Mesh(mesh) if mesh.sides() == MeshSides::OneSided)
}

#[test]
fn no_face_is_deeper_than_measured_or_much_less_deep() {
    let faces: usize =
        std::env::var("CLOTH_FACES").map_or(60, |n| n.parse().expect("CLOTH_FACES is a number of faces"));
    let [mut all_inside, mut decided] = [0; 2];
    for (kind, shape) in all().into_iter().enumerate().filter(|(_, shape)| !jumps(shape)) {
        let is_costly = matches!(shape, Shape::Hull(_) | Shape::Mesh(_));
        let count = if is_costly { 60.max(faces / 100) } else { faces };
        let mut dice = Dice::new(700 + kind as u64);
        let mut inside = 0;
        for number in 0..count {
            let face = face(&mut dice);
            let wide: [Point3<f64>; 3] = face.map(Point3::cast);
            let Some([low, high]) = depth_bounds(&shape, &wide, 200, 0.2 * TOLERANCE) else { break };
            let found = deepest(&shape, &face, 0.0).map_or(0.0, |point| point.depth);
            let allowed = |depth: f64| depth.max(0.0) * (1.0 + RELATIVE_TOLERANCE) + TOLERANCE;
            assert!(
                (low.max(0.0)..=allowed(high)).contains(&found),
                "face {number} {face:?}: {found}, not {low} to {high} in {shape:?}"
            );
            inside += usize::from(low > 0.0);
            decided += usize::from(low > 0.0 && high <= allowed(low));
        }
        let is_sheet = matches!(&shape, Shape::Mesh(mesh) if mesh.sides() == MeshSides::TwoSided);
        assert!(is_sheet || inside * 50 > count, "{inside} of {count}: {shape:?}");
        all_inside += inside;
    }
    // Where the reference comes to an end, it and the tolerances leave little room.
    assert!(3 * decided > 2 * all_inside, "{decided} of {all_inside} narrowly");
}

#[test]
fn a_depth_is_that_of_its_point_within_the_tolerances() {
    for (kind, shape) in all().into_iter().chain(voxels()).enumerate() {
        let mut dice = Dice::new(900 + kind as u64);
        for number in 0..150 {
            let face = face(&mut dice);
            let Some(DeepestPoint { weights, depth }) = deepest(&shape, &face, 0.0) else { continue };
            let point =
                Point3::from((0..3).map(|k| face[k].coords * weights[k] as f32).sum::<Vector3<f32>>());
            let there = f64::from(-shape.nearest(&point).distance);
            let size = f64::from(point.coords.amax()) + 2.0;
            let difference = depth - there;
            assert!(
                (-1.0e-6 * size..=TOLERANCE + RELATIVE_TOLERANCE * there.max(0.0)).contains(&difference),
                "face {number} {face:?}: {depth}, {there} at {weights:?} in {shape:?}"
            );
        }
    }
}

#[test]
fn a_face_that_is_less_deep_than_asked_has_no_answer() {
    let continuous = all().into_iter().filter(|shape| !jumps(shape));
    for (kind, shape) in continuous.chain(voxels()).enumerate() {
        let mut dice = Dice::new(1100 + kind as u64);
        for _ in 0..50 {
            let face = face(&mut dice);
            let Some(point) = deepest(&shape, &face, 0.0) else { continue };
            assert_eq!(deepest(&shape, &face, point.depth), None, "{shape:?}");
            let margin = TOLERANCE + RELATIVE_TOLERANCE * point.depth;
            if point.depth > margin {
                let again = deepest(&shape, &face, point.depth - margin);
                let again = again.unwrap_or_else(|| panic!("{face:?} {point:?} {shape:?}"));
                assert!((again.depth - point.depth).abs() <= margin, "{again:?} {point:?} {shape:?}");
            }
        }
    }
}

#[test]
fn a_ball_in_the_middle_of_a_face_is_deep_there() {
    let ball = Shape::Sphere { radius: 0.3 };
    let face = [[-1.0, 0.25, -1.0], [1.0, 0.25, -1.0], [0.0, 0.25, 2.0]].map(Point3::from);
    assert!(face.iter().all(|p| ball.nearest(p).distance > 0.7));
    let found = deepest(&ball, &face, 0.0).expect("inside");
    assert!((found.depth - 0.05).abs() < 1e-7, "{found:?}");
    let pose = Isometry3::new(Vector3::new(3.0, -2.0, 1.0), Vector3::new(0.3, 1.0, -0.7));
    let there = face.map(|p| pose * p);
    let posed = PosedShape::new(&ball, &pose);
    let moved = posed.deepest_point(there.each_ref(), 0.0).expect("inside");
    assert!((moved.depth - 0.05).abs() < 1e-6, "{moved:?}");
    let nowhere = [there[0], there[1], Point3::new(f32::NAN, 0.0, 0.0)];
    assert_eq!(posed.deepest_point(nowhere.each_ref(), 0.0), None);
}

/// A square of 1 m with one side, cut into small faces, whose back is solid.
fn ground() -> Shape {
    let mesh = cloth_geom::fixtures::sheet(21, 21, [1.0, 1.0]).expect("a sheet").mesh;
    let points: Vec<Point3<f32>> = mesh.positions.iter().map(|p| p.cast()).collect();
    Shape::Mesh(MeshShape::new(&points, &mesh.faces, MeshSides::OneSided).expect("a surface"))
}

#[test]
fn a_face_on_a_ground_is_as_deep_as_its_deepest_point() {
    let ground = ground();
    assert!(ground.nearest(&Point3::new(0.0, 0.1, 0.0)).distance > 0.0, "the front is up");
    let flat =
        |y: f32, x: f32| [[-0.2, -0.2], [0.2, -0.2], [0.0, 0.3]].map(|[a, b]| Point3::new(a + x, y, b));
    let depth = |face: [Point3<f32>; 3]| deepest(&ground, &face, 0.0).map_or(0.0, |point| point.depth);
    let is = |found: f64, expected: f64| {
        let most = expected * (1.0 + RELATIVE_TOLERANCE) + TOLERANCE;
        assert!((expected - 1.0e-6..=most).contains(&found), "{found} {expected}");
    };
    // Above it, by less than the size of a face; below it; through it.
    is(depth(flat(0.001, 0.0)), 0.0);
    is(depth(flat(-0.05, 0.0)), 0.05);
    let mut tilted = flat(0.02, 0.0);
    tilted[2].y = -0.03;
    is(depth(tilted), 0.03);
    // Above it and over its border; beside it, below its plane.
    is(depth(flat(0.001, 0.5)), 0.0);
    is(depth(flat(-0.05, 0.9)), 0.0);
    // Partly behind it.
    is(depth(flat(-0.05, 0.5)), 0.05);
}
