//! What every conservative method must do, as functions of a method: known geometry, and near misses and
//! touches made to measure.

use std::cell::Cell;

use nalgebra::{Point3, Rotation3, Vector3};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::{Ccd, CcdError, Query, Reference, Toi};

/// A test of each trial that asks nothing of the settings of a method.
macro_rules! stamp {
    ($method:expr) => {
        $crate::inclusion::trials::stamp!($method =>
            times_a_fall,
            proves_near_misses_free,
            keeps_a_euclidean_distance,
            decides_motion_within_a_plane,
            takes_degenerate_primitives_as_what_they_are,
            answers_over_the_whole_range,
            refuses_what_has_no_answer,
            finds_the_origin_within_flat_shapes,
            finds_made_up_touches,
            agrees_with_the_reference_near_touches,
            finds_what_dense_sampling_finds
        );
    };
    ($method:expr => $($trial:ident),+) => {
        $(
            #[test]
            fn $trial() {
                $crate::inclusion::trials::$trial(&$method);
            }
        )+
    };
}
pub(crate) use stamp;

type P = Point3<f64>;

/// Unit triangle in the plane y = 0, and a point over its inside that falls by `fall` from the height 1.
pub(crate) fn falling_point(height: f64, fall: f64) -> Query {
    let triangle = [P::origin(), P::new(1.0, 0.0, 0.0), P::new(0.0, 0.0, 1.0)];
    let point = |y| P::new(0.3, y, 0.3);
    let corners = |y| [point(y), triangle[0], triangle[1], triangle[2]];
    Query::point_triangle(corners(height), corners(height - fall))
}

/// Crossed edges, the upper one at the height 1 falling by `fall`.
pub(crate) fn falling_edge(height: f64, fall: f64) -> Query {
    let corners =
        |y| [P::new(-1.0, y, 0.2), P::new(1.0, y, 0.1), P::new(0.1, 0.0, -1.0), P::new(0.2, 0.0, 1.0)];
    Query::edge_edge(corners(height), corners(height - fall))
}

/// A falling query of each kind, with the primitives flat in the plane y = 0 and the other at `height`.
pub(crate) fn falling(height: f64, fall: f64) -> [Query; 4] {
    let point = |y| P::new(0.5, y, 0.5);
    let (e0, e1) = (P::new(0.0, 0.0, 0.25), P::new(1.0, 0.0, 0.75));
    [
        Query::point_point([point(height), point(0.0)], [point(height - fall), point(0.0)]),
        Query::point_edge([point(height), e0, e1], [point(height - fall), e0, e1]),
        falling_point(height, fall),
        falling_edge(height, fall),
    ]
}

fn impact(method: &impl Ccd, query: &Query, distance: f64) -> Option<Toi> {
    method.impact(query, distance).expect("finite")
}

/// The time is at most `exact`, and early by at most `slack`.
fn expect_time(method: &impl Ccd, query: &Query, distance: f64, exact: f64, slack: f64) {
    let toi = impact(method, query, distance).unwrap_or_else(|| panic!("missed {query:?}"));
    assert!(toi.time <= exact && toi.time >= exact - slack, "{toi:?} for {exact}: {query:?}");
    assert_eq!(toi, Toi::no_earlier_than(toi.time));
}

pub(crate) fn times_a_fall(method: &impl Ccd) {
    for query in falling(1.0, 2.0) {
        expect_time(method, &query, 0.0, 0.5, 1e-6);
        expect_time(method, &query, 0.5, 0.25, 1e-6);
    }
    for query in falling(1.0, 1.0) {
        expect_time(method, &query, 0.0, 1.0, 2e-6);
        expect_time(method, &query, 1.0, 0.0, 0.0);
        expect_time(method, &query, 2.0, 0.0, 0.0);
    }
}

pub(crate) fn proves_near_misses_free(method: &impl Ccd) {
    for gap in [1e-3, 1e-9, 1e-14] {
        for query in falling(1.0, 1.0 - gap) {
            assert_eq!(impact(method, &query, 0.0), None, "{gap} {query:?}");
            assert_eq!(impact(method, &query, 0.5 * gap), None, "{gap} {query:?}");
            assert!(impact(method, &query, gap * 1.001).is_some(), "{gap} {query:?}");
        }
    }
}

