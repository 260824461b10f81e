//! Makes a skin from arrays as files have them: checks, sorts and normalises.

use nalgebra::{Point3, Vector3};

use super::{MAX_INFLUENCES, Skin};
use crate::{Affine, CharacterError, error::expect_length};

/// What a skin is made of, unchecked; [`SkinDescription::build`] makes it one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SkinDescription {
    /// Positions before any joint moves them.
    pub positions: Vec<Point3<f32>>,
    /// A normal for each vertex, of any length, or none at all.
    pub normals: Vec<Vector3<f32>>,
    /// Joints of the skeleton, numbers below `joint_count`.
    pub joints: Vec<usize>,
    /// For each of `joints` its inverse bind matrix; empty for identities.
    pub inverse_binds: Vec<Affine>,
    /// Influences per vertex, from 1 to [`MAX_INFLUENCES`].
    pub influences: usize,
    /// Indices into `joints`, `influences` for each vertex.
    pub entries: Vec<u32>,
    /// Weights of the influences, none negative. They are normalised.
    pub weights: Vec<f32>,
}

impl SkinDescription {
    /// Checks the arrays and makes a skin; `joint_count` is the number of joints of the skeleton.
    ///
    /// Influences of one vertex on one joint are added up, and those of weight 0 may refer to anything.
    ///
    /// # Errors
    /// If lengths do not agree, an index is out of range, a number is not finite, or a vertex has no weight
    /// or a negative one.
    pub fn build(self, joint_count: usize) -> Result<Skin, CharacterError> {
        let Self { positions, mut normals, joints, mut inverse_binds, influences, entries, weights } = self;
        if !(1..=MAX_INFLUENCES).contains(&influences) {
            let (what, needed) = ("the number of influences per vertex", "from 1 to 8");
            return Err(CharacterError::Parameter { what, value: influences as f64, needed });
        }
        if inverse_binds.is_empty() {
            inverse_binds = vec![Affine::IDENTITY; joints.len()];
        }
        expect_length("inverse bind matrices", inverse_binds.len(), joints.len())?;
        let needed = positions.len().saturating_mul(influences);
        expect_length("indices of influences", entries.len(), needed)?;
        expect_length("weights", weights.len(), needed)?;
        if !normals.is_empty() {
            expect_length("normals", normals.len(), positions.len())?;
        }
        check_joints(&joints, &inverse_binds, joint_count)?;
        if let Some(index) = positions.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
            return Err(CharacterError::NotFinite { what: "the position of vertex", index });
        }
        normals.iter_mut().for_each(normalise);

        let stride = if influences == 1 { 1 } else { influences.div_ceil(4) * 4 };
        let mut skin = Skin { positions, normals, joints, inverse_binds, stride, ..Skin::default() };
        for (vertex, (entries, weights)) in
            entries.chunks(influences).zip(weights.chunks(influences)).enumerate()
        {
            let sorted = sort_influences(vertex, entries, weights, skin.joints.len())?;
            for &(entry, weight) in &sorted[..stride] {
                skin.entries.push(entry);
                skin.weights.push(weight);
            }
        }
        Ok(skin)
    }
}

fn check_joints(joints: &[usize], inverse_binds: &[Affine], count: usize) -> Result<(), CharacterError> {
    for (index, &target) in joints.iter().enumerate() {
        if target >= count {
            return Err(CharacterError::OutOfRange { what: "joint of the skin", index, target, count });
        }
    }
    match inverse_binds.iter().position(|m| !m.is_finite()) {
        Some(index) => Err(CharacterError::NotFinite { what: "the inverse bind matrix", index }),
        None => Ok(()),
    }
}

/// Makes a vector a unit vector; what has no direction becomes zero.
fn normalise(normal: &mut Vector3<f32>) {
    let wide = normal.cast::<f64>();
    let unit = wide / wide.norm();
    *normal = if unit.iter().all(|x| x.is_finite()) { unit.cast() } else { Vector3::zeros() };
}

