//! The elastic model of a scene: a name, or a table of its settings.
//!
//! In the file the keys of all kinds are on one level, so that the line of a misspelled key is known; `kind`
//! says which of them a model has.

use std::fmt;

use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::number;

/// Most segments of a stiffening curve beyond the first, as many as the solver knows.
pub const MAX_SEGMENTS: usize = 3;

/// `settings.model`: what resists stretch and shear. A name stands for a model at its defaults, which are
/// those of the solver.
#[derive(Clone, Debug, PartialEq)]
pub enum ElasticModel {
    /// `"xpbd"`: constraints that XPBD projects.
    Xpbd,
    /// `"mass-spring"`: springs with explicit integration, for comparison.
    MassSpring(MassSpring),
    /// `"fem"`: finite elements.
    Fem(Box<Fem>),
}

/// Settings of `kind = "mass-spring"`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MassSpring {
    /// Most explicit steps per substep; if stability needs more, the run stops.
    pub explicit_steps: Option<u32>,
    /// Damping time of stretch (s).
    pub stretch_damping: Option<f64>,
}

/// Settings of `kind = "fem"`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fem {
    /// Strain measure; `"corotated"` by default.
    pub strain: Option<StrainMeasure>,
    /// How element forces become forces of vertices; `"direct"` by default.
    pub assembly: Option<Assembly>,
    /// Integrator; `"implicit"` by default.
    pub integrator: Option<Integrator>,
    /// Newton iterations of a step; 1, one linear solve, by default.
    pub newton_iterations: Option<u32>,
    /// Relative residual at which a linear solve ends, above 0 and below 1.
    pub tolerance: Option<f64>,
    /// Most iterations of a linear solve.
    pub solver_iterations: Option<u32>,
    /// Most steps of the explicit integrator per substep; if stability needs more, the run stops.
    pub explicit_steps: Option<u32>,
    /// Poisson ratio, between -1 and 1.
    pub poisson: Option<f64>,
    /// Damping time of stretch (s); that of shear is the `damping` of the material.
    pub stretch_damping: Option<f64>,
    /// Limit of the principal stretches of faces; none by default.
    pub strain_limit: Option<StrainLimit>,
    /// Modulus by segments of strain; constant by default.
    pub stiffening: Option<Stiffening>,
}

/// A strain measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StrainMeasure {
    /// Cauchy strain in the rotated frame of a face.
    Corotated,
    /// Green strain.
    Green,
    /// Cauchy strain in the frame of the start, for comparison: not rotation-invariant.
    Cauchy,
}

/// How element forces become forces of vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Assembly {
    /// Summed over the elements.
    Direct,
    /// By a global stiffness matrix.
    Global,
}

/// How elastic forces are integrated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Integrator {
    /// Backward Euler.
    Implicit,
    /// Symplectic Euler, in as many steps per substep as stability needs.
    Explicit,
}

/// `strain_limit`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StrainLimit {
    /// Largest stretch beyond rest: 0.05 for 5 %.
    #[serde(deserialize_with = "number::non_negative")]
    pub stretch: f64,
    /// Passes over all faces in a step; 8 by default.
    #[serde(default, deserialize_with = "number::optional::count", skip_serializing_if = "Option::is_none")]
    pub passes: Option<u32>,
}

/// `stiffening`: segments by ascending threshold, at most [`MAX_SEGMENTS`] for each thread.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Stiffening {
    /// Along the weft.
    #[serde(deserialize_with = "segments")]
    pub weft: Vec<StiffeningSegment>,
    /// Along the warp.
    #[serde(deserialize_with = "segments")]
    pub warp: Vec<StiffeningSegment>,
}

/// A segment of a stiffening curve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StiffeningSegment {
    /// Strain at which it begins.
    #[serde(deserialize_with = "number::positive")]
    pub threshold: f64,
    /// Its modulus, relative to that of the material.
    #[serde(deserialize_with = "number::positive")]
    pub factor: f64,
}

fn segments<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<StiffeningSegment>, D::Error> {
    let segments = Vec::<StiffeningSegment>::deserialize(d)?;
    if segments.len() > MAX_SEGMENTS {
        let found = segments.len();
        return Err(D::Error::custom(format!("must have at most {MAX_SEGMENTS} segments, found {found}")));
    }
    match segments.windows(2).find(|pair| pair[0].threshold >= pair[1].threshold) {
        None => Ok(segments),
        Some(pair) => {
            let [a, b] = [pair[0].threshold, pair[1].threshold];
            Err(D::Error::custom(format!("must have ascending thresholds, found {a} before {b}")))
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Xpbd,
    MassSpring,
    Fem,
}

/// All keys of a model, as they stand in the file.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    kind: Kind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    strain: Option<StrainMeasure>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    assembly: Option<Assembly>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    integrator: Option<Integrator>,
    #[serde(default, deserialize_with = "number::optional::count", skip_serializing_if = "Option::is_none")]
    newton_iterations: Option<u32>,
    #[serde(
        default,
        deserialize_with = "number::optional::tolerance",
        skip_serializing_if = "Option::is_none"
    )]
    tolerance: Option<f64>,
    #[serde(default, deserialize_with = "number::optional::count", skip_serializing_if = "Option::is_none")]
    solver_iterations: Option<u32>,
    #[serde(default, deserialize_with = "number::optional::count", skip_serializing_if = "Option::is_none")]
    explicit_steps: Option<u32>,
    #[serde(
        default,
        deserialize_with = "number::optional::poisson",
        skip_serializing_if = "Option::is_none"
    )]
    poisson: Option<f64>,
    #[serde(
        default,
        deserialize_with = "number::optional::non_negative",
        skip_serializing_if = "Option::is_none"
    )]
    stretch_damping: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    strain_limit: Option<StrainLimit>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stiffening: Option<Stiffening>,
}

