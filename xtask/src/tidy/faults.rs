//! Faults that tests put in on purpose: each has a test that notices it, and no other build has any.

use std::collections::BTreeSet;

/// Where faults may be.
pub(super) const FOLDERS: [&str; 2] = ["cloth-contacts/src/", "cloth-solver/src/"];

/// Complaints about a list of (path, text), given the faults that have a test.
pub(super) fn violations(files: &[(&str, &str)], tested: &BTreeSet<&str>) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut used = BTreeSet::new();
    for (path, text) in files {
        let macros = path.ends_with("src/fault.rs");
        for (number, line) in text.lines().enumerate() {
            let is_module = line.trim() == "#[cfg(faults)]" && path.ends_with("src/lib.rs");
            if line.contains("cfg") && line.contains("faults") && !is_module && !macros {
                complaints.push(format!(
                    "{path}:{} is compiled with faults only: use `fault!`, and put the fault into faults.rs",
                    number + 1
                ));
            }
        }
        if !macros {
            used.extend(names(text));
        }
    }
    let untested = used
        .difference(tested)
        .map(|name| format!("the fault {name} has no test: add one to xtask/src/faults.rs"));
    complaints.extend(untested);
    complaints.extend(
        tested.difference(&used).map(|name| format!("xtask/src/faults.rs tests {name}, which is gone")),
    );
    complaints
}

/// The names of the faults in a text.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let calls = text.split("fault!(").skip(1);
    calls.filter_map(|call| call.split_once(',')).flat_map(|(names, _)| names.split('|').map(str::trim))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(path: &str, text: &str) -> usize {
        violations(&[(path, text)], &BTreeSet::from(["A", "B"])).len()
    }

    #[test]
    fn every_fault_has_a_test_and_every_test_a_fault() {
        assert_eq!(complaints("a/src/x.rs", "if fault!(A, x > 1) && fault!(\n  B, y(z), w) {"), 0);
        assert_eq!(complaints("a/src/x.rs", "fault!(A | B, x)"), 0);
        assert_eq!(complaints("a/src/x.rs", "fault!(A, x)"), 1);
        assert_eq!(complaints("a/src/x.rs", "fault!(A | B | C, x)"), 1);
    }

    #[test]
    fn only_the_module_of_the_faults_depends_on_the_build() {
        let both = "fault!(A | B, x)\n";
        let complaints = |path: &str, text: &str| complaints(path, &format!("{both}{text}"));
        assert_eq!(complaints("a/src/lib.rs", "#[cfg(faults)]\nmod faults;\n"), 0);
        assert_eq!(complaints("a/src/x.rs", "#[cfg(faults)]\nmod faults;\n"), 1);
        assert_eq!(complaints("a/src/lib.rs", "if cfg!(faults) {}\n"), 1);
    }
}
