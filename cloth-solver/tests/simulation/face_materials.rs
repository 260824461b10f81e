//! Fabrics by face: each half of a cloth weighs, stretches and bends as its own, and one fabric is one
//! fabric.

use std::ops::Range;

use cloth_geom::{TriMesh, fixtures};
use cloth_solver::fem::FemSettings;
use cloth_solver::{
    ClothDesc, ElasticModel, FaceMaterial, MassSpringSettings, Material, Settings, Simulation, Thickness,
};
use nalgebra::{Point3, Vector3};

use crate::ids::cloth_id;
use crate::scenes::{airless, alone, bare, cotton, last_corners, run, sheet, upright};

/// The faces all of whose corners fulfil `inside`.
fn faces(mesh: &TriMesh, inside: impl Fn(&Point3<f64>) -> bool) -> Vec<u32> {
    let corners_inside = |f: &[u32; 3]| f.iter().all(|&v| inside(&mesh.positions[v as usize]));
    (0..).zip(&mesh.faces).filter(|(_, f)| corners_inside(f)).map(|(face, _)| face).collect()
}

fn models() -> [ElasticModel; 3] {
    let fem = FemSettings { stretch_damping: 0.02, ..FemSettings::default() };
    let springs = MassSpringSettings { stretch_damping: 0.02, ..MassSpringSettings::default() };
    [ElasticModel::Xpbd, ElasticModel::Fem(fem), ElasticModel::MassSpring(springs)]
}

/// The side (m) of a cell of a strip.
const CELL: f64 = 0.0125;

/// A fabric whose stiffness in the plane is a part of it.
fn softened(fabric: Material, factor: f32) -> Material {
    let [stretch_warp, stretch_weft, shear] =
        [fabric.stretch_warp, fabric.stretch_weft, fabric.shear].map(|k| factor * k);
    Material { stretch_warp, stretch_weft, shear, ..fabric }
}

/// For each row of cells of a hanging strip, lowest first, the load (N/m) over the strain: the stiffness that
/// it shows. The upper half of the `cells` is silk, the lower half denim, both softened by `factor`.
fn stiffnesses_of_a_hanging_strip(model: ElasticModel, cells: usize, factor: f32) -> Vec<f64> {
    const COLUMNS: usize = 5;
    const WIDTH: f64 = 4.0 * CELL;
    let rows = cells + 1;
    let mesh = fixtures::sheet(COLUMNS, rows, [WIDTH, cells as f64 * CELL]).unwrap().mesh;
    let mesh = mesh.mapped(|p| Point3::new(p.x, p.z, 0.0));
    let lower = faces(&mesh, |p| p.y < 0.1 * CELL);
    assert_eq!(lower.len(), mesh.faces.len() / 2);
    let mut cloth = ClothDesc::new(mesh, softened(Material::SILK, factor), Thickness::from_total(0.004, 0.4))
        .with_face_material(lower, softened(Material::DENIM, factor));
    cloth.pins = (COLUMNS * cells..COLUMNS * rows).map(|v| v as u32).collect();
    // Masses (kg): a load below, little else; the sides of a row hold half as much cloth.
    let of_row = |row: usize| if row == 0 { 4e-3 } else { 1e-4 };
    let share = |column: usize| if column == 0 || column == COLUMNS - 1 { 0.125 } else { 0.25 };
    let vertices = (0..rows).flat_map(|row| (0..COLUMNS).map(move |column| (row, column)));
    cloth.masses = Some(vertices.map(|(row, column)| (of_row(row) * share(column)) as f32).collect());
    let settings = Settings {
        model,
        substeps: if model == ElasticModel::Xpbd { 80 } else { 40 },
        stretch_cycles: 1,
        air_damping: 8.0,
        self_collision: false,
        ..airless()
    };
    let mut sim = alone(settings, cloth);
    run(&mut sim, 240);
    let height = |row: usize| f64::from(sim.positions()[row * COLUMNS + 2].y);
    let strain = |row: usize| (height(row + 1) - height(row)) / CELL - 1.0;
    let load = |row: usize| (0..=row).map(of_row).sum::<f64>() * 9.81 / WIDTH;
    (0..cells).map(|row| load(row) / strain(row)).collect()
}

