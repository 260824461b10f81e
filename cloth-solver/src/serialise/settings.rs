//! The form of settings: a `version`, first, and their keys. Keys that are left out have their defaults.

use std::fmt;

use nalgebra::Vector3;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor, value::MapAccessDeserializer};
use serde::{Serialize, Serializer};

use super::aside::WithoutKey;
use super::number;
use crate::{ContactSource, ElasticModel, ParticleSettings, Settings, Sleep, Wind};

/// Version of the form. Version 1 had no number.
const VERSION: u32 = 2;

/// The fields of [`Settings`] with what is checked of each.
#[derive(Serialize, serde::Deserialize)]
#[serde(remote = "Settings", default = "Settings::default", deny_unknown_fields)]
struct Fields {
    model: ElasticModel,
    #[serde(deserialize_with = "number::count")]
    substeps: u32,
    #[serde(deserialize_with = "number::count")]
    iterations: u32,
    #[serde(deserialize_with = "number::count")]
    stretch_cycles: u32,
    #[serde(deserialize_with = "number::positive_fraction")]
    relaxation: f32,
    #[serde(deserialize_with = "number::count")]
    wind_interval: u32,
    #[serde(deserialize_with = "number::count")]
    detect_interval: u32,
    #[serde(deserialize_with = "number::count")]
    contact_iterations: u32,
    #[serde(deserialize_with = "number::count")]
    friction_iterations: u32,
    #[serde(deserialize_with = "number::finite")]
    gravity: Vector3<f32>,
    wind: Wind,
    #[serde(deserialize_with = "number::non_negative")]
    air_damping: f32,
    #[serde(deserialize_with = "number::positive")]
    velocity_limit: f32,
    #[serde(deserialize_with = "number::non_negative")]
    self_friction: f32,
    self_collision: bool,
    gate: bool,
    recovery: bool,
    sleep: Option<Sleep>,
    contacts: ContactSource,
    layer_order: bool,
    #[serde(deserialize_with = "number::non_negative")]
    layer_depth: f32,
    #[serde(deserialize_with = "number::positive")]
    contact_recovery_time: f32,
    #[serde(with = "number::infinite_as_null::positive")]
    recovery_speed: f32,
    #[serde(deserialize_with = "number::count")]
    threads: u32,
    #[serde(deserialize_with = "number::non_negative")]
    candidate_slack: f32,
    particles: ParticleSettings,
    #[serde(deserialize_with = "number::positive")]
    max_radii_per_substep: Option<f32>,
}

#[derive(Serialize)]
struct Versioned {
    version: u32,
    #[serde(flatten, with = "Fields")]
    settings: Settings,
}

impl Serialize for Settings {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        Versioned { version: VERSION, settings: *self }.serialize(s)
    }
}

impl<'de> Deserialize<'de> for Settings {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Table;
        impl<'de> Visitor<'de> for Table {
            type Value = Settings;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("settings with a version")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Settings, A::Error> {
                let mut rest = WithoutKey::new(map, "version");
                let settings = Fields::deserialize(MapAccessDeserializer::new(&mut rest));
                // First, because what else is wrong may be a matter of the version.
                match rest.value {
                    Some(VERSION) => settings,
                    Some(version) => {
                        Err(A::Error::custom(super::other_version("settings", version, VERSION)))
                    }
                    None => Err(A::Error::custom(super::other_version("settings", 1, VERSION))),
                }
            }
        }
        d.deserialize_map(Table)
    }
}
