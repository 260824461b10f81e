//! Closest points, a segment against a triangle, and the orientation of four points.

use cloth_geom::closest::{self, reference};
use cloth_geom::exact::{self, Sign};
use nalgebra::Point3;
use parry3d::math::{Pose, Vector};
use parry3d::query::details::{closest_points_segment_segment, local_ray_intersection_with_triangle};
use parry3d::query::{ClosestPoints, PointQuery, Ray};
use parry3d::shape::{Segment, Triangle};
use robust::Coord3D;

use super::inputs::{Five, Four, KINDS, coplanar, five, four};
use super::{Effort, time_calls};
use crate::contenders::version_of;
use crate::schema::KernelResult;

/// Roundings of `f32` at the size of the inputs (1 m) that a distance may be off.
const ROUNDINGS: f64 = 32.0;

/// What distances are compared with, and what signs are.
const FEATURES: &str = "minimum over all features in f64";
const INTEGERS: &str = "integer arithmetic";

/// All kernels on both kinds of inputs.
pub(super) fn all(effort: Effort) -> Vec<KernelResult> {
    let kernels = [point_triangle, segment_segment, segment_triangle];
    let queries = KINDS.iter().flat_map(|kind| kernels.iter().flat_map(move |kernel| kernel(kind, effort)));
    queries.chain(KINDS.iter().flat_map(|kind| orient3d(kind, effort))).collect()
}

/// A question with its exact answers, one for each input.
struct Question<'a, T> {
    kernel: &'static str,
    /// The kind of inputs.
    kind: &'a str,
    checked_against: &'static str,
    exact: Vec<T>,
    effort: Effort,
}

impl<T> Question<'_, T> {
    /// Times an implementation, named by its crate and function, on inputs that were prepared for it; how
    /// many answers are wrong is left open.
    fn timed<I, R>(&self, contender: &str, inputs: &[I], call: impl Fn(&I) -> R) -> KernelResult {
        let package = contender.split(' ').next().unwrap_or_default();
        KernelResult {
            kernel: self.kernel.into(),
            contender: contender.into(),
            version: version_of(package),
            own: package.starts_with("cloth-"),
            input: self.kind.into(),
            queries: inputs.len(),
            ns: Some(time_calls(inputs, self.effort.repetitions, call)),
            checked_against: self.checked_against.into(),
            ..KernelResult::default()
        }
    }
}

impl Question<'_, f64> {
    /// Measures an implementation of a distance.
    fn distance<I>(&self, contender: &str, inputs: &[I], call: impl Fn(&I) -> f64) -> KernelResult {
        let pairs = inputs.iter().zip(&self.exact);
        let errors: Vec<f64> = pairs.map(|(input, exact)| (call(input) - exact).abs()).collect();
        let allowed = ROUNDINGS * f64::from(f32::EPSILON);
        // NaN counts as wrong.
        let right = errors.iter().filter(|e| **e <= allowed).count();
        let largest_error_m = errors.iter().copied().reduce(f64::max);
        let wrong = (inputs.len() - right) as u64;
        KernelResult { wrong, largest_error_m, ..self.timed(contender, inputs, call) }
    }
}

impl<T: PartialEq> Question<'_, T> {
    /// Measures an implementation of a question that has a few answers.
    fn verdict<I>(&self, contender: &str, inputs: &[I], call: impl Fn(&I) -> T) -> KernelResult {
        let wrong = inputs.iter().zip(&self.exact).filter(|(input, exact)| call(input) != **exact).count();
        KernelResult { wrong: wrong as u64, ..self.timed(contender, inputs, call) }
    }
}

pub(super) fn vector(p: &Point3<f64>) -> Vector {
    Vector::new(p.x as f32, p.y as f32, p.z as f32)
}

fn single(points: &Four) -> [Point3<f32>; 4] {
    points.map(|p| p.map(|c| c as f32))
}

fn point_triangle(kind: &str, effort: Effort) -> Vec<KernelResult> {
    let inputs = four(kind, effort.queries);
    let exact = |[p, a, b, c]: &Four| reference::point_triangle(p, [a, b, c]).distance_sq.sqrt();
    let exact = inputs.iter().map(exact).collect();
    let question = Question { kernel: "point-triangle", kind, checked_against: FEATURES, exact, effort };
    let rounded: Vec<[Point3<f32>; 4]> = inputs.iter().map(single).collect();
    let parry: Vec<(Vector, Triangle)> = inputs
        .iter()
        .map(|[p, a, b, c]| (vector(p), Triangle::new(vector(a), vector(b), vector(c))))
        .collect();
    vec![
        question.distance("cloth-geom closest::point_triangle<f32>", &rounded, |[p, a, b, c]| {
            f64::from(closest::point_triangle(p, [a, b, c]).distance_sq.sqrt())
        }),
        question.distance("cloth-geom closest::point_triangle<f64>", &inputs, |[p, a, b, c]| {
            closest::point_triangle(p, [a, b, c]).distance_sq.sqrt()
        }),
        question.distance("parry3d Triangle::project_local_point", &parry, |(p, triangle)| {
            f64::from((triangle.project_local_point(*p, true).point - *p).length())
        }),
    ]
}

