//! A real dress of 14 panels on a real dancer, with the gate: what intersects in each frame, and what a frame takes.
//!
//! ```text
//! dress_on_dancer DRAPE.obj STAGE.obj POSES [FRAMES] [SUBSTEPS]
//! ```
//!
//! `DRAPE` is the dress as it hangs on the dancer (and maybe the dancer behind it, who is left out), `STAGE` has its
//! pattern in `vt` and its seams in `stitch` records, and `POSES` is a folder with `shell0.obj` and so on, one each 0.04 s.
//! In the drape of Codim-IPC she stands 0.75 m lower than in her poses.

use std::error::Error;
use std::path::Path;

use cloth_broadphase::ParryBvh;
use cloth_contacts::intersect::Checker;
use cloth_geom::TriMesh;
use cloth_io::obj::read_stitches;
use cloth_io::read_mesh;
use cloth_solver::{
    ClothDesc, Material, MeshBodyDesc, MeshBodyId, RestShape, Settings, Simulation, SimulationBuilder,
    Stitch, Thickness,
};
use nalgebra::{Point3, Vector3};

/// Duration of a frame (s).
const DT: f32 = 0.04;
/// How much lower (m) the dancer stands in the drape.
const LOWER: f64 = 0.75;

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
    let [drape, stage, poses, more @ ..] = &arguments[..] else {
        return Err("usage: dress_on_dancer DRAPE.obj STAGE.obj POSES [FRAMES] [SUBSTEPS]".into());
    };
    let number = |k: usize, default: usize| more.get(k).map_or(Ok(default), |n: &String| n.parse());
    let (frames, substeps) = (number(0, 120)?, number(1, 8)?);
    let (mut sim, body) = dressed(Path::new(drape), Path::new(stage), Path::new(poses), substeps as u32)?;
    let mut checker = Checker::<ParryBvh>::default();
    let start = hits(&sim, body, &mut checker)?;
    println!("start: {} garment-garment, {} garment-body", start.cloth, start.body);
    let (mut times, mut worst) = (Vec::new(), Hits::default());
    for frame in 0..frames {
        sim.move_mesh_body(MeshBodyId(0), &pose(Path::new(poses), frame + 1)?)?;
        let report = *sim.step(DT)?;
        let found = hits(&sim, body, &mut checker)?;
        times.push(report.times.total().as_secs_f64() * 1e3);
        worst.cloth = worst.cloth.max(found.cloth);
        worst.body = worst.body.max(found.body);
        worst.certified = worst.certified.max(found.certified);
        println!(
            "{frame}: {} garment-garment, {} garment-body, {} of them certified; tangles {} ({} vertices), released {}, rounds {}, pulled back {}, rolled back {}; {:.0} ms, gate {:.0}, detect {:.0}, solve {:.0}",
            found.cloth,
            found.body,
            found.certified,
            report.gate.tangles,
            report.gate.tangled_vertices,
            report.gate.released,
            report.gate.rounds,
            report.gate.pulled_back,
            report.gate.rolled_back,
            times[frame],
            report.times.gate.as_secs_f64() * 1e3,
            report.times.detect.as_secs_f64() * 1e3,
            report.times.solve.as_secs_f64() * 1e3,
        );
    }
    times.sort_by(f64::total_cmp);
    println!(
        "worst: {} garment-garment, {} garment-body, {} certified; {:.0} ms a frame (median)",
        worst.cloth,
        worst.body,
        worst.certified,
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
    let thickness = Thickness::split(0.5 * shortest as f32, 0.4);
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

fn hits(sim: &Simulation, body: u32, checker: &mut Checker<ParryBvh>) -> Result<Hits, Box<dyn Error>> {
    let positions: Vec<Point3<f64>> = sim.positions().iter().map(|p| p.cast()).collect();
    let (surface, mut hits) = (sim.surface(), Hits::default());
    let topology = surface.topology();
    for hit in checker.check(&positions, topology)?.edge_faces {
        if !surface.keeps_apart(hit) {
            continue;
        }
        let of_body =
            topology.edges()[hit[0] as usize][0] >= body || topology.faces()[hit[1] as usize][0] >= body;
        hits.cloth += usize::from(!of_body);
        hits.body += usize::from(of_body);
        hits.certified += usize::from(!sim.is_tangled(hit));
    }
    Ok(hits)
}
