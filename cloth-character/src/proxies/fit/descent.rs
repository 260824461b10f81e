//! Brings a shape near its skin by damped Gauss-Newton steps (Levenberg-Marquardt), which follow the valleys
//! that a pattern search cannot.
//!
//! The distance of a point is `|p - c(t)| - r(t)` at the foot `t` of the axis, where it is stationary in `t`.
//! Its derivatives by the two centres are therefore `-(1 - t) n` and `-t n` with the unit vector `n` from the
//! foot to the point, and by the two radii `-(1 - t)` and `-t`.

use cloth_geom::Aabb;
use nalgebra::{Point3, SMatrix, SVector};

use super::super::{WorldProxy, world::Taper};
use super::cloud::{Cloud, CloudPoint};

/// The factors of undercut, one descent each: the first finds the shape, the others let it cover.
const FACTORS: [f64; 4] = [1.0, 6.0, 30.0, 120.0];

/// Steps of one descent of one shape.
const MAX_STEPS: usize = 25;

/// How often shapes that are moved together take turns at one factor.
const TURNS: usize = 2;

/// The damping at the start, and its factor after a step that was accepted and one that was not.
const DAMPING: [f64; 3] = [1e-3, 0.3, 6.0];

/// A descent ends where the damping exceeds this, because no step is accepted any more.
const MAX_DAMPING: f64 = 1e6;

/// A descent ends where a step lowers the cost by less than this share.
const ENOUGH: f64 = 1e-4;

/// Lowers the weighted sum of squares of the distances of some shapes, the others fixed.
///
/// They harden together: a shape that is fitted to the end first would cover the skin of those that come
/// after it.
pub(super) fn descend(cloud: &Cloud, shapes: &mut [WorldProxy], moved: &[usize]) {
    for factor in FACTORS {
        for _ in 0..if moved.len() > 1 { TURNS } else { 1 } {
            for &which in moved {
                descend_one(cloud, shapes, which, factor);
            }
        }
    }
}

fn descend_one(cloud: &Cloud, shapes: &mut [WorldProxy], which: usize, factor: f64) {
    let others = cloud.depths(shapes.iter().enumerate().filter(|&(k, _)| k != which).map(|(_, shape)| shape));
    let mut damping = DAMPING[0];
    let mut system = System::new(cloud, &shapes[which], &others, factor);
    for _ in 0..MAX_STEPS {
        let Some(moved) = system.step(&shapes[which], damping, &cloud.room) else { break };
        let next = System::new(cloud, &moved, &others, factor);
        if next.cost < system.cost {
            let gain = 1.0 - next.cost / system.cost;
            (shapes[which], system) = (moved, next);
            damping *= DAMPING[1];
            if gain < ENOUGH {
                break;
            }
        } else {
            damping *= DAMPING[2];
            if damping > MAX_DAMPING {
                break;
            }
        }
    }
}

/// The normal equations at a shape.
struct System {
    cost: f64,
    matrix: SMatrix<f64, 8, 8>,
    gradient: SVector<f64, 8>,
}

impl System {
    fn new(cloud: &Cloud, shape: &WorldProxy, others: &[f64], factor: f64) -> Self {
        let taper = Taper::new(shape);
        let mut system = Self { cost: 0.0, matrix: SMatrix::zeros(), gradient: SVector::zeros() };
        for (point, &other) in cloud.points.iter().zip(others) {
            let (distance, t, normal) = taper.foot(&point.position);
            if -distance < other {
                system.cost += weigh(point, other, factor) * other * other;
                continue;
            }
            let weight = weigh(point, -distance, factor);
            if weight <= 0.0 {
                continue;
            }
            system.cost += weight * distance * distance;
            let (start, end) = (-normal * (1.0 - t), -normal * t);
            let row = SVector::from([start.x, start.y, start.z, end.x, end.y, end.z, t - 1.0, -t]);
            system.matrix += row * row.transpose() * weight;
            system.gradient += row * (weight * distance);
        }
        system
    }

    /// The shape after a damped step; `None` if the step is not finite.
    fn step(&self, shape: &WorldProxy, damping: f64, room: &Aabb) -> Option<WorldProxy> {
        let scale = self.matrix.diagonal().max();
        let mut matrix = self.matrix;
        for k in 0..8 {
            matrix[(k, k)] += damping * (matrix[(k, k)] + 1e-3 * scale);
        }
        let step = -matrix.cholesky()?.solve(&self.gradient);
        let mut moved = *shape;
        for end in 0..2 {
            let target = moved.ends[end] + step.fixed_rows::<3>(3 * end);
            moved.ends[end] = Point3::from(target.coords.sup(&room.min.coords).inf(&room.max.coords));
            moved.radii[end] = (moved.radii[end] + step[6 + end]).max(0.0);
        }
        step.iter().all(|x| x.is_finite()).then_some(moved)
    }
}

fn weigh(point: &CloudPoint, depth: f64, factor: f64) -> f64 {
    if depth >= 0.0 { point.excess } else { point.undercut * factor }
}