/// Distance is that of Euclid: along a diagonal the greatest coordinate is 0.577 of it, and the point is free
/// beyond 1.
pub(crate) fn keeps_a_euclidean_distance(method: &impl Ccd) {
    let diagonal = Vector3::new(1.0, 1.0, 1.0) / 3.0_f64.sqrt();
    let at = |s: f64| P::from(diagonal * s);
    for (n, offset) in [(1.0 + 1e-9, None), (1.0 - 1e-9, Some(()))] {
        let points = Query::point_point([at(3.0), P::origin()], [at(n), P::origin()]);
        let edge = [P::origin(), P::new(1.0, 0.0, -1.0)];
        let edge = Query::point_edge([at(3.0), edge[0], edge[1]], [at(n), edge[0], edge[1]]);
        for query in [points, edge] {
            assert_eq!(impact(method, &query, 1.0).map(|_| ()), offset, "{n} {query:?}");
        }
    }
}

/// In one plane throughout: a point slides up to an edge of its triangle and through, or passes beside a
/// corner.
///
/// In a plane that is tilted, no axis helps, and rounding puts the corners next to the plane.
pub(crate) fn decides_motion_within_a_plane(method: &impl Ccd) {
    for tilt in [Rotation3::identity(), Rotation3::from_euler_angles(0.3, 0.5, 0.7)] {
        let at = |x: f64, z: f64| tilt * P::new(x, 0.0, z);
        let slide = |from: P, to: P| {
            let corners = |p| [p, at(0.0, 0.0), at(1.0, 0.0), at(0.0, 1.0)];
            Query::point_triangle(corners(from), corners(to))
        };
        let edges = |x: f64, z: f64| [at(0.0, 0.0), at(1.0, 0.0), at(x, z), at(x + 1.0, z)];
        for gap in [1e-3, 1e-9] {
            for miss in [
                slide(at(1.0 + gap, -1.0), at(1.0 + gap, 1.0)),
                slide(at(-gap, -1.0), at(-gap, 1.0)),
                slide(at(1.0, -1.0 - gap), at(-1.0 - gap, 1.0)),
                Query::edge_edge(edges(3.0, 0.0), edges(1.0 + gap, 0.0)),
                Query::edge_edge(edges(3.0, gap), edges(-3.0, gap)),
                Query::edge_edge(edges(3.0, -1.0), edges(1.0, gap)),
            ] {
                assert_eq!(impact(method, &miss, 0.0), None, "{gap} {miss:?}");
            }
        }
        // Rounding of the tilt moves the times by less than 1e-12.
        let hits = [
            (slide(at(0.25, -1.0), at(0.25, 1.0)), 0.5),
            (slide(at(1.0, -1.0), at(-1.0, 1.0)), 0.5),
            (Query::edge_edge(edges(3.0, 0.0), edges(-1.0, 0.0)), 0.5),
            (Query::edge_edge(edges(3.0, 2.0), edges(1.0, 0.0)), 1.0),
        ];
        for (hit, time) in hits.iter().take(if tilt == Rotation3::identity() { 4 } else { 1 }) {
            expect_time(method, hit, 0.0, time + 1e-12, 2e-6);
        }
    }
}

/// Triangles and edges without extent are edges and points.
pub(crate) fn takes_degenerate_primitives_as_what_they_are(method: &impl Ccd) {
    let (a, b) = (P::new(-1.0, 0.0, 0.0), P::new(1.0, 0.0, 0.0));
    let (up, down) = (P::new(0.25, 1.0, 0.0), P::new(0.25, -1.0, 0.0));
    for triangle in [[a, a, b], [a, b, a], [b, a, a], [a, P::origin(), b], [P::new(0.25, 0.0, 0.0); 3]] {
        let corners = |p| [p, triangle[0], triangle[1], triangle[2]];
        expect_time(method, &Query::point_triangle(corners(up), corners(down)), 0.0, 0.5, 1e-6);
        let beside = |p: P| p + Vector3::new(0.0, 0.0, 1e-7);
        assert_eq!(
            impact(method, &Query::point_triangle(corners(beside(up)), corners(beside(down))), 0.0),
            None
        );
    }
    expect_time(method, &Query::edge_edge([up, up, a, b], [down, down, a, b]), 0.0, 0.5, 1e-6);
    expect_time(method, &Query::edge_edge([up; 4], [down; 4]), 0.0, 0.0, 0.0);
}

