//! The form of settings: a `version`, first, and their keys. Keys that are left out have their defaults.
//!
//! [`Settings`] derive the form of their fields as functions of their own (`remote = "Self"`), which the
//! traits call here.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor, value::MapAccessDeserializer};
use serde::{Serialize, Serializer};

use super::aside::WithoutKey;
use crate::Settings;

/// Version of the form. Version 1 had no number.
const VERSION: u32 = 2;

#[derive(Serialize)]
struct Versioned {
    version: u32,
    #[serde(flatten, with = "Settings")]
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
                let settings = Settings::deserialize(MapAccessDeserializer::new(&mut rest));
                // First, because what else is wrong may be a matter of the version.
                let other = |found| super::other_version("settings", found, VERSION);
                match (rest.value, settings) {
                    (Some(VERSION), settings) => settings,
                    (Some(version), _) => Err(A::Error::custom(other(version))),
                    (None, Ok(_)) => Err(A::Error::custom(other(1))),
                    // What is refused may stand before the version.
                    (None, Err(error)) => {
                        Err(A::Error::custom(format!("{}; if a `version` follows: {error}", other(1))))
                    }
                }
            }
        }
        d.deserialize_map(Table)
    }
}
