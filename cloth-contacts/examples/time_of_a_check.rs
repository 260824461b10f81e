//! How long the exact check of a state takes: sheets of 64 x 64, flat, wavy and folded, and the meshes that
//! are named.
//!
//! ```sh
//! cargo run --release -p cloth-contacts --example time_of_a_check -- horse.obj
//! ```
//!
//! Prints the least and the median time of 101 checks on one thread (ms), of a first state, which uses boxes,
//! and of a later one, which is judged by patches. Run two builds in turn to compare them: a machine is never
//! the same twice.

use std::hint::black_box;
use std::time::Instant;

use cloth_contacts::intersect::Checker;
use cloth_geom::{Topology, TriMesh, fixtures};
use nalgebra::Point3;

/// Checks of each state.
const RUNS: usize = 101;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let flat = fixtures::sheet(64, 64, [1.0, 1.0])?.mesh;
    let wavy = flat.clone().mapped(|p| Point3::new(p.x, 0.05 * (12.0 * p.x + 5.0 * p.z).sin(), p.z));
    // Over a line between the vertices, and not quite flat: the layers are near and do not touch.
    let folded = flat.clone().mapped(|p| {
        let beyond = (p.x - 0.4037).max(0.0);
        Point3::new(p.x - 2.0 * beyond, 0.02 * beyond, p.z)
    });
    let mut states =
        vec![("flat".to_owned(), flat), ("wavy".to_owned(), wavy), ("folded".to_owned(), folded)];
    for path in std::env::args().skip(1) {
        let mesh = read_obj(&std::fs::read_to_string(&path)?)?;
        states.push((path, mesh));
    }
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    println!("least and median ms of {RUNS}: first state, later state; intersections");
    for (name, mesh) in states {
        let [first, later, found] = one.install(|| times(&mesh))?;
        println!("{name}: {first}, {later}; {found}");
    }
    Ok(())
}

/// Times of a first and of a later state, and what was found.
fn times(mesh: &TriMesh) -> Result<[String; 3], String> {
    let topology = Topology::of_mesh(mesh).map_err(|e| e.to_string())?;
    let mut known = Checker::default();
    let mut boxes = Checker::without_culling();
    let mut found = 0;
    let mut judged = |checker: &mut Checker| {
        let mut ms = Vec::new();
        for _ in 0..RUNS + 2 {
            let start = Instant::now();
            let judged = checker.check(black_box(&mesh.positions), &topology).map_err(|e| e.to_string())?;
            ms.push(start.elapsed().as_secs_f64() * 1e3);
            found = judged.count() + judged.flat_folds.len();
        }
        // Without the two that build what is kept.
        let ms = &mut ms[2..];
        ms.sort_by(f64::total_cmp);
        Ok::<_, String>(format!("{:.3} {:.3}", ms[0], ms[RUNS / 2]))
    };
    Ok([judged(&mut boxes)?, judged(&mut known)?, found.to_string()])
}

/// The `v` and `f` records of an OBJ file; polygons become fans.
fn read_obj(text: &str) -> Result<TriMesh, Box<dyn std::error::Error>> {
    let mut mesh = TriMesh::default();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let c: Vec<f64> = words.take(3).map(str::parse).collect::<Result<_, _>>()?;
                let &[x, y, z] = c.as_slice() else { return Err(format!("no position: {line}").into()) };
                mesh.positions.push(Point3::new(x, y, z));
            }
            Some("f") => {
                let index = |w: &str| w.split('/').next().unwrap_or(w).parse::<u32>();
                let corners: Vec<u32> = words.map(index).collect::<Result<_, _>>()?;
                mesh.faces.extend((2..corners.len()).map(|k| [0, k - 1, k].map(|i| corners[i] - 1)));
            }
            _ => {}
        }
    }
    Ok(mesh)
}
