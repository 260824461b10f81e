//! Settings of a simulation, with units, defaults and consequences.

use cloth_geom::TriMesh;
use nalgebra::Vector3;

#[cfg(feature = "serde")]
use crate::number;
use crate::{BuildError, ElasticModel, ParticleSettings, Sleep, Teleport, Wind};

/// Collision thickness of a cloth.
///
/// The total is `2 radius + scr`. Keep it at most half the shortest rest edge; beyond that, contacts between
/// neighbours work against the cloth's own springs.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Thickness {
    /// Radius `r` (m): two cloths of equal radius are kept `2 r` apart.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::non_negative"))]
    pub radius: f32,
    /// Static collision radius (m; SCR, Lewin's epsilon), the contact margin: pairs this much farther apart
    /// still count as near. A larger margin finds more contacts and misses fewer.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::non_negative"))]
    pub scr: f32,
}

impl Thickness {
    /// A thickness from its total `2r + SCR` (m), of which the share `scr_share` in [0, 1] is static
    /// collision radius.
    #[must_use]
    pub fn from_total(thickness: f32, scr_share: f32) -> Self {
        let scr = thickness * scr_share;
        Self { radius: 0.5 * (thickness - scr), scr }
    }

    /// The recommended thickness of a mesh, [`Thickness::for_edge_lengths`] of its edges. Zero for a mesh
    /// without faces or with a non-finite position.
    ///
    /// Pass the rest shape, in metres.
    #[must_use]
    pub fn for_mesh(mesh: &TriMesh) -> Self {
        let corner = |v: u32| mesh.positions.get(v as usize).copied().unwrap_or_default();
        let edges = mesh.faces.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        Self::for_edge_lengths(edges.map(|[a, b]| (corner(a) - corner(b)).norm()))
    }

    /// The recommended thickness for these rest lengths (m): half the shortest, 40 % of it static collision
    /// radius. If the shortest is less than half the 1st percentile it belongs to a sliver, and the
    /// percentile is used instead; the few pairs that rest nearer keep their rest distance. Zero without
    /// lengths, or with a length that is not finite.
    #[must_use]
    pub fn for_edge_lengths(lengths: impl IntoIterator<Item = f64>) -> Self {
        const SLIVER: f64 = 0.5;
        let mut lengths: Vec<f64> = lengths.into_iter().collect();
        lengths.sort_by(f64::total_cmp);
        let percentile = lengths.get(lengths.len().div_ceil(100).saturating_sub(1)).copied().unwrap_or(0.0);
        let shortest = lengths.first().copied().unwrap_or(0.0);
        let edge = if shortest >= SLIVER * percentile { shortest } else { percentile };
        Self::from_total(if edge.is_finite() { 0.5 * edge as f32 } else { 0.0 }, 0.4)
    }

    /// `2r + SCR` (m).
    #[must_use]
    pub fn total(&self) -> f32 {
        2.0 * self.radius + self.scr
    }
}

/// Source of the contacts between cloths.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(tag = "source", rename_all = "kebab-case", deny_unknown_fields))]
pub enum ContactSource {
    /// Detected during each step.
    #[default]
    Detected,
    /// Computed once, between ordered layers, and measured in each substep. Costs a fraction of detection,
    /// for cloth whose layers stay on each other. Nothing else collides with itself.
    Cached {
        /// Maximum distance (m), in the start pose, from a vertex to the face of another layer.
        #[cfg_attr(feature = "serde", serde(deserialize_with = "number::non_negative"))]
        reach: f32,
        /// Whether a contact follows its vertex to neighbouring faces. Without, layers that slide drag on
        /// each other.
        follow: bool,
    },
}

/// Which faces of cloth make contacts with spheres, capsules, tapered capsules and cylinders, in addition to
/// the contacts of vertices. Rigid bodies with a mass have none; their axes can be guarded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum FaceContacts {
    /// Those with a rest edge longer than half of the smallest radius of the shape, which would be pierced.
    Auto,
    /// All.
    On,
    /// None: contacts act on vertices alone.
    #[default]
    Off,
}

impl FaceContacts {
    /// Its word in scene files and options.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::On => "on",
            Self::Off => "off",
        }
    }
}

