//! In-plane shear: warp and weft threads resist leaving their right angle.
//!
//! With the deformed thread directions `F_u`, `F_v` of a triangle (Baraff and Witkin 1998, section 4.3) the
//! constraint is `C = F_u . F_v`, zero while the threads are at right angles; the energy `G A C^2 / 2` gives
//! the compliance `1 / (G A)`. `F_u` and `F_v` are linear in the corners: `F_u = sum u_k x_k`,
//! `F_v = sum v_k x_k`, so the gradient is `u_k F_v + v_k F_u`.
//!
//! Four faces of one colour are projected at once; `reference.rs` projects them one by one, with bitwise
//! equal results.

use super::lanes::{
    Lanes, Lanes3, fours, gather_both, minus, plus, plus_scaled, scaled, scatter, sum, times,
};
use super::{BetweenLevels, ClothInput, Constraint, Pass, Rates, SceneInput};
use crate::active::ActiveRuns;
use crate::bodies::Bodies;
use crate::colouring::coloured;
use crate::rest::RestGeometry;
use crate::{Material, MaterialMap};
use cloth_geom::{MapInline, Topology};

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

/// Four faces without a common vertex; a shorter group repeats its last face.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShearBlock {
    /// By corner.
    v: [[u32; 4]; 3],
    along_weft: [Lanes; 3],
    along_warp: [Lanes; 3],
    /// Inverse masses (1/kg) of the corners.
    w: [Lanes; 3],
    compliance: Lanes,
    damping: Lanes,
    lambda: Lanes,
}

/// Faces in solving order, in blocks; call [`ShearBlock::update_masses`] before use.
pub(crate) fn blocks(faces: &[ShearConstraint]) -> Vec<ShearBlock> {
    let block = |(four, _): ([usize; 4], usize)| {
        let four = four.map(|i| faces[i]);
        ShearBlock {
            v: [0, 1, 2].map(|k| four.map(|s| s.v[k])),
            along_weft: [0, 1, 2].map(|k| Lanes::from(four.map(|s| s.along_weft[k]))),
            along_warp: [0, 1, 2].map(|k| Lanes::from(four.map(|s| s.along_warp[k]))),
            w: [Lanes::ZERO; 3],
            compliance: Lanes::from(four.map(|s| s.compliance)),
            damping: Lanes::from(four.map(|s| s.damping)),
            lambda: Lanes::ZERO,
        }
    };
    fours(faces.len(), |i| faces[i].v).into_iter().map(block).collect()
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
    blocks: Vec<ShearBlock>,
    active: ActiveRuns,
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
        self.blocks = blocks(&coloured(scene.rest.len(), &faces, |c| c.v));
    }

    fn update_masses(&mut self, inv_mass: &[f32]) {
        self.blocks.iter_mut().for_each(|block| block.update_masses(inv_mass));
        self.active.update(self.blocks.iter().map(|block| block.can_move(inv_mass)));
    }

    fn project(&mut self, bodies: &mut Bodies<'_>, pass: Pass, _: BetweenLevels<'_>) {
        self.active.runs().for_each(|run| project(&mut self.blocks[run], bodies, pass));
    }
}

/// One pass over the faces, in order.
pub(crate) fn project(blocks: &mut [ShearBlock], bodies: &mut Bodies<'_>, pass: Pass) {
    let rates = Rates::new(bodies.h, pass);
    for block in blocks {
        if pass.first {
            block.lambda = Lanes::ZERO;
        }
        block.project(bodies, rates);
    }
}

/// `x_0 k_0 + x_1 k_1 + x_2 k_2`.
#[inline]
fn weighted(x: &[Lanes3; 3], k: &[Lanes; 3]) -> Lanes3 {
    plus_scaled(&plus_scaled(&scaled(&x[0], k[0]), &x[1], k[1]), &x[2], k[2])
}

impl ShearBlock {
    fn can_move(&self, inv_mass: &[f32]) -> bool {
        self.v.iter().flatten().any(|&v| inv_mass[v as usize] > 0.0)
    }

    /// Updates the cached inverse masses.
    pub(crate) fn update_masses(&mut self, inv_mass: &[f32]) {
        self.w = self.v.map(|v| Lanes::from(v.map(|v| inv_mass[v as usize])));
    }

    #[inline]
    fn project(&mut self, bodies: &mut Bodies<'_>, rates: Rates) {
        let both = self.v.map_inline(|v| gather_both(bodies, &v));
        let (x, x_t0) = (both.map_inline(|b| b.0), both.map_inline(|b| b.1));
        let (weft, warp) = (weighted(&x, &self.along_weft), weighted(&x, &self.along_warp));
        let gradient = |k: usize| plus_scaled(&scaled(&warp, self.along_weft[k]), &weft, self.along_warp[k]);
        let g = [gradient(0), gradient(1), gradient(2)];
        let moved = |k: usize| times(&g[k], &minus(&x[k], &x_t0[k]));
        let moved = plus(&plus(&moved(0), &moved(1)), &moved(2));
        let square = |k: usize| scaled(&times(&g[k], &g[k]), self.w[k]);
        let squares = plus(&plus(&square(0), &square(1)), &square(2));
        let softness = self.compliance * rates.inv_h_sq;
        let gamma = self.damping * rates.inv_h;
        let residual = sum(&times(&weft, &warp)) + softness * self.lambda + gamma * sum(&moved);
        let delta = -residual / ((gamma + 1.0) * (sum(&squares) * rates.inv_relaxation) + softness);
        self.lambda += delta;
        for k in 0..3 {
            scatter(&plus_scaled(&x[k], &g[k], self.w[k] * delta), &self.v[k], bodies.x);
        }
    }
}
