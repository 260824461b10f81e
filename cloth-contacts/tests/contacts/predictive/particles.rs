//! Contacts between vertices: every method of search against enumeration, over many steps of clouds that
//! move.

use cloth_broadphase::{BroadPhase, BruteForce, ParryBvh, SpatialHash, SweepGrid};
use cloth_contacts::ccd::closest_approach::closest_approach;
use cloth_contacts::particles::{
    ParticleDetector, ParticleRules, ParticleRulesDesc, PointPoint, RestRule, Search, brute_force,
};
use cloth_contacts::{
    DetectError, Interaction, Interactions, Motion, Regions, Surface, SurfaceDesc, SurfaceError,
};
use nalgebra::{Point3, Vector3};

use cloth_testing::Dice;

/// Positions and displacements of a step.
type Step = (Vec<Point3<f32>>, Vec<Vector3<f32>>);

/// Points of two parts, without a face.
struct Cloud {
    rest: Vec<Point3<f32>>,
    radius: Vec<f32>,
    half_scr: Vec<f32>,
    part: Vec<u16>,
    exclusions: Vec<[u32; 2]>,
    region: Vec<u16>,
    interactions: Interactions,
    rule: RestRule,
    collides: Vec<bool>,
}

impl Cloud {
    /// Of `count` points that rest within 1 m, and whose radii differ by `mixed` in [0, 1].
    fn new(count: usize, mixed: f32, rule: RestRule, dice: &mut Dice) -> Self {
        let size = |dice: &mut Dice| 0.03 * (1.0 - mixed * dice.between(0.0, 1.0));
        Self {
            rest: (0..count).map(|_| dice.point(0.5)).collect(),
            radius: (0..count).map(|_| size(dice)).collect(),
            half_scr: (0..count).map(|_| 0.5 * size(dice)).collect(),
            part: (0..count).map(|v| u16::from(3 * v > 2 * count)).collect(),
            exclusions: (0..count as u32 / 2).map(|v| [v + 1, 2 * v]).filter(|[a, b]| a != b).collect(),
            region: (0..count).map(|v| (v % 3) as u16).collect(),
            interactions: Interactions::all(Interaction::Particles).with(1, 2, Interaction::None).with(
                2,
                2,
                Interaction::FullMesh,
            ),
            rule,
            collides: (0..count).map(|v| v % 11 != 5).collect(),
        }
    }

    fn surface(&self) -> Surface {
        Surface::new(&SurfaceDesc {
            faces: &[],
            radius: &self.radius,
            half_scr: &self.half_scr,
            part: &self.part,
            kinematic: &[false; 2],
            rest: &self.rest,
            exclusions: &self.exclusions,
            regions: Regions {
                of_face: &[],
                of_vertex: &self.region,
                interactions: Some(&self.interactions),
            },
        })
        .unwrap()
    }

    fn rules(&self, surface: &Surface) -> ParticleRules {
        let desc = ParticleRulesDesc { rest: &self.rest, rule: self.rule, collides: &self.collides };
        ParticleRules::new(surface, &desc).unwrap()
    }

    /// The distance that a pair keeps, written once more from the rules' own words.
    fn distance(&self, a: usize, b: usize) -> Option<f32> {
        let pair = [a as u32, b as u32];
        let table = self.interactions.between(self.region[a], self.region[b]);
        let excluded = self.exclusions.iter().any(|e| *e == pair || *e == [pair[1], pair[0]]);
        if table != Interaction::Particles || excluded || !self.collides[a] || !self.collides[b] {
            return None;
        }
        let radii = self.radius[a] + self.radius[b];
        let rest = (self.rest[b] - self.rest[a]).norm();
        match self.rule {
            _ if self.part[a] != self.part[b] => Some(radii),
            RestRule::Ignore => Some(radii),
            RestRule::Limit => Some(if rest < radii { rest } else { radii }),
            RestRule::Cull if rest <= radii => None,
            RestRule::Cull => Some(radii),
        }
    }

