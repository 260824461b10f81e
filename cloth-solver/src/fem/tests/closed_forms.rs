//! Sheets against closed forms: patch test, pull, shear, picture frame, and the order of convergence in mesh
//! size.

use nalgebra::{Matrix2, Vector2, Vector3};

use super::scenes::{MEASURES, Motion, Sheet, law};
use crate::fem::{
    FemSettings, FemStepper, MembraneMaterial, PackedF64, PlaneStress, StepInput, StrainMeasure, packed,
};

fn elastic(law: PlaneStress) -> MembraneMaterial {
    MembraneMaterial::new(law, 0.0, 0.0)
}

/// The rest positions under a linear map of the plane, tilted into space.
fn mapped(sheet: &Sheet, f: &Matrix2<f64>) -> Vec<PackedF64> {
    let map = |p: &PackedF64| {
        let q = f * Vector2::new(p.x, p.z);
        packed(&Vector3::new(q.x, 0.0, q.y))
    };
    sheet.rest.iter().map(map).collect()
}

#[test]
fn patch_test_a_constant_strain_is_reproduced_on_an_irregular_mesh() {
    let f = Matrix2::new(1.05, 0.04, -0.02, 0.98);
    for measure in MEASURES {
        let sheet = Sheet::new(7, 0.5, measure, elastic(law()));
        let expected = mapped(&sheet, &f);
        let forces = sheet.forces(&expected);
        let most = forces.iter().fold(0.0, |most: f64, f| most.max(f.norm()));
        let inner: Vec<usize> = (0..expected.len()).filter(|&i| sheet.is_inner(i)).collect();
        assert_eq!(inner.len(), 25);
        // Six faces of about 6 kN/m, 5 % of strain, and positions of 0.3 m.
        let rounding = 6.0 * 8.0 * f64::EPSILON * 6_000.0 * 0.3;
        assert!(most > 1.0 && inner.iter().all(|&i| forces[i].norm() < rounding), "{measure:?}");
        // Found again from another place by Newton's method with so long a step that inertia does not count.
        let settings = FemSettings {
            strain: measure,
            newton_iterations: 60,
            tolerance: 1e-10,
            ..FemSettings::default()
        };
        let mut stepper = FemStepper::new(sheet.membrane.clone(), settings);
        let mut w = vec![0.0; expected.len()];
        inner.iter().for_each(|&i| w[i] = 1.0);
        stepper.membrane_mut().set_inverse_masses(&w);
        let mut from = expected.clone();
        inner
            .iter()
            .for_each(|&i| from[i] += packed(&Vector3::new(0.004, 0.0, -0.003)) * libm::sin(i as f64));
        let mut x = from.clone();
        let input = StepInput { x_t0: &from, predicted: &from, w: &w, h: 1e4 };
        let report = stepper.advance(&input, &mut x).expect("implicit");
        // A search sees no decrease of less than its rounding: the gradient ends at the root of it.
        let gradient = report.gradient.unwrap_or(f64::NAN);
        assert!(gradient < f64::EPSILON.sqrt(), "{measure:?}: {report:?}");
        // That of the forces at the start, over the stiffness of the softest motion of an inner vertex, in
        // shear: 60 N/m.
        let start = sheet.forces(&from);
        let scale: f64 = inner.iter().map(|&i| start[i].norm_squared()).sum::<f64>().sqrt();
        for &i in &inner {
            let distance = (x[i] - expected[i]).norm();
            assert!(distance < f64::EPSILON.sqrt() * scale / 60.0, "{measure:?}: {distance} of {scale}");
        }
    }
}

/// The resultant (N) of the forces of the vertices with the largest coordinate of rest along an axis.
fn traction(sheet: &Sheet, x: &[PackedF64], axis: usize) -> Vector3<f64> {
    let forces = sheet.forces(x);
    let most = sheet.rest.iter().fold(f64::MIN, |most: f64, p| most.max(p[axis]));
    let edge = (0..x.len()).filter(|&i| sheet.rest[i][axis] > most - 1e-9);
    // The membrane pulls back.
    -edge.map(|i| crate::fem::vector(&forces[i])).sum::<Vector3<f64>>()
}

