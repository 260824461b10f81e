//! Contacts that are computed once: they are the nearest faces, follow their vertices, and belong to one
//! surface.

use cloth_contacts::{
    CacheError, CachedContacts, CachedPair, ContactCache, Contacts, Motion, PointTriangle, Side, Surface,
};
use cloth_geom::closest::point_triangle;
use cloth_geom::fixtures::{SkirtShape, skirt};
use nalgebra::{Point3, Vector3};

use crate::predictive::reference::{Scene, at_rest};
use cloth_testing::Dice;

const AROUND: usize = 24;
const COUNT: usize = AROUND * 10;
const REACH: f32 = 0.08;

/// Three layers of a skirt, 3 cm apart.
fn layers() -> Scene {
    let layer = |k: f64| {
        let shape = SkirtShape {
            waist_radius: 0.15 + 0.03 * k,
            hem_radius: 0.3 + 0.03 * k,
            length: 0.4,
            around: AROUND,
            along: 10,
        };
        skirt(shape).expect("a skirt")
    };
    Scene::new(&[layer(0.0), layer(1.0), layer(2.0)], 0.01, 0.002)
}

fn ranks() -> Vec<Option<u16>> {
    (0..3 * COUNT).map(|v| Some((v / COUNT) as u16)).collect()
}

fn ordered(scene: &Scene) -> Surface {
    scene.surface().with_layers(&ranks(), 0.02).expect("an order")
}

fn compute(scene: &Scene, surface: &Surface) -> ContactCache {
    ContactCache::compute(surface, &scene.rest, REACH).expect("a cache")
}

/// Of all faces of a layer, the nearest to a vertex, with its distance (m).
fn nearest(scene: &Scene, positions: &[Point3<f32>], vertex: usize, layer: usize) -> (u32, f32) {
    let faces =
        (0..scene.faces.len() as u32).filter(|&f| scene.faces[f as usize][0] as usize / COUNT == layer);
    let distance = |f: u32| {
        let corners = scene.faces[f as usize].map(|v| &positions[v as usize]);
        point_triangle(&positions[vertex], corners).distance_sq.sqrt()
    };
    faces.map(|f| (f, distance(f))).min_by(|a, b| a.1.total_cmp(&b.1)).expect("a face")
}

#[test]
fn each_vertex_caches_the_nearest_faces_of_both_adjacent_layers() {
    let scene = layers();
    let cache = compute(&scene, &ordered(&scene));
    let mut pairs = cache.pairs().iter();
    for vertex in 0..3 * COUNT {
        let layer = vertex / COUNT;
        let others = [layer.checked_sub(1), Some(layer + 1).filter(|&l| l < 3)];
        for other in others.into_iter().flatten() {
            let (_, distance) = nearest(&scene, &scene.rest, vertex, other);
            let pair = pairs.next().expect("a pair");
            assert_eq!(pair.vertex as usize, vertex);
            assert_eq!(scene.faces[pair.face as usize][0] as usize / COUNT, other);
            let corners = scene.faces[pair.face as usize].map(|v| &scene.rest[v as usize]);
            // Faces that share the closest corner are equally near.
            assert_eq!(point_triangle(&scene.rest[vertex], corners).distance_sq.sqrt(), distance, "{pair:?}");
        }
    }
    assert_eq!(pairs.next(), None);
}

#[test]
fn a_pair_follows_its_vertex_as_the_layers_turn_on_each_other() {
    let scene = layers();
    let surface = ordered(&scene);
    let cache = compute(&scene, &surface);
    let mut following = CachedContacts::new(&surface, cache.clone(), true);
    let mut standing = CachedContacts::new(&surface, cache, false);
    let mut contacts = Contacts::default();
    let mut positions = scene.rest.clone();
    let still = at_rest(3 * COUNT);
    // The middle layer turns by two and a half cells, in steps of a tenth of a cell, close to the inner one.
    for step in 0..=25 {
        let angle = std::f32::consts::TAU / AROUND as f32 * 0.1 * step as f32;
        let (sin, cos) = angle.sin_cos();
        for v in COUNT..2 * COUNT {
            let p = scene.rest[v].coords - Vector3::new(scene.rest[v].x, 0.0, scene.rest[v].z) * 0.05;
            positions[v] = Point3::new(cos * p.x + sin * p.z, p.y, cos * p.z - sin * p.x);
        }
        let motion = Motion { positions: &positions, displacements: &still };
        following.measure(&surface, &motion, &mut contacts);
    }
    // Contacts of the middle layer with the inner one, and how many of their feet are far off their face.
    let inward = |contacts: &Contacts| {
        let of_middle = |c: &&PointTriangle| (COUNT..2 * COUNT).contains(&(c.vertex as usize));
        let pairs = contacts.point_triangles.iter().filter(of_middle);
        let pairs: Vec<_> = pairs.filter(|c| (c.corners[0] as usize) < COUNT).collect();
        (pairs.len(), pairs.iter().filter(|c| c.weights.iter().any(|&w| w < -0.3)).count())
    };
    let (followed, off) = inward(&contacts);
    assert!(followed > COUNT * 9 / 10 && off == 0, "{off} of {followed}");
    let motion = Motion { positions: &positions, displacements: &still };
    standing.measure(&surface, &motion, &mut contacts);
    assert!(
        inward(&contacts).0 < COUNT / 10,
        "without following they are left behind: {:?}",
        inward(&contacts)
    );
    following.reset();
    let back = Motion { positions: &scene.rest, displacements: &still };
    let (mut again, mut first) = (Contacts::default(), Contacts::default());
    following.measure(&surface, &back, &mut again);
    CachedContacts::new(&surface, compute(&scene, &surface), true).measure(&surface, &back, &mut first);
    assert_eq!(again, first, "a reset takes every pair back");
}

