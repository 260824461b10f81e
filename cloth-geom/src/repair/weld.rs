//! Clusters of close vertices, none wider than a distance.
//!
//! ```text
//! chains of points that are near enough --narrow?--> one cluster
//!                                       \--else---> clusters, point by point along x
//! ```
//!
//! A grid finds the chains in linear time after sorting, for any distribution. All points of a cell are
//! within the distance of each other and of one chain; two cells are joined by the first pair that is near
//! enough. The grid is compressed along each axis: a gap wider than the distance counts as three cells, so
//! that cell numbers stay small and exact even for a distant vertex.
//!
//! Which points become one depends on where they are and not on their numbers.

use std::collections::HashMap;

use crate::Aabb;
use crate::topology::disjoint_sets::DisjointSets;
use nalgebra::Point3;

/// Side of a cell over the weld distance: below `1 / sqrt(3)`, so that the diagonal is shorter than the
/// distance, by a margin (1.3 %) that dwarfs the rounding of cell numbers; above `1 / 2`, so that two cells
/// further is the reach.
const CELL_SIDE: f64 = 0.57;

/// How many cells apart two points within the distance can be along an axis: the ceiling of `1 / CELL_SIDE`.
const REACH: u64 = 2;

/// Up to so many points, all pairs are measured; of more, their box is. Seams have a handful at one place.
const FEW: usize = 64;

/// For each position the first position of its cluster, in which no two are farther apart than `distance`
/// (m).
///
/// Points that chains of points "at most `distance` apart" connect are one cluster if the chain is as narrow
/// as that. Otherwise they are taken by x, y and z, and each joins the first cluster that it fits into.
/// Positions that are not finite stay alone.
pub(super) fn weld_targets(positions: &[Point3<f64>], distance: f64) -> Vec<u32> {
    let mut cells = cells(positions, distance);
    cells.sort_unstable();
    let mut sets = chains(&cells, positions, distance);
    let mut members: Vec<(u32, u32)> = cells.iter().map(|&(_, v)| (sets.find(v), v)).collect();
    members.sort_unstable();
    let mut targets: Vec<u32> = (0..positions.len() as u32).collect();
    let mut cell_of = Vec::new();
    for chain in members.chunk_by(|a, b| a.0 == b.0).filter(|chain| chain.len() > 1) {
        let points = chain.iter().map(|&(_, v)| positions[v as usize]);
        if Cluster::from_points(points).is_within(distance) {
            chain.iter().for_each(|&(first, v)| targets[v as usize] = first);
            continue;
        }
        if cell_of.is_empty() {
            cell_of.resize(positions.len(), [0; 3]);
            cells.iter().for_each(|&(cell, v)| cell_of[v as usize] = cell);
        }
        let chain: Vec<u32> = chain.iter().map(|&(_, v)| v).collect();
        for cluster in split(chain, positions, &cell_of, distance) {
            let first = cluster.iter().copied().min().unwrap_or_default();
            cluster.into_iter().for_each(|v| targets[v as usize] = first);
        }
    }
    targets
}

/// The closure of "at most `distance` apart".
fn chains(cells: &[Item], positions: &[Point3<f64>], distance: f64) -> DisjointSets {
    let mut sets = DisjointSets::new(positions.len());
    let groups: Vec<&[Item]> = cells.chunk_by(|a, b| a.0 == b.0).collect();
    for group in &groups {
        group.iter().for_each(|item| sets.join(group[0].1, item.1));
    }
    let near = |a: &Item, b: &Item| within(&positions[a.1 as usize], &positions[b.1 as usize], distance);
    for (i, group) in groups.iter().enumerate() {
        for other in neighbours(&groups, i) {
            let joined = sets.find(group[0].1) == sets.find(other[0].1);
            if !joined && group.iter().any(|a| other.iter().any(|b| near(a, b))) {
                sets.join(group[0].1, other[0].1);
            }
        }
    }
    sets
}

