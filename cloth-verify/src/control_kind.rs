//! What a control takes away from a scenario, and what it must show then.

use cloth_solver::fem::{FemSettings, StrainMeasure};
use cloth_solver::{ClothDesc, ElasticModel, Settings};

/// What a scenario is compared with: the same scene, all else equal, without what keeps it right.
///
/// A scenario whose control does as well proves nothing, and fails.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ControlKind {
    /// No self collision and no gate; colliders stay on. Its worst frame must have intersections.
    NoSelfCollision,
    /// This many substeps. Its stretch must exceed the scenario's own limit.
    ///
    /// For XPBD alone: the other models integrate the stiffness of the fabric whatever the length of a
    /// substep.
    Substeps(u32),
    /// Colliders that push out what is inside them at the end of a step, by the shortest way, instead of
    /// contacts that are predicted. It must fail at least one cell of each case.
    DiscreteColliders,
    /// Colliders that are not guarded, and no gate. Their axes must cross the cloth in some substep.
    UnguardedColliders,
    /// No colliders, the proxies of the wearer included. Cloth must then be deeper below the wearer's skin
    /// than the scenario allows.
    NoColliders,
    /// Finite elements with Cauchy strain in the frame of the start, which is not rotation-invariant;
    /// whatever the elastic model of the run. Its stretch must exceed the scenario's own limit.
    UncorrectedStrain,
    /// Moduli of stretch and shear divided by this. Its stretch must exceed the scenario's own limit.
    ///
    /// For models whose stretch does not depend on how often they are solved.
    SoftFabric(u32),
}

/// Why a scenario has no control under an elastic model, in words that follow a colon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoControl(pub &'static str);

impl ControlKind {
    /// The name of what the control takes away.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::NoSelfCollision => "no self collision".into(),
            Self::Substeps(1) => "1 substep".into(),
            Self::Substeps(n) => format!("{n} substeps"),
            Self::DiscreteColliders => "discrete colliders".into(),
            Self::UnguardedColliders => "unguarded colliders".into(),
            Self::NoColliders => "no colliders".into(),
            Self::UncorrectedStrain => "uncorrected strain".into(),
            Self::SoftFabric(divisor) => format!("fabric {divisor} times as soft"),
        }
    }

    /// The settings without it.
    #[must_use]
    pub fn applied_to(self, settings: Settings) -> Settings {
        match self {
            Self::NoSelfCollision => Settings { self_collision: false, gate: false, ..settings },
            Self::Substeps(substeps) => Settings { substeps, ..settings },
            // Another method, or another fabric, at the same settings.
            Self::DiscreteColliders | Self::SoftFabric(_) => settings,
            Self::UnguardedColliders | Self::NoColliders => Settings { gate: false, ..settings },
            Self::UncorrectedStrain => {
                let fem = match settings.model {
                    ElasticModel::Fem(fem) => fem,
                    ElasticModel::Xpbd | ElasticModel::MassSpring(_) => FemSettings::default(),
                };
                let model = ElasticModel::Fem(FemSettings { strain: StrainMeasure::Cauchy, ..fem });
                Settings { model, gate: false, ..settings }
            }
        }
    }

    /// Changes the fabrics of a cloth to those without it.
    pub fn change_fabrics(self, cloth: &mut ClothDesc) {
        let Self::SoftFabric(divisor) = self else { return };
        let on_faces = cloth.face_materials.iter_mut().map(|on| &mut on.material);
        for fabric in std::iter::once(&mut cloth.material).chain(on_faces) {
            for modulus in [&mut fabric.stretch_weft, &mut fabric.stretch_warp, &mut fabric.shear] {
                *modulus /= divisor as f32;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use cloth_geom::TriMesh;
    use cloth_solver::{FaceMaterial, Material, Thickness};

    use super::*;

    #[test]
    fn a_soft_fabric_has_a_share_of_every_modulus() {
        let mut cloth =
            ClothDesc::new(TriMesh::default(), Material::COTTON, Thickness::from_total(0.002, 0.4));
        cloth.face_materials = vec![FaceMaterial { faces: vec![0], material: Material::DENIM }];
        let before = cloth.clone();
        ControlKind::NoSelfCollision.change_fabrics(&mut cloth);
        assert_eq!(cloth, before);
        ControlKind::SoftFabric(100).change_fabrics(&mut cloth);
        for (soft, fabric) in
            [(cloth.material, Material::COTTON), (cloth.face_materials[0].material, Material::DENIM)]
        {
            let moduli = |fabric: Material| [fabric.stretch_weft, fabric.stretch_warp, fabric.shear];
            assert_eq!(moduli(soft), moduli(fabric).map(|modulus| modulus / 100.0));
            assert_eq!((soft.bend, soft.density), (fabric.bend, fabric.density));
        }
    }
}
