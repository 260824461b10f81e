use cloth_contacts::ccd::{Ccd, Filtered, Query};
use cloth_contacts::{Contacts, Detector, Motion, Surface, SurfaceDesc};
use nalgebra::{Point3, Vector3};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::*;
use crate::bodies::{pack, point};

/// Triangles that hang together by contacts alone.
const TRIANGLES: usize = 60;
/// Gap (m) below which rounding at these positions counts: the plane would be off by a share of the gap.
const LEAST_GAP: f32 = 1e-4;

/// A crowd of small triangles, how they are to move, and what is in whose way.
struct RandomTriangles {
    x_t0: Vec<Point3<f32>>,
    ways: Vec<Vector3<f32>>,
    contacts: Contacts,
}

fn numbers(count: usize, runner: &mut TestRunner) -> Vec<Vector3<f32>> {
    let vector = prop::array::uniform3(-1.0f32..1.0).prop_map(Vector3::from);
    prop::collection::vec(vector, count).new_tree(runner).unwrap().current()
}

/// `common` is what all move alike, `own` (m) how far each vertex goes in addition, `size` (m) that of the
/// crowd.
fn crowd(common: Vector3<f32>, own: f32, size: f32, runner: &mut TestRunner) -> RandomTriangles {
    let places = numbers(TRIANGLES, runner);
    let corners = numbers(3 * TRIANGLES, runner);
    let x_t0: Vec<_> =
        (0..3 * TRIANGLES).map(|v| Point3::from(places[v / 3] * size + corners[v] * 0.05)).collect();
    let ways: Vec<_> = numbers(3 * TRIANGLES, runner).iter().map(|w| common + w * own).collect();
    let faces: Vec<[u32; 3]> = (0..TRIANGLES as u32).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
    let count = x_t0.len();
    let surface = Surface::new(&SurfaceDesc {
        faces: &faces,
        radius: &vec![0.001; count],
        half_scr: &vec![0.0005; count],
        part: &vec![0; count],
        kinematic: &[false],
        rest: &x_t0,
        exclusions: &[],
        regions: Default::default(),
    })
    .unwrap();
    let mut contacts = Contacts::default();
    let motion = Motion { positions: &x_t0, displacements: &ways };
    Detector::default().detect(&surface, &motion, 0.0, &mut contacts).unwrap();
    contacts.point_triangles.retain(|c| c.gap > LEAST_GAP);
    contacts.edge_edges.retain(|c| c.gap > LEAST_GAP);
    RandomTriangles { x_t0, ways, contacts }
}

impl RandomTriangles {
    /// Moves and truncates; the ends of the motions, and how many vertices were clipped.
    fn moved(&self, truncation: &mut Truncation, w: &[f32]) -> (Vec<Point3<f32>>, usize) {
        let x_t1: Vec<_> = self.x_t0.iter().zip(&self.ways).map(|(x, d)| x + d).collect();
        let (mut x, mut start) = (vec![Packed::zeros(); x_t1.len()], vec![Packed::zeros(); x_t1.len()]);
        let slots: Vec<u32> = (0..).take(x_t1.len()).collect();
        pack(&x_t1, w, &slots, &mut x);
        pack(&self.x_t0, w, &slots, &mut start);
        let mut bodies = Bodies::without_chunks(&mut x, &start, w, 0.01);
        let clipped = truncation.truncate(&self.contacts, &mut bodies);
        (x.iter().map(point).collect(), clipped)
    }

    /// How many of the pairs in contact pass through each other, exactly.
    fn crossings(&self, x_t1: &[Point3<f32>]) -> usize {
        let at = |x: &[Point3<f32>], v: [u32; 4]| v.map(|v| x[v as usize].cast::<f64>());
        let mut queries: Vec<Query> = Vec::new();
        queries.extend(self.contacts.point_triangles.iter().map(|c| {
            let v = [c.vertex, c.corners[0], c.corners[1], c.corners[2]];
            Query::point_triangle(at(&self.x_t0, v), at(x_t1, v))
        }));
        queries.extend(self.contacts.edge_edges.iter().map(|c| {
            let v = [c.a[0], c.a[1], c.b[0], c.b[1]];
            Query::edge_edge(at(&self.x_t0, v), at(x_t1, v))
        }));
        queries.iter().filter(|q| Filtered::default().impact(q, 0.0).unwrap().is_some()).count()
    }
}

