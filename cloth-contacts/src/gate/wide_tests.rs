//! Motions in `f64`: lists that see them rounded find what all pairs find.

use cloth_geom::Topology;
use nalgebra::{Point3, Vector3};

use super::tests::dice;
use super::*;
use crate::Regions;
use crate::impacts::ImpactFinder;

/// Sheets of 4 x 4 vertices, inclined to all axes, one above the other by `gap` (m); and a triangle this far
/// away (m), which takes digits from all of them.
fn world(gap: f64, away: f64, offset: f64, clearance: f32) -> (Surface, Vec<Point3<f64>>) {
    let (mut x, mut faces) = (Vec::new(), Vec::new());
    let [along, across] = [Vector3::new(1.0, -1.0, 0.0), Vector3::new(1.0, 1.0, -2.0)].map(|v| v.normalize());
    let up = along.cross(&across);
    for sheet in 0..3_u32 {
        for (i, j) in (0..4_u32).flat_map(|j| (0..4_u32).map(move |i| (i, j))) {
            let [u, v] = [i, j].map(|k| 0.1 * f64::from(k) + 0.013 * f64::from(sheet));
            let p = along * u + across * v + up * (gap * f64::from(sheet));
            x.push(Point3::from(p).map(|c| c + offset));
            if i < 3 && j < 3 {
                let a = 16 * sheet + 4 * j + i;
                faces.extend([[a, a + 1, a + 4], [a + 1, a + 5, a + 4]]);
            }
        }
    }
    let first = x.len() as u32;
    let corners = [Vector3::zeros(), along, across];
    x.extend(corners.map(|corner| Point3::from(corner).map(|c| c + offset + away)));
    faces.push([first, first + 1, first + 2]);
    let part = vec![0; x.len()];
    let topology = Topology::new(x.len(), &faces).unwrap();
    let surface = Surface::for_gate_alone(topology, &part, &[false], &[], Regions::default()).unwrap();
    (surface.placed(&x, |_| clearance), x)
}

/// The least computed distance (m) of guarded pairs at moments of a motion.
fn least_distance(surface: &Surface, [start, end]: [&[Point3<f64>]; 2]) -> f64 {
    let moments = (0..=8).map(|k| f64::from(k) / 8.0);
    let mut least = f64::INFINITY;
    for moment in moments {
        let x: Vec<Point3<f64>> = start.iter().zip(end).map(|(a, b)| a + (b - a) * moment).collect();
        rounds::for_all_pairs(surface, |pair| {
            let corners = pair.corners(&surface.topology);
            least = least.min(corners.closest(&corners.at(&x)).distance);
        });
    }
    least
}

#[test]
fn lists_of_rounded_positions_miss_nothing_that_all_pairs_find() {
    let worlds = [
        (0.01, 1.0, 0.0, 1e-3, 0.0),
        (2e-8, 1.0, 1.0, 1e-9, 0.0),
        (5e-6, 200.0, 0.0, 1e-9, 0.0),
        (1e-3, 2e4, 1e5, 1e-6, 0.0),
        (0.01, 1e9, -5e8, 1e-3, 0.0),
        (0.01, 1.0, 0.0, 9e-3, 8e-3),
        (2e-8, 1.0, 1.0, 1.2e-8, 1e-8),
    ];
    for (number, (gap, away, offset, clearance, kept)) in worlds.into_iter().enumerate() {
        let (surface, mut start) = world(gap, away, offset, clearance);
        let mut next = dice(number as u64);
        let new = || {
            let mut gate = Gate::<_, f64>::with_ccd(Filtered::default());
            gate.keep_distance(kept);
            gate
        };
        let mut gate = new();
        let inv_mass = vec![1.0; start.len()];
        let (mut corrected, mut proofs) = (0, 0);
        for motion in 0..12 {
            // All of it drifts, and each vertex goes its own way; now and then by more than the slack.
            let size = if motion % 7 == 6 { 30.0 * gap } else { 0.6 * gap };
            let drift = Vector3::from_fn(|_, _| 0.01 * f64::from(next()));
            let proposed: Vec<Point3<f64>> =
                start.iter().map(|p| p + drift + Vector3::from_fn(|_, _| size * f64::from(next()))).collect();
            let certify = |gate: &mut Gate<Filtered, f64>, all: bool| {
                let mut end = proposed.clone();
                let mut proposal = Proposal { start: &start, end: &mut end, inv_mass: &inv_mass, slack: 0.0 };
                let stats = match all {
                    true => gate.certify_all_pairs(&surface, &mut proposal),
                    false => gate.certify(&surface, &mut proposal),
                };
                (end, stats.unwrap())
            };
            let (end, stats) = certify(&mut gate, false);
            let (wanted, all) = certify(&mut new(), true);
            assert!(end == wanted, "world {number}, motion {motion}");
            assert_eq!([stats.corrected, stats.frozen, stats.near], [all.corrected, all.frozen, all.near]);
            assert!(least_distance(&surface, [&start, &end]) > kept && stats.near == 0);
            let found = ImpactFinder::default().find(&start, &end, surface.topology()).unwrap();
            assert_eq!(found.count(), 0, "world {number}, motion {motion}");
            corrected += stats.corrected;
            proofs += stats.proofs;
            start = end;
        }
        assert!(corrected > 20 && proofs > 200, "world {number}: {corrected} corrected, {proofs} proofs");
    }
}

#[test]
fn what_rounding_has_taken_apart_is_listed_all_the_same() {
    // Neighbouring numbers of `f32` are this far apart here, and a boundary of rounding is halfway.
    let (ulp, near) = (1.0 / 1024.0, 1e-6);
    let at = |up: f64| 8192.0 + 0.5 * ulp + up;
    let corner = |x: f64, z: f64, up: f64| Point3::new(x, at(up), z);
    let [lower, upper] =
        [-near, near].map(|up| [corner(0.0, 0.0, up), corner(0.0, 2.0, up), corner(2.0, 0.0, up)]);
    let shifted = upper.map(|p| p + Vector3::new(0.3, 0.0, 0.2));
    // Points that keep the origin of the lists at 0.
    let far = [-4.0, -3.0, -2.0, -1.0, 1.0, 2.0, 3.0, 4.0].map(|c| Point3::new(c, 1e-3 * c, c) * 10.0);
    let start: Vec<Point3<f64>> = lower.into_iter().chain(shifted).chain(far).collect();
    let mut end = start.clone();
    let topology = Topology::new(14, &[[0, 1, 2], [3, 4, 5]]).unwrap();
    let surface = Surface::for_gate_alone(topology, &[0; 14], &[false], &[], Regions::default()).unwrap();
    let surface = surface.placed(&start, |_| 1.5 * near as f32);
    // Nearer, but seen where it was.
    end[3..6].iter_mut().for_each(|p| p.y = at(0.1 * near));
    let mut wanted = end.clone();
    let inv_mass = [1.0; 14];
    let mut proposal = Proposal { start: &start, end: &mut wanted, inv_mass: &inv_mass, slack: 0.0 };
    let stats =
        Gate::<_, f64>::with_ccd(Filtered::default()).certify_all_pairs(&surface, &mut proposal).unwrap();
    assert!(stats.corrected > 0, "it ends below its clearance");
    let mut proposal = Proposal { start: &start, end: &mut end, inv_mass: &inv_mass, slack: 0.0 };
    Gate::<_, f64>::with_ccd(Filtered::default()).certify(&surface, &mut proposal).unwrap();
    assert_eq!(end, wanted);
}
