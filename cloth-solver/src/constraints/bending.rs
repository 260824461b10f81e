//! Bending: the isometric (quadratic) model of Bergou et al. 2006, "A quadratic bending model for
//! inextensible surfaces", extended to rest shapes that are not flat.
//!
//! ```text
//!        x2            L = sum K_k x_k   is zero for a flat hinge and grows with its curvature;
//!       /  \           energy  (B / (A_0 + A_1)) |L|^2 / 2
//!     x0----x1         K_0 = cot_a(x1) + cot_b(x1)     K_2 = -cot_a(x0) - cot_a(x1)
//!       \  /           K_1 = cot_a(x0) + cot_b(x0)     K_3 = -cot_b(x0) - cot_b(x1)
//!        x3            a, b: the faces with x2, with x3; angles at rest
//! ```
//!
//! The paper has a factor of 3 in the energy. On a regular grid, bent to a cylinder, a hinge along the axis
//! turns by the curvature times the edge, and a diagonal not at all: there the factor that gives the energy
//! of a plate, `B k^2 A / 2`, is 1.
//!
//! Between faces of two fabrics the hinge bends as two strips in series: the moment `m` (N) about the edge is
//! the same on both sides, each strip turns by its moment over its rigidity times its width, and widths are
//! as areas. So the compliances `A / B` of the faces add, which is one rigidity, the harmonic mean by area:
//! `(A_0 + A_1) / (A_0 / B_0 + A_1 / B_1)`. The rate of the angle is shared in the same proportion, so the
//! damping time is the mean of both by compliance.
//!
//! `L` is linear in the positions, so the three components of the constraint `C = L - L_rest` share their
//! weights and are solved together, with neither a square root nor an angle. For a curved rest shape,
//! `L_rest` keeps its length and side and follows the normal half-way between the two faces; that normal's
//! own gradient is left out (a deviation: angular momentum is then conserved only as far as `L` is parallel
//! to that normal).
//!
//! Eight hinges of one colour are projected at once; `reference.rs` projects them one by one, with bitwise
//! equal results.

use nalgebra::Vector3;

use super::lanes::{
    Instructions, Numbers, Simd, Vectors, chosen, cross, divided, gather, load_vectors, minus, norm, plus,
    plus_scaled, scaled, scatter, zeros,
};
use super::schedule::{BlockPositions, Chunked, ConstraintBlock};
use super::{BetweenLevels, ClothInput, Constraint, DampedPass, Pass, SceneInput};
use crate::MaterialMap;
use crate::bodies::{Bodies, Packed, packed, vector};
use crate::describe::material::weighted_mean;
use crate::rest::RestGeometry;
use cloth_geom::{Hinge, Topology};

/// One hinge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BendingConstraint {
    pub(crate) v: [u32; 4],
    pub(super) k: [f32; 4],
    /// Signed length of `L` at rest along the mean normal (m); zero for a flat rest shape.
    pub(super) curvature: f32,
    /// Compliance (m/N).
    pub(super) compliance: f32,
    /// Damping time (s).
    pub(super) damping: f32,
}

impl BendingConstraint {
    /// The bending of a hinge; `None` for fabrics that do not resist it.
    pub(crate) fn new(
        rest: &RestGeometry,
        topology: &Topology,
        hinge: &Hinge,
        materials: &MaterialMap,
    ) -> Option<Self> {
        let bend = rigidity(rest, hinge, materials);
        if bend <= 0.0 {
            return None;
        }
        let cot = |side: usize, vertex: u32| {
            let face = hinge.faces[side];
            let corners = topology.faces()[face as usize];
            let k = (0..3).find(|&k| corners[k] == vertex).unwrap_or(0);
            rest.cotangent(face, k)
        };
        let [x0, x1] = hinge.edge;
        let (a0, a1, b0, b1) = (cot(0, x0), cot(0, x1), cot(1, x0), cot(1, x1));
        let area = rest.area(hinge.faces[0]) + rest.area(hinge.faces[1]);
        let v = [x0, x1, hinge.apexes[0], hinge.apexes[1]];
        let k = [a1 + b1, a0 + b0, -a0 - a1, -b0 - b1];
        let curvature = rest.pose.as_ref().map_or(0.0, |pose| {
            let x = v.map(|v| packed(&pose[v as usize].coords.cast::<f32>()));
            let bent = weighted(&k, &x);
            let curvature = vector(&bent).dot(&mean_normal(&x).unwrap_or_default());
            // Rounding of a flat pose is no curvature.
            let size: f32 = (0..4).map(|i| (k[i] * (x[i] - x[0]).norm()).abs()).sum();
            if curvature.abs() <= 16.0 * f32::EPSILON * size { 0.0 } else { curvature }
        });
        let damping = weighted_mean(hinge.faces.map(|face| {
            let material = materials.material(face);
            (material.damping, rest.area(face) * (bend / material.bend))
        }));
        Some(Self { v, k, curvature, compliance: area / bend, damping })
    }
}

