//! A library re-exports the crates that its public signatures mention, so that a caller can name what it gets
//! in the version that it gets: those of this workspace that it depends on, and `nalgebra`.

use super::manifest::dependencies;
use super::tree::Tree;

/// Complaints about dependencies that a library among some members does not re-export.
pub(super) fn missing(tree: &Tree, members: &[String]) -> Vec<String> {
    let mut complaints = Vec::new();
    for member in members {
        let Some(root) = tree.text(&format!("{member}/src/lib.rs")) else { continue };
        // Where there are functions alone, as that which runs a command, no type is to be named.
        if !root.lines().any(|line| line.starts_with("pub ") && !line.starts_with("pub fn ")) {
            continue;
        }
        let manifest = tree.text(&format!("{member}/Cargo.toml")).unwrap_or_default();
        for dependency in own_dependencies(&manifest, members) {
            let name = dependency.replace('-', "_");
            let is_reexported = root.lines().any(|line| {
                let rest = line.strip_prefix("pub use ").and_then(|rest| rest.strip_prefix(name.as_str()));
                rest.is_some_and(|rest| rest == ";" || rest.starts_with(" as "))
            });
            if !is_reexported {
                complaints.push(format!(
                    "{member}/src/lib.rs: callers cannot name types of {dependency}: add `pub use {name};`"
                ));
            }
        }
    }
    complaints
}

/// The normal dependencies that are members, and `nalgebra`.
fn own_dependencies(manifest: &str, members: &[String]) -> Vec<String> {
    let normal = manifest.split_once("\n[dependencies]").map_or("", |(_, after)| after);
    let normal = normal.split("\n[").next().unwrap_or_default();
    let mut names = dependencies(&format!("[dependencies]{normal}"));
    names.retain(|name| name == "nalgebra" || members.contains(name));
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_dependency_that_is_not_re_exported() {
        let manifest = "[package]\nname = \"b\"\n\n[dependencies]\na-x.workspace = true\nnalgebra = \"1\"\n\
                        serde = \"1\"\n\n[dev-dependencies]\nc.workspace = true\n";
        let tree = |root| Tree::from_texts(&[("b/Cargo.toml", manifest), ("b/src/lib.rs", root)]);
        let members = ["a-x", "b", "c"].map(String::from);
        let found = missing(&tree("pub use a_x::Mesh;\npub use nalgebra;\n"), &members);
        assert_eq!(found, ["b/src/lib.rs: callers cannot name types of a-x: add `pub use a_x;`"]);
        assert!(missing(&tree("pub use a_x as a;\npub use nalgebra;\n"), &members).is_empty());
        assert_eq!(missing(&tree("use a_x;\npub use nalgebra_more;\n"), &members).len(), 2);
        assert!(missing(&tree("use a_x;\npub fn run() {}\n"), &members).is_empty());
    }
}
