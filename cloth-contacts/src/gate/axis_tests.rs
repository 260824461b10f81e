//! The gate between a sheet and edges without faces, the axes of capsules, against all pairs and exact
//! detection.

use cloth_geom::{Topology, fixtures};
use nalgebra::{Point3, Vector3};
use proptest::prelude::*;

use super::*;
use crate::impacts;
use crate::{Contacts, Motion, PartShape, Regions, SurfaceDesc};

/// Radius of the sheet (m), and of the two ends of an axis.
const SHEET: f32 = 0.002;
const AXIS: [f32; 2] = [0.006, 0.003];
/// Vertices along a side of the sheet, which is 0.2 m wide.
const SIDE: usize = 6;

/// A sheet in the plane y = 0, and axes.
struct AxisWorld {
    detected: Surface,
    gated: Surface,
    start: Vec<Point3<f32>>,
    inv_mass: Vec<f32>,
}

fn world(axes: &[[Point3<f32>; 2]]) -> AxisWorld {
    let sheet = fixtures::sheet(SIDE, SIDE, [0.2, 0.2]).unwrap().mesh;
    let cloth = PartShape::new(Topology::of_mesh(&sheet).unwrap(), &sheet.positions_f32(), SHEET).unwrap();
    let axis = |ends: &[Point3<f32>; 2]| {
        let topology = Topology::with_loose_edges(2, &[], &[[0, 1]]).unwrap();
        PartShape::with_radii(topology, ends, AXIS.to_vec()).unwrap()
    };
    let shapes: Vec<PartShape> = std::iter::once(cloth).chain(axes.iter().map(axis)).collect();
    let start: Vec<Point3<f32>> =
        sheet.positions_f32().into_iter().chain(axes.iter().flatten().copied()).collect();
    let cloth = SIDE * SIDE;
    let by_vertex = |of_sheet: f32, of_axis: [f32; 2]| -> Vec<f32> {
        (0..start.len()).map(|v| if v < cloth { of_sheet } else { of_axis[(v - cloth) % 2] }).collect()
    };
    let part: Vec<u16> =
        (0..start.len()).map(|v| if v < cloth { 0 } else { ((v - cloth) / 2 + 1) as u16 }).collect();
    let kinematic: Vec<bool> = (0..shapes.len()).map(|part| part > 0).collect();
    let desc = SurfaceDesc {
        faces: &sheet.faces,
        radius: &by_vertex(SHEET, AXIS),
        half_scr: &by_vertex(0.5 * SHEET, [0.0; 2]),
        part: &part,
        kinematic: &kinematic,
        rest: &start,
        exclusions: &[],
        regions: Regions::default(),
    };
    let detected = Surface::from_parts(&desc, &shapes.iter().collect::<Vec<_>>()).unwrap();
    assert_eq!(detected.topology.loose_edges().count(), axes.len());
    let inv_mass = by_vertex(1.0, [0.0; 2]);
    AxisWorld { gated: detected.for_gate(), detected, start, inv_mass }
}

/// Pairs of an axis and the sheet that meet in a motion, by exact detection of all pairs, and of the sheet
/// with itself.
fn met(world: &AxisWorld, start: &[Point3<f32>], end: &[Point3<f32>]) -> [usize; 2] {
    let exact = |points: &[Point3<f32>]| points.iter().map(|p| p.cast()).collect::<Vec<Point3<f64>>>();
    let topology = &world.gated.topology;
    let found = impacts::find_brute_force(&exact(start), &exact(end), topology).unwrap();
    let is_axis = |v: u32| v as usize >= SIDE * SIDE;
    let edge_is_axis = |e: u32| is_axis(topology.edges()[e as usize][0]);
    let points = found.vertex_faces.iter().map(|&[v, _]| is_axis(v));
    let edges = found.edge_edges.iter().filter(|pair| !pair.iter().all(|&e| edge_is_axis(e)));
    let edges = edges.map(|pair| pair.iter().any(|&e| edge_is_axis(e)));
    let of_axes: Vec<bool> = points.chain(edges).collect();
    [of_axes.iter().filter(|axis| **axis).count(), of_axes.iter().filter(|axis| !**axis).count()]
}

/// Moves the axes through the sheet in one motion, by the lists of a detector, those of the gate, and all
/// pairs.
fn pass(gate: &mut Gate, world: &AxisWorld, ends: &[[Point3<f32>; 2]]) -> (Vec<Point3<f32>>, GateStats) {
    let mut proposed = world.start.clone();
    proposed[SIDE * SIDE..].copy_from_slice(ends.as_flattened());
    let certify = |how: &mut dyn FnMut(&mut Proposal<'_>) -> GateStats| {
        let mut end = proposed.clone();
        let proposal =
            &mut Proposal { start: &world.start, end: &mut end, inv_mass: &world.inv_mass, slack: 0.001 };
        let stats = how(proposal);
        (end, stats)
    };
    let found = certify(&mut |proposal| gate.certify(&world.gated, proposal).unwrap());
    let all = certify(&mut |proposal| Gate::default().certify_all_pairs(&world.gated, proposal).unwrap());
    let mut detector = Detector::default();
    let displacements: Vec<Vector3<f32>> = proposed.iter().zip(&world.start).map(|(b, a)| b - a).collect();
    let motion = Motion { positions: &world.start, displacements: &displacements };
    detector.detect(&world.detected, &motion, 0.001, &mut Contacts::default()).unwrap();
    let shared = certify(&mut |proposal| {
        Gate::default().certify_with_detector(&mut detector, &world.detected, &world.gated, proposal).unwrap()
    });
    assert_eq!(found.0, all.0);
    assert_eq!(found.0, shared.0);
    assert_eq!((found.1.rounds, found.1.released), (all.1.rounds, all.1.released));
    found
}

