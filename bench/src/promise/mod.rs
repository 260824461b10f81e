//! Who keeps the promise: a caller proposes to push one sheet through another, a thousand times, without any
//! contact force, and a gate decides how far each motion goes.
//!
//! ```text
//! pushes   the cases, the run of one, and the reference that judges it: those of cloth-certify's example
//! export   the cases for programs in other languages
//! sums     results of all cases -> a line for each contender
//! gates    peers: gates as solvers have them, in rounded arithmetic
//! ```

mod export;
mod gates;
#[path = "../../../cloth-certify/examples/pushes/mod.rs"]
mod pushes;
mod sums;
#[cfg(test)]
mod tests;

pub use self::export::cases_json;
use self::pushes::{AS_PROPOSED, Contestant, cases};
pub(crate) use self::sums::{PushSum, sums};
use crate::contenders::version_of;
use crate::run::{load_average, provenance};
use crate::schema::{PUSH_VERSION, PushReport, PushResult};

/// Name and method of each contender of this program, and what it is.
const CONTENDERS: [(&str, &str, Contestant); 4] = [
    (
        "cloth-certify",
        "Certifier::correct: exact decisions, corrected vertex by vertex",
        Contestant::Certifier,
    ),
    (
        "line search",
        "all vertices go 0.8 of the earliest time of impact by additive CCD in f64, as in C-IPC",
        Contestant::Function(gates::line_search),
    ),
    (
        "planes",
        "vertices go 0.9 of their way to planes between pairs, in f64; pairs nearer than 1e-10 m are \
         skipped, as in planar truncation of ipctk 1.6.1",
        Contestant::Function(gates::planes),
    ),
    ("as proposed", "the control: every proposal is accepted", AS_PROPOSED),
];

/// Runs all cases for this many steps through every contender.
///
/// # Errors
/// If there are no steps.
pub fn measure(steps: usize, note: &str) -> Result<PushReport, String> {
    if steps == 0 {
        return Err("the number of steps must be at least 1".into());
    }
    let load_at_start = load_average();
    let mut results = Vec::new();
    for (name, method, contestant) in CONTENDERS {
        let own = matches!(contestant, Contestant::Certifier);
        for case in cases() {
            let outcome = pushes::run(&case, steps, contestant);
            results.push(PushResult {
                contender: name.into(),
                version: if own { version_of("cloth-certify") } else { String::new() },
                own,
                method: method.into(),
                case: case.name(),
                steps,
                first_crossing: outcome.first_crossing.map(|step| step + 1),
                crossings: outcome.crossings,
                kept_apart: outcome.kept_apart,
                kept_at_contact: outcome.kept_at_contact,
                ms_per_step: Some(1e3 * outcome.seconds / steps as f64),
            });
        }
        eprintln!("{name}: {} cases", cases().len());
    }
    Ok(PushReport { push_version: PUSH_VERSION, provenance: provenance(note, load_at_start), results })
}