    /// Every pair whose closest approach is below both radii and the static collision radius.
    fn pairs(&self, motion: &Motion<'_>) -> Vec<([u32; 2], f32)> {
        let (p, d) = (motion.positions, motion.displacements);
        let all = (0..p.len()).flat_map(|a| (a + 1..p.len()).map(move |b| [a, b]));
        let near = |&[a, b]: &[usize; 2]| {
            let reach = self.radius[a] + self.radius[b] + self.half_scr[a] + self.half_scr[b];
            closest_approach([&p[a], &p[b]], [&d[a], &d[b]]).distance_sq < reach * reach
        };
        all.filter(near).filter_map(|[a, b]| Some(([a as u32, b as u32], self.distance(a, b)?))).collect()
    }
}

/// All that a detector finds along the path of a cloud; and how often it searched.
fn found<B: BroadPhase>(
    cloud: &Cloud,
    way: &[Step],
    search: Search,
    slack: f32,
) -> (Vec<Vec<PointPoint>>, usize) {
    let surface = cloud.surface();
    let rules = cloud.rules(&surface);
    let mut detector = ParticleDetector::with_broad_phase(search, B::default());
    let (mut contacts, mut searched) = (vec![], 0);
    let each = way.iter().map(|(positions, displacements)| {
        let motion = Motion { positions, displacements };
        let stats = detector.detect(&surface, &rules, &motion, slack, &mut contacts).unwrap();
        searched += usize::from(stats.searched);
        assert!(stats.pairs >= contacts.len());
        contacts.clone()
    });
    (each.collect(), searched)
}

/// A path on which points drift together, and each for itself.
fn way(cloud: &Cloud, speed: f32, steps: usize, dice: &mut Dice) -> Vec<Step> {
    let drift = dice.vector(50.0 * speed);
    let mut p: Vec<Point3<f32>> = cloud.rest.iter().map(|p| Point3::from(p.coords * 0.4)).collect();
    let mut d: Vec<Vector3<f32>> = p.iter().map(|_| drift + dice.vector(speed)).collect();
    (0..steps)
        .map(|_| {
            let now = (p.clone(), d.clone());
            for (p, d) in p.iter_mut().zip(&mut d) {
                *p += *d + dice.vector(0.1 * speed);
                *d += dice.vector(0.2 * speed);
            }
            now
        })
        .collect()
}

fn check_all_ways(cloud: &Cloud, way: &[Step], slack: f32) -> usize {
    let surface = cloud.surface();
    let rules = cloud.rules(&surface);
    let (first, searched) = found::<BruteForce>(cloud, way, Search::BroadPhase, slack);
    for (contacts, (positions, displacements)) in first.iter().zip(way) {
        let motion = Motion { positions, displacements };
        assert_eq!(*contacts, brute_force(&surface, &rules, &motion));
        let pairs: Vec<_> = contacts.iter().map(|c| (c.vertices, c.distance)).collect();
        assert_eq!(pairs, cloud.pairs(&motion));
        assert!(contacts.is_sorted_by(|a, b| a.vertices < b.vertices));
        assert!(contacts.iter().all(|c| (c.normal.norm() - 1.0).abs() < 1e-5 && c.gap >= 0.0));
    }
    assert_eq!(found::<SweepGrid>(cloud, way, Search::BroadPhase, slack), (first.clone(), searched));
    assert_eq!(found::<SpatialHash>(cloud, way, Search::BroadPhase, slack), (first.clone(), searched));
    assert_eq!(found::<ParryBvh>(cloud, way, Search::BroadPhase, slack), (first.clone(), searched));
    assert_eq!(found::<ParryBvh>(cloud, way, Search::PointGrid, slack), (first.clone(), searched));
    assert!(first.iter().map(Vec::len).sum::<usize>() > way.len(), "hardly a contact");
    searched
}

#[test]
fn every_search_of_moving_clouds_equals_the_test_of_every_pair() {
    let mut dice = Dice::new(11);
    for rule in [RestRule::Ignore, RestRule::Limit, RestRule::Cull] {
        for (mixed, speed) in [(0.0, 0.002), (0.9, 0.002), (0.5, 0.05)] {
            let cloud = Cloud::new(160, mixed, rule, &mut dice);
            let way = way(&cloud, speed, 24, &mut dice);
            let searched = check_all_ways(&cloud, &way, 0.01);
            assert!(searched > 1 && (searched < 20 || speed > 0.01), "{searched} searches");
        }
    }
}

