//! Linear-blend skinning: each vertex moves by the weighted mean of the matrices of its joints.
//!
//! ```text
//! matrix of an entry = world matrix of its joint * inverse bind matrix    once per pose, in f64
//! matrix of a vertex = sum of weight * matrix of entry                    four columns of four lanes, in f32
//! position           = matrix * position
//! normal             = cofactors of the matrix * normal, normalised
//! ```
//!
//! The columns have a fourth lane that stays 0, so that a compiler keeps each in one register.

use nalgebra::{Point3, Vector3};

use super::Skin;
use crate::{Affine, CharacterError, error::expect_length};

/// The map of one entry of a skin's joints from bind positions to the world, as four columns of x, y, z and
/// 0.
///
/// The last column is the translation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(align(16))]
pub struct SkinMatrix([[f32; 4]; 4]);

impl SkinMatrix {
    /// Rounds an affine map.
    #[must_use]
    pub fn from_affine(map: &Affine) -> Self {
        let column =
            |c: usize| [map.linear[(0, c)] as f32, map.linear[(1, c)] as f32, map.linear[(2, c)] as f32, 0.0];
        let t = map.translation;
        Self([column(0), column(1), column(2), [t.x as f32, t.y as f32, t.z as f32, 0.0]])
    }

    #[inline(always)]
    fn add_scaled(&mut self, other: &Self, weight: f32) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            for lane in 0..4 {
                mine[lane] += weight * theirs[lane];
            }
        }
    }

    #[inline(always)]
    fn scaled(&self, weight: f32) -> Self {
        let mut out = Self::default();
        out.add_scaled(self, weight);
        out
    }

    #[inline(always)]
    fn transform_point(&self, p: &Point3<f32>) -> Point3<f32> {
        let [x, y, z, t] = &self.0;
        let mut out = [0.0; 4];
        for lane in 0..4 {
            out[lane] = x[lane] * p.x + y[lane] * p.y + (z[lane] * p.z + t[lane]);
        }
        Point3::new(out[0], out[1], out[2])
    }

    /// The normal of a surface after the map: by the matrix of cofactors, which is the inverse transpose
    /// times the determinant and needs no division. The sign of the determinant keeps normals of a mirrored
    /// surface on their side.
    #[inline(always)]
    fn transform_normal(&self, n: &Vector3<f32>) -> Vector3<f32> {
        let [x, y, z] = [0, 1, 2].map(|c| Vector3::new(self.0[c][0], self.0[c][1], self.0[c][2]));
        let yz = y.cross(&z);
        let out = yz * n.x + z.cross(&x) * n.y + x.cross(&y) * n.z;
        let length = if x.dot(&yz) < 0.0 { -out.norm() } else { out.norm() };
        if length == 0.0 { Vector3::zeros() } else { out / length }
    }
}

impl Skin {
    /// Computes the matrix of each entry of [`Self::joints`] from the world matrices of the skeleton's
    /// joints.
    ///
    /// `matrices` is resized; nothing is allocated if it has the right length. A joint that `world` lacks
    /// counts as the identity.
    pub fn compute_matrices(&self, world: &[Affine], matrices: &mut Vec<SkinMatrix>) {
        matrices.clear();
        matrices.extend(self.joints.iter().zip(&self.inverse_binds).map(|(&joint, bind)| {
            SkinMatrix::from_affine(&(world.get(joint).copied().unwrap_or_default() * *bind))
        }));
    }

    /// Writes the positions of the vertices in the pose of `matrices` ([`Self::compute_matrices`]); allocates
    /// nothing.
    ///
    /// Results are within 1e-6 of the size of the mesh and its distance from the origin.
    ///
    /// # Errors
    /// If `out` is not as long as the skin, or `matrices` not as long as its list of joints.
    pub fn deform_positions(
        &self,
        matrices: &[SkinMatrix],
        out: &mut [Point3<f32>],
    ) -> Result<(), CharacterError> {
        self.check_buffers(matrices, out.len())?;
        self.visit_matrices(matrices, |vertex, matrix| {
            out[vertex] = matrix.transform_point(&self.positions[vertex]);
        });
        Ok(())
    }

    /// Writes the positions and the unit normals; normals of a skin without normals are left alone. Allocates
    /// nothing.
    ///
    /// # Errors
    /// If a buffer is not as long as the skin, or `matrices` not as long as its list of joints.
    pub fn deform(
        &self,
        matrices: &[SkinMatrix],
        positions: &mut [Point3<f32>],
        normals: &mut [Vector3<f32>],
    ) -> Result<(), CharacterError> {
        if self.normals.is_empty() {
            return self.deform_positions(matrices, positions);
        }
        self.check_buffers(matrices, positions.len())?;
        expect_length("the buffer of normals", normals.len(), self.len())?;
        self.visit_matrices(matrices, |vertex, matrix| {
            positions[vertex] = matrix.transform_point(&self.positions[vertex]);
            normals[vertex] = matrix.transform_normal(&self.normals[vertex]);
        });
        Ok(())
    }

