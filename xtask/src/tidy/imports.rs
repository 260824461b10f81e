//! Which module of `cloth-solver` may import which: each only those above it in [`ORDER`].
//!
//! An import is a module that a file names by a path from the crate, be it in a `use`, in the code or by a
//! name that `lib.rs` re-exports from there. What is only for tests imports what it likes. A folder in
//! [`GROUPS`] is no module of the order: each file in it is.

use std::collections::{BTreeMap, BTreeSet};

use super::code::{is_test, product};
use super::tree::Tree;

/// Where the modules lie.
const FOLDER: &str = "cloth-solver/src/";

/// Folders that only group modules, for who looks for one.
const GROUPS: [&str; 2] = ["ask", "describe"];

/// The modules that implement `Simulation`; the others are types and functions over the state that they need.
const SIMULATION: [&str; 6] = ["simulation", "step", "edit", "queries", "intersections", "snapshot"];

/// The most imports against the order that pass.
pub(super) const MOST_VIOLATIONS: usize = 10;

/// The modules from top to bottom. Each may import those before it.
const ORDER: [&str; 57] = [
    // Errors, ids, tools.
    "error",
    "number",
    "registry",
    "clock",
    "threads",
    "colouring",
    "chunks",
    "active",
    "bodies",
    "display",
    "render_mesh",
    // What a scene is described by.
    "material",
    "controls",
    "particles",
    "gusts",
    "wind",
    "fem",
    "mass_spring",
    "elastic_model",
    "sleep",
    "teleport",
    "settings",
    "regions",
    "cloth",
    "rest",
    "geodesic",
    "friction",
    // What moves particles and bodies, and the state that it moves.
    "damping",
    "constraints",
    "rigid",
    "detection",
    "report",
    "recovery",
    "state",
    "local_frame",
    "axes",
    "assets",
    "gate_state",
    "motion",
    "cloth_asset",
    "checkpoint",
    "builder",
    "waypoints",
    "islands",
    // The simulation, and what is done with it.
    "intersections",
    "scratch",
    "fixings",
    "simulation",
    "faults",
    "snapshot",
    "serialise",
    "queries",
    "assemble",
    "edit",
    "stages",
    "step",
    "untangle",
];

/// The order of the modules, with the imports against it.
pub(super) struct Imports {
    /// Modules that have no place in the order, places without a module, and implementations of `Simulation`
    /// elsewhere than in [`SIMULATION`].
    pub(super) misplaced: Vec<String>,
    /// Files with a module that they import though it does not stand above theirs.
    pub(super) violations: Vec<String>,
}

impl Imports {
    /// Reads the modules of the repository.
    pub(super) fn read(tree: &Tree) -> Self {
        let files: Vec<(&str, &str)> = tree
            .below(FOLDER)
            .filter(|(path, _)| path.ends_with(".rs") && !is_test(path))
            .filter_map(|(path, text)| Some((path.strip_prefix(FOLDER)?, text)))
            .collect();
        Self::find(&ORDER, &files)
    }

    /// The same for a list of (path below the folder, text), one of them `lib.rs`.
    fn find(order: &[&str], files: &[(&str, &str)]) -> Self {
        let lib = files.iter().find(|(path, _)| *path == "lib.rs").map_or("", |(_, text)| text);
        let lib = product(lib);
        let modules = modules(&lib, files);
        let place = |module: &str| order.iter().position(|&known| known == module);
        let unplaced = modules.iter().filter(|module| place(module).is_none());
        let empty = order.iter().filter(|place| !modules.contains(**place));
        let misplaced = unplaced.map(|module| format!("{module} has no place in the order of modules"));
        let misplaced = misplaced.chain(empty.map(|place| format!("the order has {place}, which is gone")));
        let mut misplaced: Vec<String> = misplaced.collect();
        let re_exports = re_exports(&lib, &modules);
        let mut violations = Vec::new();
        for (path, text) in files.iter().filter(|(path, _)| *path != "lib.rs") {
            let own = own_module(path);
            let Some(rank) = place(own) else { continue };
            let code = product(text);
            if code.contains("impl Simulation {") && !SIMULATION.contains(&own) {
                misplaced
                    .push(format!("{path} implements Simulation: make it functions over what they need"));
            }
            let names = names_from_the_crate(path, &code);
            let imported: BTreeSet<&str> = names
                .iter()
                .filter_map(|name| {
                    modules.get(name).or_else(|| re_exports.get(name).copied()).map(String::as_str)
                })
                .collect();
            let against = imported.into_iter().filter(|module| place(module).is_some_and(|used| used > rank));
            violations.extend(against.map(|module| format!("{path} imports {module}")));
        }
        Self { misplaced, violations }
    }

