//! Integrators: energy, momentum, the stability bound, and equation (7) against a dense solve.

use nalgebra::{DMatrix, DVector, Vector3};

use super::scenes::{MEASURES, Motion, Sheet, law, wavy};
use crate::fem::membrane::Factors;
use crate::fem::{
    Assembly, FemSettings, Integrator, MembraneMaterial, PackedF64, PlaneStress, StrainMeasure, packed,
    reference, vector,
};

fn sheet(measure: StrainMeasure) -> Sheet {
    let law = PlaneStress::orthotropic([300.0, 400.0], 0.2, 30.0);
    Sheet::new(7, 0.5, measure, MembraneMaterial::new(law, 0.0, 0.0))
}

fn settings(strain: StrainMeasure, integrator: Integrator) -> FemSettings {
    FemSettings { strain, integrator, ..FemSettings::default() }
}

/// Velocities of a wave, of about 1 m/s.
fn set_off(motion: &mut Motion) {
    for (v, p) in motion.v.iter_mut().zip(&motion.x) {
        *v = packed(&Vector3::new(libm::sin(8.0 * p.z), libm::cos(6.0 * p.x), 0.5 * libm::sin(9.0 * p.x)));
    }
}

#[test]
fn equation_7_equals_a_dense_solve() {
    for measure in MEASURES {
        let material = MembraneMaterial::new(law(), 1e-3, 2e-3);
        let sheet = Sheet::new(6, 0.5, measure, material);
        let h = 2e-3;
        let tolerance = 1e-9;
        let settings = FemSettings { tolerance: 1e-9, strain: measure, ..FemSettings::default() };
        let mut motion = Motion::new(&sheet, settings);
        motion.gravity = PackedF64::new(0.0, -9.81, 0.0, 0.0);
        motion.x = wavy(&sheet.rest);
        set_off(&mut motion);
        motion.pin(0);
        motion.pin(5);
        let free: Vec<bool> = motion.w.iter().map(|&w| w > 0.0).collect();
        // (M + h^2 K + h C) v = M v_0 + h (f_ext + f), in velocities.
        let mut matrix = sheet.membrane.matrix();
        let mass = |i: usize| if free[i] { 1.0 / f64::from(motion.w[i]) } else { 0.0 };
        matrix.set_diagonal((0..free.len()).map(mass));
        let factors = Factors { stiffness: h * h, viscosity: h };
        motion.stepper.membrane().add_stiffness(&motion.x, &motion.x, factors, &mut matrix);
        let forces = sheet.forces(&motion.x);
        let right = (0..free.len()).flat_map(|i| {
            let all = motion.v[i] * mass(i) + (motion.gravity * mass(i) + forces[i]) * h;
            [all.x, all.y, all.z]
        });
        let right = DVector::from_iterator(3 * free.len(), right);
        let expected = reference::solve(&matrix.to_dense(), &right, &free, &DVector::zeros(right.len()));
        let report = motion.step(h);
        assert!(report.solve.residual <= tolerance && report.solve.iterations > 3, "{report:?}");
        let least = sheet.masses.iter().copied().fold(f64::INFINITY, f64::min);
        let free_norm: f64 = (0..right.len()).filter(|i| free[i / 3]).map(|i| right[i] * right[i]).sum();
        for (i, v) in motion.v.iter().enumerate() {
            let expected = Vector3::new(expected[3 * i], expected[3 * i + 1], expected[3 * i + 2]);
            // The residual is in units of the larger of the two terms of the right side, here at most ten
            // times their sum.
            let bound = 10.0 * tolerance * free_norm.sqrt() / least;
            assert!((vector(v) - expected).norm() < bound, "{measure:?} {i}: {v} {expected} {bound}");
        }
    }
}

