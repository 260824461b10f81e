//! Transitive clusters of close vertices.
//!
//! A grid finds them in linear time after sorting, for any distribution. All points of a cell are within the
//! distance of each other and form one cluster; two cells are joined by the first pair that is near enough.
//! The grid is compressed along each axis: a gap wider than the distance counts as three cells, so that cell
//! numbers stay small and exact even for a distant vertex.

use crate::topology::disjoint_sets::DisjointSets;
use nalgebra::Point3;

/// Side of a cell over the weld distance: below `1 / sqrt(3)`, so that the diagonal is shorter than the
/// distance, by a margin (1.3 %) that dwarfs the rounding of cell numbers; above `1 / 2`, so that two cells
/// further is the reach.
const CELL_SIDE: f64 = 0.57;

/// How many cells apart two points within the distance can be along an axis: the ceiling of `1 / CELL_SIDE`.
const REACH: u64 = 2;

/// For each position the first position of its cluster: the closure of "at most `distance` (m) apart".
///
/// Positions that are not finite stay alone.
pub(super) fn weld_targets(positions: &[Point3<f64>], distance: f64) -> Vec<u32> {
    let mut cells = cells(positions, distance);
    cells.sort_unstable();
    let mut sets = DisjointSets::new(positions.len());
    let groups: Vec<&[Item]> = cells.chunk_by(|a, b| a.0 == b.0).collect();
    for group in &groups {
        group.iter().for_each(|item| sets.join(group[0].1, item.1));
    }
    let near = |a: &Item, b: &Item| {
        (positions[a.1 as usize] - positions[b.1 as usize]).norm_squared() <= distance * distance
    };
    for (i, group) in groups.iter().enumerate() {
        for other in neighbours(&groups, i) {
            let joined = sets.find(group[0].1) == sets.find(other[0].1);
            if !joined && group.iter().any(|a| other.iter().any(|b| near(a, b))) {
                sets.join(group[0].1, other[0].1);
            }
        }
    }
    (0..positions.len() as u32).map(|v| sets.find(v)).collect()
}

/// A cell and a vertex in it.
type Item = ([u64; 3], u32);

/// The cell of each finite position.
fn cells(positions: &[Point3<f64>], distance: f64) -> Vec<Item> {
    let finite = (0u32..).zip(positions).filter(|(_, p)| p.iter().all(|c| c.is_finite()));
    let mut items: Vec<Item> = finite.map(|(v, _)| ([0; 3], v)).collect();
    for axis in 0..3 {
        let at = |v: u32| positions[v as usize][axis];
        items.sort_unstable_by(|a, b| at(a.1).total_cmp(&at(b.1)));
        let (mut base, mut origin, mut previous) = (0, f64::NEG_INFINITY, f64::NEG_INFINITY);
        let mut cell = REACH; // leaves room for the reach below
        for (key, v) in &mut items {
            let c = at(*v);
            if c - previous > distance {
                (base, origin) = (cell + REACH + 1, c);
            }
            // No gap since the origin was wider than the distance, so the quotient is below twice the count.
            let offset = if c == origin { 0.0 } else { ((c - origin) / (CELL_SIDE * distance)).floor() };
            cell = base + offset as u64;
            key[axis] = cell;
            previous = c;
        }
    }
    items
}

/// The occupied cells within reach of cell `i` that come after it.
fn neighbours<'a>(groups: &'a [&'a [Item]], i: usize) -> impl Iterator<Item = &'a [Item]> {
    let [x, y, z] = groups[i][0].0;
    let columns = (x..=x + REACH).flat_map(move |cx| (y - REACH..=y + REACH).map(move |cy| (cx, cy)));
    columns.flat_map(move |(cx, cy)| {
        let start = groups[i + 1..].partition_point(|g| g[0].0 < [cx, cy, z - REACH]) + i + 1;
        groups[start..].iter().copied().take_while(move |g| g[0].0 <= [cx, cy, z + REACH])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The obvious method: every pair.
    fn brute_force(positions: &[Point3<f64>], distance: f64) -> Vec<u32> {
        let mut sets = DisjointSets::new(positions.len());
        for i in 0..positions.len() {
            for j in 0..i {
                if (positions[i] - positions[j]).norm_squared() <= distance * distance {
                    sets.join(i as u32, j as u32);
                }
            }
        }
        (0..positions.len() as u32).map(|v| sets.find(v)).collect()
    }

    fn on_a_line(x: &[f64]) -> Vec<Point3<f64>> {
        x.iter().map(|&x| Point3::new(x, 0.0, 0.0)).collect()
    }

    #[test]
    fn clusters_are_transitive_and_led_by_their_first_vertex() {
        let p = on_a_line(&[5.0, 2.0, 0.0, 1.0, 3.5, 5.0]);
        assert_eq!(weld_targets(&p, 1.0), [0, 1, 1, 1, 4, 0]);
        assert_eq!(weld_targets(&p, 1.5), [0; 6]);
    }

    #[test]
    fn measures_along_the_diagonal_and_not_by_axes() {
        // Off by k in each axis is k sqrt(3) apart: 0.577 is just within 1, 0.578 just beyond.
        for (k, welded) in [(0.577, 0), (0.578, 1), (0.69, 1), (0.99, 1)] {
            let p = [Point3::origin(), Point3::new(k, k, k)];
            assert_eq!(weld_targets(&p, 1.0), [0, welded], "{k}");
        }
    }

    #[test]
    fn distance_zero_welds_equal_positions_only() {
        let p = on_a_line(&[1.0, 1.0f64.next_up(), 1.0, 0.0, -0.0]);
        assert_eq!(weld_targets(&p, 0.0), [0, 1, 0, 3, 3]);
    }

    #[test]
    fn positions_that_are_not_finite_stay_alone() {
        let mut p = on_a_line(&[0.0, f64::NAN, f64::INFINITY, f64::INFINITY, 0.0, f64::MAX, -f64::MAX]);
        p[1].y = f64::NAN;
        assert_eq!(weld_targets(&p, 1.0), [0, 1, 2, 3, 0, 5, 6]);
    }

    #[test]
    fn a_flat_sheet_with_one_vertex_far_away_costs_no_quadratic_time() {
        // 90,000 vertices in one plane, a pair at each place, and one outlier: all pairs would take minutes.
        let mut p: Vec<_> = (0..90_000)
            .map(|i| Point3::new(0.25, f64::from(i / 2 % 300) * 0.01, f64::from(i / 600) * 0.01))
            .collect();
        p.push(Point3::new(1e30, 0.0, 0.0));
        let targets = weld_targets(&p, 1e-5);
        assert!((0..90_000).all(|v| targets[v as usize] == v / 2 * 2));
        assert_eq!(targets[90_000], 90_000);
    }

    proptest! {
        #[test]
        fn welds_the_same_clusters_as_every_pair_does(
            // A coarse lattice, so that distances tie with the weld distance often.
            raw in prop::collection::vec([0..24i32, 0..24i32, 0..6i32], 0..120),
            distance in prop_oneof![Just(0.0), Just(1.0), Just(2.0), 0.0..4.0f64],
            scale in prop_oneof![Just(1.0), Just(0.1), Just(1e-9), Just(1e9)],
        ) {
            let p: Vec<_> = raw.iter().map(|c| Point3::from(c.map(|c| f64::from(c) * scale))).collect();
            prop_assert_eq!(weld_targets(&p, distance * scale), brute_force(&p, distance * scale));
        }
    }
}
