//! A bounding volume hierarchy: parry's tree, built once, refitted while the boxes move, rebuilt when it
//! decays.
//!
//! parry decides which boxes belong together; the nodes, their refit and the descent are our own, in the file
//! next to this one. Against parry's refit and traversal of the same tree (138,825 edges of cloth-ball) they
//! refit in 6 ms instead of 12, find pairs in the same time, and allocate nothing.
//!
//! **Building.** parry chooses its splits by volume, and every part of an axis-aligned flat sheet has none.
//! So the tree is built over boxes that are padded by half their mean longest side, and then refitted to the
//! exact ones: a flat 64 x 64 sheet is traversed in 0.74 ms instead of 0.95.
//!
//! **Refitting.** A tree of the flat sheet remains a good one while the cloth rolls, folds, twists or is
//! squashed: measured in node tests against a fresh tree of the same pose it costs 0.84 to 1.08 of it, and up
//! to 1.37 for a 1 m sheet whose vertices are displaced by 0.2 m to and fro. The mesh's own neighbourhood is
//! nearly the best hierarchy. So the first update had better see the sheet at rest.
//!
//! **Rebuilding.** Refitting cannot compensate a change of neighbours, which increases the areas of the
//! nodes: `looseness = inner / (leaves + root)`. Boxes of a 64 x 64 sheet that wander each on its own:
//!
//! | wander (spacings) | 0.6 | 0.9 | 1.3 | 1.9 | 4.3 | 9.7 |
//! |---|---|---|---|---|---|---|
//! | looseness, against that of the build | 1.9 | 2.5 | 3.6 | 5.4 | 16 | 50 |
//! | node tests, against a fresh tree | 1.2 | 1.5 | 2.3 | 3.6 | 13 | 56 |
//!
//! The tree is rebuilt when the looseness has doubled. The motions of cloth above stay below that with faces;
//! boxes of points, which have no area to start with, are rebuilt a few times.
//!
//! **Other sets** are queried box by box. Building a second tree and descending both was measured too: 5,184
//! points with 10,082 faces take 2.0 ms one by one, and 1.6 to 2.2 after a build of 2.0; 15,265 edges take
//! 8.6 ms, and 8 to 11 after a build of 8.2.

mod sibling_tree;

use std::fmt;

use cloth_geom::Aabb;
use nalgebra::Point3;
use parry3d::bounding_volume::Aabb as ParryAabb;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace, TraversalAction};

use self::sibling_tree::SiblingTree;
use crate::{Boxes, BroadPhase, PairFilter};

/// Padding of the boxes during a build, in mean longest sides: large enough that flat sets have a volume; any
/// value from 0.1 to 1 gives the same tree.
const BUILD_PADDING: f64 = 0.5;

/// Growth of the looseness since the last build that makes a new build pay; see the module.
const REBUILD_GROWTH: f64 = 2.0;

/// Boxes in a binary tree that parry built: for sets of very mixed sizes, where a tree by areas pays.
///
/// The 138,825 edges of cloth-ball: build 117 ms, refit 5.8 ms, all 5.2 million pairs 192 ms; its 46,598
/// vertices with the faces 110 ms.
#[derive(Clone, Default)]
pub struct ParryBvh {
    tree: Bvh,
    workspace: BvhWorkspace,
    siblings: SiblingTree,
    looseness_when_built: f64,
    builds: u32,
}

impl fmt::Debug for ParryBvh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // parry's workspace has no Debug.
        f.debug_struct("ParryBvh")
            .field("boxes", &self.siblings.leaf_count())
            .field("builds", &self.builds)
            .finish_non_exhaustive()
    }
}

impl ParryBvh {
    /// How often the tree was built from scratch; all other updates refitted it.
    #[must_use]
    pub fn builds(&self) -> u32 {
        self.builds
    }

    fn build(&mut self, boxes: &Boxes) {
        let unit = UnitCube::around(boxes);
        let padding = BUILD_PADDING * mean_longest_side(boxes);
        let padded = boxes.as_slice().iter().map(|b| unit.image(&b.inflated(padding)));
        if self.tree.leaf_count() as usize == boxes.len() {
            // Rebuilds in place, without a new allocation.
            set_leaves(&mut self.tree, padded);
            self.tree.rebuild(&mut self.workspace, BvhBuildStrategy::Binned);
        } else {
            self.tree = Bvh::from_iter(BvhBuildStrategy::Binned, padded.enumerate());
        }
        self.siblings.clear();
        self.tree.traverse(|node| {
            self.siblings.push(node.leaf_data());
            TraversalAction::Continue
        });
        self.siblings.refit(boxes.as_slice());
        self.looseness_when_built = self.siblings.looseness();
        self.builds += 1;
    }
}

