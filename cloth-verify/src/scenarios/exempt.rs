//! How many pair-substeps a tangle may exempt in a scenario: what an audit counted when the figure was
//! committed.
//!
//! A pair that a tangle exempts may cross, so every one of them is a piece of the guarantee that is given
//! away. Runs are reproducible bit by bit, so the figures are exact: a greater count means that tangles last
//! longer, or take in more, than before. A lesser one should be entered here.

use crate::Size;

/// Scenario, size, and pair-substeps; with the sampling of
/// [`Setup::audit_every`](crate::scenario::Setup::audit_every).
const EXPECTED: &[(&str, Size, u64)] =
    &[("tangled", Size::Small, 61_773), ("tangled", Size::Medium, 101_595)];

/// The most pair-substeps of a scenario that a tangle may exempt; 0 unless the scenario is listed.
pub(crate) fn exempt_pair_substeps(scenario: &str, size: Size) -> u64 {
    let entry = EXPECTED.iter().find(|(name, of, _)| *name == scenario && *of == size);
    entry.map_or(0, |&(_, _, pairs)| pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenarios;

    #[test]
    fn every_entry_names_a_scenario_and_no_size_comes_twice() {
        for (k, (name, size, _)) in EXPECTED.iter().enumerate() {
            assert!(scenarios::all().iter().any(|s| s.name == *name), "{name}");
            assert!(!EXPECTED[..k].iter().any(|(n, s, _)| n == name && s == size), "{name} {size}");
        }
        assert_eq!(exempt_pair_substeps("hang", Size::Small), 0);
    }
}
