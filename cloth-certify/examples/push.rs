//! Who keeps the promise: a caller proposes to push one sheet through another, step by step, without any
//! contact force. Accepted as proposed, every case crosses; certified, none does.
//!
//! `cargo run --release -p cloth-certify --example push [steps]`

mod pushes;

use pushes::{CASES, Outcome, first_crossing_unchecked, run};

fn main() {
    let steps = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1000);
    println!(
        "{:<46} {:>9} {:>9} {:>8} {:>8} {:>6} {:>6} {:>8} {:>8}",
        "case", "unchecked", "crossings", "changed", "frozen", "apart", "near", "down (m)", "ms"
    );
    for case in CASES {
        let unchecked =
            first_crossing_unchecked(case, steps).map_or("-".into(), |step| format!("step {step}"));
        let Outcome { crossings, changed, frozen, kept_apart, kept_at_contact, moved, seconds, .. } =
            run(case, steps);
        let ms = seconds * 1e3 / steps as f64;
        println!(
            "{:<46} {unchecked:>9} {crossings:>9} {changed:>8} {frozen:>8} {kept_apart:>6.3} {kept_at_contact:>6.3} {moved:>8.3} {ms:>8.3}",
            case.name()
        );
    }
}
