//! The tables `[settings]`, `[wind]` and `[contacts]` of a scene file: between them they have the keys of the
//! solver's settings, and some of the scene's own.

use std::fmt;
use std::marker::PhantomData;
use std::path::PathBuf;

use cloth_solver::{ContactSource, ElasticModel, FaceContacts, Gusts, Settings, Teleport, Wind};
use nalgebra::Vector3;
use serde::de::{Deserializer, Error, MapAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Serialize};

use crate::character::Character;
use crate::{Body, Garment, Output, PairFriction, RegionInteraction, Scene, number};

/// Drag and lift coefficient of a wind that gives none: of a plate across the wind, and about a quarter of it
/// along, because a wind that is named must be felt.
const NAMED_WIND: Wind = Wind { lift: 0.3, ..Wind::STILL_AIR };

/// Greatest distance (m) of a vertex to a face of another layer, where cached contacts give none.
const REACH: f32 = 0.05;

/// Reads a table and converts it. An error of the conversion has the place of the table, where one of serde's
/// `try_from` has that of the list around it.
pub(crate) fn converted<'de, T, U, D>(d: D) -> Result<U, D::Error>
where
    T: Deserialize<'de>,
    U: TryFrom<T, Error = String>,
    D: Deserializer<'de>,
{
    struct Table<T, U>(PhantomData<(T, U)>);
    impl<'de, T: Deserialize<'de>, U: TryFrom<T, Error = String>> Visitor<'de> for Table<T, U> {
        type Value = U;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a table")
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<U, A::Error> {
            T::deserialize(MapAccessDeserializer::new(map))?.try_into().map_err(A::Error::custom)
        }
    }
    d.deserialize_map(Table(PhantomData))
}

