//! The bias extension test: a specimen twice as long as it is wide, with threads at 45 degrees, is pulled
//! between two clamps.
//!
//! ```text
//!   +-----------+     C: between both clamps' threads, undeformed
//!   | \   C   / |     B: threads of one family end at a clamp: shear angle gamma / 2
//!   |   \   /   |     A: free threads of both families: shear angle gamma
//!   | B   A   B |
//!   |   /   \   |     width w, length 2 w; areas: A w^2 / 2, B w^2, C w^2 / 2
//!   | /   C   \ |
//!   +-----------+
//! ```
//!
//! With threads that keep their lengths, an extension `d` makes `w + d = sqrt(2) w cos(pi/4 - gamma/2)`,
//! because the diagonal of A is `w` long. Green strain has the shear `sin(gamma)`, so the energy is
//! `G (A sin^2(gamma) + B sin^2(gamma/2)) / 2`, and its derivative by `d` is the pull. With this length every
//! free thread has as much of B on it as any other, so that one angle for all of A is the least energy;
//! longer specimens have no closed form.

use std::collections::BTreeMap;
use std::f64::consts::{FRAC_PI_4, SQRT_2};

use nalgebra::Vector3;

use crate::fem::membrane::corners;
use crate::fem::{
    Element, FemSettings, FemStepper, Membrane, MembraneMaterial, PackedF64, PlaneStress, StepInput,
    StrainMeasure, packed, vector,
};

/// Width (m), half the width in half diagonals of a cell (even, so that the corners are crossings of
/// threads), and shear modulus (N/m).
const WIDTH: f64 = 0.1;
const HALF: i32 = 4;
const SHEAR: f64 = 60.0;

/// A specimen whose mesh follows the threads: other meshes lock, as their faces cannot shear without
/// stretching a thread.
struct Specimen {
    rest: Vec<PackedF64>,
    elements: Vec<Element>,
    /// Vertices at the lower clamp, and at the upper one.
    clamps: [Vec<usize>; 2],
}

fn specimen() -> Specimen {
    let half = 0.5 * WIDTH / f64::from(HALF);
    // Crossings (i, j) of the threads lie at (i + j) along the pull and (j - i) across it, in half diagonals.
    let inside = |[i, j]: &[i32; 2]| (0..=4 * HALF).contains(&(i + j)) && (j - i).abs() <= HALF;
    let range = -HALF..=4 * HALF;
    let all = range.clone().flat_map(|i| range.clone().map(move |j| [i, j]));
    let crossings: Vec<[i32; 2]> = all.clone().filter(inside).collect();
    let numbers: BTreeMap<[i32; 2], u32> = crossings.iter().copied().zip(0..).collect();
    let place = |[i, j]: [i32; 2]| Vector3::new(f64::from(j - i), 0.0, f64::from(i + j)) * half;
    let mut elements = Vec::new();
    for [i, j] in range.clone().flat_map(|i| range.clone().map(move |j| [i, j])) {
        let ring = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]];
        let held: Vec<[i32; 2]> = ring.into_iter().filter(inside).collect();
        let faces = match held.len() {
            4 => vec![[ring[0], ring[1], ring[2]], [ring[0], ring[2], ring[3]]],
            3 => vec![[held[0], held[1], held[2]]],
            _ => vec![],
        };
        for face in faces {
            let flat = face.map(|[i, j]| [f64::from(i), f64::from(j)].map(|n| n * SQRT_2 * half));
            elements.extend(Element::new(face.map(|c| numbers[&c]), &flat, &face.map(place), 0));
        }
    }
    let rest = crossings.iter().map(|&c| packed(&place(c))).collect();
    let at = |end: i32| (0..crossings.len()).filter(|&v| crossings[v][0] + crossings[v][1] == end).collect();
    Specimen { rest, elements, clamps: [at(0), at(4 * HALF)] }
}

