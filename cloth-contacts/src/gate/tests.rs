use cloth_geom::fixtures;
use nalgebra::{Point3, Vector3};
use rand_pcg::Pcg32;
use rand_pcg::rand_core::{Rng, SeedableRng};

use super::*;
use crate::impacts::ImpactFinder;
use crate::intersect;
use crate::{Regions, SurfaceDesc};

pub(super) const RADIUS: f32 = 0.01;

/// Sheets of `side` x `side` vertices on top of each other; the last `bodies` of them are kinematic.
pub(super) struct World {
    /// As the gate sees it.
    pub(super) surface: Surface,
    /// As detection sees it.
    pub(super) detected: Surface,
    pub(super) start: Vec<Point3<f32>>,
    pub(super) inv_mass: Vec<f32>,
}

pub(super) fn world(sheets: usize, side: usize, gap: f32, bodies: usize) -> World {
    let sheet = fixtures::sheet(side, side, [1.0, 1.0]).unwrap().mesh;
    let count = sheet.positions.len();
    let (mut start, mut faces, mut part) = (Vec::new(), Vec::new(), Vec::new());
    for k in 0..sheets {
        let lift = Vector3::new(0.03 * k as f32, gap * k as f32, 0.05 * k as f32);
        start.extend(sheet.positions.iter().map(|p| p.cast::<f32>() + lift));
        faces.extend(sheet.faces.iter().map(|f| f.map(|v| v + (k * count) as u32)));
        part.extend(vec![k as u16; count]);
    }
    let kinematic: Vec<bool> = (0..sheets).map(|k| k >= sheets - bodies).collect();
    let surface = Surface::new(&SurfaceDesc {
        faces: &faces,
        radius: &vec![RADIUS; start.len()],
        half_scr: &vec![0.5 * RADIUS; start.len()],
        part: &part,
        kinematic: &kinematic,
        rest: &start,
        exclusions: &[],
        regions: Regions::default(),
    })
    .unwrap();
    let inv_mass = part.iter().map(|&p| if kinematic[usize::from(p)] { 0.0 } else { 1.0 }).collect();
    World { surface: surface.for_gate(), detected: surface, start, inv_mass }
}

pub(super) fn exact(points: &[Point3<f32>]) -> Vec<Point3<f64>> {
    points.iter().map(|p| p.cast()).collect()
}

/// Pairs that collided, in exact arithmetic, except pairs of two bodies.
pub(super) fn met(surface: &Surface, start: &[Point3<f32>], end: &[Point3<f32>]) -> usize {
    let topology = &surface.topology;
    let results = ImpactFinder::default().find(&exact(start), &exact(end), topology).unwrap();
    let bodies = |vertices: &[u32]| vertices.iter().all(|&v| surface.is_body(v));
    let points = results
        .vertex_faces
        .iter()
        .filter(|[v, f]| !bodies(&[&[*v][..], &topology.faces()[*f as usize][..]].concat()));
    let edges = results
        .edge_edges
        .iter()
        .filter(|pair| !bodies(&pair.map(|e| topology.edges()[e as usize]).concat()));
    points.count() + edges.count()
}

pub(super) fn intersections(surface: &Surface, positions: &[Point3<f32>]) -> usize {
    intersect::find(&exact(positions), &surface.topology).unwrap().count()
}

/// One motion through the gate, by lists and by all pairs, which must agree.
fn certified(
    gate: &mut Gate,
    world: &World,
    start: &[Point3<f32>],
    proposed: &[Point3<f32>],
) -> (Vec<Point3<f32>>, GateStats) {
    let mut end = proposed.to_vec();
    let mut proposal = Proposal { start, end: &mut end, inv_mass: &world.inv_mass, slack: 0.2 * RADIUS };
    let stats = gate.certify(&world.surface, &mut proposal).unwrap();
    let mut again = proposed.to_vec();
    let mut proposal = Proposal { start, end: &mut again, inv_mass: &world.inv_mass, slack: 0.0 };
    let all = Gate::default().certify_all_pairs(&world.surface, &mut proposal).unwrap();
    assert_eq!(end, again);
    assert_eq!((stats.rounds, stats.released, stats.touching), (all.rounds, all.released, all.touching));
    (end, stats)
}

