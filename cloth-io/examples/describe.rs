//! Prints what mesh files contain: `cargo run -p cloth-io --example describe -- shirt.obj body.ply`

use std::{env, path::Path, process::ExitCode};

use cloth_io::{FileError, VertexUv, read_mesh};

fn main() -> ExitCode {
    let mut status = ExitCode::SUCCESS;
    for path in env::args().skip(1) {
        if let Err(e) = describe(Path::new(&path)) {
            eprintln!("{e}");
            status = ExitCode::from(2);
        }
    }
    status
}

fn describe(path: &Path) -> Result<(), FileError> {
    let loaded = read_mesh(path)?;
    let rest = match loaded.vertex_uv() {
        VertexUv::Unambiguous(_) => "flat pattern in vt".to_owned(),
        VertexUv::Seam { vertex } => format!("vt with seams, the first at vertex {vertex}"),
        VertexUv::Missing => "no vt".to_owned(),
    };
    let (vertices, faces) = (loaded.mesh.positions.len(), loaded.mesh.faces.len());
    println!("{}: {vertices} vertices, {faces} triangles, {rest}", path.display());
    for group in &loaded.groups {
        println!("  group {:?}: triangles {:?}", group.name, group.faces);
    }
    for note in &loaded.notes {
        println!("  {note}");
    }
    Ok(())
}