#[test]
fn a_pull_along_the_weft_takes_the_force_of_the_closed_form() {
    let (e, p, width) = (1_000.0, 0.3, 0.2);
    for stretch in [0.9, 1.02, 1.25] {
        for measure in MEASURES {
            let sheet = Sheet::regular([9, 5], [0.4, width], measure, elastic(PlaneStress::isotropic(e, p)));
            // Lateral stress vanishes for a lateral strain of -p times the strain along.
            let (lateral, expected) = match measure {
                StrainMeasure::Green => {
                    let strain = 0.5 * (stretch * stretch - 1.0);
                    ((1.0 - 2.0 * p * strain).sqrt(), stretch * e * strain * width)
                }
                StrainMeasure::Corotated | StrainMeasure::Cauchy => {
                    (1.0 - p * (stretch - 1.0), e * (stretch - 1.0) * width)
                }
            };
            let x = mapped(&sheet, &Matrix2::new(stretch, 0.0, 0.0, lateral));
            let rounding = 64.0 * f64::EPSILON * e * width;
            assert!((traction(&sheet, &x, 0) - Vector3::x() * expected).norm() < rounding, "{measure:?}");
            assert!(traction(&sheet, &x, 2).norm() < rounding, "{measure:?}: the sides are free");
        }
    }
}

#[test]
fn simple_shear_takes_the_force_of_the_closed_form() {
    let (weft, warp, shear, width) = (900.0, 1_100.0, 60.0, 0.4);
    for gamma in [-0.3, 0.01, 0.4] {
        let f = Matrix2::new(1.0, gamma, 0.0, 1.0);
        for measure in [StrainMeasure::Green, StrainMeasure::Cauchy] {
            let law = elastic(PlaneStress::orthotropic([weft, warp], 0.0, shear));
            let sheet = Sheet::regular([9, 5], [width, 0.2], measure, law);
            // Green: e_vv = gamma^2 / 2, and the warp leans by gamma.
            let pull = 0.5 * warp * gamma * gamma;
            let expected = match measure {
                StrainMeasure::Green => Vector3::new(shear * gamma + gamma * pull, 0.0, pull),
                _ => Vector3::new(shear * gamma, 0.0, 0.0),
            };
            let found = traction(&sheet, &mapped(&sheet, &f), 2);
            assert!(
                (found - expected * width).norm() < 64.0 * f64::EPSILON * warp * width,
                "{measure:?}: {found}"
            );
        }
        // Co-rotated: U = [2 g; g 2 + g^2] / t, R = [2 g; -g 2] / t with t^2 = 4 + g^2, and P = R stress.
        let (e, p) = (1_000.0, 0.3);
        let law = PlaneStress::isotropic(e, p);
        let sheet = Sheet::regular([9, 5], [width, 0.2], StrainMeasure::Corotated, elastic(law));
        let t = (4.0_f64 + gamma * gamma).sqrt();
        let [su, sv, suv] =
            law.respond(&[2.0 / t - 1.0, (2.0 + gamma * gamma) / t - 1.0, 2.0 * gamma / t]).stress;
        let expected = Vector3::new(2.0 * suv + gamma * sv, 0.0, 2.0 * sv - gamma * suv) * (width / t);
        assert!(su != 0.0);
        let found = traction(&sheet, &mapped(&sheet, &f), 2);
        assert!((found - expected).norm() < 64.0 * f64::EPSILON * e * width, "{found} {expected}");
    }
}

/// A frame of four hinged bars of length `L` along the threads, pulled at two opposite corners. Threads keep
/// their lengths, `C_uv = sin(gamma)`, and the energy of Green strain is `L^2 G sin^2(gamma) / 2`. With the
/// diagonal `L sqrt(2 (1 + sin(gamma)))`, the pull is `sqrt(2) G L sin(gamma) sqrt(1 + sin(gamma))`.
#[test]
fn a_picture_frame_takes_the_pull_of_the_closed_form() {
    let (shear, side) = (60.0, 0.2);
    let law = elastic(PlaneStress::orthotropic([4_500.0, 6_000.0], 0.3, shear));
    let sheet = Sheet::new(9, side, StrainMeasure::Green, law);
    for gamma in [0.05, 0.3, 0.9_f64] {
        let at = |gamma: f64| {
            let (s, c) = (libm::sin(gamma), libm::cos(gamma));
            mapped(&sheet, &Matrix2::new(1.0, s, 0.0, c))
        };
        // The power of the forces in a change of the angle, over that of the diagonal.
        let (s, c) = (libm::sin(gamma), libm::cos(gamma));
        let rate = Matrix2::new(0.0, c, 0.0, -s);
        let power: f64 =
            sheet.forces(&at(gamma)).iter().zip(mapped(&sheet, &rate)).map(|(f, v)| -f.dot(&v)).sum();
        let diagonal_rate = side * c / (2.0 * (1.0 + s)).sqrt();
        let expected = std::f64::consts::SQRT_2 * shear * side * s * (1.0 + s).sqrt();
        // The irregular border changes the area: of the elements themselves.
        let area: f64 = sheet.membrane.elements().iter().map(|e| e.area).sum();
        let found = power / diagonal_rate * (side * side / area);
        approx::assert_relative_eq!(found, expected, max_relative = 1e-10);
    }
}

