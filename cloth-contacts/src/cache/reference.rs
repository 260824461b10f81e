//! The contacts of a cache pair by pair: slow, obvious, and to the same bits as four at a time.

use super::foot_points::{CONTACT_LIMIT, left};
use super::{CachedContacts, CachedPair, ContactCache};
use crate::point_triangle::PlaneProjection;
use crate::{Contacts, Motion, PointTriangle, Regions, Side, Surface, SurfaceDesc};
use cloth_geom::fixtures::sheet;
use nalgebra::{Point3, Vector3};
use proptest::prelude::*;

fn measure(cached: &mut CachedContacts, surface: &Surface, motion: &Motion<'_>, out: &mut Contacts) {
    out.clear();
    for (&CachedPair { vertex, distance, .. }, face) in cached.cache.pairs.iter().zip(&mut cached.faces) {
        let mut corners = surface.topology.faces()[*face as usize];
        let mut foot = FootPoint::project(motion, vertex, corners);
        if cached.follow
            && let Some(k) = left(foot.weights)
        {
            let beyond = cached.across[*face as usize][k];
            if beyond != u32::MAX {
                *face = beyond;
                corners = surface.topology.faces()[beyond as usize];
                foot = FootPoint::project(motion, vertex, corners);
            }
        }
        let outer = surface.layers.point_triangle([vertex, *face]).map(crate::layers::OuterPrimitive::sign);
        let geometric_side = if foot.height >= 0.0 { 1.0 } else { -1.0 };
        let sign = outer.map(|sign| if cached.geometric_side { geometric_side } else { sign });
        let found = sign.and_then(|sign| contact(surface, motion, ([vertex, *face], corners), &foot, sign));
        out.point_triangles
            .extend(found.map(|found| PointTriangle { distance: found.distance.min(distance), ..found }));
    }
}

/// Where a vertex stands over a face.
struct FootPoint {
    /// Barycentric coordinates of the foot, unclamped; NaN over a face without area.
    weights: [f32; 3],
    /// Unit normal of the face.
    normal: Vector3<f32>,
    height: f32,
}

impl FootPoint {
    fn project(motion: &Motion<'_>, vertex: u32, corners: [u32; 3]) -> Self {
        let p = &motion.positions[vertex as usize];
        let projection = PlaneProjection::new(p, corners.map(|v| &motion.positions[v as usize]));
        let normal = projection.n / projection.area_sq.sqrt();
        let [w1, w2] = projection.weights();
        Self { weights: [1.0 - w1 - w2, w1, w2], normal, height: normal.dot(&projection.r) }
    }
}

fn contact(
    surface: &Surface,
    motion: &Motion<'_>,
    ([vertex, face], corners): ([u32; 2], [u32; 3]),
    foot: &FootPoint,
    sign: f32,
) -> Option<PointTriangle> {
    let (normal, gap) = (foot.normal * sign, foot.height * sign);
    let w = foot.weights;
    let d = |v: u32| motion.displacements[v as usize];
    let d_rel = d(vertex) - (d(corners[0]) * w[0] + d(corners[1]) * w[1] + d(corners[2]) * w[2]);
    let approach = -d_rel.dot(&normal);
    // Also false over a face without area, which is NaN.
    let near =
        w.iter().all(|&w| w > CONTACT_LIMIT) && gap - approach.max(0.0) < surface.reach(vertex, corners[0]);
    near.then(|| PointTriangle {
        vertex,
        face,
        corners,
        side: if sign > 0.0 { Side::Front } else { Side::Back },
        normal,
        weights: w,
        gap,
        distance: surface.contact_distance(vertex, corners[0]),
    })
}

const SIDE: usize = 6;
const COUNT: usize = 2 * SIDE * SIDE;