/// The influences of one vertex: one per joint, the heaviest first, padded with weight 0, adding up to 1.
fn sort_influences(
    vertex: usize,
    entries: &[u32],
    weights: &[f32],
    count: usize,
) -> Result<[(u32, f32); MAX_INFLUENCES], CharacterError> {
    let mut merged = [(0u32, 0.0f64); MAX_INFLUENCES];
    let mut used = 0;
    for (&entry, &weight) in entries.iter().zip(weights) {
        if !weight.is_finite() {
            return Err(CharacterError::NotFinite { what: "a weight of vertex", index: vertex });
        }
        if weight < 0.0 {
            return Err(CharacterError::NoWeight { vertex });
        }
        if weight == 0.0 {
            continue;
        }
        if entry as usize >= count {
            let (what, target) = ("an influence of vertex", entry as usize);
            return Err(CharacterError::OutOfRange { what, index: vertex, target, count });
        }
        match merged[..used].iter_mut().find(|(known, _)| *known == entry) {
            Some((_, sum)) => *sum += f64::from(weight),
            None => {
                merged[used] = (entry, f64::from(weight));
                used += 1;
            }
        }
    }
    merged[..used].sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let sum: f64 = merged[..used].iter().map(|&(_, weight)| weight).sum();
    if used == 0 {
        return Err(CharacterError::NoWeight { vertex });
    }
    Ok(merged.map(|(entry, weight)| (entry, (weight / sum) as f32)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_vertex(entries: &[u32], weights: &[f32]) -> SkinDescription {
        SkinDescription {
            positions: vec![Point3::origin()],
            joints: vec![3, 5],
            influences: entries.len(),
            entries: entries.to_vec(),
            weights: weights.to_vec(),
            ..SkinDescription::default()
        }
    }

    #[test]
    fn normalises_merges_and_sorts_the_influences() {
        let skin = one_vertex(&[0, 1, 0, 9], &[1.0, 5.0, 2.0, 0.0]).build(6).unwrap();
        assert_eq!(skin.influences(0).collect::<Vec<_>>(), [(5, 0.625), (3, 0.375)]);
        assert_eq!(skin.dominant_joint(0), Some(5));
        assert_eq!(skin.influences(1).count(), 0);
        assert_eq!(skin.influences(usize::MAX).count(), 0);
    }

    #[test]
    fn keeps_eight_influences() {
        let mut wide = one_vertex(&[0, 1, 2, 3, 4, 5, 6, 7], &[0.125; 8]);
        wide.joints = (0..8).collect();
        assert_eq!(wide.build(8).unwrap().influences(0).count(), 8);
    }

    #[test]
    fn rejects_what_a_file_can_get_wrong() {
        use CharacterError::{Length, NoWeight, NotFinite, OutOfRange, Parameter};
        let rejects = |d: SkinDescription| d.build(6).unwrap_err();
        assert_eq!(rejects(one_vertex(&[0, 1], &[0.0, 0.0])), NoWeight { vertex: 0 });
        assert_eq!(rejects(one_vertex(&[0, 1], &[-1.0, 2.0])), NoWeight { vertex: 0 });
        assert!(matches!(rejects(one_vertex(&[0, 2], &[1.0, 1.0])), OutOfRange { target: 2, count: 2, .. }));
        assert!(matches!(rejects(one_vertex(&[0, 1], &[1.0, f32::NAN])), NotFinite { .. }));
        assert!(matches!(rejects(one_vertex(&[], &[])), Parameter { .. }));
        assert!(matches!(rejects(one_vertex(&[0; 9], &[1.0; 9])), Parameter { .. }));
        let short = SkinDescription { weights: vec![1.0], ..one_vertex(&[0, 1], &[1.0, 1.0]) };
        assert!(matches!(rejects(short), Length { found: 1, needed: 2, .. }));
        let far = SkinDescription { joints: vec![6], ..one_vertex(&[0], &[1.0]) };
        assert!(matches!(rejects(far), OutOfRange { target: 6, count: 6, .. }));
        let nan = SkinDescription {
            positions: vec![Point3::new(0.0, f32::INFINITY, 0.0)],
            ..one_vertex(&[0], &[1.0])
        };
        assert!(matches!(rejects(nan), NotFinite { .. }));
    }

    #[test]
    fn a_normal_without_direction_becomes_zero() {
        let mut description = one_vertex(&[0], &[1.0]);
        description.normals = vec![Vector3::new(f32::NAN, 0.0, 0.0)];
        assert_eq!(description.build(6).unwrap().normals(), [Vector3::zeros()]);
    }
}
