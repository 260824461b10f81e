//! Writes the project's own t-shirt as an OBJ file, to try the command on.
//!
//! ```sh
//! cargo run -p cloth-cli --example shirt -- shirt.obj
//! cloth simulate --garment shirt.obj --body figure --arms 40 --pictures shots
//! ```

use std::path::PathBuf;

use cloth_geom::fixtures::{TshirtShape, tshirt};
use cloth_io::write_obj;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os().nth(1).map(PathBuf::from).ok_or("usage: shirt FILE.obj")?;
    let shirt = tshirt(TshirtShape::default())?;
    write_obj(&path, &shirt)?;
    println!("{}: {} vertices, {} triangles", path.display(), shirt.positions.len(), shirt.faces.len());
    Ok(())
}