#[test]
fn coincident_and_still_points_are_found_by_every_search() {
    let mut dice = Dice::new(12);
    let mut cloud = Cloud::new(60, 0.3, RestRule::Limit, &mut dice);
    for v in 0..30 {
        cloud.rest[v] = cloud.rest[59 - v];
    }
    let still = vec![Vector3::zeros(); 60];
    let heap = vec![Point3::new(3.0, -2.0, 1.0); 60];
    let way = vec![
        (cloud.rest.clone(), still.clone()),
        (heap.clone(), still),
        (heap, (0..60).map(|_| dice.vector(1.0)).collect()),
    ];
    check_all_ways(&cloud, &way, 0.01);
    check_all_ways(&cloud, &way, 0.0);
}

#[test]
fn one_list_serves_a_cloud_that_falls_as_a_whole() {
    let mut dice = Dice::new(13);
    let cloud = Cloud::new(100, 0.0, RestRule::Cull, &mut dice);
    let fall = vec![Vector3::new(0.0, -0.5, 0.1); 100];
    let at = |step: u8| cloud.rest.iter().map(|p| p + fall[0] * f32::from(step)).collect::<Vec<_>>();
    let way: Vec<_> = (0..40).map(|step| (at(step), fall.clone())).collect();
    assert_eq!(check_all_ways(&cloud, &way, 0.005), 1);
}

#[test]
fn names_the_edges_that_rest_too_near_and_a_remedy() {
    let rest = [[0.0, 0.0, 0.0], [0.03, 0.0, 0.0], [0.0, 0.01, 0.0]].map(Point3::<f32>::from);
    let desc = SurfaceDesc {
        faces: &[[0, 1, 2]],
        radius: &[0.01; 3],
        half_scr: &[0.0; 3],
        part: &[0; 3],
        kinematic: &[false],
        rest: &rest,
        exclusions: &[],
        regions: Regions::default(),
    };
    let conflict = |radius: &[f32]| {
        let surface = Surface::new(&SurfaceDesc { radius, ..desc }).unwrap();
        let rules = ParticleRulesDesc { rest: &rest, rule: RestRule::Limit, collides: &[] };
        ParticleRules::new(&surface, &rules).unwrap().rest_conflict(&surface)
    };
    assert_eq!(conflict(&[0.005; 3]), None);
    let found = conflict(&[0.015, 0.016, 0.004]).unwrap();
    assert_eq!(
        (found.conflicting_edges, found.edge_count, found.worst, found.rest_length),
        (2, 3, [0, 2], 0.01)
    );
    assert_eq!((found.contact_distance, found.largest_radius), (0.019, 0.005));
    let line = found.to_string();
    assert_eq!(
        line,
        "2 of 3 edges rest nearer than the radii of their vertices, worst 0-2 at 1.000e-2 m where 1.900e-2 m \
         are wanted; use a radius of at most 5.000e-3 m, or the rest rule `Limit` or `Cull`"
    );
}

#[test]
fn refuses_what_does_not_fit_and_what_is_not_finite() {
    let mut dice = Dice::new(14);
    let cloud = Cloud::new(20, 0.0, RestRule::Limit, &mut dice);
    let surface = cloud.surface();
    let refused = |rest: &[Point3<f32>], collides: &[bool]| {
        ParticleRules::new(&surface, &ParticleRulesDesc { rest, rule: RestRule::Limit, collides })
            .unwrap_err()
    };
    let length = |name, got| SurfaceError::Length { name, got, expected: 20 };
    assert_eq!(refused(&cloud.rest[1..], &[]), length("rest", 19));
    assert_eq!(refused(&cloud.rest, &[true; 3]), length("collides", 3));
    let mut nowhere = cloud.rest.clone();
    nowhere[7].y = f32::INFINITY;
    assert_eq!(refused(&nowhere, &[]), SurfaceError::Rest(7));

    let rules = cloud.rules(&surface);
    let mut d = vec![Vector3::zeros(); 20];
    d[9].x = f32::NAN;
    let mut detector = ParticleDetector::default();
    let motion = Motion { positions: &cloud.rest, displacements: &d };
    let error = detector.detect(&surface, &rules, &motion, 0.1, &mut vec![]).unwrap_err();
    assert_eq!(error, DetectError::NotFinite(9));
    let short = Motion { positions: &cloud.rest[..3], displacements: &d };
    let error = detector.detect(&surface, &rules, &short, 0.1, &mut vec![]).unwrap_err();
    assert_eq!(error, DetectError::Length { got: 3, expected: 20 });
}