/// What a half of a strip should show.
fn halves(factor: f32) -> [f64; 2] {
    [Material::DENIM, Material::SILK].map(|fabric| f64::from(factor * fabric.stretch_warp))
}

#[test]
fn each_half_stretches_by_its_own_stiffness() {
    let [_, fem, springs] = models();
    for model in [fem, springs] {
        let [denim, silk] = halves(1e-2);
        let found = stiffnesses_of_a_hanging_strip(model, 16, 1e-2);
        for (row, found) in found.into_iter().enumerate() {
            let (expected, name) = (if row < 8 { denim } else { silk }, model.name());
            assert!((found / expected - 1.0).abs() < 0.05, "{name}, row {row}: {found}, not {expected}");
        }
    }
}

#[test]
fn halves_of_xpbd_stretch_by_the_ratio_of_their_stiffness() {
    // Its levels act side by side, so that soft cloth is stiffer than it should be, alike in both halves; and
    // they reach over eight edges of the seam.
    let found = stiffnesses_of_a_hanging_strip(ElasticModel::Xpbd, 48, 1e-3);
    let mean = |rows: Range<usize>| {
        let count = rows.len() as f64;
        found[rows].iter().sum::<f64>() / count
    };
    let (ratio, [denim, silk]) = (mean(2..16) / mean(32..46), halves(1e-3));
    assert!((ratio / (denim / silk) - 1.0).abs() < 0.05, "{ratio}");
}

/// The bending rigidities (N m) of the two halves of a cantilever.
const SOFT: f32 = 5e-4;
const STIFF: f32 = 3e-3;

/// The angles of the hinges of a strip of 8 cells, 0.2 m long, clamped at its first cell; `stiff` chooses the
/// cells of the stiffer fabric.
fn angles_of_a_cantilever(stiff: impl Fn(usize) -> bool) -> Vec<f32> {
    let mesh = fixtures::sheet(9, 3, [0.2, 0.05]).unwrap().mesh;
    let left = mesh.positions[0].x;
    let cells = (0..8).filter(|&cell| stiff(cell)).flat_map(|cell| {
        let ends = [cell, cell + 1].map(|k| left + 0.025 * k as f64);
        faces(&mesh, |p| ends[0] - 1e-9 < p.x && p.x < ends[1] + 1e-9)
    });
    let stiff = cells.collect();
    let material = Material { bend: SOFT, shear: 2_000.0, damping: 5e-3, ..Material::COTTON };
    let mut cloth = ClothDesc::new(mesh, material, Thickness { radius: 0.002, scr: 0.002 })
        .with_face_material(stiff, Material { bend: STIFF, ..material });
    cloth.pins = (0..3).flat_map(|j| [j * 9, j * 9 + 1]).collect();
    let gravity = Vector3::new(0.0, -0.1, 0.0);
    let settings =
        Settings { substeps: 80, iterations: 4, relaxation: 1.0, air_damping: 5.0, gravity, ..airless() };
    let mut sim = alone(settings, cloth);
    run(&mut sim, 480);
    // The mean of the three rows; the outer ones hold half as much cloth.
    let height = |column: usize| {
        let [a, b, c] = [0, 9, 18].map(|row| sim.positions()[row + column].y);
        0.25 * a + 0.5 * b + 0.25 * c
    };
    let slope = |cell: usize| (height(cell + 1) - height(cell)) / 0.025;
    (1..8).map(|hinge| slope(hinge - 1) - slope(hinge)).collect()
}

