//! The largest strain of a sheet under its own weight, without limits, with a modulus by segments of strain,
//! with strain limiting, and with both.
//!
//! `cargo run --release -p cloth-solver --example own_weight`

use cloth_geom::fixtures::sheet;
use cloth_solver::fem::{Element, FemSettings, Stiffening, StiffeningCurve, StrainLimit};
use cloth_solver::{ClothDesc, ElasticModel, Material, Settings, Simulation, SimulationBuilder, Thickness};
use nalgebra::Point3;

const SIDE: usize = 25;
/// Frames of 1/60 s: the swing has died away.
const FRAMES: usize = 240;
/// Moduli (N/m); the last is the warp of cotton.
const MODULI: [f32; 4] = [12.0, 60.0, 300.0, 6_000.0];
/// Strain beyond which the modulus is 20 times as large, and the limit of the principal stretches.
const THRESHOLD: f32 = 0.03;
const LIMIT: f32 = 0.05;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("Largest principal strain, %, of a sheet of 1 m and 0.15 kg/m2");
    println!("| modulus, N/m | hung by | no limit | 20 times the modulus beyond 3 % | limit of 5 % | both |");
    println!("|---|---|---|---|---|---|");
    let curve = StiffeningCurve::with_threshold(THRESHOLD, 20.0);
    let limit = Some(StrainLimit { stretch: LIMIT, ..StrainLimit::default() });
    for modulus in MODULI {
        for by_corners in [false, true] {
            let mut row = Vec::new();
            for (curve, strain_limit) in [
                (StiffeningCurve::CONSTANT, None),
                (curve, None),
                (StiffeningCurve::CONSTANT, limit),
                (curve, limit),
            ] {
                let fem = FemSettings {
                    stiffening: Stiffening { weft: curve, warp: curve },
                    strain_limit,
                    stretch_damping: 0.01,
                    ..FemSettings::default()
                };
                let mut sim = hung(fem, modulus, by_corners)?;
                let rest = sim.positions().to_vec();
                for _ in 0..FRAMES {
                    sim.step(1.0 / 60.0)?;
                }
                row.push(format!("{:.2}", 100.0 * largest_strain(&sim, &rest)));
            }
            let place = if by_corners { "two corners" } else { "an edge" };
            println!("| {modulus} | {place} | {} |", row.join(" | "));
        }
    }
    Ok(())
}

/// A sheet upright, hung by its upper edge or by its upper corners.
fn hung(fem: FemSettings, modulus: f32, by_corners: bool) -> Result<Simulation, Box<dyn std::error::Error>> {
    let mesh = sheet(SIDE, SIDE, [1.0, 1.0])?.mesh.mapped(|p| Point3::new(p.x, p.z, 0.0));
    let thickness = Thickness::for_mesh(&mesh);
    let material = Material {
        density: 0.15,
        stretch_warp: modulus,
        stretch_weft: modulus,
        shear: 0.1 * modulus,
        damping: 0.01,
        ..Material::COTTON
    };
    let mut cloth = ClothDesc::new(mesh, material, thickness);
    let edge = (SIDE * (SIDE - 1)) as u32..(SIDE * SIDE) as u32;
    cloth.pins = if by_corners { vec![edge.start, edge.end - 1] } else { edge.collect() };
    let mut builder = SimulationBuilder::new(Settings {
        model: ElasticModel::Fem(fem),
        substeps: 16,
        sleep: None,
        ..Settings::default()
    });
    builder.add_cloth(cloth);
    Ok(builder.build()?)
}

/// The largest principal stretch beyond 1.
fn largest_strain(sim: &Simulation, rest: &[Point3<f32>]) -> f64 {
    let at = |x: &[Point3<f32>], face: &[u32; 3]| face.map(|v| x[v as usize].coords.cast::<f64>());
    let stretch = |face: &[u32; 3]| {
        let start = at(rest, face);
        let uv = start.map(|p| [p.x, p.y]);
        let element = Element::new(*face, &uv, &start, 0);
        element.map_or(0.0, |element| element.principal_stretches(&at(sim.positions(), face))[0] - 1.0)
    };
    sim.faces().iter().map(stretch).fold(0.0, f64::max)
}