    /// Whether there are few enough.
    pub(super) fn passes(&self) -> bool {
        self.misplaced.is_empty() && self.violations.len() <= MOST_VIOLATIONS
    }

    /// The order, and what is against it.
    pub(super) fn report(&self) -> String {
        let Self { misplaced, violations } = self;
        let mut text = format!("the modules of {FOLDER}, each above those that may import it:\n");
        text.push_str(&format!("  {}\n", ORDER.join(" ")));
        for line in misplaced.iter().chain(violations) {
            text.push_str(&format!("{line}\n"));
        }
        text.push_str(&format!(
            "{} imports against the order, at most {MOST_VIOLATIONS}\n",
            violations.len()
        ));
        text
    }
}

/// The module that a file belongs to.
fn own_module(path: &str) -> &str {
    let mut names = path.split(['/', '.']);
    let first = names.next().unwrap_or_default();
    if GROUPS.contains(&first) { names.next().unwrap_or_default() } else { first }
}

/// The modules that a `lib.rs` declares, with those of a group in its place.
fn modules(lib: &str, files: &[(&str, &str)]) -> BTreeSet<String> {
    let mut modules = declared(lib);
    for group in GROUPS {
        if !modules.remove(group) {
            continue;
        }
        let path = format!("{group}/mod.rs");
        let text = files.iter().find(|(known, _)| *known == path).map_or("", |(_, text)| text);
        modules.extend(declared(&product(text)));
    }
    modules
}

/// The modules that a file declares.
fn declared(code: &str) -> BTreeSet<String> {
    let declared = code.split(';').filter_map(|item| item.trim_end().rsplit_once("mod "));
    declared.map(|(_, name)| name.trim().to_owned()).filter(|name| is_name(name)).collect()
}

/// The names that a `lib.rs` re-exports, each with its module.
fn re_exports<'a>(lib: &str, modules: &'a BTreeSet<String>) -> BTreeMap<String, &'a String> {
    let mut found = BTreeMap::new();
    for item in lib.split("pub use ").skip(1) {
        let item = item.split(';').next().unwrap_or_default();
        let Some((module, names)) = without_group(item).split_once("::") else { continue };
        if let Some(module) = modules.get(module.trim()) {
            let names = names.split(|c: char| !c.is_alphanumeric() && c != '_');
            found.extend(names.filter(|name| !name.is_empty()).map(|name| (name.to_owned(), module)));
        }
    }
    found
}

/// A path without the group that it begins with.
fn without_group(path: &str) -> &str {
    let rest = |group: &&str| path.trim_start().strip_prefix(*group)?.strip_prefix("::");
    GROUPS.iter().find_map(rest).unwrap_or(path)
}

/// The first names of the paths from the crate, by `crate::` or by as many `super::` as the file is deep; in
/// a group those from the group as well.
fn names_from_the_crate(path: &str, code: &str) -> BTreeSet<String> {
    let depth = path.split('/').filter(|part| *part != "mod.rs").count();
    let is_grouped = GROUPS.iter().any(|group| path.starts_with(&format!("{group}/")));
    let supers = "super::".repeat(depth);
    let mut starts = vec!["crate::", &supers];
    if is_grouped && depth > 1 {
        starts.push(&supers["super::".len()..]);
    }
    let mut names = BTreeSet::new();
    for start in starts {
        for (at, _) in code.match_indices(start) {
            let (before, rest) = (&code[..at], &code[at + start.len()..]);
            // Part of a longer name, or of a longer chain of `super`.
            if before.ends_with(|c: char| c.is_alphanumeric() || "_$:".contains(c))
                || rest.starts_with("super::")
            {
                continue;
            }
            names.extend(first_names(rest));
        }
    }
    names
}

