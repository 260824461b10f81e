//! Strategies of proptest that the tests of this crate share.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use proptest::prelude::*;

use crate::{Joint, Skeleton, Transform};

/// Vectors with components up to 10.
pub(crate) fn vectors() -> impl Strategy<Value = Vector3<f64>> {
    [-10.0..10.0f64, -10.0..10.0, -10.0..10.0].prop_map(Vector3::from)
}

/// Rotations, of either sign of the quaternion.
pub(crate) fn rotations() -> impl Strategy<Value = UnitQuaternion<f64>> {
    [-1.0..1.0f64, -1.0..1.0, -1.0..1.0, -1.0..1.0]
        .prop_filter("a quaternion far from zero", |q| q.iter().map(|x| x * x).sum::<f64>() > 1e-3)
        .prop_map(|[w, x, y, z]| UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z)))
}

/// Transforms with scales from 0.2 to 3.
pub(crate) fn transforms() -> impl Strategy<Value = Transform> {
    let scales = [0.2..3.0f64, 0.2..3.0, 0.2..3.0];
    (vectors(), rotations(), scales).prop_map(|(translation, rotation, scale)| Transform {
        translation,
        rotation,
        scale: Vector3::from(scale),
    })
}

/// Skeletons of up to 12 joints, whose parents may come after them.
pub(crate) fn skeletons() -> impl Strategy<Value = Skeleton> {
    let joints = prop::collection::vec((transforms(), any::<prop::sample::Index>(), any::<bool>()), 1..12);
    (joints, any::<bool>()).prop_map(|(joints, reversed)| {
        let count = joints.len();
        let number = |i: usize| if reversed { count - 1 - i } else { i };
        let mut out = vec![Joint::default(); count];
        for (i, (rest, parent, is_root)) in joints.into_iter().enumerate() {
            let parent = (i > 0 && !is_root).then(|| number(parent.index(i)));
            out[number(i)] = Joint { name: format!("joint {i}"), parent, rest };
        }
        Skeleton::new(out).expect("parents were made before their children")
    })
}
