//! Membranes and positions for the tests.

use cloth_geom::fixtures::{jitter, sheet};
use nalgebra::{Rotation3, Vector3};

use crate::fem::{
    Element, FemSettings, FemStepper, Membrane, MembraneMaterial, PackedF64, PlaneStress, StepInput,
    StrainMeasure, packed, vector,
};

pub(super) const MEASURES: [StrainMeasure; 3] =
    [StrainMeasure::Green, StrainMeasure::Corotated, StrainMeasure::Cauchy];

/// Cotton with a Poisson ratio, so that no term of a law is zero.
pub(super) fn law() -> PlaneStress {
    PlaneStress::orthotropic([4_500.0, 6_000.0], 0.3, 60.0)
}

/// A rest face with no right angle, and a frame that is none of the axes.
pub(super) fn element() -> Element {
    let rest = [[0.01, 0.02], [0.035, 0.015], [0.02, 0.05]];
    let turn = Rotation3::from_euler_angles(0.3, -0.7, 1.1);
    let start = rest.map(|[u, v]| turn * Vector3::new(u, v, 0.0));
    Element::new([0, 1, 2], &rest, &start, 0).expect("an area")
}

/// The corners of that face under a stretch of up to 20 %, shear, and a rotation.
pub(super) fn deformed() -> [Vector3<f64>; 3] {
    let turn = Rotation3::from_euler_angles(-0.4, 0.9, 0.2);
    [[0.0, 0.0], [0.028, -0.004], [0.014, 0.036]].map(|[u, v]| turn * Vector3::new(u, v, 0.0) + Vector3::x())
}

/// A sheet in the plane of x and z whose inner and outer vertices are displaced in the plane: an irregular
/// mesh. Weft is x, warp is z.
pub(super) struct Sheet {
    pub(super) membrane: Membrane,
    pub(super) rest: Vec<PackedF64>,
    /// Masses (kg), a third of each face.
    pub(super) masses: Vec<f64>,
}

impl Sheet {
    pub(super) fn new(count: usize, side: f64, measure: StrainMeasure, material: MembraneMaterial) -> Self {
        let mesh = sheet(count, count, [side, side]).expect("a sheet").mesh;
        let spacing = side / (count - 1) as f64;
        let irregular = jitter(&mesh, 0.2 * spacing, 7).expect("a sheet");
        Self::from_mesh(&irregular, measure, material)
    }

    pub(super) fn regular(
        count: [usize; 2],
        size: [f64; 2],
        measure: StrainMeasure,
        material: MembraneMaterial,
    ) -> Self {
        Self::from_mesh(&sheet(count[0], count[1], size).expect("a sheet").mesh, measure, material)
    }

    fn from_mesh(mesh: &cloth_geom::TriMesh, measure: StrainMeasure, material: MembraneMaterial) -> Self {
        let rest: Vec<PackedF64> =
            mesh.positions.iter().map(|p| PackedF64::new(p.x, 0.0, p.z, 0.0)).collect();
        let mut masses = vec![0.0; rest.len()];
        let elements = mesh.faces.iter().map(|&v| {
            let start = v.map(|v| vector(&rest[v as usize]));
            let element = Element::new(v, &start.map(|p| [p.x, p.z]), &start, 0).expect("an area");
            v.iter().for_each(|&v| masses[v as usize] += 0.15 * element.area / 3.0);
            element
        });
        let elements: Vec<Element> = elements.collect();
        let mut membrane = Membrane::new(rest.len(), elements, vec![material], measure);
        let w: Vec<f32> = masses.iter().map(|m| (1.0 / m) as f32).collect();
        membrane.set_inverse_masses(&w);
        Self { membrane, rest, masses }
    }

    pub(super) fn inverse_masses(&self) -> Vec<f32> {
        self.masses.iter().map(|m| (1.0 / m) as f32).collect()
    }

    /// Elastic forces (N).
    pub(super) fn forces(&self, x: &[PackedF64]) -> Vec<PackedF64> {
        let mut forces = vec![PackedF64::zeros(); x.len()];
        self.membrane.add_forces(x, &mut forces);
        forces
    }

    /// Whether a vertex lies on the border of the unit of the sheet.
    pub(super) fn is_inner(&self, vertex: usize) -> bool {
        let mut around = std::collections::BTreeMap::new();
        for e in self.membrane.elements().iter().filter(|e| e.v.contains(&(vertex as u32))) {
            e.v.iter().for_each(|&v| *around.entry(v).or_insert(0) += 1);
        }
        around.iter().all(|(&v, &faces)| v as usize == vertex || faces == 2)
    }
}

/// A motion without external forces.
pub(super) struct Motion {
    pub(super) stepper: FemStepper,
    pub(super) x: Vec<PackedF64>,
    pub(super) v: Vec<PackedF64>,
    pub(super) w: Vec<f32>,
    pub(super) gravity: PackedF64,
}

impl Motion {
    pub(super) fn new(sheet: &Sheet, settings: FemSettings) -> Self {
        let v = vec![PackedF64::zeros(); sheet.rest.len()];
        let stepper = FemStepper::new(sheet.membrane.clone(), settings);
        Self { stepper, x: sheet.rest.clone(), v, w: sheet.inverse_masses(), gravity: PackedF64::zeros() }
    }

    pub(super) fn pin(&mut self, vertex: usize) {
        self.w[vertex] = 0.0;
        self.stepper.membrane_mut().set_inverse_masses(&self.w);
    }

    pub(super) fn step(&mut self, h: f64) -> crate::fem::FemReport {
        let predicted: Vec<PackedF64> = (0..self.x.len())
            .map(|i| if self.w[i] > 0.0 { self.x[i] + (self.v[i] + self.gravity * h) * h } else { self.x[i] })
            .collect();
        let mut x = self.x.clone();
        let input = StepInput { x_t0: &self.x, predicted: &predicted, w: &self.w, h };
        let report = self.stepper.advance(&input, &mut x).expect("stable");
        for i in 0..x.len() {
            self.v[i] = (x[i] - self.x[i]) / h;
        }
        if let Some(v) = self.stepper.end_velocities() {
            self.v.copy_from_slice(v);
        }
        self.x = x;
        report
    }

    /// Kinetic and elastic energy (J).
    pub(super) fn energy(&self) -> f64 {
        let moving = self.w.iter().zip(&self.v).filter(|(w, _)| **w > 0.0);
        let kinetic: f64 = moving.map(|(&w, v)| 0.5 * v.norm_squared() / f64::from(w)).sum();
        kinetic + self.stepper.membrane().energy(&self.x)
    }
}

/// Positions with a smooth displacement out of the plane and in it, of about 10 % of strain.
pub(super) fn wavy(rest: &[PackedF64]) -> Vec<PackedF64> {
    let wave = |p: &PackedF64| {
        let (a, b) = (libm::sin(9.0 * p.x + 1.0), libm::cos(7.0 * p.z));
        packed(&Vector3::new(p.x + 0.01 * a * b, 0.03 * b, p.z - 0.01 * a))
    };
    rest.iter().map(wave).collect()
}
