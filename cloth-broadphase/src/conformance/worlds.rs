//! Random sets of boxes, of every kind that has made a broad phase fail.

use cloth_geom::Aabb;
use nalgebra::{Point3, Vector3};
use proptest::collection::vec;
use proptest::prelude::*;
use rand_pcg::Pcg32;
use rand_pcg::rand_core::SeedableRng;

use crate::Boxes;

/// Most boxes in a world: enough for a few levels of a tree, few enough for all pairs.
const MAX: usize = 60;

/// Least corners and sides.
type Corners = Vec<([f64; 3], [f64; 3])>;

/// A set of up to [`MAX`] boxes of one of the kinds.
pub(super) fn world() -> BoxedStrategy<Boxes> {
    corners().prop_map(|items| assemble(&items)).boxed()
}

/// States of one set: several that differ from the last by a small motion, then one that is unrelated.
pub(super) fn sequence() -> BoxedStrategy<Vec<Boxes>> {
    let motion = vec(-0.3..0.3, 3 * MAX);
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
    vec((proptest::array::uniform3(place.boxed()), proptest::array::uniform3(side.boxed())), 0..MAX).boxed()
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
    (uniform(-1.0..1.0, 0.0..1e-3), 0..MAX)
        .prop_map(|(mut items, at)| {
            let at = at.min(items.len());
            items.insert(at, ([-5.0; 3], [10.0; 3]));
            items.truncate(MAX);
            items
        })
        .boxed()
}

/// The faces' boxes of a sheet of `n` x `n` vertices that is folded onto itself, the same each time.
pub(super) fn crumpled_sheet(n: usize) -> Boxes {
    let at = |i: usize| {
        let [x, z] = [i % n, i / n].map(|c| c as f64 / n as f64);
        // Triangle waves: folds without a transcendental.
        let fold = |t: f64| (t - (t + 0.5).floor()).abs();
        Point3::new(fold(2.0 * x), 0.1 * fold(7.0 * x + 3.0 * z), fold(1.5 * z + 0.2 * x))
    };
    let cells = (0..(n - 1) * (n - 1)).map(|i| i / (n - 1) * n + i % (n - 1));
    let faces = cells.flat_map(|v| [[v, v + 1, v + n], [v + 1, v + n, v + n + 1]]);
    Boxes::try_from_iter(faces.map(|face| Aabb::of_points(face.map(at)))).expect("finite")
}

/// Boxes in a cube of 2 m, most of them tiny, their sides from 1e-9 m to 1 m, the same each time.
pub(super) fn cloud(count: usize) -> Boxes {
    let mut unit = dice();
    let mut item = || {
        let corner = [0, 1, 2].map(|_| 2.0 * unit() - 1.0);
        // Half of them crowd in a corner, a millionth as wide.
        let scale = if unit() < 0.5 { 1e-6 } else { 1.0 };
        let side = scale * 1e-9f64.powf(unit());
        (corner.map(|c| c * scale), [side, side * unit(), side * unit()])
    };
    assemble(&(0..count).map(|_| item()).collect())
}

/// Many boxes of the kinds of [`world`] that a method may handle by another path when they are many: in four
/// clusters, in one plane, equal, and far from the origin; the same each time.
pub(super) fn crowds(count: usize) -> [(&'static str, Boxes); 4] {
    let mut unit = dice();
    let mut items = |place: &dyn Fn(usize, [f64; 3]) -> [f64; 3], side: f64| -> Corners {
        let mut item =
            |i| (place(i, [unit(), unit(), unit()]), [side * unit(), side * unit(), side * unit()]);
        (0..count).map(&mut item).collect()
    };
    let clustered = items(&|i, at| at.map(|c| 0.1 * c + (i % 4) as f64), 0.02);
    let mut coplanar = items(&|_, at| [at[0], 0.5, at[2]], 0.05);
    coplanar.iter_mut().for_each(|(_, side)| side[1] = 0.0);
    let equal = vec![([0.3, -7.0, 2.0], [0.1, 0.0, 3.0]); count / 3];
    // A double resolves a millimetre there.
    let far = items(&|_, at| [1e12 + at[0], at[1] - 1e12, 1e12 + at[2]], 0.2);
    [("clustered", clustered), ("coplanar", coplanar), ("equal", equal), ("far", far)]
        .map(|(kind, items)| (kind, assemble(&items)))
}

/// Pseudorandom numbers from 0 to 1, the same each time.
fn dice() -> impl FnMut() -> f64 {
    let mut random = Pcg32::seed_from_u64(1);
    move || f64::from(random.next_u32()) / 2f64.powi(32)
}

fn assemble(items: &Corners) -> Boxes {
    let aabb = |&(min, side): &([f64; 3], [f64; 3])| {
        let min = Point3::from(min);
        Aabb { min, max: min + Vector3::from(side) }
    };
    Boxes::try_from_iter(items.iter().map(aabb)).expect("sides are not negative")
}
