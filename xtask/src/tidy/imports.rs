//! Which module of `cloth-solver` may import which: each only those above it in [`ORDER`].
//!
//! An import is a module that a file names by a path from the crate, be it in a `use`, in the code or by a
//! name that `lib.rs` re-exports from there. What is only for tests imports what it likes. A folder in
//! [`GROUPS`] is no module of the order: each file in it is.

use std::collections::{BTreeMap, BTreeSet};

use super::sizes::{code_lines, is_counted};
use super::tree::Tree;

/// Where the modules lie.
const FOLDER: &str = "cloth-solver/src/";

/// Folders that only group modules, for who looks for one.
const GROUPS: [&str; 2] = ["ask", "describe"];

/// The modules that implement `Simulation`; the others are types and functions over the state that they need.
const SIMULATION: [&str; 6] = ["simulation", "step", "edit", "queries", "intersections", "snapshot"];

/// The most imports against the order that pass.
const MOST_VIOLATIONS: usize = 10;

/// The modules from top to bottom, each may import those before it: errors, ids and tools; what a scene is
/// described by; what moves particles and bodies, and the state that it moves; the simulation, and what is
/// done with it.
const ORDER: [&str; 4] = [
    "error number registry clock threads colouring chunks active bodies display render_mesh",
    "material controls particles gusts wind fem mass_spring elastic_model sleep teleport settings regions \
     cloth rest geodesic friction",
    "damping constraints rigid detection report recovery state local_frame axes assets gate_state motion \
     cloth_asset checkpoint builder waypoints islands",
    "intersections scratch fixings simulation faults snapshot serialise queries assemble edit stages step \
     untangle",
];

/// The imports against the order.
pub(super) struct Imports {
    /// Modules without a place in the order, places without a module, and implementations of `Simulation`
    /// elsewhere than in [`SIMULATION`].
    misplaced: BTreeSet<String>,
    /// Files with a module that they import though it does not stand above theirs.
    violations: BTreeSet<String>,
}

impl Imports {
    /// Reads the modules of the repository.
    pub(super) fn read(tree: &Tree) -> Self {
        let order: Vec<&str> = ORDER.iter().flat_map(|part| part.split(' ')).collect();
        let files = tree.below(FOLDER).filter(|(path, text)| path.ends_with(".rs") && is_counted(path, text));
        let files = files.filter_map(|(path, text)| Some((path.strip_prefix(FOLDER)?, text)));
        Self::find(&order, &files.collect::<Vec<_>>())
    }

    /// The same for a list of (path below the folder, text), one of them `lib.rs`.
    fn find(order: &[&str], files: &[(&str, &str)]) -> Self {
        let files: Vec<(&str, String)> = files.iter().map(|(path, text)| (*path, product(text))).collect();
        let mut places: BTreeMap<&str, usize> = (0..).zip(order).map(|(at, &module)| (module, at)).collect();
        let lib = files.iter().find(|(path, _)| *path == "lib.rs").map_or("", |(_, code)| code);
        for item in lib.split("pub use ").skip(1).filter_map(|rest| rest.split(';').next()) {
            if let Some(&place) = places.get(first_name(item)) {
                let names = item.split(|c: char| !is_part(c));
                let names = names.filter(|name| !name.is_empty() && !GROUPS.contains(name));
                names.for_each(|name| _ = places.entry(name).or_insert(place));
            }
        }
        let mut found = BTreeSet::new();
        let (mut misplaced, mut violations) = (BTreeSet::new(), BTreeSet::new());
        for (path, code) in &files {
            let own = first_name(path);
            if own == "lib" || own == "mod" {
                continue;
            }
            found.insert(own);
            let Some(&rank) = places.get(own) else {
                misplaced.insert(format!("{own} has no place in the order of modules"));
                continue;
            };
            if code.contains("impl Simulation {") && !SIMULATION.contains(&own) {
                misplaced
                    .insert(format!("{path} implements Simulation: make it functions over what they need"));
            }
            let imported = names_from_the_crate(path, code).into_iter().filter_map(|name| places.get(name));
            let against = imported.filter(|&&place| place > rank);
            violations.extend(against.map(|&place| format!("{path} imports {}", order[place])));
        }
        let gone = order.iter().filter(|module| !found.contains(**module));
        misplaced.extend(gone.map(|module| format!("the order has {module}, which is gone")));
        Self { misplaced, violations }
    }

    /// Whether there are few enough.
    pub(super) fn passes(&self) -> bool {
        self.misplaced.is_empty() && self.violations.len() <= MOST_VIOLATIONS
    }

    /// The order, and what is against it.
    pub(super) fn report(&self) -> String {
        let Self { misplaced, violations } = self;
        let against: String = misplaced.iter().chain(violations).map(|line| format!("{line}\n")).collect();
        format!(
            "the modules of {FOLDER}, each above those that may import it:\n  {}\n{against}\
             {} imports against the order, at most {MOST_VIOLATIONS}\n",
            ORDER.join("\n  "),
            violations.len()
        )
    }
}

/// The code of a text, without comments.
fn product(text: &str) -> String {
    let lines = code_lines("x.rs", text).into_iter().filter_map(|line| line.split("//").next());
    lines.collect::<Vec<_>>().join("\n")
}

