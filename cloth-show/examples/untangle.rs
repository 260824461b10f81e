//! A mesh that intersects itself is worked free of that, as it stands, and what remains is printed.
//!
//! `cargo run --release -p cloth-show --example untangle -- shirt.obj clean.obj`; without files, two sheets
//! that cross. A file in centimetres needs no scale: results are in its unit.

use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;

use cloth_geom::TriMesh;
use cloth_geom::fixtures::sheet;
use cloth_io::{ObjTemplate, read_mesh};
use cloth_solver::{UntangleOptions, UntangleStep, untangle};

fn main() -> Result<(), Box<dyn Error>> {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let mesh = match files.first() {
        Some(file) => read_mesh(Path::new(file))?.mesh,
        None => crossed_sheets()?,
    };
    let mut print = |step: UntangleStep<'_>| {
        println!("step {}: {} intersections", step.step, step.intersections);
        ControlFlow::Continue(())
    };
    let options = UntangleOptions { on_step: Some(&mut print), ..UntangleOptions::default() };
    // The first positions are the rest shape, the second the state that is tangled: here the same.
    let found = untangle(&mesh, &mesh.positions, options)?;
    let moved = mesh.positions.iter().zip(&found.positions).map(|(a, b)| (b - a).norm());
    println!(
        "{} intersections, {} after {} steps; no vertex moved farther than {:.3}",
        found.before,
        found.after,
        found.steps,
        moved.fold(0.0, f64::max)
    );
    for contour in &found.contours {
        let [x, y, z] = contour.center.coords.into();
        println!("left: {} intersections around ({x:.3}, {y:.3}, {z:.3})", contour.intersections);
    }
    if let [input, output] = &files[..] {
        // Texture coordinates, groups and comments are those of the input.
        ObjTemplate::read(Path::new(input))?.write(Path::new(output), &found.positions)?;
        println!("wrote {output}");
    }
    Ok(())
}

/// A sheet of 1 m, and another that stands in it.
fn crossed_sheets() -> Result<TriMesh, Box<dyn Error>> {
    let mut mesh = sheet(12, 12, [1.0, 1.0])?.mesh;
    mesh.append(&sheet(12, 12, [1.0, 1.0])?.mesh.mapped(|p| [p.x + 0.31, p.z - 0.4, p.y + 0.02].into()));
    Ok(mesh)
}
