//! Closest points, and a segment against a triangle.

use cloth_geom::closest::{self, reference};
use cloth_geom::exact;
use nalgebra::Point3;
use parry3d::math::{Pose, Vector};
use parry3d::query::details::{closest_points_segment_segment, local_ray_intersection_with_triangle};
use parry3d::query::{ClosestPoints, PointQuery, Ray};
use parry3d::shape::{Segment, Triangle};

use super::inputs::{Five, Four, KINDS, five, four};
use super::{Effort, time_calls};
use crate::contenders::version_of;
use crate::schema::KernelResult;

/// Roundings of `f32` at the size of the inputs (1 m) that a distance may be off.
const ROUNDINGS: f64 = 32.0;

/// All closest-point and intersection kernels on both kinds of inputs.
pub(super) fn all(effort: Effort) -> Vec<KernelResult> {
    KINDS
        .iter()
        .flat_map(|kind| {
            [point_triangle(kind, effort), segment_segment(kind, effort), segment_triangle(kind, effort)]
        })
        .flatten()
        .collect()
}

/// An implementation: its name, its crate, and whether it is a part of this project.
#[derive(Clone, Copy)]
pub(super) struct Implementation {
    pub(super) name: &'static str,
    pub(super) package: &'static str,
    pub(super) own: bool,
}

impl Implementation {
    /// A row without times and verdicts.
    pub(super) fn row(self, kernel: &str, input: &str, checked_against: &str) -> KernelResult {
        KernelResult {
            kernel: kernel.into(),
            contender: format!("{} {}", self.package, self.name),
            version: version_of(self.package),
            own: self.own,
            input: input.into(),
            queries: 0,
            ns: None,
            checked_against: checked_against.into(),
            wrong: 0,
            largest_error_m: None,
        }
    }
}

