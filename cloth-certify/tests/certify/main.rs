//! The judge and the gate, against references that share nothing with them.

mod adversarial;
mod certifier;
mod far;
mod judge;
mod outfit;
#[path = "../../examples/pushes/mod.rs"]
mod pushes;
mod refusals;

use cloth_certify::{CollisionMesh, Coordinate};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng;

/// Random numbers, the same on every run.
struct Dice(Pcg64Mcg);

impl Dice {
    fn new(seed: u128) -> Self {
        Self(Pcg64Mcg::new(seed))
    }

    /// In [-1, 1].
    fn unit(&mut self) -> f64 {
        self.0.next_u64() as f64 / u64::MAX as f64 * 2.0 - 1.0
    }

    /// A whole number below `n`.
    fn below(&mut self, n: usize) -> usize {
        (self.0.next_u64() % n as u64) as usize
    }

    fn vector(&mut self) -> [f64; 3] {
        [self.unit(), self.unit(), self.unit()]
    }

    /// Whole numbers in [-2, 2]: degenerate in every way.
    fn lattice(&mut self) -> [f64; 3] {
        self.vector().map(|c| (2.4 * c).round())
    }
}

/// The inverse masses (1/kg) of equal vertices.
fn ones<T: From<f32> + Clone>(count: usize) -> Vec<T> {
    vec![T::from(1.0); count]
}

/// Sheets of `cells` by `cells` in a unit square, one above the other by `gap` (m) from `y` on.
fn sheets<T: Coordinate>(cells: u32, count: u32, y: f64, gap: f64) -> (CollisionMesh, Vec<[T; 3]>) {
    let (mut x, mut faces) = (Vec::new(), Vec::new());
    let row = cells + 1;
    for sheet in 0..count {
        let first = x.len() as u32;
        for (i, j) in (0..row).flat_map(|j| (0..row).map(move |i| (i, j))) {
            let [u, v] = [i, j].map(|k| f64::from(k) / f64::from(cells));
            let shift = 0.01 * f64::from(sheet);
            x.push([u + shift, y + f64::from(sheet) * gap, v + shift].map(T::nearest));
        }
        for (i, j) in (0..cells).flat_map(|j| (0..cells).map(move |i| (i, j))) {
            let a = first + j * row + i;
            faces.extend([[a, a + 1, a + row], [a + 1, a + row + 1, a + row]]);
        }
    }
    (CollisionMesh::new(x.len(), &faces).build().unwrap(), x)
}
