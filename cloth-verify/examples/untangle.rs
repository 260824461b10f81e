//! A garment of anybody's that starts tangled, with the gate and recovery: what is tangled, when it is clean,
//! what remains.
//!
//! ```text
//! untangle GARMENT.obj [--unit M] [--rest REST.obj] [--body BODY.obj] [--body-unit M] [--body-group NAME] [--frames N]
//!          [--no-gravity] [--no-gate] [--pictures FOLDER]
//! ```
//!
//! `--no-gate` shows recovery alone; nothing is certified then. Units are metres. The garment is simulated
//! where it stands, over a body that does not move, if there is one.

use std::error::Error;
use std::path::Path;

use cloth_contacts::intersect::Checker;
use cloth_geom::{RepairPolicy, TriMesh, repair};
use cloth_io::read_mesh;
use cloth_solver::{
    ClothDesc, Material, MeshBodyDesc, RestShape, Settings, Simulation, SimulationBuilder, Thickness,
};
use cloth_verify::render::{
    BodyView, Camera, ClothView, Direction, RenderScene, Resolution, encode_png, render,
};
use nalgebra::{Point3, Vector3};

/// Frames of 1/60 s, if the caller does not say.
const FRAMES: usize = 180;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| {
        let place = arguments.iter().position(|a| a == name)?;
        arguments.get(place + 1).map(String::as_str)
    };
    let unit = |name: &str| value(name).map_or(Ok(1.0), str::parse::<f64>);
    let garment = arguments.first().ok_or("usage: untangle GARMENT.obj [--unit M] [--body BODY.obj] ...")?;
    let cloth = load(Path::new(garment), unit("--unit")?)?;
    let rest = value("--rest").map(|path| load(Path::new(path), unit("--unit")?)).transpose()?;
    let shape = rest.as_ref().map_or(&cloth, |rest| rest);
    let lengths = shape.faces.iter().flat_map(|f| [[f[0], f[1]], [f[1], f[2]], [f[2], f[0]]]);
    let lengths = lengths.map(|e| e.map(|v| shape.positions[v as usize])).map(|[a, b]| (a - b).norm());
    let mut lengths: Vec<f64> = lengths.collect();
    lengths.sort_by(f64::total_cmp);
    // Slivers aside: the edge that one in a hundred is shorter than.
    let thickness = Thickness::from_total(0.5 * lengths[lengths.len() / 100] as f32, 0.4);
    let gravity = if arguments.iter().any(|a| a == "--no-gravity") {
        Vector3::zeros()
    } else {
        Settings::default().gravity
    };
    let gate = !arguments.iter().any(|a| a == "--no-gate");
    let settings = Settings { gate, recovery: true, recovery_speed: 1.0, gravity, ..Settings::default() };
    let mut builder = SimulationBuilder::new(settings);
    let count = cloth.positions.len();
    let rest = rest.map_or(RestShape::Start, |rest| RestShape::Positions(rest.positions));
    builder.add_cloth(ClothDesc { rest, ..ClothDesc::new(cloth, Material::COTTON, thickness) });
    if let Some(body) = value("--body") {
        let mesh = load_group(Path::new(body), unit("--body-unit")?, value("--body-group"))?;
        builder.add_mesh_body(MeshBodyDesc { mesh, thickness });
    }
    let mut sim = builder.build()?;
    let frames = value("--frames").map_or(Ok(FRAMES), str::parse)?;
    run(&mut sim, count as u32, frames, value("--pictures").map(Path::new))
}

/// A mesh in metres, without faces that are no triangles.
fn load(path: &Path, unit: f64) -> Result<TriMesh, Box<dyn Error>> {
    load_group(path, unit, None)
}

/// The same of one group of its faces alone: some bodies come with more than the body.
fn load_group(path: &Path, unit: f64, group: Option<&str>) -> Result<TriMesh, Box<dyn Error>> {
    let loaded = read_mesh(path)?;
    let mut mesh = loaded.mesh.mapped(|p| p * unit);
    if let Some(name) = group {
        let group = loaded.groups.iter().filter(|g| g.name == name);
        let faces = group.flat_map(|g| &mesh.faces[g.faces.start as usize..g.faces.end as usize]);
        mesh.faces = faces.copied().collect();
    }
    Ok(repair(&mesh, &RepairPolicy::default())?.mesh)
}

