//! Colliders and bodies, which often close on the cloth between them.

use cloth_solver::Shape;
use nalgebra::Vector3;

use super::super::random::SplitMix64;
use super::super::scene::{FuzzBody, FuzzCollider, FuzzMotion};
use super::super::world::scaled;
use super::cloths::motion;

/// A sphere, a capsule, a cube and a half-space, of size 1 m. All but the last can close on what is between
/// two of them.
const SHAPES: [&Shape; 4] = [
    &Shape::Sphere { radius: 1.0 },
    &Shape::Capsule { half_length: 1.0, radius: 0.5 },
    &Shape::Cuboid { half_extents: Vector3::new(1.0, 1.0, 1.0) },
    &Shape::Plane,
];

/// A few, or two that close on what is between them.
pub(super) fn colliders(random: &mut SplitMix64) -> Vec<FuzzCollider> {
    let friction = random.pick(&[0.0, 0.3, 1.5]);
    if random.chance(0.5) {
        let (size, speed) = (random.between(0.1, 0.3), random.between(0.5, 5.0));
        let shape = scaled(random.pick(&SHAPES[..3]), size);
        let is_capsule = matches!(shape, Shape::Capsule { .. });
        let turn = random.count(2, 10) as u32;
        // A capsule lies with its middle this far from the cloth.
        let gap = random.between(0.02, 0.2);
        return [-1.0_f32, 1.0]
            .map(|side| FuzzCollider {
                shape: shape.clone(),
                at: [0.0, side * (size + gap), 0.0],
                rotation: if is_capsule { [0.0, 0.0, 1.5] } else { [0.0; 3] },
                friction,
                guarded: false,
                rigid: None,
                motion: FuzzMotion {
                    velocity: [0.0, -side * speed, 0.0],
                    half_period: turn,
                    ..FuzzMotion::default()
                },
            })
            .into();
    }
    let one = |random: &mut SplitMix64| {
        let unit = random.pick(&SHAPES);
        let (rotation, at) = match unit {
            Shape::Plane => ([0.0; 3], [0.0, random.between(-0.4, -0.05), 0.0]),
            _ => (random.vector(2.0), random.vector(0.25)),
        };
        let shape = scaled(unit, random.between(0.05, 0.2));
        let motion = motion(random, 4.0);
        FuzzCollider { shape, at, rotation, friction, guarded: false, rigid: None, motion }
    };
    (0..random.count(1, 2)).map(|_| one(random)).collect()
}

/// One body below the cloths, or one on either side; the time step is `dt` (s).
pub(super) fn bodies(random: &mut SplitMix64, dt: f32) -> Vec<FuzzBody> {
    let count = random.pick(&[1, 1, 1, 2]);
    (0..count).map(|k| body(random, dt, if k == 0 { -1.0 } else { 1.0 })).collect()
}

fn body(random: &mut SplitMix64, dt: f32, side: f32) -> FuzzBody {
    let ball = random.chance(0.5);
    let radius = random.between(0.05, 0.15);
    let mut at = random.vector(0.05);
    let gap = random.between(0.01, 0.15);
    at[1] = side * (if ball { radius } else { 0.0 } + gap);
    let mut motion = motion(random, 1.0);
    // It reaches the cloth within the scene, slowly or at once.
    let steps = random.between(1.0, 8.0);
    motion.velocity[1] = -side * gap / (steps * dt);
    motion.half_period = random.count(3, 12) as u32;
    let pulse =
        if random.chance(0.5) { (random.between(0.1, 1.0), random.count(2, 8) as u32) } else { (0.0, 1) };
    let thickness = radius * random.pick(&[0.0, 0.05, 0.1, 0.2]);
    FuzzBody { ball, radius, thickness, at, motion, spin: random.between(-10.0, 10.0), pulse }
}
