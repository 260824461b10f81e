//! Stretch: every edge keeps its rest length, as stiffly as the threads that run along it.
//!
//! `C = |x_b - x_a| - l0`. An edge stands for the strain of its two faces, so with membrane
//! stiffness `E` (N/m) and their area `A` its energy is `E A (C / l0)^2 / 2`, and its compliance `l0^2 / (E
//! A)`. A thread runs along warp and weft only: at an angle `phi` to the warp the stiffness fades as `cos^2(2
//! phi)`, so that edges on the bias do not lock the shear that the fabric allows. An edge that is no stiffer
//! than shear is left to it. Between faces of two fabrics, each face counts with its own: they share the
//! strain of the edge, so their energies add, and `E A` is the sum over both.
//!
//! Eight springs of one colour are projected at once; `reference.rs` projects them one by one, with bitwise
//! equal results.

use super::coarse::{CoarseInput, CoarseLevels};
use super::lanes::{Instructions, Numbers, Simd, chosen, dot, gather, minus, plus_scaled, scaled, scatter};
use super::schedule::{BlockPositions, Chunked, ConstraintBlock};
use super::{BetweenLevels, ClothInput, Constraint, Multipliers, Pass, SceneInput};
use crate::bodies::Bodies;
use crate::describe::material::weighted_mean;
use crate::rest::RestGeometry;
use crate::{Material, MaterialMap};
use cloth_geom::Topology;

/// An edge as a spring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spring {
    pub(crate) a: u32,
    pub(crate) b: u32,
    /// Rest length (m).
    pub(crate) rest: f32,
    /// Compliance (m/N).
    pub(crate) compliance: f32,
}

/// Membrane stiffness (N/m) along a rest direction (weft, warp); zero on the bias.
pub(crate) fn stiffness_along(material: &Material, [weft, warp]: [f32; 2]) -> f32 {
    let length_sq = weft * weft + warp * warp;
    let (s, c) = (weft * weft / length_sq, warp * warp / length_sq);
    let cos_2phi = c - s;
    (material.stretch_warp * c + material.stretch_weft * s) * cos_2phi * cos_2phi
}

/// The springs of a cloth's edges, each with the stiffness and the area of its faces.
pub(crate) fn springs<'a>(
    topology: &'a Topology,
    rest: &'a RestGeometry,
    materials: &'a MaterialMap,
) -> impl Iterator<Item = Spring> + 'a {
    topology.edges().iter().enumerate().filter_map(move |(e, &[a, b])| {
        let (mut length, mut area, mut stiffness_area, mut faces) = (0.0, 0.0, 0.0, 0.0);
        for &face in topology.edge_faces(e) {
            let k = (0..3).find(|&k| topology.face_edges()[face as usize][k] == e as u32).unwrap_or(0);
            let along = rest.edge(face, k);
            length += (along[0] * along[0] + along[1] * along[1]).sqrt();
            stiffness_area += stiffness_along(materials.material(face), along) * rest.area(face);
            area += rest.area(face);
            faces += 1.0;
        }
        let rest_length: f32 = length / faces;
        let compliance = rest_length * rest_length / stiffness_area;
        let faces = topology.edge_faces(e).iter();
        let shear = weighted_mean(faces.map(|&face| (materials.material(face).shear, rest.area(face))));
        let threads = stiffness_area > shear * area && compliance.is_finite();
        threads.then_some(Spring { a, b, rest: rest_length, compliance })
    })
}

/// The springs of all cloths, and their coarse levels.
#[derive(Clone, Debug, Default)]
pub(crate) struct StretchConstraints {
    /// Only while the simulation is being built; so are the vertices on folds that rest flat, ascending.
    springs: Vec<Spring>,
    unfolding: Vec<u32>,
    levels: CoarseLevels,
    blocks: Chunked<SpringBlock, 2>,
}

impl Constraint for StretchConstraints {
    fn add_cloth(&mut self, cloth: &ClothInput<'_>) {
        if !cloth.has_xpbd_membrane() {
            return;
        }
        let springs = cloth.prepared.springs.iter();
        self.springs.extend(springs.map(|&s| Spring { a: cloth.shift(s.a), b: cloth.shift(s.b), ..s }));
        self.unfolding.extend(cloth.prepared.unfolding.iter().map(|&v| cloth.shift(v)));
    }