/// The pull (N) and the shear angle in the middle, where threads have a modulus of `ratio` times that of
/// shear, at an extension (m).
fn pulled(measure: StrainMeasure, ratio: f64, extension: f64) -> [f64; 2] {
    let specimen = specimen();
    let law = PlaneStress::orthotropic([ratio * SHEAR; 2], 0.0, SHEAR);
    let material = MembraneMaterial::new(law, 0.0, 0.0);
    let count = specimen.rest.len();
    let membrane = Membrane::new(count, specimen.elements, vec![material], measure);
    let settings = FemSettings {
        strain: measure,
        newton_iterations: 200,
        tolerance: 1e-7,
        solver_iterations: 5_000,
        ..FemSettings::default()
    };
    let mut stepper = FemStepper::new(membrane, settings);
    let mut w = vec![1.0; count];
    specimen.clamps.iter().flatten().for_each(|&v| w[v] = 0.0);
    stepper.membrane_mut().set_inverse_masses(&w);
    let mut x = specimen.rest.clone();
    let parts = 10;
    for _ in 0..parts {
        let from = x.clone();
        let mut predicted = x.clone();
        specimen.clamps[1].iter().for_each(|&v| predicted[v].z += extension / f64::from(parts));
        // So long a step that inertia does not count.
        let input = StepInput { x_t0: &from, predicted: &predicted, w: &w, h: 1e4 };
        let report = stepper.advance(&input, &mut x).expect("implicit");
        assert!(report.gradient.is_some_and(|gradient| gradient < 1e-6), "{report:?}");
    }
    let mut forces = vec![PackedF64::zeros(); count];
    stepper.membrane().add_forces(&x, &mut forces);
    let pull = -specimen.clamps[1].iter().map(|&v| forces[v].z).sum::<f64>();
    let middle = WIDTH;
    let nearest = |e: &&Element| {
        let centre = e.v.iter().map(|&v| vector(&specimen.rest[v as usize])).sum::<Vector3<f64>>() / 3.0;
        (centre - Vector3::z() * middle).norm()
    };
    let elements = stepper.membrane().elements().iter();
    let element = elements.min_by(|a, b| nearest(a).total_cmp(&nearest(b))).expect("elements");
    let f = element.gradient(&corners(element, &x));
    [pull, libm::asin(f.weft.normalize().dot(&f.warp.normalize()))]
}

/// The closed form: pull (N) and shear angle.
fn expected(extension: f64) -> [f64; 2] {
    let half = FRAC_PI_4 - libm::acos((WIDTH + extension) / (SQRT_2 * WIDTH));
    let (s, c) = (libm::sin(half), libm::cos(half));
    let gamma = 2.0 * half;
    let area = WIDTH * WIDTH;
    let by_angle = SHEAR * (0.5 * area * libm::sin(gamma) * libm::cos(gamma) + 0.5 * area * s * c);
    let rate = WIDTH / SQRT_2 * libm::sin(FRAC_PI_4 - half);
    [by_angle / rate, gamma]
}

#[test]
fn the_specimen_has_its_area_and_its_corners_are_crossings() {
    let specimen = specimen();
    let area: f64 = specimen.elements.iter().map(|e| e.area).sum();
    approx::assert_relative_eq!(area, 2.0 * WIDTH * WIDTH, max_relative = 1e-12);
    for clamp in &specimen.clamps {
        assert_eq!(clamp.len() as i32, HALF + 1);
        let across = clamp.iter().map(|&v| specimen.rest[v].x.abs()).fold(0.0, f64::max);
        approx::assert_relative_eq!(across, 0.5 * WIDTH, max_relative = 1e-12);
    }
}

/// Threads of finite stiffness `E` stretch: a pull `F` lengthens the specimen by about `4 F / E`, that is by
/// `2 F / w` along threads of length `2 w`, and where the pull has the slope `F'` it is less by `4 F' / E` of
/// itself. The measured factor is 3.7 to 4.3; the limit is 5. The rest is of the second order in `1 / E`.
#[test]
fn stiff_threads_take_the_pull_and_the_angle_of_the_closed_form() {
    for extension in [0.005, 0.015, 0.025] {
        let [pull, gamma] = expected(extension);
        let slope = (expected(extension + 1e-6)[0] - expected(extension - 1e-6)[0]) / 2e-6;
        let errors = [1e3, 1e4].map(|ratio| {
            let [found, angle] = pulled(StrainMeasure::Green, ratio, extension);
            let allowed = 5.0 * slope / (ratio * SHEAR);
            let error = 1.0 - found / pull;
            assert!(error > 0.0 && error < allowed, "{extension} {ratio}: {found} N, expected {pull} N");
            assert!((1.0 - angle / gamma).abs() < allowed, "{extension} {ratio}: {angle}, expected {gamma}");
            error
        });
        assert!((8.0..12.0).contains(&(errors[0] / errors[1])), "first order in 1 / E: {errors:?}");
    }
}

/// Co-rotated strain is `U - I`, in which pure shear of a right angle by `gamma` shortens both threads to
/// `cos(gamma / 2)`. Threads that resist it resist the shear: at 10,000 times the shear modulus the pull is
/// 4.5 times that of the closed form, at 75 times, that of cotton, it is 22 % less than with Green strain.
/// The default measure is not for shear by half a radian.
#[test]
fn corotated_strain_takes_large_shear_for_shortened_threads() {
    let [green, corotated] =
        [StrainMeasure::Green, StrainMeasure::Corotated].map(|measure| pulled(measure, 1e4, 0.025)[0]);
    assert!(corotated > 3.0 * green, "{green} N, {corotated} N");
    let [green, corotated] =
        [StrainMeasure::Green, StrainMeasure::Corotated].map(|measure| pulled(measure, 75.0, 0.005)[0]);
    assert!((0.9..1.0).contains(&(corotated / green)), "{green} N, {corotated} N");
}
