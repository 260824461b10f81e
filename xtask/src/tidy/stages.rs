//! Which stage of detection may use which: each only those before it, and what all rest on uses none.

/// The modules of the stages, in the order of the data.
const ORDER: [&str; 3] = ["lists", "detect::narrow", "detect::output"];

/// Where they lie.
pub(super) const FOLDER: &str = "cloth-contacts/src/";

/// Complaints about a list of (path below [`FOLDER`], text).
pub(super) fn violations(files: &[(String, String)]) -> Vec<String> {
    let mut complaints = Vec::new();
    for (path, text) in files {
        let own = rank(&path.replace('/', "::"));
        // What lies next to `detect`, not in a folder, is what all rest on.
        let is_base = !path.contains('/') && path != "lib.rs";
        for used in used_stages(text) {
            let forbidden = is_base || own.is_some_and(|own| used > own);
            if forbidden {
                complaints.push(format!("{FOLDER}{path} uses {}, which comes later", ORDER[used]));
            }
        }
    }
    complaints
}

/// The stage that a path of modules begins with.
fn rank(path: &str) -> Option<usize> {
    let is_word = |c: char| c == '_' || c.is_alphanumeric();
    ORDER.iter().position(|&stage| path.strip_prefix(stage).is_some_and(|rest| !rest.starts_with(is_word)))
}

/// The stages that the code of a text names by their path from the crate.
fn used_stages(text: &str) -> Vec<usize> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.split("crate::").skip(1)).filter_map(rank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(path: &str, text: &str) -> usize {
        violations(&[(path.into(), text.into())]).len()
    }

    #[test]
    fn a_stage_uses_itself_and_those_before_it() {
        assert_eq!(complaints("detect/narrow/points.rs", "use crate::lists::Due;"), 0);
        assert_eq!(complaints("lists/search.rs", "use crate::lists::list::Entry;"), 0);
        assert_eq!(complaints("lists/search.rs", "use crate::detect::narrow::lanes;"), 1);
        assert_eq!(complaints("detect/narrow/mod.rs", "use crate::detect::output::order::Order;"), 1);
        assert_eq!(complaints("detect/output.rs", "use crate::detect::narrow::TaskContacts;"), 0);
        assert_eq!(complaints("detect/mod.rs", "use crate::detect::output::order;"), 0);
    }

    #[test]
    fn the_foundation_uses_no_stage_and_the_gate_may_use_all() {
        assert_eq!(complaints("surface.rs", "use crate::lists::PairLists;"), 1);
        assert_eq!(complaints("surface.rs", "use crate::leaves::Leaves;"), 0);
        assert_eq!(complaints("leaves.rs", "//! A leaf has a frame ([`crate::lists::frames`])."), 0);
        assert_eq!(complaints("gate/rounds.rs", "use crate::lists::PairLists;"), 0);
        assert_eq!(complaints("lib.rs", "pub use crate::detect::output::order;"), 0);
    }
}
