//! Writes a closed bar of 208 triangles, twisted by half a turn or as asked, to try culling on.
//!
//! ```sh
//! cargo run -p cloth-cli --example twisted_bar -- bar.obj 0.5
//! cloth cull bar.obj
//! ```

use cloth_geom::fixtures::{BarShape, twisted_bar};
use cloth_io::write_obj;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("usage: twisted_bar FILE.obj [TURNS]")?;
    let turns = args.next().map_or(Ok(BarShape::default().turns), |turns| turns.parse())?;
    let bar = twisted_bar(BarShape { turns, ..BarShape::default() })?;
    write_obj(path.as_ref(), &bar)?;
    println!("{path}: {} vertices, {} triangles", bar.positions.len(), bar.faces.len());
    Ok(())
}