#[test]
fn the_explicit_integrator_keeps_energy_within_its_bound() {
    for measure in [StrainMeasure::Green, StrainMeasure::Corotated] {
        let sheet = sheet(measure);
        let mut motion = Motion::new(&sheet, settings(measure, Integrator::Explicit));
        set_off(&mut motion);
        // Symplectic Euler keeps E - h v.K x / 2 of a linear motion, which differs from E by at most h omega
        // / 2 of it.
        let share = 0.1;
        let h = share * motion.stepper.membrane().stable_step(&motion.x);
        let half = share;
        let start = motion.energy();
        let (mut least, mut most) = (start, start);
        for _ in 0..4_000 {
            assert_eq!(motion.step(h).explicit_steps, 1);
            least = least.min(motion.energy());
            most = most.max(motion.energy());
        }
        let bound = (1.0 + half) / (1.0 - half);
        assert!(
            most / start < bound && start / least < bound,
            "{measure:?}: {} {}",
            least / start,
            most / start
        );
        assert!(most > least * (1.0 + 1e-6), "energy is exchanged with the error");
    }
}

#[test]
fn a_step_of_several_parts_equals_as_many_steps() {
    let sheet = sheet(StrainMeasure::Corotated);
    let chosen = settings(StrainMeasure::Corotated, Integrator::Explicit);
    let [mut long, mut short] = [0, 1].map(|_| Motion::new(&sheet, chosen));
    [&mut long, &mut short].into_iter().for_each(set_off);
    let h = 5.0 * long.stepper.membrane().stable_step(&long.x);
    for _ in 0..20 {
        let parts = long.step(h).explicit_steps;
        assert!(parts > 5);
        (0..parts).for_each(|_| assert_eq!(short.step(h / f64::from(parts)).explicit_steps, 1));
    }
    let distance = long.x.iter().zip(&short.x).fold(0.0, |most: f64, (a, b)| most.max((a - b).norm()));
    assert!(distance < 1e-9, "{distance}");
}

#[test]
fn explicit_integration_conserves_both_momenta_and_implicit_the_linear_one() {
    for integrator in [Integrator::Explicit, Integrator::Implicit] {
        for assembly in [Assembly::Direct, Assembly::Global] {
            let sheet = sheet(StrainMeasure::Corotated);
            let chosen =
                FemSettings { assembly, tolerance: 1e-10, ..settings(StrainMeasure::Corotated, integrator) };
            let mut motion = Motion::new(&sheet, chosen);
            set_off(&mut motion);
            let momenta = |motion: &Motion| {
                let mut sums = [Vector3::zeros(); 2];
                for (i, v) in motion.v.iter().enumerate() {
                    let p = vector(v) / f64::from(motion.w[i]);
                    sums[0] += p;
                    sums[1] += vector(&motion.x[i]).cross(&p);
                }
                sums
            };
            let before = momenta(&motion);
            let size: f64 = motion.v.iter().zip(&motion.w).map(|(v, &w)| v.norm() / f64::from(w)).sum();
            let steps = 200;
            (0..steps).for_each(|_| {
                motion.step(2e-4);
            });
            let after = momenta(&motion);
            // Each step rounds velocities that are differences of positions of half a metre over 0.2 ms, and
            // solves to a residual.
            let rounding = f64::from(steps) * size * (f64::EPSILON * 0.5 / 2e-4 * 4.0 + 1e-9);
            assert!((after[0] - before[0]).norm() < rounding, "{integrator:?} {assembly:?}");
            if integrator == Integrator::Explicit {
                assert!((after[1] - before[1]).norm() < rounding, "{assembly:?}");
            }
        }
    }
}

#[test]
fn converged_newton_never_gains_energy() {
    for measure in [StrainMeasure::Green, StrainMeasure::Corotated] {
        for h in [1e-3, 1e-2] {
            let sheet = sheet(measure);
            let chosen = FemSettings {
                newton_iterations: 100,
                tolerance: 1e-8,
                ..settings(measure, Integrator::Implicit)
            };
            let mut motion = Motion::new(&sheet, chosen);
            set_off(&mut motion);
            let start = motion.energy();
            let mut before = start;
            for step in 0..100 {
                let report = motion.step(h);
                assert!(report.gradient.is_some_and(|gradient| gradient < 1e-6), "{step}: {report:?}");
                let energy = motion.energy();
                // A gradient of 1e-6 times a displacement is a part of the energy of no more than 1e-6.
                assert!(energy <= before * (1.0 + 1e-6), "{measure:?} {h} {step}: {before} {energy}");
                before = energy;
            }
            assert!(before < start);
        }
    }
}

