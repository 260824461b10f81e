//! A real dress of 14 panels on a real dancer, with the gate: what intersects in each frame, what was
//! released and why, and what a frame takes.
//!
//! ```text
//! dress_on_dancer DRAPE.obj STAGE.obj POSES [--frames N] [--substeps N] [--pictures FOLDER]
//! ```
//!
//! `DRAPE` is the dress as it hangs on the dancer (and maybe the dancer behind it, who is left out), `STAGE`
//! has its pattern in `vt` and its seams in `stitch` records, and `POSES` is a folder with `shell0.obj` and
//! so on, one each 0.04 s. In the drape of Codim-IPC she stands 0.75 m lower than in her poses.

use std::error::Error;
use std::path::Path;

use cloth_contacts::intersect::Checker;
use cloth_geom::TriMesh;
use cloth_io::obj::read_stitches;
use cloth_io::read_mesh;
use cloth_show::render::{
    BodyView, Camera, ClothView, Direction, RenderScene, Resolution, encode_png, render,
};
use cloth_solver::{
    ClothDesc, Material, MeshBodyDesc, RestShape, Settings, Simulation, SimulationBuilder, Stitch, Thickness,
};
use nalgebra::{Point3, Vector3};

/// Duration of a frame (s).
const DT: f32 = 0.04;
/// Substeps of a frame, if the caller does not say. Her hands move by 80 mm a frame: with 32 that is 2.5 mm a
/// substep, less than twice the dress's thickness of 1.6 mm. With 8 it is six times that, and cloth between
/// two limbs is run through.
const SUBSTEPS: usize = 32;
/// How much lower (m) the dancer stands in the drape.
const LOWER: f64 = 0.75;
/// Where two parts of the body face each other nearer than this (m), they pinch what lies between them.
const PINCH: f64 = 0.01;

/// What intersects in a frame.
#[derive(Clone, Copy, Default)]
struct Hits {
    cloth: usize,
    body: usize,
    /// Of both, those that no tangle owns.
    certified: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [drape, stage, poses, ..] = &arguments[..] else {
        return Err("usage: dress_on_dancer DRAPE.obj STAGE.obj POSES [--frames N] ...".into());
    };
    let value = |name: &str| {
        let place = arguments.iter().position(|a| a == name)?;
        arguments.get(place + 1).map(String::as_str)
    };
    let number = |name: &str, default: usize| value(name).map_or(Ok(default), str::parse);
    let (frames, substeps) = (number("--frames", 120)?, number("--substeps", SUBSTEPS)?);
    let (mut sim, body) = dressed(Path::new(drape), Path::new(stage), Path::new(poses), substeps as u32)?;
    let mut checker = Checker::default();
    let start = hits(&sim, body, &mut checker)?;
    println!("start: {} garment-garment, {} garment-body", start.cloth, start.body);
    let (mut times, mut worst) = (Vec::new(), Hits::default());
    let mut released = [0; 2];
    for frame in 0..frames {
        let id = sim.mesh_body_id(0)?;
        sim.move_mesh_body(id, &pose(Path::new(poses), frame + 1)?)?;
        let report = *sim.step(DT)?;
        let found = hits(&sim, body, &mut checker)?;
        times.push(report.times.total().as_secs_f64() * 1e3);
        worst.cloth = worst.cloth.max(found.cloth);
        worst.body = worst.body.max(found.body);
        worst.certified = worst.certified.max(found.certified);
        let pinched = sim.released().iter().filter(|r| is_pinched(&sim, body, r.position)).count();
        released[0] += pinched;
        released[1] += sim.released().len() - pinched;
        println!(
            "{frame}: {} garment-garment, {} garment-body, {} of them certified; tangles {} ({} vertices), \
             released {} ({pinched} pinched), rounds {}, pulled back {}, rolled back {}; {:.0} ms, gate \
             {:.0}, detect {:.0}, solve {:.0}",
            found.cloth,
            found.body,
            found.certified,
            report.gate.tangles,
            report.gate.tangled_vertices,
            report.gate.released,
            report.gate.rounds,
            report.gate.modified_vertices,
            report.gate.frozen_vertices,
            times[frame],
            report.times.gate.as_secs_f64() * 1e3,
            report.times.detect.as_secs_f64() * 1e3,
            report.times.solve.as_secs_f64() * 1e3,
        );
        if let Some(folder) = value("--pictures")
            && (frame + 1) % 10 == 0
        {
            draw(&sim, body, &mut checker, &Path::new(folder).join(format!("dance{:03}.png", frame + 1)))?;
        }
    }
    times.sort_by(f64::total_cmp);
    println!(
        "worst: {} garment-garment, {} garment-body, {} certified; released {} where she pinches the cloth, \
         {} elsewhere; {:.0} ms a frame (median)",
        worst.cloth,
        worst.body,
        worst.certified,
        released[0],
        released[1],
        times.get(times.len() / 2).copied().unwrap_or_default()
    );
    Ok(())
}

