//! Several broad phases over the same scenarios: one state for all of them, and the time of each.

use std::fmt::Write;

use cloth_show::report::human;

use super::ScenarioReport;

/// Fails each scenario that ends in another state than the same scenario with the first broad phase did.
pub fn fail_unequal_states(scenarios: &mut [ScenarioReport]) {
    for i in 1..scenarios.len() {
        let (before, rest) = scenarios.split_at_mut(i);
        let this = &mut rest[0];
        let Some(first) = before.iter().find(|s| s.run.name == this.run.name && s.size == this.size) else {
            continue;
        };
        if first.run.state_hash != this.run.state_hash {
            this.run.failures.push(format!(
                "ends in state {} with {}, but in {} with {}: a broad phase has lost or invented a pair",
                this.run.state_hash, this.broadphase, first.run.state_hash, first.broadphase
            ));
            this.run.pass = false;
        }
    }
}

/// A row for each scenario: the state that all broad phases end in, and the median time of a frame (ms) with
/// each.
///
/// Empty if there is only one broad phase.
#[must_use]
pub fn methods_table(scenarios: &[ScenarioReport]) -> String {
    let methods = distinct(scenarios.iter().map(|s| s.broadphase.as_str()));
    let names = distinct(scenarios.iter().map(|s| s.run.name.as_str()));
    if methods.len() < 2 {
        return String::new();
    }
    let width = names.iter().map(|name| name.len()).fold("ms/frame".len(), usize::max);
    let mut text = format!("\n{:<width$}  {:<16}", "ms/frame", "state");
    for method in &methods {
        let _ = write!(text, "  {method:>11}");
    }
    for name in &names {
        let of = |method: &str| scenarios.iter().find(|s| s.run.name == *name && s.broadphase == method);
        let states =
            distinct(scenarios.iter().filter(|s| s.run.name == *name).map(|s| s.run.state_hash.as_str()));
        let state = if let [one] = states[..] { one } else { "DIFFERENT" };
        let _ = write!(text, "\n{name:<width$}  {state:<16}");
        for method in &methods {
            let time = of(method).map(|s| human(s.run.ms_per_frame.median, 1.0)).unwrap_or_default();
            let _ = write!(text, "  {time:>0$}", method.len().max(11));
        }
    }
    text.push('\n');
    text
}

/// Each once, in the order of their first appearance.
fn distinct<'a>(words: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = Vec::new();
    for word in words {
        if !seen.contains(&word) {
            seen.push(word);
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use cloth_show::report::RunReport;

    use super::*;

    fn ran(name: &str, broadphase: &str, state_hash: &str) -> ScenarioReport {
        ScenarioReport {
            run: RunReport {
                name: name.into(),
                state_hash: state_hash.into(),
                pass: true,
                ..RunReport::default()
            },
            broadphase: broadphase.into(),
            ..ScenarioReport::default()
        }
    }

    #[test]
    fn another_state_fails_the_scenario_and_names_both_methods() {
        let mut all =
            [ran("pile", "a", "01"), ran("hang", "a", "02"), ran("pile", "b", "01"), ran("hang", "b", "03")];
        fail_unequal_states(&mut all);
        assert_eq!(all.each_ref().map(|s| s.run.pass), [true, true, true, false]);
        assert!(all[3].run.failures[0].contains("03 with b, but in 02 with a"));
        let table = methods_table(&all);
        assert!(table.lines().any(|l| l.starts_with("pile") && l.contains("01")));
        assert!(table.lines().any(|l| l.starts_with("hang") && l.contains("DIFFERENT")));
    }

    #[test]
    fn one_broad_phase_needs_no_comparison() {
        assert_eq!(methods_table(&[ran("pile", "a", "01"), ran("hang", "a", "02")]), "");
    }
}
