//! Mass-spring: structural, shear and flexion springs with explicit integration (Provot 1995; Tourniaire,
//! section 3.3.1).
//!
//! ```text
//!   o-----o-----o  structural: the edges along the threads
//!   | \ / | \ / |  shear: the other edges, and the opposite diagonals, which join the apexes of the faces at
//!   | / \ | / \ |  such an edge
//!   o-----o-----o  flexion: the apexes of the faces at an edge along a thread, in the place of every second
//!                  vertex
//! ```
//!
//! A structural spring has the stiffness of the XPBD spring of its edge. A shear spring has the shear modulus
//! `G` (N/m): on a grid, a cell of side `a` that shears by `g` changes both diagonals by `a g / sqrt(2)`,
//! which stores `G a^2 g^2 / 2`. A flexion spring has the bending rigidity over the area of its faces; it
//! resists a fold with the fourth power of its angle only, which is the known weakness of the method.
//!
//! Between faces of two fabrics, both shear alike, so a shear spring has the mean of `G` by area, and the
//! mean of the damping times by `G` times area. A flexion spring has the rigidity of the hinge
//! (`bending.rs`).

use std::collections::BTreeSet;

use cloth_geom::Topology;

use super::bending::rigidity;
use super::stretch::Spring;
use crate::describe::material::weighted_mean;
use crate::fem::{FemReport, PackedF64, StepInput};
use crate::rest::RestGeometry;
use crate::{MassSpringSettings, MaterialMap};

/// A spring between two vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NetworkSpring {
    pub(crate) v: [u32; 2],
    /// Rest length (m).
    pub(crate) rest: f64,
    /// Stiffness (N/m).
    pub(crate) stiffness: f64,
    /// Damping time (s).
    pub(crate) damping: f64,
}

/// The springs of a cloth, in its own vertex numbers.
pub(crate) fn springs(
    topology: &Topology,
    rest: &RestGeometry,
    materials: &MaterialMap,
    threads: &[Spring],
    settings: &MassSpringSettings,
) -> Vec<NetworkSpring> {
    let stretch = f64::from(settings.stretch_damping);
    let structural = threads.iter().map(|s| NetworkSpring {
        v: [s.a, s.b],
        rest: f64::from(s.rest),
        stiffness: 1.0 / f64::from(s.compliance),
        damping: stretch,
    });
    let along: BTreeSet<[u32; 2]> = threads.iter().map(|s| [s.a.min(s.b), s.a.max(s.b)]).collect();
    let is_thread = |&[a, b]: &[u32; 2]| along.contains(&[a.min(b), a.max(b)]);
    let shear = |v, length, faces: &[u32]| {
        let of_faces = || faces.iter().map(|&face| (materials.material(face), rest.area(face)));
        let stiffness = weighted_mean(of_faces().map(|(m, area)| (m.shear, area)));
        let damping = weighted_mean(of_faces().map(|(m, area)| (m.damping, area * (m.shear / stiffness))));
        NetworkSpring { v, rest: length, stiffness: stiffness.into(), damping: damping.into() }
    };
    let biased = topology.edges().iter().enumerate().filter(|(_, edge)| !is_thread(edge));
    let diagonals = biased.filter_map(|(e, &edge)| {
        let faces = topology.edge_faces(e);
        let face = *faces.first()?;
        let k = (0..3).find(|&k| topology.face_edges()[face as usize][k] == e as u32)?;
        let [x, y] = rest.edge(face, k).map(f64::from);
        Some(shear(edge, (x * x + y * y).sqrt(), faces))
    });
    let hinges = topology.hinges();
    let across = hinges.iter().filter_map(|hinge| {
        let length = apex_distance(topology, rest, hinge)?;
        if !is_thread(&hinge.edge) {
            return Some(shear(hinge.apexes, length, &hinge.faces));
        }
        let area = f64::from(rest.area(hinge.faces[0]) + rest.area(hinge.faces[1]));
        let stiffness = f64::from(rigidity(rest, hinge, materials)) / area;
        Some(NetworkSpring { v: hinge.apexes, rest: length, stiffness, damping: stretch })
    });
    let all = structural.chain(diagonals).chain(across);
    all.filter(|s| s.stiffness > 0.0 && s.stiffness.is_finite() && s.v[0] != s.v[1]).collect()
}

