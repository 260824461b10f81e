//! The fast closest points are as near as the minimum over all features, within the bound that their module
//! derives, in `f32` and `f64`: for generic shapes, slivers, near-parallel and collapsed ones, at every
//! scale.

use cloth_geom::closest::{
    SegmentFeature, TriangleFeature, point_segment, point_triangle, reference, segment_segment,
};
use nalgebra::{Point3, RealField, Vector3};
use proptest::prelude::*;
use proptest::test_runner::{FileFailurePersistence, TestCaseResult, TestRunner};

/// A scalar under test: the reference reads its points without rounding.
trait Scalar: RealField + Copy + Into<f64> {
    /// Unit roundoff.
    const ROUNDOFF: f64;
    /// Bound of the distance error, in units of `ROUNDOFF` times the extent: 64, twice where the reference
    /// rounds as coarsely.
    const BOUND: f64;
    /// The least extent (m) that is promised.
    const LEAST: f64;
    /// Powers of ten by which the shapes below are scaled.
    const SCALES: std::ops::RangeInclusive<i32>;
    fn rounded(value: f64) -> Self;
}

impl Scalar for f32 {
    const ROUNDOFF: f64 = f32::EPSILON as f64 / 2.0;
    const BOUND: f64 = 64.0;
    const LEAST: f64 = 1e-13;
    const SCALES: std::ops::RangeInclusive<i32> = -12..=18;
    fn rounded(value: f64) -> Self {
        value as f32
    }
}

impl Scalar for f64 {
    const ROUNDOFF: f64 = f64::EPSILON / 2.0;
    const BOUND: f64 = 128.0;
    const LEAST: f64 = 1e-139;
    const SCALES: std::ops::RangeInclusive<i32> = -130..=153;
    fn rounded(value: f64) -> Self {
        value
    }
}

fn check<S: Strategy>(strategy: S, property: impl Fn(S::Value) -> TestCaseResult) {
    // No `main.rs` stands above this file, so failures are kept next to it.
    let config = ProptestConfig {
        cases: 30_000,
        source_file: Some(file!()),
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("proptest-regressions"))),
        ..ProptestConfig::default()
    };
    if let Err(failure) = TestRunner::new(config).run(&strategy, property) {
        panic!("{failure}");
    }
}

/// Steps from equal to far, through the square root of both roundoffs and the roundoffs themselves.
fn ladder() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), (0i32..=70).prop_map(|k| 2f64.powi(-k))]
}

fn vector() -> impl Strategy<Value = Vector3<f64>> {
    let generic = prop::array::uniform3(-1.0..1.0f64);
    let lattice = prop::array::uniform3((-2i32..=2).prop_map(|k| f64::from(k) / 2.0));
    prop_oneof![generic, lattice].prop_map(Vector3::from)
}

/// Four points of extent about one, each near a combination of those before it: so thin, near-parallel,
/// coincident and touching shapes of every degree occur. Then scaled, and moved off the origin.
fn four_points<T: Scalar>() -> impl Strategy<Value = [Point3<T>; 4]> {
    let weights = || prop::array::uniform4(prop_oneof![Just(0.0), Just(0.5), Just(1.0), -1.0..2.0f64]);
    let shape = (prop::array::uniform4(vector()), prop::array::uniform4(ladder()), weights());
    let places = (T::SCALES, vector(), prop_oneof![Just(0.0), Just(1.0), Just(1000.0)]);
    (shape, places, Just([0usize, 1, 2, 3]).prop_shuffle()).prop_map(
        |((free, near, [r, s, t, u]), (power, shift, far), order)| {
            let a = free[0];
            let b = a + free[1] * near[0];
            let c = a + (b - a) * r + free[2] * near[1];
            let d = a + (b - a) * s + (c - a) * t + (c - b) * (u * near[3]) + free[3] * near[2];
            let scale = 10f64.powi(power) / 16.0;
            let place = |v: Vector3<f64>| Point3::from((v + shift * far).map(|x| T::rounded(x * scale)));
            let points = [a, b, c, d].map(place);
            order.map(|k| points[k])
        },
    )
}

/// The points in `f64`, scaled by a power of two to an extent about one, and that power: exact, and within
/// the range of the reference, which squares areas.
fn exact<T: Scalar, const N: usize>(points: [Point3<T>; N]) -> ([Point3<f64>; N], f64) {
    let points = points.map(|p| p.map(Into::into));
    let extent = extent(&points);
    let factor = if extent > 0.0 { 2f64.powi(-extent.log2() as i32) } else { 1.0 };
    (points.map(|p| p * factor), factor)
}

/// The greatest distance between two of the points.
fn extent(points: &[Point3<f64>]) -> f64 {
    points.iter().flat_map(|p| points.iter().map(move |q| (p - q).norm())).fold(0.0, f64::max)
}

/// What must hold of any answer: its distance, the reference's, and the one recomputed from its weights
/// agree.
fn distances_agree<T: Scalar>(
    (fast_sq, factor): (T, f64),
    honest: f64,
    slow_sq: f64,
    extent: f64,
) -> TestCaseResult {
    let fast = Into::<f64>::into(fast_sq).sqrt() * factor;
    let error = (fast - slow_sq.sqrt()).abs();
    if extent < T::LEAST * factor {
        // Squares underflow: only that the answer stays within the extent is promised.
        prop_assert!(fast <= 2.0 * extent);
        return Ok(());
    }
    let unit = T::ROUNDOFF * extent;
    prop_assert!(error <= T::BOUND * unit, "off by {} units of u M", error / unit);
    prop_assert!((fast - honest).abs() <= 16.0 * unit, "not the distance of its own weights");
    Ok(())
}