/// Whether two points are at most a distance apart.
fn within(a: &Point3<f64>, b: &Point3<f64>, distance: f64) -> bool {
    let (way, square) = (a - b, distance * distance);
    if distance == 0.0 {
        a == b
    } else if square.is_normal() {
        way.norm_squared() <= square
    } else {
        // Squares that are no numbers any more: as a share of the distance.
        (way / distance).norm_squared() <= 1.0
    }
}

/// Points of different positions that may become one.
struct Cluster {
    bounds: Aabb,
    points: Vec<Point3<f64>>,
}

impl Cluster {
    fn from_points(points: impl Iterator<Item = Point3<f64>> + Clone) -> Self {
        let bounds = Aabb::of_points(points.clone());
        Self { bounds, points: points.take(FEW + 1).collect() }
    }

    /// Whether it is certain that no two of its points are farther apart than a distance: of many points only
    /// if their box is no wider. What is rounded grows with what is measured, so a box never passes for less.
    fn is_within(&self, distance: f64) -> bool {
        let is_few = self.points.len() <= FEW;
        let all_near = || {
            let mut points = self.points.iter().enumerate();
            points.all(|(i, a)| self.points[..i].iter().all(|b| within(a, b, distance)))
        };
        within(&self.bounds.min, &self.bounds.max, distance) || is_few && all_near()
    }

    /// Takes a point if it is certain that it is near enough to all others.
    fn take(&mut self, p: Point3<f64>, distance: f64) -> bool {
        let bounds = Aabb::of_points([self.bounds.min, self.bounds.max, p]);
        let is_few = self.points.len() <= FEW;
        let all_near = || is_few && self.points.iter().all(|q| within(&p, q, distance));
        let takes = within(&bounds.min, &bounds.max, distance) || all_near();
        if takes {
            self.bounds = bounds;
            if is_few {
                self.points.push(p);
            }
        }
        takes
    }
}

/// Divides a chain that is too long to be one cluster.
fn split(
    mut chain: Vec<u32>,
    positions: &[Point3<f64>],
    cell_of: &[[u64; 3]],
    distance: f64,
) -> Vec<Vec<u32>> {
    let place = |v: u32| positions[v as usize];
    // Adding zero makes the two zeros one.
    let key = |v: u32| <[f64; 3]>::from(place(v)).map(|c| c + 0.0);
    chain.sort_by(|&a, &b| {
        let (a, b) = (key(a), key(b));
        (0..3).map(|k| a[k].total_cmp(&b[k])).find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
    });
    let mut clusters: Vec<Cluster> = Vec::new();
    let mut members: Vec<Vec<u32>> = Vec::new();
    let mut begun_in: HashMap<[u64; 3], Vec<usize>> = HashMap::new();
    for same in chain.chunk_by(|&a, &b| place(a) == place(b)) {
        let cell = cell_of[same[0] as usize];
        let mut near: Vec<usize> = around(cell).filter_map(|c| begun_in.get(&c)).flatten().copied().collect();
        near.sort_unstable();
        let p = place(same[0]);
        let fits = near.into_iter().find(|&c| clusters[c].take(p, distance));
        let cluster = fits.unwrap_or_else(|| {
            begun_in.entry(cell).or_default().push(clusters.len());
            clusters.push(Cluster::from_points(std::iter::once(p)));
            members.push(Vec::new());
            clusters.len() - 1
        });
        members[cluster].extend(same);
    }
    members
}

