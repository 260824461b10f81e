//! Random sets of boxes, of every kind that has hurt a broad phase.

use cloth_geom::Aabb;
use nalgebra::{Point3, Vector3};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::Boxes;

/// Most boxes in a world: enough for a few levels of a tree, few enough for all pairs.
const MOST: usize = 60;

/// Least corners and sides.
type Corners = Vec<([f64; 3], [f64; 3])>;

/// A set of up to [`MOST`] boxes of one of the kinds.
pub(super) fn world() -> BoxedStrategy<Boxes> {
    corners().prop_map(|items| assemble(&items)).boxed()
}

/// States of one set: several that differ from the last by a small motion, then one that is unrelated.
pub(super) fn sequence() -> BoxedStrategy<Vec<Boxes>> {
    let motion = vec(-0.3..0.3, 3 * MOST);
    (vec((corners(), motion), 1..4), 1..4usize)
        .prop_map(|(stages, steps)| {
            let moved = |(items, motion): &(Corners, Vec<f64>), step: usize| {
                let mut items = items.clone();
                for (i, (min, _)) in items.iter_mut().enumerate() {
                    for k in 0..3 {
                        min[k] += motion[3 * i + k] * (step * step) as f64;
                    }
                }
                assemble(&items)
            };
            let stages = stages.iter();
            stages.flat_map(|stage| (0..steps).map(move |step| moved(stage, step))).collect()
        })
        .boxed()
}

fn corners() -> BoxedStrategy<Corners> {
    let unit = || -1.0..1.0;
    prop_oneof![
        uniform(unit(), 0.0..0.4),
        // On a lattice, so that faces, edges and corners coincide.
        uniform((-3..4).prop_map(f64::from), (0..3).prop_map(f64::from)),
        clustered(),
        coplanar(),
        all_equal(),
        giant_among_tiny(),
        // A metre away from each other at a distance where a double resolves a millimetre.
        uniform(unit().prop_map(|c| 1e12 + c), 0.0..0.4),
        // Sides from a nanometre to a metre.
        uniform(unit(), (-9.0..0.0).prop_map(|e| 10f64.powf(e))),
        // Places over nine orders of magnitude.
        uniform(
            (unit(), -9.0..0.0).prop_map(|(c, e)| c * 10f64.powf(e)),
            (-9.0..0.0).prop_map(|e| 10f64.powf(e))
        ),
    ]
    .boxed()
}

fn uniform(
    place: impl Strategy<Value = f64> + 'static,
    side: impl Strategy<Value = f64> + 'static,
) -> BoxedStrategy<Corners> {
    vec((proptest::array::uniform3(place.boxed()), proptest::array::uniform3(side.boxed())), 0..MOST).boxed()
}

fn clustered() -> BoxedStrategy<Corners> {
    let offsets = uniform(-0.05..0.05, 0.0..0.05);
    let centres = vec(proptest::array::uniform3(-1.0..1.0f64), 1..4);
    (offsets, centres)
        .prop_map(|(mut items, centres)| {
            for (i, (min, _)) in items.iter_mut().enumerate() {
                let centre = centres[i % centres.len()];
                *min = [0, 1, 2].map(|k| min[k] + centre[k]);
            }
            items
        })
        .boxed()
}

fn coplanar() -> BoxedStrategy<Corners> {
    (uniform(-1.0..1.0, 0.0..0.4), 0..3usize)
        .prop_map(|(mut items, axis)| {
            for (min, side) in &mut items {
                (min[axis], side[axis]) = (0.5, 0.0);
            }
            items
        })
        .boxed()
}

fn all_equal() -> BoxedStrategy<Corners> {
    uniform(-1.0..1.0, 0.0..0.4)
        .prop_map(|items| {
            let first = items.first().copied();
            first.map_or(Vec::new(), |first| std::vec![first; items.len()])
        })
        .boxed()
}

fn giant_among_tiny() -> BoxedStrategy<Corners> {
    (uniform(-1.0..1.0, 0.0..1e-3), 0..MOST)
        .prop_map(|(mut items, at)| {
            let at = at.min(items.len());
            items.insert(at, ([-5.0; 3], [10.0; 3]));
            items.truncate(MOST);
            items
        })
        .boxed()
}

fn assemble(items: &Corners) -> Boxes {
    let aabb = |&(min, side): &([f64; 3], [f64; 3])| {
        let min = Point3::from(min);
        Aabb { min, max: min + Vector3::from(side) }
    };
    Boxes::try_from_iter(items.iter().map(aabb)).expect("sides are not negative")
}
