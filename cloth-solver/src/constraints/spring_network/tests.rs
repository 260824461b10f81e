//! Springs against closed forms.

use cloth_geom::Topology;
use cloth_geom::fixtures::sheet;
use nalgebra::DMatrix;

use super::*;
use crate::constraints::stretch;
use crate::{ClothDesc, Material, Thickness};

const SIDE: f64 = 0.1;
const COUNT: usize = 6;

fn network(damping: f32) -> (Vec<NetworkSpring>, Vec<PackedF64>, Vec<f32>) {
    let mesh = sheet(COUNT, COUNT, [SIDE, SIDE]).expect("a sheet").mesh;
    let topology = Topology::of_mesh(&mesh).expect("a surface");
    let x = mesh.positions.iter().map(|p| PackedF64::new(p.x, p.y, p.z, 0.0)).collect();
    let desc = ClothDesc::new(mesh, Material::COTTON, Thickness::from_total(1e-3, 0.4));
    let rest = RestGeometry::new(&desc).expect("faces");
    let threads: Vec<Spring> = stretch::springs(&topology, &rest, &desc.material_map()).collect();
    let settings = MassSpringSettings { stretch_damping: damping, ..Default::default() };
    let materials = desc.material_map();
    let w = rest.masses(&topology, &materials).iter().map(|m| 1.0 / m).collect();
    (springs(&topology, &rest, &materials, &threads, &settings), x, w)
}

#[test]
fn springs_between_two_fabrics_have_the_mean_shear_by_area() {
    // One cell: the diagonal is between its two faces, and so is that across.
    let mesh = sheet(2, 2, [SIDE, SIDE]).expect("a sheet").mesh;
    let topology = Topology::of_mesh(&mesh).expect("a surface");
    let (soft, stiff) = (Material::SILK, Material::DENIM);
    let desc =
        ClothDesc::new(mesh, soft, Thickness::from_total(1e-3, 0.4)).with_face_material(vec![1], stiff);
    let rest = RestGeometry::new(&desc).expect("faces");
    let materials = desc.material_map();
    let threads: Vec<Spring> = stretch::springs(&topology, &rest, &materials).collect();
    let springs = springs(&topology, &rest, &materials, &threads, &MassSpringSettings::default());
    assert_eq!((threads.len(), springs.len()), (4, 6));
    for spring in &springs[4..] {
        approx::assert_relative_eq!(spring.stiffness, 0.5 * (20.0 + 250.0), max_relative = 1e-6);
        let damping = (20.0 * 1e-3 + 250.0 * 3e-3) / (20.0 + 250.0);
        approx::assert_relative_eq!(spring.damping, damping, max_relative = 1e-6);
    }
    // Each thread lies in one face, and is as stiff as that: `E A / l^2`.
    let mut found: Vec<f64> = springs[..4].iter().map(|s| s.stiffness).collect();
    found.sort_by(f64::total_cmp);
    for (found, modulus) in found.into_iter().zip([3_000.0, 4_000.0, 10_000.0, 15_000.0]) {
        approx::assert_relative_eq!(found, 0.5 * modulus, max_relative = 1e-5);
    }
}

#[test]
fn springs_rest_at_the_start_and_join_every_second_row() {
    let (springs, x, _) = network(0.0);
    for spring in &springs {
        let [a, b] = spring.v.map(|v| x[v as usize]);
        approx::assert_relative_eq!((a - b).norm(), spring.rest, max_relative = 1e-6);
    }
    let cells = (COUNT - 1) * (COUNT - 1);
    let along_threads = 2 * COUNT * (COUNT - 1);
    let of_stiffness = |k: f64| springs.iter().filter(|s| (s.stiffness - k).abs() < 1e-6 * k).count();
    assert_eq!(of_stiffness(60.0), 2 * cells, "both diagonals of each cell");
    assert_eq!(springs.iter().filter(|s| s.stiffness > 1_000.0).count(), along_threads);
    assert_eq!(springs.len() - of_stiffness(60.0) - along_threads, 2 * COUNT * (COUNT - 1) - 4 * (COUNT - 1));
}

#[test]
fn a_sheared_sheet_stores_the_energy_of_its_shear_modulus() {
    let (springs, mut x, _) = network(0.0);
    let shear = 1e-3;
    x.iter_mut().for_each(|p| p.x += shear * p.z);
    let energy = |s: &NetworkSpring| {
        let [a, b] = s.v.map(|v| x[v as usize]);
        0.5 * s.stiffness * ((a - b).norm() - s.rest).powi(2)
    };
    let diagonals: f64 = springs.iter().filter(|s| s.stiffness == 60.0).map(energy).sum();
    // Second order in the shear, and rest lengths are f32.
    approx::assert_relative_eq!(diagonals, 0.5 * 60.0 * SIDE * SIDE * shear * shear, max_relative = 1e-2);
}

#[test]
fn the_stable_step_is_a_bound() {
    for damping in [0.0, 1e-4] {
        let (springs, x, w) = network(damping);
        let mut stepper = SpringStepper::new(x.len(), springs.clone(), &MassSpringSettings::default());
        stepper.set_inverse_masses(&w);
        let h = stepper.stable_step;
        let mut matrix = DMatrix::<f64>::zeros(3 * x.len(), 3 * x.len());
        for s in &springs {
            let [a, b] = s.v.map(|v| v as usize);
            let n = (x[b] - x[a]).normalize();
            let k = s.stiffness * (h * h + 2.0 * h * s.damping);
            for (i, j) in (0..9).map(|n| (n / 3, n % 3)) {
                for (p, q, sign) in [(a, a, 1.0), (b, b, 1.0), (a, b, -1.0), (b, a, -1.0)] {
                    let scale = f64::from(w[p] * w[q]).sqrt();
                    matrix[(3 * p + i, 3 * q + j)] += sign * k * n[i] * n[j] * scale;
                }
            }
        }
        let most = matrix.symmetric_eigenvalues().max();
        assert!(most <= 4.0 && most > 1.0, "{damping}: {most}");
    }
}

#[test]
fn a_pulled_pair_swings_with_its_frequency() {
    let (k, m) = (100.0, 0.01_f32);
    let spring = NetworkSpring { v: [0, 1], rest: 1.0, stiffness: k, damping: 0.0 };
    let mut stepper = SpringStepper::new(2, vec![spring], &MassSpringSettings::default());
    let w = [0.0, 1.0 / m];
    stepper.set_inverse_masses(&w);
    let omega = (k / f64::from(m)).sqrt();
    let (mut x, mut v) = (vec![PackedF64::zeros(), PackedF64::new(1.1, 0.0, 0.0, 0.0)], PackedF64::zeros());
    let (h, steps) = (1e-5, 10_000);
    for _ in 0..steps {
        let predicted = [x[0], x[1] + v * h];
        let mut next = x.clone();
        let input = StepInput { x_t0: &x, predicted: &predicted, w: &w, h };
        assert!(stepper.advance(&input, &mut next).is_some());
        v = (next[1] - x[1]) / h;
        x = next;
    }
    let expected = 1.0 + 0.1 * libm::cos(omega * h * f64::from(steps));
    // The frequency of symplectic Euler is too high by (h omega)^2 / 24, and its phase by h omega / 2.
    assert!((x[1].x - expected).abs() < 0.1 * h * omega, "{} {expected}", x[1].x);
}
