//! Fabrics: weight, stiffness and internal damping, with presets of three fabrics.
//!
//! Stiffness is that of the sheet, not of the bulk: membrane stiffness in N/m (Young's modulus times
//! thickness) and bending rigidity in N m, so that results do not change with the mesh. The presets' bending
//! rigidities, weights and shear stiffness lie in the ranges of Kawabata's standard evaluation of apparel
//! fabrics (KES-F: B of 1e-6 to 2e-5 N m, G of about 20 to 80 N/m per radian at small angles); membrane
//! stiffness is that of woven fabric at a few percent of strain, where crimp has been taken out.

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
