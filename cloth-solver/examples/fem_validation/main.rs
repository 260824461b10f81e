//! Plots of the validation of finite elements: closed forms, rotation, orders of convergence, energy.
//!
//! `cargo run --release -p cloth-solver --example fem_validation [FOLDER]` writes `fem-*.svg`, to
//! `docs/images` by default.

mod chart;
mod membrane;

use std::error::Error;
use std::path::PathBuf;

use chart::{Chart, Series};
use cloth_solver::fem::{FemSettings, Integrator, PackedF64, PlaneStress, StrainMeasure};
use membrane::{Motion, Square};

/// Modulus along both threads and in shear (N/m), and density (kg/m2).
const MODULUS: f64 = 300.0;
const SHEAR: f64 = 60.0;
const DENSITY: f64 = 0.15;
const GRAVITY: f64 = 9.81;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "docs/images".to_owned()));
    let charts = [
        ("fem-pull", pull()?),
        ("fem-shear", shear()?),
        ("fem-rotation", rotation()?),
        ("fem-mesh-order", mesh_order()?),
        ("fem-step-order", step_order()?),
        ("fem-energy", energy()?),
    ];
    for (name, chart) in charts {
        std::fs::write(folder.join(name).with_extension("svg"), chart.svg()?)?;
    }
    Ok(())
}

fn law() -> PlaneStress {
    PlaneStress::orthotropic([MODULUS; 2], 0.0, SHEAR)
}

const MEASURES: [(StrainMeasure, &str); 3] = [
    (StrainMeasure::Green, "Green"),
    (StrainMeasure::Corotated, "co-rotated"),
    (StrainMeasure::Cauchy, "uncorrected Cauchy"),
];

/// The force per width that holds a square of 1 m at an affine deformation, on its side `x = 1`: the
/// assembled forces along `axis`.
fn traction(
    measure: StrainMeasure,
    axis: usize,
    map: impl Fn(f64, f64) -> [f64; 3],
) -> Result<f64, Box<dyn Error>> {
    let square = Square::new(5, law(), measure, DENSITY)?;
    let x: Vec<PackedF64> = square.rest.iter().map(|&[u, v]| PackedF64::from(extend(map(u, v)))).collect();
    let mut forces = vec![PackedF64::zeros(); x.len()];
    square.membrane.add_forces(&x, &mut forces);
    let side = square.rest.iter().zip(&forces).filter(|([u, _], _)| *u > 1.0 - 1e-9);
    Ok(-side.map(|(_, force)| force[axis]).sum::<f64>())
}

fn extend([x, y, z]: [f64; 3]) -> [f64; 4] {
    [x, y, z, 0.0]
}

/// Points of `value` at `count` places from `from` to `to`.
fn sample(
    [from, to]: [f64; 2],
    count: u32,
    value: impl Fn(f64) -> Result<f64, Box<dyn Error>>,
) -> Result<Vec<(f64, f64)>, Box<dyn Error>> {
    let at = |i: u32| from + (to - from) * f64::from(i) / f64::from(count);
    (0..=count).map(|i| Ok((at(i), value(at(i))?))).collect()
}

fn pull() -> Result<Chart, Box<dyn Error>> {
    let range = [-0.3, 0.5];
    let mut chart = Chart::new("Pull along the weft", "strain (1)", "pull (N/m)");
    for (measure, name) in &MEASURES[..2] {
        let closed = |e: f64| match measure {
            StrainMeasure::Green => MODULUS * (1.0 + e) * (e + 0.5 * e * e),
            _ => MODULUS * e,
        };
        chart.add(Series::line(&format!("{name}, closed form"), sample(range, 100, |e| Ok(closed(e)))?));
        let points = sample(range, 16, |e| traction(*measure, 0, |u, v| [u * (1.0 + e), 0.0, v]))?;
        chart.add(Series::points(&format!("{name}, assembled"), points));
    }
    Ok(chart)
}

fn shear() -> Result<Chart, Box<dyn Error>> {
    let range = [0.0, 1.0];
    let mut chart = Chart::new("Simple shear", "shear (1)", "shear force (N/m)");
    for (measure, name) in &MEASURES[..2] {
        // The map (u, v) -> (u, v + g u). Green: C = [1 + g^2, g; g, 1]; force along v: g S_uu + S_uv.
        // Co-rotated: U = sqrt(C) with trace t = sqrt(4 + g^2); the energy is E ((U_uu - 1)^2 + (U_vv - 1)^2)
        // / 2 + G (2 U_uv)^2 / 2, derived by g.
        let closed = |g: f64| match measure {
            StrainMeasure::Green => 0.5 * MODULUS * g * g * g + SHEAR * g,
            _ => {
                let t = (4.0 + g * g).sqrt();
                let (uu, vv, uv) = ((2.0 + g * g) / t, 2.0 / t, g / t);
                let dt = g / t;
                let (duu, dvv, duv) = ((2.0 * g - uu * dt) / t, -vv * dt / t, (1.0 - uv * dt) / t);
                MODULUS * ((uu - 1.0) * duu + (vv - 1.0) * dvv) + 4.0 * SHEAR * uv * duv
            }
        };
        chart.add(Series::line(&format!("{name}, closed form"), sample(range, 100, |g| Ok(closed(g)))?));
        let points = sample(range, 16, |g| traction(*measure, 2, |u, v| [u, 0.0, v + g * u]))?;
        chart.add(Series::points(&format!("{name}, assembled"), points));
    }
    Ok(chart)
}

