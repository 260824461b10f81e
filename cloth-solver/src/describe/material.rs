//! Fabrics: weight, stiffness and internal damping, with presets of three fabrics; and which faces have
//! which.
//!
//! Stiffness is that of the sheet, not of the bulk: membrane stiffness in N/m (Young's modulus times
//! thickness) and bending rigidity in N m, so that results do not change with the mesh. The presets' bending
//! rigidities, weights and shear stiffness lie in the ranges of Kawabata's standard evaluation of apparel
//! fabrics (KES-F: B of 1e-6 to 2e-5 N m, G of about 20 to 80 N/m per radian at small angles); membrane
//! stiffness is that of woven fabric at a few percent of strain, where crimp has been taken out.

use crate::ClothDesc;

/// A fabric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Mass per area (kg/m2).
    pub density: f32,
    /// Membrane stiffness along warp (N/m).
    pub stretch_warp: f32,
    /// Membrane stiffness along weft (N/m).
    pub stretch_weft: f32,
    /// In-plane shear stiffness (N/m).
    pub shear: f32,
    /// Bending rigidity (N m).
    pub bend: f32,
    /// Stiffness-proportional damping (s): how long the internal friction of a deformation takes to matter.
    /// Rayleigh's beta; independent of the step.
    pub damping: f32,
}

impl Material {
    /// Plain-woven cotton shirting, about 150 g/m2.
    pub const COTTON: Self = Self {
        density: 0.15,
        stretch_warp: 6_000.0,
        stretch_weft: 4_500.0,
        shear: 60.0,
        bend: 1.0e-5,
        damping: 2.0e-3,
    };

    /// Silk habotai, about 60 g/m2: light, and soft in bending.
    pub const SILK: Self = Self {
        density: 0.06,
        stretch_warp: 4_000.0,
        stretch_weft: 3_000.0,
        shear: 20.0,
        bend: 2.0e-6,
        damping: 1.0e-3,
    };

    /// Denim, 11 oz, about 370 g/m2: heavy and stiff.
    pub const DENIM: Self = Self {
        density: 0.37,
        stretch_warp: 15_000.0,
        stretch_weft: 10_000.0,
        shear: 250.0,
        bend: 5.0e-5,
        damping: 3.0e-3,
    };

    /// The presets by name.
    pub const PRESETS: [(&'static str, Self); 3] =
        [("cotton", Self::COTTON), ("silk", Self::SILK), ("denim", Self::DENIM)];

    /// A preset by its name.
    #[must_use]
    pub fn preset(name: &str) -> Option<Self> {
        Self::PRESETS.iter().find(|(known, _)| *known == name).map(|&(_, material)| material)
    }

    /// The first field that is out of range: its name, its value and the requirement.
    pub(crate) fn first_invalid(&self) -> Option<(&'static str, f32, &'static str)> {
        let positive = [
            ("density", self.density),
            ("stretch_warp", self.stretch_warp),
            ("stretch_weft", self.stretch_weft),
        ];
        let not_negative = [("shear", self.shear), ("bend", self.bend), ("damping", self.damping)];
        let bad_positive = positive.into_iter().find(|&(_, x)| !(x.is_finite() && x > 0.0));
        let bad_other = not_negative.into_iter().find(|&(_, x)| !(x.is_finite() && x >= 0.0));
        let with = |requirement| move |(name, value)| (name, value, requirement);
        bad_positive
            .map(with("finite and greater than zero"))
            .or(bad_other.map(with("finite and not negative")))
    }
}

impl Default for Material {
    fn default() -> Self {
        Self::COTTON
    }
}

/// The fabric of some faces of a cloth, instead of [`ClothDesc::material`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct FaceMaterial {
    /// Face indices.
    pub faces: Vec<u32>,
    /// Their fabric.
    pub material: Material,
}

/// Which face of a cloth has which fabric, see [`ClothDesc::material_map`].
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialMap {
    /// By number, see [`MaterialMap::number`].
    palette: Vec<Material>,
    /// For each face the number of its fabric; empty if the cloth has one fabric.
    of_face: Vec<u32>,
}

impl MaterialMap {
    /// The fabric of a face.
    #[must_use]
    pub fn material(&self, face: u32) -> &Material {
        &self.palette[self.number(face) as usize]
    }

    /// The number of a face's fabric: 0 is that of the cloth, `k + 1` that of entry `k` of
    /// [`ClothDesc::face_materials`].
    #[must_use]
    pub fn number(&self, face: u32) -> u32 {
        self.of_face.get(face as usize).copied().unwrap_or(0)
    }

    /// The fabrics by number.
    pub(crate) fn palette(&self) -> &[Material] {
        &self.palette
    }
}

impl ClothDesc {
    /// Gives faces another fabric than [`ClothDesc::material`].
    #[must_use]
    pub fn with_face_material(mut self, faces: Vec<u32>, material: Material) -> Self {
        self.face_materials.push(FaceMaterial { faces, material });
        self
    }

    /// Which face has which fabric. Faces that do not exist, which a build refuses, are left out.
    #[must_use]
    pub fn material_map(&self) -> MaterialMap {
        let others = self.face_materials.iter().map(|entry| entry.material);
        let palette = std::iter::once(self.material).chain(others).collect();
        let mut of_face = vec![0; if self.face_materials.is_empty() { 0 } else { self.mesh.faces.len() }];
        for (number, entry) in (1..).zip(&self.face_materials) {
            for &face in &entry.faces {
                if let Some(slot) = of_face.get_mut(face as usize) {
                    *slot = number;
                }
            }
        }
        MaterialMap { palette, of_face }
    }
}

/// The mean of values by weight, zero without any. The mean of equal values is the same number, bit for bit
/// (the update of West 1979, "Updating mean and variance estimates").
pub(crate) fn weighted_mean(values: impl IntoIterator<Item = (f32, f32)>) -> f32 {
    let (mut mean, mut sum) = (0.0, 0.0);
    for (value, weight) in values.into_iter().filter(|&(_, weight)| weight > 0.0) {
        sum += weight;
        mean += (value - mean) * (weight / sum);
    }
    mean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weighted_mean_is_exact_for_equal_values() {
        for value in [0.1_f32, 60.0, 1e-5, 1.0 / 3.0] {
            assert_eq!(weighted_mean([(value, 0.3), (value, 0.7), (value, 1e-3)]).to_bits(), value.to_bits());
        }
        assert_eq!(weighted_mean([(9.0, 0.0), (1.0, 1.0), (5.0, 3.0)]), 4.0);
        assert_eq!(weighted_mean([(1.0, 0.0)]), 0.0);
    }
}
