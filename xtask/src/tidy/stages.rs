//! Which stage of detection may use which: each only those before it, and what all rest on uses none.

/// The stages in the order of the data, as they are named below `detect`.
const ORDER: [&str; 5] = ["motion", "patch_pairs", "lists", "narrow", "output"];

/// Where they lie.
pub(super) const FOLDER: &str = "cloth-contacts/src/";

/// Complaints about a list of (path below [`FOLDER`], text).
pub(super) fn violations(files: &[(String, String)]) -> Vec<String> {
    let mut complaints = Vec::new();
    for (path, text) in files {
        let own = path.strip_prefix("detect/").and_then(|rest| rank(rest.split(['/', '.']).next()?));
        // What lies next to `detect`, not in a folder, is what all rest on.
        let is_base = !path.contains('/') && path != "lib.rs";
        for used in used_stages(text) {
            let forbidden = is_base || own.is_some_and(|own| used > own);
            if forbidden {
                complaints.push(format!("{FOLDER}{path} uses detect::{}, which comes later", ORDER[used]));
            }
        }
    }
    complaints
}

fn rank(name: &str) -> Option<usize> {
    ORDER.iter().position(|&stage| stage == name)
}

/// The stages that a text names by their path from the crate.
fn used_stages(text: &str) -> Vec<usize> {
    let paths = text.split("crate::detect::").skip(1);
    paths.filter_map(|rest| rank(rest.split(|c: char| !c.is_ascii_lowercase() && c != '_').next()?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(path: &str, text: &str) -> usize {
        violations(&[(path.into(), text.into())]).len()
    }

    #[test]
    fn a_stage_uses_itself_and_those_before_it() {
        assert_eq!(
            complaints("detect/lists/list.rs", "use crate::detect::motion::patch_motions::PatchMotions;"),
            0
        );
        assert_eq!(complaints("detect/lists/list.rs", "use crate::detect::lists::section;"), 0);
        assert_eq!(complaints("detect/patch_pairs.rs", "use crate::detect::lists::list::Span;"), 1);
        assert_eq!(complaints("detect/mod.rs", "use crate::detect::output::order;"), 0);
    }

    #[test]
    fn the_foundation_uses_no_stage_and_the_gate_may_use_all() {
        assert_eq!(complaints("surface.rs", "use crate::detect::motion::patch_motions::PatchMotions;"), 1);
        assert_eq!(complaints("gate/pair_source.rs", "use crate::detect::lists::candidates::Candidates;"), 0);
        assert_eq!(complaints("lib.rs", "pub use crate::detect::output::order;"), 0);
    }
}