pub(super) fn dice(seed: u64) -> impl FnMut() -> f32 {
    let mut dice = Pcg32::seed_from_u64(seed);
    move || (f64::from(dice.next_u32()) / f64::from(u32::MAX) - 0.5) as f32
}

#[test]
fn randomly_moved_sheets_never_cross_whatever_is_proposed() {
    let world = world(3, 5, 0.05, 0);
    let (mut met_before, mut pulled) = (0, 0);
    for (seed, reach) in [(1, 0.02), (2, 0.1), (3, 0.5), (4, 2.0)] {
        let mut number = dice(seed);
        let mut gate = Gate::default();
        let mut at = world.start.clone();
        for _ in 0..8 {
            let proposed: Vec<Point3<f32>> =
                at.iter().map(|p| p + Vector3::new(number(), number(), number()) * reach).collect();
            met_before += met(&world.surface, &at, &proposed);
            let (end, stats) = certified(&mut gate, &world, &at, &proposed);
            pulled += stats.corrected;
            assert_eq!(met(&world.surface, &at, &end), 0);
            assert_eq!(intersections(&world.surface, &end), 0);
            assert_eq!((stats.released, stats.touching), (0, 0));
            at = end;
        }
    }
    assert!(met_before > 1000 && pulled > 100, "{met_before} {pulled}");
}

#[test]
fn gate_results_are_equal_with_lists_of_an_occasional_detector() {
    let world = world(3, 6, 0.04, 1);
    let mut number = dice(7);
    let (mut own, mut shared) = (Gate::default(), Gate::default());
    let (mut detector, mut contacts) = (Detector::default(), crate::Contacts::default());
    let mut at = world.start.clone();
    let (mut pulled, mut results) = (0, 0);
    for step in 0..40 {
        let reach = [0.001, 0.01, 0.1][step % 3];
        let displacements: Vec<Vector3<f32>> =
            at.iter().map(|_| Vector3::new(number(), number(), number()) * reach).collect();
        if step % 2 == 0 {
            let motion = crate::Motion { positions: &at, displacements: &displacements };
            detector.detect(&world.detected, &motion, 0.1 * RADIUS, &mut contacts).unwrap();
            let mut redetected = crate::Contacts::default();
            let mut fresh = Detector::default();
            fresh.detect(&world.detected, &motion, 0.1 * RADIUS, &mut redetected).unwrap();
            let points = |c: &crate::Contacts| {
                c.point_triangles.iter().map(|c| [c.vertex, c.face]).collect::<Vec<_>>()
            };
            let edges = |c: &crate::Contacts| c.edge_edges.iter().map(|c| c.edges).collect::<Vec<_>>();
            assert_eq!((points(&contacts), edges(&contacts)), (points(&redetected), edges(&redetected)));
            results += contacts.len();
        }
        // The solver does not do what was predicted.
        let proposed: Vec<Point3<f32>> =
            at.iter().zip(&displacements).map(|(p, d)| p + d * (1.0 + 3.0 * number())).collect();
        let (end, stats) = certified(&mut own, &world, &at, &proposed);
        let mut again = proposed.clone();
        let mut proposal =
            Proposal { start: &at, end: &mut again, inv_mass: &world.inv_mass, slack: 0.1 * RADIUS };
        shared.certify_with_detector(&mut detector, &world.detected, &world.surface, &mut proposal).unwrap();
        assert_eq!(end, again);
        pulled += stats.corrected;
        at = end;
    }
    assert!(pulled > 100 && results > 1000, "{pulled} {results}");
}

#[test]
fn a_sheet_that_falls_on_another_stops_above_it_and_slides_on() {
    let world = world(2, 6, 0.05, 0);
    let count = world.start.len() / 2;
    let moved = |v: usize| if v < count { Vector3::zeros() } else { Vector3::new(0.2, -0.2, 0.0) };
    let proposed: Vec<Point3<f32>> = world.start.iter().enumerate().map(|(v, p)| p + moved(v)).collect();
    let (end, stats) = certified(&mut Gate::default(), &world, &world.start, &proposed);
    assert_eq!(met(&world.surface, &world.start, &end), 0);
    assert!(stats.corrected > 0 && stats.frozen == 0, "{stats:?}");
    let mean =
        |k: usize| (count..2 * count).map(|v| end[v][k] - world.start[v][k]).sum::<f32>() / count as f32;
    // Both are free and go on together: half of what is normal to the other is lost to it, and nothing of
    // what is along it.
    assert!(mean(0) > 0.19 && mean(1) > -0.13, "{} {}", mean(0), mean(1));
}

