//! How a scene is simulated, and in which world.

use cloth_show::choice::BroadPhaseChoice;
use cloth_solver::{
    ContactSource, Interaction, ParticleFriction, ParticleResponse, ParticleSettings, RestRule, Search,
    Settings, Sleep, Wind,
};

use super::super::random::SplitMix64;
use super::super::scene::{FORMAT, FuzzScene, FuzzWorld};

/// Which contacts between cloths the solver finds.
#[derive(Clone, Copy)]
pub(super) struct Detection {
    pub(super) source: ContactSource,
    /// Interaction of regions without a rule.
    pub(super) interaction: Interaction,
    /// Whether faces of no region may collide in full where all others collide as particles.
    pub(super) mixed: bool,
}

impl Detection {
    pub(super) const FULL: Self =
        Self { source: ContactSource::Detected, interaction: Interaction::FullMesh, mixed: false };
    pub(super) const PARTICLES: Self = Self { interaction: Interaction::Particles, ..Self::FULL };
    pub(super) const MIXED: Self = Self { mixed: true, ..Self::PARTICLES };
}

/// A scene with settings but without cloths, and whether its detection is mixed.
pub(super) fn scene(random: &mut SplitMix64, dt: f32) -> (FuzzScene, bool) {
    let substeps = match random.count(0, 9) {
        0..=3 => 1,
        4..=6 => random.count(2, 5) as u32,
        _ => 8,
    };
    let detection = match random.count(0, 19) {
        0..=9 => Detection::FULL,
        10..=12 => Detection::PARTICLES,
        13..=15 => Detection::MIXED,
        _ => {
            let (reach, follow) = (random.between(0.02, 0.15), random.chance(0.7));
            Detection { source: ContactSource::Cached { reach, follow }, ..Detection::FULL }
        }
    };
    let settings = Settings {
        substeps,
        iterations: random.count(1, 2) as u32,
        detect_interval: random.count(1, 4) as u32,
        self_friction: match random.count(0, 3) {
            0 => 0.0,
            1 => random.between(1.0, 2.0),
            _ => random.between(0.0, 1.0),
        },
        gravity: random
            .pick(&[[0.0, -9.81, 0.0], [0.0, -9.81, 0.0], [0.0; 3], [0.0, -50.0, 0.0], [5.0, -8.0, 2.0]])
            .into(),
        wind: if random.chance(0.3) {
            Wind {
                velocity: random.vector(15.0).into(),
                drag: random.between(0.0, 1.3),
                lift: random.between(0.0, 1.0),
                gusts: None,
            }
        } else {
            Wind { drag: random.pick(&[0.0, 1.2]), ..Wind::VACUUM }
        },
        contacts: detection.source,
        recovery: random.chance(0.65),
        layer_order: random.chance(0.7),
        recovery_speed: if random.chance(0.2) { random.between(0.1, 2.0) } else { f32::INFINITY },
        max_radii_per_substep: random.chance(0.25).then(|| random.between(0.3, 3.0)),
        particles: particles(random),
        sleep: None,
        ..Settings::default()
    };
    let scene = FuzzScene {
        format: FORMAT,
        dt,
        steps: 1,
        settings,
        default_interaction: detection.interaction,
        broad_phase: random.pick(&BroadPhaseChoice::ALL),
        threads: if random.chance(0.3) { 2 } else { 1 },
        world: FuzzWorld::PLAIN,
        rules: Vec::new(),
        cloths: Vec::new(),
        instances: Vec::new(),
        bodies: Vec::new(),
        colliders: Vec::new(),
        waypoints: None,
        script: Vec::new(),
        repeat: None,
        variant: None,
    };
    (scene, detection.mixed)
}

fn particles(random: &mut SplitMix64) -> ParticleSettings {
    let (response, search) = if random.chance(0.4) {
        (ParticleResponse::Plane, Search::BroadPhase)
    } else {
        (ParticleResponse::Distance, Search::PointGrid)
    };
    let friction = if random.chance(0.3) {
        ParticleFriction::Averaged(random.between(0.0, 1.0))
    } else {
        ParticleFriction::Coulomb
    };
    let rest = if random.chance(0.4) { RestRule::Limit } else { RestRule::Cull };
    ParticleSettings { response, search, friction, rest, ..ParticleSettings::default() }
}

/// Varies what is chosen after all else, so that a seed keeps everything else of its scene.
pub(super) fn vary(random: &mut SplitMix64, settings: &mut Settings) {
    if random.chance(0.6) {
        // As published, as far from it as it goes, and between.
        settings.relaxation = match random.count(0, 3) {
            0 => 1.0,
            1 => ten_to(random.between(-4.0, -1.0)),
            _ => random.between(0.05, 1.0),
        };
    }
    if random.chance(0.6) {
        settings.wind_interval = random.count(1, 8) as u32;
    }
    if random.chance(0.3) {
        // So soon and at such a speed that cloth in motion falls asleep and is woken again.
        settings.sleep =
            Some(Sleep { after: random.between(0.0, 0.1), speed: ten_to(random.between(-2.0, 0.5)) });
    }
}

/// The farthest place of a world (m): half of what the solver accepts, so that a scene may move.
const FARTHEST: f32 = 5e6;

/// A world of any size and place; `spacing` (m, not scaled) is that of a cloth.
pub(super) fn world(random: &mut SplitMix64, spacing: f32) -> FuzzWorld {
    let scale = match random.count(0, 9) {
        0 | 1 => ten_to(random.between(-4.0, -2.0)),
        2 | 3 => ten_to(random.between(2.0, 4.0)),
        4 => ten_to(random.between(-2.0, 2.0)),
        _ => 1.0,
    };
    let far = random.chance(0.2);
    let origin = if far {
        let distance = (scale * ten_to(random.between(3.2, 5.0))).min(FARTHEST);
        random.vector(1.0).map(|x| x * distance)
    } else {
        [0.0; 3]
    };
    let grid = random.chance(0.3).then(|| {
        // Far from the origin a grid finer than this would be finer than the numbers there.
        let farthest = origin.iter().fold(0.0, |most: f32, x| most.max(x.abs()));
        let numbers = if far { ceil_power(farthest) - 20.0 } else { f32::NEG_INFINITY };
        let exponent = ceil_power(spacing * scale) - random.count(1, 4) as f32;
        libm::exp2f(exponent.max(numbers))
    });
    // A multiple of the grid, so that it can be moved by others without rounding.
    let origin = origin.map(|x| grid.map_or(x, |grid| libm::roundf(x / grid) * grid));
    FuzzWorld { scale, origin, grid, ..FuzzWorld::PLAIN }
}

/// The exponent of the least power of two that is not less.
fn ceil_power(x: f32) -> f32 {
    libm::ceilf(libm::log2f(x))
}

pub(super) fn ten_to(exponent: f32) -> f32 {
    libm::exp10f(exponent)
}