fn segment_segment(kind: &str, effort: Effort) -> Vec<KernelResult> {
    let inputs = four(kind, effort.queries);
    let exact = |[a, b, c, d]: &Four| reference::segment_segment([a, b], [c, d]).distance_sq.sqrt();
    let exact = inputs.iter().map(exact).collect();
    let question = Question { kernel: "segment-segment", kind, checked_against: FEATURES, exact, effort };
    let rounded: Vec<[Point3<f32>; 4]> = inputs.iter().map(single).collect();
    let parry: Vec<[Segment; 2]> = inputs
        .iter()
        .map(|[a, b, c, d]| [Segment::new(vector(a), vector(b)), Segment::new(vector(c), vector(d))])
        .collect();
    vec![
        question.distance("cloth-geom closest::segment_segment<f32>", &rounded, |[a, b, c, d]| {
            f64::from(closest::segment_segment([a, b], [c, d]).distance_sq.sqrt())
        }),
        question.distance("cloth-geom closest::segment_segment<f64>", &inputs, |[a, b, c, d]| {
            closest::segment_segment([a, b], [c, d]).distance_sq.sqrt()
        }),
        question.distance("parry3d closest_points_segment_segment", &parry, |[a, b]| {
            match closest_points_segment_segment(&Pose::IDENTITY, a, b, f32::MAX) {
                ClosestPoints::WithinMargin(p, q) => f64::from((p - q).length()),
                ClosestPoints::Intersecting => 0.0,
                ClosestPoints::Disjoint => f64::NAN,
            }
        }),
    ]
}

fn segment_triangle(kind: &str, effort: Effort) -> Vec<KernelResult> {
    let inputs = five(kind, effort.queries);
    let exact = |[p, q, a, b, c]: &Five| exact::reference::segment_meets_triangle([p, q], [a, b, c]);
    let exact = inputs.iter().map(exact).collect();
    let question = Question { kernel: "ray-triangle", kind, checked_against: INTEGERS, exact, effort };
    let parry: Vec<(Ray, [Vector; 3])> = inputs.iter().map(ray).collect();
    vec![
        question.verdict("cloth-geom exact::segment_meets_triangle", &inputs, |[p, q, a, b, c]| {
            exact::segment_meets_triangle([p, q], [a, b, c])
        }),
        question.verdict("parry3d local_ray_intersection_with_triangle", &parry, |(ray, [a, b, c])| {
            let hit = local_ray_intersection_with_triangle(*a, *b, *c, ray);
            hit.is_some_and(|(hit, _)| hit.time_of_impact <= 1.0)
        }),
    ]
}

/// The segment as a ray whose direction is its length, so that it ends at time 1.
fn ray([p, q, a, b, c]: &Five) -> (Ray, [Vector; 3]) {
    (Ray::new(vector(p), vector(q) - vector(p)), [vector(a), vector(b), vector(c)])
}

fn orient3d(kind: &str, effort: Effort) -> Vec<KernelResult> {
    let inputs = coplanar(kind, effort.queries);
    let exact = inputs.iter().map(|[a, b, c, d]| exact::reference::orient3d(a, b, c, d)).collect();
    let question = Question { kernel: "orient3d", kind, checked_against: INTEGERS, exact, effort };
    let shewchuk: Vec<[Coord3D<f64>; 4]> =
        inputs.iter().map(|four| four.map(|p| Coord3D { x: p.x, y: p.y, z: p.z })).collect();
    let arrays: Vec<[[f64; 3]; 4]> = inputs.iter().map(|four| four.map(Into::into)).collect();
    vec![
        question.verdict("cloth-geom exact::orient3d", &inputs, |[a, b, c, d]| exact::orient3d(a, b, c, d)),
        question.verdict("robust orient3d", &shewchuk, |&[a, b, c, d]| sign(-robust::orient3d(a, b, c, d))),
        question.verdict("geometry-predicates orient3d", &arrays, |&[a, b, c, d]| {
            sign(-geometry_predicates::orient3d(a, b, c, d))
        }),
        // The same without exactness.
        question.verdict("nalgebra determinant in f64", &inputs, |[a, b, c, d]| {
            sign((b - a).cross(&(c - a)).dot(&(d - a)))
        }),
    ]
}

/// The sign of a value; Shewchuk's predicates are positive below the plane, where this project's is negative.
fn sign(value: f64) -> Sign {
    value.partial_cmp(&0.0).map_or(Sign::Zero, Sign::from)
}