/// A motion without a crossing is corrected if it ends nearer than what has to remain of the clearance.
#[test]
fn what_ends_below_its_clearance_is_pushed_back() {
    let world = world(2, 6, 0.05, 1);
    let count = world.start.len() / 2;
    let clearance = world.surface.reach(0, count as u32);
    for (share, is_corrected) in [(0.5, true), (0.95, false)] {
        let down = Vector3::y() * (0.05 - share * clearance);
        let proposed: Vec<Point3<f32>> =
            (0..2 * count).map(|v| world.start[v] + down * if v < count { 0.0 } else { -1.0 }).collect();
        assert_eq!(met(&world.surface, &world.start, &proposed), 0);
        let (end, stats) = certified(&mut Gate::default(), &world, &world.start, &proposed);
        assert_eq!(stats.corrected > 0, is_corrected, "{stats:?}");
        assert!(stats.proofs >= stats.proved_in_f32 && stats.proofs > 0, "{stats:?}");
        let height = (0..count).map(|v| end[v].y).fold(f32::NEG_INFINITY, f32::max);
        assert!(end[count].y - height > 0.9 * clearance, "{height}");
    }
}

/// Pairs are tested again only where a vertex counts as changed.
#[test]
fn what_a_zone_moves_counts_as_changed_and_kinematic_vertices_stay() {
    use super::correction::{CorrectedMotion, ImpactZones};
    use super::pair::PairCorners;
    let at = |x: [f32; 5]| x.map(|x| Point3::new(x, 0.0, 0.0));
    let (t0, proposed) = (at([0.0; 5]), at([1.0, 2.0, 4.0, 5.0, 9.0]));
    for (kinematic, expected) in
        [(None, at([3.0, 3.0, 3.0, 3.0, 9.0])), (Some(2), at([4.0, 4.0, 4.0, 4.0, 9.0]))]
    {
        let inv_mass = [0, 1, 2, 3, 4].map(|v| if kinematic == Some(v) { 0.0 } else { 1.0 });
        let mut t1 = proposed;
        let mut motion = CorrectedMotion { t0: &t0, t1: &mut t1, inv_mass: &inv_mass };
        let mut zones = ImpactZones::default();
        zones.begin(5);
        zones.merge(&PairCorners { vertices: [0, 1, 2, 3], split: 2 });
        for is_first in [true, false] {
            let mut changed = Vec::new();
            zones.move_rigidly(&mut motion, &proposed, |v| changed.push(v as usize));
            let moved = (0..4).filter(|&v| is_first && expected[v] != proposed[v]);
            assert!(changed.into_iter().eq(moved), "{kinematic:?} {is_first}");
        }
        assert!(motion.freeze(4) && !motion.freeze(4));
        assert_eq!(t1[..4], expected[..4]);
    }
}

/// Only the direction at the end separates a vertex that comes over a face from beside it.
#[test]
fn the_direction_at_the_end_proves_too_and_keeps_the_clearance() {
    use super::pair::PairCorners;
    use super::separation::{Separation, prove_by_planes};
    let corners = PairCorners { vertices: [0, 1, 2, 3], split: 1 };
    let over = |x: f64, y: f64| [[x, y, 0.2], [0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]].map(Point3::from);
    let start = over(2.0, 0.1);
    let verdict = |height: f64| {
        let end = over(0.3, height);
        prove_by_planes(&corners, &corners.closest(&start), [&start, &end], 1.0e-3)
    };
    assert_eq!(verdict(0.5e-3), Separation::TooClose);
    assert_eq!(verdict(2.0e-3), Separation::Separated);
    assert_eq!(verdict(-0.5e-3), Separation::Undecided);
}

#[test]
fn what_does_not_meet_is_not_touched() {
    let world = world(3, 6, 0.05, 1);
    let proposed: Vec<Point3<f32>> = world.start.iter().map(|p| p + Vector3::new(3.0, -4.0, 5.0)).collect();
    let (end, stats) = certified(&mut Gate::default(), &world, &world.start, &proposed);
    assert_eq!(end, proposed);
    assert_eq!((stats.rounds, stats.corrected), (1, 0));
}

