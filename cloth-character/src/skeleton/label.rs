//! The text by which a joint is named and found.

use super::Skeleton;

impl Skeleton {
    /// The name of a joint if no other joint has it, else `joint N` with its number; so that each joint has a
    /// label of its own.
    ///
    /// Cost: linear in the number of joints.
    #[must_use]
    pub fn label(&self, joint: usize) -> String {
        let name = self.joints.get(joint).map_or("", |data| &data.name);
        let is_unique = self.joints.iter().filter(|data| data.name == name).count() == 1;
        if name.is_empty() || !is_unique { format!("joint {joint}") } else { name.to_owned() }
    }

    /// The joint with this label ([`Self::label`]); `joint N` finds any joint, whatever its name.
    #[must_use]
    pub fn find_label(&self, label: &str) -> Option<usize> {
        let number = label.strip_prefix("joint ").and_then(|n| n.parse().ok());
        let named = || number.filter(|&joint: &usize| joint < self.len());
        (0..self.len()).find(|&joint| self.label(joint) == label).or_else(named)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Joint, Skeleton};

    #[test]
    fn labels_distinguish_joints_with_equal_or_no_names() {
        let joint = |name: &str| Joint { name: name.into(), ..Joint::default() };
        let skeleton = Skeleton::new(["a", "", "b", "a"].map(joint).to_vec()).unwrap();
        let labels: Vec<_> = (0..4).map(|j| skeleton.label(j)).collect();
        assert_eq!(labels, ["joint 0", "joint 1", "b", "joint 3"]);
        assert!((0..4).all(|j| skeleton.find_label(&labels[j]) == Some(j)));
        assert_eq!(skeleton.find_label("joint 2"), Some(2));
        assert_eq!(skeleton.find_label("a").or(skeleton.find_label("joint 4")), None);
        assert_eq!(skeleton.label(4), "joint 4");
    }
}
