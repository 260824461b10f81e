//! Kernels on data that are the same in each run.

use std::hint::black_box;

use cloth_broadphase::{BlockTree, Boxes, BroadPhase, Members, PairFilter, Sweep, SweepGrid};
use cloth_ccd::conformance::{ChoiceSequence, FAMILIES, QueryKind};
use cloth_ccd::{Ccd, Filtered, Query};
use cloth_contacts::collider::{ClothPoints, Collider, ColliderDetector, Shape};
use cloth_contacts::intersect::Checker;
use cloth_contacts::{Motion, Surface, SurfaceDesc};
use cloth_geom::lanes::{Lanes3, gather};
use cloth_geom::{Topology, TriMesh, closest, exact, fixtures};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::{Workload, measured};

/// Primitives or queries per kernel.
const COUNT: usize = 1000;

/// Vertices along each side of the sheets.
const SIDE: usize = 48;

pub(crate) const ALL: [Workload; 12] = [
    ("closest/point-triangle", closest_point_triangle),
    ("closest/segment-segment", closest_segment_segment),
    ("closest/point-triangle, four lanes", closest_point_triangles),
    ("closest/segment-segment, four lanes", closest_segment_segments),
    ("exact/orient3d", orient3d),
    ("exact/segment-triangle", segment_triangle),
    ("ccd/filtered", ccd_filtered),
    ("broad-phase/block-tree", || broad_phase::<BlockTree>()),
    ("broad-phase/sweep-grid", || broad_phase::<SweepGrid>()),
    ("check/draped sheet", check),
    ("topology/sheet", topology),
    ("colliders/capsule", capsule),
];

/// Pseudorandom numbers from -1 to 1, the same each time.
fn numbers() -> impl FnMut() -> f32 {
    let mut state = 0x0123_4567_89ab_cdef_u64;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }
}

/// Groups of four points in a cube of 2 m.
fn quadruples() -> Vec<[Point3<f32>; 4]> {
    let mut number = numbers();
    let mut point = || Point3::new(number(), number(), number());
    (0..COUNT).map(|_| std::array::from_fn(|_| point())).collect()
}

/// The same groups, four at a time in lanes.
fn lane_quadruples() -> Vec<[Lanes3; 4]> {
    let points: Vec<[f32; 3]> = quadruples().iter().flatten().map(|p| p.coords.into()).collect();
    let corner = |first: u32, corner: u32| gather(&points, [0, 4, 8, 12].map(|v| first + v + corner));
    (0..points.len() as u32).step_by(16).map(|first| [0, 1, 2, 3].map(|k| corner(first, k))).collect()
}

/// Counts a kernel that is called for each of its inputs.
fn each<T, R>(all: &[T], kernel: impl Fn(&T) -> R) {
    measured(&mut || {
        for input in all {
            black_box(kernel(input));
        }
    });
}

fn closest_point_triangle() {
    each(&quadruples(), |[p, a, b, c]| closest::point_triangle(p, [a, b, c]));
}

fn closest_segment_segment() {
    each(&quadruples(), |[a, b, c, d]| closest::segment_segment([a, b], [c, d]));
}

fn closest_point_triangles() {
    each(&lane_quadruples(), |[p, a, b, c]| closest::lanes::point_triangles(p, [a, b, c]));
}

fn closest_segment_segments() {
    each(&lane_quadruples(), |[a, b, c, d]| closest::lanes::segment_segments([a, b], [c, d]));
}

/// Random points, every other group with its last point rounded into the plane of the others: half the signs
/// take exact arithmetic.
fn exact_quadruples() -> Vec<[Point3<f64>; 4]> {
    let mut all: Vec<[Point3<f64>; 4]> = quadruples().iter().map(|four| four.map(Point3::cast)).collect();
    for [a, b, c, d] in all.iter_mut().step_by(2) {
        *d = *a + (*b - *a) * 0.25 + (*c - *a) * 0.5;
    }
    all
}

fn orient3d() {
    each(&exact_quadruples(), |[a, b, c, d]| exact::orient3d(a, b, c, d));
}

fn segment_triangle() {
    let all = exact_quadruples();
    measured(&mut || {
        for pair in all.windows(2) {
            let ([a, b, c, d], e) = (&pair[0], &pair[1][0]);
            black_box(exact::segment_meets_triangle([d, e], [a, b, c]));
        }
    });
}