/// The bending rigidity (N m) of a hinge: the harmonic mean of its faces by area; equal ones are their own
/// mean, bit for bit.
pub(super) fn rigidity(rest: &RestGeometry, hinge: &Hinge, materials: &MaterialMap) -> f32 {
    let [a, b] = hinge.faces.map(|face| materials.material(face).bend);
    if a == b {
        return a;
    }
    let [area_a, area_b] = hinge.faces.map(|face| rest.area(face));
    (area_a + area_b) / (area_a / a + area_b / b)
}

/// `sum K_k x_k`. The weights sum to zero, so it is taken relative to the first vertex: far from the origin
/// nothing is lost.
pub(super) fn weighted(k: &[f32; 4], x: &[Packed; 4]) -> Packed {
    (x[1] - x[0]) * k[1] + (x[2] - x[0]) * k[2] + (x[3] - x[0]) * k[3]
}

/// The unit normal half-way between those of the faces (x0 x1 x2) and (x1 x0 x3): `L` of a bent hinge lies
/// along it.
pub(super) fn mean_normal(x: &[Packed; 4]) -> Option<Vector3<f32>> {
    let [edge, to_2, to_3] = [1, 2, 3].map(|k| vector(&(x[k] - x[0])));
    let unit = |n: Vector3<f32>| n.try_normalize(0.0);
    (unit(edge.cross(&to_2))? + unit(to_3.cross(&edge))?).try_normalize(0.0)
}

/// Eight hinges without a common vertex; a shorter group repeats its last hinge.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(crate) struct BendingBlock {
    k: [Numbers; 4],
    curvature: Numbers,
    compliance: Numbers,
    damping: Numbers,
    lambda: [Numbers; 3],
}

impl BendingBlock {
    pub(super) fn new(eight: [BendingConstraint; 8]) -> Self {
        Self {
            k: [0, 1, 2, 3].map(|k| eight.map(|b| b.k[k])),
            curvature: eight.map(|b| b.curvature),
            compliance: eight.map(|b| b.compliance),
            damping: eight.map(|b| b.damping),
            lambda: [[0.0; 8]; 3],
        }
    }
}

/// The hinges of a cloth that resist bending.
pub(super) fn hinges(
    topology: &Topology,
    rest: &RestGeometry,
    materials: &MaterialMap,
) -> Vec<BendingConstraint> {
    let new = |hinge| BendingConstraint::new(rest, topology, hinge, materials);
    topology.hinges().iter().filter_map(new).collect()
}

/// The hinges of all cloths.
#[derive(Clone, Debug, Default)]
pub(crate) struct BendingConstraints {
    /// Only while the simulation is being built.
    hinges: Vec<BendingConstraint>,
    blocks: Chunked<BendingBlock, 4>,
}

impl Constraint for BendingConstraints {
    fn add_cloth(&mut self, cloth: &ClothInput<'_>) {
        if !cloth.has_hinges() {
            return;
        }
        let hinges = cloth.prepared.hinges.iter();
        self.hinges
            .extend(hinges.map(|&bend| BendingConstraint { v: bend.v.map(|v| cloth.shift(v)), ..bend }));
    }

    fn finish(&mut self, scene: &SceneInput<'_>) {
        let hinges = std::mem::take(&mut self.hinges);
        self.blocks = Chunked::new(scene.chunks, &hinges, |c| c.v, BendingBlock::new);
    }

    fn update_masses(&mut self, inv_mass: &[f32]) {
        self.blocks.update_masses(inv_mass);
    }

    fn project(&mut self, bodies: &mut Bodies<'_>, pass: Pass, _: BetweenLevels<'_>) {
        let once = DampedPass::new(bodies.h, pass);
        self.blocks.project(bodies.level, bodies.slices(), 1, once);
    }
}

impl ConstraintBlock<4> for BendingBlock {
    type Pass = DampedPass;

