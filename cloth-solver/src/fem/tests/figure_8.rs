//! Figure 8 of Zhang et al. 2014: a sheet of 512 triangles falls on a ball, and direct accumulation makes its
//! corners uneven there.
//!
//! What could do so is tried here: the assembly, rotations that are kept from an earlier step, the order of
//! the faces, and the diagonals of the mesh. Everything else is symmetric: no bending, no self-collision, and
//! a ball that acts on each vertex by itself.

use cloth_geom::TriMesh;
use cloth_geom::fixtures::{Diagonals, sheet_with_diagonals};

use crate::fem::global::GlobalStiffness;
use crate::fem::membrane::corners;
use crate::fem::strain::Stretch;
use crate::fem::{
    Element, Membrane, MembraneMaterial, PackedF64, PlaneStress, StrainMeasure, packed, vector,
};

const COUNT: usize = 17;
/// Modulus (N/m), and mass per area (kg/m2).
const MODULUS: f64 = 300.0;
const DENSITY: f64 = 0.15;
/// Radius of the ball (m), how far the sheet is above it, and its friction.
const RADIUS: f64 = 0.2;
const FALL: f64 = 0.1;
const FRICTION: f64 = 0.3;
/// The step (s): a quarter of that of the paper, so that it is stable.
const STEP: f64 = 2.5e-4;

/// How forces are computed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Forces {
    /// Summed over the elements.
    Direct,
    /// `K_g1 x - K_g2 x0`.
    Global,
}

/// An experiment.
#[derive(Clone, Copy, Debug)]
struct Trial {
    diagonals: Diagonals,
    forces: Forces,
    /// Rotations are computed anew every so many steps; 0 for forces at the present ones.
    renewed_every: u32,
    /// Multiplier of the face numbers in their order; 1 for that of the mesh.
    order: usize,
}

/// The mesh with its faces in another order: `i` times a number that has no factor in common with theirs.
fn permuted(mesh: &TriMesh, order: usize) -> Vec<[u32; 3]> {
    (0..mesh.faces.len()).map(|i| mesh.faces[(i * order) % mesh.faces.len()]).collect()
}

/// A membrane whose frames of the start are those at the positions.
fn membrane(faces: &[[u32; 3]], rest: &[PackedF64], at: &[PackedF64], measure: StrainMeasure) -> Membrane {
    let elements = faces.iter().filter_map(|&v| {
        let flat = v.map(|v| [rest[v as usize].x, rest[v as usize].z]);
        let mut element = Element::new(v, &flat, &v.map(|v| vector(&rest[v as usize])), 0)?;
        let f = element.gradient(&corners(&element, at));
        element.start = Stretch::from_gradient(&f).frame(&f);
        Some(element)
    });
    let material = MembraneMaterial::new(PlaneStress::isotropic(MODULUS, 0.3), 0.0, 0.0);
    Membrane::new(rest.len(), elements.collect(), vec![material], measure)
}

/// A vertex that is pushed out of the ball, with Coulomb friction against its displacement.
fn push_out(from: &PackedF64, to: &mut PackedF64) {
    let p = vector(to);
    let depth = RADIUS - p.norm();
    if depth > 0.0 {
        let normal = p.normalize();
        let moved = p - vector(from);
        let along = moved - normal * moved.dot(&normal);
        let held = (FRICTION * depth / along.norm().max(f64::MIN_POSITIVE)).min(1.0);
        *to = packed(&(p + normal * depth - along * held));
    }
}

/// Differences (mm) of the heights of the four corners after 200 and 400 ms.
fn unevenness(trial: Trial) -> [f64; 2] {
    let mesh = sheet_with_diagonals(COUNT, COUNT, [1.0, 1.0], trial.diagonals).expect("a sheet").mesh;
    let faces = permuted(&mesh, trial.order);
    let rest: Vec<PackedF64> =
        mesh.positions.iter().map(|p| PackedF64::new(p.x, RADIUS + FALL, p.z, 0.0)).collect();
    let measure = if trial.renewed_every > 0 { StrainMeasure::Cauchy } else { StrainMeasure::Corotated };
    let mut membrane_now = membrane(&faces, &rest, &rest, measure);
    let mut masses = vec![0.0; rest.len()];
    for element in membrane_now.elements() {
        element.v.iter().for_each(|&v| masses[v as usize] += DENSITY * element.area / 3.0);
    }
    let (mut x, mut v) = (rest.clone(), vec![PackedF64::zeros(); rest.len()]);
    let gravity = PackedF64::new(0.0, -9.81, 0.0, 0.0);
    let mut global = GlobalStiffness::new(&membrane_now);
    let mut uneven = Vec::new();
    for step in 0..(0.4 / STEP) as u32 {
        if trial.renewed_every > 0 && step % trial.renewed_every == 0 {
            membrane_now = membrane(&faces, &rest, &x, measure);
        }
        let mut forces = vec![PackedF64::zeros(); x.len()];
        match trial.forces {
            Forces::Direct => membrane_now.add_forces(&x, &mut forces),
            Forces::Global => {
                global.assemble(&membrane_now, &x);
                global.add_forces(&x, &mut forces);
            }
        }
        for i in 0..x.len() {
            v[i] += (forces[i] / masses[i] + gravity) * STEP;
            let from = x[i];
            x[i] += v[i] * STEP;
            push_out(&from, &mut x[i]);
            v[i] = (x[i] - from) / STEP;
        }
        if (step + 1).is_multiple_of((0.2 / STEP) as u32) {
            let heights = [0, COUNT - 1, COUNT * (COUNT - 1), COUNT * COUNT - 1].map(|v| x[v].y);
            let high = heights.into_iter().fold(f64::MIN, f64::max);
            uneven.push(1e3 * (high - heights.into_iter().fold(f64::MAX, f64::min)));
        }
    }
    [uneven[0], uneven[1]]
}

const PLAIN: Trial =
    Trial { diagonals: Diagonals::Alternating, forces: Forces::Direct, renewed_every: 0, order: 1 };

/// Measured: 1e-7 to 1e-6 mm at 400 ms, which is the rounding of forces amplified by the fall. With rotations
/// of every 16th step it is 1e-5 mm, and the sheet diverges before 600 ms. Diagonals in one direction give
/// 3.5 mm, so that the limit separates the two by far.
#[test]
fn a_symmetric_mesh_stays_even_with_any_assembly_rotations_or_face_order() {
    for forces in [Forces::Direct, Forces::Global] {
        for (renewed_every, order) in [(0, 1), (0, 77), (0, 511), (1, 1), (4, 1), (8, 1)] {
            let trial = Trial { forces, renewed_every, order, ..PLAIN };
            let [early, late] = unevenness(trial);
            assert!(early < 1e-4 && late < 1e-4, "{trial:?}: {early} mm, {late} mm");
        }
    }
}

/// Measured at 400 ms: 3.5 mm with present rotations, 109 mm with those of every fourth step, which is once
/// in the step of the paper: to a face that turns meanwhile, the rotation is strain.
#[test]
fn parallel_diagonals_make_it_uneven_and_stale_rotations_more_so() {
    let uneven = [0, 4].map(|renewed_every| {
        let both = [Forces::Direct, Forces::Global].map(|forces| {
            unevenness(Trial { diagonals: Diagonals::Rising, forces, renewed_every, ..PLAIN })[1]
        });
        assert!((both[0] - both[1]).abs() < 1e-2 * both[0], "{both:?} mm");
        both[0]
    });
    assert!(uneven[0] > 1.0 && uneven[1] > 10.0 * uneven[0], "{uneven:?} mm");
}