fn parameter_fits<T: Scalar>(t: T, feature: SegmentFeature) -> TestCaseResult {
    match feature {
        SegmentFeature::Start => prop_assert_eq!(t, T::zero()),
        SegmentFeature::End => prop_assert_eq!(t, T::one()),
        SegmentFeature::Interior => prop_assert!(T::zero() < t && t < T::one()),
    }
    Ok(())
}

fn point_and_segment<T: Scalar>([p, a, b, _]: [Point3<T>; 4]) -> TestCaseResult {
    let answer = point_segment(&p, &a, &b);
    let ([p, a, b], factor) = exact([p, a, b]);
    let slow = reference::point_segment(&p, &a, &b);
    parameter_fits(answer.weights[1], answer.feature)?;
    let [wa, wb] = answer.weights.map(Into::into);
    prop_assert!((wa + wb - 1.0).abs() <= T::ROUNDOFF);
    let honest = ((p - a) * wa + (p - b) * wb).norm();
    distances_agree((answer.distance_sq, factor), honest, slow.distance_sq, extent(&[p, a, b]))
}

fn point_and_triangle<T: Scalar>([p, a, b, c]: [Point3<T>; 4]) -> TestCaseResult {
    let answer = point_triangle(&p, [&a, &b, &c]);
    let ([p, a, b, c], factor) = exact([p, a, b, c]);
    let slow = reference::point_triangle(&p, [&a, &b, &c]);
    let w: [f64; 3] = answer.weights.map(Into::into);
    prop_assert!(
        w.iter().all(|w| (0.0..=1.0).contains(w)) && (w.iter().sum::<f64>() - 1.0).abs() <= 2.0 * T::ROUNDOFF
    );
    match answer.feature {
        TriangleFeature::Face => prop_assert!(w.iter().all(|&w| w > 0.0)),
        TriangleFeature::Edge(k) => {
            let k = k as usize;
            prop_assert!(w[(k + 2) % 3] == 0.0 && w[k] > 0.0 && w[(k + 1) % 3] > 0.0);
        }
        TriangleFeature::Vertex(k) => prop_assert!(w[k as usize] == 1.0),
    }
    let honest = ((p - a) * w[0] + (p - b) * w[1] + (p - c) * w[2]).norm();
    distances_agree((answer.distance_sq, factor), honest, slow.distance_sq, extent(&[p, a, b, c]))
}

fn two_segments<T: Scalar>([a0, a1, b0, b1]: [Point3<T>; 4]) -> TestCaseResult {
    let answer = segment_segment([&a0, &a1], [&b0, &b1]);
    let ([a0, a1, b0, b1], factor) = exact([a0, a1, b0, b1]);
    let slow = reference::segment_segment([&a0, &a1], [&b0, &b1]);
    parameter_fits(answer.s, answer.feature_a)?;
    parameter_fits(answer.t, answer.feature_b)?;
    let (s, t): (f64, f64) = (answer.s.into(), answer.t.into());
    let honest = ((b0 - a0) + (b1 - b0) * t - (a1 - a0) * s).norm();
    distances_agree((answer.distance_sq, factor), honest, slow.distance_sq, extent(&[a0, a1, b0, b1]))
}

#[test]
fn point_segment_agrees_with_all_features_in_f32() {
    check(four_points::<f32>(), point_and_segment);
}

#[test]
fn point_segment_agrees_with_all_features_in_f64() {
    check(four_points::<f64>(), point_and_segment);
}

#[test]
fn point_triangle_agrees_with_all_features_in_f32() {
    check(four_points::<f32>(), point_and_triangle);
}

#[test]
fn point_triangle_agrees_with_all_features_in_f64() {
    check(four_points::<f64>(), point_and_triangle);
}

#[test]
fn segment_segment_agrees_with_all_features_in_f32() {
    check(four_points::<f32>(), two_segments);
}

#[test]
fn segment_segment_agrees_with_all_features_in_f64() {
    check(four_points::<f64>(), two_segments);
}

// What a search of millions of cases found, and what had to change for it.

#[test]
fn keeps_the_foot_on_a_triangle_whose_squared_area_underflows() {
    let p = [3.125e-9, -3.522_733_7e-9, 3.125e-9f32];
    let short_edge = [[-7.629_394_6e-13, -3.992_595_1e-10, 0.0], [0.0, -3.977_336_2e-10, 0.0]];
    let far = [6.25e-9, -6.647_733_5e-9, 6.25e-9];
    point_and_triangle([p, short_edge[0], short_edge[1], far].map(Point3::from)).unwrap();
}

#[test]
fn keeps_the_weights_of_the_reference_at_a_sum_of_one() {
    let p = [2.273_736_754_432_320_5e-25, 5.511_536_105_321_557e-14, 1.119_735_254_713_473e-14];
    let a = [0.0, 5.511_536_111_233_272_5e-14, 1.119_735_260_625_188_6e-14];
    let b = [0.0, 5.120_911_111_210_535e-14, 7.291_102_606_024_512e-15];
    let c = [0.0, 5.511_536_111_187_798e-14, 1.119_735_260_579_713_9e-14];
    point_and_triangle([p, a, b, c].map(Point3::from)).unwrap();
}

#[test]
fn refines_the_reference_until_antiparallel_segments_cross() {
    let a = [
        [0.0, -2.454_451_027_418_752_2e-20, -3.125_000_000_000_003e-5],
        [-8.082_124_408_616_227e-7, 5.684_608_577_364_234e-7, -3.106_967_540_613_05e-5],
    ];
    let b = [
        [-8.082_124_408_616_227e-7, 5.684_608_577_364_102e-7, -3.106_967_540_613_051_6e-5],
        [0.0, 0.0, -3.125e-5],
    ];
    two_segments([a[0], a[1], b[0], b[1]].map(Point3::from)).unwrap();
}
