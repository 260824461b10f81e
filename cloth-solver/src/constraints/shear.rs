//! In-plane shear: warp and weft threads resist leaving their right angle.
//!
//! With the deformed thread directions `F_u`, `F_v` of a triangle (Baraff and Witkin 1998, section 4.3) the
//! constraint is `C = F_u . F_v`, zero while the threads are at right angles; the energy `G A C^2 / 2` gives
//! the compliance `1 / (G A)`. `F_u` and `F_v` are linear in the corners: `F_u = sum u_k x_k`,
//! `F_v = sum v_k x_k`, so the gradient is `u_k F_v + v_k F_u`.
//!
//! Eight faces of one colour are projected at once; `reference.rs` projects them one by one, with bitwise
//! equal results.

use super::lanes::{
    Instructions, Numbers, Vectors, gather, load_vectors, minus, plus, plus_scaled, scaled, scatter, sum,
    times,
};
use super::schedule::{BlockPositions, Chunked, ConstraintBlock};
use super::{BetweenLevels, ClothInput, Constraint, DampedPass, Pass, SceneInput};
use crate::bodies::Bodies;
use crate::rest::RestGeometry;
use crate::{Material, MaterialMap};
use cloth_geom::Topology;

/// Shear of one face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ShearConstraint {
    pub(crate) v: [u32; 3],
    /// Weights of the corners in `F_u` (1/m).
    pub(super) along_weft: [f32; 3],
    /// Weights of the corners in `F_v` (1/m).
    pub(super) along_warp: [f32; 3],
    /// Compliance of the dimensionless angle (1/J).
    pub(super) compliance: f32,
    /// Damping time over the substep is this divided by `h` (s).
    pub(super) damping: f32,
}

impl ShearConstraint {
    /// The shear of a face; `None` for a fabric that does not resist it.
    pub(crate) fn new(rest: &RestGeometry, face: u32, v: [u32; 3], material: &Material) -> Option<Self> {
        if material.shear <= 0.0 {
            return None;
        }
        let (e1, e2) = (rest.edge(face, 0), rest.edge(face, 2).map(|x| -x));
        let det = e1[0] * e2[1] - e1[1] * e2[0];
        let row = |w1: f32, w2: f32| [-(w1 + w2), w1, w2];
        Some(Self {
            v,
            along_weft: row(e2[1] / det, -e1[1] / det),
            along_warp: row(-e2[0] / det, e1[0] / det),
            compliance: 1.0 / (material.shear * rest.area(face)),
            damping: material.damping,
        })
    }
}

/// Eight faces without a common vertex; a shorter group repeats its last face.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(crate) struct ShearBlock {
    along_weft: [Numbers; 3],
    along_warp: [Numbers; 3],
    compliance: Numbers,
    damping: Numbers,
    lambda: Numbers,
}

impl ShearBlock {
    pub(super) fn new(eight: [ShearConstraint; 8]) -> Self {
        Self {
            along_weft: [0, 1, 2].map(|k| eight.map(|s| s.along_weft[k])),
            along_warp: [0, 1, 2].map(|k| eight.map(|s| s.along_warp[k])),
            compliance: eight.map(|s| s.compliance),
            damping: eight.map(|s| s.damping),
            lambda: [0.0; 8],
        }
    }
}

/// The faces of a cloth that resist shear.
pub(super) fn faces(
    topology: &Topology,
    rest: &RestGeometry,
    materials: &MaterialMap,
) -> Vec<ShearConstraint> {
    let faces = (0..).zip(topology.faces());
    faces.filter_map(|(face, &v)| ShearConstraint::new(rest, face, v, materials.material(face))).collect()
}

/// The sheared faces of all cloths.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShearConstraints {
    /// Only while the simulation is being built.
    faces: Vec<ShearConstraint>,
    blocks: Chunked<ShearBlock, 3>,
}

impl Constraint for ShearConstraints {
    fn add_cloth(&mut self, cloth: &ClothInput<'_>) {
        if !cloth.has_xpbd_membrane() {
            return;
        }
        let faces = cloth.prepared.sheared.iter();
        self.faces.extend(faces.map(|&face| ShearConstraint { v: face.v.map(|v| cloth.shift(v)), ..face }));
    }

    fn finish(&mut self, scene: &SceneInput<'_>) {
        let faces = std::mem::take(&mut self.faces);
        self.blocks = Chunked::new(scene.chunks, &faces, |c| c.v, ShearBlock::new);
    }

    fn update_masses(&mut self, inv_mass: &[f32]) {
        self.blocks.update_masses(inv_mass);
    }

    fn project(&mut self, bodies: &mut Bodies<'_>, pass: Pass, _: BetweenLevels<'_>) {
        let once = DampedPass::new(bodies.h, pass);
        self.blocks.project(bodies.level, bodies.slices(), 1, once);
    }
}

/// `x_0 k_0 + x_1 k_1 + x_2 k_2`.
#[inline(always)]
fn weighted<S: Instructions>(_: S, x: &[Vectors<S>; 3], k: &Vectors<S>) -> Vectors<S> {
    plus_scaled(&plus_scaled(&scaled(&x[0], k[0]), &x[1], k[1]), &x[2], k[2])
}

impl ConstraintBlock<3> for ShearBlock {
    type Pass = DampedPass;

    #[inline(always)]
    fn project<S: Instructions>(
        &mut self,
        simd: S,
        part: usize,
        positions: &mut BlockPositions<'_, 3>,
        DampedPass { rates, multipliers }: DampedPass,
    ) {
        let now = |corner| gather(simd, part, |l| positions.get(corner, l));
        let start = |corner| gather(simd, part, |l| positions.start(corner, l)).0;
        let ((x_a, w_a), (x_b, w_b), (x_c, w_c)) = (now(0), now(1), now(2));
        let (x, x_t0, w) = ([x_a, x_b, x_c], [start(0), start(1), start(2)], [w_a, w_b, w_c]);
        let along_weft = load_vectors(simd, &self.along_weft, part);
        let along_warp = load_vectors(simd, &self.along_warp, part);
        let (weft, warp) = (weighted(simd, &x, &along_weft), weighted(simd, &x, &along_warp));
        let gradient = |k: usize| plus_scaled(&scaled(&warp, along_weft[k]), &weft, along_warp[k]);
        let g = [gradient(0), gradient(1), gradient(2)];
        let moved = |k: usize| times(&g[k], &minus(&x[k], &x_t0[k]));
        let moved = plus(&plus(&moved(0), &moved(1)), &moved(2));
        let square = |k: usize| scaled(&times(&g[k], &g[k]), w[k]);
        let squares = plus(&plus(&square(0), &square(1)), &square(2));
        let softness = simd.load(&self.compliance, part) * simd.splat(rates.inv_h_sq);
        let gamma = simd.load(&self.damping, part) * simd.splat(rates.inv_h);
        let lambda = multipliers.load(simd, &self.lambda, part);
        let residual = sum(simd, &times(&weft, &warp)) + softness * lambda + gamma * sum(simd, &moved);
        let stiffness = sum(simd, &squares) * simd.splat(rates.inv_relaxation);
        let delta = -residual / ((gamma + simd.splat(1.0)) * stiffness + softness);
        multipliers.store(simd, lambda + delta, &mut self.lambda, part);
        for k in 0..3 {
            let end = plus_scaled(&x[k], &g[k], w[k] * delta);
            scatter(simd, part, end, w[k], |l, position| positions.set(k, l, position));
        }
    }
}
