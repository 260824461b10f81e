//! What a warm call costs: 10,000 faces of which one in a hundred vertices moves, in `f32` and `f64`, near
//! nothing and on top of another sheet.
//!
//! `cargo run --release -p cloth-certify --example cost`

use std::error::Error;
use std::time::Instant;

use cloth_certify::{Certifier, CollisionMesh, Coordinate};

/// Motions that are measured, of which the fastest half counts.
const MOTIONS: usize = 200;

fn measure<T: Coordinate>(name: &str, sheets: u32, gap: f64) -> Result<(), Box<dyn Error>> {
    // Together 10,000 faces.
    let row = (10_000.0 / 2.0 / f64::from(sheets)).sqrt().round() as u32 + 1;
    let (mut x, mut faces) = (Vec::new(), Vec::new());
    for sheet in 0..sheets {
        let first = x.len() as u32;
        for (i, j) in (0..row).flat_map(|j| (0..row).map(move |i| (i, j))) {
            let shift = 0.003 * f64::from(sheet);
            x.push(
                [0.01 * f64::from(i) + shift, gap * f64::from(sheet), 0.01 * f64::from(j) + shift]
                    .map(T::nearest),
            );
        }
        for (i, j) in (0..row - 1).flat_map(|j| (0..row - 1).map(move |i| (i, j))) {
            let a = first + j * row + i;
            faces.extend([[a, a + 1, a + row], [a + 1, a + row + 1, a + row]]);
        }
    }
    let mesh = CollisionMesh::new(x.len(), &faces).build()?;
    let inv_mass = vec![T::nearest(1.0); x.len()];
    let mut certifier = Certifier::start(&mesh, &x)?;
    let mut times = Vec::new();
    let mut bytes = 0;
    for motion in 0..MOTIONS {
        let mut x1 = x.clone();
        let down = if motion % 2 == 0 { -0.002 } else { 0.002 };
        for v in (0..x.len()).rev().take(x.len() / 100) {
            x1[v][1] = T::nearest(x1[v][1].into() + down);
        }
        let began = Instant::now();
        let allocated = allocation_counter::measure(|| {
            certifier.correct(&x, &mut x1, &inv_mass).expect("finite positions");
        });
        times.push(began.elapsed().as_secs_f64());
        bytes += allocated.bytes_current;
        x = x1;
    }
    times.sort_by(f64::total_cmp);
    let own = allocation_counter::measure(|| std::mem::forget(certifier.clone())).bytes_current;
    println!(
        "{name}: {} faces, median {:.3} ms a call, {:.0} bytes a face ({:.0} a face while warming up)",
        faces.len(),
        times[MOTIONS / 2] * 1e3,
        own as f64 / faces.len() as f64,
        bytes as f64 / faces.len() as f64
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    measure::<f32>("one sheet, f32", 1, 0.0)?;
    measure::<f64>("one sheet, f64", 1, 0.0)?;
    measure::<f32>("two sheets 1 mm apart, f32", 2, 1e-3)?;
    measure::<f64>("two sheets 1 mm apart, f64", 2, 1e-3)
}
