//! Another exact decision in the gate: rational roots instead of the filter, and a count of what it is asked.
//!
//! `cargo run --release -p cloth-certify --example own_ccd`

use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use cloth_certify::ccd::{Ccd, CcdError, Query, Reference, Toi};
use cloth_certify::{Certifier, CollisionMesh};

/// The reference method, counted.
#[derive(Debug, Default)]
struct Counted(AtomicUsize);

impl Ccd for Counted {
    fn impact(&self, query: &Query, distance: f64) -> Result<Option<Toi>, CcdError> {
        self.0.fetch_add(1, Relaxed);
        Reference.impact(query, distance)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mesh = CollisionMesh::new(6, &[[0, 1, 2], [3, 4, 5]]).build()?;
    let x0 = [[0., 0., 0.], [0., 0., 4.], [4., 0., 0.], [1., 1., 1.], [1.2, 2., 1.], [1., 2., 1.2]];
    let mut x1 = x0;
    x1[3..].iter_mut().for_each(|p| p[1] -= 2.0);
    let (mut own, mut other) = (x1, x1);
    let inv_mass = [0., 0., 0., 1., 1., 1.];

    let mut certifier = mesh.certifier().ccd(Counted::default()).start(&x0)?;
    let certificate = certifier.correct(&x0, &mut own, &inv_mass)?;
    let (stats, is_unconditional) = (certificate.stats(), certificate.is_unconditional());
    let asked = certifier.ccd().0.load(Relaxed);
    println!("{} pairs tested in {} rounds, {asked} of them decided exactly", stats.proofs, stats.rounds);
    assert!(is_unconditional && asked == stats.exact && asked > 0);

    // Answers that are equal make ends that are equal in every bit.
    Certifier::start(&mesh, &x0)?.correct(&x0, &mut other, &inv_mass)?;
    assert_eq!(own, other);
    Ok(())
}