#[test]
fn cached_contacts_have_the_side_of_the_order_and_signed_heights() {
    let scene = layers();
    let surface = ordered(&scene);
    let mut cached = CachedContacts::new(&surface, compute(&scene, &surface), true);
    let mut dice = Dice::new(3);
    let positions: Vec<_> = scene.rest.iter().map(|p| p + dice.vector(0.03)).collect();
    let displacements: Vec<_> = positions.iter().map(|_| dice.vector(0.02)).collect();
    let mut contacts = Contacts::default();
    cached.measure(&surface, &Motion { positions: &positions, displacements: &displacements }, &mut contacts);
    assert!(contacts.point_triangles.len() > COUNT, "{}", contacts.point_triangles.len());
    assert!(contacts.point_triangles.iter().any(|c| c.gap < 0.0));
    for c in &contacts.point_triangles {
        let outward = c.vertex as usize / COUNT > c.corners[0] as usize / COUNT;
        assert_eq!(c.side, if outward { Side::Front } else { Side::Back });
        let now = c.linearise(&positions[c.vertex as usize], c.corners.map(|v| &positions[v as usize]));
        // A few roundings of a height made of coordinates below 1 m.
        assert!((now.value - c.gap).abs() < 1e-6 && (now.normal - c.normal).norm() < 1e-5, "{c:?}");
    }
}

#[test]
fn layers_authored_closer_than_they_are_thick_stay_as_close() {
    let mut scene = layers();
    scene.radius = 0.03;
    let surface = ordered(&scene);
    let mut cached = CachedContacts::new(&surface, compute(&scene, &surface), true);
    let mut contacts = Contacts::default();
    cached.measure(
        &surface,
        &Motion { positions: &scene.rest, displacements: &at_rest(3 * COUNT) },
        &mut contacts,
    );
    assert!(!contacts.is_empty());
    assert!(contacts.point_triangles.iter().all(|c| c.distance < 0.035 && c.gap >= c.distance - 1e-6));
}

#[test]
fn only_the_surface_of_a_cache_accepts_it() {
    let scene = layers();
    let surface = ordered(&scene);
    let cache = compute(&scene, &surface);
    let again = ContactCache::from_pairs(&ordered(&scene), cache.fingerprint(), cache.pairs().to_vec());
    assert_eq!(again.as_ref(), Ok(&cache));

    let mut swapped = ranks();
    swapped[..COUNT].fill(Some(7));
    let other = scene.surface().with_layers(&swapped, 0.02).expect("an order");
    let refused = ContactCache::from_pairs(&other, cache.fingerprint(), cache.pairs().to_vec());
    let (got, expected) = (cache.fingerprint(), other.fingerprint());
    assert_eq!(refused, Err(CacheError::Fingerprint { got, expected }));

    for pair in [
        CachedPair { vertex: 0, face: 0, distance: 0.0 },
        CachedPair { vertex: 9_999, face: 0, distance: 0.0 },
        CachedPair { vertex: 0, face: u32::MAX, distance: 0.0 },
        CachedPair { distance: f32::NAN, ..cache.pairs()[0] },
    ] {
        let refused = ContactCache::from_pairs(&surface, cache.fingerprint(), vec![cache.pairs()[0], pair]);
        assert!(matches!(refused, Err(CacheError::Pair { place: 1, .. })), "{refused:?}");
    }
}

#[test]
fn refuses_to_cache_without_layers_or_with_unusable_pose_or_reach() {
    let scene = layers();
    assert_eq!(ContactCache::compute(&scene.surface(), &scene.rest, REACH), Err(CacheError::NoLayers));
    let mut broken = scene.rest.clone();
    broken[5].y = f32::NAN;
    let (got, expected) = (3 * COUNT - 1, 3 * COUNT);
    for pose in [&broken[..], &scene.rest[1..]] {
        let refused = ContactCache::compute(&ordered(&scene), pose, REACH);
        assert_eq!(refused, Err(CacheError::Pose { got, expected }));
    }
    for reach in [-1.0, f32::INFINITY] {
        let refused = ContactCache::compute(&ordered(&scene), &scene.rest, reach);
        assert_eq!(refused, Err(CacheError::Reach(reach)));
    }
}
