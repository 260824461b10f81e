//! A square of finite elements by itself, and its motion under gravity.

use std::error::Error;

use cloth_geom::fixtures::sheet;
use cloth_solver::fem::{
    Element, FemSettings, FemStepper, Membrane, MembraneMaterial, PackedF64, PlaneStress, StepInput,
    StrainMeasure,
};
use nalgebra::Vector3;

/// A square of 1 m in the plane `y = 0`.
pub(crate) struct Square {
    /// Weft and warp coordinates (m).
    pub(crate) rest: Vec<[f64; 2]>,
    pub(crate) membrane: Membrane,
    /// A third of the mass of each face at each of its corners (kg).
    pub(crate) masses: Vec<f64>,
    side: usize,
}

impl Square {
    pub(crate) fn new(
        side: usize,
        law: PlaneStress,
        measure: StrainMeasure,
        density: f64,
    ) -> Result<Self, Box<dyn Error>> {
        let mesh = sheet(side, side, [1.0, 1.0])?.mesh;
        let [low, high] = [0, side * side - 1].map(|v| mesh.positions[v]);
        let origin = [low.x.min(high.x), low.z.min(high.z)];
        let rest: Vec<[f64; 2]> = mesh.positions.iter().map(|p| [p.x - origin[0], p.z - origin[1]]).collect();
        let mut masses = vec![0.0; rest.len()];
        let mut elements = Vec::new();
        for &face in &mesh.faces {
            let corners = face.map(|v| rest[v as usize]);
            let start = corners.map(|[u, v]| Vector3::new(u, 0.0, v));
            elements.extend(Element::new(face, &corners, &start, 0));
            let area = 0.5 * (start[1] - start[0]).cross(&(start[2] - start[0])).norm();
            face.iter().for_each(|&v| masses[v as usize] += density * area / 3.0);
        }
        let material = MembraneMaterial::new(law, 0.0, 0.0);
        let membrane = Membrane::new(rest.len(), elements, vec![material], measure);
        Ok(Self { rest, membrane, masses, side })
    }

    /// The vertices of its last row.
    pub(crate) fn edge(&self) -> Vec<usize> {
        (self.side * (self.side - 1)..self.side * self.side).collect()
    }

    /// The ends of its last row.
    pub(crate) fn corners(&self) -> Vec<usize> {
        vec![self.side * (self.side - 1), self.side * self.side - 1]
    }
}

/// A square that moves under gravity (m/s2).
pub(crate) struct Motion {
    stepper: FemStepper,
    x: Vec<PackedF64>,
    v: Vec<PackedF64>,
    w: Vec<f32>,
    gravity: PackedF64,
}

impl Motion {
    /// At rest, with these vertices pinned.
    pub(crate) fn new(square: Square, settings: FemSettings, pinned: &[usize], gravity: PackedF64) -> Self {
        let x = square.rest.iter().map(|&[u, v]| PackedF64::new(u, 0.0, v, 0.0)).collect();
        let mut w: Vec<f32> = square.masses.iter().map(|m| (1.0 / m) as f32).collect();
        pinned.iter().for_each(|&v| w[v] = 0.0);
        let mut stepper = FemStepper::new(square.membrane, settings);
        stepper.membrane_mut().set_inverse_masses(&w);
        Self { stepper, v: vec![PackedF64::zeros(); w.len()], x, w, gravity }
    }

    /// A step of `h` seconds.
    pub(crate) fn step(&mut self, h: f64) -> Result<(), Box<dyn Error>> {
        let ahead =
            |i: usize| if self.w[i] > 0.0 { (self.v[i] + self.gravity * h) * h } else { PackedF64::zeros() };
        let predicted: Vec<PackedF64> = (0..self.x.len()).map(|i| self.x[i] + ahead(i)).collect();
        let mut x = self.x.clone();
        let input = StepInput { x_t0: &self.x, predicted: &predicted, w: &self.w, h };
        self.stepper.advance(&input, &mut x).ok_or("the explicit integrator needs more steps")?;
        for ((v, to), from) in self.v.iter_mut().zip(&x).zip(&self.x) {
            *v = (to - from) / h;
        }
        if let Some(v) = self.stepper.end_velocities() {
            self.v.copy_from_slice(v);
        }
        self.x = x;
        Ok(())
    }

    /// Sets all velocities to zero.
    pub(crate) fn stop(&mut self) {
        self.v.fill(PackedF64::zeros());
    }

    /// Elastic energy (J).
    pub(crate) fn elastic_energy(&self) -> f64 {
        self.stepper.membrane().energy(&self.x)
    }

    /// Elastic, kinetic and potential energy (J).
    pub(crate) fn energy(&self) -> f64 {
        let each = self.w.iter().zip(&self.v).zip(&self.x).filter(|((w, _), _)| **w > 0.0);
        let moving = each.map(|((&w, v), x)| (0.5 * v.norm_squared() - self.gravity.dot(x)) / f64::from(w));
        moving.sum::<f64>() + self.elastic_energy()
    }

    /// The largest distance (m) of a vertex from its place in another motion.
    pub(crate) fn distance(&self, other: &Self) -> f64 {
        self.x.iter().zip(&other.x).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
    }
}