/// Every family of the conformance suite, both kinds of pairs: hits, misses, and what only exact arithmetic
/// decides.
fn ccd_filtered() {
    let kinds = [QueryKind::PointTriangle, QueryKind::EdgeEdge];
    let queries: Vec<Query> = (0..COUNT)
        .map(|n| {
            let family = &FAMILIES[n / 2 % FAMILIES.len()];
            family.query(kinds[n % 2], &mut ChoiceSequence::seeded(n as u64))
        })
        .collect();
    let method = Filtered::default();
    each(&queries, |query| method.impact(query, 0.0).expect("finite"));
}

fn sheet() -> TriMesh {
    fixtures::sheet(SIDE, SIDE, [1.0, 1.0]).expect("a valid sheet").mesh
}

/// A sheet over a round table of radius 0.2 m; beyond its rim the cloth hangs down in eight folds.
fn draped(flat: &TriMesh) -> TriMesh {
    flat.clone().mapped(|p| {
        let (radius, angle) = (p.x.hypot(p.z), p.z.atan2(p.x));
        let hang = (radius - 0.2).max(0.0);
        let reach = radius.min(0.2) + 0.35 * hang + 0.25 * hang * (8.0 * angle).cos();
        Point3::new(reach * angle.cos(), -0.9 * hang, reach * angle.sin())
    })
}

/// Build, refit and query: pairs of faces that share no vertex, within a quarter of an edge.
fn broad_phase<B: BroadPhase>() {
    let flat = sheet();
    let posed = draped(&flat);
    let boxes = |at: &[Point3<f64>]| {
        let sweep = Sweep::at_rest(at).inflated(0.25 / SIDE as f64);
        Boxes::try_from_iter(sweep.faces(&flat.faces)).expect("finite")
    };
    let (flat_boxes, posed_boxes) = (boxes(&flat.positions), boxes(&posed.positions));
    let filter = PairFilter::no_shared_vertex(Members::Faces(&flat.faces), Members::Faces(&flat.faces));
    on_one_thread(&mut || {
        let mut broad_phase = B::default();
        broad_phase.update(&flat_boxes);
        broad_phase.update(&posed_boxes);
        let mut pairs = 0_u64;
        broad_phase.visit_self_pairs(&filter, &mut |_, _| pairs += 1);
        black_box(pairs);
    });
}

fn check() {
    let mesh = draped(&sheet());
    let topology = Topology::of_mesh(&mesh).expect("a valid mesh");
    let mut checker = Checker::default();
    on_one_thread(&mut || {
        let found = checker.check(&mesh.positions, &topology).expect("finite positions");
        assert!(found.is_clean(), "{} intersections", found.count());
    });
}

fn topology() {
    let mesh = sheet();
    measured(&mut || {
        black_box(Topology::of_mesh(&mesh).expect("a valid mesh"));
    });
}

/// A sheet that falls on a capsule.
fn capsule() {
    let positions: Vec<Point3<f32>> =
        sheet().positions.iter().map(|p| Point3::new(p.x as f32 - 0.5, 0.11, p.z as f32 - 0.5)).collect();
    let count = positions.len();
    let surface = Surface::new(&SurfaceDesc {
        faces: &[],
        radius: &vec![0.004; count],
        half_scr: &vec![0.002; count],
        part: &vec![0; count],
        kinematic: &[false],
        rest: &positions,
        exclusions: &[],
        regions: Default::default(),
    })
    .expect("a surface");
    let (displacements, inv_mass) = (vec![Vector3::new(0.0, -1e-4, 0.0); count], vec![1.0; count]);
    let motion = Motion { positions: &positions, displacements: &displacements };
    let points = ClothPoints { motion, inv_mass: &inv_mass, surface: &surface };
    let shape = Shape::Capsule { half_length: 0.3, radius: 0.1 };
    let collider = Collider::new(shape, Isometry3::identity(), 0.3).expect("usable");
    let (mut detector, mut contacts) = (ColliderDetector::default(), Vec::new());
    measured(&mut || detector.detect(std::slice::from_ref(&collider), &points, &mut contacts));
    assert!(!contacts.is_empty());
}

/// As [`measured`], where rayon is used: other threads would count too, or wait for an unknown time.
fn on_one_thread(work: &mut (dyn FnMut() + Send)) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    pool.install(|| measured(work));
}
