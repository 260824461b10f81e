//! Prints the figures of each fixture: vertices, faces, border loops, and the range of the edge lengths.

use cloth_geom::fixtures::{
    FixtureError, SkirtShape, TshirtShape, TubeShape, disc, icosphere, sheet, skirt, tshirt, tube,
};
use cloth_geom::{Topology, TriMesh, validate};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    println!(
        "{:10} {:>8} {:>8} {:>6} {:>9}  edges (mm)",
        "fixture", "vertices", "faces", "loops", "problems"
    );
    for (name, mesh) in fixtures()? {
        let topology = Topology::of_mesh(&mesh)?;
        let length =
            |&[a, b]: &[u32; 2]| (mesh.positions[a as usize] - mesh.positions[b as usize]).norm() * 1e3;
        let shortest = topology.edges().iter().map(length).fold(f64::INFINITY, f64::min);
        let longest = topology.edges().iter().map(length).fold(0.0, f64::max);
        let (vertices, faces) = (mesh.positions.len(), mesh.faces.len());
        let (loops, problems) = (topology.boundary_loops().len(), validate(&mesh).len());
        println!("{name:10} {vertices:8} {faces:8} {loops:6} {problems:9}  {shortest:.1} to {longest:.1}");
    }
    Ok(())
}

fn fixtures() -> Result<Vec<(&'static str, TriMesh)>, FixtureError> {
    let round = TubeShape { radius: 0.1, length: 0.6, around: 32, along: 24 };
    let frustum = SkirtShape { waist_radius: 0.15, hem_radius: 0.45, length: 0.5, around: 96, along: 27 };
    Ok(vec![
        ("sheet", sheet(64, 64, [1.0, 1.0])?.mesh),
        ("disc", disc(0.5, 24)?),
        ("tube", tube(round)?),
        ("skirt", skirt(frustum)?),
        ("icosphere", icosphere(4, 0.2)?),
        ("t-shirt", tshirt(TshirtShape::default())?),
    ])
}