/// The names that a path or the paths in braces begin with, behind the name of a group.
fn first_names(path: &str) -> Vec<String> {
    let path = without_group(path);
    match path.strip_prefix('{') {
        Some(braces) => names_in_braces(braces),
        None => first_name(path).into_iter().collect(),
    }
}

/// The first names in the braces of a `use`, up to the one that closes them.
fn names_in_braces(group: &str) -> Vec<String> {
    let mut names = Vec::new();
    let (mut depth, mut start) = (0usize, 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                names.extend(first_names(group[start..at].trim_start()));
                start = at + 1;
            }
            _ => {}
        }
        if c == '}' && start == at + 1 {
            break;
        }
    }
    names
}

/// The name that a text begins with.
fn first_name(text: &str) -> Option<String> {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    Some(text[..end].to_owned()).filter(|name| is_name(name))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIB: &str = "mod base;\npub mod middle;\n#[cfg_attr(x, path = \"y.rs\")]\nmod end;\n\
                       pub use middle::{Part, Whole};\npub use nalgebra;\n";

    fn violations(path: &str, text: &str) -> Vec<String> {
        Imports::find(&["base", "middle", "end"], &[("lib.rs", LIB), (path, text)]).violations
    }

    #[test]
    fn finds_imports_by_every_kind_of_path() {
        let against = |module: &str| vec![format!("base.rs imports {module}")];
        assert_eq!(violations("base.rs", "use crate::end::Step;"), against("end"));
        assert_eq!(violations("base.rs", "use super::end::Step;"), against("end"));
        assert_eq!(violations("base.rs", "fn f() -> crate::Part {}"), against("middle"));
        assert_eq!(
            violations("base.rs", "use crate::{\n    other,\n    middle::{a, b},\n};"),
            against("middle")
        );
        assert_eq!(
            violations("base/deep/mod.rs", "use super::super::end;"),
            ["base/deep/mod.rs imports end"]
        );
    }

    #[test]
    fn a_file_in_a_group_is_a_module_of_its_own() {
        let lib = "mod ask;\nmod step;\npub use ask::report::{Report};\n";
        let group = ("ask/mod.rs", "pub(crate) mod queries;\npub(crate) mod report;\n");
        let violations = |path: &'static str, text: &'static str| {
            let found =
                Imports::find(&["report", "step", "queries"], &[("lib.rs", lib), group, (path, text)]);
            assert!(found.misplaced.is_empty(), "{:?}", found.misplaced);
            found.violations
        };
        assert_eq!(violations("step.rs", "use crate::ask::queries::Normals;"), ["step.rs imports queries"]);
        assert_eq!(
            violations("step.rs", "use crate::{ask::{queries}, Report};"),
            ["step.rs imports queries"]
        );
        assert_eq!(violations("ask/report.rs", "use super::queries;"), ["ask/report.rs imports queries"]);
        assert_eq!(violations("ask/report.rs", "use crate::step;"), ["ask/report.rs imports step"]);
        assert!(violations("ask/queries.rs", "use crate::{ask::report::Report, step};").is_empty());
    }

    #[test]
    fn allows_what_stands_above_and_what_is_for_tests() {
        assert!(violations("end.rs", "use crate::{base, middle::Part, Whole};").is_empty());
        assert!(violations("base/mod.rs", "use crate::base::end; use super::middle_name;").is_empty());
        assert!(violations("base/a.rs", "use super::end;\n#[cfg(test)]\nuse crate::end;").is_empty());
        assert!(violations("y.rs", "use crate::end;").is_empty());
    }

    #[test]
    fn finds_an_implementation_of_the_simulation_elsewhere() {
        let files = [("lib.rs", "mod base;\nmod step;\n"), ("base.rs", "impl Simulation {\n}\n")];
        assert_eq!(Imports::find(&["base", "step"], &files).misplaced.len(), 1);
        let files = [files[0], ("step.rs", files[1].1)];
        assert!(Imports::find(&["base", "step"], &files).misplaced.is_empty());
    }

    #[test]
    fn finds_modules_without_a_place_and_places_without_a_module() {
        let misplaced = Imports::find(&["base", "middle", "gone"], &[("lib.rs", LIB)]).misplaced;
        assert_eq!(
            misplaced,
            ["end has no place in the order of modules", "the order has gone, which is gone"]
        );
    }
}