fn rotation() -> Result<Chart, Box<dyn Error>> {
    let mut chart = Chart::new("A rigid rotation in the plane", "angle (degrees)", "largest nodal force (N)");
    for (measure, name) in MEASURES {
        let square = Square::new(5, law(), measure, DENSITY)?;
        let points = sample([0.0, 90.0], 18, |degrees| {
            let (s, c) = libm::sincos(degrees.to_radians());
            let turned = |&[u, v]: &[f64; 2]| PackedF64::new(c * u - s * v, 0.0, s * u + c * v, 0.0);
            let x: Vec<PackedF64> = square.rest.iter().map(turned).collect();
            let mut forces = vec![PackedF64::zeros(); x.len()];
            square.membrane.add_forces(&x, &mut forces);
            Ok(forces.iter().map(PackedF64::norm).fold(0.0, f64::max))
        })?;
        // Green and co-rotated strain lie on each other.
        let is_first = measure == StrainMeasure::Green;
        chart.add(if is_first { Series::points(name, points) } else { Series::line(name, points) });
    }
    Ok(chart)
}

/// A sheet pinned along an edge under its own weight: the load at depth `s` is `density g (1 - s)`, so its
/// elastic energy for linear threads is `(density g)^2 / (6 E)`.
fn mesh_order() -> Result<Chart, Box<dyn Error>> {
    let mut chart = Chart::new("Elastic energy under its own weight", "cell (m)", "relative error").log();
    let settings = FemSettings {
        newton_iterations: 50,
        tolerance: 1e-7,
        solver_iterations: 2000,
        ..FemSettings::default()
    };
    let load = DENSITY * GRAVITY;
    let exact = load * load / (6.0 * MODULUS);
    let error = |cells: u32| -> Result<(f64, f64), Box<dyn Error>> {
        let square = Square::new(cells as usize + 1, law(), StrainMeasure::Corotated, DENSITY)?;
        let pinned = square.edge();
        let mut motion = Motion::new(square, settings, &pinned, PackedF64::new(0.0, 0.0, -GRAVITY, 0.0));
        // Steps far longer than any period end in the equilibrium.
        for _ in 0..8 {
            motion.step(10.0)?;
            motion.stop();
        }
        Ok((1.0 / f64::from(cells), (motion.elastic_energy() / exact - 1.0).abs()))
    };
    let points = [4, 8, 16, 32].into_iter().map(error).collect::<Result<Vec<_>, _>>()?;
    let (first, last) = (points[0], points[points.len() - 1]);
    let slope = |x: f64| first.1 * (x / first.0).powi(2);
    chart.add(Series::points("finite elements", points));
    chart.add(Series::line("second order", vec![(last.0, slope(last.0)), (first.0, slope(first.0))]));
    Ok(chart)
}

/// Where a swing ends, and by how much its energy (J) has changed over time (s).
type Swing = (Motion, Vec<(f64, f64)>);

/// A swing of 6 x 6 vertices that hangs by two corners.
fn swing(settings: FemSettings, h: f64, seconds: f64) -> Result<Swing, Box<dyn Error>> {
    let square = Square::new(6, law(), StrainMeasure::Corotated, DENSITY)?;
    let corners = square.corners();
    let mut motion = Motion::new(square, settings, &corners, PackedF64::new(0.0, -GRAVITY, 0.0, 0.0));
    let steps = (seconds / h).round() as u32;
    let start = motion.energy();
    let mut energies = vec![(0.0, 0.0)];
    for step in 1..=steps {
        motion.step(h)?;
        energies.push((f64::from(step) * h, motion.energy() - start));
    }
    Ok((motion, energies))
}

fn integrators() -> [(FemSettings, &'static str); 3] {
    let single = FemSettings { tolerance: 1e-9, ..FemSettings::default() };
    let explicit = FemSettings { integrator: Integrator::Explicit, ..single };
    let newton = FemSettings { newton_iterations: 30, ..single };
    [
        (explicit, "explicit"),
        (newton, "Newton's method, converged"),
        (single, "equation (7), one linear solve"),
    ]
}

fn step_order() -> Result<Chart, Box<dyn Error>> {
    const SECONDS: f64 = 0.128;
    let mut chart = Chart::new("Positions of a swing after 0.128 s", "step (s)", "largest error (m)").log();
    let [(explicit, _), ..] = integrators();
    let (reference, _) = swing(explicit, 1e-6, SECONDS)?;
    for (settings, name) in integrators() {
        let error = |h: f64| -> Result<(f64, f64), Box<dyn Error>> {
            let (motion, _) = swing(settings, h, SECONDS)?;
            Ok((h, motion.distance(&reference)))
        };
        let points = [2.5e-4, 5e-4, 1e-3, 2e-3].into_iter().map(error).collect::<Result<Vec<_>, _>>()?;
        chart.add(Series::joined(name, points));
    }
    chart.add(Series::line("first order", vec![(2.5e-4, 2.5e-4), (2e-3, 2e-3)]));
    Ok(chart)
}

fn energy() -> Result<Chart, Box<dyn Error>> {
    let weight = DENSITY * GRAVITY;
    let mut chart =
        Chart::new("Energy of a swing, steps of 4 ms", "time (s)", "change (weight of the sheet times 1 m)")
            .legend_below();
    for (settings, name) in integrators() {
        let (_, energies) = swing(settings, 4e-3, 2.0)?;
        let scaled = energies.into_iter().map(|(t, e)| (t, e / weight)).collect();
        chart.add(Series::line(name, scaled));
    }
    Ok(chart)
}
