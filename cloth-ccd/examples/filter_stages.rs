//! Which stage of the filter decides queries of each generated family, and how many collide.
//!
//! ```sh
//! cargo run --release -p cloth-ccd --example filter_stages
//! ```

use cloth_ccd::conformance::{ChoiceSequence, FAMILIES, QueryKind};
use cloth_ccd::{CcdError, Filtered, Stage};

/// Queries of each family.
const QUERIES: u64 = 2_000;

fn main() -> Result<(), CcdError> {
    let filtered = Filtered::default();
    print!("{:>24}{:>10}", "share of queries, %", "colliding");
    Stage::ALL.iter().for_each(|stage| print!("{:>12}", stage.name()));
    println!();
    for family in &FAMILIES {
        let mut counts = [0_u64; Stage::ALL.len()];
        let mut colliding = 0;
        for seed in 0..QUERIES {
            let kind = if seed % 2 == 0 { QueryKind::PointTriangle } else { QueryKind::EdgeEdge };
            let decision = filtered.decide(&family.query(kind, &mut ChoiceSequence::seeded(seed)))?;
            counts[decision.stage as usize] += 1;
            colliding += u64::from(decision.impact.is_some());
        }
        let share = |count: u64| 100.0 * count as f64 / QUERIES as f64;
        print!("{:>24}{:>10.1}", family.name, share(colliding));
        counts.iter().for_each(|&count| print!("{:>12.1}", share(count)));
        println!();
    }
    Ok(())
}