/// Measures an implementation of a distance on inputs that were prepared for it.
fn distance<I>(
    row: KernelResult,
    inputs: &[I],
    exact: &[f64],
    effort: Effort,
    call: impl Fn(&I) -> f64,
) -> KernelResult {
    let errors: Vec<f64> = inputs.iter().zip(exact).map(|(input, d)| (call(input) - d).abs()).collect();
    let allowed = ROUNDINGS * f64::from(f32::EPSILON);
    // NaN counts as wrong.
    let is_right = |e: &&f64| **e <= allowed;
    let right = errors.iter().filter(is_right).count();
    KernelResult {
        queries: inputs.len(),
        ns: Some(time_calls(inputs, effort.repetitions, &call)),
        wrong: (inputs.len() - right) as u64,
        largest_error_m: errors.iter().copied().reduce(f64::max),
        ..row
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
    let exact: Vec<f64> = inputs
        .iter()
        .map(|[p, a, b, c]| reference::point_triangle(p, [a, b, c]).distance_sq.sqrt())
        .collect();
    let row = |name, package, own| {
        Implementation { name, package, own }.row("point-triangle", kind, "minimum over all features in f64")
    };
    let own: Vec<[Point3<f32>; 4]> = inputs.iter().map(single).collect();
    let parry: Vec<(Vector, Triangle)> = inputs
        .iter()
        .map(|[p, a, b, c]| (vector(p), Triangle::new(vector(a), vector(b), vector(c))))
        .collect();
    vec![
        distance(
            row("closest::point_triangle<f32>", "cloth-geom", true),
            &own,
            &exact,
            effort,
            |[p, a, b, c]| f64::from(closest::point_triangle(p, [a, b, c]).distance_sq.sqrt()),
        ),
        distance(
            row("closest::point_triangle<f64>", "cloth-geom", true),
            &inputs,
            &exact,
            effort,
            |[p, a, b, c]| closest::point_triangle(p, [a, b, c]).distance_sq.sqrt(),
        ),
        distance(
            row("Triangle::project_local_point", "parry3d", false),
            &parry,
            &exact,
            effort,
            |(p, triangle)| f64::from((triangle.project_local_point(*p, true).point - *p).length()),
        ),
    ]
}

fn segment_segment(kind: &str, effort: Effort) -> Vec<KernelResult> {
    let inputs = four(kind, effort.queries);
    let exact: Vec<f64> = inputs
        .iter()
        .map(|[a, b, c, d]| reference::segment_segment([a, b], [c, d]).distance_sq.sqrt())
        .collect();
    let row = |name, package, own| {
        Implementation { name, package, own }.row("segment-segment", kind, "minimum over all features in f64")
    };
    let own: Vec<[Point3<f32>; 4]> = inputs.iter().map(single).collect();
    let parry: Vec<[Segment; 2]> = inputs
        .iter()
        .map(|[a, b, c, d]| [Segment::new(vector(a), vector(b)), Segment::new(vector(c), vector(d))])
        .collect();
    vec![
        distance(
            row("closest::segment_segment<f32>", "cloth-geom", true),
            &own,
            &exact,
            effort,
            |[a, b, c, d]| f64::from(closest::segment_segment([a, b], [c, d]).distance_sq.sqrt()),
        ),
        distance(
            row("closest::segment_segment<f64>", "cloth-geom", true),
            &inputs,
            &exact,
            effort,
            |[a, b, c, d]| closest::segment_segment([a, b], [c, d]).distance_sq.sqrt(),
        ),
        distance(
            row("closest_points_segment_segment", "parry3d", false),
            &parry,
            &exact,
            effort,
            |[a, b]| match closest_points_segment_segment(&Pose::IDENTITY, a, b, f32::MAX) {
                ClosestPoints::WithinMargin(p, q) => f64::from((p - q).length()),
                ClosestPoints::Intersecting => 0.0,
                ClosestPoints::Disjoint => f64::NAN,
            },
        ),
    ]
}

fn segment_triangle(kind: &str, effort: Effort) -> Vec<KernelResult> {
    let inputs = five(kind, effort.queries);
    let exact: Vec<bool> = inputs
        .iter()
        .map(|[p, q, a, b, c]| exact::reference::segment_meets_triangle([p, q], [a, b, c]))
        .collect();
    let row = |name, package, own| {
        Implementation { name, package, own }.row("ray-triangle", kind, "integer arithmetic")
    };
    let parry: Vec<(Ray, [Vector; 3])> = inputs.iter().map(ray).collect();
    vec![
        verdict(
            row("exact::segment_meets_triangle", "cloth-geom", true),
            &inputs,
            &exact,
            effort,
            |[p, q, a, b, c]| exact::segment_meets_triangle([p, q], [a, b, c]),
        ),
        verdict(
            row("local_ray_intersection_with_triangle", "parry3d", false),
            &parry,
            &exact,
            effort,
            |(ray, [a, b, c])| {
                local_ray_intersection_with_triangle(*a, *b, *c, ray)
                    .is_some_and(|(hit, _)| hit.time_of_impact <= 1.0)
            },
        ),
    ]
}

/// The segment as a ray whose direction is its length, so that it ends at time 1.
fn ray([p, q, a, b, c]: &Five) -> (Ray, [Vector; 3]) {
    (Ray::new(vector(p), vector(q) - vector(p)), [vector(a), vector(b), vector(c)])
}

/// Measures an implementation of a yes-or-no question.
pub(super) fn verdict<I, T: PartialEq>(
    row: KernelResult,
    inputs: &[I],
    exact: &[T],
    effort: Effort,
    call: impl Fn(&I) -> T,
) -> KernelResult {
    let wrong = inputs.iter().zip(exact).filter(|(input, answer)| call(input) != **answer).count();
    KernelResult {
        queries: inputs.len(),
        ns: Some(time_calls(inputs, effort.repetitions, &call)),
        wrong: wrong as u64,
        ..row
    }
}
