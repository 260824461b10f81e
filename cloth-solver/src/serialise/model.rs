//! The form of an elastic model: a name, or a table of its settings on one level with its `kind`.

use std::fmt;

use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::{Serialize, Serializer};

use super::aside::WithoutKey;
use crate::fem::{FemSettings, MAX_SEGMENTS, Segment, StiffeningCurve};
use crate::{ElasticModel, MassSpringSettings};

#[derive(Clone, Copy, PartialEq, Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Xpbd,
    MassSpring,
    Fem,
}

#[derive(Serialize)]
struct ModelTable<T> {
    kind: Kind,
    #[serde(flatten)]
    settings: T,
}

/// The keys that mass-spring has of those of finite elements.
const MASS_SPRING_KEYS: [&str; 2] = ["explicit_steps", "stretch_damping"];

impl Kind {
    /// The model of this kind with its part of the settings, whose keys were given; the error names a key
    /// that is not of this kind.
    fn model(self, fem: FemSettings, keys: &[String]) -> Result<ElasticModel, String> {
        let known: &[&str] = if self == Self::MassSpring { &MASS_SPRING_KEYS } else { &[] };
        if let Some(key) = keys.iter().find(|key| self != Self::Fem && !known.contains(&key.as_str())) {
            return Err(format!("of this kind has no key `{key}`; remove it or change `kind`"));
        }
        let FemSettings { explicit_steps, stretch_damping, .. } = fem;
        Ok(match self {
            Self::Xpbd => ElasticModel::Xpbd,
            Self::MassSpring => {
                ElasticModel::MassSpring(MassSpringSettings { explicit_steps, stretch_damping })
            }
            Self::Fem => ElasticModel::Fem(fem),
        })
    }
}

impl Serialize for ElasticModel {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            model if Self::named().iter().any(|(_, named)| named == model) => model.name().serialize(s),
            Self::Xpbd => Kind::Xpbd.serialize(s),
            Self::MassSpring(settings) => ModelTable { kind: Kind::MassSpring, settings }.serialize(s),
            Self::Fem(settings) => ModelTable { kind: Kind::Fem, settings }.serialize(s),
        }
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
                let kind = Kind::deserialize(StrDeserializer::<E>::new(name))?;
                kind.model(FemSettings::default(), &[]).map_err(E::custom)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ElasticModel, A::Error> {
                // Whatever the kind, the keys are those of finite elements or some of them.
                let mut rest = WithoutKey::new(map, "kind");
                let fem = FemSettings::deserialize(MapAccessDeserializer::new(&mut rest))?;
                let kind: Kind = rest.value.ok_or_else(|| A::Error::missing_field("kind"))?;
                kind.model(fem, &rest.keys).map_err(A::Error::custom)
            }
        }
        d.deserialize_any(NameOrTable)
    }
}

impl Serialize for StiffeningCurve {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_seq(self.segments.iter().flatten())
    }
}

impl<'de> Deserialize<'de> for StiffeningCurve {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let segments = Vec::<Segment>::deserialize(d)?;
        if segments.len() > MAX_SEGMENTS {
            let found = segments.len();
            return Err(D::Error::custom(format!(
                "must have at most {MAX_SEGMENTS} segments, found {found}"
            )));
        }
        if let Some(pair) = segments.windows(2).find(|pair| pair[0].threshold >= pair[1].threshold) {
            let [a, b] = [pair[0].threshold, pair[1].threshold];
            return Err(D::Error::custom(format!("must have ascending thresholds, found {a} before {b}")));
        }
        let mut curve = Self::CONSTANT;
        curve.segments.iter_mut().zip(segments).for_each(|(place, segment)| *place = Some(segment));
        Ok(curve)
    }
}
