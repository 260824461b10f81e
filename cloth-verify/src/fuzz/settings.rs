//! The settings that a scene chooses; all others are the solver's own.

use cloth_solver::{
    ContactSource, ParticleFriction, ParticleResponse, ParticleSettings, RestRule, Search, Settings, Sleep,
    Wind,
};
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::scene::FuzzWorld;
use crate::BroadPhaseChoice;

/// How a scene is simulated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FuzzSettings {
    /// Substeps a step.
    pub substeps: u32,
    /// Iterations a substep.
    pub iterations: u32,
    /// Substeps that share a detection.
    pub detect_interval: u32,
    /// Coefficient of friction between cloth.
    pub self_friction: f32,
    /// Gravity (m/s2).
    pub gravity: [f32; 3],
    /// Velocity of the wind (m/s), its drag and lift.
    pub wind: ([f32; 3], f32, f32),
    /// What the solver knows of contacts between cloth.
    pub contacts: FuzzContactSource,
    /// Whether tangles are resolved.
    pub recovery: bool,
    /// Whether layers have an order.
    pub layer_order: bool,
    /// Greatest speed at which a contact is brought back (m/s); none for no limit.
    pub recovery_speed: Option<f32>,
    /// Maximum displacement of a vertex in a substep, in radii.
    pub max_displacement_radii: Option<f32>,
    /// How particles act: whether by planes, the friction by averaging if not Coulomb's, and whether those
    /// that rest near collide.
    pub particles: (bool, Option<f32>, bool),
    /// Number of the broad phase; numbers beyond the last begin again.
    pub broad_phase: u8,
    /// Threads.
    pub threads: u8,
    /// Least motion that candidate lists are made to outlast, as a share of the thinnest cloth's thickness;
    /// the solver's own if none.
    #[serde(default)]
    pub candidate_slack: Option<f32>,
    /// Under-relaxation of bending and shear, in (0, 1]; the solver's own if none.
    #[serde(default)]
    pub relaxation: Option<f32>,
    /// Substeps that share an action of the air; the solver's own if none.
    #[serde(default)]
    pub wind_interval: Option<u32>,
    /// When cloth falls asleep: after how long (s), below which speed (m/s); never if none.
    #[serde(default)]
    pub sleep: Option<(f32, f32)>,
}

/// What the solver knows of contacts between cloth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum FuzzContactSource {
    /// Nothing: the gate alone keeps cloth apart.
    None,
    /// All contacts.
    Full,
    /// Those of particles.
    Particles,
    /// Those between layers that are near at the start, within so many metres, which follow their vertices or
    /// not.
    Cached(f32, bool),
}

impl FuzzSettings {
    pub(super) fn for_solver(&self, world: &FuzzWorld, gate: bool) -> Settings {
        let vector = |v: [f32; 3]| world.vector(Vector3::from(v));
        let (wind, drag, lift) = self.wind;
        let (by_planes, averaged, near_too) = self.particles;
        let own = Settings::default();
        Settings {
            substeps: self.substeps,
            iterations: self.iterations,
            detect_interval: self.detect_interval,
            self_friction: self.self_friction,
            gravity: vector(self.gravity),
            wind: Wind { velocity: vector(wind), drag, lift, gusts: None },
            velocity_limit: 100.0 * world.scale,
            gate,
            recovery: self.recovery,
            contacts: match self.contacts {
                FuzzContactSource::Cached(reach, follow) => {
                    ContactSource::Cached { reach: reach * world.scale, follow }
                }
                _ => ContactSource::Detected,
            },
            layer_order: self.layer_order,
            layer_depth: 0.02 * world.scale,
            recovery_speed: self.recovery_speed.map_or(f32::INFINITY, |most| most * world.scale),
            max_radii_per_substep: self.max_displacement_radii,
            particles: ParticleSettings {
                response: if by_planes { ParticleResponse::Plane } else { ParticleResponse::Distance },
                friction: averaged.map_or(ParticleFriction::Coulomb, ParticleFriction::Averaged),
                rest: if near_too { RestRule::Limit } else { RestRule::Cull },
                search: if by_planes { Search::BroadPhase } else { Search::PointGrid },
                ..ParticleSettings::default()
            },
            candidate_slack: self.candidate_slack.unwrap_or(own.candidate_slack),
            relaxation: self.relaxation.unwrap_or(own.relaxation),
            wind_interval: self.wind_interval.unwrap_or(own.wind_interval),
            sleep: self.sleep.map(|(after, speed)| Sleep { after, speed: speed * world.scale }),
            ..own
        }
    }

    /// The broad phase.
    #[must_use]
    pub fn broad_phase(&self) -> BroadPhaseChoice {
        broad_phase(self.broad_phase)
    }
}

/// The broad phase of a number.
pub(super) fn broad_phase(number: u8) -> BroadPhaseChoice {
    BroadPhaseChoice::ALL[usize::from(number) % BroadPhaseChoice::ALL.len()]
}
