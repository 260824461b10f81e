//! The membrane: all elements of a scene; its energy, forces, stiffness, and the longest stable explicit
//! step.

use std::ops::Range;

use nalgebra::Vector3;

use super::element::{Element, ElementState};
use super::law::PlaneStress;
use super::sparse::{BlockMatrix, PackedF64, packed, vector};
use super::spectrum::largest_of_product;
use super::strain::StrainMeasure;
use crate::active::ActiveRuns;

/// A material of elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MembraneMaterial {
    /// Stress as a function of strain.
    pub law: PlaneStress,
    /// Viscous stress per rate of strain (N s/m), symmetric and positive semi-definite.
    viscosity: [[f64; 3]; 3],
}

impl MembraneMaterial {
    /// A material with damping times (s) of stretch and of shear: Rayleigh's beta, one for each kind of
    /// strain.
    ///
    /// With the diagonal matrix `B` of their square roots, viscous stress is `B D B` times the rate of
    /// strain, where `D` is the matrix of the law; equal times give `beta D`.
    #[must_use]
    pub fn new(law: PlaneStress, stretch: f64, shear: f64) -> Self {
        let roots = [stretch.sqrt(), stretch.sqrt(), shear.sqrt()];
        let viscosity = [0, 1, 2].map(|i| [0, 1, 2].map(|j| law.matrix()[i][j] * (roots[i] * roots[j])));
        Self { law, viscosity }
    }

    fn is_viscous(&self) -> bool {
        self.viscosity.iter().flatten().any(|&x| x != 0.0)
    }
}

/// Constant-strain triangles over common arrays of vertices.
#[derive(Clone, Debug, Default)]
pub struct Membrane {
    vertices: usize,
    elements: Vec<Element>,
    /// Where the blocks of each element are in a [`BlockMatrix`] of the membrane.
    places: Vec<[u32; 3]>,
    materials: Vec<MembraneMaterial>,
    measure: StrainMeasure,
    /// For each corner the inverse of its share of the mass (1/kg), in proportion to area; zero if it is
    /// immovable.
    inv_shares: Vec<[f64; 3]>,
    /// Elements with a vertex that can move.
    active: ActiveRuns,
}

/// Factors of the terms of an implicit matrix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Factors {
    pub(crate) stiffness: f64,
    pub(crate) viscosity: f64,
}

impl Membrane {
    /// A membrane in which every vertex can move. Corners are sorted. An element whose vertex or material
    /// does not exist, or that has a vertex twice, is left out.
    #[must_use]
    pub fn new(
        vertices: usize,
        elements: Vec<Element>,
        materials: Vec<MembraneMaterial>,
        measure: StrainMeasure,
    ) -> Self {
        let mut elements = elements;
        elements.iter_mut().for_each(Element::sort);
        elements.retain(|e| {
            let [a, b, c] = e.v;
            a < b && b < c && (c as usize) < vertices && (e.material as usize) < materials.len()
        });
        let structure = BlockMatrix::new(vertices, elements.iter().map(|e| e.v));
        let places = elements.iter().map(|e| structure.places(e.v)).collect();
        let inv_shares = vec![[0.0; 3]; elements.len()];
        let mut membrane = Self {
            vertices,
            elements,
            places,
            materials,
            measure,
            inv_shares,
            active: ActiveRuns::default(),
        };
        membrane.set_inverse_masses(&vec![1.0; vertices]);
        membrane
    }

    /// Its elements.
    #[must_use]
    pub fn elements(&self) -> &[Element] {
        &self.elements
    }

