//! The filtered method gives the verdict of the reference, and a time within its contract, on queries that
//! aim at contact.
//!
//! `PROPTEST_CASES` sets how many of each kind; without it there are 1,000. What fails is made simpler by
//! proptest, and printed as code that can be pasted as a named test.

use std::fmt;

use cloth_ccd::conformance::{
    Agreement, ChoiceSequence, EXTREMES, FAMILIES, Family, QueryKind, check_answer, code,
};
use cloth_ccd::{Ccd, CcdError, Filtered, Query, Reference, Toi};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestError, TestRng, TestRunner};

use crate::stamps::{FILTERED, TIGHT};

/// A query and where it comes from; printed as code.
#[derive(Clone, Copy)]
struct Drawn {
    family: &'static str,
    query: Query,
}

impl fmt::Debug for Drawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:\n{}", self.family, code(&self.query))
    }
}

/// All families alike, but the extreme ones, on which the reference takes a thousand times as long, once in
/// forty and once in two hundred times.
fn drawn(kind: QueryKind) -> impl Strategy<Value = Drawn> {
    let family = |k: usize| -> Family {
        let [wide, wild] = EXTREMES;
        match k {
            0..194 => FAMILIES[k % FAMILIES.len()],
            194..199 => wide,
            _ => wild,
        }
    };
    (0usize..200, prop::collection::vec(any::<u32>(), ChoiceSequence::LENGTH)).prop_map(
        move |(k, choices)| {
            let family = family(k);
            Drawn { family: family.name, query: family.query(kind, &mut ChoiceSequence::new(choices)) }
        },
    )
}

fn run(
    runner: TestRunner,
    kind: QueryKind,
    methods: &[(&dyn Ccd, Agreement)],
) -> Result<(), Box<TestError<Drawn>>> {
    let mut runner = runner;
    let property = |drawn: Drawn| check_answer(methods, &drawn.query, 0.0).map_err(TestCaseError::fail);
    runner.run(&drawn(kind), property).map_err(Box::new)
}

fn config() -> ProptestConfig {
    let config =
        ProptestConfig { source_file: Some(file!()), max_shrink_iters: 20_000, ..ProptestConfig::default() };
    let is_set = std::env::var_os("PROPTEST_CASES").is_some();
    ProptestConfig { cases: if is_set { config.cases } else { 1000 }, ..config }
}

fn agrees(kind: QueryKind) {
    let methods: [(&dyn Ccd, Agreement); 2] = [(&Filtered::default(), FILTERED), (&Filtered::tight(), TIGHT)];
    if let Err(failure) = run(TestRunner::new(config()), kind, &methods) {
        panic!("{failure}");
    }
}

#[test]
fn filtered_equals_reference_on_two_points() {
    agrees(QueryKind::PointPoint);
}

#[test]
fn filtered_equals_reference_on_points_and_edges() {
    agrees(QueryKind::PointEdge);
}

#[test]
fn filtered_equals_reference_on_points_and_triangles() {
    agrees(QueryKind::PointTriangle);
}

#[test]
fn filtered_equals_reference_on_pairs_of_edges() {
    agrees(QueryKind::EdgeEdge);
}

/// Sees nothing that happens at the very end.
struct BlindAtTheEnd;

impl Ccd for BlindAtTheEnd {
    fn impact(&self, query: &Query, distance: f64) -> Result<Option<Toi>, CcdError> {
        Ok(Reference.impact(query, distance)?.filter(|toi| toi.time < 1.0))
    }
}

#[test]
fn a_method_that_misses_is_caught_and_its_query_printed_as_code() {
    let always_the_same = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    // It fails on purpose, so its failures are not kept.
    let config = ProptestConfig { cases: 1000, failure_persistence: None, ..config() };
    let runner = TestRunner::new_with_rng(config, always_the_same);
    let failure = run(runner, QueryKind::PointPoint, &[(&BlindAtTheEnd, FILTERED)]).expect_err("it misses");
    let TestError::Fail(reason, drawn) = *failure else { panic!("no failure: {failure}") };
    assert!(reason.message().starts_with("a miss: None instead of Some([1.0, 1.0])"), "{reason}");
    assert!(format!("{drawn:?}").contains("Query::point_point("), "{drawn:?}");
    // Made simple.
    let zeros = drawn
        .query
        .start()
        .iter()
        .chain(drawn.query.end())
        .flat_map(|p| p.iter())
        .filter(|&&c| c == 0.0)
        .count();
    assert!(zeros >= 8, "{zeros} of 12 coordinates are zero: {drawn:?}");
}