/// Impacts and misses of any size: scales are powers of two, which change nothing but the tolerance.
pub(crate) fn answers_over_the_whole_range(method: &impl Ccd) {
    for exponent in [-1074, -1000, -500, 500, 1000, 1021] {
        let scale = 2.0_f64.powi(exponent / 2) * 2.0_f64.powi(exponent - exponent / 2);
        for (hit, miss) in falling(2.0, 4.0).into_iter().zip(falling(4.0, 2.0)) {
            let scaled = |query: &Query| {
                let by = |points: &[P]| -> Vec<P> {
                    points.iter().map(|p| P::from(p.coords.map(|x| x.round() * scale))).collect()
                };
                rebuild(query, &by(query.start()), &by(query.end()))
            };
            let toi = impact(method, &scaled(&hit), 0.0).expect("hit");
            assert!(toi.time <= 0.5, "{exponent}");
            if exponent > -500 {
                assert_eq!(impact(method, &scaled(&miss), 0.0), None, "2^{exponent}");
                assert_eq!(impact(method, &scaled(&miss), scale), None, "2^{exponent}");
            }
            assert!(impact(method, &scaled(&miss), 4.0 * scale).is_some());
        }
    }
    let (low, high) = (P::new(-f64::MAX, -f64::MAX, -f64::MAX), P::new(f64::MAX, f64::MAX, f64::MAX));
    let tiny = P::new(5e-324, -5e-324, 0.0);
    for query in [
        Query::point_point([low, high], [high, low]),
        Query::point_edge([tiny, low, low], [tiny, high, high]),
        Query::point_triangle([low, tiny, tiny, tiny], [high, tiny, tiny, tiny]),
        Query::edge_edge([low, high, tiny, tiny], [low, high, tiny, tiny]),
    ] {
        let exact = impact(&Reference, &query, 0.0);
        let toi = impact(method, &query, 0.0);
        assert!(
            exact.is_none_or(|exact| toi.is_some_and(|toi| toi.time <= exact.time + exact.gap)),
            "{query:?}"
        );
    }
}

fn rebuild(query: &Query, start: &[P], end: &[P]) -> Query {
    match query {
        Query::PointPoint(_) => Query::point_point([0, 1].map(|k| start[k]), [0, 1].map(|k| end[k])),
        Query::PointEdge(_) => Query::point_edge([0, 1, 2].map(|k| start[k]), [0, 1, 2].map(|k| end[k])),
        Query::PointTriangle(_) => {
            Query::point_triangle([0, 1, 2, 3].map(|k| start[k]), [0, 1, 2, 3].map(|k| end[k]))
        }
        Query::EdgeEdge(_) => Query::edge_edge([0, 1, 2, 3].map(|k| start[k]), [0, 1, 2, 3].map(|k| end[k])),
    }
}

pub(crate) fn refuses_what_has_no_answer(method: &impl Ccd) {
    let query = Query::point_point([P::origin(), P::new(f64::NAN, 0.0, 0.0)], [P::origin(); 2]);
    assert!(matches!(method.impact(&query, 0.0), Err(CcdError::NotFinite(_))));
    for distance in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(method.impact(&falling_point(1.0, 1.0), distance), Err(CcdError::Distance(_))));
    }
}

/// Small dyadic numbers: all sums and products below are exact.
fn lattice() -> impl Strategy<Value = Vector3<f64>> {
    proptest::array::uniform3(-4..=4i32).prop_map(|v| Vector3::from(v.map(f64::from)))
}

/// A number moved by a few units in the last place, or by a small amount of any size.
fn nudge() -> impl Strategy<Value = f64> {
    let small = || (-17.0..-3.0f64).prop_map(|e| 10.0_f64.powf(e));
    let units = (-3..=3i32).prop_map(|k| f64::from(k) * f64::EPSILON);
    prop_oneof![4 => Just(0.0), 1 => units, 1 => small(), 1 => small().prop_map(|x| -x)]
}

