//! Faults that tests put in on purpose stay out of the product: no other file imports them, and a normal
//! build has none of them.
//!
//! A file that holds a condition may be replaced by a faulty one as a whole, by the `path` of its module;
//! that line is all that a product file knows of it.

/// Where no file but those of the faults may import them.
pub(super) const FOLDERS: [&str; 2] = ["cloth-contacts/src/", "cloth-solver/src/"];

/// Whether a path below `src/` is of the faults.
fn is_fault(path: &str) -> bool {
    path.starts_with("faults/") || path == "faults.rs"
}

/// Lines that tie the faults in: they name a file or declare a module, and compile to nothing without the
/// feature.
fn is_tie(line: &str) -> bool {
    let line = line.trim();
    line == r#"#[cfg(feature = "mutations")]"#
        || line == "pub mod faults;"
        || line.starts_with(r#"#[cfg_attr(feature = "mutations", path = ""#)
}

/// Complaints about a list of (folder, path below it, text).
pub(super) fn imports(files: &[(&str, &str, &str)]) -> Vec<String> {
    let mut complaints = Vec::new();
    for (folder, path, text) in files.iter().filter(|(_, path, _)| !is_fault(path)) {
        let code = text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
        let tied = code.clone().filter(|(_, line)| !is_tie(line));
        for (number, line) in tied {
            if ["faults::", "mod faults", "Weakness", "weaken", "\"mutations\""]
                .iter()
                .any(|word| line.contains(word))
            {
                complaints.push(format!(
                    "{folder}{path}:{} uses faults that are for tests: put the condition in a rules.rs of which a file of the \
                     faults takes the place",
                    number + 1
                ));
            }
        }
        // The feature alone may declare the module of the faults.
        let lines: Vec<&str> = code.map(|(_, line)| line.trim()).collect();
        if let Some(at) = lines.iter().position(|&line| line == "pub mod faults;") {
            let above = lines[..at].iter().rev().take_while(|line| line.starts_with("#["));
            if !above.into_iter().any(|line| line.contains(r#"feature = "mutations""#)) {
                complaints.push(format!("{folder}{path} declares the faults in every build"));
            }
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(path: &str, text: &str) -> usize {
        imports(&[("cloth-contacts/src/", path, text)]).len()
    }

    #[test]
    fn product_files_name_no_fault_except_where_one_replaces_a_file() {
        assert_eq!(complaints("gate/proof.rs", "use crate::faults::Weakness;\n"), 1);
        assert_eq!(complaints("gate/mod.rs", "pub fn weaken(&mut self) {}\n"), 1);
        assert_eq!(complaints("gate/mod.rs", "if cfg!(feature = \"mutations\") {}\n"), 1);
        let tie = "#[cfg_attr(feature = \"mutations\", path = \"../faults/gate.rs\")]\nmod rules;\n";
        assert_eq!(complaints("gate/mod.rs", tie), 0);
        assert_eq!(
            complaints("gate/rules.rs", "//! With the feature `mutations` faults/gate.rs takes its place.\n"),
            0
        );
    }

    #[test]
    fn faults_need_the_feature_and_are_not_checked_themselves() {
        let declared = "#[cfg(feature = \"mutations\")]\n#[doc(hidden)]\npub mod faults;\n";
        assert_eq!(complaints("lib.rs", declared), 0);
        assert_eq!(complaints("lib.rs", "mod edge;\npub mod faults;\n"), 1);
        assert_eq!(complaints("faults/gate.rs", "use crate::faults::Weakness;\n"), 0);
        assert_eq!(complaints("faults.rs", "use cloth_contacts::faults::Weakness;\n"), 0);
    }
}
