//! How many frames garments of others take until nothing cuts anything, without gravity.
//!
//! `cargo run --release -p cloth-verify --example tangled_garments -- on|off FRAMES [FILE=SCALE[=REST[=BODY]]]...`, the gate on or off,
//! a REST or BODY of `-` for none, with files of the corpus by default. Skips, in words, what is not there.

use std::path::{Path, PathBuf};

use cloth_broadphase::ParryBvh;
use cloth_contacts::intersect::Checker;
use cloth_geom::{RepairPolicy, Topology, TriMesh, repair};
use cloth_io::read_mesh;
use cloth_solver::{
    ClothDesc, Material, MeshBodyDesc, RestShape, Settings, Simulation, SimulationBuilder, Thickness,
};
use cloth_verify::scenarios::tangled;

const DEFAULT: [&str; 4] = [
    "garments/diffcloth/tshirt1900-folding-biFolded.obj=0.1=garments/diffcloth/tshirt1900.obj",
    "garments/diffcloth/dress-v5k-f10k-v2.obj=0.1",
    "garments/makehuman/female_casualsuit01.obj=0.1",
    "garments/garmentcode/shirt_mean_boxmesh.GENERATED.obj=1",
];

fn corpus(name: &str) -> PathBuf {
    let fallback = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data");
    std::env::var_os("CLOTH_CORPUS").map_or(PathBuf::from(fallback), PathBuf::from).join(name)
}

fn load(name: &str, scale: f64) -> Result<TriMesh, Box<dyn std::error::Error>> {
    let path = if Path::new(name).exists() { PathBuf::from(name) } else { corpus(name) };
    let mesh = read_mesh(&path)?.mesh.scaled(scale);
    let policy = RepairPolicy { weld_distance: Some(1e-6), ..RepairPolicy::default() };
    Ok(repair(&mesh, &policy).map(|r| r.mesh)?)
}

fn shortest_edges(mesh: &TriMesh) -> Result<f64, Box<dyn std::error::Error>> {
    let topology = Topology::of_mesh(mesh)?;
    let at = |v: u32| mesh.positions[v as usize];
    let mut lengths: Vec<f64> = topology.edges().iter().map(|&[a, b]| (at(b) - at(a)).norm()).collect();
    lengths.sort_unstable_by(f64::total_cmp);
    Ok(lengths[lengths.len() / 20])
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let gate = args.first().is_some_and(|a| a == "on");
    let frames: usize = args.get(1).map_or(Ok(120), |a| a.parse())?;
    let files: Vec<String> =
        if args.len() > 2 { args[2..].to_vec() } else { DEFAULT.map(str::to_owned).to_vec() };
    for file in files {
        if let Err(error) = garment(&file, gate, frames) {
            eprintln!("skipped: {file}: {error}");
        }
    }
    Ok(())
}

fn garment(file: &str, gate: bool, frames: usize) -> Result<(), Box<dyn std::error::Error>> {
    let mut words = file.split('=');
    let name = words.next().unwrap_or_default();
    let scale: f64 = words.next().unwrap_or("1").parse()?;
    let mesh = load(name, scale)?;
    let mut other = || words.next().filter(|&w| w != "-").map(|name| load(name, scale)).transpose();
    let (rest, body) = (other()?, other()?);
    // Half of an edge that is short for the mesh, at most 5 mm.
    let thickness = Thickness::split((0.5 * shortest_edges(&mesh)?).min(0.005) as f32, 0.2);
    println!("{name}: {} vertices, thickness {:.2} mm", mesh.positions.len(), thickness.total() * 1000.0);
    let mut cloth = ClothDesc::new(mesh, Material::COTTON, thickness);
    if let Some(rest) = rest {
        cloth.rest = RestShape::Positions(rest.positions);
    }
    let mut builder = SimulationBuilder::new(Settings { gate, ..tangled::settings() });
    builder.add_cloth(cloth);
    if let Some(mesh) = body {
        println!("  on a body of {} vertices", mesh.positions.len());
        builder.add_mesh_body(MeshBodyDesc { mesh, thickness });
    }
    let mut sim = builder.build()?;
    let mut checker = Checker::<ParryBvh>::default();
    println!("  at the start {}", count(&mut checker, &sim));
    for frame in 1..=frames {
        sim.step(1.0 / 60.0)?;
        let left = count(&mut checker, &sim);
        if frame < 5 || frame % 10 == 0 || left == 0 {
            println!("  frame {frame}: {left}, {:?}", sim.report().recovery);
        }
        if left == 0 && frame >= 5 {
            break;
        }
    }
    Ok(())
}

fn count(checker: &mut Checker<ParryBvh>, sim: &Simulation) -> usize {
    let at: Vec<_> = sim.positions().iter().map(|p| p.cast::<f64>()).collect();
    let surface = sim.surface();
    checker
        .check(&at, surface.topology())
        .map_or(usize::MAX, |found| found.edge_faces.iter().filter(|&&hit| surface.keeps_apart(hit)).count())
}
