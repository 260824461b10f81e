//! Which bones get proxies, and which of them covers the skin of each joint.

use std::collections::BTreeSet;

use cloth_geom::Aabb;

use super::{LeftOutBone, LeftOutReason, Override, ProxyError, ProxyOptions, samples::PosedSkin};
use crate::Skeleton;

/// The skin of a finger is shorter than this, relative to the height: 204 mm on a human, whose middle finger
/// has 80 to 100 mm.
const FINGER: f64 = 0.12;

/// Skin that is shorter than this belongs to the parent of its joint, relative to the height: 85 mm on a
/// human.
const SMALL: f64 = 0.05;

/// The choice of bones.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct BonePlan {
    /// For each joint the bone (its joint) whose proxies cover the skin that the joint dominates; `None` if
    /// none does.
    pub(super) owners: Vec<Option<usize>>,
    /// The bones with proxies, in the order of their joints.
    pub(super) bones: Vec<usize>,
    /// Of each joint, whether it is part of a finger.
    pub(super) is_finger: Vec<bool>,
    pub(super) left_out: Vec<LeftOutBone>,
}

impl BonePlan {
    /// Chooses the bones from the skin at the bind pose.
    pub(super) fn new(
        skeleton: &Skeleton,
        skin: &PosedSkin,
        options: &ProxyOptions,
    ) -> Result<Self, ProxyError> {
        let boxes = boxes_of_joints(skeleton.len(), skin);
        let is_finger = find_fingers(skeleton, &boxes, skin.height);
        let mut chosen = Chosen::default();
        for change in &options.overrides {
            match change {
                Override::Include { bone } => chosen.included.insert(find_bone(skeleton, bone)?),
                Override::Exclude { bone } => chosen.excluded.insert(find_bone(skeleton, bone)?),
                Override::Add { .. } | Override::Drop { .. } | Override::Resize { .. } => false,
            };
        }
        let mut plan = Self { owners: vec![None; skeleton.len()], is_finger, ..Self::default() };
        for &joint in skeleton.order() {
            let above = skeleton.joints()[joint].parent.and_then(|parent| plan.owners[parent]);
            let Some(reason) = plan.reason(joint, &boxes, skin, above, options, &chosen) else {
                let has_skin = boxes[joint].is_finite();
                plan.owners[joint] = if has_skin { Some(joint) } else { above };
                plan.bones.extend(has_skin.then_some(joint));
                continue;
            };
            // A joint below one that is not covered is not covered either, unless it has proxies of its own.
            plan.owners[joint] = above.filter(|_| reason == LeftOutReason::Small);
            if boxes[joint].is_finite() {
                plan.left_out.push(LeftOutBone { joint, name: skeleton.label(joint), reason });
            }
        }
        plan.bones.sort_unstable();
        plan.left_out.sort_by_key(|bone| bone.joint);
        Ok(plan)
    }

    /// Why a joint gets no proxies of its own; `None` if it gets some.
    fn reason(
        &self,
        joint: usize,
        boxes: &[Aabb],
        skin: &PosedSkin,
        above: Option<usize>,
        options: &ProxyOptions,
        chosen: &Chosen,
    ) -> Option<LeftOutReason> {
        if chosen.excluded.contains(&joint) {
            return Some(LeftOutReason::Excluded);
        }
        if skin.world.get(joint).is_none_or(|map| map.inverse().is_none()) {
            return Some(LeftOutReason::Singular);
        }
        if options.fingers || chosen.included.contains(&joint) {
            return None;
        }
        if self.is_finger[joint] {
            return Some(LeftOutReason::Finger);
        }
        let is_small =
            above.is_some() && boxes[joint].is_finite() && length(&boxes[joint]) < SMALL * skin.height;
        is_small.then_some(LeftOutReason::Small)
    }
}

/// Joints that overrides choose.
#[derive(Default)]
struct Chosen {
    included: BTreeSet<usize>,
    excluded: BTreeSet<usize>,
}

/// The joint with a label.
pub(super) fn find_bone(skeleton: &Skeleton, label: &str) -> Result<usize, ProxyError> {
    skeleton.find_label(label).ok_or_else(|| {
        let known: Vec<String> = (0..skeleton.len()).map(|joint| skeleton.label(joint)).collect();
        ProxyError::unknown_bone(label, &known)
    })
}

/// Of each joint the box of the visible vertices that it dominates.
fn boxes_of_joints(count: usize, skin: &PosedSkin) -> Vec<Aabb> {
    let mut boxes = vec![Aabb::EMPTY; count];
    for vertex in skin.vertices.iter().filter(|vertex| vertex.is_visible) {
        if let Some(own) = boxes.get_mut(vertex.joint) {
            *own = own.with_point(vertex.position);
        }
    }
    boxes
}

fn length(bounds: &Aabb) -> f64 {
    if bounds.is_finite() { (bounds.max - bounds.min).norm() } else { 0.0 }
}

/// Of each joint, whether it is part of a finger: [`LeftOutReason::Finger`].
fn find_fingers(skeleton: &Skeleton, boxes: &[Aabb], height: f64) -> Vec<bool> {
    let mut is_finger = vec![false; skeleton.len()];
    let mut children = vec![Vec::new(); skeleton.len()];
    for (joint, data) in skeleton.joints().iter().enumerate() {
        data.parent.iter().for_each(|&parent| children[parent].push(joint));
    }
    for start in 0..skeleton.len() {
        let chains = children[start].iter().filter_map(|&first| {
            let chain = walk_chain(&children, first)?;
            let skin = chain.iter().fold(Aabb::EMPTY, |all, &joint| all.union(boxes[joint]));
            (chain.len() >= 2 && skin.is_finite() && length(&skin) < FINGER * height).then_some(chain)
        });
        let chains: Vec<_> = chains.collect();
        if chains.len() >= 2 {
            chains.iter().flatten().for_each(|&joint| is_finger[joint] = true);
        }
    }
    is_finger
}

/// The joints from `first` to the end of its chain; `None` if it branches.
fn walk_chain(children: &[Vec<usize>], first: usize) -> Option<Vec<usize>> {
    let mut chain = vec![first];
    let mut last = first;
    loop {
        match children[last][..] {
            [] => return Some(chain),
            [only] => {
                chain.push(only);
                last = only;
            }
            _ => return None,
        }
    }
}