/// An axis above the sheet, and where it goes: through the sheet, turning.
fn motion() -> impl Strategy<Value = ([Point3<f32>; 2], [Point3<f32>; 2])> {
    let end = || (-0.12f32..0.12, 0.001f32..0.03, -0.12f32..0.12).prop_map(|(x, y, z)| Point3::new(x, y, z));
    let displacement =
        || (-0.05f32..0.05, -0.15f32..-0.01, -0.05f32..0.05).prop_map(|(x, y, z)| Vector3::new(x, y, z));
    ([end(), end()], [displacement(), displacement()]).prop_map(|(at, d)| (at, [at[0] + d[0], at[1] + d[1]]))
}

proptest! {
    // Each case tests all pairs twice.
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn axes_moved_randomly_through_a_sheet_never_cross_it(motions in prop::collection::vec(motion(), 1..4)) {
        let (start, end): (Vec<_>, Vec<_>) = motions.into_iter().unzip();
        let world = world(&start);
        let (accepted, stats) = pass(&mut Gate::default(), &world, &end);
        prop_assert_eq!(&accepted[SIDE * SIDE..], end.as_flattened(), "axes are never frozen");
        // A sheet in the plane of its own motion may touch itself only where it does from the start: nowhere.
        let released = stats.released > 0;
        let [axes, sheet] = met(&world, &world.start, &accepted);
        prop_assert!(sheet == 0 && (axes == 0 || released), "{axes} {sheet} {stats:?}");
    }
}

/// Five fingers 3 mm above the sheet that go through it, lying and standing.
fn fingers() -> [Vec<[Point3<f32>; 2]>; 2] {
    let at = |k: u8, y: f32| {
        let x = 0.03 * (f32::from(k) - 2.0) + 0.004;
        let foot = if k.is_multiple_of(2) { 0.0 } else { 0.08 };
        [Point3::new(x, y + foot, -0.04), Point3::new(x, y, 0.041)]
    };
    [0.007, -0.03].map(|y| (0..5).map(|k| at(k, y)).collect())
}

#[test]
fn fingers_push_a_sheet_along_without_a_release() {
    let [start, end] = fingers();
    let world = world(&start);
    let unguarded: Vec<Point3<f32>> =
        world.start[..SIDE * SIDE].iter().copied().chain(end.as_flattened().iter().copied()).collect();
    let [crossings, _] = met(&world, &world.start, &unguarded);
    assert!(crossings > 20, "{crossings}");
    let (accepted, stats) = pass(&mut Gate::default(), &world, &end);
    assert_eq!((met(&world, &world.start, &accepted), stats.released), ([0; 2], 0), "{stats:?}");
}

#[test]
fn contacts_with_an_axis_that_tapers_keep_the_radius_where_they_are() {
    let axis = [Point3::new(-0.08, 0.006, 0.003), Point3::new(0.08, 0.005, 0.004)];
    let world = world(&[axis]);
    let still = vec![Vector3::zeros(); world.start.len()];
    let motion = Motion { positions: &world.start, displacements: &still };
    let mut contacts = Contacts::default();
    Detector::default().detect(&world.detected, &motion, 0.001, &mut contacts).unwrap();
    assert!(contacts.edge_edges.len() > 5, "{}", contacts.edge_edges.len());
    for contact in &contacts.edge_edges {
        // The axis has the larger edge number.
        let radius = AXIS[0] + (AXIS[1] - AXIS[0]) * contact.t;
        assert!((contact.distance - SHEET - radius).abs() < 1e-7, "{contact:?}");
    }
    assert!(contacts.point_triangles.iter().any(|c| c.vertex as usize == SIDE * SIDE));
}

#[test]
fn a_state_that_starts_pierced_is_exempt_until_the_axis_is_out() {
    let world = world(&[[Point3::new(0.003, 0.05, 0.004), Point3::new(0.004, -0.05, 0.003)]]);
    let mut gate = Gate::default();
    let found = gate.inspect(&world.gated, &world.start, Admission::All).unwrap();
    assert!(found.tangled > 0 && found.not_admitted == 0, "{found:?}");
    let mut out = world.start.clone();
    out[SIDE * SIDE + 1].y = 0.02;
    let found = gate.inspect(&world.gated, &out, Admission::None).unwrap();
    assert_eq!((found.tangles, found.tangled, found.not_admitted), (0, 0, 0), "{found:?}");
}