impl BroadPhase for ParryBvh {
    fn update(&mut self, boxes: &Boxes) {
        if self.siblings.leaf_count() != boxes.len() {
            self.build(boxes);
            return;
        }
        self.siblings.refit(boxes.as_slice());
        if self.siblings.looseness() > REBUILD_GROWTH * self.looseness_when_built {
            self.build(boxes);
        }
    }

    fn visit_self_pairs(&self, filter: &PairFilter<'_>, visit: &mut impl FnMut(u32, u32)) {
        self.siblings.self_pairs(&mut |a, b| {
            let (a, b) = (a.min(b), a.max(b));
            if filter.allows(a, b) {
                visit(a, b);
            }
        });
    }

    fn visit_pairs_with(&self, other: &Boxes, filter: &PairFilter<'_>, visit: &mut impl FnMut(u32, u32)) {
        for (b, aabb) in other.as_slice().iter().enumerate() {
            self.siblings.overlapping(aabb, &mut |a| {
                if filter.allows(a, b as u32) {
                    visit(a, b as u32);
                }
            });
        }
    }
}

/// Sets the bounds of all leaves; the inner nodes are stale until the next refit.
fn set_leaves(tree: &mut Bvh, boxes: impl Iterator<Item = ParryAabb>) {
    for (id, aabb) in boxes.enumerate() {
        tree.insert_or_update_partially(aabb, id as u32, 0.0);
    }
}

fn mean_longest_side(boxes: &Boxes) -> f64 {
    let boxes = boxes.as_slice();
    let weight = 1.0 / boxes.len().max(1) as f64;
    boxes.iter().map(|b| (b.max - b.min).max() * weight).sum()
}

/// The map of all boxes into the unit cube, in which parry builds in `f32`. It only decides which boxes are
/// grouped, so its rounding changes no result.
struct UnitCube {
    min: Point3<f64>,
    /// Half the longest side of the union of all boxes; coordinates are halved first, since a difference of
    /// two may overflow.
    half_side: f64,
}

impl UnitCube {
    fn around(boxes: &Boxes) -> Self {
        let mut all = boxes.as_slice().iter().copied();
        let first = all.next().unwrap_or(Aabb { min: Point3::origin(), max: Point3::origin() });
        let Aabb { min, max } =
            all.fold(first, |sum, b| Aabb { min: sum.min.inf(&b.min), max: sum.max.sup(&b.max) });
        Self { min, half_side: (max * 0.5 - min * 0.5).max() }
    }

    fn image(&self, aabb: &Aabb) -> ParryAabb {
        let coordinate = |c: f64, k: usize| {
            let share = (0.5 * c - 0.5 * self.min[k]) / self.half_side;
            // A single point has no side, and the padding of a box may leave the range of numbers.
            if share.is_nan() { 0.0 } else { share.clamp(-1.0, 2.0) as f32 }
        };
        let vector = |p: Point3<f64>| Vector::new(coordinate(p.x, 0), coordinate(p.y, 1), coordinate(p.z, 2));
        ParryAabb { mins: vector(aabb.min), maxs: vector(aabb.max) }
    }
}

#[cfg(test)]
crate::conformance_suite!(conformance, ParryBvh::default());

#[cfg(test)]
mod tests {
    use super::*;

    /// A grid of 20 x 20 unit boxes, tilted; `place` says where box `i` stands.
    fn grid(slope: f64, place: impl Fn(usize) -> usize) -> Boxes {
        let at = |i: usize| Point3::new((i % 20) as f64, slope * (i % 20) as f64, (i / 20) as f64);
        Boxes::try_from_iter((0..400).map(|i| {
            let min = at(place(i));
            Aabb { min, max: min.map(|c| c + 1.0) }
        }))
        .unwrap()
    }

    #[test]
    fn refits_while_neighbours_stay_and_rebuilds_when_they_change() {
        let mut bvh = ParryBvh::default();
        bvh.update(&grid(0.0, |i| i));
        assert_eq!(bvh.builds(), 1);
        let built = bvh.siblings.looseness();
        bvh.update(&grid(1.0, |i| i));
        assert!(bvh.siblings.looseness() > 1.1 * built, "a tilted grid is looser");
        assert_eq!(bvh.builds(), 1, "but its neighbours are the same");
        bvh.update(&grid(0.0, |i| i * 7 % 400));
        assert_eq!(bvh.builds(), 2);
        bvh.update(&grid(0.0, |i| i * 7 % 400));
        assert_eq!(bvh.builds(), 2);
    }

    #[test]
    fn rebuilds_when_the_number_of_boxes_changes() {
        let mut bvh = ParryBvh::default();
        for (count, builds) in [(0, 0), (5, 1), (4, 2), (4, 2), (0, 3)] {
            bvh.update(&Boxes::try_from_iter(grid(0.0, |i| i).as_slice()[..count].iter().copied()).unwrap());
            assert_eq!(bvh.builds(), builds, "{count}");
        }
    }
}
