//! Gates as solvers have them, in rounded arithmetic: peers of [`cloth_certify::Certifier`].

use cloth_certify::CollisionMesh;
use cloth_contacts::impacts::ImpactFinder;
use nalgebra::{Point3, Vector3};

use super::pushes::{corners, weights_of_nearest};

/// Share of the earliest time of impact that a line search takes.
const SHARE: f64 = 0.8;

/// Share of a distance that additive CCD keeps in every step, and of the initial distance below which it
/// ends: `s` in the paper.
const KEPT: f64 = 0.1;

/// Most steps of additive CCD; the time that they reach is free.
const STEPS: usize = 100;

/// Share of the way to a dividing plane that a vertex may go.
const TO_PLANE: f64 = 0.9;

/// A distance (m), and a time, below which truncation takes a pair, or a vertex, to be no constraint.
const NEGLIGIBLE: f64 = 1e-10;

/// A line search: every vertex goes the same share of its motion, [`SHARE`] of the earliest time of impact of
/// any pair by additive CCD.
pub(super) fn line_search(mesh: &CollisionMesh, x0: &[Point3<f64>], x1: &mut [Point3<f64>]) {
    let mut earliest = f64::INFINITY;
    for (v, first) in pairs(mesh, x0, x1) {
        earliest = additive([x0, x1].map(|x| v.map(|v| x[v as usize])), first, earliest);
    }
    if earliest < 1.0 {
        for (end, start) in x1.iter_mut().zip(x0) {
            *end = start + (*end - start) * (SHARE * earliest);
        }
    }
}

/// A time, at most that of the impact but for rounding, of two primitives, of which the first has this many
/// corners; `latest` if there is none before that or in the motion. Li, Kaufman and Jiang 2021,
/// "Codimensional Incremental Potential Contact", algorithm 1 without a thickness.
fn additive([start, end]: [[Point3<f64>; 4]; 2], first: usize, latest: f64) -> f64 {
    let mut motion: [Vector3<f64>; 4] = std::array::from_fn(|k| end[k] - start[k]);
    let mean = motion.iter().sum::<Vector3<f64>>() / 4.0;
    motion.iter_mut().for_each(|p| *p -= mean);
    let fastest = |of: &[Vector3<f64>]| of.iter().map(|p| p.norm()).fold(0.0, f64::max);
    let speed = fastest(&motion[..first]) + fastest(&motion[first..]);
    if speed == 0.0 {
        return latest;
    }
    let mut x = start;
    let mut distance = between(&x, first).norm();
    if distance == 0.0 {
        return 0.0;
    }
    let (least, mut time) = (KEPT * distance, 0.0);
    for _ in 0..STEPS {
        let step = (1.0 - KEPT) * distance / speed;
        x.iter_mut().zip(&motion).for_each(|(x, p)| *x += p * step);
        distance = between(&x, first).norm();
        if time > 0.0 && distance < least {
            break;
        }
        time += step;
        if time > latest.min(1.0) {
            return latest;
        }
    }
    time
}

/// Truncation by planes: between the nearest points of each pair lies a plane, nearer to the primitive that
/// approaches less, and no vertex goes farther than [`TO_PLANE`] of its way to a plane. Pairs nearer than
/// [`NEGLIGIBLE`] are skipped, and so are vertices that a plane is reached by within that time, because
/// primitives at rest lie on theirs.
pub(super) fn planes(mesh: &CollisionMesh, x0: &[Point3<f64>], x1: &mut [Point3<f64>]) {
    let motion: Vec<Vector3<f64>> = x1.iter().zip(x0).map(|(end, start)| end - start).collect();
    let mut share = vec![1.0_f64; x0.len()];
    for (v, first) in pairs(mesh, x0, x1) {
        let v = v.map(|v| v as usize);
        let x = v.map(|v| x0[v]);
        let between = between(&x, first);
        let distance = between.norm();
        if distance < NEGLIGIBLE {
            continue;
        }
        let normal = between / distance;
        // How far each primitive approaches the other.
        let along = v.map(|v| motion[v].dot(&normal));
        let down = along[..first].iter().fold(0.0, |most: f64, a| most.max(-a));
        let up = along[first..].iter().fold(0.0, |most: f64, &a| most.max(a));
        let part = if up + down == 0.0 { 0.5 } else { up / (up + down) };
        let weights = weights_of_nearest(&x, first);
        let second: Vector3<f64> = (first..4).map(|k| x[k].coords * -weights[k]).sum();
        let plane = second + between * part;
        for k in 0..4 {
            let time = (plane - x[k].coords).dot(&normal) / along[k];
            if (NEGLIGIBLE..1.0 / TO_PLANE).contains(&time) {
                share[v[k]] = share[v[k]].min(TO_PLANE * time);
            }
        }
    }
    for (v, end) in x1.iter_mut().enumerate().filter(|(v, _)| share[*v] < 1.0) {
        *end = x0[v] + motion[v] * share[v];
    }
}

/// The vector (m) from the nearest point of the second primitive to that of the first.
fn between(x: &[Point3<f64>; 4], first: usize) -> Vector3<f64> {
    // Relative to a corner, as the weights of one primitive sum to one.
    let weights = weights_of_nearest(x, first);
    (1..4).map(|k| (x[k] - x[0]) * weights[k]).sum()
}

/// The vertices of all pairs that may come nearer than the greatest motion of a vertex, and how many of them
/// are of the first primitive: a pair that a motion would leave all but touching is one that it has to heed.
fn pairs(mesh: &CollisionMesh, x0: &[Point3<f64>], x1: &[Point3<f64>]) -> Vec<([u32; 4], usize)> {
    let mut finder = ImpactFinder::default();
    let reach = x0.iter().zip(x1).map(|(start, end)| (end - start).norm()).fold(0.0, f64::max);
    let found = finder.candidates(x0, x1, mesh.topology(), reach).expect("finite positions");
    found.iter().map(|&pair| corners(mesh, pair)).collect()
}
