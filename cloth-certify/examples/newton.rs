//! A Newton method with a line search that minimises the energy of a hanging net in `f64`, above an obstacle:
//! the largest certified step bounds every line search, so that no iterate touches anything.
//!
//! `cargo run --release -p cloth-certify --example newton`

use std::error::Error;

use cloth_certify::{CollisionMesh, Search, StepLimit};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

/// Vertices along a side of the net, length (m) and stiffness (N/m) of a spring, weight of a vertex (N).
const SIDE: usize = 7;
const LENGTH: f64 = 0.1;
const STIFFNESS: f64 = 50.0;
const WEIGHT: f64 = 0.05;

/// Distance (m) below which a barrier pushes, and its strength (J).
const NEAR: f64 = 0.01;
const BARRIER: f64 = 1e-3;

struct Net {
    springs: Vec<[usize; 2]>,
    is_held: Vec<bool>,
}

impl Net {
    /// Energy (J), its gradient, and a positive definite approximation of its second derivative.
    fn energy(&self, x: &[[f64; 3]]) -> (f64, DVector<f64>, DMatrix<f64>) {
        let n = 3 * self.is_held.len();
        let (mut energy, mut gradient) = (0.0, DVector::zeros(n));
        let mut hessian = DMatrix::identity(n, n) * 1e-2;
        for &[a, b] in &self.springs {
            let d = Vector3::from(x[b]) - Vector3::from(x[a]);
            let (length, along) = (d.norm(), d.normalize());
            energy += 0.5 * STIFFNESS * (length - LENGTH).powi(2);
            let force = along * (STIFFNESS * (length - LENGTH));
            let across = Matrix3::identity() - along * along.transpose();
            let tension = (1.0 - LENGTH / length).max(0.0);
            let block = STIFFNESS * (along * along.transpose() + across * tension);
            for k in 0..3 {
                gradient[3 * a + k] -= force[k];
                gradient[3 * b + k] += force[k];
                for l in 0..3 {
                    hessian[(3 * a + k, 3 * a + l)] += block[(k, l)];
                    hessian[(3 * b + k, 3 * b + l)] += block[(k, l)];
                    hessian[(3 * a + k, 3 * b + l)] -= block[(k, l)];
                    hessian[(3 * b + k, 3 * a + l)] -= block[(k, l)];
                }
            }
        }
        for v in 0..self.is_held.len() {
            energy += WEIGHT * x[v][1];
            gradient[3 * v + 1] += WEIGHT;
            // The floor is a face at height 0; its barrier keeps the method from creeping up to it.
            let height = x[v][1];
            if height < NEAR {
                let log = (height / NEAR).ln();
                energy += BARRIER * log * log;
                gradient[3 * v + 1] += 2.0 * BARRIER * log / height;
                hessian[(3 * v + 1, 3 * v + 1)] += 2.0 * BARRIER * (1.0 - log) / (height * height);
            }
            if self.is_held[v] {
                for k in 3 * v..3 * v + 3 {
                    gradient[k] = 0.0;
                    hessian.row_mut(k).fill(0.0);
                    hessian.column_mut(k).fill(0.0);
                    hessian[(k, k)] = 1.0;
                }
            }
        }
        (energy, gradient, hessian)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let (mut x, mut faces, mut springs) = (Vec::new(), Vec::new(), Vec::new());
    for (i, j) in (0..SIDE).flat_map(|j| (0..SIDE).map(move |i| (i, j))) {
        let at = j * SIDE + i;
        x.push([i as f64 * LENGTH, 0.12, j as f64 * LENGTH]);
        springs.extend((i + 1 < SIDE).then_some([at, at + 1]));
        springs.extend((j + 1 < SIDE).then_some([at, at + SIDE]));
        if i + 1 < SIDE && j + 1 < SIDE {
            let [a, b, c, d] = [at, at + 1, at + SIDE, at + SIDE + 1].map(|v| v as u32);
            faces.extend([[a, c, b], [b, c, d]]);
        }
    }
    let count = x.len();
    let is_held = (0..count).map(|v| v == 0 || v == SIDE - 1).collect();
    let net = Net { springs, is_held };
    // The floor.
    x.extend([[-1.0, 0.0, -1.0], [3.0, 0.0, -1.0], [-1.0, 0.0, 3.0]]);
    faces.push([count, count + 2, count + 1].map(|v| v as u32));
    let mesh = CollisionMesh::new(x.len(), &faces).build()?;

    let (mut limited, mut iterations) = (0, 0);
    for _ in 0..200 {
        let (energy, gradient, hessian) = net.energy(&x);
        let direction = -hessian.cholesky().ok_or("not positive definite")?.solve(&gradient);
        if direction.amax() < 1e-6 {
            break;
        }
        let mut x1 = x.clone();
        for (v, x1) in x1[..count].iter_mut().enumerate() {
            (0..3).for_each(|k| x1[k] += direction[3 * v + k]);
        }
        let longest = mesh.max_step(&x, &x1, 0.0)?;
        limited += usize::from(longest.limit != StepLimit::None);
        // Backtracking within what is certified.
        let mut end = x.clone();
        let mut share = if longest.step < 1.0 { 0.9 } else { 1.0 };
        loop {
            longest.advance(&x, &x1, &mut end)?;
            for (end, x) in end.iter_mut().zip(&x) {
                (0..3).for_each(|k| end[k] = x[k] + share * (end[k] - x[k]));
            }
            if net.energy(&end).0 < energy || share < 1e-9 {
                break;
            }
            share *= 0.5;
        }
        // A part of a certified motion, rounded: certified itself.
        assert!(mesh.check_motion(&x, &end, Search::First)?.is_clean());
        x = end;
        iterations += 1;
    }
    let lowest = x[..count].iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
    println!(
        "{iterations} iterations, {limited} line searches limited, lowest vertex {lowest:.4} m above the \
         floor"
    );
    assert!(limited > 0 && lowest > 0.0 && mesh.check_state(&x)?.is_clean());
    Ok(())
}
