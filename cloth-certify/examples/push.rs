//! Who keeps the promise: a caller proposes to push one sheet through another, step by step, without any
//! contact force. Accepted as proposed, every case crosses; certified, none does.
//!
//! `cargo run --release -p cloth-certify --example push [steps]`

mod pushes;

use pushes::{AS_PROPOSED, Contestant, Outcome, cases, run};

fn main() {
    let steps = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1000);
    println!(
        "{:<46} {:>9} {:>9} {:>8} {:>8} {:>6} {:>6} {:>8} {:>8}",
        "case", "unchecked", "crossings", "changed", "frozen", "apart", "near", "down (m)", "ms"
    );
    for case in cases() {
        let unchecked = run(&case, steps, AS_PROPOSED).first_crossing;
        let unchecked = unchecked.map_or("-".into(), |step| format!("step {step}"));
        let Outcome { crossings, changed, frozen, kept_apart, kept_at_contact, moved, seconds, .. } =
            run(&case, steps, Contestant::Certifier);
        let share = |kept: Option<f64>| kept.map_or("-".into(), |kept| format!("{kept:.3}"));
        let [apart, near, ms] =
            [share(kept_apart), share(kept_at_contact), format!("{:.3}", seconds * 1e3 / steps as f64)];
        println!(
            "{:<46} {unchecked:>9} {crossings:>9} {changed:>8} {frozen:>8} {apart:>6} {near:>6} {moved:>8.3} \
             {ms:>8}",
            case.name()
        );
    }
}
