//! Reference implementation: constraints projected one by one, to be compared bitwise with eight at a time,
//! whatever the instructions.

use std::sync::Arc;

use super::bending::{self, mean_normal, weighted};
use super::schedule::Chunked;
use super::{DampedPass, Pass, shear, stretch};
use crate::bodies::{Bodies, ByVertex, Packed, difference, dot, movable, packed, sum};
use crate::chunks::Chunks;
use crate::colouring::coloured;
use cloth_geom::lanes::{Level, available, level_named};
use nalgebra::Vector4;
use proptest::prelude::*;

/// One pass over springs, in order; one multiplier each.
fn stretch(springs: &[stretch::Spring], lambdas: &mut [f32], bodies: &mut Bodies<'_>) {
    for (spring, lambda) in springs.iter().zip(lambdas) {
        let (a, b) = (spring.a as usize, spring.b as usize);
        let (w_a, w_b) = (bodies.w[a], bodies.w[b]);
        let sep = difference(&bodies.x[b], &bodies.x[a]);
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

/// One pass over hinges, in order; one multiplier each.
fn bending(
    hinges: &[bending::BendingConstraint],
    lambdas: &mut [Packed],
    bodies: &mut Bodies<'_>,
    relaxation: f32,
) {
    for (bend, lambda) in hinges.iter().zip(lambdas) {
        let v = bend.v.map(|v| v as usize);
        let x = v.map(|v| movable(&bodies.x[v], 0.0));
        let x_t0 = v.map(|v| movable(&bodies.x_t0[v], 0.0));
        let w = v.map(|v| bodies.w[v]);
        let bent = weighted(&bend.k, &x);
        let rest = match bend.curvature {
            0.0 => Packed::zeros(),
            curvature => mean_normal(&x).map_or(bent, |n| packed(&n) * curvature),
        };
        let moved = bent - weighted(&bend.k, &x_t0);
        let softness = bend.compliance * (1.0 / (bodies.h * bodies.h));
        let gamma = bend.damping * (1.0 / bodies.h);
        let weight: f32 = (0..4).map(|i| w[i] * bend.k[i] * bend.k[i]).sum();
        let residual = bent - rest + *lambda * softness + moved * gamma;
        let delta = residual * (-1.0 / ((1.0 + gamma) * (weight * (1.0 / relaxation)) + softness));
        *lambda += delta;
        for i in 0..4 {
            bodies.x[v[i]] = movable(&(x[i] + delta * (w[i] * bend.k[i])), w[i]);
        }
    }
}

/// One pass over sheared faces, in order; one multiplier each.
fn shear(faces: &[shear::ShearConstraint], lambdas: &mut [f32], bodies: &mut Bodies<'_>, relaxation: f32) {
    for (shear, lambda) in faces.iter().zip(lambdas) {
        let at = shear.v.map(|v| v as usize);
        let x = at.map(|v| movable(&bodies.x[v], 0.0));
        let x_t0 = at.map(|v| movable(&bodies.x_t0[v], 0.0));
        let w = at.map(|v| bodies.w[v]);
        let (u, v) = (&shear.along_weft, &shear.along_warp);
        let weft = x[0] * u[0] + x[1] * u[1] + x[2] * u[2];
        let warp = x[0] * v[0] + x[1] * v[1] + x[2] * v[2];
        let g = [0, 1, 2].map(|k| warp * u[k] + weft * v[k]);
        let moved = [0, 1, 2].map(|k| g[k].component_mul(&(x[k] - x_t0[k])));
        let squares = [0, 1, 2].map(|k| g[k].component_mul(&g[k]) * w[k]);
        let softness = shear.compliance * (1.0 / (bodies.h * bodies.h));
        let gamma = shear.damping * (1.0 / bodies.h);
        let residual =
            dot(&weft, &warp) + softness * *lambda + gamma * sum(&(moved[0] + moved[1] + moved[2]));
        let squares = squares[0] + squares[1] + squares[2];
        let delta = -residual / ((1.0 + gamma) * (sum(&squares) * (1.0 / relaxation)) + softness);
        *lambda += delta;
        for k in 0..3 {
            bodies.x[at[k]] = movable(&(x[k] + g[k] * (w[k] * delta)), w[k]);
        }
    }
}

/// Random vertices: free and pinned, with many coincident positions and zeros of both signs.
#[derive(Clone, Debug)]
struct RandomVertices {
    x: Vec<Packed>,
    x_t0: Vec<Packed>,
    w: Vec<f32>,
    /// In three of them.
    chunks: Arc<Chunks>,
}

/// Number of vertices.
const COUNT: usize = 24;

fn random_vertices() -> impl Strategy<Value = RandomVertices> {
    let coordinate = || prop_oneof![4 => -1.0f32..1.0, 1 => Just(-0.0f32), 1 => Just(0.5f32)];
    let position =
        move || (coordinate(), coordinate(), coordinate()).prop_map(|(x, y, z)| Vector4::new(x, y, z, 0.0));
    let mass = prop_oneof![3 => 1.0f32..1e5, 1 => Just(0.0f32)];
    let all = prop::collection::vec((position(), position(), mass, 0..3u8), COUNT);
    all.prop_map(|all| RandomVertices {
        x: all.iter().map(|a| a.0).collect(),
        x_t0: all.iter().map(|a| a.1).collect(),
        w: all.iter().map(|a| a.2).collect(),
        chunks: Chunks::with_chunk_of(&all.iter().map(|a| a.3).collect::<Vec<_>>(), 3).into(),
    })
}

impl RandomVertices {
    /// The bits of all positions after each of three passes.
    fn passes_with(
        &self,
        level: Level,
        mut project: impl FnMut(&mut Bodies<'_>, Pass),
    ) -> Vec<Vec<[u32; 4]>> {
        let slots = self.chunks.slots();
        let mut in_slots = [&self.x, &self.x_t0].map(|from| {
            let mut all = vec![Packed::zeros(); COUNT];
            slots
                .iter()
                .zip(from)
                .zip(&self.w)
                .for_each(|((&slot, x), &w)| all[slot as usize] = movable(x, w));
            all
        });
        let [x, x_t0] = &mut in_slots;
        let mut pass = |number| {
            let (x, x_t0) = (
                ByVertex { slots: Some(slots), in_slots: &mut **x },
                ByVertex { slots: Some(slots), in_slots: &**x_t0 },
            );
            let mut bodies = Bodies { x, x_t0, w: &self.w, h: 1.0 / 480.0, level };
            project(&mut bodies, Pass { first: number == 0, last: number == 2, relaxation: 0.4, cycles: 1 });
            (0..COUNT).map(|v| <[f32; 4]>::from(bodies.x[v]).map(f32::to_bits)).collect()
        };
        (0..3).map(&mut pass).collect()
    }

    fn passes(&self, project: impl FnMut(&mut Bodies<'_>, Pass)) -> Vec<Vec<[u32; 4]>> {
        self.passes_with(Level::baseline(), project)
    }
}

/// Random tuples of distinct vertices.
fn tuples<const N: usize>() -> impl Strategy<Value = Vec<[u32; N]>> {
    let one = Just((0..COUNT as u32).collect::<Vec<_>>()).prop_shuffle();
    let one = one.prop_map(|all| std::array::from_fn(|k| all[k]));
    prop::collection::vec(one, 1..60)
}

proptest! {
    #[test]
    fn eight_springs_at_once_end_where_one_by_one_ends(vertices in random_vertices(), ends in tuples::<2>()) {
        let springs: Vec<_> = ends.iter().enumerate().map(|(i, &[a, b])| {
            let rest = 0.1 + 0.03 * (i % 7) as f32;
            stretch::Spring { a, b, rest, compliance: 1e-5 * (i % 3) as f32 }
        }).collect();
        let in_order = coloured(COUNT, &springs, |s| [s.a, s.b]);
        let mut lambdas = vec![0.0; springs.len()];
        let passes = vertices.passes(|bodies, _| stretch(&in_order, &mut lambdas, bodies));
        for level in levels() {
            let mut blocks =
                Chunked::new(&vertices.chunks, &springs, |s| [s.a, s.b], stretch::SpringBlock::new);
            let fast = vertices.passes_with(level, |bodies, pass| {
                let inv_h_sq = 1.0 / (bodies.h * bodies.h);
                let once = stretch::SpringPass { inv_h_sq, multipliers: pass.multipliers() };
                blocks.project(bodies.level, bodies.slices(), 1, once);
            });
            prop_assert_eq!(&fast, &passes, "{:?}", level);
        }
    }

    #[test]
    fn eight_hinges_at_once_end_where_one_by_one_ends(
        vertices in random_vertices(), corners in tuples::<4>(), flat in any::<bool>()
    ) {
        let hinges: Vec<_> = corners.iter().enumerate().map(|(i, &v)| {
            let k = [0.3, -0.1, 1.5, -0.7].map(|k| k * (1.0 + 0.1 * i as f32));
            let k = [-(k[1] + k[2] + k[3]), k[1], k[2], k[3]];
            let curvature = if flat || i % 3 == 0 { 0.0 } else { 0.01 * (i as f32 - 9.0) };
            let (compliance, damping) = (0.1 + i as f32, 1e-3 * (i % 2) as f32);
            bending::BendingConstraint { v, k, curvature, compliance, damping }
        }).collect();
        let in_order = coloured(COUNT, &hinges, |b| b.v);
        let mut lambdas = vec![Packed::zeros(); hinges.len()];
        let passes =
            vertices.passes(|bodies, pass| bending(&in_order, &mut lambdas, bodies, pass.relaxation));
        for level in levels() {
            let mut blocks = Chunked::new(&vertices.chunks, &hinges, |b| b.v, bending::BendingBlock::new);
            let fast = vertices.passes_with(level, |bodies, pass| {
                let once = DampedPass::new(bodies.h, pass);
                blocks.project(bodies.level, bodies.slices(), 1, once);
            });
            prop_assert_eq!(&fast, &passes, "{:?}", level);
        }
    }

    #[test]
    fn eight_sheared_faces_at_once_end_where_one_by_one_ends(
        vertices in random_vertices(), corners in tuples::<3>(),
    ) {
        let faces: Vec<_> = corners.iter().enumerate().map(|(i, &v)| {
            let (a, b) = (1.0 + 0.1 * i as f32, 0.3 * (i % 4) as f32);
            let (along_weft, along_warp) = ([-a, a, 0.0], [b - a, -b, a]);
            let (compliance, damping) = (1.0 + i as f32, 1e-3 * (i % 2) as f32);
            shear::ShearConstraint { v, along_weft, along_warp, compliance, damping }
        }).collect();
        let in_order = coloured(COUNT, &faces, |s| s.v);
        let mut lambdas = vec![0.0; faces.len()];
        let passes = vertices.passes(|bodies, pass| shear(&in_order, &mut lambdas, bodies, pass.relaxation));
        for level in levels() {
            let mut blocks = Chunked::new(&vertices.chunks, &faces, |s| s.v, shear::ShearBlock::new);
            let fast = vertices.passes_with(level, |bodies, pass| {
                let once = DampedPass::new(bodies.h, pass);
                blocks.project(bodies.level, bodies.slices(), 1, once);
            });
            prop_assert_eq!(&fast, &passes, "{:?}", level);
        }
    }
}

/// All instructions of the machine.
fn levels() -> impl Iterator<Item = Level> {
    available().into_iter().filter_map(level_named)
}

#[test]
fn copies_fill_up_a_group_that_ends_before_a_shared_vertex() {
    let groups = super::lanes::eights(5, |i| [[0, 1], [2, 3], [1, 4], [5, 6], [7, 8]][i]);
    assert_eq!(groups, [[0, 1, 1, 1, 1, 1, 1, 1], [2, 3, 4, 4, 4, 4, 4, 4]]);
}
