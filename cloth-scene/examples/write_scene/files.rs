//! The files that `scene.toml` names, each as small as its keys allow.

use std::f64::consts::TAU;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use cloth_geom::TriMesh;
use cloth_io::{FileError, write_atomically, write_obj};
use nalgebra::Point3;

/// The scene itself, as it is next to this folder.
const SCENE: &str = include_str!("../scene.toml");

/// Writes the scene and all files that it names to a folder.
///
/// # Errors
/// If a file cannot be written.
pub(crate) fn write_all(folder: &Path) -> Result<(), FileError> {
    write_text(&folder.join("scene.toml"), SCENE)?;
    write_text(&folder.join("band.obj"), &band())?;
    write_text(&folder.join("cape.ply"), &ply(&cape(0.3)))?;
    write_obj(&folder.join("cape_flat.obj"), &cape(0.0))?;
    write_text(&folder.join("cape_seams.txt"), &cape_seams())?;
    write_obj(&folder.join("stool.obj"), &stool())
}

fn write_text(path: &Path, text: &str) -> Result<(), FileError> {
    write_atomically(path, |w| w.write_all(text.as_bytes()))
}

/// The triangles of a grid of vertices, row after row, the first of which is number `first`.
fn grid(columns: u32, rows: u32, first: u32) -> Vec<[u32; 3]> {
    let corners = (0..rows - 1).flat_map(|j| (0..columns - 1).map(move |i| first + j * columns + i));
    corners.flat_map(|v| [[v, v + 1, v + columns], [v + 1, v + columns + 1, v + columns]]).collect()
}

/// Vertices around the band, and rows of them one above the other.
const BAND: [u32; 2] = [25, 7];

/// A band of cloth, 4 cm short of a ring of radius 20 cm, in centimetres, z up; its flat pattern stands in
/// `vt`, and its lowest row of faces is the group `hem`.
fn band() -> String {
    let [columns, rows] = BAND;
    let (radius, gap, height) = (20.0, 4.0, 5.0);
    let mut text = String::from("# A band of cloth in centimetres, z up\n");
    for (j, i) in (0..rows).flat_map(|j| (0..columns).map(move |i| (j, i))) {
        let along = 0.5 * gap + (TAU * radius - gap) * f64::from(i) / f64::from(columns - 1);
        let (sin, cos) = (along / radius).sin_cos();
        let up = height * f64::from(j);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "v {:?} {:?} {up:?}\nvt {along:?} {up:?}", radius * cos, radius * sin);
    }
    let hem = 2 * (columns - 1);
    for (face, corners) in (0..).zip(grid(columns, rows, 0)) {
        match face {
            0 => text.push_str("g hem\n"),
            _ if face == hem => text.push_str("g band\n"),
            _ => {}
        }
        let [a, b, c] = corners.map(|v| v + 1);
        let _ = writeln!(text, "f {a}/{a} {b}/{b} {c}/{c}");
    }
    text
}

/// Columns and rows of each of the two panels of the cape, their spacing, and the gap between them (m).
const PANEL: [u32; 2] = [9, 13];
const SPACING: f64 = 0.05;
const SEAM_GAP: f64 = 0.02;

/// Two panels side by side, in metres, y up: flat if `arch` is zero, otherwise higher in the middle by about
/// `arch` (1/m) times the square of half the width.
fn cape(arch: f64) -> TriMesh {
    let [columns, rows] = PANEL;
    let width = SPACING * f64::from(columns - 1);
    let point = |panel: u32, i: u32, j: u32| {
        let out = 0.5 * SEAM_GAP + SPACING * f64::from(i);
        let x = if panel == 0 { out - width - SEAM_GAP } else { out };
        let z = SPACING * (f64::from(j) - 0.5 * f64::from(rows - 1));
        Point3::new(x, -arch * x * x, z)
    };
    let points = (0..2).flat_map(|p| (0..rows).flat_map(move |j| (0..columns).map(move |i| point(p, i, j))));
    let faces = (0..2).flat_map(|p| grid(columns, rows, p * columns * rows));
    TriMesh::new(points.collect(), faces.collect())
}

/// The last column of the left panel, and the first of the right one.
fn cape_seams() -> String {
    let [columns, rows] = PANEL;
    let pair = |j: u32| [j * columns + columns - 1, (rows + j) * columns];
    let lines = (0..rows).map(pair).map(|[left, right]| format!("{left} {right}\n"));
    std::iter::once("# left right\n".to_owned()).chain(lines).collect()
}

fn ply(mesh: &TriMesh) -> String {
    let (vertices, faces) = (mesh.positions.len(), mesh.faces.len());
    let mut text = format!(
        "ply\nformat ascii 1.0\nelement vertex {vertices}\nproperty double x\nproperty double y\n\
         property double z\n\
         element face {faces}\nproperty list uchar int vertex_indices\nend_header\n"
    );
    for p in &mesh.positions {
        let _ = writeln!(text, "{:?} {:?} {:?}", p.x, p.y, p.z);
    }
    for [a, b, c] in &mesh.faces {
        let _ = writeln!(text, "3 {a} {b} {c}");
    }
    text
}

/// An octahedron: the smallest closed surface that nobody takes for a box.
fn stool() -> TriMesh {
    let at = [
        [0.3, 0.0, 0.0],
        [-0.3, 0.0, 0.0],
        [0.0, 0.3, 0.0],
        [0.0, -0.3, 0.0],
        [0.0, 0.0, 0.3],
        [0.0, 0.0, -0.3],
    ];
    let faces = vec![[2, 4, 0], [2, 0, 5], [2, 5, 1], [2, 1, 4], [3, 0, 4], [3, 5, 0], [3, 1, 5], [3, 4, 1]];
    let raised = |[x, y, z]: [f64; 3]| Point3::new(x, y + 0.35, z + 1.5);
    TriMesh::new(at.map(raised).to_vec(), faces)
}