/// The cells within reach of a cell.
fn around([x, y, z]: [u64; 3]) -> impl Iterator<Item = [u64; 3]> {
    let side = |c: u64| c - REACH..=c + REACH;
    side(x).flat_map(move |x| side(y).flat_map(move |y| side(z).map(move |z| [x, y, z])))
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

    /// The obvious closure: every pair.
    fn chains_of_every_pair(positions: &[Point3<f64>], distance: f64) -> Vec<u32> {
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

    /// The vertices by their targets.
    fn clusters(targets: &[u32]) -> Vec<Vec<usize>> {
        let mut clusters = vec![Vec::new(); targets.len()];
        targets.iter().enumerate().for_each(|(v, &target)| clusters[target as usize].push(v));
        clusters.retain(|cluster| !cluster.is_empty());
        clusters
    }

    fn on_a_line(x: &[f64]) -> Vec<Point3<f64>> {
        x.iter().map(|&x| Point3::new(x, 0.0, 0.0)).collect()
    }

    #[test]
    fn a_cluster_is_led_by_its_first_vertex() {
        let p = on_a_line(&[5.0, 2.0, 0.0, 1.0, 3.5, 5.0]);
        assert_eq!(weld_targets(&p, 1.0), [0, 1, 2, 2, 4, 0]);
        assert_eq!(weld_targets(&p, 1.5), [0, 1, 2, 2, 1, 0]);
        assert_eq!(weld_targets(&p, 5.0), [0; 6]);
    }

    #[test]
    fn chains_join_no_points_beyond_the_distance() {
        let lattice: Vec<_> =
            (0..900).map(|i| Point3::new(f64::from(i / 30), f64::from(i % 30), 0.0)).collect();
        let targets = weld_targets(&lattice, 2.5);
        let far = (0..900).filter(|&v| (lattice[v] - lattice[targets[v] as usize]).norm() > 2.5);
        assert_eq!(far.count(), 0);
        assert!(clusters(&targets).len() > 900 / 9, "two by three points at most");
        assert_eq!(weld_targets(&lattice, 1e300), [0; 900]);
    }

    #[test]
    fn distances_whose_squares_are_no_numbers_are_kept() {
        let far = on_a_line(&[0.0, 1e200, 2e160]);
        assert_eq!(weld_targets(&far, 3e160), [0, 1, 0]);
        let near = on_a_line(&[0.0, 3e-200, 1e-200]);
        assert_eq!(weld_targets(&near, 2e-200), [0, 1, 0]);
        assert_eq!(weld_targets(&near, 0.0), [0, 1, 2]);
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
        fn clusters_are_narrow_and_the_same_in_any_order(
            // A coarse lattice, so that distances tie with the weld distance often.
            raw in prop::collection::vec([0..24i32, 0..24i32, 0..6i32], 0..120),
            distance in prop_oneof![Just(0.0), Just(1.0), Just(2.0), 0.0..4.0f64],
            scale in prop_oneof![Just(1.0), Just(0.1), Just(1e-9), Just(1e9)],
        ) {
            let p: Vec<_> = raw.iter().map(|c| Point3::from(c.map(|c| f64::from(c) * scale))).collect();
            let distance = distance * scale;
            let near = |&a: &usize, &b: &usize| (p[a] - p[b]).norm_squared() <= distance * distance;
            let is_narrow = |all: &[usize]| all.iter().all(|a| all.iter().all(|b| near(a, b)));
            let found = clusters(&weld_targets(&p, distance));
            prop_assert!(found.iter().all(|cluster| is_narrow(cluster)));
            for chain in clusters(&chains_of_every_pair(&p, distance)) {
                let inside = found.iter().filter(|cluster| cluster.iter().any(|v| chain.contains(v)));
                prop_assert!(inside.clone().all(|cluster| cluster.iter().all(|v| chain.contains(v))));
                prop_assert!(inside.count() == 1 || chain.len() > FEW || !is_narrow(&chain));
            }
            let turned: Vec<_> = p.iter().rev().copied().collect();
            let mut other = clusters(&weld_targets(&turned, distance));
            other.iter_mut().flatten().for_each(|v| *v = p.len() - 1 - *v);
            other.iter_mut().for_each(|cluster| cluster.reverse());
            other.sort_unstable();
            prop_assert_eq!(found, other);
        }
    }
}
