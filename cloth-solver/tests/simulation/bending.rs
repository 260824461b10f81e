//! Bending: curved rest shapes stay as they are, and a strip sags as a beam does.

use cloth_geom::fixtures::{self, TubeShape, tube};
use cloth_solver::{ClothDesc, Material, RestShape, Settings, Thickness};
use nalgebra::{Point3, Vector3};

use crate::scenes::{G, airless, alone, cotton, furthest, greatest_strain, run, weightless};

#[test]
fn a_tube_at_rest_stays_at_rest() {
    for material in [Material::COTTON, Material::SILK, Material::DENIM] {
        let mesh = tube(TubeShape { radius: 0.1, length: 0.4, around: 24, along: 12 }).unwrap();
        let mut cloth = cotton(mesh);
        cloth.material = material;
        let mut sim = alone(weightless(), cloth);
        let start = sim.positions().to_vec();
        run(&mut sim, 60);
        let moved = furthest(sim.positions(), &start);
        // Each of 600 substeps rounds coordinates of 0.2 m some 40 times, 6 nm each: as velocities, a random
        // walk of 6 nm 600/s sqrt(24,000) = 0.6 mm/s for a vertex by itself.
        assert!(moved < 6e-4, "{material:?}: {moved} m");
    }
}

/// How far (m) an uneven tube at rest gets in two seconds.
fn wandering_of_an_uneven_tube() -> f32 {
    let even = tube(TubeShape { radius: 0.1, length: 0.4, around: 24, along: 12 }).unwrap();
    let mut cloth = cotton(fixtures::jitter(&even, 0.003, 3).unwrap());
    cloth.material.bend = 1e-3;
    let mut sim = alone(weightless(), cloth);
    let start = sim.positions().to_vec();
    run(&mut sim, 120);
    furthest(sim.positions(), &start)
}

#[test]
fn an_uneven_tube_at_rest_stays_at_rest() {
    let moved = wandering_of_an_uneven_tube();
    assert!(moved < 1.2e-3, "{moved} m");
}

#[test]
fn a_dented_tube_springs_back_to_its_curvature_and_not_flat() {
    let mesh = tube(TubeShape { radius: 0.1, length: 0.3, around: 24, along: 10 }).unwrap();
    let dented = mesh.clone().mapped(|p| Point3::new(p.x * 1.1, p.y, p.z * 0.9));
    let mut cloth = cotton(dented);
    cloth.material = Material { bend: 1e-3, ..Material::DENIM };
    cloth.rest = RestShape::Positions(mesh.positions.clone());
    let mut sim = alone(Settings { air_damping: 1.0, ..weightless() }, cloth);
    run(&mut sim, 240);
    assert!(greatest_strain(sim.faces(), sim.positions(), &mesh.positions) < 0.01);
    // Diameters, which no drift of the whole tube changes.
    let x = sim.positions();
    let diameters = (0..10).flat_map(|ring| (0..12).map(move |i| (ring * 24 + i, ring * 24 + i + 12)));
    let worst = diameters.map(|(a, b)| ((x[a] - x[b]).norm() / 0.2 - 1.0).abs()).fold(0.0, f32::max);
    assert!(worst < 0.02, "{worst}");
}

/// How far (m) the free end of a strip of 8 cells, 0.2 m long, sags: clamped at its first cell.
fn sag(bending: f32, gravity: f32) -> f32 {
    let n = 9;
    let mesh = fixtures::sheet(n, 3, [0.2, 0.05]).unwrap().mesh;
    // As stiff in shear as its neighbours allow: a plain plate.
    let material = Material { bend: bending, shear: 2_000.0, damping: 5e-3, ..Material::COTTON };
    let mut cloth = ClothDesc::new(mesh, material, Thickness { radius: 0.002, scr: 0.002 });
    // Two columns hold place and slope.
    cloth.pins = (0..3).flat_map(|j| [j * 9, j * 9 + 1]).collect();
    let gravity = Vector3::new(0.0, -gravity, 0.0);
    let settings =
        Settings { substeps: 80, relaxation: 1.0, wind_interval: 1, air_damping: 5.0, gravity, ..airless() };
    let mut sim = alone(settings, cloth);
    run(&mut sim, 480);
    -sim.positions()[n * 2 - 1].y
}

/// The sag (m) of the same strip as rigid cells of length `a` joined by hinges of stiffness `B / a` per
/// width, the weight `q a` of each column at its place, half as much on the last: `sum n^3 q a^4 / (2 B)`,
/// for n from 1 to 7. A beam sags `q L^4 / (8 B)`; of that this is 1.31, since the hinges stand at the ends
/// of their cells.
fn chain(bending: f32, gravity: f32) -> f32 {
    let (q, a) = (Material::COTTON.density * gravity, 0.2f32 / 8.0);
    (1..8).map(|n| (n as f32).powi(3)).sum::<f32>() * q * a.powi(4) / (2.0 * bending)
}

#[test]
fn a_clamped_strip_sags_as_an_elastic_beam() {
    // XPBD adds h^2 w |grad C|^2 to a compliance: here 1/20 of it. Sags below a tenth of the length, so that
    // sines are angles.
    let (sag, chain) = (sag(6e-4, 0.1), chain(6e-4, 0.1));
    assert!((0.8..1.25).contains(&(sag / chain)), "{sag} m, as a chain {chain} m");
}

#[test]
fn a_stiffer_strip_sags_less_in_proportion() {
    let ratio = sag(4e-4, 0.1) / sag(8e-4, 0.1);
    assert!((1.6..2.2).contains(&ratio), "{ratio}");
}

#[test]
fn a_limp_strip_hangs_down() {
    assert!(sag(1e-7, G) > 0.14);
}

#[test]
fn a_flat_rest_shape_unrolls_a_curved_start() {
    let flat = fixtures::sheet(13, 4, [0.3, 0.1]).unwrap().mesh;
    let rolled = flat.clone().mapped(|p| {
        let angle = p.x / 0.1;
        Point3::new(0.1 * angle.sin(), 0.1 * (1.0 - angle.cos()), p.z)
    });
    let mut cloth = cotton(rolled);
    cloth.material = Material { bend: 1e-3, ..Material::DENIM };
    cloth.rest = RestShape::Positions(flat.positions.clone());
    let mut sim = alone(Settings { air_damping: 3.0, ..weightless() }, cloth);
    run(&mut sim, 300);
    let x = sim.positions();
    let chord: Vector3<f32> = x[12] - x[0];
    assert!(chord.norm() > 0.3 * 0.99, "{}", chord.norm());
}
