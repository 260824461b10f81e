//! A Verlet integrator with springs that knows nothing of contacts, and a certifier that keeps two of its
//! sheets apart: from a clean start, and from one that is tangled.
//!
//! `cargo run --release -p cloth-certify --example verlet`

use std::error::Error;

use cloth_certify::{Certifier, CollisionMesh, StartError};

/// Vertices along a side, and the length (m) of a spring.
const SIDE: usize = 12;
const LENGTH: f64 = 0.05;

/// Masses on springs: 20 lines of somebody's solver.
struct Springs {
    x: Vec<[f64; 3]>,
    v: Vec<[f64; 3]>,
    springs: Vec<([usize; 2], f64)>,
}

impl Springs {
    /// Where the vertices would be after `dt` (s): gravity, then springs by projection.
    fn propose(&mut self, dt: f64, inv_mass: &[f64]) -> Vec<[f64; 3]> {
        for (v, &w) in self.v.iter_mut().zip(inv_mass) {
            v[1] -= if w > 0.0 { 9.81 * dt } else { 0.0 };
        }
        let moved = self.x.iter().zip(&self.v).map(|(x, v)| [0, 1, 2].map(|k| x[k] + dt * v[k]));
        let mut x1: Vec<[f64; 3]> = moved.collect();
        for _ in 0..10 {
            for &([a, b], rest) in &self.springs {
                let d = [0, 1, 2].map(|k| x1[b][k] - x1[a][k]);
                let length = d.iter().map(|c| c * c).sum::<f64>().sqrt();
                let share = (length - rest) / (length * (inv_mass[a] + inv_mass[b]).max(1e-9));
                for k in 0..3 {
                    x1[a][k] += inv_mass[a] * share * d[k];
                    x1[b][k] -= inv_mass[b] * share * d[k];
                }
            }
        }
        let velocity = |(x1, x): (&[f64; 3], &[f64; 3])| [0, 1, 2].map(|k| (x1[k] - x[k]) / dt);
        self.v = x1.iter().zip(&self.x).map(velocity).collect();
        x1
    }
}

/// Two sheets, the upper one held at nothing, the lower one at its corners.
fn scene() -> Result<(Springs, CollisionMesh, Vec<f64>), Box<dyn Error>> {
    let (mut x, mut faces, mut springs) = (Vec::new(), Vec::new(), Vec::new());
    for sheet in 0..2 {
        let first = x.len();
        for (i, j) in (0..SIDE).flat_map(|j| (0..SIDE).map(move |i| (i, j))) {
            let at = first + j * SIDE + i;
            x.push([i as f64 * LENGTH, 0.1 * f64::from(sheet), j as f64 * LENGTH + 0.013 * f64::from(sheet)]);
            let [right, down] = [i + 1 < SIDE, j + 1 < SIDE];
            springs.extend(right.then_some(([at, at + 1], LENGTH)));
            springs.extend(down.then_some(([at, at + SIDE], LENGTH)));
            if right && down {
                springs.push(([at, at + SIDE + 1], LENGTH * 2_f64.sqrt()));
                springs.push(([at + 1, at + SIDE], LENGTH * 2_f64.sqrt()));
                let [a, b, c, d] = [at, at + 1, at + SIDE, at + SIDE + 1].map(|v| v as u32);
                faces.extend([[a, c, b], [b, c, d]]);
            }
        }
    }
    let mut inv_mass = vec![100.0; x.len()];
    [0, SIDE - 1, SIDE * (SIDE - 1), SIDE * SIDE - 1].iter().for_each(|&corner| inv_mass[corner] = 0.0);
    let mesh = CollisionMesh::new(x.len(), &faces).build()?;
    Ok((Springs { v: vec![[0.0; 3]; x.len()], x, springs }, mesh, inv_mass))
}

/// Simulates a second, and prints what the certificates say.
fn simulate(
    cloth: &mut Springs,
    certifier: &mut Certifier,
    mesh: &CollisionMesh,
    inv_mass: &[f64],
) -> Result<(), Box<dyn Error>> {
    let dt = 1.0 / 240.0;
    let (mut changed, mut conditional) = (0, 0);
    for _ in 0..240 {
        let mut x1 = cloth.propose(dt, inv_mass);
        let certificate = certifier.correct(&cloth.x, &mut x1, inv_mass)?;
        certificate.update_velocities(dt, &mut cloth.v)?;
        changed += certificate.changed().len();
        conditional += usize::from(!certificate.is_unconditional());
        cloth.x = x1;
    }
    println!("{changed} ends corrected, {conditional} certificates with conditions");
    println!("now: {}, {} tangles exempt", mesh.check_state(&cloth.x)?, certifier.exempt().len());
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let (mut cloth, mesh, inv_mass) = scene()?;
    let mut certifier = Certifier::start(&mesh, &cloth.x)?;
    simulate(&mut cloth, &mut certifier, &mesh, &inv_mass)?;
    assert!(mesh.check_state(&cloth.x)?.is_clean());

    // One vertex of the upper sheet is below the lower one.
    let (mut cloth, mesh, inv_mass) = scene()?;
    cloth.x[SIDE * SIDE + 5 * SIDE + 5][1] = -0.02;
    match Certifier::start(&mesh, &cloth.x) {
        Err(StartError::Tangled(report)) => println!("refused: {report}"),
        other => return Err(format!("a tangled start was accepted: {other:?}").into()),
    }
    let mut certifier = mesh.certifier().admit_tangles().start(&cloth.x)?;
    let before = mesh.check_state(&cloth.x)?.witnesses().len();
    simulate(&mut cloth, &mut certifier, &mesh, &inv_mass)?;
    assert!(mesh.check_state(&cloth.x)?.witnesses().len() <= before);
    Ok(())
}