/// Two sheets in order, 2 cm apart and of different thickness.
fn layers() -> (Surface, Vec<Point3<f32>>) {
    let lower = sheet(SIDE, SIDE, [0.5, 0.5]).expect("a sheet").mesh;
    let mut both = lower.clone();
    both.append(&lower.translated(Vector3::new(0.013, 0.02, 0.007)));
    let of = |a: f32, b: f32| [[a; SIDE * SIDE], [b; SIDE * SIDE]].concat();
    let part: Vec<u16> = (0..COUNT).map(|v| (v / (SIDE * SIDE)) as u16).collect();
    let rest = both.positions_f32();
    let surface = Surface::new(&SurfaceDesc {
        faces: &both.faces,
        radius: &of(0.003, 0.005),
        half_scr: &of(0.001, 0.002),
        part: &part,
        kinematic: &[false, false],
        rest: &rest,
        exclusions: &[],
        regions: Regions::default(),
    });
    let ranks: Vec<_> = part.iter().map(|&p| Some(p)).collect();
    (surface.and_then(|s| s.with_layers(&ranks, 0.02)).expect("a surface"), rest)
}

/// Motions of all vertices: by little, by much, to one place, to nowhere.
fn offsets(most: f32) -> impl Strategy<Value = Vec<Vector3<f32>>> {
    let small = move || -most..most;
    let offset = prop_oneof![
        30 => (small(), small(), small()).prop_map(|(x, y, z)| Vector3::new(x, y, z)),
        2 => Just(Vector3::zeros()),
        1 => Just(Vector3::new(0.3, 0.0, -0.2)),
    ];
    prop::collection::vec(offset, COUNT)
}

fn bits(contacts: &Contacts) -> Vec<(Vec<u32>, Side, Vec<u32>)> {
    let one = |c: &PointTriangle| {
        let names = [&[c.vertex, c.face], &c.corners[..]].concat();
        let numbers = c.normal.iter().chain(&c.weights).chain([&c.gap, &c.distance]);
        (names, c.side, numbers.map(|x| x.to_bits()).collect())
    };
    contacts.point_triangles.iter().map(one).collect()
}

proptest! {
    #[test]
    fn four_pairs_at_once_are_what_one_after_the_other_is(
        steps in prop::collection::vec((offsets(0.02), offsets(0.03), -0.15f32..0.15), 1..4),
        follow in any::<bool>(),
        geometric_side in any::<bool>(),
        collapsed in prop::option::of(0..COUNT - 1),
    ) {
        let (surface, rest) = layers();
        let mut cache = ContactCache::compute(&surface, &rest, 0.04).expect("a cache");
        // A pair within one layer, which nothing lets in but a file: it makes no contact.
        cache.pairs.insert(1, CachedPair { vertex: 0, face: 0, distance: 0.0 });
        let mut fast = CachedContacts::new(&surface, cache, follow);
        if geometric_side {
            fast = fast.with_geometric_sides();
        }
        let mut slow = fast.clone();
        let (mut found, mut wanted) = (Contacts::default(), Contacts::default());
        for (offsets, displacements, slide) in &steps {
            let slid = |v: usize| if v < SIDE * SIDE { 0.0 } else { *slide };
            let mut positions: Vec<_> = (0..COUNT)
                .map(|v| rest[v] + offsets[v] + Vector3::new(slid(v), 0.0, 0.0))
                .collect();
            if let Some(v) = collapsed {
                positions[v] = positions[v + 1];
            }
            let motion = Motion { positions: &positions, displacements };
            fast.measure(&surface, &motion, &mut found);
            measure(&mut slow, &surface, &motion, &mut wanted);
            prop_assert_eq!(&fast.faces, &slow.faces);
            prop_assert_eq!(bits(&found), bits(&wanted));
        }
    }
}

#[test]
fn the_sheets_of_the_comparison_do_touch_and_do_follow() {
    let (surface, rest) = layers();
    let cache = ContactCache::compute(&surface, &rest, 0.04).expect("a cache");
    let mut cached = CachedContacts::new(&surface, cache, true);
    let displacements = vec![Vector3::zeros(); COUNT];
    let at = |v: usize| if v < SIDE * SIDE { rest[v] } else { rest[v] + Vector3::new(0.03, -0.015, 0.08) };
    let positions: Vec<_> = (0..COUNT).map(at).collect();
    let motion = Motion { positions: &positions, displacements: &displacements };
    let (before, mut found) = (cached.faces.clone(), Contacts::default());
    cached.measure(&surface, &motion, &mut found);
    let moved = before.iter().zip(&cached.faces).filter(|(a, b)| a != b).count();
    assert!(found.point_triangles.len() > 30 && moved > 20, "{} {moved}", found.point_triangles.len());
}