#[test]
fn converged_newton_solves_the_equation_of_backward_euler_with_viscosity() {
    let law = PlaneStress::orthotropic([300.0, 400.0], 0.2, 30.0);
    for assembly in [Assembly::Direct, Assembly::Global] {
        let sheet = Sheet::new(6, 0.5, StrainMeasure::Corotated, MembraneMaterial::new(law, 5e-3, 5e-3));
        let newton =
            FemSettings { newton_iterations: 50, tolerance: 1e-8, assembly, ..FemSettings::default() };
        let mut motion = Motion::new(&sheet, newton);
        set_off(&mut motion);
        let (h, x_t0, v_t0) = (1e-2, motion.x.clone(), motion.v.clone());
        motion.step(h);
        let mut matrix = sheet.membrane.matrix();
        matrix.set_diagonal(sheet.masses.iter().map(|_| 0.0));
        sheet.membrane.add_stiffness(&x_t0, &x_t0, Factors { stiffness: 0.0, viscosity: 1.0 }, &mut matrix);
        let mut viscous = vec![PackedF64::zeros(); x_t0.len()];
        matrix.multiply(&motion.v, &mut viscous);
        let forces = sheet.forces(&motion.x);
        let (mut most, mut size) = (0.0_f64, 0.0_f64);
        for i in 0..x_t0.len() {
            let inertia = (motion.v[i] - v_t0[i]) * (sheet.masses[i] / h);
            most = most.max((inertia - forces[i] + viscous[i]).norm());
            size = size.max(inertia.norm()).max(viscous[i].norm());
        }
        assert!(most < 1e-5 * size, "{assembly:?}: {most} {size}");
    }
}

/// The largest eigenvalue of `stiffness K + viscosity C` over the masses, by a dense decomposition.
fn largest_rate(sheet: &Sheet, x: &[PackedF64], factors: Factors) -> f64 {
    let mut matrix = sheet.membrane.matrix();
    matrix.set_diagonal(sheet.masses.iter().map(|_| 0.0));
    sheet.membrane.add_stiffness(x, x, factors, &mut matrix);
    let roots: Vec<f64> = sheet.masses.iter().map(|m| 1.0 / m.sqrt()).collect();
    let dense = matrix.to_dense();
    let scaled =
        DMatrix::from_fn(dense.nrows(), dense.ncols(), |i, j| dense[(i, j)] * roots[i / 3] * roots[j / 3]);
    scaled.symmetric_eigenvalues().max()
}

/// The longest stable step without viscosity.
fn exact_step(sheet: &Sheet, x: &[PackedF64]) -> f64 {
    2.0 / largest_rate(sheet, x, Factors { stiffness: 1.0, viscosity: 0.0 }).sqrt()
}

#[test]
fn the_stable_step_is_a_bound_and_within_a_factor_of_three() {
    let law = PlaneStress::orthotropic([300.0, 400.0], 0.2, 30.0);
    for measure in MEASURES {
        for [stretch, shear] in [[0.0, 0.0], [0.0, 1e-2], [1e-3, 1e-3]] {
            let sheet = Sheet::new(7, 0.5, measure, MembraneMaterial::new(law, stretch, shear));
            for x in [sheet.rest.clone(), wavy(&sheet.rest)] {
                let h = sheet.membrane.stable_step(&x);
                // h^2 k + 2 h c < 4, jointly for all motions.
                let found = largest_rate(&sheet, &x, Factors { stiffness: h * h, viscosity: 2.0 * h });
                // 4 / 9 for a factor of three without viscosity.
                assert!(found <= 4.0 && found > 0.44, "{measure:?} {stretch} {shear}: {found}");
            }
        }
    }
}