    #[inline(always)]
    fn project<S: Instructions>(
        &mut self,
        simd: S,
        part: usize,
        positions: &mut BlockPositions<'_, 4>,
        DampedPass { rates, multipliers }: DampedPass,
    ) {
        let zero = zeros(simd);
        let (x0, w0) = gather(simd, part, |l| positions.get(0, l));
        let x0_t0 = gather(simd, part, |l| positions.start(0, l)).0;
        let (mut x, mut w, mut bent, mut bent_t0) = ([x0; 4], [w0; 4], zero, zero);
        let k0 = simd.load(&self.k[0], part);
        let mut mobility = [w0 * k0; 4];
        let mut weight = mobility[0] * k0;
        for i in 1..4 {
            let k = simd.load(&self.k[i], part);
            let (now, w_i) = gather(simd, part, |l| positions.get(i, l));
            let then = gather(simd, part, |l| positions.start(i, l)).0;
            let (term, term_t0) = (scaled(&minus(&now, &x0), k), scaled(&minus(&then, &x0_t0), k));
            // Without adding to zero, so that zeros keep their signs.
            bent = if i == 1 { term } else { plus(&bent, &term) };
            bent_t0 = if i == 1 { term_t0 } else { plus(&bent_t0, &term_t0) };
            (x[i], w[i], mobility[i]) = (now, w_i, w_i * k);
            weight += mobility[i] * k;
        }
        let rest = bent_at_rest(simd, &x, &bent, simd.load(&self.curvature, part));
        let softness = simd.load(&self.compliance, part) * simd.splat(rates.inv_h_sq);
        let gamma = simd.load(&self.damping, part) * simd.splat(rates.inv_h);
        let lambda = if multipliers.start { zero } else { load_vectors(simd, &self.lambda, part) };
        let residual = plus_scaled(&minus(&bent, &rest), &lambda, softness);
        let residual = plus_scaled(&residual, &minus(&bent, &bent_t0), gamma);
        let stiffness = weight * simd.splat(rates.inv_relaxation);
        let scale = simd.splat(-1.0) / ((gamma + simd.splat(1.0)) * stiffness + softness);
        let delta = scaled(&residual, scale);
        for k in 0..3 {
            multipliers.store(simd, lambda[k] + delta[k], &mut self.lambda[k], part);
        }
        for i in 0..4 {
            let moved = plus_scaled(&x[i], &delta, mobility[i]);
            scatter(simd, part, moved, w[i], |l, position| positions.set(i, l, position));
        }
    }
}

/// `L_rest`, zero where the rest shape is flat.
#[inline(always)]
fn bent_at_rest<S: Instructions>(
    simd: S,
    x: &[Vectors<S>; 4],
    bent: &Vectors<S>,
    curvature: S::Lanes,
) -> Vectors<S> {
    let zero = zeros(simd);
    let flat = curvature.is_equal(zero[0]);
    if S::Lanes::all(flat) { zero } else { chosen(flat, &zero, &bent_along_normal(simd, x, bent, curvature)) }
}

/// `L_rest` with a curved rest shape: its length along the normal half-way between the faces; where there is
/// none, `L` as it is.
#[inline(always)]
fn bent_along_normal<S: Instructions>(
    simd: S,
    x: &[Vectors<S>; 4],
    bent: &Vectors<S>,
    curvature: S::Lanes,
) -> Vectors<S> {
    let zero = simd.splat(0.0);
    let [edge, to_2, to_3] = [minus(&x[1], &x[0]), minus(&x[2], &x[0]), minus(&x[3], &x[0])];
    let (n_a, n_b) = (cross(&edge, &to_2), cross(&to_3, &edge));
    let (l_a, l_b) = (norm(&n_a), norm(&n_b));
    let mean = plus(&divided(&n_a, l_a), &divided(&n_b, l_b));
    let length = norm(&mean);
    // No length is negative.
    let none = l_a.is_equal(zero) | l_b.is_equal(zero) | length.is_equal(zero);
    chosen(none, bent, &scaled(&divided(&mean, length), curvature))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ClothDesc, Material, Thickness};
    use nalgebra::Point3;

    /// The only hinge of two faces of 0.5 and 1 m2, the second of another fabric.
    fn hinge(first: Material, second: Material) -> Option<BendingConstraint> {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -2.0, 0.0]];
        let mesh = cloth_geom::TriMesh::new(corners.map(Point3::from).to_vec(), vec![[0, 1, 2], [1, 0, 3]]);
        let desc = ClothDesc::new(mesh, first, Thickness::from_total(0.01, 0.25));
        let desc = desc.with_face_material(vec![1], second);
        let topology = Topology::of_mesh(&desc.mesh).expect("a surface");
        let rest = RestGeometry::new(&desc).expect("faces");
        hinges(&topology, &rest, &desc.material_map()).into_iter().next()
    }

    #[test]
    fn a_hinge_between_two_fabrics_adds_their_compliances() {
        let soft = Material { bend: 1e-3, damping: 0.25, ..Material::COTTON };
        let stiff = Material { bend: 8e-3, damping: 0.75, ..Material::COTTON };
        let mixed = hinge(soft, stiff).expect("a hinge");
        let [at_soft, at_stiff] = [0.5 / 1e-3, 1.0 / 8e-3];
        approx::assert_relative_eq!(mixed.compliance, at_soft + at_stiff, max_relative = 1e-6);
        let damping = (0.25 * at_soft + 0.75 * at_stiff) / (at_soft + at_stiff);
        approx::assert_relative_eq!(mixed.damping, damping, max_relative = 1e-6);
    }

    #[test]
    fn a_hinge_that_is_limp_on_one_side_is_limp() {
        let limp = Material { bend: 0.0, ..Material::COTTON };
        assert_eq!(hinge(limp, Material::DENIM), None);
        assert_eq!(hinge(Material::DENIM, limp), None);
    }
}
