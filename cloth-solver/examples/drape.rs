//! Drapes a cotton sheet over a ball on a floor, and prints a line a frame.

use std::error::Error;

use cloth_geom::fixtures::{jitter, sheet};
use cloth_solver::{
    ClothDesc, Collider, IntersectionFilter, Material, Settings, Shape, SimulationBuilder, Thickness,
};
use nalgebra::{Isometry3, Vector3};

const N: usize = 32;
const SIZE: f64 = 0.8;
const RADIUS: f32 = 0.2;

fn main() -> Result<(), Box<dyn Error>> {
    let spacing = SIZE / (N - 1) as f64;
    let above = Vector3::new(0.0, 0.45, 0.0);
    let mesh = jitter(&sheet(N, N, [SIZE, SIZE])?.mesh.translated(above), 1e-3 * spacing, 1)?;
    let thickness = Thickness::for_mesh(&mesh);

    let mut builder = SimulationBuilder::new(Settings::default());
    let cloth = builder.add_cloth(ClothDesc::new(mesh, Material::COTTON, thickness));
    let ball = Isometry3::translation(0.0, RADIUS, 0.0);
    builder.add_collider(Collider::new(Shape::Sphere { radius: RADIUS }, ball, 0.3)?);
    builder.add_collider(Collider::new(Shape::Plane, Isometry3::identity(), 0.5)?);
    let mut sim = builder.build()?;

    println!("frame  top (m)  contacts  on colliders  intersections      ms");
    for frame in 0..90 {
        let report = *sim.step(1.0 / 60.0)?;
        let top = sim.aabb(cloth).map_or(0.0, |[_, max]| max.y);
        let intersections = sim.intersections(IntersectionFilter::CLOTH)?.count();
        println!(
            "{frame:5} {top:8.4} {:9} {:13} {intersections:14} {:7.2}",
            report.contacts,
            report.collider_contacts,
            report.times.total().as_secs_f64() * 1e3
        );
    }
    Ok(())
}
