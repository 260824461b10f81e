//! Writes a level square sheet about the origin, 1.2 m wide with 33 vertices a side or as asked, to try rigid
//! bodies on.
//!
//! ```sh
//! cargo run -p cloth-cli --example sheet -- sheet.obj 1.0
//! cargo run -p cloth-cli --example sheet -- sheet_rest.obj 1.2
//! cp cloth-cli/examples/caught_ball.toml . && cloth simulate caught_ball.toml --pictures pictures
//! ```

use cloth_geom::fixtures::sheet;
use cloth_io::write_obj;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("usage: sheet FILE.obj [WIDTH [SIDE]]")?;
    let width = args.next().map_or(Ok(1.2), |width| width.parse())?;
    let side = args.next().map_or(Ok(33), |side| side.parse())?;
    let mesh = sheet(side, side, [width, width])?.mesh;
    write_obj(path.as_ref(), &mesh)?;
    println!("{path}: {} vertices, {} triangles", mesh.positions.len(), mesh.faces.len());
    Ok(())
}