    fn finish(&mut self, scene: &SceneInput<'_>) {
        let springs = std::mem::take(&mut self.springs);
        let unfolding = std::mem::take(&mut self.unfolding);
        if !springs.is_empty() {
            let edge_length = springs.iter().map(|s| s.rest).sum::<f32>() / springs.len() as f32;
            let SceneInput { rest, faces, inv_mass, chunks } = *scene;
            let (springs, unfolding) = (&springs, &unfolding);
            let input = CoarseInput { rest, faces, springs, inv_mass, unfolding, edge_length, chunks };
            self.levels = CoarseLevels::new(&input);
        }
        self.blocks = Chunked::new(scene.chunks, &springs, |s| [s.a, s.b], SpringBlock::new);
    }

    fn update_masses(&mut self, inv_mass: &[f32]) {
        self.blocks.update_masses(inv_mass);
        self.levels.update_masses(inv_mass);
    }

    fn project(&mut self, bodies: &mut Bodies<'_>, pass: Pass, between_levels: BetweenLevels<'_>) {
        let inv_h_sq = 1.0 / (bodies.h * bodies.h);
        for cycle in 0..pass.cycles {
            self.levels.project(bodies, between_levels);
            let multipliers =
                Multipliers { start: pass.first && cycle == 0, end: pass.last && cycle + 1 == pass.cycles };
            self.blocks.project(bodies.level, bodies.slices(), 1, SpringPass { inv_h_sq, multipliers });
            between_levels(bodies);
        }
    }
}

/// Eight springs without a common vertex; a shorter group repeats its last spring.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(crate) struct SpringBlock {
    rest: Numbers,
    compliance: Numbers,
    lambda: Numbers,
}

impl SpringBlock {
    pub(super) fn new(eight: [Spring; 8]) -> Self {
        Self { rest: eight.map(|s| s.rest), compliance: eight.map(|s| s.compliance), lambda: [0.0; 8] }
    }
}

/// What is the same for all springs of a projection.
#[derive(Clone, Copy)]
pub(crate) struct SpringPass {
    /// `1 / h^2` (1/s2).
    pub(crate) inv_h_sq: f32,
    pub(crate) multipliers: Multipliers,
}

impl ConstraintBlock<2> for SpringBlock {
    type Pass = SpringPass;

    #[inline(always)]
    fn project<S: Instructions>(
        &mut self,
        simd: S,
        part: usize,
        x: &mut BlockPositions<'_, 2>,
        SpringPass { inv_h_sq, multipliers }: SpringPass,
    ) {
        let lambda = multipliers.load(simd, &self.lambda, part);
        let ((x_a, w_a), (x_b, w_b)) =
            (gather(simd, part, |l| x.get(0, l)), gather(simd, part, |l| x.get(1, l)));
        let sep = minus(&x_b, &x_a);
        let length = dot(&sep, &sep).sqrt();
        let w = w_a + w_b;
        let softness = simd.load(&self.compliance, part) * simd.splat(inv_h_sq);
        // One division for both the multiplier and the direction.
        let scale = (simd.load(&self.rest, part) - length - softness * lambda) / ((w + softness) * length);
        let push = scaled(&sep, scale);
        let mut pushed = lambda + scale * length;
        let mut ends = [plus_scaled(&x_a, &push, -w_a), plus_scaled(&x_b, &push, w_b)];
        // A spring of no length has no direction; its neighbours will open it.
        let zero = simd.splat(0.0);
        let stays = length.is_equal(zero) | w.is_equal(zero);
        if S::Lanes::any(stays) {
            pushed = S::Lanes::choose(stays, lambda, pushed);
            ends = [chosen(stays, &x_a, &ends[0]), chosen(stays, &x_b, &ends[1])];
        }
        multipliers.store(simd, pushed, &mut self.lambda, part);
        scatter(simd, part, ends[0], w_a, |l, position| x.set(0, l, position));
        scatter(simd, part, ends[1], w_b, |l, position| x.set(1, l, position));
    }
}