/// Primitives that touch exactly at the time `k / 8`, in any kind of contact, degenerate shapes and standing
/// still included.
fn touching() -> impl Strategy<Value = (Query, f64)> {
    let eighth = || (0..=8i32).prop_map(|k| f64::from(k) / 8.0);
    let motion = proptest::array::uniform4((lattice(), lattice()));
    (0..4usize, motion, eighth(), eighth(), eighth()).prop_map(|(kind, motion, time, u, v)| {
        let weights = match kind {
            0 => [1.0, -1.0, 0.0, 0.0],
            1 => [1.0, u - 1.0, -u, 0.0],
            2 => [1.0, -(1.0 - u) * (1.0 - v), -u * (1.0 - v), -v],
            _ => [1.0 - u, u, v - 1.0, -v],
        };
        let at = |time: f64| motion.map(|(from, velocity)| from + velocity * time);
        // Moves all of the first primitive so that the two points of contact coincide at the time.
        let apart = at(time).iter().zip(weights).fold(Vector3::zeros(), |sum, (p, w)| sum + p * w);
        let first = if kind == 3 { 2 } else { 1 };
        let corner = |k: usize, t: f64| P::from(at(t)[k] - if k < first { apart } else { Vector3::zeros() });
        let ends = [0.0, 1.0].map(|t| [0, 1, 2, 3].map(|k| corner(k, t)));
        let template = falling(1.0, 1.0)[kind];
        (rebuild(&template, &ends[0], &ends[1]), time)
    })
}

fn cases(cases: u32) -> TestRunner {
    // The macro names the source for the file of failures, a runner does not.
    TestRunner::new(ProptestConfig { cases, source_file: Some(file!()), ..ProptestConfig::default() })
}

/// Flat shapes around the origin, given as integers with all their digits, next to whose plane every height
/// is rounding.
pub(crate) fn finds_the_origin_within_flat_shapes(method: &impl Ccd) {
    let digits = || {
        proptest::array::uniform3(-(1_i64 << 51)..1_i64 << 51)
            .prop_map(|v| Vector3::from(v.map(|x| x as f64)))
    };
    cases(4096)
        .run(&(digits(), digits()), |(a, b)| {
            // The middle of the triangle is the origin, the point; the middles of the edges, both, are the
            // origin.
            let point_triangle = [P::origin(), P::from(a), P::from(b), P::from(-(a + b))];
            let edges = [P::from(a), P::from(-a), P::from(b), P::from(-b)];
            for query in
                [Query::point_triangle(point_triangle, point_triangle), Query::edge_edge(edges, edges)]
            {
                let toi = impact(method, &query, 0.0);
                prop_assert!(toi.is_some_and(|toi| toi.time == 0.0), "{:?}: {:?}", toi, query);
            }
            Ok(())
        })
        .unwrap();
}

/// Points that meet on an axis at times that no number represents: the last bits of the time are on the
/// safe side.
pub(crate) fn is_not_late_by_one_bit(method: &impl Ccd) {
    cases(4096)
        .run(&(0.0..1.0f64, -1.0..0.0f64), |(from, to)| {
            let query = Query::point_point(
                [P::new(from, 0.0, 0.0), P::origin()],
                [P::new(to, 0.0, 0.0), P::origin()],
            );
            let exact = impact(&Reference, &query, 0.0).expect("they meet");
            let toi = impact(method, &query, 0.0);
            let in_time = toi.is_some_and(|toi| toi.time <= exact.time + exact.gap);
            prop_assert!(in_time, "{:?} but {:?}: {:?}", toi, exact, query);
            Ok(())
        })
        .unwrap();
}

pub(crate) fn finds_made_up_touches(method: &impl Ccd) {
    cases(4096)
        .run(&touching(), |(query, time)| {
            let toi = impact(method, &query, 0.0);
            prop_assert!(toi.is_some_and(|toi| toi.time <= time), "{:?} but {} {:?}", toi, time, query);
            Ok(())
        })
        .unwrap();
}

