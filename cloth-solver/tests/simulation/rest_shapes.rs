//! Rest shapes apart from the start pose, sewing patterns, and masses by vertex.

use cloth_geom::TriMesh;
use cloth_solver::{ClothDesc, RestShape, Settings};
use nalgebra::{Point3, Vector3};

use crate::scenes::{
    alone, bare, cotton, furthest, greatest_strain, masses, run, sheet, upright, weightless,
};

/// No gravity, and air that ends all motion within a second.
fn viscous() -> Settings {
    Settings { air_damping: 4.0, ..weightless() }
}

#[test]
fn springs_back_from_its_start_to_its_rest_shape() {
    let flat = sheet(8, 0.3);
    for (along, across) in [(0.7, 0.7), (1.2, 1.2), (0.8, 1.2)] {
        let mut cloth =
            cotton(flat.clone().mapped(|p| Point3::new(along * p.x, 1e-3 * p.x * p.z, across * p.z)));
        cloth.rest = RestShape::Positions(flat.positions.clone());
        let mut sim = alone(viscous(), cloth);
        assert!(greatest_strain(sim.faces(), sim.positions(), &flat.positions) > 0.15);
        run(&mut sim, 180);
        let strain = greatest_strain(sim.faces(), sim.positions(), &flat.positions);
        assert!(strain < 0.01, "{along} {across}: {strain}");
    }
}

#[test]
fn grows_into_a_pattern_that_is_cut_larger() {
    let start = sheet(8, 0.3);
    let large = start.clone().scaled(1.2);
    let at = |v: u32| [large.positions[v as usize].x, large.positions[v as usize].z];
    let mut cloth = cotton(start);
    cloth.rest = RestShape::Pattern(cloth.mesh.faces.iter().map(|f| f.map(at)).collect());
    let mut sim = alone(viscous(), cloth);
    run(&mut sim, 180);
    let strain = greatest_strain(sim.faces(), sim.positions(), &large.positions);
    assert!(strain < 0.01, "{strain}");
}

#[test]
fn a_pattern_may_lay_every_face_somewhere_else() {
    // Each face is shifted and turned by itself: only lengths and the grain count, and shear is off.
    let start = sheet(6, 0.3);
    let pattern = |shift: f64| -> Vec<[[f64; 2]; 3]> {
        let at = |v: u32| [start.positions[v as usize].x, start.positions[v as usize].z];
        let place = |(i, f): (usize, &[u32; 3])| f.map(|v| at(v).map(|c| c + shift * i as f64));
        start.faces.iter().enumerate().map(place).collect()
    };
    let run_with = |shift: f64| {
        let mut cloth = cotton(start.clone());
        cloth.rest = RestShape::Pattern(pattern(shift));
        let mut sim = alone(viscous(), cloth);
        run(&mut sim, 30);
        sim.positions().to_vec()
    };
    // Shifts by whole multiples of 1/4 cost a few bits of the coordinates: 1e-6 of some metres.
    assert!(furthest(&run_with(0.0), &run_with(0.25)) < 1e-3);
}

#[test]
fn without_a_pattern_the_start_is_at_rest() {
    let mesh = sheet(8, 0.3).mapped(|p| Point3::new(p.x, 0.05 * (10.0 * p.x).sin(), p.z));
    let mut sim = alone(weightless(), cotton(mesh));
    let start = sim.positions().to_vec();
    run(&mut sim, 60);
    assert!(furthest(sim.positions(), &start) < 1e-3 * 0.3);
}

/// A squeezed sheet with the masses given.
fn squeezed(masses: Option<Vec<f32>>) -> (TriMesh, ClothDesc) {
    let flat = sheet(6, 0.3);
    let mut cloth = cotton(flat.clone().mapped(|p| Point3::new(0.8 * p.x, 0.0, 0.9 * p.z)));
    cloth.rest = RestShape::Positions(flat.positions.clone());
    cloth.masses = masses;
    (flat, cloth)
}

#[test]
fn masses_by_vertex_keep_their_own_centre_in_place() {
    let masses: Vec<f32> =
        (0..36).map(|v| 1e-4 * (1 + v * v % 7) as f32 * if v % 6 < 2 { 20.0 } else { 1.0 }).collect();
    let (_, cloth) = squeezed(Some(masses.clone()));
    // The last word on contacts shortens motions one by one, at the cost of momentum: none here.
    let mut sim = alone(Settings { self_collision: false, ..weightless() }, cloth);
    let centre = |x: &[Point3<f32>]| {
        let sum = x
            .iter()
            .zip(&masses)
            .fold(Vector3::zeros(), |sum, (x, m)| sum + x.coords.cast::<f64>() * f64::from(*m));
        sum / masses.iter().map(|m| f64::from(*m)).sum::<f64>()
    };
    let (start, before) = (centre(sim.positions()), sim.positions().to_vec());
    run(&mut sim, 20);
    // The greatest motion is some centimetres; of that, a few thousandths.
    assert!((centre(sim.positions()) - start).norm() < 1e-4, "{}", centre(sim.positions()) - start);
    let moved = |v: usize| (sim.positions()[v] - before[v]).norm();
    assert!(moved(6) < moved(11), "the heavy side moves less: {} {}", moved(6), moved(11));
}

#[test]
fn masses_are_area_times_density_unless_given() {
    let (flat, cloth) = squeezed(None);
    let shares = masses(&flat, f64::from(cloth.material.density));
    assert!((shares.iter().sum::<f64>() / (0.15 * 0.09) - 1.0).abs() < 1e-6);
    let explicit = squeezed(Some(shares.iter().map(|&m| m as f32).collect())).1;
    let [mut a, mut b] = [alone(weightless(), cloth), alone(weightless(), explicit)];
    run(&mut a, 5);
    run(&mut b, 5);
    // Equal but for the rounding of the masses.
    assert!(furthest(a.positions(), b.positions()) < 1e-5);
    let (_, mut heavy) = squeezed(Some(vec![0.01; 36]));
    heavy.mesh = heavy.mesh.clone();
    let mut c = alone(weightless(), heavy);
    run(&mut c, 5);
    assert!(furthest(a.positions(), c.positions()) > 1e-3, "masses do matter");
}

#[test]
fn a_warp_that_is_stiffer_than_the_weft_stretches_less() {
    // The warp of an upright sheet is vertical. Hung by its upper row, then by its left column turned up.
    let stretched = |mesh: TriMesh, pins: Vec<u32>, warp: f32, weft: f32| {
        let mut cloth = cotton(mesh.clone());
        cloth.material.stretch_warp = warp;
        cloth.material.stretch_weft = weft;
        cloth.pins = pins;
        let mut sim = alone(Settings { substeps: 20, air_damping: 5.0, ..bare() }, cloth);
        run(&mut sim, 120);
        greatest_strain(sim.faces(), sim.positions(), &mesh.positions)
    };
    let top: Vec<u32> = (56..64).collect();
    let stiff_warp = stretched(upright(8, 0.3), top.clone(), 2_000.0, 40.0);
    let soft_warp = stretched(upright(8, 0.3), top, 40.0, 2_000.0);
    assert!(soft_warp > 3.0 * stiff_warp, "{soft_warp} {stiff_warp}");
}