impl Table {
    fn new(kind: Kind) -> Self {
        Self {
            kind,
            strain: None,
            assembly: None,
            integrator: None,
            newton_iterations: None,
            tolerance: None,
            solver_iterations: None,
            explicit_steps: None,
            poisson: None,
            stretch_damping: None,
            strain_limit: None,
            stiffening: None,
        }
    }

    fn take_model(&mut self) -> ElasticModel {
        match self.kind {
            Kind::Xpbd => ElasticModel::Xpbd,
            Kind::MassSpring => ElasticModel::MassSpring(MassSpring {
                explicit_steps: self.explicit_steps.take(),
                stretch_damping: self.stretch_damping.take(),
            }),
            Kind::Fem => ElasticModel::Fem(Box::new(Fem {
                strain: self.strain.take(),
                assembly: self.assembly.take(),
                integrator: self.integrator.take(),
                newton_iterations: self.newton_iterations.take(),
                tolerance: self.tolerance.take(),
                solver_iterations: self.solver_iterations.take(),
                explicit_steps: self.explicit_steps.take(),
                poisson: self.poisson.take(),
                stretch_damping: self.stretch_damping.take(),
                strain_limit: self.strain_limit.take(),
                stiffening: self.stiffening.take(),
            })),
        }
    }

    /// A key that the kind has not taken.
    fn left_over(&self) -> Option<&'static str> {
        let keys = [
            ("strain", self.strain.is_some()),
            ("assembly", self.assembly.is_some()),
            ("integrator", self.integrator.is_some()),
            ("newton_iterations", self.newton_iterations.is_some()),
            ("tolerance", self.tolerance.is_some()),
            ("solver_iterations", self.solver_iterations.is_some()),
            ("explicit_steps", self.explicit_steps.is_some()),
            ("poisson", self.poisson.is_some()),
            ("stretch_damping", self.stretch_damping.is_some()),
            ("strain_limit", self.strain_limit.is_some()),
            ("stiffening", self.stiffening.is_some()),
        ];
        keys.iter().find(|key| key.1).map(|key| key.0)
    }

    fn from_model(model: &ElasticModel) -> Self {
        match model {
            ElasticModel::Xpbd => Self::new(Kind::Xpbd),
            ElasticModel::MassSpring(springs) => Self {
                explicit_steps: springs.explicit_steps,
                stretch_damping: springs.stretch_damping,
                ..Self::new(Kind::MassSpring)
            },
            ElasticModel::Fem(fem) => {
                let Fem { strain, assembly, integrator, newton_iterations, tolerance, .. } = **fem;
                let Fem { solver_iterations, explicit_steps, poisson, stretch_damping, strain_limit, .. } =
                    **fem;
                let stiffening = fem.stiffening.clone();
                Self {
                    kind: Kind::Fem,
                    strain,
                    assembly,
                    integrator,
                    newton_iterations,
                    tolerance,
                    solver_iterations,
                    explicit_steps,
                    poisson,
                    stretch_damping,
                    strain_limit,
                    stiffening,
                }
            }
        }
    }
}

impl Serialize for ElasticModel {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let table = Table::from_model(self);
        if table.left_over().is_none() { table.kind.serialize(s) } else { table.serialize(s) }
    }
}

impl<'de> Deserialize<'de> for ElasticModel {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct NameOrTable;
        impl<'de> Visitor<'de> for NameOrTable {
            type Value = ElasticModel;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of an elastic model or a table of its settings")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<ElasticModel, E> {
                Kind::deserialize(StrDeserializer::new(name)).map(|kind| Table::new(kind).take_model())
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ElasticModel, A::Error> {
                let mut table = Table::deserialize(MapAccessDeserializer::new(map))?;
                let model = table.take_model();
                table.left_over().map_or(Ok(model), |key| {
                    let text = format!("of this kind has no key `{key}`; remove it or change `kind`");
                    Err(A::Error::custom(text))
                })
            }
        }
        d.deserialize_any(NameOrTable)
    }
}