/// Settings of a simulation. [`Settings::default`] is certified cloth at 60 Hz; [`Settings::game`] and
/// [`Settings::film`] are presets.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(remote = "Self", default, deny_unknown_fields))]
pub struct Settings {
    /// What resists stretch and shear. Finite elements and mass-spring are there to be compared with; see
    /// `docs/design/fem.md`. Default: `Xpbd`.
    pub model: ElasticModel,
    /// Substeps per step. Each predicts, detects, solves, certifies and updates. More make cloth stiffer at a
    /// proportional cost. Default: `16`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::count"))]
    pub substeps: u32,
    /// Solver iterations per substep over the elastic constraints. Substeps are usually more effective.
    /// Default: `1`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::count"))]
    pub iterations: u32,
    /// Multilevel cycles of stretch per iteration, from the coarsest level to the edges. Two more cycles
    /// halve the strain of an impact. Default: `3`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::count"))]
    pub stretch_cycles: u32,
    /// Under-relaxation of bending and shear, in (0, 1]: the share of a violation corrected per substep where
    /// they are stiff relative to inertia. It has no effect where they are soft. 1 is XPBD as published:
    /// right for one or two substeps per step; with many substeps, stiff shear then stretches threads.
    /// Default: `0.5`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::positive_fraction"))]
    pub relaxation: f32,
    /// Substeps between evaluations of the wind; the impulse is scaled accordingly. Default: `2`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::count"))]
    pub wind_interval: u32,
    /// Substeps between contact detections; each covers the motion of all of them, and contacts are measured
    /// again in each. With the gate on, missed contacts are still kept apart, and 4 to 8 are faster. Without
    /// it, use at most 2: a sheet that snaps back from a stretch of 20 % can otherwise cross itself. Default:
    /// `2`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::count"))]
    pub detect_interval: u32,
    /// Contact passes after each elastic iteration. Default: `2`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::count"))]
    pub contact_iterations: u32,
    /// Friction passes after the contact passes. With too few, stacked sheets creep. Default: `4`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::count"))]
    pub friction_iterations: u32,
    /// Gravity (m/s2). Default: `(0, -9.81, 0)`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::finite"))]
    pub gravity: Vector3<f32>,
    /// Wind and air resistance. Default: [`Wind::default`], still air with drag.
    pub wind: Wind,
    /// Rate (1/s) at which all motion decays relative to still air; independent of the step. Default: `0.1`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::non_negative"))]
    pub air_damping: f32,
    /// Maximum speed (m/s) of a vertex. Pins and bodies that are moved faster lag: they go towards their
    /// targets at this speed, over several steps. Default: `100.0`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::positive"))]
    pub velocity_limit: f32,
    /// Coulomb friction coefficient of cloth against cloth and mesh bodies, where
    /// [`SimulationBuilder::set_friction`](crate::SimulationBuilder::set_friction) sets no other. Default:
    /// `0.3`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::non_negative"))]
    pub self_friction: f32,
    /// Whether cloth collides with cloth and with mesh bodies. Colliders are not affected. Default: `true`.
    pub self_collision: bool,
    /// Which faces make contacts with colliders; contacts of vertices are always made. Default: `Off`;
    /// scene files have `Auto`, which costs nothing where no cloth is coarse.
    pub face_contacts: FaceContacts,
    /// Whether the motion of each substep is certified before it is accepted: pairs that were apart stay
    /// apart, decided by exact arithmetic, whatever the solver proposes. Default: `true`.
    pub gate: bool,
    /// Whether cloth that intersects itself is untangled. Free while the gate is on and nothing is tangled.
    /// Without a gate it costs one exact check per step, and one per substep while there are intersections.
    /// Default: `true`.
    pub recovery: bool,
    /// When cloth at rest falls asleep; `None` for never. Sleeping cloth costs next to nothing and wakes when
    /// it is touched, moved or changed. Default: `Some(Sleep::default)`.
    pub sleep: Option<Sleep>,
    /// From when on a motion of pins, or of what is under a garment, is a cut: the cloth is then teleported
    /// instead of dragged along; `None` for never. Default: `None`; [`Settings::game`] and scene files have
    /// [`Teleport::default`].
    #[cfg_attr(feature = "serde", serde(with = "crate::teleport::form"))]
    pub teleport: Option<Teleport>,
    /// Source of the contacts between cloths. Default: `Detected`.
    pub contacts: ContactSource,
    /// Whether layer numbers decide on which side of each other two layers belong. Otherwise contacts between
    /// layers are as all others: they keep the side on which they are found, and crossed layers stay crossed.
    /// No effect on cached contacts. Default: `true`.
    pub layer_order: bool,
    /// Depth (m) to which two ordered layers may have crossed and still be found and brought back; see
    /// [`ClothDesc::layer`](crate::ClothDesc::layer). Default: `0.02`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::non_negative"))]
    pub layer_depth: f32,
    /// Time constant (s) with which a violated contact recovers its distance. Smaller is firmer and separates
    /// tangled layers faster. Default: `0.01`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::positive"))]
    pub contact_recovery_time: f32,
    /// Maximum speed (m/s) at which violated contacts recover (depenetration velocity). Limits the ejection
    /// of deep penetrations. Default: `inf`.
    #[cfg_attr(feature = "serde", serde(with = "number::infinite_as_null::positive"))]
    pub recovery_speed: f32,
    /// Threads of a step. 1: the caller's thread, and the other threads of the rayon pool if the caller is in
    /// one, for detection and the gate. More: a pool owned by the simulation and shared by its clones; the
    /// solver uses one for every 4,096 vertices. Results do not depend on it. Default: `1`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::count"))]
    pub threads: u32,
    /// Least displacement of a vertex for which pairs are listed, as a share of the smallest thickness.
    /// Larger values make longer lists that are searched less often. Results do not depend on it. Default:
    /// `0.2`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::non_negative"))]
    pub candidate_slack: f32,
    /// Settings of particle collision. Default: [`ParticleSettings::default`].
    pub particles: ParticleSettings,
    /// Maximum displacement of a vertex per substep, in radii of its cloth, in addition to `velocity_limit`;
    /// `None` for no limit. With 1 (`v_max = r n / dt`), two balls cannot jump over each other (Cincotti, tip
    /// 4), but falling is slowed as well. Default: `None`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::positive"))]
    pub max_radii_per_substep: Option<f32>,
}