/// The first names of the paths from the crate: by `crate::`, and by `super::` in the root of a module.
fn names_from_the_crate<'a>(path: &str, code: &'a str) -> Vec<&'a str> {
    let is_inner = without_group(path).trim_end_matches("/mod.rs").contains('/');
    let roots = if is_inner { &["crate::"][..] } else { &["crate::", "super::"] };
    let paths = roots.iter().flat_map(|root| code.split(root).skip(1));
    let names = paths.flat_map(|rest| {
        let path = rest.split(|c: char| !is_part(c) && c != ':').next().unwrap_or_default();
        // Braces go on to the end of a `use`.
        let is_list = rest[path.len()..].starts_with('{') && (path.is_empty() || path.ends_with("::"));
        let path = if is_list { rest.split(';').next().unwrap_or_default() } else { path };
        path.split([',', '{', '}']).map(first_name)
    });
    names.collect()
}

/// The name that a path begins with, behind that of a group.
fn first_name(path: &str) -> &str {
    without_group(path.trim_start()).split(|c: char| !is_part(c)).next().unwrap_or_default()
}

/// A path of modules or of files without the group that it begins with.
fn without_group(path: &str) -> &str {
    let rest = |group: &&str| path.strip_prefix(*group).filter(|rest| rest.starts_with([':', '/']));
    GROUPS.iter().find_map(rest).map_or(path, |rest| rest.trim_start_matches([':', '/']))
}

/// Whether a name may contain a character.
fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIB: &str = "mod base;\npub mod middle;\nmod end;\npub use middle::{Part, Whole};\n";
    const FILES: [(&str, &str); 4] = [("lib.rs", LIB), ("base.rs", ""), ("middle.rs", ""), ("end.rs", "")];

    fn violations(path: &str, text: &str) -> Vec<String> {
        let files = [&FILES[..], &[(path, text)]].concat();
        let found = Imports::find(&["base", "middle", "end"], &files);
        assert!(found.misplaced.is_empty(), "{:?}", found.misplaced);
        found.violations.into_iter().collect()
    }

    #[test]
    fn finds_imports_by_every_kind_of_path() {
        let against = |module: &str| vec![format!("base.rs imports {module}")];
        assert_eq!(violations("base.rs", "use crate::end::Step;"), against("end"));
        assert_eq!(violations("base.rs", "use super::end::Step;"), against("end"));
        assert_eq!(violations("base.rs", "fn f() -> crate::Part {}"), against("middle"));
        let list = "use crate::{\n    other,\n    middle::{a, b},\n};";
        assert_eq!(violations("base.rs", list), against("middle"));
        assert_eq!(violations("base/deep/mod.rs", "use crate::end;"), ["base/deep/mod.rs imports end"]);
    }

    #[test]
    fn a_file_in_a_group_is_a_module_of_its_own() {
        let lib = "mod ask;\nmod step;\npub use ask::report::{Report};\n";
        let violations = |path: &'static str, text: &'static str| {
            let files = [("lib.rs", lib), ("ask/mod.rs", ""), ("ask/report.rs", ""), ("ask/queries.rs", "")];
            let files = [&files[..], &[("step.rs", ""), (path, text)]].concat();
            let found = Imports::find(&["report", "step", "queries"], &files);
            assert!(found.misplaced.is_empty(), "{:?}", found.misplaced);
            found.violations.into_iter().collect::<Vec<_>>()
        };
        let against = ["step.rs imports queries"];
        assert_eq!(violations("step.rs", "use crate::ask::queries::Normals;"), against);
        assert_eq!(violations("step.rs", "use crate::{ask::{queries}, Report};"), against);
        assert_eq!(violations("ask/report.rs", "use super::queries;"), ["ask/report.rs imports queries"]);
        assert_eq!(violations("ask/report.rs", "use crate::step;"), ["ask/report.rs imports step"]);
        assert_eq!(violations("ask/queries.rs", "use crate::{ask::report::Report, step};"), [""; 0]);
    }

    #[test]
    fn allows_what_stands_above_and_what_is_for_tests() {
        assert_eq!(violations("end.rs", "use crate::{base, middle::Part, Whole};"), [""; 0]);
        assert_eq!(violations("base/mod.rs", "use crate::base::end; use super::middle_name;"), [""; 0]);
        assert_eq!(violations("base/a.rs", "use super::end;\n#[cfg(test)]\nuse crate::end;"), [""; 0]);
    }

    #[test]
    fn finds_an_implementation_of_the_simulation_elsewhere() {
        let text = "impl Simulation {\n}\n";
        let find = |path| Imports::find(&["base", "step"], &[("base.rs", ""), ("step.rs", ""), (path, text)]);
        assert_eq!(find("base.rs").misplaced.len(), 1);
        assert!(find("step.rs").passes());
    }

    #[test]
    fn finds_modules_without_a_place_and_places_without_a_module() {
        let misplaced = Imports::find(&["base", "middle", "gone"], &FILES).misplaced;
        let expected = ["end has no place in the order of modules", "the order has gone, which is gone"];
        assert!(misplaced.iter().eq(&expected), "{misplaced:?}");
    }
}
