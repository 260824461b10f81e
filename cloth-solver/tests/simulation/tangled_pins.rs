//! Cloth that is tangled where pins hold it.

use cloth_geom::TriMesh;
use cloth_solver::{ClothDesc, IntersectionFilter, Material, Settings, SimulationBuilder, Thickness};
use nalgebra::Point3;

/// A cape that is pinned along its top, with two flaps that are turned about the vertical and pass through each
/// other down to the pins.
fn crossed_cape() -> ClothDesc {
    let (columns, rows) = (49, 37);
    let place = |k: usize| {
        let x = 1.2 * ((k % columns) as f64 / (columns - 1) as f64 - 0.5);
        let (fold, y) = (0.2f64.copysign(x), -0.8 * (k / columns) as f64 / (rows - 1) as f64);
        let (beyond, angle) = ((x.abs() - 0.2).max(0.0), 150f64.to_radians());
        match beyond > 0.0 {
            true => Point3::new(fold + beyond.copysign(x) * angle.cos(), y, beyond * angle.sin()),
            false => Point3::new(x, y, 0.0),
        }
    };
    let cells = (0..rows - 1).flat_map(|row| (0..columns - 1).map(move |k| (row * columns + k) as u32));
    let n = columns as u32;
    let faces = cells.flat_map(|a| [[a, a + 1, a + 1 + n], [a, a + 1 + n, a + n]]).collect();
    let mesh = TriMesh::new((0..columns * rows).map(place).collect(), faces);
    let thickness = Thickness::for_mesh(&mesh);
    ClothDesc { pins: (0..n).collect(), ..ClothDesc::new(mesh, Material::COTTON, thickness) }
}

#[test]
fn a_tangle_that_ends_at_pins_does_not_diverge() {
    let mut builder = SimulationBuilder::new(Settings { substeps: 40, ..Settings::default() });
    builder.add_cloth(crossed_cape());
    let mut sim = builder.build().expect("a scene");
    assert!(!sim.intersections(IntersectionFilter::ALL).expect("finite").is_clean());
    for _ in 0..5 {
        sim.step(1.0 / 24.0).expect("a step");
        let fastest = sim.velocities().iter().map(nalgebra::Matrix::norm).fold(0.0, f32::max);
        assert!(fastest < 20.0, "{fastest} m/s");
    }
}