/// The distance (m) of the apexes of two faces: in the rest pose, or laid flat.
fn apex_distance(topology: &Topology, rest: &RestGeometry, hinge: &cloth_geom::Hinge) -> Option<f64> {
    if let Some(pose) = &rest.pose {
        let [a, b] = hinge.apexes.map(|v| pose[v as usize]);
        return Some((a - b).norm());
    }
    // The foot of each apex along the edge, and its height over it.
    let foot = |side: usize| {
        let face = hinge.faces[side];
        let corners = topology.faces()[face as usize];
        let k = (0..3).find(|&k| corners[k] == hinge.edge[0])?;
        let at_end = corners[(k + 1) % 3] == hinge.edge[1];
        let [edge, apex] = if at_end {
            [rest.edge(face, k), rest.edge(face, (k + 2) % 3).map(|x| -x)]
        } else {
            [rest.edge(face, (k + 2) % 3).map(|x| -x), rest.edge(face, k)]
        };
        let ([x, y], [p, q]) = (edge.map(f64::from), apex.map(f64::from));
        let length = (x * x + y * y).sqrt();
        Some([(x * p + y * q) / length, (x * q - y * p).abs() / length])
    };
    let ([s, a], [t, b]) = (foot(0)?, foot(1)?);
    Some(((s - t) * (s - t) + (a + b) * (a + b)).sqrt())
}

/// A network of springs over common arrays, with its integrator.
#[derive(Clone, Debug, Default)]
pub(crate) struct SpringStepper {
    springs: Vec<NetworkSpring>,
    explicit_steps: u32,
    /// The longest stable step (s) with the present masses.
    stable_step: f64,
    v: Vec<PackedF64>,
    forces: Vec<PackedF64>,
}

/// Share of the stable step that is taken, as for finite elements.
const STABLE_SHARE: f64 = 0.8;

impl SpringStepper {
    pub(crate) fn new(vertices: usize, springs: Vec<NetworkSpring>, settings: &MassSpringSettings) -> Self {
        let zeros = || vec![PackedF64::zeros(); vertices];
        let explicit_steps = settings.explicit_steps;
        Self { springs, explicit_steps, stable_step: 0.0, v: zeros(), forces: zeros() }
    }

    /// Sets the inverse masses (1/kg), which decide the stable step.
    ///
    /// A step `h` is stable if `h^2 k + 2 h c < 4` for the squared frequency `k` and the viscous rate `c` of
    /// every motion, as in [`Membrane::stable_step`](crate::fem::Membrane::stable_step). Each spring counts
    /// as one of stiffness `h^2 k + 2 h c`, and has shares of the masses of its ends in proportion to that;
    /// then the sum over a motion is at most the largest sum of what is at the two ends of a spring, over
    /// their masses. A spring that is not compressed resists no motion more than that along it.
    pub(crate) fn set_inverse_masses(&mut self, inv_mass: &[f32]) {
        let mut rates = vec![[0.0; 2]; self.forces.len()];
        for NetworkSpring { v, stiffness, damping, .. } in &self.springs {
            for &v in v {
                let per_mass = stiffness * f64::from(inv_mass[v as usize]);
                let [k, c] = &mut rates[v as usize];
                (*k, *c) = (*k + per_mass, *c + damping * per_mass);
            }
        }
        let step = |spring: &NetworkSpring| {
            let [a, b] = spring.v.map(|v| rates[v as usize]);
            let (k, c) = (a[0] + b[0], a[1] + b[1]);
            4.0 / (c + (c * c + 4.0 * k).sqrt())
        };
        self.stable_step = self.springs.iter().map(step).fold(f64::INFINITY, f64::min);
    }

    /// Adds the forces (N) of the springs at the positions (m) and velocities (m/s).
    fn add_forces(&mut self, x: &[PackedF64]) {
        for spring in &self.springs {
            let [a, b] = spring.v.map(|v| v as usize);
            let apart = x[b] - x[a];
            let length = apart.norm();
            if length > 0.0 {
                let speed = apart.dot(&(self.v[b] - self.v[a])) / length;
                let pull = spring.stiffness * ((length - spring.rest) + spring.damping * speed);
                let force = apart * (pull / length);
                self.forces[a] += force;
                self.forces[b] -= force;
            }
        }
    }

    /// As [`FemStepper::end_velocities`](crate::fem::FemStepper::end_velocities).
    pub(crate) fn end_velocities(&self) -> &[PackedF64] {
        &self.v
    }

    /// As [`FemStepper::advance`](crate::fem::FemStepper::advance).
    pub(crate) fn advance(&mut self, input: &StepInput<'_>, x: &mut [PackedF64]) -> Option<FemReport> {
        let parts = libm::ceil(input.h / (STABLE_SHARE * self.stable_step)).max(1.0);
        if parts > f64::from(self.explicit_steps) || parts.is_nan() {
            x.copy_from_slice(input.predicted);
            return None;
        }
        x.copy_from_slice(input.x_t0);
        for ((v, to), from) in self.v.iter_mut().zip(input.predicted).zip(input.x_t0) {
            *v = (to - from) / input.h;
        }
        let (h, explicit_steps) = (input.h / parts, parts as u32);
        for _ in 0..explicit_steps {
            self.forces.fill(PackedF64::zeros());
            self.add_forces(x);
            for (i, force) in self.forces.iter().enumerate() {
                self.v[i] += force * (h * f64::from(input.w[i]));
                x[i] += self.v[i] * h;
            }
        }
        Some(FemReport { explicit_steps, stable_step: self.stable_step, ..FemReport::default() })
    }
}

#[cfg(test)]
mod tests;