#[test]
fn a_body_pushes_free_cloth_without_being_frozen_or_released() {
    let mut number = dice(5);
    for reach in [0.02, 0.08] {
        // The body falls on two cloths that have nothing below them.
        let world = world(3, 5, 0.05, 1);
        let count = world.start.len() / 3;
        let mut gate = Gate::default();
        let mut at = world.start.clone();
        for _ in 0..6 {
            let wish = |v: usize| if v < 2 * count { Vector3::zeros() } else { Vector3::y() * -reach };
            let proposed: Vec<Point3<f32>> = at
                .iter()
                .enumerate()
                .map(|(v, p)| {
                    p + wish(v)
                        + Vector3::new(number(), number(), number()) * if v < 2 * count { 0.02 } else { 0.0 }
                })
                .collect();
            let (end, stats) = certified(&mut gate, &world, &at, &proposed);
            assert!((2 * count..3 * count).all(|v| end[v] == proposed[v]), "bodies are never frozen");
            assert_eq!(stats.released, 0);
            assert_eq!(met(&world.surface, &at, &end), 0);
            at = end;
        }
    }
}

#[test]
fn refuses_what_is_not_finite_and_leaves_it_as_it_was() {
    let world = world(1, 3, 0.05, 0);
    let mut end = world.start.clone();
    end[4].y = f32::NAN;
    let mut proposal = Proposal { start: &world.start, end: &mut end, inv_mass: &world.inv_mass, slack: 0.0 };
    let refused = Gate::default().certify(&world.surface, &mut proposal);
    assert_eq!(refused, Err(DetectError::NotFinite(4)));
    assert!(end[4].y.is_nan() && end[..4] == world.start[..4]);
}

#[test]
fn pins_that_would_take_cloth_through_cloth_lag_behind() {
    let mut world = world(2, 4, 0.05, 0);
    world.inv_mass.fill(0.0);
    let count = world.start.len() / 2;
    let moved = |v: usize| Vector3::y() * if v < count { 0.0 } else { -0.1 };
    let proposed: Vec<Point3<f32>> = world.start.iter().enumerate().map(|(v, p)| p + moved(v)).collect();
    let (end, stats) = certified(&mut Gate::default(), &world, &world.start, &proposed);
    assert_eq!(met(&world.surface, &world.start, &end), 0);
    assert!(stats.frozen > 0 && stats.released == 0, "{stats:?}");
    assert_eq!(stats.touching, 0, "no pair is released because another has frozen its pinned vertex");
}

/// The exemptions of a gate are those of its tangles, go with a copy of them, and have their reason.
#[test]
fn exemptions_have_a_reason_and_go_with_a_copy_of_them() {
    let world = world(2, 5, 0.3, 0);
    // The second sheet is tilted through the first.
    let tilted =
        |v: usize, p: &Point3<f32>| if v < 25 { *p } else { Point3::new(p.x, 0.5 * p.x + 0.011, p.z) };
    let crossed: Vec<Point3<f32>> = world.start.iter().enumerate().map(|(v, p)| tilted(v, p)).collect();
    let mut gate = Gate::default();
    let results = gate.inspect(&world.surface, &crossed, Admission::All).unwrap();
    assert!(results.tangles > 0 && results.not_admitted == 0, "{results:?}");
    let faces = world.surface.topology.faces().len() as u32;
    let all = || (0..50).flat_map(|v| (0..faces).map(move |f| Pair::PointTriangle([v, f])));
    let tangled = |gate: &Gate| {
        let reasons = all().filter_map(|pair| gate.exemption(&world.surface, pair));
        reasons.filter(|&reason| reason == Exemption::Tangle { since: 0 }).count()
    };
    let pairs = tangled(&gate);
    assert!(pairs > 0);
    assert_eq!(gate.exemption(&world.surface, Pair::PointTriangle([50, 0])), None);
    let kept = gate.exemptions();
    assert_eq!(
        gate.inspect(&world.surface, &world.start, Admission::None).unwrap().resolved,
        results.tangles
    );
    assert_eq!(tangled(&gate), 0);
    gate.set_exemptions(&kept);
    assert_eq!(tangled(&gate), pairs);
    gate.set_exemptions(&Exemptions::default());
    assert_eq!(tangled(&gate), 0);
}
