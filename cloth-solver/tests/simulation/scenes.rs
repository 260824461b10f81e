//! Small scenes, and what is measured on them.

use cloth_geom::TriMesh;
use cloth_geom::fixtures;
use cloth_solver::{
    ClothDesc, Collider, Material, Settings, Shape, Simulation, SimulationBuilder, Thickness, Wind,
};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::ids::cloth_id;

/// Gravity (m/s2).
pub(crate) const G: f32 = 9.81;

/// Unit roundoff of `f32`.
pub(crate) const U: f32 = f32::EPSILON / 2.0;

/// A flat sheet of `n` x `n` vertices and side `size` (m) in the plane y = 0, faces up.
pub(crate) fn sheet(n: usize, size: f64) -> TriMesh {
    fixtures::sheet(n, n, [size, size]).unwrap().mesh
}

/// The same sheet upright in the plane z = 0, its last row on top.
pub(crate) fn upright(n: usize, size: f64) -> TriMesh {
    sheet(n, size).mapped(|p| Point3::new(p.x, p.z, 0.0))
}

/// The vertices at the two ends of the last row.
pub(crate) fn last_corners(n: usize) -> Vec<u32> {
    vec![(n * n - n) as u32, (n * n - 1) as u32]
}

/// Cotton, as thick as half its first edge.
pub(crate) fn cotton(mesh: TriMesh) -> ClothDesc {
    let [a, b, _] = mesh.faces[0].map(|v| mesh.positions[v as usize]);
    let thickness = Thickness::from_total(0.5 * (a - b).norm() as f32, 0.4);
    ClothDesc::new(mesh, Material::COTTON, thickness)
}

/// The solver alone: no gate that has the last word, no recovery, no sleep, no air.
pub(crate) fn bare() -> Settings {
    Settings { gate: false, recovery: false, sleep: None, wind: Wind::VACUUM, ..Settings::default() }
}

/// Gravity without air, and the ten substeps that the laws below count with.
pub(crate) fn airless() -> Settings {
    Settings { air_damping: 0.0, substeps: 10, ..bare() }
}

/// No gravity, no air: only the cloth's own forces.
pub(crate) fn weightless() -> Settings {
    Settings { gravity: Vector3::zeros(), ..airless() }
}

/// The cloth alone.
pub(crate) fn alone(settings: Settings, cloth: ClothDesc) -> Simulation {
    let mut builder = SimulationBuilder::new(settings);
    builder.add_cloth(cloth);
    builder.build().unwrap()
}

/// A sheet of `n` x `n` vertices about to drape over a ball on a floor.
pub(crate) fn drape(n: usize) -> Simulation {
    drape_with(n, Settings::default())
}

pub(crate) fn drape_with(n: usize, settings: Settings) -> Simulation {
    drape_builder(n, settings).build().unwrap()
}

pub(crate) fn drape_builder(n: usize, settings: Settings) -> SimulationBuilder {
    let mut builder = SimulationBuilder::new(settings);
    let mesh = sheet(n, 0.6).mapped(|p| p + Vector3::new(0.013, 0.33, 0.007));
    builder.add_cloth(cotton(fixtures::jitter(&mesh, 1e-4, 1).unwrap()));
    let ball = Isometry3::translation(0.0, 0.15, 0.0);
    builder.add_collider(Collider::new(Shape::Sphere { radius: 0.15 }, ball, 0.3).unwrap());
    builder.add_collider(Collider::new(Shape::Plane, Isometry3::identity(), 0.3).unwrap());
    builder
}

/// Takes `steps` steps of 1/60 s.
pub(crate) fn run(sim: &mut Simulation, steps: usize) {
    for _ in 0..steps {
        sim.step(1.0 / 60.0).unwrap();
    }
}

/// The positions of one cloth.
pub(crate) fn points(sim: &Simulation, cloth: usize) -> &[Point3<f32>] {
    &sim.positions()[sim.cloth_vertices(cloth_id(cloth)).unwrap()]
}

/// A third of each face's area around each vertex, times the density (kg).
pub(crate) fn masses(mesh: &TriMesh, density: f64) -> Vec<f64> {
    let mut masses = vec![0.0; mesh.positions.len()];
    for f in &mesh.faces {
        let [a, b, c] = f.map(|v| mesh.positions[v as usize]);
        for &v in f {
            masses[v as usize] += density * (b - a).cross(&(c - a)).norm() / 6.0;
        }
    }
    masses
}

/// Momentum (kg m/s), and the sum of its amounts by vertex.
pub(crate) fn momentum(sim: &Simulation, masses: &[f64]) -> (Vector3<f64>, f64) {
    let each = sim.velocities().iter().zip(masses).map(|(v, m)| v.cast::<f64>() * *m);
    each.fold((Vector3::zeros(), 0.0), |(sum, amount), p| (sum + p, amount + p.norm()))
}

/// Angular momentum (kg m2/s) about the origin, and the sum of its amounts by vertex.
pub(crate) fn angular_momentum(sim: &Simulation, masses: &[f64]) -> (Vector3<f64>, f64) {
    let state = sim.positions().iter().zip(sim.velocities());
    let each = state.zip(masses).map(|((x, v), m)| x.coords.cast::<f64>().cross(&v.cast()) * *m);
    each.fold((Vector3::zeros(), 0.0), |(sum, amount), l| (sum + l, amount + l.norm()))
}

/// Kinetic energy (J).
pub(crate) fn kinetic_energy(sim: &Simulation, masses: &[f64]) -> f64 {
    sim.velocities().iter().zip(masses).map(|(v, m)| 0.5 * m * v.cast::<f64>().norm_squared()).sum()
}

/// Energy of height (J) under [`G`].
pub(crate) fn height_energy(sim: &Simulation, masses: &[f64]) -> f64 {
    sim.positions().iter().zip(masses).map(|(x, m)| m * f64::from(G) * f64::from(x.y)).sum()
}

/// The greatest `|length / rest length - 1|` of the edges of faces between two poses of one mesh.
pub(crate) fn greatest_strain(faces: &[[u32; 3]], now: &[Point3<f32>], rest: &[Point3<f64>]) -> f32 {
    let edges = faces.iter().flat_map(|f| (0..3).map(|k| [f[k] as usize, f[(k + 1) % 3] as usize]));
    let strain = |[a, b]: [usize; 2]| (now[a] - now[b]).norm() / (rest[a] - rest[b]).norm() as f32 - 1.0;
    edges.map(|e| strain(e).abs()).fold(0.0, f32::max)
}

/// The greatest distance (m) between two lists of points.
pub(crate) fn furthest(a: &[Point3<f32>], b: &[Point3<f32>]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f32::max)
}