#[test]
fn the_bound_of_a_face_by_itself_is_nearly_exact() {
    // Two faces of one square: on the law of a single thread there is one stiff motion.
    let law = PlaneStress::orthotropic([400.0, 1e-3], 0.0, 1e-3);
    let sheet =
        Sheet::regular([2, 2], [0.1, 0.1], StrainMeasure::Green, MembraneMaterial::new(law, 0.0, 0.0));
    let ratio = sheet.membrane.stable_step(&sheet.rest) / exact_step(&sheet, &sheet.rest);
    assert!(ratio <= 1.0 && ratio > 0.7, "{ratio}");
}

#[test]
fn a_step_beyond_the_bound_diverges_and_one_below_it_does_not() {
    let sheet = sheet(StrainMeasure::Cauchy);
    let exact = exact_step(&sheet, &sheet.rest);
    let energy_after = |h: f64| {
        let mut motion = Motion::new(&sheet, settings(StrainMeasure::Cauchy, Integrator::Explicit));
        set_off(&mut motion);
        let start = motion.energy();
        let mut forces = vec![PackedF64::zeros(); motion.x.len()];
        let (x, v, w) = (&mut motion.x, &mut motion.v, &motion.w);
        let mut moving = crate::fem::explicit::Moving { x, v, w };
        let direct = crate::fem::explicit::ForceAssembly::Direct;
        let steps = crate::fem::explicit::Steps { count: 2_000, h };
        crate::fem::explicit::advance(&sheet.membrane, direct, &mut moving, steps, &mut forces);
        motion.energy() / start
    };
    assert!(energy_after(0.99 * exact) < 200.0);
    let beyond = energy_after(1.01 * exact);
    assert!(beyond.is_nan() || beyond > 1e6);
}

#[test]
fn viscosity_shortens_the_stable_step_and_does_not_resist_rigid_motion() {
    let law = PlaneStress::orthotropic([300.0, 400.0], 0.2, 30.0);
    let [free, viscous] = [0.0, 1e-3]
        .map(|beta| Sheet::new(7, 0.5, StrainMeasure::Green, MembraneMaterial::new(law, beta, beta)));
    let x = wavy(&free.rest);
    assert!(viscous.membrane.stable_step(&x) < free.membrane.stable_step(&x));
    let spin = Vector3::new(3.0, -2.0, 1.0);
    let velocities = |x: &[PackedF64]| x.iter().map(|p| packed(&spin.cross(&vector(p)))).collect::<Vec<_>>();
    let mut forces = vec![PackedF64::zeros(); x.len()];
    viscous.membrane.add_viscous_forces(&x, &velocities(&x), &mut forces);
    let rounding = 6.0 * 16.0 * f64::EPSILON * 400.0 * 1e-3 * 4.0;
    assert!(forces.iter().all(|f| f.norm() < rounding));
    // What deforms is resisted: the power is negative.
    let deforming: Vec<PackedF64> =
        x.iter().map(|p| packed(&Vector3::new(p.z, p.x * p.x, 2.0 * p.x))).collect();
    viscous.membrane.add_viscous_forces(&x, &deforming, &mut forces);
    assert!(forces.iter().zip(&deforming).map(|(f, v)| f.dot(v)).sum::<f64>() < -1e-3);
}

#[test]
fn more_parts_than_allowed_are_refused() {
    let sheet = sheet(StrainMeasure::Corotated);
    let chosen =
        FemSettings { explicit_steps: 3, ..settings(StrainMeasure::Corotated, Integrator::Explicit) };
    let mut stepper = crate::fem::FemStepper::new(sheet.membrane.clone(), chosen);
    let w = sheet.inverse_masses();
    let mut x = sheet.rest.clone();
    let predicted = wavy(&sheet.rest);
    let input = crate::fem::StepInput { x_t0: &sheet.rest, predicted: &predicted, w: &w, h: 0.1 };
    assert!(stepper.advance(&input, &mut x).is_none());
    assert_eq!(x, predicted);
}
