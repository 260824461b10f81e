//! No pair that meets is called apart, at any size and place; and nearly all that are apart are known as such
//! without exact arithmetic.

use nalgebra::Point3;

use super::are_apart;
use crate::audit::pair::{MotionPath, Pair};

/// A small generator of numbers, the same on every machine.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Uniform in [-1, 1).
    pub(crate) fn unit(&mut self) -> f32 {
        // Knuth's MMIX generator.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / 8_388_608.0 - 1.0
    }
}

/// Where and how large a pair is (m), and of how many steps a coordinate is a multiple: few steps provoke
/// pairs that touch.
#[derive(Clone, Copy, Debug)]
struct World {
    size: f32,
    at: f32,
    steps: Option<f32>,
    motion: f32,
}

fn point(random: &mut Random, world: &World, scale: f32) -> [f32; 3] {
    [(); 3].map(|()| {
        let x = random.unit() * scale;
        world.steps.map_or(x, |steps| (x * steps).round() / steps)
    })
}

/// Four vertices in motion.
fn motion(random: &mut Random, world: &World) -> [Vec<Point3<f32>>; 2] {
    let starts: Vec<[f32; 3]> = (0..4).map(|_| point(random, world, 1.0)).collect();
    let ways: Vec<[f32; 3]> = (0..4).map(|_| point(random, world, world.motion)).collect();
    let place = |p: [f32; 3]| Point3::from(p.map(|c| c * world.size + world.at));
    let ends = starts.iter().zip(&ways).map(|(p, w)| place([0, 1, 2].map(|k| p[k] + w[k])));
    [starts.iter().map(|&p| place(p)).collect(), ends.collect()]
}

/// Of random motions: how many are apart, how many of those a plane proves, and that none is proved that
/// meets.
fn compare(world: &World, count: usize) -> (usize, usize) {
    let mut random = Random::new(7);
    let (mut apart, mut proved) = (0, 0);
    for k in 0..count {
        let [t0, t1] = motion(&mut random, world);
        let path = MotionPath { t0: &t0, t1: &t1 };
        let pair = Pair { vertices: [0, 1, 2, 3], split: 1 + k % 2 };
        let (meets, plane) = (pair.meets(&path), are_apart(&pair.differences(&path)));
        assert!(!(meets && plane), "{world:?}: {pair:?} {t0:?} {t1:?}");
        apart += usize::from(!meets);
        proved += usize::from(plane);
    }
    (apart, proved)
}

const SIZES: [f32; 4] = [1.0, 1e-4, 1e4, 1e-20];

#[test]
fn what_meets_is_never_called_apart_in_large_and_in_tiny_worlds() {
    for size in SIZES {
        let (apart, proved) = compare(&World { size, at: 0.0, steps: None, motion: 0.5 }, 2000);
        assert!(proved * 1000 >= apart * 995, "{size}: {proved} of {apart} that are apart");
    }
}

#[test]
fn what_touches_on_a_lattice_is_never_called_apart() {
    for steps in [1.0, 2.0, 3.0] {
        let world = World { size: 1.0, at: 0.0, steps: Some(steps), motion: 0.5 };
        let (apart, proved) = compare(&world, 2000);
        assert!(apart < 1999 && proved * 10 >= apart * 9, "{steps}: {proved} of {apart}");
    }
}

#[test]
fn far_from_the_origin_differences_are_exact() {
    let world = World { size: 1.0, at: 1e5, steps: None, motion: 0.5 };
    let (apart, proved) = compare(&world, 2000);
    assert!(proved * 1000 >= apart * 990, "{proved} of {apart}");
}

#[test]
fn a_pair_that_never_moves_is_decided_at_once() {
    let (apart, proved) = compare(&World { size: 1.0, at: 0.0, steps: None, motion: 0.0 }, 2000);
    assert!(proved * 1000 >= apart * 995, "{proved} of {apart}");
}