    fn check_buffers(&self, matrices: &[SkinMatrix], length: usize) -> Result<(), CharacterError> {
        expect_length("the list of skin matrices", matrices.len(), self.joints.len())?;
        expect_length("the buffer of positions", length, self.len())
    }

    /// Calls `visit` with the blended matrix of each vertex.
    #[inline(always)]
    fn visit_matrices(&self, matrices: &[SkinMatrix], mut visit: impl FnMut(usize, &SkinMatrix)) {
        let influences = self.entries.chunks_exact(self.stride).zip(self.weights.chunks_exact(self.stride));
        for (vertex, (entries, weights)) in influences.enumerate() {
            let mut matrix = matrices[entries[0] as usize].scaled(weights[0]);
            for (&entry, &weight) in entries[1..].iter().zip(&weights[1..]) {
                if weight == 0.0 {
                    break;
                }
                matrix.add_scaled(&matrices[entry as usize], weight);
            }
            visit(vertex, &matrix);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        SkinDescription, compute_world_by_matrices, deform_normal_by_matrices, deform_position_by_matrices,
        testing::{skeletons, transforms},
    };

    type Vertex = ([f32; 3], [f32; 3], [f32; 8], [prop::sample::Index; 8]);

    fn vertices() -> impl Strategy<Value = (usize, Vec<Vertex>)> {
        let xyz = [-1.0..1.0f32, -1.0..1.0, -1.0..1.0];
        let vertex =
            (xyz.clone(), xyz, prop::array::uniform8(0.01..1.0f32), any::<[prop::sample::Index; 8]>());
        (1..=8usize, prop::collection::vec(vertex, 1..20))
    }

    fn describe(
        influences: usize,
        vertices: &[Vertex],
        joints: usize,
        binds: &[crate::Transform],
    ) -> SkinDescription {
        SkinDescription {
            positions: vertices.iter().map(|v| Point3::from(v.0)).collect(),
            normals: vertices.iter().map(|v| Vector3::from(v.1)).collect(),
            joints: (0..joints).rev().collect(),
            inverse_binds: binds[..joints].iter().map(crate::Transform::to_affine).collect(),
            influences,
            entries: vertices
                .iter()
                .flat_map(|v| v.3[..influences].iter().map(|i| i.index(joints) as u32))
                .collect(),
            weights: vertices.iter().flat_map(|v| v.2[..influences].to_vec()).collect(),
        }
    }

    proptest! {
        #[test]
        fn equals_weighted_sums_of_homogeneous_products(
            skeleton in skeletons(),
            (influences, vertices) in vertices(),
            binds in prop::collection::vec(transforms(), 12),
        ) {
            let skin = describe(influences, &vertices, skeleton.len(), &binds).build(skeleton.len()).unwrap();
            let pose = skeleton.rest_pose();
            let (mut world, mut matrices) = (Vec::new(), Vec::new());
            skeleton.compute_world(&pose, &mut world);
            skin.compute_matrices(&world, &mut matrices);
            let mut positions = vec![Point3::origin(); skin.len()];
            let mut normals = vec![Vector3::zeros(); skin.len()];
            skin.deform(&matrices, &mut positions, &mut normals).unwrap();
            let slow = compute_world_by_matrices(&skeleton, &pose);
            for vertex in 0..skin.len() {
                // Rounding is relative to the largest term of the sums.
                let size: f64 = skin.influences(vertex).map(|(j, _)| {
                    let entry = skin.joints().iter().position(|&k| k == j).unwrap();
                    (slow[j] * skin.inverse_binds()[entry].to_matrix()).norm()
                }).fold(1.0, f64::max);
                let expected = deform_position_by_matrices(&skin, &slow, vertex);
                prop_assert!((positions[vertex].cast::<f64>() - expected).norm() < 2e-6 * size);
                if let Some((expected, conditioning)) = deform_normal_by_matrices(&skin, &slow, vertex) {
                    let error = (normals[vertex].cast::<f64>() - expected).norm();
                    prop_assert!(error < 1e-5 * conditioning, "{error} at {conditioning}");
                }
            }
            let mut alone = positions.clone();
            skin.deform_positions(&matrices, &mut alone).unwrap();
            prop_assert_eq!(alone, positions);
        }
    }

    #[test]
    fn a_mirrored_surface_keeps_its_normals_outside() {
        let mirror =
            SkinMatrix([[-1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0; 4]]);
        assert_eq!(mirror.transform_normal(&Vector3::y()), Vector3::y());
        assert_eq!(mirror.transform_normal(&Vector3::x()), -Vector3::x());
    }

    #[test]
    fn rejects_buffers_of_the_wrong_length() {
        let one = SkinDescription {
            positions: vec![Point3::origin()],
            joints: vec![0],
            influences: 1,
            entries: vec![0],
            weights: vec![1.0],
            ..SkinDescription::default()
        };
        let skin = one.build(1).unwrap();
        assert!(skin.deform_positions(&[SkinMatrix::default()], &mut []).is_err());
        assert!(skin.deform_positions(&[], &mut [Point3::origin()]).is_err());
    }
}