/// Manufactured: a displacement `a sin(pi x) sin(pi z)` along x under the load that the linear law asks for,
/// on the unit square with a fixed border. Constant-strain triangles have an error of second order.
#[test]
fn displacements_converge_with_the_square_of_the_edge() {
    use std::f64::consts::PI;
    let (e, a) = (1_000.0, 1e-3);
    let g = 0.5 * e;
    let error = |count: usize| {
        let law = elastic(PlaneStress::isotropic(e, 0.0));
        let sheet = Sheet::regular([count; 2], [1.0; 2], StrainMeasure::Cauchy, law);
        let inner: Vec<bool> =
            sheet.rest.iter().map(|p| p.x.abs() < 0.5 - 1e-9 && p.z.abs() < 0.5 - 1e-9).collect();
        let w: Vec<f32> =
            (0..inner.len()).map(|i| if inner[i] { (1.0 / sheet.masses[i]) as f32 } else { 0.0 }).collect();
        let settings = FemSettings {
            strain: StrainMeasure::Cauchy,
            tolerance: 1e-9,
            solver_iterations: 2_000,
            ..FemSettings::default()
        };
        let mut stepper = FemStepper::new(sheet.membrane.clone(), settings);
        stepper.membrane_mut().set_inverse_masses(&w);
        let at = |p: &PackedF64| (PI * (p.x + 0.5), PI * (p.z + 0.5));
        let h = 1e4;
        let predicted: Vec<PackedF64> = (0..inner.len())
            .map(|i| {
                let (x, z) = at(&sheet.rest[i]);
                let along = (e + g) * libm::sin(x) * libm::sin(z);
                let across = -g * libm::cos(x) * libm::cos(z);
                // Load per area over mass per area.
                let acceleration = Vector3::new(along, 0.0, across) * (a * PI * PI / 0.15);
                sheet.rest[i] + if inner[i] { packed(&acceleration) * (h * h) } else { PackedF64::zeros() }
            })
            .collect();
        let mut x = sheet.rest.clone();
        let input = StepInput { x_t0: &sheet.rest, predicted: &predicted, w: &w, h };
        let report = stepper.advance(&input, &mut x).expect("implicit");
        assert!(report.solve.residual <= 1e-9, "{report:?}");
        (0..x.len()).fold(0.0, |most: f64, i| {
            let (px, pz) = at(&sheet.rest[i]);
            let expected = Vector3::new(a * libm::sin(px) * libm::sin(pz), 0.0, 0.0);
            most.max((crate::fem::vector(&(x[i] - sheet.rest[i])) - expected).norm() / a)
        })
    };
    let errors = [9, 17, 33].map(error);
    let orders = [errors[0] / errors[1], errors[1] / errors[2]].map(libm::log2);
    assert!(orders.iter().all(|order| (1.8..2.2).contains(order)), "{errors:?} {orders:?}");
}

/// Positions after 5 ms, for halved steps: both integrators are of first order.
#[test]
fn motions_converge_with_the_step() {
    for integrator in [crate::fem::Integrator::Explicit, crate::fem::Integrator::Implicit] {
        let law = elastic(PlaneStress::isotropic(50.0, 0.3));
        let sheet = Sheet::new(6, 0.5, StrainMeasure::Corotated, law);
        let settings =
            FemSettings { integrator, newton_iterations: 20, tolerance: 1e-9, ..FemSettings::default() };
        let end = |steps: u32| {
            let mut motion = Motion::new(&sheet, settings);
            motion.x = mapped(&sheet, &Matrix2::new(1.05, 0.02, 0.0, 0.97));
            for _ in 0..steps {
                assert!(motion.step(0.005 / f64::from(steps)).explicit_steps <= 1);
            }
            motion.x
        };
        let ends = [80, 160, 320].map(end);
        let distance =
            |a: &[PackedF64], b: &[PackedF64]| a.iter().zip(b).map(|(a, b)| (a - b).norm()).sum::<f64>();
        let order = libm::log2(distance(&ends[0], &ends[1]) / distance(&ends[1], &ends[2]));
        assert!((0.9..1.1).contains(&order), "{integrator:?}: {order}");
    }
}
