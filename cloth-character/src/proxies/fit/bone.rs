//! The shapes of one bone: the first, further ones, and the offset that meets the constraints exactly.

use nalgebra::{Point3, Vector3};

use super::super::{Tolerances, WorldProxy, world::Taper};
use super::{
    cloud::Cloud,
    descent::descend,
    search::{Steps, improve},
    start::{capsule_along, principal_axes},
};

/// Where the skin of a shape is cut in two: shares of its points along each principal axis.
const CUTS: [f64; 3] = [0.33, 0.5, 0.67];

/// Of the cuts, so many are searched to the end: those that cost least after the descent.
const SEARCHED: usize = 3;

/// A bone while its shapes are fitted.
#[derive(Clone, Debug)]
pub(super) struct BoneShapes {
    pub(super) joint: usize,
    /// The direction of the bone, if it has a length.
    pub(super) axis: Option<Vector3<f64>>,
    /// All visible vertices that the shapes should cover, and the points between them.
    pub(super) vertices: Vec<Point3<f64>>,
    pub(super) areas: Vec<Point3<f64>>,
    pub(super) cloud: Cloud,
    pub(super) shapes: Vec<WorldProxy>,
    pub(super) steps: Steps,
}

impl BoneShapes {
    /// Fits one shape, from the direction of the bone and from the principal axes of its skin.
    pub(super) fn fit_first(&mut self) {
        let points = self.own_points(|_| true);
        let starts = self.axis.into_iter().chain(principal_axes(&points));
        let fitted = starts.map(|axis| {
            let mut shapes = vec![capsule_along(&points, &axis)];
            descend(&self.cloud, &mut shapes, &[0]);
            (improve(&self.cloud, &mut shapes, 0, self.steps), shapes)
        });
        let best = fitted.reduce(|best, next| if next.0 < best.0 { next } else { best });
        self.shapes = best.map(|(_, shapes)| shapes).unwrap_or_default();
    }

    /// Candidates for one more shape: the one that costs most is replaced by two, halves of its skin along a
    /// principal axis.
    pub(super) fn split(&self) -> Vec<Vec<WorldProxy>> {
        let worst = self.most_expensive();
        let nearest = self.nearest_shapes();
        let points = self.own_points(|k| nearest[k] == worst);
        let mut candidates: Vec<(f64, Vec<WorldProxy>)> = Vec::new();
        for axis in principal_axes(&points) {
            let mut along: Vec<f64> = points.iter().map(|p| p.coords.dot(&axis)).collect();
            along.sort_by(f64::total_cmp);
            let cuts = CUTS.iter().filter_map(|share| along.get((share * along.len() as f64) as usize));
            for &cut in cuts {
                let (upper, lower): (Vec<_>, Vec<_>) = points.iter().partition(|p| p.coords.dot(&axis) > cut);
                let mut shapes = self.shapes.clone();
                shapes[worst] = capsule_along(&lower, &principal_axes(&lower)[0]);
                shapes.push(capsule_along(&upper, &principal_axes(&upper)[0]));
                let last = shapes.len() - 1;
                descend(&self.cloud, &mut shapes, &[worst, last]);
                candidates.push((self.cloud.cost_of(&shapes), shapes));
            }
        }
        // Stable, so that of equal costs the first wins.
        candidates.sort_by(|a, b| a.0.total_cmp(&b.0));
        candidates.truncate(SEARCHED);
        let searched = candidates.into_iter().map(|(_, mut shapes)| {
            for which in [worst, shapes.len() - 1] {
                improve(&self.cloud, &mut shapes, which, self.steps);
            }
            self.polish(&mut shapes);
            shapes
        });
        searched.collect()
    }

    /// Improves each shape once more, with all others in place.
    fn polish(&self, shapes: &mut [WorldProxy]) {
        let steps = Steps { first: self.steps.first / 2.0, ..self.steps };
        for which in 0..shapes.len() {
            improve(&self.cloud, shapes, which, steps);
        }
    }

    /// Grows or shrinks all radii by the least offset with which the shapes cover their share of the vertices
    /// and of the area, and nothing pokes out too far.
    ///
    /// An offset of both radii moves the surface of a hull of two balls by that offset, so that the answer is
    /// exact, except where a radius would become negative.
    pub(super) fn offset_to_constraints(&mut self, tolerances: &Tolerances, height: f64) {
        let tapers: Vec<Taper> = self.shapes.iter().map(Taper::new).collect();
        let least = |points: &[Point3<f64>]| {
            let distance = |p| tapers.iter().map(|t| t.signed_distance(p)).fold(f64::INFINITY, f64::min);
            let mut distances: Vec<f64> = points.iter().map(distance).collect();
            distances.sort_by(f64::total_cmp);
            let count = distances.len();
            let covered = ((tolerances.coverage * count as f64).ceil() as usize).clamp(1, count.max(1));
            let farthest = distances.last().map(|farthest| farthest - tolerances.undercut * height);
            distances.get(covered - 1).map(|quantile| farthest.map_or(*quantile, |f| f.max(*quantile)))
        };
        let offsets = [least(&self.vertices), least(&self.areas)];
        let Some(offset) = offsets.into_iter().flatten().reduce(f64::max) else { return };
        // A little more than the least, so that rounding leaves no vertex just outside.
        let offset = offset + 1e-9 * height;
        for shape in self.shapes.iter_mut().filter(|_| offset.is_finite()) {
            shape.radii = shape.radii.map(|r| (r + offset).max(0.0));
        }
    }

    /// The positions of the bone's own points that a filter on their numbers keeps.
    fn own_points(&self, keep: impl Fn(usize) -> bool) -> Vec<Point3<f64>> {
        let own = self.cloud.points.iter().enumerate().filter(|(_, point)| point.undercut > 0.0);
        own.filter(|&(k, _)| keep(k)).map(|(_, point)| point.position).collect()
    }

    /// Of each point the shape in which it is deepest.
    fn nearest_shapes(&self) -> Vec<usize> {
        let tapers: Vec<Taper> = self.shapes.iter().map(Taper::new).collect();
        let nearest = |p: &Point3<f64>| {
            let mut best = (f64::INFINITY, 0);
            for (k, taper) in tapers.iter().enumerate() {
                let distance = taper.signed_distance(p);
                if distance < best.0 {
                    best = (distance, k);
                }
            }
            best.1
        };
        self.cloud.points.iter().map(|point| nearest(&point.position)).collect()
    }

    /// The shape whose points cost most.
    fn most_expensive(&self) -> usize {
        let depths = self.cloud.depths(&self.shapes);
        let mut costs = vec![0.0; self.shapes.len()];
        for ((point, &depth), shape) in self.cloud.points.iter().zip(&depths).zip(self.nearest_shapes()) {
            costs[shape] += self.cloud.cost.of_point(point, depth);
        }
        (0..costs.len()).fold(0, |best, k| if costs[k] > costs[best] { k } else { best })
    }
}
