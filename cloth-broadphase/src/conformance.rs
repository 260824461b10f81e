//! The contract of [`BroadPhase`] as a test suite: every answer equals that of [`BruteForce`].
//!
//! `conformance_suite!(name, method)` generates a module with one `#[test]` per case; each begins with a copy
//! of the method. Agreement: equal set, and each pair visited once.
//!
//! ```
//! use cloth_broadphase::BlockTree;
//!
//! cloth_broadphase::conformance_suite!(block_tree, BlockTree::default());
//! ```

mod worlds;

use cloth_geom::Aabb;
use nalgebra::{Point3, Vector3};
use proptest::test_runner::{Config, TestRunner};

use crate::{Boxes, BroadPhase, BruteForce, GroupTable, Members, PairFilter, Pairs};

/// Stamps the conformance suite on a method, a value that implements [`BroadPhase`]:
/// `conformance_suite!(name, method)`.
#[macro_export]
macro_rules! conformance_suite {
    ($name:ident, $method:expr) => {
        $crate::conformance_suite!(@cases $name, $method;
            agrees_with_brute_force_in_every_world,
            agrees_while_boxes_move_come_and_go,
            agrees_under_filters,
            finds_nothing_among_nothing,
            finds_no_pair_of_one_box,
            finds_all_pairs_of_equal_boxes,
            finds_boxes_that_touch_and_none_that_almost_do,
            agrees_on_thousands_of_boxes,
            agrees_on_crowds_of_every_kind,
            finds_a_giant_among_thousands_of_tiny_ones,
            keeps_coordinates_tiny_and_huge_apart,
            survives_the_greatest_coordinates);
    };
    (@cases $name:ident, $method:expr; $($case:ident),*) => {
        mod $name {
            #[allow(unused_imports)]
            use super::*;
            $(
                #[test]
                fn $case() {
                    $crate::conformance::$case(&$method);
                }
            )*
        }
    };
}

/// Self pairs as visited, sorted, so that a pair visited twice shows.
fn visited_self_pairs<B: BroadPhase>(broad_phase: &B, filter: &PairFilter<'_>) -> Vec<[u32; 2]> {
    let mut found = Vec::new();
    broad_phase.visit_self_pairs(filter, &mut |a, b| found.push([a, b]));
    found.sort_unstable();
    found
}

fn visited_pairs_with<B: BroadPhase>(
    broad_phase: &B,
    other: &Boxes,
    filter: &PairFilter<'_>,
) -> Vec<[u32; 2]> {
    let mut found = Vec::new();
    broad_phase.visit_pairs_with(other, filter, &mut |a, b| found.push([a, b]));
    found.sort_unstable();
    found
}

/// Asserts that all answers about an updated broad phase equal the reference's.
fn assert_agrees<B: BroadPhase>(tested: &B, boxes: &Boxes, other: &Boxes, filter: &PairFilter<'_>) {
    let mut reference = BruteForce::default();
    reference.update(boxes);
    let self_pairs = visited_self_pairs(&reference, filter);
    assert_same(&visited_self_pairs(tested, filter), &self_pairs, || format!("self pairs of {boxes:?}"));
    let pairs_with = visited_pairs_with(&reference, other, filter);
    let what = || format!("{boxes:?} with {other:?}");
    assert_same(&visited_pairs_with(tested, other, filter), &pairs_with, what);
    let mut out = Pairs::new();
    tested.self_pairs(filter, &mut out);
    assert_same(out.as_slice(), &self_pairs, || "collected self pairs".into());
    tested.pairs_with(other, filter, &mut out);
    assert_same(out.as_slice(), &pairs_with, || "collected pairs with another set".into());
}

/// Names the first pair that differs; the boxes only of a small set, which can be read.
fn assert_same(found: &[[u32; 2]], expected: &[[u32; 2]], what: impl Fn() -> String) {
    let Some(at) = (0..found.len().max(expected.len())).find(|&i| found.get(i) != expected.get(i)) else {
        return;
    };
    let what = if expected.len() < 2000 { what() } else { "a large set".into() };
    panic!("pair {at} is {:?} instead of {:?}: {what}", found.get(at), expected.get(at));
}

fn updated<B: BroadPhase>(method: &B, boxes: &Boxes) -> B {
    let mut broad_phase = method.clone();
    broad_phase.update(boxes);
    broad_phase
}