impl ContactSource {
    fn reach(self) -> f32 {
        match self {
            Self::Detected => 0.0,
            Self::Cached { reach, .. } => reach,
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            model: ElasticModel::Xpbd,
            substeps: 16,
            iterations: 1,
            stretch_cycles: 3,
            relaxation: 0.5,
            wind_interval: 2,
            detect_interval: 2,
            contact_iterations: 2,
            friction_iterations: 4,
            gravity: Vector3::new(0.0, -9.81, 0.0),
            wind: Wind::default(),
            air_damping: 0.1,
            velocity_limit: 100.0,
            self_friction: 0.3,
            self_collision: true,
            face_contacts: FaceContacts::Off,
            gate: true,
            recovery: true,
            sleep: Some(Sleep::default()),
            teleport: None,
            contacts: ContactSource::Detected,
            layer_order: true,
            layer_depth: 0.02,
            contact_recovery_time: 0.01,
            recovery_speed: f32::INFINITY,
            threads: 1,
            candidate_slack: 0.2,
            particles: ParticleSettings::default(),
            max_radii_per_substep: None,
        }
    }
}

impl Settings {
    /// For games at 60 Hz: half the substeps of the default, contact detection in every fourth. Certified as
    /// well; cloth stretches more in an impact, and cuts teleport it. `docs/design/presets.md` has cost and
    /// quality.
    #[must_use]
    pub fn game() -> Self {
        Self {
            substeps: 8,
            detect_interval: 4,
            stretch_cycles: 2,
            friction_iterations: 2,
            teleport: Some(Teleport::default()),
            ..Self::default()
        }
    }

    /// For final frames: twice the substeps of the default and more cycles, contact detection in every
    /// second, enough friction passes to keep stacked sheets from creeping, and no sleeping.
    /// `docs/design/presets.md` has cost and quality.
    #[must_use]
    pub fn film() -> Self {
        Self { substeps: 32, stretch_cycles: 4, friction_iterations: 8, sleep: None, ..Self::default() }
    }

    pub(crate) fn check(&self) -> Result<(), BuildError> {
        let counts = [
            ("substeps", self.substeps),
            ("iterations", self.iterations),
            ("stretch_cycles", self.stretch_cycles),
            ("wind_interval", self.wind_interval),
            ("detect_interval", self.detect_interval),
            ("contact_iterations", self.contact_iterations),
            ("friction_iterations", self.friction_iterations),
            ("threads", self.threads),
        ];
        if let Some((name, _)) = counts.into_iter().find(|&(_, n)| n == 0) {
            return Err(BuildError::Setting { name, value: 0.0, requirement: "at least 1" });
        }
        let not_negative = [
            ("air_damping", self.air_damping),
            ("self_friction", self.self_friction),
            ("candidate_slack", self.candidate_slack),
            ("layer_depth", self.layer_depth),
            ("contacts.reach", self.contacts.reach()),
            ("wind.drag", self.wind.drag),
            ("wind.lift", self.wind.lift),
        ];
        if let Some((name, value)) = not_negative.into_iter().find(|&(_, x)| !(x.is_finite() && x >= 0.0)) {
            return Err(BuildError::Setting { name, value, requirement: "finite and not negative" });
        }
        let positive =
            [("velocity_limit", self.velocity_limit), ("contact_recovery_time", self.contact_recovery_time)];
        let positive = positive
            .into_iter()
            .chain(self.max_radii_per_substep.map(|max_radii| ("max_radii_per_substep", max_radii)));
        if let Some((name, value)) = { positive }.find(|&(_, x)| !(x.is_finite() && x > 0.0)) {
            return Err(BuildError::Setting { name, value, requirement: "finite and greater than zero" });
        }
        if !(self.relaxation > 0.0 && self.relaxation <= 1.0) {
            let requirement = "greater than zero and at most 1";
            return Err(BuildError::Setting { name: "relaxation", value: self.relaxation, requirement });
        }
        self.particles.check()?;
        self.model.check()?;
        if let Some(gusts) = &self.wind.gusts {
            gusts.check()?;
        }
        if let Some(sleep) = &self.sleep {
            sleep.check()?;
        }
        if let Some(teleport) = &self.teleport {
            teleport.check()?;
        }
        if self.recovery_speed.is_nan() || self.recovery_speed <= 0.0 {
            let requirement = "greater than zero; infinite for no limit";
            return Err(BuildError::Setting {
                name: "recovery_speed",
                value: self.recovery_speed,
                requirement,
            });
        }
        let vectors = [("gravity", self.gravity), ("wind.velocity", self.wind.velocity)];
        for (name, vector) in vectors {
            if let Some(&value) = vector.iter().find(|c| !c.is_finite()) {
                return Err(BuildError::Setting { name, value, requirement: "finite" });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