/// The dress on the dancer, and her first vertex.
fn dressed(
    drape: &Path,
    stage: &Path,
    poses: &Path,
    substeps: u32,
) -> Result<(Simulation, u32), Box<dyn Error>> {
    let (pattern, hanging) = (read_mesh(stage)?, read_mesh(drape)?);
    let uv = pattern.rest_uv.ok_or("the stage file has no pattern: give every corner a `vt`")?;
    let count = pattern.mesh.positions.len();
    let positions =
        hanging.mesh.positions.get(..count).ok_or("the drape has fewer vertices than the stage")?;
    let mesh = TriMesh::new(positions.to_vec(), pattern.mesh.faces);
    let stitches = read_stitches(stage)?.into_iter();
    let stitches = stitches.map(|s| Stitch { vertex: s.vertex, edge: s.edge, ratio: s.ratio as f32 });
    let sides = uv.iter().flat_map(|[a, b, c]| [[a, b], [b, c], [c, a]]);
    let shortest = sides.map(|[p, q]| (p[0] - q[0]).hypot(p[1] - q[1])).fold(f64::INFINITY, f64::min);
    let thickness = Thickness::from_total(0.5 * shortest as f32, 0.4);
    let settings = Settings { gate: true, recovery: true, substeps, ..Settings::default() };
    let mut builder = SimulationBuilder::new(settings);
    builder.add_cloth(ClothDesc {
        rest: RestShape::Pattern(uv),
        stitches: stitches.collect(),
        ..ClothDesc::new(mesh, Material::COTTON, thickness)
    });
    let first = read_mesh(&poses.join("shell0.obj"))?.mesh;
    let mesh = first.mapped(|p| p - Vector3::y() * LOWER);
    builder.add_mesh_body(MeshBodyDesc { mesh, thickness });
    Ok((builder.build()?, count as u32))
}

fn pose(poses: &Path, frame: usize) -> Result<Vec<Point3<f32>>, Box<dyn Error>> {
    let mesh = read_mesh(&poses.join(format!("shell{frame}.obj")))?.mesh;
    Ok(mesh.positions.iter().map(|p| (p - Vector3::y() * LOWER).cast()).collect())
}

fn found(sim: &Simulation, checker: &mut Checker) -> Result<Vec<[u32; 2]>, Box<dyn Error>> {
    let positions: Vec<Point3<f64>> = sim.positions().iter().map(|p| p.cast()).collect();
    let mut hits = checker.check(&positions, sim.surface().topology())?.edge_faces;
    hits.retain(|&hit| sim.surface().is_guarded_hit(hit));
    Ok(hits)
}

fn hits(sim: &Simulation, body: u32, checker: &mut Checker) -> Result<Hits, Box<dyn Error>> {
    let (topology, mut hits) = (sim.surface().topology(), Hits::default());
    for hit in found(sim, checker)? {
        let of_body =
            topology.edges()[hit[0] as usize][0] >= body || topology.faces()[hit[1] as usize][0] >= body;
        hits.cloth += usize::from(!of_body);
        hits.body += usize::from(of_body);
        hits.certified += usize::from(!sim.is_tangled(hit));
    }
    Ok(hits)
}

/// Whether two parts of the body look at a place (m) from opposite sides, both near it.
fn is_pinched(sim: &Simulation, body: u32, place: Point3<f32>) -> bool {
    let place: Point3<f64> = place.cast();
    let faces = sim.faces().iter().filter(|f| f[0] >= body);
    let near: Vec<Vector3<f64>> = faces
        .filter_map(|f| {
            let [a, b, c] = f.map(|v| sim.positions()[v as usize].cast::<f64>());
            let normal = (b - a).cross(&(c - a)).try_normalize(0.0)?;
            let [u, v, w] = cloth_geom::closest::point_triangle(&place, [&a, &b, &c]).weights;
            let to = place - Point3::from(a.coords * u + b.coords * v + c.coords * w);
            (to.norm() < PINCH && to.dot(&normal) > -0.1 * PINCH).then_some(normal)
        })
        .collect();
    near.iter().any(|a| near.iter().any(|b| a.dot(b) < -0.5))
}

/// Draws the dress on the dancer, from the front; what intersects is red.
fn draw(sim: &Simulation, body: u32, checker: &mut Checker, file: &Path) -> Result<(), Box<dyn Error>> {
    let positions = sim.positions();
    let faces = sim.faces();
    let count = faces.iter().take_while(|f| f[0] < body).count();
    let red: Vec<u32> =
        found(sim, checker)?.iter().map(|hit| hit[1]).filter(|&f| (f as usize) < count).collect();
    let cloths = [ClothView { positions, faces: &faces[..count], hue: 0, red_faces: &red }];
    let bodies = [BodyView { positions, faces: &faces[count..], color: None }];
    let scene = RenderScene { cloths: &cloths, bodies: &bodies, floor_y: None };
    let resolution = Resolution::new(640, 960);
    let camera = Camera::framing(&scene.bounds(), Direction::default(), resolution.aspect());
    std::fs::write(file, encode_png(&render(&scene, &camera, resolution))?)?;
    Ok(())
}