/// A scene file, table by table.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tables {
    #[serde(default)]
    settings: SettingsTable,
    garment: Vec<Garment>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    body: Vec<Body>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    character: Option<Character>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    interaction: Vec<RegionInteraction>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    friction: Vec<PairFriction>,
    #[serde(default)]
    contacts: ContactsTable,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wind: Option<WindTable>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output: Option<Output>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct SettingsTable {
    #[serde(deserialize_with = "number::positive")]
    dt: f64,
    #[serde(deserialize_with = "number::count")]
    substeps: u32,
    #[serde(deserialize_with = "number::positive")]
    duration: f64,
    #[serde(deserialize_with = "number::positive")]
    thickness: Option<f64>,
    #[serde(deserialize_with = "number::share")]
    static_collision_share: Option<f64>,
    #[serde(deserialize_with = "number::non_negative")]
    seam_distance: Option<f64>,
    #[serde(deserialize_with = "number::non_negative")]
    friction: Option<f64>,
    #[serde(deserialize_with = "number::non_negative")]
    self_friction: f32,
    gate: bool,
    face_contacts: FaceContacts,
    recovery: bool,
    #[serde(deserialize_with = "number::finite")]
    gravity: Vector3<f32>,
    model: ElasticModel,
    #[serde(with = "cloth_solver::teleport::form")]
    teleport: Option<Teleport>,
    #[serde(deserialize_with = "number::count")]
    threads: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WindTable {
    #[serde(deserialize_with = "number::finite")]
    velocity: Vector3<f32>,
    #[serde(default, deserialize_with = "number::non_negative")]
    drag: Option<f32>,
    #[serde(default, deserialize_with = "number::non_negative")]
    lift: Option<f32>,
    #[serde(default, deserialize_with = "number::non_negative")]
    air_damping: Option<f32>,
    #[serde(default)]
    gusts: Option<Gusts>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ContactsTable {
    source: SourceName,
    #[serde(deserialize_with = "number::positive")]
    reach: Option<f32>,
    follow: Option<bool>,
    file: Option<PathBuf>,
    #[serde(deserialize_with = "number::non_negative")]
    layer_depth: f32,
    #[serde(deserialize_with = "number::positive")]
    recovery_speed: Option<f32>,
}

/// The word for where contacts come from.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SourceName {
    Detected,
    Cached,
}

impl SettingsTable {
    fn new(scene: &Scene) -> Self {
        let Scene { dt, duration, thickness, static_collision_share, seam_distance, friction, .. } = *scene;
        let Settings {
            substeps,
            self_friction,
            gate,
            face_contacts,
            recovery,
            gravity,
            model,
            teleport,
            threads,
            ..
        } = scene.settings;
        Self {
            dt,
            substeps,
            duration,
            thickness,
            static_collision_share,
            seam_distance,
            friction,
            self_friction,
            gate,
            face_contacts,
            recovery,
            gravity,
            model,
            teleport,
            threads,
        }
    }
}

impl Default for SettingsTable {
    fn default() -> Self {
        Self::new(&Scene::default())
    }
}

impl ContactsTable {
    fn new(scene: &Scene) -> Self {
        let Settings { contacts, layer_depth, recovery_speed, .. } = scene.settings;
        let (source, reach, follow) = match contacts {
            ContactSource::Detected => (SourceName::Detected, None, None),
            ContactSource::Cached { reach, follow } => (SourceName::Cached, Some(reach), Some(follow)),
        };
        let recovery_speed = recovery_speed.is_finite().then_some(recovery_speed);
        Self { source, reach, follow, file: scene.contact_file.clone(), layer_depth, recovery_speed }
    }

    fn source(&self) -> ContactSource {
        match self.source {
            SourceName::Detected => ContactSource::Detected,
            SourceName::Cached => ContactSource::Cached {
                reach: self.reach.unwrap_or(REACH),
                follow: self.follow.unwrap_or(true),
            },
        }
    }
}

impl Default for ContactsTable {
    fn default() -> Self {
        Self::new(&Scene::default())
    }
}

impl From<Tables> for Scene {
    fn from(tables: Tables) -> Self {
        let default = Self::default().settings;
        let Tables { settings: s, contacts, wind, .. } = tables;
        let air_damping = wind.as_ref().and_then(|wind| wind.air_damping).unwrap_or(default.air_damping);
        let wind = wind.map_or(default.wind, |wind| Wind {
            velocity: wind.velocity,
            drag: wind.drag.unwrap_or(NAMED_WIND.drag),
            lift: wind.lift.unwrap_or(NAMED_WIND.lift),
            gusts: wind.gusts,
        });
        Self {
            settings: Settings {
                substeps: s.substeps,
                self_friction: s.self_friction,
                gate: s.gate,
                face_contacts: s.face_contacts,
                recovery: s.recovery,
                gravity: s.gravity,
                model: s.model,
                teleport: s.teleport,
                threads: s.threads,
                wind,
                air_damping,
                contacts: contacts.source(),
                layer_depth: contacts.layer_depth,
                recovery_speed: contacts.recovery_speed.unwrap_or(f32::INFINITY),
                ..default
            },
            dt: s.dt,
            duration: s.duration,
            thickness: s.thickness,
            static_collision_share: s.static_collision_share,
            seam_distance: s.seam_distance,
            friction: s.friction,
            contact_file: contacts.file,
            garments: tables.garment,
            bodies: tables.body,
            character: tables.character,
            interactions: tables.interaction,
            pair_friction: tables.friction,
            output: tables.output,
        }
    }
}

impl From<Scene> for Tables {
    fn from(scene: Scene) -> Self {
        let Settings { wind: Wind { velocity, drag, lift, gusts }, air_damping, .. } = scene.settings;
        let (drag, lift, air_damping) = (Some(drag), Some(lift), Some(air_damping));
        Self {
            settings: SettingsTable::new(&scene),
            contacts: ContactsTable::new(&scene),
            wind: Some(WindTable { velocity, drag, lift, air_damping, gusts }),
            garment: scene.garments,
            body: scene.bodies,
            character: scene.character,
            interaction: scene.interactions,
            friction: scene.pair_friction,
            output: scene.output,
        }
    }
}
