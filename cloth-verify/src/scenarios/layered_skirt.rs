//! A skirt of three layers on kicking legs: each layer stays outside of the one below it.
//!
//! From Lewin 2018, figure 5 right. The legs kick so hard that detection alone loses layers; the authored order
//! brings them back. The contacts are computed once, at the start, and solved in every step: nothing is detected between the
//! layers. The control, without self collision, lets the layers pass through each other.

use cloth_geom::Topology;
use cloth_geom::fixtures::{SkirtShape, skirt};
use cloth_solver::{ContactSource, Material, Settings};
use nalgebra::Vector3;

use super::parts;
use super::puppet::{Posture, Puppet, ease};
use crate::Size;
use crate::invariants::MeasuredEdges;
use crate::render::Direction;
use crate::scenario::{Expectations, Scenario, Setup, SetupError};

/// Layers.
const LAYERS: u16 = 3;
/// Radius of the innermost waist and hem (m), and what each layer adds to them.
const WAIST: [f64; 2] = [0.145, 0.012];
const HEM: [f64; 2] = [0.34, 0.03];
/// Heights of waist and hem (m).
const TOP: f64 = 0.99;
const LENGTH: f64 = 0.46;
/// Kicks last so long (s), then the legs stand.
const KICKS: f32 = 3.0;
const SECONDS: f32 = 4.5;
/// Kicks a second of each leg, and how far the thigh and the shin go (rad).
const RATE: f32 = 1.5;
const THIGH: f32 = 0.9;
const SHIN: f32 = 0.7;
/// Greatest 99th percentile of the stretch along the threads in any frame.
const STRETCH_LIMIT: f64 = 0.05;
/// Greatest distance (m) of a vertex to the face of another layer that it is kept from.
const REACH: f32 = 0.06;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "layered-skirt",
    about: "three ordered layers on kicking legs, their contacts computed once",
    build,
};

fn settings(substeps: u32) -> Settings {
    Settings {
        iterations: 1,
        stretch_cycles: 3,
        soft_interval: substeps,
        contact_iterations: 2,
        friction_iterations: 1,
        contacts: ContactSource::Cached { reach: REACH, follow: true },
        recovery_speed: 2.0,
        air_damping: 0.5,
        ..parts::settings(substeps)
    }
}

fn build(size: Size) -> Result<Setup, SetupError> {
    let (around, along, substeps) = match size {
        Size::Small => (20, 10, 2),
        Size::Medium => (32, 17, 2),
        Size::Large => (96, 50, 8),
    };
    let mut setup = Setup::at_30_hz(settings(substeps), SECONDS);
    for layer in 0..LAYERS {
        let k = f64::from(layer);
        let shape = SkirtShape {
            waist_radius: WAIST[0] + WAIST[1] * k,
            hem_radius: HEM[0] + HEM[1] * k,
            length: LENGTH,
            around,
            along,
        };
        let mesh = skirt(shape)?.translated(Vector3::y() * (TOP - 0.5 * LENGTH));
        let topology = Topology::of_mesh(&mesh)?;
        let mut cloth = parts::cloth(&mesh, Material::COTTON, u64::from(layer))?;
        cloth.layer = Some(layer);
        cloth.pins = ((along - 1) * around..along * around).map(|v| v as u32).collect();
        setup.add(cloth, &MeasuredEdges::of_mesh(&mesh, &topology));
    }
    let (puppet, colliders) = Puppet::new()?;
    setup.colliders = colliders;
    setup.driver = Some(Box::new(move |stage, _, time| puppet.take(&posture(time), stage)));
    setup.without_order = true;
    setup.expectations =
        Expectations { stretch_p99: Some(STRETCH_LIMIT), penetration: Some(1e-3), ..Expectations::default() };
    setup.view = Direction { azimuth_deg: 30.0, elevation_deg: 10.0 };
    Ok(setup)
}

/// The legs kick in turn, one forward while the other goes back.
fn posture(time: f32) -> Posture {
    let strength = ease(0.0, 0.3, time) * (1.0 - ease(KICKS - 0.3, KICKS, time));
    let phase = core::f32::consts::TAU * RATE * time;
    let kick = |phase: f32| {
        let swing = libm::sinf(phase);
        // Backward the hip goes less far than forward.
        strength * if swing > 0.0 { swing * THIGH } else { 0.4 * swing * THIGH }
    };
    let bend = |phase: f32| strength * SHIN * 0.5 * (1.0 - libm::cosf(phase));
    let other = phase + core::f32::consts::PI;
    Posture { hips: [kick(phase), kick(other)], knees: [bend(phase), bend(other)], ..Posture::default() }
}
