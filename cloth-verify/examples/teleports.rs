//! Prints what a sheet does whose pins, and what wears it, jump or turn between two frames, without and with
//! cuts: the table of `docs/design/teleports.md`.

#[path = "../tests/teleports/jump.rs"]
mod jump;

use cloth_solver::{Settings, Teleport};
use jump::{Jump, Wearer};

fn main() {
    println!(
        "| vertices | wearer | jump | cut | stretch p99 at rest, at once, after % | worst % | steps behind | \
         frozen most, after | released | intersections | rounds | proofs before, after | ms median before, \
         longest after |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for grid in [[8, 14], [18, 34]] {
        for name in ["none", "box", "character"] {
            for metres in [0.0, 0.5, 2.0, 5.0, 20.0, 100.0] {
                for degrees in [0.0, 90.0, 180.0] {
                    for teleport in [None, Some(Teleport::default())] {
                        if metres + degrees > 0.0 {
                            row(&Jump { metres, degrees, grid }, name, wearer(name), teleport);
                        }
                    }
                }
            }
        }
    }
}

/// What wears the sheet, by name.
fn wearer(name: &str) -> Wearer {
    match name {
        "box" => Wearer::Box,
        "character" => jump::character(),
        _ => Wearer::Nobody,
    }
}

fn row(jump: &Jump, name: &str, wearer: Wearer, teleport: Option<Teleport>) {
    let seen = jump.run(wearer, Settings { teleport, ..Settings::default() });
    let [rest, at_once, after] = seen.stretch.map(|stretch| 100.0 * stretch);
    let behind = seen.lag.iter().filter(|lag| **lag > 0.0).count();
    let Jump { metres, degrees, grid } = jump;
    println!(
        "| {} | {name} | {metres} m, {degrees} deg | {} | {rest:.3}, {at_once:.3}, {after:.3} | {:.2} | \
         {behind} | {}, {} | {} | {} | {} | {}, {} | {:.1}, {:.1} |{}",
        grid[0] * grid[1],
        if seen.cuts > 0 { "yes" } else { "no" },
        100.0 * seen.worst_stretch,
        seen.frozen[0],
        seen.frozen[1],
        seen.released,
        seen.intersections,
        seen.rounds[1],
        seen.proofs[0],
        seen.proofs[1],
        seen.ms[0],
        seen.ms[1],
        seen.error.map(|error| format!(" {error}")).unwrap_or_default(),
    );
}