    /// Number of vertices of the common arrays.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.vertices
    }

    /// A zero matrix with the structure of the stiffness.
    pub(crate) fn matrix(&self) -> BlockMatrix {
        BlockMatrix::new(self.vertices, self.elements.iter().map(|e| e.v))
    }

    /// Sets the inverse masses (1/kg) of the vertices; zero is immovable. Elements between immovable vertices
    /// are skipped.
    ///
    /// Masses decide which elements act and the stable step, and not their forces.
    pub fn set_inverse_masses(&mut self, inv_mass: &[f32]) {
        let at = |v: u32| inv_mass.get(v as usize).map_or(0.0, |&w| f64::from(w));
        let mut areas = vec![0.0; self.vertices];
        for element in &self.elements {
            element.v.iter().for_each(|&v| areas[v as usize] += element.area);
        }
        for (shares, element) in self.inv_shares.iter_mut().zip(&self.elements) {
            *shares = element.v.map(|v| at(v) * (areas[v as usize] / element.area));
        }
        self.active.update(self.inv_shares.iter().map(|shares| shares.iter().any(|&w| w > 0.0)));
    }

    /// Runs of the elements that act.
    fn runs(&self) -> impl Iterator<Item = Range<usize>> {
        self.active.runs()
    }

    /// The elements that act, with their numbers.
    pub(crate) fn acting(&self) -> impl Iterator<Item = (usize, &Element)> {
        self.runs().flatten().map(|i| (i, &self.elements[i]))
    }

    pub(crate) fn material(&self, element: &Element) -> &MembraneMaterial {
        &self.materials[element.material as usize]
    }

    pub(crate) fn measure(&self) -> StrainMeasure {
        self.measure
    }

    pub(crate) fn places(&self, element: usize) -> &[u32; 3] {
        &self.places[element]
    }

    #[inline]
    pub(crate) fn state(&self, element: &Element, x: &[PackedF64]) -> ElementState {
        element.state(&self.material(element).law, self.measure, &corners(element, x))
    }

    /// Elastic energy (J) at the positions (m).
    #[must_use]
    pub fn energy(&self, x: &[PackedF64]) -> f64 {
        self.acting().map(|(_, element)| element.area * self.state(element, x).response.energy).sum()
    }

    /// Adds the elastic forces (N) at the positions (m): direct accumulation over the elements, in their
    /// order.
    pub fn add_forces(&self, x: &[PackedF64], forces: &mut [PackedF64]) {
        for (_, element) in self.acting() {
            let law = &self.material(element).law;
            let (along, stress) = element.stress(law, self.measure, &corners(element, x));
            add(forces, element, &element.forces(&along, &stress));
        }
    }

    /// Adds the viscous forces (N) at the positions (m) and velocities (m/s).
    pub fn add_viscous_forces(&self, x: &[PackedF64], v: &[PackedF64], forces: &mut [PackedF64]) {
        for (_, element) in self.acting() {
            let material = self.material(element);
            if material.is_viscous() {
                let along = self.directions(element, x);
                let rate = element.strain_rate(&along, &corners(element, v));
                let stress = super::law::times(&material.viscosity, &rate);
                add(forces, element, &element.forces(&along, &stress));
            }
        }
    }

    /// Adds the elastic and the viscous forces (N) at the positions (m) and velocities (m/s): those of
    /// [`Membrane::add_forces`] and of [`Membrane::add_viscous_forces`] up to rounding, in one pass.
    pub(crate) fn add_all_forces(&self, x: &[PackedF64], v: &[PackedF64], forces: &mut [PackedF64]) {
        for (_, element) in self.acting() {
            let material = self.material(element);
            let (along, mut stress) = element.stress(&material.law, self.measure, &corners(element, x));
            if material.is_viscous() {
                let rate = element.strain_rate(&along, &corners(element, v));
                let viscous = super::law::times(&material.viscosity, &rate);
                (0..3).for_each(|i| stress[i] += viscous[i]);
            }
            add(forces, element, &element.forces(&along, &stress));
        }
    }

    /// What takes the place of the gradient in the rates of strain.
    #[inline]
    fn directions(&self, element: &Element, x: &[PackedF64]) -> super::strain::Gradient {
        match self.measure {
            StrainMeasure::Cauchy => element.start,
            StrainMeasure::Green | StrainMeasure::Corotated => element.gradient(&corners(element, x)),
        }
    }

    /// Adds `stiffness K + viscosity C` to a matrix of its structure, with the positive semi-definite
    /// projection of K at `x` and with C at `x_viscous`.
    pub(crate) fn add_stiffness(
        &self,
        x: &[PackedF64],
        x_viscous: &[PackedF64],
        factors: Factors,
        matrix: &mut BlockMatrix,
    ) {
        let at_the_same = std::ptr::eq(x, x_viscous);
        for (i, element) in self.acting() {
            let material = self.material(element);
            let state = self.state(element, x);
            let (tangent, stress) = state.projected();
            let mut m = tangent.map(|row| row.map(|x| x * factors.stiffness));
            let damping = material.viscosity.map(|row| row.map(|x| x * factors.viscosity));
            if at_the_same {
                (0..3).for_each(|i| (0..3).for_each(|j| m[i][j] += damping[i][j]));
            } else if material.is_viscous() {
                let along = self.directions(element, x_viscous);
                matrix.add(&element.v, self.places(i), &element.blocks(&along, &damping, &[0.0; 3]));
            }
            let stress = stress.map(|s| s * factors.stiffness);
            matrix.add(&element.v, self.places(i), &element.blocks(&state.along, &m, &stress));
        }
    }

    /// The longest step (s) for which symplectic Euler is stable at these positions; infinite if nothing can
    /// move.
    ///
    /// With the squared frequency `k` and the viscous rate `c` of a motion, both per mass, symplectic Euler
    /// with the viscous force of the old velocity is stable if `h^2 k + 2 h c < 4` (Jury's criterion on
    /// `z^2 - (2 - h^2 k - h c) z + 1 - h c`). The largest `k` and `c` of the membrane are at most those of
    /// its elements, each with its shares of the masses (Irons and Treharne 1971). The `k` of an element is
    /// bounded by the largest eigenvalue of its material stiffness plus the trace of its stress stiffness.
    /// The bound is of the linearised motion: it says nothing of instabilities that need large motion.
    #[must_use]
    pub fn stable_step(&self, x: &[PackedF64]) -> f64 {
        let step = |(i, element): (usize, &Element)| {
            let [k, c] = self.rates(element, &self.inv_shares[i], x);
            4.0 / (c + (c * c + 4.0 * k).sqrt())
        };
        self.acting().map(step).fold(f64::INFINITY, f64::min)
    }

    /// Upper bounds of the squared frequency (1/s2) and of the viscous rate (1/s) of an element by itself.
    fn rates(&self, element: &Element, inv_shares: &[f64; 3], x: &[PackedF64]) -> [f64; 2] {
        let state = self.state(element, x);
        let (tangent, stress) = state.projected();
        let (weft, warp) = (state.along.weft, state.along.warp);
        let mut mobility = [[0.0; 3]; 3];
        let mut stiffening = 0.0;
        for (&[a, b], &w) in element.weights.iter().zip(inv_shares) {
            let rows: [Vector3<f64>; 3] = [weft * a, warp * b, warp * a + weft * b];
            (0..3).for_each(|i| (0..3).for_each(|j| mobility[i][j] += w * rows[i].dot(&rows[j])));
            stiffening += w * (stress[0] * a * a + stress[1] * b * b + 2.0 * stress[2] * a * b);
        }
        let elastic = largest_of_product(&tangent, &mobility) + stiffening;
        let material = self.material(element);
        let is_viscous = material.is_viscous();
        let viscous = if is_viscous { largest_of_product(&material.viscosity, &mobility) } else { 0.0 };
        [element.area * elastic, element.area * viscous]
    }
}

/// The vectors at the corners of an element.
#[inline]
pub(crate) fn corners(element: &Element, x: &[PackedF64]) -> [Vector3<f64>; 3] {
    element.v.map(|v| vector(&x[v as usize]))
}

#[inline]
pub(crate) fn add(sums: &mut [PackedF64], element: &Element, own: &[Vector3<f64>; 3]) {
    element.v.iter().zip(own).for_each(|(&v, own)| sums[v as usize] += packed(own));
}