/// Touches whose corners are then moved by next to nothing, judged by exact arithmetic.
pub(crate) fn agrees_with_the_reference_near_touches(method: &impl Ccd) {
    let nudges = proptest::collection::vec(nudge(), 24);
    let distance = prop_oneof![2 => Just(0.0), 1 => (-17.0..0.0f64).prop_map(|e| 10.0_f64.powf(e))];
    cases(1024)
        .run(&(touching(), nudges, distance), |((query, _), nudges, distance)| {
            let mut nudge = nudges.into_iter();
            let mut moved = |points: &[P]| -> Vec<P> {
                points.iter().map(|p| P::from(p.coords.map(|x| x + nudge.next().unwrap_or(0.0)))).collect()
            };
            let query = rebuild(&query, &moved(query.start()), &moved(query.end()));
            let (exact, toi) = (impact(&Reference, &query, distance), impact(method, &query, distance));
            if let Some(exact) = exact {
                let in_time = toi.is_some_and(|toi| toi.time <= exact.time + exact.gap);
                prop_assert!(in_time, "{:?} but {:?}: {} {:?}", toi, exact, distance, query);
            }
            Ok(())
        })
        .unwrap();
}

/// The distance at a time by the closest points of `cloth_geom`, within 64 units of the extent.
pub(crate) fn distance_at(query: &Query, time: f64) -> f64 {
    let c: Vec<P> = query.start().iter().zip(query.end()).map(|(a, b)| a + (b - a) * time).collect();
    match query {
        Query::PointPoint(_) => (c[1] - c[0]).norm(),
        Query::PointEdge(_) => cloth_geom::closest::point_segment(&c[0], &c[1], &c[2]).distance_sq.sqrt(),
        Query::PointTriangle(_) => {
            cloth_geom::closest::point_triangle(&c[0], [&c[1], &c[2], &c[3]]).distance_sq.sqrt()
        }
        Query::EdgeEdge(_) => {
            cloth_geom::closest::segment_segment([&c[0], &c[1]], [&c[2], &c[3]]).distance_sq.sqrt()
        }
    }
}

/// Motions of corners within a box of 2 m, of each kind.
fn random_motion() -> impl Strategy<Value = Query> {
    let corners =
        proptest::array::uniform8(proptest::array::uniform3(-1.0..1.0f64)).prop_map(|p| p.map(P::from));
    (0..4usize, corners).prop_map(|(kind, p)| rebuild(&falling(1.0, 1.0)[kind], &p[..4], &p[4..]))
}

pub(crate) fn for_random_motions(check_answer: impl Fn(&Query)) {
    cases(2048)
        .run(&random_motion(), |query| {
            check_answer(&query);
            Ok(())
        })
        .unwrap();
}

/// A difference that does not turn sweeps a prism, and a point outside is beyond one of its faces: one
/// evaluation is enough.
pub(crate) fn proves_translations_free_in_one_evaluation(method: &impl Ccd) {
    let free = Cell::new(0);
    for_random_motions(|query| {
        let start = query.start();
        let (first, second) =
            (query.end()[0] - start[0], query.end()[start.len() - 1] - start[start.len() - 1]);
        let moved = |k: usize| start[k] + if k < query.first_corners() { first } else { second };
        let query = rebuild(query, start, &(0..start.len()).map(moved).collect::<Vec<_>>());
        if impact(&Reference, &query, 1e-6).is_none() {
            free.set(free.get() + 1);
            assert_eq!(impact(method, &query, 0.0), None, "{query:?}");
        }
    });
    assert!(free.get() > 1000, "{}", free.get());
}

/// Asks for a little more than the least distance that dense sampling finds: a hit that is all but a miss.
pub(crate) fn finds_what_dense_sampling_finds(method: &impl Ccd) {
    let margin = (-12.0..-2.0f64).prop_map(|e| 10.0_f64.powf(e));
    cases(512)
        .run(&(random_motion(), margin), |(query, margin)| {
            let samples: Vec<f64> = (0..=500).map(|k| distance_at(&query, f64::from(k) / 500.0)).collect();
            let least = samples.iter().copied().fold(f64::INFINITY, f64::min);
            // No two points are farther apart than 3.5 m; another unit of 1 m for each coordinate's place at
            // the time.
            let rounding = (64.0 * 3.5 + 8.0) * 0.5 * f64::EPSILON;
            let distance = least * (1.0 + margin) + rounding;
            let first = samples.iter().position(|&sample| sample + rounding <= distance).expect("the least");
            let toi = impact(method, &query, distance);
            let sampled = first as f64 / 500.0;
            prop_assert!(toi.is_some_and(|toi| toi.time <= sampled), "{:?} but {} {:?}", toi, sampled, query);
            Ok(())
        })
        .unwrap();
}