#[test]
fn each_half_bends_by_its_own_rigidity_and_the_seam_in_series() {
    // As a chain of rigid cells: the angle of a hinge is the moment of what hangs beyond it over its
    // rigidity.
    let uniform = angles_of_a_cantilever(|_| false);
    for stiff_root in [true, false] {
        let angles = angles_of_a_cantilever(|cell| (cell < 4) == stiff_root);
        // Angles below a milliradian are rounded too much to be compared.
        let measured = (1..).zip(angles.iter().zip(&uniform)).filter(|(_, (_, soft))| **soft > 1e-3);
        for (hinge, (angle, soft)) in measured {
            let rigidity = match hinge {
                4 => 2.0 / (1.0 / SOFT + 1.0 / STIFF),
                _ if (hinge < 4) == stiff_root => STIFF,
                _ => SOFT,
            };
            let (found, expected) = (angle / soft, SOFT / rigidity);
            assert!((found / expected - 1.0).abs() < 0.15, "hinge {hinge}: {found}, not {expected}");
        }
    }
}

/// A sheet hung by two corners.
fn hung(model: ElasticModel, cloth: ClothDesc) -> Vec<u64> {
    let settings = Settings { model, sleep: None, ..Settings::default() };
    let mut sim = alone(settings, ClothDesc { pins: last_corners(10), ..cloth });
    (0..20)
        .map(|_| {
            run(&mut sim, 1);
            sim.state_hash()
        })
        .collect()
}

#[test]
fn equal_fabrics_are_one_fabric_bit_for_bit() {
    let other = Material { density: 0.11, shear: 33.3, bend: 3e-5, ..Material::COTTON };
    for (name, model) in ElasticModel::named() {
        for material in [Material::COTTON, other] {
            let mesh = fixtures::jitter(&upright(10, 0.4), 2e-3, 3).unwrap();
            let one = ClothDesc { material, ..cotton(mesh.clone()) };
            let every_third = (0..mesh.faces.len() as u32).step_by(3).collect();
            let equal = one.clone().with_face_material(every_third, material);
            // All faces have another fabric than the cloth, a part of them twice.
            let all = (0..mesh.faces.len() as u32).collect();
            let covered = cotton(mesh).with_face_material(vec![5, 6], Material::DENIM);
            let covered = covered.with_face_material(all, material);
            let expected = hung(model, one);
            assert_eq!(hung(model, equal), expected, "{name}");
            assert_eq!(hung(model, covered), expected, "{name}");
        }
    }
}

#[test]
fn the_last_entry_that_names_a_face_counts() {
    let cloth = cotton(sheet(3, 0.3))
        .with_face_material(vec![1, 2, 3], Material::SILK)
        .with_face_material(vec![2], Material::DENIM);
    let map = cloth.material_map();
    let found = [0, 1, 2, 3, 4].map(|face| *map.material(face));
    use Material as M;
    assert_eq!(found, [M::COTTON, M::SILK, M::DENIM, M::SILK, M::COTTON]);
}

#[test]
fn a_new_material_leaves_the_faces_that_have_their_own() {
    let half: Vec<u32> = (0..50).collect();
    let mut sim = alone(bare(), cotton(sheet(11, 0.4)).with_face_material(half.clone(), Material::DENIM));
    sim.set_material(cloth_id(0), Material::SILK).unwrap();
    let built = ClothDesc { material: Material::SILK, ..cotton(sheet(11, 0.4)) };
    let mut fresh = alone(bare(), built.with_face_material(half.clone(), Material::DENIM));
    let falls_alike = |sim: &mut Simulation, fresh: &mut Simulation| {
        run(sim, 3);
        run(fresh, 3);
        assert_eq!(sim.state_hash(), fresh.state_hash());
    };
    falls_alike(&mut sim, &mut fresh);
    let entry = FaceMaterial { faces: half, material: Material::COTTON };
    for sim in [&mut sim, &mut fresh] {
        let changed = sim.edit(|scene| {
            scene.cloth_mut(cloth_id(0)).unwrap().face_materials = vec![entry.clone()];
            Ok(())
        });
        changed.unwrap();
    }
    falls_alike(&mut sim, &mut fresh);
}