fn check<S: proptest::strategy::Strategy>(strategy: S, test: impl Fn(S::Value)) {
    // The macro names the source for the file of failures, a runner does not.
    let config = Config { cases: 256, source_file: Some(file!()), ..Config::default() };
    let outcome = TestRunner::new(config).run(&strategy, |value| {
        test(value);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

fn cube(corner: [f64; 3], side: f64) -> Aabb {
    let min = Point3::from(corner);
    Aabb { min, max: min + Vector3::repeat(side) }
}

fn boxes(items: impl IntoIterator<Item = Aabb>) -> Boxes {
    Boxes::try_from_iter(items).expect("the suite makes valid boxes")
}

/// Random worlds: clustered, coplanar, equal, a giant among the tiny, far away, nine orders of magnitude.
pub fn agrees_with_brute_force_in_every_world<B: BroadPhase>(method: &B) {
    check((worlds::world(), worlds::world()), |(own, other)| {
        assert_agrees(&updated(method, &own), &own, &other, &PairFilter::all());
        assert_agrees(&updated(method, &own), &own, &own, &PairFilter::all());
    });
}

/// The broad phase is updated with unrelated and with slightly moved states.
pub fn agrees_while_boxes_move_come_and_go<B: BroadPhase>(method: &B) {
    check(worlds::sequence(), |states| {
        let mut broad_phase = method.clone();
        for state in &states {
            broad_phase.update(state);
            assert_agrees(&broad_phase, state, &states[0], &PairFilter::all());
        }
    });
}

/// Filters by shared vertices and by groups, alone and together.
pub fn agrees_under_filters<B: BroadPhase>(method: &B) {
    check((worlds::world(), worlds::world()), |(own, other)| {
        let faces: Vec<[u32; 3]> = (0..64).map(|i| [i, i * 5 % 11, i * 7 % 13]).collect();
        let edges: Vec<[u32; 2]> = (0..64).map(|i| [i * 3 % 17, i]).collect();
        let groups: Vec<u16> = (0..64).map(|i| i * 5 % 3).collect();
        let table = GroupTable::all_interact(3).ignoring(0, 2).ignoring(1, 1);
        let broad_phase = updated(method, &own);
        for (a, b) in [
            (Members::Faces(&faces), Members::Faces(&faces)),
            (Members::Faces(&faces), Members::Edges(&edges)),
            (Members::Points(64), Members::Faces(&faces)),
        ] {
            let members = PairFilter::no_shared_vertex(a, b);
            assert_agrees(&broad_phase, &own, &other, &members);
            assert_agrees(&broad_phase, &own, &other, &members.with_groups(&groups, &groups, &table));
        }
    });
}

/// Empty input on either side.
pub fn finds_nothing_among_nothing<B: BroadPhase>(method: &B) {
    let (none, one) = (Boxes::new(), boxes([cube([0.0; 3], 1.0)]));
    assert_agrees(method, &none, &one, &PairFilter::all());
    assert_agrees(&updated(method, &none), &none, &one, &PairFilter::all());
    assert_agrees(&updated(method, &one), &one, &none, &PairFilter::all());
}

/// One box has no self pairs, and meets another set where it should.
pub fn finds_no_pair_of_one_box<B: BroadPhase>(method: &B) {
    let one = boxes([cube([0.0; 3], 1.0)]);
    let broad_phase = updated(method, &one);
    assert!(visited_self_pairs(&broad_phase, &PairFilter::all()).is_empty());
    let other = boxes([cube([2.0, 0.0, 0.0], 1.0), cube([0.5; 3], 1.0)]);
    assert_eq!(visited_pairs_with(&broad_phase, &other, &PairFilter::all()), [[0, 1]]);
}

/// Equal boxes, which no split separates and which all overlap; also equal boxes without extent.
pub fn finds_all_pairs_of_equal_boxes<B: BroadPhase>(method: &B) {
    for side in [1.0, 0.0] {
        for count in [2, 3, 50] {
            let equal = boxes((0..count).map(|_| cube([3.0, -1.0, 0.25], side)));
            let broad_phase = updated(method, &equal);
            let pairs = visited_self_pairs(&broad_phase, &PairFilter::all());
            assert_eq!(pairs.len(), count * (count - 1) / 2);
            assert_agrees(&broad_phase, &equal, &equal, &PairFilter::all());
        }
    }
}

/// Closed boxes: a common face, edge or corner counts, the least gap that a number can express does not.
pub fn finds_boxes_that_touch_and_none_that_almost_do<B: BroadPhase>(method: &B) {
    for scale in [1e-20, 0.1, 1.0, 1e15] {
        let at = |k: [f64; 3]| cube(k.map(|c| c * scale), scale);
        let touching = boxes((0..27).map(|i| at([f64::from(i % 3), f64::from(i / 3 % 3), f64::from(i / 9)])));
        assert_agrees(&updated(method, &touching), &touching, &touching, &PairFilter::all());
        for axis in 0..3 {
            let low = cube([0.0; 3], scale);
            let (mut meets, mut misses) = (low, low);
            meets.min[axis] = low.max[axis];
            meets.max[axis] = 2.0 * scale;
            misses.min[axis] = low.max[axis].next_up();
            misses.max[axis] = 2.0 * scale;
            let set = boxes([low, meets, misses]);
            let found = visited_self_pairs(&updated(method, &set), &PairFilter::all());
            assert_eq!(found, [[0, 1], [1, 2]], "scale {scale}, axis {axis}");
            let found = visited_pairs_with(&updated(method, &boxes([low])), &set, &PairFilter::all());
            assert_eq!(found, [[0, 0], [0, 1]], "scale {scale}, axis {axis}");
        }
    }
}

/// Enough boxes that every level, block and chunk of a method is in use: a crumpled sheet, and a cloud of
/// boxes whose sides span nine orders of magnitude, each against itself and against the other.
pub fn agrees_on_thousands_of_boxes<B: BroadPhase>(method: &B) {
    let (sheet, cloud) = (worlds::crumpled_sheet(60), worlds::cloud(1500));
    for (own, other) in [(&sheet, &cloud), (&cloud, &sheet)] {
        let mut broad_phase = updated(method, other);
        broad_phase.update(own);
        assert_agrees(&broad_phase, own, other, &PairFilter::all());
    }
}

/// Equal numbers of boxes in clusters, in one plane, identical, and far from the origin, one kind after
/// another in one broad phase; queries with the set itself and with a part of it.
pub fn agrees_on_crowds_of_every_kind<B: BroadPhase>(method: &B) {
    let mut broad_phase = method.clone();
    for (kind, set) in worlds::crowds(1200) {
        broad_phase.update(&set);
        assert!(visited_self_pairs(&broad_phase, &PairFilter::all()).len() > 400, "{kind} boxes overlap");
        let part = boxes(set.as_slice().iter().copied().step_by(7));
        assert_agrees(&broad_phase, &set, &part, &PairFilter::all());
    }
}

/// One box over all others, and one at the end of the world: neither hides a pair of the others.
pub fn finds_a_giant_among_thousands_of_tiny_ones<B: BroadPhase>(method: &B) {
    let far = cube([1e15, -1e15, 1e15], 1.0);
    let items = worlds::cloud(1500)
        .as_slice()
        .iter()
        .copied()
        .chain([cube([-5.0; 3], 10.0), far])
        .collect::<Vec<_>>();
    let set = boxes(items);
    assert_agrees(&updated(method, &set), &set, &set, &PairFilter::all());
}

/// Neighbours at 1e-20 and at 1e15 in one set: no method may scale one of them away.
pub fn keeps_coordinates_tiny_and_huge_apart<B: BroadPhase>(method: &B) {
    let mut items = Vec::new();
    for scale in [1e-20, 1e15, -1e15] {
        items.extend((0..6).map(|i| cube([1.5 * scale * f64::from(i), scale, scale], scale.abs())));
        items.extend((0..6).map(|i| cube([0.75 * scale * f64::from(i), scale, scale], scale.abs() / 2.0)));
    }
    let set = boxes(items);
    assert_agrees(&updated(method, &set), &set, &set, &PairFilter::all());
}

/// Finite bounds whose differences, areas and sums are not finite.
pub fn survives_the_greatest_coordinates<B: BroadPhase>(method: &B) {
    let max = f64::MAX;
    let items = (0..12).map(|i| {
        let low = if i % 3 == 0 { -max } else { max / f64::from(i) };
        Aabb { min: Point3::new(low, -max, max / 2.0), max: Point3::new(max, max, max) }
    });
    let set = boxes(items.chain([cube([0.0; 3], 1.0), cube([-max; 3], 1.0), cube([max; 3], 0.0)]));
    let mut broad_phase = updated(method, &set);
    assert_agrees(&broad_phase, &set, &set, &PairFilter::all());
    broad_phase.update(&set);
    assert_agrees(&broad_phase, &set, &set, &PairFilter::all());
}
