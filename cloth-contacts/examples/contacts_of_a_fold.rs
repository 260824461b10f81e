//! Turns a page of a sheet onto the other, and prints the contacts that are predicted before the exact check
//! finds a crossing.

use std::error::Error;

use cloth_contacts::{Contacts, Detector, Motion, Surface, SurfaceDesc, intersect::Checker};
use cloth_geom::fixtures::sheet;
use nalgebra::{Point3, Vector3};

const STEPS: usize = 12;

/// A sheet whose left half lies in waves, and whose right half is turned over it by `angle` (rad).
fn page(flat: &[Point3<f32>], angle: f32) -> Vec<Point3<f32>> {
    let (sin, cos) = angle.sin_cos();
    let turned = |p: &Point3<f32>| Point3::new(p.x * cos, p.x * sin, p.z);
    let wavy = |p: &Point3<f32>| Point3::new(p.x, 0.03 * (20.0 * p.x).sin().powi(2), p.z);
    flat.iter().map(|p| if p.x > 0.0 { turned(p) } else { wavy(p) }).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let mesh = sheet(21, 21, [1.0, 1.0])?.mesh;
    let flat = mesh.positions_f32();
    let count = flat.len();
    let surface = Surface::new(&SurfaceDesc {
        faces: &mesh.faces,
        radius: &vec![0.005; count],
        half_scr: &vec![0.0025; count],
        part: &vec![0; count],
        kinematic: &[false],
        rest: &flat,
        exclusions: &[],
        regions: Default::default(),
    })?;
    let mut detector = Detector::default();
    let mut checker = Checker::default();
    let mut contacts = Contacts::default();
    println!("step  angle  candidates  vertex-face  edge-edge  intersections at the end");
    for step in 0..STEPS {
        let angle = |step: usize| 3.1 * step as f32 / STEPS as f32;
        let (start, end) = (page(&flat, angle(step)), page(&flat, angle(step + 1)));
        let displacements: Vec<Vector3<f32>> = start.iter().zip(&end).map(|(a, b)| b - a).collect();
        let motion = Motion { positions: &start, displacements: &displacements };
        let stats = detector.detect(&surface, &motion, 0.0, &mut contacts)?;
        let end: Vec<Point3<f64>> = end.iter().map(|p| p.cast()).collect();
        let crossings = checker.check(&end, surface.topology())?.count();
        println!(
            "{step:4} {:6.2} {:11} {:12} {:10} {crossings:14}",
            angle(step + 1),
            stats.candidates,
            contacts.point_triangles.len(),
            contacts.edge_edges.len(),
        );
    }
    Ok(())
}
