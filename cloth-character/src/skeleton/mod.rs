//! Joints and their parents, and where a pose puts them.

mod forward;
mod label;
mod reference;

use crate::{Affine, CharacterError, Pose, Transform};

pub use reference::compute_world_by_matrices;

/// One joint: its name, its parent and its transform at rest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Joint {
    /// The name; names may recur and be empty.
    pub name: String,
    /// The joint that it moves with, a number below the number of joints; `None` for a root.
    pub parent: Option<usize>,
    /// Its transform relative to its parent where no clip moves it.
    pub rest: Transform,
}

/// Joints in the order of their source, in which parents may come after their children.
///
/// The map above the roots ([`Self::root_map`]) holds what a file puts above its skeleton: a change of axes
/// or of unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skeleton {
    joints: Vec<Joint>,
    /// Every joint once, parents before children; siblings in the order of their numbers.
    order: Vec<usize>,
    /// Of each joint the map above it: that of a root, and unused for the others.
    root_maps: Vec<Affine>,
}

impl Skeleton {
    /// Makes a skeleton; nothing is above its roots.
    ///
    /// # Errors
    /// If a parent is not a joint, a joint is its own ancestor, or a rest transform is not finite.
    pub fn new(joints: Vec<Joint>) -> Result<Self, CharacterError> {
        let count = joints.len();
        for (joint, data) in joints.iter().enumerate() {
            if let Some(parent) = data.parent.filter(|&parent| parent >= count) {
                return Err(CharacterError::MissingParent { joint, parent, count });
            }
            if !data.rest.is_finite() {
                return Err(CharacterError::NotFinite { what: "the rest transform of joint", index: joint });
            }
        }
        let order = sort_parents_first(&joints)?;
        Ok(Self { joints, order, root_maps: vec![Affine::IDENTITY; count] })
    }

    /// Sets the map above a root: from the space of the root's parent to the world.
    ///
    /// # Errors
    /// If `root` is no root or the map is not finite.
    pub fn set_root_map(&mut self, root: usize, map: Affine) -> Result<(), CharacterError> {
        let roots = self.joints.iter().filter(|joint| joint.parent.is_none()).count();
        if self.joints.get(root).is_none_or(|joint| joint.parent.is_some()) {
            return Err(CharacterError::OutOfRange {
                what: "the map above root",
                index: root,
                target: root,
                count: roots,
            });
        }
        if !map.is_finite() {
            return Err(CharacterError::NotFinite { what: "the map above root", index: root });
        }
        self.root_maps[root] = map;
        Ok(())
    }

    /// The joints, in the order of their source.
    #[must_use]
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// The number of joints.
    #[must_use]
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// Whether there is no joint.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// Every joint once, parents before their children.
    #[must_use]
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// The map above a root, from the space of its parent to the world; the identity for any other number.
    #[must_use]
    pub fn root_map(&self, root: usize) -> Affine {
        self.root_maps.get(root).copied().unwrap_or_default()
    }

    /// The children of a joint, in the order of their numbers.
    pub fn children(&self, joint: usize) -> impl Iterator<Item = usize> {
        let is_child = move |(_, data): &(usize, &Joint)| data.parent == Some(joint);
        self.joints.iter().enumerate().filter(is_child).map(|(child, _)| child)
    }

    /// The first joint of this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }

    /// The pose at rest.
    #[must_use]
    pub fn rest_pose(&self) -> Pose {
        Pose { locals: self.joints.iter().map(|joint| joint.rest).collect() }
    }
}

/// Every joint once, parents first: roots in the order of their numbers, then by depth.
fn sort_parents_first(joints: &[Joint]) -> Result<Vec<usize>, CharacterError> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); joints.len()];
    let mut order = Vec::with_capacity(joints.len());
    for (joint, data) in joints.iter().enumerate() {
        match data.parent {
            Some(parent) => children[parent].push(joint),
            None => order.push(joint),
        }
    }
    let mut next = 0;
    while let Some(&joint) = order.get(next) {
        order.extend(&children[joint]);
        next += 1;
    }
    if order.len() == joints.len() {
        return Ok(order);
    }
    let mut reached = vec![false; joints.len()];
    order.iter().for_each(|&joint| reached[joint] = true);
    let start = reached.iter().position(|&r| !r).unwrap_or_default();
    // Every unreached joint has an unreached parent; after as many steps as there are joints, the walk is on
    // a cycle.
    let joint = (0..joints.len()).fold(start, |joint, _| joints[joint].parent.unwrap_or(joint));
    Err(CharacterError::Cycle { joint })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joint(parent: Option<usize>) -> Joint {
        Joint { parent, ..Joint::default() }
    }

    #[test]
    fn orders_parents_before_children_that_come_first() {
        let skeleton = Skeleton::new(vec![joint(Some(2)), joint(Some(0)), joint(None)]).unwrap();
        assert_eq!(skeleton.order(), [2, 0, 1]);
        assert_eq!(skeleton.children(2).collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn rejects_a_parent_that_is_missing_and_a_cycle() {
        let error = Skeleton::new(vec![joint(Some(1))]).unwrap_err();
        assert_eq!(error, CharacterError::MissingParent { joint: 0, parent: 1, count: 1 });
        let cycle = Skeleton::new(vec![joint(None), joint(Some(2)), joint(Some(3)), joint(Some(2))]);
        assert!(matches!(cycle, Err(CharacterError::Cycle { joint: 2 | 3 })), "{cycle:?}");
        assert_eq!(Skeleton::new(vec![joint(Some(0))]), Err(CharacterError::Cycle { joint: 0 }));
    }

    #[test]
    fn rejects_a_rest_transform_that_is_not_finite() {
        let mut bad = joint(None);
        bad.rest.scale.y = f64::NAN;
        assert!(matches!(Skeleton::new(vec![bad]), Err(CharacterError::NotFinite { index: 0, .. })));
    }

    #[test]
    fn only_roots_have_a_map_above_them() {
        let mut skeleton = Skeleton::new(vec![joint(None), joint(Some(0))]).unwrap();
        assert!(skeleton.set_root_map(1, Affine::IDENTITY).is_err());
        assert!(skeleton.set_root_map(2, Affine::IDENTITY).is_err());
        assert!(skeleton.set_root_map(0, Affine::IDENTITY).is_ok());
    }
}