fn run(
    sim: &mut Simulation,
    body: u32,
    frames: usize,
    pictures: Option<&Path>,
) -> Result<(), Box<dyn Error>> {
    if let Some(folder) = pictures {
        draw(sim, body, &folder.join("000.png"))?;
    }
    let mut checker = Checker::default();
    let start = hits(sim, body, &mut checker)?;
    println!("start: {} garment-garment, {} garment-body", start[0], start[1]);
    let (mut last_tangled, mut certified, mut times) = (0, 0, Vec::new());
    for frame in 1..=frames {
        let report = *sim.step(1.0 / 60.0)?;
        times.push(report.times.total().as_secs_f64() * 1e3);
        let found = hits(sim, body, &mut checker)?;
        certified = certified.max(found[2]);
        if found[0] + found[1] > 0 {
            last_tangled = frame;
        }
        if frame % 15 == 0 || frame == 1 {
            println!(
                "{frame}: {} garment-garment, {} garment-body, {} certified; {} tangles with {} of {} vertices; {:?}; {:.0} ms",
                found[0],
                found[1],
                found[2],
                report.gate.tangles,
                report.gate.tangled_vertices,
                sim.positions().len(),
                report.recovery,
                times[frame - 1]
            );
            if let Some(folder) = pictures {
                draw(sim, body, &folder.join(format!("{frame:03}.png")))?;
            }
        }
    }
    times.sort_by(f64::total_cmp);
    let clean =
        if last_tangled == frames { "never".into() } else { format!("from frame {}", last_tangled + 1) };
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    println!("clean: {clean}; certified intersections at most {certified}; {median:.0} ms a frame (median)");
    Ok(())
}

/// Garment-garment, garment-body, and of both those that no tangle owns.
fn hits(sim: &Simulation, body: u32, checker: &mut Checker) -> Result<[usize; 3], Box<dyn Error>> {
    let positions: Vec<Point3<f64>> = sim.positions().iter().map(|p| p.cast()).collect();
    let (surface, mut counts) = (sim.surface(), [0; 3]);
    let topology = surface.topology();
    let found = checker.check(&positions, topology)?.edge_faces;
    for hit in found.into_iter().filter(|&hit| surface.is_guarded_hit(hit)) {
        let of_body =
            topology.edges()[hit[0] as usize][0] >= body || topology.faces()[hit[1] as usize][0] >= body;
        counts[usize::from(of_body)] += 1;
        counts[2] += usize::from(!sim.is_tangled(hit));
    }
    Ok(counts)
}

/// Draws the garment on the body, from the front; what intersects is red.
fn draw(sim: &Simulation, body: u32, file: &Path) -> Result<(), Box<dyn Error>> {
    let (positions, faces) = (sim.positions(), sim.faces());
    let count = faces.iter().take_while(|f| f[0] < body).count();
    let exact: Vec<Point3<f64>> = positions.iter().map(|p| p.cast()).collect();
    let hits = Checker::default().check(&exact, sim.surface().topology())?.edge_faces;
    let hits = hits.into_iter().filter(|&hit| sim.surface().is_guarded_hit(hit));
    let red: Vec<u32> = hits.map(|hit| hit[1]).filter(|&f| (f as usize) < count).collect();
    let cloths = [ClothView { positions, faces: &faces[..count], hue: 0, red_faces: &red }];
    let bodies = [BodyView { positions, faces: &faces[count..], color: None }];
    let scene = RenderScene { cloths: &cloths, bodies: &bodies, floor_y: None };
    let resolution = Resolution::new(640, 960);
    let camera = Camera::framing(&scene.bounds(), Direction::default(), resolution.aspect());
    std::fs::write(file, encode_png(&render(&scene, &camera, resolution))?)?;
    Ok(())
}