const COMMON: Vector3<f32> = Vector3::new(0.2, -0.3, 0.1);

#[test]
fn nothing_crosses_that_was_in_contact_however_wild_the_motion() {
    let mut runner = TestRunner::deterministic();
    let mut truncation = Truncation::default();
    let (mut crossings, mut shortened) = (0, 0);
    for round in 0..40 {
        // Loose crowds agree by clipping, dense ones have to be shortened.
        let crowd = crowd(COMMON, 0.05, 0.1 + 0.01 * round as f32, &mut runner);
        let wild: Vec<_> = crowd.x_t0.iter().zip(&crowd.ways).map(|(x, d)| x + d).collect();
        crossings += crowd.crossings(&wild);
        let (x_t1, clipped) = crowd.moved(&mut truncation, &vec![1.0; crowd.x_t0.len()]);
        shortened += usize::from(truncation.conflicting.iter().any(|&d| d));
        assert!(clipped > 0 || crowd.contacts.is_empty());
        assert_eq!(crowd.crossings(&x_t1), 0);
        truncation.conflicting.clear();
    }
    assert!(crossings > 500, "{crossings} without");
    assert!((1..40).contains(&shortened), "both branches are taken: {shortened}");
}

#[test]
fn what_moves_as_a_whole_is_not_held_back() {
    let mut runner = TestRunner::deterministic();
    let crowd = crowd(COMMON * 10.0, 0.0, 0.1, &mut runner);
    // Nothing approaches anything; so take the contacts of those that do.
    let near = RandomTriangles {
        contacts: self::crowd(COMMON, 0.05, 0.1, &mut TestRunner::deterministic()).contacts,
        ..crowd
    };
    assert!(near.contacts.len() > 100);
    let (x_t1, clipped) = near.moved(&mut Truncation::default(), &vec![1.0; near.x_t0.len()]);
    assert_eq!(clipped, 0);
    assert!(x_t1.iter().zip(&near.x_t0).all(|(a, b)| (a - b - COMMON * 10.0).norm() < 1e-6));
}

#[test]
fn what_slides_keeps_sliding() {
    // A triangle that is pressed through another and slides along it.
    let tip = [[0.0, 0.01, 0.0], [0.3, 0.2, 0.0], [-0.3, 0.2, 0.1]];
    let ground = [[-1.0, 0.0, -1.0], [-1.0, 0.0, 1.0], [2.0, 0.0, 0.0]];
    let x_t0: Vec<Point3<f32>> = tip.iter().chain(&ground).map(|&p| Point3::from(p)).collect();
    let way = Vector3::new(0.2, -0.5, 0.0);
    let ways = (0..6).map(|v| if v < 3 { way } else { Vector3::zeros() }).collect();
    let contact = cloth_contacts::PointTriangle {
        vertex: 0,
        face: 1,
        corners: [3, 4, 5],
        side: cloth_contacts::Side::Front,
        normal: Vector3::y(),
        weights: [1.0 / 3.0; 3],
        gap: 0.01,
        distance: 0.002,
    };
    let contacts = Contacts { point_triangles: vec![contact], ..Contacts::default() };
    let crowd = RandomTriangles { x_t0, ways, contacts };
    let w = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0];
    let (x_t1, clipped) = crowd.moved(&mut Truncation::default(), &w);
    assert_eq!(clipped, 1);
    assert_eq!(x_t1[0].x, 0.2, "along the plane its displacement is unchanged");
    assert!(
        (x_t1[0].y - (0.01 - USED_SHARE * 0.005)).abs() < 1e-7,
        "the ground does not yield: {}",
        x_t1[0].y
    );
}
