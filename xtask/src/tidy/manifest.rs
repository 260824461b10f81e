//! Reads the few lines of a Cargo.toml that the rules ask about, as text.
//!
//! A TOML parser would be the first dependency of this crate. These manifests are our own, and their form is
//! plain: one member or one dependency a line.

/// The members of a workspace, in the order of the file.
pub(super) fn members(root_manifest: &str) -> Vec<String> {
    list(root_manifest, "members = [")
}

/// The folders that a workspace excludes because they are workspaces of their own.
#[cfg(test)]
pub(super) fn excluded(root_manifest: &str) -> Vec<String> {
    list(root_manifest, "exclude = [")
}

fn list(root_manifest: &str, start: &str) -> Vec<String> {
    let list = root_manifest
        .split_once(start)
        .and_then(|(_, after)| after.split_once(']'))
        .map_or("", |(list, _)| list);
    list.lines()
        .map(|line| line.split('#').next().unwrap_or_default())
        .flat_map(|line| line.split(','))
        .map(|word| word.trim().trim_matches('"'))
        .filter(|name| !name.is_empty())
        .map(String::from)
        .collect()
}

/// Names of all dependencies in a manifest: normal, dev, build, and those of a target.
pub(super) fn dependencies(manifest: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut in_dependencies = false;
    for line in manifest.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            in_dependencies = section.ends_with("dependencies");
            if let Some((_, name)) = section.split_once("dependencies.") {
                found.push(name.to_string());
            }
        } else if in_dependencies {
            let name = line.split(['=', '.', '#']).next().unwrap_or_default().trim().trim_matches('"');
            if !name.is_empty() {
                found.push(name.to_string());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_members_with_comments_on_one_line_or_several() {
        assert_eq!(members("members = [\"a\", \"b\"]\n"), ["a", "b"]);
        assert_eq!(members("x = 1\nmembers = [\n  \"a\", # first\n  \"b\",\n]\ny = [\"c\"]\n"), ["a", "b"]);
        assert!(members("[package]\n").is_empty());
        assert_eq!(excluded("exclude = [\"a\"]\nmembers = [\"b\"]\n"), ["a"]);
    }

    #[test]
    fn reads_dependencies_of_every_kind() {
        let manifest = "[package]\nname = \"x\"\n[dependencies]\na.workspace = true\nb = \"1\" # why\n\n\
                        [dev-dependencies]\nc = { path = \"c\" }\n[lints]\nworkspace = true\n\
                        [target.'cfg(unix)'.dependencies]\nd = \"1\"\n[build-dependencies.e]\nversion = \
                        \"1\"\n";
        assert_eq!(dependencies(manifest), ["a", "b", "c", "d", "e"]);
    }
}
