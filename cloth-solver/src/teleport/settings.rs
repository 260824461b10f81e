//! From when on the motion of what a cloth is fixed to is a cut.

use std::f32::consts::FRAC_PI_2;

use crate::BuildError;

/// From when on a motion is a cut: the cloth is then teleported with what it is fixed to, and nothing is
/// swept.
///
/// What holds a cloth, its pins and attachments or, of a cloth without, what is under it, is cut if in one
/// [`Simulation::step`](crate::Simulation::step) its middle goes farther than both `metres` and `sides` and
/// faster than `speed`, or if it turns by more than `angle`; and if in the step before it did neither. With a
/// cloth go the other cloths, the mesh bodies and the colliders of which its motion explains more than half
/// of theirs.
///
/// Fixings that do not move alike are never cut: those of which the best rigid motion leaves one farther from
/// its target than a tenth of the longest side of the cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Teleport {
    /// Distance (m). Default: `1.0`.
    pub metres: f32,
    /// Distance in longest sides of the cloth, of its box at the start. Default: `1.0`.
    pub sides: f32,
    /// Speed (m/s) over the step. Default: `60.0`.
    pub speed: f32,
    /// Angle of the turn (rad), from 0 to pi. Default: `FRAC_PI_2`.
    pub angle: f32,
}

impl Default for Teleport {
    fn default() -> Self {
        Self { metres: 1.0, sides: 1.0, speed: 60.0, angle: FRAC_PI_2 }
    }
}

impl Teleport {
    pub(crate) fn check(&self) -> Result<(), BuildError> {
        let Self { metres, sides, speed, angle } = *self;
        let numbers = [
            ("teleport.metres", metres),
            ("teleport.sides", sides),
            ("teleport.speed", speed),
            ("teleport.angle", angle),
        ];
        match numbers.into_iter().find(|(_, value)| !(value.is_finite() && *value >= 0.0)) {
            Some((name, value)) => {
                Err(BuildError::Setting { name, value, requirement: "finite and not negative" })
            }
            None => Ok(()),
        }
    }
}

/// The form of the setting: a table with `metres`, `sides`, `speed` and `degrees`, of which those left out
/// have their defaults, or `false` for none.
#[cfg(feature = "serde")]
pub mod form {
    use std::fmt;

    use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor, value::MapAccessDeserializer};
    use serde::{Serialize, Serializer};

    use super::Teleport;
    use crate::number;

    #[derive(serde::Serialize, serde::Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Table {
        #[serde(deserialize_with = "number::non_negative")]
        metres: f32,
        #[serde(deserialize_with = "number::non_negative")]
        sides: f32,
        #[serde(deserialize_with = "number::non_negative")]
        speed: f32,
        #[serde(deserialize_with = "number::non_negative")]
        degrees: f64,
    }

    impl From<Teleport> for Table {
        fn from(Teleport { metres, sides, speed, angle }: Teleport) -> Self {
            // Six digits more than an `f32` holds, so that 90 degrees are written as 90.
            let degrees = f64::from(angle).to_degrees();
            let short = (degrees * 1.0e5).round() / 1.0e5;
            let degrees = if short.to_radians() as f32 == angle { short } else { degrees };
            Self { metres, sides, speed, degrees }
        }
    }

    impl Default for Table {
        fn default() -> Self {
            Teleport::default().into()
        }
    }

    impl From<Table> for Teleport {
        fn from(Table { metres, sides, speed, degrees }: Table) -> Self {
            Self { metres, sides, speed, angle: degrees.to_radians() as f32 }
        }
    }

    /// Writes the setting.
    ///
    /// # Errors
    /// Those of the serialiser.
    pub fn serialize<S: Serializer>(setting: &Option<Teleport>, s: S) -> Result<S::Ok, S::Error> {
        match setting {
            Some(teleport) => Table::from(*teleport).serialize(s),
            None => s.serialize_bool(false),
        }
    }

    /// Reads the setting; `true` stands for the defaults.
    ///
    /// # Errors
    /// If it is neither a boolean nor such a table.
    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Teleport>, D::Error> {
        struct Form;
        impl<'de> Visitor<'de> for Form {
            type Value = Option<Teleport>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("true, false, or a table of `metres`, `sides`, `speed` and `degrees`")
            }

            fn visit_bool<E: Error>(self, is_on: bool) -> Result<Self::Value, E> {
                Ok(is_on.then(Teleport::default))
            }

            fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
                Ok(None)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                Table::deserialize(MapAccessDeserializer::new(map)).map(|table| Some(table.into()))
            }
        }
        d.deserialize_any(Form)
    }
}
