//! The constraints that are projected four at a time, one by one: slow, obvious, and to the same bits.

use super::bodies::{Packed, dot};
use super::lanes::Lanes;
use super::{Bodies, stretch};
use crate::colouring::coloured;
use nalgebra::Vector4;
use proptest::prelude::*;

/// One pass over springs, in order; one multiplier each.
fn stretch(springs: &[stretch::Spring], lambdas: &mut [f32], bodies: &mut Bodies<'_>) {
    for (spring, lambda) in springs.iter().zip(lambdas) {
        let (a, b) = (spring.a as usize, spring.b as usize);
        let (w_a, w_b) = (bodies.w[a], bodies.w[b]);
        let sep = bodies.x[b] - bodies.x[a];
        let length = dot(&sep, &sep).sqrt();
        if length == 0.0 || w_a + w_b == 0.0 {
            continue;
        }
        let softness = spring.compliance * (1.0 / (bodies.h * bodies.h));
        let scale = (spring.rest - length - softness * *lambda) / ((w_a + w_b + softness) * length);
        *lambda += scale * length;
        let push = sep * scale;
        bodies.x[a] -= push * w_a;
        bodies.x[b] += push * w_b;
    }
}

/// Vertices of all kinds: free and held, many at a place that another has, many at zero of either sign.
#[derive(Clone, Debug)]
struct Cloud {
    x: Vec<Packed>,
    x_t0: Vec<Packed>,
    w: Vec<f32>,
}

/// Vertices of a cloud.
const COUNT: usize = 24;

fn clouds() -> impl Strategy<Value = Cloud> {
    let coordinate = || prop_oneof![4 => -1.0f32..1.0, 1 => Just(-0.0f32), 1 => Just(0.5f32)];
    let place =
        move || (coordinate(), coordinate(), coordinate()).prop_map(|(x, y, z)| Vector4::new(x, y, z, 0.0));
    let mass = prop_oneof![3 => 1.0f32..1e5, 1 => Just(0.0f32)];
    let all = prop::collection::vec((place(), place(), mass), COUNT);
    all.prop_map(|all| Cloud {
        x: all.iter().map(|a| a.0).collect(),
        x_t0: all.iter().map(|a| a.1).collect(),
        w: all.iter().map(|a| a.2).collect(),
    })
}

impl Cloud {
    fn bodies(&mut self) -> Bodies<'_> {
        Bodies { x: &mut self.x, x_t0: &self.x_t0, w: &self.w, h: 1.0 / 480.0 }
    }

    fn bits(&self) -> Vec<[u32; 4]> {
        self.x.iter().map(|p| [p.x, p.y, p.z, p.w].map(f32::to_bits)).collect()
    }
}

/// Different vertices of a cloud, in as many tuples as asked for.
fn tuples<const N: usize>() -> impl Strategy<Value = Vec<[u32; N]>> {
    let one = Just((0..COUNT as u32).collect::<Vec<_>>()).prop_shuffle();
    let one = one.prop_map(|all| std::array::from_fn(|k| all[k]));
    prop::collection::vec(one, 1..60)
}

proptest! {
    #[test]
    fn four_springs_at_once_end_where_one_by_one_ends(cloud in clouds(), ends in tuples::<2>()) {
        let springs: Vec<_> = ends.iter().enumerate().map(|(i, &[a, b])| {
            let rest = 0.1 + 0.03 * (i % 7) as f32;
            stretch::Spring { a, b, rest, compliance: 1e-5 * (i % 3) as f32 }
        }).collect();
        let springs = coloured(COUNT, &springs, |s| [s.a, s.b]);
        let (mut fast, mut slow) = (cloud.clone(), cloud);
        let mut blocks = stretch::blocks(&springs);
        blocks.iter_mut().for_each(|block| block.weigh(&fast.w));
        let mut lambdas = vec![0.0; springs.len()];
        for pass in 0..3 {
            stretch::project(&mut blocks, &mut fast.bodies(), pass == 0);
            stretch(&springs, &mut lambdas, &mut slow.bodies());
            prop_assert_eq!(fast.bits(), slow.bits(), "pass {}", pass);
        }
    }
}

#[test]
fn copies_that_fill_a_group_up_write_what_the_last_one_writes() {
    let groups = super::lanes::fours(5, |i| [[0, 1], [2, 3], [1, 4], [5, 6], [7, 8]][i]);
    assert_eq!(groups, [([0, 1, 1, 1], 2), ([2, 3, 4, 4], 3)]);
    assert_eq!(Lanes::ZERO.to_array(), [0.0; 4]);
}
